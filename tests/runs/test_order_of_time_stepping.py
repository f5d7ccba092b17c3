"""The orders of time stepping, measured: Moreau's method has 1, the half-explicit midpoint rule 2, where forces depend
on velocities, gaps are curved, slips turn. Both tend to the run that steps from event to event."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs
from mbs_dae.coordinates import SETS

G = 9.81
ORDERS = {"Moreau": 1, "HalfExplicit": 2}
in_all_coordinates = pytest.mark.parametrize("coordinates", SETS)
of_both = pytest.mark.parametrize("method", ORDERS)


def errors(system, wanted, initial, method, steps):
    """At the last time, of quantities by name; a row for each step."""
    times = [0.0, wanted["t"]]
    runs = [mbs.simulate(system, times, initial, method=method, step=step) for step in steps]
    return np.array([[abs(run[name][-1] - value) for name, value in wanted.items() if name != "t"] for run in runs])


def exactly(system, t, initial, *names):
    """The same by steps from event to event."""
    run = mbs.simulate(system, [0.0, t], initial, rtol=1e-11)
    return {"t": t} | {name: run[name][-1] for name in names}


def assert_of_order(system, wanted, initial, method, steps=(0.005, 0.0025, 0.00125)):
    """Of all quantities together, each relative to itself."""
    sizes = [abs(value) for name, value in wanted.items() if name != "t"]
    found = np.linalg.norm(errors(system, wanted, initial, method, steps) / sizes, axis=1)
    orders = np.log2(found[:-1] / found[1:])
    assert np.abs(orders - ORDERS[method]).max() < 0.35, (orders, found)


@cache
def damped_slide(coordinates):
    model = mbs.PlanarModel("slide", gravity=(0, -G))
    body = model.body("b", mass=2.0, inertia=0.1)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(body), friction=0.2))
    model.add(mbs.Force("drag", body, (-3.0 * model["b.vx"], 0)))
    return model.compile(coordinates)


@of_both
@in_all_coordinates
def test_what_drag_and_friction_stop(coordinates, method):
    """v' = -k v - μ g, until it rests: the stop is part of it."""
    k, mu, speed = 1.5, 0.2, 4.0
    start, down = {"b.vx": speed, "b.vy": 0.0, "b.omega": 0.0}, mu * G / k
    for t in (0.5, 2.0):
        end = min(t, np.log1p(speed / down) / k)
        wanted = {"t": t, "b.x": (speed + down) * -np.expm1(-k * end) / k - down * end}
        if end == t:
            wanted["b.vx"] = (speed + down) * np.exp(-k * t) - down
        assert_of_order(damped_slide(coordinates), wanted, start, method)


@cache
def bowl(coordinates):
    model = mbs.PlanarModel("bowl", gravity=(0, -G))
    disk = model.body("b", mass=2.0, inertia=0.01, position=(0, -0.9))
    model.add(mbs.Contact("bowl", mbs.Disk(model.ground, 1.0, inside=True), mbs.Disk(disk, 0.1), friction=0.5))
    return model.compile(coordinates)


@of_both
@in_all_coordinates
@pytest.mark.parametrize(("speed", "spin"), ((3.0, 0.0), (1.0, -10.0)), ids=("slides", "rolls"))
def test_what_moves_in_a_bowl(coordinates, method, speed, spin):
    """Places, velocities, and forces: these are means, so they are those in the middle of a step."""
    system, t = bowl(coordinates), 0.1
    start = {"b.vx": speed, "b.vy": 0.0, "b.omega": spin}
    wanted = exactly(system, t, start, "b.x", "b.vx", "b.omega")
    steps = np.array([0.005, 0.0025, 0.00125])
    middles = mbs.simulate(system, [0.0, *(t - steps / 2)], start, rtol=1e-11)
    assert_of_order(system, wanted, start, method, steps)
    for name in ("bowl.force", "bowl.friction"):
        runs = [mbs.simulate(system, [0.0, t], start, method=method, step=step) for step in steps]
        found = [abs(run[name][-1] - middle) for run, middle in zip(runs, middles[name][1:], strict=True)]
        assert np.log2(np.divide(found[:-1], found[1:])).min() > ORDERS[method] - 0.35, name


@cache
def dry_pendulum(coordinates):
    model = mbs.PlanarModel("dry pendulum", gravity=(0, -G))
    bar = model.link("bar", (0, 0), (1, 0), mass=1.0)
    pin = model.add(mbs.Revolute("pin", model.ground, bar.tail))
    model.add(mbs.Friction("rub", pin, mu=0.3, radius=0.1))
    return model.compile(coordinates)


@of_both
@in_all_coordinates
def test_a_pendulum_that_rubs_in_its_pin(coordinates, method):
    system, start = dry_pendulum(coordinates), {"bar.omega": 0.0}
    wanted = exactly(system, 0.8, start, "bar.angle", "bar.omega")
    assert_of_order(system, wanted, start, method)


