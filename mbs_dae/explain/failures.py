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
from ..motion import run as marching
from ..motion.contact.friction_faults import NO_FRICTION, driving_frictions, frictions_lost_at, no_friction
from ..motion.derivative import evaluate, factorise_terms
from ..motion.events import present
from ..motion.mechanism import mechanism
from ..motion.mechanism_record import NEAREST, Mechanism
from ..motion.record import IntegratorState
from ..motion.stabilise import ALWAYS
from ..motion.switching.pieces import branches_of_gaps
from ..motion.switching.search import RUSH
from ..poses.assembly import posed
from ..poses.dependence import joints_at_fault
from ..poses.local import free_motions
from ..results.result import Result, State
from ..tolerances import DEAD_POINT_SLIP, FIRST_LOOK, LOOK_AHEAD, SHAPE_RATIO, SUM_ROUNDOFF
from .contacts import CORNER, chatters, knots_of_tables, lost_in_roundoff, touching_now, without_forces, without_shares
from .explanation import (
    BEFORE_DEAD_POINT,
    HUGE,
    Explanation,
    contradiction,
    extrapolated,
    no_force,
    undefined,
    undefined_force,
)

STEPPED = ', or step over it: method="Moreau", step=1e-3'
"""The advice for all failures of contacts."""
NO_WAY_ON = (Status.STUCK, Status.ASTRAY, Status.LOST, Status.DRIFTED, NOT_CONVERGED, NOT_FINITE)
GROWS = 10.0  # a step of a given length in which velocities grow by more is too long, whatever switches in it
ABRUPT = 0.5  # relative change of a force in the last step that explains short steps


def check_masses(system: System) -> None:
    """Check that every motion that the joints allow moves some mass."""
    if not system.heaviest:
        who = f"no body of {system.model.name!r} has a mass"
        raise ModelError(f"{who}; give some: model.body(name, mass=..., inertia=...)", code="no-mass")
    if not (idle := bodies_without_mass(system)):
        return
    names = ", ".join(map(repr, idle))
    what = f"{names} of {system.model.name!r} can move without moving any mass that counts beside the heaviest that "
    what += f"constraints join it to ({SUM_ROUNDOFF:g} of it), so its acceleration is undetermined"
    who = "each" if len(idle) > 1 else "it"
    raise ModelError(
        f"{what}; give {who} a mass and an inertia, or hold it by joints", code="motion-without-mass", bodies=idle
    )


def bodies_without_mass(system: System) -> tuple[str, ...]:
    """Return the names of bodies that can move without moving any mass."""
    if not system.heaviest:
        return tuple(body.name for body in system.bodies)
    if not system.massless.any():
        return ()
    run = mechanism(system, asks=GIVEN)
    evaluate(run, 0.0, system.placement, system.still)
    factorise_terms(run)
    idle = _idle_motions(system, run.machine.factor)
    jacobian = system.jacobian(0.0, system.placement)
    lengths = np.sqrt(jacobian.multiply(jacobian) @ (1.0 / system.weight))[:, None]
    _, sines, motions = np.linalg.svd(jacobian @ idle / np.where(lengths > 0.0, lengths, 1.0), full_matrices=True)
    rank = int((sines > 1e-9).sum())
    free = np.abs(idle @ motions[rank:].T).max(axis=1, initial=0.0) * np.sqrt(system.weight) > 1e-6
    return tuple(body.name for body in system.bodies if free[list(system.layout.v[body])].any())


def _idle_motions(system: System, factor: Factor) -> np.ndarray:
    """Return the motions of single bodies that move no mass, of unit length, as columns."""
    pattern, n = system.mass_pattern, system.nv
    M = sps.diags(factor.weight) + sps.csr_matrix((factor.beside, (pattern.block_row, pattern.block_column)), (n, n))
    columns, largest = [], system.structure.groups.largest(system.diagonal / system.column_weight)
    for body in system.bodies:
        places = list(system.layout.v[body])
        units = np.sqrt(system.weight[places])
        masses, shapes = np.linalg.eigh(M.tocsr()[places][:, places].toarray() / np.outer(units, units), UPLO="L")
        for shape in shapes.T[masses <= SUM_ROUNDOFF * largest[places].max()]:
            columns.append(np.zeros(n))
            columns[-1][places] = shape / units
    return np.array(columns).reshape(-1, n).T


