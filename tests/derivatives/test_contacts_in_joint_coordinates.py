"""Derivatives of runs in joint coordinates with contacts, stops and friction, from their steps: against closed forms in
40 digits, against those of the same motion in Cartesian coordinates, ahead against back."""

from typing import Any

import numpy as np
import pytest
import sympy as sp
from test_contacts_ahead_and_back import ball, bounces, check_back, check_closed_form
from test_events_from_steps import ahead_and_back, from_steps
from test_runs_in_other_coordinates import check_against_bodies

import mbs_dae as mbs

G = 9.81
METHODS = pytest.mark.parametrize("method", ["DP8", "Radau5"])


def check(
    model: Any, start: dict[str, float], by: list[str], names: list[str], times: Any, close: float, method: str,
    **how: Any,
) -> mbs.Result:  # fmt: skip
    """Compare a run in joint coordinates with that of bodies; return the first one."""
    how |= {"rtol": 1e-12, "back": 1e-11} if method == "Radau5" else {}
    return check_against_bodies(model, "joint", start, by, names, close, np.array(times), method=method, **how)


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5", "GA"])
def test_a_spinning_ball_bounces_twenty_times(method):
    values = {"R": 0.1, "e": 0.85, "mu": 0.04, "m": 1.3, "J": 0.006, "ball.y": 1.0, "ball.vx": 2.0, "ball.omega": -20.0}
    start = {name: value for name, value in values.items() if "." in name} | {"ball.x": 0.0, "ball.vy": 0.0}
    times, start = [0.0, 0.4, 1.5, 5.07], start | {"ball.angle": 0.0}
    steps: dict[str, Any] = {"rtol": 1e-12, "max_step": 0.05, "method": method, "derivatives": [*values]}
    result = mbs.simulate(ball(0.85, 0.04).compile("joint"), times, start, **steps)
    assert from_steps(result) and len(result.impacts) >= 20
    names = ["ball.x", "ball.y", "ball.vx", "ball.omega"]
    check_closed_form(result, bounces, names, values)
    check_back(result, [*names, "ball.vy", "energy.kinetic"])


@METHODS
def test_a_block_slides_into_a_stop(method):
    """The block slides for v²/(2 μ g) at most, and meets the stop before."""
    model = mbs.PlanarModel("bench", gravity=(0, -G))
    mu, mass = model.parameter("mu", 0.2), model.parameter("m", 1.5)
    block = model.body("block", mass, 0.1)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Friction("bench", guide, mu=mu))
    model.add(mbs.Stop("stop", mbs.displacement(guide), upper=3.0, restitution=model.parameter("e", 0.5)))

    def motion(t, mu, e, end, vx):
        b = mu * G
        meets = (vx - (vx**2 - 2 * b * end) ** 0.5) / b
        if t < meets:
            return [vx * t - b * t**2 / 2, vx - b * t]
        back, t = e * (vx - b * meets), t - meets
        t = min(t, back / b)
        return [end - back * t + b * t**2 / 2, b * t - back]

    values = {"mu": 0.2, "e": 0.5, "stop.upper": 3.0, "block.vx": 4.0}
    times, how = [0.0, 0.5, 1.2, 3.0], {"method": method, "rtol": 1e-11, "derivatives": [*values, "m"]}
    result = mbs.simulate(model.compile("joint"), times, {"block.vx": 4.0}, **how)
    assert from_steps(result) and len(result.impacts) == 1 and result.modes["bench"][-1] == "sticks"
    check_closed_form(result, motion, ["block.x", "block.vx"], values)
    assert np.abs(result.d("block.x", "m")).max() < 1e-9
    check_back(result, ["block.x", "block.vx", "bench.force", "guide.Fy", "energy.dissipated"])


@METHODS
def test_a_double_pendulum_rubs_in_a_pin(method):
    """The friction of the second pin reads its reaction, which is a multiplier of the run."""
    model = mbs.PlanarModel("double pendulum", gravity=(0, -G))
    length, mu = model.parameter("l", 0.4), model.parameter("mu", 0.15)
    one = model.link("one", (0, 0), (0.4, 0), length=length, mass=1.0)
    two = model.link("two", (0.4, 0), (0.8, 0.1), mass=model.parameter("m", 0.7))
    model.add(mbs.Revolute("A", model.ground, one.tail))
    pin = model.add(mbs.Revolute("B", one.head, two.tail))
    model.add(mbs.Friction("rubs", pin, mu=mu, radius=0.03))
    start, by = {"one.omega": 1.0, "two.omega": -2.0}, ["l", "mu", "m", "two.omega", "gravity.y"]
    names = ["two.x", "two.vy", "one.omega", "A.Fx", "B.Fy", "rubs.force"]
    run = check(model, start, by, names, [0, 0.3, 0.9], 1e-8, method)
    assert run.stats["switches"] > 0


