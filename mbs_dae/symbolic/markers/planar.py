"""A marker in the plane.

m = (p_x, p_y, u_x, u_y, θ)        point, unit x axis, angle (counting past 2π)
r = (v_x, v_y, ω)                  velocity of the point, angular velocity
u̇ = ω u⊥,   θ̇ = ω
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from .base import FormMarker, t


class PlanarMarker(FormMarker):
    dimension = 2
    variable_names = ("px", "py", "ux", "uy", "theta")
    rate_names = ("dpx", "dpy", "dtheta")

    @classmethod
    def placed(cls, x: Any, y: Any, angle: Any) -> PlanarMarker:
        """A marker standing still at a known place."""
        return cls((x, y, sp.cos(angle), sp.sin(angle), angle), (0, 0, 0))

    @property
    def m_rates(self) -> tuple[sp.Expr, ...]:
        (ux, uy), (vx, vy, omega) = self.m[2:4], self.rates
        return vx, vy, -omega * uy, omega * ux, omega

    def along(self, values: Sequence[sp.Expr]) -> list[tuple[sp.Symbol, sp.Expr]]:
        moving = [values[k] for k in (0, 1, 4)]
        return [
            *zip(self.m, values, strict=True),
            *((s, e.diff(t)) for s, e in zip(self.rates, moving, strict=True)),
            *((s, e.diff(t, 2)) for s, e in zip(self.biases, moving, strict=True)),
        ]

    x_axis = property(lambda self: self.vector(self.m[2:4]))
    y_axis = property(lambda self: self.vector([-self.m[3], self.m[2]]))
    angle = turn = property(lambda self: self.m[4])
    omega = property(lambda self: self.rates[2])
    axes = property(lambda self: (self.x_axis, self.y_axis))
    guide = x_axis
    """The axis of a pin, the z axis, leads out of the plane."""
    across = property(lambda self: [self.y_axis])

    def velocity_at(self, point: Any) -> Any:
        arm = point - self.point
        return self.velocity + self.omega * sp.Matrix([-arm[1], arm[0]])

    def turn_to(self, other: Any) -> Any:
        return other.angle - self.angle

    def turned_by(self, other: Any) -> list[Any]:
        return [self.turn_to(other)]

    def axis_offsets(self, other: Any) -> list[Any]:
        return []

    def frame_offsets(self, other: Any) -> list[Any]:
        return [self.angle - other.angle]
