"""Events: instants at which an expression of the motion passes zero, and their actions."""

from __future__ import annotations

from collections.abc import Mapping
from re import fullmatch, match
from typing import Any, Literal, TypeAlias

import sympy as sp
from sympy.logic.boolalg import Boolean

from ..errors import ModelError
from ..public_class import PublicClass
from ..symbolic.branches import Watched
from ..symbolic.derive import Reading
from ..symbolic.expressions import expression_of
from ..symbolic.markers import t
from .contacts.changes import PARTS, SLIPS, STICKS, TOUCHES, ContactChange, ContactChanges
from .element import Element, checked_name
from .measures import Quantity, written_in_markers
from .parameters import check_choice, constants_out, signals_in

DIRECTIONS = (-1, 0, 1)


class Reset(metaclass=PublicClass):
    """New values of named quantities at an event: ``mbs.Reset({"ball.vy": -0.9 * model["ball.vy"]})``.

    Values are numbers or expressions of quantities just before the event, of parameters and `mbs.t`, in SI units; they
    may jump, as `sp.sign` does. Rates change as by an impulse: among all velocities that satisfy the constraints and
    the new values, the reset takes the one whose change has the least kinetic energy.

    >>> model = mbs.PlanarModel("ball", gravity=(0, -10))
    >>> ball = model.body("ball", mass=1.0, inertia=0.1, position=(0, 5))
    >>> bounce = mbs.Reset({"ball.vy": -0.5 * model["ball.vy"]})
    >>> model.add(mbs.Event("floor", when=model["ball.y"], direction=-1, action=bounce))
    <Event floor>
    >>> bounced = mbs.simulate(model, [0, 1.5])  # 1 s down with 10 m/s, 0.5 s up from 5 m/s
    >>> print(bounced["ball.y"].round(6))
    [5.   1.25]
    """

    def __init__(self, values: Mapping[str, Any]):
        if not isinstance(values, Mapping) or not values:
            raise ModelError(
                f'a Reset names new values: Reset({{"ball.vy": 0.0}}), not {values!r}', code="not-a-dict", values=values
            )
        for name, value in values.items():
            _check_written(value, f"the new {name} of a Reset")
        self.values = {
            str(name): expression_of(e, f"the new {name} of a Reset", jumps=True) for name, e in values.items()
        }
        self.symbols = [name for name in values if isinstance(name, sp.Symbol)]
        """Names that were given as symbols."""
        self.typed = {str(name): value for name, value in values.items()}
        """The values as they were written, until `warn_of_reset` has checked them."""

    def __repr__(self) -> str:
        return f"Reset({self.values})"


Action: TypeAlias = Literal["record", "stop"] | Reset


