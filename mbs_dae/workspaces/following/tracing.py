"""Curves F(z) = 0 of any smooth equations with one unknown more than equations: by arc length, dense.

The tangent t has length 1 and F' t = 0; a step goes along t, and Newton's method corrects it at right angles. A step
whose ends do not belong to one smooth curve (the tangent turns too far, or the chord does not fit both tangents) is
halved. The curve is closed where it returns to its first place, up to whole turns of bodies and values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg.lapack import dgesv

from ...tolerances import CURVE_RESIDUAL, TRACE_CLOSURE, TRACE_STEP
from .equations import PosePoint

TURN = 0.35
"""Greatest angle between the tangents of a step, in rad."""
SMOOTH = 0.03
"""Greatest deviation of the chord of a step from its tangents, as a part of the step."""
CLOSED, LEFT, LONG, STUCK, SURFACE = "closed", "left", "long", "stuck", "surface"
"""Reasons why a curve ends; with SURFACE it comes to points where solutions go on in two directions."""


class Smooth(Protocol):
    """The equations of a curve: how to correct a point, and how to move."""

    def correction(
        self, z: PosePoint, across: np.ndarray, far: tuple[PosePoint, float] | None = None
    ) -> TracePlace | None:
        """Return the place of the curve at right angles to `across` from z, or at a distance ahead of another point;
        None if Newton's method does not converge."""

    def on_surface(self, z: PosePoint) -> bool:
        """Return whether solutions go on from a point in two directions."""

    def moved(self, z: PosePoint, step: np.ndarray) -> PosePoint: ...
    def between(self, one: PosePoint, other: PosePoint) -> np.ndarray:
        """Return the step in pose and values alone, up to whole turns."""


class TracePlace(NamedTuple):
    z: PosePoint
    t: np.ndarray
    sense: float
    """Sign of the determinant of [F'; t]: it changes where another branch is passed."""


