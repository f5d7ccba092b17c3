"""The reachable workspace of an arm: where its hand can be, within the limits of its joints.

On the boundary the hand cannot move outwards: its rows depend on those of the joints, and of the limits that joints are
at. So for each set of joints at limits the singular curves are followed, as far as the other joints keep their limits;
these curves split the plane into regions, and in one point of each the inverse geometric model decides whether it is
reached. Samples check the result: points of each region, and poses of the arm. Where they disagree with the regions, a
curve was missed, and is sought from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import checked_fix, checked_seed, checked_step, model_of
from ...compiled import System
from ...errors import ModelError
from ...model.model import Model
from ...model.parameters import finite_number
from ...poses.reach.joint_space import JointSpace, label
from ...provided import provided
from ...public_class import PublicClass
from ...results.quantities import frozen
from ...tolerances import LIMIT_EXCESS
from ...unit_system import UnitsLike, shown_in, told
from ...verbs.inverse_kinematics import inverse_kinematics
from ..agreement import Counting, disagreements, notes_on_samples
from ..curves import zeros_along
from ..following.equations import PosePoint
from ..following.tracing import LONG, STUCK, TracePlace
from ..plane.arcs import CurvePiece, PlaneCurve, Spot, TracedCurve
from ..plane.faces import Face, distance_to, faces_of, pieces_of
from ..regions import RegionPoses, add_border_poses, interpolations
from ..request import InitialPose, ValuePlane, check_freedom, initial_pose, plane_of, points_of, state_at
from ..result import Area, SingularCurve
from .boundaries import Boundaries, pose_of
from .limits import JointLimits, limits_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRIES = 60
"""Number of starts of the inverse geometric model at each point."""
ROUNDS = 5
"""Greatest number of rounds, each with the boundaries that samples of the round before led to."""
SAMPLES, STRAYS = 200, 6
"""Number of random poses of the arm in each round, and the number of reported poses outside all regions at which a
round ends."""
CHORD = 0.05
"""Points nearer to the border than this part of a step count as on it, because its polygon consists of chords."""


@dataclass(frozen=True, eq=False, repr=False)
class ReachableWorkspace(metaclass=PublicClass):
    """The points that the hand of an arm can reach, from `reachable_workspace`.

    >>> points = {"A": (0, 0), "B": (1, 0), "C": (1.5, 0.1)}
    >>> arm = mbs.PlanarModel.from_points(points, rods=["AB", "BC"], fixed="A")
    >>> found = mbs.reachable_workspace(arm, "BC.C", limits={"B.angle": (0.5, 1.5)})
    >>> isinstance(found, mbs.ReachableWorkspace), len(found.regions), found.contains([(1.3, 0.2), (0.2, 0)])
    (True, 1, array([ True, False]))
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    title: str
    regions: tuple[Area, ...]
    """The reachable regions. The number of solutions changes across curves inside."""
    curves: tuple[SingularCurve, ...]
    """All singular curves and curves at limits, including parts that cannot be reached."""
    limits: dict[str, tuple[float, float]]
    notes: tuple[str, ...]
    """Open questions: samples of a region with another number of solutions, poses of the arm in no region."""
    pieces: tuple[CurvePiece, ...] = field(repr=False)
    scale: np.ndarray = field(repr=False)

    def __repr__(self) -> str:
        area = told(self.area, f"{self.units[0]}²")
        return f"<Reachable workspace of {self.title!r}: {area}, {len(self.regions)} regions>"

    @cached_property
    def area(self) -> float:
        """The area by Green's theorem along the boundary, in m²."""
        return float(sum(one.area for one in self.regions))

    def contains(self, points: Any) -> np.ndarray:
        """Return a mask of the points (n, 2) that can be reached, as exact as the polygon of the boundary."""
        points = points_of(points)
        inside = [one.contains(points) for one in self.regions]
        return np.any(inside, axis=0) if inside else np.zeros(len(points), dtype=bool)

    @cached_property
    def _sides(self) -> dict[int, int]:
        """The number of sides of each piece, by its id, on which points can be reached."""
        sides: dict[int, int] = {}
        for one in self.regions:
            for cycle in one.face.cycles:
                for piece, _ in cycle.edges:
                    sides[id(piece)] = sides.get(id(piece), 0) + 1
        return sides

    @cached_property
    def boundary(self) -> tuple[tuple[str, np.ndarray], ...]:
        """The arcs of the boundary: the kind ("serial": singular poses, "limit": a joint at its limit), and exact
        points, (n, 2)."""
        return tuple((kind, points) for points, kind, outer in self.lines if outer)

    @cached_property
    def lines(self) -> list[tuple[np.ndarray, str, bool]]:
        """All pieces that bound a reachable region: points, kind, and whether the piece belongs to the boundary of
        all."""
        own = [piece for piece in self.pieces if id(piece) in self._sides]
        return [(piece.points * self.scale, piece.curve.tag.kind, self._sides[id(piece)] == 1) for piece in own]

    def plot(self, units: UnitsLike = None) -> Figure:
        """Plot boundaries by their kind; curves inside, where the number of solutions changes, thin. `units` are those
        of ``Result.plot``."""
        with shown_in(units):
            return provided("ReachableWorkspace.plot")(self)


