"""From a relation between markers, and coordinates for the markers, to Φ, Φ_v, ν and γ.

With m(q) the variables of markers and r their rates (`markers.base`: ṁ = F(m) r),

    r = P(q) v,     ṙ = P v̇ + b,     b = Ṗ v.

A position relation Φ(m, t) = 0 holds at all times, so ψ = Φ̇ = Φ_m F r + Φ_t = 0. A velocity relation
(rolling, a knife edge) is a ψ(m, r, t) = 0 to begin with. From ψ on, both are one case. ψ is linear in r:

    ψ = A r + c           A = ∂ψ/∂r
    Φ_v = A P             ν = −c                      so that  Φ_v v = ν
    ψ̇ = A (P v̇ + b) + ψ_m F r + ψ_t = 0
    γ = −(A b + ψ_m F r + ψ_t)                        so that  Φ_v v̇ = γ

For ψ = Φ̇ this is the textbook's γ = −((Φ_q q̇)_q q̇ + 2 Φ_qt q̇ + Φ_tt).

Stages: `Relation` + one `MarkerMap` per marker  ->  `compose`  ->  `Equations` (definitions, then outputs).

What bodies feel (`loads`) and what is read of a motion (`Reading`) go the same way: a form in marker symbols, composed
with maps, becomes a `Composed`, and that becomes a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import Any, Protocol

import sympy as sp

from ..errors import ModelError
from .functions import as_sympy
from .jets import Definition, differentiate
from .markers import LABELS, FormMarker, rate_of, reference_turn, t, variables


class Form(Protocol):
    """Something said of markers, in no coordinates: a relation, a load, a reading."""

    @property
    def markers(self) -> tuple[FormMarker, ...]: ...
    @property
    def slots(self) -> tuple[sp.Symbol, ...]:
        """Its constants, filled with numbers one instance at a time."""
        ...

    @property
    def own_symbols(self) -> set[sp.Symbol]:
        """All other symbols that it gives a meaning: those of markers, and those that it defines."""
        ...

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """All that is said."""
        ...

    @property
    def meaning(self) -> str:
        """All that its kernel depends on besides the coordinates, as text."""
        ...

    def compose(self, maps: Sequence[MarkerMap]) -> Composed:
        """The form in the coordinates of its markers."""
        ...


@dataclass(frozen=True)
class Led:
    """A marker on no body, that follows a trajectory: m as functions of time."""

    marker: FormMarker
    values: tuple[sp.Expr, ...]


@dataclass(frozen=True)
class Relation:
    """Equations between markers, in no coordinates: rows of Φ(m, t), then rows of ψ(m, r, t)."""

    markers: tuple[FormMarker, ...]
    phi: tuple[sp.Expr, ...]
    psi: tuple[sp.Expr, ...] = ()
    slots: tuple[sp.Symbol, ...] = ()
    led: tuple[Led, ...] = ()

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        return (*self.phi, *self.psi, *(e for led in self.led for e in led.values))

    @property
    def everyone(self) -> tuple[FormMarker, ...]:
        """All markers, those led along included."""
        return (*self.markers, *(led.marker for led in self.led))

    @property
    def own_symbols(self) -> set[sp.Symbol]:
        return symbols_of(self.everyone)

    @property
    def size(self) -> int:
        return len(self.phi) + len(self.psi)

    def only(self, rows: Sequence[int]) -> Relation:
        """The relation of these rows alone."""
        if len(rows) == self.size:
            return self
        phi = tuple(e for k, e in enumerate(self.phi) if k in rows)
        psi = tuple(e for k, e in enumerate(self.psi, len(self.phi)) if k in rows)
        return replace(self, phi=phi, psi=psi)

    @cached_property
    def velocity_rows(self) -> sp.Matrix:
        """All rows as ψ: those of Φ̇, then those that were ψ to begin with."""
        return sp.Matrix([*(rate_of(e, self.everyone) + e.diff(t) for e in self.phi), *self.psi])

    @cached_property
    def meaning(self) -> str:
        return f"relation {len(self.markers)} {len(self.phi)} {len(self.psi)} {in_text(self.expressions)}"

    def compose(self, maps: Sequence[MarkerMap]) -> Equations:
        return compose(self, maps)


@dataclass(frozen=True)
class Reading:
    """Values to be read of markers: expressions of m, r and t."""

    markers: tuple[FormMarker, ...]
    values: tuple[sp.Expr, ...]
    slots: tuple[sp.Symbol, ...] = ()
    led: tuple[Led, ...] = ()
    steps: tuple[Definition, ...] = ()

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        return (*self.values, *(e for led in self.led for e in led.values), *(e for _, e in self.steps))

    @property
    def own_symbols(self) -> set[sp.Symbol]:
        return symbols_of((*self.markers, *(led.marker for led in self.led))) | {s for s, _ in self.steps}

    @cached_property
    def meaning(self) -> str:
        return f"reading {len(self.markers)} {len(self.values)} {in_text(self.expressions)}"

    def compose(self, maps: Sequence[MarkerMap]) -> Readings:
        where = in_coordinates(self.markers, maps, self.slots, self.led, self.steps)
        return Readings(**where, values=self.values)


@dataclass(frozen=True)
class MarkerMap:
    """How one marker follows from coordinates: m(q; slots), r = P v and ṙ = P v̇ + bias."""

    q: tuple[sp.Symbol, ...]
    v: tuple[sp.Symbol, ...]
    slots: tuple[sp.Symbol, ...]
    values: tuple[sp.Expr, ...]
    P: sp.Matrix
    bias: sp.Matrix
    steps: tuple[Definition, ...] = ()
    """What the others are written with: symbols defined by q, v, slots and by the steps before."""


@dataclass(frozen=True)
class Composed:
    """Outputs written in marker symbols; `definitions` say what these are in terms of q, v and slots."""

    q: tuple[sp.Symbol, ...]
    v: tuple[sp.Symbol, ...]
    slots: tuple[sp.Symbol, ...]
    definitions: tuple[Definition, ...]

    @property
    def outputs(self) -> tuple[sp.Expr, ...]:
        """What the kernel computes, in this order."""
        raise NotImplementedError

    @property
    def layout(self) -> dict[str, Any]:
        """What each output is, in plain Python: it is written into the kernel's module."""
        raise NotImplementedError

    def explicit(self, expressions: Sequence[sp.Expr]) -> list[sp.Expr]:
        """The expressions with all definitions put in: functions of q, v, slots and t alone."""
        inlined: dict[sp.Symbol, sp.Expr] = {}
        for symbol, value in self.definitions:
            inlined[symbol] = as_sympy(value).xreplace(inlined)
        return [as_sympy(e).xreplace(inlined) for e in expressions]


