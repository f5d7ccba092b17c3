"""Markers in equations, in the plane and in space.

A marker is a point and a frame fixed on a body. It has variables m (the point, the axes, the turn) and rates r (the
velocity of the point, the angular velocity). Axes have no rates of their own, they turn with the frame::

    ṁ = F(m) r.

So expressions of markers are differentiated by the chain rule, and quantities dual to the rates are forces and moments.
A coordinate set defines how m and r follow from q and v; a joint defines the relation between markers. Neither depends
on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar

import sympy as sp

from ...errors import unknown_attribute
from ..functions import Unwound


class Time(sp.Symbol):
    def __new__(cls) -> Any:
        return super().__new__(cls, "t", real=True)

    def __reduce_ex__(self, protocol: Any) -> str:
        return "t"


t = Time()
"""Time, in laws and equations."""

LABELS = "ijklmnop"
"""The labels of the markers of an element in its equations, in their order."""


@dataclass(frozen=True)
class FormMarker:
    """A marker as Φ uses it. `m` and `rates` are symbols when equations are derived, and numbers or parameter
    expressions when a relation is evaluated for a given placement."""

    m: tuple[Any, ...]
    rates: tuple[Any, ...]

    dimension: ClassVar[int]
    words: ClassVar[tuple[str, ...]]
    """The names that equations may use."""
    variable_names: ClassVar[tuple[str, ...]]
    rate_names: ClassVar[tuple[str, ...]]
    """The names of the rates: velocity of the point, then angular velocity; forces and moments are given in this
    order."""

    @classmethod
    def symbols(cls, label: str) -> Any:
        def real(names: tuple[str, ...]) -> tuple[sp.Symbol, ...]:
            return tuple(sp.Symbol(f"{name}_{label}", real=True) for name in names)

        return cls(real(cls.variable_names), real(cls.rate_names))

    def __getattr__(self, name: str) -> Any:
        """Raise an error for an unknown name, with the known ones."""
        near = get_close_matches(name, self.words, n=1, cutoff=0.7)
        hint = f"did you mean {near[0]!r}?" if near else f"it has: {', '.join(self.words)}"
        raise unknown_attribute(self, f"a marker in {('the plane', 'space')[self.dimension - 2]}", name, hint)

    @property
    def biases(self) -> list[sp.Symbol]:
        """The symbols of ṙ for v̇ = 0."""
        return [sp.Symbol(f"d{s.name}", real=True) for s in self.rates]

    along: ClassVar[Callable]
    """(values): definitions of m, of the rates and of the biases if m has these values, functions of time."""

    @staticmethod
    def vector(components: Sequence[Any]) -> Any:
        return sp.Matrix(components)

    point = property(lambda self: self.vector(self.m[: self.dimension]))
    x = property(lambda self: self.m[0])
    y = property(lambda self: self.m[1])
    velocity = property(lambda self: self.vector(self.rates[: self.dimension]))
    """The velocity of the point: for forces and velocity-level (nonholonomic) rows."""
    velocity_at: ClassVar[Callable]
    """(point): the velocity of the marker's body at the point."""

    axes: ClassVar[property]
    """The axes of the frame, as many as there are dimensions."""
    guide: ClassVar[property]
    """The direction of a straight guide."""
    across: ClassVar[property]
    """The directions at right angles to the guide."""
    turn: ClassVar[property]
    """The angle of its turn, counting past 2π; in space about its own axis, added up."""
    omega: ClassVar[property]
    """The angular velocity, a vector in space: for forces and velocity-level (nonholonomic) rows."""
    m_rates: ClassVar[property]
    """ṁ = F(m) r."""

    turn_to: ClassVar[Callable]
    """(other): the angle by which the other one has turned relative to this one about their axis, counting past 2π."""


def reference_turn(first: str, second: str) -> sp.Symbol:
    """Return the symbol of the angle from one marker to another about their axis in the reference placement, within
    (-π, π]: a constant of every instance, from which turns are counted."""
    return sp.Symbol(f"turn_{first}_{second}", real=True)


def variables(markers: Sequence[FormMarker]) -> tuple[list[Any], list[Any]]:
    """Return the m and the rates of all markers, one after the other."""
    return [s for marker in markers for s in marker.m], [s for marker in markers for s in marker.rates]


