"""Curves in the plane of the two values, exact at every point: their crossings, and the pieces between crossings.

A curve is a sequence of segments; at(k, x) gives the point a part x, 0 to 1, along segment k, and its derivative by x.
Between two places of a followed curve the mechanism's equations determine the curve; the polygon is a first guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebint, chebmul, chebsub, chebval, chebvander

from ...tolerances import (
    ARC_DISTANCE,
    ARC_NOISE,
    ARC_STEP,
    AREA_AGREEMENT,
    CONTACT_PLACE,
    CORNER_DISTANCE,
    INTERPOLATION_STEP,
    PLANE_DISTANCE,
    SEGMENT_END,
    TOUCH_SINE,
)
from ..following.tracing import Trace, TracePlace

ROUNDS = 20
SAG = 0.044
"""The height of an arc over its chord, as a part of the chord: that of a circle whose tangent turns by 0.35 rad."""
FLAT, FEET = 0.4, 4
"""The tangents of two arcs that each turn by 0.35 rad may be parallel somewhere if the angle of their chords (its sine)
is smaller, so that the arcs may touch, or cross twice; and the number of steps of Newton's method to a foot."""
FEW = 4
"""Least number of sides in the polygon of a piece, so that a region between two pieces has an area."""
NODES = 9
HALVINGS = 8
"""Where the polynomials through 9 and 5 points of a part give areas that agree within AGREE, the one through 9 is exact
to roundoff; else the part is halved, at most HALVINGS times."""
PAIRS = 100_000
"""Greatest number of pairs of points and segments that are compared at once, so that their distances need little
memory."""


class Spot(NamedTuple):
    """A place on a curve: its segment, and the part of it."""

    k: int
    x: float

    @property
    def along(self) -> float:
        return self.k + self.x


class Cubic(NamedTuple):
    """The coefficients of 1, x, x², x³, each a point x + iy of the plane."""

    a: complex
    b: complex
    c: complex
    d: complex


