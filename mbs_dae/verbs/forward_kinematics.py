"""Forward kinematics: poses of all bodies and markers for given joint coordinates, and their velocities.

A homogeneous matrix describes a frame. Its columns are the axes and the origin of the frame, in world axes,

    T = [R p; 0 1],        and of frame j seen from frame i    ⁱT_j = T_i⁻¹ T_j,   T⁻¹ = [Rᵀ -Rᵀp; 0 1],

so the matrices of links along a chain are multiplied: ⁰T_n = ⁰T_1 ¹T_2 ... (in the plane 3 x 3).

The Jacobian gives the velocity of a marker for given joint rates:

    (v, ω) = J q̇,      v the velocity of the marker's point, ω its angular velocity, in world axes.

The image of the unit ball |q̇| ≤ 1 is an ellipsoid whose half axes are the singular values of J along its left singular
vectors; sqrt(det J Jᵀ), their product, is Yoshikawa's measure of manipulability. The measure vanishes where a direction
is lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ..arguments import without_derivatives
from ..compiled import System
from ..errors import ModelError, SingularConfigurationError, counted
from ..model.bodies.body import Marker, Place
from ..model.checks import warn_of_angles
from ..model.model import Model
from ..poses.assembly import assembled
from ..poses.reach.joint_space import JointSpace, label
from ..poses.reach.targets import Target, task_of
from ..poses.reach.task import observe_task
from ..readings.motion import marker_frame
from ..results.quantities import frozen
from ..results.result import State


@dataclass(frozen=True, eq=False, repr=False)
class ForwardKinematics:
    """Poses of all frames: ``fk["link6.tool"]`` is the homogeneous matrix of a body, a named marker, or any marker."""

    joints: Mapping[str, float]
    """Coordinates of all joints of the tree, by name."""
    state: State
    """The pose as a state, from which other runs may start."""
    message: str
    """A note on drivers that were ignored; empty otherwise."""
    _space: JointSpace = field(repr=False)

    @property
    def names(self) -> list[str]:
        """Names of all bodies and named markers, including those of the ground."""
        everyone = (self._space.model.ground, *self._space.model.bodies.values())
        return [label(marker) for body in everyone for marker in (body.origin, *body.markers.values())]

    def __getitem__(self, name: Any) -> np.ndarray:
        return transform_of(self.state, self._space.marker(name))

    def transform(self, name: Any, relative_to: Any = "ground") -> np.ndarray:
        """Return the homogeneous matrix of a frame relative to another frame, 3 x 3 in the plane, 4 x 4 in space."""
        (first, p), (second, r) = ((T[:-1, :-1], T[:-1, -1]) for T in (self[relative_to], self[name]))
        return _homogeneous(first.T @ second, first.T @ (r - p))

    def point(self, name: Any) -> np.ndarray:
        """Return the position of a body's origin or of a marker, in m, in world axes."""
        return self[name][:-1, -1]

    def rotation(self, name: Any) -> np.ndarray:
        """Return the rotation matrix of a frame; its columns are the axes of the frame in world axes."""
        return self[name][:-1, :-1]

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:g}" for name, value in self.joints.items())
        return f"<ForwardKinematics of {self._space.model.name!r}: {values}>"


@without_derivatives
def forward_kinematics(
    model: Model | System, joints: Mapping[str, float] | None = None, start: State | None = None
) -> ForwardKinematics:
    """Return the poses of all bodies and markers for given joint coordinates, as `ForwardKinematics`.

    `joints` maps names of joint coordinates to values in rad or m: ``joints={"axis1.angle": 0.3, ...}``. Coordinates
    that are not given have their values in the placement (or in the state `start`). Without loops, every joint may be
    given. With loops, give as many coordinates as there are degrees of freedom; the others follow by assembly as near
    as possible to the placement. Drivers are ignored.

    >>> arm = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0), "C": (3, 0)}, rods=["AB", "BC"], fixed="A")
    >>> pose = mbs.forward_kinematics(arm, {"A.angle": np.pi / 2, "B.angle": -np.pi / 2})
    >>> pose.point("BC.C").round(6)
    array([1., 2.])
    >>> pose["BC"].round(6)  # its frame, in the middle of the rod
    array([[1. , 0. , 0.5],
           [0. , 1. , 2. ],
           [0. , 0. , 1. ]])
    """
    space = JointSpace.of(model)
    joints = {} if joints is None else joints
    warn_of_angles(space.model, joints, "joints")
    if space.closed:
        state = assembled(space.model, fix=space.numbers(joints, "joints"), start=start)
        q = space.start(state)
    else:
        q = space.with_values(space.start(start), joints)
        state = space.state(q, space.note)
    return ForwardKinematics(MappingProxyType(space.values(q)), state, space.note, space)


