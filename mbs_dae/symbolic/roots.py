"""Roots of squares, written as absolute values; without numerics.

The root of an expression that touches zero has a corner there: √(1 - cos² u) = |sin u|. Written as a root it is a law
that is never negative, whose slope jumps at a place that no step knows. So squares are taken out of roots,

    (g² r)ᵖ = |g|²ᵖ rᵖ,        s = √(1 - f²) = |g| √r,        arcsin f = 2 arctan(f / (1 + s)),
    arccos f = the angle of the point (f, s),                    arcosh f = arsinh √(f² - 1),

and the size |g| switches where g passes zero (`branches`). Squares are found in products; in 1 ± cos u, 1 ± sin u,
cosh u - 1, 1 - cos² u and their like; and in polynomials, whose coefficients are those of a square to roundoff.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import sympy as sp

from .branches import ROUNDOFF
from .functions import Unwound

MOST, LONG = 8, 200
"""The highest degree of a polynomial, and its largest number of operations, that is tested for a square."""


@lru_cache(maxsize=4096)
def sizes_for_roots(e: sp.Basic) -> sp.Basic:
    """Return an expression with squares taken out of its roots, its arcs and its inverse hyperbolic functions."""
    if not e.args or not e.has(sp.Pow, sp.acos, sp.asin, sp.acosh):
        return e
    args = [sizes_for_roots(a) for a in e.args]
    e = e.func(*args) if args != list(e.args) else e
    if isinstance(e, sp.Pow) and e.exp.is_integer is not True and not e.exp.has(sp.nan):
        square, rest = squares_in(e.base)
        return e if square == 1 or rest.is_negative else sp.Abs(square) ** (2 * e.exp) * rest**e.exp
    if isinstance(e, sp.acos | sp.asin | sp.acosh):
        (f,) = e.args
        sign, (over, below) = -1 if isinstance(e, sp.acosh) else 1, f.as_numer_denom()
        square, rest = squares_in(sign * (1 - f**2))
        if square == 1:  # 1 - n/d has lost its digits where (d - n)/d has not
            square, rest = squares_in(sign * (below - over) * (below + over) / below**2)
        if square == 1:  # f² is a ratio, though f has a root, as x/√(x² + y²)
            over, below = sp.together(1 - f**2).as_numer_denom()
            square, rest = squares_in(sign * sp.expand(over) / below)
        if square == 1 or rest.is_negative:
            return e
        root = sp.Abs(square) * sp.sqrt(rest)
        if isinstance(e, sp.acosh):
            return sp.asinh(root)
        return 2 * sp.atan(f / (1 + root)) if isinstance(e, sp.asin) else Unwound(sp.atan2(root, f), sp.pi / 2)
    return e


def squares_in(e: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Return g and r with g² r equal to an expression; g is 1 if no square is found."""
    square, rest = sp.S.One, sp.S.One
    for factor in sp.Mul.make_args(e):
        root = None if factor.is_number else _root_of(factor)
        if root is None:
            rest *= factor
        else:
            square, rest = square * root[0], rest * root[1]
    return square, rest


def _root_of(e: sp.Expr) -> tuple[sp.Expr, sp.Expr] | None:
    """Return g and a number r with g² r equal to an expression that is no product; None if there are none."""
    if isinstance(e, sp.Pow):
        return (e.base ** (e.exp / 2), sp.S.One) if e.exp.is_Integer and e.exp.is_even else None
    return (_root_of_circle(e) or _root_of_polynomial(e)) if isinstance(e, sp.Add) else None


HALVES: dict[tuple[type, int], Callable[[sp.Expr], sp.Expr]] = {
    (sp.cos, 1): lambda u: sp.cos(u / 2),
    (sp.cos, -1): lambda u: sp.sin(u / 2),
    (sp.sin, 1): lambda u: sp.cos(u / 2 - sp.pi / 4),
    (sp.sin, -1): lambda u: sp.sin(u / 2 - sp.pi / 4),
    (sp.cosh, -1): lambda u: sp.sinh(u / 2),
}
"""The root of (1 ± cos u)/2, (1 ± sin u)/2, and of (cosh u - 1)/2, by the function and the sign before it."""
WHOLES: dict[type, tuple[Callable[[sp.Expr], sp.Expr], int]] = {
    sp.cos: (sp.sin, 1), sp.sin: (sp.cos, 1), sp.cosh: (sp.sinh, -1)
}  # fmt: skip
"""The root of 1 - cos² u, of 1 - sin² u, and of -(1 - cosh² u), with the sign of the square."""


