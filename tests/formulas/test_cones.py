"""Convex problems of statics: solutions have the properties that only solutions have."""

from __future__ import annotations

import numpy as np
import pytest

from mbs_dae.equilibria.contact.cones import least_cost
from mbs_dae.equilibria.contact.least import least_distance, pushed


@pytest.mark.parametrize("seed", range(6))
def test_the_least_cost_on_cones(seed):
    """Slacks and multipliers in the cones, c + Gᵀ z = 0, and no gap between c·x and -h·z: then x is optimal. The
    problem is made around points inside of both."""
    random, sizes, n = np.random.default_rng(seed), [1, 3, 2, 1, 4, 3], 6
    inside = [random.standard_normal(sum(sizes)) for _ in range(2)]
    at = np.cumsum([0, *sizes])
    for y in inside:
        for a, b in zip(at[:-1], at[1:], strict=True):
            y[a] = np.linalg.norm(y[a + 1 : b]) + random.uniform(0.1, 1.0)
    G = random.standard_normal((sum(sizes), n))
    h, c = G @ random.standard_normal(n) + inside[0], -G.T @ inside[1]
    found = least_cost(c, G, h, sizes)
    s, z = np.concatenate(found.slacks), np.concatenate(found.multipliers)
    assert np.abs(h - G @ found.x - s).max() < 1e-9 and np.abs(c + G.T @ z).max() < 1e-9
    assert min(y[0] - np.linalg.norm(y[1:]) for y in (*found.slacks, *found.multipliers)) >= 0.0
    assert abs(c @ found.x + h @ z) < 1e-8 and found.gap < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_the_nearest_point_behind_planes(seed):
    random = np.random.default_rng(seed)
    A, inside = random.standard_normal((7, 4)), random.standard_normal(4)
    h = A @ inside - random.uniform(0.0, 1.0, 7)
    u, w = least_distance(A, h)
    off = A @ u - h
    assert off.min() > -1e-12 and w.min() >= 0.0 and np.abs(off * w).max() < 1e-12
    assert np.abs(u - A.T @ w).max() < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_that_there_is_no_point_is_proved(seed):
    """One more plane contradicts others by very little."""
    random = np.random.default_rng(seed)
    A = random.standard_normal((7, 4))
    A[-1] = -random.uniform(0.1, 1.0, 3) @ A[:3]
    h, weights = np.append(-np.ones(6), 0.0), np.linalg.lstsq(A[:3].T, -A[-1], rcond=None)[0]
    h[-1] = -weights @ h[:3] + 1e-9
    u, w = least_distance(A, h)
    assert u is None and w.min() >= 0.0 and np.abs(A.T @ w).max() < 1e-12 * w.sum() and abs(h @ w - 1.0) < 1e-6
    h[-1] -= 2e-9
    u, w = least_distance(A, h)
    assert u is not None and (A @ u - h).min() > -1e-12


def test_what_presses_leaves_no_more_than_it_must():
    random = np.random.default_rng(1)
    A, r = random.standard_normal((5, 4)), random.standard_normal(4)
    f = pushed(A, r)
    opens = A @ (r + A.T @ f)
    assert f.min() >= 0.0 and opens.min() > -1e-12 and np.abs(opens * f).max() < 1e-12
