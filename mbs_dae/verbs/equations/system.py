"""The equations of a whole system: exact, and in the names of the textbooks.

    eq = mbs.equations(model)
    eq.Phi, eq.Phi_q, eq.nu, eq.gamma, eq.M, eq.Q         # sympy matrices in x_2, y_2, phi_2, xdot_2, ..., t
    print(eq.compare(Phi_q=mine))                         # which entries of a hand-written matrix differ

Nothing is derived here: relations and coordinates go through `symbolic.derive.compose`, as they do on their way to
machine code, and only then get their textbook names. So what is shown is what is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from ...compiled import System
from ...coordinates import BodyCoordinates, body_coordinates
from ...errors import ModelError
from ...model.bodies.body import Body, reference_turns
from ...model.joints.base import Condition
from ...model.model import Model
from ...model.parameters import Number
from ...model.tables import TableSymbol
from ...symbolic.derive import Equations, Relation, compose
from ...symbolic.functions import written_out
from ...symbolic.markers import LABELS, t
from ...symbolic.tidy import exact, text, tidy
from .comparison import Comparison, compared

BOLD = {"Phi": r"\Phi", "Phi_q": r"\Phi_{q}", "nu": r"\nu", "gamma": r"\gamma", "M": "M", "Q": "Q"}
"""The matrices, and how they are set (in bold)."""
State = tuple[sp.Expr, ...]
States = Mapping[Body, tuple[State, State]]


def _plain(name: str) -> cached_property[sp.ImmutableMatrix]:
    """A matrix in functions that sympy can evaluate and turn into code."""
    return cached_property(lambda eq: eq.printed[name].applyfunc(written_out))


@dataclass(frozen=True, eq=False, repr=False)
class SystemEquations:
    """Φ(q, t) = 0,   Φ_q q̇ = ν,   Φ_q q̈ = γ,   M q̈ + Φ_qᵀ λ = Q.

    In space the velocities v are those of places and the angular velocities in body axes; there Φ_q stands for Φ_v, and
    q̇, q̈ for v, v̇.

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
    printed: Mapping[str, sp.ImmutableMatrix]
    """The matrices as they are printed: a function that was given for a joint (a cam's profile) stays f(x)."""
    parameters: Mapping[sp.Symbol, float]
    """The parameters in numbers: ``eq.Phi.subs(eq.parameters)``."""
    placement: Mapping[sp.Symbol, float]
    """The coordinates of the reference placement in numbers."""
    tables: Mapping[str, TableSymbol]
    """table_1, table_2, ...: what the tables are called in print."""

    Phi, Phi_q, nu, gamma, M, Q = map(_plain, BOLD)

    @property
    def values(self) -> dict[sp.Symbol, float]:
        """Parameters and placement."""
        return {**self.parameters, **self.placement}

    @cached_property
    def symbols(self) -> dict[str, sp.Symbol]:
        """All that the equations are written in, by name: coordinates, rates, t, parameters."""
        return {s.name: s for s in (*self.q, *self.v, t, *self.values)} | dict(self.tables)

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


def equations(model: Model | System) -> SystemEquations:
    """The exact equations of a model, in textbook names. Each type of relation is derived once."""
    if isinstance(model, System):
        if not model.is_cartesian:
            raise ModelError(
                f"equations are printed in Cartesian coordinates, and this system is in {model.coordinates.set} ones; "
                "give the model itself"
            )
        model = model.model
    if not isinstance(model, Model):
        raise ModelError(f"equations() needs a model, not {model!r}; build one with mbs.PlanarModel(name)")
    coordinates = body_coordinates(model.dimension)
    if not model.bodies:
        raise ModelError(f"model {model.name!r} has no bodies; add one with model.body(name, ...)")
    moving = [*model.bodies.values()]
    grounded = any(marker.body.fixed for element in model.elements.values() for marker in element.markers)
    numbers = dict(enumerate([model.ground] * grounded + moving, start=1))
    state = {body: _symbols(coordinates, number) for number, body in numbers.items()}
    state[model.ground] = tuple(map(sp.Integer, coordinates.at_rest)), (sp.S.Zero,) * len(coordinates.v_names)
    q = [s for body in moving for s in state[body][0][: len(coordinates.q_names)]]
    v = [s for body in moving for s in state[body][1]]
    constraints, printed = _constraints(model, coordinates, state)
    blocks = [_inertia(model, body, coordinates, state[body]) for body in moving]
    return SystemEquations(
        name=model.name,
        bodies={number: body.name for number, body in numbers.items()},
        q=sp.ImmutableMatrix(q),
        v=sp.ImmutableMatrix(v),
        printed=printed
        | {
            "M": sp.diag(*(M for M, _ in blocks)).applyfunc(tidy).as_immutable(),
            "Q": sp.Matrix.vstack(*(Q for _, Q in blocks)).applyfunc(tidy).as_immutable(),
        },
        parameters=_parameters(model, {s.name for s in (*q, *v)} | {*constraints["tables"]}),
        placement=_placement(model, coordinates, q),
        **constraints,
    )


def _symbols(coordinates: BodyCoordinates, number: int) -> tuple[State, State]:
    """The coordinates of a body and their rates. sympy sets the name phidot_2 as a dotted letter with an index."""
    q, v = (tuple(sp.Symbol(f"{n}_{number}", real=True) for n in names) for names in coordinates.symbols)
    return q, v


