"""First and second derivatives of a relation, without swelling.

Common parts of long rows are named first: w₁ = f₁(m, t), w₂ = f₂(m, w₁, t), ... Each name gets a rate and a second rate
of its own, by the chain rule with the names kept:

    ẇ_k = Σ_j ∂f_k/∂w_j ẇ_j + ∂f_k/∂m F r + ∂f_k/∂t,        ẅ_k likewise from ẇ_k, with ṙ for v̇ = 0.

So derivatives are about as long as the original expressions, and not as their square. Short rows have no names, and the
rule becomes the plain chain rule.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.logic.boolalg import Boolean

from .functions import Choice, Opaque, Root
from .markers import FormMarker, t, variables

Definition = tuple[sp.Symbol, sp.Expr]
LONG = 60
"""The number of operations from which rows are named in parts."""


@dataclass(frozen=True)
class SymbolicDerivatives:
    """Φ, and the derivatives of ψ = A r + c: ν = -c, γ. They are written in marker symbols and in symbols that `steps`
    define."""

    phi: tuple[sp.Expr, ...]
    A: sp.Matrix
    nu: tuple[sp.Expr, ...]
    gamma: tuple[sp.Expr, ...]
    steps: tuple[Definition, ...]


def differentiate(
    phi: Sequence[sp.Expr], psi: Sequence[sp.Expr], markers: Sequence[FormMarker], others: Sequence[FormMarker] = ()
) -> SymbolicDerivatives:
    """Return the derivatives of rows of Φ(m, t), then of rows of ψ(m, r, t); A is by the rates of the markers, not by
    those of markers on trajectories."""
    _, marker_rates = variables(markers)
    first: dict[sp.Symbol, sp.Expr] = {t: sp.S.One}
    for marker in (*markers, *others):
        first |= dict(zip(marker.m, marker.m_rates, strict=True))

    places, phi = named_in_parts(phi, "w_")
    moving: list[Definition] = []
    for w, f in places:
        rate = sp.Symbol(f"d{w}", real=True)
        moving.append((rate, rate_along(f, first, {})))
        first[w] = rate
    parts, psi = named_in_parts(psi, "u_")
    rows = [*(rate_along(e, first, {}) for e in phi), *psi]
    moving += parts

    second = dict(first)
    for marker in (*markers, *others):
        second |= dict(zip(marker.rates, marker.biases, strict=True))
    steps, rest = [*places], dict.fromkeys(marker_rates, sp.S.Zero)
    slopes: dict[sp.Symbol, dict[sp.Symbol, sp.Expr]] = {}
    for s, e in moving:
        bias = sp.Symbol(f"d{s}", real=True)
        steps += [(s, e), (bias, rate_along(e, second, {}))]
        second[s] = bias
        slopes[s] = _by_names(_gradient(e, marker_rates, slopes), s, steps)
        rest |= _by_names({s: replace_symbols(e, rest)}, "still", steps)

    A = sp.zeros(len(rows), len(marker_rates))
    for k, e in enumerate(rows):
        for rate, slope in _gradient(e, marker_rates, slopes).items():
            A[k, marker_rates.index(rate)] = slope
    nu = tuple(-replace_symbols(e, rest) for e in rows)
    gamma = tuple(-rate_along(e, second, {}) for e in rows)
    return SymbolicDerivatives(tuple(phi), A, nu, gamma, tuple(steps))


def named_in_parts(rows: Sequence[sp.Expr], prefix: str) -> tuple[list[Definition], Sequence[sp.Expr]]:
    """Return names for the common parts of long rows, and the rows written with these names. Opaque functions are kept
    whole."""
    if sum(e.count_ops() for e in rows) < LONG:
        return [], rows
    names: dict[tuple[sp.Expr, ...], Any] = {}

    def hidden(opaque: sp.Expr) -> sp.Expr:
        *function, x = opaque.args
        return names.setdefault(tuple(function), sp.Function(f"whole_{len(names)}"))(x)

    def shown(e: sp.Expr) -> sp.Expr:
        for function, name in names.items():
            e = e.replace(name, lambda x, function=function: Opaque(*function, x))
        return e

    rows = [e.replace(lambda x: isinstance(x, Opaque), hidden) for e in rows]
    parts, rows = sp.cse(rows, symbols=sp.numbered_symbols(prefix, real=True), optimizations=None)
    named: list[Definition] = []
    conditions: dict[sp.Symbol, sp.Basic] = {}  # conditions have no rates, and stay in their places
    for w, f in parts:
        f = f.xreplace(conditions)
        if isinstance(f, Boolean):
            conditions[w] = f
        else:
            named.append((w, shown(f)))
    return named, [shown(e.xreplace(conditions)) for e in rows]


def rate_along(e: sp.Expr, rates: Mapping[sp.Symbol, sp.Expr], cached: dict[sp.Expr, sp.Expr]) -> sp.Expr:
    """Return the rate of an expression, from the rates of its symbols; sums and products are differentiated part by
    part, so that no long expression is differentiated by each of its symbols. Rates are cached in `cached`."""
    if e.is_Symbol:
        return rates.get(e, sp.S.Zero)
    if not e.args:
        return sp.S.Zero
    if e not in cached:
        if e.is_Add:
            cached[e] = sp.Add(*(rate_along(part, rates, cached) for part in e.args))
        elif e.is_Mul:
            parts = ((k, rate_along(part, rates, cached)) for k, part in enumerate(e.args))
            cached[e] = sp.Add(*(sp.Mul(rate, *e.args[:k], *e.args[k + 1 :]) for k, rate in parts if rate != 0))
        elif isinstance(e, Root):
            cached[e] = e.rate(*(rate_along(part, rates, cached) for part in e.args[:2]))
        elif isinstance(e, sp.Piecewise):
            cached[e] = in_pieces((rate_along(piece, rates, cached), where) for piece, where in e.args)
        elif isinstance(e, Choice):
            cached[e] = e.func(e.args[0], *(rate_along(part, rates, cached) for part in e.args[1:]))
        elif e.has(Choice):
            place, parts = sp.Dummy(real=True), ((k, rate_along(part, rates, cached)) for k, part in enumerate(e.args))
            cached[e] = sp.Add(*(
                rate * e.func(*e.args[:k], place, *e.args[k + 1 :]).diff(place).xreplace({place: e.args[k]})
                for k, rate in parts if rate != 0
            ))  # fmt: skip
        else:
            moving = sorted((s for s in e.free_symbols if s in rates), key=str)
            cached[e] = sp.Add(*(_slope(e, s) * rates[s] for s in moving))
    return cached[e]


def in_pieces(pieces: Iterable[tuple[sp.Expr, Boolean]]) -> sp.Expr:
    """Return the Piecewise of some values and conditions. Values that are equal and stand one behind the other become
    one, whose condition is written as it is: sympy would write it as a conjunction, which is exponentially long."""
    merged: list[tuple[sp.Expr, Boolean]] = []
    for value, where in pieces:
        if merged and merged[-1][0] == value:
            merged[-1] = value, sp.Or(merged[-1][1], where)
        else:
            merged.append((value, where))
    return merged[0][0] if len(merged) == 1 and merged[0][1] == True else sp.Piecewise(*merged)  # noqa: E712


def replace_symbols(e: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """Return the expression with values in place of symbols, and its pieces as `in_pieces` writes them."""
    if not e.has(sp.Piecewise):
        return e.xreplace(values)
    if isinstance(e, sp.Piecewise):
        return in_pieces((replace_symbols(piece, values), where.xreplace(values)) for piece, where in e.args)
    return e.func(*(replace_symbols(part, values) for part in e.args))


def _slope(e: sp.Expr, s: sp.Symbol) -> sp.Expr:
    """Return ∂e/∂s between the jumps of steps. sympy leaves the slopes of floor and ceiling undone: they are 0. The
    remainders Mod(x, p) = x - p floor(x/p) and frac(x) = x - floor(x) have the slopes of their smooth parts."""
    if isinstance(e, sp.Piecewise):
        return in_pieces((_slope(piece, s), where) for piece, where in e.args)
    if e.has(sp.Piecewise) and (e.is_Add or e.is_Mul or e.is_Pow):
        place = sp.Dummy(real=True)
        parts = [(k, _slope(part, s)) for k, part in enumerate(e.args)]
        return sp.Add(*(
            slope * e.func(*e.args[:k], place, *e.args[k + 1 :]).diff(place).xreplace({place: e.args[k]})
            for k, slope in parts if slope != 0
        ))  # fmt: skip
    if e.has(sp.Mod, sp.frac):
        e = e.replace(sp.Mod, lambda x, p: x - p * sp.floor(x / p)).replace(sp.frac, lambda x: x - sp.floor(x))
    slope = e.diff(s)
    unevaluated = (sp.Derivative, sp.Subs)
    return (
        slope.replace(lambda x: isinstance(x, unevaluated), lambda x: sp.S.Zero) if slope.has(*unevaluated) else slope
    )


def _gradient(
    e: sp.Expr, rates: Iterable[sp.Symbol], slopes: Mapping[sp.Symbol, Mapping[sp.Symbol, sp.Expr]]
) -> dict[sp.Symbol, sp.Expr]:
    """Return the partial derivatives by the rates of markers, through named parts of e as well."""
    free = e.free_symbols
    out = {r: _slope(e, r) for r in rates if r in free}
    for s in slopes:
        if s in free:
            by_name = _slope(e, s)
            for r, slope in slopes[s].items():
                out[r] = out.get(r, sp.S.Zero) + by_name * slope
    return {r: slope for r, slope in out.items() if slope != 0}


def _by_names(values: Mapping[sp.Symbol, sp.Expr], what: object, steps: list[Definition]) -> dict[sp.Symbol, sp.Expr]:
    """Return the values by names of their own, which are appended to `steps`; numbers stay numbers."""
    out = {}
    for symbol, value in values.items():
        if value.is_Atom:
            out[symbol] = value
            continue
        name = sp.Symbol(f"{what}_{symbol}", real=True)
        steps.append((name, value))
        out[symbol] = name
    return out
