"""Explanations of motions along drivers that cannot begin or go on; and the check of laws that switch: velocities may
have kinks there, but not jump.

If ν of a row jumps, all velocities must jump, by an impulse that equations of motion do not contain; if Φ jumps, no
motion follows it. Φ and ν are evaluated on the two sides of each break, for any requested times. If γ jumps the motion
goes on, with jumps in accelerations and reactions: these times are reported.
"""

from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.reading import Trajectory
from ..compiled.status import ENDLESS
from ..errors import MbsError, ModelError, SingularConfigurationError
from ..model.breaks import breaks_of, side_of
from ..model.drivers import Driver
from ..poses import continuation
from ..poses.closing import pole_message
from ..poses.dependence import joints_at_fault
from ..poses.redundancy import is_change_point
from ..readings.motion import result_of
from ..results.result import State
from ..tolerances import FIRST_LOOK, PRESCRIBED_JUMP, PRESCRIBED_ROUNDOFF
from .explanation import BEFORE_DEAD_POINT, Explanation, contradiction, undefined

MOST = 20  # greatest number of times in a message
LOOKS, STEEP = 200, 10.0  # number of samples of a driver, and factor by which an unbounded one is faster


def check_jumps(first: State, last: float) -> dict[str, list[float]]:
    """Refuse jumps of prescribed motion from the first state's time to the last. Return the elements whose
    accelerations jump, with the times, in s."""
    jump, kinks = first_jump(first, last)
    if jump is not None:
        raise jump
    return kinks


def first_jump(first: State, last: float) -> tuple[MbsError | None, dict[str, list[float]]]:
    """Return the error for the earliest jump of prescribed motion between the first state's time and the last (None if
    there is none), and the elements whose accelerations jump, with the times, in s."""
    system, kinks, jumps = first.system.cartesian, {}, list[tuple[float, str, str, str]]()
    for name, element in system.structure.switching:
        breaks = breaks_of([element], system.evaluator, first.t, last)
        breaks = breaks[(breaks > first.t) & (breaks < last)]
        if not breaks.size:
            continue
        position, rate, acceleration = _jumps(system, first, system.rows_of(name), breaks, last)
        if (position | rate).any():
            k = int(np.argmax(position | rate))
            jumps.append((float(breaks[k]), element.who, name, "position" if position[k] else "velocity"))
        elif acceleration.any():
            kinks[name] = [float(t) for t in breaks[acceleration][:MOST]]
    if not jumps:
        return None, kinks
    t, who, name, level = min(jumps)
    missing = "no motion follows it" if level == "position" else "that takes an impulse, which is not computed"
    what = f"{who} jumps in {level} at t = {t:.6g}: {missing}"
    advice = "make its function smooth there, e.g. by mbs.Motion with law='cycloidal', or keep the times on one side"
    return Explanation(ModelError, "jump", what, advice, t, (name,), first).error(first.result), kinks


def _jumps(system: System, first: State, rows: np.ndarray, breaks: np.ndarray, last: float) -> np.ndarray:
    """Return at which breaks Φ, Φ̇ and Φ̈ of some of these rows jump, shape (3, breaks), in the first pose or in one
    beside it: a row that depends on the pose may hide its jump in the first pose."""
    side = side_of(breaks)
    borders = np.concatenate([[first.t], breaks, [last]])
    between = (borders[:-1] + x * np.diff(borders) for x in (0.21, 0.5, 0.78))
    moments = np.concatenate([breaks - side, breaks + side, *between])
    aside = 0.05 * system.length * np.cos(1.0 + np.arange(system.nv)) / np.sqrt(system.weight)
    unit, jumps = system.row_units[rows], np.zeros((3, breaks.size), dtype=bool)
    for q in (first.full_q, system.moved(first.full_q, aside)):
        many = (np.tile(x, (moments.size, 1)) for x in (q, first.full_v, system.still))
        for level, values in enumerate(system.read_constraints(moments, *many)):
            before, after = values[: breaks.size, rows], values[breaks.size : 2 * breaks.size, rows]
            least = (
                PRESCRIBED_ROUNDOFF * unit + PRESCRIBED_JUMP * np.abs(values[:, rows]).max(axis=0)
                if level
                else PRESCRIBED_JUMP * unit
            )
            jumps[level] |= (np.abs(after - before) > least).any(axis=1)
    return jumps


# --- stopped motions ------------------------------------------------------------------------------------------------


def singular_start(first: State) -> MbsError:
    """Return the error for a motion that starts on a change point, or on a dead point within roundoff."""
    names = joints_at_fault(first.system, first.t, first.full_q)
    what, where = f"{first.system.model.name!r} starts at t = {first.t:g} on a", ", ".join(names)
    if is_change_point(first.system, first.full_q):
        what += f" change point, where {where} do not decide how it goes on"
        code, advice = "change-point", "start at a slightly different time"
    else:
        what += f" dead point within roundoff: {where} lock there, and do not decide how it goes on"
        code, advice = "dead-point", "start at another pose, or drive another coordinate"
    return Explanation(SingularConfigurationError, code, what, advice, first.t, names, first).error(first.result)


