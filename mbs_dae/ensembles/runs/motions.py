"""Run members of a study by `simulate` or `kinematics`, in workspaces that are used again.

A member is the run that its verb makes of its design, to the last bit: the workspace is reset, the numbers of the
design are put in, and the same compiled functions start and continue the run. The verb runs members that need a closer
look."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.reading import Trajectory
from ...compiled.status import DONE
from ...errors import MbsError
from ...explain.accuracy import note_on_faint_motion
from ...kernels.blocks import block
from ...kernels.llvm import LANES
from ...motion.lanes.engine import Engine, engine
from ...motion.lanes.members import go_on_abreast
from ...motion.members.runs import EMPTY, UNDER_WAY, Runs, Slot, go_on_alone, slots_of
from ...motion.members.starts import READY, States
from ...motion.members.walks import MEMBER, POSE, REDUNDANT, walk_all, walks
from ...motion.members.workspaces import put_back, put_in, reused, spans
from ...motion.record import IntegratorState
from ...motion.stiffness import STEPS
from ...verbs.kinematics import counts_of as counts_of_kinematics
from ...verbs.kinematics import moments_beside, poses_at_once
from ...verbs.simulate import Ended, Prepared, counts_of, patience_of, result_of_run
from .numbers import MemberNumbers, MemberRows, fitting, places_of_poses, places_of_run, rows_for
from .recipe import Clock
from .starting import Assembly, MemberStarts, Releases, holding

SLOTS = 2 * LANES
"""The number of runs under way at a time: one for each lane, and one that waits for the lane."""
RECORDED = ("q", "v", "a", "multipliers", "energies", "independence")
"""The arrays of a record that are stored. (A record has no others without contacts and laws that switch.)"""


ErrorOf = Callable[[IntegratorState, int, int], MbsError | None]
"""Return the error of a member with this march and status; None if the verb is to look further."""


class MotionWorkspaces:
    """Workspaces for the members of a study."""

    def __init__(self, system: System, prepare: Callable[[], Prepared], names: tuple[str, ...]):
        """Keep `prepare`, which returns a new run of some member by the options of the study; `names` are initial
        values."""
        self.system, self._prepare, self.prepared = system, prepare, prepare()
        self.t = float(self.prepared.times[0])
        (self.positioned, self.places), (self.moving, self.rates) = (holding(system, level, names) for level in (0, 1))
        self.releases = Releases(system, self.positioned, self.moving)
        self.first = self._slot(self.prepared.march)

    def _slot(self, march: IntegratorState) -> Slot:
        """Return a workspace for runs, with the spans of recorded arrays and of the counters in results."""
        machine, stabiliser = march.mechanism.machine, march.stabiliser
        counts = [march.turned, march.counts, machine.counts, machine.factor.kept]
        counts += [stabiliser.gains, stabiliser.projected, march.search.total]
        counts += [march.mechanism.contacts.steps.residual, march.stiffness.counts]
        recorded = [getattr(march.record, name) for name in RECORDED]
        return block(Slot(march, reused(march, places_of_run(march)), spans([*recorded, *counts])))

    @cached_property
    def slots(self) -> list[Slot]:
        return [self.first, *(self._slot(self._prepare().march) for _ in range(SLOTS - 1))]

    @cached_property
    def lanes(self) -> Engine | None:
        return engine([slot.march for slot in self.slots])

    def starts(self, free: MemberNumbers, initial: Mapping[str, Any], columns: Any) -> MemberStarts:
        """Return the numbers of members; `columns` makes those of a system with more parameters."""

        def numbers_of(system: System, places: Mapping[str, str]) -> MemberNumbers:
            values = {place: initial[name] for place, name in places.items()}
            return MemberNumbers(system, columns(system, values)) if places else free

        return MemberStarts(free, numbers_of(self.positioned, self.places), numbers_of(self.moving, self.rates))

    def states(self, starts: MemberStarts) -> States:
        """Return the states in which members start, if these are regular poses."""
        return self.releases.states(starts, self.t)

    def rows(self, count: int) -> MemberRows:
        record = self.first.march.record
        motion = {name: getattr(record, name) for name in RECORDED}
        return rows_for(count, self.first.outcome, motion, {"turned": self.first.march.turned})

    def run(
        self, numbers: MemberNumbers, states: States, rows: MemberRows, clock: Callable[[], Clock], error_of: ErrorOf
    ) -> Iterator[tuple[int, MbsError | None]]:
        """Run all members that are ready, and write their motions into rows. Yield each member that does not come to
        its end, with the reason (None where the verb is to look further). A run's clock begins when the run has a lane.
        Several runs go on side by side if the model has lanes."""
        lanes = self.lanes if np.count_nonzero(states.state == READY) > 1 else None
        workspaces = self.slots if lanes else [self.first]
        slots, clocks, patience = slots_of(workspaces), dict[int, Clock](), patience_of(self.first.march)
        runs = block(Runs(states.state, states.q, states.v, fitting(self.first.reused, numbers.of_run), rows.words))
        if lanes:
            lanes.clear()

        def has_more() -> bool:
            """Continue the runs for a while; return whether runs remain to be continued or checked."""
            if lanes is None:
                return bool(go_on_alone(slots, runs, self.first, patience))
            return bool(go_on_abreast(lanes.lanes, lanes.queue, slots, runs, self.first, patience))

        while has_more():
            for place in np.flatnonzero(slots.member != EMPTY).tolist():
                k, march = int(slots.member[place]), workspaces[place].march
                status, why = int(states.state[k]), None
                if status == UNDER_WAY:
                    if lanes is None or lanes.is_under_way(place):
                        try:
                            clocks.setdefault(k, clock()).check(f", at t = {march.time[0]:.6g}")
                        except MbsError as late:
                            why = late
                    if why is None:
                        continue
                else:
                    numbers.tell_run(march, k)
                    why = error_of(march, k, status)
                slots.member[place] = EMPTY
                if lanes:
                    lanes.drop(place, DONE)
                yield k, why

    def facts(self, numbers: MemberNumbers, rows: MemberRows, k: int) -> dict[str, Any] | None:
        """Return facts of member k's result besides its record; None if the verb reports more."""
        march = self.first.march
        put_in(self.first.reused, numbers.of_run, k)
        put_back(self.first.outcome, rows.words, k)
        if march.stiffness.counts[STEPS] or note_on_faint_motion(march):
            return None
        return {**self.prepared.facts, **counts_of(march)}

    def refuse(
        self, march: IntegratorState, system: System, initial: Any, q: np.ndarray, v: np.ndarray, status: int
    ) -> None:
        """Raise the error with which the verb ends a run of this status."""
        run = replace(self.prepared.run, system=system, initial=initial)
        member = replace(self.prepared, run=run, system=system, march=march, q=q, v=v)
        result_of_run(member, Ended(status, ""))


