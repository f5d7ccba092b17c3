"""Convex problems on second-order cones: a linear cost, and vectors (a, b) with |b| ≤ a.

    c·x least,      h - G x ∈ K,      K = { (a, b): |b| ≤ a } × ...

A cone of one item is a ≥ 0. The method goes inside the cones along the path on which the products s∘z of the slacks
s = h - G x and the multipliers z of all cones are the same, in the scaling of Nesterov and Todd, W z = W⁻¹ s = λ, with
Mehrotra's second try in each step. Who calls has made sure that there is a solution, and that it has no x in vain: that
slacks and multipliers inside all cones exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import block_diag, qr, solve_triangular

STEPS = 60
ENOUGH, GOOD, PATIENCE = 1e-13, 1e-7, 3
"""What is off, of all, where the method ends; or what will do, where so many steps get no nearer."""
BACK = 0.99
"""How much of the way to the edge of the cones is gone."""


@dataclass(frozen=True, eq=False)
class ConeSolution:
    x: np.ndarray
    slacks: list[np.ndarray]
    multipliers: list[np.ndarray]
    gap: float
    """By how much the cost may be off, and the equations."""


@dataclass(frozen=True, eq=False)
class _Scaling:
    """W of one cone: W z = W⁻¹ s."""

    size: float
    w: np.ndarray

    @staticmethod
    def of(s: np.ndarray, z: np.ndarray) -> _Scaling:
        inner, outer = _size(s), _size(z)
        s, z = s / inner, z / outer
        w = (s + np.append(z[0], -z[1:])) / np.sqrt(2.0 * (1.0 + s @ z))
        return _Scaling(float(np.sqrt(inner / outer)), w)

    @cached_property
    def matrix(self) -> np.ndarray:
        return self.size * self._turn(1.0)

    @cached_property
    def inverse(self) -> np.ndarray:
        return self._turn(-1.0) / self.size

    def _turn(self, sign: float) -> np.ndarray:
        rest = self.w[1:]
        whole = np.eye(self.w.size) + np.outer(self.w, self.w) / (1.0 + self.w[0])
        whole[0, 0], whole[0, 1:], whole[1:, 0] = self.w[0], sign * rest, sign * rest
        return whole


def least_cost(c: np.ndarray, G: np.ndarray, h: np.ndarray, sizes: Sequence[int]) -> ConeSolution:
    """`sizes` are those of the cones, one after the other in the rows of G and h."""
    at = np.cumsum([0, *sizes])
    cones = [slice(a, b) for a, b in zip(at[:-1], at[1:], strict=True)]
    one = np.zeros(len(h))
    one[at[:-1]] = 1.0
    x = np.linalg.lstsq(G, h, rcond=None)[0]
    s = _inside(h - G @ x, cones, one)
    z = _inside(-np.linalg.lstsq(G.T, c, rcond=None)[0], cones, one)
    best, known, idle = (x, s, z), float(np.inf), 0
    for _ in range(STEPS):
        rx, rz, gap = c + G.T @ z, s + G @ x - h, float(s @ z)
        scale = 1.0 + abs(float(c @ x))
        off = max(gap / scale, _norm(rx) / (1.0 + _norm(c)), _norm(rz) / (1.0 + _norm(h)))
        idle = 0 if off < known else idle + 1
        if off < known:
            best, known = (x, s, z), off
        if off <= ENOUGH or (known < GOOD and idle > PATIENCE):
            break
        try:
            x, s, z = _stepped(x, s, z, rx, rz, gap / len(cones), G, cones, one)
        except (ValueError, np.linalg.LinAlgError):  # at the edge, to roundoff
            break
        if not np.isfinite(np.concatenate([x, s, z])).all():
            break
    x, s, z = best
    return ConeSolution(x, [s[k] for k in cones], [z[k] for k in cones], known)


def _stepped(x, s, z, rx, rz, mu, G, cones, one):
    if min(_depth(a[k]) for a in (s, z) for k in cones) <= 0.0:
        raise np.linalg.LinAlgError
    scalings = [_Scaling.of(s[k], z[k]) for k in cones]
    W, inverse = (block_diag(*(getattr(own, what) for own in scalings)) for what in ("matrix", "inverse"))
    level = W @ z
    if min(_depth(level[k]) for k in cones) <= 0.0:
        raise np.linalg.LinAlgError
    Q, R, order = qr(inverse @ G, mode="economic", pivoting=True)
    if np.abs(np.diag(R)).min() <= 1e-300:
        raise np.linalg.LinAlgError

    def solved(t: np.ndarray, part: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The step with W dz + W⁻¹ ds = t, that takes away `part` of the residuals."""
        right = solve_triangular(R, -part * rx[order], trans="T") - Q.T @ (part * inverse @ rz + t)
        dx = np.zeros_like(x)
        dx[order] = solve_triangular(R, right)
        scaled = inverse @ (G @ dx + part * rz) + t
        return dx, t - scaled, scaled  # W⁻¹ ds, W dz

    dx, ds, dz = solved(-level, 1.0)
    far = min(1.0, _reach(level, ds, cones), _reach(level, dz, cones))
    centre = (1.0 - far) ** 3
    wanted = _product(level, level, cones) + _product(ds, dz, cones) - centre * mu * one
    dx, ds, dz = solved(-_quotient(level, wanted, cones), 1.0 - centre)
    far = min(1.0, BACK * min(_reach(level, ds, cones), _reach(level, dz, cones)))
    return x + far * dx, s + far * (W @ ds), z + far * (inverse @ dz)


