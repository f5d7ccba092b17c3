"""Factorisation and solution where W is a tree of bodies (`articulated`). Compiled."""

from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...kernels.passes import go_through
from ...tolerances import ZERO_ROW
from ..fronts.plan import back_substitute, eliminate, forward_substitute
from ..kkt import Factor, set_limits, solve_and_refine, tell_independence
from ..pattern import Pattern
from ..vectors import copy, largest


@compiled_apart
def factorise_tree(pattern: Pattern, factor: Factor) -> None:
    """Factorise like `kkt.factorise`, for the inertias, twists and arms in `factor.limbs`."""
    tree, own = pattern.tree, factor.limbs
    given = (own.inertia, own.hanging, own.twist, own.arm, factor.soft, own.momentum, own.inverse)
    go_through(tree.elimination, given)
    if pattern.m == 0:
        return
    tables = (own.twist, own.arm, own.momentum, own.inverse, own.force, factor.jacobian, own.left, own.scaled)
    go_through(tree.columns, tables)
    own.coupling[:] = 0.0
    own.square[:] = 0.0
    go_through(tree.products, (own.left, own.scaled, own.coupling, own.square))
    lightest = own.inverse[0]  # the squared length below which a row counts as zero follows from the pivots of W
    for k in range(own.inverse.size):
        lightest = min(lightest, own.inverse[k])
    negligible = ZERO_ROW * largest(factor.jacobian) ** 2 * lightest + 1e-200
    set_limits(factor, negligible, factor.truncation[0], factor.damping[0])
    eliminate(pattern.plan, 0, factor, own.square, own.coupling)
    tell_independence(factor)


@compiled_apart
def solve_tree(
    pattern: Pattern, factor: Factor, f: Vector, g: Vector, x: Vector, multipliers: Vector, refinements: int
) -> None:
    """Solve like `kkt.solve`."""
    solve_and_refine(pattern, factor, f, g, x, multipliers, refinements, _solve_once, _residual)


@compiled
def _solve_once(pattern: Pattern, factor: Factor, f: Vector, g: Vector) -> None:
    """Replace f by x and g by λ, with the last factor: Φ W⁻¹ Φᵀ λ = Φ W⁻¹ f - g."""
    tree, own, part = pattern.tree, factor.limbs, factor.part
    go_through(tree.inward, (own.twist, own.arm, own.momentum, own.inverse, own.force, f, f))
    for row in range(pattern.m):
        total = g[row]
        for e in range(tree.row_at[row], tree.row_at[row + 1]):
            total -= own.scaled[e] * f[pattern.jac_column[e]]
        part[row] = total
    forward_substitute(pattern.plan, 0, factor)
    back_substitute(pattern.plan, 0, factor)
    for row in range(pattern.m):
        g[row] = part[row]
        for e in range(tree.row_at[row], tree.row_at[row + 1]):
            f[pattern.jac_column[e]] -= own.left[e] * part[row]
    go_through(tree.outward, (own.twist, own.arm, own.momentum, own.inverse, own.motion, f))


@compiled
def _residual(pattern: Pattern, factor: Factor, f: Vector, g: Vector, x: Vector, multipliers: Vector) -> None:
    """Put f - W x - Φ_vᵀ λ into `rest_x` and g - Φ_v x into `rest_g`."""
    tree, own, rest_x, rest_g = pattern.tree, factor.limbs, factor.rest_x, factor.rest_g
    copy(f, rest_x)
    copy(g, rest_g)
    go_through(tree.moving, (own.twist, own.arm, own.motion, x))
    go_through(tree.resisting, (own.inertia, own.twist, own.arm, own.motion, own.force, rest_x))
    for k in range(factor.jacobian.size):
        row, column = pattern.jac_row[k], pattern.jac_column[k]
        rest_x[column] -= factor.jacobian[k] * multipliers[row]
        rest_g[row] -= factor.jacobian[k] * x[column]
