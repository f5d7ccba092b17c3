"""Lower pairs: surfaces in contact."""

from __future__ import annotations

import sympy as sp

from ...symbolic.markers import primitives as the
from ..fields import scalar
from .base import Joint
from .motions import Ball, Helix, Slide, Turn


class Revolute(Joint):
    """A pin: the two points coincide; in space the axes are parallel, too.

    Φ = r_i - r_j: its multiplier is the force on the second body, in world axes.
    """

    unit = {2: ("m",) * 2, 3: ("m",) * 3 + ("rad",) * 2}
    facing = "axis"
    shares = {2: (("point", (0, 1)),), 3: (("point", (0, 1, 2)), ("z", (3, 4)))}
    sketch = "pin"
    measured = ("angle",)
    motions = {2: (Turn(2),), 3: (Turn(2),)}

    @staticmethod
    def phi(i, j):
        return [*the.coincident(i, j), *the.parallel(i, j)]


class Translational(Joint):
    """A straight guide: the second marker slides along the first, and does not turn against it. In the plane it slides
    along the x axis of the first marker, in space along its axis."""

    unit = {2: ("m", "rad"), 3: ("m",) * 2 + ("rad",) * 3}
    facing = "frame"
    shares = {2: (("x", (1,)),), 3: (("zx", (2, 3, 4)),)}
    sketch = "slider"
    measured = ("displacement",)
    motions = {2: (Slide(0),), 3: (Slide(2),)}

    @staticmethod
    def phi(i, j):
        return [*the.on_line(i, j), *the.unturned(i, j)]


Prismatic = Translational
"""The same joint by its other name."""


class Fixed(Joint):
    """A weld: points and axes of the two markers coincide."""

    unit = {2: ("m", "m", "rad"), 3: ("m",) * 3 + ("rad",) * 3}
    facing = "frame"
    shares = {2: (("point", (0, 1)), ("x", (2,))), 3: (("point", (0, 1, 2)), ("zx", (3, 4, 5)))}
    sketch = "weld"
    motions = {2: (), 3: ()}

    @staticmethod
    def phi(i, j):
        return [*the.coincident(i, j), *the.unturned(i, j)]


class Cylindrical(Joint):
    """A shaft in a sleeve: it turns about the axis of the first marker and slides along it."""

    dimensions = (3,)
    elsewhere = "a PinInSlot turns and slides there"
    unit = ("m",) * 2 + ("rad",) * 2
    facing = "axis"
    shares = {3: (("z", (2, 3)),)}
    sketch = "sleeve"
    measured = ("angle", "displacement")
    motions = {3: (Slide(2), Turn(2))}

    @staticmethod
    def phi(i, j):
        return [*the.on_line(i, j), *the.parallel(i, j)]


def _thread(i, j, *, pitch):
    return the.displacement(i, j) - pitch * the.turn(i, j) / (2 * sp.pi)


class Screw(Joint):
    """A nut on a thread: a cylindrical joint that advances by `pitch` with every turn (right-handed where positive).
    `phase` is how far it has advanced at angle 0; it defaults to that of the reference placement."""

    dimensions = (3,)
    unit = ("m",) * 2 + ("rad",) * 2 + ("m",)
    facing = "axis"
    shares = {3: (("z", (2, 3)),)}
    sketch = "sleeve"
    measured = ("angle", "displacement")
    motions = {3: (Helix(2),)}
    pitch = scalar("m")
    phase = scalar("m", default=_thread)

    @staticmethod
    def phi(i, j, pitch, phase):
        return [*the.on_line(i, j), *the.parallel(i, j), _thread(i, j, pitch=pitch) - phase]


class Spherical(Joint):
    """A ball and socket: the two points coincide."""

    dimensions = (3,)
    elsewhere = "take a Revolute"
    shares = {3: (("point", (0, 1, 2)),)}
    sketch = "ball"
    motions = {3: (Ball(),)}

    @staticmethod
    def phi(i, j):
        return the.coincident(i, j)


class Planar(Joint):
    """Two faces on each other: the second body slides and turns in the plane at right angles to the first's axis."""

    dimensions = (3,)
    elsewhere = "bodies move in the plane without it"
    unit = ("m",) + ("rad",) * 2
    facing = "axis"
    shares = {3: (("z", (1, 2)),)}
    sketch = "face"
    measured = ("angle",)
    motions = {3: (Slide(0), Slide(1), Turn(2))}

    @staticmethod
    def phi(i, j):
        return [*the.in_plane(i, j), *the.parallel(i, j)]
