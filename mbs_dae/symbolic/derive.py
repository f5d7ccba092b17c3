"""Equations Φ, Φ_v, ν and γ from a relation between markers, and coordinates for the markers.

With m(q) the variables of markers and r their rates (`markers.marker`: ṁ = F(m) r),

    r = P(q) v,     ṙ = P v̇ + b,     b = Ṗ v.

A position relation Φ(m, t) = 0 holds at all times, so ψ = Φ̇ = Φ_m F r + Φ_t = 0. A velocity relation (rolling, a knife
edge) is a ψ(m, r, t) = 0 to begin with. From ψ on, both are one case. ψ is linear in r:

    ψ = A r + c           A = ∂ψ/∂r
    Φ_v = A P             ν = −c                      so that  Φ_v v = ν
    ψ̇ = A (P v̇ + b) + ψ_m F r + ψ_t = 0
    γ = −(A b + ψ_m F r + ψ_t)                        so that  Φ_v v̇ = γ

For ψ = Φ̇ this is the textbook's γ = −((Φ_q q̇)_q q̇ + 2 Φ_qt q̇ + Φ_tt).

Stages: `Relation` + one `MarkerMap` per marker -> `compose` -> `Equations` (definitions, then outputs). Loads on bodies
(`loads`) and readings of a motion (`Reading`) go the same way: a form in marker symbols, composed with maps, becomes a
`Composed`, and a kernel is compiled from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import permutations
from typing import Any, ClassVar, Self

import sympy as sp

from ..errors import ModelError
from .differentiation import Definition, differentiate
from .functions import as_sympy
from .markers import LABELS, FormMarker, reference_turn, variables


@dataclass(frozen=True)
class MarkerMotion:
    """A marker on no body: its variables m as functions of time."""

    marker: FormMarker
    values: tuple[sp.Expr, ...]


@dataclass(frozen=True)
class Form:
    """Expressions in marker symbols, without coordinates: a relation, a load, a reading."""

    markers: tuple[FormMarker, ...]
    slots: tuple[sp.Symbol, ...] = field(default=(), kw_only=True)
    """Its constants, filled with numbers for each instance."""
    trajectories: tuple[MarkerMotion, ...] = field(default=(), kw_only=True)
    steps: tuple[Definition, ...] = field(default=(), kw_only=True)
    """Definitions of auxiliary symbols that the other expressions use."""
    signals: tuple[sp.Symbol, ...] = field(default=(), kw_only=True)
    """Numbers that change in time and belong to no marker: states, inputs. The slots of an instance say which ones."""

    shape: ClassVar[property]
    """The kind of the form, and the division of its rows."""
    rows: ClassVar[property]
    """Its own expressions."""
    compose: ClassVar[Callable[..., Composed]]
    """(maps): the form in the coordinates of its markers."""

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """All expressions: its rows, the trajectories, the steps."""
        return (*self.rows, *(e for one in self.trajectories for e in one.values), *(e for _, e in self.steps))

    @property
    def own_symbols(self) -> set[sp.Symbol]:
        """All symbols, except slots, to which the form gives a meaning: those of markers, signals, and those that it
        defines."""
        m, rates = variables((*self.markers, *(one.marker for one in self.trajectories)))
        return {*m, *rates, *self.signals, *(s for s, _ in self.steps)}

    def map(self, change: Callable[[sp.Expr], sp.Expr], **others: Any) -> Self:
        """Return the form with every expression changed."""
        trajectories = tuple(MarkerMotion(one.marker, tuple(map(change, one.values))) for one in self.trajectories)
        steps = tuple((s, change(e)) for s, e in self.steps)
        return replace(self, trajectories=trajectories, steps=steps, **others)

    @cached_property
    def meaning(self) -> str:
        """A text of everything except the coordinates on which its kernel depends; terms stand in the order of
        sympy."""
        return f"{' '.join(map(str, self.shape))} {' ; '.join(sp.srepr(e, order='none') for e in self.expressions)}"

    def in_coordinates(self, maps: Sequence[MarkerMap]) -> dict[str, Any]:
        """Return the common fields of every `Composed`: the coordinates of the markers with the signals behind them,
        all slots, and the definitions of the marker variables."""
        pairs = [*zip(self.markers, maps, strict=True)]
        defined = (definition for marker, mp in pairs for definition in mp.define(marker))
        led = (definition for one in self.trajectories for definition in one.marker.along(one.values))
        turns = (reference_turn(*pair) for pair in permutations(LABELS[: len(self.markers)], 2))
        return {
            "q": (*(s for mp in maps for s in mp.q), *self.signals),
            "v": tuple(s for mp in maps for s in mp.v),
            "slots": (*self.slots, *(s for mp in maps for s in mp.slots), *turns),
            "definitions": (*defined, *led, *self.steps),
            "rates": (*(e for mp in maps for e in mp.rates or mp.v), *(sp.S.Zero for _ in self.signals)),
        }


@dataclass(frozen=True)
class Relation(Form):
    """Equations between markers: rows of Φ(m, t), then rows of ψ(m, r, t)."""

    phi: tuple[sp.Expr, ...]
    psi: tuple[sp.Expr, ...] = ()

    @property
    def shape(self) -> tuple[Any, ...]:
        return "relation", len(self.markers), len(self.phi), len(self.psi)

    @property
    def rows(self) -> tuple[sp.Expr, ...]:
        return (*self.phi, *self.psi)

    @property
    def size(self) -> int:
        return len(self.rows)

    def only(self, rows: Sequence[int]) -> Relation:
        """Return the relation of these rows alone."""
        if len(rows) == self.size:
            return self
        phi = tuple(e for k, e in enumerate(self.phi) if k in rows)
        psi = tuple(e for k, e in enumerate(self.psi, len(self.phi)) if k in rows)
        return replace(self, phi=phi, psi=psi)

    def map(self, change: Callable[[sp.Expr], sp.Expr], **others: Any) -> Self:
        return super().map(change, phi=tuple(map(change, self.phi)), psi=tuple(map(change, self.psi)), **others)

    def compose(self, maps: Sequence[MarkerMap]) -> Equations:
        """Return the differentiated relation in the coordinates of its markers."""
        derivatives = differentiate(self.phi, self.psi, self.markers, [one.marker for one in self.trajectories])
        if derivatives.A.has(*variables(self.markers)[1]):
            raise ModelError(
                "a velocity-level equation must be linear in the velocities; rewrite psi",
                code="not-linear-in-velocities", psi=self.psi,
            )  # fmt: skip
        composed = replace(self, steps=derivatives.steps).in_coordinates(maps)
        jacobian = by_velocities(derivatives.A, maps)
        return Equations(**composed, phi=derivatives.phi, jacobian=jacobian, nu=derivatives.nu, gamma=derivatives.gamma)


@dataclass(frozen=True)
class Reading(Form):
    """Values to be read from markers: expressions of m, r and t."""

    values: tuple[sp.Expr, ...]

    @property
    def shape(self) -> tuple[Any, ...]:
        return "reading", len(self.markers), len(self.values)

    @property
    def rows(self) -> tuple[sp.Expr, ...]:
        return self.values

    def map(self, change: Callable[[sp.Expr], sp.Expr], **others: Any) -> Self:
        return super().map(change, values=tuple(map(change, self.values)), **others)

    def compose(self, maps: Sequence[MarkerMap]) -> Readings:
        return Readings(**self.in_coordinates(maps), values=self.values)


@dataclass(frozen=True)
class MarkerMap:
    """The map from coordinates to one marker: m(q; slots), r = P v and ṙ = P v̇ + bias."""

    q: tuple[sp.Symbol, ...]
    v: tuple[sp.Symbol, ...]
    slots: tuple[sp.Symbol, ...]
    values: tuple[sp.Expr, ...]
    P: sp.Matrix
    bias: sp.Matrix
    steps: tuple[Definition, ...] = ()
    """Definitions of auxiliary symbols of the other fields, by q, v, slots and the steps before."""
    rates: tuple[sp.Expr, ...] = ()
    """q̇; if empty, q̇ = v."""

    def define(self, marker: FormMarker) -> list[Definition]:
        """Return the definitions of the symbols of a marker, in coordinates."""
        return [
            *self.steps,
            *zip(marker.m, self.values, strict=True),
            *zip(marker.rates, self.P * sp.Matrix(self.v), strict=True),
            *zip(marker.biases, self.bias, strict=True),
        ]


def by_velocities(A: sp.Matrix, maps: Sequence[MarkerMap]) -> tuple[tuple[int, int, sp.Expr], ...]:
    """Return the entries (row, column, expression) of A P that are not zero; every marker owns a block of columns."""
    entries, column, first = [], 0, 0
    for mp in maps:
        block = A[:, first : first + mp.P.rows] * mp.P
        entries += [(r, column + c, e) for (r, c), e in block.todok().items()]
        column += mp.P.cols
        first += mp.P.rows
    return tuple(sorted(entries, key=lambda entry: entry[:2]))


@dataclass(frozen=True)
class Composed:
    """Outputs written in marker symbols; `definitions` define these symbols by q, v and slots."""

    q: tuple[sp.Symbol, ...]
    v: tuple[sp.Symbol, ...]
    slots: tuple[sp.Symbol, ...]
    definitions: tuple[Definition, ...]
    rates: tuple[sp.Expr, ...] = field(default=(), kw_only=True)
    """q̇, by q, v and defined symbols; if empty, q̇ = v."""

    layout: ClassVar[property]
    """The kind of each output, in plain Python: it is written into the kernel's module."""
    row_of: ClassVar[Any] = ()
    """The row of each output, if outputs belong to rows."""

    @property
    def outputs(self) -> tuple[sp.Expr, ...]:
        """The expressions that the kernel computes: those of the fields of its class, one after the other. Entries with
        a place are (row, column, expression)."""
        parts = (getattr(self, one.name) for one in fields(self)[len(fields(Composed)) :])
        items = (item for part in parts for item in (part if isinstance(part, tuple) else (part,)))
        return tuple(item[-1] if isinstance(item, tuple) else item for item in items)

    def explicit(self, expressions: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Return the expressions with all definitions inserted: functions of q, v, slots and t alone."""
        inlined: dict[sp.Symbol, sp.Expr] = {}
        for symbol, value in self.definitions:
            inlined[symbol] = as_sympy(value).xreplace(inlined)
        return [as_sympy(e).xreplace(inlined) for e in expressions]


@dataclass(frozen=True)
class Equations(Composed):
    """A relation in coordinates."""

    phi: tuple[sp.Expr, ...]
    jacobian: tuple[tuple[int, int, sp.Expr], ...]
    """The entries (row, column, expression) of Φ_v that are not identically zero."""
    nu: tuple[sp.Expr, ...]
    gamma: tuple[sp.Expr, ...]

    @property
    def layout(self) -> dict[str, Any]:
        return {
            "phi": len(self.phi),
            "rows": len(self.nu),
            "jacobian": tuple((row, column) for row, column, _ in self.jacobian),
        }

    @property
    def row_of(self) -> tuple[int, ...]:
        every = tuple(range(len(self.nu)))
        return *range(len(self.phi)), *(row for row, _, _ in self.jacobian), *every, *every


@dataclass(frozen=True)
class Readings(Composed):
    """A reading in coordinates."""

    values: tuple[sp.Expr, ...]

    @property
    def layout(self) -> dict[str, Any]:
        return {"values": len(self.values)}


@dataclass(frozen=True)
class Inertia(Composed):
    """M v̇ = Q + other forces, T and U of one body; all in q, v and slots alone."""

    mass: tuple[tuple[int, int, sp.Expr], ...]
    """The entries (row, column, expression) of M's lower triangle that are not identically zero."""
    forces: tuple[tuple[int, sp.Expr], ...]
    """The entries (column, expression) of Q: weight, and the inertial forces that depend on velocities."""
    potential: sp.Expr
    kinetic: sp.Expr

    @property
    def layout(self) -> dict[str, Any]:
        return {"mass": tuple((r, c) for r, c, _ in self.mass), "forces": tuple(c for c, _ in self.forces)}
