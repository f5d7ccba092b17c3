"""Recursion along a tree of joints: from joint coordinates to bodies. Compiled; the arrays are those of `tree`, the way
back is `folding`.

One step leads from a frame (r_b, A_b), which moves with ṙ_b and ω_b, to the next one. With its hinge η and the arm
ρ = r - η, which moves with the new frame,

    η = r_b + A_b (o + σ u),      A = A_b Rot(u, θ) C,      r = η + ρ,   ρ = A d.

Its velocities ẋ_c turn what is behind it by Ω = Σ t_c ẋ_c over the frame before, and shift it by V = Σ s_c ẋ_c. Of a
screw along w = A_b u, t = T w and s = S w; of a ball the t_c are three axes, and nothing is shifted. As the s_c are
fixed in the frame before,

    d/dt (η - r_b) = ω_b × (η - r_b) + V,        V̇ = ω_b × V + Σ s_c ẍ_c,        Ω̇ = ω_b × Ω + Σ t_c ẍ_c.

The last holds for a ball, too: its t_c are fixed in the frame behind it, turn with ω = ω_b + Ω, and Ω × Ω = 0. So

    η̇ = ṙ_b + ω_b × (η - r_b) + V                                           ω = ω_b + Ω
    ṙ = η̇ + ω × ρ

    η̈ = r̈_b + α_b × (η - r_b) + ω_b × (η̇ - ṙ_b + V) + Σ s_c ẍ_c             α = α_b + ω_b × Ω + Σ t_c ẍ_c
    r̈ = η̈ + α × ρ + ω × (ω × ρ).

All that hangs behind a step moves with it like one rigid body. So a unit of ẋ_c gives a body m

    ṙ_m:  s_c + t_c × (r_m - η)          ω_m, in body axes:  A_mᵀ t_c,

a column of R in  (velocities of bodies) = R ẋ. (That the hinge of a helix slides along its axis changes nothing:
t_c × V = 0.) In the plane angles are added up.
"""

from __future__ import annotations

from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from .tree import Tree
from .vectors import (
    ZERO,
    about,
    after,
    at,
    back,
    cross,
    minus,
    plus,
    put,
    put_about_z,
    put_at,
    put_rotation,
    quaternion,
    quaternion_at,
    row,
    times,
    turned,
    turned_back,
    unit,
)


@compiled_apart
def unfold(tree: Tree, q: Vector, v: Vector, qc: Vector, vc: Vector):
    """Places and velocities of all bodies. What belongs to the ground is left alone."""
    for k in range(1, tree.before.size):
        _place(tree, k, q)
        _axes(tree, k)
        turning, sliding = _motion(tree, k, v)
        put(tree.turning, k, turning)
        put(tree.sliding, k, sliding)
        _move(tree, k)
    for b in range(tree.body_frame.size):
        k = tree.body_frame[b]
        _write_pose(tree, k, qc)
        _write(tree, k, row(tree.dr, k), row(tree.omega, k), vc, tree.frame_v[k])
    for b in range(tree.turns.shape[0]):
        put_at(qc, tree.turns[b, 1], at(q, tree.turns[b, 0]))


@compiled_apart
def unfold_acceleration(tree: Tree, a: Vector, ac: Vector):
    """Accelerations of all bodies, in the pose and with the velocities of the last `unfold`. With a = 0: Ṙ ẋ."""
    for k in range(1, tree.before.size):
        turning, sliding = _motion(tree, k, a)
        accelerate(tree, k, turning, sliding)
    for b in range(tree.body_frame.size):
        k = tree.body_frame[b]
        _write(tree, k, row(tree.ddr, k), row(tree.alpha, k), ac, tree.frame_v[k])


