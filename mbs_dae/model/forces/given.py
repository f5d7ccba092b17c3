"""Forces and torques that are given: as numbers, or as expressions of time and of the motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from ...errors import ModelError
from .. import fields
from ..bodies.body import Place, Vector, as_marker, components_of
from ..fields import choice, expression, function
from ..parameters import Number
from .base import ForceElement
from .effort import EffortElement


class _AtMarker(ForceElement):
    """A force, and perhaps a moment, at one marker: given as vectors or by components."""

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
            known = ", ".join(sorted(strange))
            raise ModelError(f"{who} has no {known} in the plane; give x and y, and mz for a moment")
        if not {*self.fields} - {"axes"} & {*constants}:
            moment = "mz" in self.fields
            wanted = "does nothing; give force= or moment=" if moment else "needs a force; add (Fx, Fy), in N"
            raise ModelError(f"{who} {wanted}")
        super().__init__(name, marker, **constants)


class Force(_AtMarker):
    """A force at a marker: ``Force("push", slider, (-50, 0))``, in world axes or (``axes="body"``) in the marker's own;
    in space of three components.

    The components are numbers or sympy expressions of `mbs.t`, parameters and quantities: ``-c * model["slider.vx"]``.
    """

    @staticmethod
    def force(i, x, y, z, axes):
        return [_in_axes(i, (x, y, z), axes)]


class Wrench(_AtMarker):
    """A force and a moment at a marker, in world axes or (``axes="body"``) in the marker's own:
    ``Wrench("load", platform, force=(0, 0, -10), moment=(10, 0, 0))``; in the plane the moment is a number.
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
            given = _components(moment, ("mx", "my", "mz"), f"moment of {who}") if spatial else {"mz": moment}
            constants = {**given, **constants}
        super().__init__(name, marker, force, **constants)

    @staticmethod
    def force(i, x, y, z, mx, my, mz, axes):
        moment = (mz,) if i.dimension == 2 else _in_axes(i, (mx, my, mz), axes)
        return [(*_in_axes(i, (x, y, z), axes), *moment)]


def _components(vector: Any, names: Sequence[str], who: str) -> dict[str, Any]:
    """A vector by the names of its components."""
    shown = [f"{'M' if 'mx' in names else 'F'}{name[-1]}" for name in names]
    return dict(zip(names, components_of(vector, who, shown), strict=True))


def _in_axes(i: Any, vector: tuple[Any, ...], axes: str) -> tuple[Any, ...]:
    """World components of a vector that is given in the axes of the world or of the marker."""
    if axes == "world":
        return vector[: i.dimension]
    return tuple(sum((c * d for c, d in zip(vector, i.axes, strict=False)), sp.zeros(i.dimension, 1)))


class Torque(EffortElement):
    """A torque on a body, or on the second of two bodies and against the first, or in a revolute joint; in space about
    the axis of the marker.

    A number or a sympy expression of `mbs.t`, parameters and quantities: ``-c * model["crank.omega"]``.
    """

    coordinates = ("angle",)
    fewest = 1
    work = "supplied"
    sketch = ""
    torque = expression("N m")

    @staticmethod
    def effort(s, rate, torque):
        return torque


class Actuator(EffortElement):
    """A given force along a slide, or between two points: ``Actuator("leg", slide, 50 * sp.sin(mbs.t))``; positive
    where it drives the second body on, or the points apart.

    A number or a sympy expression of `mbs.t`, parameters and quantities: ``-c * model["slide.velocity"]``.
    """

    coordinates = ("distance", "displacement")
    work = "supplied"
    sketch = ""
    force = expression("N")

    @staticmethod
    def effort(s, rate, force):
        return force


class Motor(EffortElement):
    """A motor in a revolute joint, or between two bodies: its torque on the second one as a function of the speed.

    ``torque=`` is an expression of `mbs.speed`, such as ``stall * (1 - mbs.speed / no_load)``, or a table.
    """

    coordinates = ("angle",)
    work = "supplied"
    sketch = ""
    torque = function("N m", of=fields.speed)

    @staticmethod
    def effort(s, rate, torque):
        return torque(rate)
