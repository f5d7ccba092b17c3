"""Inverse dynamics: the efforts and reactions that a prescribed motion takes.

Kinematics gives q, v and v̇; then M v̇ + Φ_vᵀ λ = Q has only λ for an unknown. It is solved together with Φ_v v̇ = γ, by
the matrix of forward dynamics: where all freedom is driven v̇ comes out as it went in, and redundant rows do no harm.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arguments import check_without_contacts, checked_options, system_of
from ..compiled import System
from ..derivatives.parameters import asked_of_motion
from ..derivatives.varied import with_derivatives
from ..errors import IntegrationError, ModelError, SingularConfigurationError
from ..explain.accuracy import NONSENSE
from ..explain.explanation import Explanation, no_force
from ..model.model import Model
from ..model.signals import signals_of
from ..motion.contact.guards import TOUCHES
from ..motion.contact.told import states_of
from ..motion.initial import check_reactions
from ..motion.outcome import forces_along, in_the_limit, modes_along, with_forces
from ..progress import Progress
from ..readings.motion import computed
from ..readings.reactions import Loads
from ..results.result import Result, State
from .kinematics import kinematics


@checked_options
def inverse_dynamics(
    model: Model | System, times: Sequence[float] | np.ndarray = (), start: State | None = None,
    progress: Progress | None = None, derivatives: Sequence[Any] = (),
) -> Result:  # fmt: skip
    """Kinematics with forces: ``effort(driver)``, ``reaction(joint)``, ``power(driver)`` and the energy ledger.

    All degrees of freedom must be driven; so bodies need no mass. The works in the ledger are sums of powers over the
    requested times (Simpson's rule), so a coarse grid shows there. A motion whose prescribed velocities jump is
    refused: it takes impulses. Where its accelerations jump, efforts and reactions do: see ``stats["kinks"]``. Forces
    that depend on states of the model are refused, too: states are integrated by `simulate`.

    Joint friction acts against the slip, by what presses there; contacts and stops must stay open. Where a joint
    that rubs stands still the drivers and its friction share the load, so their forces are not ``is_unique``.

    A rod of 2 kg, held at the horizontal by a motor: half of its length times its weight.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 0))
    >>> needed = mbs.inverse_dynamics(rod, [0])
    >>> needed.effort("motor").round(6), needed["A.Fy"].round(6)
    (array([2.943]), array([19.62]))
    """
    system = system_of(model)
    asked = asked_of_motion(system.model, derivatives)
    if asked is not None:
        check_without_contacts(system.model, "inverse_dynamics(derivatives=)")
    _check_states(system.model)
    try:
        motion, stopped = kinematics(system, times, start, progress), None
    except SingularConfigurationError as error:
        walked = error.facts.get("result")
        if walked is None or not len(walked) or "change_points" not in walked.stats:
            raise  # the motion does not begin: there are no velocities to which forces belong
        motion, stopped = walked, error
    _check_open(system.cartesian, motion)
    result, undefined = _with_loads(system.cartesian, motion)
    if undefined:
        raise ModelError(undefined, time=float(motion.t[len(result)]), result=result)
    _check_ledger(result)
    if stopped is not None:
        raise SingularConfigurationError(str(stopped), **{**stopped.facts, "result": result}) from stopped
    return with_derivatives(result, asked, _works)


def _check_open(system: System, motion: Result) -> None:
    """Refuse closed contacts where the motion is prescribed: drivers and contact share the load in any way."""
    if not system.model.contacts:
        return
    contacts, along = system.structure.contacts, computed(motion).motion
    points = np.flatnonzero(contacts.gap >= 0)
    gaps = system.reader_by(contacts.program)(*along)[0][:, contacts.gap[points]]
    closed = gaps <= TOUCHES * system.machine().extent
    if not closed.any():
        return
    k = int(closed.any(axis=1).argmax())
    contact = contacts.points[int(points[closed[k].argmax()])][0]
    what = "inverse_dynamics() knows no contacts that close, for where all motions are prescribed their forces are not "
    what += f"unique, and {contact.who} of {system.model.name!r} is closed at t = {motion.t[k]:.6g}"
    remedy = f"use mbs.simulate, or leave it out: model.without({contact.name!r})"
    raise ModelError(f"{what}; {remedy}; what stays closed is a joint", time=float(motion.t[k]))


def _check_states(model: Model) -> None:
    known = {state.symbol for state in model.states}
    for element in model.forces:
        if named := known.intersection(signals_of(element)):
            what = f"{element.who} depends on the state {min(map(str, named))!r}, and inverse dynamics integrates none"
            raise ModelError(f"{what}; use mbs.simulate, which does, for driven motions, too, and gives efforts")


def _check_ledger(result: Result) -> None:
    """The ledger must add up where the times are dense enough to tell: where poses are foretold from the last, mostly,
    and where half of the times give the same works. What is off there by as much as the motion has is wrong."""
    energy = result.energy
    if len(result) < 9 or result.stats["halvings"] >= len(result):
        return
    works = np.stack([energy.dissipated, energy.supplied])
    rates = np.gradient(works, result.t, axis=1)
    half = _works(result.t[::2], rates.T[::2]).T
    unsure = float(np.abs(half - (works - works[:, :1])[:, ::2]).max())
    most = float((energy.kinetic + np.abs(energy.potential - energy.potential[0]) + np.abs(works).sum(axis=0)).max())
    roundoff = 1e-9 * float(np.abs(energy.potential).max())
    error = float(np.abs(energy.error).max())
    if error > NONSENSE * most + 10 * unsure + roundoff:
        what = f"the energy along the prescribed motion is off by {error:.2g} J of {most:.2g} J, and not for want of "
        what += "times: the motion is no solution"
        advice = "look at result.energy and at the functions of the drivers"
        raise Explanation(IntegrationError, what, advice, float(result.t[-1])).error(result)


def _works(t: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """The integrals of columns up to each time: of the parabola through three neighbours, over every other interval the
    first part of one, over those between the last part of it (Simpson's rule, for uneven times)."""
    h, y = np.diff(t)[:, None], powers
    parts = 0.5 * h * (y[1:] + y[:-1])
    if t.size > 2:
        slopes = np.diff(y, axis=0) / h
        bend = np.diff(slopes, axis=0) / (h[1:] + h[:-1])  # of the parabola around each inner time: y'' / 2
        parts[:-1:2] -= (h[:-1] ** 3 / 6.0 * bend)[::2]
        parts[1::2] -= (h[1:] ** 3 / 6.0 * bend)[::2]
        parts[-1] = 0.5 * h[-1] * (y[-1] + y[-2]) - h[-1] ** 3 / 6.0 * bend[-1]
    return np.concatenate([np.zeros_like(y[:1]), np.cumsum(parts, axis=0)])


def _with_loads(system: System, motion: Result) -> tuple[Result, str]:
    """The motion with its forces, up to a force that has no value; and what is to be said of that."""
    along = computed(motion).motion
    system.forget_errors()
    redundant, modes = motion.stats.get("redundant_equations", 0), None
    if system.model.frictions:
        check_reactions(system, float(along.t[0]), along.q[0], redundant)
        found, modes = modes_along(system, along)
        if found < along.t.size:
            what = (
                f"at t = {along.t[found]:.6g} no friction goes with the motion of {system.model.name!r}: it jams, for "
            )
            what += "friction in a joint grows faster than what presses there"
            raise ModelError(f"{what}; lower its mu, or place the drive elsewhere", time=float(along.t[found]))
    done, multipliers, pushes, rates, _ = forces_along(system, along, modes)
    touching: Any = {}
    if modes is not None:
        touching = {"contacts": pushes[:done], "modes": states_of(system, modes[:done])}
    known = along.until(done)
    singular = np.flatnonzero(np.isin(motion.t[:done], motion.stats["change_points"]))
    limits = in_the_limit(system, known, multipliers[:done], redundant, singular)
    multipliers, rates[singular], undetermined = limits
    undefined = no_force(system, *(x[done] for x in along[:3])) if done < along.t.size else ""
    works = _works(along.t[:done], rates[:done, 2:])
    ledger = np.concatenate([rates[:done, :2], works], axis=1)
    result = with_forces(
        system, known, Loads(multipliers, redundant, undetermined), ledger,
        success=motion.success and not undefined,
        message=undefined or motion.message,
        stats={**motion.stats, "energy": "works are sums over the requested times"},
        own=motion.own,
        t=motion.t[:done],
        **touching,
    )  # fmt: skip
    return result, undefined
