"""Forward dynamics: the motion that forces cause, from given initial values.

    M v̇ + Φ_vᵀ λ = Q,      Φ_v v̇ = γ

The package `motion` stabilises and integrates these equations, without a Python call in each step; its first page
(`motion/__init__.py`) lists the files from here to an impact.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from ..arguments import TableEnd, as_state, check_tables, checked_times, open_tables, system_of, tables_left
from ..compiled import System
from ..compiled.reading import Trajectory
from ..compiled.status import CHATTERS, CUT_SHORT, DONE, EVENT, PAUSED, SAMPLING, STEP_EVENT
from ..derivatives.designs import breaks_moved
from ..derivatives.differences import differenced_run
from ..derivatives.parameters import DesignVariables, check_laws
from ..derivatives.results import tell, varied_of
from ..derivatives.runs.forward import varied_run
from ..derivatives.runs.graded_steps import FIXED_STEPS, INFINITE, INFINITE_SLOPE, merge_times, steep_laws
from ..derivatives.runs.parameter_names import check_samples, run_variables
from ..derivatives.runs.recorder import RunRecorder, new_recorder
from ..derivatives.runs.samples import note_on_samples
from ..errors import MbsError, ModelError, checked_options
from ..explain.accuracy import note_on_faint_motion
from ..explain.axes import check_axes, check_turns
from ..explain.checks import check_energy, check_violation
from ..explain.contacts import check_apart, note_on_kept_contacts
from ..explain.failures import check_masses, failure
from ..explain.prescribed import check_jumps
from ..explain.stiffness import note_on_stiffness
from ..model.breaks import breaks_of, farthest_ends, put_on_breaks, side_of
from ..model.checks import check_constant_states, warn_of_angles
from ..model.contacts.changes import ContactChange
from ..model.events import Event, Reset
from ..model.model import Model
from ..motion import run as marching
from ..motion.contact.reports import changes_at, impact_rows, impacts_of, states_of, transitions_of
from ..motion.course import SPAN, beginning, new_course
from ..motion.events import Glance, check_watched, happened, present, reset
from ..motion.initial import check_reactions, in_own_coordinates, initial_state
from ..motion.methods import Method
from ..motion.methods.stepping import stepping
from ..motion.outcome import counts_of, dynamic_result
from ..motion.past.memory import Memory, memory_of, remind
from ..motion.past.origin import Run, StateOrigin, without_past
from ..motion.past.tape import (
    BEGAN,
    HEAD,
    T0,
)
from ..motion.record import IntegratorState, new_march
from ..motion.samples import Sample, Sampling, on_samples, sampling_of, with_samples
from ..motion.stabilise import Stabilization, stabilization_of
from ..poses.slips import slips_in_assembly
from ..poses.trajectories import check_trajectories
from ..progress import Progress, check_progress, progress_bar
from ..results.events import Happening, Impact, Transition, logs_of
from ..results.result import Result, State
from ..tolerances import SAME_INSTANT

NO_TURNS = np.zeros(0), np.full(1, np.inf)
NO_TIMES = np.zeros(0)
REPEATS = 3
"""The number of times that a run is made again in graded steps, until it switches where these are short."""
PATIENCE = 2e6  # unknowns solved for between two checks of progress and Ctrl-C: some tenths of a second


@checked_options
def simulate(
    model: Model | System, times: Sequence[float] | np.ndarray = (), initial: Mapping[str, float] | State | None = None,
    method: str | Method = "DP5", stabilization: Stabilization | None = None, rtol: float = 1e-8,
    atol: float | None = None, step: float | None = None, progress: Progress | None = None,
    max_step: float | None = None, max_steps: int | None = None, impacts: Literal["together", "in turn"] = "together",
    derivatives: Sequence[Any] = (),
) -> Result:  # fmt: skip
    """Return the motion at every time, in s, with velocities, accelerations, multipliers and energies, as a `Result`.

    The result holds the motion of the bodies in every coordinate set: ``simulate(model.compile("natural"), times)``.

    `initial` maps names to values at the first time, as many as there are degrees of freedom (other positions are the
    nearest to the placement, other velocities have least kinetic energy); or it is a `State`. From a state of another
    run, at its time, with the same model, method, tolerances, step lengths and stabilization, the run continues the
    other one to the last bit, and ``stats["goes_on"]`` says so. With other options, or from an edited state, the run
    starts anew.

    `method` is "RK4", "DP5", "DP8" (explicit), "Radau5", "GA" or ``mbs.GA(spectral_radius)`` (implicit: for stiff
    springs, dampers, controllers; ``result.stats["stiff"]`` says where stiffness slows an explicit run), or time
    stepping over many contacts: "Moreau" and "HalfExplicit", of order 1 and 2. `step`, in s, fixes the length of steps
    (`rtol` is then the tolerance of implicit solutions). Otherwise all methods except RK4 and time stepping choose
    steps by `rtol` and `atol` (default: rtol) per unit of length, angle, and their rates, none longer than `max_step`,
    in s. The run ends after `max_steps` steps (default: a million). Steps end where a law of time switches
    (`Piecewise`, `Motion`, a table), and begin anew there; of two values the later one is recorded. Requested times
    change no steps but the last one, which ends with the run.

    Branches of laws that switch with the state (`Piecewise`, `Abs`, `sign`, `Max`, ...) are held within a step; steps
    also end where branches switch, and where contacts close, open, begin to stick or to slip. ``result.events`` lists
    every `mbs.Event` of the model, ``result.modes`` and ``result.impacts`` describe contacts. `impacts` says whether
    impacts of touching points are solved "together" or pass "in turn" from contact to contact.

    `derivatives` names parameters, constants of elements ("spring.stiffness") and values in `initial`; then
    ``result.d(name, by)`` is the derivative of the computed motion, and ``result.stats["derivatives"]`` says where
    there is none, or one with fewer digits (docs/derivatives.md).

    `stabilization` is `Baumgarte()` (default of explicit methods), `Projection()` (default of implicit ones) or
    `Unstabilized()`. ``result.stats`` reports gains and counts. ``progress(done, total)`` is called repeatedly; on a
    terminal a long run shows a bar by itself. Ctrl-C returns the motion so far. Raises `IntegrationError` where the
    motion cannot go on; its ``result`` holds the motion up to there. ``result.message`` warns of effects that
    tolerances hide.

    A rod of 0.3 m, let go at the horizontal. At the bottom its ω² is 3 g/L:

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> bottom = rod.plus(mbs.Event("bottom", when=rod["rod.B.x"]))
    >>> motion = mbs.simulate(bottom, [0, 0.2, 0.4])
    >>> round(motion.events[0].state["rod.omega"] ** 2, 3)  # 3 times 9.81 over 0.3
    98.1
    """
    check_progress(progress)
    steps: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol, "step": step, "impacts": impacts}
    steps |= {"max_step": max_step, "max_steps": max_steps}
    prepared = prepare(model, times, initial, stabilization, derivatives, **steps)
    with progress_bar(f"simulate {prepared.system.model.name}", progress) as watch:
        ended = advance(prepared, watch)
        again = partial(prepare, model, times, initial, stabilization, derivatives, **steps | {"max_steps": None})
        record, told = graded_run(prepared, ended, again, watch)
        return result_of_run(prepared, ended, record, told)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A run with its records; `march` holds all numbers that steps read and write."""

    run: Run
    system: System
    march: IntegratorState
    times: np.ndarray  # as requested
    moments: np.ndarray  # times at which laws are read for them
    q: np.ndarray  # the first state
    v: np.ndarray
    redundant: list[int]  # dependent rows, which are left out
    sampling: Sampling
    facts: Mapping[str, Any]  # options of the run
    memory_before_cut: list[Memory | None] = field(default_factory=lambda: [None])
    """The memory of the run before the step that its end shortens."""
    impacts: list[np.ndarray] = field(default_factory=list)  # pieces of the log of impacts
    events: list[Happening] = field(default_factory=list)  # events that have been reported
    stops: list[str] = field(default_factory=list)  # the events that have stopped the run
    happened: list[Happening] = field(default_factory=list)  # events inside steps, not reported yet
    changes: list[np.ndarray] = field(default_factory=list)  # changes of contacts, with the state after each
    reset_at: dict[str, float] = field(default_factory=dict)  # last time at which each event has reset the run
    recorder: RunRecorder | None = None  # with derivatives: the record of all steps, and of what happens between them
    samples: list[Sample] | None = None  # with derivatives: samples of controllers
    reads_tables: bool = False  # whether steps are looked at for tables that they leave
    table_ends: dict[tuple[str, str], TableEnd] = field(default_factory=dict)  # tables that steps have left
    first: Any = None  # the prepared run that this one continues, if it is repeated
    passes_stops: bool = False  # whether the run goes on behind events that stop it
    reported: list[float] = field(default_factory=lambda: [-np.inf])  # time up to which events have been reported
    examined: list[int] = field(default_factory=lambda: [0, 0])  # numbers of changes and impacts examined by events

    def take_notes(self) -> None:
        """Take impacts, events inside steps, and steps since the last call from the records of the march."""
        if self.happened:
            self.events.extend([one for one in self.happened if self.is_new(one.t)])
            self.happened.clear()
        if (tape := self.march.tape).rows.shape[0]:
            rows = tape.rows[: tape.filled[0]]
            self._look(rows)
            if self.recorder:
                self.recorder.steps.take(rows)
            tape.filled[0] = 0
        contacts, events = self.march.mechanism.contacts, self.march.events
        if contacts.impact_log.filled[0] or not self.impacts:
            self.impacts.append(impact_rows(contacts.impact_log))
        if events.logged[0] or not self.changes:
            self.changes.append(events.log[: events.logged[0]].copy())
            events.logged[0] = 0
        events.struck[0] = 0

    def begin(self) -> int:
        """Compute the first state, the first step and the gains; return a status."""
        self.system.forget_errors()
        if self.run.memory:
            remind(self.march, self.run.memory)
            self.reported[0] = float(self.march.record.times[0])
            self.march.tape.fresh[0], self.march.tape.gains[:] = BEGAN, self.march.mechanism.gains
            events = self.march.events
            first = np.zeros((1 if events.log.size else 0, events.log.shape[1]))
            first[:, 0], first[:, 1 : 1 + events.told.size], events.logged[0] = -np.inf, events.told, 0
            self.changes.append(first)
            status = marching.take_up(self.march)
        else:
            independent = self.march.mechanism.machine.factor.kept  # 1 for each row that is not left out
            independent[:] = 1.0
            independent[self.redundant] = 0.0
            march, t = self.march, float(self.march.record.times[0])
            status = marching.start(march, self.q, self.v)
            if status == DONE and self.sampling.begins(t):
                status = self.sample_first(t)
            check_watched(self.system, march)
        if self.recorder and status == DONE:
            self.recorder.begin()
            if not self.first:
                self.recorder.note_switches(self.march)
        return status

    def sample_first(self, t: float) -> int:
        """Let controllers set states at the first time t, and begin with these; return a status."""
        self.sampling.sample(self.march, t, float(self.march.course.first[0]), self.samples)
        return marching.start(self.march, self.march.stages.y0[: self.q.size].copy(), self.v)

    def sample(self) -> int:
        """Let the controllers that are due set states, and continue; return a status."""
        march = self.march
        step = self.recorder.next_step if self.recorder else 0
        now = float(march.course.first[march.course.at[SPAN] + 1])
        self.sampling.sample(march, float(march.time[0]), now, self.samples, step)
        return marching.resume(march)

    def go_on(self, patience: int, made: int | None = None) -> int:
        """Make up to `patience` steps, none beyond the next sampling time; return a status. `made` is the status of
        steps that lanes have made."""
        march = self.march
        status = marching.go_on(march, patience) if made is None else made
        if status == CUT_SHORT:
            self.note_cut()
            status = marching.go_on(march, patience)
        while status == STEP_EVENT:
            status = self._look_at_events()
        if status == SAMPLING:
            status = self.sample()
        return status

    @property
    def impact_times(self) -> np.ndarray:
        """Return the times of all impacts until now."""
        return np.concatenate([np.zeros(0), *(one["time"] for one in self.impacts)])

    def note_cut(self) -> None:
        """Note the state of the run before a step that its last time shortens."""
        self.memory_before_cut[0] = memory_of(self.march)

    def _look(self, rows: np.ndarray) -> None:
        """Search for tables that these steps leave, and for forces that reverse within one of them, or between the last
        of them and the present state."""
        reversals = self.recorder.reversals if self.recorder and self.recorder.reversals.names else None
        if not len(rows) or not (self.reads_tables or reversals):
            return
        march, bodies = self.march, self.system.cartesian
        layout, now = march.mechanism.state, march.stages.y0[None]
        y, t = np.concatenate([rows[:, HEAD : HEAD + now.size], now]), np.append(rows[:, T0], march.time[0])
        q, v = np.ascontiguousarray(y[:, : layout.q_end]), np.ascontiguousarray(y[:, layout.v_at : layout.v_end])
        q, v, a = self.system.to_bodies((q, v, np.zeros_like(v)))
        if reversals:
            reversals.follow(t, q, v)
        if self.reads_tables:
            branches = march.mechanism.switches.mode
            modes = np.vstack([rows[:, rows.shape[1] - branches.size :], branches])
            for end in tables_left(bodies, Trajectory(t, q, v, a), states_of(bodies, modes)):
                key = end.element.name, end.table.digest
                if key not in self.table_ends or end.beyond > self.table_ends[key].beyond:
                    self.table_ends[key] = end

    def changes_now(self) -> set[ContactChange]:
        """Return the changes of contacts at the present time since the last call, as far as events name them."""
        events, t = self.march.events, float(self.march.time[0])
        if not events.asks[0]:
            return set()
        rows, impacts = np.concatenate(self.changes), np.concatenate(self.impacts)
        has_changed = len(rows) > max(self.examined[0], 1) and rows[-1, 0] == t
        now = rows[-2:] if has_changed else np.concatenate([rows[-1:], rows[-1:]])
        new, self.examined[:] = impacts[self.examined[1] :], (len(rows), len(impacts))
        return changes_at(self.system, t, now, new)

    def _look_at_events(self) -> int:
        """Note the events in a step that is to be accepted, and accept the step; or end the step at the first event
        that stops or resets the run. Return a status."""
        glance, happenings = Glance(self.system, self.march), list[Happening]()
        for new, events in glance:
            happenings += new
            if acting := [event for event in events if isinstance(event.action, Reset) or self.is_stopped_by(event)]:
                break
        else:
            acting = []
        if glance.status not in (DONE, STEP_EVENT):
            return glance.status
        glance.take_back(sides=bool(acting))
        if acting:
            t, events_of_run = glance.passed[0], self.march.events
            since = t - self.reset_at.get(acting[0].name, -np.inf)
            if isinstance(acting[0].action, Reset) and glance.is_at_once and since <= SAME_INSTANT * max(abs(t), 1.0):
                # the motion since its last reset is too short: roundoff decides on which side it is
                events_of_run.passed[:], events_of_run.endless[0] = glance.passed[1] != 0, 1
                return CHATTERS
            if isinstance(acting[0].action, Reset):
                self.reset_at[acting[0].name] = t
            status = glance.end_at(acting[0])
            return status if status != DONE else marching.go_on(self.march, 1)
        self.happened.extend(happenings)
        return marching.take_step_judged(self.march)

    def is_stopped_by(self, event: Event) -> bool:
        """Return whether an event stops the run."""
        return event.action == "stop" and not self.passes_stops

    def note_reset(self, event: Event) -> None:
        """Note the state before an event resets it, and in `changes` that another motion begins."""
        if self.changes:
            self.changes.append(self.changes[0][:0])
        if self.recorder:
            self.recorder.note_reset(event)

    @property
    def before(self) -> np.ndarray | None:
        """The first pose of a run that continues another one; else None."""
        initial = self.run.initial
        return initial.full_q if self.run.memory and isinstance(initial, State) else None

    @property
    def repeats(self) -> bool:
        """Whether the present instant was already reached in the run before this one."""
        return not self.is_new(float(self.march.time[0]))

    def is_new(self, t: float) -> bool:
        """Return whether events at this time have not been reported yet."""
        return t > self.reported[0]

    def memory(self, status: int) -> Memory | None:
        """Return the memory with which another run continues from the last state, or None if this run has
        failed or was interrupted."""
        if status == DONE and self.memory_before_cut[0]:
            return self.memory_before_cut[0]
        return memory_of(self.march, ended=True) if status in (DONE, EVENT) else None

    def facts_of_end(self, status: int, done: int) -> dict[str, Any]:
        """Return the facts for the result of the run: its impacts, and its transitions and events, whose states carry
        the past of the run."""
        t, none = float(self.times[done - 1]), np.zeros(0)
        past = StateOrigin(self.run, t, none, none, self.memory(status))

        def with_past(one: Any) -> Any:
            state = cast(State, one.state)
            return one._replace(state=replace(state, past=past.at(state.t, state.full_q, state.full_v)))

        impacts = tuple(one for one in impacts_of(self.system, self.impacts) if not self.first or one.t > self.run.t)
        changes = [one for one in transitions_of(self.system, self.changes) if self.is_new(one.t)]
        changes = [with_past(one) for one in changes]
        return {"past": past, "before": self.before, **self.logs(map(with_past, self.events), impacts, changes)}

    def logs(
        self, events: Iterable[Happening], impacts: Iterable[Impact], changes: Iterable[Transition]
    ) -> dict[str, Any]:
        """Return the logs of the run, which know the names of all events and contacts."""
        contacts = dict.fromkeys(element.name for element, _ in self.system.structure.contacts.points)
        return logs_of(events, impacts, changes, [event.name for event in self.system.model.events], contacts)


