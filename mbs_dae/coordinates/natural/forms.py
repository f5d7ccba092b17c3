"""Markers, inertias and rigidity of bodies in natural coordinates.

In the plane, with x₀ a point and x₁ a second point (σ = 1) or a vector (σ = 0),

    d = x₁ - σ x₀,      p = x₀ + a d + b d⊥,      u = c d + e d⊥,      ω = d × ḋ / |d|².

In space, with four points and vectors x₀ ... x₃,

    p = Σ c_k x_k,      an axis of the frame  a_j = Σ A_jk x_k,      ω = ½ Σ a_j × ȧ_j.

All is linear in x but ω, and ω̇ = d × d̈ / |d|² or ½ Σ a_j × ä_j: no bias accelerations. |d| is a constant of the body.

With a, b directions of the body (a vector, or from one point to another), all inner products are constant:

    a · b - g = 0            a unit vector: u · u = 1, a length: (q - p) · (q - p) = l², an angle: (q - p) · u = g

and a thing outside the base is a linear combination of the base: x - Σ c_k x_k = 0, in the plane x - σ' x₀ - a d - b d⊥
= 0.
"""

from collections.abc import Sequence
from functools import cache

import sympy as sp

from ...symbolic.derive import Definition, Equations, Inertia, MarkerMap
from ...symbolic.functions import Unwound
from ..cartesian import cross, real

BASE = {2: 2, 3: 4}
"""The number of points and vectors that describe a body."""
RIGID, ROD = "rigid", "rod"
"""A general body, and a body of the plane whose centre of mass lies in line with d."""


def _things(name: str, count: int, dimension: int, end: str = "") -> list[sp.Matrix]:
    letters = "xyz"[:dimension]
    return [sp.Matrix(real(*(f"{name}{k}{letter}" for letter in letters), end=end)) for k in range(count)]


def _flat(vectors: Sequence[sp.Matrix]) -> tuple[sp.Symbol, ...]:
    return tuple(s for vector in vectors for s in vector)


def _combined(weights: Sequence[sp.Expr], parts: Sequence[sp.Matrix]) -> sp.Matrix:
    return sum((w * part for w, part in zip(weights, parts, strict=True)), sp.zeros(*parts[0].shape))


def _turned(d: sp.MatrixBase) -> sp.Matrix:
    return sp.Matrix([-d[1], d[0]])


# --- in the plane -------------------------------------------------------------------------------------------------


@cache
def planar_map(label: str) -> MarkerMap:
    """Return the marker map in the plane. The slots: σ, a, b of the point, c, e of the direction, 1/|d|², and the
    frame's angle on the body. `phi` is the angle of the body, added up, so that whole turns count."""
    end = f"_{label}"
    *q, phi = real("x0", "y0", "x1", "y1", "phi", end=end)
    v = real("vx0", "vy0", "vx1", "vy1", end=end)
    sigma, a, b, c, e, scale, alpha = slots = real("sigma", "a", "b", "c", "e", "scale", "alpha", end=end)
    x0, x1 = sp.Matrix(q[:2]), sp.Matrix(q[2:])
    named = sp.Matrix(real("dx", "dy", end=end))
    point = x0 + a * named + b * _turned(named)
    axis = c * named + e * _turned(named)
    d = x1 - sigma * x0
    turned = scale * _turned(named).T
    P = sp.Matrix.vstack((x0 + a * d + b * _turned(d)).jacobian(q), sp.Matrix.hstack(-sigma * turned, turned))
    values = (*point, *axis, Unwound(sp.atan2(axis[1], axis[0]), phi + alpha))
    rates = (*v, (P * sp.Matrix(v))[2])
    return MarkerMap((*q, phi), v, slots, values, P, sp.zeros(3, 1), tuple(zip(named, d, strict=True)), rates)


@cache
def planar_inertia(form: str) -> Inertia:
    """Return the inertia of a body in the plane:

        T = ½ (m₀ |v₀|² + 2 v₀ · (h ḋ + k ḋ⊥) + m₁ |ḋ|²),      U = -m g · (x₀ + a d + b d⊥).

    k = m b, so both are 0 for a rod: then M does not mix x and y. The slots: m₀, h, k, m₁, σ, the mass, a and b of the
    centre of mass, gravity.
    """
    own = planar_map("i")
    q, v = own.q[:4], own.v
    m0, h, k, m1, sigma, mass, a, b, *g = slots = real("m0", "h", "k", "m1", "sigma", "mass", "a", "b", "gx", "gy")
    if form == ROD:
        k = b = sp.S.Zero
    x0, v0 = sp.Matrix(q[:2]), sp.Matrix(v[:2])
    d, rate = sp.Matrix(q[2:]) - sigma * x0, sp.Matrix(v[2:]) - sigma * v0
    kinetic = (m0 * v0.dot(v0) + 2 * v0.dot(h * rate + k * _turned(rate)) + m1 * rate.dot(rate)) / 2
    potential = -mass * sp.Matrix(g).dot(x0 + a * d + b * _turned(d))
    M = sp.hessian(sp.expand(kinetic), v)
    entries = tuple((r, c, M[r, c]) for r in range(4) for c in range(r + 1) if M[r, c] != 0)
    forces = tuple((c, -sp.expand(potential).diff(s)) for c, s in enumerate(q))
    return Inertia(own.q, v, slots, (), entries, forces, potential, kinetic, rates=(*v, sp.S.Zero))


