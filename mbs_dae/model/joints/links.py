"""Composite joints: a massless link between two joints, or a pin in a slot."""

from __future__ import annotations

import sympy as sp

from ..fields import scalar
from ..measures import Measure, angle, displacement, distance
from .base import Joint


def _length(i, j):
    d = j.point - i.point
    return sp.sqrt(d.dot(d))


class Distance(Joint):
    """A massless rod with a pin at either end (revolute-revolute).

    Φ = d·d - length², d from the first point to the second: smooth also where d is short. The length defaults to
    that of the reference placement.
    """

    unit = "m²"
    sketch = "link"
    length = scalar("m", default=_length, positive=True)

    @staticmethod
    def phi(i, j, length):
        d = j.point - i.point
        return [d.dot(d) - length**2]

    def measures(self) -> dict[str, Measure]:
        return {"distance": distance(*self.markers)}


class PinInSlot(Joint):
    """A pin (second marker) in a straight slot along the x axis of the first (revolute-translational).

    Φ = y_i · (r_i - r_j): the pin may slide and turn.
    """

    sketch = "slot"

    @staticmethod
    def phi(i, j):
        return [i.y_axis.dot(i.point - j.point)]

    def measures(self) -> dict[str, Measure]:
        return {"displacement": displacement(*self.markers), "angle": angle(*self.markers)}
