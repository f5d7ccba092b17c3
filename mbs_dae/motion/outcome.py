"""The result of a motion whose forces are known.

Where the constraints lose rank for a moment the equations at that pose do not determine the multipliers, even where all
accelerations are known: Φ_vᵀ λ = Q - M v̇ has a solution only in the limit, from the poses on both sides. Some
components have a limit, others a pole. The motion through the pose is smooth, so the states around it are extrapolated
from it, closed, and solved for; a component has a limit if the polynomials through three states on either side lead to
the value of the one through all six. (An even pole would deceive a comparison of the sides alone, an odd one the sum of
both.)
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

import numpy as np

from ..arguments import TableEnd, note_on_tables, tables_left
from ..compiled import System
from ..compiled.contact_records import OPEN
from ..compiled.contacts import EVENTS, GIVEN
from ..compiled.machine import EVALUATIONS, FACTORISATIONS
from ..compiled.manifold import move
from ..compiled.reading import Trajectory
from ..compiled.status import DONE
from ..errors import ModelError
from ..poses.newton import close, complete, dependent_rows
from ..readings.motion import own_motion, result_of
from ..readings.ranks import least
from ..readings.reactions import ComputedReactions, Loads
from ..readings.teeth import apart, with_separation
from ..results.quantities import frozen, ledger
from ..results.result import Result
from ..tolerances import COMPONENT_FLOOR, LIMIT_AGREEMENT, RATE_INDEPENDENCE, ROW_DEPENDENCE, SOLUTION_ERROR
from .contact.reports import choose_along, compare_along, impulses_along, states_of, sticking_rows
from .derivative import solve_motion
from .implicit.iteration import MATRICES
from .initial import note_on_ratios
from .loads import corrected_loads
from .mechanism import mechanism
from .mechanism_record import WORK
from .record import ACCEPTED, REJECTED, IntegratorState, Record
from .stabilise import WHERE_NEEDED

Known = tuple[np.ndarray, int] | None
"""Multipliers, and the number of redundant rows."""

REACH = 5e-3
"""The distance of the nearest states from a singular pose, in model lengths."""
PLACES = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
"""The places of the states, in steps; and the weights with which polynomials through all, the first and the last three
lead to 0."""
WEIGHTS = np.array([[0.05, -0.3, 0.75, 0.75, -0.3, 0.05], [1, -3, 3, 0, 0, 0], [0, 0, 0, 3, -3, 1]])
TOLD = 5  # so many times are told
ELSEWHERE = 1e-2
"""A pose is singular for a moment if its `independence` is less than the largest of the motion by this factor."""


def dynamic_result(
    system: System, record: Record, moments: np.ndarray, done: int, before: np.ndarray | None = None,
    means: bool = False, **more: Any,
) -> Result:  # fmt: skip
    """Return the result of the first `done` recorded times, with the moments at which laws are evaluated. `before` is
    the first pose of another run: it chooses between a quaternion and its opposite. Where forces of contacts are
    `means` over steps they do not follow from the state."""
    motion = Trajectory(moments, record.q, record.v, record.a).until(done)
    energies, contacts, modes = (x[:done].copy() for x in (record.energies, record.contacts, record.modes))
    own, bodies = own_motion(system, motion), system.cartesian
    known: Known = record.multipliers[:done].copy(), int(more["stats"]["redundant_equations"])
    singular = is_singular(record.independence[:done]).nonzero()[0]
    if bodies is not system:
        known = None
        motion = system.of_bodies(motion)
        if before is not None:
            for place, _ in bodies.layout.quaternions:
                attitude = motion.q[:, place : place + 4]
                attitude *= np.copysign(1.0, attitude[:1] @ before[place : place + 4])
        if means:
            known = _with_given(bodies, motion, modes, contacts)
        elif contacts.size:
            _, multipliers, contacts, _, redundant = forces_along(bodies, motion, modes)
            known = multipliers, redundant
    loads: Any = partial(_loads_along, bodies, motion, modes, contacts, known, singular)
    if singular.size or bodies.raised:  # notes may be needed; and functions in Python must not be called again later
        loads = loads()
    more |= {"modes": states_of(bodies, modes), "own": own, "integrated": True, "contacts": contacts}
    return with_forces(bodies, motion, loads, energies, **more)


def _loads_along(
    bodies: System, motion: Trajectory, modes: np.ndarray, contacts: np.ndarray, known: Known, singular: np.ndarray
) -> Loads:
    """Return the loads from the multipliers and the number of redundant rows of a run, if it has those of all joints;
    else by solving for them."""
    if known is None:
        _, multipliers, _, _, redundant = forces_along(bodies, motion, modes)
    else:
        multipliers, redundant = corrected_loads(bodies, motion, modes, contacts, known[0]), known[1]
    multipliers, _, undetermined = in_the_limit(bodies, motion, multipliers, redundant, singular)
    return Loads(multipliers, redundant, undetermined, nonunique_forces(bodies, motion, modes))


def nonunique_forces(bodies: System, motion: Trajectory, modes: np.ndarray) -> np.ndarray:
    """Return which multipliers, and behind these which forces of contacts and friction, have several values at each
    time, (times, rows): with the same modes, other normal forces in joints go with other friction there."""
    rows, contacts = len(bodies.rows), bodies.structure.contacts
    found = np.zeros((motion.t.size, rows + contacts.rows))
    run = mechanism(bodies, refinements=2, asks=EVENTS)
    if contacts.rows and run.contacts.normals.row_count.any():
        compare_along(run, *motion[:3], modes, np.zeros(contacts.rows), np.zeros(rows), found)
    return found != 0.0


def nonuniqueness_note(name: str, places: np.ndarray) -> str:
    """Return a sentence about the times, or the values of the parameter `name`, at which forces with friction have
    several values; empty if there are none."""
    if not places.size:
        return ""
    where = f"at {name} = {places[0]:.6g}" + (f" and at {places.size - 1} more" if places.size > 1 else "")
    why = "friction in a joint grows faster than its normal force"
    return f"the forces are not unique {where}: {why}; the result holds one solution, and is_unique is False"


def is_singular(independence: np.ndarray) -> np.ndarray:
    """Return whether the pose is singular for a moment, for each state of a motion, or of several."""
    most = independence.max(axis=-1, initial=0.0, keepdims=True)
    return independence < np.minimum(RATE_INDEPENDENCE, ELSEWHERE * most)


def _with_given(bodies: System, motion: Trajectory, modes: np.ndarray, contacts: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the multipliers of all joints with these forces of contacts, and the number of redundant rows: the sum of
    the multipliers without contacts and the effect of the forces."""
    free, added = modes.copy(), np.zeros((motion.t.size, len(bodies.rows)))
    free[:, modes.shape[1] - bodies.structure.contacts.entries :] = OPEN
    _, multipliers, *_, redundant = forces_along(bodies, motion, free, GIVEN)
    if contacts.any():
        impulses_along(mechanism(bodies, refinements=2, asks=GIVEN), *motion[:3], contacts, added)
    return multipliers + added, redundant


