"""The equations of a whole system: exact, and in the names of the textbooks.

    eq = mbs.equations(model)
    eq.Phi, eq.Phi_q, eq.nu, eq.gamma, eq.M, eq.Q         # sympy matrices in x_2, y_2, phi_2, xdot_2, ..., t
    print(eq.compare(Phi_q=mine))                         # which entries of a hand-written matrix differ

Nothing is derived here: relations and coordinates go through `symbolic.derive.compose`, as they do on their way to
machine code, and only then get their textbook names. So what is shown is what is run.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
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
from ..symbolic.functions import Lookup, Wrap
from ..symbolic.markers import LABELS, t
from ..system import System

LATEX = {
    "Phi": r"\boldsymbol{\Phi}",
    "Phi_q": r"\boldsymbol{\Phi}_{\mathbf{q}}",
    "nu": r"\boldsymbol{\nu}",
    "gamma": r"\boldsymbol{\gamma}",
    "M": r"\mathbf{M}",
    "Q": r"\mathbf{Q}",
}
"""What can be shown and compared, and how it is set."""


@dataclass(frozen=True, eq=False, repr=False)
class SystemEquations:
    """Φ(q, t) = 0,   Φ_q q̇ = ν,   Φ_q q̈ = γ,   M q̈ + Φ_qᵀ λ = Q.

    Body 1 is the ground, and its coordinates are zero; where no element uses ``model.ground`` the bodies of the
    model count from 1. The rates are the symbols xdot_2, ydot_2, phidot_2, set as dotted letters.
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

    @cached_property
    def symbols(self) -> dict[str, sp.Symbol]:
        """All that the equations are written in, by name: coordinates, rates, t, parameters."""
        return {s.name: s for s in (*self.q, *self.v, t, *self.values)}

    def compare(
        self, *, Phi: Any = None, Phi_q: Any = None, nu: Any = None, gamma: Any = None, M: Any = None, Q: Any = None
    ) -> Comparison:
        """Check hand-written matrices entry by entry.

        Entries are sympy expressions, numbers or text (``"-200*sin(phi_3)"``); symbols are known by their names. Any
        form of an entry will do: where expanding does not decide, both forms are evaluated at random points close to
        the reference placement.
        """
        given = {"Phi": Phi, "Phi_q": Phi_q, "nu": nu, "gamma": gamma, "M": M, "Q": Q}
        given = {name: matrix for name, matrix in given.items() if matrix is not None}
        if not given:
            raise ModelError(f"compare() was given nothing; name a matrix: {', '.join(f'{n}=...' for n in LATEX)}")
        points = _points(self)
        found: list[Difference] = []
        for name, hand_written in given.items():
            derived = getattr(self, name)
            matrix = _read(name, hand_written, derived.shape, self.symbols, derived.free_symbols)
            for row, column in sorted({*derived.todok(), *matrix.todok()}):
                gap = _gap(derived[row, column], matrix[row, column], points)
                if gap is not None:
                    place = row, column, *self._place(name, row, column)
                    found.append(Difference(name, *place, derived[row, column], matrix[row, column], gap))
        return Comparison(tuple(given), tuple(found))

    def latex(self) -> str:
        """The whole set as one ``aligned`` block."""
        shown = _readable(self)
        lines = [rf"\mathbf{{q}}^T &= {sp.latex(self.q.T)}", rf"\dot{{\mathbf{{q}}}}^T &= {sp.latex(self.v.T)}"]
        lines += [f"{head} &= {sp.latex(shown[name])}" + " = 0" * (name == "Phi") for name, head in LATEX.items()]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"

    def __str__(self) -> str:
        numbered = ", ".join(f"{number} {name}" for number, name in self.bodies.items())
        lines = [f"Equations of {self.name!r}: {len(self.q)} coordinates, {len(self.rows)} equations", f"bodies: {numbered}"]
        for name, matrix in _readable(self).items():
            lines += ["", f"{name} = 0" if name == "Phi" else name]
            for row in range(matrix.rows):
                cells = [(column, e) for column, e in enumerate(matrix[row, :]) if e != 0]
                text = ", ".join(f"{self.q[c]}: {e}" if matrix.cols > 1 else str(e) for c, e in cells) or "0"
                lines.append(f"  [{row}] {self._place(name, row, 0)[0]}: {text}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<equations of {self.name!r}: {len(self.rows)} in {len(self.q)} coordinates>"

    def _place(self, name: str, row: int, column: int) -> tuple[str, sp.Symbol | None]:
        """Whose row it is (an element's, in M and Q a body's), and the coordinate of the column."""
        coordinate = self.q[column] if name in ("Phi_q", "M") else None
        if name in ("M", "Q"):
            return self.bodies[int(self.q[row].name.rpartition("_")[2])], coordinate
        return self.rows[self.position_rows[row] if name == "Phi" else row][0], coordinate


class Difference(NamedTuple):
    """An entry that is not what it should be. `difference` is given minus expected at a random point."""

    matrix: str
    row: int
    column: int
    element: str
    coordinate: sp.Symbol | None
    expected: sp.Expr
    given: sp.Expr
    difference: float

    def __str__(self) -> str:
        at, who = f"{self.row}", self.element
        if self.coordinate is not None:
            at, who = f"{self.row}, {self.column}", f"{self.element}, {self.coordinate}"
        return f"{self.matrix}[{at}] ({who}): expected {self.expected}, got {self.given}"


@dataclass(frozen=True)
class Comparison:
    """True when all entries agree; printed, one line for each that does not."""

    checked: tuple[str, ...]
    differences: tuple[Difference, ...]

    def __bool__(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        return "\n".join(map(str, self.differences)) or f"{', '.join(self.checked)}: every entry agrees"


def equations(model: PlanarModel | System) -> SystemEquations:
    """The exact equations of a model, in textbook names. Each type of relation is derived once."""
    coordinates = model.coordinates if isinstance(model, System) else coordinate_set("cartesian")
    model = model.model if isinstance(model, System) else model
    if not isinstance(model, PlanarModel):
        raise ModelError(f"equations() needs a model, not {model!r}; build one with mbs.PlanarModel(name)")
    if not model.bodies:
        raise ModelError(f"model {model.name!r} has no bodies; add one with model.body(name, ...)")
    numbers = _numbered(model)
    state = {body: _symbols(coordinates, number) for body, number in numbers.items()}
    state[model.ground] = ((sp.S.Zero,) * len(coordinates.q_names),) * 2
    q = [s for body in model.bodies.values() for s in state[body][0]]
    v = [s for body in model.bodies.values() for s in state[body][1]]
    values = {p.symbol: p.value for p in model.parameters.values()}
    if clashing := {s.name for s in values} & {s.name for s in (*q, *v)}:
        names = ", ".join(map(repr, sorted(clashing)))
        raise ModelError(f"parameter {names} has the textbook name of a coordinate; call the parameter something else")
    evaluate = model.evaluator()
    for body in model.bodies.values():
        values |= zip(state[body][0], map(evaluate, coordinates.placement(body)), strict=True)
    return SystemEquations(
        name=model.name,
        bodies=MappingProxyType({number: body.name for body, number in numbers.items()}),
        q=sp.ImmutableMatrix(q),
        v=sp.ImmutableMatrix(v),
        values=MappingProxyType(values),
        **_constraints(model.elements.values(), coordinates, state, q),
        **_dynamics(model, coordinates, state),
    )


def _numbered(model: PlanarModel) -> dict[Body, int]:
    """Bodies in textbook order. The ground is the first where it is used."""
    grounded = any(marker.body.fixed for element in model.elements.values() for marker in element.markers)
    bodies = [model.ground] * grounded + list(model.bodies.values())
    return {body: number for number, body in enumerate(bodies, start=1)}


def _symbols(coordinates: PlanarCartesian, number: int) -> tuple[tuple[sp.Symbol, ...], ...]:
    """The coordinates of a body and their rates. sympy sets the name phidot_2 as a dotted letter with an index."""
    return tuple(
        tuple(sp.Symbol(f"{name}{mark}_{number}", real=True) for name in coordinates.q_names) for mark in ("", "dot")
    )


def _constraints(elements: Iterable[Element], coordinates: PlanarCartesian, state: dict, q: list) -> dict[str, Any]:
    """Φ, Φ_q, ν and γ of all elements, and whose each row is."""
    column_of = {symbol: k for k, symbol in enumerate(q)}
    derived: dict[Relation, Equations] = {}
    rows, position_rows, phi, nu, gamma = [], [], [], [], []
    jacobian: dict[tuple[int, int], sp.Expr] = {}
    for element in elements:
        relation, slots = element.relation()
        if relation not in derived:
            derived[relation] = _derive(relation, coordinates)
        own, table = derived[relation], {s: _exact(n) for s, n in slots.items()}
        for label, marker in zip(LABELS, element.markers, strict=False):
            mp = coordinates.marker_map(label)
            constants = map(_exact, coordinates.marker_slots(marker))
            table |= zip((*mp.q, *mp.v, *mp.slots), (*state[marker.body][0], *state[marker.body][1], *constants), strict=True)
        first = len(rows)
        rows += [(element.name, k) for k in range(relation.size)]
        position_rows += range(first, first + len(own.phi))
        phi += [_tidy(e.xreplace(table)) for e in own.phi]
        nu += [_tidy(e.xreplace(table)) for e in own.nu]
        gamma += [_tidy(e.xreplace(table)) for e in own.gamma]
        for row, column, e in own.jacobian:
            at = first + row, column_of.get(table[own.q[column]])
            if at[1] is not None:  # two markers may be on one body
                jacobian[at] = jacobian.get(at, sp.S.Zero) + e.xreplace(table)
    return {
        "rows": tuple(rows),
        "position_rows": tuple(position_rows),
        "Phi": _column(phi),
        "Phi_q": sp.ImmutableMatrix(sp.SparseMatrix(len(rows), len(q), {at: _tidy(e) for at, e in jacobian.items()})),
        "nu": _column(nu),
        "gamma": _column(gamma),
    }


def _derive(relation: Relation, coordinates: PlanarCartesian) -> Equations:
    """The relation in coordinates, with everything in place: no marker symbols are left."""
    own = compose(relation, [coordinates.marker_map(LABELS[k]) for k in range(len(relation.markers))])
    entries = own.explicit([e for _, _, e in own.jacobian])
    return replace(
        own,
        phi=tuple(own.explicit(own.phi)),
        jacobian=tuple((row, column, e) for (row, column, _), e in zip(own.jacobian, entries, strict=True)),
        nu=tuple(own.explicit(own.nu)),
        gamma=tuple(own.explicit(own.gamma)),
    )


def _dynamics(model: PlanarModel, coordinates: PlanarCartesian, state: dict) -> dict[str, Any]:
    blocks = [coordinates.inertia(body, model.gravity, *state[body]) for body in model.bodies.values()]
    M, Q = sp.diag(*(M for M, _ in blocks)), sp.Matrix.vstack(*(Q for _, Q in blocks))
    return {"M": M.applyfunc(_tidy).as_immutable(), "Q": Q.applyfunc(_tidy).as_immutable()}


def _column(entries: list[sp.Expr]) -> sp.ImmutableMatrix:
    return sp.ImmutableMatrix(len(entries), 1, entries)


def _exact(number: Number) -> sp.Expr:
    """As sympy, with 100.0 written as 100. Other decimal numbers stay what they are: whoever wrote 0.1 meant a float."""
    e = sp.sympify(number)
    whole = (f for f in e.atoms(sp.Float) if float(f).is_integer() and abs(f) < 1e15)
    return e.xreplace({f: sp.Integer(int(f)) for f in whole})


def _tidy(e: sp.Expr) -> sp.Expr:
    """The shortest of: as derived, expanded, expanded with cos² as 1 - sin² (cheap, and never a change of meaning)."""
    e = _exact(e)
    expanded = _expanded(e)
    squares = {p: 1 - sp.sin(p.base.args[0]) ** 2 for p in expanded.atoms(sp.Pow) if p.exp == 2 and isinstance(p.base, sp.cos)}
    reduced = [_expanded(expanded.xreplace(squares))] if squares else []
    return min([expanded, e, *reduced], key=sp.count_ops)


def _expanded(e: sp.Expr) -> sp.Expr:
    return sp.expand(e, power_base=False, power_exp=False, log=False)


def _readable(eq: SystemEquations) -> dict[str, sp.Matrix]:
    """The matrices for print: a table's symbol names a place in memory, a reader wants table_1."""
    matrices = {name: getattr(eq, name) for name in LATEX}
    tables = sorted({s for m in matrices.values() for s in m.free_symbols if isinstance(s, TableSymbol)}, key=str)
    names = {table: sp.Symbol(f"table_{k}") for k, table in enumerate(tables, start=1)}
    return {name: m.xreplace(names) for name, m in matrices.items()} if names else matrices


# --- comparing ----------------------------------------------------------------------------------------------


def _read(name: str, given: Any, shape: tuple[int, int], known: dict[str, sp.Symbol], own: set) -> sp.Matrix:
    """A hand-written matrix, in the symbols of the equations."""
    cells = given.tolist() if hasattr(given, "tolist") else given
    cells = list(cells) if isinstance(cells, list | tuple) else [cells]
    cells = [list(row) if isinstance(row, list | tuple) else [row] for row in cells]
    if len(cells) != shape[0] or any(len(row) != shape[1] for row in cells):
        widths = " or ".join(map(str, sorted({len(row) for row in cells}))) or "0"
        order = "rows as in .rows, columns as in .q" if name == "Phi_q" else "in the order of .q or .rows"
        raise ModelError(f"{name} is {shape[0]} x {shape[1]} ({order}), not {len(cells)} x {widths}; mend its shape")
    matrix = sp.Matrix(*shape, [_entry(name, cell, known) for row in cells for cell in row])
    named = {s: known[s.name] for s in matrix.free_symbols - own if s.name in known}
    matrix = matrix.xreplace(named)
    strange = {s.name for s in matrix.free_symbols - own - {*known.values()}}
    strange |= {f"{f.func}()" for e in matrix.todok().values() for f in e.atoms(AppliedUndef)}
    if strange:
        names = ", ".join(sorted(strange))
        raise ModelError(f"{name} contains unknown symbols: {names}; the symbols of these equations are {', '.join(known)}")
    return matrix


def _entry(name: str, cell: Any, known: dict[str, sp.Symbol]) -> sp.Expr:
    try:
        e = sp.sympify(cell, locals=dict(known))
    except Exception as exc:  # text is parsed as Python: it may fail in any way
        raise ModelError(f"cannot read the entry {cell!r} of {name}; write it as in '-200*sin(phi_3)'") from exc
    if not isinstance(e, sp.Expr) or e.has(sp.nan, sp.zoo, sp.oo):
        raise ModelError(f"the entry {cell!r} of {name} is no finite expression; write it as in '-200*sin(phi_3)'")
    return _exact(e)


def _points(eq: SystemEquations, count: int = 3) -> list[dict[sp.Symbol, sp.Rational]]:
    """Random states near the reference placement and the parameters' values, where roots and quotients have a meaning.
    Rational, so that nothing is rounded before the end."""
    dice = random.Random(20240607)

    def near(symbol: sp.Symbol) -> sp.Rational:
        value = eq.values.get(symbol, 0.0)
        spread = 0.1 * abs(value) if value and symbol not in eq.q else 1.0
        return sp.Rational(value) + sp.Rational(dice.uniform(-spread, spread))

    return [{symbol: near(symbol) for symbol in eq.symbols.values()} for _ in range(count)]


def _gap(expected: sp.Expr, given: sp.Expr, points: list[dict]) -> float | complex | None:
    """None if both mean the same; otherwise given - expected at the first point where they differ."""
    if expected == given or sp.expand(given - expected) == 0:
        return None
    tolerance = 1e-12 if expected.atoms(sp.Float) | given.atoms(sp.Float) else 1e-20
    expected, given = _stand_in(expected), _stand_in(given)
    terms = [*sp.Add.make_args(expected), *sp.Add.make_args(given)]
    decided = False
    for point in points:
        gap = sp.N((given - expected).xreplace(point), 30)
        scale = sum(abs(sp.N(term.xreplace(point))) for term in terms)
        if gap.is_finite and scale.is_finite:
            decided = True
            if abs(gap) > tolerance * scale:
                return float(gap) if gap.is_real else complex(gap)
    return None if decided else float("nan")


def _stand_in(e: sp.Expr) -> sp.Expr:
    """For evaluation: wrapping written out, and some smooth function (with its derivatives) instead of each table."""

    def smooth(table: sp.Symbol, order: sp.Integer, x: sp.Expr) -> sp.Expr:
        z = sp.Dummy()
        return sp.exp(sp.sin(z + hash(table) % 997)).diff(z, int(order)).xreplace({z: x})

    return e.replace(Wrap, lambda x, period: x - period * sp.floor(x / period)).replace(Lookup, smooth)
