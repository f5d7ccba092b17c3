"""Store the results of members while they run: a row of 64-bit words for each, with views of its arrays by name."""

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
    """Views of the words with the arrays of the motion by name, one row for each member."""
    besides: Mapping[str, np.ndarray]
    """Views of the words with further arrays of the run by name, one row for each member."""


def rows_for(
    count: int, outcome: Spans, motion: Mapping[str, np.ndarray], run: Mapping[str, np.ndarray] = NONE
) -> Rows:  # fmt: skip
    """Return empty rows for `count` members with the spans of `outcome`, of which the first are the given arrays."""
    words, at, found = np.empty((count, int(outcome.size.sum())), dtype=np.int64), 0, dict[str, np.ndarray]()
    numbers = words.view(np.float64)
    for name, array in {**motion, **run}.items():
        found[name] = numbers[:, at : at + array.size].reshape(count, *array.shape)
        at += array.size
    return Rows(words, {name: found[name] for name in motion}, {name: found[name] for name in run})
