"""Replace rods between a universal joint and a ball by distances.

A rod has a ball at one end. At the other end is a universal joint, whose pin m on the rod is at right angles to the
line of the rod, of direction d. Six coordinates of the rod meet seven equations: three of each point, and n · m = 0
with the pin n on the neighbour. They say that the neighbours' points have a distance, and where the rod is:

    m = ± n × d / |n × d|

The sign is a mounting, and no motion changes it but one through n ∥ d, in a single pose. So a mechanism without
its rods has the motions, the numbers of poses and the boundaries of the mechanism with one mounting of each rod, from
fewer equations: a delta robot with six rods has 24 motions of bodies instead of 60.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..compiled import System
from ..model.bodies.body import Body, Marker
from ..model.element import Element
from ..model.joints import Distance, Spherical, Universal
from ..model.model import Model
from ..model.signals import Reaction, signals_of
from ..readings.motion import marker_frames
from ..rotations import quaternion
from ..tolerances import JOINT_ALIGNMENT, SAME_POINT


class Rod(NamedTuple):
    """A rod: its points and pin in its own axes, and the points and the pin of its neighbours."""

    body: Body
    joints: tuple[Element, Element]
    """The universal joint, and the ball."""
    neighbours: tuple[Marker, Marker]
    """The markers of the neighbours at the universal joint, and at the ball."""
    points: np.ndarray
    """The points of both joints in the axes of the rod, a row each."""
    pin: np.ndarray
    """The direction of the pin in the axes of the rod."""
    column: int
    """The axis of the neighbour's marker along the pin on the neighbour: 0 for x, 1 for y."""

    @property
    def length(self) -> float:
        return float(np.linalg.norm(self.points[1] - self.points[0]))


def rods_of(model: Model, asked: Iterable[str]) -> tuple[Rod, ...]:
    """Return the rods of a model of which no quantity is asked, and on which no other element depends."""
    found, number, size = list[Rod](), model.evaluator(), model.compile().length
    owners = {name.split(".")[0] for name in asked}
    signals = [s for e in model.elements.values() for s in signals_of(e)]
    read = {s.owner if isinstance(s, Reaction) else s.name for s in signals}
    for body in model.bodies.values() if model.dimension == 3 else ():
        joints = [e for e in model.elements.values() if body in e.bodies]
        kinds = [next((k for k, kind in enumerate((Universal, Spherical)) if type(e) is kind), 2) for e in joints]
        if sorted(kinds) != [0, 1]:
            continue
        ends = [joints[kinds.index(k)] for k in (0, 1)]
        names = {body.name, *(e.name for e in ends)}
        if names & owners or names & read:
            continue
        own = [next(m for m in e.markers if m.body is body) for e in ends]
        others = [next(m for m in e.markers if m.body is not body) for e in ends]
        points = np.array([m.on_body(number)[0] for m in own], dtype=float)
        first = int(ends[0].markers[0] is not own[0])  # the pin of the first marker is its x axis, of the second its y
        pin = own[0].on_body(number)[1][:, first].astype(float)
        rod = Rod(body, (ends[0], ends[1]), (others[0], others[1]), points, pin, 1 - first)
        if others[0].body is others[1].body or rod.length < SAME_POINT * size:
            continue
        if abs(pin @ (points[1] - points[0])) < JOINT_ALIGNMENT * rod.length:
            found.append(rod)
    return tuple(found)


@dataclass(frozen=True, eq=False)
class RodPlaces:
    """The places of rods in poses of a model without them."""

    rods: tuple[Rod, ...]
    whole: System
    """The system of the model with its rods."""
    q: np.ndarray
    """A pose of the whole model, which tells how rods are mounted."""
    bare: System
    """The system of the model with distances instead of rods."""

    @classmethod
    def of(cls, model: Model, q: np.ndarray, asked: Iterable[str]) -> RodPlaces | None:
        """Return the places of the rods of a model; None if it has none that distances can replace."""
        rods = rods_of(model, asked)
        if not rods:
            return None
        bodies, joints = {rod.body for rod in rods}, {e.name for rod in rods for e in rod.joints}
        bare = model.only(
            [body for body in model.bodies.values() if body not in bodies],
            [e for e in model.elements.values() if e.name not in joints],
        )
        names = [f"{name} as distance" if (name := rod.body.name) in bare.elements else name for rod in rods]
        distances = (Distance(n, *r.neighbours, length=r.length) for n, r in zip(names, rods, strict=True))
        return cls(rods, model.compile(), q, bare.plus(*distances).compile())

    @property
    def names(self) -> list[str]:
        return [rod.body.name for rod in self.rods]

    def _shared(self) -> tuple[list[int], list[int]]:
        """Return the numbers of the coordinates that both systems have, in the whole and in the bare one."""
        places = [(self.whole.layout.q[body], self.bare.layout.q[body]) for body in self.bare.bodies]
        return [k for one, _ in places for k in one], [k for _, other in places for k in other]

    def without(self, q: np.ndarray) -> np.ndarray:
        """Return the pose of the bare model in a pose of the whole one."""
        found, (whole, bare) = self.bare.placement.copy(), self._shared()
        found[bare] = q[whole]
        return found

    def poses(self, q: np.ndarray) -> np.ndarray:
        """Return poses of the whole model in poses of the bare one, a row each."""
        found, (whole, bare) = np.repeat(self.q[None], len(q), axis=0), self._shared()
        found[:, whole] = q[:, bare]
        for rod in self.rods:
            (a, d, m), (_, _, before) = self._axes(rod, found), self._axes(rod, self.q[None])
            mounted = self.whole.layout.rotation(self.q[None], rod.body)[0] @ rod.pin
            m *= 1.0 if mounted @ before[0] >= 0.0 else -1.0
            axis, own = (rod.points[1] - rod.points[0]) / rod.length, self.whole.layout.q[rod.body]
            here = np.column_stack([axis, rod.pin, np.cross(axis, rod.pin)])
            R = np.stack([d, m, np.cross(d, m)], axis=-1) @ here.T
            found[:, list(own[3:7])] = quaternion(R)
            found[:, list(own[:3])] = a - R @ rod.points[0]
        return found

    def _axes(self, rod: Rod, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the point of a rod at its universal joint, its direction d and n × d / |n × d|, (poses, 3) each; a
        direction across d where n ∥ d."""
        (a, axes), (b, _) = (marker_frames(self.whole, q, marker) for marker in rod.neighbours)
        d = (b - a) / np.linalg.norm(b - a, axis=1, keepdims=True)
        m, aside = np.cross(axes[:, :, rod.column], d), np.cross(np.eye(3)[np.abs(d).argmin(axis=1)], d)
        m = np.where(np.linalg.norm(m, axis=1, keepdims=True) > JOINT_ALIGNMENT, m, aside)
        return a, d, m / np.linalg.norm(m, axis=1, keepdims=True)

    @property
    def notes(self) -> list[str]:
        """A note on the rods that were replaced."""
        what = f"rods between a universal joint and a ball, {', '.join(self.names)}, are taken as distances"
        return [f"{what}: poses that differ by half turns of a rod about its own line count as one pose"]