def modes_along(bodies: System, motion: Trajectory) -> tuple[int, np.ndarray]:
    """Return the number of states of a motion before the first one without admissible contact and friction forces, and
    the modes of these states, shape (states, modes)."""
    run = mechanism(bodies, refinements=2, asks=EVENTS)
    modes = np.zeros((motion.t.size, run.switches.mode.size))
    return choose_along(run, *motion[:3], modes), modes


def forces_along(
    bodies: System, motion: Trajectory, modes: np.ndarray | None = None, asks: int = EVENTS
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray, int]:
    """Return the number of states before the first one without a solution (see `solve_motion`), the multipliers of all
    joints, forces of contacts, energies and powers (nan at states without a solution), and the number of redundant
    rows. Joints that cost a run no equation are included: Newton and Euler hold for every body, at each state, with the
    branches of laws of a run (`modes`), or free."""
    multipliers, rates = np.zeros((motion.t.size, len(bodies.rows))), np.zeros((motion.t.size, 2 + WORK))
    run = mechanism(bodies, refinements=2, asks=asks)
    held = np.zeros((motion.t.size, 0)) if modes is None else modes
    forces = np.zeros((motion.t.size, run.contacts.force.size))
    found, solved = (*motion[:3], held, multipliers, forces, rates), np.ones(motion.t.size, dtype=bool)
    k = solve_motion(run, *found)
    while k < motion.t.size:
        if not run.machine.factor.unsettled[0] <= SOLUTION_ERROR:
            light = ", ".join(repr(body.name) for body in bodies.light_bodies)
            what = f"the reactions of {bodies.model.name!r} at t = {motion.t[k]:.6g} are lost in roundoff: {light} "
            what += "weigh too little beside what they are joined to"
            raise ModelError(
                f"{what}; give them more mass",
                code="reactions-lost-in-roundoff", model=bodies.model.name,
                bodies=tuple(body.name for body in bodies.light_bodies), time=motion.t[k],
            )  # fmt: skip
        solved[k] = False
        k += 1 + solve_motion(run, *(x[k + 1 :] for x in found))
    multipliers[~solved] = forces[~solved] = rates[~solved] = np.nan
    multipliers = corrected_loads(bodies, motion, modes, forces, multipliers)
    done = int(np.append(solved, False).argmin())
    return done, multipliers, forces, rates, dependent_rows(run.machine, ROW_DEPENDENCE) if solved.any() else 0


