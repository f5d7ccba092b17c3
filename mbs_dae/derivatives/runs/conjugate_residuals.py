"""The method of generalised conjugate residuals, for several right sides at once. Compiled.

A linear system is solved with a preconditioner, a matrix that is nearly the inverse. In each direction d the residual r
becomes least in the space of the images of all directions so far,

    q = A d - Σ (A d · qᵢ) qᵢ,     d likewise,     x += (r · q) d,     r -= (r · q) q,        |q| = 1,

so that a few eigenvalues that the preconditioner misses cost a few directions. Rows of right side p stand at
p, p + count, ...: one for each stage of a step.
"""

from math import sqrt
from typing import NamedTuple

from ...kernels.abi import compiled
from ...kernels.blocks import Matrix, Vector, Work, zeros
from ...linear.vectors import axpy, dot
from ...tolerances import (
    CORRECTION_UNDERFLOW,
    DIRECTION_INDEPENDENCE,
)

TRIES, CYCLES = 16, 6
"""The numbers of directions in a cycle of the method of conjugate residuals, and of cycles."""


class Residuals(NamedTuple):
    """The solution of the equations of a step, their residuals and the directions of the method. Columns are those of
    velocities, then those of states, in units of the states."""

    velocities: int
    """The number of columns of velocities."""
    unit: Vector
    """The unit of each column: 1 for velocities."""
    rates: Work[Matrix] = zeros("rows", "columns")
    """The changes δv̇ᵢ of accelerations and δżᵢ of states; going back, their weights μ."""
    residual: Work[Matrix] = zeros("rows", "columns")
    given: Work[Matrix] = zeros("rows", "columns")
    """Going back, the weights of v̇ and ż before the equations are solved."""
    before: Work[Matrix] = zeros("rows", "columns")
    """The residual before the direction that is tried."""
    directions: Work[Matrix] = zeros("tries", "columns")
    """The directions, one after the other."""
    images: Work[Matrix] = zeros("tries", "columns")
    """The images of the directions under the matrix of the system."""
    scale: Work[Matrix] = zeros(2, "count")
    """The scales of corrections, of velocities and of states: their change over h, or the largest weight."""
    faint: Work[Matrix] = zeros(2, "count")
    """The changes of velocities and of states that are negligible relative to the motion."""
    reach: Work[Matrix] = zeros(2, "count")
    """The change of places over h²: in a stiff mechanism residuals of accelerations are roundoff relative to it."""
    none: Work[Matrix] = zeros(2, 0)


@compiled
def largest_part(own: Residuals, parts: Matrix, count: int, more: Matrix) -> float:
    """Return the largest ratio of a correction of `rates` to its whole, among all right sides, for velocities and for
    states. The whole is the largest of `rates`, or the `scale` of the right side, or its number of `more`, if any."""
    worst = 0.0
    for sort in range(2):
        begin, end = (0, own.velocities) if sort == 0 else (own.velocities, parts.shape[1])
        for p in range(count):
            part, whole = 0.0, max(own.scale[sort, p], more[sort, p] if more.size > 0 else 0.0)
            for row in range(p, parts.shape[0], count):
                for k in range(begin, end):
                    part, whole = max(part, abs(parts[row, k])), max(whole, abs(own.rates[row, k]))
            if part > CORRECTION_UNDERFLOW:
                worst = max(worst, part / whole if whole > 0.0 else 1.0)
    return worst


@compiled
def _product(one: Matrix, i: int, other: Matrix, j: int, own: Residuals, count: int, p: int) -> float:
    """Return the scalar product of the rows of right side p, from rows i and j on."""
    total = 0.0
    for row in range(p, own.rates.shape[0], count):
        total += dot(one[i + row], other[j + row])
    return total


@compiled
def improve(own: Residuals, count: int, j: int) -> bool:
    """Make the residual least along direction j and all before it, and let `rates` go along. Return whether the
    direction is a new one for one of the right sides."""
    rows, improved, images, directions = own.rates.shape[0], False, own.images, own.directions
    for p in range(count):
        before = _product(images, j * rows, images, j * rows, own, count, p)
        for i in range(j):
            part = _product(images, i * rows, images, j * rows, own, count, p)
            for row in range(p, rows, count):
                axpy(-part, images[i * rows + row], images[j * rows + row])
                axpy(-part, directions[i * rows + row], directions[j * rows + row])
        square = _product(images, j * rows, images, j * rows, own, count, p)
        is_new = square > DIRECTION_INDEPENDENCE**2 * before
        factor = 1.0 / sqrt(square) if is_new else 0.0
        for row in range(p, rows, count):
            for k in range(own.rates.shape[1]):
                images[j * rows + row, k] *= factor
                directions[j * rows + row, k] *= factor
        if not is_new:
            continue
        improved = True
        part = _product(own.residual, 0, images, j * rows, own, count, p)
        for row in range(p, rows, count):
            axpy(part, directions[j * rows + row], own.rates[row])
            axpy(-part, images[j * rows + row], own.residual[row])
    return improved
