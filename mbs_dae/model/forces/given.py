"""Forces and torques that are given: as numbers, or as expressions of time and of the motion."""

from __future__ import annotations

from typing import Any

from ...errors import ModelError
from .. import fields
from ..fields import choice, expression, function
from .base import ForceElement
from .effort import EffortElement


class Force(ForceElement):
    """A force at a marker: ``Force("push", slider, (-50, 0))``, in world axes or (``axes="body"``) in the marker's own.

    The components are numbers or sympy expressions of `mbs.t`, parameters and quantities: ``-c * model["slider.vx"]``.
    """

    x = expression("N", default=0)
    y = expression("N", default=0)
    axes = choice("world", "body", default="world")

    def __init__(self, name: str, marker: Any, force: Any = None, **constants: Any):
        if force is not None:
            try:
                x, y = force
            except (TypeError, ValueError) as exc:
                raise ModelError(f"Force {name!r} must be a pair (Fx, Fy), not {force!r}") from exc
            constants = {"x": x, "y": y, **constants}
        if not {"x", "y"} & {*constants}:
            raise ModelError(f"Force {name!r} needs a force; add (Fx, Fy), in N")
        super().__init__(name, marker, **constants)

    @staticmethod
    def force(i, x, y, axes):
        if axes == "body":
            return [tuple(x * i.x_axis + y * i.y_axis)]
        return [(x, y)]


class Torque(EffortElement):
    """A torque on a body, or on the second of two bodies and against the first, or in a revolute joint.

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
