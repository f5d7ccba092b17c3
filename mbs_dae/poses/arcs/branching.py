"""Where branches of a curve meet, and how each of them goes on.

With the tangent v as one more row the matrix [Φ_v; vᵀW] is of full rank along a curve, and loses it in a branch point.
There Φ_v leaves two motions or more, N c, and what is left of the equations is of second order: for each u with
uᵀ Φ_v = 0

    uᵀ γ(N c) = 0,

a homogeneous quadratic equation for c. Of one equation in two unknowns there are two solutions (branches that cross),
none (a single pose), or one that counts twice: then the second order does not decide.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import brentq

from ...compiled import System
from ...compiled.machine import observe
from .steps import SMALLEST
from .tracing import Traced
from .track import Place, Track

LOST = 1e-6
"""A singular value less than this, relative to the largest, is zero in a pose that is found as a singular one."""
FLAT = 1e-7
"""Neither are quadratic equations with coefficients less than this, relative to the largest curvature."""
STARTS, ROUNDS = 400, 60
"""Of Newton's method, where more than two motions are left."""
ASIDE = 1e-3
"""How far beyond a branch point a branch is taken up, in lengths of the model."""


def crossings(track: Track, traced: Traced) -> list[tuple[Place, np.ndarray]]:
    """The branch points that a curve passes, with the tangents of all branches, a row each."""
    found = []
    for k in np.flatnonzero(traced.passed):
        place = _singular_between(track, traced.place(k - 1), traced.place(k))
        if place is not None and len(tangents := tangents_at(track, place.q)) > 1:
            found.append((place, tangents))
    return found


def _singular_between(track: Track, first: Place, last: Place) -> Place | None:
    """Where the smallest singular value changes its sign, on the smooth curve through two places."""
    between = _smooth(track, first, last)
    u0, _, w0 = _weakest(track, first)

    def value(x: float) -> float:
        u, size, w = _weakest(track, between(x))
        return size * (1.0 if (u @ u0) * (w @ w0) >= 0.0 else -1.0)

    if value(0.0) * value(1.0) > 0.0:
        return None
    return between(brentq(value, 0.0, 1.0, xtol=1e-12))


def _weakest(track: Track, place: Place) -> tuple[np.ndarray, float, np.ndarray]:
    """The smallest singular direction of [Φ_v; vᵀW], that of redundant rows left aside."""
    root, n = np.sqrt(track.machine.norm), track.system.nv
    rows = np.vstack([scaled_rows(track.system, track.t, place.q), (root * place.v[:n])[None]])
    u, sizes, w = np.linalg.svd(rows)
    return u[:, n - 1], float(sizes[n - 1]), w[n - 1]


def scaled_rows(system: System, t: float, q: np.ndarray) -> np.ndarray:
    """Φ_v over the velocities times √W, dense, with rows of unit length."""
    rows = system.jacobian(t, q).toarray()[:, : system.nv] / np.sqrt(system.weight[: system.nv])
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 1e-12 * length.max(initial=1e-300), length, 1.0)


def _smooth(track: Track, first: Place, last: Place) -> Callable[[float], Place]:
    """The places on the curve of fifth order through two that are next to each other, from 0 to 1."""
    system, h, n = track.system, last.s - first.s, track.system.nv
    way, v0, v1 = system.between(first.q, last.q), first.v[:n] * h, last.v[:n] * h
    a0, a1 = first.a[:n] * h * h, last.a[:n] * h * h
    c3 = 10 * way - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15 * way + 8 * v0 + 7 * v1 + 1.5 * a0 - a1
    c5 = 6 * way - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1

    def place(x: float) -> Place:
        step = x * (v0 + x * (0.5 * a0 + x * (c3 + x * (c4 + x * c5))))
        v = system.still
        v[:n] = v0 + x * (a0 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))
        v[:n] /= np.sqrt(track.machine.norm @ v[:n] ** 2)
        q = system.moved(first.q, step)
        return Place(first.s + x * h, q, v, (1.0 - x) * first.a + x * last.a)

    return place


# --- the tangents of all branches -------------------------------------------------------------------------------------


def tangents_at(track: Track, q: np.ndarray) -> np.ndarray:
    """The tangents of all branches through a singular pose, a row each (W-long 1); none where the second order does not
    decide."""
    system, n = track.system, track.system.nv
    rows = scaled_rows(system, track.t, q)
    N = null_space(rows, rcond=LOST) / np.sqrt(track.machine.norm)[:, None]
    U = null_space(rows.T, rcond=LOST)
    directions = _common_zeros(_quadrics(track, q, N, U))
    out = np.zeros((len(directions), system.still.size))
    out[:, :n] = directions @ N.T
    return out


