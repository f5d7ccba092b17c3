"""Contacts where several things happen at once: impacts at one instant, at a requested time, at an event, beside a law
that switches; friction on its edge. Expected values: closed forms of falling and sliding bodies."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

G, HEIGHT, E = 9.81, 1.0, 0.6
FALL, SPEED = np.sqrt(2 * HEIGHT / G), np.sqrt(2 * HEIGHT * G)


def two_balls(event: bool = False, drag: float = 0.0) -> mbs.PlanarModel:
    """Side by side, from one height; perhaps with a constant force against their way."""
    model = mbs.PlanarModel("two balls", gravity=(0, -G))
    for name, x in (("left", 0), ("right", 3)):
        ball = model.body(name, mass=2.0, inertia=0.01, position=(x, HEIGHT))
        model.add(mbs.Contact(f"under {name}", mbs.Line(model.ground), mbs.Point(ball), restitution=E))
        if drag:
            model.add(mbs.Force(f"drag {name}", ball, (0, -2.0 * drag * sp.sign(model[f"{name}.vy"]))))
    if event:
        model.add(mbs.Event("turns", when=model["left.vy"], direction=0))
    return model


STILL = {f"{name}.{v}": 0.0 for name in ("left", "right") for v in ("vx", "vy", "omega")}


def fall(model, times) -> mbs.Result:
    return mbs.simulate(model, times, STILL, rtol=1e-11)


def test_two_impacts_at_one_instant():
    result = fall(two_balls(), [0, 1.2])
    for name in ("left", "right"):
        own = [impact for impact in result.impacts if f"under {name}" in impact.contacts]
        assert np.abs([impact.t for impact in own] - FALL * (1 + 2 * E * np.array([0, 1]))[: len(own)]).max() < 1e-9
        assert abs(own[0].impulses[f"under {name}"][1] - 2.0 * (1 + E) * SPEED) < 1e-9
    assert abs(sum(i.energy_lost for i in result.impacts[:2]) - (1 - E**2) * SPEED**2 * 2.0) < 1e-8 or (
        abs(result.impacts[0].energy_lost - (1 - E**2) * SPEED**2 * 2.0) < 1e-8
    )


def test_an_impact_at_a_requested_time():
    result = fall(two_balls(), [0, FALL, 2 * FALL * (1 + E) - FALL])
    assert np.abs(result["left.y"][1:]).max() < 1e-9
    first, second = result["left.vy"][1:]
    assert min(abs(first + SPEED), abs(first - E * SPEED)) < 1e-9
    assert min(abs(second + E * SPEED), abs(second - E * E * SPEED)) < 1e-9


def test_requested_times_change_no_bit():
    coarse, fine = (fall(two_balls(), np.linspace(0, 2, n)) for n in (5, 201))
    assert all(np.array_equal(coarse[name], fine[name][::50]) for name in ("left.y", "left.vy", "right.omega"))
    assert [impact.t for impact in coarse.impacts] == [impact.t for impact in fine.impacts]


def test_an_event_at_an_impact_and_one_between():
    result = fall(two_balls(event=True), [0, 1.2])
    turns = [FALL, FALL * (1 + E), FALL * (1 + 2 * E)]
    assert np.abs([event.t for event in result.events][:3] - np.array(turns)).max() < 1e-9


def test_a_law_that_switches_beside_a_contact():
    """The drag is with gravity on the way up and against it on the way down."""
    drag = 2.0
    result = fall(two_balls(drag=drag), [0, 1.2])
    down, up = G - drag, G + drag
    arrives, t = np.sqrt(2 * HEIGHT * down), np.sqrt(2 * HEIGHT / down)
    leaves = E * arrives
    t_next = t + leaves / up + np.sqrt(leaves**2 / up / down)
    times = sorted({round(impact.t, 12) for impact in result.impacts})
    assert np.abs(np.array(times[:2]) - [t, t_next]).max() < 1e-9
    assert abs(result.energy.error[-1]) < 1e-8


@pytest.mark.parametrize("angle", (0.2, 0.5, 1.0))
def test_friction_on_its_edge_holds(angle):
    """On a slope with tan α = μ, from rest: held or gliding, it stays where it is."""
    model = mbs.PlanarModel("slope", gravity=(G * np.sin(angle), -G * np.cos(angle)))
    block = model.body("b", mass=1.0, inertia=0.1)
    model.add(mbs.CoordinateFix("upright", block, "angle", 0))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(block), friction=np.tan(angle)))
    result = mbs.simulate(model, [0, 1, 2], {"b.vx": 0.0, "b.vy": 0.0})
    assert np.abs([result["b.x"], result["b.vx"]]).max() < 1e-12


FEET = {
    "rough": (0.263785, 0.788429, (0.09548, 0.11802, 0.07011), (-0.2925, -0.7819, -0.2572, 0.0081, -0.2756, 1.2941)),
    "smooth": (0.381659, 0.127621, (0.08338, 0.13431, 0.10817), (0.5484, -1.0651, 1.8284, 2.0202, -1.0648, 0.3728)),
}


@pytest.mark.parametrize("feet", FEET)
def test_a_body_on_four_feet_rocks_to_rest(feet):
    """When it is on all feet at once, these are off one plane by roundoff of places; so much of the approach of each
    contradicts the others by as much, and no impulses obeyed the laws exactly."""
    e, mu, inertia, rates = FEET[feet]
    model = mbs.SpatialModel("on four feet", gravity=(0, 0, -9.81))
    body = model.body("b", mass=1.0, inertia=inertia, position=(0, 0, 0.9))
    for k, (x, y) in enumerate([(0.4, 0.3), (-0.4, 0.3), (-0.4, -0.3), (0.4, -0.3)]):
        foot = mbs.Point(body.at(x, y, -0.3))
        model.add(mbs.Contact(f"foot {k}", mbs.Plane(model.ground), foot, restitution=e, friction=mu))
    start = dict(zip(("b.vx", "b.vy", "b.vz", "b.wx", "b.wy", "b.wz"), rates, strict=True))
    run = mbs.simulate(model, np.linspace(0, 2, 21), start)
    assert all(run.modes[f"foot {k}"][-1] in ("sticks", "slips") for k in range(4))
    assert min(run[f"foot {k}.gap"].min() for k in range(4)) > -1e-9
    assert np.diff(run.energy.kinetic + run.energy.potential).max() < 1e-6
