"""Run members of a study by `kinematics`, one after the other in the same workspaces: see `motions`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.reading import Trajectory
from ...errors import MbsError
from ...motion.members.reused import put_back, reused
from ...motion.members.starts import States
from ...motion.members.walks import MEMBER, POSE, REDUNDANT, walk_all, walks
from ...verbs.kinematics import counts_of, moments_beside, poses_at_once
from .kept import Rows, rows_for
from .limits import Clock
from .numbers import Numbers, fitting, places_of_poses
from .starting import Assembly


class Walks:
    """Workspaces for the members of a study by `kinematics`."""

    def __init__(self, system: System, times: np.ndarray):
        self.times, self.assembly, self.machine = times, Assembly(system), system.machine()
        self.path = Trajectory(times, *system.layout.motion(times.size))
        again, excess = reused(self.machine, places_of_poses(self.machine)), system.nv - len(system.rows)
        self.own = walks(self.machine, again, self.path, moments_beside(times), excess, poses_at_once(self.machine))

    def rows(self, count: int) -> Rows:
        return rows_for(count, self.own.outcome, {"q": self.path.q, "v": self.path.v, "a": self.path.a})

    def states(self, numbers: Numbers) -> States:
        """Return the states in which members start, if the equations determine them."""
        return self.assembly.completed(numbers, numbers.finite, float(self.times[0]))

    def run(
        self, numbers: Numbers, states: States, rows: Rows, clock: Callable[[], Clock]
    ) -> Iterator[tuple[int, MbsError]]:
        """Run all members that are ready into rows; yield each stopped member with the reason."""
        now, clocks = self.own.now, dict[int, Clock]()
        now[:] = 0
        own = fitting(self.own.reused, numbers.of_poses)
        while walk_all(self.own, own, states, rows.words):
            k, done = int(now[MEMBER]), int(now[POSE])
            try:
                clocks.setdefault(k, clock()).check(f", at t = {self.times[done - 1]:.6g}")
            except MbsError as stopped:
                yield k, stopped
                now[:] = k + 1, 0

    def told(self, numbers: Numbers, rows: Rows, k: int) -> dict[str, Any]:
        """Return facts of a member's result besides its arrays."""
        put_back(self.own.outcome, rows.words, k)
        return counts_of(self.machine) | {"redundant_equations": int(self.own.found[REDUNDANT]), "change_points": []}
