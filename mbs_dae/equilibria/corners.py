"""States at which the law of a force has no slope: corners and jumps of laws written with Abs, sign, Max or Piecewise.

Such a law decides by the signs of switching functions g (`symbolic.branches`). Where a g is zero to roundoff, and small
motions change it, there is one law on either side. Each branch is held in turn and both are compared: they may differ
in the forces (a jump), in the derivatives of the forces (a corner), or in neither, as v |v| at v = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from ..errors import EquilibriumError, ModelError
from ..motion.derivative import evaluate
from ..motion.mechanism import mechanism
from ..symbolic.branches import SIDE, WHOLE
from ..tolerances import MOTION_DIFFERENCE, SIDE_AGREEMENT, SUM_ROUNDOFF, SWITCH_DISTANCE
from .balance import Balance, balance_at

MOST = 8
"""Greatest number of switching functions of one element that are held in all combinations."""


Place = tuple[np.ndarray, np.ndarray]
"""A state (q, v)."""


class LawCorner(NamedTuple):
    who: str
    jumps: bool
    """Whether forces differ; otherwise only their derivatives do."""
    by_speed: bool
    """Whether velocities alone decide."""


def check_slopes(balance: Balance) -> None:
    for one in corners(balance):
        raise ModelError(
            f"{one.who} of {balance.system.model.name!r} has no slope at this state: its law "
            f"{'jumps' if one.jumps else 'has a corner'} there, so small motions have none; linearize about another "
            "state, or round it off, such as sp.tanh(x / width)",
            code="no-derivative", owner=one.who, jump=bool(one.jumps), model=balance.system.model.name,
        )  # fmt: skip


def check_friction(rest: Balance) -> None:
    """Raise an `EquilibriumError` for a force that jumps where a motion changes direction: such a force holds a
    mechanism in a whole set of poses."""
    for one in corners(rest):
        if one.jumps and one.by_speed:
            raise EquilibriumError(
                f"{one.who} of {rest.system.model.name!r} jumps where the motion turns round, as dry friction does: it "
                "can hold the mechanism anywhere in a whole set of poses, of which none is the equilibrium; look for "
                f"it without, model.without({one.who.split(chr(39))[1]!r}), or with a law that is round there: "
                "sp.tanh(v / width)",
                code="law-jumps-at-rest", owner=one.who, model=rest.system.model.name,
            )  # fmt: skip


def corners(balance: Balance) -> Iterator[LawCorner]:
    """Yield one corner for each element that has any."""
    structure = balance.system.structure
    names = np.array(structure.program.batch.switching + structure.dynamics.batch.switching)
    kinds = mechanism(balance.system).switches.kinds[: names.size]
    decides = (kinds == SIDE) | (kinds == WHOLE)
    if not decides.any():
        return
    g, by_place, by_speed = _changes(balance)
    thresholds = np.where(kinds == WHOLE, np.round(g), 0.0)  # switching functions decide at 0, or at integers
    zero = decides & (np.abs(g - thresholds) <= SWITCH_DISTANCE * np.maximum(by_place, by_speed))
    zero &= np.maximum(by_place, by_speed) > 0.0
    for who in dict.fromkeys(names[zero].tolist()):
        some = np.flatnonzero(zero & (names == who))[:MOST]
        jumps, bends = _differ(balance, g, kinds, some)
        if jumps or bends:
            yield LawCorner(who, jumps, not by_place[some].any())


def _changes(balance: Balance) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the switching functions, and the largest changes of each by small motions and by small velocities."""
    run = mechanism(balance.system)
    first, second = run.machine.program.batch, run.dynamics.batch

    def switching(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        evaluate(run, balance.t, q.copy(), v)
        return np.concatenate([run.machine.out[first.switch_at], run.out[second.switch_at]])

    g = switching(balance.q, balance.v)
    places, speeds = (
        np.max([0.0 * g, *(np.abs(switching(*state) - g) for pair in pairs for state in pair)], axis=0)
        for pairs in _neighbours(balance)
    )
    return g, places, speeds


def _neighbours(balance: Balance) -> tuple[list[list[Place]], list[list[Place]]]:
    """Return pairs of states (q, v) on both sides of this state: for each small motion, and for each small velocity."""
    system, q, v, h = balance.system, balance.q, balance.v, MOTION_DIFFERENCE * balance.system.length

    def plus(velocity: np.ndarray) -> np.ndarray:
        return v + np.pad(velocity, (0, v.size - velocity.size))

    by_motion = [[(system.moved(q, step * x), v) for step in (h, -h)] for x in balance.free.T]
    by_velocity = [[(q, plus(step * x)) for step in (h, -h)] for x in balance.free_velocities.T]
    return by_motion, by_velocity


def _differ(balance: Balance, g: np.ndarray, kinds: np.ndarray, some: np.ndarray) -> tuple[bool, bool]:
    """Return whether forces along free motions, and whether their derivatives, depend on the branches of these
    functions. (Central differences do not see even powers in which branches differ, nor differences below the roundoff
    of forces.)"""
    (a, multipliers), R, length = balance.accelerations, balance.free_velocities, balance.system.length
    K, D, *_ = balance.derivatives(a, multipliers)
    pairs = [pair for pairs in _neighbours(balance) for pair in pairs]
    forces, slopes, efforts, levels = [], [], balance.efforts, balance.motion_levels
    for sides in product((1.0, -1.0), repeat=some.size):
        modes = np.full(g.size, np.nan)
        modes[some] = np.where(kinds[some] == WHOLE, np.round(g[some]) - (np.array(sides) < 0.0), sides)

        def residual(q: np.ndarray, v: np.ndarray, modes: np.ndarray = modes) -> np.ndarray:
            other = balance_at(balance.system, balance.t, q, v, modes)
            return R.T @ (other.forces - other.mass @ a - other.jacobian.T @ multipliers[: len(other.jacobian)])

        forces.append(residual(balance.q, balance.v))
        slopes.append(
            [(residual(*ahead) - residual(*behind)) / (2.0 * MOTION_DIFFERENCE * length) for ahead, behind in pairs]
        )
        efforts = np.maximum(efforts, balance.of_levels(forces[-1]))
    jumps, bends, jump, bend = np.ptp(forces, axis=0), np.ptp(slopes, axis=0), False, False
    for level in np.unique(levels):
        motions = levels == level
        changes = np.array(slopes)[..., motions], (R.T @ K @ R)[motions], (R.T @ D @ R)[motions]
        largest = max(np.abs(x).max(initial=0.0) for x in changes)
        jump |= bool((jumps[motions] > SIDE_AGREEMENT * (efforts[level] + largest * length)).any())
        roundoff = SUM_ROUNDOFF * efforts[level] / (MOTION_DIFFERENCE * length)
        bend |= bool((bends[..., motions] > SIDE_AGREEMENT * largest + roundoff).any())
    return jump, bend
