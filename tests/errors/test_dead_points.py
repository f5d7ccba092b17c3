"""Friction of a joint that no motion moves at first: a start at rest on a dead point leaves it."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs


def slider_crank(angle: float) -> mbs.PlanarModel:
    model, r, l = mbs.PlanarModel("slider-crank", gravity=(0, -9.81)), 0.1, 0.3
    pin = (r * np.cos(angle), r * np.sin(angle))
    end = (pin[0] + np.sqrt(l**2 - pin[1] ** 2), 0)
    crank, rod = model.link("crank", (0, 0), pin, mass=1), model.link("rod", pin, end, mass=1)
    slider = model.body("slider", mass=1, position=end)
    guide = mbs.Translational("G", model.ground, slider)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        guide,
        mbs.Friction("rub", guide, mu=0.1),
        mbs.Torque("M", crank, 2.0),
    )
    return model


@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_a_start_at_rest_on_a_dead_point_leaves_it(angle):
    """The guide moves with the square of the angle: at first its friction does no work, and the crank has r²/3 of its
    own inertia and r²/4 + r²/12 of the rod, against the torque and both weights at r/2."""
    r, run = 0.1, mbs.simulate(slider_crank(angle), np.linspace(0, 0.05, 6))
    assert run["crank.alpha"][0] == pytest.approx((2.0 - 9.81 * r * np.cos(angle)) / (2 / 3 * r**2), rel=1e-9)
    assert run.success and abs(run["crank.angle"][-1] - angle) > 0.1


@pytest.mark.parametrize(("angle", "initial"), [(0.01, None), (0.0, {"crank.omega": 5.0})])
def test_beside_it_or_with_a_velocity_it_runs(angle, initial):
    assert mbs.simulate(slider_crank(angle), np.linspace(0, 0.1, 3), initial=initial).success