def no_acceleration(system: System, run: Mechanism, status: int, t: float, q: np.ndarray, v: np.ndarray) -> Explanation:
    """Explain why `accelerate` ended with this status: a law without a value, or bodies too light to be held in this
    pose. Bodies that are too light move most in the motion that comes nearest to moving no mass."""
    if status != UNSETTLED or undefined_force(system, t, q, v):
        return Explanation(ModelError, "law-without-value", no_force(system, t, q, v), "", t)
    factor, pattern = run.machine.factor, run.machine.pattern
    n, m = pattern.n, pattern.m
    M = sps.csr_matrix((factor.beside, (pattern.block_row, pattern.block_column)), (n, n))
    M = (M + M.T + sps.diags(factor.weight)).toarray()
    J = sps.csr_matrix((factor.jacobian, (pattern.jac_row, pattern.jac_column)), (m, n)).toarray()
    columns, rows = np.sqrt(factor.compliance), np.sqrt(factor.stiffness)
    M, J = M * np.outer(columns, columns), J * np.outer(rows, columns)
    sizes, vectors = np.linalg.eigh(np.block([[M, J.T], [J, np.zeros((m, m))]]))
    moving = np.zeros(max(map(max, system.layout.v.values())) + 1)  # bodies at rest come last
    moving[:n] = np.abs(vectors[:n, np.abs(sizes).argmin()])
    moved = {body: moving[list(system.layout.v[body])].max(initial=0.0) for body in system.bodies}
    at_fault = [body.name for body, size in moved.items() if size > 0.1 * max(moved.values())]
    what = f"the accelerations of {', '.join(map(repr, at_fault))} of {system.model.name!r} have no certain value at "
    what += f"t = {t:.6g}: "
    size = system.structure.lengths_of_shapes[0]
    if 0.0 < size < SHAPE_RATIO * system.length and not any(system.structure.lengths):
        what += f"they touch with shapes of {size:g} m, {system.length:g} m from the origin, and over this distance "
        what += "their turns are lost in roundoff"
        remedy = 'put the origin near them, or take Cartesian coordinates: model.compile("cartesian")'
        return Explanation(ModelError, "lost-in-roundoff", what, remedy, t)
    what += "no constraint holds them in this pose, and what moves with them has no mass, or one that is "
    what += "lost in roundoff beside others that constraints join it to"
    return Explanation(ModelError, "no-mass", what, "give them a mass and an inertia, or hold them by joints", t)


LOOKS = 25
"""The number of times behind the end of a run at which a law without a value is looked for: two in each decade of a run
of seconds."""


def failure(system: System, march: IntegratorState, status: int, result: Result) -> MbsError:
    """Return the error for a run that stopped at march.time; its ``result`` is the motion until then. Accelerations
    that have no value there are those at the end of the last step."""
    at, slopes = present(system, march), march.stages.k
    a, state, y0 = at.full_a, march.mechanism.state, march.stages.y0
    if not np.isfinite(slopes[0]).all():
        last = np.nan_to_num(slopes[march.tableau.stages][state.v_at : state.v_end])
        q, v = y0[: state.q_end].copy(), y0[state.v_at : state.v_end].copy()
        *_, (a,) = system.to_bodies((q[None], v[None], last[None]))
    return _reason(march, status, replace(at, full_a=at.system.still), a).error(result)