def slider_crank() -> mbs.PlanarModel:
    """A slider-crank whose slider rubs in its guide and meets a stop."""
    model = mbs.PlanarModel("crank", gravity=(0, -G))
    r, rod, e, end, drive, mu = (
        model.parameter(name, value)
        for name, value in (("r", 0.2), ("l", 0.5), ("e", 0.6), ("end", 0.62), ("M", 0.8), ("mu", 0.1))
    )
    crank, link, guided = model.body("crank", 1.0, 0.01), model.body("rod", 1.0, 0.02), model.body("slider", 0.5, 0.01)
    model.add(mbs.Revolute("A", model.ground.at(0, 0), crank.at(-r / 2, 0)))
    model.add(mbs.Revolute("B", crank.at(r / 2, 0), link.at(-rod / 2, 0)))
    model.add(mbs.Revolute("C", link.at(rod / 2, 0), guided.at(0, 0)))
    guide = model.add(mbs.Translational("guide", model.ground.at(0, 0), guided.at(0, 0)))
    model.add(mbs.Torque("drive", crank, drive), mbs.Friction("rubs", guide, mu=mu))
    model.add(mbs.Stop("stop", mbs.displacement(guide), upper=end, restitution=e))
    return model


@METHODS
def test_a_slider_crank_with_friction_runs_into_a_stop(method):
    model = slider_crank()
    names = ["slider.x", "crank.omega", "A.Fx", "stop.force", "rubs.force", "energy.dissipated"]
    run = check(model, {"A.angle": 1.0}, [*model.parameters], names, np.linspace(0, 0.8, 5), 1e-7, method)
    assert len(run.impacts) >= 2 and run.stats["switches"] > len(run.impacts)


@METHODS
def test_a_ball_on_an_arm_bounces(method):
    model = mbs.PlanarModel("arm", gravity=(0, -G))
    length, e, mu, radius = (
        model.parameter(name, value) for name, value in (("l", 1.0), ("e", 0.6), ("mu", 0.3), ("R", 0.1))
    )
    arm = model.link("arm", (0, 1), (1.0, 1.0), length=length, mass=1.0)
    disk = model.body("disk", 0.5, 0.002, position=(1.0, 1.0))
    model.add(mbs.Revolute("A", model.ground.at(0, 1), arm.tail), mbs.Revolute("B", arm.head, disk))
    line = mbs.Line(model.ground.at(0, 0.3))
    model.add(mbs.Contact("floor", line, mbs.Disk(disk, radius), restitution=e, friction=mu))
    names, by = ["disk.x", "disk.vy", "disk.omega", "arm.omega", "B.Fx"], ["l", "e", "mu", "R", "disk.omega"]
    run = check(model, {"disk.omega": 10.0}, by, names, [0, 0.3, 0.6, 0.8], 1e-8, method)
    assert len(run.impacts) >= 2


@METHODS
def test_a_pendulum_in_space_rubs_and_meets_a_stop(method):
    """A hinge and a ball carry two bodies; the ball has friction, whose slip has three components."""
    model = mbs.SpatialModel("pendulum", gravity=(0, 0, -G))
    length, mu, e = model.parameter("l", 0.4), model.parameter("mu", 0.1), model.parameter("e", 0.5)
    one = model.body("one", 1.0, (0.01, 0.02, 0.02), position=(0.2, 0, 0))
    two = model.body("two", 0.8, (0.004, 0.01, 0.012), position=(0.6, 0, 0))
    hinge = model.add(mbs.Revolute("A", model.ground, one, at=(0, 0, 0), axis=(0, 1, 0)))
    joint = model.add(mbs.Spherical("B", one.at(0.2, 0, 0), two.at(-length / 2, 0, 0)))
    model.add(mbs.Friction("rubs", joint, mu=mu, radius=0.02))
    model.add(mbs.Stop("stop", mbs.angle(hinge), upper=0.5, restitution=e))
    start, by = {"two.wz": 3.0, "two.wx": 5.0}, ["l", "mu", "e", "two.mass", "two.wz"]
    run = check(model, start, by, ["two.x", "two.vy", "one.wy", "B.Fz", "two.wx"], [0, 0.15, 0.4], 1e-7, method)
    assert len(run.impacts) >= 1


@pytest.mark.parametrize(("method", "rtol"), [("DP8", 1e-11), ("Radau5", 1e-11), ("Radau5", 1e-12)])
def test_a_ball_slides_in_space_until_it_rolls(method, rtol):
    """The slip keeps its direction in the last steps of DP8. Radau5 takes one step until the slip ends, in which the
    slip turns: by rtol 1e-12 derivatives are differences of whole runs. They are those of the bodies by DP8."""
    model = mbs.SpatialModel("ball", gravity=(0, 0, -G))
    mu, mass, inertia = model.parameter("mu", 0.12), model.parameter("m", 1.3), model.parameter("J", 0.006)
    body = model.body("ball", mass, (inertia,) * 3, position=(0, 0, 0.1))
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Sphere(body, 0.1), friction=mu))
    start = {"ball.vx": 2.0, "ball.vy": 0.5, "ball.vz": 0.0, "ball.wx": 20.0, "ball.wy": -5.0, "ball.wz": 3.0}
    by, names = ["mu", "m", "J", "ball.vx", "ball.wx"], ["ball.x", "ball.y", "ball.vx", "ball.wx", "floor.force"]
    times, close = [0.0, 0.3, 1.0, 2.4], 1e-8
    if method == "DP8":
        run = check(model, start, by, names, times, 1e-8, method, max_step=0.05)
    else:
        how: dict[str, Any] = {"rtol": rtol, "max_step": 0.05, "derivatives": by}
        run = mbs.simulate(model.compile("joint"), times, start, method=method, **how)
        bodies = mbs.simulate(model, times, start, method="DP8", **how)
        for name in names:
            for one in by:
                found, known = run.d(name, one), bodies.d(name, one)
                size = max(1.0, np.abs(known).max())
                assert (np.abs(found - known) <= close * size).all(), (name, one)
    assert [one.after for one in run.transitions] == ["sticks"]


