"""How many ways there are to assemble a mechanism with given values: found by following curves.

Lines through the point, one value held, are followed from known poses through all their turning points; each pass of
the point is a pose there, from which the other line is followed, until none is new. So all poses are found that hang
together by such motions. Others, as those of a circuit of its
own, are looked for from bodies that are thrown about, always in the same ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from .equations import Equations, Point
from .problems import closed_pose, line, thrown
from .search import ALONG, Region, Seeking
from .tracing import Place, Trace, both_ways, tangent_at, traced

ALIKE = 1e-6
LEAST, MOST, AGAIN = 24, 150, 3
"""How often bodies are thrown about where poses are counted by that alone, and how often each pose is met."""
NEAREST = 2
"""How many known poses are tried that lie nearest to the point."""


def poses_at(
    equations: Equations, region: Region, values: np.ndarray, known: Sequence[Point], step: float
) -> list[Point]:
    """The poses with these values that known ones lead to."""
    found: list[Point] = []
    places = np.array([point.p for point in known])
    off = np.linalg.norm(_rest(places - values, region.turns) / equations.scale, axis=1)
    for k in np.argsort(off, kind="stable")[:NEAREST]:
        way = _rest(values - known[k].p, region.turns) / equations.scale
        if found:
            break
        if np.linalg.norm(way) < 1e-9:
            add_poses(equations, region, found, [known[k]])
            continue
        add_poses(equations, region, found, _passes(equations, region, known[k], way, values, step))
    if known:
        add_poses(equations, region, found, (z for z in thrown(equations, known[0], values) if z is not None))
    done = 0
    width = region.width / equations.scale
    while done < len(found):
        for way in ((1.0, 0.0), (0.0, 1.0)):
            passed = _passes(equations, region, found[done], np.array(way) * width, values, step)
            add_poses(equations, region, found, passed)
        done += 1
    return found


def _rest(way: np.ndarray, turns: np.ndarray) -> np.ndarray:
    whole = np.where(turns > 0.0, turns, 1.0)
    return np.where(turns > 0.0, way - whole * np.rint(way / whole), way)


def add_poses(equations: Equations, region: Region, found: list[Point], new: Iterable[Point]) -> None:
    """Append to `found` each new pose that differs from all poses in it."""
    for z in new:
        if not any(np.linalg.norm(equations.between(one, z, region.turns)) < ALIKE for one in found):
            found.append(z)


def _passes(
    equations: Equations, region: Region, start: Point, way: np.ndarray, values: np.ndarray, step: float
) -> list[Point]:
    """The poses with these values on the line through a pose."""
    section = line(equations, region.turns, start, way)
    reach = 1.1 * region.width

    def near(before: Point, after: Point) -> bool:
        """Lines that go on round and round are not followed for ever."""
        return bool((np.abs(after.p - start.p) <= reach).all()) and region.within(before, after)

    trace = both_ways(section, Place(start, *tangent_at(section.value(start)[1], None)), step, ALONG, near)
    return _met(equations, region, trace, way, values, step)


def driven(equations: Equations, region: Region, start: Point, values: np.ndarray, step: float) -> Point | None:
    """The pose that both values lead to when they are driven on a line; None where a singular pose is on it."""
    way = (values - start.p) / equations.scale
    far = float(np.linalg.norm(way))
    if far < 1e-12:
        return start
    n, unit = equations.system.nv, way / far
    section = line(equations, region.turns, start, way)
    t, sense = tangent_at(section.value(start)[1], None)
    ahead = float(t[n:] @ unit)
    if abs(ahead) < 1e-9:
        return None
    place = Place(start, t * np.sign(ahead), sense * np.sign(ahead))

    def on(before: Point, after: Point) -> bool:
        done = float((after.p - start.p) / equations.scale @ unit)
        return done < far and done > float((before.p - start.p) / equations.scale @ unit)

    trace = traced(section, place, min(step, 1.0), 200, on)
    last, before = trace.places[-1], trace.places[-2] if len(trace.places) > 1 else trace.places[-1]
    passed = float((last.z.p - start.p) / equations.scale @ unit)
    if passed < far or (last.t[n:] @ unit) <= 0.0:
        return None
    base = float((before.z.p - start.p) / equations.scale @ unit)
    part = (far - base) / (passed - base)
    way_q = equations.system.between(before.z.q, last.z.q) * part
    near = Point(equations.system.moved(before.z.q, way_q), values.astype(float), start.u)
    return closed_pose(equations, near)


def led(seeking: Seeking, start: Point, values: np.ndarray) -> list[Point]:
    """The pose with these values that a pose is driven to on a straight line; where a singular one stops it on its way,
    all those on the line, and curves through singular poses on it are followed."""
    equations, region = seeking.equations, seeking.region
    way = _rest(values - start.p, region.turns) / equations.scale
    if np.linalg.norm(way) < 1e-9:
        return [start]
    there = driven(equations, region, start, start.p + way * equations.scale, seeking.step)
    if there is not None:
        return [there]
    trace = seeking.walk(line(equations, region.turns, start, way))
    return [] if trace is None else _met(equations, region, trace, way, values, seeking.step)


def _met(
    equations: Equations, region: Region, trace: Trace, way: np.ndarray, values: np.ndarray, step: float
) -> list[Point]:
    """The poses with these values on a line that was followed."""
    unit = way / np.linalg.norm(way)

    def ahead(place: Place) -> float:
        return float(_rest(place.z.p - values, region.turns) / equations.scale @ unit)

    offs = np.array([ahead(place) for place in trace.places])
    found = []
    for k in range(len(trace.steps)):
        if abs(offs[k]) + abs(offs[k + 1]) < 4.0 * step and offs[k] * offs[k + 1] <= 0.0:
            try:
                z = trace.zero(k, offs[k], offs[k + 1], ahead)[1].z
            except ArithmeticError:
                continue
            if np.abs(_rest(z.p - values, region.turns) / equations.scale).max() > 1e-9:
                continue
            whole = values + (z.p - values - _rest(z.p - values, region.turns))
            there = closed_pose(equations, z._replace(p=whole))
            if there is not None:
                found.append(there)
    return found


def met(equations: Equations, region: Region, near: Point, values: np.ndarray, most: int = MOST) -> list[Point]:
    """Return the poses with these values to which Newton's method converges from random placements of the bodies. The
    trials end when each pose was found `AGAIN` times: further poses are unlikely then."""
    found: list[Point] = []
    times: list[int] = []
    for count, z in enumerate(thrown(equations, near, values, most), 1):
        if z is not None:
            known = [bool(np.linalg.norm(equations.between(one, z, region.turns)) < ALIKE) for one in found]
            if any(known):
                times[known.index(True)] += 1
            else:
                found.append(z)
                times.append(1)
        if count >= LEAST and min(times, default=AGAIN) >= AGAIN:
            break
    return found
