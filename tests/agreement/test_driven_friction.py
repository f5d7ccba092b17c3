"""Efforts of prescribed motions with friction: inverse dynamics agrees with the run of the driven model."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused
from rubbing import loaded_slider_crank

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 21)


def compare(model, joints: str) -> mbs.Result:
    needed, run = mbs.inverse_dynamics(model, TIMES), mbs.simulate(model, TIMES, rtol=1e-11, atol=1e-13)
    size = np.abs(run.effort("motor")).max()
    np.testing.assert_allclose(needed.effort("motor"), run.effort("motor"), rtol=0, atol=1e-8 * size)
    for joint in joints:
        expected = run.reaction(joint)
        np.testing.assert_allclose(needed.reaction(joint), expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    return needed


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_friction_in_all_pins_and_the_guide(coordinates):
    compare(loaded_slider_crank().compile(coordinates), "ABCG")


def test_friction_that_falls_with_speed():
    model = loaded_slider_crank().without("rub", "rubA", "rubB", "rubC")
    model.add(
        mbs.DryFriction("seal", mbs.displacement(model.elements["G"]), force=4 + 3 * sp.exp(-((mbs.speed / 0.2) ** 2)))
    )
    compare(model, "ABCG")


def test_friction_of_a_hinge_in_space():
    model = mbs.SpatialModel("arm", gravity=(0, 0, -9.81))
    arm = model.body("arm", mass=2, inertia=(0.1, 0.2, 0.3), position=(0.3, 0, 0))
    hinge = mbs.Revolute("A", model.ground, arm, at=(0, 0, 0), axis=(0, 0.6, 0.8))
    model.add(hinge, mbs.Friction("rub", hinge, mu=0.2, radius=0.02))
    model.add(mbs.Driver("motor", mbs.angle(hinge), 2 * mbs.t + mbs.t**2))
    compare(model, "A")


def test_a_block_that_is_pulled():
    """F = m a + μ m g."""
    model = mbs.PlanarModel("block", gravity=(0, -10))
    block = model.body("block", mass=3, inertia=1)
    guide = mbs.Translational("G", model.ground, block)
    pull = mbs.Driver("pull", mbs.displacement(guide), mbs.t + 2 * mbs.t**2)
    model.add(guide, mbs.Friction("rub", guide, mu=0.25), pull)
    needed = mbs.inverse_dynamics(model, TIMES)
    np.testing.assert_allclose(needed.effort("pull"), 3 * 4 + 0.25 * 30, rtol=1e-12)
    assert set(needed.modes["rub"]) == {"slips"}
    np.testing.assert_allclose(needed.energy.dissipated[-1], 0.25 * 30 * 3, rtol=1e-12)


def test_what_stands_still_is_not_unique():
    model = mbs.PlanarModel("block", gravity=(0, -10))
    block = model.body("block", mass=3, inertia=1)
    guide = mbs.Translational("G", model.ground, block)
    model.add(guide, mbs.Friction("rub", guide, mu=0.25), mbs.Driver("pull", mbs.displacement(guide), 0))
    needed = mbs.inverse_dynamics(model, [0, 1])
    assert set(needed.modes["rub"]) == {"sticks"} and not needed.is_unique("pull")[:, 0].any()


def test_a_stop_is_open_or_told():
    model = loaded_slider_crank()
    model.add(mbs.Stop("far", mbs.displacement(model.elements["G"]), upper=0.5))
    plain, stopped = mbs.inverse_dynamics(loaded_slider_crank(), TIMES), mbs.inverse_dynamics(model, TIMES)
    np.testing.assert_allclose(stopped.effort("motor"), plain.effort("motor"), rtol=1e-12)
    near = loaded_slider_crank()
    near.add(mbs.Stop("near", mbs.displacement(near.elements["G"]), upper=0.35))
    with refused("contact-overlaps", contacts=["near"]):
        mbs.inverse_dynamics(near, TIMES)
