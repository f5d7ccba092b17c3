"""The blocks of R, and where they go: the table of Issa and Arczewski, and the path matrix π*.

Behind a joint all moves like one rigid body. With the axis of a joint velocity θ̇_j turning by t_j, shifting by s_j and
going through the point p_j, a unit of it gives

    a point     r_i of body i       ṙ_i = s_j - D_ij t_j,      D_ij the matrix of d_ij = r_i - p_j:  D x = d × x
    a vector    u_i of body i       u̇_i = -U_i t_j,            U_i that of u_i
    the body i  itself              ω_i = t_j                  in its own axes A_iᵀ t_j

For a revolute t_j = u_j, s_j = 0, and this is the block [-D_ij u_j; -U_i u_j]; for a prismatic joint t_j = 0 and
s_j = u_j, the block [u_j; 0]; a screw has t_j = u_j and s_j = (pitch/2π) u_j, a ball three turns about one point. Three
slides along the axes of the world and a ball make the [1 -D_ij; 0 -U_i] of a body that floats; all other joints are put
together in the same way. The axes stand still in a frame that turns by ω, so ṫ_j = ω × t_j and ṡ_j = ω × s_j, and the
rates of the blocks follow by the product rule.

Where π*_ij is not zero, the way from the ground to body i leads over edge j, and R has the block; otherwise a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...coordinates.joint.tree import Tree
from ...graph.topology import Topology
from ...model.bodies.body import Body, Marker
from ...model.model import Model

Block = tuple[np.ndarray, np.ndarray]  # a column of three entries, and its rate


class Frame(NamedTuple):
    """Where the frame of a body is and how it moves; the columns of A are its axes."""

    r: np.ndarray
    A: np.ndarray
    dr: np.ndarray
    omega: np.ndarray

    def at(self, s: np.ndarray) -> Block:
        """A point fixed in it, and its velocity."""
        arm, sweep = self.along(s)
        return self.r + arm, self.dr + sweep

    def along(self, s: np.ndarray) -> Block:
        """A vector fixed in it, and its rate."""
        arm = self.A @ s
        return arm, np.cross(self.omega, arm)


class Axis(NamedTuple):
    """What a unit of one joint velocity does to all that is behind the joint: t, s, p, and their rates."""

    turn: np.ndarray
    slide: np.ndarray
    point: np.ndarray
    turn_rate: np.ndarray
    slide_rate: np.ndarray
    point_rate: np.ndarray


def on_body(marker: Marker, number: Callable[[Any], Any]) -> tuple[np.ndarray, np.ndarray]:
    """The point and the axes of a marker in body axes; a plane is a part of space."""
    point, axes = marker.on_body(number)
    whole = np.eye(3, dtype=axes.dtype)
    whole[: point.size, : point.size] = axes
    return np.append(point, [0] * (3 - point.size)), whole


def frames_of(tree: Tree, model: Model) -> dict[Body, Frame]:
    """The frames of the ground and of all bodies, as the last `unfold` left them."""
    places = zip((model.ground, *model.bodies.values()), (0, *tree.body_frame), strict=True)
    return {body: Frame(tree.r[k], tree.A[k].reshape(3, 3), tree.dr[k], tree.omega[k]) for body, k in places}


def axes_of(tree: Tree) -> list[Axis]:
    """The axes of all joint velocities after the last `unfold`. The child may have the first marker: the tree has its
    axes with the sign with which they move the child."""
    omega, point = tree.omega[tree.v_carrier], (tree.eta[tree.v_step], tree.deta[tree.v_step])
    rates = np.cross(omega, tree.turn), np.cross(omega, tree.slide)
    return [Axis(*own) for own in zip(tree.turn, tree.slide, point[0], *rates, point[1], strict=True)]


def point_block(body: Frame, s: np.ndarray, axis: Axis) -> Block:
    r, dr = body.at(s)
    d, dd = r - axis.point, dr - axis.point_rate
    return (
        axis.slide + np.cross(axis.turn, d),
        axis.slide_rate + np.cross(axis.turn_rate, d) + np.cross(axis.turn, dd),
    )


def vector_block(body: Frame, s: np.ndarray, axis: Axis) -> Block:
    u, du = body.along(s)
    return np.cross(axis.turn, u), np.cross(axis.turn_rate, u) + np.cross(axis.turn, du)


def turning_block(body: Frame, s: np.ndarray, axis: Axis) -> Block:
    """In body axes: d/dt (Aᵀ t) = Aᵀ (ṫ - ω × t)."""
    return body.A.T @ axis.turn, body.A.T @ (axis.turn_rate - np.cross(body.omega, axis.turn))


class Rows(NamedTuple):
    """Some rows of R: one of the blocks above, for a point or a vector at s on a body."""

    body: Body
    block: Callable[[Frame, np.ndarray, Axis], Block]
    s: np.ndarray
    places: Sequence[int]  # the rows of R, and which of the three entries go there
    entries: Sequence[int]


def assembled(topology: Topology, tree: Tree, model: Model, groups: Iterable[Rows], size: int) -> Block:
    """R, of so many rows, and its rate."""
    pi, axes, frames = topology.secondary_path_matrix, axes_of(tree), frames_of(tree, model)
    edge_of = np.repeat(np.arange(len(topology.edges)), [edge.velocities for edge in topology.edges])
    R, dR = np.zeros((2, size, len(axes)))
    for rows in groups:
        for column in np.flatnonzero(pi[topology.numbers[rows.body.name] - 1, edge_of]):
            block, rate = rows.block(frames[rows.body], rows.s, axes[column])
            R[rows.places, column], dR[rows.places, column] = block[rows.entries], rate[rows.entries]
    return R, dR
