"""From a relation between markers, and coordinates for the markers, to Φ, Φ_v, ν and γ.

With m(q) the marker variables, their rates and accelerations are

    ṁ = P(q) v,     m̈ = P v̇ + b,     b = Ṗ v.

A position relation Φ(m, t) = 0 holds at all times, so ψ = Φ̇ = Φ_m ṁ + Φ_t = 0. A velocity relation
(rolling, a knife edge) is a ψ(m, ṁ, t) = 0 to begin with. From ψ on, both are one case. ψ is linear in ṁ:

    ψ = A ṁ + c           A = ∂ψ/∂ṁ
    Φ_v = A P             ν = −c                      so that  Φ_v v = ν
    ψ̇ = A (P v̇ + b) + ψ_m ṁ + ψ_t = 0
    γ = −(A b + ψ_m ṁ + ψ_t)                          so that  Φ_v v̇ = γ

For ψ = Φ̇ this is the textbook's γ = −((Φ_q q̇)_q q̇ + 2 Φ_qt q̇ + Φ_tt).

Stages: `Relation` + one `MarkerMap` per marker  ->  `compose`  ->  `Equations` (definitions, then outputs).

What bodies feel (`loads`) and what is read of a motion (`Reading`) go the same way: a form in marker symbols, composed
with maps, becomes a `Composed`, and that becomes a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import sympy as sp

from ..errors import ModelError
from .markers import PlanarMarker, t

Definition = tuple[sp.Symbol, sp.Expr]


class Form(Protocol):
    """Something said of markers, in no coordinates: a relation, a load, a reading."""

    @property
    def markers(self) -> tuple[PlanarMarker, ...]: ...
    @property
    def slots(self) -> tuple[sp.Symbol, ...]:
        """Its constants, filled with numbers one instance at a time."""
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
class Relation:
    """Equations between markers, in no coordinates: rows of Φ(m, t), then rows of ψ(m, ṁ, t)."""

    markers: tuple[PlanarMarker, ...]
    phi: tuple[sp.Expr, ...]
    psi: tuple[sp.Expr, ...] = ()
    slots: tuple[sp.Symbol, ...] = ()

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        return (*self.phi, *self.psi)

    @property
    def size(self) -> int:
        return len(self.phi) + len(self.psi)

    @cached_property
    def velocity_rows(self) -> sp.Matrix:
        """All rows as ψ: Φ̇ = Φ_m ṁ + Φ_t, then those that were ψ to begin with."""
        m, rates = variables(self.markers)
        if not self.phi:
            return sp.Matrix(self.psi)
        phi = sp.Matrix(self.phi)
        return sp.Matrix([*(phi.jacobian(m) * sp.Matrix(rates) + phi.diff(t)), *self.psi])

    @cached_property
    def meaning(self) -> str:
        return f"relation {len(self.markers)} {len(self.phi)} {in_text(self.expressions)}"

    def compose(self, maps: Sequence[MarkerMap]) -> Equations:
        return compose(self, maps)


@dataclass(frozen=True)
class Reading:
    """Values to be read of markers: expressions of m, ṁ and t."""

    markers: tuple[PlanarMarker, ...]
    values: tuple[sp.Expr, ...]
    slots: tuple[sp.Symbol, ...] = ()

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        return self.values

    @cached_property
    def meaning(self) -> str:
        return f"reading {len(self.markers)} {in_text(self.values)}"

    def compose(self, maps: Sequence[MarkerMap]) -> Readings:
        return Readings(**in_coordinates(self.markers, maps, self.slots), values=self.values)


@dataclass(frozen=True)
class MarkerMap:
    """How one marker follows from coordinates: m(q; slots) and q̇ = N v."""

    q: tuple[sp.Symbol, ...]
    v: tuple[sp.Symbol, ...]
    slots: tuple[sp.Symbol, ...]
    values: tuple[sp.Expr, ...]
    N: sp.Matrix

    @cached_property
    def P(self) -> sp.Matrix:
        return sp.Matrix(self.values).jacobian(self.q) * self.N

    @cached_property
    def bias(self) -> sp.Matrix:
        """b = Ṗ v = ∂(P v)/∂q · N v."""
        v = sp.Matrix(self.v)
        return (self.P * v).jacobian(self.q) * self.N * v


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
            inlined[symbol] = sp.sympify(value).xreplace(inlined)
        return [sp.sympify(e).xreplace(inlined) for e in expressions]


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
    m, rates = variables(relation.markers)
    biases = [sp.Symbol(f"dd{s.name}", real=True) for s in m]
    psi = relation.velocity_rows
    A = psi.jacobian(rates)
    if A.has(*rates):
        raise ModelError("a velocity-level equation must be linear in the velocities; rewrite psi")
    still = dict.fromkeys(rates, sp.S.Zero)
    nu = [-e.xreplace(still) for e in psi]
    gamma = -(A * sp.Matrix(biases) + psi.jacobian(m) * sp.Matrix(rates) + psi.diff(t))

    # Φ_v = A P, marker by marker: each marker owns its own block of columns.
    jacobian, column, row_m = [], 0, 0
    for marker, mp in zip(relation.markers, maps, strict=True):
        block = A[:, row_m : row_m + len(marker.m)] * mp.P
        jacobian += [(r, column + c, e) for (r, c), e in sorted(block.todok().items())]
        column += len(mp.v)
        row_m += len(marker.m)
    jacobian.sort(key=lambda entry: entry[:2])

    return Equations(
        **in_coordinates(relation.markers, maps, relation.slots),
        phi=relation.phi,
        jacobian=tuple(jacobian),
        nu=tuple(nu),
        gamma=tuple(gamma),
    )


def variables(markers: Sequence[PlanarMarker]) -> tuple[list[sp.Symbol], list[sp.Symbol]]:
    """m and ṁ of all markers, one after the other."""
    return [s for marker in markers for s in marker.m], [s for marker in markers for s in marker.rates]


def in_text(expressions: Sequence[sp.Expr]) -> str:
    return " ; ".join(sp.srepr(e) for e in expressions)


def in_coordinates(
    markers: Sequence[PlanarMarker], maps: Sequence[MarkerMap], slots: tuple[sp.Symbol, ...]
) -> dict[str, Any]:
    """What every `Composed` has: the coordinates of the markers, all slots, and the marker variables defined."""
    pairs = [*zip(markers, maps, strict=True)]
    return {
        "q": tuple(s for mp in maps for s in mp.q),
        "v": tuple(s for mp in maps for s in mp.v),
        "slots": (*slots, *(s for mp in maps for s in mp.slots)),
        "definitions": tuple(definition for marker, mp in pairs for definition in _definitions(marker, mp)),
    }


def _definitions(marker: PlanarMarker, mp: MarkerMap) -> list[Definition]:
    biases = [sp.Symbol(f"dd{s.name}", real=True) for s in marker.m]
    return [
        *zip(marker.m, mp.values, strict=True),
        *zip(marker.rates, mp.P * sp.Matrix(mp.v), strict=True),
        *zip(biases, mp.bias, strict=True),
    ]
