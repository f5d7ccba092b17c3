"""The content of a model: its bodies, elements and parameters, and the names of all readable quantities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, ClassVar, TypeVar

from ..errors import ModelError, Names, counted, shown_names, unknown_name
from ..public_class import PublicClass
from ..results.names import COMPONENTS, EFFORT
from . import measures
from .bodies.body import Body
from .contacts import Contact, Friction, FrictionElement
from .drivers import Prescribed
from .element import Element
from .events import Event
from .forces.base import EffortElement, ForceElement
from .joints.base import Condition
from .measures import Measure, Quantity
from .parameters import Evaluator, Number, ParameterValue, Reaction, Signal
from .signals import Input, Sampled, StateVariable, all_signals, is_load, reaction_of, units_of_signals

Kind = TypeVar("Kind", bound=Element)

WAYS = {
    "parameter": "its value is set by model.with_parameters({0}=...), and is model.parameters[{0!r}].value",
    "input": "another law is set by model.with_inputs({0}=...)",
    "state": "its first value is initial= in model.state(...), or simulate(..., initial={{{0!r}: ...}})",
}
"""How to set the value of a parameter, an input or a state: hints for errors."""


class Content(metaclass=PublicClass):
    """A model with its readable content."""

    body_class: ClassVar[type[Body]]
    name: str
    ground: Any
    bodies: Names[Body]
    elements: Names[Element]
    parameters: Names[ParameterValue]
    _by_kind: dict[type, tuple[Any, ...]]
    """The elements by kind, cached since the model last changed."""

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return self.body_class.dimension

    def value(self, number: Number | str) -> float:
        """Return the value of a parameter, by its symbol or its name, or of an expression of parameters.

        >>> model = mbs.PlanarModel("wheel")
        >>> r = model.parameter("r", 0.5)
        >>> model.value(2 * r), model.value("r")
        (1.0, 0.5)
        """
        return self.parameters[number].value if isinstance(number, str) else self.evaluator()(number)

    def evaluator(self) -> Evaluator:
        """Return the evaluator of expressions, with the present values of the parameters."""
        return Evaluator({p.symbol: p.value for p in self.parameters.values()})

    def _of(self, kind: type[Kind]) -> tuple[Kind, ...]:
        if kind not in self._by_kind:
            self._by_kind[kind] = tuple(e for e in self.elements.values() if isinstance(e, kind))
        return self._by_kind[kind]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The elements that impose constraints: joints, constraints, drivers."""
        return self._of(Condition)

    @property
    def forces(self) -> tuple[ForceElement, ...]:
        """The elements with force laws: springs, dampers, motors, given forces."""
        return self._of(ForceElement)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The elements with gaps: contacts, stops, ropes and struts."""
        return self._of(Contact)

    @property
    def frictions(self) -> tuple[FrictionElement, ...]:
        """The elements that stick and slip: friction in joints and on measures."""
        return self._of(FrictionElement)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that runs search for."""
        return self._of(Event)

    @property
    def drivers(self) -> tuple[Prescribed, ...]:
        """The conditions that follow a function of time."""
        return self._of(Prescribed)

    @property
    def states(self) -> tuple[StateVariable, ...]:
        """The numbers with a rate of their own: see `state`."""
        return self._of(StateVariable)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The numbers that are given from outside: see `input`."""
        return self._of(Input)

    @property
    def controllers(self) -> tuple[Sampled, ...]:
        """The controllers, which set states at sampling times: see `Sampled`."""
        return self._of(Sampled)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All numbers that change in time and belong to no body: states, inputs, and the reactions that are read."""
        return all_signals(self.elements.values())

    @property
    def felt(self) -> frozenset[str]:
        """The joints whose reactions rates or friction read: these joints keep their equations in all coordinates, so
        that each has a multiplier."""
        read = (s for s in self.signals if isinstance(s, Reaction))
        rubbing = (e.joint for e in self.frictions if isinstance(e, Friction))
        return frozenset([*rubbing, *(s.owner for s in read if s.component != EFFORT)])

    def measures_of(self, owner: str) -> tuple[Measure, ...]:
        """Return the measures of a body, of a named marker ("rod.tip"), or of an element."""
        body, _, marker = owner.partition(".")
        if body in self.bodies:
            at = self.bodies[body].markers.get(marker) if marker else self.bodies[body].origin
            return () if at is None else tuple(getattr(measures, kind)(at) for kind in at.body.measure_kinds)
        if owner in self.elements:
            return tuple(self.elements[owner].measures().values())
        return ()

    def owners(self) -> Iterator[str]:
        """Yield the names of everything that has quantities: bodies, markers, elements."""
        for body in self.bodies.values():
            yield body.name
            yield from (m.label for m in body.markers.values())
        yield from self.elements

    def quantity(self, name: str, told: int = 3) -> tuple[Measure, int]:
        """Return the measure of a name such as "crank.omega", and the level (0 value, 1 rate, 2 acceleration). The
        error for an unknown name lists names of `told` levels."""
        if found := self.quantity_or_none(name):
            return found
        raise self.unknown_quantity(name, told)

    def quantity_or_none(self, name: str) -> tuple[Measure, int] | None:
        """Return the measure and the level as `quantity` does, or None for an unknown name."""
        owner, _, level = str(name).rpartition(".")
        matches = (measure for measure in self.measures_of(owner) if level and level in measure.levels)
        return next(((measure, measure.levels.index(level)) for measure in matches), None)

    def unknown_quantity(self, name: str, told: int = 3, more: Iterable[str] = ()) -> ModelError:
        """Return the error for a name that is no quantity, with the nearest known names and `more`."""
        return self._unknown("quantity", name, [*self.quantity_names(told), *self.signal_units, *more])

    def __getitem__(self, name: str) -> Any:
        """Return a named quantity as a symbol, for the expressions of forces and states: ``-c * model["rod.tip.vx"]``;
        a state or an input; the effort of a force; in rates also the effort of a driver, ``model["motor.effort"]``, and
        the reaction of a joint on its second body, ``model["A.Fx"]``.

        >>> model = mbs.PlanarModel("cart")
        >>> cart = model.body("cart", mass=2.0, inertia=1.0)
        >>> model.add(mbs.Force("air", cart, (10 - 5 * model["cart.vx"], 0)))
        <Force air>
        >>> print(mbs.simulate(model, [0, 20])["cart.vx"].round(4))  # until both are equal
        [0. 2.]
        """
        owner, _, component = str(name).rpartition(".")
        if isinstance(element := self.elements.get(name), StateVariable | Input):
            return element.symbol
        if component in (EFFORT, *COMPONENTS[self.dimension]) and owner in self.elements:
            if component == EFFORT and isinstance(self.elements[owner], EffortElement):
                vars(self.elements[owner])["is_written"] = True
            return reaction_of(self.elements[owner], component, self.ground)
        found = self.quantity_or_none(name)
        if found is None:
            raise self._unread(str(name))
        measure, level = found
        if level > 1:
            raise ModelError(
                f"{name!r} is an acceleration, which follows from forces; write values and rates in them",
                code="acceleration-in-force", name=name,
            )  # fmt: skip
        if measure.own:
            vars(self.elements[owner])["is_written"] = True
        return Quantity(name, measure, level)

    def quantity_names(self, levels: int = 3) -> list[str]:
        """Return the names of all quantities of bodies, markers and elements: values (level 0), rates and
        accelerations.

        >>> model = mbs.PlanarModel("point")
        >>> body = model.body("p")
        >>> model.quantity_names(1)
        ['p.x', 'p.y', 'p.angle']
        """
        named = ((o, level) for o in self.owners() for m in self.measures_of(o) for level in m.levels[:levels])
        return [f"{owner}.{level}" for owner, level in named if level]

    @property
    def number_names(self) -> list[str]:
        """The names of all parameters and inputs, whose values an analysis may set."""
        return [*dict.fromkeys([*self.parameters, *(one.name for one in self._of(Input))])]

    @property
    def signal_units(self) -> dict[str, str]:
        """The units of all signals (states, inputs, and reactions in rates), by name."""
        return units_of_signals(self.elements.values())

    def _unread(self, name: str) -> ModelError:
        """Return the error for a name that no expression can read: its owner may not be added yet, or be misspelt."""
        owner, dot, _ = name.rpartition(".")
        built = {one: who for body in (self.ground, *self.bodies.values()) for one, who in body.waiting.items()}
        if owner in built:
            what = f"{name!r} cannot be read yet: {built[owner]} is built, but not added to model {self.name!r}"
            return ModelError(
                f"{what}; call model.add with it first, and then write what reads it", code="not-added-yet", name=name
            )
        if element := self.elements.get(owner):
            loads = [word for word in (EFFORT, *COMPONENTS[self.dimension]) if is_load(element, word)]
            return self.unknown_quantity(name, 2, [f"{owner}.{word}" for word in loads])
        if dot and owner not in (owners := [*self.owners()]) and not get_close_matches(owner, owners, n=1, cutoff=0.5):
            what = f"model {self.name!r} has no quantity {name!r}, as it has no body, marker or element {owner!r}"
            return ModelError(
                f"{what}; it has {shown_names(owners)}; add {owner!r} before what reads it",
                code="unknown-name", owner=owner, name=name,
            )  # fmt: skip
        return self.unknown_quantity(name, 2)

    def _unknown(self, kind: str, name: str, names: Iterable[str]) -> ModelError:
        """Return the error for an unknown name, which says whether the model has something else of this name."""
        key = str(name)
        other = "parameter" if key in self.parameters else getattr(self.elements.get(key), "kind", "")
        if other not in WAYS:
            return unknown_name(kind, name, names, f"model {self.name!r}")
        what = f"{name!r} of model {self.name!r} is {'an' if other == 'input' else 'a'} {other}, no {kind}"
        return ModelError(
            f"{what}; {WAYS[other].format(name)}",
            code="unknown-name", element=self.name, other=other, kind=kind, name=name,
        )  # fmt: skip

    def __repr__(self) -> str:
        bodies = "1 body" if len(self.bodies) == 1 else f"{len(self.bodies)} bodies"
        return f"<{type(self).__name__} {self.name!r}: {bodies}, {counted(len(self.elements), 'element')}>"
