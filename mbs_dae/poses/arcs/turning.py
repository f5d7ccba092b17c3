"""Where a quantity turns back along a curve: its rate along the arc is zero and changes its sign."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...compiled import System
from ...compiled.reading import Reader
from ...readings.motion import measure_reader
from .tracing import Traced
from .track import Place, Track

STILL = 1e-10
"""A quantity whose rates are less than this, relative to what a motion of unit length could give it, does not move."""
NOTHING = 1e-13
"""Of a rate relative to the largest: it is zero in the place itself."""


def rates_along(track: Track, traced: Traced, name: str) -> np.ndarray:
    """A quantity, its rate and its second rate along the arc, at all places."""
    path = traced.path
    held = np.full(path.t.size, track.t)
    return _read(track, name, held, path.q, path.v, path.a)


def row_of(system: System, name: str, t: float, q: np.ndarray) -> np.ndarray:
    """The derivatives of a quantity by the velocities."""
    return np.asarray(_reader(system, name).jacobian(t, q).toarray()[0])


def _reader(system: System, name: str) -> Reader:
    return measure_reader(system, name.rpartition(".")[0], system.model.quantity(name)[0].levels)


def _read(track: Track, name: str, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    return _reader(track.system, name)(t, q, v, a)[:, :, 0]


def turning_places(track: Track, traced: Traced, name: str, closed: bool) -> list[Place]:
    """The places where the quantity turns back, in their order."""
    _, rate, second = rates_along(track, traced, name)
    row = row_of(track.system, name, track.t, traced.path.q[0])
    possible = np.sqrt((row**2 / track.system.weight).sum()) or 1.0
    if np.abs(rate).max() < STILL * possible:
        return []
    rate = np.where(np.abs(rate) < NOTHING * np.abs(rate).max(), 0.0, rate)

    def zero(place: Place) -> float:
        return float(_read(track, name, np.array([track.t]), place.q[None], place.v[None], place.a[None])[1, 0])

    found: list[Place] = []
    h = np.diff(traced.path.t)
    for k in np.flatnonzero(rate[:-1] * rate[1:] < 0.0):
        place = track.where(zero, traced.place(k), 1.01 * h[k])
        found.append(traced.place(k if abs(rate[k]) < abs(rate[k + 1]) else k + 1) if place is None else place)
    for at, x in _dips(rate, second, h):
        found += _two(track, traced.place(at), x, 1.01 * h[at], zero)
    last = len(rate) - 1
    for k in np.flatnonzero(rate == 0.0):
        if k == last and closed:
            continue
        before = rate[k - 1] if k else rate[last - 1] if closed else 0.0
        after = rate[k + 1] if k < last else 0.0
        if before * after < 0.0:
            found.append(traced.place(k))
    return sorted(found, key=lambda place: place.s)


def _dips(rate: np.ndarray, second: np.ndarray, h: np.ndarray) -> list[tuple[int, float]]:
    """The steps at both ends of which a rate has one sign, but the other one between: where it dips there most. By the
    cubic with the values and slopes of both ends."""
    out = []
    r0, r1, d0, d1 = rate[:-1], rate[1:], second[:-1] * h, second[1:] * h
    b, c = 3.0 * (r1 - r0) - 2.0 * d0 - d1, 2.0 * (r0 - r1) + d0 + d1
    for k in np.flatnonzero((r0 * r1 > 0.0) & (r0 * d0 < 0.0) & (r1 * d1 > 0.0)):
        for x in np.roots([3.0 * c[k], 2.0 * b[k], d0[k]]):
            if abs(x.imag) < 1e-12 and 0.0 < (x := x.real) < 1.0:
                value = r0[k] + x * (d0[k] + x * (b[k] + x * c[k]))
                if value * r0[k] < 0.0:
                    out.append((int(k), float(x * h[k])))
                    break
    return out


def _two(track: Track, base: Place, middle: float, h: float, zero: Callable[[Place], float]) -> list[Place]:
    """The places on both sides of one within a step."""
    there = track.from_place(base, middle)
    if there is None or zero(there) * zero(base) >= 0.0:
        return []
    places = track.where(zero, base, middle), track.where(zero, there, h - middle)
    return [place for place in places if place is not None]