def controlled() -> mbs.PlanarModel:
    """A cart that rubs on its rail carries a pole, which a sampled controller holds up."""
    model = mbs.PlanarModel("cart", gravity=(0, -G))
    gain, force, length = model.parameter("k", 60.0), model.parameter("F", 1.5), model.parameter("l", 0.5)
    cart = model.body("cart", 1.0, 0.1)
    pole = model.link("pole", (0, 0), (0.05, 0.5), length=length, mass=0.3)
    rail = model.add(mbs.Translational("rail", model.ground, cart))
    model.add(mbs.Revolute("pin", cart, pole.tail), mbs.DryFriction("rubs", mbs.displacement(rail), force))
    held = model.state("u")
    model.add(mbs.Force("push", cart, (held, 0.0)))
    law = gain * (sp.pi / 2 - model["pole.angle"]) - 8.0 * model["pole.omega"]
    model.add(mbs.Sampled("controller", every=0.02, update={held: law}))
    return model


@METHODS
def test_a_sampled_controller_beside_friction(method):
    model = controlled()
    by, names = ["k", "F", "l", "cart.mass"], ["cart.x", "pole.angle", "pole.omega", "rubs.force", "u"]
    run = check(model, {"cart.vx": -0.3}, by, names, [0, 0.1, 0.25, 0.5], 1e-7, method)
    assert run.stats["switches"] > 0


def test_events_among_contacts(monkeypatch):
    """An event records where the slider passes, and one stops the run, on the way back from the stop."""
    model = slider_crank()
    model.add(mbs.Event("passes", model["slider.x"] - 0.6, direction=1))
    model.add(mbs.Event("end", model["slider.x"] - 0.617, direction=-1, action="stop"))
    by, start, how = [*model.parameters], {"A.angle": 1.0}, {"method": "DP8", "rtol": 1e-11}
    objective = mbs.at_end("slider.ax") + mbs.at_end("A.Fx") * mbs.at_end(mbs.t) + mbs.at_end("rubs.friction")
    ahead, back = ahead_and_back(objective, model.compile("joint"), [0, 2.0], by, start, monkeypatch, **how)
    np.testing.assert_allclose(back, ahead, rtol=0, atol=1e-12 * np.abs(ahead).max())
    bodies, _ = ahead_and_back(objective, model, [0, 2.0], by, start, monkeypatch, **how)
    np.testing.assert_allclose(ahead, bodies, rtol=0, atol=1e-7 * np.abs(bodies).max())
    runs = [mbs.simulate(own, [0, 2.0], start, derivatives=by, **how) for own in (model, model.compile("joint"))]
    assert len(runs[1].impacts) == 1 and [event.name for event in runs[1].events] == ["passes", "end"]
    for one, other in zip(*(run.events for run in runs), strict=True):
        for name in ("t", "slider.vx", "crank.alpha"):
            own = np.array([one.d(name, parameter) for parameter in by])
            found = [other.d(name, parameter) for parameter in by]
            np.testing.assert_allclose(found, own, rtol=0, atol=1e-7 * np.abs(own).max())


def test_accelerations_where_an_event_comes_while_friction_acts():
    """A block slides by a = -μ g - k x² until an event stops it; there a' = -g - 2 k x x' with x held, so 0 by x_e."""
    model = mbs.PlanarModel("block", gravity=(0, -G))
    mu, k = model.parameter("mu", 0.2), model.parameter("k", 0.3)
    block = model.body("block", 1.0, 0.1)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Friction("bench", guide, mu=mu), mbs.Force("pull", block, (-k * model["block.x"] ** 2, 0.0)))
    model.add(mbs.Event("there", model["block.x"] - 1.0))
    for own in (model, model.compile("joint")):
        run = mbs.simulate(own, [0, 0.6], {"block.vx": 4.0}, rtol=1e-11, derivatives=["mu", "k"])
        (event,) = run.events
        speed = np.sqrt(16 - 2 * 0.2 * G - 2 * 0.3 / 3)
        found = [event.d(name, by) for name in ("block.x", "block.vx", "block.ax") for by in ("mu", "k")]
        np.testing.assert_allclose(found, [0, 0, -G / speed, -1 / 3 / speed, -G, -1], rtol=1e-9, atol=1e-9)
