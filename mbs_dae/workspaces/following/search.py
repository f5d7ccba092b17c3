"""Search singular curves, by sections through known poses, across the whole region, in several directions.

Along a section the smallest singular value of the rows has a least value where a singular pose is near. From there
Newton's method goes to the singular pose, and the curve through it is followed, unless it is known already. Further
sections start from poses on the sections, so that all connected poses are covered: not by pixels, nor by chance. A
closed curve between sections is found from a pose in which a curve of the other kind meets it, or from a corner in
which another curve of its own kind meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic

import numpy as np
from scipy.linalg import eig

from ...progress import Progress, ignore_progress
from ...tolerances import DETERMINANT_FLOOR, ISOLATED_POSE, REAL_ROOT, SAME_POSE, SINGULAR_RANK
from .equations import PlaneEquations, PosePoint, without_turns
from .problems import Section, Singular, close_with_values, line, smallest, throw_poses
from .tracing import LEFT, LONG, SURFACE, Trace, TracePlace, place_ahead, tangent_at, trace_curve

MOST = 3000
"""Greatest number of places of a curve."""
ALONG = 1500
"""Greatest number of places of a section."""
SHEET = 3
"""Number of curves without an end within `MOST` places from which singular poses count as a surface, and the search for
curves ends."""
MARGIN = 0.1
"""Distance outside the rectangle up to which curves are followed, relative to its width."""
ACROSS = 5
"""Number of strips of the region across each value; sections in the middles of strips cover all connected poses."""
NET = 100
"""Greatest number of these sections along each value."""
ASIDE = 0.5
"""Distance from a corner, in steps, at which other curves through the corner are sought."""
CLIMBS, STEEP = 200, 0.02
"""Greatest number of steps of a climb, and the least gain of a step, relative to its length."""
MIXED = 24
"""Number of random sections, where a freedom is left besides the values."""


class SearchTimeout(Exception):
    """The time of a search is over, and it has no result without the rest."""


@dataclass(frozen=True, eq=False)
class Region:
    """The requested rectangle of the values. Curves are followed up to MARGIN outside."""

    low: np.ndarray
    high: np.ndarray
    turns: np.ndarray
    """The period of each value of the workspace, in its unit; 0 for a value that does not repeat."""

    @property
    def width(self) -> np.ndarray:
        return self.high - self.low

    def beyond(self, p: np.ndarray) -> np.ndarray:
        """Return the distance of values from the rectangle, relative to its widths; 0 for angles, which repeat after a
        turn."""
        out = np.maximum(self.low - p, p - self.high) / self.width
        return np.where(self.turns > 0.0, 0.0, np.maximum(out, 0.0))

    def outside(self, point: PosePoint) -> float:
        """Return the distance of a point from the rectangle, relative to its width."""
        return float(self.beyond(point.p).max())

    def within(self, before: PosePoint, after: PosePoint) -> bool:
        """Return whether a curve is near enough to the rectangle to go on, or approaches it."""
        there = self.outside(after)
        return there < MARGIN or there < self.outside(before)

    def holds(self, p: np.ndarray) -> bool:
        """Return whether values are in the rectangle, up to whole turns."""
        near, room = self.nearest(p), 1e-9 * self.width
        return bool(((near >= self.low - room) & (near <= self.high + room)).all())

    def nearest(self, p: np.ndarray) -> np.ndarray:
        """Return the values with the whole turns that bring them nearest to the middle."""
        middle, turn = 0.5 * (self.low + self.high), np.where(self.turns > 0.0, self.turns, 1.0)
        whole = np.rint((p - middle) / turn)
        return np.where(self.turns > 0.0, p - whole * turn, p)

    def shifts(self, values: np.ndarray, turns: np.ndarray | None = None) -> list[np.ndarray]:
        """Return the whole turns that bring a curve into the rectangle."""
        turns, numbers = self.turns if turns is None else turns, []
        for turn, least, most, low, high in zip(
            turns, values.min(axis=0), values.max(axis=0), self.low, self.high, strict=True
        ):
            if turn > 0.0:
                first, last = np.ceil((low - most) / turn), np.floor((high - least) / turn)
                numbers.append([turn * n for n in range(int(first), int(last) + 1)])
            else:
                numbers.append([0.0] if least <= high and most >= low else [])
        return [np.array([a, b]) for a in numbers[0] for b in numbers[1]]


@dataclass(frozen=True, eq=False)
class ProjectedRegion(Region):
    """A rectangle of values that are not those of the points: `read` computes them from the pose of a point."""

    own_turns: np.ndarray
    read: Callable[[np.ndarray], np.ndarray]

    def outside(self, point: PosePoint) -> float:
        values = self.read(point.q)
        out = np.maximum(np.maximum(self.low - values, values - self.high) / self.width, 0.0)
        return float(np.where(self.own_turns > 0.0, 0.0, out).max())


@dataclass(eq=False)
class CurveSearch:
    """The state of a search: its curves and sections so far."""

    equations: PlaneEquations
    region: Region
    step: float
    curves: list[Trace] = field(default_factory=list)
    sections: list[Trace] = field(default_factory=list)
    branched: int = 0
    """The number of curves whose corners were searched."""
    fragments: set[int] = field(default_factory=set)
    """The numbers of curves that lie on a surface of singular poses. Everywhere on it other curves begin, so fragments
    are followed at distances of `step`, and not from their corners."""
    watch: Progress = ignore_progress
    """A function that the search calls with the number of finished sections and curves and the number of known ones;
    later with those of regions."""
    end: float = np.inf
    """The time, by `time.monotonic`, at which no further section, curve or count begins."""

    @property
    def is_late(self) -> bool:
        return monotonic() > self.end

    def check_time(self) -> None:
        """Raise SearchTimeout if the time is over."""
        if self.is_late:
            raise SearchTimeout

    @cached_property
    def singular(self) -> Singular:
        return Singular(self.equations, self.region.turns)

    @property
    def freedom(self) -> int:
        """The freedom with both values held."""
        return self.equations.system.nv - len(self.equations.rows)

    def walk(self, section: Section) -> Trace | None:
        """Follow the poses along a section, and the curves through singular poses near it; return the section's trace,
        None if it has fewer than three places."""
        start = TracePlace(section.base, *tangent_at(section.value(section.base)[1], None))
        reach = 1.1 * self.region.width

        def near(before: PosePoint, after: PosePoint) -> bool:
            """Return whether a line goes on: lines that revolve are not followed without end."""
            return bool((np.abs(after.p - section.base.p) <= reach).all()) and self.region.within(before, after)

        trace = trace_curve(section, start, self.step, ALONG, near)
        if len(trace.places) < 3:
            return None
        self.sections.append(trace)
        self.watch(len(self.sections) + self.branched, len(self.sections) + len(self.curves) + 1)
        sizes = np.array([smallest(self.equations.at(place.z).J) for place in trace.places])
        for place in (*self._turning(section, trace), *(trace.places[k] for k in dips(sizes, trace.closed))):
            self.follow(place.z)
        return trace

    def _turning(self, section: Section, trace: Trace) -> list[TracePlace]:
        """Return the poses at which a line in the plane turns back, approximately: near each there is a singular pose,
        on a curve."""
        n = self.equations.system.nv
        if self.freedom > 0 or len(section.A) != 1 or section.A[0, :n].any():
            return []
        unit, found = np.array([section.A[0, n + 1], -section.A[0, n]]), []
        rates = np.array([float(place.t[n:] @ unit) for place in trace.places])
        for k in np.flatnonzero(rates[:-1] * rates[1:] < 0.0).tolist():
            there = place_ahead(section, trace.places[k], trace.steps[k] * rates[k] / (rates[k] - rates[k + 1]))
            found.append(there or trace.places[k])
        return found

    @property
    def is_surface(self) -> bool:
        """Whether so many curves do not end that singular poses form a surface, as where a plane only touches the reach
        of an arm."""
        return sum(LONG in (curve.beginning, curve.ending) for curve in self.curves) >= SHEET

    def follow(self, near: PosePoint, ranks: int = 1, beside: bool = False) -> bool:
        """Follow the singular curve next to a pose, if it is a new one; with more `ranks` also the curves of the next
        singular values. From a pose in which curves cross, such as a corner, no curve is followed; all these curves are
        followed from poses `beside` it. Return whether a curve is known there, or the pose is outside the region."""
        known = False
        for rank in range(ranks):
            if self.is_surface or self.is_late:
                return known
            z = self.singular.near(near.q, near.p, rank)
            if z is None:
                continue
            lines = (curve for k, curve in enumerate(self.curves) if k not in self.fragments)
            if self.region.outside(z) > MARGIN or any(self.lies_on(curve, z) for curve in lines):
                known = True
                continue
            J = self.singular.ranked(self.equations.at(z))
            sizes = np.linalg.svd(J, compute_uv=False)
            independent = int((sizes < SINGULAR_RANK * sizes[0]).sum()) + max(0, len(J) - J.shape[1])
            if independent == 2 <= len(J) <= J.shape[1] and not beside:  # two u with Jᵀ u = 0: a corner
                known |= any([self.follow(pose, beside=True) for pose in self._beside(z)])
            if independent != 1:
                continue
            ways = [] if beside else self.singular.ways(z)
            if ways:
                steps = [side * self.step * ASIDE * way for way in ways for side in (1.0, -1.0)]
                known |= any([self.follow(self.singular.moved(z, step), beside=True) for step in steps])
                continue
            known, on_surface = True, self.singular.on_surface(z)
            if on_surface and any(self._places_near(self.curves[k], z, self.step).size for k in self.fragments):
                continue
            start = TracePlace(z, *tangent_at(self.singular.value(z)[1], None))
            # Near poses in which curves meet, residuals as small as those of z leave it open, and a closed curve would
            # not return to it: the first place has residuals as small as the others.
            settled = None if on_surface else place_ahead(self.singular, start, 0.0)
            if settled and np.linalg.norm(self.singular.between(z, settled.z)) < self.step * ASIDE:
                start = settled
            within = self._within_fragment(z) if on_surface else self.region.within
            trace = trace_curve(self.singular, start, self.step, MOST, within)
            if on_surface:
                ends = [SURFACE if why == LEFT else why for why in (trace.beginning, trace.ending)]
                trace = replace(trace, beginning=ends[0], ending=ends[1])
            if len(trace.places) > 1 or not any(self._is_place(curve, z) for curve in self.curves):
                self.fragments |= {len(self.curves)} if on_surface else set()
                self.curves.append(trace)
        return known

    def _within_fragment(self, z: PosePoint) -> Callable[[PosePoint, PosePoint], bool]:
        """Return whether a curve on a surface of singular poses goes on from one point to the next: until it comes
        nearer than a step to points that it has left behind by two steps and more."""
        left, recent = list[PosePoint](), list[PosePoint]()

        def is_away(one: PosePoint, there: PosePoint, steps: float) -> bool:
            return float(np.linalg.norm(self.singular.between(one, there))) >= steps * self.step

        def within(before: PosePoint, after: PosePoint) -> bool:
            if before is z:  # a way from the first point begins
                left[:] = [one for one in (*left, *recent) if is_away(one, z, 2.0)]
                recent.clear()
            recent.append(before)
            while recent and is_away(recent[0], after, 2.0):
                left.append(recent.pop(0))
            return self.region.within(before, after) and all(is_away(one, after, 1.0) for one in left)

        return within

    def branch(self) -> None:
        """Follow the singular curves through the corners of known curves, until none is new."""
        singular, equations = self.singular, self.equations

        def second(place: TracePlace) -> float:
            return float(np.linalg.svd(singular.ranked(equations.at(place.z)), compute_uv=False)[-2]) * place.sense

        while self.branched < len(self.curves) and not self.is_late:
            curve = self.curves[self.branched]
            self.branched += 1
            self.watch(len(self.sections) + self.branched, len(self.sections) + len(self.curves) + 1)
            if self.branched - 1 in self.fragments:
                continue
            m, n = singular.ranked(equations.at(curve.places[0].z)).shape
            for k in curve.passed if 2 <= m <= n else ():
                _, _, corner = curve.zero_in(k, second(curve.places[k]), second(curve.places[k + 1]), second)
                for pose in self._beside(corner.z):
                    self.follow(pose, beside=True)

    def _beside(self, corner: PosePoint) -> Iterator[PosePoint]:
        """Yield poses near a corner of singular curves, next to all singular curves through it.

        In a corner Jᵀ u = 0 for each u = N a with two columns of N, and J V = 0. A singular curve through it goes along
        (dx, dp) = T b, with [J P] T = 0, where Vᵀ [H(N a) K(N a)] T b = 0 as well: so b is an eigenvector of the
        pencil of both matrices Vᵀ [H(n) K(n)] T, and each eigenvalue a₂/a₁ has a curve of its own. In a corner the
        sense of the determinant changes, and the second smallest singular value is zero."""
        singular, equations = self.singular, self.equations
        terms = equations.at(corner)
        left, _, right = np.linalg.svd(singular.ranked(terms))
        V, rows = right[left.shape[0] - 2 :].T, np.hstack([terms.J, terms.P])
        T = np.linalg.svd(rows)[2][len(rows) :].T
        bent = [equations.at(corner._replace(u=u.copy())) for u in left[:, -2:].T]
        rates, eigenvectors = eig(*(V.T @ np.hstack([one.H, one.K]) @ T for one in bent))
        for rate, b in zip(rates, eigenvectors.T, strict=True):
            if abs(rate.imag) > REAL_ROOT * abs(rate) or not np.isfinite(b).all():
                continue
            b = (b / b[np.abs(b).argmax()]).real
            shift = T @ b / np.linalg.norm(b) * self.step * ASIDE
            for step in (shift, -shift):
                yield equations.moved(corner, np.append(step, np.zeros(corner.u.size)))

    def _is_place(self, curve: Trace, z: PosePoint) -> bool:
        """Return whether a pose is the only place of a curve that could not be followed."""
        off = self.singular.between(curve.places[0].z, z)
        return len(curve.places) == 1 and bool(np.linalg.norm(off) < ISOLATED_POSE)

    def _places_near(self, curve: Trace, z: PosePoint, distance: float | np.ndarray) -> np.ndarray:
        """Return the numbers of the places of a curve that are nearer to a pose with its values than a distance, or
        than a distance for each place; the nearest place first."""
        turns, (q, p) = self.region.turns, curve.points
        distance = np.broadcast_to(distance, len(p))
        shifts = without_turns(p - z.p, turns) / self.equations.scale
        near = np.flatnonzero(np.linalg.norm(shifts, axis=1) < distance)
        if not near.size:
            return near
        here_q, here_p = (np.repeat(x[None], near.size, axis=0) for x in (z.q, z.p))
        off = self.equations.steps_between(here_q, here_p, q[near], p[near], turns)
        lengths = np.linalg.norm(off, axis=1)
        order = np.argsort(lengths, kind="stable")
        return np.asarray(near[order][(lengths < distance[near])[order]])

    def lies_on(self, curve: Trace, z: PosePoint) -> bool:
        """Return whether a pose with its values is a place of a curve: in a step that begins or ends at a place near
        it."""
        sides = zip(z.p.tolist(), *curve.box, self.equations.scale.tolist(), self.region.turns.tolist(), strict=True)
        room = 1.5 * self.step
        if any(turn == 0.0 and not low - room * unit < x < high + room * unit for x, low, high, unit, turn in sides):
            return False  # far from the whole curve
        for k in self._places_near(curve, z, np.minimum(curve.reach, 1.5 * self.step)).tolist():
            place = curve.places[k]
            own = curve.problem.between(place.z, z)
            reached = _reached(curve, place, float(own @ place.t[: own.size]), place.z.u.size)
            if reached is not None and np.linalg.norm(curve.problem.between(reached.z, z)) < SAME_POSE:
                return True
        return False


def _reached(curve: Trace, place: TracePlace, ahead: float, size: int) -> TracePlace | None:
    """Return the place of a curve whose poses and values are `ahead` of another along its tangent; None if it is not
    reached. Multipliers change as well."""
    bare = len(place.t) - size
    found, h = place, 0.0
    for _ in range(8):
        off = ahead - float(curve.problem.between(place.z, found.z) @ place.t[:bare])
        if abs(off) < 1e-12:
            return found
        rate = float(found.t[:bare] @ place.t[:bare])
        if rate <= 0.05 * float(place.t[:bare] @ place.t[:bare]):
            return None
        h += off / rate * float(found.t @ place.t)
        next_one = place_ahead(curve.problem, place, h)
        if next_one is None:
            return None
        found = next_one
    return found


def dips(sizes: np.ndarray, closed: bool) -> list[int]:
    """Return the numbers of the local minima."""
    padded = np.concatenate([[sizes[-2] if closed else np.inf], sizes, [sizes[1] if closed else np.inf]])
    least = (padded[1:-1] <= padded[:-2]) & (padded[1:-1] < padded[2:])
    return [int(k) for k in np.flatnonzero(least)]


def meetings(trace: Trace, other_kind: PlaneEquations) -> list[tuple[int, float, TracePlace]]:
    """Return the places of a curve in which the equations of the other kind lose rank as well, i.e. their determinant
    changes its sign; with each place the number of the step and the fraction of this step."""
    nothing = np.zeros(other_kind.scale.size)

    def sign(place: TracePlace) -> float:
        J = other_kind.at(PosePoint(place.z.q, nothing, np.zeros(0))).J[other_kind.ranked]
        return float(np.linalg.det(J / np.linalg.norm(J, axis=1, keepdims=True))) if len(J) == J.shape[1] else 1.0

    signs = np.array([sign(place) for place in trace.places])
    return trace.zeros(signs, sign) if np.abs(signs).max() >= DETERMINANT_FLOOR else []


@dataclass(eq=False)
class BothKinds:
    """Two searches of singular curves, one of each kind, over the same poses. Sections of the first search lead to
    curves of the second one; poses on curves of either search that are singular in the other kind, too, lead to curves
    of the other search."""

    searches: tuple[CurveSearch, CurveSearch]
    """The search with its own sections first."""
    values: tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]
    """Functions that read the values of the equations of each search from a pose."""
    sections: int = 0
    """The number of sections of the first search from which curves of the second one were sought."""
    curves: list[int] = field(default_factory=lambda: [0, 0])
    """The numbers of curves of each search from which curves of the other one were sought."""
    lost: list[tuple[int, PosePoint]] = field(default_factory=list)
    """Poses in which both kinds are singular, each with the number of the search that found no curve there."""

    def follow(self) -> None:
        """Follow the curves of each search to which the other search leads, until no curve is new."""
        first, second = self.searches
        for trace in first.sections[self.sections :]:
            points = [self._point(1, place.z) for place in trace.places]
            sizes = np.array([smallest(second.singular.ranked(second.equations.at(point))) for point in points])
            for k in dips(sizes, trace.closed):
                second.follow(points[k])
        self.sections = len(first.sections)
        while any(done < len(search.curves) for done, search in zip(self.curves, self.searches, strict=True)):
            for own, other in ((0, 1), (1, 0)):
                target = self.searches[other]
                for trace in self.searches[own].curves[self.curves[own] :]:
                    self.curves[own] += 1
                    for _, _, place in meetings(trace, target.equations):
                        if not target.follow(self._point(other, place.z)):
                            self.lost.append((other, place.z))

    def _point(self, k: int, z: PosePoint) -> PosePoint:
        """Return a point of search k: the pose of z, with the values that the equations of search k have there."""
        return PosePoint(z.q, self.values[k](z.q), np.zeros(0))


# --- across the region ------------------------------------------------------------------------------------------------


def search_region(search: CurveSearch, base: PosePoint, seed: int = 0) -> None:
    """Search the region from a pose, and from poses with equal values that the sections do not reach."""
    if search.freedom > 0:
        _walk_at_random(search, base, np.random.default_rng(seed))
        return
    lines: tuple[list[Trace], list[Trace]] = [], []
    _walk_across(search, base, lines)
    for other in next(throw_poses(search.equations, base, base.p)):
        if other is not None and not any(search.lies_on(trace, other) for trace in search.sections):
            _walk_across(search, other, lines)


def _walk_across(search: CurveSearch, base: PosePoint, lines: tuple[list[Trace], list[Trace]]) -> None:
    """Follow sections through a pose in four directions. Where a section along one value passes the middle of a strip,
    follow the section along the other value through this place, unless it is among `lines` already: the sections along
    the first value, and those along the second value. Go on until no such place is left."""
    width = search.region.width
    directions = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]]) * width / search.equations.scale
    queue = []
    for axis in (0, 1):
        first = search.walk(line(search.equations, search.region.turns, base, directions[axis]))
        queue += [] if first is None else [(axis, first)]
    while queue and not search.is_late:
        axis, trace = queue.pop(0)
        other = lines[1 - axis]
        for z in _middles(trace, axis, search):
            if len(other) >= NET or search.is_late or any(search.lies_on(one, z) for one in other):
                continue
            across = search.walk(line(search.equations, search.region.turns, z, directions[1 - axis]))
            if across is not None:
                other.append(across)
                queue.append((1 - axis, across))
    for direction in directions[2:]:
        search.walk(line(search.equations, search.region.turns, base, direction))


def _middles(trace: Trace, axis: int, search: CurveSearch) -> list[PosePoint]:
    """Return the places of a section in the middles of the ACROSS strips of the region across an axis."""
    region, scale, found = search.region, search.equations.scale[axis], []
    for part in (np.arange(ACROSS) + 0.5) / ACROSS:
        middle = region.low[axis] + part * region.width[axis]

        def distance(place: TracePlace, middle: float = middle) -> float:
            return float((region.nearest(place.z.p)[axis] - middle) / scale)

        offs = np.array([distance(place) for place in trace.places])
        near = np.append(np.abs(np.diff(offs)) < 4.0 * search.step, False)
        for k in np.flatnonzero(near[:-1] & (offs[:-1] * offs[1:] <= 0.0) & (offs[1:] != 0.0)).tolist():
            _, _, place = trace.zero_in(k, float(offs[k]), float(offs[k + 1]), distance)
            if region.holds(place.z.p):
                found.append(place.z)
    return found


def climb(search: CurveSearch, start: PosePoint, direction: np.ndarray) -> None:
    """Move as far as possible in a direction of the plane, by the motion with the largest gain, and follow the singular
    curve there."""
    z, equations = start, search.equations
    n = equations.system.nv
    up = np.append(np.zeros(n), direction / np.linalg.norm(direction))
    for _ in range(CLIMBS):
        terms = equations.at(z)
        rows = np.hstack([terms.J, terms.P])
        step = up - np.linalg.pinv(rows, rcond=SINGULAR_RANK) @ (rows @ up)
        size = float(np.linalg.norm(step))
        if size < STEEP:
            break
        moved = close_with_values(equations, equations.moved(z, step * search.step / size))
        if moved is None or not search.region.within(z, moved):
            break
        if (moved.p - z.p) / equations.scale @ up[n:] <= 0.0:
            break
        z = moved
    search.follow(z)


def _walk_at_random(search: CurveSearch, base: PosePoint, random: np.random.Generator) -> None:
    """Follow sections by planes in general position, each through a pose of an earlier section."""
    count = search.equations.system.nv + 2
    poses = [base]
    for angle in np.arange(8) * np.pi / 4:
        direction = np.array([np.cos(angle), np.sin(angle)]) * search.region.width / search.equations.scale
        climb(search, base, direction)
    for _ in range(MIXED):
        if search.is_late:
            break
        A = random.standard_normal((search.freedom + 1, count))
        A /= np.linalg.norm(A, axis=1, keepdims=True)
        start = poses[int(random.integers(len(poses)))]
        trace = search.walk(Section(search.equations, search.region.turns, start, A))
        if trace is not None:
            inside = [place.z for place in trace.places if search.region.holds(place.z.p)]
            poses += inside[:: max(1, len(inside) // 8)]
