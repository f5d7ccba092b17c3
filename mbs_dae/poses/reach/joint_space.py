"""The joint space of a mechanism: joint coordinates by name, and the poses that belong to them.

Drivers are removed, since joints are chosen or computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Basic

from ...arguments import check_start, model_of
from ...compiled import System, compile_model
from ...compiled.program import tells_positions
from ...coordinates import JointCoordinates, Motion
from ...errors import ModelError, check_dict, check_name, unknown_name
from ...model.bodies.body import Body, Marker
from ...model.joints.motions import Ball, Slide, Turn
from ...model.model import Model
from ...model.parameters import finite_number
from ...results.result import State
from ..assembly import assembled


@dataclass(frozen=True, eq=False)
class JointSpace:
    """The joint coordinates of a model without its drivers. Arrays q hold hidden turns after the coordinates."""

    model: Model
    system: System
    note: str
    """A note on the drivers that were removed; empty if there were none."""

    @classmethod
    def of(cls, thing: Model | System) -> JointSpace:
        model = model_of(thing)
        drivers = [driver.name for driver in model.drivers]
        model = model.without(*drivers) if drivers else model
        if not model.bodies:
            raise ModelError(
                f"{model.name!r} has no body, so no joint to move; add bodies and joints",
                code="no-bodies", model=model.name,
            )  # fmt: skip
        note = f"driver{'s' * (len(drivers) > 1)} {', '.join(drivers)} left aside" if drivers else ""
        return cls(model, _in_joint_coordinates(thing, model), note)

    @property
    def coordinates(self) -> JointCoordinates:
        coordinates = self.system.coordinates
        assert isinstance(coordinates, JointCoordinates)
        return coordinates

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each coordinate; a ball has four, e0 to e3."""
        return self.system.coordinate_names

    @property
    def size(self) -> int:
        return self.system.layout.nq

    @property
    def closed(self) -> bool:
        """Whether there are position equations besides the joints of the tree: those of loops or gears."""
        return bool(tells_positions(self.system.program).any())

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """The coordinate that each velocity changes; for a ball the components of its angular velocity (in the axes of
        the body that it turns)."""
        out: list[str] = []
        for f in self.coordinates.freedoms:
            name = self.names[f.q]
            owner = name.rpartition(".")[0]
            out += [f"{owner}.w{axis}" for axis in "xyz"] if isinstance(f.motion, Ball) else [name]
        return tuple(out)

    @cached_property
    def coordinate_of(self) -> np.ndarray:
        """For each velocity the coordinate whose rate it is; -1 for velocities of balls."""
        out = np.full(self.system.nv, -1, dtype=np.int64)
        for f in self.coordinates.freedoms:
            if not isinstance(f.motion, Ball):
                out[f.v] = f.q
        return out

    @cached_property
    def angles(self) -> np.ndarray:
        """The numbers of the coordinates that are angles, of period 2π."""
        return np.array([f.q for f in self.coordinates.freedoms if isinstance(f.motion, Turn)], dtype=np.int64)

    @cached_property
    def balls(self) -> np.ndarray:
        """The first of the four coordinates of each ball."""
        return np.array([f.q for f in self.coordinates.freedoms if isinstance(f.motion, Ball)], dtype=np.int64)

    @cached_property
    def unit(self) -> np.ndarray:
        """The change of a coordinate for a scaled velocity of size 1; a rotation is scaled by the model's length."""
        return 1.0 / np.sqrt(self.system.weight)

    @cached_property
    def turning(self) -> np.ndarray:
        """The matrix that gives hidden turns, by which angles are counted, from the changes of coordinates since the
        placement: (3 for each body, coordinates). The turns of the two bodies on a pin, about its axis, differ by the
        angle of the pin."""
        topology, size, number = self.coordinates.topology, self.size, self.system.evaluator
        joints = [f for f in self.coordinates.freedoms if not f.edge.floating]
        angles = {  # the joints with an angle as a measure
            f.edge: f.q for f in joints if not isinstance(f.motion, Ball | Slide) and "angle" in f.edge.joint.measures()
        }
        turns = {topology.ground: np.zeros((3, size))}
        for edge in topology.edges if self.model.dimension == 3 else ():
            turns_of_child = turns[edge.child] = np.zeros((3, size))
            if edge in angles:
                first, second = (marker.on_body(number)[1][:, 2] for marker in edge.joint.markers)
                near, far, sense = (second, first, -1) if edge.reversed else (first, second, 1)
                turns_about_pin = near @ turns[edge.parent]
                turns_about_pin[angles[edge]] += sense
                turns_of_child += np.outer(far, turns_about_pin)
        return np.concatenate([np.zeros((0, size)), *(turns[body] for body in self.system.layout.turned)])

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        return self.turned(self.system.moved(q, step))

    def turned(self, q: np.ndarray) -> np.ndarray:
        """Write the hidden turns that belong to the coordinates into q, in place, and return q."""
        start = self.system.placement
        q[self.size : self.size + len(self.turning)] = self.turning @ (q - start)[: self.size]
        return q

    # --- values by name -------------------------------------------------------------------------------------------

    def index(self, name: Any) -> int:
        check_name("joint coordinate", name, self.names, f"the tree of {self.model.name!r}")
        return self.names.index(name)

    def number(self, value: Any, what: str) -> float:
        """Return the value of a number, or of an expression of parameters."""
        return finite_number(self.system.evaluator(value) if isinstance(value, Basic) else value, what)

    def numbers(self, values: Mapping[str, Any], what: str) -> dict[str, float]:
        check_dict(what, values, "names and values", '{"axis1.angle": 0.3}')
        return {name: self.number(value, f"{what}[{name!r}]") for name, value in values.items()}

    def with_values(self, q: np.ndarray, values: Mapping[str, Any], what: str = "joints") -> np.ndarray:
        """Return q with values by name; quaternions of balls must have unit length."""
        q = q.copy()
        for name, number in self.numbers(values, what).items():
            q[self.index(name)] = number
        for k in self.balls:
            size = float(np.linalg.norm(q[k : k + 4]))
            if abs(size - 1.0) > 1e-9:
                problem = f"{', '.join(self.names[k : k + 4])} are a quaternion of length {size:g}"
                raise ModelError(
                    f"{problem}; give four numbers of length 1",
                    code="quaternion-not-unit", argument=what, coordinates=tuple(self.names[k:k + 4]), length=size,
                )  # fmt: skip
            q[k : k + 4] /= size
        return self.turned(q)

    def start(self, start: Any) -> np.ndarray:
        """Return the coordinates of a pose, or q with these values; by default the placement, with loops assembled."""
        if start is None and self.closed:
            start = assembled(self.model)
        if start is None:
            return self.system.placement.copy()
        if isinstance(start, Mapping):
            return self.with_values(self.system.placement, start, "start")
        check_start(self.model, start)
        return self.system.from_bodies(start.system.to_bodies(start.motion))[0][0]

    def values(self, q: np.ndarray) -> dict[str, float]:
        return {name: float(x) for name, x in zip(self.names, q[: self.size], strict=True)}

    def bodies(self, poses: Sequence[np.ndarray]) -> Motion:
        """Return the bodies in some poses, at rest: Cartesian coordinates, velocities and accelerations."""
        q = np.array(poses).reshape(len(poses), self.system.placement.size)
        still = np.zeros((len(poses), self.system.layout.v_size))
        return self.system.to_bodies((q, still, still))

    def state(self, q: np.ndarray, message: str = "") -> State:
        """Return the pose as a state at rest."""
        (q,), (v,), (a,) = self.bodies([q])
        return State(self.system.cartesian, 0.0, q, v, a, message)

    # --- markers --------------------------------------------------------------------------------------------------

    def marker(self, marker: Any) -> Marker:
        """Return a marker by its name ("link6.tool"), by the name of its body, or itself."""
        if isinstance(marker, Body):
            marker = marker.origin
        if isinstance(marker, Marker):
            owner = self.model.ground if marker.body.fixed else self.model.bodies.get(marker.body.name)
            if owner is not marker.body:
                what = f"marker {marker.label} is on a body of another model"
                raise ModelError(
                    f"{what}; use the bodies of {self.model.name!r}",
                    code="not-of-this-model", argument="marker", marker=marker.label, model=self.model.name,
                )  # fmt: skip
            return marker
        everyone = (*self.model.bodies.values(), self.model.ground)
        named = {b.name: b.origin for b in everyone} | {m.label: m for b in everyone for m in b.markers.values()}
        if not isinstance(marker, str) or marker not in named:
            raise unknown_name("body or marker", marker, named, f"model {self.model.name!r}")
        return named[marker]


def label(marker: Marker) -> str:
    """Return the name of a marker in results: a body stands for its origin."""
    unnamed = not getattr(marker, "name", "")
    return marker.body.name if unnamed and not any(marker.point) else marker.label


def _in_joint_coordinates(thing: Model | System, model: Model) -> System:
    """Return the system of a model without drivers in joint coordinates: those of the given system, if it has some. The
    equations are those of joints however long the chains are."""
    tree: dict[str, Any] = {}
    if isinstance(thing, System) and isinstance(thing.coordinates, JointCoordinates):
        coordinates = thing.coordinates
        if thing.model is model and not coordinates.deep:
            return thing
        floating = tuple(edge.child.name for edge in coordinates.topology.edges if edge.floating)
        cut = tuple(closure.name for closure in coordinates.topology.cuts)
        tree = {name: names for name, names in (("base", floating), ("cut", cut)) if names}
    system = model.compile("joint", **tree)
    return compile_model(model, "joint", deep=False, **tree) if system.coordinates.deep else system
