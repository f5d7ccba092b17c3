"""Derivatives from differences along a line, of functions of more than the equations of an instant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..tolerances import DERIVATIVE_AGREEMENT, DIFFERENCE_AGREEMENT, DIFFERENCE_STEPS

FARTHEST, STEPS = 0.02, 4
"""Largest step of `extrapolated`, in lengths of the model or as a part of changing numbers; number of steps, each half
the one before."""


def difference(f: Callable[[float], np.ndarray], unit: float) -> np.ndarray:
    """Return f'(0) for arguments of this unit; NaN where there is none: at a jump, at a corner (there one-sided
    differences do not approach each other), or if a law is too sharp."""

    def central(h: float) -> tuple[np.ndarray, float]:
        """Return the central difference, and the largest gap between the one-sided differences."""
        ahead, behind = f(h), f(-h)
        return (ahead - behind) / (2.0 * h), float(np.abs(ahead - 2.0 * here + behind).max(initial=0.0)) / h

    here = f(0.0)
    for h in (near * unit for near in DIFFERENCE_STEPS):
        (coarse, coarse_gap), (fine, fine_gap) = central(h), central(h / 2)
        size = np.abs(fine).max(initial=0.0)
        noise = 1e-12 * (np.abs(here).max(initial=0.0) + h * size) / h
        smooth = fine_gap <= 0.75 * coarse_gap or fine_gap <= DIFFERENCE_AGREEMENT * size + noise
        if smooth and np.abs(coarse - fine).max(initial=0.0) <= DIFFERENCE_AGREEMENT * size + noise:
            return (4.0 * fine - coarse) / 3.0
    return np.full_like(here, np.nan)


def extrapolated(function: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    """Return the derivative at 0, from central differences over h, h/2, ...; NaN where the last two do not agree."""
    rows = [[(function(0.5**k * h) - function(-(0.5**k) * h)) / (2.0 * 0.5**k * h)] for k in range(STEPS)]
    for k in range(1, STEPS):
        for order in range(k):
            finer, coarser = rows[k][order], rows[k - 1][order]
            rows[k].append(finer + (finer - coarser) / (4.0 ** (order + 1) - 1.0))
    best, other = rows[-1][-1], rows[-2][-1]
    size = np.abs(best).max(initial=0.0)
    return best if (np.abs(best - other) <= DERIVATIVE_AGREEMENT * size + 1e-300).all() else np.full_like(best, np.nan)
