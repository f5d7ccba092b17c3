"""Search for an optimum from one start, by the methods of scipy with exact derivatives.

Unknowns are u = (x - low) / (high - low), so that bounds are 0 and 1. "minimax" has one more unknown s, which is
minimised subject to s - f_k >= 0 for all entries: this problem is smooth where the largest f_k is not.

A design without a motion has no value. There the objective is infinite, and both methods take a shorter step from the
last design with a motion: a line search that compares with an infinite value shortens its step, and so does a trust
region. A finite penalty would be a wall with a kink, unknown to the derivatives next to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import least_squares, minimize

from ..errors import counted
from ..tolerances import BOUND_CLEARANCE, BOUND_DISTANCE, LIMIT_TOLERANCE, OBJECTIVE_ACCURACY, SQUARES_DECREASE
from .limits import INFINITE
from .objectives.objective import NotSmooth
from .runs import DesignRuns, Evaluation, FailedRun

NO_MOTION_NEARBY = "designs beside this one have no motion"


@dataclass(frozen=True, eq=False)
class ScaledBox:
    """Bounds, and unknowns u of the order of 1: row = origin + width u."""

    low: np.ndarray
    high: np.ndarray
    origin: np.ndarray
    width: np.ndarray

    def row(self, u: np.ndarray) -> np.ndarray:
        return np.clip(self.origin + self.width * u, self.low, self.high)

    def u(self, row: np.ndarray) -> np.ndarray:
        return (row - self.origin) / self.width


def box_of(low: np.ndarray, high: np.ndarray, model_row: np.ndarray) -> ScaledBox:
    """Return the box of a search: u is 0 and 1 at bounds; without bounds, u is the relative change of the model's
    number."""
    bounded = np.isfinite(high - low)
    sizes = np.where(model_row == 0.0, 1.0, np.abs(model_row))
    width = np.where(bounded, np.where(bounded, high, 1.0) - np.where(bounded, low, 0.0), sizes)
    return ScaledBox(low, high, np.where(bounded, low, model_row), width)


@dataclass(frozen=True, eq=False)
class Trial:
    """A search: its start, its end and its effort."""

    start: np.ndarray
    end: Evaluation | None
    """The design at the end; None if the start has no motion."""
    iterations: int
    runs: int
    message: str


class _Stuck(Exception):
    """A step led to a design without a motion, and no shorter step was found."""


@dataclass(frozen=True, eq=False)
class LimitMargins:
    """Limits as margins that must not be negative: (bound - value) / size, or (value - bound) / size."""

    limit: np.ndarray
    """The index of the limit of each margin."""
    entry: np.ndarray
    """The index of the entry of that limit."""
    sign: np.ndarray
    bound: np.ndarray
    size: np.ndarray
    equation: np.ndarray

    def margins(self, evaluation: Evaluation) -> np.ndarray:
        values = np.array([evaluation.limited[i].value[k] for i, k in zip(self.limit, self.entry, strict=True)])
        return self.sign * (values - self.bound) / self.size

    def slopes(self, evaluation: Evaluation) -> np.ndarray:
        """Return the derivatives of the margins by the numbers, shape (margins, names)."""
        rows = [evaluation.limited[i].slope[:, k] for i, k in zip(self.limit, self.entry, strict=True)]
        names = len(evaluation.row)
        return np.array(rows).reshape(-1, names) * (self.sign / self.size)[:, None]


def sides_of(runs: DesignRuns, box: ScaledBox, first: Evaluation) -> LimitMargins:
    """Return the limits as margins. The size of a limit is its largest absolute bound; for a bound of 0, the change of
    the limited value across the bounds of the numbers, by its slope at `first`."""
    columns: list[tuple] = []
    for i, (limit, values) in enumerate(zip(runs.limits, first.limited, strict=True)):
        size = max(abs(b) for b in (limit.lower, limit.upper, 0.0) if abs(b) < INFINITE)
        size = size or float(np.abs(values.slope * box.width[:, None]).max(initial=0.0)) or 1.0
        both = ((-1.0, limit.upper), (1.0, limit.lower))
        for sign, bound in both[:1] if limit.is_equation else both:
            if abs(bound) < INFINITE:
                columns += [(i, k, sign, bound, size, limit.is_equation) for k in range(values.size)]
    limits, entries, signs, bounds, sizes, equations = np.array(columns, dtype=float).reshape(-1, 6).T
    return LimitMargins(limits.astype(int), entries.astype(int), signs, bounds, sizes, equations.astype(bool))


def search(runs: DesignRuns, box: ScaledBox, kind: str, start: np.ndarray, most: int) -> Trial:
    """Return a search from a start to a design from which no nearby design is better."""
    before, first = runs.count, runs.at(start)
    if isinstance(first, FailedRun):
        if isinstance(first.error, NotSmooth):
            raise first.error
        return Trial(start, None, 0, runs.count - before, str(first.error))
    if kind == "least_squares" and not runs.limits:
        end, iterations, message = _gauss_newton(runs, box, first, most)
    else:
        end, iterations, message = _Programme(runs, box, kind, first, most).solve()
    keeps_limits = _keeps_limits(sides_of(runs, box, end), end)
    if _keeps_limits(sides_of(runs, box, first), first):
        if not keeps_limits or objective_value(first, kind) <= objective_value(end, kind):
            end = first  # a search that begins at the optimum ends within roundoff of the optimum
    elif not keeps_limits:
        near = _nearest_to_limits(runs, box, end, most)
        if _keeps_limits(sides_of(runs, box, near), near):
            again = search(runs, box, kind, near.row, most)
            return Trial(start, again.end, iterations + again.iterations, runs.count - before, again.message)
        end = near
    if (lower := _lower_nearby(runs, box, kind, first, end)) is not None:
        again = search(runs, box, kind, lower, most)
        return Trial(start, again.end, iterations + again.iterations, runs.count - before, again.message)
    return Trial(start, end, iterations, runs.count - before, message)


PROBE = 1e-2
"""The distance of trial designs from a stationary start, as a part of the range between the bounds: a quadratic
objective changes over this distance by 5e-5 of its second derivative by the scaled design."""


def _keeps_limits(sides: LimitMargins, evaluation: Evaluation) -> bool:
    """Return whether a design keeps all limits."""
    margins = sides.margins(evaluation)
    return bool((np.where(sides.equation, -np.abs(margins), margins) >= -LIMIT_TOLERANCE).all())


def _nearest_to_limits(runs: DesignRuns, box: ScaledBox, begin: Evaluation, most: int) -> Evaluation:
    """Return the design that exceeds its limits least, in parts of their size, of all that a search from `begin` tries:
    min s with s + m >= 0 for all margins m of inequalities, and s - |m| >= 0 for those of equations."""
    sides = sides_of(runs, box, begin)
    both, best, least = sides.equation, begin, np.inf

    def at(z: np.ndarray) -> Evaluation:
        nonlocal best, least
        evaluation = runs.at(box.row(z[:-1]))
        if isinstance(evaluation, FailedRun):
            raise _Stuck
        margins = sides.margins(evaluation)
        exceeded = float(np.where(both, np.abs(margins), -margins).max())
        if exceeded < least:
            best, least = evaluation, exceeded
        return evaluation

    def room(z: np.ndarray) -> np.ndarray:
        margins = sides.margins(at(z))
        return np.concatenate([margins, -margins[both]]) + z[-1]

    def slopes(z: np.ndarray) -> np.ndarray:
        rows = sides.slopes(at(z)) * box.width
        rows = np.concatenate([rows, -rows[both]])
        return np.concatenate([rows, np.ones((len(rows), 1))], axis=1)

    start = np.append(box.u(begin.row), 0.0)
    bounds = [*zip(box.u(box.low), box.u(box.high), strict=True), (0.0, None)]
    try:
        start[-1] = -room(start).min()
        minimize(
            lambda z: float(z[-1]), start, jac=lambda z: np.eye(z.size)[-1], bounds=bounds, method="SLSQP",
            constraints={"type": "ineq", "fun": room, "jac": slopes}, options={"maxiter": most, "ftol":
            LIMIT_TOLERANCE**2},
        )  # fmt: skip
    except _Stuck:
        pass
    return best


def _lower_nearby(runs: DesignRuns, box: ScaledBox, kind: str, first: Evaluation, end: Evaluation) -> np.ndarray | None:
    """Return the design with the least objective next to the end of a search that keeps the limits, shape (numbers,),
    or None if none is lower. The trials are steps of those numbers that the search left at their start because their
    slope is 0 there, as at a maximum or a saddle: of each one, then along the direction in which the slope falls
    fastest, the eigenvector of the least eigenvalue of the matrix of second derivatives, from the slopes of the first
    trials."""
    size = max(abs(objective_value(end, kind)), abs(objective_value(first, kind)))
    g = np.abs(objective_slope(end, kind) * box.width)
    still = np.flatnonzero((first.row == end.row) & (g <= 1e-9 * size))
    sides, bounds = sides_of(runs, box, end), (box.u(box.low), box.u(box.high))
    lowest, least = None, objective_value(end, kind) - 1e-9 * size

    def try_step(step: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return where a step of the unknowns leads, and the slope there; None if there is no motion."""
        nonlocal lowest, least
        u = np.clip(box.u(end.row) + step, *bounds)
        nearby = runs.at(box.row(u))
        if isinstance(nearby, FailedRun):
            return None
        if _keeps_limits(sides, nearby) and objective_value(nearby, kind) < least:
            lowest, least = nearby.row, objective_value(nearby, kind)
        return u, objective_slope(nearby, kind) * box.width

    second = np.zeros((still.size, still.size))
    for j, k in enumerate(still):
        ends = [try_step(step * np.eye(g.size)[k]) for step in (PROBE, -PROBE)]
        if ends[0] is not None and ends[1] is not None and ends[0][0][k] != ends[1][0][k]:
            second[j] = (ends[0][1] - ends[1][1])[still] / (ends[0][0][k] - ends[1][0][k])
    if lowest is None and still.size > 1:
        falls, directions = np.linalg.eigh(0.5 * (second + second.T))
        if falls[0] < -1e-9 * np.abs(falls).max():
            for sign in (PROBE, -PROBE):
                step = np.zeros(g.size)
                step[still] = sign * directions[:, 0]
                try_step(step)
    return lowest


