"""The matrices of a system's equations, the meaning of their symbols, and derivatives by a number in them: a parameter
of the model, or a constant of an element.

Coordinates, rates, states, inputs and time are held: Φ_r = ∂Φ(q, t; r)/∂r. The printed equations are differentiated, so
the derivatives are exact as well. A constant of an element becomes a parameter in a copy of the equations; after
differentiation its number replaces the parameter again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import sympy as sp
from sympy.core.function import AppliedUndef

from ...model.parameters import Number
from ...model.tables import TableSymbol
from ...symbolic.differentiation import rate_along
from ...symbolic.expressions import exact, tidy
from ...symbolic.functions import Opaque, written_out
from ...symbolic.markers import t

SIX = {"Phi": r"\Phi", "Phi_q": r"\Phi_{q}", "nu": r"\nu", "gamma": r"\gamma", "M": "M", "Q": "Q"}
BOLD = {**SIX, "zdot": r"\dot{z}"}
"""The matrices, and their (bold) symbols in LaTeX."""
IN_COLUMNS = ("Phi_q", "M")
"""The matrices with several columns; the others have one."""

MEANINGS = {
    "Phi": "Φ, what is zero: the equations of positions.",
    "Phi_q": "Φ_q, the derivatives of Φ; in space Φ_v, by velocities.",
    "nu": "ν, the right side of the velocities: Φ_q q̇ = ν.",
    "gamma": "γ, the right side of the accelerations: Φ_q q̈ = γ.",
    "M": "M, the masses.",
    "Q": "Q, all forces but those of joints.",
    "zdot": "The rates of states.",
}


def _plain(name: str) -> cached_property[sp.ImmutableMatrix]:
    """Return a property: a matrix in functions that sympy can evaluate and turn into code."""

    def read(eq: Any) -> sp.ImmutableMatrix:
        return eq.printed[name].applyfunc(written_out)

    read.__doc__ = MEANINGS[name]
    return cached_property(read)


@dataclass(frozen=True, eq=False, repr=False)
class Matrices:
    """The data of the matrices; `SystemEquations` adds the operations on them."""

    name: str
    bodies: Mapping[int, str]
    rows: tuple[tuple[str, int], ...]
    """For each row of Φ_q, ν and γ: its element, and its number among the element's rows, from 0."""
    position_rows: tuple[int, ...]
    """The numbers of the rows that Φ contains: all but those that restrict velocities only."""
    q: sp.ImmutableMatrix
    v: sp.ImmutableMatrix
    turns: sp.ImmutableMatrix
    """tau1_2, tau2_2, ...: in space, the accumulated rotation of each body about its own axes, in rad, for angles that
    count past 2π."""
    z: sp.ImmutableMatrix
    laws: Mapping[sp.Symbol, sp.Expr]
    """The law of time of each input in the model, by the symbol of the input: ``eq.Q.subs(eq.laws)``."""
    printed: Mapping[str, sp.ImmutableMatrix]
    """The matrices as they are printed: a function that was given for a joint (a cam's profile) stays f(x)."""
    parameters: Mapping[sp.Symbol, float]
    """The values of the parameters: ``eq.Phi.subs(eq.parameters)``."""
    units: Mapping[sp.Symbol, str]
    """The units of parameters and inputs that have one."""
    placement: Mapping[sp.Symbol, float]
    """The values of the coordinates in the reference placement, and the initial values of states."""
    tables: Mapping[str, TableSymbol]
    """Printed names of tables: table_1, table_2, ..."""
    functions: Mapping[str, Any]
    """The functions that stand for forces written in Python, by name; each can be evaluated."""
    freed: Callable[[str], Any]
    """A function of the name of an element's constant: the equations with this constant as a parameter."""
    by: tuple[sp.Symbol, ...] = ()
    """The symbols by which these matrices are differentiated, in order."""

    Phi, Phi_q, nu, gamma, M, Q, zdot = map(_plain, BOLD)

    @property
    def inputs(self) -> sp.ImmutableMatrix:
        """The symbols of the inputs, as a column in the order in which the model declares them."""
        return sp.ImmutableMatrix(len(self.laws), 1, [*self.laws])

    @property
    def values(self) -> dict[sp.Symbol, float]:
        """The values of parameters and of the placement, by symbol."""
        return {**self.parameters, **self.placement}

    @cached_property
    def symbols(self) -> dict[str, sp.Symbol]:
        """All symbols of the equations by name: coordinates, rates, turns, states, inputs, t, parameters and tables."""
        named = (*self.q, *self.v, *self.turns, *self.z, *self.laws, t, *self.values)
        return {s.name: s for s in named} | dict(self.tables)

    @property
    def shown(self) -> list[str]:
        """The names of the matrices that exist: with the rates of states only if there are states."""
        return [name for name in BOLD if name in SIX or self.z]

    @property
    def are_zero(self) -> bool:
        """True if all entries are zero: nothing depends on the number by which the matrices are differentiated."""
        return not any(matrix.todok() for matrix in self.printed.values())

    @property
    def told_zero(self) -> str:
        """The sentence about derivatives by a number that occurs nowhere."""
        return f"nothing depends on {', then '.join(s.name for s in self.by)}: all derivatives are zero"

    def called(self, name: str) -> str:
        """Return the printed name of a matrix: Q, or Q_r for its derivative by r."""
        return "_".join([name, *(s.name for s in self.by)])

    def readable(self, name: str) -> sp.Matrix:
        """Return a matrix as it is printed, with names for its tables."""
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


