"""The regions into which curves split the plane: vertices, and cycles of half-edges with the region to the left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...tolerances import PLANE_DISTANCE, SLIVER_WIDTH
from .arcs import SAG, CurvePiece, PlaneCurve, Spot, crossings, feet, foot, point_near, points_near, spot_at

NEAR = 0.02
"""Distance from a vertex at which directions of pieces are compared, since pieces may touch each other in it."""
SAME_HEADING, REFINEMENTS = 0.01, 2
"""Directions that differ by less, in rad, are compared on the curves themselves, after so many steps of Newton's
method: interpolated curves are off by up to 1e-5 there."""
BESIDE, HALVINGS = 0.1, 5
"""Distance of samples of a region from its border, relative to the root of its area; and the number of times that the
distance is halved where there is no room."""
SMALL = 0.01
"""Random samples nearer to the border than this, relative to the root of the area, are left out: polygons are chords of
it."""
SLIVER = 10.0 * PLANE_DISTANCE
"""The least mean width of a region, since pieces nearer to each other count as one; and the least mean width of a
region whose border is interpolated somewhere, since interpolated curves are off by up to 1e-5."""
THROWS = 20
"""Number of random points for each sample of a region."""
ACROSS = 0.25, 0.5, 0.75
"""Parts of a piece of border at which a thin region is crossed."""
SLANT = 0.1
"""The greatest cosine between a border and the way to a point from a foot of a perpendicular."""
STEEP = 0.9
"""The least cosine of the angle between the way across a thin region and the normal of its border."""


@dataclass(frozen=True, eq=False)
class Cycle:
    """Successive pieces, with a region to the left; the sense is 1 forward, -1 backward."""

    edges: tuple[tuple[CurvePiece, int], ...]

    @cached_property
    def points(self) -> np.ndarray:
        return np.concatenate([piece.points[::sense][:-1] for piece, sense in self.edges])

    @property
    def area(self) -> float:
        """The exact area; negative for the border of a hole."""
        return sum(sense * piece.area for piece, sense in self.edges)

    @cached_property
    def rough_area(self) -> float:
        x, y = self.points.T
        return float(0.5 * (x * np.roll(y, -1) - np.roll(x, -1) * y).sum())

    @cached_property
    def chords(self) -> np.ndarray:
        """The lengths of the sides of its polygon."""
        return np.linalg.norm(self.points - np.roll(self.points, 1, axis=0), axis=1)

    @property
    def sag_area(self) -> float:
        """The greatest area between arcs that turn by 0.35 rad and their chords, the sides of its polygon."""
        return 2.0 / 3.0 * SAG * float((self.chords**2).sum())

    @cached_property
    def is_outer(self) -> bool:
        """Whether it goes round a region, in the positive sense; by the exact area where the polygon may be off."""
        return (self.area if abs(self.rough_area) <= self.sag_area else self.rough_area) > 0.0

    def is_left(self, point: np.ndarray) -> bool:
        """Return whether a point is to the left: inside the border of a region, outside that of a hole. Next to the
        polygon, where arcs may pass the point on either side, the border itself decides, at the nearest foot of a
        perpendicular."""
        left, off = bool(winds(self.points, point[None])[0]) == self.is_outer, SAG * float(self.chords.max())
        if distance_to(self.points, point[None])[0] > off:
            return left
        nearest, found = off, left
        for piece, sense in self.edges:
            near = foot(piece.curve, point, piece.ranges)
            if near is None or near[1] > nearest:
                continue
            there, rate = piece.curve.at(*near[0])
            across = point - there
            if abs(rate @ across) > SLANT * float(np.linalg.norm(rate) * np.linalg.norm(across)):
                continue  # an end of the piece: the other piece of the corner decides, or the polygon, exact in corners
            nearest, found = near[1], bool(sense * (rate[0] * across[1] - rate[1] * across[0]) > 0.0)
        return found


@dataclass(frozen=True, eq=False)
class Face:
    """A region: its outer border, and the borders of its holes."""

    outer: Cycle
    holes: tuple[Cycle, ...]

    @property
    def area(self) -> float:
        return self.outer.area + sum(hole.area for hole in self.holes)

    @property
    def cycles(self) -> tuple[Cycle, ...]:
        return self.outer, *self.holes

    def holds(self, point: np.ndarray) -> bool:
        """Return whether a point is in the region; next to the border, by the border itself."""
        return all(cycle.is_left(point) for cycle in self.cycles)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Return which points, (n, 2), are within the polygon of the border."""
        inside = winds(self.outer.points, points)
        for hole in self.holes:
            inside &= ~winds(hole.points, points)
        return inside

    def samples(self, count: int, random: np.random.Generator) -> np.ndarray:
        """Return points of the region, (n, 2): next to the middle of each piece of its border, and `count` random
        ones; of a thin region at most `count` points halfway between opposite pieces."""
        if self.is_thin and len(self._halfway[0]):
            points, _ = self._halfway
            return points[random.permutation(len(points))[:count]]
        low, high = self.outer.points.min(axis=0), self.outer.points.max(axis=0)
        points = random.uniform(low, high, (THROWS * count, 2))
        inside = points[self.contains(points)]
        far = self._distance(inside) > SMALL * float(np.sqrt(abs(self.outer.rough_area)))
        return np.array([*self._along_border(), *inside[far][:count]]).reshape(-1, 2)

    def _along_border(self) -> list[np.ndarray]:
        """Return points of the region next to the middle of each piece of its border that leaves room."""
        edges = (edge for cycle in self.cycles for edge in cycle.edges)
        return [point for piece, sense in edges if (point := self._beside(piece, sense)) is not None]

    def _beside(self, piece: CurvePiece, sense: int) -> np.ndarray | None:
        """Return a point next to the middle of a piece, as far from the border as there is room; None where there is
        too little."""
        middle, rate = piece.curve.at(*piece.half)
        size = float(np.linalg.norm(rate))
        if size == 0.0:
            return None
        left = sense * np.array([-rate[1], rate[0]]) / size
        off = BESIDE * float(np.sqrt(abs(self.outer.rough_area)))
        for _ in range(HALVINGS):
            point = middle + off * left
            if self.contains(point[None])[0] and self._distance(point[None])[0] > 0.5 * off:
                return point
            off *= 0.5
        return None

    @cached_property
    def chords(self) -> np.ndarray:
        """The lengths of the sides of the polygons of its border."""
        return np.concatenate([cycle.chords for cycle in self.cycles])

    @cached_property
    def is_thin(self) -> bool:
        """Whether its area may be as small as that between its border and the chords, so that a point inside its
        polygon may be outside."""
        polygon, off = (sum(getattr(cycle, name) for cycle in self.cycles) for name in ("rough_area", "sag_area"))
        return bool(polygon <= off + SLIVER_WIDTH * 0.5 * self.chords.sum())

    @cached_property
    def _halfway(self) -> tuple[np.ndarray, np.ndarray]:
        """Return points of a thin region, (n, 2), and its widths there, (n,): from a point p of a piece of its border,
        halfway to the nearest foot of a perpendicular on another piece, to the left of p."""
        edges = [edge for cycle in self.cycles for edge in cycle.edges]
        points, widths = [], []
        for piece, sense in edges:
            low, high = max(piece.ranges, key=lambda pair: pair[1] - pair[0])
            for part in ACROSS:
                p, rate = piece.curve.at(*spot_at(piece.curve, low + part * (high - low)))
                left = sense * np.array([-rate[1], rate[0]]) / max(float(np.linalg.norm(rate)), 1e-300)
                best = None
                for other, _ in edges:
                    if other is piece or (near := foot(other.curve, p, other.ranges)) is None:
                        continue
                    across = other.curve.at(*near[0])[0] - p
                    if across @ left > STEEP * near[1] > 0.0 and (best is None or near[1] < best[1]):
                        best = p + 0.5 * across, near[1]
                if best is not None:
                    points.append(best[0])
                    widths.append(best[1])
        return np.array(points).reshape(-1, 2), np.array(widths)

    def _distance(self, points: np.ndarray) -> np.ndarray:
        """Return the distances of points from the border, (points,)."""
        if not len(points):
            return np.zeros(0)
        return np.asarray(np.min([distance_to(cycle.points, points) for cycle in self.cycles], axis=0))

    @cached_property
    def inner(self) -> np.ndarray:
        """A point of the region, far from its border: of a grid, in a thin region halfway between opposite pieces, or
        next to its border. A sliver without any room has the mean of its border."""
        if self.is_thin and len(self._halfway[0]):
            points, widths = self._halfway
            return np.asarray(points[int(widths.argmax())])
        low, high = self.outer.points.min(axis=0), self.outer.points.max(axis=0)
        for count in (15, 40, 120):
            x = (np.arange(count) + 0.5) / count
            grid = np.stack(np.meshgrid(*(low + np.outer(x, high - low)).T), axis=-1).reshape(-1, 2)
            grid = grid[self.contains(grid)]
            if len(grid) >= 3:
                return grid[int(self._distance(grid).argmax())]
        points = np.array([*grid, *self._along_border()]).reshape(-1, 2)
        return points[int(self._distance(points).argmax())] if len(points) else self.outer.points.mean(axis=0)


