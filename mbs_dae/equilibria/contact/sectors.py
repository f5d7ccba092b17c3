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

from ...tolerances import BOUND_SLACK, HOLDING_RESIDUAL, RANK_TOLERANCE
from .exact import within
from .forces import Cone, Forces

PART = 0.002
"""The search is certain to find forces that would hold with friction less by this part."""
MANY = 400
"""Greatest number of problems that a search solves."""
TRIALS, WEIGHINGS = 6, 4
"""The number of times that the bounds of all forces are improved, and that weights are chosen anew in each."""
CUT = 0.1
"""Least part of an edge that is cut off where a sector is split at the normal force found."""
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
    sectors, most = _sectors(forces, m) if forces.open else ({}, np.zeros(0))
    stack = [sectors] if forces.open else []
    for _ in range(MANY):
        if not stack:
            return Somewhere()
        sectors = stack.pop()
        x = within(forces, [*_around(forces, m * (1.0 + PART), sectors, most), *also])
        if x is None:
            continue
        update, room = forces.followed(x), m * (1.0 + PART / 2.0)
        if within(update, [*update.cones(room), *also]) is not None:
            return Somewhere(update)

        def excess(k: int, x: np.ndarray = x, room: float = room) -> float:
            """Return the friction of a bound as part of its limit |v|; at most 1 if the law holds."""
            v = forces.normal_loads[k]
            limit = float(np.linalg.norm(v.a + v.C @ x))
            friction = room * float(np.linalg.norm(forces.frictions[k] @ x))
            if friction - limit <= HOLDING_RESIDUAL * limit + BOUND_SLACK * max(1.0, float(np.linalg.norm(x))):
                return 1.0
            return friction / max(limit, BOUND_SLACK)

        worst = max(forces.open, key=excess)
        v = forces.normal_loads[worst]
        stack += [sectors | {worst: part} for part in _parts(sectors.get(worst), v.a + v.C @ x)]
    return Somewhere(certain=not stack)