@cache
def tilted(coordinates):
    model = mbs.SpatialModel("tilted", gravity=(1.0, 0, -G))
    body = model.body("b", mass=2.0, inertia=(0.1, 0.1, 0.1))
    model.add(mbs.Contact("plane", mbs.Plane(model.ground), mbs.Point(body), friction=0.2))
    return model.compile(coordinates)


@of_both
@in_all_coordinates
def test_what_slides_across_a_slope_turns(coordinates, method):
    """Friction turns with the slip, gravity does not."""
    start = {f"b.{name}": 0.0 for name in ("vz", "wx", "wy", "wz")} | {"b.vx": -1.0, "b.vy": 2.0}
    wanted = exactly(tilted(coordinates), 0.5, start, "b.x", "b.y", "b.vx", "b.vy")
    assert_of_order(tilted(coordinates), wanted, start, method)


@cache
def rubbing_crank(coordinates):
    """A closed loop, with friction in its guide, and a drag, half of which lags behind: a state."""
    model = mbs.PlanarModel("crank", gravity=(0, -G))
    crank, rod = model.link("crank", (0, 0), (0, 0.3), mass=1.0), model.link("rod", (0, 0.3), (0.4, 0), mass=1.5)
    slider = model.body("slider", mass=2.0, inertia=1.0, position=(0.4, 0))
    model.add(mbs.Revolute("O", model.ground, crank.tail), mbs.Revolute("A", crank.head, rod.tail))
    model.add(mbs.Revolute("B", rod.head, slider))
    model.add(mbs.Friction("rub", model.add(mbs.Translational("guide", model.ground, slider)), mu=0.1))
    drag = model.state("drag", rate=lambda z: (5.0 * model["slider.vx"] - z) / 0.1)
    model.add(mbs.Force("resistance", slider, (-drag - 5.0 * model["slider.vx"], 0)))
    return model.compile(coordinates)


@of_both
@pytest.mark.parametrize("coordinates", ("cartesian", "joint"))
def test_a_loop_with_a_rubbing_guide_and_a_state(coordinates, method):
    system, start = rubbing_crank(coordinates), {"crank.omega": 9.0}
    wanted = exactly(system, 0.1, start, "crank.angle", "crank.omega", "drag")
    assert_of_order(system, wanted, start, method)


@of_both
def test_what_impacts_leave_is_of_order_one(method):
    """A ball that bounces along a floor, with spin, until it rests and rolls: impacts happen at ends of no step."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    disk = model.body("b", mass=2.0, inertia=0.01, position=(0, 0.3))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(disk, 0.1), restitution=0.5, friction=0.3))
    start, steps = {"b.vx": 1.0, "b.vy": 0.0, "b.omega": 20.0}, np.array([1e-2, 1e-3, 1e-4])
    wanted = exactly(model, 1.0, start, "b.x", "b.vx", "b.omega", "b.y")
    found = errors(model, wanted, start, method, steps)
    assert (found[:, 0] < 2 * steps).all() and found[2, 0] < 0.1 * found[0, 0]
    assert (found[:, 1:3] < np.outer(steps, [5, 50])).all() and (found[:, 3] < 1e-12).all()


def table(turns):
    """Ground that turns, or that shakes under a body which is pulled more and more."""
    model = mbs.PlanarModel("table", gravity=(0, -G))
    body, top = model.body("b", mass=1.0, inertia=0.01), model.body("top", mass=5.0, inertia=1.0)
    model.add(mbs.Contact("f", mbs.Line(top), mbs.Point(body), friction=0.2, static_friction=0.5))
    model.add(mbs.CoordinateFix("no", body, "angle"))
    if turns:
        model.add(mbs.Revolute("p", model.ground, top), mbs.Driver("d", mbs.angle(model.ground, top), 0.2 * mbs.t))
        return model, {"b.x": 0.3, "f.gap": 0.0, "f.gap_rate": 0.0, "b.vx": 0.0}
    model.add(mbs.Translational("p", model.ground, top), mbs.Driver("d", mbs.x(top), 0.05 * sp.sin(2 * mbs.t)))
    model.add(mbs.Force("pull", body, (5.0 * mbs.t, 0)))
    return model, {"b.x": 0.0, "f.gap": 0.0, "f.slip": 0.0}


@of_both
@pytest.mark.parametrize(("turns", "t", "x"), ((True, 2.0, 0.3 * np.cos(0.4)), (False, 0.9, 0.05 * np.sin(1.8))))
def test_what_sticks_on_ground_that_moves(turns, t, x, method):
    """It is held by the friction of rest, more than that of slip could hold, whatever the step."""
    model, start = table(turns)
    run = mbs.simulate(model, [0, t / 2, t], start, method=method, step=4e-3)
    finer = mbs.simulate(model, [0, t / 2, t], start, method=method, step=1e-3)
    assert {*run.modes["f"][1:]} == {"sticks"} and abs(run["b.x"][-1] - x) < 1e-4
    assert abs(finer["b.x"][-1] - x) < 0.3 * abs(run["b.x"][-1] - x)
