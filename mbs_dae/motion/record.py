"""The records of a run: its parts and its present state, and the states at the requested times, which are read from the
steps without changing the run. Compiled."""

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..compiled import System
from ..compiled.contact_records import LOG
from ..compiled.contacts import EVENTS, STEPS
from ..compiled.dynamics import KINETIC, POTENTIAL, SCALARS
from ..compiled.manifold import restore
from ..compiled.status import DONE
from ..compiled.structure import Structure
from ..errors import ModelError
from ..kernels.abi import compiled, compiled_apart
from ..kernels.blocks import Integers, Matrix, Vector, Work, address_of, block, nothing, zeros
from ..kernels.images import Image
from ..linear.tree.articulated import packed
from ..linear.vectors import axpy, copy, copy_rows
from ..tolerances import ACCELERATION_INDEPENDENCE, RECORD_INDEPENDENCE
from .control import Control, units_of
from .course import Course, moment
from .derivative import copy_forces, derivative, evaluate, keep_contacts, return_to_surfaces
from .implicit.linearised import linearised
from .mechanism import forms_masses, image_of_design, numbers_of, prototype
from .mechanism_record import INDEPENDENCE, NORM_RATIO, WORK, Mechanism, state_layout
from .methods.method import Stages, Tableau, prepare_reading, read_between
from .methods.stepping import Stepping
from .past.tape import ROOM, Tape, entry_size
from .singular import Crossing
from .stabilise import Stabiliser, Stabilization, is_projected, new_stabiliser, project
from .stiffness import Stiffness, new_stiffness
from .switching.locate import new_search
from .switching.search import RUSH, Search

NO_TAPE = nothing(Tape)
"""The tape of runs whose steps are not recorded."""
ASIDE = 3
"""The number of states that are read on each side of a singular pose."""


class Record(NamedTuple):
    """States and loads at the requested times, and loads at the end of the last step, before it is accepted."""

    times: Vector
    q: Work[Matrix] = zeros("times", "q_size")
    v: Work[Matrix] = zeros("times", "v_size")
    a: Work[Matrix] = zeros("times", "v_size")
    multipliers: Work[Matrix] = zeros("times", "rows")
    contacts: Work[Matrix] = zeros("times", "lines")
    """The forces along the rows of contacts."""
    energies: Work[Matrix] = zeros("times", 2 + WORK)
    """Columns: kinetic, potential, then the works."""
    modes: Work[Matrix] = zeros("times", "switches")
    """The branches of laws and the states of contacts (`switches`)."""
    independence: Work[Vector] = zeros("times")
    """The least `independence` of the enforced rows: where it is near zero multipliers are roundoff."""
    end_multipliers: Work[Vector] = zeros("rows")
    """The multipliers at the end of the last step."""
    end_contacts: Work[Vector] = zeros("lines")
    """The forces of contacts at the end of the last step."""
    end_scalars: Work[Vector] = zeros(SCALARS)
    """Energies and powers at the end of the last step."""
    y: Work[Vector] = zeros("width")
    """The state that is read."""
    dy: Work[Vector] = zeros("width")
    """The derivative at this state."""
    kept: Work[Vector] = zeros("rows")
    """1 for each row of joints that was enforced when `remember` was called, else 0."""
    nearness: Work[Vector] = zeros(4)
    """The nearness of a singular pose at that call."""
    weight: Work[Vector] = zeros("columns")
    """The diagonal of the masses at that call, the norm of projections."""
    beside: Work[Vector] = zeros("entries")
    """The other entries of the masses at that call."""
    inertia: Work[Matrix] = zeros("limbs", "packed")
    """The inertias of the limbs of trees at that call."""


class ConstantEvents(NamedTuple):
    """Functions of events that contacts keep constant: each pair of a function and a point. If a function has several
    pairs, all have to keep it."""

    place: Integers
    """The place of the function in `EventRecord.function`."""
    points: Integers
    by_slip: Integers
    """1 if the point keeps it by its slip while it sticks, 0 if by its gap while it is closed."""
    value: Vector
    """The value of each function while contacts keep it constant."""


