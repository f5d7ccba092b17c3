"""Friction μ |N| of joints whose normal force swings through zero: |N| has a kink there, and a step ends on it.

All loads are a + b sin ωt, so that accelerations are A + B sin ωt between the instants at which N vanishes, with other
numbers for either sense of N; velocities and places follow by integration, piece by piece.
"""

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
W, T = 7.0, 3.0


def travel(level, above, below, v):
    """The way and the speed at T of a motion from speed v, with the acceleration A + B sin ωt; (A, B) is one pair where
    sin ωt is above a level, another one below it."""
    turns = 2 * np.pi * np.arange(-1, W * T / (2 * np.pi) + 1)
    passed = np.concatenate([np.arcsin(level) + turns, np.pi - np.arcsin(level) + turns]) / W
    times = [0.0, *np.sort(passed[(passed > 0) & (passed < T)]), T]
    x = 0.0
    for s, e in zip(times[:-1], times[1:], strict=True):
        A, B = above if np.sin(W * (s + e) / 2) > level else below
        h = e - s
        x += v * h + A * h**2 / 2 + B * (np.cos(W * s) * h / W - (np.sin(W * e) - np.sin(W * s)) / W**2)
        v += A * h + B * (np.cos(W * s) - np.cos(W * e)) / W
    return x, v


PUSH, MEAN, SWING, MU = 3.0, 4.0, 9.0, 0.3


def guided(space=False, mean=MEAN, tilt=0.0):
    """A block of 1 kg on a guide, pushed along it, and across it by mean + swing sin ωt."""
    across = mean + SWING * sp.sin(W * mbs.t)
    if space:
        model = mbs.SpatialModel("guide")
        block = model.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
        guide = mbs.Translational("guide", model.ground, block, at=(0, 0, 0), axis=(1, 0, 0))
        model.add(guide, mbs.Force("push", block, (PUSH, 0.6 * across, 0.8 * across)))
    else:
        model = mbs.PlanarModel("guide")
        block = model.body("block", mass=1.0, inertia=0.1, angle=tilt)
        c, s = np.cos(tilt), np.sin(tilt)
        guide = mbs.Translational("guide", model.ground.at(0, 0, angle=tilt), block)
        model.add(guide, mbs.Force("push", block, (PUSH * c - across * s, PUSH * s + across * c)))
    model.add(mbs.Friction("rub", guide, mu=model.parameter("mu", MU)))
    return model


def guided_travel(mean=MEAN, mu=MU):
    return travel(-mean / SWING, (PUSH - mu * mean, -mu * SWING), (PUSH + mu * mean, mu * SWING), 2.0)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5", "GA"])
@pytest.mark.parametrize("space", [False, True])
def test_a_guide_under_a_load_that_changes_sides(space, method, coordinates):
    """The guide in space carries both of its components at once, along one line; both vanish at one instant."""
    run = mbs.simulate(guided(space).compile(coordinates), [0, T], initial={"block.vx": 2.0}, rtol=1e-10, method=method)
    error = np.abs(np.array([run["block.x"][-1], run["block.vx"][-1]]) - guided_travel())
    assert error.max() < (1e-9 if method != "GA" else 1e-5)  # GA is of second order
    assert run.stats["switches"] == 6 and run.transitions == ()
    assert (run["rub.friction"] < 0.0).all()


