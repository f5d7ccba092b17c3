"""Find how parameters change a drawing in other ways than through markers and corners, by drawing the model with each
of them slightly changed, in the given motion. A piece that grows in proportion to a number of its element (the radius
of a wheel) is redrawn by the page from this number, gears also by the distance of their axes, and cams by their
profiles. For all other pieces the page gets the names of the parameters that change them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ...errors import MbsError
from ...model.element import Element
from ...model.fields import Scalar, theta
from ...model.joints.gears import bearings
from ...model.model import Model
from ...model.tables import TableSymbol
from ...readings.sketch import OUTLINE_POINTS, sketch_of
from ...results.result import Result
from ...results.sketch import Sketch
from ...symbolic.functions import as_sympy
from ...tolerances import PAGE_LENGTH, REDRAWING_STEP
from ..drawing.mechanism import pieces_of, staged
from ..drawing.motion import in_space, motion_of
from ..drawing.tracks import AtMarker, OnBody, Rail, Rigid, Span, Track
from . import pen
from .geometry import PageGeometry, geometry_of

LOOKS = 5  # number of poses that show how far rails reach
Key = tuple[str, str, int]


@dataclass(frozen=True, eq=False)
class Change:
    """The drawing with one parameter changed."""

    name: str
    model: Model
    tracks: dict[Key, Track]
    geometry: PageGeometry


@dataclass(frozen=True)
class Redrawing:
    """How the page redraws a piece: in proportion to an expression of parameters, or as the curve of the cam with this
    index; and the parameters that change the piece in ways unknown to the page."""

    size: Any = None
    cam: int | None = None
    stiff: tuple[str, ...] = ()


def redrawings(result: Result, model: Model, geometry: PageGeometry, symbol: float) -> list[Redrawing]:
    """Return how to redraw each piece of the bodies, joints and forces, in their order."""
    changes = _changes(result, model, symbol)
    cams = [element.name for element in cams_of(model)]
    pieces = []
    for key, track in _tracks(result, result.sketch, symbol):
        stiff = tuple(c.name for c in changes if not _follows(track, c.tracks.get(key), geometry, c.geometry, symbol))
        piece, (group, owner, _) = Redrawing(stiff=stiff), key
        element = model.elements.get(owner) if group == "joints" else None
        geared = element is not None and element.sketch == "mesh" and "ratio" in getattr(element, "values", {})
        if element is not None and type(track) is AtMarker and (stiff or geared):
            others = [change.tracks.get(key) for change in changes]
            if owner in cams and len(track.points) >= OUTLINE_POINTS:
                piece = Redrawing(cam=cams.index(owner))
            elif (size := _size_of(track, others, model, element, changes)) is not None:
                piece = Redrawing(size=size)
            elif geared:  # the effect of the axes' distance is unknown
                piece = Redrawing(stiff=tuple(model.parameters))
        pieces.append(piece)
    return pieces


def _changes(result: Result, model: Model, symbol: float) -> list[Change]:
    changes = []
    for name, parameter in model.parameters.items():
        try:
            changed = model.with_values({name: parameter.value + REDRAWING_STEP * (abs(parameter.value) or 1.0)})
            sketch = sketch_of(changed)
            tracks = dict(_tracks(result, sketch, symbol))
        except MbsError:  # these values make no mechanism
            continue
        changes.append(Change(name, changed, tracks, geometry_of(changed, sketch)))
    return changes


# --- pieces that grow in proportion ---


def _size_of(
    track: AtMarker, others: Sequence[Track | None], model: Model, element: Element, changes: list[Change]
) -> Any:
    """Return the expression in proportion to which the piece grows with every parameter, or None."""
    if not all(isinstance(other, AtMarker) and other.points.shape == track.points.shape for other in others):
        return None
    number, length = model.evaluator(), np.nanmax(np.abs(track.points), initial=0.0)
    for size, distance in _sizes(model, element):
        if not (value := number(size)):  # nothing grows in proportion to 0
            continue
        parts = [change.model.evaluator()(size) / value for change in changes]
        pairs = zip(others, parts, strict=True)
        if all(_same(other.points, part * track.points, length) for other, part in pairs):  # type: ignore[union-attr]
            return size * distance
    return None


def _sizes(model: Model, element: Element) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of factors of possible sizes: scalars of the element and of its shapes; for gears, the parts of the
    distance of their axes, and this distance, which belongs to the motion."""
    values = getattr(element, "values", {})
    yield from ((as_sympy(radius), 1) for radius in getattr(element, "radii", None) or ())
    scalars = [n for n, f in getattr(element, "fields", {}).items() if isinstance(f, Scalar) and f.unit == "m"]
    yield from ((as_sympy(values[n]), 1) for n in scalars)
    for shape in getattr(element, "shapes", ()):
        numbers = (getattr(shape.geometry, name, None) for name in ("radius", "opening"))
        yield from ((as_sympy(number), 1) for number in numbers if number is not None)
    if "ratio" in values and model.dimension == 2:
        ratio = as_sympy(values["ratio"])
        share = 1 - ratio if values.get("mesh") == "internal" else 1 + ratio
        # Two wheels turn about two markers of one body, whose distance is that of their axes.
        first, second = (bearings(model.elements.values(), marker) for marker in element.feeling[:2])
        for carrier in first.keys() & second.keys():
            pairs = zip(first[carrier].point, second[carrier].point, strict=True)
            distance = sp.sqrt(sum((as_sympy(a) - as_sympy(b)) ** 2 for a, b in pairs))
            yield from ((1 / share, distance), (ratio / share, distance))