def reachable_workspace(
    model: Model | System, hand: Any, plane: str = "xy", at: float | None = None,
    limits: Mapping[str, tuple[float | None, float | None]] | None = None, fix: Mapping[str, float] | None = None,
    step: float = 0.1, seed: int = 0,
) -> ReachableWorkspace:  # fmt: skip
    """Compute the points that the hand of an arm can reach: the exact boundary, by continuation, and its area.

    `hand` is a marker, or its name. In space ``plane="xz", at=0.1`` asks for the section y = 0.1. `limits` are those of
    joint coordinates, as in `inverse_kinematics`; those of each `Stop` at a joint count as well. `fix` holds joints.
    Drivers are ignored. The arm may have more joints than the plane needs.

    A two-link arm reaches a ring:

    >>> points = {"A": (0, 0), "B": (1, 0), "C": (1.5, 0.1)}
    >>> arm = mbs.PlanarModel.from_points(points, rods=["AB", "BC"], fixed="A")
    >>> l = np.hypot(0.5, 0.1)
    >>> bool(np.isclose(mbs.reachable_workspace(arm, "BC.C").area, np.pi * ((1 + l) ** 2 - (1 - l) ** 2), rtol=1e-11))
    True
    """
    given = model_of(model)
    space = JointSpace.of(given)
    own, step, held, seed = space.model, checked_step(step), checked_fix(space.model, fix), checked_seed(seed)
    names, third, marker = _plane_names(space, hand, plane, at)
    section = {} if third is None else {third: finite_number(0.0 if at is None else at, "at")}
    bounds = limits_of(space, own, limits)
    flat = plane_of(own, names, "reachable_workspace")
    initial = initial_pose(own, 0.0, held, None)
    check_freedom(
        InitialPose(own, 0.0, initial.q, initial.nearby, initial.freedom - len(section)), flat, redundant=True
    )
    boundaries = Boundaries(space, initial, flat, bounds, held, section, step, seed).aside()
    touched = ""
    if boundaries.section != section:
        touched = f"the plane {third} = {section[str(third)]:.10g} touches a singular surface of {label(marker)}; "
        touched += f"the regions are those of the plane {third} = {boundaries.section[str(third)]:.10g}"
    boundaries.start()
    if boundaries.is_surface:
        what = f"singular poses of {own.name!r} form a surface in this plane, and their curves do not end"
        raise ModelError(
            f"{what}: the arm may only touch the plane; choose another at=, or a larger step=",
            code="singular-surface", model=own.name, plane=names, section=dict(section), step=step,
        )  # fmt: skip
    reach = _Reach(boundaries, marker, initial.freedom - len(section) == 2)
    for _ in range(ROUNDS):
        before, every = boundaries.count, boundaries.curves()
        pieces, faces = _split(every, flat.scale, bounds)
        known = _solutions(reach, flat, faces)
        notes = [*_doubts(reach, flat, faces, known), *_strays(boundaries, flat, faces, known)]
        if boundaries.count == before:
            break
    if not any(known):
        what = f"no region was found that {label(marker)} of {own.name!r} reaches; correct limits=, fix= or at="
        raise ModelError(
            f"{what}: {touched}" if touched else what, code="no-region", model=own.name, marker=label(marker)
        )
    regions = [
        Area(
            flat.names, frozen(face.inner * flat.scale), tuple(state_at(initial, z.q) for z in poses), face, flat.scale,
            reach.counted, flat.units,
        )
        for face, poses in zip(faces, known, strict=True)
        if poses
    ]  # fmt: skip
    notes += _open_ends(every, bounds)
    notes += interpolations(dict.fromkeys(piece.curve for piece in pieces if isinstance(piece.curve, TracedCurve)))
    notes += [*bounds.notes, *([touched] if touched else [])]
    regions.sort(key=lambda one: -abs(one.face.outer.rough_area))
    return ReachableWorkspace(
        flat.names, flat.units, own.name, tuple(regions), tuple(every), dict(bounds.pairs), tuple(notes), tuple(pieces),
        flat.scale,
    )  # fmt: skip


