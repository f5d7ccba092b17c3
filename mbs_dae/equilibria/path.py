"""Equilibria along a parameter, through limit points.

The unbalanced forces r(x, p), along a basis of free motions, are followed by arclength: with r = -K x + b p near a
point, the tangent (x', p') is the null vector of [K, -b]. A point is predicted along the tangent and corrected across
it,

    [K  -b ] [δx]   [r]
    [x'  p'] [δp] = [0],

so nothing is singular where p turns back (p' = 0: a limit point, where a structure snaps through). p counts in parts of
the requested range, motions in lengths of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from ..compiled import System
from ..compiled.status import DONE
from ..errors import EquilibriumError, MbsError
from ..poses import newton
from ..tolerances import BALANCE_LIMIT, BALANCE_TOLERANCE, PATH_DIFFERENCE, PATH_STEP
from .balance import Balance, balance_at

FIRST, LONGEST = 0.01, 0.05
"""Arc lengths of steps along the path: the first, and the longest."""
POINTS = 4000


@dataclass(frozen=True, eq=False)
class PathPoint:
    """A point of the path: p as a part of the range, the pose, the tangent (a motion, and p'), and ∂Q/∂p."""

    p: float
    balance: Balance
    motion: np.ndarray
    rate: float
    pull: np.ndarray


@dataclass(frozen=True, eq=False)
class LoadFamily:
    """Systems by p, which goes from 0 to 1."""

    system: Callable[[float], System]

    def at(self, p: float, t: float, q: np.ndarray) -> Balance | None:
        """Return the balance at the closed pose nearest to q; None if there is none, or a force has no value there."""
        system, q = self.system(p), q.copy()
        if newton.close(system.machine(), t, q, system.still, 20) != DONE:
            return None
        try:
            return balance_at(system, t, q)
        except MbsError:
            return None

    def pull(self, here: Balance, p: float) -> np.ndarray:
        """Return the change of the unbalanced forces with p, by central differences; b is its projection on the
        basis."""
        far, back = (self.at(p + h, here.t, here.q) for h in (PATH_DIFFERENCE, -PATH_DIFFERENCE))
        if far is None or back is None:
            raise EquilibriumError(
                f"the mechanism cannot be closed beside a point of the path, {p:.4g} of the way", code="does-not-close"
            )
        return (_left(far) - _left(back)) / (2 * PATH_DIFFERENCE)

    def point(self, here: Balance, p: float, before: PathPoint | None) -> PathPoint:
        """Return the point at a pose with its tangent, in the direction of `before`."""
        pull = self.pull(here, p)
        basis, K = _scaled(here)
        null_vector = np.linalg.svd(np.hstack([K, -(basis.T @ pull)[:, None]]))[2][-1]
        motion, rate = basis @ null_vector[:-1], float(null_vector[-1])
        size = float(np.sqrt(_product(here, motion, motion) + rate * rate))
        motion, rate = motion / size, rate / size
        forward = rate if before is None else _product(here, before.motion, motion) + before.rate * rate
        sign = 1.0 if forward >= 0.0 else -1.0
        return PathPoint(p, here, sign * motion, sign * rate, pull)

    def correct(
        self, p: float, q: np.ndarray, motion: np.ndarray, rate: float, base: PathPoint
    ) -> tuple[float, Balance] | None:
        """Return p and the balance of the equilibrium at right angles to (motion, rate); None if Newton's method fails.
        The derivative by the parameter is that of the point `base`."""
        last = np.inf
        for _ in range(20):
            here = self.at(p, base.balance.t, q)
            if here is None:
                return None
            forces = float(np.linalg.norm(here.unbalanced))
            if here.is_balanced(BALANCE_TOLERANCE) or (here.is_balanced(BALANCE_LIMIT) and forces > 0.5 * last):
                return p, here
            last = forces
            basis, K = _scaled(here)
            border = np.append(basis.T @ (here.system.weight * motion) / here.system.length**2, rate)
            matrix = np.vstack([np.hstack([K, -(basis.T @ base.pull)[:, None]]), border])
            step = np.linalg.lstsq(matrix, np.append(basis.T @ _left(here), 0.0), rcond=1e-14)[0]
            if not np.abs(step).max() < 1.0:
                return None
            q, p = here.system.moved(here.q, basis @ step[:-1]), p + float(step[-1])
        return None

    def step_to(self, at: PathPoint, ds: float) -> PathPoint | None:
        """Return the point at arc length ds along the tangent; None if Newton's method fails."""
        q = at.balance.system.moved(at.balance.q, ds * at.motion)
        solution = self.correct(at.p + ds * at.rate, q, at.motion, at.rate, at)
        return None if solution is None else self.point(solution[1], solution[0], at)

    def point_at(self, at: PathPoint, p: float, part: float, to: PathPoint) -> PathPoint | None:
        """Return the point with this p between two points, started a `part` of the way on."""
        chord = at.balance.system.between(at.balance.q, to.balance.q)
        q = at.balance.system.moved(at.balance.q, part * chord)
        solution = self.correct(p, q, 0.0 * chord, 1.0, at)
        return None if solution is None else self.point(solution[1], p, at)

    def limit(self, at: PathPoint, ds: float) -> PathPoint | None:
        """Return the limit point within a step, where p turns back; None if it is not reached."""
        points: dict[float, PathPoint] = {}

        def rate(s: float) -> float:
            if (point := self.step_to(at, s) if s else at) is None:
                raise EquilibriumError("lost", code="path-lost")
            points[s] = point
            return point.rate

        try:
            return points[brentq(rate, 0.0, ds, xtol=1e-13, rtol=1e-13)]
        except (EquilibriumError, KeyError, ValueError):
            return None


def _scaled(here: Balance) -> tuple[np.ndarray, np.ndarray]:
    """Return a basis of the free motions, in lengths of the model, each level with a factor of its own, and K along
    this basis."""
    units = here.motion_scale * here.system.length
    return here.free_velocities * units, here.stiffness * np.outer(units, units)


def _product(here: Balance, one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ (here.system.weight * other)) / here.system.length**2


def _left(here: Balance) -> np.ndarray:
    """Return the forces that no multiplier balances."""
    return here.forces - here.jacobian.T @ here.multipliers


def followed(
    family: LoadFamily, start: Balance, values: Sequence[float]
) -> tuple[list[PathPoint], list[PathPoint], list[PathPoint]]:
    """Follow the path from p = 0 to p = 1. Return all points, those at these values of p in their order on the path,
    and the limit points."""

    def where(p: float) -> str:
        return f"{p:.4g} of the way from the first value to the last"

    points, limits, ds = [family.point(start, 0.0, None)], list[PathPoint](), FIRST
    at_values = [points[0]] * values.count(0.0)
    while len(points) < POINTS:
        at = points[-1]
        to = family.step_to(at, ds)
        if to is None or _product(to.balance, at.motion, to.motion) + at.rate * to.rate < 0.9:
            ds *= 0.5
            if ds < PATH_STEP:
                raise EquilibriumError(
                    f"the path ends {where(at.p)}: its equilibria branch there, or the mechanism locks",
                    code="path-ends",
                )  # fmt: skip
            continue
        turn = family.limit(at, ds) if at.rate * to.rate < 0.0 else None
        limits += [turn] if turn else []
        for a, b in [(at, turn), (turn, to)] if turn else [(at, to)]:
            for p in sorted((p for p in values if (a.p - p) * (b.p - p) < 0.0 or b.p == p), reverse=b.p < a.p):
                if (point := family.point_at(a, p, (p - a.p) / (b.p - a.p), b)) is None:
                    raise EquilibriumError(
                        f"the path is lost {where(p)}; ask for more values before it", code="path-lost"
                    )
                at_values.append(point)
            if b.p >= 1.0:
                return [*points, at_values[-1]], at_values, limits
        if to.p < -1e-9:
            turn_back = f" turns back {where(limits[0].p)} and" if limits else ""
            raise EquilibriumError(
                f"the path{turn_back} comes back behind the first value without having met the last; begin farther "
                "before it, where the path may turn again, or ask for values up to where it turns",
                code="path-turns-back",
            )  # fmt: skip
        points.append(to)
        ds = min(1.5 * ds, LONGEST)
    raise EquilibriumError(
        f"the path has not left the range of the parameter after {POINTS} points; ask for a part of it",
        code="path-too-long", points=POINTS,
    )  # fmt: skip
