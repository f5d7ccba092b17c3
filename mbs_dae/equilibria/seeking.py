"""From a pose to one in which all forces are in balance.

With R a basis of the free motions, orthonormal by weight, what no constraint takes up is r = Rᵀ Q, and along R it
changes by -K, K = Rᵀ (∂F/∂x) R. Newton's step is K⁻¹ r; then the constraints are closed again.

*To where it comes to rest* (`settle`): the forces do work on every step, along each direction of the symmetric part of
K as if it were stable. Loads count with all other forces, whether they have a potential or not: the work is their
integral along the step. A balance that a small motion leaves is left, unless one starts on it.

*To any balance* (`balance`): steps make |r| smaller, least squares where K is singular. It ends at saddles, too.
"""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..compiled.status import DONE
from ..errors import MbsError
from ..poses import newton
from .balance import Balance, balance_at

TIGHT, LOOSE = 1e-13, 1e-9
"""What is left of forces, relative to them, where nothing better is to be had; and what is accepted where steps stop
helping."""
LONGEST = 0.3
"""Steps are not longer than this, in lengths of the model."""
ASIDE = 1e-3
"""An unstable balance is left by this, in lengths of the model: far beyond roundoff, and near enough to have its K."""
ITERATIONS = 300


def settle(system: System, t: float, q: np.ndarray) -> Balance | None:
    """Downhill from a closed pose; nothing where no rest is found."""
    here = balance_at(system, t, q)
    for count in range(ITERATIONS):
        scale = here.motion_scale
        if here.is_balanced(TIGHT):
            if count == 0 or here.holds_still:
                return here
            if (aside := _aside(here)) is None:
                return None
            here = aside
            continue
        K, left = here.stiffness * np.outer(scale, scale), here.unbalanced * scale
        sizes, ways = np.linalg.eigh((K + K.T) / 2)
        least = 1e-12 * max(np.abs(sizes).max(initial=0.0), here.least_stiffness(system.length), 1e-300)
        raised = K + ways @ np.diag(np.maximum(np.abs(sizes), least) - sizes) @ ways.T
        there = _stepped(here, scale * np.linalg.solve(raised, left), downhill=True)
        if there is None:  # away from a balance K is not symmetric, and nothing holds a body afloat from turning
            there = _stepped(here, scale * np.linalg.solve((raised + raised.T) / 2, left), downhill=True)
        if there is None:
            if not here.is_balanced(LOOSE):
                return None
            if here.holds_still:
                return here
            if (there := _aside(here)) is None:
                return None
        here = there.with_own_levels()
    return here if here.is_balanced(LOOSE) and here.holds_still else None


def _aside(here: Balance) -> Balance | None:
    """Return a pose a little off an unstable balance, along the motion that leaves it fastest; None where joints do not
    close there."""
    scale = here.motion_scale
    K = here.stiffness * np.outer(scale, scale)
    values, ways = np.linalg.eig(K)
    way = ways[:, int(np.argmin(values.real))].real
    way = scale * way * np.sign(way[np.argmax(np.abs(way))])
    return _closed(here, here.free_velocities @ way * (ASIDE * here.system.length / float(np.linalg.norm(way))))


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
    forces that are not balanced yet, or else those of a level below, about which these tell nothing.

    Downhill a step helps where these forces do work on it, beyond what the two halves of the step leave in doubt about
    their integral. Less force is left on the way to a top, too: it helps only between poses in which K is positive."""
    system, size = here.system, float(np.linalg.norm(step))
    if not size > 0.0:
        return None
    way = here.free_velocities @ step * min(1.0, LONGEST * system.length / size)
    reached: dict[float, Balance | None] = {}

    def after(fraction: float) -> Balance | None:
        if fraction not in reached:
            reached[fraction] = _closed(here, fraction * way)
        return reached[fraction]

    for level in np.flatnonzero(here.shares(here.unbalanced) > TIGHT):
        own, left = here.levels >= level, float(np.linalg.norm(here.shares(here.unbalanced)[level:]))
        for fraction in 0.5 ** np.arange(12):
            if (there := after(fraction)) is None:
                continue
            remains = float(np.linalg.norm(here.in_parts(there.of_levels(there.unbalanced))[level:]))
            better = remains < left * (1.0 - 1e-3 * fraction)
            if better and (not downhill or (here.holds_still and there.holds_still)):
                return there
            if downhill and (middle := after(fraction / 2)) is not None:
                whole = float(work_between(here, there)[own].sum())
                halves = float((work_between(here, middle) + work_between(middle, there))[own].sum())
                if halves - abs(halves - whole) / 3 > 1e-4 * fraction * abs(float(here.forces[own] @ way[own])):
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
