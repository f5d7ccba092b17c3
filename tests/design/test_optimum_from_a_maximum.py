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


def turned(count=1):
    """Arms of 1 m about one pin at x = 2, each held at an angle that is a parameter, at first 0."""
    model = mbs.PlanarModel("arms")
    for k in range(count):
        q, arm = model.parameter(f"q{k}", 0.0), model.body(f"arm{k}")
        arm.marker("tip", 1, 0)
        pin = model.add(mbs.Revolute(f"A{k}", model.ground.at(2, 0), arm))
        model.add(mbs.Driver(f"motor{k}", mbs.angle(pin), q + 0 * mbs.t))
    return model


@pytest.mark.parametrize("side", [1, -1])
def test_a_search_with_limits_leaves_a_maximum_to_where_they_hold(side):
    """Only one way down from q = 0 keeps the limit on y, to where cos q is least."""
    limits = [side * mbs.at_end("arm0.tip.y") <= 1e-9]
    found = mbs.optimize(
        mbs.at_end("arm0.tip.x"), turned(), [0.0, 1.0], {"q0": (-3, 3)}, subject_to=limits, verb="kinematics"
    )
    assert found.values["q0"] == pytest.approx(-3.0 * side, abs=1e-6) and found.success


def test_a_search_leaves_a_saddle_along_which_no_number_falls_alone():
    """sin p sin q is 0 with slope 0 at the start, and stays 0 along each number; it is least, -1, at p = -q = π/2."""
    objective = mbs.at_end("arm0.tip.y") * mbs.at_end("arm1.tip.y")
    over = {"q0": (-3, 3), "q1": (-3, 3)}
    found = mbs.optimize(objective, turned(2), [0.0, 1.0], over, verb="kinematics")
    assert found.value == pytest.approx(-1.0, abs=1e-9)
    assert found.values["q0"] == pytest.approx(-found.values["q1"], abs=1e-5)


def test_a_search_that_begins_at_the_least_value_stays():
    model = turned().with_parameters(q0=np.pi)
    found = mbs.optimize(mbs.at_end("arm0.tip.x"), model, [0.0, 1.0], {"q0": (0, 6)}, verb="kinematics")
    assert found.success and found.values["q0"] == pytest.approx(np.pi, abs=1e-9)