def _check_written(value: Any, what: str) -> None:
    """Refuse text, elements and several changes, with what is to be written in place of them."""
    changes = (STICKS, SLIPS, TOUCHES, PARTS)
    if isinstance(value, ContactChanges):
        may = ", ".join(f".{change}" for change in changes if not value.never(change))
        raise ModelError(
            f"{what} is {value.who} itself; write one of its changes: {may}",
            code="is-a-contact", subject=value.who,
        )  # fmt: skip
    several = isinstance(value, list | tuple) and not isinstance(value, ContactChange)
    if several and any(isinstance(one, ContactChange) for one in value):
        raise ModelError(f"{what} are several changes; add one mbs.Event for each", code="several-changes")
    if not isinstance(value, str):
        return
    owner, _, word = value.strip().rpartition(".")
    number = match(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(.*)", value)
    if owner and word in changes:
        remedy = f"write the change: model.elements[{owner!r}].{word}"
    elif fullmatch(r"[A-Za-z_]\w*(\.\w+)+", value.strip()):
        remedy = f"write the quantity: model[{value.strip()!r}]"
    elif number:
        unit = f", in SI units, not in {number[2]}" if number[2] else ""
        remedy = f"write a number without quotes{unit}"
    else:
        remedy = 'text is not evaluated: write an expression of quantities without quotes, e.g. model["ball.y"] - 1'
    raise ModelError(f"{what} is a text, {value!r}; {remedy}", code="is-a-text", value=value)


class Event(Element):
    """``Event("top", when=model["crank.omega"])``: the times at which an expression of the motion passes zero.

    `when` is an expression of quantities, states, parameters and `mbs.t` (``mbs.t - 2``: at a known time); zero at the
    beginning of the motion, or a touch of zero, is no event. With `direction` 1 only passages from below count, with -1
    only passages from above. Passages are found to roundoff, and ``result.events`` lists them. An event that only
    records does not change the run. If a contact or friction holds the expression at zero, the event happens once, when
    this begins. `when` may also be a change: ``rub.sticks``, ``rub.slips``, ``floor.touches``, ``floor.parts`` of a
    contact, a friction or a stop (``result.transitions`` lists all of them). `action` is "record", "stop" (the run
    ends) or a `Reset`. Simultaneous events all happen, in the order in which they were added; a `Reset` acts on the
    state after the one before it.

    >>> model = mbs.PlanarModel("ball", gravity=(0, -10))
    >>> ball = model.body("ball", mass=1.0, inertia=0.1)
    >>> model.add(mbs.Event("top", when=model["ball.vy"], direction=-1))
    <Event top>
    >>> thrown = mbs.simulate(model, [0, 1], initial={"ball.vy": 5.0})
    >>> [(event.name, round(event.t, 6), round(event.state["ball.y"], 6)) for event in thrown.events]  # v/g, v²/2g
    [('top', 0.5, 1.25)]
    """

    def __init__(self, name: str, when: Any, direction: int = 0, action: Action = "record"):
        self.name = checked_name(name)
        _check_written(when, f"when of {self.who}")
        self.change: ContactChange | None = when if isinstance(when, ContactChange) else None
        if self.change:
            if direction != 0:
                raise ModelError(
                    f"{self.who} names a change, {when}, which has no direction; leave direction= out",
                    code="change-has-no-direction", subject=self.who, when=when,
                )  # fmt: skip
            when = t  # a placeholder that nothing reads
        if isinstance(when, Boolean) and not isinstance(when, sp.Expr):  # symbols may be either
            raise ModelError(
                f"when of {self.who} is a condition, {when}, and is to pass zero; write x > 1 as x - 1",
                code="is-a-condition", subject=self.who, when=when,
            )  # fmt: skip
        when = expression_of(when, f"when of {self.who}")
        self.direction: int = check_choice(direction, DIRECTIONS, f"direction of {self.who}")
        if isinstance(action, Mapping):
            raise ModelError(
                f"action of {self.who} is a dict; write mbs.Reset({{...}}) about it",
                code="not-a-reset", subject=self.who,
            )  # fmt: skip
        if callable(action) or isinstance(action, list | tuple):
            what = "a function or a class" if callable(action) else "a list"
            remedy = "mbs.Reset({...}) with expressions sets values" if callable(action) else "add an event for each"
            raise ModelError(
                f"action of {self.who} is {what}, and is to be 'record', 'stop' or an mbs.Reset; {remedy}",
                code="unknown-choice", argument="action", subject=self.who,
            )  # fmt: skip
        if not isinstance(action, Reset):
            check_choice(action, ("record", "stop"), f"action of {self.who} (or mbs.Reset({{...}}))")
        self.action = action
        quantities = sorted(when.atoms(Quantity), key=str)
        if not quantities and not signals_in([when]) and not when.has(t):
            raise ModelError(
                f"{self.who} is about {when}, which never changes; write what passes zero",
                code="never-changes", subject=self.who, when=when,
            )  # fmt: skip
        self.when = when
        self.markers, symbols, values = written_in_markers(quantities, (), self.who)
        if self.markers:
            self.check_dimension()
        form, slots = constants_out(Reading(symbols, (Watched(when.xreplace(values)),)))
        self._complete(form, slots)
