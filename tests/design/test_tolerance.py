"""Bands of tolerances against members that were drawn, and against closed forms."""

from __future__ import annotations

import numpy as np
from designs import slider_crank
from refusals import refused

import mbs_dae as mbs

TURN = np.linspace(0, 0.2 * np.pi, 31)


def test_bands_agree_with_members():
    found = mbs.tolerance(
        slider_crank(offset=True), TURN, {"r": 3e-5, "l": mbs.Tolerance(0.3, 2e-4), "spring.stiffness": 0.1},
        ["slider.x", "motor.effort"], "inverse_dynamics", samples=400,
    )  # fmt: skip
    assert max(found.difference.values()) < 0.1 and found.runs == 4
    assert "400 members" in str(found) and len(found.plot("slider.x").axes) == 2


def test_the_worst_case_is_reached_at_the_limits():
    model = slider_crank(offset=True)
    limits = {"r": mbs.Tolerance(0.1, 1e-5, "uniform"), "l": mbs.Tolerance(0.3, 2e-5, "uniform")}
    band = mbs.tolerance(model, TURN, limits, ["slider.x"], "kinematics")["slider.x"]
    corners = [
        mbs.kinematics(model.with_parameters(r=0.1 + a * 1e-5, l=0.3 + b * 2e-5), TURN)["slider.x"]
        for a in (-1, 1) for b in (-1, 1)
    ]  # fmt: skip
    np.testing.assert_allclose(np.max(corners, axis=0) - band.nominal, band.worst, rtol=1e-3)
    theta = 10 * TURN
    by_l = 0.3 / np.sqrt(0.09 - 0.01 * np.sin(theta) ** 2)
    by_r = np.cos(theta) - 0.1 * np.sin(theta) ** 2 / np.sqrt(0.09 - 0.01 * np.sin(theta) ** 2)
    np.testing.assert_allclose(band.sigma, np.hypot(by_r * 1e-5, by_l * 2e-5) / np.sqrt(3), rtol=1e-10)
    np.testing.assert_allclose(band.share("r") + band.share("l"), 1.0)


def test_first_order_is_refused_where_it_is_doubtful():
    """The slider's height alone depends on e to first order; its place at the dead centre on the square of e."""
    model = slider_crank(offset=True)
    with refused("first-order-doubtful", name="slider.x", number="e"):
        mbs.tolerance(model, [0, 1e-9], {"e": 1e-3}, ["slider.x"], "kinematics")
    assert mbs.tolerance(model, [0, 0.1], {"e": 1e-3}, ["slider.x"], "kinematics").runs == 2
    assert mbs.tolerance(model, [0, 1e-9], {"e": 1e-3}, ["slider.x"], "kinematics", check=False).runs == 1


def test_what_does_not_matter_and_members_without_a_motion_are_told():
    spread, times = {"r": 0.2, "gravity.x": 0.01}, np.linspace(0, 0.6, 13)
    of = ["slider.ax", "slider.x"]
    found = mbs.tolerance(slider_crank(), times, spread, of, "kinematics", check=False, samples=20)
    assert found.idle == ("gravity.x",) and "nothing here depends on gravity.x" in str(found)
    lost = 20 - found.ensemble.done.sum()
    assert lost > 0 and f"left out: {lost} of 20 members" in str(found)
    assert len(found.plot().axes) == 4 and len(found.plot("slider.x").axes) == 2


def test_what_nothing_depends_on_is_not_doubtful():
    """The spring does not move a driven slider: what its stiffness changes of the acceleration is roundoff."""
    model = mbs.PlanarModel("slider-crank")
    crank, rod = model.link("crank", (0, 0), (0.1, 0), mass=1), model.link("rod", (0.1, 0), (0.4, 0), mass=2)
    slider = model.body("slider", position=(0.4, 0), mass=3)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.Driver("motor", mbs.angle(model.ground, crank), 10 * mbs.t),
        mbs.Spring("spring", model.ground.at(1, 0), slider, stiffness=100, length=0.6),
    )
    times = np.linspace(0, 0.6, 21)
    found = mbs.tolerance(model, times, {"spring.stiffness": 1.0}, of=["slider.ax"], verb="inverse_dynamics")
    assert found["slider.ax"].worst.max() < 1e-9


def test_a_whole_nominal_value_has_the_bands_of_the_same_float():
    """The head of a crank of 1 m at the angle t + α is at x = cos(t + α), and ∂x/∂α = -sin(t + α)."""
    model = mbs.PlanarModel("crank")
    alpha = model.parameter("alpha", 0.3, unit="rad")
    rod = model.link("rod", (0, 0), (1, 0))
    pin = model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.Driver("motor", mbs.angle(pin), mbs.t + alpha))
    times = np.linspace(0.0, 0.5, 4)
    for nominal in (1, 1.0):
        found = mbs.tolerance(model, times, {"alpha": mbs.Tolerance(nominal, 3e-4)}, ["rod.head.x"], "kinematics")
        np.testing.assert_allclose(found["rod.head.x"].worst, 3e-4 * np.sin(1.0 + times), rtol=1e-12)
