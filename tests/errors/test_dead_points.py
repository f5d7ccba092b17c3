"""A guide that rubs at a dead point, where no free motion moves it, is no error: the run starts at rest, beside it, or
with a velocity (tests/closed_form/test_starts_at_dead_centres.py has the motion)."""

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


@pytest.mark.parametrize(("angle", "initial"), [(0.0, None), (np.pi, None), (0.01, None), (0.0, {"crank.omega": 5.0})])
def test_a_guide_that_rubs_starts_at_a_dead_point(angle, initial):
    assert mbs.simulate(slider_crank(angle), np.linspace(0, 0.1, 3), initial=initial).success
