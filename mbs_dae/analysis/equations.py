"""The equations of a whole system: exact, and in the names of the textbooks.

    eq = mbs.equations(model)
    eq.Phi, eq.Phi_q, eq.nu, eq.gamma, eq.M, eq.Q         # sympy matrices in x_2, y_2, phi_2, xdot_2, ..., t
    print(eq.compare(Phi_q=mine))                         # which entries of a hand-written matrix differ

Nothing is derived here: relations and coordinates go through `symbolic.derive.compose`, as they do on their way to
machine code, and only then get their textbook names. So what is shown is what is run.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef

from ..coordinates import PlanarCartesian, coordinate_set
from ..errors import ModelError
from ..model.body import Body
from ..model.joints.base import Element
from ..model.model import PlanarModel
from ..model.parameters import Number
from ..model.tables import TableSymbol
from ..symbolic.derive import Equations, Relation, compose
from ..symbolic.functions import Lookup, Wrap, written_out
from ..symbolic.markers import LABELS, t
from ..system import System

BOLD = {"Phi": r"\Phi", "Phi_q": r"\Phi_{q}", "nu": r"\nu", "gamma": r"\gamma", "M": "M", "Q": "Q"}
"""The matrices, and how they are set (in bold)."""
LONG = 100
"""Terms above which an expression is not multiplied out."""
State = tuple[sp.Expr, ...]
States = Mapping[Body, tuple[State, State]]


@dataclass(frozen=True, eq=False, repr=False)
class SystemEquations:
    """Φ(q, t) = 0,   Φ_q q̇ = ν,   Φ_q q̈ = γ,   M q̈ + Φ_qᵀ λ = Q.

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
    Phi: sp.ImmutableMatrix
    Phi_q: sp.ImmutableMatrix
    nu: sp.ImmutableMatrix
    gamma: sp.ImmutableMatrix
    M: sp.ImmutableMatrix
    Q: sp.ImmutableMatrix
    values: Mapping[sp.Symbol, float]
    """The parameters and the reference placement in numbers: ``eq.Phi.subs(eq.values)``."""
    tables: Mapping[str, TableSymbol]
    """table_1, table_2, ...: what the tables are called in print."""

    @cached_property
    def symbols(self) -> dict[str, sp.Symbol]:
        """All that the equations are written in, by name: coordinates, rates, t, parameters."""
        return {s.name: s for s in (*self.q, *self.v, t, *self.values)} | dict(self.tables)

    def compare(
        self, *, Phi: Any = None, Phi_q: Any = None, nu: Any = None, gamma: Any = None, M: Any = None, Q: Any = None
    ) -> Comparison:
        """Check hand-written matrices entry by entry.

        Entries are sympy expressions, numbers or text (``"-200*sin(phi_3)"``), in symbols of these names. Any form
        will do: what expanding does not decide is evaluated at random points near the reference placement.
        """
        given = {"Phi": Phi, "Phi_q": Phi_q, "nu": nu, "gamma": gamma, "M": M, "Q": Q}
        return _compared(self, {name: matrix for name, matrix in given.items() if matrix is not None})

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
                entry = _text(matrix[row, column])
                cells.setdefault(f"  [{row}] {who}: ", []).append(f"{coordinate}: {entry}" if coordinate else entry)
            lines += ["", name if cells and name != "Phi" else f"{name} = 0"]
            lines += [place + ", ".join(entries) for place, entries in cells.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<equations of {self.name!r}: {len(self.rows)} rows, {len(self.q)} coordinates>"

    def _readable(self, name: str) -> sp.Matrix:
        return getattr(self, name).xreplace({symbol: sp.Symbol(shown) for shown, symbol in self.tables.items()})

    def place(self, name: str, row: int, column: int) -> tuple[str, sp.Symbol | None]:
        """Whose row it is (an element's; in M and Q a body's), and the coordinate of the column."""
        coordinate = self.q[column] if name in ("Phi_q", "M") else None
        if name in ("M", "Q"):
            return self.bodies[int(self.q[row].name.rpartition("_")[2])], coordinate
        return self.rows[self.position_rows[row] if name == "Phi" else row][0], coordinate


def equations(model: PlanarModel | System) -> SystemEquations:
    """The exact equations of a model, in textbook names. Each type of relation is derived once."""
    coordinates = model.coordinates if isinstance(model, System) else coordinate_set("cartesian")
    model = model.model if isinstance(model, System) else model
    if not isinstance(model, PlanarModel):
        raise ModelError(f"equations() needs a model, not {model!r}; build one with mbs.PlanarModel(name)")
    if not model.bodies:
        raise ModelError(f"model {model.name!r} has no bodies; add one with model.body(name, ...)")
    moving = [*model.bodies.values()]
    grounded = any(marker.body.fixed for element in model.elements.values() for marker in element.markers)
    numbers = dict(enumerate([model.ground] * grounded + moving, start=1))
    state = {body: _symbols(coordinates, number) for number, body in numbers.items()}
    state[model.ground] = (still := (sp.S.Zero,) * len(coordinates.q_names), still)
    q, v = ([s for body in moving for s in state[body][k]] for k in (0, 1))
    constraints = _constraints(model, coordinates, state)
    blocks = [coordinates.inertia(body, model.gravity, *state[body]) for body in moving]
    return SystemEquations(
        name=model.name,
        bodies={number: body.name for number, body in numbers.items()},
        q=sp.ImmutableMatrix(q),
        v=sp.ImmutableMatrix(v),
        M=sp.diag(*(M for M, _ in blocks)).applyfunc(_tidy).as_immutable(),
        Q=sp.Matrix.vstack(*(Q for _, Q in blocks)).applyfunc(_tidy).as_immutable(),
        values=_values(model, coordinates, q, {s.name for s in (*q, *v)} | {*constraints["tables"]}),
        **constraints,
    )


def _symbols(coordinates: PlanarCartesian, number: int) -> tuple[State, State]:
    """The coordinates of a body and their rates. sympy sets the name phidot_2 as a dotted letter with an index."""
    q, v = ([sp.Symbol(f"{n}{dot}_{number}", real=True) for n in coordinates.q_names] for dot in ("", "dot"))
    return tuple(q), tuple(v)


def _values(model: PlanarModel, coordinates: PlanarCartesian, q: list, taken: set[str]) -> dict[sp.Symbol, float]:
    parameters = {p.symbol: p.value for p in model.parameters.values()}
    if clash := sorted(taken & {*model.parameters}):
        raise ModelError(f"parameter {clash[0]!r} has the name of a symbol of these equations; rename the parameter")
    numbers = [number for body in model.bodies.values() for number in coordinates.placement(body)]
    return parameters | dict(zip(q, map(model.evaluator(), numbers), strict=True))


def _constraints(model: PlanarModel, coordinates: PlanarCartesian, state: States) -> dict[str, Any]:
    """Φ, Φ_q, ν and γ of all elements, whose each row is, and the tables in them."""
    derived: dict[Relation, Equations] = {}
    constants = _Constants(coordinates)
    rows: list[tuple[str, int]] = []
    position_rows: list[int] = []
    columns: dict[str, list[sp.Expr]] = {"Phi": [], "nu": [], "gamma": []}
    jacobian: dict[tuple[int, int], sp.Expr] = {}
    column_of = {s: k for k, s in enumerate(s for body in model.bodies.values() for s in state[body][0])}
    for element in model.elements.values():
        relation, _ = element.relation()
        if relation not in derived:
            derived[relation] = _derive(relation, coordinates)
        own, put = derived[relation], constants.of(element, state)
        rates = [put[s] for s in own.v if put[s] != 0]
        for name, column in columns.items():
            column += [constants.back(_tidy(e.xreplace(put), rates)) for e in getattr(own, name.lower())]
        for row, k, e in own.jacobian:
            if (symbol := put[own.q[k]]) in column_of:  # not the ground's; two markers may share a body
                at = len(rows) + row, column_of[symbol]
                jacobian[at] = jacobian.get(at, sp.S.Zero) + e.xreplace(put)
        position_rows += range(len(rows), len(rows) + len(own.phi))
        rows += [(element.name, k) for k in range(relation.size)]
    entries = {at: constants.back(_tidy(e)) for at, e in jacobian.items()}
    return {
        "rows": tuple(rows),
        "position_rows": tuple(position_rows),
        "tables": {f"table_{k}": symbol for k, symbol in enumerate(constants.tables, start=1)},
        "Phi_q": sp.ImmutableMatrix(sp.SparseMatrix(len(rows), len(column_of), entries)),
        **{name: sp.ImmutableMatrix(len(column), 1, column) for name, column in columns.items()},
    }


class _Constants:
    """What stands in the slots. Decimal numbers get stand-ins while terms are sorted, so that what cancels does so
    exactly and leaves no 1e-17 behind."""

    def __init__(self, coordinates: PlanarCartesian) -> None:
        self.coordinates = coordinates
        self.tables: dict[TableSymbol, None] = {}
        self._stand_ins: dict[sp.Expr, sp.Symbol] = {}
        self._numbers: dict[sp.Symbol, sp.Expr] = {}

    def of(self, element: Element, state: States) -> dict[sp.Symbol, sp.Expr]:
        """What to put in the equations of the element's type: coordinates, rates, and what is in its slots."""
        put = {slot: self._number(number) for slot, number in element.relation()[1].items()}
        for label, marker in zip(LABELS, element.markers, strict=False):
            mp, (q, v) = self.coordinates.marker_map(label), state[marker.body]
            place = map(self._number, self.coordinates.marker_slots(marker))
            put |= zip((*mp.q, *mp.v, *mp.slots), (*q, *v, *place), strict=True)
        return put

    def back(self, e: sp.Expr) -> sp.Expr:
        return _exact(e.xreplace(self._numbers))

    def _number(self, number: Number) -> sp.Expr:
        if isinstance(number, TableSymbol):
            self.tables[number] = None
        e = _exact(number)
        if e.has(sp.Float) and e not in self._stand_ins:
            self._stand_ins[e] = stand_in = sp.Symbol(f"number {len(self._stand_ins)}", real=True)
            self._numbers[stand_in] = e
        return self._stand_ins.get(e, e)


def _derive(relation: Relation, coordinates: PlanarCartesian) -> Equations:
    """The relation in coordinates, with everything put in: no marker symbols are left."""
    own = compose(relation, [coordinates.marker_map(LABELS[k]) for k in range(len(relation.markers))])

    def shown(part: Sequence[sp.Expr]) -> tuple[sp.Expr, ...]:
        return tuple(map(written_out, own.explicit(part)))

    entries = zip(own.jacobian, shown([e for _, _, e in own.jacobian]), strict=True)
    jacobian = tuple((row, column, e) for (row, column, _), e in entries)
    return replace(own, phi=shown(own.phi), jacobian=jacobian, nu=shown(own.nu), gamma=shown(own.gamma))


def _exact(number: Number) -> sp.Expr:
    """As sympy, with 100.0 as 100. Other decimal numbers stay what they are: whoever wrote 0.1 meant a float."""
    e = sp.sympify(number)
    whole = [f for f in e.atoms(sp.Float) if float(f).is_integer() and abs(f) < 1e15]
    return e.xreplace({f: sp.Integer(int(f)) for f in whole}) if whole else e


def _tidy(e: sp.Expr, rates: Sequence[sp.Symbol] = ()) -> sp.Expr:
    """As derived, or sorted by products of rates, whichever is shorter. Never a change of meaning."""
    e = _exact(e)
    factors: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(_expanded(e)):
        factor, product = term.as_independent(*rates, as_Add=False)
        factors[product] = factors.get(product, sp.S.Zero) + factor
    return min(sp.Add(*(product * _one(factor) for product, factor in factors.items())), e, key=sp.count_ops)


def _one(e: sp.Expr) -> sp.Expr:
    """sin² + cos² = 1, where that makes it shorter."""
    squares = {c**2: 1 - sp.sin(*c.args) ** 2 for c in e.atoms(sp.cos)}
    return min(e, _expanded(e.xreplace(squares)), key=sp.count_ops) if squares else e


def _expanded(e: sp.Expr) -> sp.Expr:
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


def _text(e: sp.Expr) -> str:
    return sp.sstr(e, full_prec=False)


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
        return f"{place}: expected {_text(self.expected)}, got {_text(self.given)}"


@dataclass(frozen=True)
class Comparison:
    """True when all entries agree; printed, one line for each that does not."""

    checked: tuple[str, ...]
    differences: tuple[Difference, ...]

    def __bool__(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        return "\n".join(map(str, self.differences)) or f"{', '.join(self.checked)}: every entry agrees"


def _compared(eq: SystemEquations, given: Mapping[str, Any]) -> Comparison:
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


def _read(eq: SystemEquations, name: str, given: Any) -> sp.Matrix:
    """A hand-written matrix, in the symbols of the equations."""
    (m, n), known = getattr(eq, name).shape, eq.symbols
    cells = given.tolist() if hasattr(given, "tolist") else given
    cells = cells if isinstance(cells, list | tuple) else ()
    cells = [row if isinstance(row, list | tuple) else [row] for row in cells]
    if [len(row) for row in cells] != [n] * m:
        widths = " or ".join(map(str, sorted({len(row) for row in cells})))
        raise ModelError(f"{name} is {m} x {n} (see .rows and .q), not {len(cells)} x {widths or 0}; mend its shape")
    matrix = sp.Matrix(m, n, [_entry(name, cell, known) for row in cells for cell in row])
    strange = {s.name for s in matrix.free_symbols if s.name not in known and s not in known.values()}
    strange |= {f"{f.func}()" for f in matrix.atoms(AppliedUndef)}
    if strange:
        raise ModelError(f"{name} contains unknown symbols: {', '.join(sorted(strange))}; known are {', '.join(known)}")
    return matrix.xreplace({s: known[s.name] for s in matrix.free_symbols if s.name in known})


def _entry(name: str, cell: Any, known: Mapping[str, sp.Symbol]) -> sp.Expr:
    try:
        e = _exact(sp.sympify(cell, locals={"Lookup": Lookup, "Wrap": Wrap, **known}))
    except Exception:  # text is read as Python: it may fail in any way
        e = None
    if not isinstance(e, sp.Expr) or e.has(sp.nan, sp.zoo, sp.oo):
        raise ModelError(f"{cell!r} in {name} is no finite expression; write an entry as in '-200*sin(phi_3)'")
    return e


def _points(eq: SystemEquations, count: int = 12) -> list[dict[sp.Symbol, sp.Rational]]:
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
    if _expanded(given - expected) == 0:
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
    """For evaluation: wrapping written out, and for each table a smooth function of its own, with its derivatives."""
    wave = sp.exp(sp.sin(t))
    plain = e.replace(Wrap, lambda x, period: x - period * sp.floor(x / period))
    return plain.replace(Lookup, lambda table, order, x: wave.diff(t, int(order)).xreplace({t: x + table}))