class EventValues(NamedTuple):
    """Values and rates of the functions of events."""

    side: Work[Vector] = zeros("functions")
    """The side of zero of each function (1, -1), 0 while it stays on zero; for a rounding in the expression of an event
    its integer."""
    largest_since: Work[Vector] = zeros("functions")
    """The largest value since the last passage."""
    largest: Work[Vector] = zeros("functions")
    """The largest value in the run."""
    pace: Work[Vector] = zeros("functions")
    """The largest rate in the run."""
    rate: Work[Vector] = zeros("functions")
    """The rate at the last evaluation."""
    rate_size: Work[Vector] = zeros("functions")
    """The size of the terms of this rate."""
    previous: Work[Vector] = zeros("functions")
    """The value at the end of the last step, or behind a switch."""
    undecided: Work[Integers] = zeros("functions")
    """1 for a value of zero at the end of a step at which contacts or laws switch: it is decided behind the switch."""


class EventRecord(NamedTuple):
    """Events and changes of contacts of a run. No step depends on this record."""

    function: Integers
    """The places of the functions of events among the switching functions."""
    entries: int
    """The place of the first entry of contacts among them; all behind it belong to contacts."""
    constants: ConstantEvents
    turn: Vector
    """The sign of each function that is the gap of a point while the point is open; 0 for other functions."""
    where: Integers
    """The address and the number of the words that a run writes."""
    before: Integers
    """A copy of these words, which is put back when events have been looked at."""
    log: Matrix
    """Rows (t, modes of contacts, q, v, a): the first state, and the state behind each change of contacts."""
    fired: Work[Integers] = zeros("functions")
    """The direction of each passage since this was last read (1, -1), else 0."""
    passed: Work[Integers] = zeros("functions")
    """1 for each function that has passed zero at the present state."""
    due: Work[Integers] = zeros("functions")
    """The direction in which each function passes zero at the time `until`, at which the next step ends."""
    until: Work[Vector] = zeros(1)
    passages: Work[Integers] = zeros(1)
    """The number of passages, or of changes of contacts if events name these, since this was last read."""
    times: Work[Vector] = zeros(RUSH)
    """The times of the last passages."""
    total: Work[Integers] = zeros(1)
    """The number of passages."""
    endless: Work[Integers] = zeros(1)
    """1 if they come without end."""
    asks: Work[Integers] = zeros(1)
    """1 if events name changes of contacts."""
    told: Work[Vector] = zeros("entries")
    """The modes of contacts that were noted last."""
    logged: Work[Integers] = zeros(1)
    """The number of rows in the log."""
    struck: Work[Integers] = zeros(1)
    """The number of impacts of this instant that are known."""
    values: EventValues = EventValues()


ACCEPTED, REJECTED, NEXT, MARK = range(4)
"""Places in the counts of a run."""


class IntegratorState(NamedTuple):
    """A run: its mechanism, the method, control and stabilisation of its steps, its records, and its present state."""

    mechanism: Mechanism
    tableau: Tableau
    control: Control
    course: Course
    stabiliser: Stabiliser
    stages: Stages
    record: Record
    crossing: Crossing
    search: Search
    stiffness: Stiffness
    tape: Tape
    events: EventRecord
    time: Work[Vector] = zeros(1)
    """t, in s."""
    widest: Work[Vector] = zeros(1)
    """The widest gap so far."""
    turned: Work[Vector] = zeros(2)
    """The largest energy available to the motion so far (kinetic, and the sizes of those raised above the start,
    dissipated and supplied); and the potential energy of the start."""
    noted: Work[Integers] = zeros(1)
    """1 if it was reported that a step is cut short by the end of the run."""
    counts: Work[Integers] = zeros(4)
    """Steps accepted and rejected, the number of the next requested time, and the number of steps at `mark_time`."""
    mark_time: Work[Vector] = zeros(1)
    """The time at which stalling was last tested, in s."""


