"""States of contacts over time, and impacts with all their impulses, for a result."""

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np

from ...compiled import System
from ...compiled.contact_records import KEPT, OPEN, ImpactLog
from ...compiled.contact_rows import put_rows
from ...compiled.contacts import GIVEN, ContactsBuilder
from ...compiled.reading import Trajectory
from ...compiled.status import DONE
from ...errors import Names
from ...kernels.abi import compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...linear.rows import add_transposed_product
from ...linear.vectors import copy
from ...model.contacts import changes
from ...model.contacts.changes import ContactChange
from ...poses.newton import solve_here
from ...readings.reactions import ComputedReactions, Loads
from ...readings.teeth import with_separation
from ...results.events import Impact, Transition
from ...results.result import State
from ...tolerances import CONTACT_TOLERANCE
from ..derivative import accelerate, evaluate, factorise_terms
from ..mechanism import mechanism
from ..mechanism_record import Mechanism
from ..switching.switches import hold_all
from .constrained import find_constrained_held
from .forces import compare_solutions
from .guards import is_held_heading, tell_states
from .states import choose_states


def states_of(system: System, modes: np.ndarray) -> Mapping[str, np.ndarray]:
    """Return the states of each contact over time: "open", "kept" (closed by joints alone), "closed" (without
    friction), "sticks" or "slips"; with a column for each point if there are several."""
    builder, found = system.structure.contacts, {}
    own = modes[:, modes.shape[1] - builder.entries :]
    for element in builder.elements:
        if element in builder.separations:
            continue
        points = [k for k, (owner, _) in enumerate(builder.points) if owner is element]
        states = np.array([_states_of_point(builder, own, k) for k in points]).T
        found[element.name] = states[:, 0] if len(points) == 1 else states
    return Names("contact or friction", found, owner="the run")


def _states_of_point(builder: ContactsBuilder, own: np.ndarray, k: int) -> np.ndarray:
    first, has_gap = builder.entry[k], builder.gap[k] >= 0
    slips = own[:, first + has_gap : first + has_gap + builder.slips[k]]
    states = np.full(len(own), "closed", dtype="U6")
    if slips.shape[1]:
        held = is_held_heading((slips**2).sum(axis=1))
        states = np.where(slips.any(axis=1) & ~held, "slips", "sticks")
    gap = own[:, first]
    return np.where(gap == OPEN, "open", np.where(gap == KEPT, "kept", states)) if has_gap else states


def sticking_rows(system: System, modes: Mapping[str, np.ndarray], times: int) -> np.ndarray:
    """Return which slips stick, and which gaps joints alone keep closed, by the output of `states_of`: (times,
    rows)."""
    builder = system.structure.contacts
    found = np.zeros((times, builder.rows), dtype=bool)
    for (owner, k), gap, first, slips in zip(builder.points, builder.gap, builder.slip, builder.slips, strict=True):
        if owner.name in modes:
            own = np.atleast_2d(modes[owner.name].T).T[:, k]
            found[:, first : first + slips] = (own == "sticks")[:, None]
            if gap >= 0:
                found[:, gap] = own == "kept"
    return found


