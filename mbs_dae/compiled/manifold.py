"""Coordinates that turn: how velocities change them, and small motions, and what lies between two of them. Compiled.

What the kinds of coordinates are stands in `coordinates.base`. A small turn x (in body axes, like ω) takes a
quaternion e to e ∘ (cos |x|/2, sin |x|/2 · x/|x|), exactly: no motion leaves the unit quaternions.
"""

from math import atan2, cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from ..coordinates import Layout
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, IntegerTable, Matrix, Vector, Work, block, zeros
from .batch import VALUE, Batch, evaluate
from .transformation import ANGULAR_ACCELERATION, TURNING, Transformation, transform


class Manifold(NamedTuple):
    """Pairs of places in q and in v: see `coordinates.base`."""

    plain: IntegerTable
    quaternions: IntegerTable
    turns: IntegerTable
    turning: Batch
    """Reads the angular velocities of bodies whose turning is none of the velocities; they are linear in v."""
    turned: Integers
    """Where it is added up in q, one place for each output."""
    transformation: Transformation
    """Where bodies follow from joints it reads them instead."""
    omega: Work[Matrix] = zeros(4, "outputs")
    """Work space for such outputs."""
    step: Work[Vector] = zeros("v_size")
    """A small motion with what stands still behind it."""


def manifold_of(layout: Layout, turning: Batch, transformation: Transformation) -> Manifold:
    turned = np.array([place for places in layout.turned.values() for place in places], dtype=np.int64)
    manifold = Manifold(layout.plain, layout.quaternions, layout.turns, turning, turned, transformation)
    return block(manifold, outputs=turned.size + 1, v_size=layout.v_size)


@compiled
def read_turning(manifold, q, v, row):
    """The angular velocities at (q, v), into a row of `omega`."""
    if manifold.turned.size > 0:
        if manifold.transformation.edges > 0:
            transform(manifold.transformation, TURNING, (q, v, manifold.omega[row]))
        else:
            evaluate(manifold.turning, VALUE, 0.0, q, v, manifold.omega[row])


@compiled
def read_angular_acceleration(manifold, q, v, a, row):
    """The rates of the angular velocities at (q, v, v̇); with natural coordinates they are linear in v̇ alone."""
    if manifold.turned.size > 0 and manifold.transformation.edges > 0:
        transform(manifold.transformation, ANGULAR_ACCELERATION, (q, v, a, manifold.omega[row]))
    else:
        read_turning(manifold, q, a, row)


@compiled_apart
def rates(manifold: Manifold, q: Vector, v: Vector, dq: Vector):
    """q̇ = N(q) v. (What never moves is left alone.)"""
    read_turning(manifold, q, v, 0)
    for k in range(manifold.turned.size):
        dq[manifold.turned[k]] = manifold.omega[0, k]
    for k in range(manifold.plain.shape[0]):
        dq[manifold.plain[k, 0]] = v[manifold.plain[k, 1]]
    for k in range(manifold.quaternions.shape[0]):
        at, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        e0, e1, e2, e3 = q[at], q[at + 1], q[at + 2], q[at + 3]
        x, y, z = 0.5 * v[of], 0.5 * v[of + 1], 0.5 * v[of + 2]
        dq[at] = -e1 * x - e2 * y - e3 * z
        dq[at + 1] = e0 * x + e2 * z - e3 * y
        dq[at + 2] = e0 * y + e3 * x - e1 * z
        dq[at + 3] = e0 * z + e1 * y - e2 * x
    for k in range(manifold.turns.shape[0]):
        for c in range(3):
            dq[manifold.turns[k, 0] + c] = v[manifold.turns[k, 1] + c]


@compiled_apart
def accelerations(manifold: Manifold, q: Vector, v: Vector, a: Vector, ddq: Vector):
    """q̈ = N(q) v̇ + Ṅ v; of a quaternion ½ e ∘ α + ½ ė ∘ ω, and ė ∘ ω = -½ |ω|² e."""
    rates(manifold, q, a, ddq)
    read_angular_acceleration(manifold, q, v, a, 0)
    for k in range(manifold.turned.size):
        ddq[manifold.turned[k]] = manifold.omega[0, k]
    for k in range(manifold.quaternions.shape[0]):
        at, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        square = v[of] ** 2 + v[of + 1] ** 2 + v[of + 2] ** 2
        for c in range(4):
            ddq[at + c] -= 0.25 * square * q[at + c]


@compiled_apart
def velocities(manifold: Manifold, q: Vector, dq: Vector, v: Vector):
    """v from q̇ = N(q) v; and v̇ from q̈, since what Ṅ v adds to a quaternion is along it and does not show."""
    for k in range(manifold.plain.shape[0]):
        v[manifold.plain[k, 1]] = dq[manifold.plain[k, 0]]
    for k in range(manifold.quaternions.shape[0]):
        at, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        e0, e1, e2, e3 = q[at], q[at + 1], q[at + 2], q[at + 3]
        d0, d1, d2, d3 = dq[at], dq[at + 1], dq[at + 2], dq[at + 3]
        v[of] = 2.0 * (e0 * d1 - e1 * d0 - e2 * d3 + e3 * d2)
        v[of + 1] = 2.0 * (e0 * d2 - e2 * d0 - e3 * d1 + e1 * d3)
        v[of + 2] = 2.0 * (e0 * d3 - e3 * d0 - e1 * d2 + e2 * d1)


