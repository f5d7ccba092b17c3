"""Search forces that hold a pose, with normal forces of joints in any direction.

The normal force of a joint, |v|, is not a concave function of the forces, so each direction n gives another problem
(`forces`). Branch and bound covers all n: where v lies between some unit rays, v = N a with a ≥ 0, |v| is at most Σ a,
which is linear, and close to |v| where the rays are close. So where no forces exist with Σ a in place of |v|, there are
none. Where there are some that do not obey the law itself, the sector of the joint with the largest error is split. The
first rays follow from bounds of all forces: where friction turns the normal forces little, they decide at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.linalg import null_space

from ...tolerances import RANK
from .exact import within
from .forces import HOLDS, SHARP, Cone, Forces

PART = 0.002
"""The search is certain to find forces that would hold with friction less by this part."""
MANY = 200
"""Greatest number of problems that a search solves."""
WIDEST = 0.99
"""Greatest sine of half the angle of a sector from bounds; wider sectors are replaced by all directions."""


@dataclass(frozen=True, eq=False)
class Somewhere:
    """Forces that hold, with their n, if there are any; and whether the search is certain that there are none."""

    forces: Forces | None = None
    certain: bool = True


def somewhere(forces: Forces, m: float = 1.0, also: Sequence[Cone] = ()) -> Somewhere:
    """Search forces that hold the pose with friction divided by m and obey the cones `also`: with the present
    directions n first, then with any directions."""
    if (x := within(forces, [*forces.cones(m), *also])) is not None:
        return Somewhere(forces.followed(x))
    stack = [_sectors(forces, m)] if forces.open else []
    for _ in range(MANY):
        if not stack:
            return Somewhere()
        sectors = stack.pop()
        x = within(forces, [*_around(forces, m * (1.0 + PART), sectors), *also])
        if x is None:
            continue
        update, room = forces.followed(x), m * (1.0 + PART / 2.0)
        if within(update, [*update.cones(room), *also]) is not None:
            return Somewhere(update)

        def excess(k: int, x: np.ndarray = x, room: float = room) -> float:
            """Return the friction of a bound as part of its limit |v|; at most 1 if the law holds."""
            v = forces.press(k)
            friction, limit = room * float(np.linalg.norm(forces.friction(k) @ x)), float(np.linalg.norm(v.a + v.C @ x))
            if friction - limit <= HOLDS * limit + SHARP * max(1.0, float(np.linalg.norm(x))):
                return 1.0
            return friction / max(limit, SHARP)

        worst = max(forces.open, key=excess)
        v = forces.press(worst)
        stack += [sectors | {worst: part} for part in _parts(sectors.get(worst), v.a + v.C @ x)]
    return Somewhere(certain=not stack)


def _sectors(forces: Forces, m: float) -> dict[int, np.ndarray]:
    """Return rays between which the normal force of each joint must lie, from bounds of all forces.

    Friction has |x_s| ≤ |v|/m and v = b + B x; a load and normal forces follow from the balance, x_u = -A_u⁺ (r + A x).
    So sizes y of all x obey y ≤ c + M y with M ≥ 0, which bounds them by (I - M)⁻¹ c where M has no eigenvalue of 1 or
    more. Then v lies within B y of b: in a cone about b if this is less than |b|. Friction that may lock by itself has
    no such bounds.
    """
    n, slips = forces.units.size, [forces.friction(k) for k in range(len(forces.bounds))]
    c, M, rubs = np.zeros(n), np.zeros((n, n)), np.zeros(n, dtype=bool)
    for k, slip in enumerate(slips):
        v, sizes = forces.press(k), np.abs(slip).max(axis=0, initial=0.0)
        rows = sizes > 0.0
        c[rows] = float(np.linalg.norm(v.a)) / m / sizes[rows]
        M[rows] = np.linalg.norm(v.C, axis=0) / m / sizes[rows, None]
        rubs |= rows
    if not rubs.all():
        A = forces.A[:, ~rubs]
        if np.linalg.matrix_rank(A, tol=RANK) < A.shape[1]:
            return {}
        inverse = np.linalg.pinv(A)
        c[~rubs], M[np.ix_(~rubs, rubs)] = np.abs(inverse @ forces.unbalanced), np.abs(inverse @ forces.A[:, rubs])
    if np.abs(np.linalg.eigvals(M)).max(initial=0.0) >= 1.0 - RANK:
        return {}
    y, rays = np.linalg.solve(np.eye(n) - M, c), {}
    for k in forces.open:
        v = forces.press(k)
        size, off = float(np.linalg.norm(v.a)), float(np.linalg.norm(v.C, axis=0) @ y) * (1.0 + RANK)
        if off < WIDEST * size:
            rays[k] = _rays(v.a / size, off / size)
    return rays


def _rays(n: np.ndarray, sine: float) -> np.ndarray:
    """Return the rays, as columns, of a simplex about the cone of all directions whose angle to n has at most this
    sine."""
    d, tangent = n.size, sine / np.sqrt(1.0 - sine * sine)
    across = null_space(n[None])
    corners = null_space(np.ones((1, d))).T  # corners of a regular simplex: its inner sphere is d - 1 times smaller
    corners = corners / np.linalg.norm(corners, axis=0) if d > 1 else corners
    rays = n[:, None] + max(tangent, RANK) * (d - 1) * across @ corners
    return rays / np.linalg.norm(rays, axis=0)


def _around(forces: Forces, m: float, sectors: Mapping[int, np.ndarray]) -> list[Cone]:
    """Return the cones with v between the rays of these sectors; joints without a sector have no bound of friction."""
    fixed = [forces.cone(k, m, n) for k, n in enumerate(forces.pressing) if k not in forces.open]
    inverse = {k: np.linalg.inv(rays) for k, rays in sectors.items()}
    bounds = [forces.cone(k, m, N.sum(axis=0)) for k, N in inverse.items()]
    v = {k: forces.press(k) for k in sectors}
    sides = [Cone(row @ v[k].a[:, None], (row @ v[k].C)[None]) for k, N in inverse.items() for row in N]
    return [*forces.pushes(), *fixed, *bounds, *sides]


def _parts(rays: np.ndarray | None, v: np.ndarray) -> list[np.ndarray]:
    """Return the orthants, or both halves of some rays; the part that contains v is last."""
    if rays is None:
        parts = [np.diag(signs) for signs in product([-1.0, 1.0], repeat=v.size)]
    else:
        angles = rays.T @ rays
        i, j = np.unravel_index(np.argmin(angles), angles.shape)
        between = rays[:, i] + rays[:, j]
        parts = [rays.copy(), rays.copy()]
        for part, old in zip(parts, (i, j), strict=True):
            part[:, old] = between / np.linalg.norm(between)
    return sorted(parts, key=lambda part: float(np.linalg.solve(part, v).min()))
