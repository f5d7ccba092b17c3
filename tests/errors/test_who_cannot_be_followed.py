"""A law with an undetectable jump ends the run, and the error names this law alone."""

import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_of_many_laws_the_one_that_jumps_is_named(method):
    model = mbs.PlanarModel("two slides", gravity=(0, -10))
    a, b = model.body("a", 1.0, 1.0), model.body("b", 1.0, 1.0)
    first = model.add(mbs.Translational("first", model.ground, a))
    second = model.add(mbs.Translational("second", model.ground, b))
    model.add(mbs.Friction("rub", first, mu=0.1), mbs.Friction("rubB", second, mu=0.1))
    model.add(mbs.Stop("open", mbs.displacement(second), upper=9.0))
    model.add(mbs.Contact("step", model.ground, a, gap=lambda i, j: j.y + 1 - sp.atan(1 / (j.x - sp.Float(0.51)))))
    with refused("jump", mbs.MbsError, joints=["first"], mentions="step") as caught:
        mbs.simulate(model, [0, 1], {"a.vx": 3.0, "b.vx": 3.0}, method=method)
    assert "'rub" not in str(caught.value) and "'open'" not in str(caught.value)
