"""What is kept of members while they are run: a row of words for each, in which its arrays stand by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...motion.members.reused import Spans

NONE: Mapping[str, np.ndarray] = {}


@dataclass(frozen=True, eq=False)
class Rows:
    words: np.ndarray
    arrays: Mapping[str, np.ndarray]
    """Views of the words, a row for each member: what is kept of its motion,"""
    besides: Mapping[str, np.ndarray]
    """and of the run."""


def rows_for(
    count: int, outcome: Spans, motion: Mapping[str, np.ndarray], run: Mapping[str, np.ndarray] = NONE
) -> Rows:  # fmt: skip
    """For so many members of what stands in these spans, of which the first ones are those of these arrays."""
    words, at, found = np.empty((count, int(outcome.size.sum())), dtype=np.int64), 0, dict[str, np.ndarray]()
    numbers = words.view(np.float64)
    for name, array in {**motion, **run}.items():
        found[name] = numbers[:, at : at + array.size].reshape(count, *array.shape)
        at += array.size
    return Rows(words, {name: found[name] for name in motion}, {name: found[name] for name in run})
