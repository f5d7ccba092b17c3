"""The energy ledger is as exact as the motion: works are controlled with it, whether the motion notices them or not.
And a motion that the tolerances hide is told."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

t = mbs.t
SPEED, SIZES = 10.0, {"mass": 2.0, "inertia": 0.06}


def pushed(times):
    """A cart under F = 2 t²: v = t³ / 3, a polynomial that a step of any length has right; its work t⁶ / 9 is none."""
    model = mbs.PlanarModel("cart")
    cart = model.body("cart", mass=2.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, cart), mbs.Force("F", cart, (2 * t**2, 0)))
    return model, times**6 / 9, 0 * times


def lifted(times):
    """An arm that a motor turns at constant speed under gravity."""
    model = mbs.PlanarModel("arm", gravity=(0, -9.81))
    arm = model.body("arm", **SIZES, com=(0.3, 0))
    pin = model.add(mbs.Revolute("pin", model.ground, arm))
    model.add(mbs.Driver("motor", mbs.angle(pin), SPEED * t))
    return model, 2.0 * 9.81 * 0.3 * np.sin(SPEED * times), 2.0 * 9.81 * 0.3 * np.sin(SPEED * times)


def cogging(times):
    """What a motor gives to a spring that is wound six times in a turn: both works are wrong together, or neither."""
    model = mbs.PlanarModel("cogging")
    rotor = model.body("rotor", **SIZES)
    pin = model.add(mbs.Revolute("pin", model.ground, rotor))
    model.add(mbs.Driver("motor", mbs.angle(pin), SPEED * t))
    model.add(mbs.TorsionSpring("cog", pin, law=2 * sp.sin(6 * mbs.theta)))
    stored = (1 - np.cos(6 * SPEED * times)) / 3
    return model, stored, stored


WORKS = {"a force of time": pushed, "a motor against gravity": lifted, "a motor against a spring": cogging}


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-11])
@pytest.mark.parametrize("method", ["DP5", "DP8"])
@pytest.mark.parametrize("kind", WORKS)
def test_works_are_as_exact_as_the_tolerance_asks(kind, method, rtol):
    times = np.linspace(0, 2, 21)
    model, supplied, potential = WORKS[kind](times)
    energy = mbs.simulate(model, times, method=method, rtol=rtol).energy
    most = energy.kinetic.max() + np.abs(supplied).max()
    assert np.abs(energy.supplied - supplied).max() < 50 * rtol * most
    assert np.abs(energy.potential - potential).max() < 50 * rtol * most


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_in_every_set_of_coordinates(coordinates):
    times = np.linspace(0, 2, 21)
    model, supplied, _ = lifted(times)
    energy = mbs.simulate(model.compile(coordinates), times).energy
    np.testing.assert_allclose(energy.supplied, supplied, atol=1e-5)


@pytest.mark.parametrize(("slower", "heavier"), [(1.0, 1.0), (1e4, 1.0), (1e4, 1e6), (1e-3, 1e-6)])
def test_slow_and_heavy_machines_have_as_good_a_ledger(slower, heavier):
    """The same motor and spring in another unit of time and of mass; atol, which knows seconds, must be let down."""
    model = mbs.PlanarModel("cogging")
    rotor = model.body("rotor", mass=2.0 * heavier, inertia=heavier)
    pin, force = model.add(mbs.Revolute("pin", model.ground, rotor)), 2 * heavier / slower**2
    law = force * sp.sin(6 * mbs.theta)
    model.add(mbs.Driver("motor", mbs.angle(pin), t / slower), mbs.TorsionSpring("cog", pin, law=law))
    times = slower * np.linspace(0, 2, 21)
    energy = mbs.simulate(model, times).energy
    off = np.abs(energy.potential - force / 6 * (1 - np.cos(6 * times / slower)))
    assert off.max() < 1e-3 * force


def test_a_work_that_needs_no_shorter_steps_takes_none():
    def pendulum(friction):
        model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
        bob = model.body("bob", mass=1.0, inertia=0.1, com=(0.5, 0))
        pin = model.add(mbs.Revolute("pin", model.ground, bob))
        return model.plus(mbs.ViscousFriction("f", pin, coefficient=friction))

    free, damped = (mbs.simulate(pendulum(c), [0, 5]) for c in (0.0, 1e-25))
    assert damped.energy.dissipated[-1] > 0 and free.stats["accepted"] == damped.stats["accepted"]
    np.testing.assert_array_equal(free.q, damped.q)


# --- motions that the tolerances hide ---------------------------------------------------------------------------------


def oscillator():
    model = mbs.PlanarModel("oscillator")
    block = model.body("block", mass=2.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Force("spring", block, (-2e4 * model["block.x"], 0)))
    return model


@pytest.mark.parametrize("size", [1e-9, 1e-12])
def test_a_motion_below_its_tolerances_is_told(size):
    times, initial = np.linspace(0, 1, 101), {"block.x": size, "block.vx": 0.0}
    told = mbs.simulate(oscillator(), times, initial)
    assert told.success and "give a smaller atol" in told.message
    fine = mbs.simulate(oscillator(), times, initial, atol=1e-8 * size)
    assert fine.message == ""
    np.testing.assert_allclose(fine["block.x"], size * np.cos(100 * times), atol=1e-4 * size)


@pytest.mark.parametrize("initial", [{"block.x": 0.0}, {"block.x": 1e-3}])
def test_rest_and_motions_that_are_seen_are_not(initial):
    assert mbs.simulate(oscillator(), [0, 0.55, 1], initial).message == ""


def test_a_slow_motion_that_goes_far_is_not():
    model = mbs.PlanarModel("clock")
    hand = model.body("hand", mass=1.0, inertia=1.0)
    pin = model.add(mbs.Revolute("pin", model.ground, hand))
    model.add(mbs.Driver("drive", mbs.angle(pin), 1e-7 * t))
    assert mbs.simulate(model, [0, 1e7]).message == ""
