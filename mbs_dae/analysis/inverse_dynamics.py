"""Inverse dynamics: the efforts and reactions that a prescribed motion takes.

Kinematics gives q, v and v̇; then M v̇ + Φ_vᵀ λ = Q has only λ for an unknown. It is solved together with Φ_v v̇ = γ, by
the matrix of forward dynamics: where all freedom is driven v̇ comes out as it went in, and redundant rows do no harm.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.integrate import cumulative_simpson

from ..integration.inverse import solve_motion
from ..integration.machine import WORK, mechanism
from ..model.model import PlanarModel
from ..results.dynamics import with_forces
from ..results.result import Result, State
from ..system import System
from .arguments import model_of
from .failures import check_masses
from .kinematics import kinematics
from .progress import Progress


def inverse_dynamics(
    model: PlanarModel | System,
    times: Sequence[float] | np.ndarray,
    start: State | None = None,
    progress: Progress | None = None,
) -> Result:
    """Kinematics with forces: ``effort(driver)``, ``reaction(joint)``, ``power(driver)`` and the energy ledger.

    All degrees of freedom must be driven. Bodies without mass are allowed as far as the drivers move them. The works in
    the ledger are sums of powers over the requested times (Simpson's rule), so a coarse grid shows there.
    """
    model = model_of(model)
    motion = kinematics(model, times, start, progress)
    system = model.compile()
    check_masses(system)
    t, q, v, a = system.full_motion(motion.t, motion.q, motion.v, motion.a)
    run = mechanism(system, refinements=2)
    multipliers = np.zeros((t.size, len(system.rows)))
    rates = np.zeros((t.size, 2 + WORK))
    solve_motion(run, t, q, v, multipliers, rates)
    works = np.zeros((t.size, WORK))
    if t.size > 1:
        works = cumulative_simpson(rates[:, 2:], x=t, axis=0, initial=0.0)
    energies = np.concatenate([rates[:, :2], works], axis=1)
    stats = {**motion.stats, "energy": "works are sums over the requested times"}
    return with_forces(
        system,
        t,
        q,
        v,
        a,
        multipliers,
        energies,
        motion.stats["redundant_equations"],
        success=motion.success,
        message=motion.message,
        stats=stats,
    )