def new_march(
    system: System, by: Stepping, how: Stabilization, course: Course, times: np.ndarray, taped: bool = False
) -> IntegratorState:
    """Return a run of this course, which keeps the states at these times, and its steps if `taped`."""
    for event in system.model.events:
        if event.change and event.change.element not in system.model.elements:
            what = f"{event.who} waits for {event.change}, and {event.change.element!r} is not in {system.model.name!r}"
            raise ModelError(
                f"{what}; add it to the model, or leave the event out",
                code="unknown-name", argument="when", name=event.change.element, event=event.name,
            )  # fmt: skip
    formed = forms_masses(system, _asks(by))
    image, sizes = system.latest(_image, by, how), system.structure.once(_sizes, formed)
    record, tape = block(Record(times), times=times.size, **sizes), NO_TAPE
    if taped:
        points = len(system.structure.contacts.points)
        entry = entry_size(sizes["width"], sizes["rows"], points, sizes["lines"], sizes["switches"], by.method.inner)
        tape = block(Tape(), room=ROOM, entry=entry, switches=sizes["switches"])
    entries = system.structure.contacts.entries
    function = np.flatnonzero(
        np.isin(system.structure.deciding, [event.who for event in system.model.events if not event.change])
    )
    row = 1 + entries + 2 * sizes["v_size"] + sizes["q_size"]
    log = np.zeros((LOG if entries else 0, row))
    where, before = np.zeros(2, dtype=np.int64), np.zeros(image.words.size if function.size else 0, dtype=np.int64)
    constants, turns = _constants(system, function), _turns(system, function)
    known = EventRecord(function, sizes["switches"] - entries, constants, turns, where, before, log)
    events = block(known, functions=function.size, entries=entries)
    events.asks[0] = any(event.change for event in system.model.events)
    march = image.new(course=course, record=record, tape=tape, events=events)
    where[:] = address_of(march.words), march.words.size
    march.search.put("whole", float(times[-1] - times[0]))
    return march


def _constants(system: System, function: np.ndarray) -> ConstantEvents:
    """Return which functions of events contacts keep constant."""
    structure, found, constants = system.structure, list[tuple[int, int, bool]](), np.zeros(function.size)
    for event in system.model.events:
        keep, constant = ([], sp.S.Zero) if event.change else structure.contacts.constant_by(event.when)
        own = [n for n, k in enumerate(function) if structure.deciding[k] == event.who]
        found += [(n, *point) for point in keep for n in own]
        constants[own] = system.evaluator(constant) if keep else 0.0
    place, points, by_slip = np.array(found, dtype=np.int64).reshape(-1, 3).T.copy()
    return ConstantEvents(place, points, by_slip, constants)


def _turns(system: System, function: np.ndarray) -> np.ndarray:
    """Return the sign of each of these functions while bodies are apart, if the function is their gap; 0 for others."""
    found = np.zeros(function.size)
    for event in system.model.events:
        if not event.change and (factor := system.structure.contacts.gap_in(event.when)) is not None:
            own = [system.structure.deciding[k] == event.who for k in function]
            found[own] = np.sign(system.evaluator(factor))
    return found


def _sizes(structure: Structure, formed: bool) -> dict[str, int]:
    """Return the sizes of the arrays of a record; with `formed` M has entries."""
    state = state_layout(structure.layout)
    sizes = {"q_size": state.q_end, "v_size": state.v_end - state.v_at, "width": state.size}
    pattern = structure.formed_pattern if formed else structure.mass_pattern
    sizes |= {"rows": len(structure.rows), "switches": len(structure.deciding), "lines": structure.contacts.rows}
    sizes |= {"columns": structure.columns, "entries": pattern.block_row.size}
    edges = pattern.tree.edges
    return sizes | {"limbs": edges, "packed": packed(structure.model.dimension) if edges else 0}


def _image(system: System, by: Stepping, how: Stabilization) -> Image:
    """Return the image of a run without its course and its records."""

    def make() -> Image:
        return Image(_prototype(system, by, how), apart=("course", "record", "tape", "events"))

    return make() if by.method.is_implicit else image_of_design(system, _image, (by, how), make, _numbers)


def _numbers(system: System) -> dict[str, Any]:
    """Return the numbers of a run that depend on the design."""
    unit, _, inertia = system.once(units_of)
    found = {f"mechanism.{path}": value for path, value in system.once(numbers_of).items()}
    return found | {"control.unit": unit, "control.inertia": inertia}


def _asks(by: Stepping) -> int:
    """Return what contacts are needed for: steps over them, or events."""
    return STEPS if by.method.steps_over else EVENTS


