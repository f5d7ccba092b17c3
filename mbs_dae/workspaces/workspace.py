"""Compute singular curves of a mechanism over two values, and the regions between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from ..arguments import checked_fix, checked_step, model_of
from ..compiled import System
from ..errors import ModelError
from ..model.model import Model
from ..model.parameters import finite_number, positive_number
from ..progress import Progress, check_progress, ignore_progress, progress_bar
from ..results.result import State
from .curves import curves_of
from .entry import pose_in_region
from .following.equations import PosePoint
from .following.search import BothKinds, CurveSearch, ProjectedRegion, Region, SearchTimeout, search_region
from .maps import Jacobians
from .plane.arcs import TracedCurve
from .plane.faces import Face
from .regions import RegionCounts, areas_of, copies_of, doubts, faces_in, notes_of, notes_on_meetings, poses_in
from .request import (
    InitialPose,
    ValuePlane,
    Values,
    check_freedom,
    check_not_held,
    equations_of,
    initial_pose,
    plane_of,
    ranges_of,
    release_drivers,
    select_independent,
)
from .result import PARALLEL, SERIAL, SINGULAR, SingularCurve, Workspace

ROUNDS = 6
"""Greatest number of rounds in which regions are computed, with the curves that samples of the round before led to."""

HALF = 0.5
"""The part of `max_seconds` in which curves are sought, before regions are."""


def workspace(
    model: Model | System, over: Mapping[Any, tuple[float, float]], inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None, fix: Mapping[str, float] | None = None,
    release: str | Sequence[str] | None = None, start: State | None = None, t: float = 0.0, step: float = 0.1,
    progress: Progress | None = None, max_seconds: float | None = 300.0,
) -> Workspace:  # fmt: skip
    """Compute the singular curves of a mechanism over two of its quantities or parameters, and the regions between
    them.

    `over` names both and their ranges. By default both are the inputs of the mechanism; ``outputs=("P.x", "P.y")``
    names its outputs. Over its outputs, give its `inputs`. Where the mechanism can move with its inputs held, it is in
    a parallel singularity; where outputs cannot move in every direction, in a serial one. Over parameters the curves
    are where its equations lose their rank: limits of what can be assembled, change points.

    Drivers of `over`, of inputs and of outputs are released, and those named by `release`; others are held as they are
    at the time t, and quantities in `fix` at their values. Poses are found from the placement, or from `start`, by
    following curves with steps of at most `step`, in lengths of the model (or in rad).

    Each region has one number of poses at all its points: its ``modes``.

    The search ends after about `max_seconds` (None: when it is complete). A note says what is open then: curves that
    may be missing, numbers of poses that were not checked by samples, or that there are no regions.

    ``progress(done, total)`` is called with the finished and the known number of lines and curves, then of regions. A
    search that Ctrl-C interrupts keeps the curves that were followed, has no regions, and says so in
    ``notes``.

    A slider-crank over the lengths of its crank and its rod: with r > l the crank does not go round.

    >>> model = mbs.PlanarModel("slider-crank")
    >>> r, l = model.parameter("r", 0.1, unit="m"), model.parameter("l", 0.3, unit="m")
    >>> crank, rod = model.link("crank", (0, 0), (0.1, 0), length=r), model.link("rod", (0.1, 0), (0.4, 0), length=l)
    >>> pins = mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, rod.tail)
    >>> parts = model.add(*pins, mbs.PinInSlot("C", model.ground, rod.head))
    >>> found = mbs.workspace(model, over={"r": (0.05, 0.4), "l": (0.05, 0.4)})
    >>> bool(np.abs(found.curves[0].values @ [1, -1]).max() < 1e-9)
    True
    """
    model = model_of(model)
    check_progress(progress)
    t, step, held = finite_number(t, "the time t"), checked_step(step), checked_fix(model, fix)
    seconds = np.inf if max_seconds is None else positive_number(max_seconds, "max_seconds", "time, in seconds")
    plane, low, high = ranges_of(model, over)
    check_not_held(plane, held)
    roles = _roles(model, plane, inputs, outputs, held)
    other = roles.other.names if roles.other else ()
    initial = initial_pose(release_drivers(model, [*plane.names, *other], release, t), t, held, start)
    check_freedom(initial, plane, redundant=all(plane.of_model))
    if not any(plane.of_model):
        initial = initial.without_rods([*plane.names, *other, *roles.section, *held])
    with progress_bar(f"workspace of {model.name}", progress) as watch:
        return _compute_workspace(initial, plane, Region(low, high, plane.turns), roles, held, step, watch, seconds)


class _Roles(NamedTuple):
    kind: str
    """The kind of the singularities with the values of the plane held."""
    other: ValuePlane | None
    """The quantities that are held for singularities of the other kind."""
    section: tuple[str, ...]
    """Further quantities of the role of the plane, which are held: they choose a section of a larger space."""


def _compute_workspace(
    initial: InitialPose, plane: ValuePlane, region: Region, roles: _Roles, fix: Mapping[str, float], step: float,
    watch: Progress, max_seconds: float,
) -> Workspace:  # fmt: skip
    """Compute the curves, then the regions; of a search that is interrupted, the curves that were followed. Curves take
    `HALF` of the time at most."""
    begun = monotonic()
    kind, other, section = roles
    equations = equations_of(initial.model, initial.t, plane, fix)
    placed = select_independent(equations, initial, plane)
    base = pose_in_region(equations, region, placed, initial, plane, step)
    search = CurveSearch(equations, region, step, watch=watch)
    both = _both_kinds(search, other, initial, plane, fix, section) if other is not None else None
    held_by_other = both.searches[1].equations if both is not None else None
    kinds = kind, SERIAL if kind == PARALLEL else PARALLEL
    curves: list[SingularCurve] = []
    pictures: list[TracedCurve] = []
    faces: list[Face] = []
    poses: list[list[PosePoint]] = []
    open_samples: list[str] = []
    counts, late_curves = RegionCounts(), False
    over_time = f"the time was over after {max_seconds:g} s"
    more_time = "choose a smaller range, or a larger max_seconds="

    def new_curves() -> list[SingularCurve]:
        return curves_of(search, kind, initial, plane, held_by_other, on_plane=True, first=len(curves))

    def end_after(part: float) -> None:
        for one in both.searches if both is not None else (search,):
            one.end = begun + part * max_seconds

    try:
        end_after(HALF)
        search_region(search, base)
        _follow_all(search, both)
        late_curves = search.is_late
        end_after(1.0)
        for _ in range(ROUNDS):
            new = new_curves()
            curves += new
            pictures += copies_of(new, search)
            faces, poses, open_samples = poses_in(search, faces_in(search, pictures), base, counts)
            _follow_all(search, both)
            if len(search.curves) == len(curves) or search.is_late:
                break
        if search.is_late:
            open_samples.append(f"{over_time}: not all numbers of poses were checked; {more_time}")
    except KeyboardInterrupt:
        faces = []
        open_samples = ["the search was interrupted: it has the curves that were followed until then, and no regions"]
    except SearchTimeout:
        has = "regions are those of the curves before" if faces else "no regions were found"
        open_samples.append(f"{over_time}: {has}; {more_time}")
    if late := new_curves():
        curves += late
        if faces:
            what = f"samples led to {len(late)} curves more, at which no region ends yet"
            open_samples.append(f"{what}; try another step=")
    if late_curves:
        what = f"the search of curves ended after {HALF * max_seconds:g} s"
        open_samples.append(f"{what}: curves, and borders of regions, may be missing; {more_time}")
    search.watch, search.end = ignore_progress, np.inf
    if both is not None:
        curves += curves_of(both.searches[1], kinds[1], initial, plane, equations, on_plane=False)
        open_samples += notes_on_meetings(both, kinds, plane.names)
    regions = areas_of(search, faces, poses, initial, plane)
    jacobians = None
    if kind != SINGULAR:
        held = {name: value for name, value in fix.items() if name not in section}
        mine = plane_of(initial.model, [*plane.names, *section], "over")
        jacobians = Jacobians(initial, held, *((mine, other) if kind == PARALLEL else (other, mine)))
    open_samples += initial.rods.notes if initial.rods else []
    notes = (*notes_of(curves, pictures), *doubts(regions), *open_samples)
    return Workspace(
        plane.names, plane.units, region.low, region.high, tuple(curves), regions, notes, initial.model.name, initial,
        plane, region, search, jacobians, base, fix,
    )  # fmt: skip


def _follow_all(search: CurveSearch, both: BothKinds | None) -> None:
    """Follow the curves to which corners of known curves, and poses singular in both kinds, lead, until none is new."""
    count = -1
    while count < len(search.curves):
        count = len(search.curves)
        search.branch()
        if both is not None:
            both.follow()


def _roles(model: Model, plane: ValuePlane, inputs: Any, outputs: Any, fix: Mapping[str, float]) -> _Roles:
    """Return whether the values of the plane are inputs or outputs, and the quantities of the other role."""
    if any(plane.of_model):
        if inputs is not None or outputs is not None:
            raise ModelError(
                "over parameters there are no inputs and outputs; leave inputs= and outputs= out",
                code="contradictory-arguments", argument="inputs" if inputs is not None else "outputs", other="over",
                names=plane.names,
            )  # fmt: skip
        return _Roles(SINGULAR, None, ())
    roles = {"inputs": inputs, "outputs": outputs}
    planes = {what: plane_of(model, names, what) for what, names in roles.items() if names is not None}
    if any(any(one.of_model) for one in planes.values()):
        raise ModelError(
            "inputs and outputs are quantities of poses, not parameters",
            code="is-a-parameter", names=tuple((n for one in planes.values() for n, own in one.columns if own)),
        )  # fmt: skip
    mine = [what for what, one in planes.items() if set(plane.names) <= set(one.names)]
    others = [what for what in planes if what not in mine]
    if len(others) > 1 or len(mine) > 1:
        raise ModelError(
            "over must be two of the inputs or two of the outputs, and not of both; or leave one of them out",
            code="contradictory-arguments", argument="over", names=plane.names,
        )  # fmt: skip
    role = mine[0] if mine else "outputs" if others == ["inputs"] else "inputs"
    section = tuple(name for name in (planes[mine[0]].names if mine else ()) if name not in plane.names)
    if missing := [name for name in section if name not in fix]:
        raise ModelError(
            f"{role} has {', '.join(missing)} besides over; hold it: fix={{{missing[0]!r}: 0.0}}",
            code="missing-argument", argument="fix", names=tuple(missing),
        )  # fmt: skip
    other = planes[others[0]] if others else None
    if other is not None and len(other.names) != 2 + len(section):
        what = f"{others[0]} has {len(other.names)} names, and {role} {2 + len(section)}; name as many"
        raise ModelError(
            f"{what}: {role}={[*plane.names, *section]!r} and one more for each more",
            code="wrong-length", argument=others[0], names=other.names, count=len(other.names), length=2 + len(section),
        )  # fmt: skip
    return _Roles(PARALLEL if role == "inputs" else SERIAL, other, section)


def _both_kinds(
    search: CurveSearch,
    other: ValuePlane,
    initial: InitialPose,
    plane: ValuePlane,
    fix: Mapping[str, float],
    section: Sequence[str],
) -> BothKinds:
    """Return this search and a search of poses in which the other quantities lose rank, over the same plane."""
    equations = equations_of(initial.model, initial.t, other, fix, section)
    free = {name: value for name, value in fix.items() if name not in section}
    select_independent(equations, initial_pose(initial.model, initial.t, free, None) if section else initial, other)
    values_of_other, read = (Values(initial.model, initial.t, one) for one in (other, plane))
    region = ProjectedRegion(search.region.low, search.region.high, other.turns, plane.turns, read)
    return BothKinds((search, CurveSearch(equations, region, search.step)), (read, values_of_other))
