"""Checks of the arguments of a synthesis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import ModelError, shortened


def numbers(given: Any, what: str, count: int | None = None, example: str = "", width: int = 0) -> np.ndarray:
    """Return an array of finite numbers, shape (count,), or of rows of `width`, shape (count, width)."""
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
    """Return pairs (x, y) as complex numbers x + iy."""
    return numbers(given, what, count, example, width=2) @ np.array([1, 1j])


def check_counts(starts: Any, seed: Any) -> None:
    for value, name, least in ((1 if starts is None else starts, "starts", 1), (seed, "seed", 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ModelError(f"{name} is {value!r}; give a whole number of {least} or more")


def check_of_model(**given: Any) -> None:
    """Refuse arguments about a model where there is none."""
    for name, value in given.items():
        if value is not None:
            raise ModelError(f"{name}= speaks of a model; give it as kind=, or leave {name}= out")


def check_of_linkage(**given: Any) -> None:
    """Refuse arguments about a linkage where a model is given."""
    for name, value in given.items():
        if value is not None:
            raise ModelError(f"{name}= is for four-bars and slider-cranks; bounds of a model are the ranges in over=")


def degrees_told(angles: np.ndarray | None, what: str) -> Iterator[str]:
    """Yield a note on angles of more than a turn, which may be degrees."""
    if angles is None or not angles.size:
        return
    far = float(max(np.abs(angles).max(), np.ptp(angles)))
    if far > 2 * np.pi * (1 + 1e-9):
        yield f"{what} go to {far:g} rad, which is {far / (2 * np.pi):.3g} turns; of degrees take np.radians(...)"