def sweeping_modes(system: System, t: float, q: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return the modes of an infinitely slow motion through a pose, (1, modes): branches of laws free, friction
    opposite to the slips of `slope`, dq over the swept parameter. Points that do not slip stick."""
    run, builder = mechanism(system, asks=GIVEN), system.structure.contacts
    modes = np.full((1, run.switches.mode.size), np.nan)
    if not builder.points:
        return modes
    rows = system.reader_by(builder.program).jacobian(t, q)
    moving = slope[: rows.shape[1]]
    rates, sizes = rows @ moving, abs(rows) @ np.abs(moving)
    first = modes.shape[1] - builder.entries
    modes[0, first:] = 0.0
    for entry, slip, many in zip(builder.entry, builder.slip, builder.slips, strict=True):
        speed = np.linalg.norm(rates[slip : slip + many])
        if speed > CONTACT_TOLERANCE * sizes[slip : slip + many].max():
            modes[0, first + entry : first + entry + many] = rates[slip : slip + many] / speed
    return modes


@compiled_apart
def choose_along(mechanism: Mechanism, t: Vector, q: Matrix, v: Matrix, modes: Matrix) -> int:
    """Put the modes of contacts and friction at each state of a motion into `modes`, as a run chooses them where it
    begins; the branches of laws are free. Return the number of states done: all, or those before a state at which no
    forces of contacts solve the equations."""
    contacts, switches = mechanism.contacts, mechanism.switches
    choice = contacts.choice
    for k in range(t.size):
        contacts.state[:] = OPEN
        choice.closed_count[0] = 0
        choice.began[:] = choice.lands[:] = 0
        choice.jump_pace[0], choice.has_jumped[0] = 0.0, 0
        switches.now[0] = t[k]
        choose_states(mechanism, q[k], v[k], mechanism.machine.here.a)
        if choice.status[0] != DONE:
            return k
        switches.mode[:] = np.nan
        tell_states(mechanism)
        copy(switches.mode, modes[k])
    return t.size


@compiled_apart
def compare_along(
    mechanism: Mechanism, t: Vector, q: Matrix, v: Matrix, modes: Matrix, amounts: Vector, multipliers: Vector,
    differs: Matrix,
) -> None:  # fmt: skip
    """Put 1 into `differs` for each multiplier, and behind these for each force of contacts and friction, that has
    several values at a state of a motion: other forces of friction satisfy the equations with the same modes, too.
    `amounts` and `multipliers` are room for the forces of one state."""
    for k in range(t.size):
        copy(modes[k], mechanism.switches.mode)
        hold_all(mechanism)
        if mechanism.contacts.choice.closed_count[0] == 0:
            continue
        evaluate(mechanism, t[k], q[k], v[k])
        find_constrained_held(mechanism)
        if accelerate(mechanism, t[k], q[k], v[k], mechanism.machine.here.a) == DONE:
            compare_solutions(mechanism, amounts, multipliers, differs[k])


@compiled_apart
def impulses_along(mechanism: Mechanism, t: Vector, q: Matrix, v: Matrix, p: Matrix, multipliers: Matrix) -> None:
    """Put the impulses of all joints in impacts into `multipliers`: those that impulses p along the rows of contacts
    cause."""
    machine, contacts = mechanism.machine, mechanism.contacts
    contacts.choice.closed_count[0] = 0
    for k in range(t.size):
        evaluate(mechanism, t[k], q[k], v[k])
        factorise_terms(mechanism)
        put_rows(contacts)
        machine.f[:] = 0.0
        machine.g[:] = 0.0
        add_transposed_product(contacts.rows, p[k], machine.f)
        solve_here(machine, mechanism.refinements)
        for row in range(machine.multipliers.size):
            multipliers[k, row] = machine.multipliers[row]


IMPACT_FIELDS = "time", "energy_loss", "rest_time", "impulse", "before", "after"
"""The fields of `ImpactLog` that reports of impacts contain."""


def impact_rows(log: ImpactLog) -> np.ndarray:
    """Return the impacts in the log as a structured array, one row each, and empty the log."""
    columns = {name: getattr(log, name)[: log.filled[0]] for name in IMPACT_FIELDS}
    rows = np.empty(int(log.filled[0]), dtype=[(name, float, one.shape[1:]) for name, one in columns.items()])
    for name, column in columns.items():
        rows[name] = column
    log.filled[0] = 0
    return rows


def impacts_of(system: System, logged: Sequence[np.ndarray]) -> tuple[Impact, ...]:
    """Return the impacts of a run from the rows of its log (`impact_rows`). The impulses p along the rows of contacts
    act on bodies by Gᵀ p, multipliers of joints by -Φ_vᵀ λ; so `world`, which gives the impulse on the second body of
    each contact and joint, takes -p for multipliers."""
    builder, bodies = system.structure.contacts, system.cartesian
    if not any(map(len, logged)):
        return ()
    rows = np.concatenate(logged)
    t, lost, rests, p = (np.ascontiguousarray(rows[name]) for name in IMPACT_FIELDS[:4])
    before, after = (_states(system, t, rows[name]) for name in IMPACT_FIELDS[4:])
    q, v, a = (np.array([getattr(one, name) for one in before]) for name in ("full_q", "full_v", "full_a"))
    along = Trajectory(t.copy(), q, v, a)
    multipliers = np.zeros((t.size, len(bodies.rows)))
    impulses_along(mechanism(bodies, asks=GIVEN), along.t, along.q, along.v, p, multipliers)
    multipliers = with_separation(bodies, along, multipliers)
    none = np.zeros((t.size, len(bodies.rows) + builder.rows), dtype=bool)
    loads = Loads(multipliers, 0, none[:, : len(bodies.rows)], none)
    reactions = ComputedReactions(bodies, along, p, np.zeros(p.shape, dtype=bool), loads)
    names = [e.name for e in (*bodies.model.conditions, *bodies.model.contacts, *bodies.model.frictions)]
    rubbing = {e.name for e in bodies.model.frictions}
    impulses = {name: reactions.world(name) for name in names}
    met = {name: np.abs(p[:, rows]).max(axis=1) > 0.0 for name, rows in builder.rows_of.items() if name not in rubbing}
    return tuple(
        Impact(
            float(t[k]),
            tuple(name for name in met if met[name][k]),
            Names("joint, driver or contact", {name: rows[k] for name, rows in impulses.items()}, owner="the impact"),
            float(lost[k]),
            float(rests[k]) or None,
            before[k],
            after[k],
        )
        for k in range(t.size)
    )


def _states(system: System, t: np.ndarray, rows: np.ndarray) -> list[State]:
    """Return the states for rows (q, v, a) in the system's own coordinates."""
    q_size, v_size = system.layout.q_size, system.layout.v_size
    q, v, a = (np.ascontiguousarray(x) for x in np.split(rows, [q_size, q_size + v_size], axis=1))
    along = system.of_bodies(Trajectory(t.copy(), q, v, np.nan_to_num(a)))
    return [State(system.cartesian, float(t[k]), along.q[k], along.v[k], along.a[k]) for k in range(t.size)]


def transitions_of(system: System, notes: Sequence[np.ndarray]) -> tuple[Transition, ...]:
    """Return the changes of contacts between rows (t, modes of contacts, q, v, a), each taken after its instant: of
    several rows at one instant the last one counts. An empty note stands for a `Reset`: before it and behind it the
    same instant counts twice."""
    builder = system.structure.contacts
    if not builder.points or not any(map(len, notes)):
        return ()
    kept = list[np.ndarray]()
    for is_reset, part in groupby(notes, key=lambda note: not len(note)):
        rows = np.concatenate([*part])
        kept += [] if is_reset else [rows[np.append(rows[1:, 0] > rows[:-1, 0], True)]]
    rows = np.concatenate(kept)
    states, found = _states(system, rows[:, 0], rows[:, 1 + builder.entries :]), list[Transition]()
    told = [_states_of_point(builder, rows[:, 1 : 1 + builder.entries], k) for k in range(len(builder.points))]
    for n in range(1, len(rows)):
        for (owner, point), own in zip(builder.points, told, strict=True):
            if own[n] != own[n - 1]:
                change = str(own[n - 1]), str(own[n])
                found.append(Transition(float(rows[n, 0]), owner.name, point + 1, *change, states[n]))
    return tuple(found)


def changes_at(system: System, t: float, rows: np.ndarray, impacts: np.ndarray) -> set[ContactChange]:
    """Return the changes of contacts at t, by the last two rows of their states and the impacts of this instant. A
    bounce touches and parts."""
    builder, found = system.structure.contacts, set[ContactChange]()
    pushed = impacts["impulse"][impacts["time"] == t]
    for k, (owner, _) in enumerate(builder.points):
        before, after = _states_of_point(builder, rows[:, 1 : 1 + builder.entries], k)
        gap, was_open = builder.gap[k], before == "open"
        if after != before and after in (changes.STICKS, changes.SLIPS):
            found.add(ContactChange(owner.name, str(after)))
        hit = gap >= 0 and any(p[gap] > 0.0 for p in pushed)
        if gap >= 0 and was_open and (hit or after != "open"):
            found.add(ContactChange(owner.name, changes.TOUCHES))
        if gap >= 0 and after == "open" and (hit or not was_open):
            found.add(ContactChange(owner.name, changes.PARTS))
    return found
