"""Events of a run: they are recorded, stop the run, or let it go on from another state."""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import sympy as sp

from ..compiled import System
from ..compiled.status import DONE, STEP_EVENT
from ..errors import MbsError, ModelError
from ..kernels.images import places_written
from ..model.breaks import nearest_passage
from ..model.contacts.changes import ContactChange
from ..model.events import Event, Reset
from ..model.measures import Quantity
from ..model.model import Model
from ..model.parameters import Evaluator, Parameter, Signal
from ..model.tables import TableSymbol, reads_beyond
from ..poses.assembly import posed
from ..results.events import Happening
from ..results.result import State
from ..symbolic.branches import RANGE, SIDE, WATCH
from ..symbolic.markers import t as time
from .initial import nearest_velocity
from .methods.method import END
from .record import IntegratorState
from .run import restart
from .samples import set_states
from .switching.search import AT_ONCE, HERE
from .watched_events import go_to_event

ANY = -1
"""The number that stands for all events."""


def happened(
    system: System, march: IntegratorState, changes: Collection[ContactChange] = ()
) -> tuple[list[Happening], list[Event]]:
    """Return the events since the last call, with their states, in the order in which they were added to the model, and
    again as elements of the model. `changes` are the changes of contacts since then."""
    deciding, own = system.structure.deciding, march.events
    fired = {deciding[own.function[n]]: int(own.fired[n]) for n in np.flatnonzero(own.fired)}
    own.fired[:] = own.passages[:] = 0
    if not fired and not changes:
        return [], []
    at = present(system, march)
    found = [
        e
        for e in system.model.events
        if fired.get(e.who, 0) and e.direction in (0, fired[e.who]) or e.change in changes
    ]
    return [Happening(_time_of(system, event, at.t), event.name, at) for event in found], found


def _time_of(system: System, event: Event, t: float) -> float:
    """Return the time of an event that happens at t: the exact one for an expression of time alone."""
    return nearest_passage(event, system.evaluator, t) if is_clock(event) else t


def is_clock(event: Event) -> bool:
    """Return whether the expression of an event is one of time alone."""
    return not event.change and not event.when.atoms(Quantity, Signal)


def function_of(system: System, march: IntegratorState, event: Event) -> int:
    """Return the number of the switching function of a run that is the expression of this event. (Branches of laws in
    this expression have functions of their own.)"""
    deciding, kinds = system.structure.deciding, march.mechanism.switches.kinds
    (only,) = [k for k in march.events.function if deciding[k] == event.who and kinds[k] == WATCH]
    return int(only)


class Glance:
    """A look at the events in a step that is to be accepted: the run goes from event to event up to the end of the
    step, and then returns to its state. (Records made in the meantime are discarded.)"""

    ENDS = "end_multipliers", "end_contacts", "end_scalars"

    def __init__(self, system: System, march: IntegratorState):
        self.system, self.march, own = system, march, march.events
        self.last, self.at_switch = float(march.stages.now[END]), int(march.search.found[0] == HERE)
        of_march: Any = march
        self.run_words = [(of_march.words, of_march.words.copy())]
        self.event_words = [(words, words.copy()) for words, _ in places_written(own, ())]
        self.ends = {name: getattr(march.record, name).copy() for name in self.ENDS}
        self.status = DONE

    def __iter__(self) -> Iterator[tuple[list[Happening], list[Event]]]:
        """Yield the events one after another."""
        while self._goes_on(ANY):
            self.is_at_once = int(self.march.search.found[0]) == AT_ONCE
            self.passed = float(self.march.time[0]), self.march.events.fired.copy()
            yield happened(self.system, self.march)

    def _goes_on(self, only: int) -> bool:
        self.status = go_to_event(self.march, self.last, self.at_switch, only)
        return self.status == STEP_EVENT

    def take_back(self, sides: bool) -> None:
        """Restore the state before; with `sides`, the passages of events are undone, too."""
        own = self.march.events
        for words, before in (*self.run_words, *(self.event_words if sides else ())):
            words[:] = before
        for name, numbers in self.ends.items():
            getattr(self.march.record, name)[:] = numbers
        own.fired[:] = own.passages[:] = 0

    def end_at(self, acting: Event) -> int:
        """Let the next step of the run, from the state before, end where this event happens, with all others of the
        same instant. Return a status."""
        own = self.march.events
        only = own.function.tolist().index(function_of(self.system, self.march, acting))
        t, direction = self.passed[0], int(self.passed[1][only])
        while self._goes_on(only):
            passed, own.passages[:] = int(own.fired[only]), 0
            own.fired[:] = 0
            if passed == direction:
                t = float(self.march.time[0])  # within one step, not beyond other events
                break
        self.take_back(sides=True)
        own.due[:] = self.passed[1]
        own.due[only], own.until[0] = direction, t
        return DONE if self.status == STEP_EVENT else self.status


