"""The forward geometric model: where all bodies and markers are, with these joint values, as homogeneous matrices.

The matrix of a frame has its axes and its origin for columns, in world axes,

    T = [R p; 0 1],        and of frame j seen from frame i    ⁱT_j = T_i⁻¹ T_j,   T⁻¹ = [Rᵀ -Rᵀp; 0 1],

so the matrices of links along a chain are multiplied: ⁰T_n = ⁰T_1 ¹T_2 ... (in the plane 3 x 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ..compiled import System
from ..errors import ModelError
from ..model.bodies.body import Marker
from ..model.model import Model
from ..poses.assembly import assembled
from ..poses.reach.joint_space import JointSpace, label
from ..readings.frames import marker_frame
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
        return self[name][:-1, -1]

    def rotation(self, name: Any) -> np.ndarray:
        """The matrix whose columns are the axes of the frame."""
        return self[name][:-1, :-1]

    def __repr__(self) -> str:
        said = ", ".join(f"{name} = {value:g}" for name, value in self.joints.items())
        return f"<ForwardKinematics of {self._space.model.name!r}: {said}>"


def forward_kinematics(
    model: Model | System, joints: Mapping[str, float] | None = None, start: State | None = None
) -> ForwardKinematics:
    """Poses of all bodies and markers from the coordinates of joints: ``joints={"axis1.angle": 0.3, ...}``.

    What is not said stays as it is placed (or as in `start`). In a mechanism without loops every joint may be given,
    and poses follow one from another. With loops give as many as there are degrees of freedom; the others are
    assembled, as near to the placement as can be. Drivers are left aside.
    """
    space = JointSpace.of(model)
    joints = {} if joints is None else joints
    if not isinstance(joints, Mapping):
        raise ModelError(f'joints must be a dict of names and values, not {joints!r}; e.g. {{"axis1.angle": 0.3}}')
    if space.closed:
        fix = {name: space.number(value, f"joints[{name!r}]") for name, value in joints.items()}
        state = assembled(space.model, fix=fix, start=start)
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