@pytest.mark.parametrize("coordinates", SETS)
def test_a_load_that_begins_at_zero_in_a_guide_that_is_tilted(coordinates):
    run = mbs.simulate(
        guided(mean=0.0, tilt=0.7).compile(coordinates), [0, T], initial={"block.vx": 2.0 * np.cos(0.7)}, rtol=1e-10
    )
    x, v = guided_travel(0.0)
    assert abs(run["block.x"][-1] / np.cos(0.7) - x) < 2e-9 > abs(run["block.vx"][-1] / np.cos(0.7) - v)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_guide_that_carries_nothing_but_roundoff(coordinates):
    """The load is along the guide: its normal force is roundoff, whose sign changes at every look."""
    model = guided(mean=0.0, tilt=0.7).without("push")
    block, way = model.bodies["block"], PUSH * sp.sin(mbs.t)
    model.add(mbs.Force("along", block, (way * np.cos(0.7), way * np.sin(0.7))))
    for speed in (0.0, 2.0):
        run = mbs.simulate(model.compile(coordinates), [0, T], initial={"block.vx": speed * np.cos(0.7)}, max_steps=300)
        assert abs(run["block.vx"][-1] / np.cos(0.7) - speed - PUSH * (1 - np.cos(T))) < 1e-6


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("aside", [(0.1, 0.0), (0.1, 0.2)])
def test_a_turned_body_whose_guide_carries_nothing(aside, coordinates):
    """The placement turns the body by 0.3 in a guide at 0.7; the load acts at the mass centre, along the guide."""
    model = mbs.PlanarModel("guide")
    body = model.body("block", mass=1.3, inertia=0.1, angle=0.3, com=aside)
    guide = model.add(mbs.Translational("guide", model.ground.at(0, 0, angle=0.7), body))
    way = sp.sin(mbs.t)
    model.add(mbs.Friction("rub", guide, mu=MU))
    model.add(mbs.Force("along", body.at(*aside), (way * np.cos(0.7), way * np.sin(0.7))))
    run = mbs.simulate(model.compile(coordinates), [0, 0.1, 2], {"block.vx": np.cos(0.7)}, max_steps=300)
    assert run["block.vx"] / np.cos(0.7) == pytest.approx(1 + (1 - np.cos(run.t)) / 1.3, abs=1e-6)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("beside", [0.0, 1e-3, 2.0])
def test_a_pin_whose_load_goes_through_zero_or_passes_beside_it(beside, coordinates):
    """|N| = √(P² sin² ωt + Q²): a kink where Q = 0, for which steps end, and a bend else, which they resolve. The wheel
    goes on by M t - μ ρ ∫|N| dt, here by Gauss on 400 pieces that end where sin ωt = 0."""
    P, radius, drive, inertia = 20.0, 0.05, 0.3, 0.1
    model = mbs.PlanarModel("wheel")
    wheel = model.body("wheel", mass=1.0, inertia=inertia)
    pin = model.add(mbs.Revolute("pin", model.ground, wheel))
    model.add(
        mbs.Friction("rub", pin, mu=MU, radius=radius),
        mbs.Force("load", wheel, (P * sp.sin(W * mbs.t), beside)),
        mbs.Torque("drive", wheel, drive),
    )
    run = mbs.simulate(model.compile(coordinates), [0, T], initial={"wheel.omega": 3.0}, rtol=1e-11)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    graded = np.concatenate([[0.0], np.geomspace(1e-7, 1.0, 40)])
    quarter = np.pi / (2 * W) * np.concatenate([graded, 2.0 - graded[-2::-1]])  # from one zero to the next
    ends = np.append(np.concatenate([quarter[:-1] + k * np.pi / W for k in range(int(W * T / np.pi) + 1)]), np.inf)
    ends = np.append(ends[ends < T], T)
    total = 0.0
    for s, e in zip(ends[:-1], ends[1:], strict=True):
        x = (s + e) / 2 + (e - s) / 2 * nodes
        total += (e - s) / 2 * weights @ np.hypot(P * np.sin(W * x), beside)
    assert abs(run["wheel.omega"][-1] - 3.0 - (drive * T - MU * radius * total) / inertia) < 1e-8
    assert run.stats["switches"] == {0.0: 6, 1e-3: run.stats["switches"], 2.0: 0}[beside]


RADII, INERTIAS, PIN = (0.05, 0.1), (2e-3, 5e-3), 0.01
DRIVE, SWAY, LOAD = 0.01, 0.1, 0.02