def _prototype(system: System, by: Stepping, how: Stabilization) -> IntegratorState:
    mechanism, newton, method = prototype(system, 0, ACCELERATION_INDEPENDENCE, _asks(by)), None, by.method
    unit, controlled, inertia = system.once(units_of)
    if method.is_implicit:
        newton = linearised(system, unit, method.inner)
    mechanism.contacts.choice.in_turn[0] = by.in_turn
    control = block(Control(by.rtol, by.atol, unit, controlled, inertia, by.length, by.most))
    stabiliser = new_stabiliser(how, mechanism, by.length, by.rtol ** (1.0 / method.order))
    stages = method.stages(mechanism, nothing(Course), newton)
    if method.is_implicit:
        stages.implicit.tolerances[:] = by.rtol, by.atol
    search, crossing = new_search(stages, not method.steps_over), block(Crossing())
    known = mechanism, method.tableau, control, nothing(Course), stabiliser, stages, nothing(Record), crossing, search
    return block(IntegratorState(*known, new_stiffness(stages), nothing(Tape), nothing(EventRecord)))


@compiled
def remember(march: IntegratorState) -> None:
    """Keep the choices of evaluations (enforced rows, nearness, masses) for `put_back`."""
    record, factor = march.record, march.mechanism.machine.factor
    copy(march.mechanism.nearness, record.nearness)
    copy(factor.kept, record.kept)
    copy(factor.weight, record.weight)
    copy(factor.beside, record.beside)
    copy_rows(factor.limbs.inertia, record.inertia)


@compiled
def put_back(march: IntegratorState) -> None:
    record, factor = march.record, march.mechanism.machine.factor
    copy(record.nearness, march.mechanism.nearness)
    copy(record.kept, factor.kept)
    copy(record.weight, factor.weight)
    copy(record.beside, factor.beside)
    copy_rows(record.inertia, factor.limbs.inertia)


@compiled
def put_right(march: IntegratorState, t: float, y: Vector) -> int:
    """Normalise quaternions, and put y onto the constraints, if the run is projected, and onto the surfaces along which
    it slides. Return a status."""
    mechanism = march.mechanism
    q, v = y[: mechanism.state.q_end], y[mechanism.state.v_at : mechanism.state.v_end]
    restore(mechanism.machine.manifold, q)
    now, status = moment(march.course, t), DONE
    if is_projected(march.stabiliser, mechanism):
        status = project(mechanism, now, q, v)
    if status == DONE and mechanism.switches.sliding[0] > 0:
        status = return_to_surfaces(mechanism, now, y)
    if status == DONE and mechanism.contacts.choice.closed_count[0] > 0:
        status = keep_contacts(mechanism, now, q, v)
    return status


@compiled_apart
def derivative_at_end(march: IntegratorState, t: float, y: Vector, dy: Vector) -> int:
    """Put y' into dy, with its multipliers, forces of contacts and energies into the record; or the means of the last
    step, if the method has such. Return a status."""
    mechanism, record, stages = march.mechanism, march.record, march.stages
    if march.tableau.means == 1:
        state, unseen = mechanism.state, mechanism.contacts.choice.closed_only
        unseen[0] = 1  # the next step looks at contacts
        evaluate(mechanism, moment(march.course, t), y[: state.q_end], y[state.v_at : state.v_end])
        unseen[0] = 0
        copy(stages.k[march.tableau.stages], dy)
        copy(stages.loads, record.end_multipliers)
        copy(mechanism.contacts.force, record.end_contacts)
        copy(mechanism.scalars, record.end_scalars)
        return DONE
    status = derivative(mechanism, moment(march.course, t), y, dy)
    copy(mechanism.machine.multipliers, record.end_multipliers)
    copy_forces(mechanism.contacts, record.end_contacts)
    copy(mechanism.scalars, record.end_scalars)
    return status