# --- derivatives by a number ---

Eq = TypeVar("Eq", bound=Matrices)


@dataclass(frozen=True)
class Freed(Generic[Eq]):
    """Equations in which a constant is a parameter, and the number of the constant."""

    equations: Eq
    constant: sp.Symbol
    value: Number


def differentiate(eq: Eq, by: Any) -> Eq:
    """Return all matrices differentiated by a parameter or an input (its name or its symbol), or by a constant of an
    element such as "spring.stiffness"."""
    name = str(getattr(by, "symbol", by))
    parameter = next((symbol for symbol in (*eq.parameters, *eq.laws) if symbol.name == name), None)
    if parameter is not None:
        return _by_parameter(eq, parameter)
    freed = eq.freed(name)
    derivatives, value = _by_parameter(freed.equations, freed.constant), {freed.constant: exact(freed.value)}
    laws = {symbol: exact(law.xreplace(value)) for symbol, law in derivatives.laws.items()}
    printed = {name: m.applyfunc(lambda e: exact(e.xreplace(value))) for name, m in derivatives.printed.items()}
    data: dict[str, Any] = {"parameters": eq.parameters, "units": eq.units, "laws": laws}
    return replace(derivatives, printed=printed, freed=_free_constant(eq, freed.constant), **data)


def _by_parameter(eq: Eq, symbol: sp.Symbol) -> Eq:
    printed = {name: matrix.applyfunc(lambda e: _slope(e, symbol, eq.v)) for name, matrix in eq.printed.items()}
    return replace(eq, printed=printed, by=(*eq.by, symbol), freed=_free_constant(eq, symbol))


def _free_constant(eq: Eq, symbol: sp.Symbol) -> Callable[[str], Freed[Eq]]:
    """Return a function that frees a constant in the original equations and differentiates them by `symbol`."""

    def equations_with_free(name: str) -> Freed[Eq]:
        other: Freed[Eq] = eq.freed(name)
        return replace(other, equations=differentiate(other.equations, symbol))

    return equations_with_free


def _slope(e: sp.Expr, by: sp.Symbol, rates: sp.ImmutableMatrix) -> sp.Expr:
    """Return ∂e/∂by. Functions that are printed by name are expanded where they depend on `by` themselves; a function
    that jumps has slope 0. A function without a formula has a derivative without one."""
    if any(by in f.args[0].free_symbols for f in e.atoms(Opaque)):
        e = written_out(e)
    if by not in e.free_symbols:
        return sp.S.Zero
    has_no_formula = any(by in f.free_symbols for f in e.atoms(AppliedUndef))
    slope = e.diff(by) if has_no_formula else rate_along(e, {by: sp.S.One}, {})
    return tidy(slope.replace(sp.DiracDelta, lambda *_: sp.S.Zero), [s for s in rates if s in slope.free_symbols])
