"""Members of a study by `kinematics`, one after the other in the same workspaces: see `motions`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.machine import DONE, POSES
from ...compiled.reading import Trajectory
from ...errors import MbsError
from ...kernels.blocks import block
from ...poses import continuation, newton
from ...poses.nearest import satisfied
from ...results.result import State
from ...verbs.kinematics import counts_of, poses_at_once, redundant_rows
from .limits import Clock
from .numbers import Numbers, Reused
from .starting import Assembly


class Walks:
    """Workspaces for the members of a study."""

    def __init__(self, system: System, times: np.ndarray):
        self.system, self.times, self.t = system, times, float(times[0])
        self.assembly, self.machine = Assembly(system), Reused(system.machine())
        self.at_once = poses_at_once(self.machine.own)

    def start(self, numbers: Numbers, k: int) -> State | None:
        """The first pose of member k, with its velocity and acceleration, if the equations determine them."""
        system, t, machine = self.system, self.t, self.assembly.machine.own
        if (q := self.assembly.pose(numbers, k, t)) is None:
            return None
        v, a = system.still, system.still
        newton.evaluate_and_factorise(machine, t, q, v, False)
        newton.complete(machine, t, q, v, a)
        return State(system, t, q, v, a) if satisfied(machine, v, 1) and satisfied(machine, a, 2) else None

    def walk(self, numbers: Numbers, k: int, first: State, kept: Mapping[str, np.ndarray], clock: Clock) -> Any:
        """All poses of member k, into row k of what is kept; what its `stats` are, or None."""
        machine, times = self.machine.fresh(), self.times
        numbers.put(machine, k)
        path = Trajectory(times, kept["q"][k], kept["v"][k], kept["a"][k])
        for rows, own in zip(path[1:], (first.full_q, first.full_v, first.full_a), strict=True):
            rows[:] = 0.0
            rows[0] = own
        try:
            redundant = redundant_rows(self.system, machine, times, first, path.q[0], path.v[0])
        except MbsError:
            return None
        done, poses = 1, block(path)
        while done < times.size:
            stop = min(done + self.at_once, times.size)
            if continuation.walk(machine, poses, done, stop, *redundant) != DONE:
                return None
            done = int(machine.counts[POSES])
            clock.check(f", at t = {times[done - 1]:.6g}" if done < times.size else "")
        return counts_of(machine) | {"redundant_equations": redundant[0], "change_points": []}
