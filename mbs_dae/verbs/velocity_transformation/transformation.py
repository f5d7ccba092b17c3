"""R and its rate at a pose: blocks from the table of Issa and Arczewski, where the path matrix π* has them.

Behind a joint all bodies move like one rigid body. The axis of a joint velocity θ̇_j turns by t_j, shifts by s_j and
passes through the point p_j. A unit of θ̇_j gives

    a point     r_i of body i       ṙ_i = s_j - D_ij t_j,      D_ij the matrix of d_ij = r_i - p_j:  D x = d × x
    a vector    u_i of body i       u̇_i = -U_i t_j,            U_i the matrix of u_i
    the body i  itself              ω_i = t_j                  in its own axes A_iᵀ t_j

A revolute has t_j = u_j, s_j = 0 and the block [-D_ij u_j; -U_i u_j]; a prismatic joint has t_j = 0 and s_j = u_j, the
block [u_j; 0]; a screw has t_j = u_j and s_j = (pitch/2π) u_j, a ball three turns about one point. Three slides along
the axes of the world and a ball make the [1 -D_ij; 0 -U_i] of a floating body; all other joints are composed in the
same way. The axes are fixed in a frame that turns by ω, so ṫ_j = ω × t_j and ṡ_j = ω × s_j, and the rates of the blocks
follow by the product rule.

If π*_ij is not zero, the way from the ground to body i leads over edge j, and R has the block; otherwise a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arguments import model_of, system_of
from ...compiled import System
from ...coordinates import JointCoordinates
from ...coordinates.joint.tree import Tree
from ...coordinates.natural.natural import Natural
from ...errors import ModelError
from ...graph.topology import Topology, topology
from ...model.bodies.body import Body
from ...model.model import Model
from ...results.quantities import frozen
from .explicit import in_theta
from .letters import in_letters
from .matrices import VelocityTransformation, column_names, row_names
from .pose import BodyFrame, Moving, frames_of, pose_of


def velocity_transformation(
    system: Model | System, q: Any = None, v: Any = None, base: Any = None, cut: Any = (), *, symbolic: bool = False,
    explicit: bool = False,
) -> Any:  # fmt: skip
    """Return R and Ṙ of v = R θ̇, for the tree of a mechanism, as a `VelocityTransformation`.

    v holds velocities of bodies (ω in space in body axes), or of points and unit vectors for
    ``model.compile("natural")``. θ̇ are the joint velocities of the tree; a floating body has its own. `q` is the pose:
    a state, or an array of the coordinates of the given system (which may be joint coordinates); by default the
    placement. `v` is an array of velocities, by default those of the state; at rest Ṙ = 0. `base` and `cut` choose the
    tree, as in `mbs.topology`.

    ``symbolic=True`` returns R in letters, by blocks, for any pose: D_ij, U_i, u_j. ``explicit=True`` returns R of
    bodies as expressions of θ, for small systems.

    A hinged rod, and the velocity of its middle at 1 rad/s:

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> print(mbs.velocity_transformation(rod))
               A.omega
       rod.vx
       rod.vy     0.15
    rod.omega        1
    """
    if symbolic or explicit:
        if q is not None or v is not None or symbolic and explicit:
            what = "symbolic=True and explicit=True are two ways to have R for every pose"
            raise ModelError(
                f"{what}; say one of them, and leave q= and v= out",
                code="contradictory-arguments", argument="symbolic" if symbolic else "explicit",
            )  # fmt: skip
        tree = topology(model := model_of(system), base, cut)
        return in_letters(model, tree) if symbolic else in_theta(tree)
    system = system_of(system)
    if base is None and not cut and isinstance(system.coordinates, JointCoordinates):
        tree = system.coordinates.topology  # the tree of its joint coordinates
    else:
        tree = topology(system.model, base, cut)
    pose = pose_of(tree, system, q, v)
    if not isinstance(system.coordinates, Natural):
        system = system.cartesian
    rows = _of_bodies(system) if system.is_cartesian else _of_points_and_vectors(tree, system)
    R, Rdot = assembled(tree, pose.tree, system.model, rows, system.nv)
    q_of_system, v_of_system, _ = (
        x[0] for x in system.from_bodies((pose.q[None], pose.v[None], system.cartesian.still[None]))
    )
    R, Rdot, q_of_system, v_of_system = map(frozen, (R, Rdot, q_of_system, v_of_system))
    names = row_names(system), column_names(tree)
    return VelocityTransformation(R, Rdot, *names, tree, pose.theta, pose.rates, q_of_system, v_of_system)


def _of_bodies(system: System) -> Iterator[BlockRows]:
    """Yield the rows of the velocity of each body's frame, and of its angular velocity."""
    for body in system.bodies:
        size, places = body.dimension, list(system.layout.v[body])
        yield BlockRows(body, point_block, np.zeros(3), places[:size], range(size))
        yield BlockRows(body, turning_block, np.zeros(3), places[size:], range(3) if size == 3 else [2])


