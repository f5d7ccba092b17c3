"""Formulas: what stands in them, whatever they are written in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import sympy as sp

LETTERS = re.compile(r"[^\W_]+(_[^\W_]+)*")
"""Names that are letters with indices. Others are set as they are."""
LINE = 70
"""Characters, as sympy counts them, of what is not broken."""
DIGITS = 6


@dataclass(frozen=True)
class Bold:
    """The name of a vector or a matrix: Bold("Phi", below="q")."""

    name: str
    below: str = ""
    above: str = ""
    dots: int = 0


Part: TypeAlias = Any
"""An expression or a matrix of sympy, a `Bold` name, or a text: an operator, such as "=" or "+"."""


@dataclass(frozen=True)
class Math:
    """Parts of a formula, one after the other."""

    parts: tuple[Part, ...]

    def __init__(self, *parts: Part):
        object.__setattr__(self, "parts", parts)


def rounded(number: float, digits: int = DIGITS) -> sp.Expr:
    """A number as it is shown."""
    shown = float(f"{number:.{digits}g}")
    return sp.Integer(int(shown)) if shown.is_integer() and abs(shown) < 10**digits else sp.Float(shown)


def in_digits(e: sp.Expr, digits: int = DIGITS) -> sp.Expr:
    """An expression with its decimal numbers as they are shown."""
    return e.xreplace({f: rounded(float(f), digits) for f in e.atoms(sp.Float)})


def pieces(e: sp.Expr, *before: Part) -> tuple[Math, ...]:
    """An expression with what stands before it, in pieces between which a line may end."""
    terms = sp.Add.make_args(e)
    long = next(islice(sp.preorder_traversal(e), 2 * LINE, None), None) is not None  # seen without printing it
    if len(terms) == 1 or not long and len(str(e)) <= LINE:
        return (Math(*before, e),)
    return tuple(_grouped(e, before))


def _grouped(e: sp.Expr, before: tuple[Part, ...]) -> Iterator[Math]:
    group: list[Part] = [*before]
    length, first = 0, True
    for term in e.as_ordered_terms():
        negative = term.could_extract_minus_sign()
        shown = -term if negative else term
        own = len(str(shown))
        if length and length + own > LINE:
            yield Math(*group)
            group, length = [], 0
        sign = "-" if negative else "" if first else "+"
        group += [sign, _enclosed(shown)] if sign else [_enclosed(shown)]
        length, first = length + own + 3, False
    yield Math(*group)


def _enclosed(term: sp.Expr) -> Part:
    """A term that is a sum again when its sign is taken out stands in parentheses."""
    return sp.Mul(1, term, evaluate=False) if term.is_Add else term
