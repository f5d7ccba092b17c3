"""Joints between shafts that meet at an angle."""

from __future__ import annotations

from . import primitives as the
from .base import Joint
from .motions import Turn


class Universal(Joint):
    """A Cardan joint: two shafts meet in a cross. The first carries the cross's pin along the x axis of its marker, the
    second the one along the y axis of its own.

    Φ = (r_i - r_j, x_i · y_j): the pins stay at right angles.
    """

    dimensions = (3,)
    unit = ("m",) * 3 + ("rad",)
    shares = {3: (("point", (0, 1, 2)),)}
    sketch = "cross"
    motions = {3: (Turn(0), Turn(1))}  # about the first pin, then about the second

    @staticmethod
    def phi(i, j):
        return [*the.coincident(i, j), *the.perpendicular(i.x_axis, j.y_axis)]


class ConstantVelocity(Joint):
    """A homokinetic joint: two shafts, along the axes of their markers, meet in a point and turn equally fast.

    The shafts bend against each other about an axis at right angles to both, and do not twist: with R the rotation from
    the first frame to the second, a rotation about an axis n without component along z has R_xy = R_yx. So

    Φ = (r_i - r_j, x_i · y_j - y_i · x_j).
    """

    dimensions = (3,)
    unit = ("m",) * 3 + ("rad",)
    facing = "twist"  # R_xy = R_yx also where the shaft is twisted by half a turn
    shares = {3: (("point", (0, 1, 2)),)}
    sketch = "cross"

    @staticmethod
    def phi(i, j):
        return [*the.coincident(i, j), i.x_axis.dot(j.y_axis) - i.y_axis.dot(j.x_axis)]
