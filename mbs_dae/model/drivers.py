"""Drivers: a measure, or the whole pose of a marker, that follows a function of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
import sympy as sp

from ..errors import ModelError
from ..symbolic.derive import MarkerMotion, Relation
from ..symbolic.functions import Lookup
from ..symbolic.markers import PlanarMarker, SpatialMarker, marker_symbols, t
from ..symbolic.markers import primitives as the
from .bodies.body import Place, as_marker, components_of
from .bodies.spatial_body import rotation_of
from .element import Element, checked_name
from .fields import Function
from .joints.base import Condition
from .measures import Measure, checked_measure
from .parameters import Number, constants_out, is_constant


class Prescribed(Condition):
    """A quantity that follows a function of time."""


class Driver(Prescribed):
    """``Driver("motor", mbs.angle(ground, crank), 0.6 + omega * mbs.t)``: Φ = measure - function(t).

    The function, in the unit of the measure (m or rad), is a sympy expression of ``mbs.t`` and parameters, a `Table` or
    a `Motion`. The driver's effort, in N or N m, is -λ.

    >>> model = mbs.PlanarModel("crank", gravity=(0, -10))
    >>> crank = model.link("crank", (0, 0), (0.2, 0), mass=1.0)
    >>> A = model.add(mbs.Revolute("A", model.ground, crank.tail))
    >>> motor = model.add(mbs.Driver("motor", mbs.angle(A), 5 * mbs.t))
    >>> needed = mbs.inverse_dynamics(model, [0.0])
    >>> print(needed["crank.omega"], needed["motor.effort"].round(6))  # it carries m g l/2
    [5.] [1.]
    """

    def __init__(self, name: str, measure: Measure, function: Any):
        self.name = checked_name(name)
        self.measure = checked_measure(measure, f"{self.who} drives")
        self.markers, self.speaks_of = measure.markers, measure.speaks_of
        self.units = (measure.units[measure.lowest],)
        if measure.kind == "distance" and not measure.speaks_of:  # unless a spring or link is drawn there already
            self.sketch = "link"
        self._law = FUNCTION.check(function, self.who)
        self.function = self._law.expression
        self._complete(*_following(measure, self.function))

    def check_values(self, number: Callable[[Number], float]) -> None:
        FUNCTION.check_value(self._law, number, self.who)

    def measures(self) -> dict[str, Measure]:
        return {self.measure.kind: self.measure}

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        """The constant value of the driven measure."""
        return {"function": (self.function, self.units[0])} if is_constant(self.function) else {}

    def with_constant(self, name: str, value: Number) -> Self:
        if name not in self.constants:
            return super().with_constant(name, value)
        return type(self)(self.name, self.measure, value)


FUNCTION = Function(of=t, name="function", jumps=False)


def function_of_time(function: Any, who: str) -> sp.Expr:
    return FUNCTION.check(function, who).expression


def _following(measure: Measure, function: sp.Expr) -> tuple[Relation, dict[sp.Symbol, Number]]:
    """Return measure - function, with constants in slots. All linear functions share one form, c0 + c1 t."""
    rate = function.diff(t)
    if rate.has(t) or function.has(Lookup) or not function.is_polynomial(t) or measure.own:
        return constants_out(measure.equation(function, measure.lowest))
    c0, c1 = sp.symbols("c0 c1", real=True)
    linear = measure.equation(c0 + c1 * t, measure.lowest, (c0, c1))
    return linear, {c0: function.xreplace({t: sp.S.Zero}), c1: rate}


class DriverCoordinate(Element):
    """The coordinate of a released driver: it keeps its name and can only be read."""

    def __init__(self, driver: Driver):
        self.name, self.measure, self.sketch = driver.name, driver.measure, driver.sketch
        self.markers, self.speaks_of = driver.markers, driver.speaks_of
        self._form = self.measure.form()

    measures = Driver.measures


class FixedQuantity(Condition):
    """A measure held at a value (level 0), or its rate (level 1): used for fixed and initial values."""

    def __init__(self, name: str, measure: Measure, level: int, value: Number):
        self.name = f"fix {name}"
        self.measure, self.markers = measure, measure.markers
        self.units = (measure.units[level],)
        self.value = value
        self._form = measure.held_at(value, level)


class PoseDriver(Prescribed):
    """``PoseDriver("tool", platform, position=(x, y, z), rotation=mbs.rotations.bryant(a, b, c))``

    The marker's point is at `position`, in m, and its frame is turned by `rotation` (a 3 x 3 matrix that takes its axes
    to those of the world; in the plane an angle, in rad): expressions of `mbs.t` and parameters, tables or motions.
    Either may be omitted, and components of the position may be None. The driver exerts a force and a moment:
    ``result.reaction("tool")``.

    The trajectory belongs to a marker which no body carries; Φ is the position and rotation of the driven marker
    relative to it.

    >>> model = mbs.PlanarModel("hand", gravity=(0, -10))
    >>> tray = model.body("tray", mass=2.0, inertia=0.1)
    >>> model.add(mbs.PoseDriver("hand", tray, position=(mbs.t, mbs.t**2), rotation=0))
    <PoseDriver hand>
    >>> needed = mbs.inverse_dynamics(model, [0.0, 3.0])
    >>> print(needed["tray.y"].round(6), needed["hand.Fy"].round(6))  # m (g + 2)
    [0. 9.] [24. 24.]
    """

    def __init__(self, name: str, marker: Place, position: Any = None, rotation: Any = None):
        self.name = checked_name(name)
        self.markers = (as_marker(marker, self.who),)
        if position is None and rotation is None:
            raise ModelError(
                f"{self.who} drives nothing; give position= or rotation=", code="missing-argument", subject=self.who
            )
        names = "xyz"[: self.dimension]
        place = components_of((None,) * len(names) if position is None else position, f"position of {self.who}", names)
        if position is not None and all(f is None for f in place):
            raise ModelError(
                f"position of {self.who} leaves all components open; leave position= out",
                code="empty", argument="position", subject=self.who,
            )  # fmt: skip
        driven, leader = marker_symbols(2, self.dimension)
        self.turns, self.leads = rotation is not None, None not in place
        gaps = [gap for gap, f in zip(driven.point - leader.point, place, strict=True) if f is not None]
        turns = the.turned_by(leader, driven) if self.turns else []
        self.units = ("m",) * len(gaps) + ("rad",) * len(turns)
        trajectory = MarkerMotion(leader, self._trajectory(place, rotation))
        self._complete(*constants_out(Relation((driven,), (*gaps, *turns), trajectories=(trajectory,))))

    def _trajectory(self, position: tuple[Any, ...], rotation: Any) -> tuple[sp.Expr, ...]:
        """Return the variables of the leading marker, as functions of time."""
        place = tuple(sp.S.Zero if f is None else function_of_time(f, f"position of {self.who}") for f in position)
        if self.dimension == 2:
            angle = sp.S.Zero if rotation is None else function_of_time(rotation, f"rotation of {self.who}")
            return PlanarMarker.placed(place[0], place[1], angle).m
        axes = sp.eye(3) if rotation is None else self._matrix(rotation)
        return SpatialMarker.placed(place, axes.tolist()).m

    def _matrix(self, rotation: Any) -> sp.Matrix:
        rows = rotation.tolist() if hasattr(rotation, "tolist") else rotation
        try:
            if hasattr(rotation, "as_matrix") or np.shape(rotation) == (4,):
                rows = rotation_of(rotation, f"rotation of {self.who}")
            entries = [[*row] for row in rows]
            if [len(row) for row in entries] != [3, 3, 3]:
                raise ValueError
        except (TypeError, ValueError) as exc:
            what = f"rotation of {self.who} must be a 3 x 3 matrix of expressions of mbs.t, not {rotation!r}"
            raise ModelError(
                f"{what}; write e.g. mbs.rotations.bryant(a, b, c)",
                code="not-a-rotation", subject=self.who, rotation=rotation,
            ) from exc  # fmt: skip
        return sp.Matrix([[function_of_time(e, f"rotation of {self.who}") for e in row] for row in entries])
