"""Decisions in an impact of a run, for neighbouring runs, whose bodies meet in the same way."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.status import DONE
from ...kernels.blocks import block
from .again import meet
from .beside import Beside, Stands
from .impacts import MARGINS, Notes

ROOM = 256
"""Items for which there is room at first; the room is doubled while an impact needs more."""
SAME = 1e-9
"""An impact made again is the same if no velocity differs by more than this part of how they jump."""


class Decided(NamedTuple):
    """An impact: where the run stood before it, which points met, to which modes it led, and all decisions in it."""

    where: Stands
    t: float
    meeting: np.ndarray
    modes: np.ndarray
    wanted: np.ndarray
    after: np.ndarray
    notes: Any
    margins: np.ndarray
    """The margin by which each decision holds."""

    def make(self, beside: Beside, y: np.ndarray, later: float) -> np.ndarray:
        """Return the state behind the impact, then the margins, from the state y before it, met `later` (s)."""
        return self.made(beside, y, later)[0]

    def made(self, beside: Beside, y: np.ndarray, later: float) -> tuple[np.ndarray, int]:
        """Return the state behind the impact, then the margins, nan if it fails; and a status."""
        march, y = beside.march, y.copy()
        beside.stand(self.where)
        march.search.guards.passes_zero[:], march.search.guards.after[:] = self.wanted, self.after
        status = meet(march, self.t + later, y, self.meeting, self.modes, self.notes)
        made = np.concatenate([y, self.notes.margins[: self.margins.size]])
        return made if status == DONE else made * np.nan, status


def decided(run: Any, own: Beside, where: Stands, t: float, y: np.ndarray) -> Decided | None:
    """Return the decisions in the impact that a run has just made from the state y; None if the impact comes out
    differently when it is repeated."""
    meeting, modes = run.mechanism.contacts.choice.meeting.copy(), run.mechanism.switches.mode.copy()
    known = where, t, meeting, modes, run.search.guards.passes_zero.copy(), run.search.guards.after.copy()
    room = ROOM
    while True:
        notes: Any = block(Notes(), items=room)
        made, status = Decided(*known, notes, np.zeros(0)).made(own, y, 0.0)
        if not notes.full[0]:
            break
        room *= 2
    notes.known[0] = 1
    behind, moving = run.stages.y0, slice(run.mechanism.state.v_at, run.mechanism.state.v_end)
    jump = float(np.abs(behind[moving] - y[moving]).max(initial=0.0))
    if status != DONE or not np.abs(made[moving] - behind[moving]).max(initial=0.0) <= SAME * jump:
        return None
    return Decided(*known, notes, notes.margins[: notes.at[MARGINS]].copy())
