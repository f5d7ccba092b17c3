"""The pose and the motion of a tree at which R is asked for."""

from __future__ import annotations

from math import tau
from typing import Any, NamedTuple

import numpy as np

from ...arguments import check_start
from ...compiled import System
from ...coordinates.joint import recursion
from ...coordinates.joint.folding import fold, fold_velocity
from ...coordinates.joint.tree import Tree, tree_of
from ...coordinates.joint.tree_steps import freedoms
from ...errors import ModelError
from ...graph.topology import Topology
from ...model.bodies.body import Body
from ...model.joints.motions import Helix
from ...results.result import State
from ...rotations import from_quaternion
from .axes import FIXED, Frame, on_body


class Pose(NamedTuple):
    """A motion of the tree, at one moment."""

    frames: dict[Body, Frame]
    theta: np.ndarray
    rates: np.ndarray
    q: np.ndarray
    """Of bodies, and so is v."""
    v: np.ndarray


def pose_of(found: Topology, system: System, q: Any = None, v: Any = None) -> Pose:
    """The pose that is asked for, brought onto the joints of the tree."""
    cartesian = system.cartesian
    tree = tree_of(found, system.evaluator, cartesian.layout)
    full_q, full_v = _given(system, q, v)
    theta, rates = _folded(found, tree, cartesian, full_q, full_v)
    recursion.unfold(tree, theta, rates, full_q, full_v)
    own = theta[: _size(found)]
    for array in (own, rates):
        array.setflags(write=False)
    return Pose(_frames(cartesian, full_q, full_v), own, rates, full_q, full_v)


def _given(system: System, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where the bodies are and how they move: Cartesian coordinates and velocities, those of the ground behind."""
    if isinstance(q, State):
        check_start(system.model, q)
        pose, moving, given = q.full_q, q.full_v, q.system
    else:
        pose, moving, given = _array(q, system.placement, system.nq, "q"), system.still, system
    bodies = given.to_bodies((pose[None], moving[None], given.still[None]))
    if v is not None:
        own = system.from_bodies(bodies)[0]
        moving = _array(v, system.still, system.nv, "v")
        bodies = system.to_bodies((own, moving[None], system.still[None]))
    return bodies[0][0].copy(), bodies[1][0].copy()


def _array(values: Any, rest: np.ndarray, size: int, name: str) -> np.ndarray:
    """A whole array; what stands still need not be said."""
    full = rest.copy()
    if values is None:
        return full
    array = np.asarray(values, dtype=float)
    if array.shape not in ((size,), full.shape) or not np.isfinite(array).all():
        what = "the coordinates of the system in their order, or a state" if name == "q" else "its velocities"
        raise ModelError(f"{name} must be {size} finite numbers, not {values!r}; give {what}")
    full[: array.size] = array
    return full


def _folded(
    found: Topology, tree: Tree, cartesian: System, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """θ (with the hidden turns behind it) and θ̇."""
    ways = freedoms(found)
    theta, rates = np.zeros(_size(found) + 3 * len(tree.turns)), np.zeros(found.degrees_of_freedom_of_tree)
    frames = _frames(cartesian, q, v)
    for way in ways:
        if isinstance(way.motion, Helix):  # many angles look alike; how far it has gone tells them apart
            theta[way.q] = _wound(way, frames, cartesian)
    fold(tree, q, theta)
    recursion.unfold(tree, theta, rates, q.copy(), v.copy())  # the velocities are found in this pose
    fold_velocity(tree, v, rates)
    return theta, rates


def _wound(way: Any, frames: dict[Body, Frame], cartesian: System) -> float:
    """The angle of a thread that has gone so far."""
    joint, number = way.edge.joint, cartesian.evaluator
    (s, M), (s2, _) = (on_body(marker, number) for marker in joint.markers)
    first, second = (frames[marker.body] for marker in joint.markers)
    gone = (first.A @ M)[:, way.motion.axis] @ (second.at(s2)[0] - first.at(s)[0])
    pitch, phase = (number(joint.values[name]) for name in (way.motion.pitch, way.motion.phase))
    return tau * (gone - phase) / pitch if pitch else 0.0


def _frames(cartesian: System, q: np.ndarray, v: np.ndarray) -> dict[Body, Frame]:
    frames = {cartesian.model.ground: FIXED}
    for body in cartesian.bodies:
        x, dx = q[list(cartesian.layout.q[body])], v[list(cartesian.layout.v[body])]
        if body.dimension == 2:
            c, s = np.cos(x[2]), np.sin(x[2])
            A = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            frames[body] = Frame(np.array([*x[:2], 0.0]), A, np.array([*dx[:2], 0.0]), np.array([0.0, 0.0, dx[2]]))
        else:
            A = from_quaternion(x[3:7])
            frames[body] = Frame(x[:3], A, dx[:3], A @ dx[3:])
    return frames


def _size(found: Topology) -> int:
    return max((freedom.q_end for freedom in freedoms(found)), default=0)
