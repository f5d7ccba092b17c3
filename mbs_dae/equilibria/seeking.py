"""From a pose to one in which all forces are in balance.

With R a basis of the free motions, orthonormal by weight, what no constraint takes up is r = Rᵀ Q, and along R it
changes by -K, K = Rᵀ (∂F/∂x) R. Newton's step is K⁻¹ r; then the constraints are closed again.

*To where it comes to rest* (`settle`): steps go downhill, along each direction of the symmetric part of K as if it were
stable, so that the potential falls. Saddles and tops are left behind, unless one starts on them.

*To any balance* (`balance`): steps make |r| smaller, least squares where K is singular. It ends at saddles, too.
"""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..compiled.machine import DONE
from ..errors import MbsError
from ..poses import newton
from .balance import Balance, balance_at

TIGHT, LOOSE = 1e-13, 1e-9
"""What is left of forces, relative to them, where nothing better is to be had; and what is accepted where steps stop
helping."""
LONGEST = 0.3
"""Steps are not longer than this, in lengths of the model."""
ITERATIONS = 300


def settle(system: System, t: float, q: np.ndarray) -> Balance | None:
    """Downhill from a closed pose; nothing where no rest is found."""
    here = balance_at(system, t, q)
    for _ in range(ITERATIONS):
        if here.is_balanced(TIGHT):
            return here
        scale = here.motion_scale
        K, left = here.stiffness * np.outer(scale, scale), here.unbalanced * scale
        sizes, ways = np.linalg.eigh((K + K.T) / 2)
        least = 1e-12 * max(np.abs(sizes).max(initial=0.0), here.least_stiffness(system.length), 1e-300)
        raised = K + ways @ np.diag(np.maximum(np.abs(sizes), least) - sizes) @ ways.T
        there = _stepped(here, scale * np.linalg.solve(raised, left), downhill=True)
        if there is None:  # away from a balance K is not symmetric, and nothing holds a body afloat from turning
            there = _stepped(here, scale * np.linalg.solve((raised + raised.T) / 2, left), downhill=True)
        if there is None:
            return here if here.is_balanced(LOOSE) else None
        here = there.with_own_levels()
    return here if here.is_balanced(LOOSE) else None


def balance(system: System, t: float, q: np.ndarray) -> Balance | None:
    """The nearest balance that Newton finds, stable or not."""
    here = balance_at(system, t, q)
    for _ in range(ITERATIONS // 4):
        if here.is_balanced(TIGHT):
            return here
        scale = here.motion_scale
        K, left = here.stiffness * np.outer(scale, scale), here.unbalanced * scale
        there = _stepped(here, scale * np.linalg.lstsq(K, left, rcond=1e-12)[0], downhill=False)
        if there is None:
            return here if here.is_balanced(LOOSE) else None
        here = there.with_own_levels()
    return here if here.is_balanced(LOOSE) else None


def _stepped(here: Balance, step: np.ndarray, downhill: bool) -> Balance | None:
    """The balance after a step, or after as much of it as helps; None where nothing does. A step helps the largest
    forces that are not balanced yet, or else those of a level below, about which these tell nothing."""
    system, size = here.system, float(np.linalg.norm(step))
    if not size > 0.0:
        return None
    way = here.free_velocities @ step * min(1.0, LONGEST * system.length / size)
    for level in np.flatnonzero(here.shares(here.unbalanced) > TIGHT):
        own, left = here.levels >= level, float(np.linalg.norm(here.shares(here.unbalanced)[level:]))
        for fraction in 0.5 ** np.arange(12):
            there = _closed(here, fraction * way)
            if there is None:
                continue
            fallen = work_between(here, there)[own].sum() if level else here.potential - there.potential
            remains = float(np.linalg.norm(here.in_parts(there.of_levels(there.unbalanced))[level:]))
            better = remains < left * (1.0 - 1e-3 * fraction)
            falls = fallen > 1e-4 * fraction * abs(float(here.forces[own] @ way[own]))
            if falls if downhill and not better else better:
                return there
    return None


def work_between(here: Balance, there: Balance) -> np.ndarray:
    """The work that forces do along each velocity on the way from one pose to the other, shape (velocities,)."""
    gone = here.system.between(here.q, there.q)[: here.forces.size]
    return (here.forces + there.forces) * gone / 2


def _closed(here: Balance, way: np.ndarray) -> Balance | None:
    """The balance at the pose some way off, with its constraints closed."""
    system, q = here.system, here.system.moved(here.q, way)
    if newton.close(system.machine(), here.t, q, system.still, 20) != DONE:
        return None
    try:
        return balance_at(system, here.t, q, levels=here.levels)
    except MbsError:  # a force without value out there
        return None