# --- in space -----------------------------------------------------------------------------------------------------


@cache
def spatial_map(label: str) -> MarkerMap:
    """Return the marker map in space. The slots: the weights of the point, those of the three axes, the z axis in body
    axes. `t` are the turns of the body, added up in body axes."""
    end = f"_{label}"
    x, v = _things("x", 4, 3, end), _things("v", 4, 3, end)
    turns, own_axis = (sp.Matrix(real(*(n + k for k in "xyz"), end=end)) for n in "tl")
    point, *axes = (real(*(f"{name}{k}" for k in range(4)), end=end) for name in ("c", "xw", "yw", "zw"))
    named = [sp.Matrix(real(*(f"w{letter}{k}" for k in "xyz"), end=end)) for letter in "xyz"]
    steps: list[Definition] = []
    for symbol, weights in zip(named, axes, strict=True):
        steps += zip(symbol, _combined(weights, x), strict=True)
    turning = [_combined([w[k] / 2 for w in axes], [cross(a) for a in named]) for k in range(4)]
    slots = (*point, *(w for weights in axes for w in weights), *own_axis)
    values = (*_combined(point, x), *_flat(named), own_axis.dot(turns))
    P = sp.Matrix(sp.BlockMatrix([[c * sp.eye(3) for c in point], turning]))
    omega = (P * sp.Matrix(_flat(v)))[3:, 0]
    rates = (*_flat(v), *(own_axis * named[2].dot(omega)))
    return MarkerMap((*_flat(x), *turns), _flat(v), slots, values, P, sp.zeros(6, 1), tuple(steps), rates)


@cache
def spatial_inertia(form: str) -> Inertia:
    """Return the inertia of a body in space:

        T = ½ Σ M_kl v_k · v_l,      U = -g · Σ m_k x_k.

    The name of the form lists the entries of M that are 0, such as that of a bar between its length and a vector at
    right angles to it: "rigid 10 32". The slots: the lower triangle of M, the m_k (mass times the weights of its
    centre), gravity.
    """
    own = spatial_map("i")
    x, v = _things("x", 4, 3, "_i"), _things("v", 4, 3, "_i")
    M = {(k, l): sp.Symbol(f"M{k}{l}", real=True) for k in range(4) for l in range(k + 1)}
    left = {(k, l): entry for (k, l), entry in M.items() if f"{k}{l}" not in form.split()}
    weights = real("m0", "m1", "m2", "m3")
    g = sp.Matrix(real("gx", "gy", "gz"))
    entries = tuple((3 * k + c, 3 * l + c, entry) for (k, l), entry in left.items() for c in range(3))
    forces = tuple((3 * k + c, weights[k] * g[c]) for k in range(4) for c in range(3))
    kinetic = sp.Add(*(entry * v[k].dot(v[l]) / (1 + (k == l)) for (k, l), entry in left.items()))
    potential = -g.dot(_combined(weights, x))
    rates = (*own.v, *(sp.S.Zero,) * 3)
    return Inertia(own.q, own.v, (*M.values(), *weights, *g), (), entries, forces, potential, kinetic, rates=rates)


# --- rigid bodies -------------------------------------------------------------------------------------------------


@cache
def inner_product(dimension: int, points: str) -> Equations:
    """Return the equation a · b = g. `points` gives the kinds of a and b: "v" a vector, "p" from the first thing to the
    next one; both begin at the same point. "v" or "p" alone: a = b."""
    count = len(points) + ("p" in points)
    x, v = (_things(name, count, dimension) for name in "xv")
    g = sp.Symbol("g", real=True)
    origin, rest = (x[0], x[1:]) if "p" in points else (sp.zeros(dimension, 1), x)
    ways = [xk - origin if kind == "p" else xk for kind, xk in zip(points, rest, strict=True)]
    return _equations([ways[0].dot(ways[-1]) - g], x, v, (g,))


@cache
def combination(dimension: int) -> Equations:
    """Return the equations x = Σ c_k x_k; in the plane x = σ' x₀ + a d + b d⊥ with d = x₁ - σ x₀."""
    x, v = (_things(name, BASE[dimension] + 1, dimension) for name in "xv")
    if dimension == 3:
        slots = real("c0", "c1", "c2", "c3")
        return _equations(list(x[-1] - _combined(slots, x[:-1])), x, v, slots)
    sigma, *weights = slots = real("sigma", "first", "a", "b")
    d = x[1] - sigma * x[0]
    return _equations(list(x[-1] - _combined(weights, [x[0], d, _turned(d)])), x, v, slots)


def _equations(phi: list[sp.Expr], x: list[sp.Matrix], v: list[sp.Matrix], slots: tuple[sp.Symbol, ...]) -> Equations:
    """Return the equations with Φ_q by differentiation and γ = -(Φ_q v)_q v."""
    q, rates = _flat(x), _flat(v)
    J = sp.Matrix([sp.expand(e) for e in phi]).jacobian(q)
    bias = (J * sp.Matrix(rates)).jacobian(q) * sp.Matrix(rates)
    jacobian = tuple((r, c, e) for (r, c), e in sorted(J.todok().items()))
    return Equations(q, rates, slots, (), tuple(phi), jacobian, (sp.S.Zero,) * len(phi), tuple(-e for e in bias))
