"""Lower pairs: surfaces in contact."""

from __future__ import annotations

from ..measures import Measure, angle, displacement
from .base import Joint


class Revolute(Joint):
    """A pin: the two points coincide.

    Φ = r_i - r_j, two rows; its multiplier is the force on the second body, in world axes.
    """

    sketch = "pin"

    @staticmethod
    def phi(i, j):
        return list(i.point - j.point)

    def measures(self) -> dict[str, Measure]:
        return {"angle": angle(*self.markers)}


class Translational(Joint):
    """A straight guide: the second marker slides along the x axis of the first, and does not turn against it.

    Φ₁ = y_i · (r_i - r_j): no offset across the guide;  Φ₂ = θ_i - θ_j.
    """

    unit = ("m", "rad")
    sketch = "slider"

    @staticmethod
    def phi(i, j):
        return [i.y_axis.dot(i.point - j.point), i.angle - j.angle]

    def measures(self) -> dict[str, Measure]:
        return {"displacement": displacement(*self.markers)}


Prismatic = Translational
"""The same joint by its other name."""


class Fixed(Joint):
    """A weld: points and axes of the two markers coincide."""

    unit = ("m", "m", "rad")
    sketch = "weld"

    @staticmethod
    def phi(i, j):
        return [*(i.point - j.point), i.angle - j.angle]
