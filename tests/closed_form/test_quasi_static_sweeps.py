"""Efforts of sweeps: a motion so slow that nothing is accelerated, with friction against the way of the sweep."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from rubbing import loaded_slider_crank

import mbs_dae as mbs

G = 9.81


def lift(mu: float, slope: float = 0.3):
    """A block of 3 kg, pushed up an incline by a driver at p."""
    model = mbs.PlanarModel("lift", gravity=(0, -G))
    p = model.parameter("p", 0.0, unit="m")
    block = model.body("block", mass=3, inertia=1, angle=slope)
    guide = mbs.Translational("G", model.ground.at(0, 0, angle=slope), block)
    model.add(guide, mbs.Driver("push", mbs.displacement(guide), p))
    return model.plus(mbs.Friction("rub", guide, mu=mu)) if mu else model


@pytest.mark.parametrize("mu", [0.0, 0.25])
def test_a_block_is_pushed_up_and_let_down(mu):
    """m g (sin α ± μ cos α); where the sweep turns the pose is that of the way up."""
    values = [0.0, 0.1, 0.2, 0.3, 0.2, 0.1]
    swept = mbs.sweep(lift(mu), "p", values, forces=True)
    way = np.array([1, 1, 1, 1, -1, -1])
    np.testing.assert_allclose(swept.effort("push"), 3 * G * (np.sin(0.3) + way * mu * np.cos(0.3)), rtol=1e-12)
    np.testing.assert_allclose(swept["push.effort"], swept.effort("push"))
    pressed = np.hypot(swept["G.Fx"], swept["G.Fy"])
    np.testing.assert_allclose(pressed, 3 * G * np.cos(0.3), rtol=1e-12)
    if mu:
        assert set(swept.modes["rub"]) == {"slips"}
        np.testing.assert_allclose(swept["rub.friction"], -way * mu * 3 * G * np.cos(0.3), rtol=1e-12)
    assert "energy.kinetic" not in swept


def slider_crank(law) -> mbs.PlanarModel:
    """Driven by a law of the parameter p, with a damped spring at the slider."""
    model = loaded_slider_crank().without("motor")
    p = model.parameter("p", 0.4)
    spring = {"stiffness": 40, "length": 0.3, "damping": 5}
    model.add(mbs.SpringDamper("spring", model.ground.at(0, 0.5), model.bodies["rod"].head, **spring))
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), law(p)))
    return model


def test_a_slider_crank_that_rubs_everywhere_agrees_with_a_slow_motion():
    slow, angles = 1e-8, np.linspace(0.4, 6.0, 15)
    for way, values in ((1, angles), (-1, angles[::-1])):
        swept = mbs.sweep(slider_crank(lambda p: p), "p", values, forces=True)
        law = lambda p, way=way, begin=values[0]: begin + way * slow * mbs.t  # noqa: E731
        moved = mbs.inverse_dynamics(slider_crank(law), np.abs(values - values[0]) / slow)
        for name in ("motor.effort", "A.Fx", "A.Fy", "B.Fx", "G.Fy", "rub.friction", "rubB.friction"):
            size = np.abs(moved[name]).max()
            np.testing.assert_allclose(swept[name], moved[name], rtol=0, atol=1e-8 * size, err_msg=name)
        assert swept.is_unique("motor").all()


def test_a_hinge_in_space_and_a_length_that_is_swept():
    """The moment of a weight on an arm whose length is swept; nothing slips, so friction and the motor share it."""
    model = mbs.SpatialModel("arm", gravity=(0, 0, -G))
    p = model.parameter("p", 0.0)
    arm = model.body("arm", mass=2, inertia=(0.1, 0.2, 0.3), position=(0.3, 0, 0))
    hinge = mbs.Revolute("A", model.ground, arm, at=(0, 0, 0), axis=(0, -1, 0))
    model.add(hinge, mbs.Driver("motor", mbs.angle(hinge), p), mbs.Friction("rub", hinge, mu=0.2, radius=0.02))
    values = np.linspace(0.1, 1.2, 6)
    up, down = (mbs.sweep(model, "p", v, forces=True).effort("motor") for v in (values, values[::-1]))
    np.testing.assert_allclose((up + down[::-1]) / 2, 2 * G * 0.3 * np.cos(values), rtol=1e-9)
    np.testing.assert_allclose((up - down[::-1]) / 2, 0.2 * 0.02 * 2 * G, rtol=1e-9)

    model = mbs.PlanarModel("boom", gravity=(0, -G))
    reach = model.parameter("reach", 0.5)
    boom = model.body("boom", mass=2, inertia=1)
    hinge = mbs.Revolute("A", model.ground, boom)
    model.add(hinge, mbs.Driver("motor", mbs.angle(hinge), 0), mbs.Force("weight", boom.at(reach, 0), (0, -10)))
    swept = mbs.sweep(model, "reach", [0.5, 1.0, 2.0], forces=True)
    np.testing.assert_allclose(swept.effort("motor"), [5.0, 10.0, 20.0], rtol=1e-12)
    rubs = model.plus(mbs.Friction("rub", hinge, mu=0.2, radius=0.02))
    swept = mbs.sweep(rubs, "reach", [0.5, 1.0], forces=True)
    assert set(swept.modes["rub"]) == {"sticks"} and not swept.is_unique("motor")[:, -1].any()


def test_what_has_no_quasi_static_efforts_is_told():
    with refused("too-few-values", name="p", friction="rub"):
        mbs.sweep(lift(0.2), "p", [0.1], forces=True)
    free = lift(0.2).without("push")
    with refused("undriven-freedom", freedoms=1):
        mbs.sweep(
            free.plus(mbs.Force("f", free.bodies["block"], (free.parameters["p"].symbol, 0))), "p", [0, 1], forces=True
        )
    stopped = lift(0.2)
    stopped.add(mbs.Stop("end", mbs.displacement(stopped.elements["G"]), upper=1.0))
    with refused("has-contacts", model="lift", contacts=["end"]):
        mbs.sweep(stopped, "p", [0.0, 0.1], forces=True)
    hasty = slider_crank(lambda p: p + mbs.t**2)
    with refused("not-at-rest", model="slider-crank", elements=["motor"], time=0.0):
        mbs.sweep(hasty, "p", [0.4, 0.5], forces=True)
