"""Coordinates with rotations: their rates, small motions, and differences of poses. Compiled.

`coordinates.base` describes the kinds of coordinates. A small turn x (in body axes, like ω) takes a quaternion e to e ∘
(cos |x|/2, sin |x|/2 · x/|x|), exactly: every motion stays on the unit quaternions.
"""

from math import cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from ..coordinates import Layout
from ..coordinates.joint.vectors import after, at, back, cross, dot, plus, put_at, quaternion_at, rotation_vector, unit
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, IntegerTable, Matrix, Vector, Work, block, zeros
from .batch import VALUE, Batch, evaluate
from .tree.transformation import ANGULAR_ACCELERATION, TURNING, Transformation, transform


class Instant(NamedTuple):
    """A pose with its velocity and acceleration."""

    q: Work[Vector] = zeros("q_size")
    v: Work[Vector] = zeros("v_size")
    a: Work[Vector] = zeros("v_size")


class Manifold(NamedTuple):
    """Pairs of places in q and in v: see `coordinates.base`."""

    plain: IntegerTable
    """Coordinates whose rates are velocities."""
    quaternions: IntegerTable
    """The first place of each quaternion, and of its angular velocity."""
    turns: IntegerTable
    """The first place of the turns of each body about its own axes, added up, and of its angular velocity."""
    turning: Batch
    """The readings of the angular velocities of bodies that are not among the velocities; they are linear in v."""
    turned: Integers
    """The place in q of the integral of each of these angular velocities, one for each output."""
    transformation: Transformation
    """The transformation that reads these angular velocities where bodies follow from joints."""
    omega: Work[Matrix] = zeros(4, "outputs")
    """Work space for these outputs."""
    step: Work[Vector] = zeros("v_size")
    """A small motion, and that of the ground behind it."""


def manifold_of(layout: Layout, turning: Batch, transformation: Transformation) -> Manifold:
    turned = np.array([place for places in layout.turned.values() for place in places], dtype=np.int64)
    manifold = Manifold(layout.plain, layout.quaternions, layout.turns, turning, turned, transformation)
    return block(manifold, outputs=turned.size + 1, v_size=layout.v_size)


@compiled
def read_turning(manifold: Manifold, q: Vector, v: Vector, row: int) -> None:
    """Put the angular velocities at (q, v) into a row of `omega`."""
    if manifold.turned.size > 0:
        if manifold.transformation.edges > 0:
            transform(manifold.transformation, TURNING, (q, v, manifold.omega[row]))
        else:
            evaluate(manifold.turning, VALUE, 0.0, q, v, manifold.omega[row])


@compiled
def read_angular_acceleration(manifold: Manifold, q: Vector, v: Vector, a: Vector, row: int) -> None:
    """Put the rates of the angular velocities at (q, v, v̇) into a row of `omega`; in natural coordinates these rates
    are linear in v̇ alone."""
    if manifold.turned.size > 0 and manifold.transformation.edges > 0:
        transform(manifold.transformation, ANGULAR_ACCELERATION, (q, v, a, manifold.omega[row]))
    else:
        read_turning(manifold, q, a, row)


@compiled_apart
def rates(manifold: Manifold, q: Vector, v: Vector, dq: Vector) -> None:
    """Put q̇ = N(q) v into dq. (Entries of coordinates that never move are not written.)"""
    read_turning(manifold, q, v, 0)
    put_rates(manifold, q, v, manifold.omega[0], dq)


@compiled
def put_rates(manifold: Manifold, q: Vector, v: Vector, omega: Vector, dq: Vector) -> None:
    """Put q̇ = N(q) v into dq, with the angular velocities `omega`."""
    for k in range(manifold.turned.size):
        dq[manifold.turned[k]] = omega[k]
    for k in range(manifold.plain.shape[0]):
        dq[manifold.plain[k, 0]] = v[manifold.plain[k, 1]]
    for k in range(manifold.quaternions.shape[0]):
        to, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        half = (0.0, 0.5 * v[of], 0.5 * v[of + 1], 0.5 * v[of + 2])
        dq[to], dq[to + 1], dq[to + 2], dq[to + 3] = after(quaternion_at(q, to), half)
    for k in range(manifold.turns.shape[0]):
        for c in range(3):
            dq[manifold.turns[k, 0] + c] = v[manifold.turns[k, 1] + c]


