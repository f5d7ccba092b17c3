"""The steps of a tree from its joints: `tree` has the derivation."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any, NamedTuple

import numpy as np

from ...errors import ModelError
from ...graph.topology import Edge, Topology
from ...model.bodies.body import Body
from ...model.joints.motions import Ball, Elementary, Helix, Slide, Turn
from ...model.parameters import Evaluator
from ...rotations import from_quaternion, multiply, quaternion


@dataclass(frozen=True, eq=False)
class Freedom:
    """An elementary motion of an edge, with its first coordinate and its first velocity."""

    edge: Edge
    motion: Elementary
    q: int
    v: int

    @property
    def q_end(self) -> int:
        return self.q + (4 if isinstance(self.motion, Ball) else 1)

    @property
    def v_end(self) -> int:
        return self.v + self.motion.velocities


def freedoms(topology: Topology) -> tuple[Freedom, ...]:
    """Return the motions in the order of the coordinates: edge by edge, parents first; within an edge in the joint's
    order."""
    found: list[Freedom] = []
    q = v = 0
    for edge in topology.edges:
        _check_order(edge)
        for motion in edge.motions:
            found.append(Freedom(edge, motion, q, v))
            q, v = found[-1].q_end, found[-1].v_end
    return tuple(found)


def velocity_paths(topology: Topology) -> dict[Body, np.ndarray]:
    """Return the velocities on the path to each body, from the root on."""
    found, at = {topology.ground: np.zeros(0, dtype=np.int64)}, 0
    for edge in topology.edges:
        found[edge.child] = np.append(found[edge.parent], np.arange(at, at + edge.velocities))
        at += edge.velocities
    return found


def _check_order(edge: Edge) -> None:
    """Raise an error unless the motions can be separated: the slides must be neighbours along different axes, and the
    turns neighbours about different axes, so that all are at right angles."""
    slides = [isinstance(motion, Slide) for motion in edge.motions]
    balls = sum(isinstance(motion, Ball) for motion in edge.motions)
    axes = [(isinstance(m, Slide), m.axis) for m in edge.motions if not isinstance(m, Ball)]
    turns = len(slides) - sum(slides)
    apart = sum(a != b for a, b in zip(slides, slides[1:], strict=False)) > 1
    if apart or len({*axes}) < len(axes) or turns > (1 if balls else 2):
        what = f"{edge.joint.who} declares motions that a tree cannot tell apart"
        rule = "let slides along different axes be neighbours, and turns about two different axes at most, or one ball"
        raise ModelError(f"{what}; {rule}; or declare no motions", code="motions-not-of-joint", joint=edge.joint.who)


# --- markers on bodies ----------------------------------------------------------------------------------------------


class MarkerFrame(NamedTuple):
    """A marker on its body: point and quaternion; and the angle, in the plane."""

    point: np.ndarray
    attitude: np.ndarray
    angle: float


ORIGIN = MarkerFrame(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), 0.0)


def frames(edge: Edge, number: Evaluator) -> tuple[MarkerFrame, ...]:
    """Return the first and the second marker of a joint; without a joint, the frames of the ground and of the body."""
    return (ORIGIN, ORIGIN) if edge.floating else tuple(frame_of(marker, number) for marker in edge.joint.markers)


def frame_of(marker: Any, number: Evaluator) -> MarkerFrame:
    if marker.body.dimension == 2:
        x, y, angle = map(number, marker.numbers)
        return MarkerFrame(np.array([x, y, 0.0]), np.array([cos(angle / 2), 0.0, 0.0, sin(angle / 2)]), angle)
    point, axes = marker.on_body(number)
    return MarkerFrame(point, quaternion(axes), 0.0)


# --- steps ------------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """The constants of a step, by their names in `Tree`. The defaults are a weld of two frames that coincide."""

    before: int = 0
    ball: int = 0
    sense: int = 1
    q_at: int = 0
    v_at: int = 0
    v_end: int = 0
    T: float = 0.0
    S: float = 0.0
    phase: float = 0.0
    o: Any = (0.0, 0.0, 0.0)
    u: Any = (0.0, 0.0, 0.0)
    C: Any = (1.0, 0.0, 0.0, 0.0)
    angle: float = 0.0
    d: Any = (0.0, 0.0, 0.0)
    axis: int = 0
    next_axis: int = -1


def steps(edge: Edge, own: list[Freedom], number: Evaluator, before: int, frame: int) -> Iterator[Step]:
    """Yield the steps of an edge from the parent's frame `before` to the child; the first one creates frame `frame`."""
    sense = -1 if edge.reversed else 1
    near, far = frames(edge, number)[::sense]
    chain = [_motion(freedom, number) for freedom in own][::sense]
    if not chain or chain[0].ball:
        chain.insert(0, Step())
    if chain[-1].ball:
        chain.append(Step())
    for k, step in enumerate(chain):
        start = near if k == 0 else ORIGIN
        end = far if k == len(chain) - 1 else ORIGIN
        yield step._replace(
            before=before,
            sense=sense,
            o=start.point,
            u=sense * from_quaternion(start.attitude) @ step.u,
            C=multiply(start.attitude, end.attitude * [1, -1, -1, -1]),
            angle=start.angle - end.angle,
            d=-end.point,
        )
        before, frame = frame, frame + 1


def _motion(freedom: Freedom, number: Evaluator) -> Step:
    """Return the step of a motion, in the axes of the joint's frame at this motion."""
    edge, motion = freedom.edge, freedom.motion
    step = Step(q_at=freedom.q, v_at=freedom.v, v_end=freedom.v_end)
    if isinstance(motion, Ball):
        return step._replace(ball=1)
    step = step._replace(axis=motion.axis, u=np.eye(3)[motion.axis])
    if isinstance(motion, Slide):
        return step._replace(S=1.0)
    behind = edge.motions[edge.motions.index(motion) + 1 :]
    step = step._replace(T=1.0, next_axis=next((m.axis for m in behind if isinstance(m, Turn | Helix)), -1))
    if isinstance(motion, Turn):
        return step
    pitch, phase = (number(edge.joint.values[name]) for name in (motion.pitch, motion.phase))
    return step._replace(S=pitch / (2 * pi), phase=phase)
