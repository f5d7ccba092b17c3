"""Where velocities jump, contacts are as the new velocities say: a Reset, or another impact, sets free what stuck."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.model.contacts import Contact, Line, Point

G = 9.81
sets = pytest.mark.parametrize("coordinates", ("cartesian", "natural", "joint"))


def block(**friction):
    model = mbs.PlanarModel("block", gravity=(0, -G))
    body = model.body("b", mass=1.0, inertia=0.1)
    model.add(mbs.CoordinateFix("upright", body, "angle", 0))
    model.add(Contact("floor", Line(model.ground), Point(body), **friction))
    return model


AT_REST = {"b.x": 0.0, "b.vx": 0.0, "b.y": 0.0, "b.vy": 0.0}


@sets
def test_a_reset_throws_a_body_up_from_rest(coordinates):
    model = block(friction=0.5)
    model.add(mbs.Event("throw", when=mbs.t - 1, action=mbs.Reset({"b.vy": 2.0, "b.vx": 1.0})))
    flight = 2 * 2.0 / G
    result = mbs.simulate(model.compile(coordinates), [0, 0.5, 1.2, 3], AT_REST, rtol=1e-10)
    assert result.modes["floor"].tolist() == ["sticks", "sticks", "open", "sticks"]
    assert abs(result["b.y"][2] - (0.4 - G * 0.02)) < 1e-9
    (impact,) = result.impacts
    assert abs(impact.t - 1 - flight) < 1e-9
    assert abs(impact.impulses["floor"][0] + min(1.0, 0.5 * 2.0)) < 1e-9
    assert abs(result["b.x"][-1] - flight) < 1e-9


@sets
def test_a_reset_throws_a_body_along_the_floor(coordinates):
    model = block(friction=0.5)
    model.add(mbs.Event("throw", when=mbs.t - 1, action=mbs.Reset({"b.vx": 1.0})))
    result = mbs.simulate(model.compile(coordinates), [0, 0.5, 1.1, 3], AT_REST, rtol=1e-10)
    assert result.modes["floor"].tolist() == ["sticks", "sticks", "slips", "sticks"]
    assert not result.impacts and abs(result["b.x"][-1] - 1 / G) < 1e-9


@sets
def test_a_block_that_rests_is_struck_and_slides(coordinates):
    """Of equal masses, without loss: it takes over the velocity. Its friction during the impact has no bound to reach,
    for nothing presses it on the floor more than before."""
    model = block(friction=0.5)
    other = model.body("a", mass=1.0, inertia=0.1, position=(-1, 0))
    model.add(mbs.Translational("guide", model.ground, other))
    model.add(Contact("hit", other, model.bodies["b"], gap=lambda i, j: j.x - i.x, restitution=1.0))
    start = {**AT_REST, "a.vx": 2.0, "a.x": -1.0}
    result = mbs.simulate(model.compile(coordinates), [0, 0.4, 0.6, 2], start, rtol=1e-10)
    assert result.modes["floor"].tolist() == ["sticks", "sticks", "slips", "sticks"]
    assert abs(result.impacts[0].t - 0.5) < 1e-10
    assert np.abs([result["b.vx"][2] - (2 - 0.05 * G), result["b.x"][-1] - 2.0**2 / G]).max() < 1e-8
    assert np.abs(result.energy.error).max() < 1e-9


# --- a Reset where a slip begins ---

RUBBING = {
    "contact": lambda model, body, static: Contact(
        "rub", Line(model.ground), Point(body), friction=0.2, static_friction=static
    ),
    "joint": lambda model, body, static: mbs.Friction("rub", model.elements["guide"], mu=0.2, mu_static=static),
    "given": lambda model, body, static: mbs.DryFriction("rub", mbs.x(body), force=2.0, static_force=10.0 * static),
    "space": lambda model, body, static: Contact(
        "rub", mbs.Plane(model.ground), Point(body), friction=0.2, static_friction=static
    ),
}


def pulled_block(kind, static, values):
    """A block of 1 kg under a force of 10 t: it begins to slip at 10 static/10, and counts that."""
    space = kind == "space"
    model = mbs.SpatialModel("b", gravity=(0, 0, -10)) if space else mbs.PlanarModel("b", gravity=(0, -10))
    body = model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0) if space else 1.0)
    if kind in ("joint", "given"):
        model.add(mbs.Translational("guide", model.ground, body))
    rub = model.add(RUBBING[kind](model, body, static))
    count = model.state("count")
    model.add(mbs.Force("pull", body, (10 * mbs.t, 0, 0) if space else (10 * mbs.t, 0)))
    model.add(mbs.Event("go", when=rub.slips, action=mbs.Reset({"count": count + 1, **values})))
    return model, {name: 0.0 for name in ("block.vx", "block.vy", *(["block.vz"] if space else []))}


@pytest.mark.parametrize("static", [0.2, 0.3])
@pytest.mark.parametrize("values", [{}, {"block.vx": 0.0}, {"block.x": 3.0}], ids=["count", "stop", "move"])
@pytest.mark.parametrize("kind", RUBBING)
@sets
def test_a_slip_that_a_reset_leaves_without_speed_goes_on(coordinates, kind, values, static):
    model, first = pulled_block(kind, static, values)
    if kind in ("joint", "given"):
        first = {"block.vx": 0.0}
    run = mbs.simulate(model.compile(coordinates), [0, 1.0], first)
    begin = static
    (change,) = run.transitions["rub"]
    assert change.t == pytest.approx(begin) and change.after == "slips"
    assert run["count"][-1] == 1.0 and [event.name for event in run.events] == ["go"]
    speed = 5.0 * (1.0 - begin**2) - 2.0 * (1.0 - begin)
    assert run["block.vx"][-1] == pytest.approx(speed, abs=1e-7)
    way = 10.0 * (1.0 - begin**3) / 6.0 - 5.0 * begin**2 * (1.0 - begin) - (1.0 - begin) ** 2
    assert run["block.x"][-1] == pytest.approx(values.get("block.x", 0.0) + way, abs=1e-7)


@sets
def test_a_reset_that_takes_the_load_off_lets_a_slip_stick(coordinates):
    """A spring is drawn at 1 m/s, and each slip moves the block 0.2 m on, where the spring is slack."""
    model = mbs.PlanarModel("ratchet", gravity=(0, -10))
    body = model.body("block", mass=1.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, body))
    rub = model.add(mbs.Friction("rub", guide, mu=0.2))
    model.add(mbs.Force("pull", body, (10 * (mbs.t - model["block.x"]), 0)))
    on = mbs.Reset({"block.x": model["block.x"] + 0.2, "block.vx": 0.0})
    model.add(mbs.Event("go", when=rub.slips, action=on))
    run = mbs.simulate(model.compile(coordinates), [0, 0.9], {"block.vx": 0.0})
    assert [event.t for event in run.events["go"]] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert [one.after for one in run.transitions["rub"]] == ["slips", "sticks"] * 4
    assert run["block.x"][-1] == pytest.approx(0.8) and run["block.vx"][-1] == 0.0


@sets
def test_stick_and_slip_on_a_belt_are_counted(coordinates):
    model = mbs.PlanarModel("belt", gravity=(0, -G))
    belt, body = model.body("belt", mass=1.0, inertia=1.0), model.body("block", mass=1.0, inertia=0.01)
    model.add(mbs.Translational("rollers", model.ground, belt), mbs.Driver("motor", mbs.x(belt), 0.1 * mbs.t))
    rub = model.add(Contact("rub", Line(belt), Point(body), friction=0.3, static_friction=0.45))
    model.add(mbs.Spring("spring", model.ground.at(-1, 0), body, stiffness=100.0, length=1.0))
    plain = mbs.simulate(model.compile(coordinates), [0, 3], {"block.vx": 0.1, "block.x": 0.0})
    count = model.state("count")
    for change, step in ((rub.slips, 1), (rub.sticks, 100)):
        model.add(mbs.Event(f"on {change.change}", when=change, action=mbs.Reset({"count": count + step})))
    run = mbs.simulate(model.compile(coordinates), [0, 3], {"block.vx": 0.1, "block.x": 0.0})
    assert run["count"][-1] == 304.0 and len(run.events) == 7
    assert [one.t for one in run.transitions] == pytest.approx([one.t for one in plain.transitions], abs=1e-8)
    assert run["block.x"][-1] == pytest.approx(plain["block.x"][-1], abs=1e-8)
