"""Derivatives from whole runs of neighbours: against closed forms, and against those of the steps of the run."""

import importlib

import numpy as np
import pytest
import sympy as sp
from test_events_from_steps import difference_whole_runs, from_steps

import mbs_dae as mbs

G = 10.0


def falling(height: float = 1.25) -> tuple[mbs.PlanarModel, dict[str, float], list[str]]:
    """A disk that falls on a floor, which gives back e of its speed; it meets the floor after √(2h/g)."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    e = model.parameter("e", 0.5)
    ball = model.body("ball", mass=1.0, inertia=0.004)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(ball, 0.1), restitution=e))
    return model, {"ball.x": 0, "ball.y": height + 0.1, "ball.angle": 0, "ball.vx": 0, "ball.vy": 0, "ball.omega": 0}


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_ball_bounces(method, monkeypatch):
    """Behind the impact at T = 0.5 s with u = 5 m/s: y = e u (t - T) - g (t - T)²/2."""
    difference_whole_runs(monkeypatch)
    model, start = falling()
    run = mbs.simulate(model, [0, 0.25, 0.6, 0.9], start, derivatives=["e", "ball.y"], method=method)
    assert not from_steps(run) and len(run.impacts) == 1
    assert run.d("ball.y", "e") == pytest.approx([0, 0, 0.5, 2.0], abs=1e-8)
    later, faster = 0.2, 2.0  # of T and u, for 1 m
    slope = [1, 1, *(0.5 * faster * s - later * (2.5 - G * s) for s in (0.1, 0.4))]
    assert run.d("ball.y", "ball.y") == pytest.approx(slope, abs=1e-8)
    assert run.stats.get("derivatives", "") == ""


def test_a_time_at_which_bodies_meet_has_no_derivative_by_what_moves_it(monkeypatch):
    difference_whole_runs(monkeypatch)
    model, start = falling()
    run = mbs.simulate(model, [0, 0.5, 0.6], start, derivatives=["e", "ball.y"], rtol=1e-11)
    assert np.isnan(run.d("ball.vy", "ball.y")).tolist() == [False, True, False]
    assert "none at t = 0.5 itself, where the motion jumps or has a corner by ball.y" in run.stats["derivatives"]


def test_times_next_to_an_impact_have_derivatives(monkeypatch):
    difference_whole_runs(monkeypatch)
    model, start = falling()
    times = [0, *0.5 + np.array([-0.01, -0.002, -0.0005, 0.0005, 0.002, 0.01])]
    run = mbs.simulate(model, times, start, derivatives=["ball.y"], rtol=1e-11)
    expected = [0, 0, 0, 0, *[0.5 * 2.0 + 0.2 * G] * 3]
    assert run.d("ball.vy", "ball.y") == pytest.approx(expected, abs=1e-6)


def test_what_happens_in_some_neighbours_alone_ends_derivatives(monkeypatch):
    """The ball turns where it would just touch a second floor: by its speed it meets it, or does not."""
    difference_whole_runs(monkeypatch)
    model, start = falling()
    ball = model.bodies["ball"]
    model.add(mbs.Contact("ceiling", mbs.Line(model.ground.at(0, 1.35 + 0.1, angle=np.pi)), mbs.Disk(ball, 0.1)))
    run = mbs.simulate(model, [0, 0.1, 0.8], start | {"ball.y": 0.9, "ball.vy": 3.0}, derivatives=["ball.vy", "e"])
    found = np.isfinite(run.d("ball.y", "ball.vy"))
    assert found[1] and not found[2] and np.isfinite(run.d("ball.y", "e")).all()
    told = run.stats["derivatives"]
    assert "ceiling" in told and "in some runs beside it, and not in others" in told


def test_two_slopes_at_one_place_are_none(monkeypatch):
    """v' = -|v| from v = 0: a start with v₀ > 0 decays, one with v₀ < 0 grows; by F the motion has a derivative."""
    difference_whole_runs(monkeypatch)
    model = mbs.PlanarModel("block")
    F, block = model.parameter("F", 2.0), model.body("block", mass=1.0, inertia=1.0)
    model.add(mbs.Force("drag", block, (-sp.Abs(model["block.vx"]), F)))
    start = {f"block.{name}": 0.0 for name in ("x", "y", "angle", "vx", "vy", "omega")}
    run = mbs.simulate(model, [0, 1.0], start, derivatives=["block.vx", "F"])
    assert np.isnan(run.d("block.x", "block.vx")[1]) and run.d("block.y", "F")[1] == pytest.approx(0.5, rel=1e-9)
    assert "corner by block.vx" in run.stats["derivatives"]


