"""Steps are chosen for the motion. Where this rests, or is steady, they may be too long for how neighbours move."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

TIMES = [0.0, 1.0]


@pytest.fixture(scope="module")
def arm() -> mbs.PlanarModel:
    """It hangs at rest; torques c sin 20 t and b sin 10 t would move it, but both are 0."""
    model = mbs.PlanarModel("arm", gravity=(0, -9.81))
    b, c = model.parameter("b", 0.0), model.parameter("c", 0.0)
    rod = model.link("arm", (0, 0), (0, -0.5), mass=1.0)
    model.add(
        mbs.Revolute("A", model.ground, rod.tail),
        mbs.Torque("T", rod, b * sp.sin(10 * mbs.t) + c * sp.sin(20 * mbs.t)),
    )
    return model


def swung(rate: float) -> float:
    """ω(1) by the amplitude of J θ'' = sin(rate t) - D θ, small motions from rest."""
    J, D = 1.0 * 0.5**2 / 3, 9.81 * 0.25
    w = np.sqrt(D / J)
    return float((np.cos(rate) - np.cos(w)) * rate / (J * (w**2 - rate**2)))


def test_a_derivative_by_steps_that_are_too_long_is_none_and_told(arm):
    run = mbs.simulate(arm, TIMES, derivatives=["c"])
    assert run.stats["accepted"] < 10
    assert np.isnan(run.d("arm.omega", "c")).all()
    assert "too long" in run.stats["derivatives"] and "max_step=" in run.stats["derivatives"]


def test_with_shorter_steps_it_is_right(arm):
    run = mbs.simulate(arm, TIMES, derivatives=["b", "c"], max_step=0.02)
    assert "derivatives" not in run.stats
    assert np.allclose([run.d("arm.omega", name)[-1] for name in "bc"], [swung(10), swung(20)], rtol=1e-7)


@pytest.mark.parametrize("over", [["c"], ["b", "c"]], ids=["ahead", "back"])
def test_gradients_ask_for_shorter_steps(arm, over):
    with refused(("no-derivative", "steps-too-long")):
        mbs.gradient(mbs.at_end("arm.omega"), arm, TIMES, over=over)
    found = mbs.gradient(mbs.at_end("arm.omega"), arm, TIMES, over=over, max_step=0.02)
    assert np.isclose(found["c"], swung(20), rtol=1e-7)
