"""Events that record or stop a run: their times and states, and the moving end, from the steps of the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.derivatives.runs.forward import VariedRun
from mbs_dae.derivatives.runs.gradients import goes_back
from mbs_dae.derivatives.runs.recorder import RunRecorder
from mbs_dae.design import changes

q = mbs.quantity
Design = tuple[Any, dict[str, float], list[str]]


def from_steps(result: mbs.Result) -> bool:
    """Whether derivatives of a run come from its steps, and not from whole runs of its neighbours."""
    return isinstance(result.varied, VariedRun)


def difference_whole_runs(patch) -> None:
    """Let derivatives of all runs come from whole runs of their neighbours."""
    patch.setattr(RunRecorder, "is_differenced", lambda recorder, impacts: True)


def ahead_and_back(objective, model, times, names, start, monkeypatch, **how) -> tuple[np.ndarray, np.ndarray]:
    """The gradient of an objective by both ways."""
    back = mbs.gradient(objective, model, times, names, initial=start, **how)
    assert from_steps(back.result) and goes_back(back.result)
    with monkeypatch.context() as patch:
        patch.setattr(changes, "goes_back", lambda result: False)
        ahead = mbs.gradient(objective, model, times, names, initial=start, **how)
    return np.array([*ahead.by.values()]), np.array([*back.by.values()])


# --- closed forms -----------------------------------------------------------------------------------------------------


def thrown(action: str) -> Design:
    model = mbs.PlanarModel("thrown", gravity=(0, -10.0))
    h = model.parameter("h", 0.3)
    model.body("ball", mass=2.0, inertia=0.1)
    model.add(
        mbs.Event("top", when=model["ball.vy"], direction=-1),
        mbs.Event("lands", when=model["ball.y"] - h, direction=-1, action=action),
    )
    start = {"ball.x": 0.0, "ball.y": 0.0, "ball.angle": 0.0, "ball.vx": 3.0, "ball.vy": 5.0, "ball.omega": 0.0}
    return model, start, ["h", "gravity.y", "ball.vx", "ball.vy"]


def landing() -> tuple[dict[str, sp.Expr], list[sp.Symbol], dict[sp.Symbol, float]]:
    """How long a ball flies, how far, and how fast it falls where it lands at the height h. Gravity is a."""
    h, a, vx, vy = sp.symbols("h a vx vy")
    fall = -sp.sqrt(vy**2 + 2 * a * h)
    t = (fall - vy) / a
    told = {"t": t, "ball.x": vx * t, "ball.y": h, "ball.vy": fall, "ball.ay": a}
    return told, [h, a, vx, vy], {h: 0.3, a: -10.0, vx: 3.0, vy: 5.0}


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
@pytest.mark.parametrize("action", ["record", "stop"])
def test_a_ball_that_is_thrown(action, method):
    model, start, names = thrown(action)
    run = mbs.simulate(model, [0, 0.2, 1.0], start, derivatives=names, method=method)
    assert from_steps(run) and [event.name for event in run.events] == ["top", "lands"]
    top, lands = run.events
    assert [top.d("t", by) for by in names] == pytest.approx([0, 0.05, 0, 0.1], abs=1e-12)  # v/g
    assert [top.d("ball.y", by) for by in names] == pytest.approx([0, 0.125, 0, 0.5], abs=1e-12)  # v²/2g
    told, symbols, values = landing()
    for name, e in told.items():
        expected = [float(e.diff(symbol).subs(values)) for symbol in symbols]
        np.testing.assert_allclose([lands.d(name, by) for by in names], expected, rtol=0, atol=1e-11)


def test_the_range_of_a_ball_by_all_that_it_is_thrown_with(monkeypatch):
    """The gradient of a range and of a duration, ahead and back."""
    model, start, names = thrown("stop")
    told, symbols, values = landing()
    for objective, e in ((mbs.at_end("ball.x"), told["ball.x"]), (mbs.at_end(mbs.t), told["t"])):
        expected = [float(e.diff(symbol).subs(values)) for symbol in symbols]
        for found in ahead_and_back(objective, model, [0, 0.2, 1.0], names, start, monkeypatch):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_a_speed_for_which_a_ball_lands_at_a_distance():
    """R = 2 vx vy/g, with h = 0: a search needs the slope of the end of a run."""
    model, start, _ = thrown("stop")
    low = model.with_parameters(h=0.0)
    off = (mbs.at_end("ball.x") - 4.0) ** 2
    found = mbs.optimize(off, low, [0, 2.0], {"ball.vx": (1.0, 6.0)}, initial=start)
    assert found.values["ball.vx"] == pytest.approx(4.0, abs=1e-5)


def test_a_rod_that_falls_until_an_event_stops_it(monkeypatch):
    """ω² = ω₀² + 3 g sin(φ)/L where it has turned by φ, α = 3 g cos(φ)/2L, and the pin pulls it with
    m (ω₀² L/2 + 5/2 g sin(φ))."""
    g, turned, L, w, m = 9.81, 1.2, 0.4, 0.7, 2.0
    model = mbs.PlanarModel("rod", gravity=(0, -g))
    length = model.parameter("length", L)
    rod = model.link("rod", (0, 0), (L, 0), length=length, mass=m)
    model.add(mbs.Revolute("pin", model.ground, rod.tail))
    model.add(mbs.Event("there", when=model["rod.angle"] + turned, action="stop"))
    names, start, how = ["length", "rod.omega"], {"rod.omega": -w}, {"rtol": 1e-12}
    (event,) = mbs.simulate(model, [0, 0.1, 2.0], start, derivatives=names, **how).events
    rate, bent = np.sqrt(w * w + 3 * g * np.sin(turned) / L), 3 * g * np.cos(turned) / (2 * L**2)
    by_length = 3 * g * np.sin(turned) / L**2 / (2 * rate)
    assert [event.d("rod.omega", by) for by in names] == pytest.approx([by_length, w / rate], abs=1e-9)
    assert [event.d("rod.alpha", by) for by in names] == pytest.approx([bent, 0.0], abs=1e-9)
    pull = mbs.at_end(np.sin(turned) * q("pin.Fy") - np.cos(turned) * q("pin.Fx"))
    for found in ahead_and_back(pull, model, [0, 0.1, 2.0], names, start, monkeypatch, **how):
        assert found == pytest.approx([m * w * w / 2, -m * w * L], abs=1e-8)


def test_an_event_at_a_time_of_its_own():
    """A block with x = v t + F t³/6m is read at the time T of a clock."""
    model = mbs.PlanarModel("block")
    T, block = model.parameter("T", 0.4), model.body("block", mass=2.0, inertia=1.0)
    model.add(
        mbs.Translational("guide", model.ground, block),
        mbs.Force("push", block, (3 * mbs.t, 0)),
        mbs.Event("now", when=mbs.t - T),
    )
    run = mbs.simulate(model, [0, 1], {"block.x": 0.0, "block.vx": 1.0}, derivatives=["T", "block.vx"])
    (event,) = run.events
    assert from_steps(run)
    names = "t", "block.x", "block.vx", "block.ax"
    assert [event.d(name, "T") for name in names] == pytest.approx([1, 1.12, 0.6, 1.5], abs=1e-12)
    assert [event.d(name, "block.vx") for name in names] == pytest.approx([0, 0.4, 1, 0], abs=1e-12)


@pytest.mark.parametrize("where", ["cartesian", "joint", "beside a contact"])
def test_a_clock_stops_a_run(where):
    """x = v t + F t³/6m up to T, where another force sets in: of two accelerations the later one is read."""
    model = mbs.PlanarModel("block")
    T, block = model.parameter("T", 0.4), model.body("block", mass=2.0, inertia=1.0)
    model.add(
        mbs.Translational("guide", model.ground, block),
        mbs.Force("push", block, (sp.Piecewise((7 + 5 * mbs.t**2, mbs.t > T), (3 * mbs.t, True)), 0)),
        mbs.Event("now", when=mbs.t - T, action="stop"),
    )
    if where == "beside a contact":
        model.add(mbs.Contact("wall", block, gap=lambda i: 5 - i.x))
    system = model.compile("joint") if where == "joint" else model
    run = mbs.simulate(system, [0, 1], {"block.x": 0.0, "block.vx": 1.0}, derivatives=["T", "block.vx"])
    (event,) = run.events
    assert from_steps(run)
    names = "t", "block.x", "block.vx", "block.ax"
    assert [event.d(name, "T") for name in names] == pytest.approx([1, 1.12, 0.6, 2.0], abs=1e-9)
    assert [event.d(name, "block.vx") for name in names] == pytest.approx([0, 0.4, 1, 0], abs=1e-9)
    for objective, expected in ((mbs.at_end("block.ax"), 2.0), (mbs.at_end("block.x") * mbs.at_end(mbs.t), 0.864)):
        if where != "joint":
            found = mbs.gradient(objective, system, [0, 1], ["T"], initial={"block.x": 0.0, "block.vx": 1.0})
            assert found.by["T"] == pytest.approx(expected, abs=1e-9)


def test_branches_in_the_expression_of_an_event():
    """|x| = d at t = d/v."""
    model = mbs.PlanarModel("block")
    d, block = model.parameter("d", 0.5), model.body("block", mass=2.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Event("there", when=sp.Abs(model["block.x"]) - d))
    (event,) = mbs.simulate(model, [0, 1], {"block.x": -0.2, "block.vx": 1.0}, derivatives=["d", "block.vx"]).events
    assert [event.d("t", by) for by in ("d", "block.vx")] == pytest.approx([1.0, -0.7], abs=1e-9)
    assert [event.d("block.x", by) for by in ("d", "block.vx")] == pytest.approx([1.0, 0.0], abs=1e-9)


# --- where several things meet ----------------------------------------------------------------------------------------


def pushed(*events: Callable[..., mbs.Event], law: Callable[..., sp.Expr]) -> Design:
    """A block under a force that depends on its place x, with events at places d and e."""
    model = mbs.PlanarModel("pushed")
    d, e = model.parameter("d", 0.5), model.parameter("e", 0.5)
    block, x = model.body("block", mass=2.0, inertia=1.0), model["block.x"]
    model.add(mbs.Translational("guide", model.ground, block), mbs.Force("push", block, (law(x, d), 0)))
    model.add(*(event(x, d, e) for event in events))
    return model, {"block.x": 0.0, "block.vx": 1.0}, ["d", "e", "block.vx"]


@pytest.mark.parametrize("action", ["record", "stop"])
def test_an_event_where_a_law_switches(action):
    """x = t + t²/4 up to d, where v² = 1 + d: the law switches at the time of the event beside the run, too."""
    model, start, names = pushed(
        lambda x, d, e: mbs.Event("there", when=x - d, action=action),
        law=lambda x, d: sp.Piecewise((-40 * (x - d), x > d), (1, True)),
    )
    run = mbs.simulate(model, [0, 0.3, 0.6], start, derivatives=names)
    (event,) = run.events
    v = np.sqrt(1.5)
    assert from_steps(run)
    assert [event.d("t", by) for by in names] == pytest.approx([1 / v, 0, 2 * (1 / v - 1)], abs=1e-8)
    assert [event.d("block.vx", by) for by in names] == pytest.approx([0.5 / v, 0, 1 / v], abs=1e-8)


@pytest.mark.parametrize(("place", "known"), [("d", True), ("e", False)])
def test_two_events_that_stop_a_run_at_once(place, known):
    """A second event at the same place as the first, or at another one that is there now."""
    model, start, names = pushed(
        lambda x, d, e: mbs.Event("first", when=x - d, action="stop"),
        lambda x, d, e: mbs.Event("second", when=x - (d if place == "d" else e), action="stop"),
        law=lambda x, d: 1 + 0 * x,
    )
    run = mbs.simulate(model, [0, 0.3, 0.6], start, derivatives=names)
    assert from_steps(run) and not goes_back(run)
    if known:
        found, v = mbs.gradient(mbs.at_end(mbs.t), model, [0, 0.3, 0.6], names, initial=start), np.sqrt(1.5)
        assert [*found.by.values()] == pytest.approx([1 / v, 0, 2 * (1 / v - 1)], abs=1e-10)
    else:
        with refused("no-derivative"):
            mbs.gradient(mbs.at_end(mbs.t), model, [0, 0.3, 0.6], names, initial=start)


@pytest.mark.parametrize("action", ["record", "stop"])
def test_an_event_that_the_motion_only_touches(action):
    """x = t - t² is 1/4 at most."""
    model, start, names = pushed(
        lambda x, d, e: mbs.Event("there", when=x - 0.25 + 1e-13, action=action), law=lambda x, d: -4 + 0 * x
    )
    run = mbs.simulate(model, [0, 0.3, 0.8], start, derivatives=names, max_step=0.05)
    event = run.events[0]
    assert np.isnan([event.d(name, by) for name in ("t", "block.x") for by in names]).all()
    assert run.d("block.x", "block.vx") == pytest.approx(run.t, abs=1e-10)  # at times that are held there are some
    assert "the motion touches where it happens, and does not pass" in run.stats["derivatives"]
    if action == "stop":
        with refused("no-derivative"):
            mbs.gradient(mbs.at_end("block.x"), model, [0, 0.3, 0.8], names, initial=start, max_step=0.05)


@pytest.mark.parametrize("action", ["record", "stop"])
def test_an_event_in_the_step_in_which_the_ends_of_a_force_pass_each_other(action):
    """A spring pushes a block past its other end, at x = 0, and turns there. Against short steps, which do not hold
    both."""
    model, mass = mbs.PlanarModel("past"), 2.0
    block, k = model.body("block", mass=mass, inertia=1.0), model.parameter("k", 20.0)
    model.add(
        mbs.Translational("guide", model.ground, block),
        mbs.Spring("spring", model.ground, block, stiffness=k, length=0.1),
        mbs.Event("behind", when=model["block.x"] - 0.001, action=action),
    )
    start, names = {"block.x": -0.4, "block.vx": 2.0}, ["k", "block.vx"]
    found = []
    for step in (0.01, 0.0001):
        run = mbs.simulate(model, [0, 0.1, 0.3], start, derivatives=names, method="RK4", step=step)
        found.append([event.d(name, by) for event in run.events for name in ("t", "block.vx") for by in names])
        assert from_steps(run)
    np.testing.assert_allclose(*found, rtol=5e-3)


# --- mechanisms -------------------------------------------------------------------------------------------------------


def slider_crank(law: str = "wind") -> Design:
    """Events on a slider-crank, one of which stops it."""
    model = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, l, c = model.parameter("r", 0.1), model.parameter("l", 0.3), model.parameter("c", -0.05)
    crank = model.link("crank", (0, 0), (0.1, 0), length=r, mass=1.0)
    rod = model.link("rod", (0.1, 0), (0.4, 0), length=l, mass=2.0)
    slider, w, x = model.body("slider", position=(0.4, 0), mass=3.0), model.parameter("w", 3.0), model["slider.x"]
    bump = sp.Piecewise((-400 * (x - 0.35), x > 0.35), (0, True)) if law == "bump" else 0
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.SpringDamper("spring", model.ground.at(1, 0), slider, stiffness=100, damping=1.0, length=0.6),
        mbs.Force("wind", slider, (20 * sp.sin(w * mbs.t) + bump, 0)),
        mbs.Event("turns", model["crank.omega"] + c * mbs.t),
        mbs.Event("line", x - l - c),
        mbs.Event("end", model["crank.angle"] + 8 * r - 0.2 + mbs.t / 10, action="stop"),
    )
    return model, {"crank.angle": 1.0, "crank.omega": 4.0}, ["r", "l", "c", "w", "spring.stiffness", "crank.omega"]


def top() -> Design:
    """A body on a ball joint, with quaternions."""
    model = mbs.SpatialModel("top", gravity=(0, 0, -9.81))
    a, body = model.parameter("a", 0.4), model.body("rotor", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(0.4, 0, 0))
    model.add(
        mbs.Spherical("A", model.ground, body.at(-a, 0, 0)),
        mbs.SpringDamper("s", model.ground.at(0, 1, 0), body.at(0.1, 0.1, 0), stiffness=20, damping=0.3, length=0.5),
        mbs.Event("end", model["rotor.z"] + 0.5 * a + 0.1 * mbs.t, action="stop"),
    )
    return model, {}, ["a", "rotor.mass", "s.stiffness"]


def four_bar_in_space() -> Design:
    """Parallel hinges in space: equations are redundant."""
    model = mbs.SpatialModel("four-bar", gravity=(0, -9.81, 0))
    a, round_ = model.parameter("a", 0.2), {"mass": 1.0, "inertia": (0.02, 0.03, 0.04)}
    crank, coupler, rocker = (
        model.body(name, position=place, **round_)
        for name, place in (("crank", (0, 0.1, 0)), ("rotor", (0.25, 0.2, 0)), ("rocker", (0.5, 0.1, 0)))
    )
    model.add(
        mbs.Revolute("A", model.ground, crank.at(0, -a / 2, 0)),
        mbs.Revolute("B", crank.at(0, a / 2, 0), coupler.at(-0.25, 0, 0)),
        mbs.Revolute("C", coupler.at(0.25, 0, 0), rocker.at(0, a / 2, 0)),
        mbs.Revolute("D", model.ground.at(0.5, 0, 0), rocker.at(0, -a / 2, 0)),
        mbs.Spring("s", model.ground.at(0, 0.5, 0), coupler, stiffness=20, length=0.1),
        mbs.Event("end", model["rotor.x"] - 0.3 - a / 10 - mbs.t / 100, action="stop"),
    )
    return model, {"A.omega": -2.0}, ["a", "rotor.mass", "s.stiffness", "A.omega"]


def differences(run: Callable[[dict[str, float]], np.ndarray], values: dict[str, float], by: str) -> np.ndarray:
    """Five-point differences of whole runs."""
    h = 1e-3 * max(abs(values[by]), 0.1)
    far = [run({**values, by: values[by] + k * h}) for k in (-2, -1, 1, 2)]
    return (far[0] - 8 * far[1] + 8 * far[2] - far[3]) / (12 * h)


def test_events_of_a_mechanism_against_runs_of_neighbours():
    model, start, names = slider_crank()
    told, how = ("slider.x", "slider.vx", "slider.ax", "A.angle", "rod.alpha"), {"rtol": 1e-12}
    times = np.linspace(0, 1, 5)

    def run(values: dict[str, float]) -> np.ndarray:
        parameters = {name: values[name] for name in ("r", "l", "c", "w")}
        one = mbs.simulate(
            model.with_parameters(**parameters), times, start | {"crank.omega": values["crank.omega"]}, **how
        )
        return np.array([[event.t, *(event.state[name] for name in told)] for event in one.events])

    result = mbs.simulate(model, times, start, derivatives=names, **how)
    assert from_steps(result) and [event.name for event in result.events] == ["turns", "end"]
    values = {name: model.parameters[name].value for name in ("r", "l", "c", "w")} | {"crank.omega": 4.0}
    for by in values:
        expected = differences(run, values, by)
        found = [[event.d(name, by) for name in ("t", *told)] for event in result.events]
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


def test_events_in_one_step_of_generalised_alpha_against_runs_beside(monkeypatch):
    """The second event in a step is met by a step from the first one, with what the method remembers there."""
    model, start, names = slider_crank()
    soon = model["crank.omega"] + 1e-4 + model.parameters["c"].symbol * mbs.t
    model.add(mbs.Event("soon", soon))
    told, how = ("t", "slider.x", "slider.vx", "slider.ax", "rod.alpha"), {"method": "GA", "step": 1e-3, "rtol": 1e-12}
    found = mbs.simulate(model, np.linspace(0, 1, 5), start, derivatives=names, **how)
    difference_whole_runs(monkeypatch)
    other = mbs.simulate(model, np.linspace(0, 1, 5), start, derivatives=names, **how)
    assert from_steps(found) and not from_steps(other)
    assert [event.name for event in found.events] == ["turns", "soon", "end"]
    assert np.floor(found.events[0].t / 1e-3) == np.floor(found.events[1].t / 1e-3)
    for one, beside in zip(found.events, other.events, strict=True):
        for name in told:
            slopes, expected = ([event.d(name, by) for by in names] for event in (one, beside))
            np.testing.assert_allclose(slopes, expected, rtol=0, atol=1e-3 * np.abs(expected).max(), err_msg=name)


STOPPED = {
    "DP5": (slider_crank, {}),
    "a law that switches": (lambda: slider_crank("bump"), {}),
    "DP8": (slider_crank, {"method": "DP8"}),
    "RK4": (slider_crank, {"method": "RK4", "step": 2e-3}),
    "Radau5": (slider_crank, {"method": "Radau5"}),
    "GA": (slider_crank, {"method": "GA", "step": 2e-3}),
    "GA in space": (top, {"method": "GA", "step": 5e-3}),
    "projected": (slider_crank, {"stabilization": mbs.Projection()}),
    "in space": (top, {}),
    "redundant": (four_bar_in_space, {}),
}


@pytest.mark.parametrize("case", STOPPED)
def test_the_end_of_a_run_ahead_and_back(case, monkeypatch):
    """Gradients of coordinates, forces, works and integrals at a moving end agree ahead and back."""
    make, how = STOPPED[case]
    (model, start, names), x = make(), "slider.x" if "slider" in make()[0].name else "rotor.x"
    objectives = (
        mbs.at_end(mbs.t),
        mbs.at_end(x) * mbs.at_end("A.Fx") + mbs.at_end(x.replace(".x", ".ax")),
        mbs.integral(q(x) ** 2 * mbs.t) + mbs.at_end("energy.kinetic") + mbs.at_end("energy.dissipated"),
    )
    for objective in objectives:
        ahead, back = ahead_and_back(objective, model, np.linspace(0, 2, 9), names, start, monkeypatch, **how)
        np.testing.assert_allclose(back, ahead, rtol=1e-12, atol=1e-12 * np.abs(ahead).max())


@pytest.mark.parametrize("seed", range(4))
def test_random_chains_against_runs_of_neighbours(seed, monkeypatch):
    """Chains of rods with springs of random numbers, which an event stops."""
    random = np.random.default_rng(seed)
    model, end, values = mbs.PlanarModel("chain", gravity=(0, -9.81)), None, dict[str, float]()
    for k in range(int(random.integers(1, 4))):
        values[f"m{k}"], values[f"l{k}"] = random.uniform(0.2, 2.0), random.uniform(0.2, 0.5)
        mass, length = (model.parameter(name, values[name]) for name in (f"m{k}", f"l{k}"))
        rod = model.link(f"rod{k}", (0.3 * k, 0), (0.3 * k + 0.3, 0), mass=mass, length=length)
        model.add(mbs.Revolute(f"pin{k}", end or model.ground, rod.tail))
        anchor = model.ground.at(*random.uniform(-1, 1, 2))
        model.add(mbs.SpringDamper(f"s{k}", anchor, rod.head, stiffness=random.uniform(1, 20), damping=0.1, length=0.2))
        end = rod.head
    y = f"rod{k}.head.y"
    falls = model["rod0.angle"] + random.uniform(0.2, 0.6) + 0.1 * mbs.t * values["m0"]
    model.add(mbs.Event("end", falls, action="stop"), mbs.Event("turns", model[y[:-1] + "vy"]))
    start = {f"rod{n}.angle": 0.0 for n in range(k + 1)} | {f"rod{n}.omega": -1.0 for n in range(k + 1)}
    how, objective = {"rtol": 1e-12}, mbs.at_end(y) + mbs.at_end(mbs.t) + mbs.at_end(f"rod{k}.alpha")

    def run(own: dict[str, float]) -> np.ndarray:
        one = mbs.simulate(model.with_parameters(**own), [0, 3.0], start, **how)
        return np.array([one[y][-1] + one.t[-1] + one[f"rod{k}.alpha"][-1]])

    ahead, back = ahead_and_back(objective, model, [0, 3.0], [*values], start, monkeypatch, **how)
    expected = [differences(run, values, by)[0] for by in values]
    np.testing.assert_allclose(back, ahead, rtol=1e-11, atol=1e-12 * np.abs(ahead).max())
    np.testing.assert_allclose(ahead, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
