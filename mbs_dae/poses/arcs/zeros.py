"""Turning points of a quantity along a curve, and places where it has a given value: zeros of its rate, and of a
difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...compiled import System
from ...compiled.reading import Reader
from ...readings.motion import measure_reader
from ...tolerances import CONSTANT_QUANTITY, RATE_ROUNDOFF, TURNING_DISTANCE, TURNING_VALUE, VALUE_ROUNDOFF
from .tracing import CurvePoints
from .track import ArcPlace, ArcTrack


def reader_of(system: System, name: str) -> Reader:
    return system.once(_reader, name)


def _reader(system: System, name: str) -> Reader:
    return system.once(measure_reader, name.rpartition(".")[0], system.model.quantity(name)[0].levels)


def row_of(system: System, name: str, t: float, q: np.ndarray) -> np.ndarray:
    """Return the derivatives of a quantity by the velocities, (velocities,): its rates for unit velocities."""
    n = system.nv
    each = np.eye(n, system.still.size)
    read = reader_of(system, name)(np.full(n, t), np.repeat(q[None], n, axis=0), each, 0.0 * each)
    return np.asarray(read[1, :, 0])


def rates_along(track: ArcTrack, points: CurvePoints, name: str) -> np.ndarray:
    """Return a quantity, its first and its second derivative by arc length at all places, (3, places)."""
    _, *path = points.path
    return np.asarray(reader_of(track.system, name)(np.full(len(path[0]), track.t), *path)[:, :, 0])


def value_at(track: ArcTrack, name: str, place: ArcPlace) -> np.ndarray:
    """Return a quantity, its first and its second derivative by arc length in one place, (3,)."""
    state = (x[None] for x in place[1:])
    return np.asarray(reader_of(track.system, name)(np.array([track.t]), *state)[:, 0, 0])


def is_constant_along(track: ArcTrack, points: CurvePoints, name: str) -> bool:
    """Return whether a quantity is constant along a curve."""
    system, path = track.system, points.path
    row = row_of(system, name, track.t, path.q[0])
    possible = float(np.sqrt((row**2 / track.machine.norm).sum())) or 1.0
    return bool(np.ptp(rates_along(track, points, name)[0]) < CONSTANT_QUANTITY * possible * (path.t[-1] - path.t[0]))


def turning_places(track: ArcTrack, points: CurvePoints, name: str, closed: bool) -> list[ArcPlace]:
    """Return the places where the quantity turns back, in their order."""
    if is_constant_along(track, points, name):
        return []
    _, rate, second = rates_along(track, points, name)
    rate = np.where(np.abs(rate) < RATE_ROUNDOFF * np.abs(rate).max(), 0.0, rate)
    if closed:
        rate[-1] = rate[0]

    def zero(place: ArcPlace) -> float:
        return float(value_at(track, name, place)[1])

    return sorted(sign_changes(track, points, rate, second, zero, closed), key=lambda place: place.s)


def places_where(
    track: ArcTrack, points: CurvePoints, name: str, targets: Sequence[float], unit: float, closed: bool
) -> list[ArcPlace]:
    """Return the places where a quantity has one of some target values, or touches it at a turning point, in their
    order. Values are compared in parts of a `unit`."""
    turning, places = turning_places(track, points, name, closed), []
    s = np.array([*points.path.t, *(place.s for place in turning)])
    order = np.argsort(s, kind="stable")  # between neighbours in this order the quantity grows, or falls
    values = rates_along(track, points, name)[0]
    if closed:  # the end is the beginning, up to whole turns
        values[-1] = values[0] + 2.0 * np.pi * np.round((values[-1] - values[0]) / (2.0 * np.pi))
    values = np.array([*values, *(value_at(track, name, place)[0] for place in turning)])[order]

    def place_of(k: int | np.integer) -> ArcPlace:
        at = int(order[k])
        return points.place(at) if at < points.path.t.size else turning[at - points.path.t.size]

    for value in targets:
        off = values - value
        off[np.abs(off) < VALUE_ROUNDOFF * max(unit, abs(value))] = 0.0

        def zero(place: ArcPlace, value: float = value) -> float:
            return float(value_at(track, name, place)[0]) - value

        touched = [place for place in turning if abs(zero(place)) < TURNING_VALUE * unit]
        passed = [place_of(k) for k in np.flatnonzero(off == 0.0)]
        for k in np.flatnonzero(off[:-1] * off[1:] < 0.0):
            first, last = place_of(k), place_of(k + 1)
            place = track.zero(zero, first, last)  # (None: zero at one of both ends, to roundoff)
            passed.append(min(first, last, key=lambda place: abs(zero(place))) if place is None else place)
        near = TURNING_DISTANCE * track.system.length
        places += touched + [p for p in passed if all(abs(p.s - other.s) > near for other in touched)]
    return sorted(places, key=lambda place: place.s)


def sign_changes(
    track: ArcTrack, points: CurvePoints, values: np.ndarray, slopes: np.ndarray, zero: Callable[[ArcPlace], float],
    closed: bool,
) -> Iterator[ArcPlace]:  # fmt: skip
    """Yield the places where a function changes its sign along a curve, from its values and slopes in all places."""
    for k in np.flatnonzero(values[:-1] * values[1:] < 0.0):
        first, last = points.place(k), points.place(k + 1)
        place = track.zero(zero, first, last)  # (None: zero at one of both ends, to roundoff)
        yield min(first, last, key=lambda place: abs(zero(place))) if place is None else place
    for at, x in _dips(values, slopes, np.diff(points.path.t)):
        first, last = points.place(at), points.place(at + 1)
        middle = track.between(first, last)(x)
        for ends in ((first, middle), (middle, last)):
            place = track.zero(zero, *ends)
            if place is not None:
                yield place
    end = len(values) - 1
    for k in np.flatnonzero(values == 0.0):
        before = values[k - 1] if k else values[end - 1] if closed else 0.0
        after = values[k + 1] if k < end else 0.0
        if before * after < 0.0 and not (closed and k == end):
            yield points.place(k)


def _dips(values: np.ndarray, slopes: np.ndarray, h: np.ndarray) -> Iterator[tuple[int, float]]:
    """Yield the steps with one sign at both ends, but the other sign between, and the extremum there, from 0 to 1, by
    the cubic with the values and slopes of both ends."""
    r0, r1, d0, d1 = values[:-1], values[1:], slopes[:-1] * h, slopes[1:] * h
    b, c = 3.0 * (r1 - r0) - 2.0 * d0 - d1, 2.0 * (r0 - r1) + d0 + d1
    dips = (r0 * r1 > 0.0) & (r0 * d0 < 0.0) & (r1 * d1 > 0.0)
    square = np.maximum(b * b - 3.0 * c * d0, 0.0)
    q = -b - np.copysign(np.sqrt(square), b)  # zeros of 3 c x² + 2 b x + d0: x = q / 3c and d0 / q
    for k in np.flatnonzero(dips):
        for x in (q[k] / (3.0 * c[k]) if c[k] else np.inf, d0[k] / q[k] if q[k] else np.inf):
            if 0.0 < x < 1.0 and r0[k] * (r0[k] + x * (d0[k] + x * (b[k] + x * c[k]))) < 0.0:
                yield int(k), float(x)
                break
