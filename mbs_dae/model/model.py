"""The model, the one mutable object. It collects the user's input, and checks it on entry; `content` reads it. Its
subclasses in `mechanisms` make bodies in the plane and in space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import partial
from typing import Any, Self, TypeAlias, TypeVar, overload

from ..errors import ModelError, Names, check_name, check_writable
from ..provided import provided
from ..symbolic.markers import t
from ..unit_system import warn_of_degrees
from .bodies.body import Body, Vector, coordinates_of
from .checks import (
    check_bound,
    check_content,
    check_element,
    check_lone_axes,
    check_new,
    check_setters,
    check_spoken_of,
    check_symbol,
    check_teeth,
    warn_of_angles,
)
from .content import Content
from .element import Element
from .joints import Gear
from .parameters import (
    Number,
    Numeric,
    Parameter,
    ParameterValue,
    Reaction,
    Signal,
    finite_number,
    free_parameters,
)
from .signals import Input, StateVariable, signals_of, state_of

SomeElement = TypeVar("SomeElement", bound=Element)
SomeBody = TypeVar("SomeBody", bound=Body)
Named: TypeAlias = str | Body | Element | Iterable[str | Body | Element]
"""One or several bodies or elements, or their names."""


class Model(Content):
    """A mechanism, in the plane or in space: see `PlanarModel` and `SpatialModel`."""

    def __init__(self, name: str = "model", gravity: Vector | None = None):
        if not isinstance(name, str) or not name:
            what = f"the first argument of a model is its name, not {name!r}"
            raise ModelError(
                f"{what}; write {type(self).__name__}('name', gravity=...)",
                code="not-a-name", argument="name", value=name,
            )  # fmt: skip
        check_writable(name, "the name of a model")
        self.name = name
        self._compiled: dict[Any, Any] = {}
        self._siblings: dict[Any, Any] = {}  # systems of models that differ in values of parameters only
        self._checked = False
        self._gears: tuple[str, ...] = ()
        self._by_kind: dict[type, tuple[Any, ...]] = {}
        self.gravity = (0.0,) * self.dimension if gravity is None else gravity
        self.ground = self.body_class("ground", fixed=True)
        self.bodies: Names[Body] = Names("body")
        self.elements: Names[Element] = Names("element")
        self.parameters: Names[ParameterValue] = Names("parameter")

    @property
    def gravity(self) -> tuple[Number, ...]:
        """The acceleration of gravity, in m/s², in world axes; a new value holds for later computations."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        self._gravity = coordinates_of(gravity, "gravity", self.dimension)
        self._changed()

    # --- building the model ---------------------------------------------------------------------------------

    def parameter(self, name: str, value: float, unit: str = "") -> Parameter:
        """Declare a parameter and return its symbol, which may stand in place of a number. `value` is in SI units,
        angles in radians; `unit` is a label and converts nothing, so ``unit="mm"`` is refused.

        >>> model = mbs.PlanarModel("arm")
        >>> l = model.parameter("l", 0.3, unit="m")
        >>> arm = model.link("arm", (0, 0), (1, 0), length=l)
        >>> print(round(mbs.assemble(model)["arm.head.x"] - mbs.assemble(model)["arm.tail.x"], 6))
        0.3
        """
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(
                f"{name!r} cannot name a parameter; use letters, digits and _",
                code="not-a-name", argument="name", value=name,
            )  # fmt: skip
        if name == t.name:
            raise ModelError(
                "'t' is time (mbs.t); choose another parameter name",
                code="name-taken", argument="name", name=name, kind="time",
            )  # fmt: skip
        if name in self.parameters or name in map(str, self.signals):
            kind = "parameter" if name in self.parameters else self.elements[name].kind
            raise ModelError(
                f"the model already has {'an' if kind == 'input' else 'a'} {kind} {name!r}; choose another name",
                code="name-taken", argument="name", name=name, kind=kind,
            )  # fmt: skip
        symbol = Parameter(name)
        self.parameters.declare(name, ParameterValue(symbol, finite_number(value, f"parameter {name!r}"), unit))
        self._changed()
        if unit == "rad":
            warn_of_degrees(value, f"parameter {name!r}")
        return symbol

    def state(
        self, name: str, rate: Any = None, initial: Numeric = 0.0, unit: str = "", scale: Numeric = 1.0
    ) -> Signal:  # fmt: skip
        """Declare a number with a differential equation of its own; return its symbol, for the expressions of forces
        and of other rates: ``model.state("i", rate=lambda i: (u - R * i - k * model["crank.omega"]) / L, unit="A")``.

        `rate` is an expression of time, parameters, signals and quantities, efforts included
        (``model["motor.effort"]``), or a function of the state's own symbol that returns one. The method `rate` may set
        it later, for states that depend on each other. A state without a rate keeps its value until `Sampled` or a
        `Reset` sets it. `initial` is its first value, in `unit`; errors of integration are measured relative to
        `scale`, the typical size of the state.

        >>> model = mbs.PlanarModel("motor")
        >>> rotor = model.body("rotor", mass=1.0, inertia=0.5)
        >>> i = model.state("i", rate=lambda i: (12.0 - 2.0 * i) / 0.1, unit="A")  # (U - R i) / L
        >>> model.add(mbs.Torque("air gap", rotor, 0.3 * i))
        <Torque air gap>
        >>> print(mbs.simulate(model, [0, 2])["i"].round(4))  # it becomes U/R
        [0. 6.]
        """
        check_symbol(self, name, "state")
        return self.add(StateVariable(Signal(name, self.ground), rate, initial, unit, scale)).symbol

    def rate(self, state: Signal | str, rate: Any) -> None:
        """Set the rate, an expression as in `state`, of a state that was declared without one.

        >>> model = mbs.PlanarModel("circuit")
        >>> case = model.body("case", mass=1.0, inertia=0.5)
        >>> u, i = model.state("u", initial=1.0, unit="V"), model.state("i", unit="A")
        >>> model.rate(u, i)  # C = 1 F
        >>> model.rate(i, -u)  # L = 1 H
        >>> print(mbs.simulate(model, [0, np.pi])["u"].round(4))  # cos t
        [ 1. -1.]
        """
        old = state_of(self, state, "rate() is about")
        if not old.is_held:
            raise ModelError(
                f"{old.who} has a rate already, {old.rate}; say it once",
                code="given-twice", argument="rate", state=old.name, rate=old.rate,
            )  # fmt: skip
        new = old.with_rate(rate)
        check_content(self, new)
        self._put(new)

    def input(self, name: str, default: Any = 0.0, unit: str = "") -> Signal:
        """Declare a number that is given from outside; return its symbol, for the expressions of forces and rates.
        `default` is a number, an expression of time, a `Table` or a `Motion` over time, in `unit`. `with_inputs` sets
        another one.

        >>> model = mbs.PlanarModel("cart")
        >>> cart = model.body("cart", mass=2.0, inertia=1.0)
        >>> push = model.input("push", 4.0, unit="N")
        >>> model.add(mbs.Force("pusher", cart, (push, 0)))
        <Force pusher>
        >>> print(mbs.simulate(model, [0, 1])["cart.vx"].round(6))
        [0. 2.]
        >>> print(mbs.simulate(model.with_inputs(push=10 * mbs.t), [0, 1])["cart.vx"].round(6))
        [0.  2.5]
        """
        check_symbol(self, name, "input")
        return self.add(Input(Signal(name, self.ground), default, unit)).symbol

    def _added(self, body: SomeBody) -> SomeBody:
        """Add a body to the model after the checks that every body passes, and return it."""
        check_new(self, body.name, "body")
        check_bound(self, f"body {body.name!r}", body.numbers)
        self.bodies.declare(body.name, body)
        self._changed()
        return body

    @overload
    def add(self, element: SomeElement, /) -> SomeElement: ...
    @overload
    def add(self, *elements: Element) -> tuple[Any, ...]: ...
    def add(self, *elements: Element) -> Any:
        """Add joints, drivers, forces, contacts and other elements to the model; return them: one by itself, several as
        a tuple.

        >>> model = mbs.PlanarModel("pendulum")
        >>> rod = model.link("rod", (0, 0), (1, 0))
        >>> pin = model.add(mbs.Revolute("A", model.ground, rod.tail))
        >>> model.add(mbs.Driver("motor", mbs.angle(pin), mbs.t), mbs.Drag("air", rod, 0.1))
        (<Driver motor>, <Drag air>)
        >>> model.elements["A"] is pin
        True
        """
        for element in elements:
            check_element(self, element)
            self._put(element)
        self._count_gears()
        added = tuple(self.elements[element.name] for element in elements)
        return added[0] if len(added) == 1 else added

    def _put(self, element: Element) -> None:
        self.elements.declare(element.name, element)
        for body in element.bodies:
            body.waiting.pop(element.name, None)
        self._changed()

        if isinstance(element, Gear):
            self._gears = (*self._gears, element.name)

    def _count_gears(self) -> None:
        """Choose the carriers of gears' wheels among the present joints of the model."""
        for name in self._gears:
            gear: Any = self.elements[name]
            self.elements.declare(name, counted := gear.beside(self.elements.values()))
            for body in counted.bodies:
                body.waiting.pop(name, None)

    def _changed(self) -> None:
        self._compiled, self._siblings, self._by_kind = {}, {}, {}  # compiled systems keep their content
        self._checked = False

    # --- variations -----------------------------------------------------------------------------------------

    def without(self, *names: str) -> Self:
        """Return a copy of the model without the elements of these names.

        >>> model = mbs.PlanarModel("pendulum")
        >>> rod = model.link("rod", (0, 0), (1, 0))
        >>> A, motor = model.add(mbs.Revolute("A", model.ground, rod.tail), mbs.Driver("motor", mbs.angle(rod), mbs.t))
        >>> mbs.diagnose(model).degrees_of_freedom, mbs.diagnose(model.without("motor")).degrees_of_freedom
        (0, 1)
        """
        for name in names:
            check_name("element", name, self.elements)
        others = {n: e for n, e in self.elements.items() if n not in names}
        for element in others.values():
            if used := {s.owner if isinstance(s, Reaction) else s.name for s in signals_of(element)} & {*names}:
                raise ModelError(
                    f"{element.who} depends on {min(used)!r}; leave that out, too, or keep both",
                    code="still-in-use", name=min(used), element=element.name,
                )  # fmt: skip
        return self._copy(elements=others)

    def only(self, bodies: Iterable[Body], elements: Iterable[Element]) -> Self:
        """Return a copy of the model with only these of its bodies and elements.

        >>> points = {"A": (0, 0), "B": (0, 1), "C": (1.5, 1), "D": (2, 0)}
        >>> model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
        >>> model.only([model.bodies["AB"]], [model.elements["A"]])
        <PlanarModel 'mechanism': 1 body, 1 element>
        """
        body_names, element_names = {b.name for b in bodies}, {e.name for e in elements}
        return self._copy(
            bodies={name: body for name, body in self.bodies.items() if name in body_names},
            elements={name: element for name, element in self.elements.items() if name in element_names},
        )

    def plus(self, *elements: Element) -> Self:
        """Return a copy of the model with these elements added.

        >>> model = mbs.PlanarModel("pendulum")
        >>> rod = model.link("rod", (0, 0), (1, 0))
        >>> driven = model.plus(mbs.Revolute("A", model.ground, rod.tail), mbs.Driver("motor", mbs.angle(rod), mbs.t))
        >>> model, driven
        (<PlanarModel 'pendulum': 1 body, 0 elements>, <PlanarModel 'pendulum': 1 body, 2 elements>)
        """
        copy = self._copy()
        copy.add(*elements)
        return copy

    def with_parameters(self, /, **values: float) -> Self:
        """Return a copy of the model with other parameter values, in SI units, by name; nothing is derived or compiled
        again.

        >>> model = mbs.PlanarModel("circle")
        >>> r = model.parameter("r", 0.5)
        >>> bead = model.body("bead", position=(1, 0))
        >>> model.add(mbs.Distance("wire", model.ground, bead, length=r))
        <Distance wire>
        >>> print([round(mbs.assemble(m)["bead.x"], 6) for m in (model, model.with_parameters(r=2.0))])
        [0.5, 2.0]
        """
        copy = self.with_values(values)
        warn_of_angles(self, values, "with_parameters")
        return copy

    def with_values(self, values: Mapping[str, float]) -> Self:
        """Return a copy of the model with other parameter values, by name, without warnings of angles in degrees: the
        package has computed or checked these values."""
        changed = Names[ParameterValue]("parameter", self.parameters)
        for name, value in values.items():
            if name not in changed:
                raise self._unknown("parameter", name, changed)
            old = changed[name]
            changed.declare(name, ParameterValue(old.symbol, finite_number(value, f"parameter {name!r}"), old.unit))
        copy = self._copy(parameters=changed)
        copy._siblings = {**self._compiled, **self._siblings}  # refers to the first design, not to a chain of designs
        return copy

    def with_inputs(self, **laws: Any) -> Self:
        """Return a copy of the model with other inputs, by name: numbers, expressions of time, tables, motions; see
        `input`."""
        changed = dict(self.elements)
        for name, law in laws.items():
            old = self.elements.get(name)
            if not isinstance(old, Input):
                raise self._unknown("input", name, (e.name for e in self.inputs))
            changed[name] = Input(old.symbol, law, old.unit)
            check_content(self, changed[name])
        return self._copy(elements=changed)

    def with_parameter(self, name: str, value: float = 0.0) -> Self:
        """Return this model if it has a parameter of this name; else a copy in which the law of the input of this name
        is a parameter with this name and value, so that `with_values` sets it and nothing is compiled again."""
        if name in self.parameters:
            return self
        symbol, parameters = Parameter(name), Names[ParameterValue]("parameter", self.parameters)
        unit = next(one.unit for one in self.inputs if one.name == name)
        parameters.declare(name, ParameterValue(symbol, value, unit))
        return self._copy(parameters=parameters).with_inputs(**{name: symbol})

    def with_held_inputs(self, **values: float) -> Self:
        """Return this model with inputs that keep a value until another one is set: inputs whose law is a number, and
        inputs with a value here. Held inputs become states without a rate.

        >>> model = mbs.PlanarModel("cart")
        >>> push = model.input("push", 4.0, unit="N")
        >>> held = model.with_held_inputs()
        >>> [state.name for state in held.states], [law.name for law in held.inputs]
        (['push'], [])
        """
        changed = dict(self.elements)
        for name in values:
            if not isinstance(self.elements.get(name), Input):
                raise self._unknown("input", name, (e.name for e in self.inputs))
        for one in self.inputs:
            if one.name in values or not one.law.free_symbols:
                value = values.get(one.name, one.law)
                changed[one.name] = StateVariable(one.symbol, None, value, one.unit, 1.0)
                check_content(self, changed[one.name])
        return self._copy(elements=changed)

    def _copy(self, **changes: Any) -> Self:
        copy = object.__new__(type(self))
        vars(copy).update(self.__getstate__())
        copy.bodies = Names("body", changes.get("bodies", self.bodies))
        copy.elements = Names("element", changes.get("elements", self.elements))
        copy.parameters = Names("parameter", changes.get("parameters", self.parameters))
        if "elements" in changes:
            copy._gears = tuple(name for name in self._gears if name in copy.elements)
            copy._count_gears()
        return copy

    def __copy__(self) -> Self:
        """Return an independent model with the same bodies and elements: later additions to one do not change the
        other."""
        return self._copy()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickles and deep copies, which have bodies of their own: all input, nothing compiled."""
        return {**vars(self), "_compiled": {}, "_siblings": {}, "_by_kind": {}, "_checked": False}

    def compile(self, coordinates: str = "cartesian", base: Named | None = None, cut: Named = ()) -> Any:
        """Return the compiled system in "cartesian", "natural" or "joint" coordinates, cached until the model changes.
        ``base`` and ``cut`` choose the tree of joint coordinates: see `mbs.topology`. Analyses take the system in place
        of the model, and compute in its coordinates.

        >>> model = mbs.PlanarModel("pendulum")
        >>> rod = model.link("rod", (0, 0), (1, 0), mass=1.0)
        >>> model.add(mbs.Revolute("A", model.ground, rod.tail))
        <Revolute A>
        >>> [model.compile(name).nq for name in ("cartesian", "joint")]  # x, y and the angle; the angle alone
        [3, 1]
        """
        if not self._checked:
            check_spoken_of(self)
            for body in self.bodies.values():
                if body.parts:
                    check_bound(self, f"body {body.name!r}, with its parts,", body.numbers)
                vars(body)["is_compiled"] = True
            number = self.evaluator()
            for check in self._checks():
                check(number)
            check_setters(self)
            check_teeth(self)
            check_lone_axes(self, number)
            self._checked = True
        tree = {name: value for name, value in (("base", base), ("cut", cut)) if value is not None and value != ()}
        key = (str(coordinates), *map(str, tree.items()))
        if key not in self._compiled:
            frozen = self._copy()  # a compiled system does not change with the model
            frozen._compiled, frozen._siblings = self._compiled, self._siblings
            sibling = self._siblings.get(key)  # compiled with other values of the parameters
            if key == ("cartesian",) and sibling is None and self._siblings:
                sibling = next(iter(self._siblings.values())).cartesian  # any coordinate set has one
            if sibling:
                system = sibling.with_values(self.evaluator(), frozen)
                frozen._checked = True
            else:
                system = provided("Model.compile")(frozen, coordinates, **tree)
            self._compiled[key] = system
        return self._compiled[key]

    def draw(self, t: float = 0.0, ax: Any = None, **options: Any) -> Any:
        """Draw the model in the pose that `assemble` finds at time t, in s, with the options of ``State.draw``; return
        the figure.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> rod.draw(units="mm").axes[0].get_xlabel()
        'x [mm]'
        """
        if pose := [f"{name}=..." for name in ("fix", "start", "forces", "derivatives") if name in options]:
            what = f"draw() has no option {pose[0][:-4]!r}; it is one of assemble"
            raise ModelError(
                f"{what}: write mbs.assemble(model, {', '.join(pose)}).draw()",
                code="unknown-name", argument="options", name=pose[0][:-4],
            )  # fmt: skip
        return provided("Model.draw")(self, t).draw(ax, **options)

    # --- input and its checks -------------------------------------------------------------------------------

    def _checks(self) -> Iterator[Callable[[Callable[[Number], float]], None]]:
        """Yield the checks that depend on values of parameters."""
        for body in self.bodies.values():
            yield body.check_values
        for element in self.elements.values():
            for marker in element.markers:
                yield partial(marker.check_values, who=element.who)
            yield element.check_values

    def check_along(self, parameter: Parameter, values: Iterable[float]) -> None:
        """Run the checks of `compile` that depend on one parameter, for many of its values."""
        number, checks = self.evaluator(), self.checks_of({parameter})
        for value in values:
            number_at_value = number.at(parameter, value)
            for check in checks:
                check(number_at_value)

    def checks_of(self, parameters: Set[Any]) -> list[Callable[[Callable[[Number], float]], None]]:
        """Return the checks of `compile` that depend on some of these parameters."""
        number, arguments = self.evaluator(), []

        def recorder(expression: Number) -> float:
            arguments.append(expression)
            return number(expression)

        checks = []
        for check in self._checks():
            arguments.clear()
            check(recorder)
            if parameters & free_parameters(arguments):
                checks.append(check)
        return checks
