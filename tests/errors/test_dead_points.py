"""A guide that rubs at a dead point, where no free motion moves it, is no error: the run starts at rest, beside it, or
with a velocity (tests/closed_form/test_starts_at_dead_centres.py has the motion)."""

from __future__ import annotations

import numpy as np
import pytest
from rubbing import rubbing_slider_crank

import mbs_dae as mbs


@pytest.mark.parametrize(("angle", "initial"), [(0.0, None), (np.pi, None), (0.01, None), (0.0, {"crank.omega": 5.0})])
def test_a_guide_that_rubs_starts_at_a_dead_point(angle, initial):
    model = rubbing_slider_crank(angle)
    model.add(mbs.Torque("M", model.bodies["crank"], 2.0))
    assert mbs.simulate(model, np.linspace(0, 0.1, 3), initial=initial).success


def toggle():
    """Return two rods of 0.5 m and 0.583 m that a driver stretches with 0.2 m/s, from 0.9 m on."""
    model, up = mbs.PlanarModel("toggle", gravity=(0, -9.81)), np.pi / 2
    arm, strut = model.link("arm", (0, 0), (0.3, 0.4), mass=2.0), model.link("strut", (0.3, 0.4), (0, 0.9), mass=1.5)
    ram = model.body("ram", mass=10.0, inertia=1.0, position=(0, 0.9))
    model.add(
        mbs.Revolute("O", model.ground, arm.tail),
        mbs.Revolute("K", arm.head, strut.tail),
        mbs.Revolute("T", strut.head, ram),
        mbs.Translational("slide", model.ground.at(0, 0, angle=up), ram.at(0, 0, angle=up)),
        mbs.Driver("lift", mbs.y(ram), 0.9 + 0.2 * mbs.t),
    )
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_a_run_that_is_driven_beyond_full_stretch_is_told_the_dead_point(coordinates):
    system, stretched = toggle().compile(coordinates), (0.5 + np.hypot(0.3, 0.5) - 0.9) / 0.2
    assert mbs.simulate(system, np.linspace(0, 0.9, 3)).success
    with pytest.raises(mbs.SingularConfigurationError, match="comes to a dead point near t = 0.91.*no pose") as e:
        mbs.simulate(system, np.linspace(0, 2, 41))
    assert stretched - 0.01 < e.value.time < stretched + 1e-6 and {"O", "K", "T", "lift"} <= {*e.value.joints}
    assert "drive another coordinate (mbs.follow" in str(e.value) and "Projection" not in str(e.value)
    assert e.value.result.t[-1] == pytest.approx(0.9)
