"""Recursion along a tree of joints: from joint coordinates to bodies, and back. Compiled, on the arrays of `tree`.

One step leads from a frame (r_b, A_b), which moves with ṙ_b and ω_b, to the next one. With its hinge η and the arm ρ =
r - η, which moves with the new frame,

    η = r_b + A_b (o + σ u),      A = A_b Rot(u, θ) C,      r = η + ρ,   ρ = A d.

Its velocities ẋ_c turn all that is behind it by Ω = Σ t_c ẋ_c relative to the frame before, and shift it by V = Σ s_c
ẋ_c. For a screw along w = A_b u, t = T w and s = S w; for a ball the t_c are three axes, and nothing is shifted. As the
s_c are fixed in the frame before,

    d/dt (η - r_b) = ω_b × (η - r_b) + V,        V̇ = ω_b × V + Σ s_c ẍ_c,        Ω̇ = ω_b × Ω + Σ t_c ẍ_c.

The last holds for a ball, too: its t_c are fixed in the frame behind it, turn with ω = ω_b + Ω, and Ω × Ω = 0. So

    η̇ = ṙ_b + ω_b × (η - r_b) + V                                           ω = ω_b + Ω
    ṙ = η̇ + ω × ρ

    η̈ = r̈_b + α_b × (η - r_b) + ω_b × (η̇ - ṙ_b + V) + Σ s_c ẍ_c             α = α_b + ω_b × Ω + Σ t_c ẍ_c
    r̈ = η̈ + α × ρ + ω × (ω × ρ).

All bodies behind a step move with it like one rigid body. So a unit of ẋ_c gives a body m

    ṙ_m:  s_c + t_c × (r_m - η)          ω_m, in body axes:  A_mᵀ t_c,

a column of R in (velocities of bodies) = R ẋ. (The hinge of a helix slides along its axis, which changes nothing: t_c ×
V = 0.) In the plane angles are added up.

The way back goes edge by edge. In the axes of the first marker of a joint, the second one stands at δ and is turned by
D = μ₁ μ₂ ..., its motions one after the other. Slides are components of δ. Turns follow from D as a quaternion: with
e_a, e_b at right angles, e_a × e_b = ±e_c,

    D = Rot(e_a, θ) Rot(e_b, ψ):   D₀ = cos cos,  D_a = sin cos,  D_b = cos sin,  D_c = ±sin sin   of θ/2 and ψ/2

    sin θ ~ 2 (D₀ D_a ± D_b D_c),      cos θ ~ D₀² + D_b² - D_a² - D_c²,

and for a single turn θ = 2 atan2(D_a, D₀). Each turn is undone before the next motion is determined.

The velocities of an edge are those of the child minus those that the child would have if the joint stood still and the
parent moved as it does; so are the accelerations. In an edge the t_c of turns are at right angles to each other, and so
are the s_c of slides: the components along t_c are ẋ_c; after subtraction of the turns, the components along s_c are
ẋ_c.

If bodies do not quite satisfy their joints, the result is approximate to the same extent.
"""

from math import atan2

from ...kernels.abi import compiled, compiled_apart, unwound
from ...kernels.blocks import Vector
from ...kernels.passes import go_through
from .tree import Tree

# isort: off
from .vectors import (
    NO_TURN, ZERO, about, after, at, back, cross, dot, minus, plus, put, put_at, quaternion,
    quaternion_at, rotated, row, times, turned, turned_back, unit,
)  # fmt: skip
# isort: on


@compiled_apart
def unfold(tree: Tree, q: Vector, v: Vector, qc: Vector, vc: Vector) -> None:
    """Put positions and velocities of all bodies into qc and vc, and Ṙ ẋ into tree.bias. Entries of the ground are not
    written."""
    go_through(tree.halves, (q, tree.half))
    known = (tree.o, tree.u, tree.C, tree.uC, tree.d, tree.S, tree.phase, tree.angle, tree.side, tree.half, q, v)
    frames = (tree.A, tree.e, tree.phi, tree.r, tree.eta, tree.dr, tree.deta, tree.omega, tree.turning, tree.sliding)
    rest = (tree.ddr, tree.alpha, tree.turn, tree.slide, qc, vc, tree.bias, tree.twist, tree.arm)
    go_through(tree.steps, known + frames + rest)
    go_through(tree.screws, (tree.r, tree.eta, tree.turn, tree.slide, tree.twist))
    for b in range(tree.turns.shape[0]):
        put_at(qc, tree.turns[b, 1], at(q, tree.turns[b, 0]))


@compiled_apart
def unfold_bodies(tree: Tree, q: Vector, v: Vector, qc: Vector, vc: Vector) -> None:
    """Put positions and velocities of all bodies and Ṙ ẋ, without the frames between bodies and the motions of steps;
    `fold_velocity` and accelerations need `unfold`."""
    go_through(tree.halves, (q, tree.half))
    known = (tree.o, tree.u, tree.C, tree.uC, tree.d, tree.S, tree.phase, tree.angle, tree.side, tree.half, q, v)
    frames = (tree.A, tree.e, tree.phi, tree.r, tree.dr, tree.omega, tree.ddr, tree.alpha)
    go_through(tree.bodies, known + frames + (qc, vc, tree.bias, tree.twist, tree.arm))
    for b in range(tree.turns.shape[0]):
        put_at(qc, tree.turns[b, 1], at(q, tree.turns[b, 0]))