def _corners_at_limits(curve: SingularCurve, bounds: JointLimits) -> tuple[Spot, ...]:
    """Return the places where a curve turns back, and where another joint comes to its limit."""
    corners = [cusp.spot for cusp in curve.cusps]

    def room(place: TracePlace) -> float:
        return bounds.margin(place.z.q, curve.limits)

    rooms = np.array([room(place) for place in curve.trace.places])
    if np.isfinite(rooms).all():
        corners += [spot for spot, _ in zeros_along(curve.trace, rooms, room)]
    return tuple(corners)


def _split(
    every: Sequence[SingularCurve], scale: np.ndarray, bounds: JointLimits
) -> tuple[list[CurvePiece], list[Face]]:
    """Return the pieces of the curves in which joints keep their limits, and the regions between them."""
    pictures: list[PlaneCurve] = [
        TracedCurve(curve.trace, scale, np.zeros(2), curve, _corners_at_limits(curve, bounds))
        for curve in every
        if not curve.is_point
    ]

    def keeps(piece: CurvePiece) -> bool:
        low, high = max(piece.ranges, key=lambda pair: pair[1] - pair[0])
        assert isinstance(piece.curve, TracedCurve)
        place = piece.curve.place(0.5 * (low + high))
        return bounds.margin(place.z.q, piece.curve.tag.limits) > -LIMIT_EXCESS

    pieces, _ = pieces_of(pictures, keeps) if pictures else ([], [])
    return pieces, faces_of(pieces)


def _open_ends(curves: Sequence[SingularCurve], bounds: JointLimits) -> list[str]:
    """Return notes on curves that are not closed, in ends where joints keep their limits: borders of regions may be
    missing beyond these ends."""
    notes = []
    for curve in (curve for curve in curves if not curve.is_point):
        for k, why in ((0, curve.trace.beginning), (-1, curve.trace.ending)):
            if why in (STUCK, LONG) and bounds.margin(curve.trace.places[k].z.q, curve.limits) > -LIMIT_EXCESS:
                there = f"({curve.values[k][0]:.6g}, {curve.values[k][1]:.6g})"
                if why == LONG:
                    notes.append(f"the {curve.kind} curve through {there} is longer than was followed")
                else:
                    what = "where equations are not smooth, or more than one curve meet"
                    notes.append(f"a {curve.kind} curve ends at {there}, {what}")
    return notes


def _solutions(reach: _Reach, plane: ValuePlane, faces: Sequence[Face]) -> list[list[PosePoint]]:
    """Return the solutions at the inner point of each region, with those that motions from its border and from its
    neighbours lead to: few random starts lead to two solutions near the pose in which both meet."""
    own = reach.boundaries
    region_poses = RegionPoses(own.free, faces, own.keeps)
    for k, face in enumerate(faces):
        region_poses.add(k, reach.at(face.inner * plane.scale))
    if reach.counted:
        add_border_poses(region_poses)
    return region_poses.poses