def _quadrics(track: Track, q: np.ndarray, N: np.ndarray, U: np.ndarray) -> np.ndarray:
    """The symmetric matrices of uᵀ γ(N c), one for each independent u."""
    count = N.shape[1]
    forms = np.zeros((U.shape[1], count, count))
    single = [_bending(track, q, N[:, i]) @ U for i in range(count)]
    for i in range(count):
        for j in range(count):
            both = _bending(track, q, N[:, i] + N[:, j]) @ U if i != j else 4.0 * single[i]
            forms[:, i, j] = 0.5 * (both - single[i] - single[j])
    _, sizes, independent = np.linalg.svd(forms.reshape(len(forms), -1), full_matrices=False)
    scale = 1.0 / track.system.length**2
    return independent[sizes > FLAT * scale].reshape(-1, count, count)


def _bending(track: Track, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """What γ has with the square of a velocity, over the lengths of the rows."""
    system, machine, full = track.system, track.machine, track.system.still
    full[: v.size] = v
    gamma = []
    for velocity in (full, -full, system.still):
        observe(machine, track.t, q, velocity)
        gamma.append(machine.gamma.copy())
    rows = system.jacobian(track.t, q).toarray()[:, : system.nv] / np.sqrt(system.weight[: system.nv])
    length = np.linalg.norm(rows, axis=1)
    return (0.5 * (gamma[0] + gamma[1]) - gamma[2]) / np.where(length > 1e-12 * length.max(initial=1e-300), length, 1.0)


def _common_zeros(forms: np.ndarray) -> np.ndarray:
    """The directions, a row each, in which all these quadratic forms are zero, and change their sign."""
    if not len(forms):
        return np.zeros((0, forms.shape[-1]))
    count = forms.shape[-1]
    if count == 2:
        a, b, c = forms[0, 0, 0], forms[0, 0, 1], forms[0, 1, 1]
        disc = b * b - a * c
        if disc <= 1e-10 * (a * a + 2 * b * b + c * c):
            return np.zeros((0, 2))
        far = -b - np.copysign(np.sqrt(disc), b)  # a x² + 2 b x y + c y² = 0: (x, y) = (far, a) and (c, far)
        found = np.array([[far, a], [c, far]])
    else:
        found = _searched(forms)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    off = np.abs(np.einsum("ni,kij,nj->nk", found, forms, found)).max(axis=1, initial=0.0)
    return found[off < 1e-8]


def _searched(forms: np.ndarray) -> np.ndarray:
    """The common zeros of as many forms as there are unknowns, less one: by Newton's method on the sphere from many
    starts, always the same ones; those that are regular."""
    k, count, _ = forms.shape
    found: list[np.ndarray] = []
    if k != count - 1:
        return np.zeros((0, count))
    for start in np.random.default_rng(11).standard_normal((STARTS, count)):
        c = start / np.linalg.norm(start)
        for _ in range(ROUNDS):
            rows = np.vstack([2.0 * forms @ c, c[None]])
            values = np.append(np.einsum("i,kij,j->k", c, forms, c), 0.0)
            c = c - np.linalg.lstsq(rows, values, rcond=1e-12)[0]
            c /= np.linalg.norm(c)
            if np.abs(values).max() < 1e-14:
                break
        regular = np.linalg.svd(np.vstack([2.0 * forms @ c, c[None]]), compute_uv=False)[-1] > 1e-6
        new = all(abs(c @ other) < 1.0 - 1e-8 for other in found)
        if regular and new and np.abs(np.einsum("i,kij,j->k", c, forms, c)).max() < 1e-12:
            found.append(c)
    return np.array(found).reshape(-1, count)


def beyond(track: Track, q: np.ndarray, tangent: np.ndarray) -> Place | None:
    """The first regular place of the branch with this tangent, a little beyond a branch point."""
    still = Place(0.0, q, tangent, track.system.still)
    h, n = ASIDE * track.system.length, track.system.nv
    while h > 10 * SMALLEST * track.system.length:
        after = track.from_place(still, h)
        if after is not None and float(track.machine.norm @ (after.v * tangent)[:n]) > 0.99:
            return after._replace(s=0.0)
        h *= 0.25
    return None
