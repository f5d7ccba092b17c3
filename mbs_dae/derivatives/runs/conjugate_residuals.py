"""The method of generalised conjugate residuals, for several right sides at once. Compiled.

A linear system is solved with a preconditioner, a matrix that is nearly the inverse. In each direction d the residual r
becomes least in the space of the images of all directions so far,

    q = A d - Σ (A d · qᵢ) qᵢ,     d likewise,     x += (r · q) d,     r -= (r · q) q,        |q| = 1,

so that a few eigenvalues that the preconditioner does not know of cost a few directions. Rows of right side p stand at
p, p + count, ...: one for each stage of a step.
"""

from math import sqrt
from typing import NamedTuple

from ...kernels.abi import compiled
from ...kernels.blocks import Matrix, Vector, Work, zeros
from ...linear.vectors import axpy, dot

TRIES, CYCLES = 16, 6
"""How many directions the method of conjugate residuals keeps, and how often it begins anew."""
DEPENDENT = 1e-6
"""A direction whose image has less than this part outside of the images before it is none."""
SMALL, SETTLED, ROUNDOFF = 1e-14, 1e-11, 1e-8
"""A correction smaller than the first part of its whole is none, and one smaller than the second part ends the cycles.
So does one that does not shrink any more, which is roundoff, ε K h²/m beside a stiff spring: it may not be larger than
the third part."""


class Residuals(NamedTuple):
    """The solutions of a step, the residuals that are left of its equations, and the directions that were tried."""

    rates: Work[Matrix] = zeros("rows", "columns")
    """The changes δv̇ᵢ of accelerations; going back, their weights μ."""
    residual: Work[Matrix] = zeros("rows", "columns")
    before: Work[Matrix] = zeros("rows", "columns")
    """The residual before the direction that is tried."""
    directions: Work[Matrix] = zeros("tries", "columns")
    images: Work[Matrix] = zeros("tries", "columns")
    """The directions, one after the other, and their images under the matrix of the system."""
    scale: Work[Vector] = zeros("count")
    """A number beside which corrections are judged: the change of velocities over h, or the largest weight."""
    faint: Work[Vector] = zeros("count")
    """The change of velocities that is none beside the motion."""
    reach: Work[Vector] = zeros("count")
    """The change of places over h²: a residual of accelerations is roundoff beside this, where something is stiff."""
    none: Work[Vector] = zeros(0)


@compiled
def largest_part(own, parts, count, more):
    """Return the largest ratio of a correction of `rates` to its whole, among all right sides. The whole is the largest
    of `rates`, or the `scale` of the right side, or a number of `more` for it, if there are such."""
    worst = 0.0
    for p in range(count):
        part, whole = 0.0, max(own.scale[p], more[p] if more.size > 0 else 0.0)
        for row in range(p, parts.shape[0], count):
            for k in range(parts.shape[1]):
                part, whole = max(part, abs(parts[row, k])), max(whole, abs(own.rates[row, k]))
        if part > 0.0:
            worst = max(worst, part / whole if whole > 0.0 else 1.0)
    return worst


@compiled
def _product(one, i, other, j, own, count, p):
    """Return the scalar product of the rows of right side p, from rows i and j on."""
    total = 0.0
    for row in range(p, own.rates.shape[0], count):
        total += dot(one[i + row], other[j + row])
    return total


@compiled
def improve(own, count, j):
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
        is_new = square > DEPENDENT**2 * before
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
