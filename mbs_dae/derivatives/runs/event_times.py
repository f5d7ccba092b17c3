"""Derivatives of the times and states of events of a run, ahead and back.

An event happens where its function g(t, y, p) passes zero, at a time t_e that depends on the parameters p. With
S = ∂y/∂p at a held time and ġ = g_t + g_y y',

    t_e' = -(g_y S + g_p) / ġ,        y(t_e)' = S + y' t_e',        y'(t_e)' = ∂y'/∂p + y'' t_e',

where y'' is the change of y' along the motion: that of the linearised equations by y' and by time. An event that waits
for a change of a contact happens with it: t_e' is that of the change, and S, y' and y'' are those behind it. Weights w
of t_e, increased by the weights of readings at the event times their rates along the motion, become, going back,
weights of y and of p,

    λ += -(w/ġ) g_yᵀ,        p̄ += -(w/ġ) g_pᵀ.

S at an event inside a step is that of a shorter step from the same beginning, which ends at the event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...compiled.status import DONE
from ...kernels.abi import compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...motion.events import function_of
from ...motion.past.tape import BROKE, FRESH, HEAD, PREVIOUS, RESTARTED, T0, T1, WENT_ON, Steps
from ...motion.record import NEXT, IntegratorState, derivative_at_end, put_back, remember
from ...tolerances import CHANGE_ROUNDOFF, SAME_INSTANT
from ..instants import MomentSlopes
from .checks import check_status
from .contact_forces import HeldForces
from .jumps import at_the_event, grazes, have_same_slope, instant_moved
from .linear import SURFACE, Linear
from .repetition import rate_at
from .saltation import APART, linearise_surfaces, read_surfaces, surfaces_back, vary_surfaces
from .steps import Replay
from .tree import JointTree, hold_here, refinements_here, stage_back_here, vary_stage_here

TOUCHES = "the motion touches where it happens, and does not pass: neighbouring runs may not have this event"


@compiled_apart
def vary_here(
    march: IntegratorState, own: Linear, tree: JointTree, held: HeldForces, t: float, y: Vector, dy: Vector,
    dys: Matrix, slopes: Matrix, loads: Matrix, forces: Matrix, functions: Matrix,
) -> int:  # fmt: skip
    """Linearise at (t, y), and put y' into dy. Put the changes of y', multipliers, forces and switching functions into
    rows of `slopes`, `loads`, `forces` and `functions`, from those of y in rows of `dys`. Return a status."""
    mechanism = march.mechanism
    remember(march)
    status = derivative_at_end(march, t, y, dy)
    if status == DONE:
        linearise_surfaces(march, own, tree, t, y, dy)
        hold_here(held, tree, mechanism, 0)
        often = refinements_here(tree, mechanism)
        vary_stage_here(own, held, tree, mechanism, y, dys, slopes, loads, forces, often, 0)
        vary_surfaces(own, tree, mechanism, y, dys, functions)
    put_back(march)
    return status


@compiled_apart
def weigh_here(
    march: IntegratorState, own: Linear, tree: JointTree, held: HeldForces, t: float, y: Vector, dy: Vector,
    slopes: Matrix, loads: Matrix, forces: Matrix, outs: Matrix,
) -> int:  # fmt: skip
    """Linearise at (t, y), and put y' into dy. Add the weights of y', multipliers and forces in rows to those of y, in
    `outs`: the transposed of `vary_here`. Return a status."""
    mechanism = march.mechanism
    remember(march)
    status = derivative_at_end(march, t, y, dy)
    if status == DONE:
        linearise_surfaces(march, own, tree, t, y, dy)
        hold_here(held, tree, mechanism, 0)
        often = refinements_here(tree, mechanism)
        stage_back_here(own, held, tree, mechanism, y, slopes, loads, forces, outs, often, 0)
    put_back(march)
    return status


class EventTime(NamedTuple):
    """The time of an event in a run, and the numbers of the switching functions that passed zero then; none for an
    event that waits for a change of a contact, or that comes behind the reset by another event of this instant."""

    t: float
    functions: tuple[int, ...]
    resets: int = 0
    """The number of resets of this instant before it."""
    instants: tuple[int, ...] = ()
    """The steps that begin there with a switch, a break in time, a change of a contact or a sample."""


def event_time(system: System, march: IntegratorState, t: float, name: str, resets: int) -> EventTime:
    """Return the time t of an event in a run, with its function; it comes behind so many `resets` of this instant."""
    (event,) = (event for event in system.model.events if event.name == name)
    return EventTime(t, () if event.change or resets else (function_of(system, march, event),), resets)


def stop_time(system: System, march: IntegratorState, names: Sequence[str]) -> EventTime:
    """Return the time at which these events stopped a run, which stands there, with the functions of all events that
    stop a run within roundoff of this time; with none if they wait for a change of a contact."""
    t, found = float(march.time[0]), list[int]()
    if all(event.change for event in system.model.events if event.name in names):
        return EventTime(t, ())
    sizes, rates = sizes_of(march, t), march.mechanism.switches.rate
    for event in (event for event in system.model.events if event.action == "stop" and not event.change):
        k = function_of(system, march, event)
        is_there = rates[k] != 0.0 and sizes[k] <= SAME_INSTANT * max(abs(t), 1.0) * abs(rates[k])
        if event.name in names or (is_there and event.direction in (0, np.sign(rates[k]))):
            found.append(k)
    return EventTime(t, tuple(found))


def instants_of(steps: Steps, last: np.ndarray, t: float, is_clock: bool) -> list[int]:
    """Return the numbers of the steps that begin within roundoff of the time t where laws switch or break in time,
    contacts change or controllers sample. Where a clock ends the run, the break at its end does not count: it moves
    with the clock, and so does all that breaks there."""
    heads = steps.head if is_clock and last[FRESH] == BROKE else np.concatenate([steps.head, last[None, :HEAD]])
    near = np.abs(heads[:, T0] - t) <= SAME_INSTANT * max(abs(t), 1.0)
    return np.flatnonzero((heads[:, FRESH] >= BROKE) & (heads[:, FRESH] != RESTARTED) & near).tolist()


class Rates(NamedTuple):
    """The rates along the motion at a state."""

    y: np.ndarray
    """y', with the rates of inputs."""
    slopes: np.ndarray
    """y''."""
    loads: np.ndarray
    """The rates of multipliers."""
    contacts: np.ndarray
    """The rates of the forces of contacts."""
    functions: np.ndarray
    """The rates of switching functions."""


