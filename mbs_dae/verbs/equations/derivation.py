"""From a model to its equations in textbook names.

Nothing is derived here that is not derived for the machine: what joints and forces say of markers goes through
`symbolic.derive.compose` and `Load.compose`, as it does on its way to a kernel, and only then gets its textbook names.
So what is shown is what is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import sympy as sp

from ...compiled import System
from ...coordinates import BodyCoordinates, body_coordinates
from ...errors import ModelError
from ...model.bodies.body import Body, reference_turns
from ...model.element import Element
from ...model.forces.python_force import PythonForce
from ...model.model import Model
from ...model.parameters import Number
from ...model.tables import TableSymbol
from ...symbolic.derive import Composed, Equations, Relation, compose
from ...symbolic.functions import as_sympy
from ...symbolic.loads import Load, LoadEquations
from ...symbolic.markers import LABELS
from ...symbolic.tidy import exact, tidy
from .python_functions import in_functions
from .system import SystemEquations

State = tuple[sp.Expr, ...]
States = Mapping[Body, tuple[State, State]]


def equations(model: Model | System) -> SystemEquations:
    """The exact equations of a model, in textbook names. Each type of joint and force is derived once."""
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
    visible = len(coordinates.q_names)
    q, turns = ([s for body in moving for s in state[body][0][part]] for part in (slice(visible), slice(visible, None)))
    v = [s for body in moving for s in state[body][1]]
    constants = _Constants(coordinates)
    constraints, printed = _constraints(model, coordinates, state, constants)
    M, weights = _inertia(model, coordinates, state, constants)
    forces, functions = _forces(model, coordinates, state, constants)
    Q = [constants.back(tidy(weight + force, v)) for weight, force in zip(weights, forces, strict=True)]
    tables = {f"table_{k}": symbol for k, symbol in enumerate(constants.tables, start=1)}
    return SystemEquations(
        name=model.name,
        bodies={number: body.name for number, body in numbers.items()},
        q=sp.ImmutableMatrix(q),
        v=sp.ImmutableMatrix(v),
        turns=sp.ImmutableMatrix(len(turns), 1, turns),
        printed=printed | {"M": M, "Q": sp.ImmutableMatrix(Q)},
        parameters=_parameters(model, {s.name for s in (*q, *v, *turns)} | {*tables}),
        placement=_placement(model, coordinates, q),
        tables=tables,
        functions=functions,
        **constraints,
    )


def _symbols(coordinates: BodyCoordinates, number: int) -> tuple[State, State]:
    """The coordinates of a body and their rates. sympy sets the name phidot_2 as a dotted letter with an index."""
    q, v = (tuple(sp.Symbol(f"{n}_{number}", real=True) for n in names) for names in coordinates.symbols)
    return q, v


def _parameters(model: Model, taken: set[str]) -> dict[sp.Symbol, float]:
    if clash := sorted(taken & {*model.parameters}):
        raise ModelError(f"parameter {clash[0]!r} has the name of a symbol of these equations; rename the parameter")
    return {p.symbol: p.value for p in model.parameters.values()}


def _placement(model: Model, coordinates: BodyCoordinates, q: list[sp.Symbol]) -> dict[sp.Symbol, float]:
    number, visible = model.evaluator(), len(coordinates.q_names)
    placed = [x for body in model.bodies.values() for x in coordinates.placement(body, number)[:visible]]
    return dict(zip(q, placed, strict=True))


def _columns(model: Model, state: States) -> dict[sp.Expr, int]:
    """Where each velocity stands; those of the ground are none of them."""
    return {s: k for k, s in enumerate(s for body in model.bodies.values() for s in state[body][1])}


def _constraints(
    model: Model, coordinates: BodyCoordinates, state: States, constants: _Constants
) -> tuple[dict[str, Any], dict[str, sp.ImmutableMatrix]]:
    """Whose each row is; then Φ, Φ_q, ν and γ of all elements."""
    maps = [coordinates.marker_map(label) for label in LABELS]
    derived: dict[Relation, Equations] = {}
    rows: list[tuple[str, int]] = []
    position_rows: list[int] = []
    columns: dict[str, list[sp.Expr]] = {"Phi": [], "nu": [], "gamma": []}
    jacobian: dict[tuple[int, int], sp.Expr] = {}
    column_of = _columns(model, state)
    for element in model.conditions:
        relation, _ = element.form()
        if relation not in derived:
            derived[relation] = compose(relation, maps[: len(relation.markers)])
        own, put = derived[relation], constants.of(element, state)
        rates, explicit = [put[s] for s in own.v if put[s] != 0], _explicit(own, put, coordinates)
        for name, column in columns.items():
            column += [constants.back(tidy(e, rates)) for e in explicit(getattr(own, name.lower()))]
        for (row, k, _), e in zip(own.jacobian, explicit(e for *_, e in own.jacobian), strict=True):
            if (symbol := put[own.v[k]]) in column_of:  # not the ground's; two markers may share a body
                at = len(rows) + row, column_of[symbol]
                jacobian[at] = jacobian.get(at, sp.S.Zero) + e
        position_rows += range(len(rows), len(rows) + len(own.phi))
        rows += [(element.name, k) for k in range(relation.size)]
    entries = {at: constants.back(tidy(e)) for at, e in jacobian.items()}
    matrices = {name: sp.ImmutableMatrix(len(column), 1, column) for name, column in columns.items()}
    matrices["Phi_q"] = sp.ImmutableMatrix(sp.SparseMatrix(len(rows), len(column_of), entries))
    return {"rows": tuple(rows), "position_rows": tuple(position_rows)}, matrices


def _inertia(
    model: Model, coordinates: BodyCoordinates, state: States, constants: _Constants
) -> tuple[sp.ImmutableMatrix, list[sp.Expr]]:
    """M, and the part of Q that is the bodies' own: weight, and what velocities make of inertia."""
    size = len(coordinates.v_names)
    blocks, Q = [], []
    for body in model.bodies.values():
        own = coordinates.inertia(coordinates.inertia_form(body))
        q, v = state[body]
        slots = map(constants.number, coordinates.inertia_slots(body, model.gravity))
        put = dict(zip((*own.q, *own.v, *own.slots), (*q, *v, *slots), strict=True))
        M, weight, explicit = sp.zeros(size), [sp.S.Zero] * size, _explicit(own, put, coordinates)
        for (row, column, _), e in zip(own.mass, explicit(e for *_, e in own.mass), strict=True):
            M[row, column] = M[column, row] = constants.back(tidy(e))
        for (k, _), e in zip(own.forces, explicit(e for _, e in own.forces), strict=True):
            weight[k] = e
        blocks.append(M)
        Q += weight
    return sp.diag(*blocks).as_immutable(), Q


