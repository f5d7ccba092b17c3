"""Krawczyk's operator: K(u) = u - C Φ(u), C ≈ Φ_u⁻¹ at the middle of a box.

With the norm |u| = max |u_k| / s_k and β ≥ |1 - C Φ_u| everywhere in |u| ≤ ρ, K changes distances by the factor β at
most. So if |C Φ(0)| + β ρ < ρ, K maps the box into its own inside and has exactly one fixed point there (Banach); C has
an inverse, since |1 - C Φ_u| < 1, and the fixed point is the only pose in the box. This pose is no farther than |C
Φ(0)| / (1 - β) from the middle (Krawczyk 1969, Moore 1977; Neumaier, Interval Methods for Systems of Equations, 5.1).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from .intervals import Bounds, up

ENOUGH = 1e-9
"""Rows whose pivot is less than this, relative to the largest one, count as dependent."""


def independent_rows(jacobian: Bounds, scale: Bounds) -> tuple[np.ndarray, int]:
    """Return as many rows as there are columns, chosen by pivoting as the least dependent ones, in order; and the rank.
    Columns are scaled to one length."""
    scaled = jacobian * scale
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    _, r, order = qr(
        np.where(lengths > 0, scaled / np.where(lengths > 0, lengths, 1.0), 0.0).T, mode="economic", pivoting=True
    )
    pivots = np.abs(np.diag(r))
    rank = int((pivots > ENOUGH * pivots.max(initial=0.0)).sum())
    return np.sort(order[: jacobian.shape[1]]), rank


def inverses(jacobian: Bounds) -> Bounds:
    """Return approximate inverses of the matrices, NaN where there is none."""
    good = np.isfinite(jacobian).all(axis=(1, 2))
    safe = np.where(good[:, None, None], jacobian, np.eye(jacobian.shape[-1]))
    try:
        found = np.linalg.inv(safe)
    except np.linalg.LinAlgError:
        found = np.stack([_inverse(one) for one in safe])
    return np.where(good[:, None, None], found, np.nan)


def _inverse(matrix: Bounds) -> Bounds:
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)


def norm(sizes: Bounds, scale: Bounds) -> Bounds:
    """Return an upper bound of max |u_k| / s_k, lane by lane."""
    return up(up(sizes / scale).max(axis=-1))


def holds(beta: Bounds, moved: Bounds, radius: Bounds) -> Bounds:
    """Return whether |C Φ(0)| + β ρ < ρ. NaN proves nothing."""
    with np.errstate(invalid="ignore"):
        return (beta < 1.0) & (up(moved + up(beta * radius)) < radius)


def distance(beta: Bounds, moved: Bounds) -> Bounds:
    """Return a bound of the distance between the pose and the middle."""
    with np.errstate(all="ignore"):
        return np.where(beta < 1.0, up(moved / np.nextafter(1.0 - beta, -np.inf)), np.inf)
