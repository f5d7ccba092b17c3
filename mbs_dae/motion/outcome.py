"""The result of a motion whose forces are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled import System
from ..poses.newton import dependent_rows
from ..readings.motion import own_motion, result_of
from ..readings.rank import least
from ..readings.reactions import ComputedReactions
from ..results.energy import ledger
from ..results.result import Result
from ..tolerances import DEPENDENT
from .derivative import WORK, mechanism, solve_motion
from .march import Record


def dynamic_result(system: System, record: Record, done: int, **more: Any) -> Result:
    """The result of the first `done` recorded times."""
    t, q, v, a = (getattr(record, name)[:done].copy() for name in ("times", "q", "v", "a"))
    multipliers, energies = record.multipliers[:done].copy(), record.energies[:done].copy()
    bodies = system.cartesian
    own = own_motion(system, q, v, a)
    redundant = int(more["stats"]["redundant_equations"])
    if bodies is not system:
        q, v, a = system.to_bodies((q, v, a))
        multipliers, redundant = _joint_forces(bodies, t, q, v)
    return with_forces(bodies, t, q, v, a, multipliers, energies, redundant, own=own, **more)


def _joint_forces(bodies: System, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, int]:
    """The multipliers of all joints, those included that cost the run no equation: Newton and Euler for every body, at
    each recorded state. And how many are redundant."""
    multipliers, rates = np.zeros((t.size, len(bodies.rows))), np.zeros((t.size, 2 + WORK))
    run = mechanism(bodies, refinements=2)
    solve_motion(run, t, q, v, multipliers, rates)
    return multipliers, dependent_rows(run.machine, DEPENDENT) if t.size else 0


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
