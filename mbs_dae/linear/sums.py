"""Numbers each of which is a sum of some outputs of kernels. Compiled.

Nearly all of them have one term. So the first terms are taken all at once, and what is left of the others is added.
"""

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled
from ..kernels.blocks import INDEX, Indices, block
from ..kernels.lanes import nothing_of


class Sums(NamedTuple):
    first: Indices
    """Where the first term of each stands."""
    more_to: Indices
    """The other terms: of which sum, and where they stand."""
    more: Indices


@compiled
def put_sums(sums, out, to):
    """The sums of these outputs."""
    for k in range(sums.first.size):
        to[k] = out[sums.first[k]]
    for k in range(sums.more.size):
        to[sums.more_to[k]] += out[sums.more[k]]


def summed(sums: Sums, out: np.ndarray) -> np.ndarray:
    """The same for Python."""
    found = out[sums.first]
    np.add.at(found, sums.more_to, out[sums.more])
    return found


@compiled
def sum_of(out, source, begin, end):
    """Of many outputs, in two sums that do not wait for each other."""
    one, other = nothing_of(out), nothing_of(out)
    for k in range(begin, end - 1, 2):
        one += out[source[k]]
        other += out[source[k + 1]]
    if (end - begin) % 2 == 1:
        one += out[source[end - 1]]
    return one + other


def sums_of(count: int, to: np.ndarray, source: np.ndarray, none: int) -> Sums:
    """Term source[k] belongs to sum to[k] of so many; where a sum has no term, it is what stands at `none`."""
    first = np.full(count, none)
    there, at = np.unique(to, return_index=True)
    first[there] = source[at]
    others = np.setdiff1d(np.arange(to.size), at)
    return block(Sums(*(np.asarray(x).astype(INDEX) for x in (first, to[others], source[others]))))
