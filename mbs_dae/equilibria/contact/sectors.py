"""Whether forces hold a pose with joints pressed in any direction.

What presses in a joint, |v|, is no concave function of the forces, so those with joints pressed along other directions
n are other problems (`forces`). All of them together are looked through by bounds: where v lies between some rays,
v = N a with a ≥ 0, it is no longer than Σ a, which is linear, and next to |v| where the rays are close. So where no
forces are found with Σ a in place of |v|, there are none. Where there are some that do not obey the law itself, the
rays that lie farthest apart are parted by one between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from .exact import within
from .forces import HOLDS, Cone, Forces

PART = 0.002
"""What holds is found for certain where it would hold with friction that is less by this part."""
MANY = 200
"""So many problems are solved for that at most."""
ROUNDS = 60


@dataclass(frozen=True, eq=False)
class Somewhere:
    """Forces that hold, with their n, if there are any; and whether it is certain that there are none."""

    forces: Forces | None = None
    certain: bool = True


def somewhere(forces: Forces, m: float = 1.0, also: Cone | None = None) -> Somewhere:
    """Forces that hold with friction less by m, and that obey another condition, too: near the directions that are
    known, then anywhere."""
    if not forces.open:
        held = within(forces, [*forces.cones(m), *([also] if also else [])]) is not None
        return Somewhere(forces if held else None)
    known = forces
    for _ in range(ROUNDS):
        holds, x = _tried(known, also, known.cones(m))
        followed = known.followed(x)
        if holds:
            return Somewhere(followed)
        if not followed.turns(known):
            break
        known = followed
    return _anywhere(forces, m, also)


def _anywhere(forces: Forces, m: float, also: Cone | None) -> Somewhere:
    waiting: list[dict[int, np.ndarray]] = [{}] if forces.open else []
    for _ in range(MANY):
        if not waiting:
            return Somewhere()
        sectors = waiting.pop()
        holds, x = _tried(forces, also, _around(forces, m * (1.0 + PART), sectors))
        if not holds:
            continue
        turned = forces.followed(x)
        room = m * (1.0 + PART / 2.0)
        missing = {k: _missing(forces, k, room, x) for k in forces.open}
        if max(missing.values()) <= 1.0 or _tried(turned, also, turned.cones(room))[0]:
            return Somewhere(turned)
        worst = max(missing, key=missing.__getitem__)
        v = forces.press(worst)
        waiting += [sectors | {worst: part} for part in _parts(sectors.get(worst), v.a + v.C @ x)]
    return Somewhere(certain=not waiting)


def _tried(forces: Forces, also: Cone | None, cones: Sequence[Cone]) -> tuple[bool, np.ndarray]:
    """Whether there are forces within these cones, which along some n may have nothing inside."""
    left, found = forces.least([], [*cones, *([also] if also else [])])
    x = found.x[:-1]
    return left <= HOLDS * max(1.0, float(np.linalg.norm(x))), x


def _around(forces: Forces, m: float, sectors: Mapping[int, np.ndarray]) -> list[Cone]:
    """The cones with v between the rays of these sectors, where there are none unbounded."""
    known = [forces.cone(k, m, n) for k, n in enumerate(forces.pressing) if k not in forces.open]
    inverse = {k: np.linalg.inv(rays) for k, rays in sectors.items()}
    within = [forces.cone(k, m, N.sum(axis=0)) for k, N in inverse.items()]
    v = {k: forces.press(k) for k in sectors}
    sides = [Cone(row @ v[k].a[:, None], (row @ v[k].C)[None]) for k, N in inverse.items() for row in N]
    return [*forces.pushes(), *known, *within, *sides]


def _missing(forces: Forces, k: int, m: float, x: np.ndarray) -> float:
    """The friction of a bound as part of what its joint can give."""
    v = forces.press(k)
    wanted, given = m * float(np.linalg.norm(forces.friction(k) @ x)), float(np.linalg.norm(v.a + v.C @ x))
    return 1.0 if wanted - given <= HOLDS * max(1.0, float(np.linalg.norm(x))) else wanted / max(given, HOLDS)


def _parts(rays: np.ndarray | None, v: np.ndarray) -> list[np.ndarray]:
    """All orthants, or both halves of some rays: the one with v in it last."""
    if rays is None:
        parts = [np.diag(signs) for signs in product([-1.0, 1.0], repeat=v.size)]
    else:
        angles = rays.T @ rays
        one, two = np.unravel_index(np.argmin(angles), angles.shape)
        between = rays[:, one] + rays[:, two]
        parts = [rays.copy(), rays.copy()]
        for part, old in zip(parts, (one, two), strict=True):
            part[:, old] = between / np.linalg.norm(between)
    return sorted(parts, key=lambda part: float(np.linalg.solve(part, v).min()))
