"""Expressions in the form of a book. The meaning never changes."""

from collections.abc import Sequence
from itertools import islice
from math import prod
from typing import Any

import sympy as sp

from .functions import as_sympy

LONG = 100
"""The number of terms above which an expression is not multiplied out."""
UNREADABLE = 3000
"""The number of symbols, numbers and operations above which an expression is not sorted either."""


def exact(number: Any) -> sp.Expr:
    """Return a number as sympy, with 100.0 as 100. Other decimal numbers are not changed: 0.1 stays a float."""
    e = as_sympy(number)
    whole = [f for f in _parts(e) if f.is_Float and float(f).is_integer() and abs(f) < 1e15]
    return e.xreplace({f: sp.Integer(int(f)) for f in whole}) if whole else e


def _parts(e: sp.Basic) -> set[sp.Basic]:
    """Return all parts of an expression, each once: as a tree a long expression is many times as long."""
    found, rest = {e}, [e]
    while rest:
        new = {*rest.pop().args} - found
        found |= new
        rest += new
    return found


def tidy(e: sp.Expr, rates: Sequence[sp.Symbol] = ()) -> sp.Expr:
    """Return the expression as derived, or sorted by products of rates, whichever is shorter. The meaning never
    changes."""
    e = exact(e)
    if next(islice(sp.preorder_traversal(e), UNREADABLE, None), None) is not None:
        return e
    factors: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(expanded(e)):
        factor, product = term.as_independent(*rates, as_Add=False)
        factors[product] = factors.get(product, sp.S.Zero) + factor
    return min(sp.Add(*(product * _one(factor) for product, factor in factors.items())), e, key=sp.count_ops)


def _one(e: sp.Expr) -> sp.Expr:
    """Use sin² + cos² = 1 if the result is shorter."""
    squares = {c**2: 1 - sp.sin(*c.args) ** 2 for c in e.atoms(sp.cos)}
    return min(e, expanded(e.xreplace(squares)), key=sp.count_ops) if squares else e


def expanded(e: sp.Expr) -> sp.Expr:
    """Return the expression with sums and products multiplied out, but nothing inside a function or a quotient;
    unchanged if it would get long."""
    if _length(e) > LONG:
        return e
    functions = [x for x in e.atoms(sp.Function, sp.Pow) if not _is_power(x)]
    inside = {x: sp.Symbol(f"inside {k}") for k, x in enumerate(functions)}
    return sp.expand(e.xreplace(inside)).xreplace({symbol: x for x, symbol in inside.items()})


def _length(e: sp.Expr) -> int:
    """Return the number of terms of the expression after multiplying out."""
    if e.is_Add or e.is_Mul:
        return (sum if e.is_Add else prod)(map(_length, e.args))
    return _length(e.base) ** int(e.exp) if _is_power(e) else 1


def _is_power(e: sp.Expr) -> bool:
    return e.is_Pow and e.exp.is_Integer and e.exp > 0


def text(e: sp.Expr) -> str:
    return sp.sstr(e, full_prec=False)
