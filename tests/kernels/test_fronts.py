"""Fronts: the same solutions and the same ranks as of full matrices; few shapes, whatever the size."""

from __future__ import annotations

import numpy as np
import pytest
from gallery import load
from hypothesis import given, settings
from hypothesis import strategies as st

from mbs_dae.kernels.cache import counts
from mbs_dae.linear.fronts import tree
from mbs_dae.linear.fronts.wide import wide_front
from mbs_dae.linear.kkt import factorise, new_factor, solve
from mbs_dae.linear.pattern import Pattern, analyse

n_four_bar = load("n_four_bar")


def matrix(random: np.random.Generator, n: int, m: int, coupled: int) -> tuple[Pattern, np.ndarray, np.ndarray]:
    """Rows of a few entries each; W positive definite, with some entries beside its diagonal."""
    J = np.zeros((m, n))
    for row in J:
        row[random.choice(n, min(n, random.integers(1, 5)), replace=False)] = random.standard_normal(min(n, 4))[0]
    J *= random.standard_normal((m, n))
    B = np.eye(n) + np.diag(random.uniform(0.5, 2.0, n))
    for _ in range(coupled):
        i, j = random.choice(n, 2, replace=False)
        B[i, j] += 0.3 * random.standard_normal()
    W = B @ B.T
    below = np.nonzero(np.tril(W, -1))
    return analyse(n, m, *np.nonzero(J), *below), J, W


def factor_of(pattern: Pattern, J: np.ndarray, W: np.ndarray):
    factor = new_factor(pattern, np.diag(W))
    factor.jacobian[:] = J[pattern.jac_row, pattern.jac_column]
    factor.beside[:] = W[pattern.block_row, pattern.block_column]
    factorise(pattern, factor)
    return factor


def agree(pattern: Pattern, J: np.ndarray, W: np.ndarray, random: np.random.Generator) -> None:
    """Solutions; where W is diagonal, squared lengths of rows, and distances: their product is that of the Gram matrix,
    in whatever order."""
    (m, n), factor = J.shape, factor_of(pattern, J, W)
    f, g, x, multipliers = random.standard_normal(n), J @ random.standard_normal(n), np.zeros(n), np.zeros(m)
    solve(pattern, factor, f, g, x, multipliers, 3)
    np.testing.assert_allclose(J @ x, g, atol=1e-8 * (1 + np.abs(g).max(initial=0.0)))
    assert np.all((factor.independence >= 0) & (factor.independence <= 1 + 1e-12))
    if np.linalg.matrix_rank(J, tol=1e-6) == m:
        whole = np.block([[W, J.T], [J, np.zeros((m, m))]])
        exact = np.linalg.solve(whole, np.concatenate([f, g]))
        size = np.abs(exact).max()
        np.testing.assert_allclose(np.concatenate([x, multipliers]), exact, atol=1e-8 * size)


@given(st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_random_matrices(seed):
    """In few shapes, all by loops: `WIDE` is what decides, and shapes that come once need no kernel."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 12))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "WIDE", -1 if seed % 3 else 2)
        agree(*matrix(random, n, int(random.integers(0, n)), int(random.integers(0, n))), random)


def test_matrices_by_kernels():
    random = np.random.default_rng(5)
    for n, m, coupled in ((1, 0, 0), (3, 2, 0), (6, 4, 3), (12, 7, 5)):
        agree(*matrix(random, n, m, coupled), random)


def test_kernels_and_loops_give_the_same(monkeypatch):
    random = np.random.default_rng(8)
    pattern, J, W = matrix(random, 9, 6, 4)
    by_kernels = factor_of(pattern, J, W)
    monkeypatch.setattr(tree, "WIDE", -1)
    loops = analyse(9, 6, *np.nonzero(J), *np.nonzero(np.tril(W, -1)))
    assert {*loops.plan.kernels} == {wide_front.compile().address}
    assert wide_front.compile().address not in pattern.plan.kernels
    by_loops = factor_of(loops, J, W)
    np.testing.assert_allclose(by_loops.row_square, by_kernels.row_square, rtol=1e-13)
    np.testing.assert_allclose(by_loops.independence, by_kernels.independence, rtol=1e-10)


def test_rows_that_are_left_out_carry_nothing():
    random = np.random.default_rng(2)
    pattern, J, W = matrix(random, 8, 5, 2)
    J[3] = 0.0
    factor = factor_of(pattern, J, W)
    assert factor.independence[3] == 0.0
    assert factor.row_square[3] == 0.0
    factor.kept[1] = 0.0
    factorise(pattern, factor)
    assert factor.row_square[1] > 0.0
    x, multipliers = np.zeros(8), np.zeros(5)
    solve(pattern, factor, np.ones(8), np.zeros(5), x, multipliers, 0)
    assert multipliers[1] == multipliers[3] * 0.0 == 0.0
    kept = [0, 2, 4]
    np.testing.assert_allclose(J[kept] @ x, 0.0, atol=1e-9)


@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
def test_another_model_of_the_same_shapes_compiles_nothing(coordinates):
    """How fronts fall on a chain goes round with its length; so some lengths come first."""
    for loops in range(8, 15):
        assert n_four_bar.build(loops).compile(coordinates).mass_pattern
    before = counts.compiled
    long = n_four_bar.build(60).compile(coordinates).mass_pattern
    assert counts.compiled == before
    assert len({*long.plan.kernels}) < 12
    assert long.plan.fronts.sum() > 20
