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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ..errors import ModelError
from .markers import PlanarMarker, t

Definition = tuple[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Relation:
    """Equations between markers, in no coordinates: rows of Φ(m, t), then rows of ψ(m, ṁ, t)."""

    markers: tuple[PlanarMarker, ...]
    phi: tuple[sp.Expr, ...]
    psi: tuple[sp.Expr, ...] = ()
    slots: tuple[sp.Symbol, ...] = ()
    """The constants of the relation, filled with numbers one instance at a time."""

    @property
    def size(self) -> int:
        return len(self.phi) + len(self.psi)


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
class Equations:
    """What a relation becomes in coordinates. The outputs are written in marker symbols;
    `definitions` say what these are in terms of q, v and slots."""

    q: tuple[sp.Symbol, ...]
    v: tuple[sp.Symbol, ...]
    slots: tuple[sp.Symbol, ...]
    definitions: tuple[Definition, ...]
    phi: tuple[sp.Expr, ...]
    jacobian: tuple[tuple[int, int, sp.Expr], ...]
    """The entries (row, column, expression) of Φ_v that are not identically zero."""
    nu: tuple[sp.Expr, ...]
    gamma: tuple[sp.Expr, ...]

    def explicit(self, expressions: Sequence[sp.Expr]) -> list[sp.Expr]:
        """The expressions with all definitions put in: functions of q, v, slots and t alone."""
        inlined: dict[sp.Symbol, sp.Expr] = {}
        for symbol, value in self.definitions:
            inlined[symbol] = sp.sympify(value).xreplace(inlined)
        return [sp.sympify(e).xreplace(inlined) for e in expressions]


def compose(relation: Relation, maps: Sequence[MarkerMap]) -> Equations:
    """Differentiate the relation and put the coordinates of its markers in."""
    m = [s for marker in relation.markers for s in marker.m]
    rates = [s for marker in relation.markers for s in marker.rates]
    biases = [sp.Symbol(f"dd{s.name}", real=True) for s in m]

    phi = sp.Matrix(relation.phi) if relation.phi else sp.zeros(0, 1)
    psi_of_phi = phi.jacobian(m) * sp.Matrix(rates) + phi.diff(t) if relation.phi else phi
    psi = sp.Matrix([*psi_of_phi, *relation.psi])
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
        q=tuple(s for mp in maps for s in mp.q),
        v=tuple(s for mp in maps for s in mp.v),
        slots=(*relation.slots, *(s for mp in maps for s in mp.slots)),
        definitions=tuple(
            definition
            for marker, mp in zip(relation.markers, maps, strict=True)
            for definition in _definitions(marker, mp)
        ),
        phi=relation.phi,
        jacobian=tuple(jacobian),
        nu=tuple(nu),
        gamma=tuple(gamma),
    )


def _definitions(marker: PlanarMarker, mp: MarkerMap) -> list[Definition]:
    biases = [sp.Symbol(f"dd{s.name}", real=True) for s in marker.m]
    return [
        *zip(marker.m, mp.values, strict=True),
        *zip(marker.rates, mp.P * sp.Matrix(mp.v), strict=True),
        *zip(biases, mp.bias, strict=True),
    ]
