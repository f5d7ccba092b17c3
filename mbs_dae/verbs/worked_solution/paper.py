"""A worked solution as a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import sympy as sp

from ...documents import Bold, Formula, Heading, Math, Paper, Table, Text, pieces, rounded
from ...documents.paper import Block, Cell, in_digits
from ...errors import counted
from ...model.drivers import Prescribed
from ...symbolic.functions import as_sympy
from ...symbolic.markers import t as time
from ...unit_system import current, shown
from ..equations.saving import abbreviated, abbreviations, between, matrix, symbols

DIGITS = 7
ACROSS = 8
"""Number of iterates in the columns of one table."""
WIDEST = 12
"""Greatest number of columns of a matrix of numbers that is printed as a matrix."""


def paper_of(solution: Any) -> Paper:
    title = f"Worked solution: {solution.model.name}, t = {solution.t:g} s"
    blocks = (*_mechanism(solution), *_equations(solution), *_positions(solution))
    blocks += (*_velocities(solution), *_accelerations(solution), *_result(solution), *_checks(solution))
    return Paper(title, blocks)


def _mechanism(solution: Any) -> Iterator[Block]:
    model, eq = solution.model, solution.equations
    yield Heading("The mechanism")
    yield from symbols(eq)
    numbers = {name: number for number, name in eq.bodies.items()}
    rows: list[tuple[Cell, ...]] = []
    for element in model.conditions:
        numbers_of_rows = [str(k + 1) for k, (who, _) in enumerate(eq.rows) if who == element.name]
        bodies = [f"{numbers.get(m.body.name, 1)} ({m.body.name})" for m in element.markers]
        kind = "driver" if isinstance(element, Prescribed) else element.kind
        rows.append((element.name, kind, " and ".join(bodies), ", ".join(numbers_of_rows)))
    yield Table("llwl", ("element", "kind", "between bodies", "rows"), tuple(rows))
    n, m, k = len(eq.v), len(eq.rows), len(solution.kept)
    yield Text(f"There are {n} coordinates to find, and {m} equations.", *_counted(solution, n, m, k))
    if solution.given:
        cells = tuple((name, Math(rounded(float(x), DIGITS))) for name, x in solution.given.items())
        yield Text(
            "No driver moves these; they are given, and held at this instant. Rates that are not given are zero."
        )
        yield Table("lr", ("quantity", "value"), cells)


def _counted(solution: Any, n: int, m: int, k: int) -> Iterator[str | Math]:
    if solution.singular:
        return
    if m > k:
        left = [str(row + 1) for row in range(m) if row not in solution.kept]
        rows = f"Row {left[0]} follows" if len(left) == 1 else f"Rows {', '.join(left)} follow"
        yield f" {rows} from the others and may be left out; what is left out must hold in the end, too."
    yield " So "
    yield Math(sp.Integer(n), "-", sp.Integer(k), "=", sp.Integer(n - k))
    yield " degrees of freedom are left with the drivers at work."


def _equations(solution: Any) -> Iterator[Block]:
    eq = solution.equations
    yield Heading("The equations")
    yield Text("Each joint and each driver says what must vanish:")
    yield from matrix(eq, "Phi")
    yield Text("In numbers, at ", Math(time, "=", rounded(solution.t, DIGITS)), " s:")
    numbers = {**eq.parameters, time: solution.t}
    values = {s: sp.Float(x) for s, x in numbers.items()}
    short, entries = abbreviated([in_digits(as_sympy(e).xreplace(values).evalf(15)) for e in eq.readable("Phi")])
    if short:
        yield abbreviations(short)
    rows = [(str(k), between((*pieces(e), Math("=", sp.S.Zero)))) for k, e in enumerate(entries, start=1)]
    yield Table("rw", ("row", Math(Bold("Phi"))), tuple(rows))
    yield Text("Differentiated by the coordinates" + (", as bodies move and turn:" if len(eq.turns) else ":"))
    yield from matrix(eq, "Phi_q")


def _positions(solution: Any) -> Iterator[Block]:
    eq, iterates = solution.equations, solution.iterates
    yield Heading("Position: Newton's method")
    step, add = (("Δ", Bold("q")), "+") if not len(eq.turns) else (("Δ",), "⊕")
    after = (Bold("q"), "←", Bold("q"), add, *step)
    yield Formula(Math(Bold("Phi", below="q"), *step, "=", "-", Bold("Phi"), ",  ", *after))
    if len(eq.turns):
        turn = "The step has a change of place and a small turn, in body axes, of each body. A turn d takes the "
        yield Text(turn, "quaternion e to e + e (0, d)/2, which is then made a unit quaternion again.")
    start = "the placement of the bodies in the model"
    if solution.started_at is not None:
        start = f"the pose of the motion at t = {solution.started_at:g} s; from the placement the method goes elsewhere"
    yield Text(f"Start values: {start}. The method ends when the largest residual is nothing but roundoff.")
    names = [*eq.q]
    for first in range(0, len(iterates), ACROSS):
        group = [*enumerate(iterates)][first : first + ACROSS]
        rows: list[tuple[Cell, ...]] = [
            (Math(s), *(Math(rounded(it.q[k], DIGITS)) for _, it in group)) for k, s in enumerate(names)
        ]
        rows.append((Math("|", Bold("Phi"), "|."), *(f"{it.size:.1e}" for _, it in group)))
        yield Table("l" + "r" * len(group), ("iterate", *(str(k) for k, _ in group)), tuple(rows))
    told = f"After {counted(len(iterates) - 1, 'step')} the equations hold."
    if len(iterates) >= 4 and not solution.singular:
        told += " Near the solution the digits that are right double from step to step."
    yield Text(told)


def _rate(eq: Any, dots: int) -> Bold:
    if not len(eq.turns):
        return Bold("q", dots=dots)
    return Bold("v", dots=dots - 1)


def _velocities(solution: Any) -> Iterator[Block]:
    eq = solution.equations
    yield Heading("Velocity")
    yield Formula(Math(Bold("Phi", below="q"), _rate(eq, 1), "=", Bold("nu")))
    yield from matrix(eq, "nu")
    yield Text("In numbers, at this pose:")
    yield from _numbers(solution.Phi_q, solution)
    yield from _column(Bold("nu"), solution.nu, eq)
    yield from _missing(solution)


def _accelerations(solution: Any) -> Iterator[Block]:
    eq = solution.equations
    yield Heading("Acceleration")
    yield Formula(Math(Bold("Phi", below="q"), _rate(eq, 2), "=", Bold("gamma")))
    yield from matrix(eq, "gamma")
    if solution.a is not None:
        yield Text("In numbers, with the velocities found:")
        yield from _column(Bold("gamma"), solution.gamma, eq)


def _numbers(jacobian: np.ndarray, solution: Any) -> Iterator[Block]:
    eq = solution.equations
    shown = sp.Matrix([[rounded(_clean(x), 4) for x in row] for row in jacobian.tolist()])
    if jacobian.shape[1] <= WIDEST:
        yield Formula(Math(Bold("Phi", below="q"), "=", shown))
        return
    rows = []
    for k, row in enumerate(shown.tolist()):
        cells: list[str | Math] = []
        for symbol, entry in zip(eq.v, row, strict=True):
            if entry != 0:
                cells += [",  "] * bool(cells) + [Math(symbol, ":", entry)]
        rows.append((str(k + 1), tuple(cells)))
    yield Table("rw", ("row", (Math(Bold("Phi", below="q")), ", entries that are not zero")), tuple(rows))


def _clean(number: float) -> float:
    """Return the number, or 0 below 1e-12, such as the roundoff of a sine of π."""
    return 0.0 if abs(number) < 1e-12 else float(number)


def _column(name: Bold, numbers: np.ndarray, eq: Any) -> Iterator[Block]:
    rows = [(str(k + 1), eq.rows[k][0], Math(rounded(x, DIGITS))) for k, x in enumerate(map(_clean, numbers)) if x]
    if rows:
        yield Table("rlr", ("row", "of", Math(name)), tuple(rows))
    if len(rows) < len(numbers):
        yield Text("All other rows are zero." if rows else "All rows are zero.")


def _missing(solution: Any) -> Iterator[Block]:
    if not solution.singular:
        return
    statement = solution.singular.partition(";")[0].rstrip(".")  # without the advice
    statement = f"{statement[:1].upper()}{statement[1:]}."
    yield Text(f"The Jacobian is singular at this pose, and cannot be solved for velocities. {statement}")
    values = np.linalg.svd(solution.Phi_q, compute_uv=False)
    yield Text(f"Its smallest singular value is {values[-1]:.1e}, its largest {values[0]:.1e}.")
    v = np.linalg.lstsq(solution.Phi_q, solution.nu, rcond=1e-5)[0]
    gap = np.abs(solution.Phi_q @ v - solution.nu).max(initial=0.0)
    if gap > 1e-3 * max(1.0, np.abs(solution.nu).max(initial=0.0)):
        yield Text(
            "No velocities satisfy these equations: at this dead point there is no motion as the driver asks it."
        )
    else:
        yield Text("More than one velocity satisfies these equations; they alone do not decide how the motion goes on.")


def _result(solution: Any) -> Iterator[Block]:
    eq = solution.equations
    if solution.v is None:
        return
    yield Heading("Result")
    if not len(eq.turns):
        cells: list[tuple[Cell, ...]] = [
            (Math(s), *(Math(rounded(_clean(x[k]), DIGITS)) for x in (solution.q, solution.v, solution.a)), _unit(s))
            for k, s in enumerate(eq.q)
        ]
        head = ("", Math(Bold("q")), Math(Bold("q", dots=1)), Math(Bold("q", dots=2)), "unit, /s, /s²")
        yield Table("lrrrl", head, tuple(cells))
        motion = [(s, [x[k] for x in (solution.q, solution.v, solution.a)]) for k, s in enumerate(eq.q)]
        yield from _unit_tables((head[1:4], 0, motion))
        return
    places = [(Math(s), Math(rounded(_clean(x), DIGITS)), _unit(s)) for s, x in zip(eq.q, solution.q, strict=True)]
    yield Table("lrl", ("", Math(Bold("q")), "unit"), tuple(places))
    rates: list[tuple[Cell, ...]] = [
        (Math(s), *(Math(rounded(_clean(x[k]), DIGITS)) for x in (solution.v, solution.a)), _unit(s))
        for k, s in enumerate(eq.v)
    ]
    yield Table("lrrl", ("", Math(Bold("v")), Math(Bold("v", dots=1)), "unit /s, /s²"), tuple(rates))
    yield from _unit_tables(
        ([Math(Bold("q"))], 0, [(s, (x,)) for s, x in zip(eq.q, solution.q, strict=True)]),
        (
            [Math(Bold("v")), Math(Bold("v", dots=1))],
            1,
            [(s, [x[k] for x in (solution.v, solution.a)]) for k, s in enumerate(eq.v)],
        ),
    )


def _unit_tables(*tables: tuple[Sequence[Cell], int, Sequence[tuple[sp.Symbol, Iterable[float]]]]) -> Iterator[Block]:
    """Yield tables of values in the chosen units, none if these are SI. Each table is given by the heads of its
    columns, the order in time of the first column, and rows of a symbol and values."""
    if current().is_si:
        return
    yield Text("All numbers on these pages are SI; the same numbers in other units are:")
    for names, order, numbers in tables:
        rows: list[tuple[Cell, ...]] = []
        for symbol, values in numbers:
            cells: list[Cell] = [Math(symbol)]
            for level, value in enumerate(values, order):
                per = ("", "/s", "/s²")[level]
                number, word = shown(_clean(value), (_unit(symbol) or "1" * bool(per)) + per)
                cells += [Math(rounded(float(number), DIGITS)), word]
            rows.append(tuple(cells))
        head = ("", *(cell for name in names for cell in (name, "unit")))
        yield Table("l" + "rl" * len(names), head, tuple(rows))


def _unit(symbol: sp.Symbol) -> str:
    if symbol.name.startswith("e"):
        return "1"
    return "rad" if symbol.name.startswith(("phi", "omega")) else "m"


def _checks(solution: Any) -> Iterator[Block]:
    yield Heading("Check")
    rows: list[tuple[Cell, ...]] = [("equations, all rows", _size(solution.Phi))]
    if solution.v is not None:
        rows.append(("velocity equations, all rows", _size(solution.Phi_q @ solution.v - solution.nu)))
        rows.append(("acceleration equations, all rows", _size(solution.Phi_q @ solution.a - solution.gamma)))
    named = zip(("positions", "velocities", "accelerations"), solution.differences, strict=True)
    rows += [(f"{what}, against mbs.kinematics", f"{x:.1e}") for what, x in named if x is not None]
    yield Table("lr", ("largest residual or difference", ""), tuple(rows))
    if solution.v is not None:
        values = np.linalg.svd(solution.Phi_q[list(solution.kept)], compute_uv=False)
        text = f"The Jacobian is regular: its singular values are from {values[-1]:.3g} to {values[0]:.3g}."
        yield Text(f"{text} So the mechanism with its drivers has no freedom left, and this is not a dead point.")


def _size(numbers: np.ndarray) -> str:
    return f"{np.abs(numbers).max(initial=0.0):.1e}"
