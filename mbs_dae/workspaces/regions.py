"""The regions between boundary curves: their borders, a point in each, and the poses there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..results.quantities import frozen
from ..tolerances import REGION_AREA
from .agreement import Counting, disagreements, notes_on_samples
from .following.equations import PosePoint
from .following.modes import add_poses, drive, drive_or_trace, poses_at, random_poses
from .following.problems import Singular, close_pose, close_poses, line
from .following.search import SHEET, BothKinds, CurveSearch, Region, climb
from .following.tracing import LONG, STUCK, SURFACE, TracePlace, place_ahead
from .plane.arcs import CurvePiece, PlaneCurve, Straight, TracedCurve
from .plane.faces import Face, faces_of, pieces_of
from .request import InitialPose, ValuePlane, states_at
from .result import RANGE, Area, SingularCurve

NEAR = 12
"""Number of known poses from which one in a region is sought, where a freedom is left besides the values."""
ROUNDS = 3
"""Greatest number of times that regions with impossible numbers of poses are counted again."""
LARGE = 24
"""Number of the largest regions to which poses on sections are driven as well; and the number of regions up to which
doubtful ones are counted again from all poses of their neighbours."""
FOLD_STEP = 0.02
"""Distance of both poses of a pair from the singular pose in which they meet, in lengths of the model: far beyond the
roundoff of poses, and short relative to the steps of a curve."""
DRIVEN = 40
"""Number of poses on sections through a region that are driven to its inner point."""
LISTED = 6
"""Number of pairs of regions with doubtful numbers of poses that notes list one by one."""


def copies_of(curves: Sequence[SingularCurve], search: CurveSearch) -> list[TracedCurve]:
    """Return the pictures of the curves, with those that whole turns bring into the rectangle. A curve without folds is
    no border: a fragment of a surface that has no more dimensions in the plane than the curve."""
    scale, region, found = search.equations.scale, search.region, []
    for curve in curves:
        if curve.is_point or not search.singular.is_border(curve.trace.places):
            continue
        for shift in region.shifts(curve.values):
            corners = tuple(cusp.spot for cusp in curve.cusps)
            found.append(TracedCurve(curve.trace, scale, shift / scale, curve, corners))
    return found


def sides_of(region: Region, scale: np.ndarray) -> list[Straight]:
    (a, b), (c, d) = region.low / scale, region.high / scale
    corners = np.array([[a, b], [c, b], [c, d], [a, d], [a, b]])
    return [Straight(corners[k : k + 2], RANGE) for k in range(4)]


def faces_in(search: CurveSearch, pictures: Sequence[TracedCurve]) -> list[Face]:
    """Return the regions of the rectangle."""
    scale, region = search.equations.scale, search.region
    low, high = region.low / scale, region.high / scale
    room = 1e-9 * (high - low)

    def inside(piece: CurvePiece) -> bool:
        search.check_time()
        middle = piece.middle()
        return bool((middle >= low - room).all() and (middle <= high + room).all())

    curves: list[PlaneCurve] = [*sides_of(region, scale), *pictures]
    pieces, _ = pieces_of(curves, inside)
    least = REGION_AREA * float((high - low).prod())
    return [face for face in faces_of(pieces) if face.outer.rough_area > least]


@dataclass(frozen=True)
class RegionCounts:
    """The poses that were found at inner points of regions, by these points, and those points whose numbers samples
    confirm: regions that later curves do not cut keep both."""

    poses: dict[bytes, list[PosePoint]] = field(default_factory=dict)
    settled: set[bytes] = field(default_factory=set)


def poses_in(
    search: CurveSearch, faces: Sequence[Face], base: PosePoint, counts: RegionCounts
) -> tuple[list[Face], list[list[PosePoint]], list[str]]:
    """Return the regions that were counted in time, the poses at the inner point of each, and notes on samples of
    regions with another number of poses; keep the last two in `counts`. Curves through singular poses between such
    points are followed."""
    scale, is_finite, equations = search.equations.scale, search.freedom == 0, search.equations

    many = len(faces) > LARGE

    def count(values: np.ndarray) -> list[PosePoint]:
        return random_poses(equations, search.region, base, values, limit=None if is_finite else 1)

    def lead(poses: Sequence[PosePoint], values: np.ndarray) -> list[PosePoint]:
        if is_finite:
            return drive_or_trace(search, poses, values)
        for z in poses:
            climb(search, z, (values - z.p) / scale)
        found = close_poses(equations, [z._replace(p=values.astype(float)) for z in poses], rounds=40)
        return [there for there in found if there is not None]

    def add(found: list[PosePoint], new: list[PosePoint]) -> None:
        add_poses(equations, search.region, found, new)

    def again(k: int, values: np.ndarray) -> list[PosePoint]:
        return _drive_from_sections(search, faces[k], values) if is_finite else []

    found, keys = RegionPoses(search, faces), [face.inner.tobytes() for face in faces]
    order = sorted(range(len(faces)), key=lambda k: -abs(faces[k].outer.rough_area))
    counted = list[int]()
    for k in order:
        if search.is_late:
            break
        counted.append(k)
        if keys[k] in counts.poses:
            found.add(k, counts.poses[keys[k]])
            continue
        found.add(k, count(faces[k].inner * scale) if is_finite else _pose_inside(search, faces[k]))
        if is_finite and k in order[:LARGE]:
            found.add(k, again(k, faces[k].inner * scale))
    if is_finite and not search.is_late:
        add_border_poses(found)
    poses = found.poses
    counting = Counting(
        count, lead, add, len if is_finite else lambda poses: min(len(poses), 1), again, lambda: search.is_late
    )
    settled = {k for k in order if keys[k] in counts.settled and len(counts.poses[keys[k]]) == len(poses[k])}
    differ, left = disagreements(faces, poses, scale, counting, 0, settled)
    if is_finite and not many:
        _count_again(search, faces, poses)
    counts.poses.update((keys[k], poses[k]) for k in counted)
    counts.settled.clear()
    counts.settled.update(keys[k] for k in order if k not in left and k not in {one.face for one in differ})
    notes = notes_on_samples(differ, len(left), "poses", faces, scale)
    if missing := len(faces) - len(counted):
        what = f"the {missing} smallest of {len(faces)} regions are left out"
        notes.append(f"{what}: the time was over before their poses were counted")
    return [faces[k] for k in counted], [poses[k] for k in counted], notes


def _section_poses(search: CurveSearch, face: Face) -> tuple[list[PosePoint], np.ndarray, np.ndarray]:
    """Return all poses on the sections, their values (poses, 2) with the whole turns that bring them nearest to the
    middle of the rectangle, and the numbers of those whose values are in a region."""
    poses = [place.z for trace in search.sections for place in trace.places]
    values = search.region.nearest(np.array([z.p for z in poses]).reshape(-1, 2))
    return poses, values, np.flatnonzero(face.contains(values / search.equations.scale))


def _drive_from_sections(search: CurveSearch, face: Face, target: np.ndarray) -> list[PosePoint]:
    """Return the poses at a point of a region that are reached by driving there the poses on sections through it."""
    poses, values, inside = _section_poses(search, face)
    some = inside[:: max(1, len(inside) // DRIVEN)]
    starts = [poses[k] for k in some]
    targets = np.array([z.p for z in starts]).reshape(-1, 2) + target - values[some]
    return [z for z in drive(search.equations, starts, targets, search.step) if z is not None]


class RegionPoses:
    """The poses known at the inner points of regions, and the pairs of regions between which poses were driven: no pose
    twice, nor back to the region from which it came."""

    def __init__(self, search: CurveSearch, faces: Sequence[Face], keeps: Callable[[PosePoint], bool] | None = None):
        self.search, self.faces, self.keeps = search, faces, keeps
        """Whether a pose keeps the limits of joints; None if there are none."""
        self.poses: list[list[PosePoint]] = [[] for _ in faces]
        self.sources: list[list[int]] = [[] for _ in faces]
        """The region from which each pose came; -1 for a pose that was found otherwise."""
        self.driven: dict[tuple[int, int], int] = defaultdict(int)
        """The number of first poses of a region that were driven to another one."""

    def add(self, k: int, poses: Sequence[PosePoint], sources: Sequence[int] = ()) -> bool:
        """Add the poses that are new in a region, in place, with the regions from which they come; return whether there
        is any."""
        new = add_poses(self.search.equations, self.search.region, self.poses[k], poses)
        self.sources[k] += [sources[j] if sources else -1 for j in new]
        self.search.watch(sum(map(bool, self.poses)), len(self.faces))
        return bool(new)

    def drive(self, routes: Iterable[tuple[int, int]]) -> bool:
        """Drive the poses of regions to others, (from, to); return whether any is new there."""
        moves = []
        for i, k in routes:
            first, self.driven[i, k] = self.driven[i, k], len(self.poses[i])
            some = zip(self.poses[i][first:], self.sources[i][first:], strict=True)
            moves += [(z, k, i) for z, source in some if source != k]
        return self.lead(moves)

    def lead(self, moves: Sequence[tuple[PosePoint, int, int]]) -> bool:
        """Drive poses on straight lines to the inner points of regions, (pose, to, from); return whether any is new
        there."""
        region, scale = self.search.region, self.search.equations.scale
        starts = [z for z, _, _ in moves]
        values = np.array([z.p for z in starts]).reshape(-1, 2)
        targets = values + np.array([self.faces[k].inner for _, k, _ in moves]).reshape(-1, 2) * scale
        reached = drive(self.search.equations, starts, targets - region.nearest(values), self.search.step)
        arrived: dict[int, list[tuple[PosePoint, int]]] = defaultdict(list)
        for there, (_, k, i) in zip(reached, moves, strict=True):
            if there is not None and (self.keeps is None or self.keeps(there)):
                arrived[k].append((there, i))
        return any([self.add(k, [z for z, _ in pairs], [i for _, i in pairs]) for k, pairs in arrived.items()])


def add_border_poses(region_poses: RegionPoses) -> None:
    """Add to each region the pairs of poses that meet on its border, and poses of joints at their limits there; then
    exchange poses between neighbours, until nothing is new; without limits, except between those whose numbers differ
    by two, as on both sides of one fold."""
    region_poses.lead([(z, k, -1) for z, k in _border_poses(region_poses.search, region_poses.faces)])
    pairs, search = _pairs(region_poses.faces), region_poses.search
    while not search.is_late and region_poses.drive(
        [
            route
            for i, j in pairs
            if region_poses.keeps is not None or abs(len(region_poses.poses[i]) - len(region_poses.poses[j])) != 2
            for route in ((i, j), (j, i))
        ]
    ):
        pass


def _border_poses(search: CurveSearch, faces: Sequence[Face]) -> list[tuple[PosePoint, int]]:
    """Return poses on the borders of regions, with the number of their region: for each piece of a border two that meet
    there, near the singular pose z in its middle. Where a joint is at its limit z is one pose for the regions on both
    sides.

    With J v = 0 and Jᵀ u = 0 at z, poses on the line through z along the normal Pᵀ u pass z along v and turn back. Both
    are on the same side of the border."""
    equations, region, singular, found = search.equations, search.region, search.singular, []
    owner = {(id(piece), sense): k for k, face in enumerate(faces) for c in face.cycles for piece, sense in c.edges}
    pieces = {id(piece): piece for face in faces for cycle in face.cycles for piece, _ in cycle.edges}
    for piece in pieces.values():
        if not isinstance(piece.curve, TracedCurve):
            continue
        z, (_, rate) = piece.curve.place(piece.half.along).z, piece.curve.at(*piece.half)
        bare = z._replace(u=np.zeros(0))
        if piece.curve.tag.limits:
            found += [(bare, owner[id(piece), side]) for side in (1, -1) if (id(piece), side) in owner]
            continue
        normal = singular.normal(z)
        v = np.append(np.linalg.svd(singular.ranked(equations.at(bare)))[2][-1], np.zeros(2))
        if not normal.any():
            continue
        start = TracePlace(bare, v, 0.0)
        for h in (FOLD_STEP, -FOLD_STEP):
            there = place_ahead(line(equations, region.turns, bare, normal), start, h)
            if there is not None:
                step = (there.z.p - z.p) / equations.scale
                side = int(np.sign(rate[0] * step[1] - rate[1] * step[0]))
                if (k := owner.get((id(piece), side))) is not None:
                    found.append((there.z, k))
    return found


def areas_of(
    search: CurveSearch,
    faces: Sequence[Face],
    poses_of_faces: Sequence[Sequence[PosePoint]],
    initial: InitialPose,
    plane: ValuePlane,
) -> tuple[Area, ...]:
    """Return the regions with their poses, those with most of them first."""
    scale, found = search.equations.scale, []
    for face, poses in zip(faces, poses_of_faces, strict=True):
        values, counted = frozen(face.inner * scale), search.freedom == 0
        states = states_at(initial, [z.q for z in poses], plane.names, poses[0].p if poses else values)
        found.append(Area(plane.names, values, states, face, scale, counted, plane.units))
    return tuple(sorted(found, key=lambda one: (-len(one.states), -abs(one.face.outer.rough_area))))


def _count_again(search: CurveSearch, faces: Sequence[Face], poses: list[list[PosePoint]]) -> None:
    """Count again in regions whose numbers contradict those of neighbours: across a fold two poses coincide, so numbers
    on both sides differ by an even number. There poses are sought from those of all neighbours as well, and added to
    `poses`."""
    neighbours = _neighbours(faces)
    doubtful = {k for i, j in unlikely(faces, poses) for k in (i, j)}
    for _ in range(ROUNDS if doubtful else 0):
        for k in sorted(doubtful):
            if search.is_late:
                return
            target = faces[k].inner * search.equations.scale
            for z in [z for other in sorted(neighbours[k]) for z in poses[other]]:
                new = poses_at(search.equations, search.region, target, [z], search.step)
                add_poses(search.equations, search.region, poses[k], new)
        doubtful = {k for i, j in unlikely(faces, poses) for k in (i, j)}


def _neighbours(faces: Sequence[Face]) -> dict[int, set[int]]:
    """Return the numbers of the faces on the other sides of the curves around each face."""
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


def unlikely(faces: Sequence[Face], poses: Sequence[Sequence[object]]) -> list[tuple[int, int]]:
    """Return the pairs of neighbours whose numbers of poses are equal, or differ by an odd number."""
    return [(i, j) for i, j in _pairs(faces) if (len(poses[i]) - len(poses[j])) % 2 or len(poses[i]) == len(poses[j])]


def doubts(areas: Sequence[Area]) -> tuple[str, ...]:
    """Return notes on numbers of poses that cannot be right."""
    if not all(one.counted for one in areas):
        return ()
    notes = []
    pairs = unlikely([one.face for one in areas], [one.states for one in areas])
    for i, j in pairs[:LISTED]:
        here, there = (", ".join(f"{x:.6g}" for x in areas[k].inside) for k in (i, j))
        what = f"{len(areas[i].states)} poses at ({here}) and {len(areas[j].states)} at ({there})"
        notes.append(f"{what}, on both sides of a curve: some may have been missed; try a smaller step=")
    if len(pairs) > LISTED:
        notes.append(f"at {len(pairs) - LISTED} more pairs of regions poses may have been missed in the same way")
    return tuple(notes)


def notes_on_meetings(both: BothKinds, kinds: tuple[str, str], names: Sequence[str]) -> list[str]:
    """Return notes on poses that are singular in both kinds, through which a curve of one kind alone was found."""
    notes = []
    for k, z in both.lost[:LISTED]:
        values = both.values[0](z.q)
        there = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, values, strict=True))
        notes.append(
            f"a {kinds[1 - k]} curve meets the other kind at {there}, where a {kinds[k]} curve was not found; "
            "try another step="
        )
    if len(both.lost) > LISTED:
        notes.append(f"at {len(both.lost) - LISTED} more such points a curve of the other kind was not found")
    return notes


def _pose_inside(search: CurveSearch, face: Face) -> list[PosePoint]:
    """Return a list with one pose in a region, on a section through it, or at its inner point by the least change of a
    pose on a section near by; an empty list if there is none."""
    scale = search.equations.scale
    poses, values, inside = _section_poses(search, face)
    if len(inside):
        return [poses[inside[len(inside) // 2]]]
    target = face.inner * scale
    for k in np.linalg.norm((values - target) / scale, axis=1).argsort()[:NEAR]:
        whole = poses[k].p - values[k]
        found = close_pose(search.equations, poses[k]._replace(p=target + whole), rounds=40)
        if found is not None:
            return [found]
    return []


def interpolations(pictures: Iterable[TracedCurve]) -> list[str]:
    """Return notes on pictures that are interpolated in some of their steps."""
    notes = []
    for picture in pictures:
        if picture.interpolated:
            there = ", ".join(f"{x:.6g}" for x in picture.points[min(picture.interpolated)] * picture.scale)
            notes.append(
                f"a {picture.tag.kind} curve is interpolated between its poses in {len(picture.interpolated)} of its "
                f"steps, first near ({there}): its equations were not solved there"
            )
    return notes


def notes_of(curves: Sequence[SingularCurve], pictures: Sequence[TracedCurve]) -> tuple[str, ...]:
    """Notes on curves that cross others, or whose pictures are interpolated: sentences."""
    notes, fragments = interpolations(pictures), defaultdict[str, list[str]](list)
    for curve in curves:
        there = ", ".join(f"{name} = {x:.6g}" for name, x in zip(curve.names, curve.values[0], strict=True))
        if curve.is_point and not curve.stuck:
            notes.append(f"at {there} the mechanism moves with both values held")
        problem, stops = curve.trace.problem, ((0, curve.trace.beginning), (-1, curve.trace.ending))
        assert isinstance(problem, Singular)
        ends = [k for k, why in stops if why in (STUCK, SURFACE)]
        last = [curve.trace.places[k].z for k in ends]
        places = [
            ", ".join(f"{name} = {x:.6g}" for name, x in zip(curve.names, curve.values[k], strict=True)) for k in ends
        ]
        where = " and ".join(dict.fromkeys(places))
        if SURFACE in (curve.trace.beginning, curve.trace.ending) or any(problem.on_surface(z) for z in last):
            fragments[curve.kind].append(where)
        elif last and curve.is_point and problem.is_isolated(last[0]):
            notes.append(f"at {where} is a single {curve.kind} pose, with none beside it")
        elif last:
            notes.append(
                f"a {curve.kind} curve ends at {where}, where equations are not smooth, or more than one curve meet"
            )
        if LONG in (curve.trace.ending, curve.trace.beginning):
            notes.append(f"the {curve.kind} curve through {there} is longer than was followed")
            if sum(LONG in (one.trace.ending, one.trace.beginning) for one in curves) >= SHEET:
                notes.append(f"the search ended with {SHEET} curves that are longer; others may have been missed")
        if curve.trace.passed:
            notes.append(f"the {curve.kind} curve through {there} crosses others in poses it passes")
        if curve.both:
            meetings = "; ".join(", ".join(f"{x:.6g}" for x in point.values) for point in curve.both)
            notes.append(f"the {curve.kind} curve through {there} meets the other kind at ({meetings})")
    for kind, all_ends in fragments.items():
        notes.append(
            f"a surface of singular poses: fragments of {len(all_ends)} {kind} curves lie on it, the first ends at "
            f"{all_ends[0]}; singular poses go on there in two directions, and borders of regions may have been missed"
        )
    return tuple(dict.fromkeys(notes))
