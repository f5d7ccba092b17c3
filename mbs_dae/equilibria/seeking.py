"""Search a balance of all forces from a pose, and all balances from many poses.

With R a basis of the free motions, orthonormal by weight, the forces that no constraint balances are r = Rᵀ Q, and they
change along R by -K, K = Rᵀ (∂F/∂x) R. Newton's step is K⁻¹ r; then the constraints are closed again.

*To a pose of rest* (`settle`): the forces do work on every step, along each direction of the symmetric part of K as if
it were stable. Loads count with all other forces, whether they have a potential or not: the work is their integral
along the step. An unstable balance is left, unless the search starts there.

*To any balance* (`balance`): steps make |r| smaller, least squares where K is singular. This search ends at saddles,
too.
"""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..compiled.status import DONE
from ..errors import MbsError, SingularConfigurationError
from ..motion.initial import check_regular
from ..poses import newton
from ..poses.closing import close_from_afar
from ..rotations import from_quaternion
from ..tolerances import BALANCE_DISTANCE, BALANCE_LIMIT, BALANCE_TOLERANCE, SAME_POSE
from .balance import Balance, balance_at

LONGEST = 0.3
"""Longest step, in lengths of the model."""
ITERATIONS = 300
STARTS, PATIENCE, HOPE = 400, 40, 10
"""The greatest number of starting poses, of poses in a row without a new equilibrium, and of poses before the first
one."""


def settle(system: System, t: float, q: np.ndarray, lawless: list[MbsError] | None = None) -> Balance | None:
    """Descend from a closed pose to a rest; return None where none is found. Errors of forces that have no value where
    the last step would lead are put into `lawless`."""
    here = balance_at(system, t, q)
    for count in range(ITERATIONS):
        scale = here.motion_scale
        if here.is_balanced(BALANCE_TOLERANCE):
            if count == 0 or here.holds_still:
                return here
            if (aside := _aside(here)) is None:
                return None
            here = aside
            continue
        K, residual = here.stiffness * np.outer(scale, scale), here.unbalanced * scale
        sizes, vectors = np.linalg.eigh((K + K.T) / 2)
        least = 1e-12 * max(np.abs(sizes).max(initial=0.0), here.least_stiffness(system.length), 1e-300)
        raised = K + vectors @ np.diag(np.maximum(np.abs(sizes), least) - sizes) @ vectors.T
        there = _stepped(here, scale * np.linalg.solve(raised, residual), True, lawless)
        if there is None:  # away from a balance K is not symmetric, and floating bodies may turn freely
            there = _stepped(here, scale * np.linalg.solve((raised + raised.T) / 2, residual), True, lawless)
        if there is None:
            if not here.is_balanced(BALANCE_LIMIT):
                return None
            if here.holds_still:
                return here
            if (there := _aside(here)) is None:
                return None
        here = there.with_levels_of_forces()
    return here if here.is_balanced(BALANCE_LIMIT) and here.holds_still else None


def _aside(here: Balance) -> Balance | None:
    """Return a pose a little off an unstable balance, along the motion that leaves it fastest; None where joints do not
    close there."""
    scale = here.motion_scale
    K = here.stiffness * np.outer(scale, scale)
    values, vectors = np.linalg.eig(K)
    motion = vectors[:, int(np.argmin(values.real))].real
    motion = scale * motion * np.sign(motion[np.argmax(np.abs(motion))])
    return _closed(
        here, here.free_velocities @ motion * (BALANCE_DISTANCE * here.system.length / float(np.linalg.norm(motion)))
    )


