"""R and its rate at a pose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import tau
from typing import Any, NamedTuple

import numpy as np

from ...arguments import check_start, model_of, system_of
from ...compiled import System
from ...coordinates import JointCoordinates
from ...coordinates.joint import recursion
from ...coordinates.joint.folding import fold, fold_velocity
from ...coordinates.joint.tree import Tree, tree_of
from ...coordinates.joint.tree_steps import freedoms
from ...coordinates.natural.natural import Natural
from ...errors import ModelError
from ...graph.topology import Topology, topology
from ...model.bodies.body import Body
from ...model.joints.motions import Helix
from ...model.model import Model
from ...results.result import State
from ...rotations import from_quaternion
from .axes import FIXED, Frame, on_body, tree_axes
from .names import column_names, row_names
from .table import Rows, assembled, point_block, turning_block, vector_block


@dataclass(frozen=True, eq=False, repr=False)
class VelocityTransformation:
    """v = R θ̇ and v̇ = R θ̈ + Ṙ θ̇, at one pose. The bodies hang on the joints of `topology`."""

    R: Any
    """An array, one row for each velocity of the system, one column for each joint velocity; a matrix of expressions
    where these were asked for."""
    Rdot: Any
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    topology: Topology
    theta: Any
    """The joint coordinates, edge by edge: angles, ways, the quaternion of a ball. Of angles in space those nearest
    to 0."""
    rates: Any
    """θ̇, in the order of `columns`."""
    q: Any = None
    """The system's coordinates, with what stands still behind them; None beside expressions. What did not quite
    satisfy the joints of the tree does here."""
    v: Any = None

    @property
    def remaining(self) -> tuple[str, ...]:
        """The joints that are cut and the couplings: what R knows nothing of, and must be said besides."""
        return tuple(closure.name for closure in (*self.topology.cuts, *self.topology.couplings))

    def __repr__(self) -> str:
        return f"<velocity transformation of {self.topology.title!r}: {len(self.rows)} x {len(self.columns)}>"

    def __str__(self) -> str:
        """R with the names of its rows and columns; zeros are left out."""
        cells = [["", *self.columns]]
        for name, row in zip(self.rows, np.array(self.R), strict=True):
            cells.append([name, *(_shown(entry) for entry in row)])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join("  ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in cells)


def _shown(entry: Any) -> str:
    if not isinstance(entry, float):
        return "" if entry == 0 else str(entry)
    return "" if abs(entry) < 5e-13 else f"{entry:.4g}"


def velocity_transformation(
    system: Model | System,
    q: Any = None,
    v: Any = None,
    base: Any = None,
    cut: Any = (),
    *,
    symbolic: bool = False,
    explicit: bool = False,
) -> Any:
    """R and Ṙ of v = R θ̇, for the tree of a mechanism.

    The velocities of the left side are those of bodies (ω in space in body axes), of points and unit vectors for
    ``model.compile("natural")``. θ̇ are the velocities in the joints of the tree; a body that floats has its own. The
    pose is `q`, a state or an array of the coordinates of the given system (which may be joint coordinates), and the
    placement without it. It moves with `v`, or as the state does; at rest Ṙ = 0. `base` and `cut` choose the tree, as
    in `mbs.topology`.

    ``symbolic=True`` gives R in letters, by blocks, for any pose: D_ij, U_i, u_j. ``explicit=True`` gives R of bodies
    as expressions of θ, for small systems.
    """
    if symbolic or explicit:
        if q is not None or v is not None or symbolic and explicit:
            raise ModelError(
                "symbolic=True and explicit=True are two ways to have R for every pose; say one of them, and leave q= "
                "and v= out"
            )
        found = topology(model_of(system), base, cut)
        if symbolic:
            from .letters import in_letters

            return in_letters(model_of(system), found)
        from .explicit import in_theta

        return in_theta(found)
    system, own = system_of(system), base is None and not cut
    if own and isinstance(system.coordinates, JointCoordinates):
        found = system.coordinates.topology  # the tree that its coordinates are of
    else:
        found = topology(model_of(system), base, cut)
    pose = pose_of(found, system, q, v)
    if not isinstance(system.coordinates, Natural):
        system = system.cartesian
    axes = tree_axes(found, pose.frames, pose.theta, pose.rates, system.evaluator)
    groups = (_bodies if system.is_cartesian else _things)(found, system, pose.frames)
    R, Rdot = assembled(found.secondary_path_matrix, axes, groups, (system.nv, len(pose.rates)))
    own_q, own_v, _ = (x[0] for x in system.from_bodies((pose.q[None], pose.v[None], system.cartesian.still[None])))
    for array in (R, Rdot, own_q, own_v):
        array.setflags(write=False)
    return VelocityTransformation(
        R, Rdot, row_names(system), column_names(found), found, pose.theta, pose.rates, own_q, own_v
    )


def _size(found: Topology) -> int:
    return max((freedom.q_end for freedom in freedoms(found)), default=0)


# --- the pose ---------------------------------------------------------------------------------------------------


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


# --- the rows ---------------------------------------------------------------------------------------------------


def _bodies(found: Topology, system: System, frames: dict[Body, Frame]) -> Iterator[Rows]:
    """The velocity of each body's frame, and its angular velocity."""
    origin = np.zeros(3)
    for number, body in enumerate(found.bodies, start=1):
        size, places = body.dimension, list(system.layout.v[body])
        yield Rows(number, frames[body], point_block, origin, places[:size], range(size))
        yield Rows(number, frames[body], turning_block, origin, places[size:], range(3) if size == 3 else [2])


def _things(found: Topology, system: System, frames: dict[Body, Frame]) -> Iterator[Rows]:
    """The basic points and unit vectors. What several bodies share moves with each of them; the one that is nearest to
    the ground has fewest joints before it."""
    natural: Any = system.coordinates
    size = system.model.dimension
    for thing in natural.moving:
        body = min(thing.places, key=lambda b: len(found.path(b)))
        s = np.array([*map(system.evaluator, thing.places[body]), 0.0][:3])
        block = point_block if thing.kind == "point" else vector_block
        yield Rows(found.numbers[body.name], frames[body], block, s, system.layout.v[thing], range(size))
