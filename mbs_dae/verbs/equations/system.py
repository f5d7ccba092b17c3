"""The equations of a whole system: exact, and in the names of the textbooks.

    eq = mbs.equations(model)
    eq.Phi, eq.Phi_q, eq.nu, eq.gamma, eq.M, eq.Q         # sympy matrices in x_2, y_2, phi_2, xdot_2, ..., t
    print(eq.compare(Phi_q=mine))                         # which entries of a hand-written matrix differ
    M, Q = eq.lambdify("M", "Q")(t, q, v)                 # the same in numbers

`derivation` says where they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ...model.tables import TableSymbol
from ...symbolic.functions import written_out
from ...symbolic.markers import t
from ...symbolic.tidy import text
from .comparison import Comparison, compared
from .evaluation import lambdified

BOLD = {"Phi": r"\Phi", "Phi_q": r"\Phi_{q}", "nu": r"\nu", "gamma": r"\gamma", "M": "M", "Q": "Q"}
"""The matrices, and how they are set (in bold)."""


def _plain(name: str) -> cached_property[sp.ImmutableMatrix]:
    """A matrix in functions that sympy can evaluate and turn into code."""
    return cached_property(lambda eq: eq.printed[name].applyfunc(written_out))


@dataclass(frozen=True, eq=False, repr=False)
class SystemEquations:
    """Φ(q, t) = 0,   Φ_q q̇ = ν,   Φ_q q̈ = γ,   M q̈ + Φ_qᵀ λ = Q.

    In space the velocities v are those of places and the angular velocities in body axes; there Φ_q stands for Φ_v, and
    q̇, q̈ for v, v̇. Unit quaternions are taken for granted: where |e|² stands in what is derived, 1 is printed.

    Q is all that acts on the bodies but the joints: weight, what velocities make of inertia, and every applied force. A
    `PythonForce` named "wind" stands in it as functions F_wind_x(...), F_wind_y(...), M_wind(...) of the coordinates
    and rates of the bodies whose markers it sees, and of time.

    Body 1 is the ground, whose coordinates are zero; where no element uses ``model.ground`` the bodies of the model
    count from 1. The rates are the symbols xdot_2, ydot_2, phidot_2, set as dotted letters.
    """

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
    printed: Mapping[str, sp.ImmutableMatrix]
    """The matrices as they are printed: a function that was given for a joint (a cam's profile) stays f(x)."""
    parameters: Mapping[sp.Symbol, float]
    """The parameters in numbers: ``eq.Phi.subs(eq.parameters)``."""
    placement: Mapping[sp.Symbol, float]
    """The coordinates of the reference placement in numbers."""
    tables: Mapping[str, TableSymbol]
    """table_1, table_2, ...: what the tables are called in print."""
    functions: Mapping[str, Any]
    """The functions that stand for forces of Python, by name; each can be evaluated."""

    Phi, Phi_q, nu, gamma, M, Q = map(_plain, BOLD)

    @property
    def values(self) -> dict[sp.Symbol, float]:
        """Parameters and placement."""
        return {**self.parameters, **self.placement}

    @cached_property
    def symbols(self) -> dict[str, sp.Symbol]:
        """All that the equations are written in, by name: coordinates, rates, t, parameters."""
        return {s.name: s for s in (*self.q, *self.v, *self.turns, t, *self.values)} | dict(self.tables)

    def lambdify(self, *names: str) -> Callable[..., tuple[np.ndarray, ...]]:
        """These matrices (all six, where none is named) as one function of numbers:

            M, Q = eq.lambdify("M", "Q")(t, q, v, turns=None, parameters={"r": 0.2})

        q and v stand in the order of ``eq.q`` and ``eq.v``, as in a row of ``result.q`` and ``result.v``; parameters
        that are not given have their values in the model. Φ, ν, γ and Q come back as vectors. ``turns`` is needed
        where ``eq.turns`` stand in these matrices.
        """
        return lambdified(self, names)

    def compare(
        self, *, Phi: Any = None, Phi_q: Any = None, nu: Any = None, gamma: Any = None, M: Any = None, Q: Any = None
    ) -> Comparison:
        """Check hand-written matrices entry by entry.

        Entries are numbers or sympy expressions (no text) in symbols of these names: ``eq.symbols["phi_3"]``, or your
        own. Any form will do: what expanding does not decide is evaluated at random points near the placement.
        """
        given = {"Phi": Phi, "Phi_q": Phi_q, "nu": nu, "gamma": gamma, "M": M, "Q": Q}
        return compared(self, {name: matrix for name, matrix in given.items() if matrix is not None})

    def latex(self) -> str:
        """The whole set as one ``aligned`` block."""
        lines = [rf"\boldsymbol{{{head}}} &= {sp.latex(self._readable(name))}" for name, head in BOLD.items()]
        lines[0] += r" = \boldsymbol{0}"
        lines[:0] = [rf"\boldsymbol{{{q}}}^T &= {sp.latex(s.T)}" for q, s in (("q", self.q), (r"\dot{q}", self.v))]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"

    def __str__(self) -> str:
        """Row by row, without the zeros."""
        lines = [repr(self)[1:-1], "bodies: " + ", ".join(f"{number} {name}" for number, name in self.bodies.items())]
        for name in BOLD:
            matrix = self._readable(name)
            cells: dict[str, list[str]] = {}
            for row, column in sorted(matrix.todok()):
                who, coordinate = self.place(name, row, column)
                entry = text(matrix[row, column])
                cells.setdefault(f"  [{row}] {who}: ", []).append(f"{coordinate}: {entry}" if coordinate else entry)
            lines += ["", name if cells and name != "Phi" else f"{name} = 0"]
            lines += [place + ", ".join(entries) for place, entries in cells.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<equations of {self.name!r}: {len(self.rows)} rows, {len(self.q)} coordinates>"

    def _readable(self, name: str) -> sp.Matrix:
        return self.printed[name].xreplace({symbol: sp.Symbol(shown) for shown, symbol in self.tables.items()})

    def place(self, name: str, row: int, column: int) -> tuple[str, sp.Symbol | None]:
        """Whose row it is (an element's; in M and Q a body's), and the coordinate of the column."""
        columns = self.q if len(self.q) == len(self.v) else self.v  # in space Φ_q is by the velocities
        coordinate = columns[column] if name in ("Phi_q", "M") else None
        if name in ("M", "Q"):
            return self.bodies[int(columns[row].name.rpartition("_")[2])], coordinate
        return self.rows[self.position_rows[row] if name == "Phi" else row][0], coordinate
