"""A curve from a place on it, for a lap or up to its end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.machine import POSES
from ...compiled.reading import Trajectory
from ...compiled.status import DONE, ENDLESS, HOME
from ...kernels.blocks import block
from ...tolerances import CURVE_RETURN, LAP_END
from .steps import distance_beyond, size_of, trace
from .track import ArcPlace, ArcTrack

CHUNK = 500
ALIKE = 0.99
"""Least cosine between the tangents of equal places."""
ROUNDS = 8
"""The greatest number of steps of Newton's method for the end of a lap."""


class CurvePoints(NamedTuple):
    """Successive places of a curve, with the arc length in place of time."""

    path: Trajectory
    ending: int
    """`HOME` if the last place is the first one; `ENDLESS` if the requested number of places was reached; else the
    status of the failed step."""

    def place(self, k: int | np.integer) -> ArcPlace:
        return ArcPlace(float(self.path.t[k]), *(x[k] for x in self.path[1:]))


def trace_curve(track: ArcTrack, start: ArcPlace, home: ArcPlace, poses: int) -> CurvePoints:
    """Return the curve from a place onwards until it returns to `home`, with at most so many places."""
    path = Trajectory(np.array([start.s]), *(rows[None].copy() for rows in start[1:]))
    beyond = 1.0 if start is home else _distance_beyond(track, home, start)
    pace = np.array([track.step * track.system.length, track.step, beyond])
    count, status = 1, DONE
    while status == DONE and count < poses:
        size = min(max(2 * count, CHUNK), poses)
        longer = Trajectory(*(np.zeros((size, *rows.shape[1:]), dtype=rows.dtype) for rows in path))
        for rows, places in zip(longer, path, strict=True):
            rows[: len(places)] = places[:size]
        path, constants = longer, (home.q, home.v, track.angles, track.redundant, track.timed)
        status = trace(track.machine, track.t, block(path), count - 1, pace, *constants)
        count = int(track.machine.counts[POSES])
        if status == HOME and not comes_home(track, home, path, count):
            status = DONE
    return CurvePoints(path.until(count), ENDLESS if status == DONE else status)


def comes_home(track: ArcTrack, home: ArcPlace, path: Trajectory, count: int) -> bool:
    """Return whether the last of `count` places has passed the first place itself, and not another place near by; if
    so, replace the last place by it."""
    before, after = (ArcPlace(float(path.t[k]), *(x[k] for x in path[1:])) for k in (count - 2, count - 1))
    if not _distance_beyond(track, home, before) < 0.0 <= _distance_beyond(track, home, after):
        return False
    place_at, h, x = track.between(before, after), after.s - before.s, 1.0
    for _ in range(ROUNDS):  # with equal tangents, this is Newton's method
        beyond = _distance_beyond(track, home, place := place_at(x))
        x = min(max(x - beyond / h, 0.0), 1.0)
        if abs(beyond) < LAP_END * track.machine.extent:
            break
    n, weight = track.system.nv, track.machine.norm
    distance = size_of(track.machine, track.machine.x[:n].copy())
    if distance > CURVE_RETURN * track.system.length or float(weight @ (home.v[:n] * place.v[:n])) < ALIKE:
        return False
    for rows, values in zip(path, place, strict=True):
        rows[count - 1] = values
    return True


def _distance_beyond(track: ArcTrack, home: ArcPlace, place: ArcPlace) -> float:
    return float(distance_beyond(track.machine, place.q, home.q, home.v, track.angles))


def reversed_path(points: CurvePoints) -> CurvePoints:
    """Return the places in reverse order and direction, so that the arc length grows."""
    path = points.path
    back = Trajectory(-path.t[::-1], path.q[::-1].copy(), -path.v[::-1], path.a[::-1].copy())
    return CurvePoints(back, points.ending)


def concatenate(first: CurvePoints, last: CurvePoints) -> CurvePoints:
    """Return one curve from two, the second of which begins where the first ends."""
    path = Trajectory(*(np.concatenate([x, y[1:]]) for x, y in zip(first.path, last.path, strict=True)))
    return CurvePoints(path, last.ending)
