"""Check by samples whether a region has the same number of poses everywhere as at its inner point.

A region without singular poses inside has one number of poses. Where a sample of it has another one, poses were missed,
or a singular curve was. Poses are led along straight lines inside the region from one to the other: a pose that arrives
was missed, and one that does not arrive meets the missing curve on its way.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

import numpy as np

from .following.equations import PosePoint
from .plane.faces import Face

DENSITY, LEAST = 30, 2
"""Number of random samples in all regions together, in proportion to area; least number in each."""
MOST = 300
"""Greatest number of samples in all; the largest regions come first."""
SIGHT = 60
"""Number of points of a straight line that must lie in a region."""
WAYPOINTS = 20, 60, 180
"""Numbers of random points, in turn, for a way around the holes of a region."""
ENOUGH = 3
"""Number of disagreeing samples after which the rest of a region is not sampled."""


class Disagreement(NamedTuple):
    """A point of a region whose number of poses differs from that of its inner point."""

    face: int
    values: np.ndarray
    here: int
    """The number of poses at the inner point."""
    there: int


class Counting(NamedTuple):
    """Functions by which poses of a mechanism are counted."""

    poses: Callable[[np.ndarray], list[PosePoint]]
    """Return the poses at a point, from no other point."""
    lead: Callable[[Sequence[PosePoint], np.ndarray], list[PosePoint]]
    """Return the poses at a point that are reached from other poses."""
    add: Callable[[list[PosePoint], list[PosePoint]], None]
    """Append the new poses of the second list to the first."""
    number: Callable[[list[PosePoint]], int] = len
    """The number of poses that two counts must agree in."""
    again: Callable[[int, np.ndarray], list[PosePoint]] = lambda k, values: []
    """Search again for poses at a point of a region with this number, where counts do not agree; return them."""
    is_late: Callable[[], bool] = lambda: False
    """Return whether the time is over, so that no further region is sampled."""


def disagreements(
    faces: Sequence[Face], poses: Sequence[list[PosePoint]], scale: np.ndarray, counting: Counting, seed: int,
    settled: Container[int] = (),
) -> tuple[list[Disagreement], set[int]]:  # fmt: skip
    """Return the samples that disagree with `poses`, the poses at the inner point of each face, to which missed poses
    are added; and the numbers of the faces without samples, because there are so many or the time is over. Faces that
    are `settled` need none."""
    random, found, total = np.random.default_rng(seed), list[Disagreement](), 0
    whole = sum(abs(face.outer.rough_area) for face in faces)
    order = sorted(range(len(faces)), key=lambda k: -abs(faces[k].outer.rough_area))
    order = [k for k in order if k not in settled]
    for place, k in enumerate(order):
        face = faces[k]
        if total > MOST or counting.is_late():
            return found, {*order[place:]}
        count, left = LEAST + int(DENSITY * abs(face.outer.rough_area) / whole), ENOUGH
        points = np.vstack([face.inner, face.samples(count, random)])
        total += len(points)
        for j, values in enumerate(points[1:] * scale, 1):
            there = counting.poses(values)
            if counting.number(there) != counting.number(poses[k]):
                counting.add(there, counting.again(k, values))
            if counting.number(there) == counting.number(poses[k]):
                continue
            route = [point * scale for point in _route(face, points, j, random)]
            counting.add(there, _lead_along(counting, poses[k], route))
            counting.add(poses[k], _lead_along(counting, there, route[::-1]))
            if counting.number(there) != counting.number(poses[k]):
                found.append(Disagreement(k, values, counting.number(poses[k]), counting.number(there)))
                left -= 1
            if not left:
                break
    return found, set()


def _lead_along(counting: Counting, poses: list[PosePoint], route: Sequence[np.ndarray]) -> list[PosePoint]:
    """Return the poses at the end of a route that are reached from those at its beginning."""
    for values in route[1:]:
        arrived: list[PosePoint] = []
        counting.add(arrived, counting.lead(poses, values))
        poses = arrived
    return [*poses]


def _route(face: Face, points: np.ndarray, target: int, random: np.random.Generator) -> list[np.ndarray]:
    """Return a polyline from points[0] to points[target] inside the region with the fewest corners, a list of points;
    the corners are among these points, or among points at random as well if need be. Return the straight line if there
    is no such polyline."""
    for more in (0, *WAYPOINTS):
        corners = np.vstack([points, face.samples(more, random)]) if more else points
        before, queue = {0: 0}, [0]
        while queue and target not in before:
            here = queue.pop(0)
            for k in [target, *range(len(corners))]:
                if k in before:
                    continue
                line = corners[here] + np.linspace(0.0, 1.0, SIGHT)[:, None] * (corners[k] - corners[here])
                if face.contains(line).all():
                    before[k] = here
                    queue.append(k)
        if target in before:
            route = [target]
            while route[-1] != 0:
                route.append(before[route[-1]])
            return [corners[k] for k in route[::-1]]
    return [points[0], points[target]]


def notes_on_samples(
    differ: Sequence[Disagreement], left: int, what: str, faces: Sequence[Face], scale: np.ndarray
) -> list[str]:
    """Return notes on samples whose number of poses differs from that of their region, and on regions without
    samples."""
    notes = []
    for one in differ:
        here, there = (", ".join(f"{x:.6g}" for x in at) for at in (faces[one.face].inner * scale, one.values))
        both = f"in one region {one.here} {what} were found at ({here}) and {one.there} at ({there})"
        notes.append(f"{both}: poses, or a curve between them, were not found; try another step=")
    if left:
        notes.append(f"of the smallest regions {left} were not sampled: {what} were counted at one point of each alone")
    return notes
