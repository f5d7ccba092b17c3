"""The symbols of a marker: all that Φ may speak of.

A marker is a point and a frame fixed on a body. In the plane its variables are

    m = (p_x, p_y, u_x, u_y, θ)        point, unit x axis, angle (counting past 2π)
    ṁ = (v_x, v_y, u̇_x, u̇_y, ω)        their rates

A coordinate set says how m and ṁ follow from q and v; a joint says what must hold between markers.
Neither knows of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

t = sp.Symbol("t", real=True)
"""Time."""

VARIABLES = ("px", "py", "ux", "uy", "theta")
LABELS = "ijklmnop"
"""What the markers of an element are called in its equations, in their order."""


@dataclass(frozen=True)
class PlanarMarker:
    """A planar marker as Φ sees it. ``m`` and ``rates`` are symbols when equations are derived, and
    numbers or parameter expressions when a relation is read off a given placement."""

    m: tuple[Any, ...]
    rates: tuple[Any, ...]

    @classmethod
    def symbols(cls, label: str) -> PlanarMarker:
        def real(prefix: str) -> tuple[sp.Symbol, ...]:
            return tuple(sp.Symbol(f"{prefix}{name}_{label}", real=True) for name in VARIABLES)

        return cls(real(""), real("d"))

    @classmethod
    def placed(cls, x: Any, y: Any, angle: Any) -> PlanarMarker:
        """A marker standing still at a known place."""
        return cls((x, y, sp.cos(angle), sp.sin(angle), angle), (0, 0, 0, 0, 0))

    @property
    def x(self) -> sp.Expr:
        return self.m[0]

    @property
    def y(self) -> sp.Expr:
        return self.m[1]

    @property
    def point(self) -> sp.Matrix:
        return sp.Matrix(self.m[:2])

    @property
    def x_axis(self) -> sp.Matrix:
        return sp.Matrix(self.m[2:4])

    @property
    def y_axis(self) -> sp.Matrix:
        """The x axis turned by a right angle."""
        return sp.Matrix([-self.m[3], self.m[2]])

    @property
    def angle(self) -> sp.Expr:
        return self.m[4]

    def wrench(self, dual: Sequence[sp.Expr]) -> tuple[sp.Expr, ...]:
        """The force and the moment about the point that have this power: dual · ṁ = F · v + M ω, with u̇ = ω u⊥."""
        fx, fy, gx, gy, moment = dual
        ux, uy = self.m[2:4]
        return fx, fy, moment + gy * ux - gx * uy

    @staticmethod
    def dual(fx: Any, fy: Any, moment: Any) -> tuple[Any, ...]:
        """A force at the point and a moment, in terms of the rates: the inverse of `wrench`."""
        return fx, fy, sp.S.Zero, sp.S.Zero, moment

    @property
    def velocity(self) -> sp.Matrix:
        """The velocity of the point: for forces and velocity-level (nonholonomic) rows."""
        return sp.Matrix(self.rates[:2])

    @property
    def omega(self) -> sp.Expr:
        """The angular velocity: for forces and velocity-level (nonholonomic) rows."""
        return self.rates[4]


def marker_symbols(count: int) -> tuple[PlanarMarker, ...]:
    """The symbols of the markers of an element that has this many."""
    return tuple(PlanarMarker.symbols(LABELS[k]) for k in range(count))
