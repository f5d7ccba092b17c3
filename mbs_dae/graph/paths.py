"""The path matrices of a tree: who hangs on whom, as numbers.

The edge with the number j enters body j and leaves its parent. The ground, node 0, has no row.

    π_ij    1 if edge j leaves body i, -1 if it enters it, 0 otherwise
    π*_ij   0 if the way from the ground to body i does not lead over edge j; otherwise minus the number of edges on
            the way from there to i, edge j included: -1 for the own edge, -2 for that of the parent, ...

π is the incidence matrix of the tree. With S_ij = 1 where i is the parent of j, π = S - I, and -π⁻¹ = I + S + S² + ...
counts the ways down from i to j: none or one. So -π⁻ᵀ is one where π* is not zero, and π* says how far it is, too. The
velocity of body i follows from those in all edges j with π*_ij ≠ 0: π* is the pattern of the matrix R in v = R θ̇.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def path_matrix(parents: Sequence[int]) -> np.ndarray:
    """π, from the number of each body's parent."""
    pi = -np.eye(len(parents), dtype=np.int64)
    for k, parent in enumerate(parents):
        if parent:
            pi[parent - 1, k] = 1
    return pi


def secondary_path_matrix(parents: Sequence[int]) -> np.ndarray:
    """π*: the way to a body is that to its parent, each edge one further, and its own edge."""
    pi = np.zeros((len(parents), len(parents)), dtype=np.int64)
    for k, parent in enumerate(parents):
        if parent:
            way = pi[parent - 1]
            pi[k] = way - (way < 0)
        pi[k, k] = -1
    return pi
