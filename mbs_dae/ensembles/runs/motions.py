"""Members of a study by `simulate`, in workspaces that stay.

A member is the run that `simulate` makes of its design, to the last bit: it starts as new, with the numbers of its
design put in, and the same compiled functions start it and go on. What needs a closer look is done by the verb.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.status import DONE
from ...errors import MbsError
from ...explain.failures import told_of_faint
from ...kernels.blocks import block
from ...kernels.llvm import LANES
from ...motion.lanes.engine import Engine, engine
from ...motion.lanes.members import go_on_abreast
from ...motion.members.reused import put_back, put_in, reused, spans
from ...motion.members.runs import EMPTY, UNDER_WAY, Runs, Slot, Slots, go_on_alone, slots_of
from ...motion.members.starts import READY, States
from ...motion.record import March
from ...motion.stiffness import STEPS
from ...verbs.simulate import Ended, Prepared, counts_of, patience_of, result_of_run
from .kept import Rows, rows_for
from .limits import Clock
from .numbers import Numbers, fitting, places_of_run
from .starting import Releases, Starts, holding

SLOTS = 2 * LANES
"""So many runs are under way at a time: one for each lane, and one that waits for it."""
KEPT = ("q", "v", "a", "multipliers", "energies", "independence")
"""What is kept of a record. (Nothing else is in it where there are no contacts and no laws that switch.)"""


class Motions:
    """Workspaces for the members of a study."""

    def __init__(self, system: System, prepare: Callable[[], Prepared], names: tuple[str, ...]):
        """`prepare` makes the run of some member, not begun, by the options of all; `names` are those of initial
        values."""
        self.system, self._prepare, self.prepared = system, prepare, prepare()
        self.t = float(self.prepared.times[0])
        (self.positioned, self.places), (self.moving, self.rates) = (holding(system, level, names) for level in (0, 1))
        self.releases = Releases(system, self.positioned, self.moving)
        self.first = self._slot(self.prepared.march)

    def _slot(self, march: March) -> Slot:
        """A workspace for runs, and what is kept of them: what was recorded, and all that is told besides."""
        machine, stabiliser = march.mechanism.machine, march.stabiliser
        told = [march.turned, march.counts, machine.counts, machine.factor.kept, stabiliser.gains, stabiliser.projected]
        told += [march.search.total, march.mechanism.contacts.steps.residual, march.stiffness.counts]
        recorded = [getattr(march.record, name) for name in KEPT]
        return block(Slot(march, reused(march, places_of_run(march)), spans([*recorded, *told])))

    @cached_property
    def slots(self) -> list[Slot]:
        return [self.first, *(self._slot(self._prepare().march) for _ in range(SLOTS - 1))]

    @cached_property
    def lanes(self) -> Engine | None:
        return engine([one.march for one in self.slots])

    def starts(self, free: Numbers, initial: Mapping[str, Any], columns: Any) -> Starts:
        """The numbers of members: `columns` makes those of a system with more parameters."""

        def held(system: System, places: Mapping[str, str]) -> Numbers:
            given = {place: initial[name] for place, name in places.items()}
            return Numbers(system, columns(system, given)) if places else free

        return Starts(free, held(self.positioned, self.places), held(self.moving, self.rates))

    def states(self, starts: Starts) -> States:
        """Where members start, if that is a regular pose."""
        return self.releases.states(starts, self.t)

    def rows(self, count: int) -> Rows:
        record = self.first.march.record
        motion = {name: getattr(record, name) for name in KEPT}
        return rows_for(count, self.first.outcome, motion, {"turned": self.first.march.turned})

    def run(
        self, numbers: Numbers, states: States, rows: Rows, clock: Callable[[], Clock], refused: Refused
    ) -> Iterator[tuple[int, MbsError | None]]:
        """All that are ready, into rows: those that do not come to their end, with the reason. A run's clock begins
        when it has a lane. Several go on side by side, where there are lanes for the model."""
        lanes = self.lanes if np.count_nonzero(states.state == READY) > 1 else None
        own = self.slots if lanes else [self.first]
        slots, clocks = slots_of(own), dict[int, Clock]()
        runs = block(Runs(states.state, states.q, states.v, fitting(self.first.reused, numbers.of_run), rows.words))
        if lanes:
            lanes.clear()
        while self._has_more(lanes, slots, runs):
            for place in np.flatnonzero(slots.member != EMPTY).tolist():
                k, march = int(slots.member[place]), own[place].march
                status, why = int(states.state[k]), None
                if status == UNDER_WAY:
                    if lanes is None or lanes.is_under_way(place):
                        why = _late(clocks.setdefault(k, clock()), march)
                    if why is None:
                        continue
                else:
                    numbers.tell_run(march, k)
                    why = refused(march, k, status)
                slots.member[place] = EMPTY
                if lanes:
                    lanes.drop(place, DONE)
                yield k, why

    def _has_more(self, lanes: Engine | None, slots: Slots, runs: Runs) -> bool:
        """Go on for some time; whether there is more to do, or to be looked at."""
        patience = patience_of(self.first.march)
        if lanes is None:
            return bool(go_on_alone(slots, runs, self.first, patience))
        return bool(go_on_abreast(lanes.lanes, lanes.queue, slots, runs, self.first, patience))

    def told(self, numbers: Numbers, rows: Rows, k: int) -> dict[str, Any] | None:
        """What the result of member k tells besides what is recorded; None where the verb tells more."""
        march = self.first.march
        put_in(self.first.reused, numbers.of_run, k)
        put_back(self.first.outcome, rows.words, k)
        if march.stiffness.counts[STEPS] or told_of_faint(march):
            return None
        return {**self.prepared.facts, **counts_of(march)}

    def refuse(self, march: March, system: System, initial: Any, q: np.ndarray, v: np.ndarray, status: int) -> None:
        """Raise the error of a run, as the verb does."""
        run = replace(self.prepared.run, system=system, initial=initial)
        alike = replace(self.prepared, run=run, system=system, march=march, q=q, v=v)
        result_of_run(alike, Ended(status, ""))


def _late(clock: Clock, march: March) -> MbsError | None:
    """Why a run is to go no further, if it is so."""
    try:
        clock.check(f", at t = {march.time[0]:.6g}")
    except MbsError as stopped:
        return stopped
    return None


Refused = Callable[[March, int, int], MbsError | None]
"""The error of a member with this march and status; None where the verb is to look further."""