def _reason(march: IntegratorState, status: int, pose: State, a: np.ndarray) -> Explanation:
    if status == DRIVES:
        run = march.mechanism
        lost = driving_frictions(pose.system, run.contacts, float(np.abs(run.machine.f).max(initial=0.0)))
        when = float(run.contacts.laws.sizes_time[0])
        sentence, advice = no_friction(pose.system.model.name, lost, when)
        return Explanation(IntegrationError, NO_FRICTION, sentence, advice, when, tuple(lost), pose)
    if status == UNSOLVED:
        return without_forces(march, pose)
    if status == FORCES_LOST:
        return lost_in_roundoff(march, pose)
    if status == UNSHARED:
        return without_shares(march, pose)
    if status == CHATTERS:
        guards, count = march.search.guards, march.mechanism.contacts.points.entries
        passing = np.flatnonzero(guards.passes_zero if guards.passes_zero.any() else guards.surface)
        entries = passing - (march.mechanism.switches.kinds.size - count)
        if passing.size and (entries >= 0).all():  # contacts alone switch without end
            return chatters(march, pose, entries.tolist())
    t, step = pose.t, max(abs(march.control.step[0]), march.control.fixed, 1e-12)  # at least roundoff
    if status == UNSETTLED:
        return no_acceleration(pose.system, march.mechanism, status, t, pose.full_q, pose.full_v)
    unstable = march.control.fixed > 0.0 and not np.abs(pose.full_v).max(initial=0.0) < HUGE
    later = np.geomspace(min(step, FIRST_LOOK * max(abs(t), 1.0)), max(1e-3, step), LOOKS)
    # moments begin at the roundoff of t, because a run that ends at a switch may have made long steps; the last one is
    # the middle of a step of given length, where laws are evaluated
    moments = t + np.array([0.0, *later, 0.5 * march.control.fixed])
    ahead = np.where(np.abs(a) < HUGE, a, 0.0)  # an unbounded force is no lack of a value
    if not unstable and (nowhere := undefined(pose, moments, True, ahead)):
        return nowhere
    rubs = bool(pose.system.structure.contacts.points) and status not in (CHATTERS, Status.TOO_MANY)
    for moment in moments if rubs else ():
        dt = moment - t
        if lost := frictions_lost_at(pose.system, moment, extrapolated(pose, dt), pose.full_v + dt * ahead):
            sentence, advice = no_friction(pose.system.model.name, lost, moment)
            return Explanation(IntegrationError, NO_FRICTION, sentence, advice, t, tuple(lost), pose)
    names = joints_at_fault(pose.system, t, pose.full_q)
    near = march.mechanism.nearness[NEAREST] < 1e-6 and status in (Status.STUCK, NOT_CONVERGED, NOT_FINITE)
    singular = near or status == Status.ASTRAY
    parting = None if singular else contradiction(pose, pose, t, drifted=True)
    if parting:
        return parting
    if status in NO_WAY_ON and (late := _without_pose(march, pose, names)):
        what = f"{pose.system.model.name!r} comes to a dead point near t = {t:.6g}: {', '.join(names)} lock there, and "
        what += f"at t = {late:.6g} no pose follows all drivers"
        return Explanation(SingularConfigurationError, "dead-point", what, BEFORE_DEAD_POINT, t, names, pose)
    if singular:
        what = f"{pose.system.model.name!r} comes to a singular pose at t = {t:.6g}, where {', '.join(names)} lock or "
        what += "branch, and does not get through"
        settings = ["stabilization=mbs.Projection()"] if march.stabiliser.when != ALWAYS else []
        settings += ['method="DP8"'] if march.tableau.order < 8 else []
        settings += ["a fixed step"] if march.control.fixed == 0.0 else [f"step={march.control.fixed / 10:g}"]
        advice = f"try {', or '.join(settings)}; or start with other values, so that it passes beside this pose"
        return Explanation(SingularConfigurationError, "singular-pose", what, advice, t, names, pose)
    return Explanation(IntegrationError, *_what_stops(march, status, pose, a), t, names, pose)


