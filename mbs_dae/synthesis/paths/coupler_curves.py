"""Fit coupler curves to given points by least squares, with the exact derivatives of the curve."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..angles import with_angles
from ..bounds import Bounds
from ..constrained import constrained_least_squares
from ..linkages import Circle, Kind, Linkage, linkage_of, size_of, slopes, turn
from ..marquardt import Ends, Residuals, least_squares

ENOUGH = 1e-30
"""The sum of squares, for points that are about 1 apart, below which the path passes them."""
FAR = 1e3
"""The size of numbers from which a linkage counts as degenerate."""
EDGE = 1e-3
"""The sine of the transmission angle below which a search was stopped by a locked linkage, at no minimum."""


class Found(NamedTuple):
    """A linkage, and its crank angles and signs at the points."""

    linkage: Linkage
    theta: np.ndarray
    signs: np.ndarray
    cost: float


@dataclass(frozen=True, eq=False)
class Sought:
    """The task: linkages of this kind whose coupler point passes the targets, which are about 1 apart, around 0."""

    kind: Kind
    targets: np.ndarray
    timing: np.ndarray | None
    bounds: Bounds | None

    def least_squares(self, residuals: Residuals, x: np.ndarray, steps: int, rounds: int) -> Ends:
        """Minimise the sum of squares from these unknowns, linkages first, within the bounds if there are some."""
        if (bounds := self.bounds) is None:
            return least_squares(residuals, x, steps, ENOUGH)
        own = size_of(self.kind)

        def excess(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            value, slope = bounds.excess(x[:, :own])
            return value, np.pad(slope, ((0, 0), (0, 0), (0, x.shape[1] - own)))

        return constrained_least_squares(residuals, excess, x, steps, ENOUGH, rounds)


def nearest(
    sought: Sought, numbers: np.ndarray, theta: np.ndarray, signs: np.ndarray, steps: int, rounds: int,
    told: Counter[str],
) -> list[Found]:  # fmt: skip
    """Return linkages near each start whose sum of squared distances from the targets is least. The angles of the crank
    are further unknowns: all or, with a given timing, the first one. Other ends are counted in `told`."""
    own, timing = size_of(sought.kind), sought.timing
    x = np.concatenate([numbers, theta if timing is None else theta[:, :1] - timing[0]], axis=1)

    def residuals(x: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(all="ignore"):  # nan where a linkage does not close
            return off(sought.kind, sought.targets, x, signs[rows], timing)

    ends = sought.least_squares(residuals, x, steps, rounds)
    found = []
    for end, cost, sign in zip(ends.x, ends.cost, signs, strict=True):
        linkage = linkage_of(sought.kind, end[:own])
        angles = end[own:] if timing is None else end[own] + timing
        if why := _useless(sought, linkage, angles, sign, cost):
            told[why] += 1
        else:
            found.append(Found(linkage.plain(), angles, sign, float(cost)))
    return found


def _useless(sought: Sought, linkage: Linkage, angles: np.ndarray, sign: np.ndarray, cost: float) -> str:
    """Return the reason why an end of the search is no valid linkage; "" if the end is valid."""
    lengths = [linkage.a, linkage.b, *([linkage.guide.c] if isinstance(linkage.guide, Circle) else [])]
    if not np.isfinite(cost):
        return "did not close at all points"
    if not (min(lengths) > 0 and np.abs(linkage.numbers()).max() < FAR):
        return "grew without limits, or shrank to nothing"
    if sought.bounds is not None and not sought.bounds.allow(linkage):
        return "ended outside of the bounds"
    if cost >= ENOUGH and not np.abs(linkage.pose(angles, sign).drive).min() > EDGE:
        return "ended where the coupler and its follower lock"
    return ""


def off(
    kind: Kind, targets: np.ndarray, x: np.ndarray, signs: np.ndarray, timing: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the deviations of P from the targets, x then y, and their derivatives by all unknowns."""
    own = size_of(kind)
    linkage = linkage_of(kind, x[:, None, :own])
    theta = x[:, own:] if timing is None else x[:, own:] + timing
    pose = linkage.pose(theta, signs)
    dA, dalong, _ = slopes(linkage, theta, pose)
    dP = dA + linkage.p[..., None] * dalong
    along = turn(pose.gamma)
    dP[..., own - 2] += along
    dP[..., own - 1] += 1j * along
    dP = with_angles(dP[..., :own], dP[..., own], timing is not None)
    away = pose.P - targets
    return np.concatenate([away.real, away.imag], axis=1), np.concatenate([dP.real, dP.imag], axis=1)
