"""The motions that a joint leaves its second marker: elementary motions, one after the other.

A joint may be described twice: by equations that vanish, and by the motions that it leaves. With T_i and T_j the frames
of its markers (a rotation and a position), the motions μ₁, μ₂, ... lead from the first to the second::

    T_j = T_i μ₁(θ₁) μ₂(θ₂) ...

Each motion is in the axes of the frame after the motions before it. Axes are numbered 0, 1, 2 (x, y, z); e is the unit
vector of one. In the coordinates of that frame::

    Turn      a rotation by θ about e                                             one velocity, θ̇
    Slide     a shift by θ e                                                      one velocity, θ̇
    Helix     a rotation by θ about e, and a shift by (phase + pitch θ/2π) e      one velocity, θ̇
    Ball      any rotation, a unit quaternion                                     three, ω of the second marker against
                                                                                  the first, in the axes of the second

So the axis of a Turn is fixed in the frames before and after it, as is that of a Slide. With the unit vector u (in
world axes) and a point p on its axis, the velocity of the material behind a motion relative to the material before it
is::

    ω = u θ̇,  ṙ = u × (r - p) θ̇    (Turn)         ω = 0,  ṙ = u θ̇    (Slide)

A Helix does both at once, the shift with (pitch/2π) θ̇, and a Ball is a Turn about any u.

A joint with c equations and motions of f velocities satisfies c + f = 3 in the plane and 6 in space. A joint with
motions can be part of a tree, where a body's pose follows from that of its parent, without equations to solve.

>>> print(*mbs.Cylindrical.motions[3])  # in space
slide z turn z
>>> mbs.motions.velocities(mbs.Spherical.motions[3])
3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class AlongAxis:
    """An elementary motion about or along one axis of its frame."""

    axis: int
    velocities: ClassVar[int] = 1

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()} {'xyz'[self.axis]}"


class Turn(AlongAxis):
    """A rotation by θ."""


class Slide(AlongAxis):
    """A shift by θ."""


@dataclass(frozen=True)
class Helix(AlongAxis):
    """A rotation by θ and a shift by phase + pitch θ/2π. Phase and pitch are constants of the joint, by their names."""

    pitch: str = "pitch"
    phase: str = "phase"


@dataclass(frozen=True)
class Ball:
    """Any rotation."""

    velocities: ClassVar[int] = 3

    def __str__(self) -> str:
        return "ball"


Elementary = Turn | Slide | Helix | Ball
Motions = tuple[Elementary, ...]

FREE: dict[int, Motions] = {2: (Slide(0), Slide(1), Turn(2)), 3: (Slide(0), Slide(1), Slide(2), Ball())}
"""The motions of a free body relative to the ground: its coordinates are then the usual ones."""


def velocities(motions: Motions) -> int:
    """Return the number of velocities of these motions together."""
    return sum(motion.velocities for motion in motions)
