"""The pose and the motion of a tree at which R is evaluated, and the motions of its bodies and markers."""

from collections.abc import Callable
from math import tau
from typing import Any, NamedTuple

import numpy as np

from ...arguments import check_start
from ...compiled import System
from ...coordinates.joint import recursion
from ...coordinates.joint.tree import Tree, tree_of
from ...coordinates.joint.tree_steps import freedoms
from ...errors import ModelError
from ...graph.topology import Topology
from ...model.bodies.body import Body, Marker
from ...model.joints.motions import Helix
from ...model.model import Model
from ...readings.motion import marker_frame
from ...results.quantities import frozen
from ...results.result import State


class Pose(NamedTuple):
    """A motion of the tree, at one instant."""

    tree: Tree  # unfolded: with poses and motions of its frames
    theta: np.ndarray
    rates: np.ndarray
    q: np.ndarray  # coordinates of bodies; v has their velocities
    v: np.ndarray


def pose_of(topology: Topology, system: System, q: Any = None, v: Any = None) -> Pose:
    """Return the pose q with velocities v, projected onto the joints of the tree."""
    cartesian, motions = system.cartesian, freedoms(topology)
    tree = tree_of(topology, system.evaluator, cartesian.layout)
    full_q, full_v = _cartesian_motion(system, q, v)
    size = motions[-1].q_end if motions else 0
    theta, rates = np.zeros(size + 3 * len(tree.turns)), np.zeros(topology.degrees_of_freedom_of_tree)
    for freedom in motions:
        if isinstance(freedom.motion, Helix):  # angles differ by whole turns; the displacement decides
            joint, helix = freedom.edge.joint, freedom.motion
            (first, axes), (second, _) = (marker_frame(cartesian, full_q, marker) for marker in joint.markers)
            pitch, phase = (cartesian.evaluator(joint.values[name]) for name in (helix.pitch, helix.phase))
            displacement = axes[:, helix.axis] @ (second - first)
            theta[freedom.q] = float(tau * (displacement - phase) / pitch) if pitch else 0.0
    recursion.fold(tree, full_q, theta)
    recursion.unfold(tree, theta, rates, full_q.copy(), full_v.copy())  # velocities are computed in this pose
    recursion.fold_velocity(tree, full_v, rates)
    recursion.unfold(tree, theta, rates, full_q, full_v)
    return Pose(tree, frozen(theta)[:size], frozen(rates), full_q, full_v)


def _cartesian_motion(system: System, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return Cartesian coordinates and velocities of the bodies, followed by those of the ground."""
    if isinstance(q, State):
        check_start(system.model, q)
        pose, moving, source = q.full_q, q.full_v, q.system
    else:
        pose, moving, source = _array(q, system.placement, system.nq, "q"), system.still, system
    bodies = source.to_bodies((pose[None], moving[None], source.still[None]))
    if v is not None:
        coordinates = system.from_bodies(bodies)[0]
        moving = _array(v, system.still, system.nv, "v")
        bodies = system.to_bodies((coordinates, moving[None], system.still[None]))
    return bodies[0][0].copy(), bodies[1][0].copy()


def _array(values: Any, rest: np.ndarray, size: int, name: str) -> np.ndarray:
    """Return a whole array; values of bodies at rest need not be given."""
    full = rest.copy()
    if values is None:
        return full
    array = np.asarray(values, dtype=float)
    if array.shape not in ((size,), full.shape) or not np.isfinite(array).all():
        what = "the coordinates of the system in their order, or a state" if name == "q" else "its velocities"
        raise ModelError(
            f"{name} must be {size} finite numbers, not {values!r}; give {what}",
            code="wrong-shape", argument=name, value=values, size=size,
        )  # fmt: skip
    full[: array.size] = array
    return full


Moving = tuple[np.ndarray, np.ndarray]  # a vector, and its rate


class BodyFrame(NamedTuple):
    """Pose and motion of a body's frame; the columns of A are its axes."""

    r: np.ndarray
    A: np.ndarray
    dr: np.ndarray
    omega: np.ndarray

    def at(self, s: np.ndarray) -> Moving:
        """Return the position of a point fixed in the frame, and its velocity."""
        arm, sweep = self.along(s)
        return self.r + arm, self.dr + sweep

    def along(self, s: np.ndarray) -> Moving:
        """Return a vector fixed in the frame, in world axes, and its rate."""
        arm = self.A @ s
        return arm, np.cross(self.omega, arm)


def on_body(marker: Marker, number: Callable[[Any], Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the point and the axes of a marker in body axes; in the plane extended to space."""
    point, axes = marker.on_body(number)
    whole = np.eye(3, dtype=axes.dtype)
    whole[: point.size, : point.size] = axes
    return np.append(point, [0] * (3 - point.size)), whole


def frames_of(tree: Tree, model: Model) -> dict[Body, BodyFrame]:
    """Return the frames of the ground and of all bodies after the last `unfold`."""
    places = zip((model.ground, *model.bodies.values()), (0, *tree.body_frame), strict=True)
    return {body: BodyFrame(tree.r[k], tree.A[k].reshape(3, 3), tree.dr[k], tree.omega[k]) for body, k in places}
