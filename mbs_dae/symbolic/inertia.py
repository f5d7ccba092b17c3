"""The inertia of a body in coordinates: M, the forces of weight and of motion, and both energies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from .derive import Composed


@dataclass(frozen=True)
class Inertia(Composed):
    """M v̇ = Q + other forces, T and U of one body; all in q, v and slots alone."""

    mass: tuple[tuple[int, int, sp.Expr], ...]
    """The entries (row, column, expression) of M's lower triangle that are not identically zero."""
    forces: tuple[tuple[int, sp.Expr], ...]
    """The entries (column, expression) of Q: weight, and what velocities make of inertia."""
    potential: sp.Expr
    kinetic: sp.Expr

    @property
    def layout(self) -> dict[str, Any]:
        return {"mass": tuple((r, c) for r, c, _ in self.mass), "forces": tuple(c for c, _ in self.forces)}
