"""Convex problems of statics: solutions have the properties that only solutions have."""

from __future__ import annotations

import numpy as np
import pytest

from mbs_dae.equilibria.contact.exact import compressive_forces, least_distance


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
    f = compressive_forces(A, r)
    opens = A @ (r + A.T @ f)
    assert f.min() >= 0.0 and opens.min() > -1e-12 and np.abs(opens * f).max() < 1e-12
