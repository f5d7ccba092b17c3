"""The elimination of trees of bodies, which forms no mass matrix, against dense algebra on that matrix."""

import numpy as np
import pytest
from gallery import load

from mbs_dae.compiled.masses import mass_matrix
from mbs_dae.linear.kkt import factorise, solve
from mbs_dae.linear.order import NONE, ordering
from mbs_dae.linear.tree.articulated import coupled_rows
from mbs_dae.motion.derivative import evaluate
from mbs_dae.motion.mechanism import mechanism
from mbs_dae.poses.dependence import PoseRank

LOOPS = ["stewart_platform", "bricard", "delta_robot", "four_bar", "rssr", "andrews_squeezer"]
MODELS = ["arm_6r", "double_pendulum", *LOOPS]


@pytest.fixture(params=MODELS)
def evaluated(request):
    """A run in a pose beside the placement, M, and the rows that are independent there."""
    system = load(request.param).build().compile("joint")
    random = np.random.default_rng(2)
    q = system.moved(system.placement, 0.01 * random.standard_normal(system.nv) / np.sqrt(system.weight))
    run = mechanism(system)
    factor, pattern = run.machine.factor, run.machine.pattern
    assert pattern.tree.edges == len(system.bodies) and not factor.soft.any()
    factor.kept[[*PoseRank(system, 0.0, system.placement).dependent(range(len(system.rows)))]] = 0.0
    evaluate(run, 0.0, q, random.standard_normal(system.nv))
    rows = np.zeros((pattern.m, pattern.n))
    rows[pattern.jac_row, pattern.jac_column] = factor.jacobian
    factorise(pattern, factor)
    return run.machine, mass_matrix(system, run.machine).toarray(), rows


def test_solutions_satisfy_the_equations(evaluated):
    machine, M, rows = evaluated
    n, m, random = machine.pattern.n, machine.pattern.m, np.random.default_rng(3)
    f, g, x, multipliers = random.standard_normal(n), random.standard_normal(m), np.zeros(n), np.zeros(m)
    for _ in range(2):  # nothing is left behind by the first
        solve(machine.pattern, machine.factor, f, g, x, multipliers, 3)
    kept = machine.factor.kept > 0.0
    force = M @ x + rows.T @ multipliers
    assert np.abs(force - f).max() < 1e-8 * max(np.abs(rows.T @ multipliers).max(initial=0.0), np.abs(M @ x).max())
    assert np.abs(rows @ x - g)[kept].max(initial=0.0) < 1e-8 * max(np.abs(x).max(), 1.0)
    assert (multipliers[~kept] == 0.0).all()


def test_pivots_are_squared_distances(evaluated):
    """Of a row from those that come before it and are kept, in the norm of M⁻¹."""
    machine, M, rows = evaluated
    factor, pattern = machine.factor, machine.pattern
    ends = pattern.jac_row[coupled_rows(pattern.jac_row, pattern.jac_column)].astype(int)
    order = ordering(pattern.m, 0, NONE, NONE, *np.unique(ends[:, ends[0] != ends[1]], axis=1)).order
    whitened = np.linalg.solve(np.linalg.cholesky(M), rows.T)
    before: list[int] = []
    for row in order:
        own, others = whitened[:, row], whitened[:, before]
        rest = own - others @ np.linalg.lstsq(others, own, rcond=None)[0] if before else own
        assert np.isclose(factor.row_square[row], own @ own, rtol=1e-9)
        assert np.isclose(factor.independence[row], (rest @ rest) / (own @ own) * factor.share[row], atol=1e-8)
        before += [row] if factor.kept[row] > 0.0 else []
