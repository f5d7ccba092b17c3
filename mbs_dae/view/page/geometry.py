"""A drawing whose dimensions change: where its points are in bodies, as expressions of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import MbsError
from ...model.model import Model
from ...readings.sketch import sketch_of
from ...results.result import Result
from ...results.sketch import Sketch
from ..drawing.mechanism import pieces_of, staged
from ..drawing.motion import Marker, in_space, motion_of
from ..drawing.tracks import Along, AtMarker, OnBody, Push, Rail, Track
from . import pen
from .numbers import rounded
from .tracks import TrackWriter

STEP = 1e-3  # a change of a parameter that tells what of the drawing follows it
SAME = 1e-7  # lengths that differ by a smaller part of the longest are the same
LOOKS = 5  # poses that tell how far rails reach
Key = tuple[str, str, int]


@dataclass(frozen=True, eq=False)
class Geometry:
    """The markers of all elements and the points of all bodies, one after the other."""

    bodies: tuple[str, ...]
    markers: tuple[Marker, ...]
    corners: tuple[tuple[str, np.ndarray], ...]
    named: dict[str, int]
    """The corners that are markers with names."""
    expressions: tuple[Any, ...]
    """All their numbers, the markers' first."""

    def symbols(self, markers: Iterable[int], corners: Iterable[int]) -> set[Any]:
        """The parameters that move some of them."""
        width = len(self.markers[0]) - 1 if self.markers else 0
        size = 2 if width == 3 else 3
        places = [slice(k * width, (k + 1) * width) for k in markers]
        first = len(self.markers) * width
        places += [slice(first + k * size, first + (k + 1) * size) for k in corners]
        return {s for place in places for x in self.expressions[place] for s in getattr(x, "free_symbols", ())}

    def number_of(self, marker: Marker) -> int:
        """Of equal ones its own: they may part when a parameter changes."""
        same = [k for k, other in enumerate(self.markers) if other is marker]
        return same[0] if same else self.markers.index(marker)

    def corner_of(self, body: str, point: np.ndarray, size: float) -> int | None:
        """The number of a point of a body; None where it is none of those that the model says."""
        for k, (owner, other) in enumerate(self.corners):
            if owner == body and np.abs(other - point).max() <= SAME * size:
                return k
        return None


def geometry_of(model: Model, sketch: Sketch) -> Geometry:
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
    return Geometry(bodies, tuple(markers), places, named, tuple(expressions))


@dataclass(frozen=True, eq=False)
class LiveWriter(TrackWriter):
    """Writes as well which markers and corners the points of a track follow."""

    geometry: Geometry = field(kw_only=True)

    def written(self, track: Track) -> dict[str, Any]:
        found, geometry = super().written(track), self.geometry
        if isinstance(track, AtMarker):
            found |= {"marker": geometry.number_of(track.marker), "offsets": rounded(in_space(track.points))}
            if track.upright:
                found["upright"] = True
        if isinstance(track, Rail):
            follower = geometry.number_of(track.follower), self.bodies.get(track.follower[0], -1)
            found["rail"] = {"follower": follower, "axis": track.axis, "beyond": track.beyond}
        if isinstance(track, OnBody):
            found["corners"] = self._corners(track)
        if isinstance(track, Along) and not isinstance(track.way, Push):
            found["ends"] = [geometry.number_of(marker) for marker in (track.start, track.way)]
        return found

    def _corners(self, track: OnBody) -> list[int | None]:
        """None for what is no corner, or a gap in a line."""
        points = in_space(track.points)
        size = np.nanmax(np.abs(points), initial=0.0)
        return [self.geometry.corner_of(track.body, p, size) if np.isfinite(p).all() else None for p in points]


# --- what does not follow ---


def stiff_pieces(result: Result, model: Model, geometry: Geometry, symbol: float) -> list[list[str]]:
    """For each piece of the bodies, joints and forces the parameters that change it otherwise than by its markers and
    corners: radii, outlines and shapes. Found by drawing the model with each parameter slightly changed."""
    known = dict(_tracks(result, result.sketch, symbol))
    names: dict[Key, list[str]] = {key: [] for key in known}
    for name, parameter in model.parameters.items():
        try:
            changed = model.with_parameters(**{name: parameter.value + STEP * (abs(parameter.value) or 1.0)})
            sketch = sketch_of(changed)
            others = dict(_tracks(result, sketch, symbol))
        except MbsError:  # these values make no mechanism
            continue
        moved = geometry_of(changed, sketch)
        for key, track in known.items():
            if key not in others or not _follows(track, others[key], geometry, moved, symbol):
                names[key].append(name)
    return [*names.values()]


def _tracks(result: Result, sketch: Sketch, symbol: float) -> Iterator[tuple[Key, Track]]:
    motion = motion_of(result).thinned(LOOKS)
    groups = pieces_of(staged(sketch, pen, motion, motion, symbol))
    for group, named in zip(("bodies", "joints", "forces"), groups, strict=True):
        for owner, pieces in named.items():
            yield from (((group, owner, k), piece.track) for k, piece in enumerate(pieces))


def _follows(track: Track, other: Track, geometry: Geometry, moved: Geometry, symbol: float) -> bool:
    """Whether a page that knows markers and corners draws the other track in place of this one."""
    if type(track) is not type(other):
        return False
    if isinstance(track, Rail):
        return True
    if isinstance(track, AtMarker) and isinstance(other, AtMarker):
        return _same(track.points, other.points, symbol)
    if isinstance(track, Along) and isinstance(other, Along):
        return _same(track.shape, other.shape, 1.0) and abs(track.unit - other.unit) <= SAME * symbol
    if isinstance(track, OnBody) and isinstance(other, OnBody):
        size = np.nanmax(np.abs(track.points), initial=0.0)
        corners = [geometry.corner_of(track.body, point, size) for point in in_space(track.points)]
        wanted = [p if k is None else moved.corners[k][1] for k, p in zip(corners, track.points, strict=True)]
        return _same(in_space(wanted), in_space(other.points), symbol)
    return True


def _same(one: np.ndarray, other: np.ndarray, size: float) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=0.0, atol=SAME * size, equal_nan=True))
