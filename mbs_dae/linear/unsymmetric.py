"""L D U of a sparse matrix that is not symmetric, real or complex, in an order of `pattern`. Compiled.

The matrices of Newton's method for implicit steps are those of `kkt` with W = M + c₁ D + c₂ K in place of M: not
symmetric where forces are not (followers, gyroscopes, controllers), and complex where the method's numbers are. Their
pattern is symmetric all the same. With L and U of unit diagonals, P = L D by rows and V = D U by columns,

    p_ik = a_ik - Σ_j p_ij u_jk,      v_ki = a_ki - Σ_j l_kj v_ji,      d_i = a_ii - Σ_k p_ik u_ki,

are the sums of `ldl`, once for each side, over the same pairs of items. There is no pivoting: where W has a positive
definite symmetric part, no pivot of x can be zero, and the λ of independent rows have negative ones.

Complex numbers are stored as two real ones.
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.abi import as_complex, compiled, compiled_apart
from ..kernels.blocks import Integers, Vector, Work, block, zeros
from .ldl import LdlStructure, backward, forward, structure
from .order import Ordering


class Elimination(NamedTuple):
    """The numbers of a matrix and of its factors."""

    L: LdlStructure
    order: Integers
    """Unknown order[i] is eliminated as the i-th."""
    x_count: int
    """The number of x among the unknowns; the others are the λ of rows, once or several times one after the other. Some
    of the rows may be left out."""
    matrix: Work[Vector] = zeros("entries")
    """The items below the diagonal, those above it, in the order of their mirror images, and the diagonal."""
    l: Work[Vector] = zeros("items")
    u: Work[Vector] = zeros("items")
    inverse: Work[Vector] = zeros("unknowns")
    part: Work[Vector] = zeros("unknowns")


def new_elimination(own: Ordering, words: int) -> Elimination:
    """Return an elimination for real numbers (of one word) or complex ones (of two)."""
    items, unknowns = own.row.size, own.n + own.m
    sizes = {"items": words * items, "unknowns": words * unknowns, "entries": words * (2 * items + unknowns)}
    return block(Elimination(structure(unknowns, own.row, own.column), own.order, own.n), **sizes)


def places(own: Ordering, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Return the places of entries in `matrix`."""
    size, items = own.n + own.m, own.row.size
    i, k = own.place[row], own.place[column]
    item = np.searchsorted(own.row * size + own.column, np.maximum(i, k) * size + np.minimum(i, k))
    return np.where(i > k, item, np.where(i < k, items + item, 2 * items + i)).astype(np.int64)


@compiled_apart
def eliminate_real(elimination: Elimination, kept: Vector) -> None:
    own = elimination
    _eliminate(own, kept, own.matrix, own.l, own.u, own.inverse)


@compiled_apart
def eliminate_complex(elimination: Elimination, kept: Vector) -> None:
    own = elimination
    numbers = as_complex(own.matrix), as_complex(own.l), as_complex(own.u)
    _eliminate(own, kept, *numbers, as_complex(own.inverse))


@compiled_apart
def solve_real(elimination: Elimination, x: Vector) -> None:
    """Replace the right side x by the solution."""
    own = elimination
    _solve(own, own.l, own.u, own.inverse, own.part, x)


@compiled_apart
def solve_transposed(elimination: Elimination, x: Vector) -> None:
    """Replace the right side x by the solution of the transposed matrix, for real numbers."""
    own = elimination
    _solve(own, own.u, own.l, own.inverse, own.part, x)


@compiled_apart
def solve_complex(elimination: Elimination, x: Vector) -> None:
    own = elimination
    numbers = as_complex(own.l), as_complex(own.u), as_complex(own.inverse)
    _solve(own, *numbers, as_complex(own.part), as_complex(x))


@compiled
def _eliminate(elimination: Elimination, kept: Vector, matrix: Any, l: Any, u: Any, inverse: Any) -> None:
    """Compute L, U and the reciprocals of D: 0 for the rows that are left out. The matrix is overwritten by P and V."""
    L, order, count = elimination.L, elimination.order, elimination.x_count
    at, column, items = L.at, L.column, l.size
    p, v = matrix[:items], matrix[items:]
    for i in range(order.size):
        pivot = matrix[2 * items + i]
        for e in range(at[i], at[i + 1]):
            below, above = p[e], v[e]
            for pair in range(L.pair_at[e], L.pair_at[e + 1]):
                one, other = L.pair_u[pair], L.pair_l[pair]
                below -= p[one] * u[other]
                above -= v[one] * l[other]
            p[e], v[e] = below, above
            reciprocal = inverse[column[e]]
            l[e], u[e] = below * reciprocal, above * reciprocal
            pivot -= below * u[e]
        unknown = order[i]
        if unknown >= count and kept[(unknown - count) % kept.size] == 0.0 or pivot == 0.0:
            inverse[i] = 0.0
        else:
            inverse[i] = np.conj(pivot) * (1.0 / (pivot.real * pivot.real + pivot.imag * pivot.imag))


@compiled
def _solve(elimination: Elimination, l: Any, u: Any, inverse: Any, part: Any, x: Any) -> None:
    order = elimination.order
    for i in range(order.size):
        part[i] = x[order[i]]
    forward(elimination.L, l, part)
    for i in range(order.size):
        part[i] *= inverse[i]
    backward(elimination.L, u, part)
    for i in range(order.size):
        x[order[i]] = part[i]