def present(system: System, march: IntegratorState) -> State:
    """Return the present state of a run."""
    state, y0 = march.mechanism.state, march.stages.y0
    q, v, a = y0[: state.q_end], y0[state.v_at : state.v_end], march.stages.k[0, state.v_at : state.v_end]
    (q,), (v,), (a,) = system.to_bodies((q[None].copy(), v[None].copy(), np.nan_to_num(a[None])))
    return State(system.cartesian, float(march.time[0]), q, v, a)


def reset(system: System, march: IntegratorState, event: Event, before: State) -> int:
    """Go on from the state that an event demands; return a status."""
    status = restart(march, *asked_by(system, event, before))
    check_watched(system, march)
    return status


def check_watched(system: System, march: IntegratorState) -> None:
    """Refuse an event whose expression has no finite value where a run begins, or goes on from another state: no
    passage through zero could be found."""
    own, kinds = march.events, march.mechanism.switches.kinds
    for n in np.flatnonzero(~np.isfinite(own.values.previous)):
        if kinds[own.function[n]] in (WATCH, SIDE, RANGE):
            who, t = system.structure.deciding[own.function[n]], float(march.time[0])
            what = f"the expression of {who} is not a finite number at t = {t:.6g}, where the run begins to follow it"
            raise ModelError(
                f"{what}; write one that has a value there: x - 0.25 in place of sp.sqrt(x) - 0.5",
                code="not-finite", argument="when", owner=who, time=t,
            )  # fmt: skip


def values_at(model: Model, e: sp.Expr, state: State) -> dict[Any, float]:
    """Return the value of each symbol of an expression in a state."""
    values: dict[Any, float] = {one: state[str(one)] for one in e.atoms(Quantity, Signal)} | {time: state.t}
    return values | {p: model.value(p) for p in e.atoms(Parameter) if not isinstance(p, TableSymbol)}


def asked_by(system: System, event: Event, before: State) -> tuple[np.ndarray, np.ndarray]:
    """Return the state that an event demands, in the coordinates of a system: q and v."""
    assert isinstance(event.action, Reset)
    model, wanted = system.model, {}
    for name, e in event.action.values.items():
        number = Evaluator(values_at(model, e, before))
        for table, place in reads_beyond(e, number):
            what = f"{event.who} sets {name} by a table from {table.x[0]:g} to {table.x[-1]:g}"
            raise ModelError(
                f"{what}, but reads it at {place:g} at t = {before.t:.6g}; extend the table",
                code="beyond-table", event=event.name, quantity=name, place=float(place),
                ends=(float(table.x[0]), float(table.x[-1])), time=before.t,
            )  # fmt: skip
        wanted[name] = number(e)
        if not np.isfinite(wanted[name]):
            raise ModelError(
                f"{event.who} sets {name} to {wanted[name]} at t = {before.t:.6g}; correct its expression",
                code="not-finite", argument="values", event=event.name, quantity=name, value=wanted[name],
                time=before.t,
            )  # fmt: skip
    return state_with(system, wanted, before, f"{event.who} resets")


def state_with(system: System, values: dict[str, float], before: State, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Return q and v, in the coordinates of a system, of the state nearest to `before` that has these values of
    quantities and states. Messages begin with `who`, the asking one and a verb: "Event 'bounce' resets"."""
    wanted = dict(values)
    states = {one.symbol: wanted.pop(one.name) for one in system.model.states if one.name in wanted}
    try:
        q, _, held = posed(system.cartesian.model, before.t, wanted, before)
        set_states(system.cartesian, q, states)
        after = nearest_velocity(system.cartesian, held, before.t, q, before.full_v)
    except MbsError as exc:
        new = ", ".join(f"{name} = {value:g}" for name, value in wanted.items())
        what = f"{who} {new} at t = {before.t:.6g}, which the joints do not allow"
        raise type(exc)(f"{what}: {exc}", code=exc.code, **exc.facts) from exc
    (q,), (v,), _ = system.from_bodies(after.motion)
    return q, v