def _doubts(reach: _Reach, plane: ValuePlane, faces: Sequence[Face], poses: list[list[PosePoint]]) -> list[str]:
    """Return notes on samples of each region with another number of solutions."""
    boundaries = reach.boundaries
    counting = Counting(reach.at, boundaries.lead, boundaries.add, reach.number)
    differ, left = disagreements(faces, poses, plane.scale, counting, boundaries.seed)
    for _, search in boundaries.sets if differ else ():
        search.branch()
    return notes_on_samples(differ, len(left), "solutions", faces, plane.scale)


def _strays(
    boundaries: Boundaries, plane: ValuePlane, faces: Sequence[Face], poses: list[list[PosePoint]]
) -> list[str]:
    """Return notes on random poses of the arm whose hand is in no reached region; boundaries, and poses at the inner
    points of these regions, are sought from there."""
    notes: list[str] = []
    for z in boundaries.poses(SAMPLES):
        point = (z.p / plane.scale)[None]
        inside = [k for k, face in enumerate(faces) if face.contains(point)[0]]
        if any(poses[k] for k in inside) or len(notes) >= STRAYS:
            continue
        borders = [cycle.points for face in faces for cycle in face.cycles]
        if min((float(distance_to(border, point)[0]) for border in borders), default=np.inf) < CHORD * boundaries.step:
            continue
        boundaries.explore(z)
        for k in inside:
            boundaries.add(poses[k], boundaries.lead([z], faces[k].inner * plane.scale))
        if not any(poses[k] for k in inside):
            there = ", ".join(f"{x:.6g}" for x in z.p)
            notes.append(f"({there}) is reached, and in no region that was found; try another step= or seed=")
    return notes


def _plane_names(space: JointSpace, hand: Any, plane: Any, at: Any) -> tuple[tuple[str, str], str | None, Any]:
    marker = space.marker(hand)
    if marker.body.fixed:
        raise ModelError(
            f"{label(marker)} is on the ground, which does not move; name a marker of a body that does",
            code="marker-on-ground", argument="hand", marker=label(marker),
        )  # fmt: skip
    axes = "xy" if space.model.dimension == 2 else "xyz"
    if not isinstance(plane, str) or len(plane) != 2 or plane[0] == plane[1] or set(plane) - set(axes):
        raise ModelError(
            f"plane names two axes of {axes}, such as {axes[0] + axes[-1]!r}, not {plane!r}",
            code="unknown-choice", argument="plane", value=plane, axes=axes,
        )  # fmt: skip
    if space.model.dimension == 2:
        if at is not None:
            raise ModelError(
                "at= says which section of a space is asked for, and this arm is in the plane; leave it out",
                code="not-spatial", argument="at", value=at, model=space.model.name,
            )  # fmt: skip
        third = None
    else:
        third = f"{label(marker)}.{(set(axes) - set(plane)).pop()}"
    return (f"{label(marker)}.{plane[0]}", f"{label(marker)}.{plane[1]}"), third, marker


@dataclass(frozen=True, eq=False)
class _Reach:
    """Solutions of the inverse geometric model with the hand at a point."""

    boundaries: Boundaries
    marker: Any
    counted: bool

    def at(self, values: np.ndarray) -> list[PosePoint]:
        """Return the poses with the hand at a point: all of them, or one where a freedom is left."""
        own = self.boundaries
        where = dict(zip(own.plane.names, values.tolist(), strict=True)) | dict(own.section)
        point = [where[f"{label(self.marker)}.{axis}"] for axis in "xyz"[: own.initial.model.dimension]]
        pairs = {**own.bounds.pairs, **{name: (value, value) for name, value in own.held.items()}}
        limits: Any = {name: np.array(pair) for name, pair in pairs.items()}  # warns of no degrees
        found = inverse_kinematics(
            own.initial.model, {self.marker: point}, limits=limits, all=self.counted, tries=TRIES, seed=own.seed
        )
        poses = [pose_of(own.initial, solution.state.full_q) for solution in found.solutions]
        return [PosePoint(q, values.astype(float), np.zeros(0)) for q in poses]

    def number(self, poses: list[PosePoint]) -> int:
        return len(poses) if self.counted else min(len(poses), 1)
