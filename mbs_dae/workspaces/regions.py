"""The regions between boundary curves: their borders, a point in each, and the poses there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..results.quantities import frozen
from .agreement import Counting, disagreements, samples_told
from .asked import Begun, Plane, state_at
from .following.equations import Point
from .following.modes import ALIKE, add_poses, led, met, poses_at
from .following.problems import closed_pose
from .following.search import Region, Seeking, climb
from .following.tracing import LONG, STUCK
from .found import RANGE, Area, SingularCurve
from .plane.arcs import Followed, Piece, PlaneCurve, Straight
from .plane.faces import Face, faces_of, pieces_of

NEAR = 12
"""From how many known poses one in a region is looked for, where a freedom is left besides the values."""
ROUNDS = 3
"""How often regions whose numbers of poses cannot be right are counted again."""
FAINT = 1e-9
"""Regions with less than this part of the area of the rectangle are none."""


def copies_of(curves: Sequence[SingularCurve], seeking: Seeking) -> list[Followed]:
    """The pictures of the curves, with those that whole turns bring into the rectangle."""
    scale, region, found = seeking.equations.scale, seeking.region, []
    for curve in curves:
        if curve.is_point:
            continue
        for shift in region.shifts(curve.values):
            corners = tuple(cusp.spot for cusp in curve.cusps)
            found.append(Followed(curve.trace, scale, shift / scale, curve, corners))
    return found


def sides_of(region: Region, scale: np.ndarray) -> list[Straight]:
    (a, b), (c, d) = region.low / scale, region.high / scale
    corners = np.array([[a, b], [c, b], [c, d], [a, d], [a, b]])
    return [Straight(corners[k : k + 2], RANGE) for k in range(4)]


def faces_in(seeking: Seeking, pictures: Sequence[Followed]) -> list[Face]:
    """The regions of the rectangle."""
    scale, region = seeking.equations.scale, seeking.region
    low, high = region.low / scale, region.high / scale
    room = 1e-9 * (high - low)

    def inside(piece: Piece) -> bool:
        middle = piece.middle()
        return bool((middle >= low - room).all() and (middle <= high + room).all())

    curves: list[PlaneCurve] = [*sides_of(region, scale), *pictures]
    pieces, _ = pieces_of(curves, inside)
    least = FAINT * float((high - low).prod())
    return [face for face in faces_of(pieces) if face.outer.rough_area > least]


def poses_in(seeking: Seeking, faces: Sequence[Face], base: Point) -> tuple[list[list[Point]], list[str]]:
    """The poses at the inner point of each region; and in words samples of regions that have another number of them.
    Curves through singular poses between such points are followed."""
    scale, counted, equations = seeking.equations.scale, seeking.freedom == 0, seeking.equations

    def count(values: np.ndarray) -> list[Point]:
        return met(equations, seeking.region, base, values)

    def lead(z: Point, values: np.ndarray) -> list[Point]:
        if counted:
            return led(seeking, z, values)
        climb(seeking, z, (values - z.p) / scale)
        there = closed_pose(equations, z._replace(p=values.astype(float)), rounds=40)
        return [] if there is None else [there]

    def add(found: list[Point], new: list[Point]) -> None:
        add_poses(equations, seeking.region, found, new)

    known = [count(face.inner * scale) if counted else _one_inside(seeking, face) for face in faces]
    counting = Counting(count, lead, add, len if counted else lambda poses: min(len(poses), 1))
    differ, left = disagreements(faces, known, scale, counting, seed=0)
    if counted:
        _count_again(seeking, faces, known)
    return known, samples_told(differ, left, "poses", faces, scale)


def areas_of(
    seeking: Seeking, faces: Sequence[Face], known: Sequence[Sequence[Point]], begun: Begun, plane: Plane
) -> tuple[Area, ...]:
    """The regions with their poses, those with most of them first."""
    scale, found = seeking.equations.scale, []
    for face, poses in zip(faces, known, strict=True):
        states = tuple(state_at(begun, z.q, plane.names, z.p) for z in poses)
        found.append(Area(plane.names, frozen(face.inner * scale), states, face, scale, seeking.freedom == 0))
    return tuple(sorted(found, key=lambda one: (-len(one.states), -abs(one.face.outer.rough_area))))


def _count_again(seeking: Seeking, faces: Sequence[Face], known: list[list[Point]]) -> None:
    """Across a fold two poses come together, so numbers on both sides differ, and by an even number. Where they do not,
    poses are looked for from those of all neighbours as well."""
    beside = _neighbours(faces)
    doubtful = {k for i, j in unlikely(faces, known) for k in (i, j)}
    for _ in range(ROUNDS if doubtful else 0):
        for k in sorted(doubtful):
            target = faces[k].inner * seeking.equations.scale
            for z in [z for other in sorted(beside[k]) for z in known[other]]:
                new = poses_at(seeking.equations, seeking.region, target, [z], seeking.step)
                known[k] += [z for z in new if not _is_known(seeking, z, known[k])]
        doubtful = {k for i, j in unlikely(faces, known) for k in (i, j)}


def _is_known(seeking: Seeking, z: Point, known: Sequence[Point]) -> bool:
    turns = seeking.region.turns
    return any(float(np.linalg.norm(seeking.equations.between(one, z, turns))) < ALIKE for one in known)


def _neighbours(faces: Sequence[Face]) -> dict[int, set[int]]:
    """The faces on the other sides of the curves around each."""
    around: dict[int, set[int]] = {k: set() for k in range(len(faces))}
    for i, j in _pairs(faces):
        around[i].add(j)
        around[j].add(i)
    return around


def _pairs(faces: Sequence[Face]) -> list[tuple[int, int]]:
    owners: dict[int, list[int]] = {}
    for k, face in enumerate(faces):
        for cycle in face.cycles:
            for piece, _ in cycle.edges:
                if piece.curve.tag != RANGE:
                    owners.setdefault(id(piece), []).append(k)
    return sorted({(min(own), max(own)) for own in owners.values() if len(own) == 2 and own[0] != own[1]})


def unlikely(faces: Sequence[Face], known: Sequence[Sequence[object]]) -> list[tuple[int, int]]:
    """The neighbours whose numbers of poses are alike, or differ by an odd number."""
    return [(i, j) for i, j in _pairs(faces) if (len(known[i]) - len(known[j])) % 2 or len(known[i]) == len(known[j])]


def doubts(areas: Sequence[Area]) -> tuple[str, ...]:
    """What is to be said of numbers of poses that cannot be right."""
    if not all(one.counted for one in areas):
        return ()
    told = []
    for i, j in unlikely([one.face for one in areas], [one.states for one in areas]):
        here, there = (", ".join(f"{x:.6g}" for x in areas[k].inside) for k in (i, j))
        what = f"{len(areas[i].states)} poses at ({here}) and {len(areas[j].states)} at ({there})"
        told.append(f"{what}, on both sides of a curve: some may have been missed; try a smaller step=")
    return tuple(told)


def _one_inside(seeking: Seeking, face: Face) -> list[Point]:
    """A pose in a region, if there is one: the least change of one that was walked through near to it."""
    scale, region = seeking.equations.scale, seeking.region
    known = [place.z for trace in seeking.sections for place in trace.places]
    values = np.array([region.nearest(z.p) for z in known])
    inside = np.flatnonzero(face.contains(values / scale))
    if len(inside):
        return [known[inside[len(inside) // 2]]]
    target = face.inner * scale
    for k in np.linalg.norm((values - target) / scale, axis=1).argsort()[:NEAR]:
        whole = known[k].p - values[k]
        found = closed_pose(seeking.equations, known[k]._replace(p=target + whole), rounds=40)
        if found is not None:
            return [found]
    return []


def notes_of(curves: Sequence[SingularCurve], pictures: Sequence[Followed]) -> tuple[str, ...]:
    """What is to be known of the curves, and of their pictures."""
    notes = []
    for picture in pictures:
        for k in sorted(picture.interpolated):
            there = ", ".join(f"{x:.6g}" for x in picture.points[k] * picture.scale)
            notes.append(f"a {picture.tag.kind} curve is interpolated between two of its poses near ({there})")
    for curve in curves:
        there = ", ".join(f"{name} = {x:.6g}" for name, x in zip(curve.names, curve.values[0], strict=True))
        if curve.is_point and not curve.stuck:
            notes.append(f"at {there} the mechanism moves with both values held")
        if curve.stuck:
            ends = [
                curve.values[k] for k, why in ((0, curve.trace.beginning), (-1, curve.trace.ending)) if why == STUCK
            ]
            told = " and ".join(
                ", ".join(f"{name} = {x:.6g}" for name, x in zip(curve.names, end, strict=True)) for end in ends
            )
            notes.append(
                f"a {curve.kind} curve ends at {told}, where equations are not smooth, or more than one curve meet"
            )
        if LONG in (curve.trace.ending, curve.trace.beginning):
            notes.append(f"the {curve.kind} curve through {there} is longer than was followed")
        if curve.trace.passed:
            notes.append(f"the {curve.kind} curve through {there} crosses others in poses it passes")
        if curve.both:
            told = "; ".join(", ".join(f"{x:.6g}" for x in point.values) for point in curve.both)
            notes.append(f"the {curve.kind} curve through {there} meets the other kind at ({told})")
    return tuple(dict.fromkeys(notes))
