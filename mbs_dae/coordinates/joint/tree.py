"""A tree of joints as arrays: the data of `recursion`.

Every edge of the tree becomes *steps*, one after the other, parents first. A step leads from the frame before it, with
place r_b and rotation A_b, to a frame of its own:

    η = r_b + A_b (o + σ u),        A = A_b Rot(u, θ) C,        r = η + A d

The step goes by o, fixed in the frame before; there it turns by θ about the unit vector u and slides by σ along it;
then come a fixed rotation C and a fixed arm d. The last frame of an edge is that of the child's body, frame 0 is the
ground. All steps but a ball are screws of one coordinate x,

    θ = T x,    σ = phase + S x:        Turn  T = 1, S = 0,     Slide  T = 0, S = 1,     Helix  T = 1, S = pitch/2π,

and a weld has no coordinate. With s and M the point and the axes of the marker on the parent and s', M' of that on the
child, the first step has o = s and the axis u = M e, and the last one d = -s'; the rotations between are part of C,
which is M M'ᵀ for a single motion.

Against the joint's direction (the child has the first marker) the motions come the other way round, each with the axis
-u: a turn by θ about -u undoes that about u. So a coordinate is the joint's own, whoever is the parent.

A ball turns by a unit quaternion, A = A_b A(x), or A_b A(x)ᵀ against the direction; a weld before it and one behind it
bring the markers' frames there. A body that floats slides along x, y, z of the world, and then turns like a ball (in
the plane: along x, y, and turns), so that its coordinates are those of its frame.

The plane is a special case of space: z is 0, and all turns are about z. The only difference is that angles in the plane
are added up, so that whole turns count.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...graph.topology import Topology, topology
from ...graph.tree import Edge
from ...kernels.blocks import Design, Integers, IntegerTable, Matrix, Vector, Work, block, zeros
from ...kernels.passes import Pass
from ...model.mechanisms import SpatialModel
from ...model.parameters import Evaluator
from ...rotations.matrices import product
from ..base import Layout, cartesian_layout, pairs
from .step_kernels import edge_pass, frame_passes, half_pass
from .tree_steps import ORIGIN, Step, frames, freedoms, steps, velocity_paths


class Tree(NamedTuple):
    """Arrays of a tree. Frame k is that of step k, row 0 the ground. Without a tree, there is no body."""

    dimension: int
    # steps
    before: Integers
    """The frame before each step."""
    ball: Integers
    """1 for a ball, 0 for a screw or a weld."""
    sense: Integers
    side: Vector
    """1 in the joint's direction, -1 against it (like `sense`, as a float)."""
    q_at: Integers
    """The first coordinate of each step."""
    v_at: Integers
    """Step k has the velocities v_at[k] : v_end[k]; a weld has none."""
    v_end: Integers
    T: Design[Vector]
    S: Design[Vector]
    phase: Design[Vector]
    o: Design[Matrix]
    u: Design[Matrix]
    C: Design[Matrix]
    """C as a quaternion."""
    uC: Design[Matrix]
    """u ∘ C as a quaternion."""
    angle: Design[Vector]
    """C as an angle, in the plane."""
    d: Design[Matrix]
    axis: Integers
    """The number (0, 1, 2) of the axis of the joint's frame, at this motion, along which u lies, in its direction or
    against."""
    next_axis: Integers
    """The axis of the following turn in the joint's order; -1 if none follows."""
    # edges
    edge_at: Integers
    """Edge e has the steps edge_at[e] : edge_at[e + 1]; the last one leads to the child."""
    edge_v: Integers
    """Edge e has the velocities edge_v[e] : edge_v[e + 1]."""
    marker_point: Design[Matrix]
    """The points of the joint's two markers on their bodies, in rows 2 e and 2 e + 1."""
    marker_attitude: Design[Matrix]
    """The quaternions of the joint's two markers on their bodies, in rows 2 e and 2 e + 1."""
    marker_angle: Design[Vector]
    """In the plane: the angle of the second marker on its body, minus that of the first."""
    # velocities
    v_step: Integers
    """The step of each velocity."""
    v_carrier: Integers
    """The frame in which its axis is fixed."""
    v_turns: Integers
    """1 if the velocity turns, 0 if it only slides."""
    # bodies, in the order of the model
    body_frame: Integers
    """The frame of each body."""
    frame_q: Integers
    """The first Cartesian coordinate of a frame's body; -1 for frames of no moving body."""
    frame_v: Integers
    """The first Cartesian velocity of a frame's body; -1 for frames of no moving body."""
    turns: IntegerTable
    """Pairs (place among the coordinates, place among the Cartesian ones) of the first of three hidden turns."""
    r_body_at: Integers
    """The velocities that move body b are r_velocity[r_body_at[b] : r_body_at[b + 1]], from the root on."""
    r_velocity: Integers
    # the kernels (`step_kernels`)
    halves: Pass
    steps: Pass
    screws: Pass
    bodies: Pass
    half: Work[Matrix] = zeros("frames", 2)
    """Cosine and sine of half the angle of each turn, in space."""
    # frames, where they are and how they move
    A: Work[Matrix] = zeros("frames", 9)
    """The rotation of each frame as a matrix by rows."""
    e: Work[Matrix] = zeros("frames", 4)
    """The rotation as a quaternion (in space)."""
    phi: Work[Vector] = zeros("frames")
    """The rotation as an angle (in the plane)."""
    r: Work[Matrix] = zeros("frames", 3)
    """The position of the frame."""
    eta: Work[Matrix] = zeros("frames", 3)
    """The position of its hinge."""
    dr: Work[Matrix] = zeros("frames", 3)
    deta: Work[Matrix] = zeros("frames", 3)
    omega: Work[Matrix] = zeros("frames", 3)
    turning: Work[Matrix] = zeros("frames", 3)
    """The angular velocity relative to the frame before."""
    sliding: Work[Matrix] = zeros("frames", 3)
    """The velocity of sliding relative to the frame before."""
    ddr: Work[Matrix] = zeros("frames", 3)
    alpha: Work[Matrix] = zeros("frames", 3)
    # velocities: the motion by a unit of each one
    turn: Work[Matrix] = zeros("velocities", 3)
    """The angular velocity, for a unit of a joint velocity, of all that is behind the step."""
    slide: Work[Matrix] = zeros("velocities", 3)
    """The velocity of sliding, for a unit of a joint velocity, of all that is behind the step."""
    twist: Work[Matrix] = zeros("velocities", 6)
    """The velocity and the angular velocity of the body of the edge, for a unit of a joint velocity."""
    # bodies
    arm: Work[Matrix] = zeros("edges", 3)
    """The position of the body of an edge relative to its parent."""
    bias: Work[Vector] = zeros("bodies")
    """The accelerations of bodies if those of joints are 0: Ṙ ẋ."""