def balance(system: System, t: float, q: np.ndarray, lawless: list[MbsError] | None = None) -> Balance | None:
    """Return the nearest balance that Newton's method finds, stable or not; None if it finds none. Errors are put into
    `lawless` as by `settle`."""
    here = balance_at(system, t, q)
    for _ in range(ITERATIONS // 4):
        if here.is_balanced(BALANCE_TOLERANCE):
            return here
        scale = here.motion_scale
        K, residual = here.stiffness * np.outer(scale, scale), here.unbalanced * scale
        there = _stepped(here, scale * np.linalg.lstsq(K, residual, rcond=1e-12)[0], False, lawless)
        if there is None:
            return here if here.is_balanced(BALANCE_LIMIT) else None
        here = there.with_levels_of_forces()
    return here if here.is_balanced(BALANCE_LIMIT) else None


def _stepped(
    here: Balance, step: np.ndarray, downhill: bool, lawless: list[MbsError] | None = None
) -> Balance | None:  # fmt: skip
    """The balance after a step, or after as much of it as helps; None where nothing does. A step helps the largest
    forces that are not balanced yet, or else those of a level below.

    Downhill a step helps where these forces do work on it, beyond the error of their integral that the two halves of
    the step show. Forces decrease on the way to a maximum, too: a decrease helps only between poses in which K is
    positive."""
    system, size, lawless = here.system, float(np.linalg.norm(step)), [] if lawless is None else lawless
    lawless.clear()
    if not size > 0.0:
        return None
    motion = here.free_velocities @ step * min(1.0, LONGEST * system.length / size)
    balances: dict[float, Balance | None] = {}

    def after(fraction: float) -> Balance | None:
        if fraction not in balances:
            balances[fraction] = _closed(here, fraction * motion, lawless)
        return balances[fraction]

    for level in np.flatnonzero(here.shares(here.unbalanced) > BALANCE_TOLERANCE):
        level_mask, residual = here.levels >= level, float(np.linalg.norm(here.shares(here.unbalanced)[level:]))
        for fraction in 0.5 ** np.arange(12):
            if (there := after(fraction)) is None:
                continue
            remains = float(np.linalg.norm(here.in_parts(there.of_levels(there.unbalanced))[level:]))
            better = remains < residual * (1.0 - 1e-3 * fraction)
            if better and (not downhill or (here.holds_still and there.holds_still)):
                return there
            if downhill and (middle := after(fraction / 2)) is not None:
                work = float(work_between(here, there)[level_mask].sum())
                halves = float((work_between(here, middle) + work_between(middle, there))[level_mask].sum())
                expected = fraction * abs(float(here.forces[level_mask] @ motion[level_mask]))
                if halves - abs(halves - work) / 3 > 1e-4 * expected:
                    return there
    return None


def work_between(first: Balance, last: Balance) -> np.ndarray:
    """The work that forces do along each velocity on the way from one pose to the other, shape (velocities,)."""
    motion = first.system.between(first.q, last.q)[: first.forces.size]
    return (first.forces + last.forces) * motion / 2


def _closed(here: Balance, motion: np.ndarray, lawless: list[MbsError] | None = None) -> Balance | None:
    """Return the balance after a small motion, with its constraints closed; None if they do not close, or if a force
    has no value there, whose error is put into `lawless`."""
    system, q = here.system, here.system.moved(here.q, motion)
    if newton.close(system.machine(), here.t, q, system.still, 20) != DONE:
        return None
    try:
        return balance_at(system, here.t, q, levels=here.levels)
    except MbsError as error:
        if lawless is not None:
            lawless.append(error)
        return None


# --- all balances ---------------------------------------------------------------------------------------------------


def all_balances(system: System, t: float, q: np.ndarray, patience: int = PATIENCE) -> list[Balance]:
    """Return the equilibria reached from a pose and from random ones (the same in every call), which may lie on other
    branches of the assembly; stop after so many in a row without a new one."""
    random, balances, idle = np.random.default_rng(11), list[Balance](), 0
    first = balance_at(system, t, q)
    for count in range(STARTS):
        base = balances[count % len(balances)] if balances else first
        start = q if count == 0 else distant_pose(base, random, freely=count % 2 == 0)
        before = len(balances)
        for candidate in (settle(system, t, start), balance(system, t, start)) if start is not None else ():
            if candidate is not None and is_regular(candidate) and is_new(candidate, balances):
                balances.append(candidate)
        idle = 0 if len(balances) > before else idle + 1
        if idle >= (patience if balances else HOPE):
            break
    return balances


def distant_pose(here: Balance, random: np.random.Generator, freely: bool) -> np.ndarray | None:
    """Return a closed pose far away, or None: along free motions, or in any direction, which may lead to another
    branch."""
    system = here.system
    far = random.choice([0.5, 1.5, 4.0]) * system.length
    scattered = random.standard_normal(system.nv) / np.sqrt(system.weight)
    direction = here.free @ random.standard_normal(here.free.shape[1]) if freely else scattered
    attempt = close_from_afar(system.machine(), here.t, system.moved(here.q, far * direction))
    return attempt.q if attempt.closed else None


def is_regular(here: Balance) -> bool:
    try:
        check_regular(here.system, here.t, here.q, here.v)
    except SingularConfigurationError:
        return False
    return True


def is_new(here: Balance, others: list[Balance]) -> bool:
    """Return whether a pose differs from all known ones, whole turns aside."""
    places, near = _places(here), SAME_POSE * here.system.length
    return all(np.abs(places - _places(other)).max() > near for other in others)


def _places(here: Balance) -> np.ndarray:
    """Return the places of all bodies, and their axes times the model's length, which do not count turns."""
    system, out = here.system, []
    for body in system.bodies:
        coordinates = here.q[list(system.layout.q[body])]
        flat = system.model.dimension == 2
        turn = coordinates[3:7] if not flat else coordinates[2]
        axes = np.array([np.cos(turn), np.sin(turn)]) if flat else from_quaternion(turn).ravel()
        out.append(np.concatenate([coordinates[: system.model.dimension], system.length * axes]))
    return np.concatenate(out)
