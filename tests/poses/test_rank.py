"""Ranks of matrices that are no mechanism's, against their singular values."""

from types import SimpleNamespace

import numpy as np
import pytest

from mbs_dae.linear.kkt import factorise, new_factor
from mbs_dae.linear.pattern import analyse
from mbs_dae.poses.dependence import PoseRank
from mbs_dae.tolerances import ROW_DEPENDENCE

RANDOM = np.random.default_rng(11)


class RankOf(PoseRank):
    """Of the rows of a matrix."""

    def __init__(self, J: np.ndarray):
        rows, columns = np.nonzero(J)
        none = np.zeros(0, dtype=np.int64)
        pattern = analyse(J.shape[1], J.shape[0], rows, columns, none, none)
        self.system = SimpleNamespace(rows=range(J.shape[0]), pattern=pattern)
        self.machine = SimpleNamespace(pattern=pattern, factor=new_factor(pattern, np.ones(J.shape[1])))
        self.threshold, self.jacobian, self.active = ROW_DEPENDENCE, J[rows, columns], np.ones(J.shape[0], dtype=bool)
        factor = self.machine.factor
        factor.truncation[0], factor.jacobian[:] = self.threshold, self.jacobian
        factorise(pattern, factor)


def dependent(J: np.ndarray) -> list[int]:
    return RankOf(J).dependent(range(J.shape[0]))


def checked(J: np.ndarray, deficiency: int) -> None:
    """As many rows as that are dependent; and what remains has full rank."""
    out = dependent(J)
    rest = np.delete(J, out, axis=0)
    assert len(out) == deficiency
    values = np.linalg.svd(rest / np.linalg.norm(rest, axis=1)[:, None], compute_uv=False)
    assert values.min() > 1e-7


@pytest.mark.parametrize("size", [3, 12, 60])
@pytest.mark.parametrize("deficiency", [0, 1, 3])
def test_full_matrices_with_rows_of_all_sizes(size, deficiency):
    J = RANDOM.standard_normal((size + deficiency, size + 2))
    J[size:] = RANDOM.standard_normal((deficiency, size)) @ J[:size]
    J = RANDOM.permutation(10.0 ** RANDOM.uniform(-3, 3, len(J))[:, None] * J)
    checked(J, deficiency)


@pytest.mark.parametrize("size", [30, 100, 300])
@pytest.mark.parametrize("deficiency", [0, 1, 7])
def test_sparse_matrices(size, deficiency):
    """As of long mechanisms: each row speaks of a few neighbours; a dependent one of three of these."""
    J = np.zeros((size + deficiency, 2 * size + 6))
    for k in range(size):
        J[k, 2 * k : 2 * k + 6] = RANDOM.standard_normal(6)
    for k in range(size, size + deficiency):
        first = RANDOM.integers(size - 3)
        J[k] = RANDOM.uniform(0.5, 2.0, 3) @ J[first : first + 3]
    checked(J[RANDOM.permutation(len(J))], deficiency)


@pytest.mark.parametrize("size", [10, 40, 90])
def test_pivots_do_not_hide_a_small_singular_value(size):
    """Kahan's matrix: every row is far from those before it, and its smallest singular value falls with its size."""
    s, c = np.sin(1.2), np.cos(1.2)
    J = np.diag(s ** np.arange(size)) @ (np.eye(size) - c * np.triu(np.ones((size, size)), 1))
    J /= np.linalg.norm(J, axis=1)[:, None]
    J = J[::-1].copy()  # so that the last row eliminated is the one that depends
    least = np.linalg.svd(J, compute_uv=False)[-1]
    assert len(dependent(J)) == (1 if least < 1e-8 else 0)
