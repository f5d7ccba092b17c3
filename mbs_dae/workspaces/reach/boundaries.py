"""The boundary curves of a workspace, for each set of joints at limits, from poses in the whole joint space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...poses.reach.joint_space import JointSpace
from ...tolerances import LIMIT_EXCESS, SECTION_OFFSET, SINGULAR_RESIDUAL, TOUCH_DISTANCE
from ..curves import curves_of
from ..following.equations import PosePoint
from ..following.modes import add_poses, drive_or_trace
from ..following.problems import LONGEST, Section, close_with_values, line
from ..following.search import CurveSearch, Region, climb
from ..following.tracing import Trace, TracePlace
from ..request import InitialPose, ValuePlane, Values, equations_of, row_of, select_independent
from ..result import LIMIT, SERIAL, SingularCurve
from .limits import ENDS, JointLimits

STARTS = 24
"""Number of poses from which singular ones are sought, for each set of joints at limits."""
EXPLORED = 3
"""Number of poses from which lines across the plane are followed as well."""
WAYS = 8
"""Number of directions in which an arm with an additional freedom is stretched from a pose."""
ROUNDS = 40
"""Residuals of critical poses, and the greatest number of steps towards one."""


@dataclass(frozen=True, eq=False)
class Boundaries:
    """The search of the boundary curves of a workspace, with the curves found so far."""

    space: JointSpace
    initial: InitialPose
    plane: ValuePlane
    bounds: JointLimits
    held: Mapping[str, float]
    section: Mapping[str, float]
    step: float
    seed: int

    @cached_property
    def sets(self) -> list[tuple[dict[str, float], CurveSearch]]:
        """The joints at limits, and their searches; the set without any is first."""
        far = 4.0 * self.initial.model.compile().length * (1 + len(self.initial.model.bodies)) * np.ones(2)
        region = Region(-far, far, self.plane.turns)
        found = []
        for chosen in self.bounds.sets(self.initial.freedom - len(self.section) - 1):
            if set(chosen) & set(self.held):
                continue
            fix = {**self.held, **self.section, **chosen}
            equations = equations_of(self.initial.model, self.initial.t, self.plane, fix)
            if not chosen:
                select_independent(equations, self.initial, self.plane)
            found.append((chosen, CurveSearch(equations, region, self.step)))
        return found

    @property
    def free(self) -> CurveSearch:
        """The search with no joint at a limit."""
        return self.sets[0][1]

    @property
    def count(self) -> int:
        return sum(len(search.curves) for _, search in self.sets)

    @property
    def is_surface(self) -> bool:
        """Whether singular curves of some set do not end, so that the search for them has ended."""
        return any(search.is_surface for _, search in self.sets)

    def start(self) -> None:
        """Search from poses of each set, by Newton's method; from some poses along lines across the plane."""
        for chosen, search in self.sets:
            ranks = 2 + len(self.section) + len(chosen)  # the number of rows besides those of joints
            for point in self._samples(chosen, search, STARTS):
                search.follow(point, ranks)
        for point in self.poses(EXPLORED):
            self.explore(point)

    def aside(self) -> Boundaries:
        """Return these boundaries, or those in a plane a little aside, away from the middle of the heights found, if
        the plane touches a boundary in space: its curves begin, end or cross there, or two of them lie on each other.

        A plane touches a boundary in a pose that is singular even with both values free: Jᵀ u = 0 and Pᵀ u = 0. Such
        poses are sought by least steps with the coordinate across the plane free, from poses in the plane, or from
        random poses that cannot be moved into it."""
        if not self.section:
            return self
        ((name, at),) = self.section.items()
        heights = [at + height for height in self._critical(name)]
        size = self.initial.model.compile().length
        if min((abs(height - at) for height in heights), default=np.inf) > TOUCH_DISTANCE * size:
            return self
        outwards = 1.0 if at >= 0.5 * (min(heights) + max(heights)) else -1.0
        return replace(self, section={name: at + outwards * SECTION_OFFSET * size})

    def _critical(self, name: str) -> Iterator[float]:
        """Yield distances of critical poses from the plane, also beyond limits of joints: curves are followed there,
        too. The multipliers of a start are those with which the row across the plane is nearest to the others."""
        for chosen, search in self.sets:
            equations, singular = search.equations, search.singular
            row, none = row_of(equations.system, name), np.zeros(0)
            if row not in equations.rows:  # the arm moves in planes
                return
            place = int(np.flatnonzero(equations.rows == row)[0])
            for placement in self._placements(chosen, STARTS):
                start = close_with_values(equations, placement) or placement
                terms, u = equations.at(start), np.zeros(len(equations.rows))
                others = ~terms.P.any(axis=1) & (equations.rows != row)
                u[place], u[others] = 1.0, -np.linalg.lstsq(terms.J[others].T, terms.J[place], rcond=1e-9)[0]
                z = start._replace(u=u / np.linalg.norm(u))
                for _ in range(ROUNDS):
                    value, slope = singular.value(z)
                    P = equations.at(z._replace(u=none)).P
                    right = np.append(np.delete(value, place), P.T @ z.u)
                    if (size := float(np.abs(right).max())) < SINGULAR_RESIDUAL or not np.isfinite(size):
                        break
                    rows = np.pad(P.T, ((0, 0), (slope.shape[1] - len(P), 0)))
                    step = np.linalg.lstsq(np.vstack([np.delete(slope, place, axis=0), rows]), -right, rcond=1e-9)[0]
                    z = singular.moved(z, step * min(1.0, LONGEST / float(np.abs(step).max())))
                if size < SINGULAR_RESIDUAL and abs(z.u[place]) > LIMIT_EXCESS:
                    yield float(value[place] * equations.system.row_units[row])

    def poses(self, count: int) -> Iterator[PosePoint]:
        """Yield poses within all limits."""
        for z in self._samples({}, self.free, count):
            if self.keeps(z):
                yield z

    def _samples(self, chosen: Mapping[str, float], search: CurveSearch, count: int) -> Iterator[PosePoint]:
        """Yield closed poses in the plane near to those of `_placements`, the same in every call."""
        for start in self._placements(chosen, count):
            if (found := close_with_values(search.equations, start)) is not None:
                yield found

    def _placements(self, chosen: Mapping[str, float], count: int) -> Iterator[PosePoint]:
        """Yield poses with joints at random within their limits, or held at their values, the same in every call;
        loops and a section are not closed."""
        space, initial, held = self.space, self.initial, {**self.held, **chosen}
        random, read = np.random.default_rng(self.seed), Values(initial.model, initial.t, self.plane)
        start, length = space.system.placement, space.system.length
        turning = set(space.angles.tolist())
        for _ in range(count):
            q = start.copy()
            for k, name in enumerate(space.names):
                low, high = self.bounds.pairs.get(name, ENDS)
                reach = np.pi if k in turning else 2.0 * length
                middle = min(max(start[k], low), high)
                q[k] = held.get(name, random.uniform(max(low, middle - reach), min(high, middle + reach)))
            for k in space.balls:
                q[k : k + 4] = random.standard_normal(4)
                q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
            full = pose_of(initial, space.bodies([space.turned(q)])[0][0])
            yield PosePoint(full, read(full), np.zeros(0))

    def keeps(self, z: PosePoint) -> bool:
        return self.bounds.margin(z.q, {}) > -LIMIT_EXCESS

    def explore(self, z: PosePoint) -> None:
        """Search the boundaries around a pose, on lines through it or by stretching the arm."""
        for chosen, search in self.sets:
            near = close_with_values(search.equations, z) if chosen else z
            if near is None:
                continue
            if search.freedom < 0:
                search.follow(near)
            for way in np.eye(2) if search.freedom == 0 else ():
                section = line(search.equations, search.region.turns, near, way)
                self._cross_limits(chosen, search.walk(section))
            if search.freedom > 0:
                self._stretch(search, near)

    def _stretch(self, search: CurveSearch, near: PosePoint) -> None:
        for angle in np.arange(WAYS) * 2.0 * np.pi / WAYS:
            climb(search, near, np.array([np.cos(angle), np.sin(angle)]))
        random = np.random.default_rng(self.seed)
        A = random.standard_normal((search.freedom + 1, search.equations.system.nv + 2))
        A /= np.linalg.norm(A, axis=1, keepdims=True)
        search.walk(Section(search.equations, search.region.turns, near, A))

    def lead(self, poses: Sequence[PosePoint], values: np.ndarray) -> list[PosePoint]:
        """Return the poses at a point that are reached on straight lines from others, within all limits."""
        search = self.free
        if search.freedom > 0:
            for z in poses:
                self.explore(z)
            return []
        before = len(search.sections)
        found = [there for there in drive_or_trace(search, poses, values) if self.keeps(there)]
        for trace in search.sections[before:]:
            self._cross_limits({}, trace)
        return found

    def _cross_limits(self, chosen: Mapping[str, float], trace: Trace | None) -> None:
        """Follow the curve of a joint at its limit from each point of a line at which the joint reaches this limit."""
        if trace is None:
            return
        for more, search in self.sets:
            if len(more) != len(chosen) + 1 or not chosen.items() <= more.items():
                continue
            ((name, limit),) = more.items() - chosen.items()

            def beyond(place: TracePlace, name: str = name, limit: float = limit) -> float:
                return self.bounds.beyond(place.z.q, name, limit)

            numbers = np.array([beyond(place) for place in trace.places])
            jumps = np.abs(np.diff(numbers)) > 0.5 * np.pi  # an angle counted from the other side
            for k, _, place in trace.zeros(numbers, beyond):
                if not jumps[k]:
                    search.follow(place.z)

    def add(self, found: list[PosePoint], new: list[PosePoint]) -> None:
        add_poses(self.free.equations, self.free.region, found, new)

    def curves(self) -> list[SingularCurve]:
        """Return each curve once; those with fewer joints at limits come first."""
        found: list[SingularCurve] = []
        for chosen, search in self.sets:
            known = [curve for curve in found if not curve.is_point]
            kind = LIMIT if chosen else SERIAL
            new = curves_of(search, kind, self.initial, self.plane, None, on_plane=True, limits=chosen)
            found += [
                curve for curve in new if not any(search.lies_on(old.trace, curve.trace.places[0].z) for old in known)
            ]
        return found


def pose_of(initial: InitialPose, bodies: np.ndarray) -> np.ndarray:
    """Return the coordinates of the followed model, with its hidden turns at the end, from those of bodies."""
    full = initial.q.copy()
    full[: min(bodies.size, full.size)] = bodies[: full.size]
    return full