def prepare(
    model: Model | System, times: Sequence[float] | np.ndarray, initial: Mapping[str, float] | State | None = None,
    stabilization: Stabilization | None = None, variables: Sequence[Any] = (), grading: np.ndarray = NO_TIMES,
    **steps: Any,
) -> Prepared:  # fmt: skip
    """Return a run that is ready to begin, with everything that `simulate` does before its first step; `steps` are
    its options of these names (see `stepping`). No step goes beyond the next of the times `grading`."""
    system, initial, t, by = system_of(model).run_system, as_state(initial), checked_times(times), stepping(**steps)
    stabiliser, memory = stabilization_of(stabilization, by.method.projects), None
    past = initial.past if isinstance(initial, State) else None
    goes_on = past if past and past.is_of(initial, t[0]) and past.run.is_by(system, by, stabiliser) else None
    if goes_on and not variables:
        memory = goes_on.memory
        if not memory:  # repeat the run up to its last time
            rerun = prepared_run(goes_on.run, np.unique([goes_on.run.t, goes_on.t]))
            memory = rerun.memory(advance(rerun, lambda done, total: None).status)
    continuation = memory, goes_on and goes_on.run.first, varied_of(initial)
    run = Run(system, by, stabiliser, float(t[0]), without_past(initial), *continuation)
    request = run_variables(run, variables)
    if request and not request.alike:
        run = replace(run, system=request.model.compile(system.coordinates.set, **system.structure.tree).run_system)
    warn_of_angles(system.model, initial, "initial")
    if not (request and goes_on):
        return prepared_run(run, t, request, grading=grading)
    # a run that continues another one is repeated from the beginning of the first: its derivatives are those of one run
    first = prepared_run(replace(run.first, system=run.system), np.unique([run.first.t, t[-1]]))
    first = replace(first, samples=[])
    first.begin()
    run = replace(run, memory=memory_of(first.march))
    prepared = prepared_run(run, t, request, first, grading=grading)
    if prepared.recorder:
        prepared.recorder.note_switches(first.march)
    return prepared