@compiled_apart
def move(manifold: Manifold, q: Vector, step: Vector):
    """Go from q by a small motion, given like a velocity."""
    if manifold.turned.size > 0:
        for k in range(min(step.size, manifold.step.size)):
            manifold.step[k] = step[k]
        read_turning(manifold, q, manifold.step, 0)
    for k in range(manifold.turned.size):
        q[manifold.turned[k]] += manifold.omega[0, k]
    for k in range(manifold.plain.shape[0]):
        q[manifold.plain[k, 0]] += step[manifold.plain[k, 1]]
    for k in range(manifold.quaternions.shape[0]):
        at, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        x, y, z = step[of], step[of + 1], step[of + 2]
        angle = sqrt(x * x + y * y + z * z)
        half = 0.5 - angle**2 / 48.0 if angle < 1e-4 else sin(0.5 * angle) / angle
        x, y, z, w = half * x, half * y, half * z, cos(0.5 * angle)
        e0, e1, e2, e3 = q[at], q[at + 1], q[at + 2], q[at + 3]
        q[at] = e0 * w - e1 * x - e2 * y - e3 * z
        q[at + 1] = e0 * x + e1 * w + e2 * z - e3 * y
        q[at + 2] = e0 * y + e2 * w + e3 * x - e1 * z
        q[at + 3] = e0 * z + e3 * w + e1 * y - e2 * x
    for k in range(manifold.turns.shape[0]):
        for c in range(3):
            q[manifold.turns[k, 0] + c] += step[manifold.turns[k, 1] + c]
    restore(manifold, q)


@compiled_apart
def restore(manifold: Manifold, q: Vector):
    """Bring quaternions back to unit length."""
    for k in range(manifold.quaternions.shape[0]):
        at = manifold.quaternions[k, 0]
        length = sqrt(q[at] ** 2 + q[at + 1] ** 2 + q[at + 2] ** 2 + q[at + 3] ** 2)
        for c in range(4):
            q[at + c] /= length


@compiled_apart
def difference(manifold: Manifold, q0: Vector, q1: Vector, out: Vector):
    """The small motion that leads from q0 to q1: the inverse of `move`."""
    for k in range(manifold.plain.shape[0]):
        out[manifold.plain[k, 1]] = q1[manifold.plain[k, 0]] - q0[manifold.plain[k, 0]]
    for k in range(manifold.quaternions.shape[0]):
        at, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        a0, a1, a2, a3 = q0[at], -q0[at + 1], -q0[at + 2], -q0[at + 3]
        b0, b1, b2, b3 = q1[at], q1[at + 1], q1[at + 2], q1[at + 3]
        w = a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3
        x = a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2
        y = a0 * b2 + a2 * b0 + a3 * b1 - a1 * b3
        z = a0 * b3 + a3 * b0 + a1 * b2 - a2 * b1
        sine = sqrt(x * x + y * y + z * z)
        sign = 1.0 if w >= 0.0 else -1.0  # e and -e are the same attitude
        scale = 2.0 * sign if sine < 1e-8 else 2.0 * atan2(sign * sine, sign * w) / sine
        out[of], out[of + 1], out[of + 2] = scale * x, scale * y, scale * z


@compiled
def way(manifold, h, v0, a0, v1, a1, out):
    """The motion over a time h of which both ends are known, but for O(h⁵):

        h/2 (v₀ + v₁) + h²/12 (a₀ - a₁),        and for turns in space  + h²/12 ω₀ × ω₁

    since turns do not add: the rotation over h is exp of ∫ω - ½ ∫∫ [..], the first terms of Magnus' series.
    """
    for k in range(manifold.plain.shape[0]):
        i = manifold.plain[k, 1]
        out[i] = 0.5 * h * (v0[i] + v1[i]) + h * h / 12.0 * (a0[i] - a1[i])
    for k in range(manifold.quaternions.shape[0]):
        i = manifold.quaternions[k, 1]
        for c in range(3):
            d, e = i + (c + 1) % 3, i + (c + 2) % 3
            turned = v0[d] * v1[e] - v0[e] * v1[d]
            out[i + c] = 0.5 * h * (v0[i + c] + v1[i + c]) + h * h / 12.0 * (a0[i + c] - a1[i + c] + turned)


@compiled_apart
def count_turns(manifold: Manifold, h: float, q0: Vector, v0: Vector, a0: Vector, q1: Vector, v1: Vector, a1: Vector):
    """The turns at the end of a step, added up from those at its beginning."""
    omega = manifold.omega
    read_turning(manifold, q0, v0, 0)
    read_angular_acceleration(manifold, q0, v0, a0, 1)
    read_turning(manifold, q1, v1, 2)
    read_angular_acceleration(manifold, q1, v1, a1, 3)
    for k in range(manifold.turned.size):
        to, slopes = manifold.turned[k], omega[1, k] - omega[3, k]
        q1[to] = q0[to] + 0.5 * h * (omega[0, k] + omega[2, k]) + h * h / 12.0 * slopes
    for k in range(manifold.turns.shape[0]):
        to, of = manifold.turns[k, 0], manifold.turns[k, 1]
        for c in range(3):
            i = of + c
            q1[to + c] = q0[to + c] + 0.5 * h * (v0[i] + v1[i]) + h * h / 12.0 * (a0[i] - a1[i])
