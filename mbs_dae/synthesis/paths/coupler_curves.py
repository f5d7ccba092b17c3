"""The points of coupler curves nearest to given points, by least squares with the exact derivatives of the curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..linkages import Circle, Kind, Linkage, linkage_of, size_of, slopes, turn
from ..marquardt import least_squares

ENOUGH = 1e-30
"""A sum of squares, for points that are about 1 apart: the path passes them."""
FAR = 1e3
"""A linkage with such numbers is none."""
EDGE = 1e-3
"""A search that ends where a coupler and its rocker are in line is held there by the edge, at no least sum."""


class Found(NamedTuple):
    """A linkage, and how it stands at the points."""

    linkage: Linkage
    theta: np.ndarray
    signs: np.ndarray
    cost: float


def nearest(
    kind: Kind, targets: np.ndarray, numbers: np.ndarray, theta: np.ndarray, signs: np.ndarray,
    timing: np.ndarray | None, steps: int,
) -> list[Found]:  # fmt: skip
    """From each start to linkages nearby whose sum of squared distances from the targets is least. The angles of the
    crank are unknowns of their own, all of them or, with a given timing, the first one."""
    own = size_of(kind)
    x = np.concatenate([numbers, theta if timing is None else theta[:, :1] - timing[0]], axis=1)

    def residuals(x: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(all="ignore"):  # where a linkage does not close
            return off(kind, targets, x, signs[rows], timing)

    ends = least_squares(residuals, x, steps=steps, enough=ENOUGH)
    found = []
    for end, cost, sign in zip(ends.x, ends.cost, signs, strict=True):
        linkage = linkage_of(kind, end[:own])
        lengths = [linkage.a, linkage.b, *([linkage.guide.c] if isinstance(linkage.guide, Circle) else [])]
        if not (np.isfinite(cost) and min(lengths) > 0 and np.abs(end[:own]).max() < FAR):
            continue
        angles = end[own:] if timing is None else end[own] + timing
        if cost < ENOUGH or np.abs(linkage.pose(angles, sign).drive).min() > EDGE:
            found.append(Found(linkage.plain(), angles, sign, float(cost)))
    return found


def off(
    kind: Kind, targets: np.ndarray, x: np.ndarray, signs: np.ndarray, timing: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """How far P is from the targets, x then y, and the derivatives with the numbers of the linkage and the angles."""
    own, count = size_of(kind), len(targets)
    linkage = linkage_of(kind, x[:, None, :own])
    theta = x[:, own:] if timing is None else x[:, own:] + timing
    pose = linkage.pose(theta, signs)
    dA, dalong, _ = slopes(linkage, theta, pose)
    dP = dA + linkage.p[..., None] * dalong
    along = turn(pose.gamma)
    dP[..., own - 2] += along
    dP[..., own - 1] += 1j * along
    if timing is None:  # an angle moves its own point only
        of_angles = np.zeros((*dP.shape[:2], count), dtype=complex)
        each = np.arange(count)
        of_angles[:, each, each] = dP[..., own]
        dP = np.concatenate([dP[..., :own], of_angles], axis=-1)
    away = pose.P - targets
    return np.concatenate([away.real, away.imag], axis=1), np.concatenate([dP.real, dP.imag], axis=1)
