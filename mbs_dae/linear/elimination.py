"""A x = b for a small dense matrix, by Gauss elimination; of a singular one the least solution. Compiled.

`factorise` and `solve` are for regular matrices, with the largest pivot of each column.

For `least_solution` elimination with the largest pivot of all that is left takes the columns in an order in which
A = L [U V; 0 0] with a regular triangle U: where no pivot is left the rank is found. With U R = V and U y = (what b has
become) all solutions are (y - R z, z), and the least has (I + RᵀR) z = Rᵀ y.

`scaled_solution` is for equations and unknowns in different units, whose entries differ by any factor: how one body
answers that is 1e12 times lighter than its neighbour. Pivots are compared as A has them in units that the caller names;
he knows of what size the terms are that an entry is the sum of. What is left of them cannot tell: an entry that is
roundoff would be scaled up like any other. Rows are multiplied by powers of 2, which round nothing; the units of
unknowns decide about pivots alone, so that the least solution is the least in the units of x.
"""

from math import frexp, ldexp

from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, Matrix, Vector
from .vectors import axpy, dot

NO_PIVOT = 1e-12
"""Relative to the largest entry of A: a pivot this small is roundoff."""


@compiled_apart
def factorise(A: Matrix, order: Integers):
    """The sign of the determinant, 0.0 of a singular matrix. A becomes L U, with row k exchanged for row order[k], one
    after the other: L stands below the diagonal, where it has ones, and U above it. Entries that are zero cost
    nothing."""
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
def solve(A: Matrix, order: Integers, x: Vector):
    """x becomes the solution for the right side x, with what `factorise` has left."""
    n = A.shape[0]
    for k in range(n):
        x[k], x[order[k]] = x[order[k]], x[k]
    for i in range(n):
        x[i] -= dot(A[i][:i], x[:i])
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - dot(A[i][i + 1 :], x[i + 1 :])) / A[i, i]


@compiled_apart
def least_solution(A: Matrix, b: Vector, x: Vector, order: Integers, n: int):
    """The rank of A, its leading n rows and columns. x becomes the least solution, in which b may have parts that no x
    can give: they are left in b[rank:n]. Of A there remains R, in A[:rank, rank:n], and `order` tells its columns."""
    for j in range(n):
        x[j] = 1.0
    return _eliminate(A, b, x, order, n)


@compiled_apart
def scaled_solution(A: Matrix, b: Vector, x: Vector, order: Integers, n: int, units: Matrix):
    """The rank of A and, in x, the least solution, as `least_solution` has them: pivots are compared as they are in
    A[i, j] units[0, i] units[1, j]. A[k, k] for k < rank becomes the size of pivot k in these units."""
    for i in range(n):
        factor = ldexp(1.0, frexp(units[0, i])[1])
        b[i] *= factor
        for j in range(n):
            A[i, j] *= factor
        x[i] = units[1, i]
    return _eliminate(A, b, x, order, n)


@compiled
def _eliminate(A, b, x, order, n):
    """The rank, and the least solution in x, which has the units of unknowns first."""
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
def _triangle(A, b, x, order, n):
    """Forward elimination; the rank. x holds the units of unknowns."""
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
        if size <= NO_PIVOT * largest:
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
def _put_least(A, b, x, order, n, rank):
    """x = (y - R z, z), from R and y. The matrix I + RᵀR takes the place of what was eliminated to nothing."""
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
