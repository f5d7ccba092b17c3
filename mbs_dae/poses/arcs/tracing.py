"""A curve from a place on it, as far as it goes: a lap, or to its ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.machine import POSES
from ...compiled.reading import Trajectory
from ...compiled.status import DONE, ENDLESS, HOME
from ...kernels.blocks import block
from .steps import ahead_of, size_of, trace
from .track import Place, Track

CHUNK = 500
SAME = 1e-9
"""Two places nearer to each other than this (in lengths of the model) are one: Newton leaves them equal to roundoff."""
ALIKE = 0.99
"""And their tangents have at least this cosine."""
ROUNDS, ROUNDOFF = 8, 1e-15
"""Of Newton's method for the end of a lap, until no more than this is left of how far the model reaches."""


class Traced(NamedTuple):
    """Places of a curve one after the other, the arc length in the place of time."""

    path: Trajectory
    ending: int
    """`HOME` where the last place is the first one; `ENDLESS` where more was not asked for; else why no step was made
    that is smooth."""

    def place(self, k: int | np.integer) -> Place:
        return Place(float(self.path.t[k]), *(x[k] for x in self.path[1:]))


def traced(track: Track, start: Place, home: Place, poses: int) -> Traced:
    """From a place onwards, until it comes home, at most so many places."""
    path = Trajectory(np.array([start.s]), *(own[None].copy() for own in start[1:]))
    beyond = 1.0 if start is home else _ahead(track, home, start)
    pace = np.array([track.step * track.system.length, track.step, beyond])
    done, status = 1, DONE
    while status == DONE and done < poses:
        size = min(max(2 * done, CHUNK), poses)
        path = Trajectory(*(_longer(rows, size) for rows in path))
        given = home.q, home.v, track.angles, track.redundant, track.timed
        status = trace(track.machine, track.t, block(path), done - 1, pace, *given)
        done = int(track.machine.counts[POSES])
        if status == HOME and not comes_home(track, home, path, done):
            status = DONE
    return Traced(path.until(done), ENDLESS if status == DONE else status)


def _longer(rows: np.ndarray, size: int) -> np.ndarray:
    out = np.zeros((size, *rows.shape[1:]), dtype=rows.dtype)
    out[: len(rows)] = rows[:size]
    return out


def comes_home(track: Track, home: Place, path: Trajectory, done: int) -> bool:
    """Whether the last step has passed the first place itself, and not another one beside it; if so it ends there."""
    before, after = (Place(float(path.t[k]), *(x[k] for x in path[1:])) for k in (done - 2, done - 1))
    if not _ahead(track, home, before) < 0.0 <= _ahead(track, home, after):
        return False
    place, h, x = track.between(before, after), after.s - before.s, 1.0
    for _ in range(ROUNDS):  # the tangents being the same there, this is Newton's method
        ahead = _ahead(track, home, found := place(x))
        x = min(max(x - ahead / h, 0.0), 1.0)
        if abs(ahead) < ROUNDOFF * track.machine.extent:
            break
    n, weight = track.system.nv, track.machine.norm
    apart = size_of(track.machine, track.machine.x[:n].copy())
    if apart > SAME * track.system.length or float(weight @ (home.v[:n] * found.v[:n])) < ALIKE:
        return False
    for rows, own in zip(path, found, strict=True):
        rows[done - 1] = own
    return True


def _ahead(track: Track, home: Place, place: Place) -> float:
    return float(ahead_of(track.machine, place.q, home.q, home.v, track.angles))


def reversed_path(traced: Traced) -> Traced:
    """The same places in the other order and direction, so that the arc length grows."""
    path = traced.path
    back = Trajectory(-path.t[::-1], path.q[::-1].copy(), -path.v[::-1], path.a[::-1].copy())
    return Traced(back, traced.ending)


def joined(first: Traced, last: Traced) -> Traced:
    """One curve of two, the second of which begins where the first ends."""
    path = Trajectory(*(np.concatenate([x, y[1:]]) for x, y in zip(first.path, last.path, strict=True)))
    return Traced(path, last.ending)


def both_ways(back: Traced, forth: Traced) -> Traced:
    """One curve of two that have the same first place."""
    return joined(reversed_path(back), forth)