def prepared_run(
    run: Run, t: np.ndarray, variables: DesignVariables | None = None, begun: Prepared | None = None,
    looks_ahead: bool = False, grading: np.ndarray = NO_TIMES,
) -> Prepared:  # fmt: skip
    """Return a run that is ready to begin, with its model checked and its breaks of time known. A run that
    `looks_ahead` need not reach the times after the first: its laws are checked at the first time only."""
    system, by, stabiliser, initial, memory = run.system, run.by, run.how, run.initial, run.memory
    model, bodies = system.model, system.cartesian
    checked = t[:1] if looks_ahead else t
    check_tables(model, checked)
    check_trajectories(model, checked)
    bodies.once(check_masses)
    if by.method.steps_over and model.events:
        what = f"{model.events[0].who} happens at a time of its own, and {by.method.name} steps over it"
        raise ModelError(
            f'{what}; leave it out: model.without({model.events[0].name!r}), or take method="DP5"',
            code="not-supported", argument="method", value=by.method.name, event=model.events[0].name,
        )  # fmt: skip
    smooth = [e for e in (*model.contacts, *model.frictions) if e.laws[-1] != 0]
    if by.method.steps_over and smooth:
        what = f"{smooth[0].who} has smooth=, and {by.method.name} takes one step over slipping and sticking"
        raise ModelError(
            f'{what}; leave smooth= out, which it does not need, or take method="DP5"',
            code="not-supported", argument="smooth", element=smooth[0].name, method=by.method.name,
        )  # fmt: skip
    if by.method.steps_over and (driving := system.structure.contacts.separations):
        what = f"{driving[0].gear.who} has a pressure_angle, and {by.method.name} knows no such force beside friction"
        raise ModelError(
            f'{what}; leave pressure_angle= out, or take method="DP5"',
            code="not-supported", argument="pressure_angle", element=driving[0].gear.name, method=by.method.name,
        )  # fmt: skip
    if memory and isinstance(initial, State):
        first, redundant, note = initial, list[int](), ""
    else:
        first, redundant, note = initial_state(model, t[0], initial)
    if not memory:
        check_apart(first)
    states_with_values = initial.system.layout.signals if isinstance(initial, State) else initial or ()
    check_constant_states(model, map(str, states_with_values))
    check_axes(bodies, first)
    kinks = check_jumps(first, checked[-1])
    whole = (memory.begin.t if memory else float(t[0])), float(t[-1])
    sampling = sampling_of(system, np.array(whole))
    breaks = breaks_of(system.structure.with_breaks, system.evaluator, *whole, by.method.order)
    breaks = with_samples(breaks, sampling.times, t)
    recorded, moments = put_on_breaks(on_samples(t, sampling.times), breaks)
    begin = memory.begin if memory else beginning(float(recorded[0]), breaks, side_of)
    turns = NO_TURNS if by.length else merge_times(system.latest(_farthest_turns, *whole), grading)
    course = new_course(begin, float(recorded[-1]), breaks, sampling.times, side_of, turns, by.longest)
    if variables:
        check_samples(model, variables)
    reads_tables = any(of_state is not None for *_, of_state in bodies.structure.once(open_tables))
    taped = reads_tables or variables is not None
    march = new_march(system, by, stabiliser, course, recorded, taped)
    options: dict[str, Any] = {"step": by.length, "breaks": course.ends.size - 1, "kinks": kinks, "initial": note}
    options |= {} if memory else slips_in_assembly(bodies, first.full_q)
    options |= {"goes_on": memory is not None} | ({} if by.length else {"rtol": by.rtol, "atol": by.atol})
    method, stabilization = by.method.name, type(stabiliser).__name__
    facts = {"method": method, "stabilization": stabilization, "switches": 0}  # switches are counted during the run
    facts |= {k: x for k, x in options.items() if x}
    q, v = first.full_q.copy(), first.full_v.copy()
    if system is not bodies:
        coordinates, rates, redundant = system.latest(in_own_coordinates, t[0], q.tobytes(), v.tobytes())
        q, v = coordinates.copy(), rates.copy()
    check_reactions(system, t[0], q, len(redundant))
    prepared = Prepared(run, system, march, t, moments, q, v, redundant, sampling, facts, first=begun)
    prepared = replace(prepared, reads_tables=reads_tables)
    if variables is None:
        return prepared
    check_laws(variables, "simulate")
    began = begun or prepared
    moves = breaks_moved(variables, began.run, course.ends, recorded)
    recorder = new_recorder(run, march, variables, moves, (began.run, began.q, began.v))
    return replace(prepared, recorder=recorder, samples=list(began.samples or ()))  # those of the first time are known