@compiled_apart
def unfold_acceleration(tree: Tree, a: Vector, ac: Vector) -> None:
    """Put accelerations of all bodies into ac, in the pose and with the velocities of the last `unfold`. With a = 0: Ṙ
    ẋ."""
    for k in range(1, tree.before.size):
        turning, sliding = ZERO, ZERO  # Σ t_c a_c and Σ s_c a_c
        for c in range(tree.v_at[k], tree.v_end[k]):
            turning = plus(turning, times(a[c], row(tree.turn, c)))
            sliding = plus(sliding, times(a[c], row(tree.slide, c)))
        accelerate(tree, k, turning, sliding)
    for b in range(tree.body_frame.size):
        k = tree.body_frame[b]
        linear, angular, to = row(tree.ddr, k), row(tree.alpha, k), tree.frame_v[k]
        if tree.dimension == 2:
            ac[to], ac[to + 1], ac[to + 2] = linear[0], linear[1], angular[2]
        else:  # ω̇ in body axes is Aᵀ α, for ω × ω = 0
            put_at(ac, to, linear)
            put_at(ac, to + 3, turned_back(tree.A, k, angular))


@compiled
def accelerate(tree: Tree, k: int, turning: tuple[float, float, float], sliding: tuple[float, float, float]) -> None:
    """Put α and r̈ of frame k, with Σ t_c ẍ_c and Σ s_c ẍ_c."""
    b = tree.before[k]
    omega_b, omega, alpha_b = row(tree.omega, b), row(tree.omega, k), row(tree.alpha, b)
    moved = plus(minus(row(tree.deta, k), row(tree.dr, b)), row(tree.sliding, k))
    hinge = plus(row(tree.ddr, b), cross(alpha_b, minus(row(tree.eta, k), row(tree.r, b))))
    hinge = plus(plus(hinge, cross(omega_b, moved)), sliding)
    alpha = plus(plus(alpha_b, cross(omega_b, row(tree.turning, k))), turning)
    arm = minus(row(tree.r, k), row(tree.eta, k))
    put(tree.alpha, k, alpha)
    put(tree.ddr, k, plus(hinge, plus(cross(alpha, arm), cross(omega, cross(omega, arm)))))


# --- from bodies to joint coordinates -----------------------------------------------------------------------------


@compiled_apart
def fold(tree: Tree, qc: Vector, q: Vector) -> None:
    """Put the coordinates of the joints for these poses of bodies into q. Angles are the ones next to those given in q
    (in the plane, angles of bodies count), and so are the signs of quaternions. The work space is not changed."""
    for e in range(tree.edge_at.size - 1):
        first, last = tree.edge_at[e], tree.edge_at[e + 1] - 1
        turn, shift, count = _relative_pose(tree, e, qc)
        for n in range(last - first + 1):
            k = first + n if tree.sense[first] > 0 else last - n
            x, axis = tree.q_at[k], tree.axis[k]
            if tree.ball[k] == 1:  # the quaternion with the sign of the one that is there
                old, new = quaternion_at(q, x), unit(turn)
                cosine = old[0] * turn[0] + old[1] * turn[1] + old[2] * turn[2] + old[3] * turn[3]
                sign = 1.0 if cosine >= 0.0 else -1.0
                q[x], q[x + 1], q[x + 2], q[x + 3] = sign * new[0], sign * new[1], sign * new[2], sign * new[3]
            elif tree.T[k] != 0.0:
                q[x] = count if tree.dimension == 2 else unwound(_angle(turn, axis, tree.next_axis[k]), q[x])
                inverse = about(_direction(axis), -q[x])
                turn, shift = after(inverse, turn), rotated(inverse, shift)
            elif tree.v_end[k] > tree.v_at[k]:
                q[x] = dot(_direction(axis), shift)
    for b in range(tree.turns.shape[0]):
        put_at(q, tree.turns[b, 0], at(qc, tree.turns[b, 1]))


@compiled_apart
def fold_velocity(tree: Tree, vc: Vector, v: Vector) -> None:
    """Put the velocities of the joints, for these velocities of bodies in the pose of the last `unfold`, into v."""
    for e in range(tree.edge_at.size - 1):
        b, k = tree.before[tree.edge_at[e]], tree.edge_at[e + 1] - 1
        omega = _angular(tree, b, vc)
        transport = plus(_vector(tree, vc, tree.frame_v[b]), cross(omega, minus(row(tree.r, k), row(tree.r, b))))
        _share(tree, e, minus(_angular(tree, k, vc), omega), minus(_vector(tree, vc, tree.frame_v[k]), transport), v)


