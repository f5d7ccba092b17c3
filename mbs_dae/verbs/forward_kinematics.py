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
from ..poses.assembly import assemble
from ..poses.reach.joint_space import JointSpace, label
from ..readings.reactions import body_rotation
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
    _transforms: Mapping[str, np.ndarray] = field(repr=False)

    @property
    def names(self) -> list[str]:
        return [*self._transforms]

    def __getitem__(self, name: Any) -> np.ndarray:
        marker = self._space.marker(name)
        known = self._transforms.get(label(marker)) if marker is _named(self._space, marker) else None
        return _frozen(transform_of(self.state, marker)) if known is None else known

    def transform(self, name: Any, relative_to: Any = "ground") -> np.ndarray:
        """The matrix of one frame seen from another one."""
        return _frozen(inverse(self[relative_to]) @ self[name])

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
        state = assemble(space.model, fix=fix, start=start)
        q = space.start(state)
    else:
        q = space.with_values(space.start(start), joints)
        state = space.state(q, space.note)
    return ForwardKinematics(
        MappingProxyType(space.values(q)), state, space.note, space, MappingProxyType(transforms(space, state))
    )


def transforms(space: JointSpace, state: State) -> dict[str, np.ndarray]:
    """Of all bodies and named markers, those of the ground too."""
    everyone = (space.model.ground, *space.model.bodies.values())
    markers = [marker for body in everyone for marker in (body.origin, *body.markers.values())]
    return {label(m) if m.name else m.body.name: _frozen(transform_of(state, m)) for m in markers}


def transform_of(state: State, marker: Marker) -> np.ndarray:
    system, body, d = state.system, marker.body, marker.body.dimension
    number = system.evaluator
    on_body = np.eye(d + 1)
    on_body[:d, d] = [number(n) for n in marker.point]
    if d == 3:
        on_body[:3, :3] = [[number(n) for n in row] for row in marker.frame]
    else:
        angle = number(marker.numbers[2])
        on_body[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    T = np.eye(d + 1)
    if not body.fixed:
        T[:d, :d] = body_rotation(system, state.full_q[None], body)[0]
        T[:d, d] = state.full_q[list(system.layout.q[body])][:d]
    return T @ on_body


def inverse(T: np.ndarray) -> np.ndarray:
    """Of a homogeneous matrix."""
    out, d = np.eye(len(T)), len(T) - 1
    out[:d, :d] = T[:d, :d].T
    out[:d, d] = -T[:d, :d].T @ T[:d, d]
    return out


def _named(space: JointSpace, marker: Marker) -> Marker | None:
    """The marker of that name, if it has one."""
    return marker.body.markers.get(getattr(marker, "name", ""))


def _frozen(T: np.ndarray) -> np.ndarray:
    T.setflags(write=False)
    return T