def hermite(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> Cubic:
    """Return the cubic through two points with these derivatives there."""
    (p, dp), (g, dg) = ([complex(*own) for own in end] for end in (one, other))
    return Cubic(p, dp, 3.0 * (g - p) - 2.0 * dp - dg, 2.0 * (p - g) + dp + dg)


class PlaneCurve(Protocol):
    """A curve with its `points`, (segments + 1, 2); whether it is `closed`; its `corners`, where it turns back; and its
    owner, `tag`."""

    @property
    def points(self) -> np.ndarray: ...
    @property
    def closed(self) -> bool: ...
    @property
    def corners(self) -> Sequence[Spot]: ...
    @property
    def tag(self) -> Any: ...

    def at(self, k: int, x: float) -> tuple[np.ndarray, np.ndarray]: ...
    def cubic(self, k: int) -> Cubic:
        """Return the cubic through both ends of a segment with the derivatives there: a first guess of the curve."""


@dataclass(frozen=True, eq=False)
class TracedCurve:
    """The picture of a trace in the plane of its own values, shifted by whole turns."""

    trace: Trace
    scale: np.ndarray
    shift: np.ndarray
    tag: Any
    corners: tuple[Spot, ...] = ()
    memory: dict[tuple[int, float], tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    cubics: dict[int, Cubic] = field(default_factory=dict)
    interpolated: set[int] = field(default_factory=set)
    """Numbers of the segments in which the equations could not be solved, so that points are interpolated."""

    @cached_property
    def points(self) -> np.ndarray:
        return np.array([place.z.p for place in self.trace.places]) / self.scale + self.shift

    @cached_property
    def closed(self) -> bool:
        """Whether the picture is closed as well: both ends of the trace may be whole turns apart."""
        return self.trace.closed and bool(np.abs(self.points[0] - self.points[-1]).max() < PLANE_DISTANCE)

    def place(self, along: float) -> TracePlace:
        """Return the pose so many segments along the curve; an interpolated one where equations are not solved."""
        k = min(int(along), len(self.trace.steps) - 1)
        if (solved := self._solved(k, along - k)) is not None:
            return solved
        near, point = self.trace.places[k + int(along - k > 0.5)], point_near(self, k, along - k)[0]
        return near._replace(z=near.z._replace(p=(np.array([point.real, point.imag]) - self.shift) * self.scale))

    def _solved(self, k: int, x: float) -> TracePlace | None:
        """Return the place a part of segment k along it; None where equations are not solved, which is remembered."""
        try:
            return self.trace.places[k + 1] if x == 1.0 else self.trace.inside(k, x * self.trace.steps[k])
        except ArithmeticError:
            self.interpolated.add(k)
            return None

    def at(self, k: int, x: float) -> tuple[np.ndarray, np.ndarray]:
        if (k, x) not in self.memory:
            if (place := self._solved(k, x)) is not None:
                self.memory[k, x] = place.z.p / self.scale + self.shift, self._rate(k, place)
            else:
                point, rate = point_near(self, k, x)
                self.memory[k, x] = np.array([point.real, point.imag]), np.array([rate.real, rate.imag])
        return self.memory[k, x]

    def cubic(self, k: int) -> Cubic:
        if k not in self.cubics:
            ends = ((self.points[j], self._rate(k, self.trace.places[j])) for j in (k, k + 1))
            self.cubics[k] = hermite(*ends)
        return self.cubics[k]

    def _rate(self, k: int, place: TracePlace) -> np.ndarray:
        """Return the derivative of the point by the part of segment k."""
        own = place.t[: len(place.t) - len(place.z.u)][-2:]
        return np.asarray(own * self.trace.steps[k] / float(place.t @ self.trace.places[k].t))


@dataclass(frozen=True, eq=False)
class Straight:
    """One side of the rectangle."""

    points: np.ndarray
    tag: Any
    closed: bool = False
    corners: tuple[Spot, ...] = ()

    def at(self, k: int, x: float) -> tuple[np.ndarray, np.ndarray]:
        way = self.points[k + 1] - self.points[k]
        return self.points[k] + x * way, way

    def cubic(self, k: int) -> Cubic:
        return hermite(self.at(k, 0.0), self.at(k, 1.0))


@dataclass(frozen=True, eq=False)
class CurvePiece:
    """A part of a curve between two vertices, in one range of the curve or (through its first place) two."""

    curve: PlaneCurve
    ranges: tuple[tuple[float, float], ...]
    first: int
    last: int

    @cached_property
    def points(self) -> np.ndarray:
        rows: list[np.ndarray] = []
        for low, high in self.ranges:
            inner: Sequence[float] = range(int(np.floor(low)) + 1, int(np.ceil(high)))
            if len(inner) + 1 < FEW:
                inner = sorted({*inner, *np.linspace(low, high, FEW + 1)[1:-1].tolist()})
            rows += [self.curve.at(*spot_at(self.curve, along))[0] for along in (low, *inner, high)]
        return np.array(rows)

    @property
    def half(self) -> Spot:
        """The spot in the middle of its longer range."""
        low, high = max(self.ranges, key=lambda pair: pair[1] - pair[0])
        return spot_at(self.curve, 0.5 * (low + high))

    def middle(self) -> np.ndarray:
        return self.curve.at(*self.half)[0]

    @property
    def is_interpolated(self) -> bool:
        """Whether its curve is known to be interpolated in a segment of it."""
        segments = getattr(self.curve, "interpolated", ())
        return any(low < k + 1 and k < high for low, high in self.ranges for k in segments)

    @cached_property
    def area(self) -> float:
        """The integral ½ ∫ x dy - y dx over the piece, segment by segment."""
        total = 0.0
        for low, high in self.ranges:
            cuts = [low, *range(int(np.floor(low)) + 1, int(np.ceil(high))), high]
            for a, b in zip(cuts, cuts[1:], strict=False):
                total += _swept(self.curve, int(np.floor(0.5 * (a + b))), a, b, HALVINGS)
        return float(total)


def _swept(curve: PlaneCurve, k: int, a: float, b: float, halvings: int) -> float:
    """Return ½ ∫ x dy - y dx along a part of segment k, from the polynomials through its points at Chebyshev's
    nodes."""
    middle, half = 0.5 * (a + b), 0.5 * (b - a)
    nodes = -np.cos(np.linspace(0.0, np.pi, NODES))
    nodes[NODES // 2] = 0.0
    points = np.array([curve.at(k, middle + half * node - k)[0] for node in nodes])

    def area(nodes: np.ndarray, points: np.ndarray) -> float:
        x, y = np.linalg.solve(chebvander(nodes, len(nodes) - 1), points).T
        rates = chebsub(chebmul(x, chebder(y)), chebmul(y, chebder(x)))
        return 0.5 * float(chebval(1.0, chebint(rates, lbnd=-1.0)))

    fine = area(nodes, points)
    if halvings == 0 or abs(fine - area(nodes[::2], points[::2])) < AREA_AGREEMENT:
        return fine
    return _swept(curve, k, a, middle, halvings - 1) + _swept(curve, k, middle, b, halvings - 1)


def spot_at(curve: PlaneCurve, along: float) -> Spot:
    """Return the spot so many segments along a curve; ends of segments are exact."""
    total = len(curve.points) - 1
    along = along % total if curve.closed and not 0.0 <= along <= total else min(max(along, 0.0), float(total))
    k = min(int(along), total - 1)
    return Spot(k, along - k)


def point_near(curve: PlaneCurve, k: int, x: float, exact: bool = False) -> tuple[complex, complex]:
    """Return a point x + iy of a curve and its derivative by the part of a segment: on the interpolated curve or, with
    `exact`, on the curve itself."""
    if exact:
        point, rate = curve.at(k, x)
        return complex(*point), complex(*rate)
    a, b, c, d = curve.cubic(k)
    return a + x * (b + x * (c + x * d)), b + x * (2.0 * c + x * 3.0 * d)


# --- crossings of curves ----------------------------------------------------------------------------------------------


def crossings(curves: Sequence[PlaneCurve]) -> list[tuple[int, Spot, int, Spot]]:
    """Return the points in which curves cross or touch each other and themselves: the number of one curve and the spot
    on it, the number of the other and the spot there."""
    owner = np.concatenate([np.full(len(c.points) - 1, i) for i, c in enumerate(curves)])
    number = np.concatenate([np.arange(len(c.points) - 1) for c in curves])
    a = np.concatenate([c.points[:-1] for c in curves])
    b = np.concatenate([c.points[1:] for c in curves])
    found: list[tuple[int, Spot, int, Spot]] = []
    touching: list[tuple[int, Spot, int, Spot]] = []
    for i, j, x, y, sine in _polygon_crossings(a, b):
        one, other, k, m = curves[owner[i]], curves[owner[j]], int(number[i]), int(number[j])
        if owner[i] == owner[j] and (
            abs(k - m) < 2 or (one.closed and {k, m} == {0, len(one.points) - 2})
        ):  # segments next to each other
            continue
        if sine > FLAT:
            spots = _refined(one, Spot(k, x), other, Spot(m, y))
            meetings = Meetings([spots] if spots else [], [])
        else:
            meetings = _meetings(one, k, other, m)
        found += [(int(owner[i]), s, int(owner[j]), r) for s, r in meetings.crossings]
        touching += [(int(owner[i]), s, int(owner[j]), r) for s, r in meetings.contacts]
    # one vertex where more than two curves touch, or two curves in different passes
    known = [curves[i].at(*s)[0] for i, s, _, _ in found] + [c.at(*spot)[0] for c in curves for spot in c.corners]
    for i, s, j, r in touching:
        point, rate = curves[i].at(*s)
        e = rate / max(np.linalg.norm(rate), 1e-300)
        ways = np.array(known).reshape(-1, 2) - point
        along, across = np.abs(ways @ e), np.abs(ways @ [-e[1], e[0]])
        if not ((along < CONTACT_PLACE) & (across < 10.0 * PLANE_DISTANCE)).any():
            known.append(point)
            found.append((i, s, j, r))
    return found


class Meetings(NamedTuple):
    """The pairs of spots in which two segments cross, and those in which they touch."""

    crossings: list[tuple[Spot, Spot]]
    contacts: list[tuple[Spot, Spot]]


def _meetings(one: PlaneCurve, k: int, other: PlaneCurve, m: int) -> Meetings:
    """Return the spots in which segment k of one curve and segment m of another cross, and those in which they touch.
    The segments are nearly parallel, so they may cross twice.

    Let d(x) be the signed distance of the point x of the first arc from the second arc, whose foot is y(x). With the
    unit tangent e of the second arc there, d' = e × p'(x). So d is monotone between zeros of d': between an end of the
    length on which the arcs run side by side, a zero of d', and the other end there is one crossing where d changes its
    sign, and none where it does not. The arcs touch where d and d' are both zero. Interpolated curves are used where d
    is larger than ten times their error, and the curves themselves where it is not; arcs along which it is nowhere lie
    on each other, and have no crossing. Arcs are prolonged a little beyond their segments, but not beyond a corner,
    which is a vertex anyway."""

    def bounds(curve: PlaneCurve, number: int) -> tuple[float, float]:
        """Return the parts of a segment between which its arc is used."""
        total = len(curve.points) - 1
        corners = {round(spot.along) % total for spot in curve.corners}
        return (
            CORNER_DISTANCE if number in corners else -0.1,
            1.0 - CORNER_DISTANCE if (number + 1) % total in corners else 1.1,
        )

    ends = {(id(curve), number): bounds(curve, number) for curve, number in ((one, k), (other, m))}

    def foot_of(point: complex, curve: PlaneCurve, number: int, part: float, exact: bool) -> float:
        """Return the part of a segment that is nearest to a point, by Newton's method from another part."""
        low, high = ends[id(curve), number]
        for _ in range(FEET):
            here, rate = point_near(curve, number, part, exact)
            part += ((point - here) * rate.conjugate()).real / max(abs(rate) ** 2, 1e-300)
            part = min(max(part, low), high)
        return part

    def distance(x: float, exact: bool, near: float = 0.5) -> tuple[float, float, float]:
        """Return y(x), d(x) and d'(x)."""
        point, speed = point_near(one, k, x, exact)
        y = foot_of(point, other, m, near, exact)
        here, rate = point_near(other, m, y, exact)
        e = rate.conjugate() / max(abs(rate), 1e-300)
        return y, (e * (point - here)).imag, (e * speed).imag

    def zero(low: float, high: float, which: int, exact: bool) -> float:
        """Return the x between two others at which d (1) or d' (2) is zero, by secants in a bracket."""
        f, g = (distance(x, exact)[which] for x in (low, high))
        best = low if abs(f) < abs(g) else high
        for _ in range(ROUNDS):
            if f * g >= 0.0 or high - low < ARC_STEP:
                break
            before, best = best, high - g * (high - low) / (g - f)
            value = distance(best, exact)[which]
            if value * f > 0.0:
                low, f, g = best, value, 0.5 * g
            else:
                high, g, f = best, value, 0.5 * f
            if value == 0.0 or abs(best - before) < (ARC_STEP if exact else INTERPOLATION_STEP):
                break
        return best

    low, high = sorted(foot_of(point_near(other, m, y)[0], one, k, 0.5, False) for y in ends[id(other), m])
    if low >= high:
        return Meetings([], [])
    error = 10.0 * (_interpolation_error(one, k) + _interpolation_error(other, m) + PLANE_DISTANCE)
    nodes = [low, 0.5 * (low + high), high]
    _, off, rates = (list(row) for row in zip(*(distance(x, False) for x in nodes), strict=True))
    if np.abs(off).max() < error:  # the arcs coincide
        return Meetings([], [])
    turning = [x for x, rate in zip(nodes, rates, strict=True) if rate == 0.0]
    for (a, b), (f, g) in zip(pairwise(nodes), pairwise(rates), strict=True):
        if f * g < 0.0:
            turning.append(zero(a, b, 2, False))
    nodes = sorted({low, *turning, high})
    off = [distance(x, False)[1] for x in nodes]
    exact = [abs(d) < error for d in off]
    found = Meetings([], [])
    for j in np.flatnonzero(exact):
        turns = nodes[j] in turning
        if turns:
            span = 0.1 * (high - low)
            nodes[j] = zero(max(low, nodes[j] - span), min(high, nodes[j] + span), 2, True)
        y, off[j], _ = distance(nodes[j], True)
        if abs(off[j]) < PLANE_DISTANCE:
            off[j] = 0.0
            if turns and -SEGMENT_END <= nodes[j] <= 1.0 + SEGMENT_END and -SEGMENT_END <= y <= 1.0 + SEGMENT_END:
                found.contacts.append((spot_at(one, k + nodes[j]), spot_at(other, m + y)))
    for (a, b), (f, g), close in zip(pairwise(nodes), pairwise(off), pairwise(exact), strict=True):
        if f * g < 0.0:
            x = zero(a, b, 1, any(close))
            spots = _refined(one, Spot(k, x), other, Spot(m, distance(x, False)[0]))
            if spots is not None:
                found.crossings.append(spots)
    return found


def _interpolation_error(curve: PlaneCurve, k: int) -> float:
    """Return a bound for the distance of the cubic of segment k from its arc: four times that in the middle."""
    (point, _), (near, rate) = point_near(curve, k, 0.5, exact=True), point_near(curve, k, 0.5)
    return 4.0 * abs((rate.conjugate() * (point - near)).imag) / max(abs(rate), 1e-300)


def _polygon_crossings(a: np.ndarray, b: np.ndarray) -> list[tuple[int, int, float, float, float]]:
    """Return (i, j, x, y, sine) for the pairs of segments that cross or nearly do. An arc departs from its chord by up
    to `SAG` of it, so the crossing of two arcs may differ from that of their chords by up to both departures / sine."""
    low, high, ways, found = np.minimum(a, b), np.maximum(a, b), b - a, list[tuple[int, int, float, float, float]]()
    sizes = np.linalg.norm(ways, axis=1)
    slack = SAG * sizes
    for i in range(len(a) - 1):
        wide = slack[i] + slack[i + 1 :, None]
        near = ((low[i + 1 :] - wide <= high[i]) & (high[i + 1 :] + wide >= low[i])).all(axis=1)
        j = np.flatnonzero(near) + i + 1
        (dx, dy), (ex, ey), (cx, cy) = ways[i], ways[j].T, (a[j] - a[i]).T
        det = dy * ex - dx * ey
        sine = np.abs(det) / np.maximum(sizes[i] * sizes[j], 1e-300)
        parallel = sine <= TOUCH_SINE
        det, steep = np.where(parallel, 1.0, det), np.where(parallel, 1.0, sine)
        x, y = (cy * ex - cx * ey) / det, (dx * cy - dy * cx) / det
        reach = (slack[i] + slack[j]) / steep
        room, room_of_other = (0.1 + reach / np.maximum(size, 1e-300) for size in (sizes[i], sizes[j]))
        crosses = (-room <= x) & (x <= 1.0 + room) & (-room_of_other <= y) & (y <= 1.0 + room_of_other)
        x, y = (np.where(parallel, 0.5, np.clip(part, 0.0, 1.0)) for part in (x, y))
        sine = np.where(parallel, 0.0, sine)
        some = parallel | crosses
        found += [(i, *one) for one in zip(*(row[some].tolist() for row in (j, x, y, sine)), strict=True)]
    return found


def _refined(one: PlaneCurve, s: Spot, other: PlaneCurve, r: Spot) -> tuple[Spot, Spot] | None:
    """Return the crossing near two spots, by Newton's method, first on interpolated curves, which is cheap, then on the
    curves themselves; None if there is none."""
    x, y, size = s.x, r.x, 1.0
    for exact in (False, True):
        before = np.inf
        for _ in range(ROUNDS):
            (p, dp), (g, dg) = point_near(one, s.k, x, exact), point_near(other, r.k, y, exact)
            across = (dp.conjugate() * dg).imag
            if abs(across) <= TOUCH_SINE * abs(dp) * abs(dg):
                return None
            steps = [((g - p).conjugate() * rate).imag / across for rate in (dg, dp)]
            x, y, size = x + steps[0], y + steps[1], max(map(abs, steps))
            if not (-0.2 <= x <= 1.2 and -0.2 <= y <= 1.2):
                return None
            if size < (ARC_STEP if exact else INTERPOLATION_STEP) or (size < ARC_NOISE and size > 0.25 * before):
                break
            before = size
    inside = -1e-9 <= x <= 1.0 + 1e-9 and -1e-9 <= y <= 1.0 + 1e-9
    return (Spot(s.k, _within(x)), Spot(r.k, _within(y))) if inside else None


def _within(x: float) -> float:
    """Return a part of a segment, with parts near its ends replaced by the ends."""
    return 0.0 if x < 1e-9 else 1.0 if x > 1.0 - 1e-9 else float(x)


def _chords(curve: PlaneCurve, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for points and the chords of all segments, (points, segments): the part of the chord that is nearest, and
    its distance; and the greatest distance of each arc from its chord, (segments,)."""
    a, b = curve.points[:-1], curve.points[1:]
    way = b - a
    square = np.maximum((way**2).sum(axis=1), 1e-300)
    x = np.clip(((points[:, None] - a) * way).sum(axis=2) / square, 0.0, 1.0)
    off = np.linalg.norm(a + x[:, :, None] * way - points[:, None], axis=2)
    return x, off, 0.1 * np.sqrt(square) + PLANE_DISTANCE


def points_near(curve: PlaneCurve, points: np.ndarray) -> np.ndarray:
    """Return a mask of the points that may have feet on a curve, (points,)."""
    if not len(points):
        return np.zeros(0, dtype=bool)
    blocks = np.array_split(points, 1 + len(points) * len(curve.points) // PAIRS)
    return np.concatenate([(off <= reach).any(axis=1) for _, off, reach in (_chords(curve, some) for some in blocks)])


def feet(
    curve: PlaneCurve, point: np.ndarray, ranges: Sequence[tuple[float, float]] = (), but: Sequence[float] = ()
) -> list[tuple[Spot, float]]:
    """Return the feet of the perpendiculars from a nearby point to a curve, or to these ranges of it, and their
    distances from the point. Feet within half a segment of the places `but` are left out, unless a corner lies between:
    in a corner the curve turns back, and may pass the point again."""
    x, off, reach = _chords(curve, point[None])
    x, off = x[0], off[0]
    if ranges:
        number = np.arange(len(off))
        off[~np.any([(number + 1.0 > low) & (number < high) for low, high in ranges], axis=0)] = np.inf
    before, after = np.append(np.inf, off[:-1]), np.append(off[1:], np.inf)
    corners = [round(spot.along) for spot in curve.corners]
    for k in corners:
        before[k : k + 1], after[k - 1 : k] = np.inf, np.inf

    def same(along: float, other: float, room: float) -> bool:
        """Return whether two places differ by less than `room`, without a corner between them."""
        low, high = sorted((along, other))
        return high - low < room and not any(low < k < high for k in corners)

    found = []
    for k in np.flatnonzero((off <= reach) & (off <= before) & (off <= after)).tolist():
        if any(same(along, k + float(x[k]), 0.4) for along in but):  # the foot on the chord is a little off
            continue
        spot, far = _foot_on(curve, k, float(x[k]), point)
        if ranges and not any(low <= spot.along <= high for low, high in ranges):  # outside of a range
            continue
        if not any(same(along, spot.along, 0.5) for along in but):
            found.append((spot, far))
    return found


def foot(curve: PlaneCurve, point: np.ndarray, ranges: Sequence[tuple[float, float]] = ()) -> tuple[Spot, float] | None:
    """Return the nearest of the feet of a point on a curve, with its distance; None if there is none."""
    return min(feet(curve, point, ranges), key=lambda one: one[1], default=None)


def _foot_on(curve: PlaneCurve, k: int, part: float, point: np.ndarray) -> tuple[Spot, float]:
    """Return the foot of a point on segment k with its distance, by Newton's method: first on the interpolated curve;
    on the curve itself only where that comes near."""
    there = complex(*point)
    for exact in (False, True):
        before = np.inf
        for _ in range(ROUNDS):
            here, rate = point_near(curve, k, part, exact)
            step = ((there - here) * rate.conjugate()).real / max(abs(rate) ** 2, 1e-300)
            moved = min(max(part + step, 0.0), 1.0)
            part, size = moved, abs(moved - part)
            if size < (ARC_STEP if exact else INTERPOLATION_STEP) or (size < ARC_NOISE and size > 0.25 * before):
                break
            before = size
        off = abs(point_near(curve, k, part)[0] - there)
        if not exact and off > ARC_DISTANCE:
            return Spot(k, _within(part)), off
    part = _within(part)
    return Spot(k, part), float(np.linalg.norm(curve.at(k, part)[0] - point))
