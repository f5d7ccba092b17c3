"""The record of a run for its derivatives: its steps, and what happens between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...compiled import System
from ...model.breaks import breaks_of
from ...model.events import Event
from ...motion.events import is_clock
from ...motion.past.origin import Run
from ...motion.past.tape import (
    BROKE,
    FRESH,
    RESTARTED,
    SAMPLED,
    SPAN_OF,
    SWITCHED,
    T0,
    TIMES,
    Steps,
    directions_at,
    entry_now,
)
from ...motion.record import IntegratorState
from ...motion.samples import Sample
from ...results.result import State
from ...tolerances import SAME_INSTANT
from ..differences import has_own_steps
from ..parameters import DesignVariables
from ..reversals import Reversals
from .event_times import EventTime, event_time, instants_of, stop_time
from .forward import RecordedRun, taken_of
from .graded_steps import Grading, grading_of, steep_laws
from .resets import ResetEntry
from .saltation import (
    Saltation,
    begins_at,
    is_held_on_surface,
    laws_of,
    saltations_of,
    slips_in_space_stop,
    standings_of,
    zeros_at_start,
)

SHARED_INSTANT = "something else happens at the same instant, which comes before or after it in neighbouring runs"


@dataclass(frozen=True, eq=False)
class RunRecorder:
    """The record of a run with derivatives, while it goes on."""

    run: Run
    march: IntegratorState
    variables: DesignVariables
    steps: Steps
    moves: np.ndarray
    """The slopes of the ends of spans by each parameter, (parameters, spans)."""
    first: tuple[Run, np.ndarray, np.ndarray]
    """The run with which a chain of runs begins, and its first state, q and v in its own coordinates."""
    reversals: Reversals
    """The reversals of forces within one step."""
    resets: list[ResetEntry] = field(default_factory=list)
    """The resets of states by events."""

    @property
    def system(self) -> System:
        return self.run.system

    @property
    def next_step(self) -> int:
        """Return the number of the step that the run makes next."""
        return self.steps.total + int(self.march.tape.filled[0])

    def begin(self) -> None:
        """Note the state in which the run begins."""
        self.steps.first = entry_now(self.march)

    def note_switches(self, march: IntegratorState) -> None:
        """Note the laws that switch where a run begins, which stands there."""
        self.steps.note_beginning(zeros_at_start(march), begins_at(march))

    def note_reset(self, event: Event) -> None:
        """Note the state before an event resets it."""
        self.resets.append(ResetEntry(self.next_step, event.name, entry_now(self.march), self.march.stages.y0.size))

    def places(self, impacts: np.ndarray) -> list[Saltation]:
        """Return the places at which laws switch or contacts change, from the times of impacts."""
        resets = {one.step: one.entry for one in reversed(self.resets) if one.follows_change}
        count = laws_of(self.march.mechanism)
        return saltations_of(self.steps, entry_now(self.march), self.moves, count, resets, impacts)

    def is_differenced(self, impacts: np.ndarray) -> bool:
        """Return whether derivatives come from whole runs of neighbours, and not from the steps of this run: its
        coordinates have none, laws have held it on a surface where they jump, its motion has depended on one choice
        among several forces of contacts, or a slip in space has stopped in a step in which its direction was not
        held."""
        steps, mechanism = self.steps, self.march.mechanism
        if not (self.system.is_cartesian or has_own_steps(self.system, self.variables)):
            return True
        if is_held_on_surface(steps, entry_now(self.march), mechanism.switches.kinds):
            return True
        if mechanism.contacts.choice.ambiguities[0]:
            return True
        return any(slips_in_space_stop(mechanism, x, steps.modes_before(x.step)) for x in self.places(impacts))

    def grading(self, impacts: np.ndarray) -> Grading | None:
        """Return how steps are graded about switches of steep laws; None if there are none in the steps of this run."""
        laws = steep_laws(self.system)
        if not laws or not self.steps.total or self.is_differenced(impacts):
            return None
        switched = [0] * self.steps.begins_on_switch + [x.step for x in self.places(impacts) if x.passed.size]
        return grading_of(laws, self.steps.head, switched)

    def record(
        self, events: Iterable[tuple[float, str]], stops: Sequence[str], samples: Sequence[Sample], impacts: np.ndarray
    ) -> RecordedRun:
        """Return the record of a run that has ended, in numbers alone: with its `events`, each with its time; those of
        them by which it stops; samples of controllers, and the times of impacts."""
        (run, q, v), steps, here = self.first, self.steps, (self.system, self.march)
        (q,), (v,), _ = run.system.to_bodies((q[None], v[None], 0.0 * v[None]))
        first, last = State(self.system.cartesian, run.t, q, v, self.system.cartesian.still), entry_now(self.march)
        edges = self._edges()
        edge = min(edges, default=steps.total + 1)
        numbers = [one.step for one in self.resets]
        resets_before = {(x.t, x.name): k - numbers.index(x.step) for k, x in enumerate(self.resets)}
        clocks = {event.name for event in self.system.model.events if is_clock(event)}
        ends = bool(stops) and clocks.issuperset(stops)
        reset_times = {one.t for one in self.resets}  # where nothing else happens

        def with_instants(event: EventTime, is_end: bool) -> EventTime:
            own = event.t not in reset_times
            return event._replace(instants=tuple(instants_of(steps, last, event.t, is_end)) if own else ())

        met = [(event_time(*here, *one, resets_before.get(one, 0)), ends and one[1] in stops) for one in events]
        stop = with_instants(stop_time(*here, list(stops)), ends) if stops else None
        behind = [step for step in numbers if step > 0]
        steps.record_behind(behind + ([steps.total] if stop and not stop.functions and steps.total else []))
        return replace(
            taken_of(self.march, run, steps, first),
            passages=tuple(one for one in self.reversals.passages if one.step < edge),
            moves=self.moves,
            events=tuple(with_instants(*one) for one in met),
            stop=stop,
            laws=laws_of(self.march.mechanism),
            edges=edges,
            samples=tuple(one for one in samples if one.step < edge),
            resets=tuple(self._with_breaks(one) for one in self.resets if one.step < edge),
            impacts=impacts,
            standings=standings_of(self.march, steps),
        )

    def _edges(self) -> dict[int, str]:
        """Return the reasons why derivatives end, by the numbers of the steps before which they do."""
        head, last, found = self.steps.head, entry_now(self.march), dict[int, str]()
        for one in self.resets:
            if 0 < one.step < len(head) and self._shares_instant(one, head):
                found[one.step] = f"at t = {one.t:.6g}, where an event sets a state, {SHARED_INSTANT}"
        if self.steps.begins_at and len(head) and head[0, FRESH] == SWITCHED:
            beside = "contacts change at this instant; begin a little earlier or later"
            found[0] = f"at t = {head[0, T0]:.6g}, the run begins where laws switch, and {beside}"
        moving = np.flatnonzero(self.moves.any(axis=0)) + 1
        for k in np.flatnonzero(head[:, FRESH] == SAMPLED).tolist():
            if head[k, TIMES] > 0.0 or head[k, SPAN_OF] in moving:
                found[k] = f"at t = {head[k, T0]:.6g}, where a controller samples, {SHARED_INSTANT}"
        if last[FRESH] == SAMPLED:
            found[len(head)] = f"at t = {last[T0]:.6g}, where a controller samples, {SHARED_INSTANT}"
        return found

    def _shares_instant(self, one: ResetEntry, head: np.ndarray) -> bool:
        """Return whether anything but resets by events happens at the instant of a reset: a sample, or a switch other
        than the change of contacts for which one of these events waits."""
        near, alike = SAME_INSTANT * max(abs(one.t), 1.0), [other for other in self.resets if other.step == one.step]
        change_events = {event.name for event in self.system.model.events if event.change}
        names = {other.name for other in alike}
        if len(names) < len(alike) or head[one.step, TIMES] > (alike[0].name in change_events):
            return True
        others = head[(head[:, FRESH] >= BROKE) & (head[:, FRESH] != RESTARTED), T0]
        return bool((np.abs(others - one.t) <= near).any())

    def _with_breaks(self, one: ResetEntry) -> ResetEntry:
        """Return a reset that tells whether an element other than the events of its instant has a break in time
        there."""
        events = {other.name for other in self.resets if other.step == one.step}
        others = [element for element in self.system.structure.with_breaks if element.name not in events]
        ends = self.run.t, float(self.march.course.ends[-1])
        breaks = breaks_of(others, self.system.evaluator, *ends, self.run.by.method.order) if others else np.zeros(0)
        return one._replace(beside_break=bool((np.abs(breaks - one.t) <= SAME_INSTANT * max(abs(one.t), 1.0)).any()))


def new_recorder(
    run: Run,
    march: IntegratorState,
    variables: DesignVariables,
    moves: np.ndarray,
    first: tuple[Run, np.ndarray, np.ndarray],
) -> RunRecorder:
    """Return the recorder of a run that has not begun."""
    moving = frozenset(np.flatnonzero(moves.any(axis=0)).tolist())
    steps = Steps(march.mechanism.switches.mode.size, laws_of(march.mechanism), directions_at(march), moving)
    if run.by.method.is_implicit:
        steps.room = np.inf
    return RunRecorder(run, march, variables, steps, moves, first, Reversals(run.system.cartesian))
