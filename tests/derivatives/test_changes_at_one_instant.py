"""Derivatives of runs in which several things happen at one instant: where they happen together beside the run, too,
they are differences of runs; where they come one after the other, derivatives end, with the reason by name."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from test_contacts_ahead_and_back import check_back
from test_events_from_steps import from_steps
from test_loads_that_are_read import check_runs_beside
from test_signals_from_steps import block_with

import mbs_dae as mbs
from mbs_dae.derivatives.runs.gradients import goes_back

t = mbs.t
WAYS = pytest.mark.parametrize("method", ["DP5", "Radau5"])
READ = ["block.x", "block.vx", "block.ax"]


def at_a_wall(*elements) -> mbs.PlanarModel:
    """A block that runs against a spring, which pushes with a jump of 4 N where they meet at x = 0.5 m."""
    model, block, (_, k) = block_with(m=2.0, k=30.0)
    x = model["block.x"]
    model.add(mbs.Force("wall", block, (sp.Piecewise((-k * (x - 0.5) - 4, x > 0.5), (0, True)), 0)))
    model.add(*(element(model) for element in elements))
    return model


def pushed(*elements) -> mbs.PlanarModel:
    """A block with a smooth force that decays."""
    model, block, (_, k) = block_with(m=2.0, k=3.0)
    model.add(mbs.Force("push", block, (k * sp.cos(2 * t) - model["block.x"] ** 2, 0)))
    model.add(*(element(model) for element in elements))
    return model


# --- events and laws --------------------------------------------------------------------------------------------------


@WAYS
def test_an_event_where_a_law_jumps(method):
    """The block meets the wall at t = (0.5 - x)/v, where the event is, too."""
    touch = lambda model: mbs.Event("touch", when=model["block.x"] - 0.5)  # noqa: E731
    start, by = {"block.x": 0.2, "block.vx": 1.2}, ["m", "k", "block.x", "block.vx"]
    how = {"method": method, "rtol": 1e-11}
    run = check_runs_beside(lambda: at_a_wall(touch), [0, 0.2, 0.5, 0.9], start, by, READ, **how)
    event = run.events[0]
    assert event.t == pytest.approx(0.25) and "derivatives" not in run.stats
    assert [event.d("t", one) for one in by] == pytest.approx([0, 0, -1 / 1.2, -0.3 / 1.2**2], abs=1e-9)
    assert event.d("block.x", "block.vx") == pytest.approx(0, abs=1e-9)
    assert event.d("block.vx", "block.vx") == pytest.approx(1, abs=1e-9)


@WAYS
def test_an_event_that_comes_before_or_after_a_jump_beside_the_run(method):
    """A clock strikes at 0.25 s, when the block meets the wall: its acceleration there is one of two."""
    clock = lambda model: mbs.Event("clock", when=t - 0.25)  # noqa: E731
    by, start = ["k", "block.x"], {"block.x": 0.2, "block.vx": 1.2}
    how = {"method": method, "rtol": 1e-11}
    run = mbs.simulate(at_a_wall(clock), [0, 0.2, 0.9], start, derivatives=by, **how)
    (event,) = run.events
    assert from_steps(run) and np.isnan(event.d("block.vx", "block.x"))
    assert event.d("block.x", "k") == pytest.approx(0, abs=1e-9)  # with k both stay at one instant
    assert "none at the event at t = 0.25" in run.stats["derivatives"]
    assert np.isfinite(run.d("block.x", "block.x")).all()
    check_back(run, READ)


def test_an_event_that_stops_a_run_where_a_law_jumps():
    """The end moves with the wall; without a way back the gradient is summed from derivatives ahead."""
    touch = lambda model: mbs.Event("touch", when=model["block.x"] - 0.5, action="stop")  # noqa: E731
    start, by = {"block.x": 0.2, "block.vx": 1.2}, ["k", "block.x", "block.vx"]
    found = mbs.gradient(mbs.at_end(t), at_a_wall(touch), [0, 1.0], by, initial=start, rtol=1e-11)
    assert [found[one] for one in by] == pytest.approx([0, -1 / 1.2, -0.3 / 1.2**2], abs=1e-9)


@pytest.mark.parametrize("coordinates", ["cartesian", "joint", "natural"])
def test_events_whose_expressions_have_branches(coordinates):
    def made() -> mbs.PlanarModel:
        return pushed(
            lambda model: mbs.Event(
                "slow", when=sp.Abs(model["block.x"] - 0.5) - 0.3, action=mbs.Reset({"block.vx": model["block.vx"] / 2})
            ),
            lambda model: mbs.Event("near", when=sp.Abs(model["block.x"] - 0.5) - 0.05),
        )

    start, by = {"block.x": 0.4, "block.vx": 1.2}, ["m", "k", "block.x"]
    run = check_runs_beside(made, [0, 0.25, 0.5, 0.9], start, by, READ, coordinates, rtol=1e-11)
    assert [one.name for one in run.events] == ["near", "near", "slow"]
    h = 1e-4
    beside = [mbs.simulate(made().with_parameters(k=3.0 + s * h), run.t, start, rtol=1e-12).events for s in (-1, 1)]
    for event, one, two in zip(run.events, *beside, strict=True):
        assert event.d("t", "k") == pytest.approx((two.t - one.t) / (2 * h), rel=1e-6)


# --- the beginning and the end ----------------------------------------------------------------------------------------


@WAYS
def test_a_run_that_begins_where_a_law_jumps(method):
    """By its velocity, the block is where it is; by its place neighbours meet the wall later, or never."""
    start, times = {"block.x": 0.5, "block.vx": 1.2}, [0, 0.1, 0.2]
    how = {"method": method, "rtol": 1e-11}
    check_runs_beside(at_a_wall, times, start, ["m", "k", "block.vx"], READ, back=False, **how)
    run = mbs.simulate(at_a_wall(), times, start, derivatives=["block.x", "k"], **how)
    assert np.isnan(run.d("block.x", "block.x")[1:]).all() and np.isfinite(run.d("block.x", "k")).all()
    assert "at t = 0 the run begins where laws switch" in run.stats["derivatives"]
    assert not goes_back(run)


def test_a_run_that_begins_where_a_law_jumps_and_a_ball_bounces():
    """By the place of the block neighbours meet the wall later, or never, and so derivatives end."""

    def ball(model: mbs.PlanarModel) -> mbs.Contact:
        body = model.body("ball", mass=1.0, inertia=0.004)
        return mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), restitution=0.5)

    start = {"block.x": 0.5, "block.vx": 1.2, "ball.x": 0.0, "ball.y": 0.1, "ball.vx": 0.0, "ball.vy": -1.0}
    run = mbs.simulate(at_a_wall(ball), [0, 0.1, 0.2], start, derivatives=["block.x", "k"])
    assert len(run.impacts) == 1 and run.impacts[0].t == 0.0
    assert np.isnan(run.d("block.x", "block.x")[1:]).all() and not goes_back(run)
    assert "the run begins where laws switch, and contacts change at this instant" in run.stats["derivatives"]


@WAYS
@pytest.mark.parametrize("times", [[0.5, 0.75, 0.9], [0.0, 0.25, 0.5]], ids=["begins", "ends"])
def test_a_clock_that_sets_a_state_where_a_run_begins_or_ends(times, method):
    half = lambda model: mbs.Event("half", t - 0.5, action=mbs.Reset({"block.vx": model["block.vx"] / 2}))  # noqa: E731
    start, by = {"block.x": 0.4, "block.vx": 1.2}, ["m", "k", "block.x"]
    how = {"method": method, "rtol": 1e-11, "back": times[0] > 0.0}
    run = check_runs_beside(lambda: pushed(half), times, start, by, READ, **how)
    assert "derivatives" not in run.stats


def test_a_state_that_an_event_sets_at_the_end_of_a_run():
    """A block without forces is at 0.6 m at the last time: neighbours are not yet there, or have been there."""
    model, _, _ = block_with(m=2.0)
    back = mbs.Reset({"block.vx": -model["block.vx"]})
    model.add(mbs.Event("back", when=model["block.x"] - 0.6, direction=1, action=back))
    by, start = ["m", "block.x"], {"block.x": 0.0, "block.vx": 1.2}
    run = mbs.simulate(model, [0, 0.25, 0.5], start, derivatives=by)
    assert run.d("block.x", "m") == pytest.approx([0, 0, 0], abs=1e-12)
    if not run.events:  # by roundoff the block is not there yet
        assert run.d("block.x", "block.x") == pytest.approx([1, 1, 1]) and "derivatives" not in run.stats
    else:
        assert len(run.events) == 1
        assert np.isnan(run.d("block.x", "block.x")[2]) and run.d("block.x", "block.x")[1] == pytest.approx(1)
        assert "an event sets a state where the run begins or ends" in run.stats["derivatives"]


# --- resets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coordinates", "method"), [("cartesian", "DP5"), ("joint", "DP5"), ("natural", "DP8"), ("cartesian", "Radau5")]
)
def test_a_reset_beside_a_driver_that_time_moves(coordinates, method):
    """The state behind it satisfies the equations of the driver at its own time, which moves."""

    def made() -> mbs.PlanarModel:
        model = mbs.PlanarModel("arm", gravity=(0, -9.81))
        L, w = model.parameter("L", 0.4), model.parameter("w", 2.0)
        crank = model.link("crank", (0, 0), (0.4, 0), length=L, mass=1.0)
        shaft = model.add(mbs.Revolute("shaft", model.ground, crank.tail))
        rod = model.link("rod", (0.4, 0), (0.7, 0), length=0.3, mass=0.5)
        model.add(mbs.Revolute("hinge", crank.head, rod.tail))
        model.add(mbs.Driver("motor", mbs.angle(shaft), w * t + 0.1 * sp.sin(4 * t)))
        bounces = mbs.Reset({"rod.omega": -0.7 * model["rod.omega"]})
        model.add(mbs.Event("bounces", when=model["rod.angle"] + 0.5, direction=-1, action=bounces))
        return model

    names, by = ["rod.angle", "rod.x", "rod.omega", "rod.ay", "motor.effort"], ["L", "w", "rod.omega"]
    start, how = {"rod.omega": 0.5}, {"method": method, "rtol": 1e-11}
    run = check_runs_beside(made, [0, 0.2, 0.4, 0.6], start, by, names, coordinates, **how)
    assert len(run.events) >= 1


def test_a_reset_where_a_law_jumps_ends_derivatives_by_name():
    """The wall pushes from x = 0.5 on, where an event turns the block back: neighbours that are turned first never
    feel the wall."""
    back = lambda model: mbs.Event(  # noqa: E731
        "back", when=model["block.x"] - 0.5, direction=1, action=mbs.Reset({"block.vx": -model["block.vx"]})
    )
    by, start = ["k", "block.x"], {"block.x": 0.2, "block.vx": 1.2}
    run = mbs.simulate(at_a_wall(back), [0, 0.2, 0.9], start, derivatives=by)
    assert from_steps(run) and not goes_back(run)
    assert run.d("block.x", "block.x")[:2] == pytest.approx([1, 1]) and np.isnan(run.d("block.x", "block.x")[2])
    assert "at t = 0.25, where an event sets a state, something else happens" in run.stats["derivatives"]
    assert "there are none from there on" in run.stats["derivatives"]


def test_a_sample_where_a_law_jumps_ends_derivatives_by_name():
    """The block meets the wall at t = 0.25, when a controller samples its acceleration."""
    model = at_a_wall()
    u = model.state("u")
    model.add(mbs.Force("more", model.bodies["block"].origin, (0, u)))
    model.add(mbs.Sampled("controller", 0.25, {u: model["block.vx"]}))
    by, start = ["k", "block.x"], {"block.x": 0.2, "block.vx": 1.2}
    run = mbs.simulate(model, [0, 0.2, 0.9], start, derivatives=by)
    slope = run.d("block.x", "block.x")[2]
    if "derivatives" in run.stats:
        assert "where a controller samples, something else happens" in run.stats["derivatives"] and np.isnan(slope)
    else:  # by roundoff the block meets the wall a little later, and before that has been sampled
        again = [mbs.simulate(model, [0, 0.2, 0.9], start | {"block.x": 0.2 - h}, rtol=1e-11) for h in (1e-4, 2e-4)]
        assert slope == pytest.approx((again[0]["block.x"][2] - again[1]["block.x"][2]) / 1e-4, rel=1e-2)
    assert from_steps(run) and run.d("block.x", "block.x")[:2] == pytest.approx([1, 1])


# --- points on the ground ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how", [{"method": "DP5"}, {"method": "Radau5"}, {"method": "DP5", "stabilization": mbs.Projection()}],
    ids=["DP5", "Radau5", "projected"],
)  # fmt: skip
def test_points_on_the_ground_beside_samples_and_resets_in_natural_coordinates(how):
    """A parameter moves the pin of a pendulum, which is a basic point on the ground; a controller and an event read
    places."""

    def made() -> mbs.PlanarModel:
        model = mbs.PlanarModel("pinned", gravity=(0, -9.81))
        place, length = model.parameter("place", 0.1), model.parameter("length", 0.3)
        rod = model.link("rod", (0.1, 0), (0.4, 0), length=length, mass=1.0)
        model.add(mbs.Revolute("pin", model.ground.at(place, 0), rod.tail))
        u, (x, w) = model.state("u"), (model["rod.x"], model["rod.omega"])
        model.add(mbs.Spring("spring", model.ground.at(0.5, 0.5), rod.head, stiffness=20, length=0.4))
        model.add(mbs.Force("push", rod.head, (0, u)), mbs.Sampled("controller", 0.1, {u: 5 * x - w}))
        model.add(mbs.Event("slow", when=w + 1, direction=-1, action=mbs.Reset({"rod.omega": 0.7 * w + x})))
        return model

    names, by = ["rod.x", "rod.omega", "u", "pin.Fx"], ["place", "length", "rod.omega"]
    start, times = {"rod.omega": 0.5}, [0, 0.15, 0.35, 0.6]
    run = check_runs_beside(made, times, start, by, names, "natural", rtol=1e-10, **how)
    assert run.events