@dataclass(frozen=True, eq=False)
class Trace:
    """A curve that was followed."""

    problem: Smooth
    places: list[TracePlace]
    steps: list[float]
    """The length along its tangent of the step after each place, except the last one."""
    ending: str
    beginning: str = CLOSED
    passed: list[int] = field(default_factory=list)
    """The numbers of the steps in which another branch was passed."""
    bends: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    """The coefficients of h² and h³ in the cubics of steps."""

    @property
    def closed(self) -> bool:
        return self.ending == CLOSED

    @cached_property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """The poses and the values of all places, a row each."""
        return np.array([place.z.q for place in self.places]), np.array([place.z.p for place in self.places])

    @cached_property
    def box(self) -> tuple[list[float], list[float]]:
        """The least and the greatest of each value."""
        values = self.points[1]
        return values.min(axis=0).tolist(), values.max(axis=0).tolist()

    @cached_property
    def reach(self) -> np.ndarray:
        """The distance from each place within which its two steps lie, shape (places,): the way along a smooth step is
        at most its length along the tangent over the cosine of TURN, and a chord deviates by SMOOTH. Infinite for a
        single place."""
        longest = np.maximum(np.append(self.steps, 0.0), np.append(0.0, self.steps))
        return longest * ((1.0 + SMOOTH) / np.cos(TURN)) if self.steps else np.array([np.inf])

    def inside(self, k: int, h: float) -> TracePlace:
        """Return the place at a distance h along the tangent of place k."""
        if h == 0.0:
            return self.places[k]
        if h == self.steps[k]:
            return self.places[k + 1]
        place = self._place_in_step(k, h)
        if place is None:
            raise ArithmeticError(f"no place within step {k}")
        return place

    def _place_in_step(self, k: int, h: float) -> TracePlace | None:
        """Return the place at a distance h along the tangent of place k, within the step; None without convergence.
        Newton's method begins on the cubic h t + h² b + h³ c, which has the place and the tangent of the end of the
        step as well."""
        base, size, step = self.places[k], self.steps[k], h * self.places[k].t
        if float(self.places[k + 1].t @ base.t) > 0.0 and size > 0.0:
            b, c = self._bend(k)
            step = step + h * h * (b + h * c)
        return self.problem.correction(self.problem.moved(base.z, step), base.t, (base.z, h))

    def _bend(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the coefficients b and c of the cubic of step k."""
        if k not in self.bends:
            base, end, size = self.places[k], self.places[k + 1], self.steps[k]
            off = (step_between(self.problem, base.z, end.z) - size * base.t) / size**2
            turned = (end.t / float(end.t @ base.t) - base.t) / size
            self.bends[k] = 3.0 * off - turned, (turned - 2.0 * off) / size
        return self.bends[k]

    def zero(
        self, k: int, low: float, high: float, function: Callable[[TracePlace], float]
    ) -> tuple[float, TracePlace]:
        """Return the zero of a function in a step, with values `low` and `high` of different sign at its ends: the
        distance along the tangent of place k, and the place. By secants within a bracket (the Illinois rule)."""
        a, b, size, before, kept = 0.0, self.steps[k], max(abs(low), abs(high)), np.inf, 0
        place = self.places[k]
        if low == 0.0:
            return 0.0, place
        for _ in range(60):
            x = b - high * (b - a) / (high - low)
            x = x if a < x < b else 0.5 * (a + b)
            found = self._place_in_step(k, x)
            if found is None:
                raise ArithmeticError(f"no place within step {k}")
            place, value = found, function(found)
            if abs(value) < CURVE_RESIDUAL * size or abs(x - before) < CURVE_RESIDUAL:
                break
            before = x
            if value * low > 0.0:  # b is kept; where it was kept before, too, half its value draws the secant there
                a, low, high, kept = x, value, 0.5 * high if kept == 1 else high, 1
            else:
                b, high, low, kept = x, value, 0.5 * low if kept == -1 else low, -1
        return x, place

    def zeros(
        self, numbers: np.ndarray, function: Callable[[TracePlace], float]
    ) -> list[tuple[int, float, TracePlace]]:
        """Return the zeros of a function with these values at the places: for each the number of the step, the
        fraction of the step, and the place."""
        zeros = []
        for k in np.flatnonzero(numbers[:-1] * numbers[1:] < 0.0).tolist():
            zeros.append(self.zero_in(k, float(numbers[k]), float(numbers[k + 1]), function))
        return zeros

    def with_places(self, zeros: Sequence[tuple[int, float, TracePlace]]) -> tuple[Trace, list[int]]:
        """Return the curve with each of these zeros, one in a step at most, as a place of its own; and the numbers of
        these places. A zero next to a place is that place. Where another curve crosses in the step, equations may have
        two tangents at the zero, and the tangent is that of the cubic."""
        between = {k: (part, place) for k, part, place in zeros}
        places, steps, numbers = [self.places[0]], list[float](), []
        for k, size in enumerate(self.steps):
            part, place = between.get(k, (0.0, self.places[k]))
            if k in between and min(part, 1.0 - part) * size > TRACE_STEP:
                numbers.append(len(places))
                if self.places[k].sense * self.places[k + 1].sense < 0.0:
                    h, (b, c) = part * size, self._bend(k)
                    t = self.places[k].t + h * (2.0 * b + 3.0 * h * c)
                    place = TracePlace(place.z, t / np.linalg.norm(t), self.places[k].sense)
                places.append(place)
                steps += [part * size, distance_ahead(self.problem, place, self.places[k + 1])]
            else:
                if k in between:
                    numbers.append(len(places) - 1 + int(part > 0.5))
                steps.append(size)
            places.append(self.places[k + 1])
        passed = [k for k in range(len(steps)) if places[k].sense * places[k + 1].sense < 0.0]
        return Trace(self.problem, places, steps, self.ending, self.beginning, passed), numbers

    def zero_in(
        self, k: int, low: float, high: float, function: Callable[[TracePlace], float]
    ) -> tuple[int, float, TracePlace]:
        """Return the zero of a function in step k, as `zeros` does; the nearer end where equations are not solved."""
        try:
            h, place = self.zero(k, low, high, function)
            return k, h / self.steps[k], place
        except ArithmeticError:
            near = int(abs(low) > abs(high))
            return k, float(near), self.places[k + near]


def tangent_at(jacobian: np.ndarray, near: np.ndarray | None) -> tuple[np.ndarray, float]:
    """Return the unit null vector of F', in the direction of `near`; and the sign of the determinant of both, 0 if it
    is singular."""
    if near is None:
        near = np.linalg.svd(jacobian)[2][-1]
    right = np.zeros(len(near))
    right[-1] = 1.0
    factor, pivots, t, status = dgesv(np.vstack([jacobian, near]), right)
    if status != 0:
        t = np.linalg.svd(jacobian)[2][-1]
        return (t if t @ near >= 0.0 else -t), 0.0
    swaps = int((pivots != np.arange(len(pivots))).sum())
    sense = (-1.0) ** (swaps + int((np.diag(factor) < 0.0).sum()))
    return t / np.linalg.norm(t), sense


def step_between(problem: Smooth, base: PosePoint, z: PosePoint) -> np.ndarray:
    """Return the whole step between two points near to each other, multipliers included."""
    return np.concatenate([problem.between(base, z), z.u - base.u])


def place_ahead(problem: Smooth, place: TracePlace, h: float) -> TracePlace | None:
    """Return the place at a distance h along the tangent of another, corrected at right angles; None if Newton's method
    does not converge."""
    return problem.correction(problem.moved(place.z, h * place.t), place.t)


def distance_ahead(problem: Smooth, place: TracePlace, other: TracePlace) -> float:
    """Return how far another place is ahead along the tangent: in space successive rotations are not their sum."""
    return float(place.t @ step_between(problem, place.z, other.z))


def trace_forward(
    problem: Smooth,
    start: TracePlace,
    step: float,
    most: int,
    within: Callable[[PosePoint, PosePoint], bool] | None = None,
) -> Trace:
    """Follow a curve from a place onwards; `within` returns for two successive points whether to go on."""
    places, h = [start], 0.25 * step
    steps: list[float] = []
    passed: list[int] = []
    bare = len(problem.between(start.z, start.z))
    while len(places) < most:
        here = places[-1]
        there = place_ahead(problem, here, h)
        if there is None or not one_curve(here.t, there.t, step_between(problem, here.z, there.z)):
            h *= 0.5
            if h < TRACE_STEP:
                return Trace(problem, places, steps, STUCK, passed=passed)
            continue
        if there.sense * here.sense < 0.0:
            if problem.on_surface(there.z) and not problem.on_surface(start.z):
                return Trace(problem, places, steps, SURFACE, passed=passed)
            passed.append(len(places) - 1)
        home = _first_place(problem, start, here, there, h, bare) if len(places) > 1 else None
        if home is not None:
            steps.append(distance_ahead(problem, here, home))
            return Trace(problem, [*places, home], steps, CLOSED, passed=passed)
        places.append(there)
        steps.append(distance_ahead(problem, here, there))
        if within is not None and not within(here.z, there.z):
            return Trace(problem, places, steps, LEFT, passed=passed)
        h = min(step, 1.6 * h)
    return Trace(problem, places, steps, LONG, passed=passed)


def one_curve(here: np.ndarray, there: np.ndarray, chord: np.ndarray) -> np.ndarray:
    """Return whether the ends of steps, by their tangents and the way between them (in the last axis), belong to one
    smooth curve."""
    size, foretold = np.linalg.norm(chord, axis=-1), here + there
    unit = foretold / np.linalg.norm(foretold, axis=-1, keepdims=True)
    off = np.linalg.norm(chord - size[..., None] * unit, axis=-1)
    return np.asarray(((here * there).sum(axis=-1) >= np.cos(TURN)) & (off <= SMOOTH * size + 1e-9))


def _first_place(
    problem: Smooth, start: TracePlace, here: TracePlace, there: TracePlace, h: float, bare: int
) -> TracePlace | None:
    """Return the first place again, if the step has passed it; else None."""
    before, after = (problem.between(start.z, one.z) for one in (here, there))
    t0 = start.t[:bare]
    if not (before @ t0 < 0.0 <= after @ t0 and np.linalg.norm(after) < 2.0 * h and np.linalg.norm(before) < 2.0 * h):
        return None
    (low, high), place = (0.0, h), here
    x = h * (before @ t0) / (before @ t0 - after @ t0)
    for _ in range(50):
        near = place_ahead(problem, here, x)
        if near is None:
            return None
        place, off = near, problem.between(start.z, near.z) @ t0
        if abs(off) < 1e-14:
            break
        low, high = (x, high) if off < 0.0 else (low, x)
        rate = float(place.t[:bare] @ t0 / (place.t @ here.t))
        x = x - off / rate if rate > 0.0 else 0.5 * (low + high)
        x = float(x) if low < x < high else 0.5 * (low + high)
    same = np.linalg.norm(problem.between(start.z, place.z)) < TRACE_CLOSURE and place.t[:bare] @ t0 > 0.99 * (t0 @ t0)
    return place if same else None


def reversed_place(place: TracePlace) -> TracePlace:
    return TracePlace(place.z, -place.t, -place.sense)


def trace_curve(
    problem: Smooth,
    start: TracePlace,
    step: float,
    most: int,
    within: Callable[[PosePoint, PosePoint], bool] | None = None,
) -> Trace:
    """Return the whole curve through a place."""
    forth = trace_forward(problem, start, step, most, within)
    if forth.closed:
        return forth
    back = trace_forward(problem, reversed_place(start), step, most, within)
    if len(back.places) == 1:
        return Trace(problem, forth.places, forth.steps, forth.ending, back.ending, forth.passed)
    turned = [reversed_place(place) for place in reversed(back.places)]
    steps = [distance_ahead(problem, one, other) for one, other in zip(turned, turned[1:], strict=False)]
    shift = len(steps)
    passed = [shift - 1 - k for k in back.passed] + [shift + k for k in forth.passed]
    return Trace(problem, turned + forth.places[1:], steps + forth.steps, forth.ending, back.ending, passed)
