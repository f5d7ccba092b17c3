"""Factorise and solve where W is a tree of bodies (`articulated`). Compiled."""

from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...kernels.passes import go_through
from ...tolerances import DELTA, NIL
from ..kkt import Factor
from ..ldl import backward, eliminate_row, forward
from ..pattern import Pattern
from ..vectors import axpy, copy, largest


@compiled_apart
def factorise_tree(pattern: Pattern, factor: Factor):
    """As `kkt.factorise`, for the inertias, twists and arms that stand in `factor.limbs`."""
    tree, own = pattern.tree, factor.limbs
    given = (own.inertia, own.hanging, own.twist, own.arm, factor.soft, own.momentum, own.inverse)
    go_through(tree.elimination, given)
    if pattern.m == 0:
        return
    tables = (own.twist, own.arm, own.momentum, own.inverse, own.force, factor.jacobian, own.left, own.scaled)
    go_through(tree.columns, tables)
    for k in range(own.u.size):
        own.u[k] = 0.0
    for row in range(pattern.m):
        own.square[row] = 0.0
    go_through(tree.products, (own.left, own.scaled, own.u, own.square))
    _eliminate_rows(pattern, factor)


@compiled
def _eliminate_rows(pattern, factor):
    """L and D of Φ W⁻¹ Φᵀ."""
    own, order = factor.limbs, pattern.tree.order
    least, truncation = _negligible(factor), factor.truncation[0]
    extra = factor.damping[0] if truncation > 0.0 else DELTA + factor.damping[0]
    for i in range(pattern.m):
        row = order[i]
        square = own.square[row]
        distance, share = square - eliminate_row(pattern.tree.L, i, own.reciprocal, own.u, own.l), factor.share[row]
        independence = max(distance / square, 0.0) * share if square > least else 0.0
        factor.row_square[row] = square
        factor.independence[row] = independence
        if factor.kept[row] == 0.0 or independence < truncation:
            own.reciprocal[i] = 0.0
        else:
            own.reciprocal[i] = 1.0 / (distance + extra * max(square / max(share, NIL), least))


@compiled
def _negligible(factor):
    """As `kkt.negligible`, by what the pivots of W are."""
    lightest = factor.limbs.inverse[0]
    for k in range(factor.limbs.inverse.size):
        lightest = min(lightest, factor.limbs.inverse[k])
    return NIL * largest(factor.jacobian) ** 2 * lightest + 1e-200


@compiled_apart
def solve_tree(
    pattern: Pattern, factor: Factor, f: Vector, g: Vector, x: Vector, multipliers: Vector, refinements: int
):  # fmt: skip
    """As `kkt.solve`."""
    rest_x, rest_g = factor.rest_x, factor.rest_g
    copy(f, rest_x)
    copy(g, rest_g)
    _solve_once(pattern, factor, rest_x, rest_g)
    copy(rest_x, x)
    copy(rest_g, multipliers)
    for _ in range(refinements):
        _residual(pattern, factor, f, g, x, multipliers)
        _solve_once(pattern, factor, rest_x, rest_g)
        axpy(1.0, rest_x, x)
        axpy(1.0, rest_g, multipliers)


@compiled
def _solve_once(pattern, factor, f, g):
    """f becomes x and g becomes λ, by the last factor:  Φ W⁻¹ Φᵀ λ = Φ W⁻¹ f - g."""
    tree, own, order, part = pattern.tree, factor.limbs, pattern.tree.order, factor.part
    go_through(tree.inward, (own.twist, own.arm, own.momentum, own.inverse, own.force, f, f))
    for i in range(pattern.m):
        row = order[i]
        total = -g[row]
        for e in range(tree.row_at[row], tree.row_at[row + 1]):
            total += own.scaled[e] * f[pattern.jac_column[e]]
        part[i] = total
    forward(tree.L, own.l, part)
    for i in range(pattern.m):
        part[i] *= own.reciprocal[i]
    backward(tree.L, own.l, part)
    for i in range(pattern.m):
        row = order[i]
        g[row] = part[i]
        for e in range(tree.row_at[row], tree.row_at[row + 1]):
            f[pattern.jac_column[e]] -= own.left[e] * part[i]
    go_through(tree.outward, (own.twist, own.arm, own.momentum, own.inverse, own.motion, f))


@compiled
def _residual(pattern, factor, f, g, x, multipliers):
    """f - W x - Φ_vᵀ λ and g - Φ_v x."""
    tree, own, rest_x, rest_g = pattern.tree, factor.limbs, factor.rest_x, factor.rest_g
    copy(f, rest_x)
    copy(g, rest_g)
    go_through(tree.moving, (own.twist, own.arm, own.motion, x))
    go_through(tree.resisting, (own.inertia, own.twist, own.arm, own.motion, own.force, rest_x))
    for k in range(factor.jacobian.size):
        row, column = pattern.jac_row[k], pattern.jac_column[k]
        rest_x[column] -= factor.jacobian[k] * multipliers[row]
        rest_g[row] -= factor.jacobian[k] * x[column]
