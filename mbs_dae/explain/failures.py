"""Why a simulation cannot begin, or cannot go on, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sps

from ..compiled import System
from ..compiled.machine import NOT_CONVERGED, NOT_FINITE
from ..errors import IntegrationError, MbsError, ModelError, RedundantConstraintError, SingularConfigurationError
from ..linear.kkt import Factor
from ..motion import run as marching
from ..motion.derivative import evaluate_all, mechanism
from ..motion.run import March
from ..motion.stabilise import ALWAYS
from ..poses.dependence import joints_at_fault
from ..results.result import Result, State
from .explanation import Explanation, contradiction, undefined

NONSENSE = 0.1
"""The energy error, relative to the energy that is turned over, at which a run says nothing about the motion."""

ROUNDOFF = 1e-14
"""A mass that adds less than this part of the heaviest to the mass matrix is lost in its roundoff."""


def check_masses(system: System) -> None:
    """Every motion that the joints allow must move some mass."""
    if not system.heaviest:
        raise ModelError(
            f"no body of {system.model.name!r} has a mass; give some: model.body(name, mass=..., inertia=...)"
        )
    if not system.massless.any():
        return
    run = mechanism(system)
    evaluate_all(run, 0.0, system.placement, system.still)
    idle = _idle_motions(system, run.machine.factor)
    held = system.jacobian(0.0, system.placement) @ idle
    _, sines, motions = np.linalg.svd(held, full_matrices=True)
    rank = int((sines > 1e-9 * max(sines.max(initial=0.0), 1e-300)).sum())
    if rank == idle.shape[1]:
        return
    free = np.abs(idle @ motions[rank:].T).max(axis=1) * np.sqrt(system.weight) > 1e-6
    at_fault = [body for body in system.bodies if free[list(system.layout.v[body])].any()]
    names = ", ".join(repr(b.name) for b in at_fault)
    raise ModelError(
        f"{names} of {system.model.name!r} can move without moving any mass that counts beside the heaviest "
        f"({ROUNDOFF:g} of it), so its acceleration is undetermined; give it a mass and an inertia, or hold it by "
        "joints",
        bodies=tuple(b.name for b in at_fault),
    )


def _idle_motions(system: System, factor: Factor) -> np.ndarray:
    """The motions of single bodies that move no mass, of unit length, as columns."""
    pattern, n = system.mass_pattern, system.nv
    M = sps.diags(factor.weight) + sps.csr_matrix((factor.beside, (pattern.block_row, pattern.block_column)), (n, n))
    columns = []
    for body in system.bodies:
        places = list(system.layout.v[body])
        own = np.sqrt(system.weight[places])
        masses, ways = np.linalg.eigh(M.tocsr()[places][:, places].toarray() / np.outer(own, own), UPLO="L")
        for way in ways.T[masses <= ROUNDOFF * system.heaviest]:
            columns.append(np.zeros(n))
            columns[-1][places] = way / own
    return np.array(columns).reshape(-1, n).T


def check_energy(system: System, march: March, result: Result) -> None:
    """A run whose energy does not add up is nonsense, however smooth it looks."""
    energy = result.energy
    turned_over = energy.kinetic + np.abs(energy.potential - energy.potential[:1]) + np.abs(energy.dissipated)
    error = float(np.abs(energy.error).max(initial=0.0))
    roundoff = 1e-9 * (np.abs(energy.potential).max(initial=0.0) + system.heaviest * system.length**2)
    if error <= NONSENSE * (turned_over.max(initial=0.0) + np.abs(energy.supplied).max(initial=0.0)) + roundoff:
        return
    remedy = f"try step={march.control.fixed / 10:g}, or leave step out" if march.control.fixed > 0.0 else "lower rtol"
    message = (
        f"the energy of {system.model.name!r} is off by {error:.2g} J, as much as the motion has: steps are too long "
        f"for its forces; {remedy}, and look at result.energy and result.violation"
    )
    kept = replace(result, success=False, message=message)
    raise IntegrationError(message, time=float(result.t[-1]), joints=(), result=kept)


def failure(system: System, march: March, status: int, result: Result) -> MbsError:
    """The error for a run that stopped at march.clock[TIME]; what was computed is in its ``result``."""
    t = float(march.clock[marching.TIME])
    at_v, at_work = march.mechanism.q_size, march.mechanism.q_size + march.mechanism.v_size
    q, v = march.stages.y0[:at_v], march.stages.y0[at_v:at_work]
    (q,), (v,), (a,) = system.to_bodies((q[None].copy(), v[None].copy(), 0.0 * v[None]))
    system = system.cartesian
    pose = State(system, t, q, v, 0.0 * a)
    kind, what, advice = _reason(system, march, status, pose)
    names = joints_at_fault(system, t, q) if kind is not ModelError else ()
    return Explanation(kind, what, advice, names, pose, t).error(result)


def _reason(system: System, march: March, status: int, pose: State) -> tuple[type[MbsError], str, str]:
    name, t, widest = system.model.name, pose.t, march.clock[marching.WIDEST]
    fixed = march.control.fixed
    step = max(abs(march.control.step[0]), fixed, 1e-12)  # down to roundoff where something ends
    if nowhere := undefined(system, pose, t + np.array([0.0, *np.geomspace(step, max(1e-3, step), 8)]), forces=True):
        return ModelError, nowhere[0], ""
    near = march.mechanism.nearness[0] < 1e-6 and status in (marching.STUCK, NOT_CONVERGED, NOT_FINITE)
    if near or status == marching.ASTRAY:
        joints = ", ".join(joints_at_fault(system, t, pose.full_q))
        what = f"{name!r} comes to a singular pose at t = {t:.6g}, where {joints} lock or branch"
        return SingularConfigurationError, f"{what}, and does not get through", _another_way(march)
    if parting := contradiction(system, pose, pose, t, drifted=True):
        what = f"at t = {t:.6g} {', '.join(parting)} of {name!r} contradict each other: no motion follows them all"
        return RedundantConstraintError, what, "take one of them away, or make their functions agree"
    if status == marching.DRIFTED:
        what = f"{name!r} nears a singular pose at t = {t:.6g} with constraints violated by {widest:.2g} m, too much "
        return IntegrationError, what + "to tell how it goes on", "use stabilization=mbs.Projection()"
    if fixed > 0.0:
        what = f"{name!r} is unstable at t = {t:.6g} with steps of {fixed:g} s: velocities or constraint errors grow "
        advice = f"try step={fixed / 10:g}, smaller gains, or leave step out for step control"
        return IntegrationError, what + "without bound", advice
    if status == marching.LOST:
        what = f"the constraints of {name!r} are violated by {widest:.2g} m at t = {t:.6g}"
        return IntegrationError, what, "use stabilization=mbs.Projection(), or a smaller rtol"
    what = f"the step of {name!r} falls to {march.control.step[0]:.2g} s at t = {t:.6g}: a force or driver jumps or "
    return IntegrationError, what + "grows without bound there, or the tolerance is below roundoff", (
        "make it smooth, raise rtol, or fix the step"
    )


def _another_way(march: March) -> str:
    """Settings that are not in use already, with which a run may get through a singular pose."""
    ways = [
        *(["stabilization=mbs.Projection()"] if march.stabiliser.when != ALWAYS else []),
        *(['method="DP8"'] if march.tableau.order < 8 else []),
        *(["a fixed step"] if march.control.fixed == 0.0 else [f"step={march.control.fixed / 10:g}"]),
    ]
    return f"try {', or '.join(ways)}; or start with other values, so that it passes beside this pose"