def _without_pose(march: IntegratorState, pose: State, names: tuple[str, ...]) -> float:
    """Return the first of some times soon after a pose at which drivers among these elements prescribe a position that
    the linkage does not reach; 0 if there is none."""
    model, end = pose.system.model, float(march.record.times[-1])
    if not any(isinstance(driver, Driver) and driver.name in names for driver in model.drivers):
        return 0.0
    for share in LOOK_AHEAD:
        late = min(pose.t + share * (end - float(march.record.times[0])), end)
        try:
            posed(model, late, {}, pose)
        except AssemblyError as error:
            return late if error.facts.get("kind") == "cannot reach" else 0.0
        except MbsError:
            return 0.0
    return 0.0


def _dead_frictions(pose: State) -> list[str]:
    """Return the names of the frictions whose slip the free motions of a pose change by no more than
    `DEAD_POINT_SLIP`."""
    bodies = pose.system.cartesian
    contacts, q, n = bodies.structure.contacts, pose.motion[0].ravel(), bodies.nv
    if not bodies.model.frictions:
        return []
    motions = np.vstack([np.eye(n), free_motions(bodies, pose.t, q).T]) / np.sqrt(bodies.weight[:n])
    v = np.zeros((len(motions), bodies.still.size))
    v[:, :n] = motions
    states = np.full(len(motions), pose.t), np.repeat(q[None], len(motions), axis=0), v, 0.0 * v
    rates = bodies.reader_by(contacts.program)(*states)[1]
    sizes, free = (np.linalg.norm(part, axis=0) for part in (rates[:n], rates[n:]))
    return [
        element.who
        for (element, _), first, slips in zip(contacts.points, contacts.slip, contacts.slips, strict=True)
        if slips
        and element not in contacts.separations
        and (free[first : first + slips] <= DEAD_POINT_SLIP * sizes[first : first + slips]).all()
    ]


