"""Events that give a run another state: derivatives from its steps, ahead and back, and by runs beside it, against
closed forms in 40 digits and against whole runs of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from refusals import refused
from test_contacts_ahead_and_back import check_back, check_closed_form
from test_events_from_steps import ahead_and_back, difference_whole_runs, differences, from_steps
from test_signals_from_steps import arm, block_with

import mbs_dae as mbs
from mbs_dae.derivatives.runs.gradients import goes_back

METHODS = pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
FREE = {"ball.x": 0.0, "ball.y": 1.0, "ball.angle": 0.0, "ball.vx": 0.3, "ball.vy": -0.1, "ball.omega": 0.0}


def thrown_back(held: bool = False) -> tuple[mbs.PlanarModel, dict[str, float]]:
    """A ball that an event throws back at a height h, from v to -e v; it is free, or held by a guide."""
    model = mbs.PlanarModel("ball", gravity=(0, -9.81))
    e, h = model.parameter("e", 0.9), model.parameter("h", 0.2)
    ball = model.body("ball", mass=1.3, inertia=0.006, position=(0, 1.0))
    if held:
        model.add(mbs.Translational("guide", model.ground.at(0, 0, np.pi / 2), ball))
    back = mbs.Reset({"ball.vy": -e * model["ball.vy"]})
    model.add(mbs.Event("bounce", when=model["ball.y"] - h, direction=-1, action=back))
    return model, {name: value for name, value in FREE.items() if not held or name in ("ball.y", "ball.vy")}


def bounces(t: Any, e: Any, h: Any, gravity: Any, y: Any, v: Any) -> tuple[Any, Any]:
    """The height and the velocity of such a ball at the time t."""
    while True:
        lands = (v + mp.sqrt(v**2 - 2 * gravity * (y - h))) / -gravity
        if t <= lands:
            return y + v * t + gravity * t**2 / 2, v + gravity * t
        t, y, v = t - lands, h, -e * (v + gravity * lands)


def check_neighbours(
    result: mbs.Result, run: Callable[[dict[str, float]], np.ndarray], values: dict[str, float], names: list[str],
    close: float = 1e-8,
) -> None:  # fmt: skip
    """Derivatives of these arrays are differences of whole runs, to this part of the largest."""
    for by in values:
        expected, found = differences(run, values, by), np.array([result.d(name, by) for name in names])
        np.testing.assert_allclose(found, expected, rtol=0, atol=close * np.abs(expected).max(), err_msg=by)


# --- closed forms -----------------------------------------------------------------------------------------------------


@METHODS
@pytest.mark.parametrize("held", [False, True], ids=["free", "on a guide"])
def test_a_ball_that_events_throw_back_twenty_times(held, method):
    model, start = thrown_back(held)
    values = {"e": 0.9, "h": 0.2, "gravity.y": -9.81, "ball.y": 1.0, "ball.vy": -0.1}
    result = mbs.simulate(model, [0, 0.3, 0.9, 6.75], start, derivatives=[*values], rtol=1e-12, method=method)
    assert from_steps(result) and len(result.events) >= 20
    check_closed_form(result, bounces, ["ball.y", "ball.vy"], values)
    check_back(result, ["ball.y", "ball.vy"])


@METHODS
def test_a_run_that_an_event_stops_after_resets(monkeypatch, method):
    """The ball drifts to x = d, where it is at the time d/vx."""
    model, start = thrown_back()
    d = model.parameter("d", 0.5)
    model.add(mbs.Event("there", model["ball.x"] - d, action="stop"))
    values = {"e": 0.9, "h": 0.2, "gravity.y": -9.81, "ball.y": 1.0, "ball.vy": -0.1, "d": 0.5, "ball.vx": 0.3}
    with mp.workdps(40):
        own, expected = [mp.mpf(x) for x in values.values()], np.zeros((2, len(values)))
        for k in range(len(values)):

            def height(p, k=k):
                known = own[:k] + [p] + own[k + 1 :]
                return bounces(known[5] / known[6], *known[:5])[0]

            def time(p, k=k):
                known = own[:k] + [p] + own[k + 1 :]
                return known[5] / known[6]

            expected[:, k] = [mp.diff(f, own[k], h=mp.mpf("1e-12")) for f in (height, time)]
    for number, slopes in zip((mbs.at_end("ball.y"), mbs.at_end(mbs.t)), expected, strict=True):
        both = ahead_and_back(number, model, [0, 0.2, 4.0], [*values], start, monkeypatch, rtol=1e-12, method=method)
        for found in both:
            np.testing.assert_allclose(found, slopes, rtol=1e-9, atol=1e-9)


@METHODS
def test_a_reset_that_reads_a_state_of_a_controller(method):
    """At 0.1 k a controller holds c x; at x = d, 0.25 s after the begin, the block goes back as fast as that says, and
    what is held is halved."""
    model, _, (_, c, d) = block_with(m=2.0, c=1.7, d=0.5)
    held = model.state("held", initial=0.0)
    model.add(mbs.Sampled("controller", every=0.1, update={"held": c * model["block.x"]}))
    turned = mbs.Reset({"block.vx": -held * model["block.vx"], "held": held / 2})
    model.add(mbs.Event("wall", model["block.x"] - d, direction=1, action=turned))

    def motion(t, c, d, v):
        meets, says = d / v, c * v / 5
        if t < meets:
            return v * t, c * v * mp.floor(10 * t) / 10
        return d - says * v * (t - meets), says / 2

    values = {"c": 1.7, "d": 0.5, "block.vx": 2.0}
    start = {"block.x": 0.0, "block.vx": 2.0}
    result = mbs.simulate(model, [0, 0.13, 0.22, 0.26, 0.29], start, derivatives=[*values], rtol=1e-12, method=method)
    assert from_steps(result) and len(result.events) == 1
    check_closed_form(result, motion, ["block.x", "held"], values)
    check_back(result, ["block.x", "held"])


def kicked(breaks: bool) -> tuple[mbs.PlanarModel, Callable[..., tuple[Any, Any]], dict[str, float]]:
    """A block with x = v t + a t²/2 that a clock kicks at T to b v + t; there its force ends if it breaks."""
    model, block, (_, T, a, b) = block_with(m=2.0, T=0.4, a=3.0, b=-0.5)
    law = sp.Piecewise((2 * a, mbs.t < T), (0, True)) if breaks else 2 * a
    kick = mbs.Reset({"block.vx": b * model["block.vx"] + mbs.t})
    model.add(mbs.Force("push", block, (law, 0)), mbs.Event("kick", mbs.t - T, action=kick))

    def motion(t, T, a, b, v):
        if t < T:
            return v * t + a * t**2 / 2, v + a * t
        u, s, pushed = b * (v + a * T) + T, t - T, 0 if breaks else a
        return v * T + a * T**2 / 2 + u * s + pushed * s**2 / 2, u + pushed * s

    return model, motion, {"T": 0.4, "a": 3.0, "b": -0.5, "block.vx": 0.7}


@METHODS
@pytest.mark.parametrize("breaks", [False, True])
def test_a_reset_at_a_time_that_a_parameter_moves(breaks, method):
    """A law may break with it, at one time beside the run, too; there is no way back then."""
    model, motion, values = kicked(breaks)
    start = {"block.x": 0.0, "block.vx": 0.7}
    result = mbs.simulate(model, [0, 0.3, 0.5, 1.0], start, derivatives=[*values], rtol=1e-12, method=method)
    assert from_steps(result) and goes_back(result) != breaks
    check_closed_form(result, motion, ["block.x", "block.vx"], values)
    if not breaks:
        check_back(result, ["block.x", "block.vx"])


def test_two_resets_at_one_instant():
    """One after the other, where both move alike; refused where one alone moves."""
    model, _, (_, T, b) = block_with(m=2.0, T=0.4, b=0.5)
    first, second = ({"block.vx": model["block.vx"] + b}, {"block.vx": model["block.vx"] ** 2})
    twice = model.plus(
        mbs.Event("first", mbs.t - T, action=mbs.Reset(first)), mbs.Event("second", mbs.t - T, action=mbs.Reset(second))
    )
    start, times = {"block.x": 0.0, "block.vx": 0.7}, [0, 0.3, 0.5, 1.0]

    def motion(t, T, b, v):
        return (v * t, v) if t < T else (v * T + (v + b) ** 2 * (t - T), (v + b) ** 2)

    values = {"T": 0.4, "b": 0.5, "block.vx": 0.7}
    result = mbs.simulate(twice, times, start, derivatives=[*values], rtol=1e-12)
    assert from_steps(result) and [event.name for event in result.events] == ["first", "second"]
    check_closed_form(result, motion, ["block.x", "block.vx"], values)
    check_back(result, ["block.x", "block.vx"])
    apart = model.plus(
        mbs.Event("first", mbs.t - T, action=mbs.Reset(first)),
        mbs.Event("second", mbs.t - 0.4, action=mbs.Reset(second)),
    )
    with refused("no-derivative", name="T"):
        mbs.simulate(apart, times, start, derivatives=["T"])


@METHODS
def test_a_reset_that_causes_another_one(method):
    """A wall at x = d throws the block back, from v to -b v; as its velocity passes zero in this jump, z grows by
    1 + x, and the velocity by c."""
    model, _, (_, d, b, c) = block_with(m=2.0, d=0.5, b=0.6, c=0.1)
    z, faster = model.state("z", rate=0, initial=0.0), model["block.vx"] + c
    model.add(
        mbs.Event("wall", model["block.x"] - d, direction=1, action=mbs.Reset({"block.vx": -b * model["block.vx"]})),
        mbs.Event("turns", model["block.vx"], action=mbs.Reset({"z": z + 1 + model["block.x"], "block.vx": faster})),
    )

    def motion(t, d, b, c, v):
        if t < d / v:
            return v * t, mp.mpf(0)
        return d + (c - b * v) * (t - d / v), 1 + d

    values = {"d": 0.5, "b": 0.6, "c": 0.1, "block.vx": 2.0}
    start, how = {"block.x": 0.0, "block.vx": 2.0}, {"rtol": 1e-12, "method": method}
    result = mbs.simulate(model, [0, 0.2, 0.3, 0.6], start, derivatives=[*values], **how)
    assert from_steps(result) and [event.name for event in result.events] == ["wall", "turns"]
    check_closed_form(result, motion, ["block.x", "z"], values)
    check_back(result, ["block.x", "z", "energy.supplied"])
    for event, speed in zip(result.events, (2.0, -1.2), strict=True):  # v and -b v where the block is at d, at t = d/v
        assert event.state["block.vx"] == pytest.approx(speed, abs=1e-9)
        assert [event.d("t", by) for by in values] == pytest.approx([0.5, 0.0, 0.0, -0.125], abs=1e-9)
        slopes = [0.0, 0.0, 0.0, 1.0] if speed > 0 else [0.0, -2.0, 0.0, -0.6]
        assert [event.d("block.vx", by) for by in values] == pytest.approx(slopes, abs=1e-9)


@METHODS
def test_a_time_that_is_asked_for_where_a_state_is_set(method):
    """The result has the state behind the reset there, and its derivatives."""
    model, _, values = kicked(False)
    start = {"block.x": 0.0, "block.vx": 0.7}

    def motion(t, T, a, b, v):
        if t < 0.4:
            return v * t + a * t**2 / 2, v + a * t
        u, s = b * (v + a * T) + T, t - T
        return v * T + a * T**2 / 2 + u * s + a * s**2 / 2, u + a * s

    result = mbs.simulate(model, [0, 0.3, 0.4, 1.0], start, derivatives=[*values], rtol=1e-12, method=method)
    assert from_steps(result)
    check_closed_form(result, motion, ["block.x", "block.vx"], values)
    check_back(result, ["block.x", "block.vx"])


def test_a_reset_of_what_the_run_begins_with():
    """A value given for the start and one that is set have one name, and are two."""
    model, _, (_, T) = block_with(m=2.0, T=0.4)
    z = model.state("z", rate=lambda z: -z / T)
    model.add(mbs.Event("wall", model["block.x"] - 0.3, action=mbs.Reset({"z": 1 + z**2, "block.vx": -z})))

    def motion(t, T, z, v):
        meets = mp.mpf(0.3) / v
        held = z * mp.exp(-meets / T)
        if t < meets:
            return v * t, z * mp.exp(-t / T)
        return mp.mpf(0.3) - held * (t - meets), (1 + held**2) * mp.exp(-(t - meets) / T)

    values, start = {"T": 0.4, "z": 0.5, "block.vx": 0.7}, {"block.x": 0.0, "block.vx": 0.7, "z": 0.5}
    result = mbs.simulate(model, [0, 0.3, 0.5, 1.0], start, derivatives=[*values], rtol=1e-12)
    assert from_steps(result)
    check_closed_form(result, motion, ["block.x", "z"], values)
    check_back(result, ["block.x", "z"])


# --- whole runs of neighbours -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["steps", "beside", "Radau5", "joint", "natural"])
def test_resets_of_a_mechanism_against_runs_of_neighbours(way, monkeypatch):
    """Values of a rate and of a state, and their energy, where joints carry a part of it, and time stands in one."""
    model, start, _ = arm(0)
    level, times = model.parameter("level", -0.25), [0, 0.303, 0.45]
    thrown = mbs.Reset({"second.omega": -level * model["second.omega"] + model["i"] + mbs.t / 5, "lag": level})
    model.add(mbs.Event("low", when=model["second.y"] - level, action=thrown))
    values = {name: model.parameters[name].value for name in ("R", "level", "m")}
    names, how = ["second.x", "second.omega", "lag", "energy.supplied", "energy.total"], {}
    if way == "Radau5":
        how = {"method": "Radau5"}
    elif way in ("joint", "natural"):
        model = model.compile(way).model
    elif way == "beside":
        difference_whole_runs(monkeypatch)

    def built(own: dict[str, float]) -> Any:
        design = model.with_parameters(**own)
        return design.compile(way) if way in ("joint", "natural") else design

    def run(own: dict[str, float]) -> np.ndarray:
        one = mbs.simulate(built(own), times, start, rtol=1e-13, **how)
        return np.array([one[name] for name in names])

    result = mbs.simulate(built({}), times, start, derivatives=[*values], rtol=1e-11, **how)
    assert from_steps(result) == (way != "beside") and len(result.events) == 1
    check_neighbours(result, run, values, names)
    if from_steps(result):
        check_back(result, names)


@METHODS
def test_a_body_in_space_that_is_thrown_back(method):
    """A rod on a ball joint, whose rates are set where it passes a height."""
    model = mbs.SpatialModel("rod", gravity=(0, 0, -9.81))
    m, e = model.parameter("m", 1.2), model.parameter("e", 0.7)
    rod = model.body("rod", mass=m, inertia=(0.012, 0.02, 0.03), position=(0.2, 0, 0))
    model.add(mbs.Spherical("ball", model.ground, rod.at(-0.2, 0, 0)))
    model.add(mbs.Damper("damper", model.ground.at(0, 0.3, 1), rod.at(0.2, 0, 0), damping=0.4))
    back = mbs.Reset({"rod.vz": -e * model["rod.vz"], "rod.vy": e**2 + model["rod.vy"]})
    model.add(mbs.Event("low", model["rod.z"] + 0.1, direction=-1, action=back))
    start, times, names = {"rod.wx": 2.0, "rod.vy": 0.3}, [0, 0.2, 0.5], ["rod.x", "rod.vz", "energy.supplied"]
    values = {"m": 1.2, "e": 0.7, "rod.vy": 0.3}

    def run(own: dict[str, float]) -> np.ndarray:
        design = model.with_parameters(m=own["m"], e=own["e"])
        one = mbs.simulate(design, times, start | {"rod.vy": own["rod.vy"]}, rtol=1e-13, method=method)
        return np.array([one[name] for name in names])

    result = mbs.simulate(model, times, start, derivatives=[*values], rtol=1e-11, method=method)
    assert from_steps(result) and len(result.events) == 2
    check_neighbours(result, run, values, names, 2e-7 if method == "GA" else 1e-8)  # GA is of second order
    check_back(result, names)


@METHODS
@pytest.mark.parametrize("where", ["wall", "clock"])
def test_resets_beside_contacts(where, method):
    """A ball bounces on a floor, and is turned at a wall, or kicked by a clock; a law has another branch behind it."""
    model = mbs.PlanarModel("ball", gravity=(0, -9.81))
    e, c = model.parameter("e", 0.8), model.parameter("c", 0.2 if where == "wall" else 0.6)
    ball = model.body("ball", mass=1.3, inertia=0.006, position=(0, 1.0))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(ball, 0.1), restitution=e))
    model.add(mbs.Force("wind", ball, (sp.Piecewise((c, model["ball.vx"] > 0), (-e, True)), 0)))
    when, turned = model["ball.x"] if where == "wall" else mbs.t, {"ball.vx": -e * model["ball.vx"] - mbs.t}
    model.add(mbs.Event("turn", when - c, action=mbs.Reset(turned)))
    values, names, times = {"e": 0.8, "c": model.parameters["c"].value}, ["ball.x", "ball.y"], [0, 0.3, 0.9, 1.2]

    def run(own: dict[str, float]) -> np.ndarray:
        one = mbs.simulate(model.with_parameters(**own), times, FREE, rtol=1e-13, method=method)
        return np.array([one[name] for name in names])

    result = mbs.simulate(model, times, FREE, derivatives=[*values], rtol=1e-11, method=method)
    assert from_steps(result) and len(result.impacts) > 1 and len(result.events) == 1
    check_neighbours(result, run, values, names)
    check_back(result, names)


JUMPS = {
    "sign": lambda v, w: sp.sign(v) * v**2,
    "whole": lambda v, w: (1 + sp.floor(v + w)) * v,
    "step": lambda v, w: v * (1 + sp.Heaviside(w + 3)),
    "remainder": lambda v, w: sp.Mod(v, 0.7) + sp.frac(w / 3),
}


@pytest.mark.parametrize("name", JUMPS)
def test_a_value_that_jumps_has_the_slopes_between_its_jumps(name):
    """A ball falls from h and a Reset gives it the velocity k f(v, w): x behind it is x1 + k f (t - t1)."""

    def run(k: float, u: float, **how: Any) -> Any:
        model = mbs.PlanarModel("ball", gravity=(0, -10))
        model.body("ball", mass=1.0, inertia=1.0, position=(0, 1))
        k = model.parameter("k", k)
        law = k * JUMPS[name](model["ball.vx"], model["ball.vy"])
        model.add(mbs.Event("floor", model["ball.y"] - 0.2, direction=-1, action=mbs.Reset({"ball.vx": law})))
        return mbs.simulate(model, [0, 0.3, 0.8], {"ball.vx": u}, rtol=1e-12, **how)

    found = run(0.3, 2.3, derivatives=["k", "ball.vx"])
    assert found["ball.vx"][-1] == pytest.approx(run(0.3, 2.3)["ball.vx"][-1], abs=1e-9)
    for k, beside in enumerate([(1e-4, 0.0), (0.0, 1e-4)]):
        ends = [run(0.3 + side * beside[0], 2.3 + side * beside[1])["ball.x"][-1] for side in (-1, 1)]
        assert found.d("ball.x", ["k", "ball.vx"][k])[-1] == pytest.approx((ends[1] - ends[0]) / 2e-4, abs=1e-6)


def test_a_value_that_lies_on_its_jump_has_no_derivative():
    """The event is at the height 0.2, where sign(y - 0.2) jumps."""
    model = mbs.PlanarModel("ball", gravity=(0, -10))
    model.body("ball", mass=1.0, inertia=1.0, position=(0, 1))
    law = sp.sign(model["ball.y"] - 0.2)
    model.add(mbs.Event("floor", model["ball.y"] - 0.2, direction=-1, action=mbs.Reset({"ball.vx": law})))
    run = mbs.simulate(model, [0, 0.3, 0.8], {"ball.vx": 2.0}, derivatives=["ball.vx"])
    assert np.isnan(run.d("ball.x", "ball.vx")[-1]) and run.d("ball.x", "ball.vx")[1] == pytest.approx(0.3)
    assert "sets ball.vx, whose expression jumps there" in run.stats["derivatives"]


# --- where there is none ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beside", [False, True])
def test_a_value_that_has_a_kink_has_no_derivative(beside, monkeypatch):
    """|z| at z = 0 has two slopes, and z² has one. (In whole runs of neighbours z is 0 whatever d.)"""
    model, _, (_, d) = block_with(m=2.0, d=0.3)
    z = model.state("z", rate=0, initial=0.0)
    if beside:
        difference_whole_runs(monkeypatch)
    for value, known in ((sp.Abs(z), False), (z**2, True)):
        one = model.plus(mbs.Event("wall", model["block.x"] - d, action=mbs.Reset({"block.vx": value})))
        result = mbs.simulate(one, [0, 0.2, 0.5], {"block.x": 0.0, "block.vx": 1.0, "z": 0.0}, derivatives=["d", "z"])
        assert from_steps(result) != beside
        assert result.d("block.x", "d")[1] == pytest.approx(0.0, abs=1e-9)
        assert np.isfinite(result.d("block.x", "z")[2]) == known
        assert np.isfinite(result.d("block.x", "d")[2]) == (known or beside)
        told = result.stats.get("derivatives", "")
        assert ("sets block.vx, whose expression has a kink" in told or "has a corner by z" in told) != known
        if known or beside:
            assert result.d("block.x", "d")[2] == pytest.approx(1.0, abs=1e-9)