def stop_reason(
    system: System, status: int, motion: Trajectory, times: np.ndarray, reached: float, stats: dict[str, Any]
) -> MbsError:
    """Return the error for a motion that stopped at the time `reached`, after the done `times`, on its way to the time
    of its last row, which holds the last good state. `stats` belong to the error's result."""
    (t, *state), done = motion, times.size
    pose, first = State(system, reached, *(x[done].copy() for x in state)), State(system, t[0], *(x[0] for x in state))
    result = result_of(system, motion.until(done), t=times, stats=stats)
    return _why(status, float(t[done - 1]), float(t[done]), first, pose).error(result)


def _why(status: int, before: float, ahead: float, first: State, pose: State) -> Explanation:
    name, reached = repr(pose.system.model.name), float(pose.t)
    moments, roundoff = [ahead, reached + 1e-6 * (ahead - reached)], FIRST_LOOK * max(abs(ahead), 1.0)
    if ahead - reached <= roundoff:  # a law has a value within roundoff behind the end of its range
        moments.append(ahead + roundoff)
    if nowhere := undefined(pose, moments, forces=False):
        return nowhere
    names = joints_at_fault(pose.system, reached, pose.full_q)
    if status == ENDLESS and (driver := _unbounded(first, pose)):
        what = f"the function of Driver {driver!r} grows without bound at t = {reached:.6g}"
        return Explanation(ModelError, "unbounded", what, "keep the times away from there", reached, (driver,), pose)
    if status == ENDLESS:
        what = f"{name} takes more than {continuation.MOST} steps from t = {before:g} to {ahead:g}"
        advice = "ask for poses at shorter intervals, or check the units of times and drivers"
        return Explanation(ModelError, "too-many-steps", what, advice, reached, names, pose)
    if driver := _jumping(pose, ahead):
        what = f"the function of Driver {driver!r} jumps or grows without bound at t = {reached:.6g}"
        advice = "make it smooth, or keep the times away from there"
        return Explanation(ModelError, "jump", what, advice, reached, (driver,), pose)
    if parting := contradiction(first, pose, ahead):
        return parting
    if pole := pole_message(pose.system, pose.full_q):
        what, _, advice = pole.partition("; ")
        what = f"{name} cannot be followed beyond t = {reached:.9g}: {what}"
        return Explanation(SingularConfigurationError, "singular-angle", what, advice, reached, names, pose)
    what = f"{name} reaches a dead point at t = {reached:.9g}: {', '.join(names)} lock there, and no motion goes on "
    what += f"that follows all drivers{_how_far(pose, names)}"
    return Explanation(SingularConfigurationError, "dead-point", what, BEFORE_DEAD_POINT, reached, names, pose)


def _how_far(pose: State, joints: tuple[str, ...]) -> str:
    """Return a clause with the greatest values that drivers reach."""
    driven = [
        d for d in pose.system.model.drivers if isinstance(d, Driver) and d.name in joints and not d.measure.lowest
    ]
    values = [(f"{d.name}.{d.measure.levels[0]}", d.measure.unit) for d in driven]
    texts = [f"{name} = {pose[name]:.6g} {unit}" for name, unit in values]
    return f"; they get to {' and '.join(texts)}" if texts else ""


def _unbounded(first: State, pose: State) -> str | None:
    """Return the name of a driver that is far faster now than in the first nine tenths of the time; None if there is
    none."""
    system, parts = pose.system, np.append(np.linspace(0.0, 0.9, LOOKS), 1.0)
    still, q = np.zeros((parts.size, system.layout.v_size)), np.tile(pose.full_q, (parts.size, 1))
    rates = np.abs(system.read_constraints(first.t + parts * (pose.t - first.t), q, still, still)[1])
    for driver in system.model.drivers:
        if (rates[-1] > STEEP * rates[:-1].max(axis=0))[system.rows_of(driver.name)].any():
            return driver.name
    return None


def _jumping(pose: State, ahead: float) -> str | None:
    """Return the name of a driver whose function jumps just after the pose; None if there is none."""
    system, still = pose.system, np.zeros((2, pose.system.layout.v_size))
    moments = pose.t + np.array([0.0, max((ahead - pose.t) * 2.0**-20, 1e-9 * (abs(pose.t) + abs(ahead)))])
    phi = system.read_constraints(moments, np.stack([pose.full_q] * 2), still, still)[0]
    for driver in system.model.drivers:
        rows = system.rows_of(driver.name)
        if (np.abs(phi[1, rows] - phi[0, rows]) > 1e-3 * system.row_units[rows]).any():
            return driver.name
    return None
