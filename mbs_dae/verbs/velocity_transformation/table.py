"""The blocks of R, and where they go: the table of Issa and Arczewski, and the path matrix π*.

Behind a joint all moves like one rigid body. With the axis of a joint velocity θ̇_j turning by t_j, shifting by s_j and
going through the point p_j, a unit of it gives

    a point     r_i of body i       ṙ_i = s_j - D_ij t_j,      D_ij the matrix of d_ij = r_i - p_j:  D x = d × x
    a vector    u_i of body i       u̇_i = -U_i t_j,            U_i that of u_i
    the body i  itself              ω_i = t_j                  in its own axes A_iᵀ t_j

For a revolute t_j = u_j, s_j = 0, and this is the block [-D_ij u_j; -U_i u_j]; for a prismatic joint t_j = 0 and
s_j = u_j, the block [u_j; 0]. Three slides along the axes of the world and a ball make the [1 -D_ij; 0 -U_i] of a body
that floats; all other joints are put together in the same way. The rates follow by the product rule.

Where π*_ij is not zero, the way from the ground to body i leads over edge j, and R has the block; otherwise a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .axes import Axis, Frame

Block = tuple[np.ndarray, np.ndarray]
"""A column of three entries, and its rate."""


def skew(d: Any) -> np.ndarray:
    """D, with D x = d × x."""
    return np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])


def point_block(body: Frame, s: np.ndarray, axis: Axis) -> Block:
    r, dr = body.at(s)
    D, dD = skew(r - axis.point), skew(dr - axis.point_rate)
    return axis.slide - D @ axis.turn, axis.slide_rate - dD @ axis.turn - D @ axis.turn_rate


def vector_block(body: Frame, s: np.ndarray, axis: Axis) -> Block:
    u, du = body.along(s)
    return -skew(u) @ axis.turn, -skew(du) @ axis.turn - skew(u) @ axis.turn_rate


def turning_block(body: Frame, s: np.ndarray, axis: Axis) -> Block:
    """In body axes: d/dt (Aᵀ t) = Aᵀ (ṫ - ω × t)."""
    return body.A.T @ axis.turn, body.A.T @ (axis.turn_rate - np.cross(body.omega, axis.turn))


class Rows(NamedTuple):
    """Some rows of R: one of the blocks above, for a point or a vector at s on a body."""

    number: int
    """Of the body."""
    body: Frame
    block: Callable[[Frame, np.ndarray, Axis], Block]
    s: np.ndarray
    places: Sequence[int]
    """The rows of R, and which of the three entries go there."""
    entries: Sequence[int]


def assembled(pi: Any, axes: Sequence[Sequence[Axis]], groups: Iterable[Rows], shape: tuple[int, int]) -> Block:
    """R and its rate."""
    kind = object if any(axis.turn.dtype == object for own in axes for axis in own) else float
    R, dR = np.zeros(shape, dtype=kind), np.zeros(shape, dtype=kind)
    first = np.cumsum([0, *map(len, axes)])
    for rows in groups:
        for j in np.flatnonzero(pi[rows.number - 1]).tolist():
            for column, axis in enumerate(axes[j], start=first[j]):
                block, rate = rows.block(rows.body, rows.s, axis)
                R[rows.places, column], dR[rows.places, column] = block[rows.entries], rate[rows.entries]
    return R, dR
