"""The result of a motion whose forces are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..integration.march import Record
from ..system import System
from .energy import ledger
from .rank import least
from .reactions import ComputedReactions
from .result import Result, result_of


def dynamic_result(system: System, record: Record, done: int, redundant: int, **more: Any) -> Result:
    """The result of the first `done` recorded times."""
    t, q, v, a = (getattr(record, name)[:done].copy() for name in ("times", "q", "v", "a"))
    multipliers, energies = record.multipliers[:done].copy(), record.energies[:done].copy()
    return with_forces(system, t, q, v, a, multipliers, energies, redundant, **more)


def with_forces(
    system: System,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    multipliers: np.ndarray,
    energies: np.ndarray,
    redundant: int,
    **more: Any,
) -> Result:
    """The result of a motion with its multipliers and energies (kinetic, potential, stored, dissipated, supplied)."""
    if redundant:
        multipliers = least(system, t, q, multipliers, redundant)
    for array in (multipliers, energies):
        array.setflags(write=False)
    return result_of(
        system,
        t,
        q,
        v,
        a,
        multipliers=multipliers,
        reactions=ComputedReactions(system, t, q, v, multipliers, redundant),
        ledger=ledger(energies),
        **more,
    )
