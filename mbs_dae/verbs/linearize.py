"""Small motions about an equilibrium or a steady motion, as matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from ..arguments import (
    as_state,
    check_start,
    check_without_contacts,
    checked_over,
    model_of,
    system_of,
)
from ..compiled import System
from ..derivatives.parameters import DesignVariables, design_variables
from ..equilibria.balance import balance_at
from ..equilibria.equilibrium import Equilibrium, with_law_derivatives
from ..equilibria.linear import LinearSystem, linear_system
from ..equilibria.lines import LinearPath
from ..equilibria.steady import is_at_rest, small_motion_about
from ..equilibria.varied.rest import check_law_derivatives
from ..errors import ModelError, check_name, checked_options
from ..explain.failures import check_masses
from ..model.checks import unit_of, warn_of_angles
from ..model.model import Model
from ..model.signals import Sampled
from ..motion.initial import initial_state
from ..results.result import State
from .equilibrium import equilibrium

Over = tuple[str, Sequence[float]]
Where = State | Mapping[str, float] | None


@overload
def linearize(
    model: Model | System, state: Where = ..., inputs: Sequence[str] = ..., outputs: Sequence[str] = ...,
    coordinates: Sequence[str] = ..., over: None = ..., derivatives: Sequence[Any] = ...,
) -> LinearSystem: ...  # fmt: skip
@overload
def linearize(
    model: Model | System, state: Where = ..., inputs: Sequence[str] = ..., outputs: Sequence[str] = ...,
    coordinates: Sequence[str] = ..., *, over: Over, derivatives: Sequence[Any] = ...,
) -> LinearPath: ...  # fmt: skip
@checked_options
def linearize(
    model: Model | System, state: Where = None, inputs: Sequence[str] = (), outputs: Sequence[str] = (),
    coordinates: Sequence[str] = (), over: Over | None = None, derivatives: Sequence[Any] = (),
) -> LinearSystem | LinearPath:  # fmt: skip
    """Return the equations of small motions about a state: M, D, K in independent coordinates, A, B, C with names,
    modes.

    `state` is an equilibrium (``mbs.equilibrium(model).state``, the default), a steady motion (a spinning body, a
    rolling wheel, an evenly driven mechanism), or a dict of values as in ``simulate(initial=...)``. Other states are
    refused. `inputs` names inputs of the model or parameters of forces; `outputs` names quantities, states and their
    rates, efforts of drivers, or inputs; `coordinates` names positions that are used as independent coordinates, by
    default a well-conditioned choice.

    With ``over=("rotor.wz", speeds)`` the equations are linearised for each value of a quantity of the state, of a
    parameter or of an input, and modes are followed from value to value: see `LinearPath`. Without `over` the result is
    a `LinearSystem`.

    States of the model that are not held follow the motion in A; they must not change at `state`.

    `derivatives` names parameters and constants by which the matrices about an equilibrium are differentiated: see
    `LinearSystem.d`. Derivatives by positions and velocities are exact; derivatives by inputs and states are exact for
    laws up to the third degree. A system in natural coordinates is linearised in these; one in joint coordinates, or in
    motion, in coordinates of bodies. A law that has no slope at the state, or changes with time, is refused.

    Two masses of 2 kg between springs of 18 N/m and a wall on either side, ω² = k/m and 3 k/m:

    >>> model = mbs.PlanarModel("two masses")
    >>> one, two = (model.body(name, mass=2, position=(x, 0)) for name, x in (("one", 1), ("two", 2)))
    >>> guides = [model.add(mbs.Translational(f"guide of {b.name}", model.ground, b)) for b in (one, two)]
    >>> ends = [model.ground, one, two, model.ground.at(3, 0)]
    >>> springs = [model.add(mbs.Spring(f"s{k}", ends[k], ends[k + 1], stiffness=18, length=1)) for k in range(3)]
    >>> law = mbs.linearize(model)
    >>> law.coordinates, (law.frequencies**2).round(6)
    (('one.x', 'two.x'), array([ 9., 27.]))
    """
    for what, names in (("inputs", inputs), ("outputs", outputs), ("coordinates", coordinates)):
        if isinstance(names, str):
            raise ModelError(
                f"{what}= takes names in a list: {what}=[{names!r}]", code="not-a-list", argument=what, value=names
            )
    state = as_state(state)
    check_without_contacts(model_of(model), "linearize()")
    warn_of_angles(model_of(model), state, "state")
    if over is not None:
        return _path(model, state, inputs, outputs, coordinates, over, derivatives)
    return _linear_system(model, state, inputs, outputs, coordinates, derivatives)


def _linear_system(
    model: Model | System, state: Where, inputs: Sequence[str], outputs: Sequence[str], coordinates: Sequence[str],
    derivatives: Sequence[Any],
) -> LinearSystem:  # fmt: skip
    """Return the linear system at one state."""
    system, content = system_of(model), model_of(model)
    request = design_variables(content, derivatives)
    if sampled := [e.name for e in content.elements.values() if isinstance(e, Sampled)]:
        raise ModelError(
            f"{content.name!r} has sampled controllers ({', '.join(sampled)}), whose small motions go from sample to "
            "sample; linearize without them, and declare what they set as inputs",
            code="has-sampled-controllers", controllers=tuple(sampled), model=content.name, method="linearize",
        )  # fmt: skip
    state = _state(content, state)
    used = system
    system.cartesian.once(check_masses)
    here = balance_at(system.cartesian, state.t, state.full_q, state.full_v)
    if is_at_rest(here):
        state = replace(state, full_v=here.system.still)
    if state.v.any() or system.coordinates.kernels is not system.coordinates:
        used = system.cartesian
    q, v, _ = (x[0] for x in used.from_bodies(state.motion))
    joint_coordinates: tuple[str, ...] = ()  # those in which small motions are described, as far as they have names
    if system.coordinates.kernels is not system.coordinates:
        quantities = set(system.model.quantity_names())
        joint_coordinates = tuple(name for name in system.coordinate_names if name in quantities)
    small = small_motion_about(balance_at(used, state.t, q, v), coordinates, joint_coordinates)
    law = linear_system(state, small, inputs, outputs)
    return law if request is None else _differentiated(law, request, used)


def _differentiated(law: LinearSystem, request: DesignVariables, used: System) -> LinearSystem:
    """Return the linear system with its derivatives, about an equilibrium in coordinates of bodies."""
    state = law.state
    if state.v.any() or not used.is_cartesian:
        where = "in natural coordinates" if not used.is_cartesian else "about a steady motion"
        what = f"the law of small motions {where} has no derivatives"
        raise ModelError(
            f"{what}; give the model itself, about a rest, or leave derivatives= out",
            code="no-derivative", argument="derivatives", coordinates=used.coordinates.set, moving=bool(state.v.any()),
        )  # fmt: skip
    balance = balance_at(used, state.t, state.full_q)
    check_law_derivatives(balance)
    return with_law_derivatives(law, Equilibrium(balance, request))


def _path(
    model: Model | System, state: Where, inputs: Sequence[str], outputs: Sequence[str], coordinates: Sequence[str],
    over: Over, derivatives: Sequence[Any],
) -> LinearPath:  # fmt: skip
    system, content = system_of(model), model_of(model)
    name, values = checked_over(content, over)
    if len(values) < 2 or not (np.diff(values) > 0.0).all():
        raise ModelError(
            f"over= needs values of {name!r} that increase, two at least, to follow modes along them",
            code="not-increasing", argument="over", name=name, values=tuple(values),
        )  # fmt: skip
    if isinstance(state, State):
        raise ModelError(
            f"each value of {name!r} makes a state of its own, and state= is one already; give the named values that "
            "they have in common, or none",
            code="contradictory-arguments", argument="state", other="over", name=name,
        )  # fmt: skip
    quantities = content.quantity_names()
    check_name("parameter, input or quantity", name, [*content.number_names, *quantities], f"model {content.name!r}")
    if name in content.number_names:
        unit, place = unit_of(content, name), _by_number(system, state, name)
    else:
        measure, level = content.quantity(name)
        moves = level > 0 or any(content.quantity(str(one))[1] for one in state or {} if str(one) in quantities)
        through = system.cartesian if moves else system  # some of these states rest, and all need the same coordinates
        unit, place = measure.units[level], lambda value: (through, {**(state or {}), name: value})
    first = _linear_system(*place(values[0]), inputs, outputs, coordinates, derivatives)

    def at(value: float) -> LinearSystem:
        same = first.velocities  # the same coordinates for all values
        return _linear_system(*place(value), inputs, outputs, same, derivatives)

    return LinearPath(name, unit, np.array(values), (first, *map(at, values[1:])), at)


def _by_number(system: System, state: Where, name: str) -> Callable[[float], tuple[System, Where]]:
    """Return a function of the value of a parameter or an input that returns the system and its state: the named state,
    or the equilibrium that is found from the equilibrium at the nearest value."""
    freed, rests = system.model.with_parameter(name), dict[float, State]()
    freed.compile(system.coordinates.set)  # once, for all values

    def at(value: float) -> tuple[System, Where]:
        other = freed.with_values({name: value}).compile(system.coordinates.set)
        if state is not None:
            return other, state
        near = rests[min(rests, key=lambda known: abs(known - value))] if rests else None
        rests[value] = equilibrium(other, near).state
        return other, rests[value]

    return at


def _state(model: Model, state: State | Mapping[str, float] | None) -> State:
    """Return a state of the bodies, consistent with all constraints."""
    if state is None:
        return equilibrium(model).state
    if isinstance(state, State):
        check_start(model, state)
        return replace(state, system=model.compile())
    return initial_state(model, 0.0, state)[0]
