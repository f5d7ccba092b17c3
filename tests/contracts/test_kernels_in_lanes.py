"""Kernels in lanes compute, to the last bit, what they compute alone.

Every registered joint and force, in the plane and in space: eight random states with eight different sets of
parameters, side by side and one after the other. That each operation is the same is shown in tests/kernels; so of the
options of a class, which are other operands, and of other coordinates one case does, and all are a soak.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from covering import covering, parts_of_a_contract
from stage import motions
from test_force_contract import CASES
from test_joint_contract import CONSTRAINTS, JOINTS, constraint_case, joint_case
from test_slopes import outputs

from mbs_dae.compiled.batch import Batch, WideBatch, evaluate_in_lanes, in_lanes
from mbs_dae.kernels.abi import compiled_apart
from mbs_dae.kernels.lanes import Lanes, lanes
from mbs_dae.kernels.llvm import LANES


@compiled_apart
def evaluate(wide: WideBatch, t: Lanes, q: Lanes, v: Lanes):
    evaluate_in_lanes(wide, t, q, v)


def one_of_each_class(cases: list[Any]) -> list[Any]:
    moving = [case for case in cases if "all moving" in case.id]
    return covering(moving, lambda case: [next(parts_of_a_contract(case))])


def check(batch: Batch, t: float, q: np.ndarray, v: np.ndarray) -> None:
    random, wide = np.random.default_rng(batch.out_size), in_lanes(batch)
    times, places, rates = lanes(1, q.size, v.size)
    own = batch.parameters.copy()
    for lane in range(LANES):
        times[:, lane] = t + 0.1 * random.standard_normal()
        places[:, lane] = q + 0.1 * random.standard_normal(q.size)
        rates[:, lane] = v + 0.1 * random.standard_normal(v.size)
        wide.parameters[:, lane] = own * random.choice([1.0, 1.25], own.size)
        wide.parameters[own == np.floor(own), lane] = own[own == np.floor(own)]  # where tables begin
    evaluate(wide, times, places, rates)
    try:
        for lane in range(LANES):
            batch.parameters[:] = wide.parameters[:, lane]
            alone = outputs(batch, times[0, lane], places[:, lane].copy(), rates[:, lane].copy())
            np.testing.assert_array_equal(wide.out[:-1, lane], alone)
    finally:
        batch.parameters[:] = own


def check_element(case: Any, dynamic: bool) -> None:
    system = case.stage.model.compile()
    (motion,) = motions(case.stage, 1)
    q, v, _ = (x[0] for x in system.from_bodies((motion.q0[None], motion.v0[None], motion.a0[None])))
    for batch in (system.program.batch, system.dynamics.batch) if dynamic else (system.program.batch,):
        check(batch, motion.t0, q, v)


@pytest.mark.parametrize(("cls", "dimension", "name", "count", "chosen", "form", "where"), one_of_each_class(JOINTS))
def test_a_joint_in_lanes(cls, dimension, name, count, chosen, form, where):
    check_element(joint_case(cls, dimension, name, count, chosen, form, where), dynamic=False)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("of", CONSTRAINTS, ids=lambda f: f.__name__)
def test_a_constraint_in_lanes(of, dimension):
    check_element(constraint_case(of, False, dimension), dynamic=False)


@pytest.mark.parametrize(("build", "arguments"), one_of_each_class(CASES))
def test_a_force_in_lanes(build, arguments):
    check_element(build(*arguments), dynamic=True)
