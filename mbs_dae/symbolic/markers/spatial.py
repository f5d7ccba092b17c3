"""A marker in space.

    m = (p, x, y, z, τ)                point, the three axes of its frame, and its turn about z
    r = (v, ω)                         velocity of the point, angular velocity, in world axes
    ẋ = ω × x, ...                     τ̇ = z · ω

The z axis is *the* axis of the marker: a joint turns about it, slides along it. τ is no function of where the frame
stands, it is the turning about z added up (a quasi-coordinate). Where two markers keep their z axes parallel, the
difference of their τ is how far one has turned against the other, and counts past 2π; the axes say the angle exactly,
up to whole turns. `Unwound` takes the digits from the axes and the turns from τ, counted from the angle in the
reference placement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from ..functions import Unwound
from .base import FormMarker, reference_turn, t


class SpatialMarker(FormMarker):
    dimension = 3
    variable_names = (*("px", "py", "pz"), *(f"{axis}{k}" for axis in ("ax", "ay", "az") for k in "xyz"), "tau")
    rate_names = ("dpx", "dpy", "dpz", "wx", "wy", "wz")

    @classmethod
    def placed(cls, point: Any, axes: Any) -> SpatialMarker:
        """A marker standing still at a known place; `axes` are the columns of its frame."""
        return cls((*point, *(axes[k][a] for a in range(3) for k in range(3)), sp.S.Zero), (0,) * 6)

    @property
    def m_rates(self) -> tuple[sp.Expr, ...]:
        omega = self.omega
        turned = [rate for axis in self.axes for rate in omega.cross(axis)]
        return (*self.rates[:3], *turned, self.z_axis.dot(omega))

    def along(self, values: Sequence[sp.Expr]) -> list[tuple[sp.Symbol, sp.Expr]]:
        """With R the matrix of the axes, ω̂ = Ṙ Rᵀ, and dω/dt is the part of R̈ Rᵀ that is not symmetric."""
        point, axes = values[:3], values[3:12]
        slopes = [[sp.Symbol(f"{'d' * order}{s.name}", real=True) for s in self.m[3:12]] for order in (1, 2)]
        R, dR, ddR = (sp.Matrix(3, 3, list(entries)).T for entries in (self.m[3:12], *slopes))
        return [
            *zip(self.m, values, strict=True),
            *((s, e.diff(t)) for s, e in zip(slopes[0], axes, strict=True)),
            *((s, e.diff(t, 2)) for s, e in zip(slopes[1], axes, strict=True)),
            *zip(self.rates, [*(e.diff(t) for e in point), *_turning(dR * R.T)], strict=True),
            *zip(self.biases, [*(e.diff(t, 2) for e in point), *_turning(ddR * R.T)], strict=True),
        ]

    z = property(lambda self: self.m[2])
    x_axis = property(lambda self: self.vector(self.m[3:6]))
    y_axis = property(lambda self: self.vector(self.m[6:9]))
    axis = guide = z_axis = property(lambda self: self.vector(self.m[9:12]))
    axes = property(lambda self: (self.x_axis, self.y_axis, self.z_axis))
    across = property(lambda self: [self.x_axis, self.y_axis])
    turn = property(lambda self: self.m[12])
    omega = property(lambda self: self.vector(self.rates[3:]))

    def velocity_at(self, point: Any) -> Any:
        return self.velocity + self.omega.cross(point - self.point)

    def turn_to(self, other: Any) -> Any:
        sine, cosine = self.y_axis.dot(other.x_axis), self.x_axis.dot(other.x_axis)
        return Unwound(sp.atan2(sine, cosine), self._reference(other) + other.turn - self.turn)

    def _reference(self, other: Any) -> Any:
        """Where turns are counted from; markers that are placed stand there."""
        if not (self.turn.is_Symbol and other.turn.is_Symbol):
            return sp.S.Zero
        return reference_turn(*(marker.turn.name.rpartition("_")[2] for marker in (self, other)))

    def turned_by(self, other: Any) -> list[Any]:
        R = sp.Matrix(3, 3, lambda row, column: self.axes[row].dot(other.axes[column]))
        sines = (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])  # 2 sin θ n
        return [sine / sp.sqrt(1 + R.trace()) for sine in sines]  # over 2 cos θ/2

    def axis_offsets(self, other: Any) -> list[Any]:
        return [self.y_axis.dot(other.z_axis), -self.x_axis.dot(other.z_axis)]

    def frame_offsets(self, other: Any) -> list[Any]:
        return [self.y_axis.dot(other.z_axis), self.z_axis.dot(other.x_axis), self.x_axis.dot(other.y_axis)]


def _turning(W: sp.Matrix) -> list[sp.Expr]:
    """The vector whose cross product is the antisymmetric part of a matrix."""
    return [(W[2, 1] - W[1, 2]) / 2, (W[0, 2] - W[2, 0]) / 2, (W[1, 0] - W[0, 1]) / 2]