def test_ctrl_c_in_neighbouring_runs_leaves_the_motion(monkeypatch):
    difference_whole_runs(monkeypatch)
    model, start = falling()
    times, made = [0, 0.25, 0.6], []

    def interrupted(*arguments):
        made.append(arguments)
        if len(made) > 8:
            raise KeyboardInterrupt
        return repeated(*arguments)

    verb = importlib.import_module("mbs_dae.verbs.simulate")
    repeated = verb.repeated_run
    monkeypatch.setattr(verb, "repeated_run", interrupted)
    run = mbs.simulate(model, times, start, derivatives=["e", "ball.y"])
    assert (run["ball.y"] == mbs.simulate(model, times, start)["ball.y"]).all()
    assert "interrupted" in run.stats["derivatives"] and np.isnan(run.d("ball.y", "ball.y")).all()


@pytest.mark.parametrize("times", [[0, 2.0], [0, 0.1, 0.3, 2.0]])
def test_an_event_that_stops_a_run(times, monkeypatch):
    """A stone thrown with v comes to the height h after T, v T - g T²/2 = h: dT/dv = -T/(v - g T)."""
    difference_whole_runs(monkeypatch)
    model = mbs.PlanarModel("stone", gravity=(0, -G))
    h = model.parameter("h", 1.0)
    model.body("stone", mass=1.0, inertia=1.0)
    model.add(mbs.Event("there", when=model["stone.y"] - h, direction=-1, action="stop"))
    start, by = {"stone.x": 0, "stone.y": 0, "stone.angle": 0, "stone.vx": 2, "stone.vy": 6}, ["h", "stone.vy"]
    run = mbs.simulate(model, times, start, derivatives=by, rtol=1e-11)
    T = 1.0
    slopes = np.array([1.0, -T]) / (6 - G * T)
    assert run.t[-1] == pytest.approx(T) and run.success
    (event,) = run.events
    assert [event.d("t", one) for one in by] == pytest.approx(slopes, abs=1e-8)
    assert [event.d("stone.x", one) for one in by] == pytest.approx(2 * slopes, abs=1e-8)
    assert [run.d("stone.y", one)[-1] for one in by] == pytest.approx([0, T], abs=1e-8)
    objective = mbs.at_end("stone.x") * mbs.at_end(mbs.t) + mbs.at_end("stone.vy")
    gradient = mbs.gradient(objective, model, times, by, initial=start, rtol=1e-11)
    assert [gradient[one] for one in by] == pytest.approx(4 * T * slopes + [0, 1] - G * slopes, abs=1e-7)


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_a_run_that_goes_on(coordinates, monkeypatch):
    model, start = falling()
    system = model.compile(coordinates)
    first = mbs.simulate(system, [0, 0.25], start)
    ahead = mbs.simulate(system, [0.25, 0.6, 0.9], first.state(), derivatives=["e", "ball.y"])
    difference_whole_runs(monkeypatch)
    beside = mbs.simulate(system, [0.25, 0.6, 0.9], first.state(), derivatives=["e", "ball.y"])
    assert from_steps(ahead) and not from_steps(beside) and len(beside.impacts) == 1
    for name in ("ball.y", "ball.vy", "energy.dissipated"):
        for by in ("e", "ball.y"):
            np.testing.assert_allclose(beside.d(name, by), ahead.d(name, by), atol=1e-7, err_msg=name)


