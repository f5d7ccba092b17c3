"""The result of a motion whose forces are known."""

from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.reading import Trajectory
from ..poses.newton import dependent_rows
from ..readings.motion import own_motion, result_of
from ..readings.rank import least
from ..readings.reactions import ComputedReactions
from ..results.quantities import frozen, ledger
from ..results.result import Result
from ..tolerances import DEPENDENT
from .derivative import WORK, mechanism, solve_motion
from .record import Record


def dynamic_result(system: System, record: Record, done: int, **more: Any) -> Result:
    """The result of the first `done` recorded times."""
    motion = Trajectory(record.times, record.q, record.v, record.a).until(done)
    multipliers, energies = record.multipliers[:done].copy(), record.energies[:done].copy()
    own, bodies, redundant = own_motion(system, motion), system.cartesian, int(more["stats"]["redundant_equations"])
    if bodies is not system:
        motion = system.of_bodies(motion)
        _, multipliers, _, redundant = forces_along(bodies, motion)
    return with_forces(bodies, motion, multipliers, energies, redundant, own=own, integrated=True, **more)


def forces_along(bodies: System, motion: Trajectory) -> tuple[int, np.ndarray, np.ndarray, int]:
    """The multipliers of all joints, those included that cost a run no equation: Newton and Euler for every body, at
    each state. How many states were done (see `solve_motion`), multipliers, energies and powers, and how many rows are
    redundant."""
    multipliers, rates = np.zeros((motion.t.size, len(bodies.rows))), np.zeros((motion.t.size, 2 + WORK))
    run = mechanism(bodies, refinements=2)
    done = solve_motion(run, *motion[:3], multipliers, rates)
    return done, multipliers, rates, dependent_rows(run.machine, DEPENDENT) if done else 0


def with_forces(
    system: System, motion: Trajectory, multipliers: np.ndarray, energies: np.ndarray, redundant: int, **more: Any
) -> Result:
    """The result of a motion with its multipliers and energies (kinetic, potential, stored, dissipated, supplied)."""
    if redundant:
        multipliers = least(system, motion, multipliers, redundant)
    reactions, energy = ComputedReactions(system, motion, multipliers, redundant), ledger(frozen(energies))
    return result_of(system, motion, multipliers=frozen(multipliers), reactions=reactions, ledger=energy, **more)