def _root_of_circle(e: sp.Expr) -> tuple[sp.Expr, sp.Expr] | None:
    """Return g and r with g² r = c (1 ± f(u)) or c (1 - f(u)²), where f is cos, sin or cosh and c a constant."""
    constant, moving = e.as_independent(*e.atoms(sp.cos, sp.sin, sp.cosh), as_Add=True)
    factor, f = moving.as_independent(*moving.atoms(sp.cos, sp.sin, sp.cosh), as_Add=False)
    ratio = factor / constant if constant != 0 else sp.S.Zero
    if not ratio.is_number or abs(ratio) - 1 != 0:
        return None
    sign = 1 if ratio > 0 else -1
    if isinstance(f, sp.Pow) and f.exp == 2 and sign == -1 and f.base.func in WHOLES:
        root, turn = WHOLES[f.base.func]
        return root(f.base.args[0]), turn * constant
    if (f.func, sign) in HALVES:
        turn = -1 if f.func == sp.cosh else 1
        return HALVES[f.func, sign](f.args[0]), 2 * turn * constant
    return None


def _root_of_polynomial(e: sp.Expr) -> tuple[sp.Expr, sp.Expr] | None:
    """Return g and r if an expression is r times the square of a polynomial. In one variable, and for the square of a
    linear polynomial, numbers are those of floating-point arithmetic."""
    if e.count_ops() > LONG:
        return None
    try:
        p = sp.Poly(e)
        terms = {powers: float(value) for powers, value in p.terms()}
    except (sp.PolynomialError, TypeError):
        return None
    degree, many = p.total_degree(), len(p.gens)
    if degree % 2 or not 0 < degree <= MOST:
        return None
    if many > 1 and degree > 2:  # parameters are variables here, too; numbers count to the last digit
        content, factors = sp.Poly({powers: sp.Rational(c) for powers, c in terms.items()}, *p.gens).sqf_list()
        if not factors or any(often % 2 for _, often in factors):
            return None
        return sp.prod(f.as_expr() ** (often // 2) for f, often in factors), content
    if many > 1:
        monomials = [(0,) * many, *(tuple(int(k == j) for k in range(many)) for j in range(many))]
    else:
        monomials = [(k,) for k in range(degree // 2, -1, -1)]
    # coefficients of g in this order, the first with a square first: c_k = (t_{1k} - Σ c_i c_j) / (2 c_1)
    lead = max(monomials, key=lambda m: (sum(m) if many == 1 else 0, terms.get(tuple(2 * k for k in m), 0.0)))
    scale = terms.get(tuple(2 * k for k in lead), 0.0)
    if not scale > 0.0:
        return None
    found: dict[tuple[int, ...], float] = {lead: 1.0}
    for m in (one for one in monomials if one != lead):
        product = _times(lead, m)
        others = sum(
            found[a] * found[b] for a in found for b in found if lead not in (a, b) and _times(a, b) == product
        )
        found[m] = (terms.get(product, 0.0) / scale - others) / 2.0
    made: dict[tuple[int, ...], list[float]] = {}
    for a in found:
        for b in found:
            made.setdefault(_times(a, b), []).append(found[a] * found[b])
    for powers in {*made, *terms}:
        parts, own = made.get(powers, []), terms.get(powers, 0.0) / scale
        if abs(sum(parts) - own) > ROUNDOFF * (sum(map(abs, parts)) + abs(own)):
            return None
    numbers = {m: sp.Integer(int(c)) if c.is_integer() else sp.Float(c) for m, c in (*found.items(), ((), scale))}
    g = sum((numbers[m] * sp.prod(x**k for x, k in zip(p.gens, m, strict=True)) for m in found), sp.S.Zero)
    return g, numbers[()]


def _times(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return the powers of the product of two monomials."""
    return tuple(i + j for i, j in zip(a, b, strict=True))