def transform_of(state: State, marker: Marker) -> np.ndarray:
    """Return the homogeneous matrix of a marker in the world."""
    point, axes = marker_frame(state.system, state.full_q, marker)
    return _homogeneous(axes, point)


def _homogeneous(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    T = np.eye(p.size + 1)
    T[:-1, :-1], T[:-1, -1] = R, p
    return frozen(T)


# --- velocities ---


@dataclass(frozen=True, eq=False)
class TaskJacobian:
    """The Jacobian of a marker's velocity by joint rates; as an array, this object is its `matrix`."""

    matrix: np.ndarray
    rows: tuple[str, ...]
    """Names of the rows: vx, vy, vz, wx, wy, wz; in the plane vx, vy, omega."""
    names: tuple[str, ...]
    """The joint coordinate whose rate multiplies each column."""

    @property
    def linear(self) -> np.ndarray:
        """The rows of the velocity of the marker's point."""
        return self.matrix[: (len(self.rows) + 1) // 2]  # two of three, or three of six

    @property
    def angular(self) -> np.ndarray:
        """The rows of the angular velocity."""
        return self.matrix[(len(self.rows) + 1) // 2 :]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.matrix, dtype=dtype)


@dataclass(frozen=True, eq=False)
class Manipulability:
    """The manipulability of a marker; as a number, this object is its `value`."""

    value: float
    """sqrt(det J Jᵀ): the product of the singular values."""
    singular_values: np.ndarray
    """The half axes of the ellipsoid, the longest first."""
    directions: np.ndarray
    """The axes of the ellipsoid, as columns."""
    jacobian: np.ndarray

    def __float__(self) -> float:
        return self.value


def task_jacobian(
    pose: Model | System | State, marker: Place | str, joints: Sequence[str] | None = None
) -> TaskJacobian:
    """Return the Jacobian of a marker's velocity by joint rates in a pose, as a `TaskJacobian` with shape (rows,
    columns).

    `pose` is a `State`, or a model in its reference placement. `marker` is a marker or its name ("link6.tool").
    `joints` names the coordinates of the columns, the other joints being locked; by default all coordinates. With
    closed loops joints do not move one by one: name as many as there are degrees of freedom, and the others follow.

    >>> arm = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0), "C": (3, 0)}, rods=["AB", "BC"], fixed="A")
    >>> J = mbs.task_jacobian(arm, "BC.C")
    >>> J.rows, J.names
    (('vx', 'vy', 'omega'), ('A.angle', 'B.angle'))
    >>> J.matrix.round(6)[1:]  # stretched, the hand is 3 m from A and 1 m from B
    array([[3., 1.],
           [1., 1.]])
    """
    space = JointSpace.of(pose.system if isinstance(pose, State) else pose)
    q = space.start(pose if isinstance(pose, State) else None)
    frame = space.marker(marker)
    columns = _columns(space, joints)
    matrix, loops = _jacobians(space, q, frame)
    matrix = matrix @ _joint_rates(space, loops, columns) if space.closed else matrix[:, columns]
    rows = ("vx", "vy", "omega") if space.model.dimension == 2 else ("vx", "vy", "vz", "wx", "wy", "wz")
    return TaskJacobian(frozen(matrix), rows, tuple(space.velocity_names[c] for c in columns))


def manipulability(
    pose: Model | System | State, marker: Place | str, of: str = "point", joints: Sequence[str] | None = None
) -> Manipulability:
    """Return the `Manipulability` of a marker in a pose: the singular values of its Jacobian, their product and axes.

    `of` chooses the velocity: "point", "rotation", or "pose" (both, which mixes metres and radians). `pose`, `marker`
    and `joints` are those of `task_jacobian`.

    A stretched arm cannot move its hand along itself; at a right angle it can:

    >>> arm = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0), "C": (3, 0)}, rods=["AB", "BC"], fixed="A")
    >>> round(mbs.manipulability(arm, "BC.C").value, 6)
    0.0
    >>> bent = mbs.forward_kinematics(arm, {"B.angle": np.pi / 2}).state
    >>> round(mbs.manipulability(bent, "BC.C").value, 6)  # 2 m times 1 m
    2.0
    """
    parts = {"point": "linear", "rotation": "angular", "pose": "matrix"}
    if of not in [*parts]:
        raise ModelError(
            f"of must be one of {', '.join(map(repr, parts))}, not {of!r}",
            code="unknown-choice", argument="of", value=of, choices=tuple(parts),
        )  # fmt: skip
    matrix = getattr(task_jacobian(pose, marker, joints), parts[of])
    directions, sizes, _ = np.linalg.svd(matrix)
    values = np.zeros(len(matrix))
    values[: sizes.size] = sizes
    return Manipulability(float(np.prod(values)), frozen(values), frozen(directions), matrix)


def _columns(space: JointSpace, joints: Sequence[str] | None) -> list[int]:
    if joints is None:
        if space.closed:
            remedy = f"name as many as there are degrees of freedom, joints=[...] of: {', '.join(space.velocity_names)}"
            raise ModelError(
                f"{space.model.name!r} has loops, in which joints do not move one by one; {remedy}",
                code="missing-argument", argument="joints", model=space.model.name, choices=tuple(space.velocity_names),
            )  # fmt: skip
        return [*range(space.system.nv)]
    if isinstance(joints, str):
        raise ModelError(
            f"joints must be a list of names, not {joints!r}; write joints=[{joints!r}]",
            code="not-a-list", argument="joints", value=joints,
        )  # fmt: skip
    names = space.velocity_names
    return [names.index(name) if name in names else space.index(name) for name in joints]


def _jacobians(space: JointSpace, q: np.ndarray, marker: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the Jacobian of the marker by all velocities, without loops (0 on the ground); and the Jacobian of the
    loops, where rotations are multiplied by the model's length."""
    moving = next(iter(space.model.bodies.values())).origin if marker.body.fixed else marker
    d, free = moving.body.dimension, np.full(space.size, np.inf)
    task = task_of(space, (Target(moving, np.zeros(d), np.eye(d)),), -free, free)
    observe_task(task, q)
    J = task.J[: task.task_rows] / space.unit
    J[d:] /= task.machine.length
    return 0.0 * J if marker.body.fixed else J, task.J[task.task_rows :]


def _joint_rates(space: JointSpace, loops: np.ndarray, columns: list[int]) -> np.ndarray:
    """Return all joint velocities for a unit of each of the given columns, with closed loops."""
    others = np.setdiff1d(np.arange(space.system.nv), columns)
    small = 1e-9 * float(np.linalg.svd(loops, compute_uv=False).max(initial=0.0))
    freedom = space.system.nv - int(np.linalg.matrix_rank(loops, tol=small))
    if len(columns) != freedom:
        what = f"{space.model.name!r} has {counted(freedom, 'degree')} of freedom"
        raise ModelError(
            f"{what}, and {len(columns)} joints are named; name {freedom}",
            code="wrong-length", argument="joints", count=len(columns), length=freedom, model=space.model.name,
        )  # fmt: skip
    U, s, Vt = np.linalg.svd(loops[:, others], full_matrices=False)
    if (s > small).sum() < others.size:
        names = tuple(space.velocity_names[c] for c in columns)
        what = f"{', '.join(names)} do not decide how {space.model.name!r} moves in this pose; name other joints"
        raise SingularConfigurationError(
            what, code="joints-do-not-decide", argument="joints", model=space.model.name, joints=names
        )
    out = np.eye(space.system.nv)[:, columns]
    out[others] = -Vt.T @ ((U.T @ loops[:, columns]) / s[:, None])
    return space.unit[:, None] * out / space.unit[columns]