# --- cams ---


def cams_of(model: Model) -> list[Element]:
    """Return the cams whose profiles are expressions of an angle and of parameters, without tables."""
    cams = [e for e in model.elements.values() if e.sketch == "contact" and "profile" in getattr(e, "values", {})]
    return [e for e in cams if not _profile(e).atoms(TableSymbol)]


def profiles(model: Model) -> list[sp.Expr]:
    """Return two expressions for each cam: the curve is h n + s n⊥ of directions n, with s under a flat follower
    alone."""
    curves: list[sp.Expr] = []
    for element in cams_of(model):
        profile = _profile(element)
        curves += [profile, profile.diff(theta) if element.values["follower"] == "flat" else sp.S.Zero]  # type: ignore[attr-defined]
    return curves


def _profile(element: Element) -> sp.Expr:
    return as_sympy(element.values["profile"](theta))  # type: ignore[attr-defined]


# --- pieces that the page cannot redraw ---


def _tracks(result: Result, sketch: Sketch, symbol: float) -> Iterator[tuple[Key, Track]]:
    motion = motion_of(result).thinned(LOOKS)
    groups = pieces_of(staged(sketch, pen, motion, motion, symbol))
    for group, named in zip(("bodies", "joints", "forces"), groups, strict=True):
        for owner, pieces in named.items():
            yield from (((group, owner, k), piece.track) for k, piece in enumerate(pieces))


def _follows(track: Track, other: Track | None, geometry: PageGeometry, moved: PageGeometry, symbol: float) -> bool:
    """Return whether a page that knows markers and corners draws the other track in place of this one."""
    if type(track) is not type(other):
        return False
    if isinstance(track, Rail):
        return True
    if isinstance(track, Rigid) and isinstance(other, Rigid):
        return _same(track.points, other.points, symbol)
    if isinstance(track, AtMarker) and isinstance(other, AtMarker):
        return _same(track.points, other.points, symbol)
    if isinstance(track, Span) and isinstance(other, Span):
        return _same(track.shape, other.shape, 1.0) and abs(track.unit - other.unit) <= PAGE_LENGTH * symbol
    if isinstance(track, OnBody) and isinstance(other, OnBody):
        size = np.nanmax(np.abs(track.points), initial=0.0)
        corners = [geometry.corner_of(track.body, point, size) for point in in_space(track.points)]
        expected = [p if k is None else moved.corners[k][1] for k, p in zip(corners, track.points, strict=True)]
        return _same(in_space(expected), in_space(other.points), symbol)
    return True


def _same(one: np.ndarray, other: np.ndarray, size: float) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=0.0, atol=PAGE_LENGTH * size, equal_nan=True))
