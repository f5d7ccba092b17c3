"""The checks of a model's input: names, elements and their symbols, on entry and when the model is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import permutations
from typing import Any, Protocol

import numpy as np

from ..errors import ModelError, check_writable, unknown_name
from ..symbolic.derive import Form
from ..symbolic.markers import t
from ..tolerances import SAME_DIRECTION
from ..unit_system import warn_of_degrees
from .bodies.body import Body, Marker, reference_turns
from .contacts import Contact, Friction
from .drivers import Driver
from .element import Element
from .events import Event, Reset
from .joints import Gear
from .joints.base import Condition
from .measures import Quantity
from .parameters import ParameterValue, Reaction, Signal, free_parameters, signals_in
from .signals import EFFORT, Input, Sampled, SignalElement, StateVariable, check_switches, state_of
from .tables import TableSymbol


class ModelData(Protocol):
    """A model with all data that were put into it."""

    name: str
    ground: Body
    bodies: Any
    elements: Any
    parameters: Any

    @property
    def dimension(self) -> int: ...
    @property
    def states(self) -> tuple[StateVariable, ...]: ...
    @property
    def events(self) -> tuple[Event, ...]: ...
    @property
    def controllers(self) -> tuple[Sampled, ...]: ...
    def quantity_names(self, levels: int = 3) -> list[str]: ...


def check_new(model: ModelData, name: Any, kind: str) -> None:
    if not isinstance(name, str) or not name or "." in name or name != name.strip():
        raise ModelError(
            f"{name!r} cannot name a {kind}; use a text without dots and outer spaces",
            code="not-a-name", name=name, kind=kind,
        )  # fmt: skip
    check_writable(name, f"the name of a {kind}")
    if name == "ground" or name in model.bodies or name in model.elements:
        raise ModelError(
            f"the model already has {name!r}; choose another name for this {kind}",
            code="name-taken", name=name, kind=kind,
        )  # fmt: skip


def check_symbol(model: ModelData, name: Any, kind: str) -> None:
    """Check that a name can be that of a state or an input."""
    check_new(model, name, kind)
    if not name.isidentifier() or name == t.name:
        raise ModelError(
            f"{name!r} cannot name a {kind}; use letters, digits and _, and not 't', which is time",
            code="not-a-name", name=name, kind=kind,
        )  # fmt: skip
    if name in model.parameters:
        raise ModelError(
            f"the model already has a parameter {name!r}; choose another name for this {kind}",
            code="name-taken", name=name, kind=kind,
        )  # fmt: skip


def check_element(model: ModelData, element: Any) -> None:
    if not isinstance(element, Element):
        several = "; write model.add(*elements)" if isinstance(element, list | tuple) else ""
        raise ModelError(
            f"cannot add {element!r}; add joints, drivers, forces: mbs.Revolute('A', i, j){several}",
            code="not-an-element", element=element,
        )  # fmt: skip
    check_new(model, element.name, element.kind)
    check_content(model, element)


def check_content(model: ModelData, element: Element) -> None:
    """Check the markers and all symbols of an element."""
    if element.markers and element.dimension != model.dimension:
        here, there = ("the plane", "space")[:: 1 if model.dimension == 2 else -1]
        what = f"{element.who} is between bodies in {there}, and model {model.name!r} is in {here}"
        raise ModelError(
            f"{what}; use bodies of this model",
            code="wrong-dimension", element=element.who, model=model.name, here=here,
        )  # fmt: skip
    _check_markers(model, element.who, element.markers)
    if not isinstance(element, SignalElement | Event) and all(marker.body.fixed for marker in element.markers):
        raise ModelError(
            f"{element.who} joins nothing but the ground; name a body that moves",
            code="joins-ground-only", element=element.who,
        )  # fmt: skip
    for form, slots in element.forms():
        _check_symbols(model, element, form, slots)
    check_switches(element, model.elements.values())
    check_bound(model, element.who, [*element.laws, *(n for m in element.markers for n in m.numbers)])
    for value in (element.initial, element.scale) if isinstance(element, StateVariable) else ():
        check_bound(model, element.who, [value])
    for target in element.targets if isinstance(element, Sampled) else ():
        state_of(model, target, f"{element.who} sets")
    if isinstance(element, Event) and isinstance(element.action, Reset):
        _check_reset(model, f"the Reset of {element.who}", element.action)


def _check_symbols(model: ModelData, element: Element, form: Form, slots: dict[Any, Any]) -> None:
    prescribes = isinstance(element, Condition | Contact) and form is element.form()[0]
    _check_signals(model, element, signals_in(slots.values()), prescribes)
    check_bound(model, element.who, [n for s, n in slots.items() if s not in form.signals])
    declared = {t, *form.slots, *form.own_symbols, *reference_turns(form, element.markers)}
    if stray := sorted(map(str, free_parameters(form.expressions) - declared)):
        raise _unknown_symbols(element.who, stray)


def check_bound(model: ModelData, who: str, numbers: list[Any]) -> None:
    """Check that constants depend on parameters of the model only."""
    parameters: Iterable[ParameterValue] = model.parameters.values()
    declared = {p.symbol for p in parameters}
    free = {s for s in free_parameters(numbers) if not isinstance(s, TableSymbol)}
    if moving := signals_in(free):
        what = f"a constant of {who} contains {moving[0].name!r}, which changes in time"
        raise ModelError(
            f"{what}; write it in an expression, as Force, Torque, Actuator and rates take them",
            code="not-constant", subject=who,
        )  # fmt: skip
    if stray := sorted(map(str, free - declared)):
        raise _unknown_symbols(who, stray)


def name_of(model: ModelData, thing: Any, who: str) -> str:
    """Return a name, or the name of a symbol of this model."""
    if isinstance(thing, Quantity):
        _check_markers(model, who, thing.measure.markers)
    elif isinstance(thing, Signal):
        _check_signal(model, f"{who} names {thing.name!r}", thing, {})
    return str(thing)


def _check_markers(model: ModelData, who: str, markers: Iterable[Marker]) -> None:
    for marker in markers:
        owner = model.ground if marker.body.fixed else model.bodies.get(marker.body.name)
        if owner is not marker.body:
            what = f"{who} uses a marker of {marker.body.name!r}, a body of another model"
            raise ModelError(
                f"{what}; use the bodies of this one", code="not-of-this-model", subject=who, body=marker.body.name
            )


def _check_reset(model: ModelData, who: str, reset: Reset) -> None:
    """Check that the symbols of a reset belong to this model. (Elements that a reset sets may be added later:
    see `check_setters`.)"""
    symbols = free_parameters([*reset.values.values(), *reset.symbols])
    quantities = [s for s in symbols if isinstance(s, Quantity)]
    for quantity in quantities:
        _check_markers(model, who, quantity.measure.markers)
    signals = signals_in(symbols)
    for signal in signals:
        _check_signal(model, f"{who} depends on {signal.name!r}", signal, {})
    check_bound(model, who, [*symbols - {t, *quantities, *signals}])
    warn_of_reset(model, reset)


# --- angles in degrees ----------------------------------------------------------------------------------------------


def unit_of(model: Any, name: str) -> str:
    """Return the SI unit of a parameter, a signal or a quantity; "" for a number without a unit and unknown names."""
    if name in model.parameters:
        return str(model.parameters[name].unit)
    if name in (signal_units := model.signal_units):
        return str(signal_units[name])
    measure, level = model.quantity_or_none(name) or (None, 0)
    return str(measure.units[level]) if measure else ""


def warn_of_angles(model: Any, given: Any, what: str) -> None:
    """Warn of angles that are probably in degrees, among numbers or lists of numbers by name. Rates are not checked: a
    shaft may make many turns in a second. Names that the model does not have are left to other checks."""
    for name, value in given.items() if isinstance(given, Mapping) else ():
        if unit_of(model, str(name)) == "rad":
            warn_of_degrees(value, f"{what}[{str(name)!r}]")


def warn_of_reset(model: Any, reset: Reset) -> None:
    """Warn once of each angle, set by a reset, that is probably in degrees, when the model has this angle."""
    known = [name for name in reset.typed if unit_of(model, name)]
    warn_of_angles(model, {name: reset.typed.pop(name) for name in known}, "Reset")


# --- signals ------------------------------------------------------------------------------------------------------


def _check_signals(model: ModelData, element: Element, signals: Iterable[Signal], prescribes: bool) -> None:
    """Check that the model has all signals that this element reads, and that the element may read them: elements that
    prescribe a motion read no signals."""
    itself = {element.name: element}
    for signal in signals:
        what = f"{element.who} depends on {signal.name!r}"
        if prescribes:
            raise ModelError(
                f"{what}: what joints, drivers and contacts prescribe is a matter of places and time; let a force "
                "act on the motion instead, such as mbs.Torque or mbs.Actuator",
                code="depends-on-state", element=element.who, signal=signal.name,
            )  # fmt: skip
        if isinstance(signal, Reaction) and not isinstance(element, SignalElement):
            raise ModelError(
                f"{what}, which follows from all forces: an algebraic loop; let it pass a state that lags behind, "
                f"lagged = model.state('lagged', rate=lambda x: (model[{signal.name!r}] - x) / T)",
                code="algebraic-loop", element=element.who, signal=signal.name,
            )  # fmt: skip
        _check_signal(model, what, signal, itself)


def _check_signal(model: ModelData, what: str, signal: Signal, more: Mapping[str, Element]) -> None:
    elements = {**model.elements, **more}
    if signal.home is not model.ground:
        raise ModelError(
            f"{what} of another model; take this one's, if it has one: model[{signal.name!r}]",
            code="not-of-this-model", signal=signal.name,
        )  # fmt: skip
    if isinstance(signal, Reaction):
        owner_class, kind = (Driver, "driver") if signal.component == EFFORT else (Condition, "joint")
        if not isinstance(elements.get(signal.owner), owner_class):
            raise ModelError(
                f"{what}, and the model has no {kind} {signal.owner!r}; add it first",
                code="not-of-this-model", kind=kind, owner=signal.owner,
            )  # fmt: skip
    elif not isinstance(elements.get(signal.name), StateVariable | Input):
        raise ModelError(
            f"{what}, which is not a state or input of this model; declare it: model.state(...) or model.input(...)",
            code="not-of-this-model",
        )  # fmt: skip


def check_spoken_of(model: ModelData) -> None:
    """Check that all elements refer to bodies and elements of the model."""
    for element in model.elements.values():
        for other in element.speaks_of:
            if (namesake := model.elements.get(other.name)) is other:
                continue
            what, remedy = "which the model does not have", "add it, or leave this out, too"
            if namesake is not None:
                what, remedy = f"and {other.name!r} of the model is another one", "make this one anew, of that"
            raise ModelError(
                f"{element.who} speaks of {other.who}, {what}; {remedy}",
                code="not-of-this-model", element=element.who, other=other.who,
            )  # fmt: skip


def check_teeth(model: Any) -> None:
    """Refuse a pressure angle if a rate reads a joint reaction: without friction in joints the separating force is
    computed after the motion."""
    rubs = any(isinstance(e, Friction) for e in model.frictions)
    for gear in model.conditions:
        if isinstance(gear, Gear) and gear.pressure_angle != 0 and model.felt and not rubs:
            what = f"{gear.who} has a pressure_angle, and a rate reads what {min(model.felt)!r} carries"
            raise ModelError(
                f"{what}: the force that drives wheels apart is found after the motion; leave pressure_angle= out",
                code="pressure-angle-with-reactions", gear=gear.who,
            )  # fmt: skip


def check_lone_axes(model: Any, number: Callable[[Any], float]) -> None:
    """Refuse a body with an inertia about one axis only where it may turn about others as well.

    Its angular velocity stays along the axis if joints keep this direction, from body to body, up to the ground: a
    hinge keeps the direction of its axis, a guide and a weld keep all directions, by `shares` of each joint. Directions
    are compared in body axes, and hold in every pose.
    """
    joints = [joint for joint in model.conditions if any(letters != "point" for letters, _ in joint.shares.get(3, ()))]
    for body in model.bodies.values():
        for axis in getattr(body, "lone_axes", ()):
            chain = [(body, np.array([number(n) for n in axis]))]  # bodies, and the direction in axes of each
            for member, direction in chain:
                pairs = ((joint, pair) for joint in joints for pair in permutations(joint.markers[:2]))
                for joint, (near, far) in pairs:
                    if near.body is not member or far.body in [other for other, _ in chain]:
                        continue
                    (_, near_axes), (_, far_axes) = near.on_body(number), far.on_body(number)
                    in_joint = near_axes.T.astype(float) @ direction  # the direction in axes of the joint
                    letters = "".join(letters for letters, _ in joint.shares[3] if letters != "point")
                    if len(letters) > 1 or abs(in_joint["xyz".index(letters)]) > 1 - SAME_DIRECTION:
                        chain.append((far.body, far_axes.astype(float) @ in_joint))
            if not any(member.fixed for member, _ in chain):
                text = ", ".join(f"{n:g}" for n in chain[0][1])
                problem = f"body {body.name!r} has an inertia about one axis only, ({text}) in its axes, and no hinges "
                raise ModelError(
                    f"{problem}and guides along it hold the body on the ground: its moments about other axes matter, "
                    "too; give all three, inertia=(Ixx, Iyy, Izz)",
                    code="inertia-about-one-axis", body=body.name,
                )  # fmt: skip


def check_setters(model: ModelData) -> None:
    """Check that a state has one controller at most, and that a Reset sets states, values or rates of the model."""
    controllers: dict[str, Element] = {}
    for element in model.elements.values():
        for name in map(str, element.targets) if isinstance(element, Sampled) else ():
            if other := controllers.get(name):
                raise ModelError(set_twice(other.who, element.who, name), code="set-twice")
            controllers[name] = element
        if isinstance(element, Event) and isinstance(element.action, Reset):
            states = [one.name for one in model.elements.values() if isinstance(one, StateVariable)]
            known = [*states, *model.quantity_names(levels=2)]
            for name in element.action.values:
                if name not in known:
                    raise unknown_name("state, value or rate", name, known, f"{element.who} resets {name!r}: the model")
            warn_of_reset(model, element.action)


def set_twice(one: str, other: str, name: str) -> str:
    return (
        f"{one} and {other} both set {name!r}, and nothing says which of them wins; let one do it, or give each a "
        "state of its own"
    )


def check_constant_states(model: ModelData, initial: Iterable[str]) -> None:
    """Check that a state without a rate has a controller or a Reset that sets it, or an initial value."""
    constant = [state for state in model.states if state.is_held]
    if not constant or any(controller.function for controller in model.controllers):
        return  # a controller written in Python may set any state
    names = {*initial, *(str(target) for controller in model.controllers for target in controller.targets)}
    names |= {n for e in model.events if isinstance(e.action, Reset) for n in e.action.values}
    for state in constant:
        if state.name not in names:
            raise ModelError(
                f"{state.who} of {model.name!r} has no rate, and nothing sets it: it would stay as it is; say its "
                f"rate, model.rate({state.name!r}, ...), or set it by mbs.Sampled or mbs.Reset; a constant is a "
                "parameter, and what is given from outside is an input",
                code="state-without-rate", state=state.who, model=model.name,
            )  # fmt: skip


def _unknown_symbols(who: str, names: list[str]) -> ModelError:
    remedy = "declare them with model.parameter(name, value)"
    if t.name in names:
        remedy = "what is constant does not depend on time; write a law (law=, a force of time) or a Driver"
    elif any("." in name for name in names):
        remedy = "quantities of the model are read by forces alone; relate bodies by a joint, a Gear, a Constraint"
    return ModelError(
        f"{who} contains unknown symbols: {', '.join(names)}; {remedy}",
        code="unknown-symbols", subject=who, names=tuple(names),
    )  # fmt: skip
