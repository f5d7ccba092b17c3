"""Derivatives of runs: recorded steps are repeated with their changes, and results are read with these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.contact_records import OPEN
from ...compiled.contacts import GIVEN
from ...compiled.derivatives import (
    MOMENTA,
    OF_SIGNALS,
    POWERS,
    STATE_RATES,
    SURFACES,
    TOUCHING,
    DerivativeBuilder,
    lean_builder,
)
from ...compiled.dynamics import POWER
from ...compiled.reading import Trajectory
from ...duals import Dual
from ...errors import ModelError
from ...kernels.blocks import block
from ...motion.course import Course
from ...motion.mechanism import mechanism
from ...motion.mechanism_record import WORK, Mechanism, StateLayout, state_layout
from ...motion.methods.stepping import Stepping, stepping
from ...motion.past.origin import Run
from ...motion.past.tape import ALPHA, BETA, BROKE, FRESH, HEAD, ROOM, SPAN_OF, SWITCHED, T0, T1, Steps, entry_now
from ...motion.record import NEXT, IntegratorState, new_march
from ...motion.samples import Sample
from ...motion.stabilise import Stabilization
from ...motion.switching.switches import hold_all
from ...readings.motion import ComputedQuantities
from ...results.result import Result, State
from ...symbolic.markers import t as time
from ...tolerances import CHANGE_ROUNDOFF, DERIVATIVE_ERROR, SAME_INSTANT, SLOPE_AGREEMENT, START_CHANGE
from ..instants import MomentSlopes, set_moment
from ..parameters import DesignVariables, StartChange
from ..results import VariedMotion, set_varied, starts_of, tell
from ..reversals import Passage, Reversals, padded, passage_moved, sides_of
from ..start import VariedStart
from ..variation import Variation, vary_forces
from .attitudes import Charts
from .checks import check_here, check_status
from .conjugate_residuals import TRIES, Residuals
from .contact_changes import ChangeEquations, ContactPassage
from .contact_forces import law_slopes, new_held
from .coordinates import (
    CoordinateMotion,
    bodies_along,
    coordinate_changes,
    equations_of,
    first_weights,
    ground_slopes,
    own_motion_of,
    places_varied,
    rows_of_bodies,
)
from .event_times import EndOfRun, EventsAhead, EventTime, TimeEquations, changes_here, rates_at, sizes_of
from .implicit_steps import ImplicitStep, vary_implicit_stretch, vary_shorter_step
from .jumps import have_same_slope
from .linear import MOTION, Linear, LinearProjection, linear, size_of_linearised
from .parameter_names import given_of
from .repetition import put_entry, rate_at
from .resets import ResetDerivative, ResetEntry, ResetPassage, reset_derivatives, stand_before
from .saltation import APART, Passing, Saltation, Standing, guards_at, saltations_of
from .samples import SampleSlopes, sample_slopes
from .steps import Changes, Replay, basis_of, vary_begin, vary_stretch
from .tree import JointTree, new_tree, size_of_tree, tree_numbers

LOOSER = 100.0
"""The error allowed in derivatives relative to their largest value: `DERIVATIVE_ERROR`, or `LOOSER` rtol of the run, if
larger."""
FIRST = -1
"""The number of a step for a sample at the beginning of the run (`motion.samples.Sample`)."""
STIFF = 1e6
"""Errors of implicit steps are judged relative to the change, or to `STIFF` `CHANGE_ROUNDOFF` = 1e-3 of the motion, if
larger: a stiff parameter changes a motion by next to nothing, and errors of steps are not small relative to that
change."""
SLOW = 1e3
"""Residuals of implicit steps are judged relative to at least `SLOW` `CHANGE_ROUNDOFF` = 1e-6 of the velocities."""
LONG = 0.02
"""Steps that are longer than this part of a run may be too long for neighbouring motions."""


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The record of a run: its method, its course, its recorded steps, and its beginning."""

    by: Stepping
    how: Stabilization
    course: Mapping[str, Any]
    """The fields of its `Course`."""
    times: np.ndarray
    """The times at which the run was recorded."""
    energies: np.ndarray
    """The energies at these times: see `Record`."""
    contacts: np.ndarray
    """The forces of contacts at these times."""
    steps: Steps
    last: np.ndarray
    """The end of the run, as the entry of a step."""
    first: State
    """The first state, of the bodies."""
    given: Mapping[str, float]
    """The initial values from which the first state was found, by name."""
    nearest: State | None
    """The state to which the first state is the nearest, if one was given."""
    carried: Mapping[str, StartChange]
    """The changes of `nearest`, by the names of parameters."""
    passages: tuple[Passage, ...] = ()
    """The passages of the ends of forces within one step."""

    moves: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    """The slopes of the ends of spans by each parameter, (parameters, spans)."""
    laws: int = 0
    """The number of switching functions of laws; functions behind them belong to contacts."""
    events: tuple[EventTime, ...] = ()
    """The times of events, in the order of the result."""
    stop: EventTime | None = None
    """The time at which events stopped the run; None if none did."""
    samples: tuple[Sample, ...] = ()
    """The samples of its controllers, in their order."""
    resets: tuple[ResetEntry, ...] = ()
    """The resets by events, in their order."""
    modes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    """The branches of laws at the requested times."""
    own: CoordinateMotion | None = None
    """The motion of the run in its own coordinates, if they are not those of bodies."""
    edges: Mapping[int, str] = field(default_factory=dict)
    """The steps before which derivatives end, with the reasons."""
    impacts: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """The times of impacts."""
    standings: tuple[Standing, ...] = ()
    """The spans in which the motion stands where laws bend or contacts are about to change."""

    @property
    def has_events(self) -> bool:
        return bool(self.events or self.stop)

    @cached_property
    def saltations(self) -> list[Saltation]:
        """Return the places at which laws switch or contacts change, in their order; the beginning of the run among
        them, if laws or contacts switch there."""
        resets, steps = {one.step: one.entry for one in reversed(self.resets) if one.follows_change}, self.steps
        found = saltations_of(steps, self.last, self.moves, self.laws, resets, self.impacts)
        if not (steps.begins_at and steps.total) or (found and found[0].is_start):
            return found
        return [Saltation(0, np.array(steps.begins_at), steps.head[0], steps.states[0], False, np.zeros(0)), *found]


def taken_of(march: IntegratorState, run: Run, steps: Steps, first: State) -> RecordedRun:
    """Return the record of a run that has ended, in numbers alone, so that it can be copied and pickled."""
    nearest = run.initial if isinstance(run.initial, State) else None
    began: Any = first, given_of(run), nearest, starts_of(run.varied)
    course = {name: np.copy(getattr(march.course, name))[()] for name in Course._fields[:-1]}
    known = march.record.times.copy(), march.record.energies.copy(), march.record.contacts.copy()
    own: dict[str, Any] = {"modes": march.record.modes.copy(), "own": own_motion_of(march, run.system)}
    return RecordedRun(run.by, run.how, course, *known, steps, entry_now(march), *began, **own)