def tree_of(topology: Topology, evaluator: Evaluator, layout: Layout) -> Tree:
    """Return the arrays of a tree, with the work space at rest; `layout` is that of the Cartesian coordinates. The
    hidden turns stand behind all other coordinates, three for each body in the order of the model."""
    own: dict[Edge, list] = {edge: [] for edge in topology.edges}
    hidden = 0
    for freedom in freedoms(topology):
        own[freedom.edge].append(freedom)
        hidden = freedom.q_end
    frame_of, chain, edge_at = {topology.ground: 0}, [Step()], [1]
    for edge in topology.edges:
        chain += steps(edge, own[edge], evaluator, frame_of[edge.parent], len(chain))
        edge_at.append(len(chain))
        frame_of[edge.child] = len(chain) - 1
    markers = [frames(edge, evaluator) for edge in topology.edges]
    bodies = {body: frame_of[body] for body in layout.q if not body.fixed}
    count, space = len(chain), topology.ground.dimension == 3
    frame_q, frame_v = np.full((2, count), -1, dtype=np.int64)
    for body, k in bodies.items():
        frame_q[k], frame_v[k] = layout.q[body][0], layout.v[body][0]
    path_of = velocity_paths(topology)
    paths = [path_of[body] for body in bodies]
    v_step, v_carrier, v_turns = _of_velocities(chain)
    dimension = topology.ground.dimension
    places = np.stack([frame_q, frame_v], axis=1).tolist()
    every_step, every_screw = frame_passes(chain, edge_at, dimension, places)
    C, u = (np.array([getattr(step, name) for step in chain], dtype=float) for name in ("C", "u"))
    tree = block(
        Tree(
            dimension=dimension,
            **{name: np.array([getattr(step, name) for step in chain]) for name in Step._fields},
            uC=np.stack([*product([*np.c_[np.zeros(count), u].T], [*C.T])], axis=1),
            side=np.array([float(step.sense) for step in chain]),
            halves=half_pass(chain, dimension),
            steps=every_step,
            screws=every_screw,
            bodies=edge_pass(chain, edge_at, dimension, places),
            edge_at=np.array(edge_at),
            edge_v=np.cumsum([0, *(edge.velocities for edge in topology.edges)]),
            marker_point=np.array([marker.point for pair in markers for marker in pair]).reshape(-1, 3),
            marker_attitude=np.array([marker.attitude for pair in markers for marker in pair]).reshape(-1, 4),
            marker_angle=np.array([second.angle - first.angle for first, second in markers]),
            v_step=v_step,
            v_carrier=v_carrier,
            v_turns=v_turns,
            body_frame=np.array([*bodies.values()], dtype=np.int64),
            frame_q=frame_q,
            frame_v=frame_v,
            turns=pairs((hidden + 3 * b, layout.q[body][7]) for b, body in enumerate(bodies) if space),
            r_body_at=np.cumsum([0, *map(len, paths)]),
            r_velocity=np.concatenate([np.zeros(0, dtype=np.int64), *paths]),
        ),
        frames=count,
        velocities=v_step.size,
        edges=len(topology.edges),
        bodies=layout.v_size,
    )
    tree.A[0], tree.e[0] = np.eye(3).ravel(), ORIGIN.attitude
    return tree


def _of_velocities(chain: Sequence[Step]) -> np.ndarray:
    """Return, for each velocity, the step, the frame in which its axis is fixed, and whether it turns."""
    rows = sorted(
        (v, k, k if step.ball and step.sense > 0 else step.before, step.ball or step.T > 0)
        for k, step in enumerate(chain)
        for v in range(step.v_at, step.v_end)
    )
    return np.array(rows, dtype=np.int64).reshape(-1, 4).T[1:].copy()


def no_tree() -> Tree:
    """Return the tree of a model without bodies, for coordinates without a tree."""
    nothing = topology(SpatialModel())
    return tree_of(nothing, Evaluator({}), cartesian_layout([], nothing.ground))
