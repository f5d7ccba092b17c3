"""Fit the lengths of a linkage whose follower comes nearest to a wanted motion, by least squares of its errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...tolerances import SHORT_LINK
from ..defects import wrap
from ..linkages import Kind, Linkage, LinkagePose, dot, linkage_of, slopes, turn
from ..marquardt import least_squares

START = tuple[Linkage, float, float]
"""A linkage, and the offsets of the crank's angles and of the follower's motion."""
LENGTHS = {"four-bar": [2, 3, 6], "slider-crank": [2, 3, 4]}
"""The columns of a, b, and c or e among the numbers of a linkage."""
TRIED, MOST = 60, 20
"""The number of starts from which the search goes on, the best ones, and the largest number of linkages returned."""


def fit(
    kind: Kind, phi: np.ndarray, psi: np.ndarray, free: Sequence[str], starts: Sequence[START]
) -> Iterator[START]:  # fmt: skip
    """Yield the linkages of least error near the given ones, the best first."""
    if not starts:
        return
    whole = np.array([[*linkage.numbers(), phi0, psi0] for linkage, phi0, psi0 in starts])
    whole, sign = np.concatenate([whole, whole]), np.repeat([1.0, -1.0], len(whole))
    value, _ = _residuals(kind, whole, sign, phi, psi)
    sums = np.where(np.isfinite(value).all(axis=1), (value**2).sum(axis=1), np.inf)
    best = np.argsort(sums)[:TRIED]
    whole, sign = whole[best], sign[best]
    size = whole.shape[1] - 2
    columns = [*LENGTHS[kind], *(size + k for k, name in enumerate(("crank", "follower")) if name in free)]

    def residuals(trial: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        numbers = whole[rows]
        numbers[:, columns] = trial
        value, slope = _residuals(kind, numbers, sign[rows], phi, psi)
        return value, slope[..., columns]

    ends = least_squares(residuals, whole[:, columns])
    whole[:, columns] = ends.x
    for place in np.argsort(ends.cost)[:MOST]:
        *numbers, phi0, psi0 = whole[place]
        lengths = [numbers[k] for k in (LENGTHS[kind] if kind == "four-bar" else LENGTHS[kind][:2])]
        if np.isfinite(ends.cost[place]) and min(lengths) > SHORT_LINK * max(lengths):
            yield linkage_of(kind, np.array(numbers)), float(phi0), float(psi0)


def _residuals(
    kind: Kind, whole: np.ndarray, sign: np.ndarray, phi: np.ndarray, psi: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the errors of the follower, and their derivatives by the numbers of the linkage, φ₀ and ψ₀ (or s₀)."""
    linkage = linkage_of(kind, whole[:, None, :-2])
    theta = phi + whole[:, -2:-1]
    with np.errstate(invalid="ignore"):  # nan where a linkage does not close
        return _residuals_of_pose(linkage, theta, linkage.pose(theta, sign[:, None]), psi + whole[:, -1:])


def _residuals_of_pose(
    linkage: Linkage, theta: np.ndarray, pose: LinkagePose, psi: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    error = linkage.guide.follower(pose.B) - psi
    dA, dalong, _ = slopes(linkage, theta, pose)
    dB = dA + np.asarray(linkage.b)[..., None] * dalong
    dB[..., 3] += turn(pose.gamma)
    slope = dot(linkage.guide.follower_gradient(pose.B)[..., None], dB)
    if linkage.kind == "four-bar":
        error = wrap(error)
    return error, np.concatenate([slope, np.full((*slope.shape[:-1], 1), -1.0)], axis=-1)