def _sectors(forces: Forces, m: float) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Return rays between which the normal force of each joint must lie, and the largest normal force of each bound,
    from bounds of all forces.

    Friction f_j obeys m |f_j| ≤ |v_j|, with the margin m. Normal forces v_k = b_k + Σ_j V_kj f_j + U_k x_u depend on
    all friction and on x_u, the load and further normal forces. The balance r + Σ_j A_j f_j + A_u x_u = 0, with r the
    part without these unknowns, times any g_k, may be added: with U_k + g_k A_u = 0,

        |v_k| ≤ y_k,      y_k = |b_k + g_k r| + Σ_j |V_kj + g_k A_j| y_j/m,      y = c + M y,

    so y = (I - M)⁻¹ c bounds all forces where M ≥ 0 has no eigenvalue of 1 or more. Each g_k is chosen for the least
    sum on the right, by least squares with weights that are repeated (Weiszfeld): first for the least eigenvalue of M,
    then for the least y. Then v_k lies within y_k - c_k of b_k + g_k r: in a cone about it if c_k is larger. Friction
    that may lock by itself has no such bounds.
    """
    slips = [np.abs(one).max(axis=0, initial=0.0) for one in forces.frictions]
    rubs = np.any([one > 0.0 for one in slips], axis=0)
    A_u = forces.A[:, ~rubs]
    endless = np.full(len(forces.bounds), np.inf)
    if np.linalg.matrix_rank(A_u, tol=RANK_TOLERANCE) < A_u.shape[1]:
        return {}, endless
    inverse, left = np.linalg.pinv(A_u), null_space(A_u.T).T if A_u.size else np.eye(len(forces.A))
    columns = np.hstack([forces.A, forces.unbalanced[:, None]])
    scales = np.append(np.max(slips, axis=0), 1.0)  # of friction in the units of its bound; the last column is b
    scales[scales == 0.0] = 1.0
    block = np.pad([one > 0.0 for one in slips], ((0, 1), (0, 1))).astype(float)  # columns of each friction, and of b
    block[-1, -1] = 1.0
    A, bare = left @ columns / scales, list[np.ndarray]()
    for v in forces.normal_loads:
        bare.append((np.hstack([v.C, v.a[:, None]]) - v.C[:, ~rubs] @ inverse @ columns) / scales)
    V = [one.copy() for one in bare]

    def sizes(y: np.ndarray) -> np.ndarray:
        """Set V to the least sums for these sizes, and return the norms of all blocks, shape (bounds, blocks)."""
        for k, own in enumerate(bare):
            for _ in range(WEIGHINGS if len(A) else 0):
                norms = np.sqrt(block @ (V[k] ** 2).sum(axis=0))
                weighted = A * ((y / np.maximum(norms, RANK_TOLERANCE * max(norms.max(), RANK_TOLERANCE))) @ block)
                V[k] = own - np.linalg.lstsq(weighted @ A.T, weighted @ own.T, rcond=RANK_TOLERANCE)[0].T @ A
        return np.sqrt(np.array([block @ (one**2).sum(axis=0) for one in V]))

    count = len(forces.bounds)
    y = np.append(np.ones(count), 0.0)
    for _ in range(TRIALS):
        norms = sizes(y)
        values, vectors = np.linalg.eig(norms[:, :count] / m)
        largest = int(np.argmax(values.real))
        if values[largest].real < WIDEST:
            break
        y[:count] = np.abs(vectors[:, largest].real)
    if values[largest].real >= 1.0 - RANK_TOLERANCE:
        return {}, endless
    y = np.append(np.linalg.solve(np.eye(count) - norms[:, :count] / m, norms[:, count]), 1.0)
    for _ in range(TRIALS):
        norms = sizes(y)
        y[:count] = np.minimum(y[:count], norms[:, count] + norms[:, :count] @ y[:count] / m)
    norms, rays = sizes(np.append(y[:count], 0.0)), {}  # narrow sectors have the least y - c
    for k in forces.open:
        off = float(norms[k, :count] @ y[:count]) / m * (1.0 + RANK_TOLERANCE)
        if off < WIDEST * norms[k, count]:
            rays[k] = _rays(V[k][:, -1] / norms[k, count], off / norms[k, count])
    return rays, y[:count]


def _rays(n: np.ndarray, sine: float) -> np.ndarray:
    """Return the rays, as columns, of a simplex about the cone of all directions whose angle to n has at most this
    sine."""
    d, tangent = n.size, sine / np.sqrt(1.0 - sine * sine)
    across = null_space(n[None])
    corners = null_space(np.ones((1, d))).T  # corners of a regular simplex: its inner sphere is d - 1 times smaller
    corners = corners / np.linalg.norm(corners, axis=0) if d > 1 else corners
    rays = n[:, None] + max(tangent, RANK_TOLERANCE) * (d - 1) * across @ corners
    return rays / np.linalg.norm(rays, axis=0)


def _around(forces: Forces, m: float, sectors: Mapping[int, np.ndarray], most: np.ndarray) -> list[Cone]:
    """Return the cones with v between the rays of these sectors; the friction of joints without a sector is bounded by
    their largest normal force."""
    fixed = [forces.cone(k, m, n) for k, n in enumerate(forces.directions) if k not in forces.open]
    inverse = {k: np.linalg.inv(rays) for k, rays in sectors.items()}
    bounds = [forces.cone(k, m, N.sum(axis=0)) for k, N in inverse.items()]
    for k in forces.open:
        if k not in sectors and np.isfinite(most[k]):
            f = np.sqrt(m) * forces.frictions[k]
            a = np.append(most[k] / np.sqrt(m), np.zeros(len(f)))
            bounds.append(Cone(a, np.vstack([np.zeros((1, f.shape[1])), f])))
    v = {k: forces.normal_loads[k] for k in sectors}
    sides = [Cone(row @ v[k].a[:, None], (row @ v[k].C)[None]) for k, N in inverse.items() for row in N]
    return [*forces.normal_cones(), *fixed, *bounds, *sides]


def _parts(rays: np.ndarray | None, v: np.ndarray) -> list[np.ndarray]:
    """Return the orthants, or both halves of some rays; the part that contains v is last."""
    if rays is None:
        parts = [np.diag(signs) for signs in product([-1.0, 1.0], repeat=v.size)]
    else:
        angles = rays.T @ rays
        i, j = np.unravel_index(np.argmin(angles), angles.shape)
        share = np.linalg.solve(rays, v)[[i, j]]
        first = float(np.clip(share[0] / (share.sum() or 1.0), CUT, 1.0 - CUT))  # so |v| is exact where the part ends
        between = first * rays[:, i] + (1.0 - first) * rays[:, j]
        parts = [rays.copy(), rays.copy()]
        for part, old in zip(parts, (i, j), strict=True):
            part[:, old] = between / np.linalg.norm(between)
    return sorted(parts, key=lambda part: float(np.linalg.solve(part, v).min()))
