"""Angles of the crank (values of the driver) as unknowns: each position has its own, or, where they are given from any
zero, all have the first one."""

from __future__ import annotations

import numpy as np


def with_angles(by_numbers: np.ndarray, by_angle: np.ndarray, timed: bool) -> np.ndarray:
    """Derivatives (..., positions, unknowns) of what stands at positions, with those by the angles behind those by the
    numbers: an angle moves its own position only."""
    if timed:
        return np.concatenate([by_numbers, by_angle[..., None]], axis=-1)
    each = np.arange(by_angle.shape[-1])
    own = np.zeros((*by_angle.shape, by_angle.shape[-1]), dtype=by_angle.dtype)
    own[..., each, each] = by_angle
    return np.concatenate([by_numbers, own], axis=-1)
