"""Why a motion cannot go on, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..compiled import System
from ..compiled.machine import ENDLESS
from ..errors import MbsError, ModelError, RedundantConstraintError, SingularConfigurationError
from ..poses import continuation
from ..poses.closing import check_finite
from ..poses.dependence import PoseRank, agrees, elements_of, joints_at_fault
from ..readings.motion import result_of
from ..results.result import State


def change_point_at_start(system: System, first: State) -> SingularConfigurationError:
    names = joints_at_fault(system, first.t, first.full_q)
    message = (
        f"{system.model.name!r} starts at t = {first.t:g} on a change point, where {', '.join(names)} do not decide "
        "how it goes on; start at a slightly different time"
    )
    kept = replace(first.result, success=False, message=message)
    return SingularConfigurationError(message, time=first.t, pose=first, joints=names, result=kept)


def stop_reason(
    system: System, status: int, t: np.ndarray, done: int, reached: float, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> MbsError:
    """The error for a sweep that stopped at `reached`, on its way to t[done]. Row `done` of q, v and a holds the last
    good state."""
    pose = State(system, reached, *(x[done].copy() for x in (q, v, a)))
    names = joints_at_fault(system, reached, pose.full_q)
    kind: type[MbsError] = SingularConfigurationError
    message = (
        f"{system.model.name!r} reaches a dead point at t = {reached:.9g}: {', '.join(names)} lock there, and no "
        "motion goes on that follows all drivers; shorten the times, drive another coordinate, or change a length"
    )
    if undefined := _undefined(system, pose, t[done]):
        kind, message, names = ModelError, str(undefined), undefined.facts["joints"]
    elif status == ENDLESS:
        kind = ModelError
        message = (
            f"{system.model.name!r} takes more than {continuation.MOST} steps from t = {t[done - 1]:g} to {t[done]:g}: "
            "ask for poses at shorter intervals, or check the units of times and drivers"
        )
    elif jumping := _jumping(system, pose, t[done]):
        kind, names = ModelError, (jumping,)
        message = (
            f"the function of Driver {jumping!r} jumps or grows without bound at t = {reached:.6g}; make it smooth, or "
            "keep the times away from there"
        )
    elif parting := _parting(system, State(system, t[0], q[0], v[0], a[0]), pose, t[done]):
        kind, names = RedundantConstraintError, parting
        message = (
            f"from t = {reached:.6g} on, {', '.join(names)} of {system.model.name!r} contradict each other: no motion "
            "follows them all; take one of them away, or make their functions agree"
        )
    kept = result_of(system, t[:done], *(x[:done].copy() for x in (q, v, a)), success=False, message=message)
    return kind(message, time=float(reached), pose=pose, joints=names, result=kept)


def _undefined(system: System, pose: State, ahead: float) -> ModelError | None:
    """The element whose equation has no value from here on."""
    for moment in (ahead, pose.t + 1e-6 * (ahead - pose.t)):
        try:
            check_finite(system, moment, pose.full_q)
        except ModelError as error:
            return error
    return None


def _jumping(system: System, pose: State, ahead: float) -> str | None:
    """The driver whose function changes by a finite amount in no time."""
    still = np.zeros((2, system.layout.v_size))
    moments = pose.t + np.array([0.0, max((ahead - pose.t) * 2.0**-20, 1e-9 * (abs(pose.t) + abs(ahead)))])
    phi = system.read_constraints(moments, np.stack([pose.full_q] * 2), still, still)[0]
    for driver in system.model.drivers:
        for row in system.rows_of(driver.name):
            scale = 1.0 if system.rows[row].unit == "rad" else system.length
            if abs(phi[1, row] - phi[0, row]) > 1e-3 * scale:
                return driver.name
    return None


def _parting(system: System, first: State, pose: State, ahead: float) -> tuple[str, ...]:
    """The elements whose equations depend on each other, not just here but in general, and move apart until the time
    ahead."""
    general = PoseRank(system, first.t, first.full_q).circuits(range(len(system.rows)))
    here = PoseRank(system, pose.t, pose.full_q)
    for circuit in general:
        here.keep_only(circuit.others)
        if not agrees(system, ahead, pose.full_q, here.circuit(circuit.dependent)):
            return elements_of(system, circuit.rows)
    return ()