def _farthest_turns(system: System, first: float, last: float) -> tuple[np.ndarray, np.ndarray]:
    return farthest_ends(system.elements, system.evaluator, first, last)


class Ended(NamedTuple):
    """The end of a run: its last status, and a sentence about it."""

    status: int
    message: str
    error: MbsError | None = None  # the error of a controller or an event


def result_of_run(prepared: Prepared, ended: Ended, record: Prepared | None = None, told: str = "") -> Result:
    """Return the result; or raise the error that ended the run, with the result until then. The steps of `record` are
    differentiated, or those of the run; `told` is a remark on derivatives."""
    status, message, error = ended
    march, system = prepared.march, prepared.system
    done, total = int(march.counts[marching.NEXT]), march.record.times.size
    if error and not done:
        raise error
    hidden = "; ".join(filter(None, (note_on_faint_motion(march), note_on_kept_contacts(march, system.cartesian))))
    message, stats = message or hidden, {**prepared.facts, **counts_of(march)}
    if stiff := note_on_stiffness(system, march):
        stats["stiff"] = stiff
    success = error is None and (done == total or status == EVENT)
    facts = {"success": success, "message": message, "stats": stats, **prepared.facts_of_end(status, done)}
    facts |= {"means": prepared.run.by.method.steps_over, "table_ends": prepared.table_ends.values()}
    result = dynamic_result(system, march.record, prepared.moments, done, t=prepared.times[:done], **facts)
    if error:
        raise type(error)(message, error.code, **{**error.facts, "result": result}) from error
    if status not in (DONE, PAUSED, EVENT):
        raise failure(system, march, status, result)
    check_result(system, march, result)
    if told:
        tell(result, told)
    return _with_derivatives(record or prepared, result) if prepared.recorder else result


