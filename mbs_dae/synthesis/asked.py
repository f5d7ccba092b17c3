"""What is asked of a synthesis, checked at the door."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ModelError, shortened


def numbers(given: Any, what: str, count: int | None = None, example: str = "", width: int = 0) -> np.ndarray:
    """An array of finite numbers: a list of them, or of rows of `width`."""
    wanted = f"{count or 'several'} {'rows of ' + str(width) if width else 'numbers'}"
    try:
        if isinstance(given, str | bytes):
            raise TypeError
        found = np.array(given, dtype=float)
    except (TypeError, ValueError) as exc:
        raise ModelError(f"{what} must be {wanted}, not {shortened(given)}; e.g. {example}") from exc
    shape = found.shape[1:] == ((width,) if width else ())
    if not found.ndim or not shape or (count is not None and len(found) != count):
        raise ModelError(f"{what} must be {wanted}, not {shortened(given)}; e.g. {example}")
    if not np.isfinite(found).all():
        raise ModelError(f"{what} has a number that is not finite; give finite numbers")
    return found


def points_of(given: Any, what: str, count: int | None = None, example: str = "[(0, 0), (1, 0)]") -> np.ndarray:
    """Pairs (x, y) as complex numbers."""
    return numbers(given, what, count, example, width=2) @ np.array([1, 1j])