class WalkWorkspaces:
    """Workspaces for the members of a study by `kinematics`."""

    def __init__(self, system: System, times: np.ndarray):
        self.times, self.assembly, self.machine = times, Assembly(system), system.machine()
        self.path = Trajectory(times, *system.layout.motion(times.size))
        workspace, excess = reused(self.machine, places_of_poses(self.machine)), system.nv - len(system.rows)
        self.walk = walks(
            self.machine, workspace, self.path, moments_beside(times), excess, poses_at_once(self.machine)
        )

    def rows(self, count: int) -> MemberRows:
        return rows_for(count, self.walk.outcome, {"q": self.path.q, "v": self.path.v, "a": self.path.a})

    def states(self, numbers: MemberNumbers) -> States:
        """Return the states in which members start, if the equations determine them."""
        return self.assembly.completed(numbers, numbers.finite, float(self.times[0]))

    def run(
        self, numbers: MemberNumbers, states: States, rows: MemberRows, clock: Callable[[], Clock]
    ) -> Iterator[tuple[int, MbsError]]:
        """Run all members that are ready into rows; yield each stopped member with the reason."""
        now, clocks = self.walk.now, dict[int, Clock]()
        now[:] = 0
        designs = fitting(self.walk.reused, numbers.of_poses)
        while walk_all(self.walk, designs, states, rows.words):
            k, done = int(now[MEMBER]), int(now[POSE])
            try:
                clocks.setdefault(k, clock()).check(f", at t = {self.times[done - 1]:.6g}")
            except MbsError as error:
                yield k, error
                now[:] = k + 1, 0

    def facts(self, numbers: MemberNumbers, rows: MemberRows, k: int) -> dict[str, Any]:
        """Return facts of a member's result besides its arrays."""
        put_back(self.walk.outcome, rows.words, k)
        return counts_of_kinematics(self.machine) | {
            "redundant_equations": int(self.walk.found[REDUNDANT]),
            "change_points": [],
        }
