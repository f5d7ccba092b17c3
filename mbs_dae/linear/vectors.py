"""Operations on whole vectors, under the names of BLAS. Compiled; y has at least as many items as x."""

from math import isfinite
from typing import Any

from ..kernels.abi import compiled
from ..kernels.blocks import Matrix, Vector
from ..kernels.lanes import nothing_of


@compiled
def copy(x: Any, y: Any) -> None:
    """Copy x into y."""
    for k in range(x.size):
        y[k] = x[k]


@compiled
def copy_rows(x: Matrix, y: Matrix) -> None:
    """Copy the rows of a table x into those of y."""
    for k in range(x.shape[0]):
        copy(x[k], y[k])


@compiled
def axpy(a: float, x: Vector, y: Vector) -> None:
    """Add a x to y."""
    for k in range(x.size):
        y[k] += a * x[k]


@compiled
def dot(x: Vector, y: Vector) -> float:
    total = 0.0
    for k in range(x.size):
        total += x[k] * y[k]
    return total


@compiled
def square_sum(x: Vector) -> float:
    """Return the sum of squares, as two sums that do not wait for each other."""
    one, other = nothing_of(x), nothing_of(x)
    for k in range(0, x.size - 1, 2):
        one += x[k] * x[k]
        other += x[k + 1] * x[k + 1]
    if x.size % 2 == 1:
        one += x[x.size - 1] * x[x.size - 1]
    return one + other


@compiled
def sum_of_two(x: Vector, y: Vector) -> float:
    """Return the sum of all items of x and y; y has as many items as x."""
    total = nothing_of(x)
    for k in range(x.size):
        total += x[k] + y[k]
    return total


@compiled
def largest(x: Vector) -> float:
    """Return the largest absolute value of all items."""
    found = 0.0
    for k in range(x.size):
        found = max(found, abs(x[k]))
    return found


@compiled
def all_finite(x: Vector) -> bool:
    finite = True
    for k in range(x.size):
        finite = finite and isfinite(x[k])
    return finite