def test_a_state_with_derivatives_of_its_own(monkeypatch):
    """The place of the pendulum is found from its angle."""
    difference_whole_runs(monkeypatch)
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    length = model.parameter("l", 0.3)
    rod = model.link("rod", (0, 0), (0.3, 0), length=length, mass=2.0)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    state = mbs.assemble(model, fix={"rod.angle": -0.3}, derivatives=["rod.angle", "l"])
    by, times = ["rod.angle", "l"], [0, 0.4]
    run = mbs.simulate(model, times, state, derivatives=by)
    monkeypatch.undo()
    like = mbs.simulate(model, times, state, derivatives=by, rtol=1e-11)
    assert from_steps(like) and not from_steps(run)
    for one in by:
        assert run.d("rod.x", one) == pytest.approx(like.d("rod.x", one), abs=1e-8)


def test_a_parameter_that_turns_the_marker_of_a_ball():
    """In joint coordinates the steps do not tell how the motion changes; in those of bodies they do."""
    model = mbs.SpatialModel("rotor", gravity=(0, 0, -9.81))
    turn, m = model.parameter("turn", 0.3), model.parameter("m", 1.2)
    axes = sp.cos(turn), sp.sin(turn), 0
    body = model.body("rod", mass=m, inertia=(0.012, 0.02, 0.03), position=(0.2, 0, 0))
    model.add(mbs.Spherical("ball", model.ground, body.at(-0.2, 0, 0, axis=(0, 0, 1), x_axis=axes)))
    model.add(mbs.Damper("damper", model.ground.at(0, 0.3, 1), body.at(0.2, 0, 0), damping=0.4))
    names, by, times = ["rod.x", "rod.wz", "ball.Fz", "energy.total", "ball.angle_1"], ["turn", "m"], [0, 0.2, 0.5]
    own, like = (
        mbs.simulate(model.compile(one), times, {"rod.wz": 1.0}, derivatives=by, rtol=1e-11)
        for one in ("joint", "cartesian")
    )
    assert from_steps(like) and not from_steps(own)
    for name in names:
        expected = np.array([like.d(name, one) for one in by])
        found = np.array([own.d(name, one) for one in by])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * max(1, np.abs(expected).max()), err_msg=name)


def test_a_block_turns_and_slides_on_four_corners():
    """The motion depends on how corners share the weight. At rest all of the energy has gone, whatever μ is."""
    values = {"mu": 0.3, "m": 2.0}
    model = mbs.SpatialModel("block", gravity=(0, 0, -G))
    mu, m = (model.parameter(name, value) for name, value in values.items())
    block = model.body("b", m, (0.02, 0.03, 0.04), position=(0, 0, 0.1))
    for k, (x, y) in enumerate([(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)]):
        point = mbs.Point(block.at(x, y, -0.1))
        model.add(mbs.Contact(f"corner{k}", mbs.Plane(model.ground), point, friction=mu))
    start, times, h = {"b.vx": 1.0, "b.wz": 3.0}, [0, 0.1, 0.2, 0.6], 2e-3
    run = mbs.simulate(model, times, start, derivatives=["mu", "m", "b.vx"], rtol=1e-11)
    assert not from_steps(run) and [run.d("energy.dissipated", by)[-1] for by in ("mu", "m", "b.vx")] == pytest.approx(
        [0.0, 0.5, 2.0], abs=1e-7
    )
    beside = (mbs.simulate(model.with_parameters(mu=0.3 + c * h), times, start, rtol=1e-12) for c in (1, -1, 2, -2))
    one, other, far, back = (motion["b.x"] for motion in beside)
    expected = (8 * (one - other) - (far - back)) / (12 * h)
    np.testing.assert_allclose(run.d("b.x", "mu"), expected, atol=1e-6)