@dataclass(frozen=True)
class Equations(Composed):
    """What a relation becomes in coordinates."""

    phi: tuple[sp.Expr, ...]
    jacobian: tuple[tuple[int, int, sp.Expr], ...]
    """The entries (row, column, expression) of Φ_v that are not identically zero."""
    nu: tuple[sp.Expr, ...]
    gamma: tuple[sp.Expr, ...]

    @property
    def outputs(self) -> tuple[sp.Expr, ...]:
        return (*self.phi, *(e for _, _, e in self.jacobian), *self.nu, *self.gamma)

    @property
    def layout(self) -> dict[str, Any]:
        return {
            "phi": len(self.phi),
            "rows": len(self.nu),
            "jacobian": tuple((row, column) for row, column, _ in self.jacobian),
        }


@dataclass(frozen=True)
class Readings(Composed):
    """What a reading becomes in coordinates."""

    values: tuple[sp.Expr, ...]

    @property
    def outputs(self) -> tuple[sp.Expr, ...]:
        return self.values

    @property
    def layout(self) -> dict[str, Any]:
        return {"values": len(self.values)}


def compose(relation: Relation, maps: Sequence[MarkerMap]) -> Equations:
    """Differentiate the relation and put the coordinates of its markers in."""
    _, rates = variables(relation.markers)
    jets = differentiate(relation.phi, relation.psi, relation.markers, [led.marker for led in relation.led])
    if jets.A.has(*rates):
        raise ModelError("a velocity-level equation must be linear in the velocities; rewrite psi")

    # Φ_v = A P, marker by marker: each marker owns its own block of columns.
    jacobian, column, first = [], 0, 0
    for marker, mp in zip(relation.markers, maps, strict=True):
        block = jets.A[:, first : first + len(marker.rates)] * mp.P
        jacobian += [(r, column + c, e) for (r, c), e in sorted(block.todok().items())]
        column += len(mp.v)
        first += len(marker.rates)
    jacobian.sort(key=lambda entry: entry[:2])

    composed = in_coordinates(relation.markers, maps, relation.slots, relation.led, jets.steps)
    return Equations(**composed, phi=jets.phi, jacobian=tuple(jacobian), nu=jets.nu, gamma=jets.gamma)


def symbols_of(markers: Sequence[FormMarker]) -> set[sp.Symbol]:
    m, rates = variables(markers)
    return {*m, *rates}


def in_text(expressions: Sequence[sp.Expr]) -> str:
    return " ; ".join(sp.srepr(e) for e in expressions)


def in_coordinates(
    markers: Sequence[FormMarker],
    maps: Sequence[MarkerMap],
    slots: tuple[sp.Symbol, ...],
    led: Sequence[Led] = (),
    steps: Sequence[Definition] = (),
) -> dict[str, Any]:
    """What every `Composed` has: the coordinates of the markers, all slots, and the marker variables defined."""
    pairs = [*zip(markers, maps, strict=True)]
    definitions = [definition for marker, mp in pairs for definition in _definitions(marker, mp)]
    definitions += [definition for one in led for definition in one.marker.along(one.values)]
    return {
        "q": tuple(s for mp in maps for s in mp.q),
        "v": tuple(s for mp in maps for s in mp.v),
        "slots": (*slots, *(s for mp in maps for s in mp.slots), *_reference_turns(len(markers))),
        "definitions": (*definitions, *steps),
    }


def _reference_turns(count: int) -> list[sp.Symbol]:
    return [reference_turn(*pair) for pair in permutations(LABELS[:count], 2)]


def _definitions(marker: FormMarker, mp: MarkerMap) -> list[Definition]:
    return [
        *mp.steps,
        *zip(marker.m, mp.values, strict=True),
        *zip(marker.rates, mp.P * sp.Matrix(mp.v), strict=True),
        *zip(marker.biases, mp.bias, strict=True),
    ]
