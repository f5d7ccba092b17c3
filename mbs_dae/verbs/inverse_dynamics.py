"""Inverse dynamics: the efforts and reactions that a prescribed motion requires.

Kinematics gives q, v and v̇; then λ is the only unknown of M v̇ + Φ_vᵀ λ = Q. The equation is solved together with Φ_v
v̇ = γ, by the matrix of forward dynamics: with all freedom driven the solution returns the given v̇, and redundant rows
do no harm.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arguments import check_without_contacts, checked_times, system_of
from ..compiled import System
from ..compiled.reading import Trajectory
from ..derivatives.friction import FrictionMotion
from ..derivatives.parameters import check_laws, motion_variables
from ..derivatives.results import VariedMotion, with_derivatives
from ..errors import IntegrationError, ModelError, SingularConfigurationError, checked_options
from ..explain.accuracy import NONSENSE
from ..explain.explanation import Explanation, no_loads, undefined_force
from ..model.contacts import ClosedPoints, Contact
from ..model.model import Model
from ..model.signals import signals_of
from ..motion.contact.friction_faults import frictions_lost_at, no_friction
from ..motion.contact.reports import states_of
from ..motion.initial import check_reactions
from ..motion.outcome import (
    forces_along,
    in_the_limit,
    modes_along,
    nonunique_forces,
    nonuniqueness_note,
    with_forces,
)
from ..poses.assembly import assembled
from ..poses.dependence import PoseRank, elements_of
from ..progress import Progress
from ..readings.motion import computed
from ..readings.reactions import Loads
from ..results.result import Result, State
from ..tolerances import CONTACT_TOLERANCE
from .kinematics import kinematics


@checked_options
def inverse_dynamics(
    model: Model | System, times: Sequence[float] | np.ndarray = (), start: State | None = None,
    progress: Progress | None = None, derivatives: Sequence[Any] = (),
) -> Result:  # fmt: skip
    """Return the driven motion with its forces: ``effort(driver)``, ``reaction(joint)``, ``power(driver)`` and
    energies.

    `times` are in s; `start`, `progress` and `derivatives` are those of `kinematics`. All degrees of freedom must be
    driven, so bodies need no mass. The works in the energy balance are integrals of powers over the requested times
    (Simpson's rule) and need a fine grid. A motion whose prescribed velocities jump is refused, because it needs
    impulses. Efforts and reactions jump where accelerations jump: see ``stats["kinks"]``. Forces that depend on states
    of the model are refused, too: `simulate` integrates states.

    Joint friction opposes the slip and follows from the normal force in the joint. Where a joint with friction is at
    rest, drivers and friction share the load, so ``is_unique`` is False for their forces. Contacts, stops and ropes may
    remove freedom that no driver moves: contacts that are closed at the start stay closed, with friction against their
    slip; if freedom is left, contacts roll or stick. A motion in which a contact would have to pull, or to exceed its
    friction bound, is refused. A contact that drivers alone keep closed carries no force, and its force is not
    ``is_unique``.

    A rod of 2 kg, held at the horizontal by a motor: half of its length times its weight.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 0))
    >>> needed = mbs.inverse_dynamics(rod, [0])
    >>> needed.effort("motor").round(6), needed["A.Fy"].round(6)
    (array([2.943]), array([19.62]))
    """
    system = system_of(model)
    request = motion_variables(system.model, derivatives)
    if request is not None:
        if system.model.contacts:
            check_without_contacts(system.model, "inverse_dynamics(derivatives=)")
        check_laws(request, "inverse_dynamics")
    check_no_states(system.model, "inverse dynamics")
    moments = checked_times(times)
    closures = _closures(system, float(moments[0]), start)
    closed_system = system
    if closures:
        closed_system = system.model.plus(*closures).compile(system.coordinates.set, **system.structure.tree)
    try:
        motion, stopped = kinematics(closed_system, moments, start, progress), None
    except SingularConfigurationError as error:
        partial_motion = error.facts.get("result")
        if partial_motion is None or not len(partial_motion) or "change_points" not in partial_motion.stats:
            raise  # there is no motion whose forces could be computed
        motion, stopped = partial_motion, error
    _check_apart(system.cartesian, motion)
    result, undefined = _with_loads(system.cartesian, motion, closures)
    if undefined:
        raise ModelError(
            undefined,
            code="loads-without-value", model=system.model.name, time=float(motion.t[len(result)]), result=result,
        )  # fmt: skip
    _check_ledger(result)
    if stopped is not None:
        raise SingularConfigurationError(
            str(stopped), code=stopped.code, **{**stopped.facts, "result": result}
        ) from stopped
    return with_derivatives(result, request, _works, FrictionMotion if system.model.frictions else VariedMotion)


def _closures(system: System, t: float, start: State | None) -> tuple[ClosedPoints, ...]:
    """Return closures of the contacts that remove freedom which no driver moves: contacts that are closed at the start
    of the motion. Their gaps stay zero; if this leaves freedom, contacts with friction roll or stick."""
    model, bodies = system.model, system.cartesian
    if not model.contacts:
        return ()
    first = assembled(model, t, start=start)
    if not _freedom(bodies, t, first.full_q):
        return ()
    contacts, reader = bodies.structure.contacts, bodies.reader_by(bodies.structure.contacts.program)
    places = np.stack([first.full_q, bodies.placement if start is None else first.full_q])
    still = np.zeros((2, bodies.still.size))
    gaps = np.abs(reader(np.array([t, t]), places, still, still)[0][:, contacts.gap]).min(axis=0)
    closed = (contacts.gap >= 0) & (gaps <= CONTACT_TOLERANCE * bodies.gap_size)
    points: dict[Contact, list[int]] = {}
    for k in np.flatnonzero(closed):
        contact, number = contacts.points[k]
        assert isinstance(contact, Contact)
        points.setdefault(contact, []).append(number)
    closures = tuple(ClosedPoints(contact, numbers) for contact, numbers in points.items())
    rubbing = any(contact.slip_directions for contact in points)
    if not closures or not rubbing or not _freedom(model.plus(*closures).compile(), t, first.full_q):
        return closures
    return tuple(ClosedPoints(contact, ks, ks if contact.slip_directions else ()) for contact, ks in points.items())


def _freedom(bodies: System, t: float, q: np.ndarray) -> int:
    """Return the number of degrees of freedom that no driver moves at a pose."""
    return bodies.nv - len(bodies.rows) + len(PoseRank(bodies, t, q).dependent(range(len(bodies.rows))))


def _check_apart(system: System, motion: Result) -> None:
    """Refuse a motion that presses bodies together for any forces."""
    if not system.model.contacts:
        return
    contacts, along = system.structure.contacts, computed(motion).motion
    points = np.flatnonzero(contacts.gap >= 0)
    gaps = system.reader_by(contacts.program)(*along)[0][:, contacts.gap[points]]
    overlap = gaps < -CONTACT_TOLERANCE * system.gap_size
    if not overlap.any():
        return
    k = int(overlap.any(axis=1).argmax())
    contact = contacts.points[int(points[overlap[k].argmax()])][0]
    what = "inverse_dynamics() knows no contacts into which the prescribed motion presses bodies, and "
    what += f"{contact.who} of {system.model.name!r} is closed at t = {motion.t[k]:.6g}: bodies overlap there"
    remedy = f"correct the driver, use mbs.simulate where bodies meet, or leave it out: model.without({contact.name!r})"
    raise ModelError(
        f"{what}; {remedy}",
        code="contact-overlaps", model=system.model.name, time=float(motion.t[k]), contacts=(contact.name,),
    )  # fmt: skip


def _shared_drives(system: System, along: Trajectory, redundant: int) -> str:
    """Return a sentence about drivers whose equations depend on others at the first, the middle and the last pose, so
    that efforts are not unique; empty if there are none."""
    names = {driver.name for driver in system.model.drivers} if redundant else set()
    for k in {0, along.t.size // 2, along.t.size - 1} if names else ():
        groups = PoseRank(system, along.t[k], along.q[k]).circuits(range(len(system.rows)))
        names &= {name for group in groups for name in elements_of(system, group.rows)}
    if not names:
        return ""
    who = f"the effort of {' and of '.join(sorted(names))} is not unique, because equations depend on each other"
    return f"{who}: is_unique() tells which forces are; leave a driver out"


def _check_closed(system: System, t: np.ndarray, modes: np.ndarray, closures: Sequence[ClosedPoints]) -> None:
    """Refuse a motion on contacts that would have to pull, or to exceed their friction bounds."""
    states = states_of(system, modes)
    for closure in closures:
        contact, rolls = closure.contact, bool(closure.rolling)
        modes_of_points = states[contact.name].reshape(len(modes), -1)[:, closure.closed]
        lifts = (modes_of_points == "open").any(axis=1)
        slips = (modes_of_points == "slips").any(axis=1) & rolls
        if lifts.any() or slips.any():
            k = int((lifts | slips).argmax())
            why = "would have to pull to stay closed" if lifts[k] else "would have to hold more than its friction can"
            what = f"{contact.who} of {system.model.name!r} {why} at t = {t[k]:.6g}"
            remedy = "drive the mechanism more slowly, press harder, or use mbs.simulate, where contacts open and slip"
            raise ModelError(
                f"{what}; {remedy}",
                code="contact-does-not-hold", lifts=bool(lifts[k]), model=system.model.name, time=float(t[k]),
                contacts=(contact.name,),
            )  # fmt: skip


def _check_friction(system: System, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """Refuse friction that is negative, or no finite number, at the state (q, v) of bodies."""
    if lost := frictions_lost_at(system, t, q, v):
        raise ModelError(
            "; ".join(no_friction(system.model.name, lost, float(t))),
            code="friction-undefined-or-negative", values=lost, model=system.model.name, time=float(t),
        )  # fmt: skip


def check_no_states(model: Model, what: str) -> None:
    """Refuse forces that depend on states of the model, since `what` integrates no states."""
    states = {state.symbol for state in model.states}
    for element in model.forces:
        if read := states.intersection(signals_of(element)):
            who = f"{element.who} depends on the state {min(map(str, read))!r}, and {what} integrates none"
            raise ModelError(
                f"{who}; use mbs.simulate, which does, for driven motions, too, and gives efforts",
                code="depends-on-state", element=element.name, state=min(map(str, read)), method=what,
            )  # fmt: skip


def _check_ledger(result: Result) -> None:
    """Check the energy balance where times are dense enough: where most poses were predicted from the last one without
    halving, and where half of the times give the same works. Raise an `IntegrationError` if the imbalance there is
    comparable with the energies of the motion."""
    energy = result.energy
    if len(result) < 9 or result.stats["halvings"] >= len(result):
        return
    works = np.stack([energy.dissipated, energy.supplied])
    rates = np.gradient(works, result.t, axis=1)
    half = _works(result.t[::2], rates.T[::2]).T
    unsure = float(np.abs(half - (works - works[:, :1])[:, ::2]).max())
    most = float((energy.kinetic + np.abs(energy.potential - energy.potential[0]) + np.abs(works).sum(axis=0)).max())
    loads = 0.0 if result.multipliers is None else float(np.nanmax(np.abs(result.multipliers), initial=0.0))
    roundoff = 1e-9 * float(np.abs(energy.potential).max()) + 1e-12 * loads * float(np.ptp(result.q, axis=0).max())
    error = float(np.abs(energy.error).max())
    if error > NONSENSE * most + 10 * unsure + roundoff:
        what = f"the energy along the prescribed motion is off by {error:.2g} J of {most:.2g} J, and not for want of "
        what += "times: the motion is not a solution"
        advice = "look at result.energy and at the functions of the drivers"
        raise Explanation(IntegrationError, "energy-off", what, advice, float(result.t[-1])).error(result)


def _works(t: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """Return the integrals of columns up to each time, by Simpson's rule for uneven times: each interval is integrated
    with the parabola through it and a neighbour."""
    h, y = np.diff(t)[:, None], powers
    parts = 0.5 * h * (y[1:] + y[:-1])
    if t.size > 2:
        slopes = np.diff(y, axis=0) / h
        bend = np.diff(slopes, axis=0) / (h[1:] + h[:-1])  # y'' / 2 of the parabola around each inner time
        parts[:-1:2] -= (h[:-1] ** 3 / 6.0 * bend)[::2]
        parts[1::2] -= (h[1:] ** 3 / 6.0 * bend)[::2]
        parts[-1] = 0.5 * h[-1] * (y[-1] + y[-2]) - h[-1] ** 3 / 6.0 * bend[-1]
    return np.concatenate([np.zeros_like(y[:1]), np.cumsum(parts, axis=0)])


def _with_loads(system: System, motion: Result, closures: Sequence[ClosedPoints]) -> tuple[Result, str]:
    """Return the motion with its forces, up to the first time at which forces have no value, and a sentence about that
    time."""
    along = computed(motion).motion
    system.forget_errors()
    redundant, modes = motion.stats.get("redundant_equations", 0), None
    if closures:  # closures add equations to those of the model
        redundant = len(PoseRank(system, along.t[0], along.q[0]).dependent(range(len(system.rows))))
    for k in range(along.t.size) if system.structure.contacts.drags else ():
        _check_friction(system, *(x[k] for x in along[:3]))
    if system.model.frictions or system.model.contacts:
        check_reactions(system, float(along.t[0]), along.q[0], redundant)
        solved, modes = modes_along(system, along)
        for k in range(min(solved + 1, along.t.size)):
            _check_friction(system, *(x[k] for x in along[:3]))
        _check_closed(system, along.t, modes[:solved], closures)
        if solved < along.t.size:
            (t, q, v), name = (x[solved] for x in along[:3]), system.model.name
            what = f"at t = {t:.6g} no forces of contacts go with the motion of {name!r}; use mbs.simulate"
            if system.model.frictions or undefined_force(system, t, q, v):
                what = no_loads(system, t, q, v, f"motion of {name!r} at t = {t:.6g}")
            raise ModelError(what, code="loads-without-value", model=system.model.name, time=float(t))
    done, multipliers, pushes, rates, _ = forces_along(system, along, modes)
    touching: Any = {}
    if modes is not None:
        touching = {"contacts": pushes[:done], "modes": states_of(system, modes[:done])}
    solved_motion = along.until(done)
    singular = np.flatnonzero(np.isin(motion.t[:done], motion.stats["change_points"]))
    limits = in_the_limit(system, solved_motion, multipliers[:done], redundant, singular)
    multipliers, rates[singular], undetermined = limits
    undefined, told, several = "", "", np.zeros((done, len(system.rows) + system.structure.contacts.rows), dtype=bool)
    if modes is not None:
        several = nonunique_forces(system, solved_motion, modes[:done])
        told = nonuniqueness_note("t", motion.t[:done][several.any(axis=1)])
    if done < along.t.size:
        t, q, v = (x[done] for x in along[:3])
        undefined = no_loads(system, t, q, v, f"motion of {system.model.name!r} at t = {t:.6g}")
    works = _works(along.t[:done], rates[:done, 2:])
    ledger = np.concatenate([rates[:done, :2], works], axis=1)
    result = with_forces(
        system, solved_motion, Loads(multipliers, redundant, undetermined, several), ledger,
        success=motion.success and not undefined,
        message=undefined or "; ".join(filter(None, (motion.message, told, _shared_drives(system, along, redundant)))),
        stats={
            **motion.stats, "redundant_equations": redundant, "energy": "works are sums over the requested times"
        },
        own=motion.own,
        t=motion.t[:done],
        **touching,
    )  # fmt: skip
    return result, undefined
