"""Measured orders: each method keeps its own on closed loops, however the constraints are kept.

Slider-crank and four-bar move at some rad/s under gravity, so that γ is anything but zero. The reference is DP8 with
projection at the smallest tolerance; two such references with different steps agree to 1e-12.
"""

from __future__ import annotations

from functools import cache
from math import pi
from typing import Any

import numpy as np
import pytest
import sympy as sp
from helpers import four_bar, slider_crank

import mbs_dae as mbs

START = {"crank.omega": 4.0}
SLOWER = {"crank.omega": 3.0}
TIMES = np.linspace(0, 1, 6)


def pendulum_on_a_driven_crank() -> mbs.PlanarModel:
    """A crank that swings as it is told, and a double pendulum that hangs on it: prescribed and free motion at once."""
    model = mbs.PlanarModel("whip", gravity=(0.0, -9.81))
    crank = model.link("crank", (0, 0), (0.5, 0), mass=1.0)
    upper = model.link("upper", (0.5, 0), (0.7, -0.6), mass=0.8)
    lower = model.link("lower", (0.7, -0.6), (0.9, -1.1), mass=0.5)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, upper.tail),
        mbs.Revolute("C", upper.head, lower.tail),
        mbs.Driver("motor", mbs.angle(model.ground, crank), sp.sin(3 * mbs.t) + mbs.t**2),
    )
    return model


MODELS = {
    "slider-crank": (lambda: slider_crank(motor=False), START),
    "four-bar": (lambda: four_bar(motor=False), START),
    "slider-crank, slower": (lambda: slider_crank(motor=False), SLOWER),
    "four-bar, slower": (lambda: four_bar(motor=False), SLOWER),
    "whip": (pendulum_on_a_driven_crank, {"upper.omega": 1.0, "lower.omega": -2.0}),
}
LOOPS = ["slider-crank", "four-bar"]
QUICK = [*LOOPS, "whip"]
ORDERS = [
    *((name, method) for name in QUICK for method in ("RK4", "DP5")),
    *((name, "DP8") for name in ("slider-crank, slower", "four-bar, slower", "whip")),
]
HOW = {
    "projection": mbs.Projection(),
    "unstabilized": mbs.Unstabilized(),
    "Baumgarte, gains chosen": mbs.Baumgarte(),
    "Baumgarte, gains given": mbs.Baumgarte(5, 5),
}
METHODS = {
    "RK4": (3.9, (100, 140, 200, 280)),
    "DP5": (4.8, (50, 70, 100, 140)),
    "DP8": (7.5, (25, 30, 35, 40)),
    "DP8 of four-bar, slower": (7.5, (30, 35, 40, 50)),
}
"""The order that must be measured, and numbers of steps a second to measure it with: fine enough to see the first term
of the error, and coarse enough to be above 1e-11, where linear solves are exact to."""


@cache
def built(name: str) -> tuple[mbs.PlanarModel, dict[str, float]]:
    build, start = MODELS[name]
    return build(), start


@cache
def reference(name: str, count: int = len(TIMES)) -> mbs.Result:
    model, start = built(name)
    times = np.linspace(0, 1, count)
    return mbs.simulate(model, times, start, method="DP8", rtol=1e-13, stabilization=mbs.Projection())


def errors(res: mbs.Result, ref: mbs.Result) -> np.ndarray:
    """Of positions and velocities, at each time."""
    return np.sqrt(((res.q - ref.q) ** 2).sum(axis=1) + ((res.v - ref.v) ** 2).sum(axis=1))


def run(name: str, times: Any = TIMES, **options: Any) -> mbs.Result:
    model, start = built(name)
    return mbs.simulate(model, times, start, **options)


@pytest.mark.parametrize("name", MODELS)
def test_the_reference_can_be_relied_upon(name):
    fixed = run(name, method="DP8", step=1 / 400, stabilization=mbs.Projection())
    assert errors(fixed, reference(name)).max() < 1e-11


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(("name", "method"), ORDERS)
def test_a_method_has_its_order(name, method, how):
    order, counts = METHODS.get(f"{method} of {name}", METHODS[method])
    found = []
    for count in counts:
        res = run(name, method=method, step=1 / count, stabilization=HOW[how])
        assert res.stats["accepted"] == count and res.stats["rejected"] == 0
        found.append(np.linalg.norm(errors(res, reference(name))))
    assert min(found) > 1e-12, "this is roundoff, and shows no order"
    assert -np.polyfit(np.log(counts), np.log(found), 1)[0] >= order


