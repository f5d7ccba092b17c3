"""Forward kinematics: where all bodies and markers are with these joint values, and how fast they move with them.

Where a frame is, tells a homogeneous matrix. It has the frame's axes and its origin for columns, in world axes,

    T = [R p; 0 1],        and of frame j seen from frame i    ⁱT_j = T_i⁻¹ T_j,   T⁻¹ = [Rᵀ -Rᵀp; 0 1],

so the matrices of links along a chain are multiplied: ⁰T_n = ⁰T_1 ¹T_2 ... (in the plane 3 x 3).

How fast a marker moves is told by its Jacobian, and how well it can be moved by its manipulability.

    (v, ω) = J q̇,      v the velocity of the marker's point, ω its angular velocity, in world axes.

The image of the unit ball |q̇| ≤ 1 is an ellipsoid whose half axes are the singular values of J along its left singular
vectors; sqrt(det J Jᵀ), their product, is Yoshikawa's measure of manipulability. It vanishes where a direction is lost.
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
    """Poses: ``fk["link6.tool"]`` is a homogeneous matrix, of a body, a named marker, or any marker."""

    joints: Mapping[str, float]
    """The coordinates of all joints of the tree, by name."""
    state: State
    """The pose as a state, where other runs may start."""
    message: str
    """What was left aside or left open."""
    _space: JointSpace = field(repr=False)

    @property
    def names(self) -> list[str]:
        """All bodies and named markers, those of the ground too."""
        everyone = (self._space.model.ground, *self._space.model.bodies.values())
        return [label(marker) for body in everyone for marker in (body.origin, *body.markers.values())]

    def __getitem__(self, name: Any) -> np.ndarray:
        return transform_of(self.state, self._space.marker(name))

    def transform(self, name: Any, relative_to: Any = "ground") -> np.ndarray:
        """The matrix of one frame seen from another one."""
        (first, p), (second, r) = ((T[:-1, :-1], T[:-1, -1]) for T in (self[relative_to], self[name]))
        return _homogeneous(first.T @ second, first.T @ (r - p))

    def point(self, name: Any) -> np.ndarray:
        """Where a body's origin or a marker is."""
        return self[name][:-1, -1]

    def rotation(self, name: Any) -> np.ndarray:
        """The matrix whose columns are the axes of the frame."""
        return self[name][:-1, :-1]

    def __repr__(self) -> str:
        said = ", ".join(f"{name} = {value:g}" for name, value in self.joints.items())
        return f"<ForwardKinematics of {self._space.model.name!r}: {said}>"


