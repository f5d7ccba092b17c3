"""Search all equilibria from many poses, and keep those that differ."""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..errors import SingularConfigurationError
from ..motion.initial import check_regular
from ..poses.closing import close_from_afar
from ..rotations import from_quaternion
from .balance import Balance, balance_at
from .seeking import balance, settle

APART = 1e-6
"""Two poses are equal if no body differs by more, in lengths of the model."""
STARTS, PATIENCE, HOPE = 400, 40, 10
"""The greatest number of starting poses, of poses in a row without a new equilibrium, and of poses before the first
one."""


def all_balances(system: System, t: float, q: np.ndarray, patience: int = PATIENCE) -> list[Balance]:
    """Return the equilibria reached from a pose and from random ones (the same in every call), which may lie on other
    branches of the assembly; stop after so many in a row without a new one."""
    random, found, idle = np.random.default_rng(11), list[Balance](), 0
    first = balance_at(system, t, q)
    for count in range(STARTS):
        base = found[count % len(found)] if found else first
        start = q if count == 0 else distant_pose(base, random, freely=count % 2 == 0)
        before = len(found)
        for other in (settle(system, t, start), balance(system, t, start)) if start is not None else ():
            if other is not None and is_regular(other) and is_new(other, found):
                found.append(other)
        idle = 0 if len(found) > before else idle + 1
        if idle >= (patience if found else HOPE):
            break
    return found


def distant_pose(here: Balance, random: np.random.Generator, freely: bool) -> np.ndarray | None:
    """Return a closed pose far away, or None: along free motions, or in any direction, which may lead to another
    branch."""
    system = here.system
    far = random.choice([0.5, 1.5, 4.0]) * system.length
    scattered = random.standard_normal(system.nv) / np.sqrt(system.weight)
    way = here.free @ random.standard_normal(here.free.shape[1]) if freely else scattered
    attempt = close_from_afar(system.machine(), here.t, system.moved(here.q, far * way))
    return attempt.q if attempt.closed else None


def is_regular(here: Balance) -> bool:
    try:
        check_regular(here.system, here.t, here.q, here.v)
    except SingularConfigurationError:
        return False
    return True


def is_new(here: Balance, known: list[Balance]) -> bool:
    """Return whether a pose differs from all known ones, whole turns aside."""
    own, near = _places(here), APART * here.system.length
    return all(np.abs(own - _places(other)).max() > near for other in known)


def _places(here: Balance) -> np.ndarray:
    """Return the places of all bodies, and their axes times the model's length, which do not count turns."""
    system, out = here.system, []
    for body in system.bodies:
        own = here.q[list(system.layout.q[body])]
        flat = system.model.dimension == 2
        axes = np.array([np.cos(own[2]), np.sin(own[2])]) if flat else from_quaternion(own[3:7]).ravel()
        out.append(np.concatenate([own[: system.model.dimension], system.length * axes]))
    return np.concatenate(out)