def check_result(system: System, march: IntegratorState, result: Result) -> None:
    """Check constraints, energy and turns of a computed run."""
    check_violation(system.cartesian, march, result)
    check_energy(system, march, result)
    check_turns(result)


def _with_derivatives(prepared: Prepared, result: Result) -> Result:
    """Return the result with its derivatives, from the steps of a run or from whole runs of its neighbours."""
    recorder = prepared.recorder
    assert recorder
    if recorder.is_differenced(prepared.impact_times):
        whole = float(prepared.march.course.ends[-1]) if prepared.stops else None
        return differenced_run(result, recorder.variables, recorder.first[0], whole, repeated_run)
    events = [(one.state.t, one.name) for one in prepared.events]
    taken = recorder.record(events, prepared.stops, prepared.samples or (), prepared.impact_times)
    for what in note_on_samples(taken.samples):
        tell(result, what)
    return varied_run(result, recorder.variables, taken)


def repeated_run(run: Run, times: np.ndarray, passes_stops: bool) -> Result:
    """Return the result of a run at these times, without derivatives. With `passes_stops` it goes on behind events that
    stop it."""
    prepared = replace(prepared_run(run, times.copy()), passes_stops=passes_stops)
    ended = advance(prepared, lambda done, total: None)
    if ended.status == PAUSED and ended.message and not ended.error:
        raise KeyboardInterrupt(ended.message)
    return result_of_run(prepared, ended)


