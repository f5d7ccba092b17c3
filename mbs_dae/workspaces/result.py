"""Results of a workspace: singular curves, the regions between them, and the poses there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..provided import provided
from ..public_class import PublicClass
from ..results.quantities import frozen
from ..results.result import State
from ..tolerances import POINT_SIZE
from ..unit_system import UnitsLike, equation, shown_in, size_of
from ..verbs.curves.assembly_modes import modes_of
from .following.search import Region
from .following.tracing import STUCK, SURFACE, Trace
from .maps import Jacobians, Map, map_of
from .plane.arcs import Spot
from .plane.faces import Face
from .request import InitialPose, ValuePlane, points_of, state_at, value_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .following.search import CurveSearch

PARALLEL, SERIAL, SINGULAR, LIMIT, RANGE = "parallel", "serial", "singular", "limit", "range"
"""The kinds of boundaries: the held inputs lose rank; the outputs do; over parameters the equations do; a joint is at
its limit; the rectangle ends."""


@dataclass(frozen=True, eq=False)
class Special:
    """A special point of a singular curve: a cusp, or a point in which the other kind is singular as well."""

    values: np.ndarray
    """The two values there."""
    state: State = field(repr=False)
    """The pose, at rest."""
    spot: Spot = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class SingularCurve(metaclass=PublicClass):
    """Successive singular poses of a mechanism, from `workspace`.

    A ladder as long as its head is high stands upright:

    >>> model = mbs.PlanarModel("ladder")
    >>> l, h = model.parameter("l", 5.0, unit="m"), model.parameter("h", 4.0, unit="m")
    >>> ladder = model.link("ladder", (3, 0), (0, 4), length=l)
    >>> floor = model.add(mbs.PinInSlot("floor", model.ground, ladder.tail))
    >>> wall = model.add(mbs.Revolute("wall", model.ground.at(0, h), ladder.head))
    >>> (curve,) = mbs.workspace(model, over={"h": (2, 6), "l": (3, 5)}).curves
    >>> isinstance(curve, mbs.SingularCurve), curve.kind, bool(np.allclose(curve.values @ [1, -1], 0))
    (True, 'singular', True)
    """

    kind: str
    """"parallel": a motion is possible with the inputs held. "serial": the outputs lose a direction. "limit": a joint
    is at its limit. "singular": over parameters, the equations lose their rank."""
    names: tuple[str, ...]
    values: np.ndarray
    """The two values along the curve, (places, 2); angles are counted through whole turns."""
    closed: bool
    cusps: tuple[Special, ...]
    """Points at which its picture in the plane of the values turns back."""
    both: tuple[Special, ...]
    """Points at which serial and parallel singularities meet."""
    limits: dict[str, float]
    """The joints at their limits, with these limits."""
    scale: np.ndarray = field(repr=False)
    trace: Trace = field(repr=False)
    initial: InitialPose = field(repr=False)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        more = f", {len(self.cusps)} cusps" if self.cusps else ""
        more += f", at {', '.join(self.limits)}" if self.limits else ""
        return f"<{self.kind} curve: {len(self)} poses, {'closed' if self.closed else 'open'}{more}>"

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a quantity along the curve, (places,); rates are refused, since the curve consists of poses."""
        system = self.initial.whole.compile()
        value_unit(system.model, name, "a curve of a workspace")
        if any(own in system.model.parameters for own in self.names):  # each pose has its own model
            return frozen(np.array([self.state(k)[name] for k in range(len(self))]))
        reader = system.reader([system.model.quantity(name)[0]])
        q = self.initial.poses(np.array([place.z.q for place in self.trace.places]))
        still = np.zeros((len(q), system.still.size))
        return frozen(reader(np.full(len(q), self.initial.t), q, still, still)[0, :, 0].copy())

    def state(self, k: int) -> State:
        """Return one of its poses, at rest."""
        return state_at(self.initial, self.trace.places[k].z.q, self.names, self.values[k])

    @property
    def is_point(self) -> bool:
        """Whether the curve is one point in the plane: the mechanism moves with both values held."""
        return bool((np.ptp(self.values, axis=0) / self.scale).max() < POINT_SIZE)

    @property
    def stuck(self) -> bool:
        """Whether the curve could not be followed to its end."""
        return not {STUCK, SURFACE}.isdisjoint((self.trace.ending, self.trace.beginning))


@dataclass(frozen=True, eq=False, repr=False)
class Area:
    """A region between boundaries, with one number of ways to assemble the mechanism."""

    names: tuple[str, ...]
    inside: np.ndarray
    """The values of an inner point, far from the border."""
    states: tuple[State, ...]
    """The poses there, one for each way to assemble the mechanism."""
    face: Face = field(repr=False)
    scale: np.ndarray = field(repr=False)
    counted: bool = True
    """Whether poses were counted: with a freedom besides the values, there are infinitely many."""
    units: tuple[str, ...] = ("", "")
    """The SI units of both values."""

    @property
    def modes(self) -> int | None:
        """The number of poses: assembly modes, or solutions of the inverse kinematics. None where poses can be
        assembled and keep a freedom, so that there are infinitely many. Poses that differ by half turns of rods about
        their own lines count once."""
        return len(self.states) if self.counted or not self.states else None

    @property
    def reachable(self) -> bool:
        """Whether there is a pose."""
        return bool(self.states)

    @cached_property
    def area(self) -> float:
        """The area by Green's theorem along the border, in the product of both units."""
        return float(self.face.area * self.scale.prod())

    @property
    def boundaries(self) -> frozenset[str]:
        """The kinds of the region's boundaries."""
        tags = [piece.curve.tag for cycle in self.face.cycles for piece, _ in cycle.edges]
        return frozenset(tag if isinstance(tag, str) else str(tag.kind) for tag in tags)

    def contains(self, values: Any) -> np.ndarray:
        """Return whether points (n, 2) are in the region, as exactly as its polygon is."""
        return self.face.contains(points_of(values) / self.scale)

    @property
    def place(self) -> str:
        """The inner point as text."""
        known = zip(self.names, self.inside, self.units, strict=True)
        return ", ".join(equation(name, x, unit, 4) for name, x, unit in known)

    def __repr__(self) -> str:
        what = "poses with a freedom" if self.modes is None else "1 mode" if self.modes == 1 else f"{self.modes} modes"
        return f"<Region around {self.place}: {what if self.states else 'no pose'}>"


