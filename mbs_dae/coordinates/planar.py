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
from ..symbolic.inertia import Inertia


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
    def masses(mass: float, inertia: float) -> tuple[float, ...]:
        """What each coordinate of a body moves."""
        return mass, mass, inertia

    @staticmethod
    @cache
    def inertia(centred: bool) -> Inertia:
        """A body of mass m and inertia I about its centre of mass, which lies at s = A(φ) c from the frame's origin:

            T = ½ m |ṙ + φ̇ s⊥|² + ½ I φ̇²,      U = -m g · (r + s),      s⊥ = (-s_y, s_x).

        M = ∂²T/∂v² is written below. The term m φ̇² s (centripetal), moved to the right, leaves Q = weight + m φ̇² s.
        With the origin in the centre of mass (`centred`) M is constant and diagonal.
        """

        def real(*names: str) -> tuple[sp.Symbol, ...]:
            return tuple(sp.Symbol(name, real=True) for name in names)

        own = PlanarCartesian.marker_map("i")
        (x, y, phi), (vx, vy, omega) = own.q, own.v
        m, inertia, cx, cy, gx, gy = slots = real("mass", "inertia", "cx", "cy", "gx", "gy")
        if centred:
            cx = cy = sp.S.Zero
        c, s = sp.cos(phi), sp.sin(phi)
        sx, sy = cx * c - cy * s, cx * s + cy * c
        mass = ((0, 0, m), (1, 1, m), (2, 0, -m * sy), (2, 1, m * sx), (2, 2, inertia + m * (cx**2 + cy**2)))
        forces = (m * (gx + sx * omega**2), m * (gy + sy * omega**2), m * (sx * gy - sy * gx))
        return Inertia(
            own.q,
            own.v,
            slots,
            (),
            mass=tuple(entry for entry in mass if entry[2] != 0),
            forces=tuple((k, e) for k, e in enumerate(forces) if e != 0),
            potential=-m * (gx * (x + sx) + gy * (y + sy)),
            kinetic=m * ((vx - omega * sy) ** 2 + (vy + omega * sx) ** 2) / 2 + inertia * omega**2 / 2,
        )

    @staticmethod
    def inertia_slots(body: Body, gravity: tuple[Number, ...]) -> tuple[Number, ...]:
        """What stands in the slots of `inertia` for this body."""
        return (body.mass, body.inertia, *body.com, *gravity)