def patience_of(march: IntegratorState, slow: int = 1) -> int:
    """Return the number of steps between two checks of the progress bar."""
    pattern = march.mechanism.machine.pattern
    return max(1, int(PATIENCE / ((pattern.n + pattern.m) * march.tableau.stages * slow)))


def advance(prepared: Prepared, progress: Progress, begins: bool = True, made: int | None = None) -> Ended:
    """Take a run to its last time, or to the event that stops it, in pieces short enough for progress and Ctrl-C. With
    `begins` False the run continues from its present state; its first steps may be `made`, with this status."""
    march = prepared.march
    patience = patience_of(march, 1000 if prepared.system.raised else 1)
    total = march.record.times.size
    try:
        status = prepared.begin() if begins else DONE
        while status in (DONE, PAUSED) and march.counts[marching.NEXT] < total:
            status, made = prepared.go_on(patience, made), None
            prepared.take_notes()
            if status == EVENT:
                status, message = answer_events(prepared)
                if message:
                    return Ended(status, message)
            if prepared.system.interrupted():
                raise KeyboardInterrupt
            progress(int(march.counts[marching.NEXT]), total)
    except KeyboardInterrupt:
        done = int(march.counts[marching.NEXT])
        return Ended(PAUSED, f"interrupted at t = {march.time[0]:g}, after {done} of {total} times")
    except MbsError as error:
        return Ended(PAUSED, str(error), error)
    return Ended(status, "")


