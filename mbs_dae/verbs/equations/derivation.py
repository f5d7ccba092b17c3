"""The derivation of a model's equations in textbook names.

The printed equations are the ones that run: the conditions and loads of markers go through `Relation.compose` and
`Load.compose`, as on their way to a kernel, and only then get their textbook names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, partial
from typing import Any

import sympy as sp
from sympy.utilities.lambdify import implemented_function

from ...arguments import check_without_contacts, model_of
from ...compiled import System
from ...coordinates import body_coordinates
from ...derivatives.constants import constants_of, with_constants_free
from ...derivatives.parameters import check_constants
from ...errors import ModelError
from ...model.bodies.body import Body, reference_turns
from ...model.element import Element
from ...model.forces.loads import PythonForce
from ...model.model import Model
from ...model.parameters import Number
from ...model.signals import Input, StateVariable
from ...model.tables import TableSymbol
from ...symbolic.derive import Composed, Inertia
from ...symbolic.expressions import exact, tidy
from ...symbolic.functions import as_sympy
from ...symbolic.loads import Load, LoadEquations
from ...symbolic.markers import LABELS, t
from .matrices import Freed
from .system import SystemEquations

Put = dict[sp.Symbol, sp.Expr]  # expressions that replace the symbols of a form
Printed = dict[str, sp.ImmutableMatrix]


def equations(model: Model | System) -> SystemEquations:
    """Return the exact equations of a model, in textbook names. Each type of joint and force is derived once.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0)}, rods={"rod": "AB"}, fixed="A", mass=3)
    >>> eq = mbs.equations(rod)
    >>> eq.Phi
    Matrix([
    [-x_2 + cos(phi_2)],
    [-y_2 + sin(phi_2)]])
    >>> eq.Phi_q
    Matrix([
    [-1,  0, -sin(phi_2)],
    [ 0, -1,  cos(phi_2)]])
    """
    if isinstance(model, System) and not model.is_cartesian:
        what = f"equations are printed in Cartesian coordinates, and this system is in {model.coordinates.set} ones"
        raise ModelError(
            f"{what}; give the model itself",
            code="not-supported", argument="model", coordinates=model.coordinates.set, method="equations",
        )  # fmt: skip
    model = model_of(model)
    check_without_contacts(model, "equations()")
    if not model.bodies:
        raise ModelError(
            f"model {model.name!r} has no bodies; add one with model.body(name, ...)",
            code="no-bodies", model=model.name,
        )  # fmt: skip
    names = _Notation(model)
    rows, position_rows, printed = _constraints(model, names)
    rates, laws = _signals(model, names)
    M, Q, functions = _dynamics(model, names)
    tables = {f"table_{k}": symbol for k, symbol in enumerate(names.tables, start=1)}
    taken = {s.name for s in (*names.q, *names.v, *names.turns)} | {*tables}
    signals = {kind: [one.name for one in own] for kind, own in (("state", model.states), ("input", model.inputs))}
    for kind, given in (("parameter", model.parameters), *signals.items()):
        if clash := sorted(taken & {*given}):
            raise ModelError(
                f"{kind} {clash[0]!r} has the name of a symbol of these equations; rename the {kind}",
                code="name-taken", kind=kind, name=clash[0],
            )  # fmt: skip
    return SystemEquations(
        name=model.name,
        bodies={number: body.name for number, body in names.numbers.items()},
        rows=rows,
        position_rows=position_rows,
        q=sp.ImmutableMatrix(names.q),
        v=sp.ImmutableMatrix(names.v),
        turns=sp.ImmutableMatrix(len(names.turns), 1, names.turns),
        z=sp.ImmutableMatrix(len(model.states), 1, [state.symbol for state in model.states]),
        laws=laws,
        printed=printed | {"M": M, "Q": Q, "zdot": rates},
        parameters={p.symbol: p.value for p in model.parameters.values()},
        units={p.symbol: p.unit for p in model.parameters.values() if p.unit}
        | {one.symbol: one.unit for one in model.inputs if one.unit},
        placement=names.placement(),
        tables=tables,
        functions=functions,
        freed=partial(_with_free, copy(model)),
    )


def _with_free(model: Model, name: str) -> Freed[SystemEquations]:
    check_constants(model, [name])
    free = with_constants_free(model, [name])
    return Freed(equations(free), free.parameters[name].symbol, constants_of(model)[name].value)


def _constraints(model: Model, names: _Notation) -> tuple[tuple[tuple[str, int], ...], tuple[int, ...], Printed]:
    """Return the element of each row, the rows of positions, and Φ, Φ_q, ν and γ of all elements."""
    rows: list[tuple[str, int]] = []
    position_rows: list[int] = []
    columns: dict[str, list[sp.Expr]] = {"Phi": [], "nu": [], "gamma": []}
    jacobian: dict[tuple[int, int], sp.Expr] = {}
    derived = cache(lambda relation: relation.compose(names.maps[: len(relation.markers)]))
    for element in model.conditions:
        relation, _ = element.form()
        composed = derived(relation)
        written = names.written(composed, put := names.put(element))
        rates = [put[s] for s in composed.v if put[s] != 0]
        for name, column in columns.items():
            column += [names.finished(written(e), rates) for e in getattr(composed, name.lower())]
        for row, k, e in composed.jacobian:
            if (symbol := put[composed.v[k]]) in names.column:  # not the ground's; two markers may share a body
                at = len(rows) + row, names.column[symbol]
                jacobian[at] = jacobian.get(at, sp.S.Zero) + written(e)
        position_rows += range(len(rows), len(rows) + len(composed.phi))
        rows += [(element.name, k) for k in range(relation.size)]
    entries = {at: names.finished(e) for at, e in jacobian.items()}
    matrices = {name: sp.ImmutableMatrix(len(column), 1, column) for name, column in columns.items()}
    matrices["Phi_q"] = sp.ImmutableMatrix(sp.SparseMatrix(len(rows), len(names.v), entries))
    return tuple(rows), tuple(position_rows), matrices


def _signals(model: Model, names: _Notation) -> tuple[sp.ImmutableMatrix, dict[sp.Symbol, sp.Expr]]:
    """Return ż, and the law of each input by its symbol."""

    def read(element: Input | StateVariable) -> sp.Expr:
        reading, _ = element.form()
        own = reading.compose(names.maps[: len(reading.markers)])
        return names.finished(names.written(own, names.put(element))(own.outputs[0]), names.v)

    laws = {element.symbol: read(element) for element in model.inputs}
    return sp.ImmutableMatrix(len(model.states), 1, [*map(read, model.states)]), laws


def _dynamics(model: Model, names: _Notation) -> tuple[sp.ImmutableMatrix, sp.ImmutableMatrix, dict[str, Any]]:
    """Return M, Q, and the functions that stand for forces written in Python. Q is the sum of the forces of the bodies
    themselves (weight, and velocity terms of inertia) and the applied forces."""
    M, Q = sp.zeros(len(names.v)), [sp.S.Zero] * len(names.v)
    functions: dict[str, Any] = {}

    def add_forces(own: Inertia | LoadEquations, put: Put) -> None:
        written = names.written(own, put)
        for k, e in own.forces:
            if (symbol := put[own.v[k]]) in names.column:
                Q[names.column[symbol]] += written(e)

    for body in model.bodies.values():
        own = names.coordinates.inertia(names.coordinates.inertia_form(body))
        written = names.written(own, put := names.put_inertia(own, body))
        for row, column, e in own.mass:
            i, j = (names.column[put[own.v[k]]] for k in (row, column))
            M[i, j] = M[j, i] = names.finished(written(e))
        add_forces(own, put)
    derived = cache(lambda load: load.compose(names.maps[: len(load.markers)]))
    for element in model.forces:
        put = names.put(element)
        if isinstance(element, PythonForce):
            load, named = _in_functions(element, names.coordinates, {s: names.in_numbers(e) for s, e in put.items()})
            if clash := sorted({*named} & {*functions}):
                raise ModelError(
                    f"{clash[0]} would be a function of two forces; give {element.who} another name",
                    code="name-taken", kind="function", name=clash[0], element=element.name,
                )  # fmt: skip
            functions |= named
        else:
            load, _ = element.form()
        add_forces(derived(load), put)
    return M.as_immutable(), sp.ImmutableMatrix([names.finished(e, names.v) for e in Q]), functions


class _Notation:
    """Printed names: of coordinates and rates of bodies, and of the numbers in slots.

    sympy sets the name phidot_2 as a dotted letter with an index. Decimal numbers get stand-ins while terms are sorted,
    so that terms cancel exactly and leave no 1e-17.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.coordinates = model, body_coordinates(model.dimension)
        self.maps = [self.coordinates.marker_map(label) for label in LABELS]
        self.tables: dict[TableSymbol, None] = {}
        self._stand_ins: dict[sp.Expr, sp.Symbol] = {}
        self._decimals: dict[sp.Symbol, sp.Expr] = {}
        moving = [*model.bodies.values()]
        grounded = any(marker.body.fixed for element in model.elements.values() for marker in element.markers)
        self.numbers: dict[int, Body] = dict(enumerate([model.ground] * grounded + moving, start=1))
        self._state: dict[Body, tuple[list[sp.Expr], list[sp.Expr]]] = {}
        for number, body in self.numbers.items():
            q, v = ([sp.Symbol(f"{n}_{number}", real=True) for n in own] for own in self.coordinates.symbols)
            self._state[body] = q, v
        at_rest = [*map(sp.Integer, self.coordinates.at_rest)]
        self._state[model.ground] = at_rest, [sp.S.Zero] * len(self.coordinates.v_names)
        visible = len(self.coordinates.q_names)
        self.q = [s for body in moving for s in self._state[body][0][:visible]]
        self.turns = [s for body in moving for s in self._state[body][0][visible:]]
        self.v = [s for body in moving for s in self._state[body][1]]
        self.column = {symbol: k for k, symbol in enumerate(self.v)}
        """Where each velocity stands; those of the ground are none of them."""

    def placement(self) -> dict[sp.Symbol, float]:
        number, visible = self.model.evaluator(), len(self.coordinates.q_names)
        placed = [x for b in self.model.bodies.values() for x in self.coordinates.placement(b, number)[:visible]]
        states = {state.symbol: number(state.initial) for state in self.model.states}
        return dict(zip(self.q, placed, strict=True)) | states

    def put(self, element: Element) -> Put:
        """Return the replacements for the equations of the element's type: coordinates, rates, and the contents of its
        slots."""
        form, slots = element.form()
        put = {slot: self._exact(number) for slot, number in slots.items()}
        for mp, marker in zip(self.maps, element.markers, strict=False):
            q, v = self._state[marker.body]
            place = map(self._exact, self.coordinates.marker_slots(marker))
            put |= zip((*mp.q, *mp.v, *mp.slots), (*q, *v, *place), strict=True)
        return put | {s: self._exact(angle) for s, angle in reference_turns(form, element.markers).items()}

    def put_inertia(self, own: Inertia, body: Body) -> Put:
        (q, v), slots = self._state[body], self.coordinates.inertia_slots(body, self.model.gravity)
        return dict(zip((*own.q, *own.v, *own.slots), (*q, *v, *map(self._exact, slots)), strict=True))

    def written(self, own: Composed, put: Put) -> Callable[[sp.Expr], sp.Expr]:
        """Return a function that writes an expression in the symbols that `put` gives for coordinates, rates and slots:
        without marker symbols, and without sums that are always 1. Zeros and ones among the numbers keep expressions
        short."""
        ones = {k.xreplace(put): v for label in LABELS for k, v in self.coordinates.ones(label).items()}
        inlined = dict(put)

        def written(e: sp.Expr) -> sp.Expr:
            return as_sympy(e).xreplace(inlined).xreplace(ones)

        for symbol, value in own.definitions:
            inlined[symbol] = written(value)
        return written

    def finished(self, e: sp.Expr, rates: Sequence[sp.Expr] = ()) -> sp.Expr:
        return self.in_numbers(tidy(e, rates))

    def in_numbers(self, e: sp.Expr) -> sp.Expr:
        """Return the expression with numbers in place of their stand-ins."""
        return exact(e.xreplace(self._decimals))

    def _exact(self, number: Number) -> sp.Expr:
        if isinstance(number, TableSymbol):
            self.tables[number] = None
        e = exact(number)
        if e.has(sp.Float) and e not in self._stand_ins:
            self._stand_ins[e] = stand_in = sp.Symbol(f"number {len(self._stand_ins)}", real=True)
            self._decimals[stand_in] = e
        return self._stand_ins.get(e, e)


