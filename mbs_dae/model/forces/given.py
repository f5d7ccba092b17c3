"""Forces and torques that are given: as numbers, or as expressions of time and of the motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from ...errors import ModelError
from .. import fields
from ..bodies.body import Place, Vector, as_marker
from ..fields import choice, expression, function
from ..parameters import Number
from .base import ForceElement
from .effort import EffortElement


class Force(ForceElement):
    """A force at a marker: ``Force("push", slider, (-50, 0))``, in world axes or (``axes="body"``) in the marker's own;
    in space of three components.

    The components are numbers or sympy expressions of `mbs.t`, parameters and quantities: ``-c * model["slider.vx"]``.
    """

    x = expression("N", default=0)
    y = expression("N", default=0)
    z = expression("N", default=0)
    axes = choice("world", "body", default="world")

    def __init__(self, name: str, marker: Place, force: Vector | None = None, **constants: Any):
        if force is not None:
            constants = {**components(force, "xyz", marker, f"Force {name!r}"), **constants}
        _refuse_spatial(marker, constants, f"Force {name!r}")
        if not {"x", "y", "z"} & {*constants}:
            raise ModelError(f"Force {name!r} needs a force; add (Fx, Fy), in N")
        super().__init__(name, marker, **constants)

    @staticmethod
    def force(i, x, y, z, axes):
        return [_in_axes(i, (x, y, z), axes)]


class Wrench(ForceElement):
    """A force and a moment at a marker, in world axes or (``axes="body"``) in the marker's own:
    ``Wrench("load", platform, force=(0, 0, -10), moment=(10, 0, 0))``; in the plane the moment is a number.
    """

    x = expression("N", default=0)
    y = expression("N", default=0)
    z = expression("N", default=0)
    mx = expression("N m", default=0)
    my = expression("N m", default=0)
    mz = expression("N m", default=0)
    axes = choice("world", "body", default="world")

    def __init__(
        self,
        name: str,
        marker: Place,
        force: Vector | None = None,
        moment: Vector | Number | None = None,
        **constants: Any,
    ):
        who = f"Wrench {name!r}"
        if force is not None:
            constants = {**components(force, "xyz", marker, who), **constants}
        if moment is not None:
            spatial = as_marker(marker, who).body.dimension == 3
            given = components(moment, ("mx", "my", "mz"), marker, who) if spatial else {"mz": moment}
            constants = {**given, **constants}
        _refuse_spatial(marker, constants, who)
        if not {"x", "y", "z", "mx", "my", "mz"} & {*constants}:
            raise ModelError(f"{who} does nothing; give force= or moment=")
        super().__init__(name, marker, **constants)

    @staticmethod
    def force(i, x, y, z, mx, my, mz, axes):
        if i.dimension == 2:
            return [(*_in_axes(i, (x, y, z), axes), mz)]
        return [(*_in_axes(i, (x, y, z), axes), *_in_axes(i, (mx, my, mz), axes))]


def _refuse_spatial(marker: Any, constants: dict[str, Any], who: str) -> None:
    if as_marker(marker, who).body.dimension == 2 and (strange := {"z", "mx", "my"} & {*constants}):
        raise ModelError(f"{who} has no {', '.join(sorted(strange))} in the plane; give x and y, and mz for a moment")


def components(vector: Any, names: Sequence[str], marker: Any, who: str) -> dict[str, Any]:
    """A vector by the names of its components, as many as there are dimensions."""
    count = as_marker(marker, who).body.dimension
    try:
        numbers = tuple(vector)
        if len(numbers) != count:
            raise ValueError
    except (TypeError, ValueError) as exc:
        kind = {2: "a pair (Fx, Fy)", 3: "a triple (Fx, Fy, Fz)"}[count]
        kind = "a triple (Mx, My, Mz)" if "mx" in names else kind
        raise ModelError(f"{'moment of ' * ('mx' in names)}{who} must be {kind}, not {vector!r}") from exc
    return dict(zip(names, numbers, strict=False))


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