@compiled_apart
def fold_acceleration(tree: Tree, ac: Vector, a: Vector) -> None:
    """Put the accelerations of the joints, for these accelerations of bodies in the pose and with the velocities of the
    last `unfold`, into a. The work space of accelerations is overwritten."""
    for e in range(tree.edge_at.size - 1):
        first, k = tree.edge_at[e], tree.edge_at[e + 1] - 1
        b = tree.before[first]
        put(tree.ddr, b, _vector(tree, ac, tree.frame_v[b]))
        put(tree.alpha, b, _angular(tree, b, ac))
        for n in range(first, k + 1):
            accelerate(tree, n, ZERO, ZERO)
        turning = minus(_angular(tree, k, ac), row(tree.alpha, k))
        _share(tree, e, turning, minus(_vector(tree, ac, tree.frame_v[k]), row(tree.ddr, k)), a)


@compiled
def _share(
    tree: Tree, e: int, turning: tuple[float, float, float], shift: tuple[float, float, float], v: Vector
) -> None:
    """Put the velocities of an edge for this turning and shift of the child relative to its parent into v: first of
    turns, then of slides."""
    k = tree.edge_at[e + 1] - 1
    for c in range(tree.edge_v[e], tree.edge_v[e + 1]):
        if tree.v_turns[c] == 1:
            turn = row(tree.turn, c)
            v[c] = dot(turn, turning)
            unit_shift = plus(row(tree.slide, c), cross(turn, minus(row(tree.r, k), row(tree.eta, tree.v_step[c]))))
            shift = minus(shift, times(v[c], unit_shift))
    for c in range(tree.edge_v[e], tree.edge_v[e + 1]):
        if tree.v_turns[c] == 0:
            v[c] = dot(row(tree.slide, c), shift)


@compiled
def _relative_pose(
    tree: Tree, e: int, qc: Vector
) -> tuple[tuple[float, float, float, float], tuple[float, float, float], float]:
    """Return D and δ of an edge; and in the plane the angle, with whole turns."""
    i, j = tree.before[tree.edge_at[e]], tree.edge_at[e + 1] - 1
    if tree.sense[j] < 0:
        i, j = j, i
    e_i, e_j = _attitude(tree, i, qc), _attitude(tree, j, qc)
    p_i = plus(_vector(tree, qc, tree.frame_q[i]), rotated(e_i, row(tree.marker_point, 2 * e)))
    p_j = plus(_vector(tree, qc, tree.frame_q[j]), rotated(e_j, row(tree.marker_point, 2 * e + 1)))
    e_i = after(e_i, quaternion(tree.marker_attitude, 2 * e))
    e_j = after(e_j, quaternion(tree.marker_attitude, 2 * e + 1))
    count = _phi(tree, j, qc) - _phi(tree, i, qc) + tree.marker_angle[e] if tree.dimension == 2 else 0.0
    return after(back(e_i), e_j), rotated(back(e_i), minus(p_j, p_i)), count


@compiled
def _angle(turn: tuple[float, float, float, float], a: int, b: int) -> float:
    """Return θ of turn = Rot(e_a, θ) Rot(e_b, ψ); with b < 0, θ of the nearest turn about e_a."""
    if b < 0:
        return 2.0 * atan2(_imaginary(turn, a), turn[0])
    c = 3 - a - b
    sign = 1.0 if b == (a + 1) % 3 else -1.0
    w, x, y, z = turn[0], _imaginary(turn, a), _imaginary(turn, b), _imaginary(turn, c)
    return atan2(2.0 * (w * x + sign * y * z), w * w + y * y - x * x - z * z)


@compiled
def _imaginary(e: tuple[float, float, float, float], axis: int) -> float:
    return e[1] if axis == 0 else e[2] if axis == 1 else e[3]


@compiled
def _direction(axis: int) -> tuple[float, float, float]:
    return 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0


# --- entries of Cartesian arrays; the ground stands still ----------------------------------------------------------


@compiled
def _vector(tree: Tree, numbers: Vector, of: int) -> tuple[float, float, float]:
    """Return the vector that begins at place `of`: in the plane only x and y are stored."""
    if of < 0:
        return ZERO
    if tree.dimension == 2:
        return numbers[of], numbers[of + 1], 0.0
    return at(numbers, of)


@compiled
def _phi(tree: Tree, k: int, qc: Vector) -> float:
    return qc[tree.frame_q[k] + 2] if tree.frame_q[k] >= 0 else 0.0


@compiled
def _attitude(tree: Tree, k: int, qc: Vector) -> tuple[float, float, float, float]:
    of = tree.frame_q[k]
    if of < 0:
        return NO_TURN
    if tree.dimension == 2:
        return about(_direction(2), qc[of + 2])
    return unit(quaternion_at(qc, of + 3))


@compiled
def _angular(tree: Tree, k: int, vc: Vector) -> tuple[float, float, float]:
    """Return the angular velocity (or acceleration) of the body of frame k in world axes."""
    of = tree.frame_v[k]
    if of < 0:
        return ZERO
    if tree.dimension == 2:
        return 0.0, 0.0, vc[of + 2]
    return turned(tree.A, k, at(vc, of + 3))
