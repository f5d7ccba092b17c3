"""Members of a study by `simulate`, one after the other in the same workspaces.

A member is the run that `simulate` makes of its design, to the last bit: it starts as new, with the numbers of its
design put in, and the same compiled functions start it and go on. What would end in an error, or needs a closer look,
comes back as None and is done by the verb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...compiled.machine import DONE
from ...errors import MbsError
from ...explain.failures import told_of_faint
from ...motion import run as marching
from ...motion.lanes.engine import WAITING, Engine, engine
from ...motion.record import March
from ...motion.stiffness import STEPS
from ...verbs.simulate import Ended, Prepared, counts_of, patience_of, result_of_run
from .limits import Clock
from .numbers import Numbers, Reused
from .starting import Assembly, Release, Starts, holding

ABREAST = 64
"""So many runs are under way at a time: enough that lanes are seldom empty."""
KEPT = ("q", "v", "a", "multipliers", "energies", "independence")
"""What is kept of a record. (Nothing else is in it where there are no contacts and no laws that switch.)"""


class Start(NamedTuple):
    q: np.ndarray
    v: np.ndarray


class Motions:
    """Workspaces for the members of a study."""

    def __init__(self, system: System, prepare: Callable[[], Prepared], names: tuple[str, ...]):
        """`prepare` makes the run of some member, not begun, by the options of all; `names` are those of initial
        values."""
        self.system, self._prepare, self.prepared, self._marches = system, prepare, prepare(), list[Reused]()
        self.t = float(self.prepared.times[0])
        (self.positioned, self.places), (self.moving, self.rates) = (holding(system, level, names) for level in (0, 1))
        self.assembly, self.release = Assembly(self.positioned), Release(system, self.moving)
        self.march(0)

    @cached_property
    def lanes(self) -> Engine | None:
        """For all runs that are under way at a time."""
        return engine([self.march(place).own for place in range(ABREAST)])

    def march(self, place: int) -> Reused:
        """Work space for one run, of as many as are under way at a time."""
        while len(self._marches) <= place:
            self._marches.append(Reused((self._prepare() if self._marches else self.prepared).march))
        return self._marches[place]

    def starts(self, free: Numbers, initial: Mapping[str, Any], columns: Any) -> Starts:
        """The numbers of members: `columns` makes those of a system with more parameters."""

        def held(system: System, places: Mapping[str, str]) -> Numbers:
            given = {place: initial[name] for place, name in places.items()}
            return Numbers(system, columns(system, given)) if places else free

        return Starts(free, held(self.positioned, self.places), held(self.moving, self.rates))

    def start(self, starts: Starts, k: int) -> Start | None:
        """Where member k starts, if that is a regular pose."""
        q = self.assembly.pose(starts.positioned, k, self.t)
        if q is None or (v := self.release.velocity(starts.moving, k, self.t, q)) is None:
            return None
        return Start(q, v) if self.release.is_regular(starts.free, k, self.t, q) else None

    def begin(self, starts: Starts, k: int, start: Start, place: int) -> Begun:
        """The run of member k, with its first state."""
        march: March = self.march(place).fresh()
        starts.free.put_forces(march.mechanism, k)
        starts.free.put_units(march.control, k)
        march.mechanism.machine.factor.kept[:] = 1.0
        return Begun(march, int(marching.start(march, start.q, start.v)))

    def told(self, march: March) -> dict[str, Any] | None:
        """What the result of a run tells besides what is recorded; None where the verb tells more."""
        if march.stiffness.counts[STEPS] or told_of_faint(march):
            return None
        return {**self.prepared.facts, **counts_of(march)}

    def refuse(self, march: March, system: System, initial: Any, start: Start, status: int) -> None:
        """Raise the error of a run, as the verb does."""
        run = replace(self.prepared.run, system=system, initial=initial)
        alike = replace(self.prepared, run=run, system=system, march=march, q=start.q, v=start.v)
        result_of_run(alike, Ended(status, "", []))


class Begun(NamedTuple):
    march: March
    status: int


def go_on(bench: Motions, runs: Sequence[Begun], clock: Callable[[], Clock]) -> list[int | MbsError]:
    """The last status of each run that was begun; or why it was stopped. Several go on side by side in lanes, where
    there are such for the model; others one after the other."""
    if len(runs) > 1 and bench.lanes is not None:
        return _side_by_side(bench.lanes, runs, clock)
    return [_went_on(run, clock()) for run in runs]


def _side_by_side(lanes: Engine, runs: Sequence[Begun], clock: Callable[[], Clock]) -> list[int | MbsError]:
    """A run's clock begins when it has a lane."""
    ends: list[int | MbsError] = [run.status for run in runs]
    clocks: dict[int, Clock] = {}
    patience = patience_of(runs[0].march)
    going = {k for k, run in enumerate(runs) if run.status == DONE}
    for k in range(len(lanes.marches)):
        lanes.drop(k, DONE)
    for k in going:
        lanes.resume(k)
    while going:
        lanes.go_on(patience)
        for k in sorted(going):
            status, march = int(lanes.status[k]), runs[k].march
            if status in (marching.PAUSED, marching.CUT_SHORT):
                lanes.resume(k)
            elif status != WAITING:
                ends[k] = status
                going.discard(k)
            elif lanes.is_under_way(k):
                try:
                    clocks.setdefault(k, clock()).check(f", at t = {march.time[0]:.6g}")
                except MbsError as stopped:
                    ends[k] = stopped
                    lanes.drop(k, marching.PAUSED)
                    going.discard(k)
    return ends


def _went_on(run: Begun, clock: Clock) -> int | MbsError:
    march, status = run
    patience, total = patience_of(march), march.record.times.size
    try:
        while status in (DONE, marching.PAUSED, marching.CUT_SHORT) and march.counts[marching.NEXT] < total:
            status = int(marching.go_on(march, patience))
            clock.check(f", at t = {march.time[0]:.6g}")
    except MbsError as stopped:
        return stopped
    return status
