"""Equilibria along a parameter, through limit points.

The unbalanced forces r(x, p), along a basis of free motions, are followed by arclength: with r = -K x + b p near a
point, the tangent (x', p') is what [K, -b] takes to zero. A point is foretold along it, corrected across it,

    [K  -b ] [δx]   [r]
    [x'  p'] [δp] = [0],

so nothing is singular where p turns back (p' = 0: a limit point, where a structure snaps through). p counts in parts of
the range asked for, motions in lengths of the model.
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
from .balance import Balance, balance_at
from .seeking import LOOSE, TIGHT

SHORTEST, FIRST, LONGEST = 1e-7, 0.01, 0.05
"""Steps along the path."""
POINTS = 4000
DIFFERENCE = 1e-4
"""How far the parameter is moved for its slope, in parts of the range."""


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the path: p as a part of the range, the pose, the tangent (a motion, and p'), and what p does."""

    p: float
    balance: Balance
    motion: np.ndarray
    rate: float
    pull: np.ndarray


@dataclass(frozen=True, eq=False)
class Family:
    """Systems by p, which goes from 0 to 1."""

    system: Callable[[float], System]

    def at(self, p: float, t: float, q: np.ndarray) -> Balance | None:
        """The balance at the pose next to q that is closed there."""
        system, q = self.system(p), q.copy()
        if newton.close(system.machine(), t, q, system.still, 20) != DONE:
            return None
        try:
            return balance_at(system, t, q)
        except MbsError:
            return None

    def pull(self, here: Balance, p: float) -> np.ndarray:
        """How p changes what no multiplier takes up; b is this along the basis."""
        far, back = (self.at(p + h, here.t, here.q) for h in (DIFFERENCE, -DIFFERENCE))
        if far is None or back is None:
            raise EquilibriumError(f"the mechanism cannot be closed beside a point of the path, {p:.4g} of the way")
        return (_left(far) - _left(back)) / (2 * DIFFERENCE)

    def point(self, here: Balance, p: float, along: Point | None) -> Point:
        """With its tangent, which leads on."""
        pull = self.pull(here, p)
        basis, K = _scaled(here)
        way = np.linalg.svd(np.hstack([K, -(basis.T @ pull)[:, None]]))[2][-1]
        motion, rate = basis @ way[:-1], float(way[-1])
        size = float(np.sqrt(_product(here, motion, motion) + rate * rate))
        motion, rate = motion / size, rate / size
        forward = rate if along is None else _product(here, along.motion, motion) + along.rate * rate
        sign = 1.0 if forward >= 0.0 else -1.0
        return Point(p, here, sign * motion, sign * rate, pull)

    def corrected(
        self, p: float, q: np.ndarray, motion: np.ndarray, rate: float, beside: Point
    ) -> tuple[float, Balance] | None:
        """The equilibrium that is met at right angles to (motion, rate). The parameter pulls as at the point beside."""
        last = np.inf
        for _ in range(20):
            here = self.at(p, beside.balance.t, q)
            if here is None:
                return None
            left = float(np.linalg.norm(here.unbalanced))
            if here.is_balanced(TIGHT) or (here.is_balanced(LOOSE) and left > 0.5 * last):
                return p, here
            last = left
            basis, K = _scaled(here)
            border = np.append(basis.T @ (here.system.weight * motion) / here.system.length**2, rate)
            matrix = np.vstack([np.hstack([K, -(basis.T @ beside.pull)[:, None]]), border])
            step = np.linalg.lstsq(matrix, np.append(basis.T @ _left(here), 0.0), rcond=1e-14)[0]
            if not np.abs(step).max() < 1.0:
                return None
            q, p = here.system.moved(here.q, basis @ step[:-1]), p + float(step[-1])
        return None

    def stepped(self, at: Point, ds: float) -> Point | None:
        """The point that far along the tangent."""
        q = at.balance.system.moved(at.balance.q, ds * at.motion)
        found = self.corrected(at.p + ds * at.rate, q, at.motion, at.rate, at)
        return None if found is None else self.point(found[1], found[0], at)

    def held(self, at: Point, p: float, part: float, to: Point) -> Point | None:
        """The point between two, part of the way on, with this p."""
        way = at.balance.system.between(at.balance.q, to.balance.q)
        q = at.balance.system.moved(at.balance.q, part * way)
        found = self.corrected(p, q, 0.0 * way, 1.0, at)
        return None if found is None else self.point(found[1], p, at)

    def limit(self, at: Point, ds: float) -> Point | None:
        """Where p turns back within a step."""
        kept: dict[float, Point] = {}

        def rate(s: float) -> float:
            if (found := self.stepped(at, s) if s else at) is None:
                raise EquilibriumError("lost")
            kept[s] = found
            return found.rate

        try:
            return kept[brentq(rate, 0.0, ds, xtol=1e-13, rtol=1e-13)]
        except (EquilibriumError, KeyError, ValueError):
            return None


def _scaled(here: Balance) -> tuple[np.ndarray, np.ndarray]:
    """A basis of the free motions, in lengths of the model, each level by a factor of its own, and K along it."""
    units = here.motion_scale * here.system.length
    return here.free_velocities * units, here.stiffness * np.outer(units, units)


def _product(here: Balance, one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ (here.system.weight * other)) / here.system.length**2


def _left(here: Balance) -> np.ndarray:
    """What no multiplier takes up."""
    return here.forces - here.jacobian.T @ here.multipliers


def followed(family: Family, start: Balance, wanted: Sequence[float]) -> tuple[list[Point], list[Point], list[Point]]:
    """From p = 0 to p = 1: all points, those at the wanted p in the order in which they are met, and the limit
    points."""
    points, limits, ds = [family.point(start, 0.0, None)], list[Point](), FIRST
    met = [points[0]] * wanted.count(0.0)
    while len(points) < POINTS:
        at = points[-1]
        to = family.stepped(at, ds)
        if to is None or _product(to.balance, at.motion, to.motion) + at.rate * to.rate < 0.9:
            ds *= 0.5
            if ds < SHORTEST:
                raise EquilibriumError(
                    f"the path ends {_way(at.p)}: its equilibria branch there, or the mechanism locks"
                )
            continue
        turn = family.limit(at, ds) if at.rate * to.rate < 0.0 else None
        limits += [turn] if turn else []
        for a, b in [(at, turn), (turn, to)] if turn else [(at, to)]:
            for p in sorted((p for p in wanted if (a.p - p) * (b.p - p) < 0.0 or b.p == p), reverse=b.p < a.p):
                if (found := family.held(a, p, (p - a.p) / (b.p - a.p), b)) is None:
                    raise EquilibriumError(f"the path is lost {_way(p)}; ask for more values before it")
                met.append(found)
            if b.p >= 1.0:
                return [*points, met[-1]], met, limits
        if to.p < -1e-9:
            turned = f" turns back {_way(limits[0].p)} and" if limits else ""
            raise EquilibriumError(
                f"the path{turned} comes back behind the first value without having met the last; begin farther "
                "before it, where the path may turn again, or ask for values up to where it turns"
            )
        points.append(to)
        ds = min(1.5 * ds, LONGEST)
    raise EquilibriumError(
        f"the path has not left the range of the parameter after {POINTS} points; ask for a part of it"
    )


def _way(p: float) -> str:
    return f"{p:.4g} of the way from the first value to the last"
