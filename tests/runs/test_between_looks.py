"""Switches and events that come close upon each other: none is passed over, however long a step is, and where none is
near looking for them costs little."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

METHODS = ("DP5", "DP8", "Radau5", "GA")
SETS = ("cartesian", "natural", "joint")


def cart(law=None) -> mbs.PlanarModel:
    """1 kg on a guide along x."""
    model = mbs.PlanarModel("cart")
    body = model.body("b", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    if law is not None:
        model.add(mbs.Force("F", body, (law(model["b.x"], model["b.vx"]), 0)))
    return model


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("often", [1, 5, 20, 8 * pi])
def test_ticks_along_a_way_that_is_made_in_one_step(often, method):
    """x = t: sin(n x) passes zero at every π/n. (With 8 π, at the ends of even parts of the run.)"""
    model = cart()
    model.add(mbs.Event("tick", sp.sin(often * model["b.x"])))
    run = mbs.simulate(model, [0, 10.01], {"b.vx": 1.0}, method=method)
    np.testing.assert_allclose(
        [e.t for e in run.events], pi / often * np.arange(1, int(10.01 * often / pi) + 1), atol=1e-9
    )


@pytest.mark.parametrize("method", METHODS[:3])
def test_an_encoder_of_forty_teeth(method):
    model = mbs.PlanarModel("rotor")
    wheel = model.body("w", mass=1.0, inertia=1.0)
    model.add(mbs.Revolute("shaft", model.ground, wheel), mbs.Torque("T", wheel, 0.1 - 0.01 * model["w.omega"]))
    model.add(mbs.Event("tooth", sp.sin(40 * model["w.angle"]), direction=1))
    run = mbs.simulate(model, [0, 10], {"w.angle": 0.001, "w.omega": 5.0}, method=method)
    assert len(run.events) == int(40 * run["w.angle"][-1] / (2 * pi)) == 333


@pytest.mark.parametrize("how", [{}, {"method": "DP8"}, {"method": "DP8", "rtol": 1e-6}, {"rtol": 1e-5}], ids=str)
def test_a_force_in_narrow_windows_of_the_way(how):
    """By steps of at most 5 ms, with which three methods agree to 1e-12."""
    model = cart(lambda x, v: -x + sp.Piecewise((1, sp.sin(20 * x) > 0.95), (0, True)))
    run = mbs.simulate(model, [0, 3], {"b.x": 0.1, "b.vx": 1.0}, **how)
    assert run["b.x"][-1] == pytest.approx(0.27360103583225, abs=100 * how.get("rtol", 1e-8))
    assert run.stats["switches"] == 12


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", METHODS)
def test_pulses_of_a_millionth_of_the_run(method, coordinates):
    """Two kicks, one in time and one in a stretch of the way: of 1 N s, and of 0.1 J."""
    kick = sp.Piecewise((1e5, (mbs.t >= 5) & (mbs.t < 5.00001)), (0, True))
    model = cart(lambda x, v: kick + sp.Piecewise((1e4, (x > 7) & (x < 7.00001)), (0, True)))
    run = mbs.simulate(model.compile(coordinates), [0, 6.5], {"b.vx": 1.0}, method=method)
    assert run["b.vx"][-1] == pytest.approx(sqrt(2.0**2 + 2 * 0.1), abs=1e-8)
    assert run.stats["switches"] == 2


def test_a_guard_that_stays_away_costs_four_evaluations_a_step():
    """The looks at a smooth function: three, and where the step begins."""
    plain = cart(lambda x, v: -x)
    watched = plain.plus(mbs.Event("far", plain["b.x"] - 3.0))
    runs = [mbs.simulate(one, [0, 50], {"b.x": 1.0}) for one in (plain, watched)]
    assert runs[0].stats["accepted"] == runs[1].stats["accepted"]
    more = runs[1].stats["evaluations"] - runs[0].stats["evaluations"]
    assert more <= 4 * runs[1].stats["accepted"] + 10


def test_a_relay_that_trembles_is_told_before_long():
    """x" = -sign x - 3 v: swings become smaller for ever, like 1/n."""
    with refused("switching-without-end", mbs.IntegrationError, joints=["guide"], mentions=["F", "cart"]) as told:
        mbs.simulate(cart(lambda x, v: -sp.sign(x) - 3 * v), [0, 100], {"b.x": 1.0})
    assert told.value.result.stats["switches"] < 20000


@pytest.mark.parametrize("method", METHODS[:3])
def test_touching_is_no_passage(method):
    """x = t - t²/2 touches 1/2 at t = 1, and begins at 0."""
    model = cart(lambda x, v: sp.S(-1))
    model.add(mbs.Event("top", model["b.x"] - 0.5), mbs.Event("back", model["b.x"]))
    run = mbs.simulate(model, [0, 3], {"b.vx": 1.0}, method=method)
    assert [(e.name, round(e.t, 9)) for e in run.events] == [("back", 2.0)]


def test_several_events_at_once_come_in_the_order_of_the_model():
    model = cart()
    x = model["b.x"]
    for name, when in {"B": 3 * x - 1.5, "A": x - 0.5, "C": sp.sin(x) - sp.sin(0.5)}.items():
        model.add(mbs.Event(name, when))
    run = mbs.simulate(model, [0, 1.3], {"b.vx": 1.0})
    assert [e.name for e in run.events] == ["B", "A", "C"]
    np.testing.assert_allclose([e.t for e in run.events], 0.5, atol=1e-10)


@pytest.mark.parametrize("jump", ["reset", "sample"])
def test_what_a_jump_passes_is_an_event(jump):
    """At x = 0.3 the state jumps to 0.9, over an event at 0.5: one rule for resets and samples."""
    model = cart()
    z = model.state("z", rate=1.0)
    model.add(mbs.Event("half", z - 0.5, direction=1), mbs.Event("down", z - 0.7, direction=-1))
    if jump == "reset":
        model.add(mbs.Event("go", model["b.x"] - 0.3, action=mbs.Reset({"z": 0.9})))
    else:
        set_ = sp.Piecewise((0.9, (mbs.t > 0.2) & (mbs.t < 0.4)), (z, True))
        model.add(mbs.Sampled("go", every=0.3, update={z: set_}))
    run = mbs.simulate(model, [0, 0.5], {"b.vx": 1.0})
    assert [(e.name, round(e.t, 9)) for e in run.events if e.name != "go"] == [("half", 0.3)]


def test_resets_that_pass_events_with_resets():
    model = cart()
    x = model["b.x"]
    model.add(mbs.Event("one", x - 0.25, action=mbs.Reset({"b.x": 0.5})))
    model.add(mbs.Event("two", x - 0.375, action=mbs.Reset({"b.vx": -model["b.vx"]})))
    run = mbs.simulate(model, [0, 0.25, 0.3], {"b.vx": 1.0})
    assert [(e.name, round(e.t, 9)) for e in run.events] == [("one", 0.25), ("two", 0.25)]
    assert run["b.vx"][-1] == -1.0 and run["b.x"][-1] == pytest.approx(0.45)
