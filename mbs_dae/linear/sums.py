"""Numbers that are sums of outputs of kernels. Compiled.

Nearly all of them have one term. So the first terms are copied all at once, and the others are added.
"""

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import INDEX, Indices, Vector, block
from ..kernels.lanes import nothing_of


class Sums(NamedTuple):
    first: Indices
    """The output that is the first term of each sum."""
    more_to: Indices
    """The sum to which each further term belongs."""
    more: Indices
    """The output that is each further term."""


@compiled
def put_sums(sums: Sums, out: Vector, to: Vector) -> None:
    """Put the sums of outputs `out` into `to`."""
    for k in range(sums.first.size):
        to[k] = out[sums.first[k]]
    for k in range(sums.more.size):
        to[sums.more_to[k]] += out[sums.more[k]]


def summed(sums: Sums, out: np.ndarray) -> np.ndarray:
    """Return the sums of outputs, in Python."""
    found = out[sums.first]
    np.add.at(found, sums.more_to, out[sums.more])
    return found


@compiled
def sum_of(out: Vector, source: Indices, begin: int, end: int) -> float:
    """Return the sum of many outputs, as two sums that do not wait for each other."""
    one, other = nothing_of(out), nothing_of(out)
    for k in range(begin, end - 1, 2):
        one += out[source[k]]
        other += out[source[k + 1]]
    if (end - begin) % 2 == 1:
        one += out[source[end - 1]]
    return one + other


def sums_of(count: int, to: np.ndarray, source: np.ndarray, none: int) -> Sums:
    """Return the index maps of `count` sums: term source[k] belongs to sum to[k]; a sum without terms is the output
    `none`."""
    first = np.full(count, none)
    there, at = np.unique(to, return_index=True)
    first[there] = source[at]
    others = np.setdiff1d(np.arange(to.size), at)
    return block(Sums(*(np.asarray(x).astype(INDEX) for x in (first, to[others], source[others]))))
