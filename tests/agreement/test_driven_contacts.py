"""Efforts of prescribed motions on contacts that stay closed: inverse dynamics agrees with runs of driven models."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 21)


def compare(model, *names: str, times=TIMES) -> mbs.Result:
    needed = mbs.inverse_dynamics(model, times)
    run = mbs.simulate(model, times, needed.state(0), rtol=1e-11, atol=1e-13)
    for name in names:
        size = np.abs(run[name]).max()
        np.testing.assert_allclose(needed[name], run[name], rtol=0, atol=1e-8 * size, err_msg=name)
    return needed


def cam(follower="flat", mu=0.2, speed=3.0, seed=0, rubs=0.1) -> mbs.PlanarModel:
    """A follower in an upright guide, pressed on a cam that turns."""
    random = np.random.default_rng(seed)
    radius, lift, phase = 0.1, *random.uniform((0.01, 0.0), (0.025, 2 * np.pi))
    model = mbs.PlanarModel("cam", gravity=(0, -9.81))
    disk = model.body("disk", mass=1, inertia=0.01)
    plunger = model.body("plunger", mass=random.uniform(0.2, 1), inertia=0.1, position=(0, radius + lift))
    hinge, guide = model.add(
        mbs.Revolute("A", model.ground, disk, at=(0, 0)),
        mbs.Translational("G", model.ground, plunger, at=(0, 0), axis=(0, 1)),
    )
    profile = lambda angle: radius + lift * sp.sin(angle + phase)  # noqa: E731
    model.add(
        mbs.CamContact("cam", disk, plunger, profile=profile, follower=follower, friction=mu),
        mbs.SpringDamper("spring", model.ground.at(0, 0.4), plunger, stiffness=500, length=0.35, damping=1),
        mbs.Friction("rub", guide, mu=rubs),
        mbs.Driver("motor", mbs.angle(hinge), speed * mbs.t),
    )
    return model


def touching(model) -> mbs.State:
    return mbs.assemble(model, fix={"cam.gap": 0.0})


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("follower", ["flat", "point"])
def test_a_cam_drives_a_follower_with_friction(follower, coordinates):
    model = cam(follower)
    system = model.compile(coordinates)
    needed = mbs.inverse_dynamics(system, TIMES, start=touching(model))
    run = mbs.simulate(system, TIMES, needed.state(0), rtol=1e-11, atol=1e-13)
    for name in ("cam.force", "cam.friction", "motor.effort", "rub.friction", "A.Fx", "A.Fy", "G.Fx", "plunger.y"):
        size = np.abs(run[name]).max()
        np.testing.assert_allclose(needed[name], run[name], rtol=0, atol=1e-8 * size, err_msg=name)
    assert set(needed.modes["cam"]) == {"slips"} and needed.is_unique("motor").all()


@pytest.mark.parametrize("seed", range(1, 6))
def test_cams_at_random(seed):
    model = cam(("flat", "point")[seed % 2], mu=0.05 * seed, speed=2.0 + seed, seed=seed)
    needed = mbs.inverse_dynamics(model, TIMES, start=touching(model))
    run = mbs.simulate(model, TIMES, needed.state(0), rtol=1e-11, atol=1e-13)
    for name in ("cam.force", "motor.effort", "A.Fx", "G.Fx"):
        np.testing.assert_allclose(needed[name], run[name], rtol=0, atol=1e-8 * np.abs(run[name]).max(), err_msg=name)


def test_a_cam_that_is_too_fast_is_told_by_name():
    """m (g + r̈) with r̈ = -r ω² sin: the follower lifts where the spring and its weight are too weak."""
    with refused("contact-does-not-hold", model="cam", contacts=["cam"]):
        model = cam(speed=200.0, mu=0.0, rubs=0.0)
        mbs.inverse_dynamics(model, TIMES, start=touching(model))


def wheel(mu: float, jerk: float) -> mbs.PlanarModel:
    model = mbs.PlanarModel("wheel", gravity=(0.5, -9.81))
    disk = model.body("disk", mass=2, inertia=0.02, position=(0, 0.1))
    floor = mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(disk, 0.1), friction=mu)
    model.add(floor, mbs.Driver("motor", mbs.angle(disk), mbs.t + jerk * mbs.t**3))
    return model


def test_a_wheel_that_is_driven_rolls():
    """m a = m g_x + F,  I α = M - F r,  a = -r α."""
    needed = compare(wheel(0.5, 0.5), "disk.x", "floor.friction", "floor.force", "motor.effort")
    alpha = 3 * TIMES
    push = 2 * (-0.1 * alpha - 0.5)
    np.testing.assert_allclose(needed["floor.friction"], push, atol=1e-9)
    np.testing.assert_allclose(needed.effort("motor"), 0.02 * alpha - 0.1 * push, atol=1e-9)
    assert set(needed.modes["floor"]) == {"sticks"}


def test_a_wheel_that_would_slip_is_told_by_name():
    """It sticks as long as |0.2 α + 1| is within 0.2 · 19.62 N: α = 30 t up to 14.6 s⁻²."""
    with refused("contact-does-not-hold", time=0.5, contacts=["floor"]):
        mbs.inverse_dynamics(wheel(0.2, 5.0), TIMES)


def test_a_foot_that_is_led_over_a_floor_in_space():
    """Its carriage turns about an upright axis, and the foot slides freely down to the floor."""
    mass, mu, R = 1.5, 0.3, 0.4
    model = mbs.SpatialModel("foot", gravity=(0, 0, -9.81))
    arm = model.body("arm", mass=1, inertia=(0.1, 0.1, 0.1))
    foot = model.body("foot", mass=mass, inertia=(0.01, 0.01, 0.01), position=(R, 0, 0.05))
    turn = mbs.Revolute("A", model.ground, arm, at=(0, 0, 0), axis=(0, 0, 1))
    model.add(turn, mbs.Translational("G", arm, foot, at=(R, 0, 0.05), axis=(0, 0, 1)))
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Sphere(foot, 0.05), friction=mu))
    model.add(mbs.Driver("motor", mbs.angle(turn), mbs.t + mbs.t**2))
    needed = compare(model, "motor.effort", "floor.force", "A.Fx", "A.Mx")
    np.testing.assert_allclose(needed["floor.force"], mass * 9.81, rtol=1e-9)
    expected = 2 * (0.1 + 0.01 + mass * R**2) + mu * mass * 9.81 * R
    np.testing.assert_allclose(needed.effort("motor"), expected, rtol=1e-9)


def test_a_taut_rope_and_a_stop():
    """A weight hangs on a rope whose other end is lifted; a sledge is pressed on its stop, and the stop is driven."""
    model = mbs.PlanarModel("hoist", gravity=(0, -10))
    hook = model.body("hook", mass=1, inertia=1)
    load = model.body("load", mass=2, inertia=1, position=(0, -1))
    lift = mbs.Translational("lift", model.ground, hook, at=(0, 0), axis=(0, 1))
    model.add(lift, mbs.Translational("shaft", model.ground, load, at=(0, 0), axis=(0, 1)))
    model.add(mbs.Rope("rope", hook, load, length=1.0))
    model.add(mbs.Driver("winch", mbs.displacement(lift), mbs.t**2))
    needed = mbs.inverse_dynamics(model, TIMES)
    np.testing.assert_allclose(needed["rope.force"], 2 * 12.0, rtol=1e-9)
    np.testing.assert_allclose(needed.effort("winch"), 3 * 12.0, rtol=1e-9)
    dropped = model.without("winch").plus(mbs.Driver("winch", mbs.displacement(lift), -6 * mbs.t**2))
    with refused("contact-does-not-hold", contacts=["rope"]):
        mbs.inverse_dynamics(dropped, TIMES)

    model = mbs.PlanarModel("sledges")
    first, second = model.body("first", mass=1, inertia=1), model.body("second", mass=2, inertia=1)
    one = mbs.Translational("one", model.ground, first)
    other = mbs.Translational("other", first, second)
    model.add(one, other, mbs.Stop("stop", mbs.displacement(other), lower=0.0))
    model.add(mbs.Force("wind", second, (-7, 0)), mbs.Driver("pull", mbs.displacement(one), mbs.t**2))
    needed = compare(model, "stop.force", "pull.effort")
    np.testing.assert_allclose(needed["stop.force"], 7 + 2 * 2, rtol=1e-9)


def test_what_drivers_alone_keep_closed_is_not_unique():
    """As in the run of the driven model the stop carries nothing, and nothing says that it is so."""
    model = mbs.PlanarModel("sledge")
    sledge = model.body("sledge", mass=1, inertia=1)
    guide = mbs.Translational("G", model.ground, sledge)
    pull = mbs.Driver("pull", mbs.displacement(guide), 0)
    model.add(guide, pull, mbs.Stop("stop", mbs.displacement(guide), lower=0.0), mbs.Force("wind", sledge, (-7, 0)))
    needed = compare(model, "pull.effort", times=[0, 1])
    assert set(needed.modes["stop"]) == {"kept"}
    assert not needed.is_unique("pull")[:, 0].any() and not needed.is_unique("stop")[:, 0].any()


def test_a_table_shares_its_load_and_says_so():
    model = mbs.PlanarModel("table", gravity=(0, -10))
    table = model.body("table", mass=3, inertia=1, position=(0, 0.5))
    tug = model.body("tug", mass=1, inertia=1, position=(0, 0.5))
    guide = mbs.Translational("guide", model.ground, tug)
    model.add(guide, mbs.Translational("shaft", tug, table, at=(0, 0.5), axis=(0, 1)))
    for k, x in enumerate((-1, 0, 1)):
        model.add(mbs.Contact(f"leg{k}", mbs.Line(model.ground), mbs.Point(table.at(x, -0.5)), friction=0.2))
    model.add(mbs.Driver("push", mbs.displacement(guide), mbs.t + mbs.t**2))
    needed = mbs.inverse_dynamics(model, TIMES)
    np.testing.assert_allclose(sum(needed[f"leg{k}.force"] for k in range(3)), 30.0, rtol=1e-9)
    np.testing.assert_allclose(needed.effort("push"), 4 * 2 + 0.2 * 30, rtol=1e-9)
    assert needed.is_unique("push").all() and not needed.is_unique("leg0").all()