@dataclass(frozen=True, eq=False, repr=False)
class Workspace(metaclass=PublicClass):
    """Singular curves, and the regions between them, from `workspace`.

    A ladder is held at its head, at a height h; its foot is on the floor on either side:

    >>> model = mbs.PlanarModel("ladder")
    >>> l, h = model.parameter("l", 5.0, unit="m"), model.parameter("h", 4.0, unit="m")
    >>> ladder = model.link("ladder", (3, 0), (0, 4), length=l)
    >>> floor = model.add(mbs.PinInSlot("floor", model.ground, ladder.tail))
    >>> wall = model.add(mbs.Revolute("wall", model.ground.at(0, h), ladder.head))
    >>> found = mbs.workspace(model, over={"h": (2, 6), "l": (3, 5)})
    >>> isinstance(found, mbs.Workspace), found.at(3, 4.5).modes, found.at(5.5, 4).modes
    (True, 2, 0)
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    curves: tuple[SingularCurve, ...]
    regions: tuple[Area, ...]
    notes: tuple[str, ...]
    """Notes: points with a motion of their own, curves that could not be followed, crossings."""
    title: str
    initial: InitialPose = field(repr=False)
    plane: ValuePlane = field(repr=False)
    region: Region = field(repr=False)
    search: CurveSearch = field(repr=False)
    jacobians: Jacobians | None = field(repr=False)
    start: Any = field(repr=False)
    fix: Mapping[str, float] = field(repr=False)
    """The quantities that are held, and their values."""

    def __repr__(self) -> str:
        return f"<Workspace of {self.title!r}: {len(self.curves)} singular curves, {len(self.regions)} regions>"

    def __str__(self) -> str:
        lines = [repr(self)[1:-1]]
        lines += [f"  {curve!r}" for curve in self.curves]
        lines += [f"  {one!r}" for one in self.regions]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    @property
    def parallel(self) -> tuple[SingularCurve, ...]:
        """The curves on which a motion is possible with the inputs held."""
        return tuple(curve for curve in self.curves if curve.kind == PARALLEL)

    @property
    def serial(self) -> tuple[SingularCurve, ...]:
        """The curves on which outputs lose a direction."""
        return tuple(curve for curve in self.curves if curve.kind == SERIAL)

    def at(self, *values: float) -> Area:
        """Return the region with these values; next to a border, by the exact border."""
        point = np.array(values, dtype=float)
        for one in self.regions:
            if point.shape == (2,) and one.face.holds(point / one.scale):
                return one
        if not self.regions:
            what = f"no region holds {values}: the search was interrupted before regions were found"
            raise ModelError(f"{what}; repeat workspace()", code="search-interrupted", value=values)
        ranges = []
        for name, unit, a, b in zip(self.names, self.units, self.low, self.high, strict=True):
            size, word = size_of(unit, name)
            read = f" ({a / size:g} to {b / size:g} {word})" if size != 1.0 else ""
            ranges.append(f"{name} from {a:g} to {b:g} {unit}".rstrip() + read)
        raise ModelError(
            f"no region holds {values}; give two values in the ranges: {', '.join(ranges)}",
            code="outside-all-regions", value=values, names=self.names, low=tuple(map(float, self.low)),
            high=tuple(map(float, self.high)),
        )  # fmt: skip

    def with_all_modes(self) -> Workspace:
        """Return the workspace with all poses of each region, as `assembly_modes` finds them, including circuits that
        no motion from the placement reaches. Where numbers change, `notes` say so. Poses that differ by half turns of
        rods about their own lines are poses of their own here."""
        regions, notes = [], [*self.notes]
        for area in self.regions:
            if not area.counted:  # a freedom is left
                regions.append(area)
                continue
            values = dict(zip(self.names, area.inside.tolist(), strict=True))
            parameters = {name: values[name] for name, of_model in self.plane.columns if of_model}
            fix = {**self.fix, **{name: values[name] for name in self.plane.quantities}}
            modes = modes_of(self.initial.whole.with_values(parameters), fix, self.initial.t)
            if modes.complete is not True:
                notes.append(f"around {area.place} poses may be missing: {modes.message}")
            elif len(modes) != len(area.states):
                notes.append(f"around {area.place} motions lead to {len(area.states)} of {len(modes)} poses")
            regions.append(replace(area, states=modes.states))
        return replace(self, regions=tuple(regions), notes=tuple(notes))

    def map(self, count: int = 41) -> Map:
        """Return numbers on a grid with `count` points a side, in the assembly mode of the initial pose: see `Map`."""
        return map_of(self, count)

    def plot(self, degrees: bool = False, units: UnitsLike = None) -> Figure:
        """Plot regions shaded by their number of modes, boundaries by their kind. `degrees` and `units` are those of
        ``Result.plot``."""
        with shown_in(units, degrees):
            return provided("Workspace.plot")(self)
