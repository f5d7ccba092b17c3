"""A marker and a body of the plane in natural coordinates: x₀ a point, x₁ a second point (σ = 1) or a vector (σ = 0).

    d = x₁ - σ x₀,      p = x₀ + a d + b d⊥,      u = c d + e d⊥,      ω = d × ḋ / |d|²

All is linear in x₀ and x₁ but ω, and ω̇ = d × d̈ / |d|²: no bias accelerations. |d| is a constant of the body.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...symbolic.derive import Inertia, MarkerMap
from ...symbolic.functions import Unwound
from ..cartesian import real

THINGS = 2
RIGID, ROD = "rigid", "rod"
"""A body, and one whose centre of mass lies in line with d."""


def _turned(d: sp.MatrixBase) -> sp.Matrix:
    return sp.Matrix([-d[1], d[0]])


@cache
def marker_map(label: str) -> MarkerMap:
    """The slots: σ, a, b of the point, c, e of the direction, 1/|d|², and the frame's angle on the body. `phi` is the
    angle of the body, added up; it tells how often the body went round."""
    end = f"_{label}"
    *q, phi = real("x0", "y0", "x1", "y1", "phi", end=end)
    v = real("vx0", "vy0", "vx1", "vy1", end=end)
    slots = real("sigma", "a", "b", "c", "e", "scale", "alpha", end=end)
    sigma, a, b, c, e, scale, alpha = slots
    x0, x1 = sp.Matrix(q[:2]), sp.Matrix(q[2:])
    named = sp.Matrix(real("dx", "dy", end=end))
    point = x0 + a * named + b * _turned(named)
    axis = c * named + e * _turned(named)
    d = x1 - sigma * x0
    turned = scale * _turned(named).T
    P = sp.Matrix.vstack((x0 + a * d + b * _turned(d)).jacobian(q), sp.Matrix.hstack(-sigma * turned, turned))
    return MarkerMap(
        q=(*q, phi),
        v=v,
        slots=slots,
        values=(*point, *axis, Unwound(sp.atan2(axis[1], axis[0]), phi + alpha)),
        P=P,
        bias=sp.zeros(3, 1),
        steps=tuple(zip(named, d, strict=True)),
    )


@cache
def inertia(form: str) -> Inertia:
    """T = ½ (m₀ |v₀|² + 2 v₀ · (h ḋ + k ḋ⊥) + m₁ |ḋ|²),      U = -m g · (x₀ + a d + b d⊥).

    k = m b, so both are 0 of a rod: then M does not mix x and y.
    The slots: m₀, h, k, m₁, σ, the mass, a and b of the centre of mass, gravity."""
    own = marker_map("i")
    q, v = own.q[:4], own.v
    slots = real("m0", "h", "k", "m1", "sigma", "mass", "a", "b", "gx", "gy")
    m0, h, k, m1, sigma, mass, a, b, *g = slots
    if form == ROD:
        k = b = sp.S.Zero
    x0, v0 = sp.Matrix(q[:2]), sp.Matrix(v[:2])
    d, rate = sp.Matrix(q[2:]) - sigma * x0, sp.Matrix(v[2:]) - sigma * v0
    kinetic = (m0 * v0.dot(v0) + 2 * v0.dot(h * rate + k * _turned(rate)) + m1 * rate.dot(rate)) / 2
    potential = -mass * sp.Matrix(g).dot(x0 + a * d + b * _turned(d))
    M = sp.hessian(sp.expand(kinetic), v)
    return Inertia(
        own.q,
        v,
        slots,
        (),
        mass=tuple((r, c, M[r, c]) for r in range(4) for c in range(r + 1) if M[r, c] != 0),
        forces=tuple((c, -sp.expand(potential).diff(s)) for c, s in enumerate(q)),
        potential=potential,
        kinetic=kinetic,
    )
