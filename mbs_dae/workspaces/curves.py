"""Singular curves as results: their kind, their picture, cusps, and the points where both kinds meet.

The picture of a singular curve in the plane runs at right angles to Pᵀ u. So its rate is κ times the direction across
Pᵀ u, and the picture has a cusp where κ changes its sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..results.quantities import frozen
from ..tolerances import PICTURE_RATE
from .following.equations import PlaneEquations
from .following.problems import Singular
from .following.search import CurveSearch, meetings
from .following.tracing import Trace, TracePlace
from .plane.arcs import Spot
from .request import InitialPose, ValuePlane, Values, state_at
from .result import SingularCurve, Special


def curves_of(
    search: CurveSearch, kind: str, initial: InitialPose, plane: ValuePlane, other_kind: PlaneEquations | None,
    on_plane: bool, limits: dict[str, float] | None = None, first: int = 0,
) -> list[SingularCurve]:  # fmt: skip
    """Return the singular curves that the search has found, from number `first` on, with the points in which the
    equations of the other kind lose rank as well. With `on_plane` the values of the equations are those of the plane.
    Cusps become places of a curve, so its polygon in the plane has corners there, and is near to the whole curve."""
    found, read = [], Values(initial.model, initial.t, plane)
    for k, followed in enumerate(search.curves[first:], first):
        has_cusps = on_plane and k not in search.fragments  # fragments begin and end anywhere, and so do their pictures
        trace, corners = followed.with_places(_cusps(followed) if has_cusps else ())
        values = np.array([place.z.p if on_plane else read(place.z.q) for place in trace.places])
        poses = [(Spot(min(k, len(trace.steps) - 1), float(k == len(trace.steps))), trace.places[k].z) for k in corners]
        cusps = tuple(Special(frozen(z.p), state_at(initial, z.q), spot) for spot, z in poses)
        curve = SingularCurve(
            kind, plane.names, frozen(values), trace.closed, cusps, (), limits or {}, plane.scale, trace, initial
        )
        if other_kind is not None and not curve.is_point:
            both = [
                Special(frozen(z.p if on_plane else read(z.q)), state_at(initial, z.q), Spot(k, part))
                for k, part, (z, *_) in meetings(trace, other_kind)
            ]
            curve = replace(curve, both=tuple(both))
        found.append(curve)
    return found


def _cusps(trace: Trace) -> list[tuple[int, float, TracePlace]]:
    problem = trace.problem
    assert isinstance(problem, Singular)

    def rate(place: TracePlace) -> float:
        normal = problem.normal(place.z)
        size = np.linalg.norm(normal)
        rate_of_values = place.t[: len(place.t) - place.z.u.size][-2:]
        return float(rate_of_values @ [-normal[1], normal[0]] / size) if size > 0.0 else 0.0

    rates = np.array([rate(place) for place in trace.places])
    if np.abs(rates).max() < PICTURE_RATE or not problem.is_border(trace.places):
        return []
    return trace.zeros(rates, rate)


def zeros_along(
    trace: Trace, numbers: np.ndarray, function: Callable[[TracePlace], float]
) -> list[tuple[Spot, TracePlace]]:
    """Return the places of a curve where a function changes its sign."""
    return [(Spot(k, part), place) for k, part, place in trace.zeros(numbers, function)]
