"""The axes of joints, in world axes: what the matrix R is made of.

A joint lets its second marker move against the first by a chain of elementary motions (`model.joints.motions`). Go
along the chain, from the frame of the first marker on. Each motion finds its axis in the frame reached there, a unit
vector u through a point p, and leads to the next frame. A unit of its velocity

    turns what is behind it by t = T u,    and shifts it by s = S u

    Turn  T = 1, S = 0,     Slide  T = 0, S = 1,     Helix  T = 1, S = pitch/2π,     Ball  three turns about one point.

u stands still in the frame before the motion; so with ω and ṗ of that frame u̇ = ω × u, and p moves with ṗ. The axes of
a ball stand still in the frame behind it. Where a body hangs on its joint the other way round, the child having the
first marker, the same axes move it the other way: both t and s change their sign.

Nothing here asks what the numbers are: with expressions of sympy in the arrays the axes are expressions (`explicit`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import tau
from typing import Any, NamedTuple

import numpy as np

from ...graph.topology import Topology
from ...graph.tree import Edge
from ...model.bodies.body import Body
from ...model.joints.motions import Ball, Elementary, Helix, Slide, Turn
from ...rotations import about_x, about_y, about_z, from_quaternion

ABOUT = about_x, about_y, about_z
ORIGIN = np.zeros(3, dtype=int)
Numbers = Callable[[Any], Any]
"""What a constant of the model is: `Evaluator`, or `exact` for expressions."""


class Frame(NamedTuple):
    """Where a frame is and how it moves; the columns of A are its axes."""

    r: np.ndarray
    A: np.ndarray
    dr: np.ndarray
    omega: np.ndarray

    def at(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A point fixed in it, and its velocity."""
        arm, sweep = self.along(s)
        return self.r + arm, self.dr + sweep

    def along(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A vector fixed in it, and its rate."""
        arm = self.A @ s
        return arm, np.cross(self.omega, arm)


FIXED = Frame(ORIGIN, np.eye(3, dtype=int), ORIGIN, ORIGIN)
"""The ground."""


class Axis(NamedTuple):
    """What a unit of one joint velocity does to all that is behind the joint."""

    turn: np.ndarray
    slide: np.ndarray
    point: np.ndarray
    turn_rate: np.ndarray
    slide_rate: np.ndarray
    point_rate: np.ndarray


def tree_axes(
    topology: Topology, bodies: Mapping[Body, Frame], theta: Any, rates: Any, number: Numbers
) -> list[list[Axis]]:
    """Of each edge its axes, in the order of the joint velocities."""
    found, q, v = [], 0, 0
    for edge in topology.edges:
        widths = [4 if isinstance(motion, Ball) else 1 for motion in edge.motions]
        found.append([*edge_axes(edge, bodies, theta[q : q + sum(widths)], rates[v : v + edge.velocities], number)])
        q, v = q + sum(widths), v + edge.velocities
    return found


def edge_axes(
    edge: Edge, bodies: Mapping[Body, Frame], theta: Any, rates: Any, number: Numbers
) -> Iterator[Axis]:
    sense = -1 if edge.reversed else 1
    r, A, dr, omega = FIXED if edge.floating else _marker_frame(edge.joint.markers[0], bodies, number)
    q = v = 0
    for motion in edge.motions:
        if isinstance(motion, Ball):
            A = A @ np.array(from_quaternion(theta[q : q + 4]))
            omega = omega + A @ np.array(rates[v : v + 3])
            for u in sense * A.T:
                yield Axis(u, ORIGIN, r, np.cross(omega, u), ORIGIN, dr)
            q, v = q + 4, v + 3
            continue
        T, S, phase = shares(motion, edge, number)
        u = A[:, motion.axis]
        du = np.cross(omega, u)
        yield Axis(sense * T * u, sense * S * u, r, sense * T * du, sense * S * du, dr)
        way = (phase + S * theta[q]) * u
        r, dr = r + way, dr + np.cross(omega, way) + S * rates[v] * u
        A, omega = A @ turn_of(motion, theta[q]), omega + T * rates[v] * u
        q, v = q + 1, v + 1


def turn_of(motion: Elementary, angle: Any) -> np.ndarray:
    """The rotation that a motion of one coordinate makes."""
    if isinstance(motion, Slide):
        return np.eye(3, dtype=int)
    assert isinstance(motion, Turn | Helix)
    return np.array(ABOUT[motion.axis](angle))


def shares(motion: Elementary, edge: Edge, number: Numbers) -> tuple[Any, Any, Any]:
    """T, S, and the way that a helix has gone at the angle 0."""
    if isinstance(motion, Turn):
        return 1, 0, 0
    if isinstance(motion, Slide):
        return 0, 1, 0
    assert isinstance(motion, Helix)
    pitch, phase = (number(edge.joint.values[name]) for name in (motion.pitch, motion.phase))
    return 1, pitch / tau, phase


def _marker_frame(marker: Any, bodies: Mapping[Body, Frame], number: Numbers) -> Frame:
    body = bodies[marker.body]
    s, M = on_body(marker, number)
    return Frame(body.at(s)[0], body.A @ M, body.at(s)[1], body.omega)


def on_body(marker: Any, number: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """The point and the axes of a marker in body axes; a plane is a part of space."""
    point, rows = [*map(number, marker.point)], [[*map(number, row)] for row in marker.frame]
    if len(point) == 2:
        point, rows = [*point, 0], [[*rows[0], 0], [*rows[1], 0], [0, 0, 1]]
    return np.array(point), np.array(rows)