def geared(**teeth):
    """Two wheels whose bearings rub, one under a moment that swings, the other one under a load."""
    model = mbs.PlanarModel("pair")
    i = model.body("i", mass=1.0, inertia=INERTIAS[0])
    j = model.body("j", mass=2.0, inertia=INERTIAS[1], position=(0.09, 0.12))
    A = model.add(mbs.Revolute("A", model.ground, i, at=(0, 0)))
    B = model.add(mbs.Revolute("B", model.ground, j, at=(0.09, 0.12)))
    mu = model.parameter("mu", MU)
    model.add(
        mbs.Gear("teeth", i, j, radii=RADII, **teeth),
        mbs.Torque("drive", i, DRIVE + SWAY * sp.sin(W * mbs.t)),
        mbs.Torque("load", j, LOAD),
        mbs.Friction("rub A", A, mu=mu, radius=PIN),
        mbs.Friction("rub B", B, mu=mu, radius=PIN),
    )
    return model


def geared_travel(mu, alpha=0.0):
    """With σ the sign of the tooth force F, and k = ω_j/ω_i = -r_i/r_j, both bearings lose μ ρ σ F / cos α:

    I_i ω̇_i = M + F r_i - μ ρ σ F / cos α,        k I_j ω̇_i = L + F r_j + μ ρ σ F / cos α.
    """
    k, rub, found = -RADII[0] / RADII[1], mu * PIN / np.cos(alpha), {}
    for sign in (1.0, -1.0):
        matrix = [[INERTIAS[0], rub * sign - RADII[0]], [k * INERTIAS[1], -rub * sign - RADII[1]]]
        found[sign] = np.linalg.solve(matrix, [[DRIVE, SWAY], [LOAD, 0.0]])  # (ω̇_i, F), of 1 and of sin ωt
    level = -found[1.0][1, 0] / found[1.0][1, 1]
    assert np.isclose(level, -found[-1.0][1, 0] / found[-1.0][1, 1]) and abs(level) < 1
    rises = np.sign(found[1.0][1, 1])
    return travel(level, found[rises][0], found[-rises][0], 20.0)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_gear_whose_load_swings_has_bearings_that_rub(coordinates):
    """The normal forces of both bearings and the tooth force vanish at one instant."""
    alpha = np.radians(20)
    model = geared(pressure_angle=alpha)
    run = mbs.simulate(model.compile(coordinates), [0, T], initial={"i.omega": 20.0}, rtol=1e-12)
    angle, speed = geared_travel(MU, alpha)
    assert abs(run["i.omega"][-1] - speed) < 1e-8 > abs(run["i.angle"][-1] - angle)
    assert np.abs(run.energy.error).max() < 1e-8 * run.energy.kinetic.max()


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_derivatives_go_across_instants_at_which_several_normal_forces_vanish(coordinates):
    run = mbs.simulate(geared().compile(coordinates), [0, T], initial={"i.omega": 20.0}, derivatives=["mu"], rtol=1e-10)
    assert run.stats["switches"] >= 6 and "derivatives" not in run.stats
    h = 1e-3
    there = [np.array(geared_travel(MU + k * h)) for k in (-2, -1, 1, 2)]
    slope = np.array([1.0, -8.0, 8.0, -1.0]) @ there / (12 * h)
    assert np.allclose([run.d(name, "mu")[-1] for name in ("i.angle", "i.omega")], slope, rtol=1e-7)


@pytest.mark.parametrize("coordinates", SETS)
def test_derivatives_of_a_run_go_across_the_kink(coordinates):
    run = mbs.simulate(guided().compile(coordinates), [0, T], initial={"block.vx": 2.0}, derivatives=["mu"], rtol=1e-10)
    ends = [np.array(guided_travel(mu=MU + h)) for h in (-0.01, 0.01)]  # places are linear in μ
    slope = (ends[1] - ends[0]) / 0.02
    assert np.allclose([run.d(name, "mu")[-1] for name in ("block.x", "block.vx")], slope, rtol=1e-8)
