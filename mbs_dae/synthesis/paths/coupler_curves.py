"""Coupler curves: fits to given points by least squares, with the exact derivatives of the curve; and cognates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...tolerances import LOCK_SINE, PATH_SQUARES
from ..bounds import Bounds
from ..linkages import Circle, Kind, Linkage, LinkagePose, linkage_of, size_of, slopes, turn
from ..marquardt import Residuals, SearchEnds, constrained_least_squares, least_squares, with_angles

FAR = 1e3
"""The size of numbers from which a linkage counts as degenerate."""


class CurveFit(NamedTuple):
    """A linkage, and its crank angles and signs at the points."""

    linkage: Linkage
    theta: np.ndarray
    signs: np.ndarray
    cost: float


@dataclass(frozen=True, eq=False)
class PathProblem:
    """The task: linkages of this kind whose coupler point passes the targets, which are about 1 apart, around 0."""

    kind: Kind
    targets: np.ndarray
    timing: np.ndarray | None
    bounds: Bounds | None

    def least_squares(self, residuals: Residuals, x: np.ndarray, steps: int, rounds: int) -> SearchEnds:
        """Minimise the sum of squares from these unknowns, linkages first, within the bounds if there are some."""
        if (bounds := self.bounds) is None:
            return least_squares(residuals, x, steps, PATH_SQUARES)
        size = size_of(self.kind)

        def excess(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            value, slope = bounds.excess(x[:, :size])
            return value, np.pad(slope, ((0, 0), (0, 0), (0, x.shape[1] - size)))

        return constrained_least_squares(residuals, excess, x, steps, PATH_SQUARES, rounds)


def nearest(
    problem: PathProblem, numbers: np.ndarray, theta: np.ndarray, signs: np.ndarray, steps: int, rounds: int,
    failures: Counter[str],
) -> list[CurveFit]:  # fmt: skip
    """Return linkages near each start whose sum of squared distances from the targets is least. The angles of the crank
    are further unknowns: all or, with a given timing, the first one. Other ends are counted in `failures`."""
    size, timing = size_of(problem.kind), problem.timing
    x = np.concatenate([numbers, theta if timing is None else theta[:, :1] - timing[0]], axis=1)

    def residuals(x: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(all="ignore"):  # nan where a linkage does not close
            return off(problem.kind, problem.targets, x, signs[rows], timing)

    ends = problem.least_squares(residuals, x, steps, rounds)
    fits = []
    for end, cost, sign in zip(ends.x, ends.cost, signs, strict=True):
        linkage = linkage_of(problem.kind, end[:size])
        angles = end[size:] if timing is None else end[size] + timing
        if why := _fault(problem, linkage, angles, sign, cost):
            failures[why] += 1
        else:
            fits.append(CurveFit(linkage.plain(), angles, sign, float(cost)))
    return fits


def _fault(problem: PathProblem, linkage: Linkage, angles: np.ndarray, sign: np.ndarray, cost: float) -> str:
    """Return the reason why an end of the search is no valid linkage; "" if the end is valid."""
    lengths = [linkage.a, linkage.b, *([linkage.guide.c] if isinstance(linkage.guide, Circle) else [])]
    if not np.isfinite(cost):
        return "did not close at all points"
    if not (min(lengths) > 0 and np.abs(linkage.numbers()).max() < FAR):
        return "grew without limits, or shrank to nothing"
    if problem.bounds is not None and not problem.bounds.allow(linkage):
        return "ended outside of the bounds"
    if cost >= PATH_SQUARES and not np.abs(linkage.pose(angles, sign).drive).min() > LOCK_SINE:
        return "ended where the coupler and its follower lock"
    return ""


def off(
    kind: Kind, targets: np.ndarray, x: np.ndarray, signs: np.ndarray, timing: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the deviations of P from the targets, x then y, and their derivatives by all unknowns."""
    size = size_of(kind)
    linkage = linkage_of(kind, x[:, None, :size])
    theta = x[:, size:] if timing is None else x[:, size:] + timing
    pose = linkage.pose(theta, signs)
    dA, dalong, _ = slopes(linkage, theta, pose)
    dP = dA + linkage.p[..., None] * dalong
    along = turn(pose.gamma)
    dP[..., size - 2] += along
    dP[..., size - 1] += 1j * along
    dP = with_angles(dP[..., :size], dP[..., size], timing is not None)
    away = pose.P - targets
    return np.concatenate([away.real, away.imag], axis=1), np.concatenate([dP.real, dP.imag], axis=1)


# --- cognates ---


def cognates(fit: CurveFit) -> Iterator[CurveFit]:
    """Yield the six four-bars that draw one coupler curve, the given one first: three cognates (Roberts), each driven
    at either of its pivots.

    With z = (P - A)/(B - A), which is constant, let A' = O + P - A complete a parallelogram. Then P - A' = A - O is as
    long as the crank, and with C' = A' + z (A - O) and C = O + z (D - O)

        C - C' = z (D - A) - (P - A) = z (D - B),

    which is |z| c long: O, A', C', C is a four-bar with P on its coupler. The third one follows likewise from D's side.
    """
    pose = fit.linkage.pose(fit.theta, fit.signs)
    rear = _turned_round(fit, pose)
    yield from (fit, rear)
    for one in (fit, rear):  # the cognate on either side, driven at either of its pivots
        if abs(one.linkage.p) > 0:
            third = _cognate(one, one.linkage.pose(one.theta, one.signs))
            yield from (third, _turned_round(third, third.linkage.pose(third.theta, third.signs)))


def _turned_round(fit: CurveFit, pose: LinkagePose) -> CurveFit:
    """Return the linkage with its rocker as the crank."""
    linkage = fit.linkage
    guide = _circle(linkage)
    turned = Linkage(guide.D, guide.c, linkage.b, Circle(linkage.O, linkage.a), linkage.b - linkage.p)
    return _with_crank(fit, turned, pose.B - guide.D)


def _cognate(fit: CurveFit, pose: LinkagePose) -> CurveFit:
    """Return the cognate on the crank's side: it keeps the pivot O."""
    linkage = fit.linkage
    guide, z = _circle(linkage), linkage.p / linkage.b
    third = Circle(linkage.O + z * (guide.D - linkage.O), abs(z) * guide.c)
    cognate = Linkage(linkage.O, abs(linkage.p), abs(z) * linkage.a, third, linkage.a * abs(z) / z)
    return _with_crank(fit, cognate, pose.P - pose.A)


def _with_crank(fit: CurveFit, linkage: Linkage, crank: np.ndarray) -> CurveFit:
    """Return the linkage with its crank in these directions, with the signs that leave P where it was."""
    path = fit.linkage.pose(fit.theta, fit.signs).P
    theta = np.angle(crank)
    off = [np.abs(linkage.pose(theta, sign).P - path) for sign in (1.0, -1.0)]
    return CurveFit(linkage, theta, np.where(off[0] <= off[1], 1.0, -1.0), fit.cost)


def _circle(linkage: Linkage) -> Circle:
    assert isinstance(linkage.guide, Circle)
    return linkage.guide
