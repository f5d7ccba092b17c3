"""Treat angles of the crank (values of the driver) as unknowns: each position has its own angle, or, if angles are
given from an arbitrary zero, all share the first one."""

from __future__ import annotations

import numpy as np


def with_angles(by_numbers: np.ndarray, by_angle: np.ndarray, timed: bool) -> np.ndarray:
    """Return derivatives by the numbers followed by those by the angles, shape (..., positions, unknowns): an angle
    moves its own position only; if `timed`, one common angle moves all positions."""
    if timed:
        return np.concatenate([by_numbers, by_angle[..., None]], axis=-1)
    each = np.arange(by_angle.shape[-1])
    own = np.zeros((*by_angle.shape, by_angle.shape[-1]), dtype=by_angle.dtype)
    own[..., each, each] = by_angle
    return np.concatenate([by_numbers, own], axis=-1)
