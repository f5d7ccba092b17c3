"""A cam and its follower."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ...errors import ModelError
from ...symbolic.markers import primitives as the
from ..fields import choice, function
from ..tables import Table
from .base import Joint


class CamFollower(Joint):
    """A follower (second marker) on a cam (first marker: its centre).

    ``follower="point"`` (a knife edge, or the centre of a roller): ``profile`` is the radius of the curve that this
    point follows on the cam - for a roller the pitch curve - as a function of the polar angle in cam axes:

        Φ = |d| - profile(polar angle of d),       d from the cam's centre to the point, in cam axes.

    ``follower="flat"``: the face is the x axis of the follower marker, its y axis points away from the cam; `profile`
    is the distance of the tangent from the cam's centre as a function of its normal's direction in cam axes:

        Φ = y_j · (r_j - r_i) - profile(θ_j + π/2 - θ_i).

    In space both markers have their axes along the camshaft, and only what is at right angles to it counts.

    The profile is a sympy expression of ``mbs.theta``, a periodic `Table`, or a `Motion`.
    """

    sketch = "contact"
    profile = function("m")
    follower = choice("point", "flat", default="point")

    def __init__(self, name: str, *args: Any, **constants: Any):
        super().__init__(name, *args, **constants)
        profile = self.values["profile"].given
        if isinstance(profile, Table) and not profile.periodic:
            raise ModelError(f"profile of {self.who} is a Table that is not closed; add periodic=True")

    @staticmethod
    def phi(i, j, profile, follower):
        d = j.point - i.point
        if follower == "flat":
            return [j.y_axis.dot(d) - profile(the.turn(i, j) + sp.pi / 2)]
        along, across = i.x_axis.dot(d), i.y_axis.dot(d)
        return [sp.sqrt(along**2 + across**2) - profile(sp.atan2(across, along))]
