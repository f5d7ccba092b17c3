"""Kinematics: every pose, velocity and acceleration of a driven mechanism.

Each pose is foretold from the last (q + h v + h² a / 2), closed by Newton, and accepted only if one smooth motion
passes both; otherwise the step is halved. What cannot be halved further is a dead point: the driver asks for a motion
that the mechanism does not have. A requested time may also fall on a change point, where Φ_v loses rank but the motion
goes on: there the first-order equations do not determine the velocity, and the pose is taken from the smooth motion
on both its sides (`bridge`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import ModelError, SingularConfigurationError
from ..model.model import PlanarModel
from ..results.result import Result, State, result_of
from ..system import System, poses
from ..system.poses import Machine
from .assemble import assemble, model_of
from .bridge import bridge
from .dependence import joints_at_fault

DEPTH = 30
"""How often a step may be halved."""
CHUNK = 5000
"""At most so many poses between two looks at the progress bar and at Ctrl-C."""


def kinematics(
    model: PlanarModel | System,
    times: Sequence[float] | np.ndarray,
    start: State | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Result:
    """Positions, velocities and accelerations at every time. All degrees of freedom must be driven.

    The first pose is assembled from the placement (or from `start`, which chooses the assembly branch).
    ``progress(done, total)`` is called now and then. Raises `SingularConfigurationError` at a dead point; its
    ``result`` keeps what was computed.
    """
    model = model_of(model)
    t = checked_times(times)
    check_tables(model, t)
    system = model.compile()
    first = assemble(model, t[0], start=start)
    machine = system.machine()
    redundant = _redundant_rows(system, machine, t, first)
    q, v, a = (np.zeros((t.size, system.size)) for _ in range(3))
    q[0], v[0], a[0] = first.full_q, first.full_v, first.full_a

    done, message, change_points = 1, "", []
    chunk = max(1, min(CHUNK, t.size // 20))
    try:
        while done < t.size:
            stop = min(done + chunk, t.size)
            status, done, reached = poses.sweep(machine, t, done, stop, redundant, q, v, a, DEPTH)
            if status != poses.DONE:
                if not bridge(machine, t, done, redundant, q, v, a):
                    raise _singular(system, machine, t, done, reached, q, v, a)
                change_points.append(float(t[done]))
                done += 1
            if progress is not None:
                progress(done, t.size)
    except KeyboardInterrupt:
        message = f"interrupted after {done} of {t.size} poses"
    stats = {
        "evaluations": int(machine.counts[poses.EVALUATIONS]),
        "factorisations": int(machine.counts[poses.FACTORISATIONS]),
        "halvings": int(machine.counts[poses.HALVINGS]),
        "redundant_equations": redundant,
        "change_points": change_points,
    }
    if change_points and not message:
        stats["note"] = "at change points the motion is the smooth one; velocities there come from both its sides"
    kept = slice(0, done)
    return result_of(system, t[kept], q[kept], v[kept], a[kept], success=not message, message=message, stats=stats)


def checked_times(times: Any) -> np.ndarray:
    """The times as an array that increases."""
    try:
        t = np.array(times, dtype=float)
    except (TypeError, ValueError) as exc:
        raise ModelError(f"times must be numbers, not {times!r}; use e.g. np.linspace(0, 1, 101)") from exc
    if t.ndim != 1 or t.size == 0:
        raise ModelError(f"times must be a non-empty list, got shape {t.shape}; use e.g. np.linspace(0, 1, 101)")
    if not np.isfinite(t).all():
        raise ModelError("times contain a value that is not finite; remove it")
    if (np.diff(t) <= 0).any():
        k = int(np.argmax(np.diff(t) <= 0))
        raise ModelError(f"times must increase, but {t[k + 1]:g} follows {t[k]:g}; sort them and remove doubles")
    return t


def check_tables(model: PlanarModel, t: np.ndarray) -> None:
    """A table says nothing beyond its ends."""
    for driver in model.drivers:
        for table in driver.tables:
            first, last = float(table.x[0]), float(table.x[-1])
            if not table.periodic and (t[0] < first - 1e-12 or t[-1] > last + 1e-12):
                raise ModelError(
                    f"Driver {driver.name!r} has a table for {first:g} <= t <= {last:g}, but times go from {t[0]:g} to "
                    f"{t[-1]:g}; shorten the times or extend the table"
                )


def _redundant_rows(system: System, machine: Machine, t: np.ndarray, first: State) -> int:
    """How many equations depend on others in general: fewest of several poses, so that a singular first pose shows."""
    span = t[-1] - t[0] if t.size > 1 else 1.0
    counts, freedoms = [], []
    for moment in (t[0], t[0] + 1e-3 * span, t[0] + 2.7e-3 * span):
        q = first.full_q + (moment - t[0]) * first.full_v
        if poses.close(machine, moment, q, first.full_v, 20) == poses.DONE:
            poses.evaluate_and_factorise(machine, moment, q, first.full_v, False)
            counts.append(poses.dependent_rows(machine))
            freedoms.append(system.nv - len(system.rows) + counts[-1])
    redundant, freedom = min(counts), min(freedoms)
    if freedom > 0:
        raise ModelError(
            f"{system.model.name!r} has {freedom} degree{'s' * (freedom > 1)} of freedom that no driver moves; "
            f"add {freedom} driver{'s' * (freedom > 1)}, e.g. mbs.Driver('motor', mbs.angle(i, j), omega * mbs.t)"
        )
    if counts[0] > redundant:
        names = joints_at_fault(system, t[0], first.full_q)
        raise SingularConfigurationError(
            f"{system.model.name!r} starts at t = {t[0]:g} on a change point, where {', '.join(names)} do not decide "
            "how it goes on; start at a slightly different time",
            time=float(t[0]),
            pose=first,
            joints=names,
            result=first.result,
        )
    return redundant


def _singular(
    system: System, machine: Machine, t: np.ndarray, done: int, reached: float, *motion: np.ndarray
) -> SingularConfigurationError:
    """The dead point in words. Row `done` of the motion holds the last good state."""
    pose = State(system, reached, *(x[done].copy() for x in motion))
    names = joints_at_fault(system, reached, pose.full_q)
    kept = result_of(
        system, t[:done], *(x[:done].copy() for x in motion), success=False, message=f"dead point at t = {reached:g}"
    )
    return SingularConfigurationError(
        f"{system.model.name!r} reaches a dead point at t = {reached:.9g}: {', '.join(names)} lock there, and no "
        "motion goes on that follows all drivers; shorten the times, drive another coordinate, or change a length",
        time=float(reached),
        pose=pose,
        joints=names,
        result=kept,
    )