@compiled_apart
def _place(tree: Tree, k: int, q: Vector):
    """η, A, r of frame k, from the frame before."""
    b, x = tree.before[k], tree.q_at[k]
    angle, way = 0.0, tree.phase[k]
    if tree.ball[k] == 0 and tree.v_end[k] > tree.v_at[k]:
        angle = tree.T[k] * q[x]
        way += tree.S[k] * q[x]
    axis = row(tree.u, k)
    hinge = plus(row(tree.r, b), turned(tree.A, b, plus(row(tree.o, k), times(way, axis))))
    if tree.dimension == 2:
        tree.phi[k] = tree.phi[b] + tree.sense[k] * angle + tree.angle[k]
        put_about_z(tree.A, k, tree.phi[k])
    else:
        e = quaternion(tree.e, b)
        if tree.ball[k] == 1:
            turn = quaternion_at(q, x)
            e = after(e, turn if tree.sense[k] > 0 else back(turn))
        elif tree.T[k] != 0.0:
            e = after(e, about(axis, angle))
        e = unit(after(e, quaternion(tree.C, k)))
        tree.e[k, 0], tree.e[k, 1], tree.e[k, 2], tree.e[k, 3] = e
        put_rotation(tree.A, k, e)
    put(tree.eta, k, hinge)
    put(tree.r, k, plus(hinge, turned(tree.A, k, row(tree.d, k))))


@compiled
def _axes(tree, k):
    """t and s of each velocity."""
    b, c = tree.before[k], tree.v_at[k]
    if tree.ball[k] == 1:
        carrier = k if tree.sense[k] > 0 else b
        for j in range(3):
            for i in range(3):
                tree.turn[c + j, i] = tree.sense[k] * tree.A[carrier, 3 * i + j]
    elif tree.v_end[k] > c:
        axis = turned(tree.A, b, row(tree.u, k))
        put(tree.turn, c, times(tree.T[k], axis))
        put(tree.slide, c, times(tree.S[k], axis))


@compiled
def _motion(tree, k, v):
    """Σ t_c v_c and Σ s_c v_c."""
    turning, sliding = ZERO, ZERO
    for c in range(tree.v_at[k], tree.v_end[k]):
        turning = plus(turning, times(v[c], row(tree.turn, c)))
        sliding = plus(sliding, times(v[c], row(tree.slide, c)))
    return turning, sliding


@compiled
def _move(tree, k):
    """η̇, ω, ṙ of frame k."""
    b = tree.before[k]
    carried = cross(row(tree.omega, b), minus(row(tree.eta, k), row(tree.r, b)))
    hinge = plus(plus(row(tree.dr, b), carried), row(tree.sliding, k))
    omega = plus(row(tree.omega, b), row(tree.turning, k))
    put(tree.deta, k, hinge)
    put(tree.omega, k, omega)
    put(tree.dr, k, plus(hinge, cross(omega, minus(row(tree.r, k), row(tree.eta, k)))))


@compiled
def accelerate(tree, k, turning, sliding):
    """α and r̈ of frame k, with Σ t_c ẍ_c and Σ s_c ẍ_c."""
    b = tree.before[k]
    omega_b, omega, alpha_b = row(tree.omega, b), row(tree.omega, k), row(tree.alpha, b)
    moved = plus(minus(row(tree.deta, k), row(tree.dr, b)), row(tree.sliding, k))
    hinge = plus(row(tree.ddr, b), cross(alpha_b, minus(row(tree.eta, k), row(tree.r, b))))
    hinge = plus(plus(hinge, cross(omega_b, moved)), sliding)
    alpha = plus(plus(alpha_b, cross(omega_b, row(tree.turning, k))), turning)
    arm = minus(row(tree.r, k), row(tree.eta, k))
    put(tree.alpha, k, alpha)
    put(tree.ddr, k, plus(hinge, plus(cross(alpha, arm), cross(omega, cross(omega, arm)))))


@compiled
def _write_pose(tree, k, qc):
    to = tree.frame_q[k]
    if tree.dimension == 2:
        qc[to], qc[to + 1], qc[to + 2] = tree.r[k, 0], tree.r[k, 1], tree.phi[k]
    else:
        put_at(qc, to, row(tree.r, k))
        qc[to + 3], qc[to + 4], qc[to + 5], qc[to + 6] = quaternion(tree.e, k)


@compiled
def _write(tree, k, linear, angular, out, to):
    """A velocity of the body of frame k, or an acceleration (ω̇ in body axes is Aᵀ α, for ω × ω = 0)."""
    if tree.dimension == 2:
        out[to], out[to + 1], out[to + 2] = linear[0], linear[1], angular[2]
    else:
        put_at(out, to, linear)
        put_at(out, to + 3, turned_back(tree.A, k, angular))
