"""Express the points of a drawing in bodies by parameters, for drawings whose dimensions change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...model.model import Model
from ...results.sketch import Sketch
from ...tolerances import PAGE_LENGTH
from ..drawing.motion import Marker, in_space
from ..drawing.tracks import AtMarker, ForceArrow, OnBody, Rail, Rigid, Span, Track
from .places import TrackWriter, rounded


@dataclass(frozen=True, eq=False)
class PageGeometry:
    """The markers of all elements and the points of all bodies, one after the other."""

    bodies: tuple[str, ...]
    markers: tuple[Marker, ...]
    corners: tuple[tuple[str, np.ndarray], ...]
    named: dict[str, int]
    """The indices of those corners that are named markers."""
    expressions: tuple[Any, ...]
    """The expressions of all coordinates, first those of markers."""

    def symbols(self, markers: Iterable[int], corners: Iterable[int]) -> set[Any]:
        """Return the parameters on which the markers and corners with these indices depend."""
        width = len(self.markers[0]) - 1 if self.markers else 0
        size = 2 if width == 3 else 3
        places = [slice(k * width, (k + 1) * width) for k in markers]
        first = len(self.markers) * width
        places += [slice(first + k * size, first + (k + 1) * size) for k in corners]
        return {s for place in places for x in self.expressions[place] for s in getattr(x, "free_symbols", ())}

    def number_of(self, marker: Marker) -> int:
        """Return the index of a marker, by identity among equal markers: they may separate when a parameter changes."""
        same = [k for k, other in enumerate(self.markers) if other is marker]
        return same[0] if same else self.markers.index(marker)

    def corner_of(self, body: str, point: np.ndarray, size: float) -> int | None:
        """Return the index of a point of a body; None if the model does not define this point."""
        for k, (owner, other) in enumerate(self.corners):
            if owner == body and np.abs(other - point).max() <= PAGE_LENGTH * size:
                return k
        return None


def geometry_of(model: Model, sketch: Sketch) -> PageGeometry:
    markers: list[Marker] = []
    corners: dict[tuple[str, tuple[Any, ...]], None] = {}
    expressions: list[Any] = []
    named: dict[str, int] = {}
    for element, drawn in zip(model.elements.values(), sketch.elements, strict=True):
        for marker, told in zip(element.feeling, drawn.markers, strict=True):
            markers.append(told)
            expressions += marker.numbers
            corners[marker.body.name, tuple(marker.point)] = None
    for body in model.bodies.values():
        corners[body.name, tuple(body.com)] = None
        for marker in body.markers.values():
            corners[body.name, tuple(marker.point)] = None
            named[f"{body.name}.{marker.name}"] = [*corners].index((body.name, tuple(marker.point)))
    expressions += [x for _, point in corners for x in point]
    number = model.evaluator()
    places = tuple((body, in_space([number(x) for x in point])) for body, point in corners)
    bodies = tuple(body.name for body in sketch.bodies)
    return PageGeometry(bodies, tuple(markers), places, named, tuple(expressions))


@dataclass(frozen=True, eq=False)
class LiveWriter(TrackWriter):
    """Writes tracks together with the markers and corners that their points follow."""

    geometry: PageGeometry = field(kw_only=True)

    def written(self, track: Track) -> dict[str, Any]:
        found, geometry = super().written(track), self.geometry
        if isinstance(track, AtMarker):
            found |= {"marker": geometry.number_of(track.marker), "offsets": rounded(in_space(track.points))}
            if track.upright:
                found["upright"] = True
        if isinstance(track, Rail):
            follower = geometry.number_of(track.follower), self.bodies.get(track.follower[0], -1)
            found["rail"] = {"follower": follower, "axis": track.axis, "beyond": track.beyond}
        if isinstance(track, OnBody) and not isinstance(track, Rigid):
            points = in_space(track.points)
            size = np.nanmax(np.abs(points), initial=0.0)
            # None for a point that is no corner, or a gap in a line
            corners = (geometry.corner_of(track.body, p, size) if np.isfinite(p).all() else None for p in points)
            found["corners"] = [*corners]
        if isinstance(track, Span):
            ends = (track.start,) if isinstance(track.way, ForceArrow) else (track.start, track.way)
            found["ends"] = [geometry.number_of(marker) for marker in ends]
        return found
