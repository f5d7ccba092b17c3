"""Explanations of simulations that cannot begin or cannot go on."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sps

from ..compiled import System
from ..compiled.contacts import GIVEN
from ..compiled.reading import read_outputs
from ..compiled.status import (
    CHATTERS,
    DRIVES,
    FORCES_LOST,
    NOT_CONVERGED,
    NOT_FINITE,
    TANGLED,
    UNSETTLED,
    UNSHARED,
    UNSOLVED,
    Status,
)
from ..errors import AssemblyError, IntegrationError, MbsError, ModelError, SingularConfigurationError
from ..linear.kkt import Factor
from ..model.drivers import Driver
from ..model.events import Reset
from ..model.parameters import constants_out
from ..motion import run as marching
from ..motion.contact.reports import driving_frictions, frictions_lost_at, no_friction
from ..motion.derivative import Mechanism, evaluate, factorise_terms
from ..motion.events import present
from ..motion.mechanism import mechanism
from ..motion.record import March
from ..motion.stabilise import ALWAYS, NEVER
from ..motion.switching.search import RUSH
from ..poses.assembly import posed
from ..poses.dependence import joints_at_fault
from ..poses.freedom import free_motions
from ..results.result import Result, State
from ..symbolic.derive import Reading
from ..symbolic.functions import BentLookup, written_out
from ..symbolic.markers import t as time
from ..tolerances import ROUNDOFF
from .accuracy import energy_allowed, relative_violations, violation_allowed
from .contacts import chatters, lost_in_roundoff, touching_now, without_forces, without_shares
from .explanation import BEFORE_DEAD_POINT, Explanation, contradiction, going_on, no_force, undefined
from .undefined import HUGE, undefined_force

STEPPED = ', or step over it: method="Moreau", step=1e-3'
"""The advice for all failures of contacts."""
CORNER = "write a contact for each of its profile's parts(), round the corner by more points"
"""The advice for a point that comes to rest in a corner of a profile."""
BROKEN = 'take a table of kind="cubic" or "monotone", or let one side press alone, by a CamContact or a Contact'
"""The advice for a joint along a table with corners."""
DEAD = 1e-4  # a slip is at a dead point if free motions change it by less than this fraction of free bodies' effect
FAINT = 100.0  # a motion of fewer tolerances is called faint
REST = 1e-12  # a slower motion (model lengths or rad, per second) is roundoff
SOON = (1e-3, 1e-2)  # fractions of the requested time at which drivers are examined beyond a singular pose
NO_WAY_ON = (Status.STUCK, Status.ASTRAY, Status.LOST, Status.DRIFTED, NOT_CONVERGED, NOT_FINITE)
ABRUPT = 0.5  # relative change of a force in the last step that explains short steps


def check_masses(system: System) -> None:
    """Check that every motion that the joints allow moves some mass."""
    if not system.heaviest:
        who = f"no body of {system.model.name!r} has a mass"
        raise ModelError(f"{who}; give some: model.body(name, mass=..., inertia=...)")
    if not system.massless.any():
        return
    run = mechanism(system, asks=GIVEN)
    evaluate(run, 0.0, system.placement, system.still)
    factorise_terms(run)
    idle = _idle_motions(system, run.machine.factor)
    jacobian = system.jacobian(0.0, system.placement)
    lengths = np.sqrt(jacobian.multiply(jacobian) @ (1.0 / system.weight))[:, None]
    _, sines, motions = np.linalg.svd(jacobian @ idle / np.where(lengths > 0.0, lengths, 1.0), full_matrices=True)
    rank = int((sines > 1e-9).sum())
    if rank == idle.shape[1]:
        return
    free = np.abs(idle @ motions[rank:].T).max(axis=1) * np.sqrt(system.weight) > 1e-6
    at_fault = [body for body in system.bodies if free[list(system.layout.v[body])].any()]
    names = ", ".join(repr(b.name) for b in at_fault)
    what = f"{names} of {system.model.name!r} can move without moving any mass that counts beside the heaviest that "
    what += f"constraints join it to ({ROUNDOFF:g} of it), so its acceleration is undetermined"
    remedy = "give it a mass and an inertia, or hold it by joints"
    raise ModelError(f"{what}; {remedy}", bodies=tuple(b.name for b in at_fault))


def _idle_motions(system: System, factor: Factor) -> np.ndarray:
    """Return the motions of single bodies that move no mass, of unit length, as columns."""
    pattern, n = system.mass_pattern, system.nv
    M = sps.diags(factor.weight) + sps.csr_matrix((factor.beside, (pattern.block_row, pattern.block_column)), (n, n))
    columns, largest = [], system.structure.groups.largest(system.diagonal / system.column_weight)
    for body in system.bodies:
        places = list(system.layout.v[body])
        own = np.sqrt(system.weight[places])
        masses, ways = np.linalg.eigh(M.tocsr()[places][:, places].toarray() / np.outer(own, own), UPLO="L")
        for way in ways.T[masses <= ROUNDOFF * largest[places].max()]:
            columns.append(np.zeros(n))
            columns[-1][places] = way / own
    return np.array(columns).reshape(-1, n).T


def no_acceleration(system: System, run: Mechanism, status: int, t: float, q: np.ndarray, v: np.ndarray) -> Explanation:
    """Explain why `accelerate` ended with this status: a law without a value, or bodies too light to be held in this
    pose. Bodies that are too light move most in the motion that comes nearest to moving no mass."""
    if status != UNSETTLED or undefined_force(system, t, q, v):
        return Explanation(ModelError, no_force(system, t, q, v), "", t)
    factor, pattern = run.machine.factor, run.machine.pattern
    n, m = pattern.n, pattern.m
    M = sps.csr_matrix((factor.beside, (pattern.block_row, pattern.block_column)), (n, n))
    M = (M + M.T + sps.diags(factor.weight)).toarray()
    J = sps.csr_matrix((factor.jacobian, (pattern.jac_row, pattern.jac_column)), (m, n)).toarray()
    columns, rows = np.sqrt(factor.compliance), np.sqrt(factor.stiffness)
    M, J = M * np.outer(columns, columns), J * np.outer(rows, columns)
    sizes, ways = np.linalg.eigh(np.block([[M, J.T], [J, np.zeros((m, m))]]))
    moving = np.zeros(max(map(max, system.layout.v.values())) + 1)  # bodies at rest come last
    moving[:n] = np.abs(ways[:n, np.abs(sizes).argmin()])
    moved = {body: moving[list(system.layout.v[body])].max(initial=0.0) for body in system.bodies}
    at_fault = [body.name for body, size in moved.items() if size > 0.1 * max(moved.values())]
    what = f"the accelerations of {', '.join(map(repr, at_fault))} of {system.model.name!r} have no certain value at "
    what += f"t = {t:.6g}: no constraint holds them in this pose, and what moves with them has no mass, or one that is "
    what += "lost in roundoff beside others that constraints join it to"
    return Explanation(ModelError, what, "give them a mass and an inertia, or hold them by joints", t)


def check_energy(system: System, march: March, result: Result) -> None:
    """Refuse a run whose energy balance is violated. (Approximate forces of contacts misplace some energy, which is
    more than roundoff when all bodies are at rest.)"""
    energy = result.energy
    most = float(march.turned[0])
    error = float(np.abs(energy.error).max(initial=0.0))
    scale = np.abs(energy.potential).max(initial=0.0) + system.heaviest * system.length**2
    fixed, broken = march.control.fixed, joints_with_corners(system)
    least = 1e-9 if fixed > 0.0 else max(1e-9, 10.0 * march.control.rtol)
    if error <= energy_allowed(march.control) * most + least * scale + float(
        march.mechanism.contacts.steps.residual[1]
    ):
        return
    remedy = f"try step={fixed / 10:g}, or leave step out" if fixed > 0.0 else "lower rtol, or bound steps by max_step="
    what = f"the energy of {system.model.name!r} is off by {error:.2g} J of {most:.2g} J: steps are too long for its "
    what += "forces, or one went wrong"
    advice = f"{remedy}, and look at result.energy and result.violation"
    if broken:
        what = f"the energy of {system.model.name!r} is off by {error:.2g} J of {most:.2g} J: {_jumps_of(broken)}"
        advice = BROKEN
    raise Explanation(IntegrationError, what, advice, float(result.t[-1])).error(result)


def check_violation(system: System, march: March, result: Result) -> None:
    """Refuse a run with a recorded state that violates constraints too much for its tolerances. (Without stabilisation,
    drift is intended.)"""
    if march.stabiliser.when == NEVER:
        return
    pace = np.sqrt((system.weight * result.v**2).max(initial=0.0)) / system.length
    gaps, rates, _ = np.abs(result.violation.rows)
    off = np.array(relative_violations(gaps, rates, system.row_units, pace))
    if off.max(initial=0.0) <= (share := violation_allowed(march.control)):
        return
    level = int(off[0].max() <= share)
    k, row = np.unravel_index(off[level].argmax(), off[level].shape)
    gap, t, name = abs(result.violation.rows[level, k, row]), float(result.t[k]), system.rows[row].element
    what = f"{('positions', 'velocities')[level]} of {system.model.name!r} violate {name!r} by {gap:.2g} at t = {t:.6g}"
    what, advice = f"{what}, out of proportion to the tolerances", "use stabilization=mbs.Projection(), or lower rtol"
    if broken := joints_with_corners(system) & {system.model.elements[name].who}:
        what, advice = f"{what}: {_jumps_of(broken)}", BROKEN
    raise Explanation(IntegrationError, what, advice, t, (name,)).error(result)


def joints_with_corners(system: System) -> set[str]:
    """Return the joints and couplings that hold bodies along a linear table of positions. At its corners velocities
    have to jump, which needs an impact, and only contacts have impacts."""
    found = set[str]()
    for element in system.model.conditions:
        form, slots = element.form()
        lookups = {e for one in form.expressions for e in written_out(one).atoms(BentLookup)}
        along_bodies = [e for e in lookups if e.args[2].free_symbols - {time}]
        if any(slots[e.args[0]].table.kind == "linear" for e in along_bodies):
            found.add(element.who)
    return found


def _jumps_of(broken: set[str]) -> str:
    """Return the clause which says that velocities jump at the corners of the tables of these elements."""
    names = " and ".join(sorted(broken))
    return f"{names} holds bodies from both sides along a linear table, whose corners ask for speeds that jump"


def told_of_faint(march: March) -> str:
    """Return a sentence about a motion so small that errors within its tolerances may be as large."""
    control, record, done = march.control, march.record, int(march.counts[marching.NEXT])
    if control.fixed > 0.0:
        return ""
    q, v, state, atol = record.q[:done], record.v[:done], march.mechanism.state, control.atol
    rates = np.abs(v) / (atol * control.unit[state.v_at : state.v_end])  # rates at rest are zero: atol alone counts
    if (most := rates.max(initial=0.0)) > FAINT:
        return ""
    ways = np.abs(q - q[:1]) / (atol * control.unit[: state.q_end] + control.rtol * np.abs(q[:1]))
    if (most := max(most, ways.max(initial=0.0))) > FAINT or most * atol < REST:
        return ""
    what = f"the motion is no larger than {most:.2g} times the errors that are allowed, and may be made of them"
    return f"{what}; give a smaller atol, such as {1e-6 * most * atol:.0e}"


def failure(system: System, march: March, status: int, result: Result) -> MbsError:
    """Return the error for a run that stopped at march.time; its ``result`` is the motion until then."""
    at = present(system, march)
    return _reason(march, status, replace(at, full_a=at.system.still), at.full_a).error(result)


def _reason(march: March, status: int, pose: State, a: np.ndarray) -> Explanation:
    if status == DRIVES:
        own = march.mechanism
        lost = driving_frictions(pose.system, own.contacts, float(np.abs(own.machine.f).max(initial=0.0)))
        when = float(own.contacts.laws.sizes_time[0])
        return Explanation(IntegrationError, *no_friction(pose.system.model.name, lost, when), when, tuple(lost), pose)
    if status == UNSOLVED:
        return without_forces(march, pose)
    if status == FORCES_LOST:
        return lost_in_roundoff(march, pose)
    if status == UNSHARED:
        return without_shares(march, pose)
    if status == CHATTERS and (entries := _contacts_that_change(march)):
        return chatters(march, pose, entries)
    t, step = pose.t, max(abs(march.control.step[0]), march.control.fixed, 1e-12)  # at least roundoff
    if status == UNSETTLED:
        return no_acceleration(pose.system, march.mechanism, status, t, pose.full_q, pose.full_v)
    unstable = march.control.fixed > 0.0 and not np.abs(pose.full_v).max(initial=0.0) < HUGE
    moments = t + np.array([0.0, *np.geomspace(step, max(1e-3, step), 8)])
    if not unstable and (nowhere := undefined(pose, moments, forces=True)):
        return nowhere
    rubs = bool(pose.system.structure.contacts.points) and status not in (CHATTERS, Status.TOO_MANY)
    for moment in moments if rubs else ():
        if lost := frictions_lost_at(pose.system, moment, going_on(pose, moment - t), pose.full_v):
            sentence, advice = no_friction(pose.system.model.name, lost, moment)
            return Explanation(IntegrationError, sentence, advice, t, tuple(lost), pose)
    names = joints_at_fault(pose.system, t, pose.full_q)
    near = march.mechanism.nearness[0] < 1e-6 and status in (Status.STUCK, NOT_CONVERGED, NOT_FINITE)
    singular = near or status == Status.ASTRAY
    parting = None if singular else contradiction(pose, pose, t, drifted=True)
    if parting:
        return parting
    if status in NO_WAY_ON and (late := _without_pose(march, pose, names)):
        what = f"{pose.system.model.name!r} comes to a dead point near t = {t:.6g}: {', '.join(names)} lock there, and "
        what += f"at t = {late:.6g} no pose follows all drivers"
        return Explanation(SingularConfigurationError, what, BEFORE_DEAD_POINT, t, names, pose)
    if singular:
        what = f"{pose.system.model.name!r} comes to a singular pose at t = {t:.6g}, where {', '.join(names)} lock or "
        what += "branch, and does not get through"
        return Explanation(SingularConfigurationError, what, _another_way(march), t, names, pose)
    return Explanation(IntegrationError, *_what_stops(march, status, pose, a), t, names, pose)


def _contacts_that_change(march: March) -> list[int]:
    """Return the entries of contacts that switch without end; empty if others switch as well."""
    search, own = march.search, march.mechanism.contacts.points.entries
    passing = np.flatnonzero(search.guards.passes_zero if search.guards.passes_zero.any() else search.guards.surface)
    entries = passing - (march.mechanism.switches.kinds.size - own)
    return entries.tolist() if passing.size and (entries >= 0).all() else []


def _without_pose(march: March, pose: State, names: tuple[str, ...]) -> float:
    """Return the first of some times soon after a pose at which drivers among these elements prescribe a position that
    the linkage does not reach; 0 if there is none."""
    model, end = pose.system.model, float(march.record.times[-1])
    if not any(isinstance(driver, Driver) and driver.name in names for driver in model.drivers):
        return 0.0
    for share in SOON:
        late = min(pose.t + share * (end - float(march.record.times[0])), end)
        try:
            posed(model, late, {}, pose)
        except AssemblyError as error:
            return late if error.facts.get("kind") == "cannot reach" else 0.0
        except MbsError:
            return 0.0
    return 0.0


def _another_way(march: March) -> str:
    """Return advice about settings, other than the present ones, with which a run may get through a singular pose."""
    ways = ["stabilization=mbs.Projection()"] if march.stabiliser.when != ALWAYS else []
    ways += ['method="DP8"'] if march.tableau.order < 8 else []
    ways += ["a fixed step"] if march.control.fixed == 0.0 else [f"step={march.control.fixed / 10:g}"]
    return f"try {', or '.join(ways)}; or start with other values, so that it passes beside this pose"


def _dead_frictions(pose: State) -> list[str]:
    """Return the names of the frictions whose slip the free motions of a pose change by no more than `DEAD`."""
    bodies = pose.system.cartesian
    contacts, q, n = bodies.structure.contacts, pose.motion[0].ravel(), bodies.nv
    if not bodies.model.frictions:
        return []
    ways = np.vstack([np.eye(n), free_motions(bodies, pose.t, q).T]) / np.sqrt(bodies.weight[:n])
    v = np.zeros((len(ways), bodies.still.size))
    v[:, :n] = ways
    states = np.full(len(ways), pose.t), np.repeat(q[None], len(ways), axis=0), v, 0.0 * v
    rates = bodies.reader_by(contacts.program)(*states)[1]
    sizes, free = (np.linalg.norm(part, axis=0) for part in (rates[:n], rates[n:]))
    return [
        element.who
        for (element, _), first, slips in zip(contacts.points, contacts.slip, contacts.slips, strict=True)
        if slips
        and element not in contacts.separations
        and (free[first : first + slips] <= DEAD * sizes[first : first + slips]).all()
    ]


def _knots_of_tables(pose: State, names: set[str]) -> list[str]:
    """Return texts about the table knots nearest to the pose, for contacts of these names whose tables have corners."""
    bodies, found = pose.system.cartesian, list[str]()
    state = np.full(1, pose.t), *(x.reshape(1, -1) for x in pose.motion[:2])
    for element in bodies.structure.contacts.elements:
        if element.who not in names:
            continue
        form, slots = element.form()
        lookups = {e for one in form.expressions for e in written_out(one).atoms(BentLookup)}
        for symbol, place in {(slots[e.args[0]], e.args[2].xreplace(slots)) for e in lookups}:
            reading, constants = constants_out(Reading(form.markers, (place,), steps=form.steps))
            x, table = float(bodies.read_values(reading, constants, element.markers, *state)[0, 0]), symbol.table
            period = table.x[-1] - table.x[0] if table.periodic else 0.0
            turns = period * np.floor((x - table.x[0]) / period) if period else 0.0
            knot = table.x[np.argmin(np.abs(table.x - (x - turns)))]
            found.append(f"at {knot:.6g} in the table of {element.who}")
    return sorted(set(found))


def _what_stops(march: March, status: int, pose: State, a: np.ndarray) -> tuple[str, str]:
    """Return the reason why a run stopped, drifting constraints or the cause of short steps, and advice."""
    system, name, t, widest, fixed = pose.system, pose.system.model.name, pose.t, march.widest[0], march.control.fixed
    if status == Status.DRIFTED:
        what = f"{name!r} nears a singular pose at t = {t:.6g} with constraints violated by {widest:.2g} m, too much "
        return what + "to tell how it goes on", "use stabilization=mbs.Projection()"
    if fixed > 0.0 and status == NOT_CONVERGED and march.stages.implicit.weight.size:
        what = f"Newton's method finds no step of {fixed:g} s for {name!r} at t = {t:.6g}: forces change too much "
        what += "within it, or bodies turn too far"
        return what, f"try step={fixed / 10:g}, or leave step out for step control"
    if fixed > 0.0 and status != Status.TOO_MANY:
        what = f"{name!r} is unstable at t = {t:.6g} with steps of {fixed:g} s: velocities or constraint errors grow "
        advice = f"try step={fixed / 10:g}, smaller gains, or leave step out for step control"
        return what + "without bound", advice
    if status == Status.LOST:
        what = f"the constraints of {name!r} are violated by {widest:.2g} m at t = {t:.6g}"
        return what, "use stabilization=mbs.Projection(), or a smaller rtol"
    if status == CHATTERS:
        deciding, search = system.structure.deciding, march.search
        who = {
            deciding[k]
            for k in np.flatnonzero(
                search.guards.passes_zero if search.guards.passes_zero.any() else search.guards.surface
            )
        }
        brief = float(march.search.times.max() - march.search.times.min())
        count = RUSH
        if march.events.endless[0]:
            count = min(int(march.events.total[0]), RUSH)
            who = {deciding[march.events.function[n]] for n in np.flatnonzero(march.events.passed)}
            brief = float(np.ptp(march.events.times[:count]))
        many, names = f"without end at t = {t:.6g}, {count} times in {brief:.2g} s", " and ".join(sorted(who))
        if resets := [one.who for one in system.model.events if one.who in who and isinstance(one.action, Reset)]:
            what = f"{' and '.join(resets)} of {name!r} happens {many}: what it resets comes to rest there"
            return what, 'stop the run there, action="stop", and go on at rest'
        if who and all(one.startswith("Event") for one in who):
            what = f"{names} of {name!r} happens {many}: it jumps there, or passes zero many times in a step"
            return what, "write a smooth expression, or bound steps by max_step="
        if who and who <= {one.who for one in system.structure.contacts.elements}:
            what = f"{names} of {name!r} goes over from one piece of its gap to another {many}: bodies come to rest "
            if knots := _knots_of_tables(pose, who):
                return what + f"in a corner, {' and '.join(knots)}", CORNER + STEPPED
            return what + "in a corner", "write a contact for each side of the corner"
        what = f"{names} of {name!r} switches back and forth {many}: each of its branches drives the motion back to "
        return what + "the other", "give it a dead band, or make it smooth: sp.tanh(x / width) in place of sp.sign(x)"
    if status == TANGLED:
        if dead := _dead_frictions(pose):
            what = f"{name!r} stands on a dead point at t = {t:.6g}, where no motion that is free moves what "
            what += f"{' and '.join(dead)} rubs on, so which way it slips does not follow from its velocity"
            return what, "start beside the dead point, or with a velocity that leads through it"
        wrong = march.search.guards.wrong
        deciding = {system.structure.deciding[k] for k in np.flatnonzero((wrong > 0) & (wrong == wrong.max()))}
        deciding = deciding or {*system.structure.deciding}
        what = f"{' or '.join(sorted(deciding))} of {name!r} cannot be followed at t = {t:.6g}: it jumps there, or "
        instead = STEPPED if any(one.startswith("Contact") for one in deciding) else ""
        if knots := _knots_of_tables(pose, deciding):
            what += f"turns round a corner, near {' and '.join(knots)}, or "
        return (
            what + "passes zero many times in a step, or is no number",
            f"mend its expression, or give a shorter max_step={instead}",
        )
    step, times, abrupt = march.control.step[0], march.record.times, _abrupt(march, pose, a)
    if status == Status.TOO_MANY:
        taken = int(march.counts[: marching.NEXT].sum())
        rate = taken / (t - times[0]) if t > times[0] else np.inf
        what = f"{name!r} is at t = {t:.6g} of {times[-1]:g} after {taken} steps, {rate:.2g} in a second; the last one "
        what += f"is {step:.2g} s long{abrupt}"
        advice = "smooth what makes steps short, raise rtol, or allow more with max_steps="
        if touching := touching_now(march, system):
            what = f"{what}; {' and '.join(touching)} touch"
            if knots := _knots_of_tables(pose, {*touching}):
                return f"{what}, next to the corner {' and '.join(knots)}", f"{CORNER}, {advice}{STEPPED}"
            return what, advice + STEPPED
        return what, advice
    what = f"the step of {name!r} falls to {step:.2g} s at t = {t:.6g}: a force, a driver or a rate jumps or grows "
    what += f"without bound there, or the tolerance is below roundoff{abrupt}"
    return what, "make it smooth, raise rtol, or fix the step"


def _abrupt(march: March, pose: State, a: np.ndarray) -> str:
    """Return a clause about the force, or the rate of a state, that changes most within a step, if the change is too
    large for the step's length, as at a switch; or about one that grows without bound."""
    system, batch, t = pose.system, pose.system.structure.dynamics.batch, pose.t
    step = max(abs(float(march.control.step[0])), 1e-12 * float(np.ptp(march.record.times)))
    moments = step * np.array([0.0, 1.0, 4.0, 16.0])
    q = np.array([going_on(pose, dt) for dt in moments])
    v = np.array([pose.full_v + dt * a for dt in moments])
    out = read_outputs(system.dynamics.batch, t + moments, q, v)
    worst, who = ABRUPT, ""
    for place in batch.places():
        own = out[:, place.out : place.out + place.layout["outputs"]]
        size, now = np.abs(own).max(initial=0.0), np.abs(own[0]).max(initial=0.0)
        name = batch.instances[place.member].who
        if now > HUGE:
            return f"; {name} is beyond all bounds ({now:.2g})"
        change = float(np.ptp(own, axis=0).max(initial=0.0)) / (size or 1.0) if np.isfinite(size) else 0.0
        if change > worst:
            worst, who = change, f"; {name} changes by {100 * change:.0f} % of itself in {moments[-1]:.2g} s"
    return who