def graded_run(
    prepared: Prepared, ended: Ended, again: Callable[..., Prepared], progress: Progress
) -> tuple[Prepared, str]:
    """Return the run whose steps are to be differentiated, and a remark on its derivatives: this run, which has ended;
    or, if steep laws have switched in it, the run made `again` in steps that are graded about these switches. A second
    run switches at somewhat other times, so it is made once more where these are not near enough."""
    recorder = prepared.recorder
    grading = recorder.grading(prepared.impact_times) if recorder and ended.status in (DONE, EVENT) else None
    if grading is not None and prepared.run.by.length:
        return prepared, FIXED_STEPS
    for _ in range(REPEATS):
        if grading is None:
            return prepared, ""
        record = again(grading=grading.times)
        agrees = advance(record, progress).status == ended.status
        agrees = agrees and [one.name for one in record.events] == [one.name for one in prepared.events]
        now = record.recorder.grading(record.impact_times) if record.recorder and agrees else None
        if now is None:
            break
        if grading.covers(now.centres):
            return record, INFINITE_SLOPE if INFINITE in steep_laws(prepared.system) else ""
        grading = grading.moved_to(now.centres)
    what = "the slope of a law, or its rate, has no bound where it switches"
    return prepared, f"{what}, and no run in shorter steps agrees with this one: derivatives may be off by hundredths"


