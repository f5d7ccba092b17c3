"""The matrices of a system's equations, and what their symbols are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from ...model.tables import TableSymbol
from ...symbolic.functions import written_out
from ...symbolic.markers import t

SIX = {"Phi": r"\Phi", "Phi_q": r"\Phi_{q}", "nu": r"\nu", "gamma": r"\gamma", "M": "M", "Q": "Q"}
BOLD = {**SIX, "zdot": r"\dot{z}"}
"""The matrices, and how they are set (in bold)."""
IN_COLUMNS = ("Phi_q", "M")
"""Those that have several; the others are one."""

TOLD = {
    "Phi": "Φ, what is zero: the equations of positions.",
    "Phi_q": "Φ_q, the derivatives of Φ; in space Φ_v, by velocities.",
    "nu": "ν, the right side of the velocities: Φ_q q̇ = ν.",
    "gamma": "γ, the right side of the accelerations: Φ_q q̈ = γ.",
    "M": "M, the masses.",
    "Q": "Q, all forces but those of joints.",
    "zdot": "The rates of states.",
}


def _plain(name: str) -> cached_property[sp.ImmutableMatrix]:
    """A matrix in functions that sympy can evaluate and turn into code."""

    def read(eq: Any) -> sp.ImmutableMatrix:
        return eq.printed[name].applyfunc(written_out)

    read.__doc__ = TOLD[name]
    return cached_property(read)


@dataclass(frozen=True, eq=False, repr=False)
class Matrices:
    """All that is said of them; `SystemEquations` tells what can be done with them."""

    name: str
    bodies: Mapping[int, str]
    rows: tuple[tuple[str, int], ...]
    """Per row of Φ_q, ν and γ: its element, and which of the element's rows it is, from 0."""
    position_rows: tuple[int, ...]
    """Which of these rows stand in Φ: all but those that restrict velocities only."""
    q: sp.ImmutableMatrix
    v: sp.ImmutableMatrix
    turns: sp.ImmutableMatrix
    """tau1_2, tau2_2, ...: in space, how far each body has turned about its own axes, added up. Angles that count past
    2π speak of them."""
    z: sp.ImmutableMatrix
    laws: Mapping[sp.Symbol, sp.Expr]
    """The law of time of each input in the model, by the symbol of the input: ``eq.Q.subs(eq.laws)``."""
    printed: Mapping[str, sp.ImmutableMatrix]
    """The matrices as they are printed: a function that was given for a joint (a cam's profile) stays f(x)."""
    parameters: Mapping[sp.Symbol, float]
    """The parameters in numbers: ``eq.Phi.subs(eq.parameters)``."""
    units: Mapping[sp.Symbol, str]
    """The units of the parameters and of the inputs, where they have one."""
    placement: Mapping[sp.Symbol, float]
    """The coordinates of the reference placement, and the initial values of states, in numbers."""
    tables: Mapping[str, TableSymbol]
    """table_1, table_2, ...: what the tables are called in print."""
    functions: Mapping[str, Any]
    """The functions that stand for forces of Python, by name; each can be evaluated."""
    freed: Callable[[str], Any]
    """The same equations with a constant of an element, by name, as a parameter."""
    by: tuple[sp.Symbol, ...] = ()
    """By what these matrices are differentiated, one after the other."""

    Phi, Phi_q, nu, gamma, M, Q, zdot = map(_plain, BOLD)

    @property
    def inputs(self) -> sp.ImmutableMatrix:
        """The symbols of the inputs, as a column in the order in which the model declares them."""
        return sp.ImmutableMatrix(len(self.laws), 1, [*self.laws])

    @property
    def values(self) -> dict[sp.Symbol, float]:
        """Parameters and placement."""
        return {**self.parameters, **self.placement}

    @cached_property
    def symbols(self) -> dict[str, sp.Symbol]:
        """All that the equations are written in, by name: coordinates, rates, inputs, t, parameters."""
        named = (*self.q, *self.v, *self.turns, *self.z, *self.laws, t, *self.values)
        return {s.name: s for s in named} | dict(self.tables)

    @property
    def shown(self) -> list[str]:
        """The matrices that there are."""
        return [name for name in BOLD if name in SIX or self.z]

    @property
    def are_zero(self) -> bool:
        """Whether all entries are: nothing depends on what is differentiated by."""
        return not any(matrix.todok() for matrix in self.printed.values())

    @property
    def told_zero(self) -> str:
        """The sentence about derivatives by a number that occurs nowhere."""
        return f"nothing depends on {', then '.join(s.name for s in self.by)}: all derivatives are zero"

    def called(self, name: str) -> str:
        """Return the name of a matrix in print: Q, or Q_r where it is differentiated by r."""
        return "_".join([name, *(s.name for s in self.by)])

    def readable(self, name: str) -> sp.Matrix:
        """A matrix as it is printed, with names for its tables."""
        return self.printed[name].xreplace(self._names_of_tables)

    @property
    def readable_laws(self) -> dict[sp.Symbol, sp.Expr]:
        """The laws of the inputs as they are printed, with names for their tables."""
        return {symbol: law.xreplace(self._names_of_tables) for symbol, law in self.laws.items()}

    @property
    def _names_of_tables(self) -> dict[sp.Symbol, sp.Symbol]:
        return {symbol: sp.Symbol(shown) for shown, symbol in self.tables.items()}

    def place(self, name: str, row: int, column: int) -> tuple[str, sp.Symbol | None]:
        """Return the element of a row (in M and Q the body), and the coordinate of the column."""
        columns = self.q if len(self.q) == len(self.v) else self.v  # in space Φ_q is by the velocities
        coordinate = columns[column] if name in IN_COLUMNS else None
        if name == "zdot":
            return self.z[row].name, None
        if name in ("M", "Q"):
            return self.bodies[int(columns[row].name.rpartition("_")[2])], coordinate
        return self.rows[self.position_rows[row] if name == "Phi" else row][0], coordinate
