"""Steps far from any contact are looked at once; no contact is lost by it."""

from __future__ import annotations

from math import asin, pi

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs
from mbs_dae.motion.switching.wide import GOLDEN


def test_no_oscillation_is_wide_where_it_is_looked_at():
    """g = 1 + a sin, a > 1, with any number of turns up to 400 in a step, whole or not, and any phase."""
    turns = np.concatenate([np.linspace(0.75, 400, 40001), np.arange(1, 401)])
    phase = 2 * np.pi * np.linspace(0, 1, 101)
    for a in (1.001, 3.0, 1e6):
        worst = np.inf
        for some in np.array_split(turns, 40):
            places = np.array([phase + 2 * np.pi * some[:, None] * x for x in (0.0, GOLDEN, 1.0)])
            gap = 1 + a * np.sin(places)
            rate = 2 * np.pi * some[:, None] * a * abs(np.cos(places))
            worst = min(worst, (rate - gap).max(axis=0).min())
        assert worst > 0.0, f"wide with an amplitude of {a}"


def wavy(often: float, phase: float) -> mbs.PlanarModel:
    """A body that flies along x over hills that it touches at their tops."""
    model = mbs.PlanarModel("hills")
    body = model.body("b", mass=1.0, inertia=1.0)
    n, p = model.parameter("n", often), model.parameter("p", phase)

    def gap(i, j):
        return 0.9 + sp.sin(n * (j.point[0] - i.point[0]) + p)

    model.add(mbs.Contact("hills", model.ground, body, gap=gap))
    return model


@pytest.mark.parametrize("often", [0.7, 3.0, 34 * pi, 55.0, 89 * 2 * pi])
def test_hills_along_a_way_that_is_made_in_one_step(often):
    """x = t to the first place where the sine is -0.9."""
    for phase in (0.0, pi / 2, 3.5):
        expected = (pi + asin(0.9) - phase) % (2 * pi) / often
        run = mbs.simulate(wavy(often, phase), [0, expected + 3.0], {"b.vx": 1.0, "b.vy": 0.0, "b.omega": 0.0})
        assert run.impacts[0].t == pytest.approx(expected, abs=1e-9)


def test_a_post_that_is_thin_beside_the_way():
    """Eight posts of 1 mm along 40 m, each of which is passed at 10 m/s at half a millimetre, and struck."""
    model = mbs.PlanarModel("posts")
    body = model.body("b", mass=1.0, inertia=1.0)
    places = np.cumsum([5.0, 2.3, 7.1, 1.9, 6.7, 3.1, 8.3, 4.4])
    for k, x in enumerate(places):
        post = mbs.Disk(model.ground.at(x, 0.0005), 0.001)
        model.add(mbs.Contact(f"post{k}", post, mbs.Point(body), restitution=0.0))
    run = mbs.simulate(model, [0, 1.0], {"b.vx": 10.0, "b.vy": 0.0, "b.omega": 0.0})
    assert run.impacts[0].t == pytest.approx((places[0] - 0.001 * np.sqrt(0.75)) / 10, abs=1e-9)
    far = mbs.simulate(model, [0, 4.0], {"b.y": 0.5, "b.vx": 10.0, "b.vy": 0.0, "b.omega": 0.0})
    assert not far.impacts


def test_what_is_far_costs_no_evaluations():
    """A pendulum over a floor that it does not reach."""
    runs = []
    for floor in (False, True):
        model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
        rod = model.link("rod", (0, 0), (1, 0), mass=1.0)
        model.add(mbs.Revolute("pin", model.ground, rod.tail))
        if floor:
            model.add(mbs.Contact("floor", mbs.Line(model.ground.at(0, -1.5)), mbs.Point(rod.head)))
        runs.append(mbs.simulate(model, np.linspace(0, 3, 7)))
    plain, watched = runs
    assert watched.stats["accepted"] == plain.stats["accepted"]
    assert watched.stats["evaluations"] - plain.stats["evaluations"] < 10
    assert all(np.array_equal(plain[name], watched[name]) for name in ("rod.angle", "rod.omega"))


@pytest.mark.parametrize("shapes", [True, False])
def test_a_ball_falls_from_the_middle_of_a_ring(shapes):
    """Where its distance has no slope; the rates of a step's end are those there, wherever else it was looked at."""
    model = mbs.PlanarModel("ring", gravity=(0, -9.81))
    ball = model.body("ball", mass=1.0, inertia=0.01)
    if shapes:
        ring = mbs.Contact("ring", mbs.Disk(model.ground, 1.0, inside=True), mbs.Disk(ball, 0.1))
    else:
        ring = mbs.Contact("ring", model.ground, ball, gap=lambda i, j: 0.9 - sp.sqrt(j.x**2 + j.y**2))
    model.add(ring)
    run = mbs.simulate(model, [0, 0.3, 0.6], max_steps=100)
    assert run.impacts[0].t == pytest.approx(np.sqrt(2 * 0.9 / 9.81), abs=1e-9)
    assert run["ring.gap"] == pytest.approx([0.9, 0.9 - 9.81 * 0.3**2 / 2, 0.0], abs=1e-9)
    if shapes:
        assert run["ring.gap_rate"][0] == 0.0 and abs(mbs.equilibrium(model)["ring.gap"]) < 1e-12
        slow = mbs.simulate(model, [0, 0.3, 0.6], method="Moreau", step=0.01)
        assert slow["ring.gap"] == pytest.approx(run["ring.gap"], abs=1e-3)
