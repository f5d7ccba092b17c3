"""Why a motion along drivers cannot begin or go on, in words."""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..compiled.machine import ENDLESS
from ..errors import MbsError, ModelError, RedundantConstraintError, SingularConfigurationError
from ..poses import continuation
from ..poses.dependence import joints_at_fault
from ..readings.motion import result_of
from ..results.result import State
from .explanation import Explanation, contradiction, jumping, undefined


def change_point_at_start(first: State) -> MbsError:
    names = joints_at_fault(first.system, first.t, first.full_q)
    what = f"{first.system.model.name!r} starts at t = {first.t:g} on a change point, where {', '.join(names)} do not "
    what += "decide how it goes on"
    advice = "start at a slightly different time"
    return Explanation(SingularConfigurationError, what, advice, first.t, names, first).error(first.result)


def stop_reason(
    system: System, status: int, t: np.ndarray, done: int, reached: float, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> MbsError:
    """The error for a motion that stopped at `reached`, on its way to t[done]. Row `done` of q, v and a holds the last
    good state."""
    pose, first = State(system, reached, *(x[done].copy() for x in (q, v, a))), State(system, t[0], q[0], v[0], a[0])
    kind, joints, what, advice = _why(status, float(t[done - 1]), float(t[done]), first, pose)
    why = Explanation(kind, what, advice, float(reached), joints, pose)
    return why.error(result_of(system, t[:done], *(x[:done].copy() for x in (q, v, a))))


def _why(
    status: int, before: float, ahead: float, first: State, pose: State
) -> tuple[type[MbsError], tuple[str, ...], str, str]:
    name, reached = repr(pose.system.model.name), float(pose.t)
    if nowhere := undefined(pose, (ahead, reached + 1e-6 * (ahead - reached)), forces=False):
        return ModelError, nowhere[1], nowhere[0], ""
    names = joints_at_fault(pose.system, reached, pose.full_q)
    if status == ENDLESS:
        what = f"{name} takes more than {continuation.MOST} steps from t = {before:g} to {ahead:g}"
        return ModelError, names, what, "ask for poses at shorter intervals, or check the units of times and drivers"
    if driver := jumping(pose, ahead):
        what = f"the function of Driver {driver!r} jumps or grows without bound at t = {reached:.6g}"
        return ModelError, (driver,), what, "make it smooth, or keep the times away from there"
    if parting := contradiction(first, pose, ahead):
        what = f"from t = {reached:.6g} on, {', '.join(parting)} of {name} contradict each other: no motion follows "
        advice = "take one of them away, or make their functions agree"
        return RedundantConstraintError, parting, what + "them all", advice
    what = f"{name} reaches a dead point at t = {reached:.9g}: {', '.join(names)} lock there, and no motion goes on "
    what += "that follows all drivers"
    advice = "shorten the times, drive another coordinate, or change a length"
    return SingularConfigurationError, names, what, advice