def _norm(a: np.ndarray) -> float:
    return float(np.linalg.norm(a))


def _depth(a: np.ndarray) -> float:
    """How far inside its cone a vector is."""
    return float(a[0] - np.linalg.norm(a[1:]))


def _size(a: np.ndarray) -> float:
    rest = float(np.linalg.norm(a[1:]))
    return float(np.sqrt(max((a[0] - rest) * (a[0] + rest), 0.0)))


def _inside(a: np.ndarray, cones: Sequence[slice], one: np.ndarray) -> np.ndarray:
    deep = min(_depth(a[k]) for k in cones)
    return a if deep > 1e-3 * np.linalg.norm(a) else a + (max(1.0, float(np.linalg.norm(a))) - deep) * one


def _product(a: np.ndarray, b: np.ndarray, cones: Sequence[slice]) -> np.ndarray:
    """(a·b, a₀ b₁ + b₀ a₁) of each cone."""
    parts = [np.append(a[k] @ b[k], a[k][0] * b[k][1:] + b[k][0] * a[k][1:]) for k in cones]
    return np.concatenate(parts)


def _quotient(a: np.ndarray, b: np.ndarray, cones: Sequence[slice]) -> np.ndarray:
    """The y with a∘y = b."""
    found = np.zeros_like(b)
    for k in cones:
        (a0, a1), (b0, b1) = (a[k][0], a[k][1:]), (b[k][0], b[k][1:])
        first = (a0 * b0 - a1 @ b1) / _size(a[k]) ** 2
        found[k] = np.append(first, (b1 - first * a1) / a0)
    return found


def _reach(a: np.ndarray, way: np.ndarray, cones: Sequence[slice]) -> float:
    """The largest t with a + t way inside all cones."""
    far = np.inf
    for k in cones:
        (a0, a1), (d0, d1) = (a[k][0], a[k][1:]), (way[k][0], way[k][1:])
        if d0 < 0.0:
            far = min(far, -a0 / d0)
        p, q, r = d0 * d0 - d1 @ d1, a0 * d0 - a1 @ d1, _size(a[k]) ** 2
        if (inner := q * q - p * r) < 0.0 or k.stop - k.start == 1:
            continue
        root = np.sqrt(inner)
        ends = [
            e for e in (r / (-q + root) if -q + root else np.inf, r / (-q - root) if -q - root else np.inf) if e > 0.0
        ]
        far = min([far, *ends])
    return far