def _of_points_and_vectors(tree: Topology, system: System) -> Iterator[BlockRows]:
    """Yield the rows of the basic points and unit vectors. A point or vector that bodies share moves with each of them;
    the body nearest to the ground is used, which has the fewest joints before it."""
    natural: Any = system.coordinates
    size = system.model.dimension
    for thing in natural.moving:
        body = min(thing.places, key=lambda b: len(tree.path(b)))
        s = np.array([*map(system.evaluator, thing.places[body]), 0.0][:3])
        yield BlockRows(
            body, point_block if thing.kind == "point" else vector_block, s, system.layout.v[thing], range(size)
        )


# --- blocks ---


class Axis(NamedTuple):
    """The effect of a unit of one joint velocity on all bodies behind the joint: t, s, p, and their rates."""

    turn: Moving
    slide: Moving
    point: Moving


def axes_of(tree: Tree) -> list[Axis]:
    """Return the axes of all joint velocities after the last `unfold`. If the child has the first marker, the axes have
    the sign with which they move the child."""
    omega = tree.omega[tree.v_carrier]
    turns, slides = (zip(x, np.cross(omega, x), strict=True) for x in (tree.turn, tree.slide))
    points = zip(tree.eta[tree.v_step], tree.deta[tree.v_step], strict=True)
    return [Axis(*own) for own in zip(turns, slides, points, strict=True)]


def crossed(a: Moving, b: Moving) -> Moving:
    """Return a × b, and its rate."""
    return np.cross(a[0], b[0]), np.cross(a[1], b[0]) + np.cross(a[0], b[1])


def point_block(body: BodyFrame, s: np.ndarray, axis: Axis) -> Moving:
    (r, dr), (p, dp) = body.at(s), axis.point
    turned, rate = crossed(axis.turn, (r - p, dr - dp))
    return axis.slide[0] + turned, axis.slide[1] + rate


def vector_block(body: BodyFrame, s: np.ndarray, axis: Axis) -> Moving:
    return crossed(axis.turn, body.along(s))


def turning_block(body: BodyFrame, s: np.ndarray, axis: Axis) -> Moving:
    """Return Aᵀ t in body axes, and its rate: d/dt (Aᵀ t) = Aᵀ (ṫ - ω × t)."""
    turn, rate = axis.turn
    return body.A.T @ turn, body.A.T @ (rate - np.cross(body.omega, turn))


class BlockRows(NamedTuple):
    """Some rows of R: one of the blocks above, for a point or a vector at s on a body."""

    body: Body
    block: Callable[[BodyFrame, np.ndarray, Axis], Moving]
    s: np.ndarray
    places: Sequence[int]  # the rows of R; `entries` are the numbers of their components
    entries: Sequence[int]


def assembled(topology: Topology, tree: Tree, model: Model, groups: Iterable[BlockRows], size: int) -> Moving:
    """Return R, with `size` rows, and its rate."""
    pi, axes, frames = topology.secondary_path_matrix, axes_of(tree), frames_of(tree, model)
    edge_of = np.repeat(np.arange(len(topology.edges)), [edge.velocities for edge in topology.edges])
    R, dR = np.zeros((2, size, len(axes)))
    for rows in groups:
        for column in np.flatnonzero(pi[topology.numbers[rows.body.name] - 1, edge_of]):
            block, rate = rows.block(frames[rows.body], rows.s, axes[column])
            R[rows.places, column], dR[rows.places, column] = block[rows.entries], rate[rows.entries]
    return R, dR
