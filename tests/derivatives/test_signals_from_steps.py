"""Runs with states, inputs, controllers and resets, differentiated from their steps: ahead and back, against closed
forms in 40 digits and against runs beside the run."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from refusals import refused
from test_contacts_ahead_and_back import check_back, check_closed_form
from test_events_from_steps import ahead_and_back, difference_whole_runs, from_steps
from test_ways_back import hinged_four_bar

import mbs_dae as mbs

q = mbs.quantity
BESIDE = 2e-8
"""Runs beside a run are right to this part of the largest derivative."""


def steps_of(method: str, **others: float) -> dict[str, Any]:
    """The steps of a method: of generalised α, which is of second order, some of one length."""
    return {"method": method} | ({"step": 1e-3, "rtol": 1e-12} if method == "GA" else others)


def block_with(**values: float) -> tuple[mbs.PlanarModel, Any, list[mbs.Parameter]]:
    """A block of mass m on a guide, along x."""
    model = mbs.PlanarModel("block")
    parameters = [model.parameter(name, value) for name, value in values.items()]
    block = model.body("block", mass=parameters[0], inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block))
    return model, block, parameters


def check_beside(model, times, start, by, names, monkeypatch, close: float = BESIDE, **how) -> mbs.Result:
    """Derivatives from steps are those that runs beside the run have, and go back. Those of steps of second order are
    off by errors of the method."""
    close = max(close, 3e-3) if how["method"] == "GA" else close
    found = mbs.simulate(model, times, start, derivatives=by, **how)
    assert from_steps(found)
    with monkeypatch.context() as patch:
        difference_whole_runs(patch)
        other = mbs.simulate(model, times, start, derivatives=by, **how)
    assert not from_steps(other)
    for name in names:
        expected = np.array([other.d(name, one) for one in by])
        slopes = np.array([found.d(name, one) for one in by])
        assert expected.any()
        np.testing.assert_allclose(slopes, expected, rtol=0, atol=close * np.abs(expected).max(), err_msg=name)
    check_back(found, names)
    return found


def check_same_steps(found: mbs.Result, model, times, start, by, names, **how) -> None:
    """Derivatives of a run without switches, by steps of one length, are those of runs by the same steps beside it."""
    places, weights = np.array([-2, -1, 1, 2]), np.array([1, -8, 8, -1]) / 12
    for one in by:
        value = start[one] if one in start else model.parameters[one].value
        runs = []
        for c in places:
            moved = {one: value + 1e-3 * c * value}
            design = (model, start | moved) if one in start else (model.with_parameters(**moved), start)
            runs.append(mbs.simulate(design[0], times, design[1], **how))
        for name in names:
            expected = np.tensordot(weights, [run[name] for run in runs], 1) / (1e-3 * value)
            atol = 1e-8 * max(1.0, np.abs(expected).max())
            np.testing.assert_allclose(found.d(name, one), expected, rtol=0, atol=atol, err_msg=name)


# --- states -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how",
    [{}, {"method": "DP8"}, {"method": "RK4", "step": 2e-3}, {"method": "Radau5"}],
    ids=["DP5", "DP8", "RK4", "Radau5"],
)
def test_a_mass_with_an_actuator(how):
    """ż = (u - z)/T, x¨ = z/m."""
    model, block, (m, u, T, begins) = block_with(m=2.0, u=3.0, T=0.4, begins=0.5)
    z = model.state("z", rate=lambda z: (u - z) / T, initial=begins)
    model.add(mbs.Force("push", block, (z, 0)))

    def motion(t, m, u, T, z, v):
        fades = mp.exp(-t / T)
        way = v * t + (u * t**2 / 2 + (z - u) * T * (t - T * (1 - fades))) / m
        return way, v + (u * t + (z - u) * T * (1 - fades)) / m, u + (z - u) * fades, (u + (z - u) * fades) / m

    values = {"m": 2.0, "u": 3.0, "T": 0.4, "begins": 0.5, "block.vx": 0.7}
    names = ["block.x", "block.vx", "z", "block.ax"]
    how = {"rtol": 1e-12} | how if "step" not in how else how
    result = mbs.simulate(model, [0, 0.3, 1.1], {"block.x": 0.0, "block.vx": 0.7}, derivatives=[*values], **how)
    assert from_steps(result)
    check_closed_form(result, motion, names, values)
    check_back(result, names)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_an_input_whose_law_has_numbers(method):
    """ż = (A sin(w t) - z)/T, and x¨ = (A sin(w t) + z)/m."""
    model, block, (m, A, w, T) = block_with(m=2.0, A=3.0, w=2.5, T=0.4)
    u = model.input("u", A * sp.sin(w * mbs.t))
    z = model.state("z", rate=lambda z: (u - z) / T)
    model.add(mbs.Force("push", block, (u + z, 0)))

    def motion(t, m, A, w, T, z):
        fades, k = mp.exp(-t / T), A / (1 + (w * T) ** 2)
        lags = k * (mp.sin(w * t) - w * T * mp.cos(w * t)) + (z + k * w * T) * fades
        v = (A * (1 - mp.cos(w * t)) / w + k * ((1 - mp.cos(w * t)) / w - T * mp.sin(w * t))) / m
        return v + (z + k * w * T) * T * (1 - fades) / m, lags, A * mp.sin(w * t), (A * mp.sin(w * t) + lags) / m

    values = {"m": 2.0, "A": 3.0, "w": 2.5, "T": 0.4, "z": 0.2}
    start = {"block.x": 0.0, "block.vx": 0.0, "z": 0.2}
    result = mbs.simulate(model, [0, 0.3, 1.1], start, derivatives=[*values], rtol=1e-12, method=method)
    assert from_steps(result)
    names = ["block.vx", "z", "u", "block.ax"]
    check_closed_form(result, motion, names, values)
    check_back(result, names)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
@pytest.mark.parametrize("action", ["record", "stop"])
def test_an_event_that_reads_a_state_and_an_input(action, method, monkeypatch):
    """z = e^(-t/T) meets u = A + c t; at the event t_e' is that of one equation, and u changes by c t_e', too."""
    model, block, (m, T, A, c) = block_with(m=2.0, T=0.4, A=0.2, c=0.3)
    u = model.input("u", A + c * mbs.t)
    z = model.state("z", rate=lambda z: -z / T, initial=1.0)
    model.add(mbs.Force("push", block, (z - u, 0)), mbs.Event("meets", when=z - u, action=action))
    by, start = ["T", "A", "c", "z"], {"block.x": 0.0, "block.vx": 0.0, "z": 1.0}
    run = mbs.simulate(model, [0, 0.1, 1.0], start, derivatives=by, rtol=1e-12, method=method)
    (event,) = run.events
    assert from_steps(run)
    t = event.state.t
    fades = np.exp(-t / 0.4)
    rate = -fades / 0.4 - 0.3
    moved = -np.array([fades * t / 0.4**2, -1.0, -t, fades]) / rate
    assert [event.d("t", one) for one in by] == pytest.approx(moved, abs=1e-9)
    of_u = np.array([0, 1, t, 0]) + 0.3 * moved
    assert [event.d("u", one) for one in by] == pytest.approx(of_u, abs=1e-9)
    assert [event.d("z", one) for one in by] == pytest.approx(of_u, abs=1e-9)
    assert [event.d("block.ax", one) for one in by] == pytest.approx(np.zeros(4), abs=1e-9)
    if action == "stop":
        for end in (mbs.at_end("u"), mbs.at_end("z")):
            for found in ahead_and_back(end, model, [0, 0.1, 1.0], by, start, monkeypatch, rtol=1e-12, method=method):
                assert found == pytest.approx(of_u, abs=1e-9)


def arm(seed: int) -> tuple[mbs.PlanarModel, dict[str, float], list[str]]:
    """Two rods with a motor whose current is a state, a filter, a spring that sets in with the state, and an input that
    breaks at a time of its own."""
    random = np.random.default_rng(seed)
    model = mbs.PlanarModel("arm", gravity=(0, -9.81))
    R, L, k, switch = (model.parameter(n, random.uniform(0.3, 1.0)) for n in ("R", "L", "k", "switch"))
    first = model.link("first", (0, 0), (0.3, 0), length=0.3, mass=model.parameter("m", random.uniform(0.5, 2.0)))
    second = model.link("second", (0.3, 0), (0.6, 0), length=0.3, mass=0.5)
    pin = model.add(mbs.Revolute("A", model.ground, first.tail))
    model.add(mbs.Revolute("B", first.head, second.tail))
    U = model.input("U", sp.Piecewise((3 * k * mbs.t, mbs.t < switch), (2 - mbs.t, True)))
    i = model.state("i", rate=lambda i: (U - R * i - k * model["first.omega"]) / L, initial=0.1)
    lag = model.state("lag", rate=lambda z: (model["second.angle"] - z) / switch)
    hard = sp.Piecewise(((i - 0.2) / 2, i > 0.2), (0, True))
    model.add(mbs.Torque("motor", pin, k * i + hard - 0.4 * lag))
    model.add(mbs.Damper("damper", model.ground.at(0, 3), second.head, damping=0.4))
    return model, {"first.omega": 1.0, "second.omega": -1.0}, ["R", "L", "k", "switch", "m", "first.omega"]


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
@pytest.mark.parametrize("seed", range(3))
def test_arms_with_motors_against_runs_beside(seed, method, monkeypatch):
    model, start, by = arm(seed)
    names = ["second.x", "second.omega", "i", "lag", "first.alpha", "A.Fx", "energy.supplied", "U"]
    how = steps_of(method, rtol=1e-9)
    run = check_beside(model, np.linspace(0, 1.2, 11), start, by, names, monkeypatch, **how)
    assert run.stats["switches"] > 0 or seed


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
def test_a_body_in_space_with_a_motor(method, monkeypatch):
    """Quaternions, and projections."""
    model = mbs.SpatialModel("rotor", gravity=(0, 0, -9.81))
    k, body = model.parameter("k", 0.4), model.body("rotor", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.4, 0, 0))
    model.add(mbs.Spherical("A", model.ground, body.at(-0.4, 0, 0)))
    z = model.state("z", rate=lambda z: k * (model["rotor.wz"] - z) + model["rotor.x"], initial=0.3)
    model.add(mbs.Force("push", body.at(0.1, 0.2, 0), (-z, 2 * z, k)))
    for how in ({}, {"stabilization": mbs.Projection()}):
        names = ["rotor.x", "rotor.wz", "z", "A.Fx"]
        known = model, [0, 0.5, 1.0], {"rotor.wz": 1.0}, ["k", "rotor.wz"], names, monkeypatch
        run = check_beside(*known, **steps_of(method), **how)
        if method == "GA":
            check_same_steps(run, *known[:-1], **steps_of(method), **how)


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
def test_a_ball_on_a_floor_that_a_state_pushes(method, monkeypatch):
    """Impacts, with a force that lags behind the height."""
    model = mbs.PlanarModel("ball", gravity=(0, -9.81))
    e, T = model.parameter("e", 0.7), model.parameter("T", 0.2)
    ball = model.body("ball", mass=1.3, inertia=0.006, position=(0, 1.0))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(ball, 0.1), restitution=e, friction=0.2))
    z = model.state("z", rate=lambda z: (model["ball.y"] - z) / T, initial=0.5)
    model.add(mbs.Force("push", ball, (z, z)))
    start = {"ball.x": 0.0, "ball.y": 1.0, "ball.angle": 0.0, "ball.vx": 0.3, "ball.vy": 0.0, "ball.omega": 0.0}
    run = check_beside(
        model,
        [0, 0.5, 1.0, 1.5],
        start,
        ["e", "T", "ball.vx"],
        ["ball.x", "ball.y", "z", "ball.omega"],
        monkeypatch,
        **steps_of(method, rtol=1e-11),
    )
    assert len(run.impacts) > 2


def test_a_rate_that_reads_the_reaction_of_a_guide():
    """ż = (N - z)/T of the force of a guide on a block, N = -F."""
    model, block, (m, F, T) = block_with(m=2.0, F=3.0, T=0.4)
    z = model.state("z", rate=lambda z: (model["guide.Fy"] - z) / T)
    model.add(mbs.Force("push", block, (z, F)))
    result = mbs.simulate(model, [0, 0.5], {"block.x": 0.0, "block.vx": 0.0}, derivatives=["F", "T"], rtol=1e-11)
    assert from_steps(result)
    check_back(result, ["z", "block.x"])
    fades = np.exp(-0.5 / 0.4)
    assert result.d("z", "F")[1] == pytest.approx(fades - 1, abs=1e-9)
    assert result.d("z", "T")[1] == pytest.approx(-3 * -fades * 0.5 / 0.4**2, abs=1e-8)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_redundant_equations_beside_a_state(method):
    """Two guides, one too many, and a force z = e^(-t/T)."""
    model, block, (m, T) = block_with(m=2.0, T=0.4)
    model.add(mbs.Translational("another", model.ground, block))
    z = model.state("z", rate=lambda z: -z / T, initial=1.0)
    model.add(mbs.Force("push", block, (z, 0)))
    start = {"block.x": 0.0, "block.vx": 0.0}
    result = mbs.simulate(model, [0, 0.2, 0.5], start, derivatives=["m", "T"], rtol=1e-11, method=method)
    assert from_steps(result) and result.stats["redundant_equations"] == 2

    def motion(t, m, T):
        fades = mp.exp(-t / T)
        return T * (1 - fades) / m, fades, fades / m

    names = ["block.vx", "z", "block.ax"]
    check_closed_form(result, motion, names, {"m": 2.0, "T": 0.4})
    check_back(result, names)


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
def test_a_four_bar_in_space_with_redundant_hinges_and_a_motor(method, monkeypatch):
    """Forces that redundant equations leave unique depend on the current of the motor; at a moving end, too."""
    model = hinged_four_bar()
    R, U = model.parameter("R", 0.5), model.input("U", 3 * sp.cos(4 * mbs.t))
    i = model.state("i", rate=lambda i: (U - R * i - 0.3 * model["crank.wz"]) / 0.05, initial=0.1)
    model.add(mbs.Torque("motor", model.elements["A"], 0.3 * i * i))
    start, by, times = {"crank.wz": 5.0}, ["R", "r", "m", "crank.wz"], np.linspace(0, 0.4, 5)
    names = ["coupler.x", "i", "A.Fx", "D.Fy", "crank.alphaz", "energy.supplied"]
    run = check_beside(model, times, start, by, names, monkeypatch, **steps_of(method, rtol=1e-9))
    assert run.stats["redundant_equations"] == 3 and run.is_unique("A.Fx").all()
    if method == "GA":
        check_same_steps(run, model, times, start, by, names, **steps_of(method))
    model.add(mbs.Event("far", model["coupler.x"] - 0.15, action="stop"))
    objective, how = mbs.at_end("A.Fx") + mbs.at_end("i") * mbs.at_end(mbs.t), steps_of(method, rtol=1e-10)
    ahead, back = ahead_and_back(objective, model, [0, 2.0], by, start, monkeypatch, **how)
    np.testing.assert_allclose(back, ahead, rtol=1e-12)
    with monkeypatch.context() as patch:
        difference_whole_runs(patch)
        beside = mbs.gradient(objective, model, [0, 2.0], by, initial=start, **how)
    np.testing.assert_allclose(ahead, [beside[one] for one in by], rtol=1e-3 if method == "GA" else 1e-6)


def test_a_state_that_rests_while_its_neighbours_do_not():
    """z + z¨ = 0 stays 0, by steps that are too long for what is beside it, where nothing else tells."""
    model, block, (m, begins) = block_with(m=2.0, begins=0.0)
    z, w = model.state("z"), model.state("w", initial=begins)
    model.rate(z, 400 * w)
    model.rate(w, -400 * z)
    start = {"block.x": 0.0, "block.vx": 0.0}
    run = mbs.simulate(model, [0, 1.0], start, derivatives=["begins"])
    assert np.isnan(run.d("w", "begins")[1]) and "too long" in run.stats["derivatives"]
    short = mbs.simulate(model, [0, 1.0], start, derivatives=["begins"], max_step=1e-4)
    assert short.d("w", "begins")[1] == pytest.approx(np.cos(400), abs=1e-7)


# --- controllers ------------------------------------------------------------------------------------------------------


def controlled(called: bool) -> tuple[mbs.PlanarModel, dict[str, float], dict[str, float]]:
    """A block that a sampled controller with an integral holds at a place, by expressions or by a function."""
    model, block, (m, K, D, goal) = block_with(m=2.0, K=30.0, D=6.0, goal=0.4)
    gains, e = (K, D) if not called else (30.0, 6.0), model.state("aim", rate=0 * mbs.t, initial=goal)
    u, total = model.state("u"), model.state("total")
    model.add(mbs.Force("push", block, (u, 0)))
    x, v = model["block.x"], model["block.vx"]

    def update(t, read):
        off = read("aim") - read("block.x")
        return {"u": gains[0] * off - gains[1] * read("block.vx") + read("total"), "total": read("total") + off}

    laws = {u: gains[0] * (e - x) - gains[1] * v + total, total: total + (e - x)}
    model.add(mbs.Sampled("controller", every=0.1, update=update if called else laws))
    values = {"m": 2.0, "goal": 0.4, "block.x": 0.1, "block.vx": 0.3} | ({} if called else {"K": 30.0, "D": 6.0})
    return model, {"block.x": 0.1, "block.vx": 0.3}, values


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
@pytest.mark.parametrize("called", [False, True], ids=["expressions", "function"])
@pytest.mark.parametrize("times", [[0, 0.25, 0.87], [0.05, 0.33, 0.95]], ids=["from a sample", "between samples"])
def test_a_sampled_controller_against_the_map_of_its_samples(called, times, method):
    """Between samples the force is held: x and v follow exactly."""
    model, start, values = controlled(called)

    def motion(t, m, goal, x, v, K=30, D=6):
        now, u, total = mp.mpf(times[0]), mp.mpf(0), mp.mpf(0)
        for k in range(int(10 * times[0] + 0.9), int(10 * t) + 1):
            h, now = mp.mpf(k) / 10 - now, mp.mpf(k) / 10
            x, v = x + v * h + u * h**2 / (2 * m), v + u * h / m
            u, total = K * (goal - x) - D * v + total, total + goal - x
        return x + v * (t - now) + u * (t - now) ** 2 / (2 * m), v + u * (t - now) / m, u

    result = mbs.simulate(model, times, start, derivatives=[*values], rtol=1e-11, method=method)
    assert from_steps(result)
    assert ("called in Python" in result.stats.get("derivatives", "")) == called
    names = ["block.x", "block.vx", "u"]
    for k, t in enumerate(times):
        wanted = [float(x) for x in motion(mp.mpf(t), *map(mp.mpf, values.values()))]
        np.testing.assert_allclose([result[name][k] for name in names], wanted, rtol=0, atol=1e-9)
    check_closed_form(result, motion, names, values)
    check_back(result, names)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_an_arm_with_controllers_against_runs_beside(method, monkeypatch):
    """Two controllers with periods of their own, one of them in Python and curved, a filter, and a law that switches
    with what is held."""
    model, start, by = arm(1)
    gain = model.parameter("gain", 0.8)
    held, other = model.state("held"), model.state("other")

    def update(t, read):
        return {"other": np.tanh(read("second.angle") - read("lag")) * read("first.omega") + 0.1 * read("second.x")}

    model.add(
        mbs.Sampled("one", every=0.15, update={held: -gain * model["first.angle"] + sp.sin(other) * model["i"]}),
        mbs.Sampled("two", every=0.2, update=update),
    )
    hard = sp.Piecewise((2 * (held - 0.1), held > 0.1), (0, True))
    model.add(mbs.Torque("more", model.elements["B"], (held + hard + other) / 40))
    names = ["second.x", "second.omega", "i", "held", "other", "A.Fx", "energy.supplied"]
    asked, times = ["R", "L", "m", "gain", "first.omega"], np.linspace(0, 0.9, 13)
    check_beside(model, times, start, asked, names, monkeypatch, rtol=1e-9, method=method)


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
def test_an_event_stops_a_run_with_a_controller(method, monkeypatch):
    model, start, values = controlled(called=False)
    model.add(mbs.Event("there", when=model["block.x"] - 0.3, action="stop"))
    how, by = {"rtol": 1e-11, "method": method}, ["m", "K", "goal", "block.vx"]
    ahead, back = ahead_and_back(mbs.at_end(mbs.t) + mbs.at_end("u"), model, [0, 2.0], by, start, monkeypatch, **how)
    np.testing.assert_allclose(back, ahead, rtol=1e-12)
    with monkeypatch.context() as patch:
        difference_whole_runs(patch)
        (other,) = mbs.simulate(model, [0, 2.0], start, derivatives=by, **how).events
    expected = [other.d("t", one) + other.d("u", one) for one in by]
    np.testing.assert_allclose(ahead, expected, rtol=1e-7)


@pytest.mark.parametrize("name", ["acceleration", "rate", "contact", "input"])
def test_controllers_that_read_what_follows_from_forces_and_laws(name):
    """One that reads an acceleration, or the rate of a state, one beside a contact, one that reads an input whose law
    is asked for."""
    model, block, (m, K, c) = block_with(m=2.0, K=3.0, c=0.5)
    model.input("drive", c * mbs.t)
    held = model.state("held")
    model.state("z", rate=K * mbs.t)
    read = {"acceleration": "block.ax", "rate": "z.rate", "contact": "block.x", "input": "drive"}[name]
    model.add(mbs.Force("push", block, (held + K, 0)))
    model.add(mbs.Sampled("sampler", every=0.1, update=lambda t, known: {"held": -known(read)}))
    if name == "contact":
        model.add(mbs.Contact("wall", block, gap=lambda i: 5 - i.x))
    run = mbs.simulate(model, [0, 0.15], {"block.x": 0.2, "block.vx": 0.0}, derivatives=["K", "c"], rtol=1e-11)
    assert from_steps(run)
    check_back(run, ["held", "block.x"])
    # the second sample sets -K/4; -K/10; -x, where the force has been K - 0.2; -c/10
    known = {"acceleration": ("K", -0.25), "rate": ("K", -0.1), "contact": ("K", -0.0025), "input": ("c", -0.1)}
    by, wanted = known[name]
    assert run.d("held", by)[1] == pytest.approx(wanted, abs=1e-8)


def test_a_controller_with_a_memory_of_its_own_is_refused():
    model, block, _ = block_with(m=2.0)
    model.state("held")
    remembered = [0.0]

    def update(t, read):
        remembered[0] += read("block.x")
        return {"held": -remembered[0]}

    model.add(mbs.Sampled("sampler", every=0.1, update=update))
    with refused("not-repeatable", controller="sampler"):
        mbs.simulate(model, [0, 0.3], {"block.x": 0.2, "block.vx": 0.0}, derivatives=["m"])


def test_a_controller_at_a_kink_has_no_derivative_from_there_on():
    model, block, _ = block_with(m=2.0)
    model.add(mbs.Force("push", block, (model.state("held"), 0)))
    model.add(mbs.Sampled("sampler", every=0.1, update=lambda t, read: {"held": abs(read("block.x"))}))
    run = mbs.simulate(model, [0, 0.05, 0.3], {"block.x": 0.0, "block.vx": 0.0}, derivatives=["block.vx"])
    assert np.isnan(run.d("block.x", "block.vx")[1:]).all() and "has a kink" in run.stats["derivatives"]
