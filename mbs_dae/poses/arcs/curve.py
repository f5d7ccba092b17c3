"""A curve of poses as a result: named quantities over the arc length, and special places of the curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...errors import ModelError, counted
from ...model.parameters import finite_number
from ...provided import provided
from ...results.quantities import frozen
from ...results.result import Result, State
from ...tolerances import LAP_CHANGE
from ...unit_system import UnitsLike, shown_in, told
from .points import BranchPoint, TurningPoint, UndecidedPoint
from .singular import SingularPlace, singular_places
from .tracing import CurvePoints
from .track import ArcPlace, ArcTrack
from .zeros import places_where, turning_places, value_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BY_ARC = {"m/s": "", "m/s²": "1/m", "rad/s": "rad/m", "rad/s²": "rad/m²"}
"""Units of rates along the arc."""


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Result):
    """The one-dimensional motion of a mechanism over its arc length, from `follow`.

    A curve reads like any result: ``curve["P.x"]`` over ``curve.t``, which is the arc length s in m: bodies count with
    their places, and with their angles times the model's length. Velocities and accelerations of the result are first
    and second derivatives by the arc length.

    >>> crank = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, rods={"crank": "AB"}, fixed="A")
    >>> curve = mbs.follow(crank, "crank.angle")
    >>> isinstance(curve, mbs.Curve), curve.closed, curve.limits("crank.angle")
    (True, True, (-inf, inf))
    """

    followed: str = ""
    """The quantity in whose direction the curve begins, and whose dead points are reported."""
    closed: bool = False
    """Whether the curve returns to its first pose: a lap of a circuit."""
    ends: tuple[str, ...] = ()
    """Reasons why an open curve ends: at its beginning, and at its end."""
    beginning: int = 0
    """The number of the pose from which the curve was followed in both directions."""
    fix: Mapping[str, float] = field(default_factory=dict)
    """The quantities that are held, and their values."""
    release: tuple[str, ...] = ()
    """The drivers that were released."""
    track: ArcTrack = field(default=cast(Any, None), repr=False)
    traced: CurvePoints = field(default=cast(Any, None), repr=False)

    def __repr__(self) -> str:
        kind = "closed" if self.closed else "open"
        open_poses = f", {counted(len(self.undecided), 'singular pose')} undecided" if self.undecided else ""
        length = told(self.length, "m")
        return f"<Curve of {self.title!r}: {len(self)} poses, length {length}, {kind}{open_poses}>"

    @property
    def length(self) -> float:
        """The arc length, in m."""
        return float(self.t[-1] - self.t[0])

    def unit(self, name: str) -> str:
        """Return the unit of a quantity; rates are derivatives by the arc length."""
        unit = super().unit(name)
        return BY_ARC.get(unit, unit)

    def state(self, index: int = -1) -> State:
        """Return one pose, at rest: a state from which another analysis may start."""
        return self._at_rest(super().state(index).full_q)

    def _at_rest(self, q: np.ndarray) -> State:
        system = self.track.system
        return State(system, self.track.t, q.copy(), system.still, system.still)

    def _checked(self, name: str) -> str:
        if not isinstance(name, str):
            raise ModelError(
                f"one quantity is asked for, by its name, such as {self.followed!r}, not {name!r}",
                code="wrong-type", argument="name", value=name,
            )  # fmt: skip
        if len(parts := self.components(name)) > 1:
            raise ModelError(
                f"{name!r} is a vector; ask for one of its components, {' or '.join(map(repr, parts))}",
                code="is-a-vector", argument="name", name=name, components=parts,
            )  # fmt: skip
        measure, level = self.track.system.model.quantity(name)
        if level or measure.lowest:
            raise ModelError(
                f"{name!r} is a rate; limits and turning points are those of a value",
                code="is-a-rate", argument="name", name=name,
            )  # fmt: skip
        return name

    def turning_points(self, name: str) -> tuple[TurningPoint, ...]:
        """Return the places where a quantity turns back, in their order along the curve."""
        points = []
        for place in turning_places(self.track, self.traced, self._checked(name), self.closed):
            value, _, second = value_at(self.track, name, place)
            points.append(TurningPoint(name, place.s, float(value), bool(second < 0.0), self._at_rest(place.q)))
        return tuple(points)

    def states_where(self, name: str, value: float) -> tuple[State, ...]:
        """Return the poses of this curve in which a quantity has a value, at rest and in their order; angles up to
        whole turns. A turning point at this value is one pose.

        >>> points = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}
        >>> model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
        >>> up, down = mbs.follow(model, "AB.angle").states_where("AB.angle", 0.0)  # the coupler is folded over
        >>> round(up["BC.angle"], 4), round(down["BC.angle"], 4)
        (1.2432, -1.2432)
        """
        return tuple(self.at_rest(place) for place in self.places_where(name, value))

    def places_where(self, name: str, value: float) -> list[ArcPlace]:
        """Return the places of the curve in which a quantity has a value, as `states_where` does."""
        value, unit = finite_number(value, f"the value of {name!r}"), self._unit_of(self._checked(name))
        values = self[name]
        turns = np.array([0.0])
        if self.unit(name) == "rad":
            low, high = (np.array([values.min(), values.max()]) + (-LAP_CHANGE, LAP_CHANGE) - value) / (2.0 * np.pi)
            turns = np.arange(np.floor(low), np.ceil(high) + 1.0)
        values_and_turns = [value + 2.0 * np.pi * k for k in turns]
        places = places_where(self.track, self.traced, name, values_and_turns, unit, self.closed)
        near = LAP_CHANGE * self.track.system.length
        if self.closed and len(places) > 1 and places[-1].s > self.t[-1] - near and places[0].s < self.t[0] + near:
            places.pop()  # the last pose of a lap is the first one
        return places

    def at_rest(self, place: ArcPlace) -> State:
        """Return the pose of a place as a state at rest."""
        return self._at_rest(place.q)

    def _unit_of(self, name: str) -> float:
        """Return the unit of differences of a quantity: 1 for angles, the model's length for others."""
        return 1.0 if self.unit(name) == "rad" else self.track.system.length

    @cached_property
    def dead_points(self) -> tuple[TurningPoint, ...]:
        """The turning points of the followed quantity: its driver cannot pass them."""
        return self.turning_points(self.followed)

    @cached_property
    def branches(self) -> np.ndarray:
        """The number of the branch of each pose: between dead points one value of the followed quantity belongs to one
        pose."""
        at = np.array([point.s for point in self.dead_points])
        number = np.searchsorted(at, self.t)
        return frozen(number % len(at) if self.closed and len(at) else number)

    @cached_property
    def _singular(self) -> tuple[SingularPlace, ...]:
        return tuple(singular_places(self.track, self.traced, self.closed))

    @cached_property
    def branch_points(self) -> tuple[BranchPoint, ...]:
        """The singular poses of the curve at which other branches leave it."""
        n, points = self.track.system.nv, []
        for place, tangents, _ in self._singular:
            if len(tangents) > 1:
                branch = int(np.abs((tangents * place.v)[:, :n] @ self.track.machine.norm).argmax())
                pose = self._at_rest(place.q)
                points.append(BranchPoint(place.s, frozen(tangents), branch, pose, self.fix, self.release))
        return tuple(points)

    @cached_property
    def undecided(self) -> tuple[UndecidedPoint, ...]:
        """The singular poses of the curve whose other branches are unknown."""
        poses = (pose for pose in self._singular if pose.why)
        return tuple(UndecidedPoint(pose.place.s, pose.why, self._at_rest(pose.place.q)) for pose in poses)

    def limits(self, name: str) -> tuple[float, float]:
        """Return the least and the largest value of a quantity on this curve; infinite where each lap adds to it."""
        values = self[self._checked(name)]
        if self.closed and abs(values[-1] - values[0]) > LAP_CHANGE * self._unit_of(name):
            return -np.inf, np.inf
        extrema = [point.value for point in self.turning_points(name)]
        return float(min([values[0], values[-1], *extrema])), float(max([values[0], values[-1], *extrema]))

    @cached_property
    def joint_limits(self) -> dict[str, tuple[float, float]]:
        """The `limits` of the coordinates of all joints, by name."""
        model = self.track.system.model
        names = (
            f"{e.name}.{m.levels[0]}" for e in model.elements.values() for m in e.measures().values() if m.levels[0]
        )
        return {name: self.limits(name) for name in names if name in self}

    def plot(
        self, *names: str, axes: str = "world", over: str | None = None, degrees: bool = False,
        units: UnitsLike = None, beside: Curve | Sequence[Curve] = (),
    ) -> Figure:  # fmt: skip
        """Plot named quantities over the followed one, or over the quantity `over`: a colour for each branch, a circle
        at dead points, a cross at branch points. Other curves, `beside`, are drawn with it. `degrees` and `units` are
        those of ``Result.plot``."""
        if axes != "world":
            raise ModelError(
                f"a curve is drawn in world axes, not in those of {axes!r}",
                code="unknown-choice", argument="axes", value=axes, choices=("world",),
            )  # fmt: skip
        with shown_in(units, degrees):
            return provided("Curve.plot")(self, names, over, beside)

    def plot_path(self, *markers: str, units: UnitsLike = None, beside: Curve | Sequence[Curve] = ()) -> Figure:
        """Plot the coupler curves of named points, branches and dead points as in `plot`."""
        with shown_in(units):
            return provided("Curve.plot_path")(self, markers, beside)