def _what_stops(march: IntegratorState, status: int, pose: State, a: np.ndarray) -> tuple[str, str, str]:
    """Return the code and the reason of a run that stopped, drifting constraints or the cause of short steps, and
    advice."""
    system, name, t, widest, fixed = pose.system, pose.system.model.name, pose.t, march.widest[0], march.control.fixed
    if status == Status.DRIFTED:
        what = f"{name!r} nears a singular pose at t = {t:.6g} with constraints violated by {widest:.2g} m, too much "
        return "singular-pose", what + "to tell how it goes on", "use stabilization=mbs.Projection()"
    if fixed > 0.0 and status == NOT_CONVERGED and march.stages.implicit.weight.size:
        what = f"Newton's method finds no step of {fixed:g} s for {name!r} at t = {t:.6g}: forces change too much "
        what += "within it, or bodies turn too far"
        return "no-convergence", what, f"try step={fixed / 10:g}, or leave step out for step control"
    speeds = slice(march.mechanism.state.v_at, march.mechanism.state.v_end)
    before, behind = (np.abs(y[speeds]).max(initial=0.0) for y in (march.stages.y0, march.stages.y1))
    switches = status == CHATTERS or (status == TANGLED and behind < GROWS * before)
    if fixed > 0.0 and status != Status.TOO_MANY and not switches:
        what = f"{name!r} is unstable at t = {t:.6g} with steps of {fixed:g} s: velocities or constraint errors grow "
        advice = f"try step={fixed / 10:g}, smaller gains, or leave step out for step control"
        return "unstable-steps", what + "without bound", advice
    if status == Status.LOST:
        what = f"the constraints of {name!r} are violated by {widest:.2g} m at t = {t:.6g}"
        return "constraints-violated", what, "use stabilization=mbs.Projection(), or a smaller rtol"
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
            return "resets-without-end", what, 'stop the run there, action="stop", and go on at rest'
        if who and all(one.startswith("Event") for one in who):
            what = f"{names} of {name!r} happens {many}: it jumps there, or passes zero many times in a step"
            return "events-without-end", what, "write a smooth expression, or bound steps by max_step="
        if who and who <= {one.who for one in system.model.contacts} and _are_pieces(march):
            what = f"{names} of {name!r} goes over from one piece of its gap to another {many}: bodies come to rest "
            if knots := knots_of_tables(pose, who):
                return "chattering", what + f"in a corner, {' and '.join(knots)}", CORNER + STEPPED
            return "chattering", what + "in a corner", "write a contact for each side of the corner"
        what = f"{names} of {name!r} switches back and forth {many}: each of its branches drives the motion back to "
        advice = "give it a dead band, or make it smooth: sp.tanh(x / width) in place of sp.sign(x)"
        return "switching-without-end", what + "the other", advice
    if status == TANGLED:
        if dead := _dead_frictions(pose):
            what = f"{name!r} stands on a dead point at t = {t:.6g}, where no motion that is free moves what "
            what += f"{' and '.join(dead)} rubs on, so which way it slips does not follow from its velocity"
            return "dead-point", what, "start beside the dead point, or with a velocity that leads through it"
        wrong = march.search.guards.wrong
        deciding = {system.structure.deciding[k] for k in np.flatnonzero((wrong > 0) & (wrong == wrong.max()))}
        deciding = deciding or {*system.structure.deciding}
        what = f"{' or '.join(sorted(deciding))} of {name!r} cannot be followed at t = {t:.6g}: it jumps there, or "
        instead = STEPPED if any(one.startswith("Contact") for one in deciding) else ""
        if knots := knots_of_tables(pose, deciding):
            what += f"turns round a corner, near {' and '.join(knots)}, or "
        return (
            "jump",
            what + "passes zero many times in a step, or is not a number",
            f"correct its expression, or give a shorter max_step={instead}",
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
            if knots := knots_of_tables(pose, {*touching}):
                what, advice = f"{what}, next to the corner {' and '.join(knots)}", f"{CORNER}, {advice}"
            return "too-many-steps", what, advice + STEPPED
        return "too-many-steps", what, advice
    what = f"the step of {name!r} falls to {step:.2g} s at t = {t:.6g}: a force, a driver or a rate jumps or grows "
    what += f"without bound there, or the tolerance is below roundoff{abrupt}"
    return "steps-too-short", what, "make it smooth, raise rtol, or fix the step"


def _are_pieces(march: IntegratorState) -> bool:
    """Return whether all functions that switch without end choose pieces of gaps, not sizes of friction."""
    guards, (first, end) = march.search.guards, branches_of_gaps(march.mechanism)
    passing = np.flatnonzero(guards.passes_zero if guards.passes_zero.any() else guards.surface)
    return bool(((first <= passing) & (passing < end)).all())


def _abrupt(march: IntegratorState, pose: State, a: np.ndarray) -> str:
    """Return a clause about the force, or the rate of a state, that changes most within a step, if the change is too
    large for the step's length, as at a switch; or about one that grows without bound."""
    system, batch, t = pose.system, pose.system.structure.dynamics.batch, pose.t
    step = max(abs(float(march.control.step[0])), 1e-12 * float(np.ptp(march.record.times)))
    moments = step * np.array([0.0, 1.0, 4.0, 16.0])
    q = np.array([extrapolated(pose, dt) for dt in moments])
    v = np.array([pose.full_v + dt * a for dt in moments])
    out = read_outputs(system.dynamics.batch, t + moments, q, v)
    worst, who = ABRUPT, ""
    for place in batch.places():
        values = out[:, place.out : place.out + place.layout["outputs"]]
        size, now = np.abs(values).max(initial=0.0), np.abs(values[0]).max(initial=0.0)
        name = batch.instances[place.member].who
        if now > HUGE:
            return f"; {name} is beyond all bounds ({now:.2g})"
        change = float(np.ptp(values, axis=0).max(initial=0.0)) / (size or 1.0) if np.isfinite(size) else 0.0
        if change > worst:
            worst, who = change, f"; {name} changes by {100 * change:.0f} % of itself in {moments[-1]:.2g} s"
    return who
