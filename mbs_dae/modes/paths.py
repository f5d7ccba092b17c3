"""Paths of solutions x(s) of F(x, s) = 0, s from 0 to 1, many side by side, each with steps of its own.

In a step, a cubic through the last two points and their tangents predicts the next point; Newton's method corrects it.
The length of the first correction measures the error of the prediction and determines the next step; if corrections are
long or do not shrink quadratically, the step is shortened. Tangents for predictions are x' = -F_x⁻¹ F_s, with F_s as a
difference, and F_x of the last correction.

A path to infinity grows like C (p - s)^-k next to its pole p, so that x/x' = (p - s)/k is a straight line in s, and two
of its values give p. A path that ends far away is on its way to infinity at s = 1 if p = 1; else it passes a pole by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ..tolerances import HOMOTOPY_DIFFERENCE, HOMOTOPY_ROUNDOFF, HOMOTOPY_STEP

DONE, FAR, STUCK = 1, 2, 3
"""States of a path: at the end; farther away than FARTHEST; stuck, because its step is too short or it took too many
steps."""
FARTHEST = 1e6
"""Greatest size of a solution, in lengths of the model."""
OUT = 1e4
"""From this size on, in lengths of the model, growth towards a pole is observed."""
STEPS = 4000


class HomotopyProblem(Protocol):
    """A square system with a parameter s; x and v are columns."""

    def evaluate(self, x: np.ndarray, s: np.ndarray, paths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return F (paths, n) and F_x (paths, n, n) of the numbered paths."""

    def moved(self, x: np.ndarray, step: np.ndarray) -> np.ndarray: ...
    def rates(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return ẋ from a rate of the unknowns."""

    def normalised(self, x: np.ndarray) -> np.ndarray: ...
    def size(self, x: np.ndarray) -> np.ndarray:
        """Return the size of each solution, at least 1."""

    def length(self, step: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class StepTolerances:
    """Tolerances of steps."""

    error: float = 1e-2
    """Error of predictions, relative to the size of the solution."""
    first: float = 0.02
    closed: float = 1e-8
    """Greatest length of the last correction."""

    def tighter(self) -> StepTolerances:
        return StepTolerances(self.error / 30, self.first / 10, self.closed)


PLAIN = StepTolerances()


def along(s: np.ndarray, start: np.ndarray, bend: np.ndarray, paths: np.ndarray) -> np.ndarray:
    """Return c(s), from `start` (0 or 1) to the other end, bent into the complex plane."""
    first = start[paths]
    return first + (1.0 - 2.0 * first) * s + bend[paths] * s * (1.0 - s)


class TrackEnds(NamedTuple):
    x: np.ndarray
    status: np.ndarray
    s: np.ndarray
    poles: np.ndarray
    """The poles of paths that end far away, complex; NaN for others."""


def solve(J: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Return J⁻¹ F, as columns."""
    try:
        return np.linalg.solve(J, F[..., None])[..., 0].T
    except np.linalg.LinAlgError:  # one matrix is exactly singular
        size = np.abs(J).max(axis=(1, 2), keepdims=True) * 1e-15
        return np.linalg.solve(J + size * np.cos(np.arange(J[0].size)).reshape(J.shape[1:]), F[..., None])[..., 0].T


def track(problem: HomotopyProblem, x: np.ndarray, control: StepTolerances = PLAIN, steps: int = STEPS) -> TrackEnds:
    """Return the ends of the paths from these solutions of F(x, 0) = 0."""
    count = x.shape[1]
    at = x.astype(complex)
    s, h, status = np.zeros(count), np.full(count, control.first), np.zeros(count, dtype=int)
    with np.errstate(all="ignore"):
        tangent = _tangent(problem, at, s, np.arange(count), problem.evaluate(at, s, np.arange(count))[1])
        before, slope, past = at.copy(), tangent.copy(), np.zeros(count)
        growth = Growth(count)
        for _ in range(steps):
            a = np.flatnonzero(status == 0)
            if not a.size:
                break
            step = np.minimum(h[a], 1.0 - s[a])
            guess = _predict(at[:, a], tangent[:, a], before[:, a], slope[:, a], past[a], step)
            size = problem.size(at[:, a])
            point, good, off, J = _correct(problem, problem.normalised(guess), s[a] + step, a, size, control)
            k = a[good]
            before[:, k], slope[:, k], past[k] = at[:, k], tangent[:, k], step[good]
            at[:, k] = point[:, good]
            s[k] = np.where(step[good] >= 1.0 - s[k], 1.0, s[k] + step[good])
            if k.size:
                tangent[:, k] = _tangent(problem, at[:, k], s[k], k, J[good])
            ratio = np.clip((control.error / np.maximum(off, 1e-300)) ** 0.25, 0.3, 2.0)
            h[a] = step * np.where(good, np.where(step < h[a], np.maximum(ratio, 1.0), ratio), np.minimum(ratio, 0.5))
            status[k[s[k] >= 1.0]] = DONE
            size = problem.size(at[:, a])
            growth.note(a, size > OUT, at, tangent, s)
            status[a[size > FARTHEST]] = FAR
            status[a[(h[a] < HOMOTOPY_STEP) & (status[a] == 0)]] = STUCK
    status[status == 0] = STUCK
    return TrackEnds(at, status, s, growth.poles(at, tangent, s))


class Growth:
    """Growth of paths that are far away: the largest coordinate of each, and its x/x' where the path passed OUT."""

    def __init__(self, count: int):
        self.largest = np.full(count, -1)
        self.first, self.s = np.zeros(count, dtype=complex), np.zeros(count)

    def note(self, paths: np.ndarray, out: np.ndarray, x: np.ndarray, tangent: np.ndarray, s: np.ndarray) -> None:
        self.largest[paths[~out]] = -1
        k = paths[out & (self.largest[paths] < 0)]
        self.largest[k] = np.abs(x[:, k]).argmax(axis=0)
        self.first[k], self.s[k] = x[self.largest[k], k] / tangent[self.largest[k], k], s[k]

    def poles(self, x: np.ndarray, tangent: np.ndarray, s: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            every = np.arange(s.size)
            last = x[self.largest, every] / tangent[self.largest, every]
            pole = s + last * (s - self.s) / (self.first - last)
        return np.where((self.largest >= 0) & np.isfinite(pole), pole, np.nan)


def _tangent(problem: HomotopyProblem, x: np.ndarray, s: np.ndarray, paths: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Return x' by s, with F_x at s, and F a little ahead: nearer than a pole at the end of the way."""
    ahead = np.clip((1.0 - s) / 10.0, HOMOTOPY_STEP * 100.0, HOMOTOPY_DIFFERENCE)
    F, _ = problem.evaluate(x, s + ahead, paths)
    return problem.rates(x, -solve(J, F) / ahead)


def _predict(
    at: np.ndarray, tangent: np.ndarray, before: np.ndarray, slope: np.ndarray, past: np.ndarray, step: np.ndarray
) -> np.ndarray:
    """Return Hermite's cubic through the last two points, extrapolated; on the first step the tangent."""
    first = past == 0.0
    width = np.where(first, 1.0, past)
    u = 1.0 + step / width
    c00, c10, c11 = (1 + 2 * u) * (1 - u) ** 2, u * (1 - u) ** 2, u * u * (u - 1)
    cubic = at + c00 * (before - at) + width * (c10 * slope + c11 * tangent)  # a constant stays exactly constant
    return np.where(first, at + step * tangent, cubic)


def _correct(
    problem: HomotopyProblem, x: np.ndarray, s: np.ndarray, paths: np.ndarray, size: np.ndarray, control: StepTolerances
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the corrected points, which of them converged, the errors of the predictions, relative to the sizes before
    the step (sizes of bad predictions are too large), and the last F_x."""
    slopes = np.zeros((s.size, 0, 0), dtype=complex)
    good, off, last = np.zeros(s.size, dtype=bool), np.zeros(s.size), np.full(s.size, np.inf)
    alive = np.ones(s.size, dtype=bool)
    for k in range(5):
        a = np.flatnonzero(alive)
        if not a.size:
            break
        F, J = problem.evaluate(x[:, a], s[a], paths[a])
        if k == 0:
            slopes = np.zeros((s.size, *J.shape[1:]), dtype=complex)
        slopes[a] = J
        step = -solve(J, F)
        far = problem.length(step) / size[a]
        far = np.where(np.isfinite(far), far, np.inf)
        if k == 0:
            off[a] = far
            fine = far < 10 * control.error
        else:
            fine = (far < 0.1 * last[a]) | (far < HOMOTOPY_ROUNDOFF)
        last[a] = far
        b = a[fine]
        x[:, b] = problem.moved(x[:, b], step[:, fine])
        good[a[fine & ((far < control.closed) | ((k > 1) & (far < HOMOTOPY_ROUNDOFF)))]] = True
        alive[a] = fine & ~good[a]
    return x, good, off, slopes


def newton(problem: HomotopyProblem, x: np.ndarray, s: float, iterations: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Make a few Newton steps at one s; return x, and the length of the last step."""
    at, far = x.astype(complex), np.full(x.shape[1], np.inf)
    with np.errstate(all="ignore"):
        for _ in range(iterations):
            F, J = problem.evaluate(at, np.full(x.shape[1], s), np.arange(x.shape[1]))
            step = -solve(J, F)
            far = problem.length(step) / problem.size(at)
            at = problem.moved(at, step)
    return at, np.where(np.isfinite(far), far, np.inf)