@compiled_apart
def record_to(march: IntegratorState, t: float, end: float, breaks: bool) -> int:
    """Keep all requested times in (t, end]: the end itself, unless laws switch there (then it is kept as the motion
    goes on), others by reading the step (projected, if the run is). Return a status."""
    mechanism, tableau, stages = march.mechanism, march.tableau, march.stages
    record, counts = march.record, march.counts
    times = record.times
    reading = False
    at_end = counts[NEXT]
    while at_end < times.size and times[at_end] < end:
        at_end += 1
    kept = at_end < times.size and times[at_end] == end and not breaks
    if kept:
        keep(march, at_end, stages.y1, stages.k[tableau.stages])
    while counts[NEXT] < at_end:
        k = counts[NEXT]
        if not reading:
            status = prepare_reading(stages)
            if status != DONE:
                return status
            reading = True
        x, h = (times[k] - t) / (end - t), end - t
        status = _read(march, t, h, x)
        independence = mechanism.nearness[NORM_RATIO] * mechanism.nearness[INDEPENDENCE]
        if independence < RECORD_INDEPENDENCE and abs(x - tableau.middle) < tableau.half:
            status = _read_across(march, t, h, x, k)
        elif status == DONE:
            keep(march, k, record.y, record.dy)
        if status != DONE:
            return status
        counts[NEXT] += 1
    if kept:
        counts[NEXT] = at_end + 1
    return DONE


@compiled_apart
def _read(march: IntegratorState, t: float, h: float, x: float) -> int:
    """Put the state at t + x h, and its derivative, into the record's own arrays, whatever else is read of the step.
    Return a status."""
    y = march.record.y
    put_back(march)
    read_between(march.stages, x, y)
    status = put_right(march, t + x * h, y)
    return derivative_at_end(march, t + x * h, y, march.record.dy) if status == DONE else status


@compiled_apart
def _read_across(march: IntegratorState, t: float, h: float, x: float, k: int) -> int:
    """Put row k of the record, next to a singular pose in the gap of the step: the polynomial through states on both
    sides of the pose. Multipliers are those of the state itself: they may well grow without bound. Return a status."""
    record, y = march.record, march.record.y
    _clear(march, k)
    at = (x - march.tableau.middle) / march.tableau.half
    for one in range(2 * ASIDE):
        place, weight = _aside(one), 1.0
        for other in range(2 * ASIDE):
            if other != one:
                weight *= (at - _aside(other)) / (place - _aside(other))
        status = _read(march, t, h, march.tableau.middle + place * march.tableau.half)
        if status != DONE:
            return status
        _add(march, k, y, record.dy, weight)
    q, v = y[: march.mechanism.state.q_end], y[march.mechanism.state.v_at : march.mechanism.state.v_end]
    copy(record.q[k], q)
    copy(record.v[k], v)
    restore(march.mechanism.machine.manifold, q)
    status = derivative_at_end(march, t + x * h, y, record.dy)
    copy(record.end_multipliers, record.multipliers[k])
    copy(q, record.q[k])
    return status


@compiled
def _aside(k: int) -> float:
    """Return the place of state k around a singular pose, from the middle of its gap: ±1, ±1.4, ±1.8 half widths."""
    return 1.0 + 0.4 * (k - ASIDE) if k >= ASIDE else 0.4 * (k + 1 - ASIDE) - 1.0


@compiled_apart
def keep(march: IntegratorState, k: int, y: Vector, dy: Vector) -> None:
    """Put row k of the record."""
    _clear(march, k)
    _add(march, k, y, dy, 1.0)


@compiled
def _clear(march: IntegratorState, k: int) -> None:
    record, nearness = march.record, march.mechanism.nearness
    record.independence[k] = nearness[NORM_RATIO] * nearness[INDEPENDENCE]
    for rows in (record.q, record.v, record.a, record.multipliers, record.contacts, record.energies):
        rows[k] = 0.0


@compiled_apart
def _add(march: IntegratorState, k: int, y: Vector, dy: Vector, weight: float) -> None:
    """Add a state with this weight to row k of the record."""
    record, state = march.record, march.mechanism.state
    axpy(weight, y[: state.q_end], record.q[k])
    axpy(weight, y[state.v_at : state.v_end], record.v[k])
    axpy(weight, dy[state.v_at : state.v_end], record.a[k])
    axpy(weight, record.end_multipliers, record.multipliers[k])
    axpy(weight, record.end_contacts, record.contacts[k])
    record.energies[k, 0] += weight * record.end_scalars[KINETIC]
    record.energies[k, 1] += weight * record.end_scalars[POTENTIAL]
    axpy(weight, y[state.works_at :], record.energies[k, 2:])
    copy(march.mechanism.switches.mode, record.modes[k])
