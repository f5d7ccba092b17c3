"""Given forces: numbers, expressions of time and of the motion, or Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan
from typing import Any, Self

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Reading
from ...symbolic.loads import WORKS
from ...symbolic.markers import MARKERS, FormMarker, marker_symbols, variables
from .. import fields
from ..bodies.body import Place, Vector, as_marker, components_of
from ..element import checked_name
from ..fields import choice, expression, function
from ..parameters import Number, check_choice, free_parameters, is_constant
from .base import EffortElement, ForceElement, duals


class _AtMarker(ForceElement):
    """A force, optionally with a moment, at one marker: given as vectors or by components."""

    equations = ("force",)
    x = expression("N", default=0)
    y = expression("N", default=0)
    z = expression("N", default=0)
    axes = choice("world", "body", default="world")

    def __init__(self, name: str, marker: Place, force: Vector | None = None, **constants: Any):
        who = f"{type(self).__name__} {name!r}"
        spatial = as_marker(marker, who).body.dimension == 3
        if force is not None:
            constants = {**_components(force, "xyz" if spatial else "xy", who), **constants}
        if not spatial and (strange := {"z", "mx", "my"} & {*constants}):
            names = ", ".join(sorted(strange))
            raise ModelError(
                f"{who} has no {names} in the plane; give x and y, and mz for a moment",
                code="not-spatial", name=name, names=tuple(sorted(strange)),
            )  # fmt: skip
        if not {*self.fields} - {"axes"} & {*constants}:
            moment = "mz" in self.fields
            remark = "does nothing; give force= or moment=" if moment else "needs a force; add (Fx, Fy), in N"
            raise ModelError(f"{who} {remark}", code="does-nothing", name=name)
        super().__init__(name, marker, **constants)

    @property
    def constants(self) -> Mapping[str, tuple[Number, str]]:
        """The constants, with the magnitude of the force, whose direction does not change."""
        constants = {n: x for n, x in super().constants.items() if self.dimension == 3 or n not in ("z", "mx", "my")}
        components = [self.values[name] for name in "xyz"]
        if all(map(is_constant, components)) and any(n != 0 for n in components):
            constants = {**constants, "magnitude": (sp.sqrt(sum(n**2 for n in components)), "N")}
        return constants

    def with_constant(self, name: str, value: Number) -> Self:
        components = {axis: self.values[axis] for axis in "xyz"}
        free = {str(s).rpartition(".")[2] for s in free_parameters(components.values()) if "." in str(s)}
        if free and name in ("magnitude", *components) and ("magnitude" in free) != (name == "magnitude"):
            what = f"{self.who} is asked for components of its force and for its magnitude, which follows from them"
            raise ModelError(f"{what}; ask for them in two calls", code="contradictory-arguments", subject=self.who)
        if name != "magnitude" or name not in self.constants:
            return super().with_constant(name, value)
        size, other = self.constants[name][0], self
        for axis, component in components.items():
            if component != 0:
                other = super(_AtMarker, other).with_constant(axis, component / size * value)
        return other


class Force(_AtMarker):
    """A force at a marker: ``Force("push", slider, (-50, 0))``, in N, in world axes or (``axes="body"``) in axes of the
    marker; in space with three components.

    The components are numbers or sympy expressions of `mbs.t`, parameters and quantities: ``-c * model["slider.vx"]``.

    >>> model = mbs.PlanarModel("cart")
    >>> cart = model.body("cart", mass=2.0, inertia=0.1)
    >>> model.add(mbs.Force("push", cart, (10 - 5 * model["cart.vx"], 0)))
    <Force push>
    >>> print(mbs.simulate(model, [0, 20])["cart.vx"].round(4))  # until 5 v = 10 N
    [0. 2.]
    """

    @staticmethod
    def force(i: FormMarker, x: sp.Expr, y: sp.Expr, z: sp.Expr, axes: str) -> list[tuple[sp.Expr, ...]]:
        return [_in_axes(i, (x, y, z), axes)]


class Wrench(_AtMarker):
    """A force, in N, and a moment, in N m, at a marker, in world axes or (``axes="body"``) in axes of the marker; in
    the plane the moment is a number.

    >>> model = mbs.SpatialModel("platform")
    >>> platform = model.body("platform", mass=4.0, inertia=(1.0, 1.0, 2.0))
    >>> model.add(mbs.Wrench("load", platform, force=(0, 0, -8), moment=(0, 0, 6)))
    <Wrench load>
    >>> moved = mbs.simulate(model, [0, 1])
    >>> print(moved["platform.vz"][-1].round(6), moved["platform.wz"][-1].round(6))  # F/m, M/I
    -2.0 3.0
    """

    mx = expression("N m", default=0)
    my = expression("N m", default=0)
    mz = expression("N m", default=0)

    def __init__(
        self, name: str, marker: Place, force: Vector | None = None, moment: Vector | Number | None = None,
        **constants: Any,
    ):  # fmt: skip
        who = f"Wrench {name!r}"
        if moment is not None:
            spatial = as_marker(marker, who).body.dimension == 3
            components = _components(moment, ("mx", "my", "mz"), f"moment of {who}") if spatial else {"mz": moment}
            constants = {**components, **constants}
        super().__init__(name, marker, force, **constants)

    @staticmethod
    def force(
        i: FormMarker, x: sp.Expr, y: sp.Expr, z: sp.Expr, mx: sp.Expr, my: sp.Expr, mz: sp.Expr, axes: str
    ) -> list[tuple[sp.Expr, ...]]:
        moment = (mz,) if i.dimension == 2 else _in_axes(i, (mx, my, mz), axes)
        return [(*_in_axes(i, (x, y, z), axes), *moment)]


def _components(vector: Any, names: Sequence[str], who: str) -> dict[str, Any]:
    """Return the components of a vector by their names."""
    shown = [f"{'M' if 'mx' in names else 'F'}{name[-1]}" for name in names]
    return dict(zip(names, components_of(vector, who, shown), strict=True))


def _in_axes(i: Any, vector: tuple[Any, ...], axes: str) -> tuple[Any, ...]:
    """Return the world components of a vector that is given in axes of the world or of the marker."""
    if axes == "world":
        return vector[: i.dimension]
    return tuple(sum((c * d for c, d in zip(vector, i.axes, strict=False)), sp.zeros(i.dimension, 1)))


class Torque(EffortElement):
    """A torque, in N m, on a body, or on the second of two bodies and against the first, or in a revolute joint; in
    space about the axis of the marker. A torque as a vector is the moment of a `Wrench`.

    The torque is a number or a sympy expression of `mbs.t`, parameters and quantities: ``-c * model["crank.omega"]``.

    >>> model = mbs.PlanarModel("flywheel")
    >>> wheel = model.body("wheel", mass=1.0, inertia=0.5)
    >>> axle = model.add(mbs.Revolute("axle", model.ground, wheel))
    >>> model.add(mbs.Torque("hand", axle, 3.0))
    <Torque hand>
    >>> print(mbs.simulate(model, [0, 2])["wheel.omega"][-1].round(6))  # M t/I
    12.0
    """

    coordinates = ("angle",)
    vector_class = "Wrench(name, body, moment=(Mx, My, Mz))"
    fewest = 1
    work = "supplied"
    sketch = ""
    torque = expression("N m")

    @staticmethod
    def effort(s: sp.Expr, rate: sp.Expr, torque: sp.Expr) -> sp.Expr:
        return torque


class Actuator(EffortElement):
    """A given force, in N, along a slide, or between two points: ``Actuator("leg", slide, 50 * sp.sin(mbs.t))``;
    positive if it pushes the second body forward, or the points apart.

    The force is a number or a sympy expression of `mbs.t`, parameters and quantities: ``-c * model["slide.velocity"]``.

    >>> model = mbs.PlanarModel("press")
    >>> ram = model.body("ram", mass=5.0, inertia=1.0)
    >>> slide = model.add(mbs.Translational("slide", model.ground, ram))
    >>> model.add(mbs.Actuator("cylinder", slide, 20.0 - 10.0 * model["slide.velocity"]))
    <Actuator cylinder>
    >>> print(mbs.simulate(model, [0, 20])["ram.vx"][-1].round(4))  # until 10 v = 20 N
    2.0
    """

    coordinates = ("distance", "displacement")
    vector_class = "Force(name, body, (Fx, Fy, Fz))"
    work = "supplied"
    sketch = "arrow"
    force = expression("N")

    @staticmethod
    def effort(s: sp.Expr, rate: sp.Expr, force: sp.Expr) -> sp.Expr:
        return force


class Motor(EffortElement):
    """A motor in a revolute joint, or between two bodies: its torque on the second body, in N m, is a function of
    speed.

    ``torque=`` is an expression of `mbs.speed`, in rad/s, such as ``stall * (1 - mbs.speed / no_load)``, or a table.

    >>> model = mbs.PlanarModel("fan")
    >>> fan = model.body("fan", mass=1.0, inertia=0.01)
    >>> axle = model.add(mbs.Revolute("axle", model.ground, fan))
    >>> motor = model.add(mbs.Motor("motor", axle, torque=2.0 * (1 - mbs.speed / 10)))
    >>> air = model.add(mbs.ViscousFriction("air", axle, coefficient=0.2))
    >>> print(mbs.simulate(model, [0, 2])["fan.omega"][-1].round(4))  # 2 - 0.2 ω = 0.2 ω
    5.0
    """

    coordinates = ("angle",)
    work = "supplied"
    sketch = ""
    torque = function("N m", of=fields.speed)

    @staticmethod
    def effort(s: sp.Expr, rate: sp.Expr, torque: sp.Expr) -> sp.Expr:
        return torque(rate)


class PythonForce(ForceElement):
    """``PythonForce("wind", sail, function=f)``: f(t, i, j, ...) gets the time and the markers, with numbers for
    `point`, `velocity`, `angle`, `omega`, and returns (Fx, Fy, M) for each marker, in N and N m, in world axes; M may
    be omitted. In space these have three components each (and `x_axis`, `y_axis`, `z_axis` take the place of the
    angle).

    For forces without an expression: the function is called at every evaluation, so a run is ten to a hundred times
    slower. The function must be smooth, and depend on its arguments only. If it switches with the motion, give the
    switching functions, ``switches=(g, ...)``, each called like f: steps end where one passes zero, and f gets the
    signs of its branch, ``f(t, i, ..., modes=(1.0, ...))``, held within a step. Its derivatives, for implicit methods,
    `equilibrium` and `linearize`, are central differences.

    >>> def wind(t, sail):
    ...     return [(20.0 if sail.point[1] > 1.0 else 5.0, 0.0)]
    >>> model = mbs.PlanarModel("boat")
    >>> boat = model.body("boat", mass=10.0, inertia=1.0)
    >>> model.add(mbs.PythonForce("wind", boat.at(0, 2), function=wind))
    <PythonForce wind>
    >>> blown = mbs.simulate(model.plus(mbs.CoordinateFix("keel", boat, "angle", 0)), [0, 1])
    >>> print(blown["boat.vx"][-1].round(6))
    2.0
    """

    equations = ()
    sketch = "arrow"

    def __init__(
        self, name: str, *markers: Place, function: Callable, work: str = "supplied", switches: Sequence[Callable] = ()
    ):
        self.name = checked_name(name)
        if not callable(function):
            raise ModelError(
                f"{self.who} needs function=f, called as f(t, i, ...), not {function!r}",
                code="not-a-function", subject=self.who, function=function,
            )  # fmt: skip
        if not isinstance(switches, Sequence) or not all(map(callable, switches)):
            raise ModelError(
                f"{self.who} needs switches=(g, ...), each called as g(t, i, ...), not {switches!r}",
                code="not-a-function", subject=self.who, switches=switches,
            )  # fmt: skip
        self.switches = tuple(switches)
        self.markers = tuple(as_marker(m, self.who) for m in markers)
        if not self.markers:
            raise ModelError(
                f"{self.who} has no marker; name those whose bodies feel it", code="too-few-markers", subject=self.who
            )
        self.check_dimension()
        self._acting = len(self.markers)
        self.function = function
        self.work = check_choice(work, WORKS, f"work of {self.who}")  # type: ignore[misc]
        symbols = marker_symbols(len(self.markers), self.dimension)
        m, rates = variables(symbols)
        self._complete(Reading(symbols, (*m, *rates)), {})  # the state of the markers, the input of the function

    def wrenches(self, t: float, values: Any, modes: Sequence[float] = ()) -> list[float]:
        """Return the checked values of the function for these numbers (m of all markers, then their rates): the forces
        and moments on all markers, one after the other. Modes that are nan, or not given, are the signs of its
        switches."""
        states = self._states(values)
        told = {}
        if self.switches:
            held = modes if len(modes) else [nan] * len(self.switches)
            told["modes"] = tuple(
                float((g > 0) - (g < 0)) if isnan(mode) else mode
                for mode, g in zip(held, self.deciding(t, values), strict=True)
            )
        return [*map(float, duals(self.function(t, *states, **told), states, f"the function of {self.who}"))]

    def deciding(self, t: float, values: Any) -> list[float]:
        """Return the values of the switching functions."""
        return [float(g(t, *self._states(values))) for g in self.switches]

    def _states(self, values: Any) -> list[FormMarker]:
        count, kind = len(self.markers), NUMERIC[self.dimension]
        m, rates = len(kind.variable_names), len(kind.rate_names)
        return [
            kind(tuple(values[k * m : (k + 1) * m]), tuple(values[count * m + k * rates :][:rates]))
            for k in range(count)
        ]


NUMERIC: dict[int, type[FormMarker]] = {
    dimension: type(f"Numeric{kind.__name__}", (kind,), {"vector": staticmethod(tuple)})
    for dimension, kind in MARKERS.items()
}
"""The markers at one instant: their vectors are tuples."""
