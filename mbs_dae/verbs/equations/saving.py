"""The equations of a system in files: documents to read, and functions of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import sympy as sp
from sympy.simplify.cse_main import tree_cse

from ...documents import ENDINGS as PAPERS
from ...documents import Bold, Heading, Math, Paper, Table, Text, as_text, pieces, rounded, write
from ...documents.paper import Block, Cell, in_digits
from ...symbolic.functions import as_sympy
from .code import PLANE, SPACE, code
from .matrices import IN_COLUMNS, Matrices

CODE = {".c": "C", ".js": "JavaScript", ".mjs": "JavaScript", ".py": "Python"}
ENDINGS = (*PAPERS, *CODE)
FULL = 15
"""Digits of numbers in saved equations."""
LONG, SHORT = 120, 4
"""Symbols, numbers and operations of an expression that gets abbreviations; operations of one that needs no name."""
NAMES = {
    "Phi": Bold("Phi"), "Phi_q": Bold("Phi", below="q"), "nu": Bold("nu"), "gamma": Bold("gamma"), "M": Bold("M"),
    "Q": Bold("Q"), "zdot": Bold("z", dots=1),
}  # fmt: skip
TITLES = {
    "Phi": "Position equations", "Phi_q": "Jacobian", "nu": "Right sides of the velocities",
    "gamma": "Right sides of the accelerations", "M": "Mass matrix", "Q": "Forces", "zdot": "Rates of the states",
}  # fmt: skip


def saved(eq: Matrices, path: str | Path, names: Sequence[str]) -> Path:
    def text(ending: str) -> str:
        return code(eq, CODE[ending], names) if ending in CODE else as_text(paper(eq, names), ending)

    return write(path, [*ENDINGS], text)


def paper(eq: Matrices, names: Sequence[str]) -> Paper:
    """Return a document of the equations and the meaning of their symbols."""
    blocks: list[Block] = [Heading("Symbols"), *symbols(eq)]
    for name in names:
        blocks += [Heading(TITLES[name]), *matrix(eq, name)]
    by = "".join(f", differentiated by {s.name}" for s in eq.by)
    return Paper(f"Equations of {eq.name}{by}", tuple(blocks))


def symbols(eq: Matrices) -> Iterator[Block]:
    """Yield tables of bodies, coordinates, parameters and inputs."""
    rates = Bold("q", dots=1) if len(eq.q) == len(eq.v) else Bold("v")
    moving = max(1, len({s.name.rpartition("_")[2] for s in eq.v}))
    width, height = len(eq.q) // moving, len(eq.v) // moving
    yield Text("Coordinates of the frame of each body, and their rates. ", f"Units: {SPACE if eq.turns else PLANE}.")
    moving_bodies = [number for number, name in eq.bodies.items() if any(s.name.endswith(f"_{number}") for s in eq.q)]
    still = [n for n in eq.bodies if n not in moving_bodies]
    rows: list[tuple[Cell, ...]] = [(str(n), eq.bodies[n], "stands still", "") for n in still]
    for k, number in enumerate(moving_bodies):
        q, v = eq.q[width * k : width * (k + 1)], eq.v[height * k : height * (k + 1)]
        rows.append((str(number), eq.bodies[number], _with_commas(q), _with_commas(v)))
    yield Table("llww", ("body", "name", Math(Bold("q")), Math(rates)), tuple(rows))
    if eq.parameters:
        cells = [(Math(s), Math(rounded(x, FULL)), eq.units.get(s, "")) for s, x in eq.parameters.items()]
        yield Table("lrl", ("parameter", "value", "unit"), tuple(cells))
    if eq.laws:
        laws = [(Math(s), Math(in_digits(law, FULL)), eq.units.get(s, "")) for s, law in eq.readable_laws.items()]
        yield Table("lwl", ("input", "law in the model", "unit"), tuple(laws))
    if len(eq.z):
        states = [(Math(s), Math(rounded(eq.placement[s], FULL))) for s in eq.z]
        yield Table("lr", ("state", "at the start"), tuple(states))


def _with_commas(expressions: Sequence[sp.Expr]) -> tuple[str | Math, ...]:
    """Return the expressions with commas between them, after each of which a line may end."""
    cells: list[str | Math] = []
    for e in expressions:
        cells += [", ", Math(e)] if cells else [Math(e)]
    return tuple(cells)


def matrix(eq: Matrices, name: str, digits: int = FULL) -> Iterator[Block]:
    """Yield the entries of a matrix that are not zero, row by row; long entries get abbreviations."""
    shown = eq.readable(name)
    by_columns = name in IN_COLUMNS
    places = sorted(shown.todok())
    short, entries = abbreviated([in_digits(shown[place], digits) for place in places])
    if short:
        yield abbreviations(short)
    rows: dict[int, list[str | Math]] = {}
    for (row, column), e in zip(places, entries, strict=True):
        cells = rows.setdefault(row, [])
        cells += [",  "] if cells else []
        cells += between(pieces(e, eq.place(name, row, column)[1], ":") if by_columns else pieces(e))
    by = [part for s in eq.by for part in (" by ", Math(s))]
    head = ("row", "of", (Math(NAMES[name]), *by, ", entries that are not zero, by columns" if by_columns else ""))
    own = [(str(row + 1), eq.place(name, row, 0)[0], tuple(cells)) for row, cells in rows.items()]
    if name == "Phi" and not eq.by:
        own = [(row, who, (*cells, " ", Math("=", sp.S.Zero))) for row, who, cells in own]
    if own:
        yield Table("rlw", head, tuple(own))
    if shown.rows > len(rows):
        yield Text("All other rows are zero." if own else "All rows are zero.")


def abbreviations(short: Sequence[tuple[sp.Symbol, sp.Expr]]) -> Table:
    return Table("w", ("with the abbreviations",), tuple((between(pieces(e, s, "=")),) for s, e in short))


def abbreviated(entries: Sequence[sp.Expr]) -> tuple[list[tuple[sp.Symbol, sp.Expr]], list[sp.Expr]]:
    """Return abbreviations of expressions that occur more than once, if entries are long, and the entries in these
    terms. Short expressions get no abbreviation."""
    if all(next(islice(sp.preorder_traversal(e), LONG, None), None) is None for e in entries):
        return [], [*entries]
    symbols = {s for e in entries for s in e.free_symbols}
    temporaries, reduced = tree_cse(entries, sp.numbered_symbols("w", exclude=symbols))
    inlined: dict[sp.Symbol, sp.Expr] = {}
    definitions = []
    for symbol, value in temporaries:
        value = value.xreplace(inlined)
        if sp.count_ops(value) <= SHORT:
            inlined[symbol] = value
        else:
            definitions.append((symbol, value))
    letter = next(c for c in "wWuUhH" if not any(s.name.startswith(f"{c}_") for s in symbols))
    numbered = {symbol: sp.Symbol(f"{letter}_{k}") for k, (symbol, _) in enumerate(definitions, start=1)}
    renamed = {**{s: e.xreplace(numbered) for s, e in inlined.items()}, **numbered}
    short = [(numbered[s], e.xreplace(renamed)) for s, e in definitions]
    return short, [as_sympy(e).xreplace(renamed) for e in reduced]


def between(parts: Sequence[Math]) -> tuple[str | Math, ...]:
    """Return the pieces of a formula with spaces between them, where lines may end."""
    return tuple(part for one in parts for part in (" ", one))[1:]
