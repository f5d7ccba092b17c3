"""Define the parts of a paper and of its formulas, independent of the format in which they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import sympy as sp

LETTERS = re.compile(r"[^\W_]+(_[^\W_]+)*")
"""Names that consist of letters and indices; other names are set as they are."""
LINE = 70
"""The number of characters, as sympy prints them, up to which an expression is not broken."""
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


# --- papers ---

Inline: TypeAlias = "str | Math"
Cell: TypeAlias = "str | Math | tuple[str | Math, ...]"


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph of words and short formulas."""

    parts: tuple[Inline, ...]

    def __init__(self, *parts: Inline):
        object.__setattr__(self, "parts", parts)


@dataclass(frozen=True)
class Formula:
    """A formula on its own line."""

    math: Math


@dataclass(frozen=True)
class PaperTable:
    """Rows below a head. Columns contain words ("l") or numbers ("r"), or take the remaining width ("w")."""

    columns: str
    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


Block: TypeAlias = "Heading | Text | Formula | PaperTable"


@dataclass(frozen=True)
class Paper:
    title: str
    blocks: tuple[Block, ...]


def parts_of(cell: Cell) -> tuple[Inline, ...]:
    return cell if isinstance(cell, tuple) else (cell,)


# --- formulas ---


def rounded(number: float, digits: int = DIGITS) -> sp.Expr:
    """Return a number as it is printed, with this many significant digits."""
    shown = float(f"{number:.{digits}g}")
    return sp.Integer(int(shown)) if shown.is_integer() and abs(shown) < 10**digits else sp.Float(shown)


def in_digits(e: sp.Expr, digits: int = DIGITS) -> sp.Expr:
    """Return an expression whose decimal numbers are rounded as they are printed."""
    return e.xreplace({f: rounded(float(f), digits) for f in e.atoms(sp.Float)})


def pieces(e: sp.Expr, *before: Part) -> tuple[Math, ...]:
    """Return an expression, preceded by `before`, in pieces between which a line may break."""
    terms = sp.Add.make_args(e)
    long = next(islice(sp.preorder_traversal(e), 2 * LINE, None), None) is not None  # counted without printing
    if len(terms) == 1 or not long and len(str(e)) <= LINE:
        return (Math(*before, e),)
    return tuple(_grouped(e, before))


def _grouped(e: sp.Expr, before: tuple[Part, ...]) -> Iterator[Math]:
    group: list[Part] = [*before]
    length, first = 0, True
    for term in e.as_ordered_terms():
        negative = term.could_extract_minus_sign()
        shown = -term if negative else term
        width = len(str(shown))
        if length and length + width > LINE:
            yield Math(*group)
            group, length = [], 0
        sign = "-" if negative else "" if first else "+"
        # a term that is still a sum after its sign was extracted stands in parentheses
        factor = sp.Mul(1, shown, evaluate=False) if shown.is_Add else shown
        group += [sign, factor] if sign else [factor]
        length, first = length + width + 3, False
    yield Math(*group)
