"""What bodies feel through markers: from a potential and forces on markers to Q, energy and powers.

What acts on a marker is dual to its rates: a force at the point and a moment f, of the power f · r. With r = P(q) v
it enters the equations of motion as

    Q = Pᵀ f,        f = Σ forces - ∂U̇/∂r,

so whoever says a force says nothing of coordinates. What becomes of a force's work is kept apart, for the energy
ledger: work that is stored without a potential in closed form, dissipated, or supplied from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from ..errors import ModelError
from .derive import Composed, Definition, MarkerMap, Reading, Relation, in_coordinates, in_text, symbols_of
from .markers import FormMarker, rate_of, t, variables

WORKS = ("stored", "dissipated", "supplied")
"""What becomes of the work of a force that has no potential."""
OF_POTENTIAL = "potential"
"""For forces that are said beside the potential they belong to: it accounts for their work."""


@dataclass(frozen=True)
class Load:
    """A potential U(m, t) and forces f(m, r, t), in no coordinates."""

    markers: tuple[FormMarker, ...]
    potential: sp.Expr = sp.S.Zero
    forces: tuple[tuple[str, tuple[sp.Expr, ...]], ...] = ()
    """(what becomes of the work, force and moment on each marker one after the other)."""
    slots: tuple[sp.Symbol, ...] = ()
    effort: sp.Expr = sp.S.Zero
    """Where all this is one effort along one coordinate: the effort, to be read."""
    steps: tuple[Definition, ...] = ()
    """What the others are written with. A potential that is written with steps has its forces said beside it."""

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        return (self.potential, self.effort, *(e for _, f in self.forces for e in f), *(e for _, e in self.steps))

    @property
    def own_symbols(self) -> set[sp.Symbol]:
        return symbols_of(self.markers) | {s for s, _ in self.steps}

    def __post_init__(self) -> None:
        named = self.potential.has(*(s for s, _ in self.steps)) if self.steps else False
        if named and OF_POTENTIAL not in dict(self.forces):
            raise ModelError("a potential that is written with steps has no forces of its own; say them beside it")

    def rewritten(self, expressions: Sequence[sp.Expr], slots: tuple[sp.Symbol, ...]) -> Load:
        """The same load with these for its `expressions`."""
        potential, effort, *components = expressions
        size = sum(len(marker.rates) for marker in self.markers)
        forces = tuple(
            (work, tuple(components[k * size : (k + 1) * size])) for k, (work, _) in enumerate(self.forces)
        )
        named = components[len(forces) * size :]
        steps = tuple((symbol, e) for (symbol, _), e in zip(self.steps, named, strict=True))
        return replace(self, potential=potential, forces=forces, slots=slots, effort=effort, steps=steps)

    @cached_property
    def total(self) -> tuple[sp.Expr, ...]:
        """All of f, that of the potential included."""
        _, rates = variables(self.markers)
        stored = rate_of(self.potential, self.markers)
        return tuple(-stored.diff(r) + sp.Add(*(f[k] for _, f in self.forces)) for k, r in enumerate(rates))

    @cached_property
    def meaning(self) -> str:
        parts = " | ".join(f"{work} {in_text(f)}" for work, f in self.forces)
        steps = in_text([e for _, e in self.steps])
        return f"load {len(self.markers)} {in_text([self.potential])} | {parts}" + (f" | {steps}" if steps else "")

    def compose(self, maps: Sequence[MarkerMap]) -> LoadEquations:
        _, rates = variables(self.markers)
        forces, first = [], 0
        column = 0
        for marker, mp in zip(self.markers, maps, strict=True):
            own = sp.Matrix(self.total[first : first + len(marker.rates)])
            forces += [(column + c, e) for c, e in enumerate(mp.P.T * own) if e != 0]
            first += len(marker.rates)
            column += len(mp.v)
        powers = [
            (work, sp.Add(*(f * rate for f, rate in zip(fs, rates, strict=True))))
            for work, fs in self.forces
            if work != OF_POTENTIAL
        ]
        if (growth := self.potential.diff(t)) != 0:  # whoever changes a potential from outside gives its energy
            powers.append(("supplied", growth))
        return LoadEquations(
            **in_coordinates(self.markers, maps, self.slots, steps=self.steps),
            potential=self.potential,
            forces=tuple(forces),
            powers=tuple(powers),
        )

    @cached_property
    def wrenches(self) -> Reading:
        """The force and moment on every marker's body, about the marker, in world axes."""
        return Reading(self.markers, self.total, self.slots, steps=self.steps)


@dataclass(frozen=True)
class LoadEquations(Composed):
    """What a load becomes in coordinates."""

    potential: sp.Expr
    forces: tuple[tuple[int, sp.Expr], ...]
    """The entries (column, expression) of Q."""
    powers: tuple[tuple[str, sp.Expr], ...]

    @property
    def outputs(self) -> tuple[sp.Expr, ...]:
        return (*(e for _, e in self.forces), self.potential, *(e for _, e in self.powers))

    @property
    def layout(self) -> dict[str, Any]:
        return {"forces": tuple(c for c, _ in self.forces), "powers": tuple(work for work, _ in self.powers)}


def joint_wrenches(relation: Relation) -> Reading:
    """Row by row and marker by marker, the force and moment on the marker's body when the row's multiplier is 1.

    The equations of a joint act on the system by -Φ_vᵀ λ = -Pᵀ (∂ψ/∂r)ᵀ λ: on its markers by -(∂ψ/∂r)ᵀ λ.
    """
    _, rates = variables(relation.markers)
    return Reading(relation.markers, tuple(-relation.velocity_rows.jacobian(rates)), relation.slots, relation.led)