@dataclass(frozen=True, eq=False)
class Rerun:
    """A run to be made again, and its linearised equations."""

    system: System
    march: IntegratorState
    own: Linear
    projection: LinearProjection
    numbers: np.ndarray
    """The changes of the numbers in the equations with each parameter, (parameters, numbers)."""
    of_momenta: np.ndarray
    """The changes of those of joints and masses alone."""
    laws: np.ndarray
    """The slopes of the laws of contacts, (parameters, laws)."""
    builder: DerivativeBuilder
    tree: JointTree
    """The tree of joint coordinates."""
    tree_numbers: np.ndarray
    """The changes of the numbers in the equations of the tree with each parameter, (parameters, numbers)."""
    others: int
    """The number of ways through changes of contacts besides those of the parameters and of time: going back, the
    length of y."""
    taken: RecordedRun
    """The record of the run."""
    jumps: dict[float, None] = field(default_factory=dict)
    """The times at which changes of the state jump, because a switch, an impact or a reset moves in time."""

    @cached_property
    def along(self) -> TimeEquations:
        """Return the equations with time as the one parameter, at the states of `own`."""
        tree = new_tree(self.system, self.tree_numbers, others=0, like=self.tree)
        held = new_held(equations_of(self.system), np.zeros((1, self.laws.shape[1])), 1)
        return TimeEquations(linear(self.builder, self.own.to, self.numbers[:0], others=0), tree, held)

    @cached_property
    def at_changes(self) -> ChangeEquations:
        """Return the equations at changes of contacts, by parameters, by time, and by the other ways."""
        march, to, taken, equations = self.march, self.own.to, self.taken, equations_of(self.system)
        if equations is not self.system:
            march = new_march(equations, stepping(), taken.how, march.course, taken.times[[0, -1]])
            to = self.builder.fill(*_batches(self.system, march.mechanism))
        own = linear(self.builder, to, self.numbers, others=self.others)
        laws = np.concatenate([self.laws, np.zeros((1 + self.others, self.laws.shape[1]))])
        tree = new_tree(self.system, self.tree_numbers, others=self.others, bodies=march.mechanism)
        return ChangeEquations(march, own, new_held(equations, laws, 1), tree)

    @property
    def is_implicit(self) -> bool:
        """Return whether steps are implicit; then all their entries are kept."""
        return self.march.stages.implicit.stage.shape[1] > 0

    @cached_property
    def implicit_step(self) -> ImplicitStep:
        """Return room for an implicit step, with its changes, or with rows of weights."""
        count = len(self.own.gradient) or len(self.own.given)
        linearised = self.tree if self.tree.row.size else self.march
        machine, layout, newton = linearised.mechanism.machine, self.system.layout, self.march.stages.implicit.newton
        quaternions = len(layout.quaternions)
        inner = self.march.tableau.stages
        sizes = {"inner": inner, "count": count, "rows": inner * count, "tries": TRIES * inner * count}
        sizes["shelf"] = size_of_linearised(self.own, linearised.mechanism) + size_of_tree(self.tree)
        sizes["width"] = self.march.stages.y0.size
        sizes |= {
            "unknown_rates": newton.x_count,
            "columns": newton.v_count,
            "lambdas": machine.pattern.m,
            "lines": self.own.forces.size,
        }
        sizes |= {"weighted": len(self.own.gradient), "numbers": self.own.gradient.shape[1]}
        sizes |= {"laws": self.laws.shape[1], "turns": 3 * inner * quaternions, "blocks": 3 * inner}
        sizes |= {"readings": inner + 2, "unknowns": newton.right.size // 3}
        unit = np.concatenate([np.ones(newton.v_count), newton.unit[newton.z_place]])
        residuals = block(Residuals(newton.v_count, unit), **sizes | {"columns": newton.x_count})
        return block(ImplicitStep(block(Charts(), **sizes), residuals), **sizes)

    def passing(self, place: Saltation, sizes: np.ndarray, mixed: np.ndarray | None = None) -> Any:
        """Return the passage of the run, which stands behind the step before it, through a place at which laws switch
        or contacts change."""
        if not place.changes:
            ways = self.at_changes.own if self.others and place.passed.size > 1 else None
            of_python = bool(python_switches(self.system)) and place.passed.size > 0
            y = self.march.stages.y0.copy()
            rates = rates_at(self.march, self.along, place.t, y).functions if of_python else None
            return Passing(self.march, self.own, self.tree, place, sizes, mixed, ways, rates)
        return ContactPassage(self.march, self.at_changes, place, sizes, len(self.numbers), mixed)

    def moves_off(self, place: Saltation, S: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Return a mask of the parameters that move a run off the surfaces on which it stands at a place, from changes
        S of y, (parameters, y); parameters without derivatives are not among them."""
        finite = np.isfinite(S).all(axis=1)
        put_entry(self.march, place.entry)
        found = self.passing(place, sizes).moves_off(np.where(finite[:, None], S, 0.0))
        put_entry(self.march, place.entry)
        return np.asarray(found & finite)


def end_changes(replay: Replay, ended: np.ndarray, since: float) -> None:
    """Put nan into the changes by the parameters of a mask, and into those recorded behind the time `since`."""
    march, times = replay.march, replay.march.record.times
    within = np.flatnonzero((times > since) & (np.arange(times.size) < march.counts[NEXT]))
    for part in (getattr(replay.out, name) for name in Changes._fields):
        part.reshape(times.size, len(ended), -1)[np.ix_(within, ended)] = np.nan
    replay.dy0[ended] = np.nan


def python_switches(system: System) -> list[str]:
    """Return the forces in Python that switch: rates of their switching functions follow from differences."""
    return [one.who for one in system.model.forces if getattr(one, "switches", ())]


def _batches(system: System, mechanism: Mechanism) -> list[Any]:
    """Return the batches of a mechanism, whose branches are those of the run, that are differentiated."""
    found = [mechanism.machine.program.batch, mechanism.dynamics.batch]
    if system.structure.contacts.rows:
        found += [mechanism.contacts.program.batch, mechanism.contacts.normals.readings]
    signals = mechanism.signals
    found += [signals.inputs.batch] * bool(system.layout.signals)
    return found + [signals.late.batch, signals.reactions.batch] * bool(signals.reactions.target.size)


def rerun_of(
    system: System, variables: DesignVariables, taken: RecordedRun, recorded: int, works: bool, weighted: int = 0,
    mixed: np.ndarray | None = None,
) -> Rerun:  # fmt: skip
    """Return a run that can be made again, of which `recorded` times are kept. Its equations have the rates of works if
    `works`; they change with the parameters ahead, and with none where `weighted` rows of weights go back."""
    course = block(Course(**taken.course))
    march = new_march(system, taken.by, taken.how, course, taken.times[:recorded].copy())
    of_tree = tree_numbers(system, variables.symbols)
    of_tree = of_tree if mixed is None else mixed[None] @ of_tree
    tree, equations = new_tree(system, of_tree, weighted), equations_of(system)
    structure, mechanism = equations.structure, march.mechanism if equations is system else tree.mechanism
    contacts, happens = structure.contacts, taken.has_events or bool(python_switches(system))
    batches = [structure.program.batch, structure.dynamics.batch]
    held = _batches(system, mechanism)
    wanted = MOTION + (POWERS,) * works + (SURFACES,) * (happens or bool(taken.saltations or taken.standings))
    if contacts.rows:
        batches += [contacts.program.batch, contacts.bounds]
        wanted += (*TOUCHING, MOMENTA)
    if system.layout.signals:
        batches.append(structure.signals.inputs.batch)
        if structure.signals.reactions.target.size:
            batches += [structure.signals.late.batch, structure.signals.reactions.batch]
        wanted += OF_SIGNALS
    slopes = [batch.slopes(system.evaluator, variables.symbols) for batch in batches]
    ground = ground_slopes(system, variables.symbols)
    numbers, of_momenta = (np.concatenate([*own, ground], axis=1) for own in (slopes, slopes[:2]))
    found = numbers, of_momenta, law_slopes(system, variables.symbols)
    numbers, of_momenta, laws = (x if mixed is None else mixed[None] @ x for x in found)
    builder = lean_builder(structure, wanted, numbers, by_time=happens or contacts.rows > 0)
    ahead = numbers[:0] if weighted else numbers
    own = linear(builder, builder.fill(*held), ahead, weighted)
    of_ways = lean_builder(structure, (MOMENTA,), of_momenta)
    momenta = linear(of_ways, of_ways.fill(*held[:2]), of_momenta[:0] if weighted else of_momenta, weighted)
    sizes = {"place": equations.layout.q_size, "way": equations.layout.v_size, "rows": len(structure.rows)}
    sizes |= {"columns": structure.columns, "turns": 3 * len(mechanism.machine.manifold.quaternions)}
    sizes["jacobian"] = mechanism.machine.factor.jacobian.size
    projection = block(LinearProjection(momenta), **sizes)
    known = system, march, own, projection, numbers, of_momenta, laws, builder, tree, of_tree
    return Rerun(*known, march.stages.y0.size if weighted else 0, taken)


def new_replay(
    system: System,
    variables: DesignVariables,
    taken: RecordedRun,
    recorded: int,
    works: bool,
    mixed: np.ndarray | None = None,
) -> tuple[Rerun, Replay, EventsAhead | None]:
    """Return a run with changes, ready for its first step, and its events; with `mixed`, (parameters,), by one
    parameter alone, with which the others change in these proportions."""
    rerun = rerun_of(system, variables, taken, recorded, works, mixed=mixed)
    march, own = rerun.march, rerun.own
    held = new_held(equations_of(system), rerun.laws, max(taken.by.method.inner, 1))
    count, width, basis = len(own.given), march.stages.y0.size, basis_of(march.stages)
    rows = len(equations_of(system).rows)
    sizes = {"recorded": recorded * count, "columns": system.nv, "rows": rows, "works": WORK}
    sizes |= {"parameters": count, "width": width, "slopes": count * basis.k.shape[0], "basis": basis.y0.size}
    sizes["lines"] = system.structure.contacts.rows
    sizes |= {"signals": len(system.layout.signals)}
    parts = march, own, held, rerun.projection, rerun.tree, basis, block(Changes(), **sizes)
    replay = block(Replay(*parts), **sizes)
    if not taken.has_events:
        return rerun, replay, None

    def make_step(head: np.ndarray) -> int:
        if rerun.is_implicit:
            return int(vary_shorter_step(replay, rerun.implicit_step, head))
        return int(vary_stretch(replay, head[None]))

    changes = {one.t: one.step for one in taken.resets}
    changes |= {one.t: one.step for one in taken.saltations}
    passages = {one.step: one.t for one in taken.passages}
    happened = taken.steps, taken.last, taken.events, taken.stop, changes, passages
    return rerun, replay, EventsAhead(replay, rerun.along, *happened, make_step)


def replayed(
    rerun: Rerun, replay: Replay, taken: RecordedRun, moved: np.ndarray, reversals: Crossings | None = None,
    tell: Callable[[np.ndarray, str], None] = lambda ended, why: None, mixed: np.ndarray | None = None,
    events: EventsAhead | None = None, samples: Mapping[int, SampleSlopes] = MappingProxyType({}),
    resets: Mapping[int, Sequence[ResetDerivative]] = MappingProxyType({}),
) -> Changes:  # fmt: skip
    """Return the changes of all records, from those of the first state, `moved`, (parameters, y), and meet the events.
    Where some parameters have no derivative behind a switch, `tell` is called with a mask of them and the reason."""
    steps, head, march = taken.steps, taken.steps.head, replay.march
    last, edge = taken.last, min(taken.edges, default=taken.steps.total + 1)
    passed = sorted({one.step for one in taken.passages}) if reversals else []
    switching, sizes = {one.step: one for one in taken.saltations}, np.zeros(march.mechanism.switches.value.size)
    errors_before, starts = replay.errors.copy(), 0 in switching and switching[0].is_start
    put_entry(march, steps.first if starts else steps.states[0] if steps.total else last)
    if 0 in resets and not starts:
        stand_before(rerun, resets[0][0].taken)
    replay.dy0[:] = moved
    if starts:
        check_status(march, vary_begin(replay, steps.first[:HEAD].copy()))

    def switch(step: int) -> np.ndarray:
        """Go across a place at which laws switch or contacts change; return how its time moves, (parameters,)."""
        if rerun.is_implicit and not switching[step].changes:  # not the end corrected by `_sharpen`
            march.stages.y0[:] = switching[step].entry[HEAD:][: march.stages.y0.size]
        if step == 0 and not starts:
            march.mechanism.switches.mode[switching[0].passed] *= -1.0
            hold_all(march.mechanism)
        passing = rerun.passing(switching[step], sizes, mixed)
        errors = errors_before if switching[step].changes else replay.errors.copy()
        check_status(march, passing.status)
        S, known = replay.dy0.copy(), np.isfinite(replay.dy0).all(axis=1)
        replay.dy0[:] = passing.ahead(S)
        if (ended := known & ~np.isfinite(replay.dy0).all(axis=1)).any():
            tell(ended, passing.why or passing.place.apart)
            replay.errors[ended] = errors[ended]
        put_entry(march, switching[step].entry)
        if switching[step].changes and passing.turns:
            replay.errors[:] = errors_before
        moved = passing.moved[: len(S)]
        jumps = np.abs(replay.dy0 - S).max(axis=1, initial=0.0) > SLOPE_AGREEMENT * np.abs(S).max(axis=1, initial=0.0)
        if (jumps & (moved != 0.0)).any():
            rerun.jumps[switching[step].t] = None
        if events:
            events.at_change(step, moved)
            events.switched[step] = None if not switching[step].changes and passing.is_smooth else moved
        return np.asarray(moved)

    def sample(step: int) -> None:
        """Go across a sample of controllers."""
        one, rates = samples[step], None
        if one.reads_forces:  # behind a break of time, if there is one
            entry = steps.states.get(max(step, 0), last)
            put_entry(march, entry)
            march.mechanism.gains[:] = entry[[ALPHA, BETA]]
            known = march, rerun.own, rerun.tree, replay.held, float(entry[T0])
            moving = slice(march.mechanism.state.v_at, march.mechanism.state.v_end)
            rates = changes_here(*known, one.y.copy(), replay.dy0)[0][:, moving]
        replay.dy0[:] = one.ahead(replay.dy0, rates, mixed)

    def reset(step: int, moved_here: np.ndarray | None) -> None:
        """Go across the resets of one instant, which moves with a change of contacts by `moved_here`, if there is
        one."""
        length = float(head[step - 1, T1] - head[step - 1, T0]) if step else 0.0
        finite = np.isfinite(replay.dy0).all(axis=1)
        passage = ResetPassage(rerun, replay.held, resets[step], length, sizes)
        if moved_here is None or resets[step][0].taken.beside_break:
            moved_here = passage.time_moved(replay.dy0)
        if step in (0, steps.total) or resets[step][0].taken.beside_break:  # these have a time of their own
            span = int(head[step - 1, SPAN_OF]) if 0 < step < steps.total else -1
            breaks = taken.moves[:, span] if span >= 0 else np.zeros(len(taken.moves))
            other = breaks if mixed is None else mixed @ breaks
            faint = START_CHANGE * abs(float(last[T0]) - float(march.course.start))
            at_once = have_same_slope(moved_here, other, np.abs(other), faint)
            moved_here = np.where(at_once, moved_here if span >= 0 else 0.0, np.nan)
            what = APART if span >= 0 else "an event sets a state where the run begins or ends"
            passage.why = passage.why or f"at t = {passage.t:.6g} {what}"
        for n, one in enumerate(resets[step]):
            if events and n:
                stand_before(rerun, one.taken)
                events.at_change(step, moved_here, n)
            replay.dy0[:] = passage.ahead(n, replay.dy0, moved_here, mixed)
        if (np.nan_to_num(moved_here) != 0.0).any():
            rerun.jumps[passage.t] = None
        if (ended := finite & ~np.isfinite(replay.dy0).all(axis=1)).any():
            tell(ended, passage.why or f"at t = {passage.t:.6g} a state that is set has no derivative")

    def stand(step: int) -> None:
        """End derivatives by parameters that move the run off the surfaces on which it stands."""
        standing, place = standings[step]
        leaves = rerun.moves_off(place, replay.dy0, sizes)
        if leaves.any():
            tell(leaves, standing.why)
            end_changes(replay, leaves, standing.begin)

    standings = {place.step: (one, place) for one in taken.standings if mixed is None for place in one.places}
    for k, until in stretches(steps):
        if k >= edge:
            break
        until = min(until, edge)
        if not rerun.is_implicit and (k not in switching or not switching[k].changes):  # a change may move the state
            known = resets[k][0].taken.entry if k in resets else steps.states[k]
            check_here(march, known, samples[k].targets if k in samples else ())
        moved_here = switch(k) if k in switching else None
        if k in samples:
            sample(k)
        if k == 0 and FIRST in samples:
            sample(FIRST)
        if k in resets:
            reset(k, moved_here)
        if k in steps.held or k in samples or k in resets:
            put_entry(march, steps.states[k])
        own = [step for step in passed if k <= step < until]
        before = {until - 1} if until in switching or until in resets else set()
        met = {step for step in events.steps if k <= step < until} if events else set()
        stands = {step for step in standings if k <= step < until}
        for begin, end in pairwise(sorted({k, until, *own, *(step + 1 for step in own), *before, *met, *stands})):
            if begin in stands:
                stand(begin)
            if events and begin in met:
                events.within(begin)
            if reversals and begin in own:
                reversals.before(replay, head[begin])
            if begin in before:
                errors_before = replay.errors.copy()
                look = guards_at if until in switching else sizes_of
                sizes = look(march, float(head[begin, T0]))
            check_status(march, vary_steps(rerun, replay, steps, begin, end))
            if reversals and begin in own:
                reversals.behind(replay, begin, head[begin])
    total = steps.total
    if edge <= total:
        tell(np.isfinite(replay.dy0).all(axis=1), taken.edges[edge])
        begin = int(march.counts[NEXT]) * len(replay.dy0)
        for part in (getattr(replay.out, name) for name in Changes._fields):
            part[begin:] = np.nan
        replay.dy0[:] = np.nan
        put_entry(march, last)
    else:
        if not rerun.is_implicit and (total not in switching or not switching[total].changes):
            check_here(march, resets[total][0].taken.entry if total in resets else last)
        if total in standings:
            stand(total)
        moved_here = switch(total) if total in switching else None
        if total in resets:
            reset(total, moved_here)
            put_entry(march, last)
        check_status(march, vary_begin(replay, last[:HEAD].copy()))
    if events:
        events.finish(float(last[T0]))
    return Changes(*(getattr(replay.out, name).copy() for name in Changes._fields))


def vary_steps(rerun: Rerun, replay: Replay, steps: Steps, begin: int, end: int) -> int:
    """Make some steps with their changes; return a status."""
    if rerun.is_implicit:
        entries = np.array([steps.states[k] for k in range(begin, end)])
        return int(vary_implicit_stretch(replay, rerun.implicit_step, entries))
    return int(vary_stretch(replay, steps.head[begin:end].copy()))


class Crossings:
    """The changes of a run across the passages of the ends of forces: see `derivatives.reversals`."""

    def __init__(self, system: System, variables: DesignVariables, taken: RecordedRun):
        self.variables, self.taken, self.system, self.reversals = variables, taken, system, Reversals(system.cartesian)
        self.ended: dict[str, str] = {}
        """The reason why derivatives end at a passage, by the name of the parameter."""
        self.within = list[str]()
        """The remarks on requested times without derivatives, in a step with a passage."""

    def before(self, replay: Replay, head: np.ndarray) -> None:
        """Note the state before the step with a passage, its rate, the changes of both, and their errors."""
        stages = replay.march.stages
        known = stages.y0.copy(), stages.k[0].copy(), replay.dy0.copy()
        self._was = *known, self._rates(replay, head, T0), replay.errors.copy()

    def behind(self, replay: Replay, step: int, head: np.ndarray) -> None:
        """Carry the changes over the step: with A S of linear equations, h₋ before the passage and h₊ behind it,

            S₋ = S + h₋ A₋ S,      S₊ = S₋ + (f₋ - f₊) t',      S = S₊ + h₊ A₊ S₊,

        or nan where the ends do not meet on one line. Records in the step, behind the passage, have no derivative. The
        acceleration b that generalised α remembers of both sides varies as that behind the step from there on."""
        (y, dy, S, moves, errors), march, state = self._was, replay.march, replay.march.mechanism.state
        passages = [one for one in self.taken.passages if one.step == step]

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            found = np.zeros_like(y)
            check_status(march, rate_at(march, t, y, found))
            return found

        when, states = (float(head[T0]), float(head[T1])), (y, march.stages.y0.copy())
        meeting = sides_of(passages[0], when, states, (dy, march.stages.k[0].copy()), rate)
        moving, by, reach = (
            slice(state.v_at, state.v_end),
            self.variables.symbols,
            np.abs(S[:, : state.q_end]).max(axis=1),
        )

        def distances(y: np.ndarray, S: np.ndarray) -> list[Any]:
            q, v = (Dual(y[None, own], S[:, None, own], by) for own in (slice(state.q_end), moving))
            still = Dual(0.0 * v.value, 0.0 * v.slope, by)
            if not self.system.is_cartesian:
                at = Trajectory(np.array([passages[0].t]), q.value, v.value, still.value)
                q, v, still = bodies_along(self.system, (q, v, still), self.system.of_bodies(at))
            return self.reversals.read(np.array([passages[0].t]), q, v, still)

        here = distances(y, S)
        S = S + meeting.before * moves
        there = distances(meeting.y, S)
        values, rates = padded([one.value[0, 0] for one in here]), padded([one.value[1, 0] for one in there])
        slopes, meets = (padded([one.slope[:, 0, 0] for one in own]).swapaxes(0, 1) for own in (here, there))
        moved = passage_moved(passages, values, slopes, rates, meets, reach)
        for name, when in zip(self.variables.names, moved, strict=True):
            if np.isnan(when):
                self.ended.setdefault(name, f"{passages[0].message}: there are none by {name} from there on")
        replay.errors[:] = errors  # changes over this step do not follow from its stages
        replay.dy0[:] = S + moved[:, None] * (meeting.f_before - meeting.f_behind)
        replay.dy0[:] += meeting.behind * self._rates(replay, head, T1)
        replay.b[:] = replay.slope[:] = self._rates(replay, head, T1)  # the first slope of the next step
        within = np.flatnonzero((march.record.times >= passages[0].t) & (march.record.times <= head[T1]))
        self.within += [passages[0].told_within(float(one)) for one in march.record.times[within]]
        for part in (getattr(replay.out, name) for name in Changes._fields):
            part.reshape(march.record.times.size, len(by), -1)[within] = np.nan

    def _rates(self, replay: Replay, head: np.ndarray, at: int) -> np.ndarray:
        """Return the changes of y' at the present state, at the begin or the end of a step, (parameters, y)."""
        march = replay.march
        first, recorded, anew = march.stages.k[0].copy(), int(march.counts[NEXT]), head.copy()
        anew[T0], anew[FRESH], march.counts[NEXT] = head[at], SWITCHED, march.record.times.size
        check_status(march, vary_begin(replay, anew))
        march.stages.k[0][:], march.counts[NEXT] = first, recorded
        return replay.dk[: len(replay.dy0)].copy()


def stretches(steps: Steps) -> list[tuple[int, int]]:
    """Return spans of steps, (begin, end): from one state on the tape to another one, up to the length of a tape if all
    states are kept, and none across a change of branches or an impact."""
    kept = sorted(steps.states)
    if len(kept) == steps.total:
        fresh = steps.head[:, FRESH]
        anew = np.flatnonzero((fresh > BROKE) | (fresh == BROKE) & bool(steps.moving)).tolist()
        kept = sorted({*kept[::ROOM], *steps.held, *anew})
    return [*pairwise([*kept, steps.total])]


def beginning_of(varied: VariedRun, taken: RecordedRun) -> VariedStart:
    return VariedStart(varied.variables, taken.first, taken.given, taken.nearest, taken.carried)


def moved_state(varied: VariedRun, taken: RecordedRun, march: IntegratorState) -> np.ndarray:
    """Return the changes of the first y of a run, before a sample, (parameters, y)."""
    begin, state, system = beginning_of(varied, taken), march.mechanism.state, varied.run_system
    moved = np.zeros((len(varied.variables.names), state.size))
    q, v = begin.q, begin.energetic_velocity
    if taken.own:
        known = system, varied.variables.symbols, taken.first, _first_place(taken, state)
        q, v = coordinate_changes(*known, q, begin.x, v)
    moved[:, : state.q_end] = q
    moved[:, state.v_at : state.v_at + v.shape[1]] = v
    if not np.isfinite(moved).all():
        what = "the first pose has no derivative: it is singular, or a given value contradicts the equations beside it"
        raise ModelError(f"{what}; start a little aside, or leave derivatives= out", code="no-derivative")
    return moved


def _first_place(taken: RecordedRun, state: StateLayout) -> np.ndarray:
    """Return the first q of a run in its own coordinates."""
    entry = taken.steps.states[0] if taken.steps.total else taken.last
    return np.array(entry[HEAD:][: state.q_end])


def start_back(varied: VariedRun, taken: RecordedRun, march: IntegratorState, weights: np.ndarray) -> np.ndarray:
    """Return the weights of parameters, (rows, parameters), from weights of the first y, in rows."""
    state, nv = march.mechanism.state, varied.system.nv
    direct = np.zeros((len(weights), len(varied.variables.names)))
    of_q, of_v = weights[:, : state.q_end], weights[:, state.v_at : state.v_end]
    if taken.own:
        known = varied.run_system, varied.variables.symbols, taken.first, _first_place(taken, state)
        of_q, of_v, of_parameters = first_weights(*known, of_q, of_v)
        direct = direct + of_parameters
    found = beginning_of(varied, taken).back(of_q, of_v[:, :nv])
    if np.isfinite(found).all():
        return direct + found
    return np.asarray(weights @ moved_state(varied, taken, march).T)


def errors_of(replay: Replay, faint: np.ndarray) -> np.ndarray:
    """Return the errors of changes by steps, relative to the largest changes, (parameters,). Changes of places,
    velocities and states count as `faint`, at least."""
    errors = replay.errors
    return np.asarray((errors[:, :3] / np.maximum(errors[:, 3:], faint)).max(axis=1))


def errors_allowed(by: Stepping) -> float:
    """Return the error allowed in derivatives; inf for steps whose length is given or not controlled."""
    return np.inf if by.length or not by.method.is_controlled else max(DERIVATIVE_ERROR, LOOSER * by.rtol)


def too_long(off: float) -> str:
    why = "steps, which were chosen for the motion alone, are too long for those beside it"
    return f"{why} (off by {off:.2%}); give max_step="


@dataclass(frozen=True, eq=False)
class VariedRun(VariedMotion):
    """A run, and how it changes with parameters."""

    taken: RecordedRun | None = None

    fixed_end: VariedRun | None = None
    """This run with its end at a time that is held, where the end moves with the event that stopped it."""

    @cached_property
    def run_system(self) -> System:
        """Return the system in the coordinates of the run, whose steps are made again."""
        own = self.taken.own if self.taken else None
        found: System = self.variables.model.compile(own.set, **own.tree).run_system if own else self.system
        return found

    @cached_property
    def sample_slopes(self) -> dict[int, SampleSlopes]:
        """Return the slopes of samples of controllers by state and parameters, by the steps that begin there."""
        assert self.taken is not None
        return sample_slopes(self.run_system, self.variables, self.taken.samples)

    @cached_property
    def resets(self) -> dict[int, list[ResetDerivative]]:
        """Return resets and their slopes, by the numbers of the steps that begin there."""
        assert self.taken is not None
        states = self.taken.steps.states | {self.taken.steps.total: self.taken.last}
        return reset_derivatives(self.run_system, self.variables, self.taken.resets, states)

    @cached_property
    def changes(self) -> Changes:
        """Return the changes recorded at requested times; `works_changed` has those of works."""
        return self._ahead[0]

    @cached_property
    def events_changed(self) -> tuple[MomentSlopes, ...]:
        """Return how the times and the states of events change."""
        return self._ahead[1]

    @cached_property
    def works_changed(self) -> np.ndarray:
        """Return the changes of works, a row for each parameter at each time, by making all steps once more."""
        if self.fixed_end is None:
            return np.array(self._followed(works=True)[0].works)
        return self._with_rate_at_end(self.fixed_end.works_changed, self.end.works)

    @cached_property
    def signals_changed(self) -> np.ndarray:
        """Return the changes of states and inputs, a row for each parameter at each time."""
        if self.fixed_end is None:
            return np.array(self.changes.signals)
        return self._with_rate_at_end(self.fixed_end.signals_changed, self.end.signals)

    @cached_property
    def contacts_changed(self) -> np.ndarray:
        """Return the changes of the forces of contacts, a row for each parameter at each time."""
        if self.fixed_end is None:
            return np.array(self.changes.contacts)
        return self._with_rate_at_end(self.fixed_end.contacts_changed, self.end.contacts)

    def _with_rate_at_end(self, changes: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Return changes, a row for each parameter at each time, with those along the motion at the last time, which
        moves; `rate` is the rate of the array there."""
        found = changes.copy()
        found[-len(self.variables.names) :] += np.outer(self.end.moved, rate)
        return found

    @cached_property
    def path(self) -> Any:
        """Return the trajectory with its derivatives; q includes states and inputs, which are no motion of bodies."""
        found = super().path
        if signals := self.signals_changed.shape[1]:
            found.q.slope[..., -signals:] = self._by_parameter(self.signals_changed)
        return found

    @property
    def end_moves(self) -> bool:
        """Return whether an event stopped the run."""
        return self.taken is not None and self.taken.stop is not None

    def with_moving_end(self) -> VariedRun:
        """Return a run with a last time that moves with the parameters, as all readings there do."""
        return replace(self, fixed_end=self)

    @property
    def end(self) -> EndOfRun:
        """Return how the last time moves, where an event stopped the run, and the rates of the motion there."""
        own = self.fixed_end or self
        end = own._ahead[2]
        assert end is not None
        return end

    @cached_property
    def times(self) -> Any:
        """Return the times, the last one with its derivatives, if it moves."""
        if self.fixed_end is None:
            return self.motion.t
        slope = np.zeros((len(self.variables.names), self.motion.t.size))
        slope[:, -1] = self.end.moved
        return self.dual(self.motion.t, slope)

    @cached_property
    def _ahead(self) -> tuple[Changes, tuple[MomentSlopes, ...], EndOfRun | None]:
        return self._followed(works=False)

    def _followed(self, works: bool) -> tuple[Changes, tuple[MomentSlopes, ...], EndOfRun | None]:
        """Return the changes of records, of events and of the end; nan where steps are too long for them."""
        assert self.taken is not None
        rerun, replay, events = new_replay(self.run_system, self.variables, self.taken, self.motion.t.size, works)
        if rerun.is_implicit:
            rerun.implicit_step.residuals.faint[:] = SLOW * self._faint[:, 1:].T
        events, told_before = None if works else events, self.result.stats.get("derivatives")
        crossings = Crossings(self.run_system, self.variables, self.taken) if self.taken.passages else None
        if events:
            events.crossings = crossings
        ended: dict[str, str] = {}

        def end(where: np.ndarray, why: str) -> None:
            for k in np.flatnonzero(where):
                ended.setdefault(why, self.variables.names[k])

        begins = moved_state(self, self.taken, replay.march)
        more: dict[str, Any] = {"events": events, "samples": self.sample_slopes, "resets": self.resets}
        found = replayed(rerun, replay, self.taken, begins, crossings, end, **more)
        for why in ended if not works else ():
            tell(self.result, f"{why}: there are none from there on")
        for what in (*crossings.ended.values(), *crossings.within) if crossings and not works else ():
            tell(self.result, what)
        shared, read = np.isnan(found.contacts).any(), bool(self.run_system.structure.signals.reactions.target.size)
        if not works and shared and (np.isfinite(found.x).all() or (read and not ended and not crossings)):
            what = "none of forces where contacts or frictions share a load"
            tell(self.result, what + (", nor of states that read reactions" if read else ""))
        moments, last = (tuple(events.slopes(self._sizes)), events.end) if events else ((), None)
        for what in events.told if events else ():
            tell(self.result, what)
        if self.taken.own and events:
            states = (events.states[n] for n in range(len(moments)))
            pairs = zip(moments, states, self.result.events, strict=True)
            moments = tuple(self._moment_of_bodies(own, *known, event.state) for own, known, event in pairs)
        if self.taken.own and last:
            last = last._replace(**dict(zip("xva", self.rates_of_bodies(last.slopes), strict=True)))
        off = errors_of(replay, self._small)
        if not works and told_before == self.result.stats.get("derivatives"):
            has_none = np.isnan(found.v.reshape(self.motion.t.size, len(off), -1)).any(axis=(0, 2))
            for k in np.flatnonzero(has_none):
                tell(self.result, f"none by {self.variables.names[k]}: a slope in a step has no finite value")
        for k in np.flatnonzero(off > errors_allowed(self.taken.by)):
            if not works:
                tell(self.result, f"none by {self.variables.names[k]}: {too_long(off[k])}")
            for part in found:
                part.reshape(self.motion.t.size, len(off), -1)[:, k] = np.nan
            for part in (*chain.from_iterable(moments), *([last.moved] if last else ())):
                part[k] = np.nan
        for t in rerun.jumps if not works else ():
            near = np.abs(self.motion.t - t) <= SAME_INSTANT * max(abs(t), 1.0)
            if near[:-1].any() or (near[-1:].any() and self.taken.stop is None):
                tell(self.result, f"at t = {t:.6g}, where the motion switches or jumps, they are those of one side")
        return found, moments, last

    def _moment_of_bodies(self, own: MomentSlopes, y: np.ndarray, dy: np.ndarray, at: State) -> MomentSlopes:
        """Return the changes of bodies `at` an event, from changes in the coordinates of the run, whose state and rates
        there are y and dy."""
        state, by = state_layout(self.run_system.layout), self.variables.symbols
        values = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end]
        motion = tuple(Dual(value[None], slope, by) for value, slope in zip(values, own[1:], strict=True))
        there = Trajectory(np.array([at.t]), *(x[None] for x in (at.full_q, at.full_v, at.full_a)))
        return MomentSlopes(own.t, *(x.slope for x in bodies_along(self.run_system, motion, there)))

    def rates_of_bodies(self, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the rates of places, velocities and accelerations of bodies at the end of a run, where y' has the
        rates `slopes`."""
        assert self.taken and self.taken.own
        system, own, at, by = self.run_system, self.taken.own, self.motion.t.size - 1, (time,)
        q, v, a = (part[at : at + 1].copy() for part in own[2:])
        state = state_layout(system.layout)
        more = slopes[state.v_at : state.v_end]
        places = places_varied(system, q, v[None, :, : system.nv], np.zeros((1, 1, len(system.layout.signals))), by)
        motion = places, Dual(v, a[None], by), Dual(a, more[None, None], by)
        x, v, a = rows_of_bodies(system, motion, Trajectory(*(part[-1:] for part in self.motion)))
        return x[0, 0, : self.system.nv], v[0, 0, : self.system.nv], a[0, 0, : self.system.nv]

    def check_steps(self) -> None:
        """Refuse a run whose long steps were too long for neighbouring motions: all parameters change together, with
        random factors. (Ways back have no errors of their own.)"""
        taken = self.taken
        assert taken is not None
        head, allowed = taken.steps.head, errors_allowed(taken.by)
        if allowed == np.inf or not len(head) or not self.variables.names:
            return
        if (head[:, T1] - head[:, T0]).max() <= LONG * (taken.times[-1] - taken.times[0]):
            return
        mixed = np.random.default_rng(0).uniform(0.5, 1.5, len(self.variables.names)) * self._sizes
        rerun, replay, _ = new_replay(self.run_system, self.variables, taken, self.motion.t.size, False, mixed)
        if rerun.is_implicit:
            rerun.implicit_step.residuals.faint[:] = SLOW * self._faint[:1, 1:].T * self._sizes[0]
        begins = mixed[None] @ moved_state(self, taken, replay.march)
        replayed(rerun, replay, taken, begins, mixed=mixed[None], samples=self.sample_slopes, resets=self.resets)
        if (off := float(errors_of(replay, self._small[0] * self._sizes[0])[0])) > allowed:
            raise ModelError(f"derivatives of simulate: {too_long(off)}", code="steps-too-long")

    @cached_property
    def leaves_kinks(self) -> np.ndarray:
        """Return a mask of the parameters that move the run off a kink on which it stands, (parameters,): the changes
        are followed up to the last of these places."""
        taken, found = self.taken, np.zeros(len(self.variables.names), dtype=bool)
        if taken is None or not taken.standings:
            return found
        reasons, last = {one.why for one in taken.standings}, taken.standings[-1].places[-1].step
        edges = {step: why for step, why in taken.edges.items() if step <= last} or {last + 1: ""}
        short = replace(taken, edges=edges if last < taken.steps.total else taken.edges)
        rerun, replay, _ = new_replay(self.run_system, self.variables, short, self.motion.t.size, False)
        if rerun.is_implicit:
            rerun.implicit_step.residuals.faint[:] = SLOW * self._faint[:, 1:].T

        def note(ended: np.ndarray, why: str) -> None:
            found[ended] |= why in reasons

        begins = moved_state(self, taken, replay.march)
        replayed(rerun, replay, short, begins, tell=note, samples=self.sample_slopes, resets=self.resets)
        return found

    @property
    def _sizes(self) -> np.ndarray:
        """Return the size of each parameter: its value, or 1 for 0 and for values given."""
        number, declared = (
            self.variables.model.evaluator(),
            {one.symbol for one in self.variables.model.parameters.values()},
        )
        return np.array([(abs(number(one)) or 1.0) if one in declared else 1.0 for one in self.variables.symbols])

    @property
    def _faint(self) -> np.ndarray:
        """Return the changes of places, velocities and states by each parameter that are roundoff, (parameters, 3): the
        part `CHANGE_ROUNDOFF` of the model's length, of the largest velocity, or of a length over the duration, if
        larger, and of the scales of states, over the size of the parameter."""
        length, t = self.system.length, self.motion.t
        fast = max(float(np.abs(self.motion.v).max(initial=0.0)), length / max(float(np.ptp(t)), np.finfo(float).tiny))
        return CHANGE_ROUNDOFF * np.array([length, fast, 1.0]) / self._sizes[:, None]

    @property
    def _small(self) -> np.ndarray:
        """Return the least changes relative to which errors of steps are judged, (parameters, 3)."""
        assert self.taken is not None
        return self._faint * (STIFF if self.taken.by.method.is_implicit else 1.0)

    @property
    def levels(self) -> tuple[str, ...]:
        """Return the equations of the motion, with those of contacts and signals."""
        contacts = TOUCHING if self.system.structure.contacts.rows else ()
        return MOTION + contacts + (STATE_RATES,) * bool(self.system.layout.signals)

    @property
    def has_choice(self) -> bool:
        """Return whether equations are redundant: steps leave some out, while results have the least multipliers."""
        return bool(self.result.stats["redundant_equations"])

    @property
    def loads_apart(self) -> bool:
        """Return whether multipliers follow from places and velocities at their own time, and not from steps: where
        equations are redundant, and in coordinates other than those of bodies."""
        return self.has_choice or bool(self.taken and self.taken.own)

    @property
    def moved_by_steps(self) -> Variation:
        """Return the changes of the motion, with the multipliers that steps have."""
        own, size = self.changes_of_bodies, self.motion.v.shape[1]
        x, v, a = (np.zeros((len(rows), size)) for rows in own[:3])
        for rows, to in zip(own, (x, v, a), strict=False):
            to[:, : rows.shape[1]] = rows
        return Variation(x, v, a, own.multipliers)

    @cached_property
    def changes_of_bodies(self) -> Changes:
        """Return the changes, those of bodies in place of those of coordinates, then with zeros for multipliers."""
        found, own = self.changes, self.taken.own if self.taken else None
        if not own:
            return found
        x, v, a = self._bodies_moved(own)
        return found._replace(x=x, v=v, a=a, multipliers=np.zeros((len(x), len(self.system.rows))))

    def _bodies_moved(self, own: CoordinateMotion) -> tuple[np.ndarray, ...]:
        """Return the changes x, v and a of bodies, from changes in the coordinates of the run."""
        system, by, done = self.run_system, self.variables.symbols, self.motion.t.size
        x, v, a = map(self._by_parameter, self.changes[:3])
        wide = [np.zeros((len(by), done, system.layout.v_size)) for _ in range(2)]
        for rows, to in zip((v, a), wide, strict=True):
            to[..., : rows.shape[2]] = rows
        q = places_varied(system, own.q[:done], x, self._by_parameter(np.array(self.changes.signals)), by)
        rates = (Dual(value[:done], part, by) for value, part in zip(own[3:], wide, strict=True))
        found = rows_of_bodies(system, (q, *rates), self.motion)
        return tuple(np.moveaxis(part, 0, 1).reshape(done * len(by), -1).copy() for part in found)

    def equations(self, weighted: int = 0, along: bool = False) -> tuple[Any, Linear]:
        """Return the equations of bodies and their linearisation by the parameters, with branches held; going back,
        with `weighted` rows of weights, or `along` the motion, with time as the one parameter."""
        system, structure = self.system, self.system.structure
        run, numbers = mechanism(system, refinements=2, asks=GIVEN), self.numbers_of_bodies
        builder = lean_builder(structure, self.levels, 0.0 * numbers if along else numbers, by_time=along)
        of_contacts = (run.contacts.program.batch, run.contacts.normals.readings) if structure.contacts.rows else ()
        held = builder.fill(run.machine.program.batch, run.dynamics.batch, *of_contacts)
        count = numbers[:0] if weighted or along else numbers
        return run, linear(builder, held, count, weighted, others=0 if along else -1)

    @cached_property
    def numbers_of_bodies(self) -> np.ndarray:
        """Return the changes of the numbers in the equations of bodies, (parameters, numbers)."""
        structure = self.system.structure
        batches, contacts = [structure.program.batch, structure.dynamics.batch], structure.contacts
        batches += [contacts.program.batch, contacts.bounds] if contacts.rows else []
        slopes = [batch.slopes(self.system.evaluator, self.variables.symbols) for batch in batches]
        return np.concatenate(slopes, axis=1)

    def branches_and_loads(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the branches of laws, the multipliers and the forces of contacts, a row for each time. Contacts count
        as open: their forces are given."""
        assert self.taken is not None
        modes = self.taken.modes.copy()
        modes[:, modes.shape[1] - self.system.structure.contacts.entries :] = OPEN
        return modes, self.multipliers.copy(), self._own_contacts

    @cached_property
    def moved(self) -> Variation:
        if self.fixed_end is not None:
            return self._moved_with_end(self.fixed_end)
        out = self.moved_by_steps
        if not self.loads_apart:
            return out
        assert self.taken is not None
        least = out._replace(a=np.zeros_like(out.a), multipliers=np.zeros((len(out.x), len(self.system.rows))))
        known, changes = (*self.equations(), block(self.motion), *self.branches_and_loads()), self.changes
        vary_forces(*known, np.array(changes.signals), np.array(changes.contacts), block(least))
        return out._replace(multipliers=least.multipliers)

    def _moved_with_end(self, held: VariedRun) -> Variation:
        """Return the changes of `held`, at the last time with those along the motion, as this time moves."""
        found, end, own = Variation(*(rows.copy() for rows in held.moved)), self.end, len(self.variables.names)
        for rows, rate in zip(found, (end.x, end.v, end.a, self.loads_along), strict=True):
            rows[-own:, : rate.size] += np.outer(end.moved, rate)
        return found

    @property
    def loads_along(self) -> np.ndarray:
        """Return the rates of the multipliers along the motion at the end of a run that an event stopped."""
        return self.least_loads_along() if self.loads_apart else self.end.multipliers

    def least_loads_along(self) -> np.ndarray:
        """Return the rates of the least multipliers at the end of a run, where they do not follow from steps."""
        assert self.taken is not None
        t, q, v, a = (part[-1:].copy() for part in self.motion)
        run, own = self.equations(along=True)
        rates = Variation(v.copy(), a.copy(), np.zeros_like(a), np.zeros((1, len(self.system.rows))))
        held = (rows[self.motion.t.size - 1 :][:1].copy() for rows in self.branches_and_loads())
        known = run, own, block(Trajectory(t, q, v, a)), *held
        vary_forces(*known, self.end.signals[None].copy(), self.end.contacts[None].copy(), block(rates))
        return rates.multipliers[0]

    @property
    def _own_contacts(self) -> np.ndarray:
        assert self.taken is not None
        return self.taken.contacts[: self.result.t.size].copy()

    @property
    def pushes(self) -> Any:
        """Return the forces of contacts, with derivatives."""
        return self.dual(self._own_contacts, self._by_parameter(self.contacts_changed))

    @cached_property
    def quantities(self) -> ComputedQuantities:
        found = super().quantities
        return replace(found, pushes=self.pushes, _read={}) if self.system.structure.contacts.rows else found

    def loads(self) -> dict[str, Any]:
        found = super().loads()
        if not found or not self.system.structure.contacts.rows:
            return found
        return found | {"reactions": replace(found["reactions"], _contacts=self.pushes)}

    @property
    def _own_works(self) -> np.ndarray:
        assert self.taken is not None
        return self.taken.energies[: self.result.t.size, 2:].copy()

    def _energies(self) -> Any:
        scalars = self.scalars
        works: Any = self.dual(self._own_works, self._by_parameter(self.works_changed))
        return np.concatenate([scalars[:, :POWER], works], axis=1)


def varied_run(result: Result, variables: DesignVariables, taken: RecordedRun) -> Result:
    """Return the result of a run, with its derivatives and those of its events set."""
    varied = VariedRun(result, variables, taken=taken)
    set_varied(result, varied)
    for k, event in enumerate(result.events):
        set_moment(event.state, variables, partial(_moment_of, varied, k))
    return result


def _moment_of(varied: VariedRun, k: int) -> MomentSlopes:
    return varied.events_changed[k]
