"""A x = b for a small dense matrix, by Gauss elimination; for a singular one the least solution. Compiled.

`factorise` and `solve` are for regular matrices, with the largest pivot of each column.

For `least_solution` elimination with full pivoting takes the columns in an order in which A = L [U V; 0 0] with a
regular triangle U: the rank is the number of pivots. With U R = V and U y = (the transformed b) all solutions are (y -
R z, z), and the least has (I + RᵀR) z = Rᵀ y.

`scaled_solution` is for equations and unknowns in different units, whose entries differ by any factor: like the
response of a body that is 1e12 times lighter than its neighbour. Pivots are compared in units that the caller gives,
who knows the sizes of the terms of each entry. The entries themselves cannot tell: an entry that is roundoff would be
scaled up like any other. Rows are multiplied by powers of 2, which round nothing; the units of unknowns influence
pivots alone, so that the least solution is the least in the units of x.
"""

from math import frexp, ldexp

from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, Matrix, Vector
from ..tolerances import PIVOT_TOLERANCE
from .vectors import axpy, dot


@compiled_apart
def factorise(A: Matrix, order: Integers) -> float:
    """Factorise A in place and return the sign of the determinant, 0.0 for a singular matrix. A becomes L U, with row k
    exchanged for row order[k], one after the other: L stands below the diagonal, where it has ones, and U above it.
    Entries that are zero cost nothing."""
    n, sign = A.shape[0], 1.0
    for k in range(n):
        size, row = abs(A[k, k]), k
        for i in range(k + 1, n):
            if abs(A[i, k]) > size:
                size, row = abs(A[i, k]), i
        if not size > 0.0:
            return 0.0
        order[k] = row
        if row != k:
            sign = -sign
            for j in range(n):
                A[k, j], A[row, j] = A[row, j], A[k, j]
        if A[k, k] < 0.0:
            sign = -sign
        reciprocal = 1.0 / A[k, k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                A[i, k] *= reciprocal
                axpy(-A[i, k], A[k][k + 1 :], A[i][k + 1 :])
    return sign


@compiled_apart
def solve(A: Matrix, order: Integers, x: Vector) -> None:
    """Replace the right side x by the solution, with the factors of `factorise`."""
    n = A.shape[0]
    for k in range(n):
        x[k], x[order[k]] = x[order[k]], x[k]
    for i in range(n):
        x[i] -= dot(A[i][:i], x[:i])
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - dot(A[i][i + 1 :], x[i + 1 :])) / A[i, i]


@compiled_apart
def least_solution(A: Matrix, b: Vector, x: Vector, order: Integers, n: int) -> int:
    """Put the least solution for the leading n rows and columns of A into x and return the rank. Parts of b outside the
    range of A remain in b[rank:n]. R remains in A[:rank, rank:n], and `order` has its columns."""
    for j in range(n):
        x[j] = 1.0
    return _eliminate(A, b, x, order, n)


@compiled_apart
def scaled_solution(A: Matrix, b: Vector, x: Vector, order: Integers, n: int, units: Matrix) -> int:
    """Put the least solution into x and return the rank, like `least_solution`: pivots are compared in the scaled
    entries A[i, j] units[0, i] units[1, j]. A[k, k] for k < rank becomes the size of pivot k in these units."""
    for i in range(n):
        factor = ldexp(1.0, frexp(units[0, i])[1])
        b[i] *= factor
        for j in range(n):
            A[i, j] *= factor
        x[i] = units[1, i]
    return _eliminate(A, b, x, order, n)


@compiled
def _eliminate(A: Matrix, b: Vector, x: Vector, order: Integers, n: int) -> int:
    """Put the least solution into x, which holds the units of unknowns on entry, and return the rank."""
    rank = _triangle(A, b, x, order, n)
    for k in range(rank - 1, -1, -1):
        for j in range(k + 1, rank):
            factor = A[k, j]
            b[k] -= factor * b[j]
            for column in range(rank, n):
                A[k, column] -= factor * A[j, column]
        reciprocal = 1.0 / A[k, k]
        b[k] *= reciprocal
        for column in range(rank, n):
            A[k, column] *= reciprocal
    for k in range(rank):
        A[k, k] = abs(A[k, k]) * x[order[k]]
    _put_least(A, b, x, order, n, rank)
    return rank


@compiled
def _triangle(A: Matrix, b: Vector, x: Vector, order: Integers, n: int) -> int:
    """Eliminate forward and return the rank. x holds the units of unknowns."""
    largest = 0.0
    for k in range(n):
        order[k] = k
    for k in range(n):
        size, row, column = 0.0, k, k
        for j in range(k, n):
            scale = x[order[j]]
            for i in range(k, n):
                if abs(A[i, j]) * scale > size:
                    size, row, column = abs(A[i, j]) * scale, i, j
        largest = max(largest, size)
        if size <= PIVOT_TOLERANCE * largest:
            return k
        if row != k:
            b[k], b[row] = b[row], b[k]
            for j in range(k, n):
                A[k, j], A[row, j] = A[row, j], A[k, j]
        if column != k:
            order[k], order[column] = order[column], order[k]
            for i in range(n):
                A[i, k], A[i, column] = A[i, column], A[i, k]
        reciprocal = 1.0 / A[k, k]
        for i in range(k + 1, n):
            factor = A[i, k] * reciprocal
            if factor != 0.0:
                b[i] -= factor * b[k]
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
    return n


@compiled
def _put_least(A: Matrix, b: Vector, x: Vector, order: Integers, n: int, rank: int) -> None:
    """Put x = (y - R z, z), from R and y. The matrix I + RᵀR overwrites the rows that were eliminated to zero."""
    for k in range(rank, n):
        for j in range(rank, n):
            total = 1.0 if j == k else 0.0
            for i in range(rank):
                total += A[i, k] * A[i, j]
            A[k, j] = total
        total = 0.0
        for i in range(rank):
            total += A[i, k] * b[i]
        x[order[k]] = total
    for k in range(rank, n):
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            x[order[i]] -= factor * x[order[k]]
            for j in range(k, n):
                A[i, j] -= factor * A[k, j]
    for k in range(n - 1, rank - 1, -1):
        total = x[order[k]]
        for j in range(k + 1, n):
            total -= A[k, j] * x[order[j]]
        x[order[k]] = total / A[k, k]
    for i in range(rank):
        total = b[i]
        for k in range(rank, n):
            total -= A[i, k] * x[order[k]]
        x[order[i]] = total