@without_derivatives
def forward_kinematics(
    model: Model | System, joints: Mapping[str, float] | None = None, start: State | None = None
) -> ForwardKinematics:
    """Poses of all bodies and markers from the coordinates of joints: ``joints={"axis1.angle": 0.3, ...}``.

    What is not said stays as it is placed (or as in `start`). In a mechanism without loops every joint may be given,
    and poses follow one from another. With loops give as many as there are degrees of freedom; the others are
    assembled, as near to the placement as can be. Drivers are left aside.

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
    if space.closed:
        state = assembled(space.model, fix=space.numbers(joints, "joints"), start=start)
        q = space.start(state)
    else:
        q = space.with_values(space.start(start), joints)
        state = space.state(q, space.note)
    return ForwardKinematics(MappingProxyType(space.values(q)), state, space.note, space)


def transform_of(state: State, marker: Marker) -> np.ndarray:
    """The homogeneous matrix of a marker in the world."""
    point, axes = marker_frame(state.system, state.full_q, marker)
    return _homogeneous(axes, point)


def _homogeneous(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    T = np.eye(p.size + 1)
    T[:-1, :-1], T[:-1, -1] = R, p
    return frozen(T)


# --- how fast they move ---


@dataclass(frozen=True, eq=False)
class TaskJacobian:
    """`matrix` has a row for each of `rows` and a column for each of `names`; as an array, this is its matrix."""

    matrix: np.ndarray
    rows: tuple[str, ...]
    """vx, vy, vz, wx, wy, wz; in the plane vx, vy, omega."""
    names: tuple[str, ...]
    """The coordinate whose rate each column belongs to."""

    @property
    def linear(self) -> np.ndarray:
        """The rows of the point's velocity."""
        return self.matrix[: (len(self.rows) + 1) // 2]  # two of three, or three of six

    @property
    def angular(self) -> np.ndarray:
        """The rows of the angular velocity."""
        return self.matrix[(len(self.rows) + 1) // 2 :]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.matrix, dtype=dtype)


@dataclass(frozen=True, eq=False)
class Manipulability:
    """As a number, this is `value`."""

    value: float
    """sqrt(det J Jᵀ): the product of the singular values."""
    singular_values: np.ndarray
    """The half axes of the ellipsoid, the longest first."""
    directions: np.ndarray
    """Its axes, as columns."""
    jacobian: np.ndarray

    def __float__(self) -> float:
        return self.value


def task_jacobian(
    pose: Model | System | State, marker: Place | str, joints: Sequence[str] | None = None
) -> TaskJacobian:
    """The Jacobian of a marker ("link6.tool") in a pose: a state, or the reference placement of a model.

    Its columns belong to all joint coordinates, or to the `joints` named, the others standing still. With closed loops
    joints do not move one by one: name as many as there are degrees of freedom, and the others follow.

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
    found = space.marker(marker)
    columns = _columns(space, joints)
    matrix, loops = _jacobians(space, q, found)
    matrix = matrix @ _following(space, loops, columns) if space.closed else matrix[:, columns]
    rows = ("vx", "vy", "omega") if space.model.dimension == 2 else ("vx", "vy", "vz", "wx", "wy", "wz")
    return TaskJacobian(frozen(matrix), rows, tuple(space.velocity_names[c] for c in columns))


def manipulability(
    pose: Model | System | State, marker: Place | str, of: str = "point", joints: Sequence[str] | None = None
) -> Manipulability:
    """How well a marker can be moved in a pose: `of` its "point", its "rotation" or its whole "pose" (which mixes
    metres and radians).

    Stretched, an arm cannot move its hand along itself; at a right angle it can:

    >>> arm = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0), "C": (3, 0)}, rods=["AB", "BC"], fixed="A")
    >>> round(mbs.manipulability(arm, "BC.C").value, 6)
    0.0
    >>> bent = mbs.forward_kinematics(arm, {"B.angle": np.pi / 2}).state
    >>> round(mbs.manipulability(bent, "BC.C").value, 6)  # 2 m times 1 m
    2.0
    """
    parts = {"point": "linear", "rotation": "angular", "pose": "matrix"}
    if of not in [*parts]:
        raise ModelError(f"of must be one of {', '.join(map(repr, parts))}, not {of!r}")
    matrix = getattr(task_jacobian(pose, marker, joints), parts[of])
    directions, sizes, _ = np.linalg.svd(matrix)
    values = np.zeros(len(matrix))
    values[: sizes.size] = sizes
    return Manipulability(float(np.prod(values)), frozen(values), frozen(directions), matrix)


def _columns(space: JointSpace, joints: Sequence[str] | None) -> list[int]:
    if joints is None:
        if space.closed:
            remedy = f"name as many as there are degrees of freedom, joints=[...] of: {', '.join(space.velocity_names)}"
            raise ModelError(f"{space.model.name!r} has loops, in which joints do not move one by one; {remedy}")
        return [*range(space.system.nv)]
    if isinstance(joints, str):
        raise ModelError(f"joints must be a list of names, not {joints!r}; write joints=[{joints!r}]")
    names = space.velocity_names
    return [names.index(name) if name in names else space.index(name) for name in joints]


def _jacobians(space: JointSpace, q: np.ndarray, marker: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the Jacobian of the marker by all velocities, without regard to loops (on the ground 0); and of the loops,
    where a turn counts by the model's length."""
    moving = next(iter(space.model.bodies.values())).origin if marker.body.fixed else marker
    d, free = moving.body.dimension, np.full(space.size, np.inf)
    task = task_of(space, (Target(moving, np.zeros(d), np.eye(d)),), -free, free)
    observe_task(task, q)
    J = task.J[: task.task_rows] / space.unit
    J[d:] /= task.machine.length
    return 0.0 * J if marker.body.fixed else J, task.J[task.task_rows :]


def _following(space: JointSpace, loops: np.ndarray, columns: list[int]) -> np.ndarray:
    """All velocities, for a unit of each of these."""
    others = np.setdiff1d(np.arange(space.system.nv), columns)
    small = 1e-9 * float(np.linalg.svd(loops, compute_uv=False).max(initial=0.0))
    freedom = space.system.nv - int(np.linalg.matrix_rank(loops, tol=small))
    if len(columns) != freedom:
        what = f"{space.model.name!r} has {counted(freedom, 'degree')} of freedom"
        raise ModelError(f"{what}, and {len(columns)} joints are named; name {freedom}")
    U, s, Vt = np.linalg.svd(loops[:, others], full_matrices=False)
    if (s > small).sum() < others.size:
        named = tuple(space.velocity_names[c] for c in columns)
        what = f"{', '.join(named)} do not decide how {space.model.name!r} moves in this pose; name other joints"
        raise SingularConfigurationError(what, joints=named)
    out = np.eye(space.system.nv)[:, columns]
    out[others] = -Vt.T @ ((U.T @ loops[:, columns]) / s[:, None])
    return space.unit[:, None] * out / space.unit[columns]
