"""What a marker is to an equation, in the plane and in space.

A marker is a point and a frame fixed on a body. It has variables m (the point, the axes, how far it has turned) and
rates r (the velocity of the point, the angular velocity). Axes have no rates of their own, they turn with the frame:

    ṁ = F(m) r.

So what is said of markers is differentiated by the chain rule, and whatever is dual to the rates is a force and a
moment. A coordinate set says how m and r follow from q and v; a joint says what must hold between markers. Neither
knows of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy as sp


class Time(sp.Symbol):
    def __new__(cls) -> Any:
        return super().__new__(cls, "t", real=True)

    def __reduce_ex__(self, protocol: Any) -> str:
        return "t"


t = Time()

LABELS = "ijklmnop"
"""What the markers of an element are called in its equations, in their order."""


@dataclass(frozen=True)
class FormMarker:
    """A marker as Φ sees it. `m` and `rates` are symbols when equations are derived, and numbers or parameter
    expressions when a relation is read off a given placement."""

    m: tuple[Any, ...]
    rates: tuple[Any, ...]

    dimension: ClassVar[int]
    variable_names: ClassVar[tuple[str, ...]]
    rate_names: ClassVar[tuple[str, ...]]
    """Velocity of the point, then angular velocity; forces and moments are given in this order."""

    @classmethod
    def symbols(cls, label: str) -> Any:
        def real(names: tuple[str, ...]) -> tuple[sp.Symbol, ...]:
            return tuple(sp.Symbol(f"{name}_{label}", real=True) for name in names)

        return cls(real(cls.variable_names), real(cls.rate_names))

    @property
    def biases(self) -> list[sp.Symbol]:
        """The symbols of ṙ where v̇ = 0."""
        return [sp.Symbol(f"d{s.name}", real=True) for s in self.rates]

    along: ClassVar[Callable]
    """(values): definitions of m, of the rates and of the biases where m has these values, functions of time."""

    @staticmethod
    def vector(components: Sequence[Any]) -> Any:
        return sp.Matrix(components)

    point = property(lambda self: self.vector(self.m[: self.dimension]))
    x = property(lambda self: self.m[0])
    y = property(lambda self: self.m[1])
    velocity = property(lambda self: self.vector(self.rates[: self.dimension]))
    """The velocity of the point: for forces and velocity-level (nonholonomic) rows."""
    velocity_at: ClassVar[Callable]
    """(point): the velocity of the marker's body there."""

    axes: ClassVar[property]
    """The axes of the frame, as many as there are dimensions."""
    guide: ClassVar[property]
    """The direction in which a straight guide leads."""
    across: ClassVar[property]
    """The directions at right angles to the guide."""
    turn: ClassVar[property]
    """How far it has turned, counting past 2π; in space about its own axis, added up."""
    omega: ClassVar[property]
    """The angular velocity, a vector in space: for forces and velocity-level (nonholonomic) rows."""
    m_rates: ClassVar[property]
    """ṁ = F(m) r."""

    turn_to: ClassVar[Callable]
    turned_by: ClassVar[Callable]
    axis_offsets: ClassVar[Callable]
    frame_offsets: ClassVar[Callable]
    """(other): what `primitives` call `turn`, `turned_by`, `parallel` and `unturned`."""


def reference_turn(first: str, second: str) -> sp.Symbol:
    """The angle from one marker to another about their axis in the reference placement, within (-π, π]: a constant of
    every instance, from which turns are counted."""
    return sp.Symbol(f"turn_{first}_{second}", real=True)


def variables(markers: Sequence[FormMarker]) -> tuple[list[Any], list[Any]]:
    """The m and the rates of all markers, one after the other."""
    return [s for marker in markers for s in marker.m], [s for marker in markers for s in marker.rates]


def rate_of(value: sp.Expr, markers: Sequence[FormMarker]) -> sp.Expr:
    """The rate of an expression of marker variables; what time itself changes is not in it."""
    pairs = ((s, rate) for marker in markers for s, rate in zip(marker.m, marker.m_rates, strict=True))
    free = value.free_symbols
    return sp.Add(*(value.diff(s) * rate for s, rate in pairs if s in free))
