"""Composite joints: a massless link between two joints, or a point that is guided."""

from __future__ import annotations

from ..fields import scalar
from ..measures import Measure, angle, displacement, distance
from . import primitives as the
from .base import Joint
from .motions import Ball, Slide, Turn


class Distance(Joint):
    """A massless rod with a pin at either end (revolute-revolute), in space with a ball at either end
    (spherical-spherical).

    Φ = d·d - length², d from the first point to the second: smooth also where d is short. The length defaults to
    that of the reference placement.
    """

    unit = "m²"
    sketch = "link"
    length = scalar("m", default=the.distance, positive=True)

    @staticmethod
    def phi(i, j, length):
        d = j.point - i.point
        return [d.dot(d) - length**2]

    def measures(self) -> dict[str, Measure]:
        return {"distance": distance(*self.markers)}


SphericalSpherical = Distance
"""The same link by its name in space."""


class RevoluteSpherical(Joint):
    """A massless rod, pinned to the first body about the axis of its marker, with a ball at the second body; it stands
    at right angles to the pin.

    Φ = (d·d - length², z_i · d).
    """

    dimensions = (3,)
    elsewhere = "take a Distance"
    unit = ("m²", "m")
    sketch = "link"
    length = scalar("m", default=the.distance, positive=True)

    @staticmethod
    def phi(i, j, length):
        d = j.point - i.point
        return [d.dot(d) - length**2, i.axis.dot(d)]


class PinInSlot(Joint):
    """A pin (second marker) in a straight slot along the x axis of the first (revolute-translational): it may slide and
    turn. In space, a ball in a straight guide along the first marker's axis.
    """

    sketch = "slot"
    motions = {2: (Slide(0), Turn(2)), 3: (Slide(2), Ball())}

    @staticmethod
    def phi(i, j):
        return the.on_line(i, j)

    def measures(self) -> dict[str, Measure]:
        own = {"displacement": displacement(*self.markers)}
        return own | {"angle": angle(*self.markers)} if self.dimension == 2 else own


PointOnLine = PinInSlot
"""The same joint by its name in space."""


class PointInPlane(Joint):
    """A point of the second body stays in the plane through the first marker, at right angles to its axis."""

    dimensions = (3,)
    elsewhere = "take a PinInSlot"
    sketch = "face"
    motions = {3: (Slide(0), Slide(1), Ball())}

    @staticmethod
    def phi(i, j):
        return the.in_plane(i, j)
