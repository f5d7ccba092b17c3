"""Loads on bodies through markers: from a potential and forces on markers to Q, energy and powers.

A load on a marker is dual to its rates: a force at the point and a moment f, of the power f · r. With r = P(q) v it
enters the equations of motion as

    Q = Pᵀ f,        f = Σ forces - ∂U̇/∂r,

so a force is independent of coordinates. The kinds of work of a force are kept apart, for the energy ledger: work that
is stored without a potential in closed form, dissipated, or supplied from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self

import sympy as sp

from ..errors import ModelError
from .derive import Composed, Form, MarkerMap, Reading, Relation, by_velocities
from .markers import rate_of, t, variables

WORKS = ("stored", "dissipated", "supplied")
"""The kinds of work of a force without a potential."""
STORED, DISSIPATED, SUPPLIED = range(len(WORKS))
"""Their places among the works."""
OF_POTENTIAL = "potential"
"""The kind of work of forces that are given explicitly for a potential, which accounts for their work."""


@dataclass(frozen=True)
class Load(Form):
    """A potential U(m, t) and forces f(m, r, t). For a potential that is written with steps the forces are given
    explicitly."""

    potential: sp.Expr = sp.S.Zero
    forces: tuple[tuple[str, tuple[sp.Expr, ...]], ...] = ()
    """(kind of work, force and moment on each marker one after the other)."""
    effort: sp.Expr = sp.S.Zero
    """The effort, to be read, if the load is one effort along one coordinate."""

    def __post_init__(self) -> None:
        named = self.potential.has(*(s for s, _ in self.steps)) if self.steps else False
        if named and OF_POTENTIAL not in dict(self.forces):
            raise ModelError(
                "a potential that is written with steps has no forces of its own; give them beside it",
                code="potential-without-forces",
            )  # fmt: skip

    @property
    def shape(self) -> tuple[Any, ...]:
        return "load", len(self.markers), *(work for work, _ in self.forces)

    @property
    def rows(self) -> tuple[sp.Expr, ...]:
        return (self.potential, self.effort, *(e for _, f in self.forces for e in f))

    def map(self, change: Callable[[sp.Expr], sp.Expr], **others: Any) -> Self:
        forces = tuple((work, tuple(map(change, f))) for work, f in self.forces)
        energy, effort = change(self.potential), change(self.effort)
        return super().map(change, potential=energy, forces=forces, effort=effort, **others)

    @cached_property
    def total(self) -> tuple[sp.Expr, ...]:
        """All of f, the force of the potential included."""
        _, rates = variables(self.markers)
        stored = rate_of(self.potential, self.markers)
        return tuple(-stored.diff(r) + sp.Add(*(f[k] for _, f in self.forces)) for k, r in enumerate(rates))

    def compose(self, maps: Sequence[MarkerMap]) -> LoadEquations:
        _, rates = variables(self.markers)
        forces = tuple((column, e) for _, column, e in by_velocities(sp.Matrix([self.total]), maps))
        powers = [
            (work, sp.Add(*(f * rate for f, rate in zip(fs, rates, strict=True))))
            for work, fs in self.forces
            if work != OF_POTENTIAL
        ]
        if (growth := self.potential.diff(t)) != 0:  # an explicit change of a potential supplies its energy
            powers.append(("supplied", growth))
        where = self.in_coordinates(maps)
        return LoadEquations(**where, potential=self.potential, forces=forces, powers=tuple(powers))

    @cached_property
    def wrenches(self) -> Reading:
        """The force and moment on every marker's body, about the marker, in world axes."""
        return Reading(self.markers, self.total, slots=self.slots, steps=self.steps, signals=self.signals)


@dataclass(frozen=True)
class LoadEquations(Composed):
    """A load in coordinates."""

    forces: tuple[tuple[int, sp.Expr], ...]
    """The entries (column, expression) of Q."""
    potential: sp.Expr
    powers: tuple[tuple[str, sp.Expr], ...]

    @property
    def layout(self) -> dict[str, Any]:
        return {"forces": tuple(c for c, _ in self.forces), "powers": tuple(work for work, _ in self.powers)}


@lru_cache(maxsize=256)
def joint_wrenches(relation: Relation) -> Reading:
    """Return, row by row and marker by marker, the force and moment on the marker's body for a multiplier of 1.

    The equations of a joint act on the system by -Φ_vᵀ λ = -Pᵀ (∂ψ/∂r)ᵀ λ: on its markers by -(∂ψ/∂r)ᵀ λ.
    """
    _, rates = variables(relation.markers)
    psi = sp.Matrix([*(rate_of(e, relation.markers) for e in relation.phi), *relation.psi])
    components = tuple(-psi.jacobian(rates))
    return Reading(relation.markers, components, slots=relation.slots, trajectories=relation.trajectories)
