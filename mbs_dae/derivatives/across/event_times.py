"""Derivatives of the time and the state of events, from neighbouring runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...compiled.reading import Trajectory
from ...compiled.status import DONE
from ..instants import MomentSlopes
from ..runs.jumps import at_the_event
from .beside import Beside, stands
from .bodies import slopes_of_bodies
from .following import Following

PARTS = "q", "v", "a"


def note_events(following: Following, names: Sequence[str]) -> None:
    """Note how the time and the state of the events `names`, which have happened now, vary."""
    for name in names:
        following.moments.append(_moment(following, following.guards_of(name)))


def _moment(following: Following, guards: Sequence[int]) -> MomentSlopes:
    run, own = following.run, following.own
    t, y, dy, where = float(run.time[0]), run.stages.y0.copy(), run.stages.k[0].copy(), stands(run)
    moved = following.time_moved(guards)

    def make(beside: Beside, y: np.ndarray, later: float) -> np.ndarray:
        march = beside.march
        beside.stand(where)
        march.stages.y0[:] = y
        status = beside.read_later(t, later, 0)
        rows = np.concatenate([getattr(march.record, name)[0] for name in PARTS])
        return rows if status == DONE else rows * np.nan

    following.span = min(int(run.course.at[0]), run.course.ends.size - 1)
    found = following.varied(make, y, dy, at_the_event(following.S, dy, moved), (t, t), moved)
    sizes = [getattr(own.march.record, name).shape[1] for name in PARTS]
    slopes = [part[:, None] for part in np.split(found, np.cumsum(sizes)[:-1], axis=1)]
    if not own.system.is_cartesian:
        state = run.mechanism.state
        moving = slice(state.v_at, state.v_end)
        motion = Trajectory(np.array([t]), y[None, : state.q_end], y[None, moving], dy[None, moving])
        modes = run.mechanism.switches.mode[None].copy()
        rows = slopes_of_bodies(following, motion, modes, slopes, moved[:, None], own.system.of_bodies(motion).q)
        slopes = [rows[name] for name in PARTS]
    return MomentSlopes(moved[:, None], *slopes)
