"""A pass over all instances of several kinds, in which some wait for others: up a tree, or down. Compiled.

Instances have levels; those of a level do not depend on each other. After sorting by level and kind, neighbours of one
kind become one call of its kernel, whether or not they are on one level: a kernel takes its instances in their order.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from .abi import call_kernel, compiled
from .blocks import Integers


class Pass(NamedTuple):
    kernels: Integers
    """The address of the kernel of each group of instances."""
    counts: Integers
    """The number of instances of each group."""
    begins: Integers
    """The beginning of the rows of each group in `places`; one more at the end."""
    places: Integers
    """The rows of places of all instances, one after the other, and a 0."""


@compiled
def go_through(steps: Pass, tables: Any) -> None:
    """Call the kernels of a pass, one after the other."""
    for k in range(steps.kernels.size):
        call_kernel(steps.kernels[k], (steps.counts[k],), (steps.places[steps.begins[k] :], *tables))


Member = tuple[int, Hashable, Sequence[int]]
"""(level, kind, places)"""


def laid_out(members: Iterable[Member], kernel_of: Callable[[Any], int]) -> Pass:
    """Return the pass over members in the order of their levels; `kernel_of` gives the address of the kernel of a
    kind."""
    kinds: dict[Hashable, int] = {}
    rows = [(level, kinds.setdefault(kind, len(kinds)), tuple(places)) for level, kind, places in members]
    runs = [(kind, [*run]) for kind, run in groupby(sorted(rows, key=lambda row: row[:2]), key=lambda row: row[1])]
    addresses = {number: kernel_of(kind) for kind, number in kinds.items()}
    sizes = [sum(len(places) for _, _, places in run) for _, run in runs]
    flat = [place for _, run in runs for _, _, places in run for place in places]
    return Pass(
        kernels=np.array([addresses[kind] for kind, _ in runs], dtype=np.int64),
        counts=np.array([len(run) for _, run in runs], dtype=np.int64),
        begins=np.cumsum([0, *sizes], dtype=np.int64),
        places=np.array([*flat, 0], dtype=np.int64),
    )
