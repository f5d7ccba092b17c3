"""The generic solutions of a model's structure, computed once and stored with the structure."""

from __future__ import annotations

import numpy as np

from ..compiled import System
from .equations.closure import Closure, closure_of
from .generic import Generic, generic_of


def generic_kept(system: System, time: float, seed: int) -> tuple[Closure, Generic]:
    """Return the equations of a model, and all solutions of a generic member of its family. The generic member serves
    other values of parameters and drivers, as long as directions and coinciding points of bodies stay."""
    closure = closure_of(system, time)
    fixed = np.ones(closure.count, dtype=bool)
    fixed[[place for at in closure.places.values() for place in at]] = False
    together = tuple(tuple(at) for at in closure.places.values())
    key = ("modes", seed, together, tuple(closure.values[fixed].round(12)))
    return closure, system.structure.kept(key, lambda: generic_of(closure, seed))
