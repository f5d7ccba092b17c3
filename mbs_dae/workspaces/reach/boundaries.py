"""The boundary curves of a workspace, for each set of joints at limits, from poses in the whole joint space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...poses.reach.joint_space import JointSpace
from ..asked import Begun, Plane, equations_of, settle
from ..curves import curves_of
from ..following.equations import Point
from ..following.modes import add_poses, led
from ..following.problems import Section, closed_free, line
from ..following.search import Region, Seeking, climb
from ..following.tracing import Place, Trace
from ..found import LIMIT, SERIAL, SingularCurve
from .limits import KEPT, Limits
from .samples import samples

STARTS = 24
"""Number of poses from which singular ones are sought, for each set of joints at limits."""
EXPLORED = 3
"""Number of poses from which lines across the plane are followed as well."""
WAYS = 8
"""Number of directions in which an arm with an additional freedom is stretched from a pose."""


@dataclass(frozen=True, eq=False)
class Boundaries:
    """The search of the boundary curves of a workspace, with the curves found so far."""

    space: JointSpace
    begun: Begun
    plane: Plane
    bounds: Limits
    held: Mapping[str, float]
    section: Mapping[str, float]
    step: float
    seed: int

    @cached_property
    def sets(self) -> list[tuple[dict[str, float], Seeking]]:
        """The joints at limits, and their searches; the set without any is first."""
        far = 4.0 * self.begun.model.compile().length * (1 + len(self.begun.model.bodies)) * np.ones(2)
        region = Region(-far, far, self.plane.turns)
        found = []
        for chosen in self.bounds.sets(self.begun.freedom - len(self.section) - 1):
            if set(chosen) & set(self.held):
                continue
            fix = {**self.held, **self.section, **chosen}
            equations = equations_of(self.begun.model, self.begun.t, self.plane, fix)
            if not chosen:
                settle(equations, self.begun, self.plane)
            found.append((chosen, Seeking(equations, region, self.step)))
        return found

    @property
    def free(self) -> Seeking:
        """The search with no joint at a limit."""
        return self.sets[0][1]

    @property
    def count(self) -> int:
        return sum(len(seeking.curves) for _, seeking in self.sets)

    @property
    def is_surface(self) -> bool:
        """Whether singular curves of some set do not end, so that the search for them has ended."""
        return any(seeking.is_surface for _, seeking in self.sets)

    def start(self) -> None:
        """Search from poses of each set, by Newton's method; from some poses along lines across the plane."""
        for chosen, seeking in self.sets:
            ranks = 2 + len(self.section) + len(chosen)  # the number of rows besides those of joints
            for point in self._samples(chosen, seeking, STARTS):
                seeking.follow(point, ranks)
        for point in self.poses(EXPLORED):
            self.explore(point)

    def poses(self, count: int) -> Iterator[Point]:
        """Yield poses within all limits."""
        for z in self._samples({}, self.free, count):
            if self.keeps(z):
                yield z

    def _samples(self, chosen: Mapping[str, float], seeking: Seeking, count: int) -> Iterator[Point]:
        held = {**self.held, **chosen}
        return samples(self.space, self.begun, self.plane, seeking.equations, held, self.bounds, count, self.seed)

    def keeps(self, z: Point) -> bool:
        return self.bounds.margin(z.q, {}) > -KEPT

    def explore(self, z: Point) -> None:
        """Search the boundaries around a pose, on lines through it or by stretching the arm."""
        for chosen, seeking in self.sets:
            near = closed_free(seeking.equations, z) if chosen else z
            if near is None:
                continue
            if seeking.freedom < 0:
                seeking.follow(near)
            for way in np.eye(2) if seeking.freedom == 0 else ():
                section = line(seeking.equations, seeking.region.turns, near, way)
                self._cross_limits(chosen, seeking.walk(section))
            if seeking.freedom > 0:
                self._stretch(seeking, near)

    def _stretch(self, seeking: Seeking, near: Point) -> None:
        for angle in np.arange(WAYS) * 2.0 * np.pi / WAYS:
            climb(seeking, near, np.array([np.cos(angle), np.sin(angle)]))
        random = np.random.default_rng(self.seed)
        A = random.standard_normal((seeking.freedom + 1, seeking.equations.system.nv + 2))
        A /= np.linalg.norm(A, axis=1, keepdims=True)
        seeking.walk(Section(seeking.equations, seeking.region.turns, near, A))

    def lead(self, poses: Sequence[Point], values: np.ndarray) -> list[Point]:
        """Return the poses at a point that are reached on straight lines from others, within all limits."""
        seeking = self.free
        if seeking.freedom > 0:
            for z in poses:
                self.explore(z)
            return []
        before = len(seeking.sections)
        found = [there for there in led(seeking, poses, values) if self.keeps(there)]
        for trace in seeking.sections[before:]:
            self._cross_limits({}, trace)
        return found

    def _cross_limits(self, chosen: Mapping[str, float], trace: Trace | None) -> None:
        """Follow the curve of a joint at its limit from each point of a line at which the joint reaches this limit."""
        if trace is None:
            return
        for more, seeking in self.sets:
            if len(more) != len(chosen) + 1 or not chosen.items() <= more.items():
                continue
            ((name, limit),) = more.items() - chosen.items()

            def beyond(place: Place, name: str = name, limit: float = limit) -> float:
                return self.bounds.beyond(place.z.q, name, limit)

            numbers = np.array([beyond(place) for place in trace.places])
            jumps = np.abs(np.diff(numbers)) > 0.5 * np.pi  # an angle counted from the other side
            for k, _, place in trace.zeros(numbers, beyond):
                if not jumps[k]:
                    seeking.follow(place.z)

    def add(self, found: list[Point], new: list[Point]) -> None:
        add_poses(self.free.equations, self.free.region, found, new)

    def curves(self) -> list[SingularCurve]:
        """Return each curve once; those with fewer joints at limits come first."""
        found: list[SingularCurve] = []
        for chosen, seeking in self.sets:
            known = [curve for curve in found if not curve.is_point]
            kind = LIMIT if chosen else SERIAL
            new = curves_of(seeking, kind, self.begun, self.plane, None, own=True, limits=chosen)
            found += [
                curve for curve in new if not any(seeking.lies_on(old.trace, curve.trace.places[0].z) for old in known)
            ]
        return found
