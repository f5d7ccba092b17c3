"""Screws: twists, wrenches and unit screws as six-vectors, the angular part first.

A twist V = (ω, v) has v the velocity of that point of the body which is just passing through the world's origin. A
wrench W = (M, F) has M the moment about the world's origin. So the power of a wrench on a twist is plainly V · W, and
twists of bodies in a chain add up: V = S ω with a unit screw for each joint. World axes throughout; time, if any, is
the leading axes of every array.

A hinge about z at x = 2 turns at 3 rad/s. The point at x = 3 moves at 3 m/s, and a force there gives power:

>>> V = 3 * mbs.screws.unit_screw((0, 0, 1), point=(2, 0, 0))
>>> mbs.screws.velocity_of_point(V, (3, 0, 0))
array([0., 3., 0.])
>>> float(V @ mbs.screws.wrench((0, 10, 0), point=(3, 0, 0)))
30.0
"""

from .chains import JointRates, joint_rates, reciprocal
from .moving import OneStep, adjoint, coadjoint, exponential, move, one_step
from .screw import axis_of, interchange, pitch, twist, unit_screw, velocity_of_point, wrench

__all__ = [
    "JointRates", "OneStep", "adjoint", "axis_of", "coadjoint", "exponential", "interchange", "joint_rates", "move",
    "one_step", "pitch", "reciprocal", "twist", "unit_screw", "velocity_of_point", "wrench",
]  # fmt: skip
