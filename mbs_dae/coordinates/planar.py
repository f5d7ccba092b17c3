"""Planar Cartesian coordinates: q = (x, y, φ) of every body's frame, v = q̇.

A marker at (s_x, s_y) in body axes, its frame turned by α, is

    p = r + A(φ) s,     u = A(φ) (cos α, sin α),     θ = φ + α.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..model.bodies.planar_body import PlanarBody, PlanarPlace
from ..model.parameters import Evaluator, Number
from ..symbolic.derive import MarkerMap
from ..symbolic.inertia import Inertia
from .layout import one_after_the_other


def real(*names: str, end: str = "") -> tuple[sp.Symbol, ...]:
    return tuple(sp.Symbol(name + end, real=True) for name in names)


class PlanarCartesian:
    """Every body, the ground too, owns three coordinates; those of the ground never move."""

    name = "planar cartesian"
    q_names = ("x", "y", "phi")
    v_names = ("vx", "vy", "omega")
    symbols = q_names, ("xdot", "ydot", "phidot")
    at_rest = (0, 0, 0)
    turns = (False, False, True)

    layout = staticmethod(one_after_the_other)

    @staticmethod
    @cache
    def marker_map(label: str) -> MarkerMap:
        x, y, phi = q = real("x", "y", "phi", end=f"_{label}")
        sx, sy, ca, sa, alpha = slots = real("sx", "sy", "ca", "sa", "alpha", end=f"_{label}")
        c, s = sp.cos(phi), sp.sin(phi)
        values = (x + sx * c - sy * s, y + sx * s + sy * c, ca * c - sa * s, ca * s + sa * c, phi + alpha)
        v = real("vx", "vy", "omega", end=f"_{label}")
        P = sp.Matrix([values[0], values[1], values[4]]).jacobian(q)
        bias = (P * sp.Matrix(v)).jacobian(q) * sp.Matrix(v)
        return MarkerMap(q, v, slots, values, P, bias)

    @staticmethod
    def ones(label: str) -> dict[sp.Expr, sp.Expr]:
        return {}

    @staticmethod
    def marker_slots(marker: PlanarPlace) -> tuple[Number, ...]:
        if not isinstance(marker.angle, sp.Basic) and marker.angle == 0:
            return marker.x, marker.y, 1, 0, 0
        return marker.x, marker.y, sp.cos(marker.angle), sp.sin(marker.angle), marker.angle

    @staticmethod
    def placement(body: PlanarBody, number: Evaluator) -> list[float]:
        return [number(n) for n in (*body.position, body.angle)]

    @staticmethod
    def whole_turn(marker: PlanarPlace, number: Evaluator) -> list[float]:
        return [0.0, 0.0, float(2 * sp.pi)]

    @staticmethod
    def weights(length: float) -> tuple[float, ...]:
        return 1.0, 1.0, length**2

    @staticmethod
    def masses(body: PlanarBody, number: Evaluator) -> tuple[float, ...]:
        mass = number(body.mass)
        return mass, mass, number(body.inertia)

    @staticmethod
    @cache
    def inertia(form: str) -> Inertia:
        """A body of mass m and inertia I about its centre of mass, which lies at s = A(φ) c from the frame's origin:

            T = ½ m |ṙ + φ̇ s⊥|² + ½ I φ̇²,      U = -m g · (r + s),      s⊥ = (-s_y, s_x).

        M = ∂²T/∂v² is written below. The term m φ̇² s (centripetal), moved to the right, leaves Q = weight + m φ̇² s.
        With the origin in the centre of mass ("centred") M is constant and diagonal.
        """
        own = PlanarCartesian.marker_map("i")
        (x, y, phi), (vx, vy, omega) = own.q, own.v
        m, inertia, cx, cy, gx, gy = slots = real("mass", "inertia", "cx", "cy", "gx", "gy")
        if form == "centred":
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
    def inertia_form(body: PlanarBody) -> str:
        return "centred" if body.centred else "offset"

    @staticmethod
    def inertia_slots(body: PlanarBody, gravity: tuple[Number, ...]) -> tuple[Number, ...]:
        return (body.mass, body.inertia, *body.com, *gravity)