def rate_of(value: sp.Expr, markers: Sequence[FormMarker]) -> sp.Expr:
    """Return the rate of an expression of marker variables, without its partial derivative by time."""
    pairs = ((s, rate) for marker in markers for s, rate in zip(marker.m, marker.m_rates, strict=True))
    free = value.free_symbols
    return sp.Add(*(value.diff(s) * rate for s, rate in pairs if s in free))


class PlanarMarker(FormMarker):
    """A marker in the plane:

    m = (p_x, p_y, u_x, u_y, θ)        point, unit x axis, angle (counting past 2π)
    r = (v_x, v_y, ω)                  velocity of the point, angular velocity
    u̇ = ω u⊥,   θ̇ = ω
    """

    dimension = 2
    words = "x", "y", "angle", "point", "x_axis", "y_axis", "velocity", "omega", "velocity_at(point)"
    variable_names = ("px", "py", "ux", "uy", "theta")
    rate_names = ("dpx", "dpy", "dtheta")

    @classmethod
    def placed(cls, x: Any, y: Any, angle: Any) -> PlanarMarker:
        """Return a marker at rest at a known place."""
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


class SpatialMarker(FormMarker):
    """A marker in space:

        m = (p, x, y, z, τ)                point, the three axes of its frame, and its turn about z
        r = (v, ω)                         velocity of the point, angular velocity, in world axes
        ẋ = ω × x, ...                     τ̇ = z · ω

    The z axis is *the* axis of the marker: a joint turns about it, slides along it. τ is not a function of the pose of
    the frame but the integral of the rotation about z (a quasi-coordinate). If two markers keep their z axes parallel,
    the difference of their τ is the relative turn, counting past 2π; the axes give the angle exactly, up to whole
    turns. `Unwound` takes the digits from the axes and the whole turns from τ, counted from the angle in the reference
    placement.
    """

    dimension = 3
    words = "x", "y", "z", "point", "x_axis", "y_axis", "z_axis", "velocity", "omega", "velocity_at(point)"
    variable_names = (*("px", "py", "pz"), *(f"{axis}{k}" for axis in ("ax", "ay", "az") for k in "xyz"), "tau")
    rate_names = ("dpx", "dpy", "dpz", "wx", "wy", "wz")

    @classmethod
    def placed(cls, point: Any, axes: Any) -> SpatialMarker:
        """Return a marker at rest at a known place; `axes` are the columns of its frame."""
        return cls((*point, *(axes[k][a] for a in range(3) for k in range(3)), sp.S.Zero), (0,) * 6)

    @property
    def m_rates(self) -> tuple[sp.Expr, ...]:
        omega = self.omega
        turned = [rate for axis in self.axes for rate in omega.cross(axis)]
        return (*self.rates[:3], *turned, self.z_axis.dot(omega))

    def along(self, values: Sequence[sp.Expr]) -> list[tuple[sp.Symbol, sp.Expr]]:
        """Return the definitions. With R the matrix of the axes, ω̂ = Ṙ Rᵀ, and dω/dt is the antisymmetric part of R̈
        Rᵀ."""
        point, axes = values[:3], values[3:12]
        slopes = [[sp.Symbol(f"{'d' * order}{s.name}", real=True) for s in self.m[3:12]] for order in (1, 2)]
        R, dR, ddR = (sp.Matrix(3, 3, list(entries)).T for entries in (self.m[3:12], *slopes))
        omega, alpha = ([w / 2 for w in antisymmetric(rate * R.T)] for rate in (dR, ddR))
        return [
            *zip(self.m, values, strict=True),
            *((s, e.diff(t)) for s, e in zip(slopes[0], axes, strict=True)),
            *((s, e.diff(t, 2)) for s, e in zip(slopes[1], axes, strict=True)),
            *zip(self.rates, [*(e.diff(t) for e in point), *omega], strict=True),
            *zip(self.biases, [*(e.diff(t, 2) for e in point), *alpha], strict=True),
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
        reference = sp.S.Zero  # the angle from which turns are counted; 0 for markers at known places
        if self.turn.is_Symbol and other.turn.is_Symbol:
            reference = reference_turn(*(marker.turn.name.rpartition("_")[2] for marker in (self, other)))
        return Unwound(sp.atan2(sine, cosine), reference + other.turn - self.turn)


def antisymmetric(W: sp.Matrix) -> list[sp.Expr]:
    """Return the vector whose cross product is W - Wᵀ; for a rotation by θ about n it is 2 sin θ n."""
    return [W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]
