"""A check of hand-written equations against derived ones, entry by entry."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from zlib import crc32

import sympy as sp
from sympy.core.function import AppliedUndef

from ...errors import ModelError
from ...symbolic.functions import Lookup, Wrap, written_out
from ...symbolic.markers import t
from ...symbolic.tidy import exact, expanded, text
from .matrices import BOLD, Matrices


class Difference(NamedTuple):
    """An entry that is not what it should be. `difference` is given minus expected at a random point."""

    matrix: str
    row: int
    column: int
    element: str
    coordinate: sp.Symbol | None
    expected: sp.Expr
    given: sp.Expr
    difference: float | complex

    def __str__(self) -> str:
        column, coordinate = (f", {x}" if self.coordinate else "" for x in (self.column, self.coordinate))
        place = f"{self.matrix}[{self.row}{column}] ({self.element}{coordinate})"
        return f"{place}: expected {text(self.expected)}, got {text(self.given)}"


@dataclass(frozen=True)
class Comparison:
    """True when all entries agree; printed, one line for each that does not."""

    checked: tuple[str, ...]
    differences: tuple[Difference, ...]

    def __bool__(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        return "\n".join(map(str, self.differences)) or f"{', '.join(self.checked)}: every entry agrees"


def compared(eq: Matrices, given: Mapping[str, Any]) -> Comparison:
    """Which entries of the hand-written matrices (by name) differ."""
    if not given:
        raise ModelError(f"compare() was given no matrix; name one of {', '.join(f'{n}=...' for n in BOLD)}")
    points, found = _points(eq), []
    for name, hand_written in given.items():
        derived, matrix = getattr(eq, name), _read(eq, name, hand_written)
        for row, column in sorted({*derived.todok(), *matrix.todok()}):
            expected, got = derived[row, column], matrix[row, column]
            if (gap := _gap(expected, got, points)) is not None:
                found.append(Difference(name, row, column, *eq.place(name, row, column), expected, got, gap))
    return Comparison(tuple(given), tuple(found))


def _read(eq: Matrices, name: str, given: Any) -> sp.Matrix:
    """A hand-written matrix, in the symbols of the equations."""
    (m, n), known = getattr(eq, name).shape, eq.symbols
    cells = given.tolist() if hasattr(given, "tolist") else given
    cells = cells if isinstance(cells, list | tuple) else ()
    cells = [row if isinstance(row, list | tuple) else [row] for row in cells]
    if [len(row) for row in cells] != [n] * m:
        widths = " or ".join(map(str, sorted({len(row) for row in cells})))
        raise ModelError(f"{name} is {m} x {n} (see .rows and .q), not {len(cells)} x {widths or 0}; mend its shape")
    matrix = sp.Matrix(m, n, [_entry(name, cell) for row in cells for cell in row])
    strange = {s.name for s in matrix.free_symbols if s.name not in known and s not in known.values()}
    matrix = matrix.replace(lambda e: isinstance(e, AppliedUndef), lambda f: eq.functions.get(f.name, f.func)(*f.args))
    strange |= {f"{f.func}()" for f in matrix.atoms(AppliedUndef) if f.name not in eq.functions}
    if strange:
        raise ModelError(f"{name} contains unknown symbols: {', '.join(sorted(strange))}; known are {', '.join(known)}")
    return matrix.xreplace({s: known[s.name] for s in matrix.free_symbols if s.name in known})


def _entry(name: str, cell: Any) -> sp.Expr:
    try:
        e = exact(cell)
    except TypeError:
        e = sp.nan
    if e.has(sp.nan, sp.zoo, sp.oo):
        what = f"{cell!r} in {name} is no finite expression"
        raise ModelError(f"{what}; write an entry as in -200 * sp.sin(eq.symbols['phi_3']), without quotes")
    return e


def _points(eq: Matrices, count: int = 12) -> list[dict[sp.Symbol, sp.Rational]]:
    """Random points around the placement and the parameters' values, where roots and quotients mean something.
    Rational, so that nothing is rounded before the end."""
    dice, placed = random.Random(20240607), {*eq.q}

    def near(symbol: sp.Symbol) -> sp.Rational:
        if symbol is t:
            return sp.Rational(10 ** dice.uniform(-2, 1))
        value = eq.values.get(symbol, 0.0)
        spread = 3.0 if symbol in placed else 0.1 * abs(value) or 1.0
        return sp.Rational(value) + sp.Rational(dice.uniform(-spread, spread))

    return [{symbol: near(symbol) for symbol in eq.symbols.values()} for _ in range(count)]


def _gap(expected: sp.Expr, given: sp.Expr, points: list[dict]) -> float | complex | None:
    """None if both mean the same; otherwise given - expected where they differ (nan: nowhere to be evaluated)."""
    if expanded(given - expected) == 0:
        return None
    tolerance = 1e-12 if given.has(sp.Float) or expected.has(sp.Float) else 1e-20
    expected, given = _elementary(expected), _elementary(given)
    terms = [*sp.Add.make_args(expected), *sp.Add.make_args(given)]
    finite = False
    for point in points if (given - expected).has(sp.Piecewise) else points[:3]:
        difference = sp.N((given - expected).xreplace(point), 30)
        scale = sum(abs(sp.N(term.xreplace(point))) for term in terms)
        if difference.is_finite and abs(difference) > tolerance * scale:
            return float(difference) if difference.is_real else complex(difference)
        finite = finite or bool(difference.is_finite)
    return None if finite else float("nan")


def _elementary(e: sp.Expr) -> sp.Expr:
    """For evaluation: wrapping written out, and for each table a smooth function of its own, with its derivatives; for
    each function that has a name only, some function of its name and its arguments."""
    wave = sp.exp(sp.sin(t))
    plain = written_out(e).replace(Wrap, lambda x, period: x - period * sp.floor(x / period))
    plain = plain.replace(
        lambda e: isinstance(e, AppliedUndef),
        lambda f: sp.sin(sp.Add(crc32(f.name.encode()), *(k * x for k, x in enumerate(f.args, start=1)))),
    )
    return plain.replace(Lookup, lambda table, order, x: wave.diff(t, int(order)).xreplace({t: x + table}))