class TimeEquations(NamedTuple):
    """The linearised equations of a run, the tree and the forces of contacts, with time as the one parameter."""

    own: Linear
    tree: JointTree
    held: HeldForces


def rates_at(march: Any, along: TimeEquations, t: float, y: np.ndarray) -> Rates:
    """Return the rates along the motion at (t, y)."""
    dy = np.zeros_like(y)
    check_status(march, rate_at(march, t, y, dy))
    return Rates(dy, *(rows[0] for rows in changes_here(march, *along, t, y, dy[None])))


def changes_here(
    march: Any, own: Any, tree: Any, held: Any, t: float, y: np.ndarray, dys: np.ndarray
) -> tuple[np.ndarray, ...]:  # fmt: skip
    """Return the changes of y', multipliers, forces and switching functions, each with a row for each row of `dys`."""
    linearised = tree.mechanism if tree.row.size else march.mechanism
    functions, joints = int(own.first[SURFACE + 1] - own.first[SURFACE]), linearised.machine.pattern.m
    sizes = y.size, joints, own.forces.size, functions
    made = tuple(np.zeros((len(dys), size)) for size in sizes)
    check_status(march, vary_here(march, own, tree, held, t, y, np.zeros_like(y), np.ascontiguousarray(dys), *made))
    return made


def sizes_of(march: Any, t: float) -> np.ndarray:
    """Return the distance from zero of each switching function at the state of the run, (functions,)."""
    y0 = march.stages.y0
    check_status(march, read_surfaces(march, t, y0, np.zeros_like(y0)))
    return np.abs(march.mechanism.switches.value)


