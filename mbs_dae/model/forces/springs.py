"""Springs, dampers and friction between two points, about an axis or along a slide; drag."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ...symbolic.markers import primitives as the
from .. import fields
from ..fields import function, scalar
from .base import ForceElement
from .effort import EffortElement


def _angle(*markers: Any) -> Any:
    return the.turn(*markers) if len(markers) > 1 else markers[0].turn


class Spring(EffortElement):
    """A spring between two points: tension = stiffness · (distance - length), which pulls them together. The free
    length defaults to the distance in the reference placement.

    ``law=`` is any tension, alone or on top: an expression of `mbs.length`, or a table.
    """

    sketch = "spring"
    free = "length"
    some_of = ("stiffness", "law")
    stiffness = scalar("N/m", default=0, non_negative=True)
    length = scalar("m", default=the.distance, non_negative=True)
    law = function("N", of=fields.length, default=0)

    @staticmethod
    def effort(s, rate, stiffness, length, law):
        return -stiffness * (s - length) - law(s)


class Damper(EffortElement):
    """A damper between two points: tension = damping · (rate of the distance).

    ``law=`` is any tension, alone or on top: an expression of `mbs.rate`, or a table.
    """

    sketch = "damper"
    some_of = ("damping", "law")
    damping = scalar("N s/m", default=0, non_negative=True)
    law = function("N", of=fields.rate, default=0)

    @staticmethod
    def effort(s, rate, damping, law):
        return -damping * rate - law(rate)


class SpringDamper(EffortElement):
    """Spring and damper side by side: tension = stiffness · (distance - length) + damping · rate.

    ``law=`` is any tension, alone or on top: an expression of `mbs.length` and `mbs.rate`, or a table over the length.
    """

    sketch = "spring"
    free = "length"
    some_of = ("stiffness", "damping", "law")
    stiffness = scalar("N/m", default=0, non_negative=True)
    damping = scalar("N s/m", default=0, non_negative=True)
    length = scalar("m", default=the.distance, non_negative=True)
    law = function("N", of=(fields.length, fields.rate), default=0)

    @staticmethod
    def effort(s, rate, stiffness, damping, length, law):
        return -stiffness * (s - length) - damping * rate - law(s, rate)


class TorsionSpring(EffortElement):
    """A torsion spring (and damper) about a revolute joint, or between two bodies: it turns the second one back with
    stiffness · (angle - free angle) + damping · rate. The free angle defaults to that of the reference placement.

    ``law=`` is any such moment, alone or on top: an expression of `mbs.theta` and `mbs.rate`, or a table over it.
    """

    coordinates = ("angle",)
    sketch = ""
    free = "angle"
    some_of = ("stiffness", "damping", "law")
    stiffness = scalar("N m/rad", default=0, non_negative=True)
    damping = scalar("N m s/rad", default=0, non_negative=True)
    angle = scalar("rad", default=_angle)
    law = function("N m", of=(fields.theta, fields.rate), default=0)

    @staticmethod
    def effort(s, rate, stiffness, damping, angle, law):
        return -stiffness * (s - angle) - damping * rate - law(s, rate)


class ViscousFriction(EffortElement):
    """Viscous friction in a joint: -coefficient · rate, of the angle of a revolute joint (N m s/rad) or of the
    displacement of a sliding one (N s/m). Between two bodies: of their angle."""

    coordinates = ("angle", "displacement")
    sketch = ""
    coefficient = scalar("N m s/rad", non_negative=True)

    @staticmethod
    def effort(s, rate, coefficient):
        return -coefficient * rate


class Drag(ForceElement):
    """Quadratic drag on a point: -coefficient · |v| v, against its velocity over the ground."""

    work = "dissipated"
    sketch = ""
    coefficient = scalar("N s²/m²", non_negative=True)

    @staticmethod
    def force(i, coefficient):
        v = i.velocity
        return [tuple(-coefficient * sp.sqrt(v.dot(v)) * v)]