def answer_events(prepared: Prepared) -> tuple[int, str]:
    """Execute the actions of events at the present time, and of events that their resets cause. Return a status, and a
    message if an event stops the run."""
    march, system, resets, status = prepared.march, prepared.system, list[Event](), EVENT
    while status == EVENT or (status == DONE and resets):
        if status == EVENT:
            new, acting = happened(system, march, prepared.changes_now())
            if prepared.repeats:
                new, acting = [], [event for event in acting if isinstance(event.action, Reset)]
            prepared.events.extend(new)
            if stops := [event.name for event in acting if prepared.is_stopped_by(event)]:
                recorded = march.record.times[march.counts[marching.NEXT] - 1] == march.time[0]
                march.counts[marching.NEXT] -= 1 if recorded else 0  # the state behind a change counts
                marching.record_now(march)
                prepared.stops.extend(stops)
                last = int(march.counts[marching.NEXT]) - 1
                prepared.times[last] = prepared.moments[last] = march.time[0]
                return status, f"stopped by {stops[0]!r} at t = {march.time[0]:.6g}"
            resets += [event for event in acting if isinstance(event.action, Reset)]
            status = DONE
        if resets:
            event = resets.pop(0)
            prepared.note_reset(event)
            status = reset(system, march, event, present(system, march))
            prepared.take_notes()
            begins = f"goes on after the Reset of {event.who}"
            check_apart(present(system, march), begins, "let the Reset set ", "let the Reset place")
    return status, ""