# --- forces of Python: functions that have a name, and no formula ---


def _in_functions(
    element: PythonForce, coordinates: Any, put: Mapping[sp.Symbol, sp.Expr]
) -> tuple[Load, dict[str, Any]]:
    """Return the force as a load, and its functions by name: F_wind_x, F_wind_y, M_wind of a force "wind" on one
    marker; with several markers F_wind_i_x, F_wind_j_x, ...

    The functions depend on everything that the user's function can see: the coordinates and rates of the bodies, the
    parameters in the positions of the markers, and time. `put` replaces the symbols of the markers' maps.
    """
    reading, _ = element.form()
    maps = [coordinates.marker_map(label) for label in LABELS[: len(element.markers)]]
    seen = [s for s in dict.fromkeys(put[s] for mp in maps for s in (*mp.q, *mp.v)) if s.is_Symbol]
    composed = reading.compose(maps)
    values = [e.xreplace(put) for e in composed.explicit(composed.outputs)]
    parameters = {s for e in values for s in e.free_symbols} - {*seen}
    arguments = [*seen, *sorted(parameters, key=str), t]
    read = sp.lambdify(arguments, values, modules="math", cse=True, dummify=True)
    who = re.sub(r"\W", "_", element.name)
    owners = [who] if len(maps) == 1 else [f"{who}_{label}" for label in LABELS[: len(maps)]]
    axes = "xyz"[: element.dimension]
    parts = [*(f"F_{{}}_{a}" for a in axes), *(["M_{}"] if element.dimension == 2 else [f"M_{{}}_{a}" for a in axes])]
    functions = {
        name: implemented_function(sp.Function(name, real=True), partial(_component, k, element, read))
        for k, name in enumerate(part.format(owner) for owner in owners for part in parts)
    }
    forces = tuple(function(*arguments) for function in functions.values())
    return Load(reading.markers, forces=((element.work, forces),)), functions


def _component(k: int, element: PythonForce, read: Callable[..., list[float]], *arguments: float) -> float:
    return element.wrenches(arguments[-1], read(*arguments))[k]
