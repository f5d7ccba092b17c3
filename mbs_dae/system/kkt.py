"""The one linear system of everything, solved by a sparse LDLᵀ whose pattern is analysed once:

    [ W   Φ_vᵀ ] [x]   [f]
    [ Φ_v   0  ] [λ] = [g]

Of all x with Φ_v x = g it gives the one that is least in the norm of W, so under-, fully and over-determined mechanisms
share one path. With the mass matrix for W it is the system of dynamics. W is diagonal, or block-diagonal with one small
block a body.

All x are eliminated first, then the λ:

    W = L_W D L_Wᵀ,      E = Φ_v L_W⁻ᵀ,      S = E D⁻¹ Eᵀ = Φ_v W⁻¹ Φ_vᵀ = L_S D_S L_Sᵀ
    S λ = Φ_v W⁻¹ f - g,      x = W⁻¹ (f - Φ_vᵀ λ)

S is a Gram matrix: its pivots are squared lengths, none can be zero by accident, and no pivoting is needed. A minimum
degree ordering keeps its fill low. The pivot of row k is the squared distance of Φ_v's row k from the span of the rows
before it; relative to the row's own length it says how independent the row is: `independence`, between 0 and 1. That
is the rank test of all analyses.

Redundant rows have pivot 0. Each row is given a small extra, DELTA times its own squared length, which makes S
definite; iterative refinement against the true matrix then takes the extra's effect away again. The same is done where
W has no weight of its own (a body without mass): `soft` is what its diagonal is given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.abi import compiled, compiled_part
from ..kernels.blocks import block
from .ldl import backward, eliminate_row, forward
from .pattern import Pattern

DELTA = 1e-13
FAINT = 1e-36
"""Rows whose squared length is less than this, relative to the longest row's, count as zero. Rows may be in different
units (m², rad), so this is far below what a small mechanism makes of that."""


class Factor(NamedTuple):
    """The numbers of one factorisation, and its work space. Made once, overwritten each time."""

    weight: np.ndarray
    """The diagonal of W."""
    beside: np.ndarray
    """The entries of W below its diagonal."""
    soft: np.ndarray
    damping: np.ndarray
    """One number: what is added to DELTA. With refinement left out it makes a solve the damped least-squares step
    (Levenberg-Marquardt), which stays short where Φ_v is singular."""
    truncation: np.ndarray
    """One number: rows of less `independence` than this are left out. Where it is not 0 nothing is added to the others,
    so that ranks are not blurred by what adding would make of nearly dependent rows."""
    jacobian: np.ndarray
    kept: np.ndarray
    """1 for a row that is enforced, 0 for one that is left out: its λ is 0, its `independence` is found all the
    same."""
    row_square: np.ndarray
    """(Φ_v W⁻¹ Φ_vᵀ)_kk: the squared length of each row."""
    independence: np.ndarray
    w: np.ndarray
    w_u: np.ndarray
    w_l: np.ndarray
    w_inverse: np.ndarray
    e: np.ndarray
    e_over_d: np.ndarray
    s: np.ndarray
    s_u: np.ndarray
    s_l: np.ndarray
    s_inverse: np.ndarray
    rest_x: np.ndarray
    """What is left of the right-hand side, during a solve."""
    rest_g: np.ndarray
    part: np.ndarray


def new_factor(pattern: Pattern, weight: np.ndarray) -> Factor:
    n, m, zeros = pattern.n, pattern.m, np.zeros
    return block(
        Factor(
            weight=np.array(weight, dtype=float),
            beside=zeros(pattern.block_row.size),
            soft=zeros(n),
            damping=zeros(1),
            truncation=zeros(1),
            jacobian=zeros(pattern.jac_row.size),
            kept=np.ones(m),
            row_square=zeros(m),
            independence=zeros(m),
            w=zeros(pattern.W.column.size),
            w_u=zeros(pattern.W.column.size),
            w_l=zeros(pattern.W.column.size),
            w_inverse=zeros(n),
            e=zeros(pattern.e_row.size),
            e_over_d=zeros(pattern.e_row.size),
            s=zeros(pattern.pair_at.size - 1),
            s_u=zeros(pattern.S.column.size),
            s_l=zeros(pattern.S.column.size),
            s_inverse=zeros(m),
            rest_x=zeros(n),
            rest_g=zeros(m),
            part=zeros(m),
        )
    )


@compiled
def factorise(pattern, factor):
    """All stages, for the weight and Jacobian entries that stand in `factor`."""
    m, S = pattern.m, pattern.S
    eliminate_weights(pattern, factor)
    form_gram(pattern, factor)
    s, s_u, s_l, s_inverse = factor.s, factor.s_u, factor.s_l, factor.s_inverse
    diagonal_at = s.size - m
    largest = 0.0
    for i in range(m):
        largest = max(largest, s[diagonal_at + i])
    least = FAINT * largest + 1e-200  # so that its reciprocal is finite where all rows are left out
    truncation = factor.truncation[0]
    extra = factor.damping[0] if truncation > 0.0 else DELTA + factor.damping[0]
    for i in range(m):
        square = s[diagonal_at + i]
        pivot = eliminate_row(S, i, s, square, s_inverse, s_u, s_l)
        row = pattern.row_at[i]
        independence = max(pivot / square, 0.0) if square > least else 0.0
        factor.row_square[row] = square
        factor.independence[row] = independence
        if factor.kept[row] == 0.0 or independence < truncation:
            s_inverse[i] = 0.0
        else:
            s_inverse[i] = 1.0 / (pivot + extra * max(square, least))


@compiled_part
def eliminate_weights(pattern, factor):
    """W = L_W D L_Wᵀ."""
    weight, soft, w_inverse = factor.weight, factor.soft, factor.w_inverse
    if factor.beside.size == 0:
        for i in range(pattern.n):
            w_inverse[i] = 1.0 / (weight[i] + soft[i])
        return
    w, w_u, w_l = factor.w, factor.w_u, factor.w_l
    for k in range(factor.beside.size):
        w[pattern.w_from[k]] = factor.beside[k]
    for i in range(pattern.n):
        w_inverse[i] = 1.0 / eliminate_row(pattern.W, i, w, weight[i] + soft[i], w_inverse, w_u, w_l)


@compiled
def form_gram(pattern, factor):
    """E = Φ_v L_W⁻ᵀ and S = E D⁻¹ Eᵀ."""
    jacobian, e, e_over_d, s = factor.jacobian, factor.e, factor.e_over_d, factor.s
    e_from, e_column, w_inverse = pattern.e_from, pattern.e_column, factor.w_inverse
    pair_at, pair_a, pair_b = pattern.pair_at, pattern.pair_a, pattern.pair_b
    e[:] = 0.0
    for j in range(jacobian.size):
        e[e_from[j]] += jacobian[j]
    for k in range(pattern.spread_to.size):
        e[pattern.spread_to[k]] -= e[pattern.spread_source[k]] * factor.w_l[pattern.spread_item[k]]
    for k in range(e.size):
        e_over_d[k] = e[k] * w_inverse[e_column[k]]
    for item in range(s.size):
        total = 0.0
        for pair in range(pair_at[item], pair_at[item + 1]):
            total += e[pair_a[pair]] * e_over_d[pair_b[pair]]
        s[item] = total


@compiled
def _solve_once(pattern, factor, f, g):
    """f becomes x and `part` (in the order of elimination) λ, by the last factor."""
    m, e_row, e_column = pattern.m, pattern.e_row, pattern.e_column
    e, e_over_d, part, w_inverse = factor.e, factor.e_over_d, factor.part, factor.w_inverse
    if factor.beside.size > 0:
        forward(pattern.W, factor.w_l, f)
    for i in range(m):
        part[i] = -g[pattern.row_at[i]]
    for k in range(e.size):
        part[e_row[k]] += e_over_d[k] * f[e_column[k]]
    forward(pattern.S, factor.s_l, part)
    for i in range(m):
        part[i] *= factor.s_inverse[i]
    backward(pattern.S, factor.s_l, part)
    for i in range(pattern.n):
        f[i] *= w_inverse[i]
    for k in range(e.size):
        f[e_column[k]] -= e_over_d[k] * part[e_row[k]]
    if factor.beside.size > 0:
        backward(pattern.W, factor.w_l, f)


@compiled
def solve(pattern, factor, f, g, x, multipliers, refinements):
    """Solve for x and λ; `refinements` corrections against the matrix without the extras on its diagonal."""
    n, m, row_at = pattern.n, pattern.m, pattern.row_at
    rest_x, rest_g, part = factor.rest_x, factor.rest_g, factor.part
    for k in range(n):
        rest_x[k] = f[k]
    for k in range(m):
        rest_g[k] = g[k]
    _solve_once(pattern, factor, rest_x, rest_g)
    for k in range(n):
        x[k] = rest_x[k]
    for k in range(m):
        multipliers[row_at[k]] = part[k]
    for _ in range(refinements):
        _residual(pattern, factor, f, g, x, multipliers)
        _solve_once(pattern, factor, rest_x, rest_g)
        for k in range(n):
            x[k] += rest_x[k]
        for k in range(m):
            multipliers[row_at[k]] += part[k]


@compiled_part
def _residual(pattern, factor, f, g, x, multipliers):
    """f - W x - Φ_vᵀ λ and g - Φ_v x."""
    rest_x, rest_g, weight, beside, jacobian = (
        factor.rest_x,
        factor.rest_g,
        factor.weight,
        factor.beside,
        factor.jacobian,
    )
    for k in range(pattern.n):
        rest_x[k] = f[k] - weight[k] * x[k]
    for k in range(pattern.m):
        rest_g[k] = g[k]
    for k in range(beside.size):
        row, column = pattern.block_row[k], pattern.block_column[k]
        rest_x[row] -= beside[k] * x[column]
        rest_x[column] -= beside[k] * x[row]
    for k in range(jacobian.size):
        row, column = pattern.jac_row[k], pattern.jac_column[k]
        rest_x[column] -= jacobian[k] * multipliers[row]
        rest_g[row] -= jacobian[k] * x[column]