def in_the_limit(
    system: System, motion: Trajectory, multipliers: np.ndarray, redundant: int, singular: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the multipliers, least where some are redundant, at singular times as limits (nan where there is none);
    the energies and powers at these times as limits, too; and which multipliers the equations of their own pose do not
    give."""
    if redundant:
        multipliers = least(system, motion, multipliers, redundant)
    undetermined, rates = np.isnan(multipliers), np.full((singular.size, 2 + WORK), np.nan)
    touching = system.model.frictions or system.model.contacts
    unit = system.row_units / system.length
    for place, k in enumerate(singular):
        here, multipliers[k] = multipliers[k] * unit, np.nan
        if (around := _around(system, motion, k)) is not None:
            modes = modes_along(system, around)[1] if touching else None
            _, loads, _, powers, _ = forces_along(system, around, modes)
            loads = least(system, around, loads, redundant) if redundant else loads
            rates[place], (limit, unfelt) = _limit(powers)[0], _limit(loads * unit)
            multipliers[k] = limit / unit
            undetermined[k] = ~(np.abs(here - limit) <= LIMIT_AGREEMENT * np.abs(limit) + unfelt)
        else:
            undetermined[k] = True
    return multipliers, rates, undetermined


def _limit(values: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the limit of each column from the six values around (nan where there is none), and the size that counts as
    zero."""
    limit, *sides = WEIGHTS @ values
    sizes = np.abs(values).max(axis=0)
    unfelt = COMPONENT_FLOOR * sizes.max(initial=0.0)
    agree = np.all([np.abs(side - limit) <= LIMIT_AGREEMENT * sizes + unfelt for side in sides], axis=0)
    return np.where(agree, limit, np.nan), unfelt


def _around(system: System, motion: Trajectory, k: int) -> Trajectory | None:
    """Return the six states around state k; None if the motion is at rest, or they do not close."""
    t, q, v, a = (x[k] for x in motion)
    speed = float(np.sqrt(system.weight @ v[: system.nv] ** 2))
    machine, states = system.machine(), []
    for wait in PLACES * (REACH * system.length / speed if speed else np.inf):
        there, rate, bend = q.copy(), v + wait * a, np.zeros_like(a)
        move(machine.manifold, there, wait * v + 0.5 * wait**2 * a)
        if close(machine, t + wait, there, rate, 20) != DONE or complete(machine, t + wait, there, rate, bend) != DONE:
            return None
        states.append((t + wait, there, rate, bend))
    return Trajectory(*map(np.array, zip(*states, strict=True)))


def with_forces(
    system: System, motion: Trajectory, loads: Loads | Callable[[], Loads], energies: np.ndarray,
    contacts: np.ndarray | None = None, table_ends: Iterable[TableEnd] = (), **more: Any,
) -> Result:  # fmt: skip
    """Return the result of a motion with the loads of joints and energies (kinetic, potential, stored, dissipated,
    supplied). Loads given as a function to call later have nothing undetermined. `table_ends` are tables that steps
    between these times have left."""
    contacts = np.zeros((motion.t.size, system.structure.contacts.rows)) if contacts is None else contacts
    sticking = sticking_rows(system, more.get("modes", {}), motion.t.size)
    if apart(system):
        known = loads if isinstance(loads, Loads) else loads()
        loads = known._replace(multipliers=with_separation(system, motion, known.multipliers))
    reactions = ComputedReactions(system, motion, contacts, sticking, cast(Any, loads))
    energy, stats = ledger(frozen(energies)), more.get("stats", {})
    notes = [stats.get("note", ""), note_on_tables([*table_ends, *tables_left(system, motion, more.get("modes", {}))])]
    notes += [note_on_ratios(system, motion.t[0], motion.q[0])] if motion.t.size else []
    if isinstance(loads, Loads) and loads.undetermined.any():
        moments, rows = loads.undetermined.nonzero()
        when = ", ".join(f"{t:.6g}" for t in motion.t[np.unique(moments)][:TOLD])
        who = ", ".join(dict.fromkeys(system.rows[row].element for row in np.unique(rows)))
        note = f"at t = {when} the constraints lose rank, and what {who} carry does not follow from the equations "
        note += "there: values are limits from both sides, nan where there is none, and not is_unique"
        notes.append(note)
    if told := "; ".join(dict.fromkeys(filter(None, notes))):
        more["stats"] = {**stats, "note": told}
    more |= {"pushes": contacts, "multipliers": reactions.multipliers, "reactions": reactions, "ledger": energy}
    return result_of(system, motion, **more)


def counts_of(march: IntegratorState) -> dict[str, Any]:
    """Return the numbers of steps, evaluations and factorisations of a run, for `stats`."""
    machine, stabiliser = march.mechanism.machine, march.stabiliser
    stats: dict[str, Any] = {
        "accepted": int(march.counts[ACCEPTED]),
        "rejected": int(march.counts[REJECTED]),
        "evaluations": int(machine.counts[EVALUATIONS]),
        "factorisations": int(machine.counts[FACTORISATIONS]),
        "redundant_equations": int(np.count_nonzero(machine.factor.kept == 0.0)),
    }
    implicit = march.stages.implicit
    if implicit.weight.size:
        stats |= dict(zip(("matrices", "eliminations", "corrections"), implicit.flags[MATRICES:].tolist(), strict=True))
    if march.search.calls.search_step:
        stats["switches"] = int(march.search.total[0] - march.search.total[1])
    if (left := march.mechanism.contacts.steps.residual[0]) > 0.0:
        stats["contact_residual"] = float(left)
    if stabiliser.when == WHERE_NEEDED:
        stats |= {"alpha": float(stabiliser.gains[0]), "beta": float(stabiliser.gains[1])}
        stats["projected_near_singular_poses"] = int(stabiliser.projected[0])
        if stabiliser.rule[0] > 0.0 and march.control.fixed == 0.0:
            most = f"{stabiliser.rule[1]:.3g} / step"
            stats["gain_rule"] = f"alpha = beta = pace of the motion, at most {most}; the last one is reported"
    return stats
