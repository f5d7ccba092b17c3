"""Planar Cartesian coordinates: q = (x, y, φ) of every body's frame, v = q̇.

A marker at (s_x, s_y) in body axes, its frame turned by α, is

    p = r + A(φ) s,     u = A(φ) (cos α, sin α),     θ = φ + α.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..model.body import Body, Marker
from ..model.parameters import Number
from ..symbolic.derive import MarkerMap


class PlanarCartesian:
    """Every body, the ground too, owns three coordinates; those of the ground never move."""

    name = "cartesian"
    q_names = ("x", "y", "phi")
    v_names = ("vx", "vy", "omega")
    turns = (False, False, True)
    """Which coordinates are angles."""

    @staticmethod
    @cache
    def marker_map(label: str) -> MarkerMap:
        def real(*names: str) -> tuple[sp.Symbol, ...]:
            return tuple(sp.Symbol(f"{n}_{label}", real=True) for n in names)

        x, y, phi = q = real("x", "y", "phi")
        sx, sy, ca, sa, alpha = slots = real("sx", "sy", "ca", "sa", "alpha")
        c, s = sp.cos(phi), sp.sin(phi)
        values = (x + sx * c - sy * s, y + sx * s + sy * c, ca * c - sa * s, ca * s + sa * c, phi + alpha)
        return MarkerMap(q, real("vx", "vy", "omega"), slots, values, sp.eye(3))

    @staticmethod
    def marker_slots(marker: Marker) -> tuple[Number, ...]:
        """What stands in the slots of `marker_map` for this marker."""
        if not isinstance(marker.angle, sp.Basic) and marker.angle == 0:
            return marker.x, marker.y, 1, 0, 0
        return marker.x, marker.y, sp.cos(marker.angle), sp.sin(marker.angle), marker.angle

    @staticmethod
    def placement(body: Body) -> tuple[Number, ...]:
        return (*body.position, body.angle)

    @staticmethod
    def weights(length: float) -> tuple[float, ...]:
        """The norm in which "least change" is meant: a turn counts as the way of a point at the model's length."""
        return 1.0, 1.0, length**2

    @staticmethod
    def inertia(body: Body, gravity: tuple[Number, ...], q: tuple, v: tuple) -> tuple[sp.Matrix, sp.Matrix]:
        """M and Q of a body. With the centre of mass at s = A(φ) com from the frame's origin,

            T = ½ m |ṙ + φ̇ s⊥|² + ½ I φ̇²,      s⊥ = (-s_y, s_x)

        gives M below; moving the term m φ̇² s (centripetal) to the right leaves Q = weight + m φ̇² s.
        """
        m, (cx, cy) = sp.sympify(body.mass), body.com
        c, s = sp.cos(q[2]), sp.sin(q[2])
        sx, sy = cx * c - cy * s, cx * s + cy * c
        gx, gy = gravity
        M = sp.Matrix([[m, 0, -m * sy], [0, m, m * sx], [-m * sy, m * sx, body.inertia + m * (cx**2 + cy**2)]])
        Q = sp.Matrix([m * gx + m * sx * v[2] ** 2, m * gy + m * sy * v[2] ** 2, m * (sx * gy - sy * gx)])
        return M, Q