@compiled_apart
def accelerations(manifold: Manifold, q: Vector, v: Vector, a: Vector, ddq: Vector) -> None:
    """Put q̈ = N(q) v̇ + Ṅ v into ddq; for a quaternion ½ e ∘ α + ½ ė ∘ ω, and ė ∘ ω = -½ |ω|² e."""
    rates(manifold, q, a, ddq)
    read_angular_acceleration(manifold, q, v, a, 0)
    for k in range(manifold.turned.size):
        ddq[manifold.turned[k]] = manifold.omega[0, k]
    for k in range(manifold.quaternions.shape[0]):
        to, omega = manifold.quaternions[k, 0], at(v, manifold.quaternions[k, 1])
        for c in range(4):
            ddq[to + c] -= 0.25 * dot(omega, omega) * q[to + c]


@compiled_apart
def velocities(manifold: Manifold, q: Vector, dq: Vector, v: Vector) -> None:
    """Put v from q̇ = N(q) v; or v̇ from q̈, because Ṅ v is parallel to the quaternion and does not contribute."""
    for k in range(manifold.plain.shape[0]):
        v[manifold.plain[k, 1]] = dq[manifold.plain[k, 0]]
    for k in range(manifold.quaternions.shape[0]):
        of, to = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        half = after(back(quaternion_at(q, of)), quaternion_at(dq, of))
        put_at(v, to, (2.0 * half[1], 2.0 * half[2], 2.0 * half[3]))


@compiled_apart
def move(manifold: Manifold, q: Vector, step: Vector) -> None:
    """Move q by a small motion, given like a velocity, in place."""
    if manifold.turned.size > 0:
        for k in range(min(step.size, manifold.step.size)):
            manifold.step[k] = step[k]
        read_turning(manifold, q, manifold.step, 0)
    for k in range(manifold.turned.size):
        q[manifold.turned[k]] += manifold.omega[0, k]
    for k in range(manifold.plain.shape[0]):
        q[manifold.plain[k, 0]] += step[manifold.plain[k, 1]]
    for k in range(manifold.quaternions.shape[0]):
        to, x = manifold.quaternions[k, 0], at(step, manifold.quaternions[k, 1])
        q[to], q[to + 1], q[to + 2], q[to + 3] = after(quaternion_at(q, to), _turn(x))
    for k in range(manifold.turns.shape[0]):
        for c in range(3):
            q[manifold.turns[k, 0] + c] += step[manifold.turns[k, 1] + c]
    restore(manifold, q)


