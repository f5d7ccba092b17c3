"""Numbers that are computed together, once parameters have values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..model.parameters import Evaluator


@dataclass(frozen=True, eq=False)
class Computed:
    """One of them: it may stand in a slot."""

    all_of: Callable[[Evaluator], np.ndarray]
    which: int

    def __call__(self, number: Evaluator) -> float:
        return float(self.all_of(number)[self.which])


def computed(function: Callable[[Evaluator], Any], count: int) -> tuple[Computed, ...]:
    """So many numbers that a function makes of what evaluates parameters."""
    flat = lru_cache(maxsize=2)(lambda number: np.ravel(function(number)))
    return tuple(Computed(flat, k) for k in range(count))