def _forces(
    model: Model, coordinates: BodyCoordinates, state: States, constants: _Constants
) -> tuple[list[sp.Expr], dict[str, Any]]:
    """The part of Q that is applied, and the functions in which forces of Python stand."""
    maps = [coordinates.marker_map(label) for label in LABELS]
    derived: dict[Load, LoadEquations] = {}
    functions: dict[str, Any] = {}
    column_of = _columns(model, state)
    Q = [sp.S.Zero] * len(column_of)
    for element in model.forces:
        put = constants.of(element, state)
        if isinstance(element, PythonForce):
            load, named = in_functions(element, coordinates, {s: constants.back(e) for s, e in put.items()})
            if clash := sorted({*named} & {*functions}):
                raise ModelError(f"{clash[0]} would be a function of two forces; give {element.who} another name")
            functions |= named
        else:
            load, _ = element.form()
        if load not in derived:
            derived[load] = load.compose(maps[: len(load.markers)])
        own = derived[load]
        for (k, _), e in zip(own.forces, _explicit(own, put, coordinates)(e for _, e in own.forces), strict=True):
            if (symbol := put[own.v[k]]) in column_of:
                Q[column_of[symbol]] += e
    return Q, functions


class _Constants:
    """What stands in the slots. Decimal numbers get stand-ins while terms are sorted, so that what cancels does so
    exactly and leaves no 1e-17 behind."""

    def __init__(self, coordinates: BodyCoordinates) -> None:
        self.coordinates = coordinates
        self.tables: dict[TableSymbol, None] = {}
        self._stand_ins: dict[sp.Expr, sp.Symbol] = {}
        self._numbers: dict[sp.Symbol, sp.Expr] = {}

    def of(self, element: Element, state: States) -> dict[sp.Symbol, sp.Expr]:
        """What to put in the equations of the element's type: coordinates, rates, and what is in its slots."""
        form, slots = element.form()
        put = {slot: self.number(number) for slot, number in slots.items()}
        for label, marker in zip(LABELS, element.markers, strict=False):
            mp, (q, v) = self.coordinates.marker_map(label), state[marker.body]
            place = map(self.number, self.coordinates.marker_slots(marker))
            put |= zip((*mp.q, *mp.v, *mp.slots), (*q, *v, *place), strict=True)
        turns = reference_turns(form, element.markers)
        return put | {symbol: self.number(angle) for symbol, angle in turns.items()}

    def back(self, e: sp.Expr) -> sp.Expr:
        return exact(e.xreplace(self._numbers))

    def number(self, number: Number) -> sp.Expr:
        if isinstance(number, TableSymbol):
            self.tables[number] = None
        e = exact(number)
        if e.has(sp.Float) and e not in self._stand_ins:
            self._stand_ins[e] = stand_in = sp.Symbol(f"number {len(self._stand_ins)}", real=True)
            self._numbers[stand_in] = e
        return self._stand_ins.get(e, e)


def _explicit(
    own: Composed, put: Mapping[sp.Symbol, sp.Expr], coordinates: BodyCoordinates
) -> Callable[[Iterable[sp.Expr]], list[sp.Expr]]:
    """Writes expressions out in what is put for coordinates, rates and slots: no marker symbols are left, and nothing
    that is always 1. Zeros and ones among the numbers keep them short from the start."""
    ones = {k.xreplace(put): v for label in LABELS for k, v in coordinates.ones(label).items()}
    inlined = dict(put)

    def written(e: sp.Expr) -> sp.Expr:
        return as_sympy(e).xreplace(inlined).xreplace(ones)

    for symbol, value in own.definitions:
        inlined[symbol] = written(value)
    return lambda expressions: [written(e) for e in expressions]
