"""The reachable workspace of an arm: where its hand can be, within the limits of its joints.

On the boundary the hand cannot move outwards: its rows depend on those of the joints, and of the limits that joints are
at. So for each set of joints at limits the singular curves are followed, as far as the other joints keep theirs; they
split the plane into regions, and in one point of each the inverse geometric model tells whether it is reached.
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
from ...results.quantities import frozen
from ...unit_system import UnitsLike, shown_in, told
from ...verbs.inverse_kinematics import inverse_kinematics
from ..asked import Begun, Plane, begin, check_freedom, equations_of, plane_of, points_of, settle
from ..curves import curves_of
from ..following.search import Region, Seeking
from ..found import LIMIT, SERIAL, Area, SingularCurve
from ..plane.arcs import Followed, Piece, PlaneCurve
from ..plane.faces import Face, faces_of, pieces_of
from .limits import KEPT, Limits, limits_of
from .samples import samples
from .within import corners_at_limits

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRIES = 60
"""Starts of the inverse geometric model in each region."""
STARTS = 24
"""Poses from which singular ones are looked for, with each set of joints at limits."""
FAINT = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class ReachableWorkspace:
    """Where the hand of an arm can be, from `reachable_workspace`.

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
    """The reachable ones. Between curves inside, the number of solutions changes."""
    curves: tuple[SingularCurve, ...]
    """All singular curves and those at limits, the parts that cannot be reached as well."""
    limits: dict[str, tuple[float, float]]
    pieces: tuple[Piece, ...] = field(repr=False)
    scale: np.ndarray = field(repr=False)

    def __repr__(self) -> str:
        area = told(self.area, f"{self.units[0]}²")
        return f"<Reachable workspace of {self.title!r}: {area}, {len(self.regions)} regions>"

    @cached_property
    def area(self) -> float:
        """By Green's theorem along its boundary, in m²."""
        return float(sum(one.area for one in self.regions))

    def contains(self, points: Any) -> np.ndarray:
        """Which points (n, 2) can be reached, as exactly as the polygon of the boundary is."""
        points = points_of(points)
        inside = [one.contains(points) for one in self.regions]
        return np.any(inside, axis=0) if inside else np.zeros(len(points), dtype=bool)

    @cached_property
    def _sides(self) -> dict[int, int]:
        """On how many sides of each piece it can be reached."""
        sides: dict[int, int] = {}
        for one in self.regions:
            for cycle in one.face.cycles:
                for piece, _ in cycle.edges:
                    sides[id(piece)] = sides.get(id(piece), 0) + 1
        return sides

    @cached_property
    def boundary(self) -> tuple[tuple[str, np.ndarray], ...]:
        """Its arcs: the kind ("serial": singular poses, "limit": a joint at its limit), and exact points, (n, 2)."""
        return tuple((kind, points) for points, kind, outer in self.lines if outer)

    @cached_property
    def lines(self) -> list[tuple[np.ndarray, str, bool]]:
        """All pieces that bound a reachable region: points, kind, and whether it is the boundary of all."""
        own = [piece for piece in self.pieces if id(piece) in self._sides]
        return [(piece.points * self.scale, piece.curve.tag.kind, self._sides[id(piece)] == 1) for piece in own]

    def plot(self, units: UnitsLike = None) -> Figure:
        """Boundaries by their kind; curves inside, where the number of solutions changes, thin. `units` are those of
        ``Result.plot``."""
        with shown_in(units):
            return provided("ReachableWorkspace.plot")(self)


