"""Directions of the branches of a curve at the pose in which they meet.

There Φ_v leaves two motions or more, N c, and the remaining equations are of second order: for each u with uᵀ Φ_v = 0

    uᵀ γ(N c) = 0,

a homogeneous quadratic equation for c. One equation in two unknowns has two solutions (branches that cross), none (a
single pose), or a double one: then the second order does not decide.
"""

from __future__ import annotations

import numpy as np

from ...tolerances import BRANCH_DISTANCE, CURVATURE_FLOOR, CURVE_STEP, DISCRIMINANT
from ..local import Local
from .track import ArcPlace, ArcTrack

STARTS, ROUNDS = 400, 60
"""Numbers of starts and of Newton steps, where more than two motions are left."""


def tangents_of(here: Local) -> np.ndarray:
    """Return the tangents of all branches through a singular pose, a row each, of unit length by W; none where the
    second order does not decide."""
    system = here.system
    forms = here.forms(here.rank)
    _, sizes, independent = np.linalg.svd(forms.reshape(len(forms), -1), full_matrices=False)
    directions = _common_zeros(independent[sizes > CURVATURE_FLOOR / system.length].reshape(-1, *forms.shape[1:]))
    out = np.zeros((len(directions), system.still.size))
    out[:, : system.nv] = directions @ here.motions(here.rank).T
    return out


def _common_zeros(forms: np.ndarray) -> np.ndarray:
    """Return the directions, a row each, in which all these quadratic forms are zero; with two unknowns only those
    where the form changes its sign."""
    if not len(forms):
        return np.zeros((0, forms.shape[-1]))
    count = forms.shape[-1]
    if count == 2:
        a, b, c = forms[0, 0, 0], forms[0, 0, 1], forms[0, 1, 1]
        disc = b * b - a * c
        if disc <= DISCRIMINANT * (a * a + 2 * b * b + c * c):
            return np.zeros((0, 2))
        far = -b - np.copysign(np.sqrt(disc), b)  # a x² + 2 b x y + c y² = 0: (x, y) = (far, a) and (c, far)
        found = np.array([[far, a], [c, far]])
    else:
        found = _searched(forms)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    off = np.abs(np.einsum("ni,kij,nj->nk", found, forms, found)).max(axis=1, initial=0.0)
    return found[off < 1e-8]


def _searched(forms: np.ndarray) -> np.ndarray:
    """Return the regular common zeros of forms, at least as many as unknowns less one: by Newton's method on the sphere
    from many starts, which are the same in every call."""
    k, count, _ = forms.shape
    found: list[np.ndarray] = []
    if k < count - 1:
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


def beyond(track: ArcTrack, base: ArcPlace, tangent: np.ndarray, far: float = BRANCH_DISTANCE) -> ArcPlace | None:
    """Return the first regular place of the branch with this tangent, a little beyond a branch point; None if there is
    none."""
    still = ArcPlace(base.s, base.q, tangent, track.system.still)
    h, n = far * track.system.length, track.system.nv
    while h > 10 * CURVE_STEP * track.system.length:
        after = track.from_place(still, h)
        if after is not None and float(track.machine.norm @ (after.v * tangent)[:n]) > 0.99:
            return after
        h *= 0.25
    return None