def _gauss_newton(runs: DesignRuns, box: ScaledBox, first: Evaluation, most: int) -> tuple[Evaluation, int, str]:
    """Minimise a sum of squares by trust regions about the Gauss-Newton step."""

    def residuals(u: np.ndarray) -> np.ndarray:
        evaluation = runs.at(box.row(u))
        if isinstance(evaluation, FailedRun):
            return np.full(first.objective.size, np.inf)
        return evaluation.objective.value

    def jacobian(u: np.ndarray) -> np.ndarray:
        evaluation = runs.at(box.row(u))
        assert isinstance(evaluation, Evaluation)  # residuals are finite at the end of a step
        return (evaluation.objective.slope * box.width[:, None]).T

    if not first.objective.slope.any():  # nothing depends on any of the numbers
        return first, 0, ""
    low, high = box.u(box.low), box.u(box.high)
    inside = np.clip(box.u(first.row), low + BOUND_CLEARANCE, high - BOUND_CLEARANCE)
    with np.errstate(all="ignore"):  # from zero columns, and from steps to designs without a motion
        done = least_squares(
            residuals,
            inside,
            jacobian,
            (low, high),
            x_scale="jac",
            ftol=SQUARES_DECREASE,
            xtol=1e-12,
            gtol=None,
            max_nfev=most,
        )
    u = np.where(done.x - low < BOUND_DISTANCE, low, np.where(high - done.x < BOUND_DISTANCE, high, done.x))
    end = runs.at(box.row(u))
    if isinstance(end, FailedRun):
        end = runs.at(box.row(done.x))
    assert isinstance(end, Evaluation)
    return end, int(done.njev), "" if done.status > 0 else f"no end within {counted(most, 'iteration')}"