def _inertia(
    model: Model, body: Body, coordinates: BodyCoordinates, state: tuple[State, State]
) -> tuple[sp.Matrix, sp.Matrix]:
    """M and Q of one body in its own symbols."""
    own = coordinates.inertia(coordinates.inertia_form(body))
    slots = map(exact, coordinates.inertia_slots(body, model.gravity))
    put = dict(zip((*own.q, *own.v, *own.slots), (*state[0], *state[1], *slots), strict=True))
    size = len(own.v)
    M, Q = sp.zeros(size), sp.zeros(size, 1)
    for row, column, e in own.mass:
        (entry,) = own.explicit([e])
        M[row, column] = M[column, row] = entry.xreplace(put)
    for column, e in own.forces:
        (entry,) = own.explicit([e])
        Q[column] = entry.xreplace(put)
    return M, Q


def _parameters(model: Model, taken: set[str]) -> dict[sp.Symbol, float]:
    if clash := sorted(taken & {*model.parameters}):
        raise ModelError(f"parameter {clash[0]!r} has the name of a symbol of these equations; rename the parameter")
    return {p.symbol: p.value for p in model.parameters.values()}


def _placement(model: Model, coordinates: BodyCoordinates, q: list[sp.Symbol]) -> dict[sp.Symbol, float]:
    number, visible = model.evaluator(), len(coordinates.q_names)
    placed = [x for body in model.bodies.values() for x in coordinates.placement(body, number)[:visible]]
    return dict(zip(q, placed, strict=True))


def _constraints(
    model: Model, coordinates: BodyCoordinates, state: States
) -> tuple[dict[str, Any], dict[str, sp.ImmutableMatrix]]:
    """Whose each row is and the tables in them; then Φ, Φ_q, ν and γ of all elements."""
    derived: dict[Relation, Equations] = {}
    constants = _Constants(coordinates)
    rows: list[tuple[str, int]] = []
    position_rows: list[int] = []
    columns: dict[str, list[sp.Expr]] = {"Phi": [], "nu": [], "gamma": []}
    jacobian: dict[tuple[int, int], sp.Expr] = {}
    column_of = {s: k for k, s in enumerate(s for body in model.bodies.values() for s in state[body][1])}
    for element in model.conditions:
        relation, _ = element.form()
        if relation not in derived:
            derived[relation] = _derive(relation, coordinates)
        own, put = derived[relation], constants.of(element, state)
        rates = [put[s] for s in own.v if put[s] != 0]
        for name, column in columns.items():
            column += [constants.back(tidy(e.xreplace(put), rates)) for e in getattr(own, name.lower())]
        for row, k, e in own.jacobian:
            if (symbol := put[own.v[k]]) in column_of:  # not the ground's; two markers may share a body
                at = len(rows) + row, column_of[symbol]
                jacobian[at] = jacobian.get(at, sp.S.Zero) + e.xreplace(put)
        position_rows += range(len(rows), len(rows) + len(own.phi))
        rows += [(element.name, k) for k in range(relation.size)]
    entries = {at: constants.back(tidy(e)) for at, e in jacobian.items()}
    matrices = {name: sp.ImmutableMatrix(len(column), 1, column) for name, column in columns.items()}
    matrices["Phi_q"] = sp.ImmutableMatrix(sp.SparseMatrix(len(rows), len(column_of), entries))
    tables = {f"table_{k}": symbol for k, symbol in enumerate(constants.tables, start=1)}
    return {"rows": tuple(rows), "position_rows": tuple(position_rows), "tables": tables}, matrices


class _Constants:
    """What stands in the slots. Decimal numbers get stand-ins while terms are sorted, so that what cancels does so
    exactly and leaves no 1e-17 behind."""

    def __init__(self, coordinates: BodyCoordinates) -> None:
        self.coordinates = coordinates
        self.tables: dict[TableSymbol, None] = {}
        self._stand_ins: dict[sp.Expr, sp.Symbol] = {}
        self._numbers: dict[sp.Symbol, sp.Expr] = {}

    def of(self, element: Condition, state: States) -> dict[sp.Symbol, sp.Expr]:
        """What to put in the equations of the element's type: coordinates, rates, and what is in its slots."""
        put = {slot: self._number(number) for slot, number in element.form()[1].items()}
        for label, marker in zip(LABELS, element.markers, strict=False):
            mp, (q, v) = self.coordinates.marker_map(label), state[marker.body]
            place = map(self._number, self.coordinates.marker_slots(marker))
            put |= zip((*mp.q, *mp.v, *mp.slots), (*q, *v, *place), strict=True)
        turns = reference_turns(element.form()[0], element.markers)
        return put | {symbol: self._number(angle) for symbol, angle in turns.items()}

    def back(self, e: sp.Expr) -> sp.Expr:
        return exact(e.xreplace(self._numbers))

    def _number(self, number: Number) -> sp.Expr:
        if isinstance(number, TableSymbol):
            self.tables[number] = None
        e = exact(number)
        if e.has(sp.Float) and e not in self._stand_ins:
            self._stand_ins[e] = stand_in = sp.Symbol(f"number {len(self._stand_ins)}", real=True)
            self._numbers[stand_in] = e
        return self._stand_ins.get(e, e)


def _derive(relation: Relation, coordinates: BodyCoordinates) -> Equations:
    """The relation in coordinates, with everything put in: no marker symbols are left."""
    own = compose(relation, [coordinates.marker_map(LABELS[k]) for k in range(len(relation.markers))])

    ones = {k: v for label in LABELS[: len(relation.markers)] for k, v in coordinates.ones(label).items()}

    def explicit(expressions: Sequence[sp.Expr]) -> list[sp.Expr]:
        return [e.xreplace(ones) for e in own.explicit(expressions)]

    entries = zip(own.jacobian, explicit([e for _, _, e in own.jacobian]), strict=True)
    jacobian = tuple((row, column, e) for (row, column, _), e in entries)
    phi, nu, gamma = (tuple(explicit(part)) for part in (own.phi, own.nu, own.gamma))
    return replace(own, phi=phi, jacobian=jacobian, nu=nu, gamma=gamma)
