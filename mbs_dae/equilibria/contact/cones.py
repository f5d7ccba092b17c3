"""Convex problems on second-order cones: a linear cost, and vectors (a, b) with |b| ≤ a.

    c·x least,      h - G x ∈ K,      K = { (a, b): |b| ≤ a } × ...

A cone of one item is a ≥ 0. The method goes inside the cones along the path on which the products s∘z of the slacks
s = h - G x and the multipliers z of all cones are the same, in the scaling of Nesterov and Todd, W z = W⁻¹ s = λ, with
Mehrotra's second try in each step. Who calls has made sure that there is a solution, and that it has no x in vain: that
slacks and multipliers inside all cones exist.

Vectors of all cones are the rows of one array, with zeros behind those that are shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular

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
    """W of all cones, W z = W⁻¹ s."""

    sizes: np.ndarray
    w: np.ndarray

    @staticmethod
    def of(s: np.ndarray, z: np.ndarray) -> _Scaling:
        inner, outer = _size(s), _size(z)
        s, z = s / inner[:, None], z / outer[:, None]
        w = (s + _turned(z)) / np.sqrt(2.0 * (1.0 + (s * z).sum(axis=1)))[:, None]
        return _Scaling(np.sqrt(inner / outer), w)

    def times(self, a: np.ndarray) -> np.ndarray:
        return self._turn(self.w, a) * self.sizes[(slice(None), *[None] * (a.ndim - 1))]

    def into(self, a: np.ndarray) -> np.ndarray:
        """W⁻¹ a"""
        return self._turn(_turned(self.w), a) / self.sizes[(slice(None), *[None] * (a.ndim - 1))]

    @staticmethod
    def _turn(w: np.ndarray, a: np.ndarray) -> np.ndarray:
        along = np.einsum("ki,ki...->k...", w[:, 1:], a[:, 1:])
        first, rest = w[:, 0], w[:, 1:]
        if a.ndim == 3:
            first, rest = first[:, None], rest[:, :, None]
        top = first * a[:, 0] + along
        return np.concatenate([top[:, None], a[:, 1:] + rest * (a[:, 0] + along / (1.0 + first))[:, None]], axis=1)


def least_cost(c: np.ndarray, G: np.ndarray, h: np.ndarray, sizes: Sequence[int]) -> ConeSolution:
    """`sizes` are those of the cones, one after the other in the rows of G and h."""
    cones, wide = len(sizes), max(sizes)
    place = np.concatenate([k * wide + np.arange(size) for k, size in enumerate(sizes)])
    flat, right = np.zeros((cones * wide, G.shape[1])), np.zeros(cones * wide)
    flat[place], right[place] = G, h
    x = np.linalg.lstsq(G, h, rcond=None)[0]
    h, multipliers = right.reshape(cones, wide), np.zeros(cones * wide)
    multipliers[place] = -np.linalg.lstsq(G.T, c, rcond=None)[0]
    s, z = _inside(h - (flat @ x).reshape(h.shape)), _inside(multipliers.reshape(h.shape))
    best, known, idle = (x, s, z), float(np.inf), 0
    for _ in range(STEPS):
        rx, rz, gap = c + flat.T @ z.ravel(), s + (flat @ x).reshape(h.shape) - h, float((s * z).sum())
        scale = 1.0 + abs(float(c @ x))
        off = max(gap / scale, _norm(rx) / (1.0 + _norm(c)), _norm(rz) / (1.0 + _norm(h)))
        idle = 0 if off < known else idle + 1
        if off < known:
            best, known = (x, s, z), off
        if off <= ENOUGH or (known < GOOD and idle > PATIENCE):
            break
        try:
            x, s, z = _stepped(x, s, z, rx, rz, gap / cones, flat)
        except (ValueError, np.linalg.LinAlgError):  # at the edge, to roundoff
            break
        if not (np.isfinite(x).all() and np.isfinite(s).all() and np.isfinite(z).all()):
            break
    x, s, z = best
    own = [[row[:size] for row, size in zip(a, sizes, strict=True)] for a in (s, z)]
    return ConeSolution(x, own[0], own[1], known)


def _stepped(x, s, z, rx, rz, mu, flat):
    if min(_depths(s).min(), _depths(z).min()) <= 0.0:
        raise np.linalg.LinAlgError
    W = _Scaling.of(s, z)
    level = W.times(z)
    if _depths(level).min() <= 0.0:
        raise np.linalg.LinAlgError
    G = flat.reshape(*s.shape, -1)
    Q, R, order = qr(W.into(G).reshape(flat.shape), mode="economic", pivoting=True)
    if np.abs(np.diag(R)).min() <= 1e-300:
        raise np.linalg.LinAlgError

    def solved(t: np.ndarray, part: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The step with W dz + W⁻¹ ds = t, that takes away `part` of the residuals."""
        off = part * W.into(rz) + t
        right = solve_triangular(R, -part * rx[order], trans="T") - Q.T @ off.ravel()
        dx = np.zeros_like(x)
        dx[order] = solve_triangular(R, right)
        scaled = W.into((flat @ dx).reshape(s.shape)) + off
        return dx, t - scaled, scaled  # W⁻¹ ds, W dz

    dx, ds, dz = solved(-level, 1.0)
    far = min(1.0, _reach(level, ds), _reach(level, dz))
    centre = (1.0 - far) ** 3
    wanted = _product(level, level) + _product(ds, dz)
    wanted[:, 0] -= centre * mu
    dx, ds, dz = solved(-_quotient(level, wanted), 1.0 - centre)
    far = min(1.0, BACK * min(_reach(level, ds), _reach(level, dz)))
    return x + far * dx, s + far * W.times(ds), z + far * W.into(dz)


def _norm(a: np.ndarray) -> float:
    return float(np.linalg.norm(a))


def _turned(a: np.ndarray) -> np.ndarray:
    return np.hstack([a[:, :1], -a[:, 1:]])


def _depths(a: np.ndarray) -> np.ndarray:
    """How far inside their cones vectors are."""
    return a[:, 0] - np.linalg.norm(a[:, 1:], axis=1)


def _size(a: np.ndarray) -> np.ndarray:
    rest = np.linalg.norm(a[:, 1:], axis=1)
    return np.sqrt(np.maximum((a[:, 0] - rest) * (a[:, 0] + rest), 0.0))


def _inside(a: np.ndarray) -> np.ndarray:
    deep, a = float(_depths(a).min()), a.copy()
    if deep <= 1e-3 * _norm(a):
        a[:, 0] += max(1.0, _norm(a)) - deep
    return a


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(a·b, a₀ b₁ + b₀ a₁) of each cone."""
    return np.hstack([(a * b).sum(axis=1)[:, None], a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:]])


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The y with a∘y = b."""
    first = (a * _turned(b)).sum(axis=1) / _size(a) ** 2
    return np.hstack([first[:, None], (b[:, 1:] - first[:, None] * a[:, 1:]) / a[:, :1]])


def _reach(a: np.ndarray, way: np.ndarray) -> float:
    """The largest t with a + t way inside all cones."""
    p, q = ((one * _turned(way)).sum(axis=1) for one in (way, a))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        r, edge = _size(a) ** 2, np.where(way[:, 0] < 0.0, -a[:, 0] / way[:, 0], np.inf)
        root = np.sqrt(q * q - p * r)  # none where the way misses the edge
        ends = np.concatenate([edge, r / (-q + root), r / (-q - root)])
    return float(ends[ends > 0.0].min(initial=np.inf))