@compiled
def _turn(x: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """Return the quaternion of the turn by a rotation vector."""
    angle = sqrt(dot(x, x))
    half = 0.5 - angle**2 / 48.0 if angle < 1e-4 else sin(0.5 * angle) / angle
    return cos(0.5 * angle), half * x[0], half * x[1], half * x[2]


@compiled_apart
def restore(manifold: Manifold, q: Vector) -> None:
    """Scale quaternions to unit length, in place."""
    for k in range(manifold.quaternions.shape[0]):
        to = manifold.quaternions[k, 0]
        q[to], q[to + 1], q[to + 2], q[to + 3] = unit(quaternion_at(q, to))


@compiled_apart
def difference(manifold: Manifold, q0: Vector, q1: Vector, out: Vector) -> None:
    """Put the small motion that leads from q0 to q1 into out: the inverse of `move`."""
    for k in range(manifold.plain.shape[0]):
        out[manifold.plain[k, 1]] = q1[manifold.plain[k, 0]] - q0[manifold.plain[k, 0]]
    for k in range(manifold.quaternions.shape[0]):
        of, to = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        put_at(out, to, rotation_vector(after(back(quaternion_at(q0, of)), quaternion_at(q1, of))))


@compiled
def way(manifold: Manifold, h: float, here: Instant, there: Instant, out: Vector) -> None:
    """Put the motion over a time h between two known instants into out, with an error of O(h⁵):

        h/2 (v₀ + v₁) + h²/12 (a₀ - a₁),        and for turns in space  + h²/12 ω₀ × ω₁

    since turns do not add: the rotation over h is exp of ∫ω - ½ ∫∫ [..], the first terms of Magnus' series.
    """
    for k in range(manifold.plain.shape[0]):
        i = manifold.plain[k, 1]
        out[i] = _gained(h, here.v[i], here.a[i], there.v[i], there.a[i])
    for k in range(manifold.quaternions.shape[0]):
        i = manifold.quaternions[k, 1]
        turned = cross(at(here.v, i), at(there.v, i))
        for c in range(i, i + 3):
            out[c] = _gained(h, here.v[c], here.a[c] + turned[c - i], there.v[c], there.a[c])


@compiled
def _gained(h: float, v0: float, a0: float, v1: float, a1: float) -> float:
    return 0.5 * h * (v0 + v1) + h * h / 12.0 * (a0 - a1)


@compiled_apart
def count_turns(manifold: Manifold, h: float, here: Instant, there: Instant) -> None:
    """Put the turns at the end of a step into there.q: those at its beginning plus the integral over the step."""
    omega = manifold.omega
    read_turning(manifold, here.q, here.v, 0)
    read_angular_acceleration(manifold, here.q, here.v, here.a, 1)
    read_turning(manifold, there.q, there.v, 2)
    read_angular_acceleration(manifold, there.q, there.v, there.a, 3)
    for k in range(manifold.turned.size):
        to = manifold.turned[k]
        there.q[to] = here.q[to] + _gained(h, omega[0, k], omega[1, k], omega[2, k], omega[3, k])
    for k in range(manifold.turns.shape[0]):
        for c in range(3):
            to, i = manifold.turns[k, 0] + c, manifold.turns[k, 1] + c
            there.q[to] = here.q[to] + _gained(h, here.v[i], here.a[i], there.v[i], there.a[i])


# --- steps in a chart -------------------------------------------------------------------------------------------------
# A chart at q₀ has numbers u in the places of q: q = q₀ + u, except for a quaternion: e = e₀ ∘ exp(u/2), with a
# rotation vector u in the first three of its places. A method that adds up u̇ instead of q̇ always yields unit
# quaternions.


@compiled_apart
def from_chart(manifold: Manifold, q0: Vector, u: Vector, q: Vector) -> None:
    for k in range(q.size):
        q[k] = q0[k] + u[k]
    for k in range(manifold.quaternions.shape[0]):
        to = manifold.quaternions[k, 0]
        q[to], q[to + 1], q[to + 2], q[to + 3] = unit(after(quaternion_at(q0, to), _turn(at(u, to))))


@compiled_apart
def most_turned(manifold: Manifold, u: Vector) -> float:
    """Return the largest angle, in radians, of an attitude in a chart."""
    most = 0.0
    for k in range(manifold.quaternions.shape[0]):
        x = at(u, manifold.quaternions[k, 0])
        most = max(most, sqrt(dot(x, x)))
    return most


@compiled_apart
def settle_in_chart(manifold: Manifold, q: Vector, put_right: Vector, u: Vector) -> None:
    """Change u, the chart coordinates of q, to those of the near pose `put_right`, in place; whole turns are kept."""
    for k in range(q.size):
        u[k] += put_right[k] - q[k]
    for k in range(manifold.quaternions.shape[0]):
        to = manifold.quaternions[k, 0]
        turn = rotation_vector(after(back(quaternion_at(q, to)), quaternion_at(put_right, to)))
        for c in range(4):
            u[to + c] -= put_right[to + c] - q[to + c]
        put_at(u, to, plus(at(u, to), turn))


@compiled_apart
def chart_rates(manifold: Manifold, q: Vector, u: Vector, v: Vector, du: Vector) -> None:
    """Put u̇ into du, at the pose q with chart coordinates u. With ω = u̇ - ½ u × u̇ + ... for the attitude, the
    inverse series ends:

    u̇ = ω + ½ u × ω + κ u × (u × ω), κ = (1 - ½ |u| cot ½ |u|) / |u|².
    """
    rates(manifold, q, v, du)
    for k in range(manifold.quaternions.shape[0]):
        to, omega = manifold.quaternions[k, 0], at(v, manifold.quaternions[k, 1])
        x = at(u, to)
        square = dot(x, x)
        half = 0.5 * sqrt(square)
        kappa = 1.0 / 12.0 + square / 720.0 if half < 1e-2 else (1.0 - half * cos(half) / sin(half)) / square
        once = cross(x, omega)
        twice = cross(x, once)
        for c in range(3):
            du[to + c] = omega[c] + 0.5 * once[c] + kappa * twice[c]
        du[to + 3] = 0.0


@compiled
def chart_motion(manifold: Manifold, x: Vector, u: Vector) -> None:
    """Put a small motion x, given like a velocity, into u as a change of chart coordinates at u = 0."""
    for k in range(manifold.plain.shape[0]):
        u[manifold.plain[k, 0]] = x[manifold.plain[k, 1]]
    for k in range(manifold.quaternions.shape[0]):
        put_at(u, manifold.quaternions[k, 0], at(x, manifold.quaternions[k, 1]))


@compiled
def motion_of_chart(manifold: Manifold, u: Vector, x: Vector) -> None:
    """Put a change u of chart coordinates at u = 0 into x as a small motion: the inverse of `chart_motion`."""
    for k in range(manifold.plain.shape[0]):
        x[manifold.plain[k, 1]] = u[manifold.plain[k, 0]]
    for k in range(manifold.quaternions.shape[0]):
        put_at(x, manifold.quaternions[k, 1], at(u, manifold.quaternions[k, 0]))