def winds(polygon: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return a mask of the points inside a closed polygon."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    x, y = points[:, 0, None], points[:, 1, None]
    crosses = (a[:, 1] <= y) != (b[:, 1] <= y)
    rise = np.where(b[:, 1] == a[:, 1], 1.0, b[:, 1] - a[:, 1])
    right = x < a[:, 0] + (y - a[:, 1]) * (b[:, 0] - a[:, 0]) / rise
    return np.asarray((crosses & right).sum(axis=1) % 2 == 1)


def distance_to(polygon: np.ndarray, points: np.ndarray, closed: bool = True) -> np.ndarray:
    """Return the distances of points from a polygon, (points,)."""
    a, b = (polygon, np.roll(polygon, -1, axis=0)) if closed else (polygon[:-1], polygon[1:])
    best = np.full(len(points), np.inf)
    for one, other in zip(a, b, strict=True):
        chord = other - one
        x = np.clip((points - one) @ chord / max(chord @ chord, 1e-300), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(points - one - x[:, None] * chord, axis=1))
    return best


class Vertices:
    """Distinct points (farther apart than 10 `PLANE_DISTANCE`), by number; a grid of squares finds near ones."""

    def __init__(self) -> None:
        self.points: list[np.ndarray] = []
        self.squares: dict[tuple[int, int], list[int]] = defaultdict(list)

    def number(self, point: np.ndarray) -> int:
        """Return the number of the first vertex at a point; if there is none, the point becomes one."""
        size = 10.0 * PLANE_DISTANCE
        i, j = (int(x) for x in np.floor(point / size))
        around = [k for a in (i - 1, i, i + 1) for b in (j - 1, j, j + 1) for k in self.squares.get((a, b), ())]
        for k in sorted(around):
            if np.abs(self.points[k] - point).max() < size:
                return k
        self.points.append(point)
        self.squares[i, j].append(len(self.points) - 1)
        return len(self.points) - 1


# --- pieces -----------------------------------------------------------------------------------------------------------


def pieces_of(
    curves: Sequence[PlaneCurve], keep: Callable[[CurvePiece], bool]
) -> tuple[list[CurvePiece], list[np.ndarray]]:
    """Return the pieces between all crossings and ends, each once; and the vertices."""
    cuts: list[list[Spot]] = [[] for _ in curves]
    for i, one, j, other in crossings(curves):
        cuts[i].append(one)
        cuts[j].append(other)
    for curve, spots in zip(curves, cuts, strict=True):
        last = len(curve.points) - 2
        spots += [*([] if curve.closed else [Spot(0, 0.0), Spot(last, 1.0)]), *curve.corners]
    _cut_at_all(curves, cuts)
    _start_closed(curves, cuts)
    vertices = Vertices()
    pieces = [p for curve, spots in zip(curves, cuts, strict=True) for p in _split(curve, spots, vertices)]
    return _each_once([piece for piece in pieces if keep(piece)]), vertices.points


def _cut_at_all(curves: Sequence[PlaneCurve], cuts: list[list[Spot]]) -> None:
    """Cut each curve at all points at which any curve is cut: curves may touch or coincide there."""
    found_vertices = Vertices()
    for curve, spots in zip(curves, cuts, strict=True):
        for spot in spots:
            found_vertices.number(curve.at(*spot)[0])
    vertices = np.array(found_vertices.points).reshape(-1, 2)
    for curve, spots in zip(curves, cuts, strict=True):
        along = np.array([spot.along for spot in spots])
        points = np.array([curve.at(*spot)[0] for spot in spots]).reshape(-1, 2)
        for vertex in vertices[points_near(curve, vertices)]:
            there = along[(np.abs(points - vertex) < 10.0 * PLANE_DISTANCE).all(axis=1)]
            spots += [spot for spot, off in feet(curve, vertex, but=there.tolist()) if off < 10.0 * PLANE_DISTANCE]


def _start_closed(curves: Sequence[PlaneCurve], cuts: list[list[Spot]]) -> None:
    """Cut a closed curve without any cut at its first place, and all curves that pass there: the picture of a curve may
    go round twice, in different poses."""
    for i, curve in enumerate(curves):
        if curve.closed and not cuts[i]:
            cuts[i].append(Spot(0, 0.0))
            for j, other in enumerate(curves):
                ends = (0.0, len(curve.points) - 1.0) if j == i else ()
                cuts[j] += [spot for spot, off in feet(other, curve.points[0], but=ends) if off < PLANE_DISTANCE]


def _split(curve: PlaneCurve, cuts: list[Spot], vertices: Vertices) -> list[CurvePiece]:
    """Return the pieces between the cuts. A piece that never leaves its vertex is a point, as where a curve turns back
    and is cut on both sides of its cusp."""
    total = len(curve.points) - 1
    along = sorted({spot.along % total if curve.closed else spot.along for spot in cuts})
    ends = [(x, vertices.number(curve.at(*spot_at(curve, x))[0])) for x in along]
    pieces = [CurvePiece(curve, ((a, b),), i, j) for (a, i), (b, j) in zip(ends, ends[1:], strict=False)]
    if curve.closed:
        (a, i), (b, j) = ends[-1], ends[0]
        ranges = [(a, float(total)), (0.0, b)]
        pieces.append(CurvePiece(curve, tuple(pair for pair in ranges if pair[1] > pair[0]), i, j))

    def is_point(piece: CurvePiece) -> bool:
        if piece.first != piece.last:
            return False
        return bool(np.abs(piece.points - vertices.points[piece.first]).max() < 10.0 * PLANE_DISTANCE)

    return [piece for piece in pieces if not is_point(piece)]


def _each_once(pieces: list[CurvePiece]) -> list[CurvePiece]:
    """Return the pieces without those that coincide with an earlier one."""
    distinct: list[CurvePiece] = []
    by_ends: dict[tuple[int, int], list[CurvePiece]] = defaultdict(list)
    for piece in pieces:
        coinciding = by_ends[min(piece.first, piece.last), max(piece.first, piece.last)]
        middle = piece.middle()
        if not any(
            (near := foot(other.curve, middle, other.ranges)) and near[1] < 10.0 * PLANE_DISTANCE
            for other in coinciding
        ):
            coinciding.append(piece)
            distinct.append(piece)
    return distinct


# --- cycles and regions -----------------------------------------------------------------------------------------------


def faces_of(pieces: list[CurvePiece]) -> list[Face]:
    """Return the bounded regions, without slivers between copies of one border: pieces nearer to each other than
    `SLIVER` are one border, and where a curve is interpolated its copies are farther apart, and cross."""
    edges = _without_loose_ends(pieces)
    cycles = _cycles(edges)
    outer = [cycle for cycle in cycles if cycle.is_outer]
    holes: dict[int, list[Cycle]] = defaultdict(list)
    for cycle in cycles:
        if cycle.is_outer:
            continue
        around = [k for k, one in enumerate(outer) if _encloses(one, cycle)]
        if around:
            least = min(outer[k].rough_area + outer[k].sag_area for k in around)
            around = [k for k in around if outer[k].rough_area - outer[k].sag_area <= least]
            holes[min(around, key=lambda k: outer[k].area) if len(around) > 1 else around[0]].append(cycle)
    return [face for face in (Face(one, tuple(holes[k])) for k, one in enumerate(outer)) if not _is_sliver(face)]


def _is_sliver(face: Face) -> bool:
    """Return whether the mean width of a region, its area over half the length of its border, is below the least."""
    if not face.is_thin:
        return False
    half = 0.5 * float(face.chords.sum())
    area = face.area  # computed also to notice a border whose equations are not solved
    guessed = any(piece.is_interpolated for cycle in face.cycles for piece, _ in cycle.edges)
    return area < (SLIVER_WIDTH if guessed else SLIVER) * half


def _encloses(outer: Cycle, hole: Cycle) -> bool:
    """Return whether a border goes round another with which it has no piece in common."""
    borders = {id(piece) for piece, _ in outer.edges}
    if any(id(piece) in borders for piece, _ in hole.edges):
        return False
    inside = [outer.is_left(piece.middle()) for piece, _ in hole.edges]
    off = outer.sag_area + hole.sag_area
    return bool(np.mean(inside) > 0.5) and outer.rough_area > -hole.rough_area * (1.0 - 1e-9) - off


def _without_loose_ends(pieces: list[CurvePiece]) -> list[CurvePiece]:
    while True:
        degree: dict[int, int] = defaultdict(int)
        for piece in pieces:
            degree[piece.first] += 1
            degree[piece.last] += 1
        inner = [piece for piece in pieces if degree[piece.first] > 1 and degree[piece.last] > 1]
        if len(inner) == len(pieces):
            return pieces
        pieces = inner


def _cycles(pieces: list[CurvePiece]) -> list[Cycle]:
    """Return the cycles of half-edges. At each vertex a cycle goes on with the next piece clockwise from the one by
    which it arrived."""
    around: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for k, piece in enumerate(pieces):
        around[piece.first].append((k, 1))
        around[piece.last].append((k, -1))
    order: dict[int, list[tuple[int, int]]] = {}
    for vertex, leaving in around.items():
        reach = []  # radii about the vertex that the pieces certainly cross
        for k, _ in leaving:
            points = pieces[k].points
            reach.append(0.3 * float(np.linalg.norm(points[:, None] - points[[0, -1]], axis=-1).max(axis=0).min()))
        radius = min(NEAR, *reach)
        exact = SAME_HEADING * radius < SLIVER_WIDTH  # interpolated curves are too inaccurate at this radius
        headings = np.array([_heading(pieces[k], sense, radius, exact) for k, sense in leaving])
        ranks = headings.argsort(kind="stable")
        gaps = np.diff(headings[ranks], append=headings.min() + 2.0 * np.pi)
        first = int(gaps.argmax()) + 1
        alike = np.split(np.roll(ranks, -first), np.flatnonzero(np.roll(gaps, -first)[:-1] >= SAME_HEADING) + 1)
        order[vertex] = []
        for group in alike:  # order pieces that touch by their directions at the radius that all of them cross
            if len(group) > 1:
                radius = min(NEAR, *(reach[k] for k in group))
                farther = np.array([_heading(pieces[leaving[k][0]], leaving[k][1], radius, exact=True) for k in group])
                turns = (farther - farther[0] + np.pi) % (2.0 * np.pi)
                group = group[turns.argsort(kind="stable")]
            order[vertex] += [leaving[k] for k in group]
    unused = {(k, sense) for k in range(len(pieces)) for sense in (1, -1)}
    cycles = []
    while unused:
        start = edge = min(unused)
        edges = []
        while True:
            unused.discard(edge)
            k, sense = edge
            edges.append((pieces[k], sense))
            there = pieces[k].last if sense == 1 else pieces[k].first
            leaving = order[there]
            edge = leaving[leaving.index((k, -sense)) - 1]
            if edge == start:
                break
        cycles.append(Cycle(tuple(edges)))
    return cycles


def _heading(piece: CurvePiece, sense: int, radius: float, exact: bool = False) -> float:
    """Return the direction, in rad, from the beginning of a piece to its point at distance `radius`, on the
    interpolated curve or, with `exact`, on the curve itself."""
    start = complex(*piece.points[::sense][0])

    def at(along: float, exact: bool = False) -> tuple[complex, complex]:
        """Return the way from the beginning of the piece, and its rate."""
        point, rate = point_near(piece.curve, *spot_at(piece.curve, along), exact)
        return point - start, rate

    for a, b in (ends[::sense] for ends in piece.ranges[::sense]):
        spots = np.linspace(a, b, max(2, int(4 * abs(b - a)) + 2))[1:]
        beyond = next((k for k, spot in enumerate(spots) if abs(at(spot)[0]) >= radius), None)
        spot, (low, high) = spots[-1], sorted((a, b))
        if beyond is not None:
            before, spot = [a, *spots][beyond], spots[beyond]
            for _ in range(30):
                middle = 0.5 * (before + spot)
                before, spot = (middle, spot) if abs(at(middle)[0]) < radius else (before, middle)
            break
    chord, rate = at(spot, exact)
    for _ in range(REFINEMENTS if exact else 0):
        far, growth = abs(chord), (chord * rate.conjugate()).real
        if growth == 0.0:
            break
        spot = float(np.clip(spot + (radius - far) * far / growth, low, high))
        chord, rate = at(spot, exact)
    return float(np.angle(chord))