@pytest.mark.parametrize("how", [how for how in HOW if how != "unstabilized"])  # drift is not controlled
@pytest.mark.parametrize("method", ["DP5", "DP8"])
@pytest.mark.parametrize("name", LOOPS)
def test_the_error_follows_the_tolerance(name, method, how):
    """A tolerance ten times smaller gives errors about ten times smaller, over five decades: what it is asked for, a
    user gets (the motion itself makes errors grow, and drift adds to them)."""
    tolerances = 10.0 ** -np.arange(5, 11)
    found = [
        np.abs(errors(run(name, method=method, rtol=rtol, stabilization=HOW[how]), reference(name))).max()
        for rtol in tolerances
    ]
    slope = np.polyfit(np.log(tolerances), np.log(found), 1)[0]
    assert 0.75 < slope < 1.25
    assert (np.array(found) < 3e3 * tolerances).all()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("method", ["DP5", "DP8"])
@pytest.mark.parametrize("name", QUICK)
def test_requested_times_do_not_change_the_motion(name, method, how):
    """Steps are chosen by the motion alone: 500 requested times or two, the end is the same to the last bit. What is
    read between the steps comes from interpolants of one order less, which is up to 16 times worse than the ends of
    steps here."""
    options = {"method": method, "rtol": 1e-7, "stabilization": HOW[how]}
    many = run(name, np.linspace(0, 1, 501), **options)
    few = run(name, [0, 1], **options)
    assert few.stats["accepted"] == many.stats["accepted"] < 300
    np.testing.assert_array_equal(few.q[-1], many.q[-1])
    np.testing.assert_array_equal(few.v[-1], many.v[-1])
    np.testing.assert_allclose(few.a[-1], many.a[-1], rtol=0, atol=1e-12 * np.abs(few.a).max())
    ref = reference(name, 501)
    at_ends = []
    for k in range(20, 501, 20):
        end = run(name, [0, many.t[k]], **options)
        at_ends.append(np.linalg.norm([end.q[-1] - ref.q[k], end.v[-1] - ref.v[k]]))
    assert errors(many, ref).max() < 25 * max(at_ends)
    if how == "projection":
        assert many.violation.position.max() < 1e-12
        assert many.violation.velocity.max() < 1e-12 * np.abs(many.v).max()


def test_readings_between_long_steps_have_the_order_of_the_method():
    """With fixed steps requested times are ends of steps; with control they are read between them. The interpolants'
    errors shrink with the tolerance, as those of the steps do."""
    found = []
    for rtol in (1e-5, 1e-7, 1e-9):
        res = run("whip", np.linspace(0, 1, 500), method="DP8", rtol=rtol, stabilization=mbs.Projection())
        found.append(errors(res, reference("whip", 500)).max())
    assert found[0] > 20 * found[1] > 400 * found[2]


@pytest.mark.parametrize("method", ["RK4", "DP5", "DP8"])
def test_a_pendulum_that_is_let_go_returns(method):
    """Reversed in time the motion goes back to where it began: each method to its own accuracy."""
    model, start = built("whip")
    model = model.without("motor")
    forth = mbs.simulate(model, [0, 0.5], {**start, "crank.omega": 1.0}, method=method, step=1e-3)
    end = {f"{body}.omega": -float(forth[f"{body}.omega"][-1]) for body in model.bodies}
    end |= {f"{body}.angle": float(forth[f"{body}.angle"][-1]) for body in model.bodies}
    back = mbs.simulate(model, [0, 0.5], end, method=method, step=1e-3)
    for body in model.bodies:
        assert back[f"{body}.angle"][-1] == pytest.approx(forth[f"{body}.angle"][0], abs=1e-8)
    assert np.ptp(forth["lower.angle"]) > 0.1 * pi
