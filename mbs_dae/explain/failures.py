"""Why a simulation cannot begin, or cannot go on, in words."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sps

from ..compiled import System
from ..compiled.machine import NOT_CONVERGED, NOT_FINITE
from ..errors import IntegrationError, MbsError, ModelError, RedundantConstraintError, SingularConfigurationError
from ..linear.kkt import Factor
from ..motion import run as marching
from ..motion.derivative import evaluate_all, mechanism
from ..motion.run import March
from ..poses.closing import check_finite
from ..poses.dependence import PoseRank, elements_of, joints_at_fault
from ..results.result import Result, State

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
    raise IntegrationError(message, time=float(result.t[-1]), joints=(), result=_stopped(result, message))


def _stopped(result: Result, message: str) -> Result:
    return Result(**{**vars(result), "success": False, "message": message})


def failure(system: System, march: March, status: int, result: Result) -> MbsError:
    """The error for a run that stopped at march.clock[TIME]; what was computed is in its ``result``."""
    t = float(march.clock[marching.TIME])
    at_v, at_work = march.mechanism.q_size, march.mechanism.q_size + march.mechanism.v_size
    q, v = march.stages.y0[:at_v], march.stages.y0[at_v:at_work]
    (q,), (v,), (a,) = system.to_bodies((q[None].copy(), v[None].copy(), 0.0 * v[None]))
    system = system.cartesian
    pose = State(system, t, q, v, 0.0 * a)
    kind, message = _reason(system, march, status, pose)
    kept = _stopped(result, message)
    names = joints_at_fault(system, t, q) if kind is not ModelError else ()
    return kind(message, time=t, pose=pose, joints=names, result=kept)


def _reason(system: System, march: March, status: int, pose: State) -> tuple[type[MbsError], str]:
    name, t, widest = system.model.name, pose.t, march.clock[marching.WIDEST]
    if culprit := _undefined(system, march, pose):
        return ModelError, culprit
    if march.mechanism.nearness[0] < 1e-6 and status in (marching.STUCK, NOT_CONVERGED, NOT_FINITE):
        joints = ", ".join(joints_at_fault(system, t, pose.full_q))
        return SingularConfigurationError, (
            f"{name!r} comes to a singular pose at t = {t:.6g}, where {joints} lock or branch, and does not get "
            'through; try stabilization=mbs.Projection() with method="DP8", or a fixed step'
        )
    if parting := _parting(system, pose):
        return RedundantConstraintError, (
            f"at t = {t:.6g} {', '.join(parting)} of {name!r} contradict each other: no motion follows them all; take "
            "one of them away, or make their functions agree"
        )
    if status == marching.DRIFTED:
        return IntegrationError, (
            f"{name!r} nears a singular pose at t = {t:.6g} with constraints violated by {widest:.2g} m, too much to "
            "tell how it goes on; use stabilization=mbs.Projection()"
        )
    if (fixed := march.control.fixed) > 0.0:
        return IntegrationError, (
            f"{name!r} is unstable at t = {t:.6g} with steps of {fixed:g} s: velocities or constraint errors grow "
            f"without bound; try step={fixed / 10:g}, smaller gains, or leave step out for step control"
        )
    if status == marching.LOST:
        return IntegrationError, (
            f"the constraints of {name!r} are violated by {widest:.2g} m at t = {t:.6g}; "
            "use stabilization=mbs.Projection(), or a smaller rtol"
        )
    return IntegrationError, (
        f"the step of {name!r} falls to {march.control.step[0]:.2g} s at t = {t:.6g}: a force or driver jumps or "
        "grows without bound there, or the tolerance is below roundoff; make it smooth, raise rtol, or fix the step"
    )


def _parting(system: System, pose: State) -> tuple[str, ...]:
    """The elements whose equations depend on each other, and prescribe different rates or accelerations in time."""
    still = system.still[None]
    _, *levels = system.read_constraints(np.array([pose.t]), pose.full_q[None], still, still)
    for circuit in PoseRank(system, pose.t, pose.full_q).circuits(range(len(system.rows))):
        for level in levels:
            own, parts = level[0, circuit.dependent], circuit.coefficients * level[0, circuit.others]
            if abs(own - parts.sum()) > 1e-6 * (abs(own) + np.abs(parts).max(initial=0.0)):
                return elements_of(system, circuit.rows)
    return ()


def _undefined(system: System, march: March, pose: State) -> str | None:
    """The element that has no value here, or a little later."""
    step = max(abs(march.control.step[0]), march.control.fixed, 1e-12)  # down to roundoff where something ends
    ahead = [0.0, *np.geomspace(step, max(1e-3, step), 8)]
    for dt in ahead:
        q = system.moved(pose.full_q, dt * pose.v)
        try:
            check_finite(system, pose.t + dt, q)
        except ModelError as error:
            return str(error)
        if culprit := system.undefined_force(pose.t + dt, q, pose.full_v):
            return (
                f"{culprit} gives no finite force at t = {pose.t + dt:.6g}; mend its law, or keep the motion where it "
                "is defined"
            )
    return None
