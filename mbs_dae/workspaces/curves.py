"""Singular curves as results: their kind, their picture, cusps, and the points where both kinds meet.

The picture of a singular curve in the plane runs at right angles to Pᵀ u. So its rate is κ times the direction across
Pᵀ u, and the picture has a cusp where κ changes its sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..results.quantities import frozen
from .asked import Begun, Plane, Values, state_at
from .following.equations import Equations, Point
from .following.problems import Singular
from .following.search import Seeking
from .following.tracing import Place, Trace
from .found import SingularCurve, Special
from .plane.arcs import Spot

NO_RATE = 1e-9
"""A picture whose rate along the curve is less than this is constant."""


def curves_of(
    seeking: Seeking, kind: str, begun: Begun, plane: Plane, beside: Equations | None, own: bool,
    limits: dict[str, float] | None = None, first: int = 0,
) -> list[SingularCurve]:  # fmt: skip
    """Return the singular curves that the search has found, from number `first` on. With `own` its equations hold the
    values of the plane; `beside` are the equations of the other kind. Cusps are places of a curve: its polygon in the
    plane has its corners in them, so it is near to the curve everywhere."""
    found, read = [], Values(begun.model, begun.t, plane)
    for followed in seeking.curves[first:]:
        trace, corners = followed.with_places(_cusps(followed) if own else ())
        values = np.array([place.z.p if own else read(place.z.q) for place in trace.places])
        poses = [(Spot(min(k, len(trace.steps) - 1), float(k == len(trace.steps))), trace.places[k].z) for k in corners]
        cusps = tuple(Special(frozen(z.p), state_at(begun, z.q), spot) for spot, z in poses)
        curve = SingularCurve(
            kind, plane.names, frozen(values), trace.closed, cusps, (), limits or {}, plane.scale, trace, begun
        )
        found.append(curve if beside is None else with_both(curve, plane, beside, own))
    return found


def with_both(curve: SingularCurve, plane: Plane, beside: Equations, own: bool) -> SingularCurve:
    """Return the curve with the points in which the other kind is singular as well."""
    if curve.is_point:
        return curve
    read = None if own else Values(curve.begun.model, curve.begun.t, plane)
    return replace(curve, both=_both(curve.trace, curve.begun, read, beside))


def _cusps(trace: Trace) -> list[tuple[int, float, Place]]:
    problem = trace.problem
    assert isinstance(problem, Singular)

    def rate(place: Place) -> float:
        normal = problem.normal(place.z)
        size = np.linalg.norm(normal)
        own = place.t[: len(place.t) - place.z.u.size][-2:]
        return float(own @ [-normal[1], normal[0]] / size) if size > 0.0 else 0.0

    rates = np.array([rate(place) for place in trace.places])
    if np.abs(rates).max() < NO_RATE:
        return []
    return trace.zeros(rates, rate)


def _both(trace: Trace, begun: Begun, read: Values | None, beside: Equations) -> tuple[Special, ...]:
    nothing = np.zeros(beside.scale.size)

    def sign(place: Place) -> float:
        J = beside.at(Point(place.z.q, nothing, np.zeros(0))).J[beside.ranked]
        return float(np.linalg.det(J / np.linalg.norm(J, axis=1, keepdims=True))) if len(J) == J.shape[1] else 1.0

    signs = np.array([sign(place) for place in trace.places])
    if np.abs(signs).max() < NO_RATE:
        return ()
    told = []
    for spot, place in zeros_along(trace, signs, sign):
        values = place.z.p if read is None else read(place.z.q)
        told.append(Special(frozen(values), state_at(begun, place.z.q), spot))
    return tuple(told)


def zeros_along(trace: Trace, numbers: np.ndarray, function: Callable[[Place], float]) -> list[tuple[Spot, Place]]:
    """Return the places of a curve where a function changes its sign."""
    return [(Spot(k, part), place) for k, part, place in trace.zeros(numbers, function)]