class _Programme:
    """The problem of a search by sequential quadratic programming."""

    def __init__(self, runs: DesignRuns, box: ScaledBox, kind: str, first: Evaluation, most: int):
        self.runs, self.box, self.kind, self.first, self.most = runs, box, kind, first, most
        self.sides, self.last = sides_of(runs, box, first), first
        slope = objective_slope(first, kind)
        size = float(np.linalg.norm(slope * box.width))
        self.size = size or abs(objective_value(first, kind)) or 1.0

    def at(self, z: np.ndarray) -> Evaluation | None:
        evaluation = self.runs.at(self.box.row(z[: self.box.low.size]))
        if isinstance(evaluation, FailedRun):
            return None
        self.last = evaluation
        return evaluation

    def value(self, z: np.ndarray) -> float:
        if (evaluation := self.at(z)) is None:
            return np.inf
        return float(z[-1]) if self.kind == "minimax" else objective_value(evaluation, self.kind) / self.size

    def slope(self, z: np.ndarray) -> np.ndarray:
        if (evaluation := self.at(z)) is None:
            raise _Stuck
        if self.kind == "minimax":
            return np.concatenate([np.zeros(z.size - 1), [1.0]])
        return objective_slope(evaluation, self.kind) * self.box.width / self.size

    def margins(self, z: np.ndarray, equations: bool) -> np.ndarray:
        evaluation = self.at(z) or self.last
        margins = self.sides.margins(evaluation)[self.sides.equation == equations]
        if self.kind != "minimax" or equations:
            return margins
        return np.concatenate([margins, z[-1] - evaluation.objective.value / self.size])

    def margin_slopes(self, z: np.ndarray, equations: bool) -> np.ndarray:
        if (evaluation := self.at(z)) is None:
            raise _Stuck
        slopes = self.sides.slopes(evaluation)[self.sides.equation == equations] * self.box.width
        if self.kind != "minimax":
            return slopes
        slopes = np.concatenate([slopes, np.zeros((len(slopes), 1))], axis=1)
        if equations:
            return slopes
        objective = evaluation.objective
        entries = np.concatenate([-objective.slope * self.box.width[:, None], np.full((1, objective.size), 1.0)])
        entries[:-1] /= self.size
        return np.concatenate([slopes, entries.T])

    def solve(self) -> tuple[Evaluation, int, str]:
        start = self.box.u(self.first.row)
        bounds: list[tuple] = [(0.0, 1.0)] * start.size
        if self.kind == "minimax":
            start = np.append(start, self.first.objective.value.max() / self.size)
            bounds.append((None, None))
        constraints: list[dict[str, Any]] = []
        for type_, equations in (("ineq", False), ("eq", True)):
            if (self.sides.equation == equations).any() or (self.kind == "minimax" and not equations):
                functions = {"fun": self.margins, "jac": self.margin_slopes}
                constraints.append({"type": type_, "args": (equations,), **functions})
        options: Any = {"maxiter": self.most, "ftol": OBJECTIVE_ACCURACY}
        try:
            done = minimize(
                self.value, start, jac=self.slope, bounds=bounds, method="SLSQP", options=options,
                constraints=constraints,
            )  # fmt: skip
        except _Stuck:
            return self.last, 0, NO_MOTION_NEARBY
        end = self.runs.at(self.box.row(done.x[: self.box.low.size]))
        if isinstance(end, FailedRun):
            return self.last, int(done.nit), NO_MOTION_NEARBY
        return end, int(done.nit), "" if done.success else str(done.message)


def objective_value(evaluation: Evaluation, kind: str) -> float:
    """Return the number that is to become small."""
    value = evaluation.objective.value
    if kind == "least_squares":
        return float(value @ value)
    return float(value.max())  # a single number is its own maximum


def objective_slope(evaluation: Evaluation, kind: str) -> np.ndarray:
    """Return the derivatives of the minimised number, shape (names,): for a maximum, those of the largest entry."""
    value, slope = evaluation.objective.value, evaluation.objective.slope
    if kind == "least_squares":
        return 2.0 * slope @ value
    return slope[:, int(np.argmax(value))] if kind == "minimax" else slope