def reachable_workspace(
    model: Model | System, hand: Any, plane: str = "xy", at: float | None = None,
    limits: Mapping[str, tuple[float | None, float | None]] | None = None, fix: Mapping[str, float] | None = None,
    step: float = 0.1, seed: int = 0,
) -> ReachableWorkspace:  # fmt: skip
    """Where the hand of an arm can be: the exact boundary, by continuation, and its area.

    `hand` is a marker, or its name. In space ``plane="xz", at=0.1`` asks for the section y = 0.1. `limits` are those of
    joint coordinates, as in `inverse_kinematics`; those of each `Stop` at a joint count as well. `fix` holds joints.
    Drivers are left aside. An arm of more joints than the plane needs is no exception.

    A two-link arm reaches a ring:

    >>> points = {"A": (0, 0), "B": (1, 0), "C": (1.5, 0.1)}
    >>> arm = mbs.PlanarModel.from_points(points, rods=["AB", "BC"], fixed="A")
    >>> l = np.hypot(0.5, 0.1)
    >>> bool(np.isclose(mbs.reachable_workspace(arm, "BC.C").area, np.pi * ((1 + l) ** 2 - (1 - l) ** 2), rtol=1e-11))
    True
    """
    given = model_of(model)
    space = JointSpace.of(given)
    own, step, held, seed = space.model, checked_step(step), checked_fix(fix), checked_seed(seed)
    names, third, marker = _plane_names(space, hand, plane, at)
    section = {} if third is None else {third: finite_number(0.0 if at is None else at, "at")}
    bounds = limits_of(space, own, limits)
    flat = plane_of(own, names, "reachable_workspace")
    begun = begin(own, 0.0, held, None)
    check_freedom(Begun(own, 0.0, begun.q, begun.beside, begun.freedom - len(section)), flat, redundant=True)
    every = _all_curves(space, begun, flat, bounds, held, section, step, seed)
    scale = flat.scale
    pictures: list[PlaneCurve] = [
        Followed(curve.trace, scale, np.zeros(2), curve, corners_at_limits(curve, bounds))
        for curve in every
        if not curve.is_point
    ]

    def keeps(piece: Piece) -> bool:
        low, high = max(piece.ranges, key=lambda pair: pair[1] - pair[0])
        assert isinstance(piece.curve, Followed)
        place = piece.curve.place(0.5 * (low + high))
        return bounds.margin(place.z.q, piece.curve.tag.limits) > -KEPT

    pieces, _ = pieces_of(pictures, keeps) if pictures else ([], [])
    test = _Reach(own, marker, names, section, bounds, held, begun.freedom - len(section) == 2)
    regions = [area for face in faces_of(pieces) if (area := test.area(face, flat, begun)) is not None]
    if not regions:
        raise ModelError(f"no region was found that {label(marker)} of {own.name!r} reaches; mend limits=, fix= or at=")
    regions.sort(key=lambda one: -abs(one.face.outer.rough_area))
    pairs = dict(bounds.pairs)
    return ReachableWorkspace(
        flat.names, flat.units, own.name, tuple(regions), tuple(every), pairs, tuple(pieces), scale
    )


def _plane_names(space: JointSpace, hand: Any, plane: Any, at: Any) -> tuple[tuple[str, str], str | None, Any]:
    marker = space.marker(hand)
    if marker.body.fixed:
        raise ModelError(f"{label(marker)} is on the ground, which does not move; name a marker of a body that does")
    axes = "xy" if space.model.dimension == 2 else "xyz"
    if not isinstance(plane, str) or len(plane) != 2 or plane[0] == plane[1] or set(plane) - set(axes):
        raise ModelError(f"plane names two axes of {axes}, such as {axes[0] + axes[-1]!r}, not {plane!r}")
    if space.model.dimension == 2:
        if at is not None:
            raise ModelError(
                "at= says which section of a space is asked for, and this arm is in the plane; leave it out"
            )
        third = None
    else:
        third = f"{label(marker)}.{(set(axes) - set(plane)).pop()}"
    return (f"{label(marker)}.{plane[0]}", f"{label(marker)}.{plane[1]}"), third, marker


def _all_curves(
    space: JointSpace, begun: Begun, plane: Plane, bounds: Limits, held: Mapping[str, float],
    section: Mapping[str, float], step: float, seed: int,
) -> list[SingularCurve]:  # fmt: skip
    """Those of every set of joints at limits that leaves the hand a way to move."""
    found: list[SingularCurve] = []
    freedom = begun.freedom - len(section)
    far = 4.0 * begun.model.compile().length * (1 + len(begun.model.bodies)) * np.ones(2)
    region = Region(-far, far, plane.turns)
    for chosen in bounds.sets(freedom - 1):
        if set(chosen) & set(held):
            continue
        equations = equations_of(begun.model, begun.t, plane, {**held, **section, **chosen})
        if not chosen:
            settle(equations, begun, plane)
        seeking = Seeking(equations, region, step)
        for point in samples(space, begun, plane, equations, {**held, **chosen}, bounds, STARTS, seed):
            seeking.follow(point)
        known = [curve for curve in found if not curve.is_point]
        new = curves_of(seeking, LIMIT if chosen else SERIAL, begun, plane, None, own=True, limits=chosen)
        found += [
            curve for curve in new if not any(seeking.lies_on(old.trace, curve.trace.places[0].z) for old in known)
        ]
    return found


@dataclass(frozen=True, eq=False)
class _Reach:
    """Whether, and how often, the hand can be at a point."""

    model: Model
    marker: Any
    names: Sequence[str]
    section: Mapping[str, float]
    bounds: Limits
    held: Mapping[str, float]
    counted: bool

    def area(self, face: Face, plane: Plane, begun: Begun) -> Area | None:
        values = face.inner * plane.scale
        where = dict(zip(self.names, values.tolist(), strict=True)) | dict(self.section)
        point = [where[f"{label(self.marker)}.{axis}"] for axis in "xyz"[: self.model.dimension]]
        limits = {**self.bounds.pairs, **{name: (value, value) for name, value in self.held.items()}}
        found = inverse_kinematics(self.model, {self.marker: point}, limits=limits, all=self.counted, tries=TRIES)
        if not found.reachable:
            return None
        states = tuple(solution.state for solution in found)
        return Area(plane.names, frozen(values), states, face, plane.scale, self.counted)
