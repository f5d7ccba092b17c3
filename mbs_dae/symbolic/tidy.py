"""Expressions as a book would print them. Never a change of meaning."""

from collections.abc import Sequence
from itertools import islice
from math import prod
from typing import Any

import sympy as sp

from .functions import as_sympy

LONG = 100
"""Terms above which an expression is not multiplied out."""
UNREADABLE = 3000
"""Symbols, numbers and operations above which an expression is not sorted either."""


def exact(number: Any) -> sp.Expr:
    """As sympy, with 100.0 as 100. Other decimal numbers stay what they are: whoever wrote 0.1 meant a float."""
    e = as_sympy(number)
    whole = [f for f in _parts(e) if f.is_Float and float(f).is_integer() and abs(f) < 1e15]
    return e.xreplace({f: sp.Integer(int(f)) for f in whole}) if whole else e


def _parts(e: sp.Basic) -> set[sp.Basic]:
    """All that it is made of, each once: as a tree a long expression is many times as long."""
    found, rest = {e}, [e]
    while rest:
        new = {*rest.pop().args} - found
        found |= new
        rest += new
    return found


def tidy(e: sp.Expr, rates: Sequence[sp.Symbol] = ()) -> sp.Expr:
    """As derived, or sorted by products of rates, whichever is shorter. Never a change of meaning."""
    e = exact(e)
    if next(islice(sp.preorder_traversal(e), UNREADABLE, None), None) is not None:
        return e
    factors: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(expanded(e)):
        factor, product = term.as_independent(*rates, as_Add=False)
        factors[product] = factors.get(product, sp.S.Zero) + factor
    return min(sp.Add(*(product * _one(factor) for product, factor in factors.items())), e, key=sp.count_ops)


def _one(e: sp.Expr) -> sp.Expr:
    """sin² + cos² = 1, where that makes it shorter."""
    squares = {c**2: 1 - sp.sin(*c.args) ** 2 for c in e.atoms(sp.cos)}
    return min(e, expanded(e.xreplace(squares)), key=sp.count_ops) if squares else e


def expanded(e: sp.Expr) -> sp.Expr:
    """Sums and products multiplied out, nothing inside a function or a quotient; left alone where it would get long."""
    if _length(e) > LONG:
        return e
    functions = [x for x in e.atoms(sp.Function, sp.Pow) if not _is_power(x)]
    inside = {x: sp.Symbol(f"inside {k}") for k, x in enumerate(functions)}
    return sp.expand(e.xreplace(inside)).xreplace({symbol: x for x, symbol in inside.items()})


def _length(e: sp.Expr) -> int:
    """How many terms there are when everything is multiplied out."""
    if e.is_Add or e.is_Mul:
        return (sum if e.is_Add else prod)(map(_length, e.args))
    return _length(e.base) ** int(e.exp) if _is_power(e) else 1


def _is_power(e: sp.Expr) -> bool:
    return e.is_Pow and e.exp.is_Integer and e.exp > 0


def text(e: sp.Expr) -> str:
    return sp.sstr(e, full_prec=False)
