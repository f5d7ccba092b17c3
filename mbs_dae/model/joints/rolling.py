"""Contacts that restrict velocities: what rolls or cuts may go anywhere, but not in every direction."""

from __future__ import annotations

import sympy as sp

from ..fields import scalar
from .base import Joint


def _against(i, j, point):
    """The velocity of the second body at a point, seen from the first."""
    return j.velocity_at(point) - i.velocity_at(point)


class KnifeEdge(Joint):
    """The runner of a sleigh: the second marker's point moves along its own x axis over the first body, never along its
    y axis.

    Ψ = y_j · (velocity of the point over the first body).
    """

    unit = "m/s"
    sketch = "runner"

    @staticmethod
    def psi(i, j):
        return [-j.y_axis.dot(_against(i, j, j.point))]


class RollingDisk(Joint):
    """A thin disk (second marker: its centre and its axis) rolls without slipping on the plane through the first marker
    at right angles to its axis.

    The lowest point of the rim lies at c = r_j - radius e, where e is the direction in the disk's own plane that climbs
    most steeply: e ∝ n - (n·z_j) z_j, with n the normal of the plane.

        Φ = n · (r_i - c) = 0                it touches
        Ψ = (x_i, y_i) · ċ = 0               ċ the velocity of the disk's material there: it does not slip
    """

    dimensions = (3,)
    unit = ("m", "m/s", "m/s")
    sketch = "disk"
    radius = scalar("m", positive=True)

    @staticmethod
    def phi(i, j, radius):
        return [i.axis.dot(i.point - _contact(i, j, radius))]

    @staticmethod
    def psi(i, j, radius):
        slip = _against(i, j, _contact(i, j, radius))
        return [-direction.dot(slip) for direction in i.across]


def _contact(i, j, radius):
    n, z = i.axis, j.axis
    lean = n.dot(z)
    return j.point - radius * (n - lean * z) / sp.sqrt(1 - lean**2)
