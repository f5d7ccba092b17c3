"""What keeps the points and vectors of a body rigid: the equations that natural coordinates have of themselves.

With a, b directions of the body (a vector, or from one point to another), all inner products stay what they are:

    a · b - g = 0            a unit vector: u · u = 1, a length: (q - p) · (q - p) = l², an angle: (q - p) · u = g

and what is not in the base is a linear combination of it: x - Σ c_k x_k = 0, in the plane x - σ' x₀ - a d - b d⊥ = 0.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...symbolic.derive import Equations


@cache
def inner_product(dimension: int, points: str) -> Equations:
    """a · b = g. `points` says what a and b are: "v" a vector, "p" from the first thing to the next one; both begin at
    the same point. "v" or "p" alone: a = b."""
    count = len(points) + ("p" in points)
    x, v = _things(dimension, count)
    g = sp.Symbol("g", real=True)
    origin, rest = (x[0], x[1:]) if "p" in points else (sp.zeros(dimension, 1), x)
    ways = [xk - origin if kind == "p" else xk for kind, xk in zip(points, rest, strict=True)]
    return _equations([ways[0].dot(ways[-1]) - g], x, v, (g,))


@cache
def combination(dimension: int) -> Equations:
    """x = Σ c_k x_k; in the plane x = σ' x₀ + a d + b d⊥ with d = x₁ - σ x₀."""
    base = 2 if dimension == 2 else 4
    x, v = _things(dimension, base + 1)
    if dimension == 3:
        weights = sp.symbols("c0:4", real=True)
        made = sum((c * xk for c, xk in zip(weights, x, strict=False)), sp.zeros(3, 1))
        return _equations(list(x[base] - made), x, v, weights)
    sigma, first, a, b = weights = sp.symbols("sigma first a b", real=True)
    d = x[1] - sigma * x[0]
    return _equations(list(x[base] - first * x[0] - a * d - b * sp.Matrix([-d[1], d[0]])), x, v, weights)


def _things(dimension: int, count: int) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
    letters = "x:y" if dimension == 2 else "x:z"
    x, v = ([sp.Matrix(sp.symbols(f"{n}{k}({letters})", real=True)) for k in range(count)] for n in "xv")
    return x, v


def _equations(phi: list[sp.Expr], x: list[sp.Matrix], v: list[sp.Matrix], slots: tuple[sp.Symbol, ...]) -> Equations:
    """Φ_q by differentiation, γ = -(Φ_q v)_q v."""
    q, rates = [s for xk in x for s in xk], [s for vk in v for s in vk]
    J = sp.Matrix([sp.expand(e) for e in phi]).jacobian(q)
    bias = (J * sp.Matrix(rates)).jacobian(q) * sp.Matrix(rates)
    return Equations(
        tuple(q),
        tuple(rates),
        slots,
        (),
        phi=tuple(phi),
        jacobian=tuple((r, c, e) for (r, c), e in sorted(J.todok().items())),
        nu=(sp.S.Zero,) * len(phi),
        gamma=tuple(-e for e in bias),
    )
