"""Differences along a line, for derivatives of slopes and of functions of more than the equations of an instant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

FARTHEST, STEPS = 0.02, 4
"""Largest step of differences, in lengths of the model or as a part of changing numbers; number of steps, each half the
one before."""
AGREE = 1e-6


def extrapolated(function: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    """Return the derivative at 0, from central differences over h, h/2, ...; NaN where the last two do not agree."""
    rows = [[(function(0.5**k * h) - function(-(0.5**k) * h)) / (2.0 * 0.5**k * h)] for k in range(STEPS)]
    for k in range(1, STEPS):
        for order in range(k):
            finer, coarser = rows[k][order], rows[k - 1][order]
            rows[k].append(finer + (finer - coarser) / (4.0 ** (order + 1) - 1.0))
    best, other = rows[-1][-1], rows[-2][-1]
    size = np.abs(best).max(initial=0.0)
    return best if (np.abs(best - other) <= AGREE * size + 1e-300).all() else np.full_like(best, np.nan)