def weights_here(
    march: Any, own: Any, tree: Any, held: Any, t: float, y: np.ndarray, moving: slice, of_rates: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Return the weights of y, (numbers, y), with those of accelerations at (t, y), (numbers, velocities), which stand
    at the places `moving` of y'."""
    linearised = tree.mechanism if tree.row.size else march.mechanism
    out, slopes = np.ascontiguousarray(weights).copy(), np.zeros((len(weights), y.size))
    slopes[:, moving] = of_rates
    none = (np.zeros((len(weights), size)) for size in (linearised.machine.pattern.m, own.forces.size))
    check_status(march, weigh_here(march, own, tree, held, t, y, np.zeros_like(y), slopes, *none, out))
    return out


class EndOfRun(NamedTuple):
    """The end of a run that an event stopped: the change of its time, and the rates of the motion there."""

    moved: np.ndarray
    """The change of the time with each parameter, (parameters,)."""
    x: np.ndarray
    v: np.ndarray
    a: np.ndarray
    multipliers: np.ndarray
    works: np.ndarray
    contacts: np.ndarray
    signals: np.ndarray
    slopes: np.ndarray
    """The rates of y'."""


class EventsAhead:
    """The events of a run, on the way ahead through its steps."""

    def __init__(
        self, replay: Replay, along: TimeEquations, steps: Steps, last: np.ndarray, events: Sequence[EventTime],
        stop: EventTime | None, changes: Mapping[float, int], passages: Mapping[int, float],
        make_step: Callable[[np.ndarray], int],
    ):  # fmt: skip
        """`along` are the equations that change with time alone; `last` is where the run has ended, as the entry of a
        step; `changes` are the steps before which contacts change or states are set, by time; `passages` are the times
        at which the ends of forces pass, by step; `make_step` makes a step with this head, and its changes, from where
        the run stands, and returns a status."""
        self.make_step, self.passages = make_step, passages
        self.replay, self.along, self.events, self.stop, self.head = replay, along, events, stop, steps.head
        self.crossings: Any = None
        """The passages of the ends of forces, if there are any."""
        self.found = dict[int, MomentSlopes]()
        """The changes of the time, q, v and a of each event, by its number."""
        self.states = dict[int, tuple[np.ndarray, np.ndarray]]()
        """The y and y' of each event."""
        self.switched = dict[int, np.ndarray | None]()
        """How the instant moves at which each of these steps begins with a switch or a change of a contact; None where
        y' goes on smoothly."""
        self.end: EndOfRun | None = None
        self.told: dict[str, None] = {}
        """The remarks on events without derivatives, with the reason."""
        ends, times = self.head[:, T1], np.array([one.t for one in events])
        behind = (times == last[T0]) & (last[FRESH] != WENT_ON)
        steps_at = np.where(behind, len(ends), np.searchsorted(ends, times)).tolist()
        self.step = [at if one.functions else changes.get(one.t, -1) for at, one in zip(steps_at, events, strict=True)]
        """The number of the step with each event, or behind the change of contacts or the reset that it waits for;
        behind all at a break, or where there are no steps; -1 for a change that has no derivative."""
        self.steps = {at for at, one in zip(self.step, events, strict=True) if one.functions}
        self.steps |= {len(ends) - 1} if stop and stop.functions else set()
        """The steps before which `within` is called."""
        self._moved = np.zeros(0)
        """How the time of the last change of contacts moves with each parameter, (parameters,)."""
        self._sizes, self._length = np.zeros(0), 0.0
        """The sizes of the switching functions at the beginning of the last step, and the length of that step."""

    def within(self, step: int) -> None:
        """Meet the events in the next step, one after the other, each by a step from the event before; then put the run
        back to where it stood."""
        march, head = self.replay.march, self.head[step].copy()
        self._sizes, self._length = sizes_of(march, float(head[T0])), float(head[T1] - head[T0])
        blocks: tuple[Any, ...] = march, self.replay
        words = [(block, block.words.copy()) for block in blocks]
        for n in (n for n, at in enumerate(self.step) if at == step and self.events[n].functions):
            event = self.events[n]
            sizes, length = sizes_of(march, float(head[T0])), event.t - head[T0]
            passes = head[T0] <= self.passages.get(step, np.inf) <= event.t
            if length > 0.0:
                head[T1], march.counts[NEXT] = event.t, march.record.times.size  # nothing is recorded
                if passes:
                    self.crossings.before(self.replay, head)
                check_status(march, self.make_step(head.copy()))
                if passes:
                    self.crossings.behind(self.replay, step, head)
                head[T0], head[FRESH], head[PREVIOUS] = event.t, WENT_ON, length
            self._meet(n, sizes, float(length))
        for block, known in words:
            block.words[:] = known

    def at_change(self, step: int, moved: np.ndarray, resets: int = 0) -> None:
        """Meet the events that wait for the change of contacts, or for so many `resets`, before a step, behind which
        the run stands; `moved` is how the time of the change moves with each parameter, (parameters,)."""
        replay, self._moved = self.replay, moved
        here = [n for n, at in enumerate(self.step) if at == step and not self.events[n].functions]
        for n in (n for n in here if self.events[n].resets == resets):
            event = self.events[n]
            y, S = replay.march.stages.y0.copy(), replay.dy0
            rates = rates_at(replay.march, self.along, event.t, y)
            slopes = changes_here(replay.march, replay.own, replay.tree, replay.held, event.t, y, S)[0]
            if (np.isfinite(S).all(axis=1) & np.isnan(moved)).any():
                self._tell(event, TOUCHES if np.isnan(moved).all() else APART)
            self._note(n, rates, slopes, moved)

    def finish(self, t: float) -> None:
        """Meet the events at the end of the run, at time t, and vary its end, if an event has stopped it."""
        sizes, known = sizes_of(self.replay.march, t), np.isfinite(self.replay.dy0).all(axis=1).any()
        for n in (n for n, at in enumerate(self.step) if at == len(self.head) and self.events[n].functions):
            if known:
                self._meet(n, sizes, 0.0)
        if self.stop:
            march, state = self.replay.march, self.replay.march.mechanism.state
            if self.stop.functions:
                moved, rates, _ = self._changes(self.stop, self._sizes if self._sizes.size else sizes, self._length)
            else:
                moved, rates = self._moved, rates_at(march, self.along, self.stop.t, march.stages.y0.copy())
            v, a, n = march.stages.y0[state.v_at : state.v_end], rates.y, self.replay.own.columns
            places = v[:n].copy(), a[state.v_at :][:n].copy(), rates.slopes[state.v_at :][:n].copy()
            more = a[state.works_at :].copy(), rates.contacts, a[state.z_at : state.q_end].copy()
            self.end = EndOfRun(moved, *places, rates.loads, *more, rates.slopes)

    def slopes(self, sizes: np.ndarray) -> list[MomentSlopes]:
        """Return the changes of all events, for parameters of these sizes, and end those of events without any: which
        the replay has not met, or at an instant at which laws switch, contacts change or controllers sample at a time
        that moves otherwise beside the run."""
        state, count = self.replay.march.mechanism.state, len(self.replay.dy0)
        widths = state.q_end, state.v_end - state.v_at, state.v_end - state.v_at
        for n, event in enumerate(self.events):
            if n not in self.found:
                none = (np.full((count, 1, width), np.nan) for width in widths)
                self.found[n] = MomentSlopes(np.full((count, 1), np.nan), *none)
                y = self.replay.march.stages.y0.copy()
                self.states[n] = y, 0.0 * y
                self._tell(event, "the change for which it waits has no derivative")
            elif (apart := self._apart(event, self.found[n].t[:, 0], sizes)).any():
                for part in self.found[n]:
                    part[apart] = np.nan
                self._tell(event, APART)
        if self.stop and self.end and (apart := self._apart(self.stop, self.end.moved, sizes)).any():
            self.end.moved[apart] = np.nan
            self._tell(self.stop, APART)
        return [self.found[n] for n in range(len(self.events))]

    def _apart(self, event: EventTime, moved: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Return by which parameters an event and other changes of its instant come one after the other."""
        faint = CHANGE_ROUNDOFF * float((self.head[:, T1] - self.head[:, T0]).sum()) / sizes
        apart = np.zeros(len(moved), dtype=bool)
        for step in event.instants if event.functions else ():
            other = self.switched.get(step, np.zeros(len(moved)))
            if other is not None:
                size = np.maximum(np.abs(moved), np.abs(other))
                apart |= np.isfinite(moved) & ~have_same_slope(moved, other, size, faint)
        return apart

    def _meet(self, n: int, sizes: np.ndarray, length: float) -> None:
        moved, rates, slopes = self._changes(self.events[n], sizes, length)
        self._note(n, rates, slopes, moved)

    def _note(self, n: int, rates: Rates, slopes: np.ndarray, moved: np.ndarray) -> None:
        """Note the changes of an event at which the run stands, from those of y' at a held time."""
        state = self.replay.march.mechanism.state
        y = at_the_event(self.replay.dy0, rates.y, moved)[:, None]
        dy = at_the_event(slopes, rates.slopes, moved)[:, None]
        moving = slice(state.v_at, state.v_end)
        self.states[n] = self.replay.march.stages.y0.copy(), rates.y
        self.found[n] = MomentSlopes(moved[:, None], y[..., : state.q_end], y[..., moving], dy[..., moving])

    def _changes(self, event: EventTime, sizes: np.ndarray, length: float) -> tuple[np.ndarray, Rates, np.ndarray]:
        """Return the change of the time of an event at which the run stands, the rates there, and the change of y' at a
        held time."""
        march, functions, S = self.replay.march, list(event.functions), self.replay.dy0
        y = march.stages.y0.copy()
        rates = rates_at(march, self.along, event.t, y)
        known = self.replay.own, self.replay.tree, self.replay.held
        slopes, _, _, varied = changes_here(march, *known, event.t, y, S)
        passing, known = rates.functions[functions], np.isfinite(S).all(axis=1)
        if grazes(passing, length, sizes[functions]):
            self._tell(event, TOUCHES)
            return np.full(len(S), np.nan), rates, slopes
        moved = instant_moved(varied[:, functions], passing)
        if (known & np.isnan(moved)).any():
            self._tell(event, APART)
        return moved, rates, slopes

    def _tell(self, event: EventTime, why: str) -> None:
        self.told[f"none at the event at t = {event.t:.6g}: {why}"] = None


def end_back(
    march: Any, own: Any, tree: Any, along: TimeEquations, stop: EventTime, sizes: np.ndarray, length: float,
    weights: np.ndarray, of_end: Callable[[Rates], np.ndarray],
) -> np.ndarray:  # fmt: skip
    """Add the effect of the end of a run, whose time an event moves, to the weights of the last y, (numbers, y).
    `of_end` returns the weights of this time, (numbers,), from the rates at the end. Weights of numbers in the
    equations go to `own`. One function passes there (`goes_back`). Where contacts change there instead, return the
    weights of the time of this change, else zeros."""
    y = march.stages.y0.copy()
    rates = rates_at(march, along, stop.t, y)
    wanted = of_end(rates)
    if not stop.functions:
        return wanted
    (function,), none = stop.functions, np.zeros(len(weights))
    rate, of_functions = rates.functions[function], np.zeros((len(weights), rates.functions.size))
    if grazes(rates.functions[[function]], length, sizes[[function]]):
        weights[wanted != 0.0] = np.nan
        return none
    of_functions[:, function] = -wanted / rate
    linearise_surfaces(march, own, tree, stop.t, y, rates.y)
    surfaces_back(own, tree, march.mechanism, y, of_functions, weights)
    return none
