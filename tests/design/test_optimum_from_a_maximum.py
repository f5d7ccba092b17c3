"""An optimum that begins where the slope of the objective is 0."""

import numpy as np
import pytest

import mbs_dae as mbs


@pytest.mark.parametrize("kind", ["min", "least_squares"])
def test_a_search_that_begins_at_a_maximum_steps_off(kind):
    """x of B is cos q + 2, which is largest at q = 0 and least at ± π."""
    model = mbs.PlanarModel("arm")
    q = model.parameter("q", 0.0)
    arm = model.body("arm")
    tip = arm.marker("tip", 1, 0)
    model.add(mbs.Revolute("A", model.ground.at(2, 0), arm), mbs.Driver("motor", mbs.angle(arm), q + 0 * mbs.t))
    found = mbs.optimize(mbs.at_end("arm.tip.x"), model, [0.0, 1.0], {"q": (-4.0, 4.0)}, kind=kind, verb="kinematics")
    assert tip is arm.tip and found.success
    assert abs(found.values["q"]) == pytest.approx(np.pi, abs=1e-4) and found.value <= 1.0 + 1e-7
    assert "depends" not in str(found)
