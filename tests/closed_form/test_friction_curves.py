"""Coefficients that depend on the speed of slip (Stribeck), and friction that is smooth: motions in closed form.

A block slides with μ(s) = μ₀ (1 + a exp(-s/v)), m ṡ = -μ(s) m g, so that time and way are the integrals of 1/(μ g) and
s/(μ g) over the speed.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad, solve_ivp

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
G, MASS, MU, MORE, V = 9.81, 2.0, 0.2, 0.5, 0.1
TIMES = np.linspace(0, 1, 101)


def stribeck(speed):
    return MU * (1 + MORE * (sp.exp if isinstance(speed, sp.Basic) else np.exp)(-speed / V))


STOPS = quad(lambda s: 1 / stribeck(s) / G, 0, 1, epsabs=1e-13)[0]
WAY = quad(lambda s: s / stribeck(s) / G, 0, 1, epsabs=1e-13)[0]


@cache
def block(rubs, smooth=None):
    """A block that slides, by what rubs on it."""
    model = mbs.PlanarModel("block", gravity=(0, -G))
    body = model.body("block", mass=MASS, inertia=1.0)
    mu = stribeck if smooth is None else 0.3
    if rubs == "contact":
        upright = mbs.CoordinateFix("upright", body, "angle")
        floor = mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(body), friction=mu, smooth=smooth)
        model.add(upright, floor)
        return model
    guide = model.add(mbs.Translational("guide", model.ground, body))
    force = 0.3 * MASS * G if smooth else lambda s: MASS * G * stribeck(s)
    joint = rubs == "joint"
    model.add(
        mbs.Friction("rub", guide, mu=mu, smooth=smooth)
        if joint
        else mbs.DryFriction("rub", mbs.x(body), force=force, smooth=smooth)
    )
    return model


@pytest.mark.parametrize("rubs", ["contact", "joint", "measure"])
@pytest.mark.parametrize("coordinates", SETS)
def test_a_slide_under_a_stribeck_curve(rubs, coordinates):
    run = mbs.simulate(block(rubs).compile(coordinates), TIMES, {"block.vx": 1.0}, rtol=1e-10)
    assert run["block.x"][-1] == pytest.approx(WAY, abs=1e-9)
    slips = run.modes["rub"] == "slips"
    assert run.t[slips][-1] < STOPS <= run.t[~slips][0] and (run["block.vx"][~slips] == 0).all()
    expected = -MASS * G * stribeck(run["block.vx"][slips])
    assert run["rub.friction"][slips] == pytest.approx(expected, rel=1e-7)
    assert run.energy.dissipated[-1] == pytest.approx(MASS / 2, abs=1e-8)


def test_time_stepping_knows_the_same_curve():
    run = mbs.simulate(block("contact"), TIMES, {"block.vx": 1.0}, method="Moreau", step=1e-3)
    assert run["block.x"][-1] == pytest.approx(WAY, abs=1e-4) and run.modes["rub"][-1] == "sticks"


def test_a_curve_in_space_reads_the_speed_and_not_its_components():
    model = mbs.SpatialModel("block", gravity=(0, 0, -G))
    body = model.body("block", mass=MASS, inertia=(1.0, 1.0, 1.0))
    model.add(mbs.Contact("rub", mbs.Plane(model.ground), mbs.Point(body), friction=stribeck))
    run = mbs.simulate(model, TIMES, {"block.vx": 0.6, "block.vy": -0.8}, rtol=1e-10)
    assert run["block.x"][-1] == pytest.approx(0.6 * WAY, abs=1e-9)
    assert run["block.y"][-1] == pytest.approx(-0.8 * WAY, abs=1e-9)


def test_a_block_on_a_belt_under_a_stribeck_curve():
    """It sticks until the spring pulls with μ(0) m g, slips back, and is caught with the speed of the belt: as an
    integration of m ẍ = -k x + m g μ(u - ẋ) says."""
    k, u = 100.0, 0.1
    model = mbs.PlanarModel("belt", gravity=(0, -G))
    body = model.body("block", mass=MASS, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    model.add(mbs.Force("spring", body, (-k * model["block.x"], 0)))
    belt = model.body("belt", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("rollers", model.ground, belt), mbs.Driver("motor", mbs.x(belt), u * mbs.t))
    model.add(mbs.DryFriction("rub", mbs.displacement(belt, body), force=lambda s: MASS * G * stribeck(s)))
    slips_at = stribeck(0.0) * MASS * G / k / u

    def rates(t, y):
        return [y[1], (-k * y[0] + MASS * G * stribeck(abs(u - y[1]))) / MASS]

    def caught(t, y):
        return y[1] - u + 1e-9

    caught.terminal, caught.direction = True, 1
    slide = solve_ivp(rates, (slips_at, 9), [u * slips_at, u - 1e-9], events=caught, rtol=1e-12, atol=1e-14)
    found = slide.t_events[0][0]
    times = np.array([0, slips_at - 1e-6, slips_at + 1e-3, found - 1e-4, found + 1e-4])
    run = mbs.simulate(model, times, {"block.x": 0.0, "block.vx": u}, rtol=1e-11)
    assert [*run.modes["rub"]] == ["sticks", "sticks", "slips", "slips", "sticks"]


@pytest.mark.parametrize("rubs", ["contact", "joint", "measure"])
def test_smooth_friction_never_sticks(rubs):
    """s' = -μ g s/√(s² + v²): √(s² + v²) + v ln(s / (v + √(s² + v²))) falls by μ g a second. Nothing is at rest that
    pushes."""
    v = 0.05

    def fallen(s):
        return np.hypot(s, v) + v * np.log(s / (v + np.hypot(s, v)))

    model = block(rubs, smooth=v)
    run = mbs.simulate(model, np.linspace(0, 0.4, 11), {"block.vx": 1.0}, rtol=1e-10)
    assert fallen(1.0) - fallen(run["block.vx"]) == pytest.approx(0.3 * G * run.t, abs=1e-6)
    assert run["rub.friction"] == pytest.approx(
        -0.3 * MASS * G * run["block.vx"] / np.hypot(run["block.vx"], v), rel=1e-9
    )
    assert np.abs(run.energy.error).max() < 1e-8
    assert rubs == "measure" or set(run.modes["rub"]) == {"slips"}
    load = 0.5 * 0.3 * MASS * G  # half of what friction could hold: it creeps with s/√(s² + v²) = 1/2
    pushed = model.plus(mbs.Force("push", model.bodies["block"], (load, 0)))
    creeps = mbs.simulate(pushed, [0, 1, 2], {"block.vx": 0.0})
    assert creeps["block.vx"][-1] == pytest.approx(v / np.sqrt(3), rel=1e-6)
