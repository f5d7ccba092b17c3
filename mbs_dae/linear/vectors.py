"""What is done with vectors as a whole, by the names of BLAS. Compiled; y has at least as many items as x."""

from math import isfinite

from ..kernels.abi import compiled


@compiled
def copy(x, y):
    """x into y."""
    for k in range(x.size):
        y[k] = x[k]


@compiled
def copy_rows(x, y):
    """The same for tables."""
    for k in range(x.shape[0]):
        copy(x[k], y[k])


@compiled
def axpy(a, x, y):
    """y plus a x, in y."""
    for k in range(x.size):
        y[k] += a * x[k]


@compiled
def dot(x, y):
    total = 0.0
    for k in range(x.size):
        total += x[k] * y[k]
    return total


@compiled
def square_sum(x):
    """The sum of squares, in four sums that do not wait for each other."""
    a = b = c = d = 0.0
    even = x.size - x.size % 4
    for k in range(0, even, 4):
        a += x[k] * x[k]
        b += x[k + 1] * x[k + 1]
        c += x[k + 2] * x[k + 2]
        d += x[k + 3] * x[k + 3]
    for k in range(even, x.size):
        a += x[k] * x[k]
    return a + b + c + d


@compiled
def largest(x):
    """Of the sizes of all items."""
    found = 0.0
    for k in range(x.size):
        found = max(found, abs(x[k]))
    return found


@compiled
def all_finite(x):
    finite = True
    for k in range(x.size):
        finite = finite and isfinite(x[k])
    return finite
