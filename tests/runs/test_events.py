"""Events: expressions of the motion that pass zero, and what happens then."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.errors import IntegrationError

g = 9.81
SETS = ("cartesian", "natural", "joint")


def oscillator(*events, **parameters) -> mbs.PlanarModel:
    """x = cos t."""
    model = mbs.PlanarModel("oscillator")
    body = model.body("block", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    for name, value in parameters.items():
        model.parameter(name, value)
    model.add(mbs.Force("F", body, (-model["block.x"], 0)))
    model.add(*(make(model) for make in events))
    return model


def passing(name="zero", level=0.0, **more):
    return lambda model: mbs.Event(name, model["block.x"] - level, **more)


START = {"block.x": 1.0}


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "RK4", "Radau5", "GA"])
@pytest.mark.parametrize("acting", ["stop", "reset"])
def test_all_events_of_the_instant_of_a_stop_or_a_reset_happen(acting, method, coordinates):
    """Events on both sides in the order of the model, multiples and their own negatives; not one that comes later."""
    action = "stop" if acting == "stop" else mbs.Reset({"block.vx": 2.0})
    model = oscillator(
        passing("before"), passing("acts", action=action),
        lambda model: mbs.Event("behind", -3 * model["block.x"], direction=1),
        passing("upwards", direction=1), passing("later", -1e-7),
    )  # fmt: skip
    how = {"step": 0.01} if method in ("RK4", "GA") else {"rtol": 1e-9}
    run = mbs.simulate(model.compile(coordinates), [0, 2.0], START | {"block.vx": 0.0}, method=method, **how)
    assert [event.name for event in run.events] == ["before", "acts", "behind"]
    assert len({event.t for event in run.events}) == 1
    assert run.events[0].t == pytest.approx(pi / 2, abs=1e-4)


def test_two_resets_of_one_instant_act_one_after_the_other():
    model = oscillator(
        passing("first", action=mbs.Reset({"block.vx": 3.0})),
        lambda model: mbs.Event("second", model["block.x"], action=mbs.Reset({"block.vx": 2 * model["block.vx"]})),
    )
    run = mbs.simulate(model, [0, pi / 2 + 0.1], START, rtol=1e-10)
    assert [event.name for event in run.events] == ["first", "second"]
    assert run["block.x"][-1] == pytest.approx(6 * np.sin(0.1), abs=1e-8)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_passages_are_found_to_roundoff(method, coordinates):
    model = oscillator(passing(), passing("high", 0.5, direction=1))
    run = mbs.simulate(model.compile(coordinates), [0, 10], START, method=method, rtol=1e-12)
    zero = [(k + 0.5) * pi for k in range(3)]
    high = [2 * pi - pi / 3]
    expected = sorted([*((t, "zero") for t in zero), *((t, "high") for t in high)])
    assert [e.name for e in run.events] == [name for _, name in expected]
    np.testing.assert_allclose([e.t for e in run.events], [t for t, _ in expected], atol=2e-10)
    at = run.events[0].state
    assert abs(at["block.x"]) < 1e-10 and abs(at["block.vx"] + 1) < 1e-9


def test_events_that_only_tell_change_nothing():
    plain = mbs.simulate(oscillator(), [0, 10], START, rtol=1e-10)
    told = mbs.simulate(oscillator(passing()), [0, 10], START, rtol=1e-10)
    assert abs(plain["block.x"][-1] - told["block.x"][-1]) < 1e-9


@pytest.mark.parametrize(("direction", "count"), [(0, 3), (1, 1), (-1, 2)])
def test_directions(direction, count):
    run = mbs.simulate(oscillator(passing(direction=direction)), [0, 10], START)
    assert len(run.events) == count


def test_a_stop_ends_the_run_there():
    run = mbs.simulate(oscillator(passing(action="stop")), np.linspace(0, 10, 101), START, rtol=1e-11)
    assert run.success and "stopped by 'zero'" in run.message
    assert abs(run.t[-1] - pi / 2) < 1e-9 and abs(run["block.x"][-1]) < 1e-10
    assert len(run) == 17 and run.events[-1].t == run.t[-1]


def test_parameters_and_time_in_an_event():
    model = oscillator(lambda m: mbs.Event("ramp", m["block.x"] - m.parameters["a"].symbol * mbs.t), a=0.25)
    found = mbs.simulate(model, [0, 3], START, rtol=1e-11).events[0].t
    assert abs(np.cos(found) - 0.25 * found) < 1e-9
    later = mbs.simulate(model.with_parameters(a=0.1), [0, 3], START, rtol=1e-11).events[0].t
    assert abs(np.cos(later) - 0.1 * later) < 1e-9


def ball(e=0.9):
    model = mbs.PlanarModel("ball", gravity=(0, -g))
    body = model.body("ball", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("rail", model.ground.at(0, 0, angle=pi / 2), body.at(0, 0, angle=pi / 2)))
    bounce = mbs.Reset({"ball.vy": -e * model["ball.vy"]})
    model.add(mbs.Event("impact", model["ball.y"], direction=-1, action=bounce))
    return model


@pytest.mark.parametrize("coordinates", SETS)
def test_a_ball_that_bounces(coordinates):
    """Flight n lasts 2 V eⁿ/g, with V = √(2 g) of the first impact."""
    run = mbs.simulate(ball().compile(coordinates), [0, 1, 5], {"ball.y": 1.0}, rtol=1e-11)
    V = sqrt(2 * g)
    times = V / g + np.concatenate([[0.0], np.cumsum(2 * V * 0.9 ** np.arange(1, 8) / g)])
    np.testing.assert_allclose([e.t for e in run.events][:8], times, atol=1e-9)
    np.testing.assert_allclose(run["ball.y"][1:], [0.71094914433303832806, 0.12154865483912440781], atol=1e-8)
    np.testing.assert_allclose(run["ball.vy"][1:], [-1.3940508556669616719, -1.1184100332989199184], atol=1e-8)
    assert abs(run.energy.error).max() < 1e-8
    np.testing.assert_allclose(run.energy.supplied[-1], -g * (1 - 0.81**8), rtol=1e-8)


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
@pytest.mark.parametrize("bounce", [0.1, 0.5, 0.7])
def test_impacts_without_end_are_told(bounce, method):
    with refused("resets-without-end", IntegrationError, joints=["rail"], mentions=["impact", "ball"]) as told:
        mbs.simulate(ball(bounce), [0, 10], {"ball.y": 1.0}, method=method)
    assert told.value.time == pytest.approx(sqrt(2 / g) * (1 + bounce) / (1 - bounce), rel=1e-6)
    assert len(told.value.result.events) > 10


def test_a_reset_of_one_link_is_an_impulse_in_the_mechanism():
    """Two links in line, hinged, at rest; the outer one is set turning: the impulse moment acts on it alone, and the
    pins hand it on. M is the mass matrix of the double pendulum hanging down."""
    pair = mbs.PlanarModel("pair")
    upper, lower = pair.link("upper", (0, 0), (0, -1), mass=1.0), pair.link("lower", (0, -1), (0, -2), mass=1.0)
    pair.add(mbs.Revolute("A", pair.ground, upper.tail), mbs.Revolute("B", upper.head, lower.tail))
    clock = pair.body("clock", mass=1.0, inertia=1.0)
    pair.add(mbs.Translational("rail", pair.ground, clock))
    pair.add(mbs.Event("strike", pair["clock.x"] - 1, action=mbs.Reset({"lower.omega": 1.0, "clock.vx": 0.0})))
    run = mbs.simulate(pair, [0, 1.0], {"clock.vx": 1.0})
    M = np.array([[1 / 3 + 1, 1 / 2], [1 / 2, 1 / 3]])
    assert run["upper.omega"][-1] == pytest.approx(-M[0, 1] / M[0, 0], rel=1e-9)
    assert run["lower.omega"][-1] == pytest.approx(1.0, rel=1e-9)


def test_events_are_in_files(tmp_path):
    run = mbs.simulate(oscillator(passing()), [0, 10], START)
    again = mbs.load(run.save(tmp_path / "run"))
    twice = mbs.load(again.save(tmp_path / "again"))
    for one in (again, twice):
        assert [(e.t, e.name) for e in one.events] == [(e.t, e.name) for e in run.events]
        assert one.events[0].state["block.vx"] == run.events[0].state["block.vx"]
    with refused("unknown-name", kind="quantity", name="block.vz"):
        again.events[0].state["block.vz"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda m: mbs.Event("e", 1.0), ("never-changes",)),
        (
            lambda m: mbs.Event("e", mbs.t - 1, action=mbs.Reset({"block.x": oscillator()["block.x"]})),
            ("not-of-this-model",),
        ),
        (
            lambda m: mbs.Event("e", m["block.x"], action=mbs.Reset({"block.x": sp.Symbol("c")})),
            ("unknown-symbols", "c"),
        ),
        (lambda m: mbs.Event("e", m["block.x"] > 1), ("is-a-condition", "block.x", "1")),
        (lambda m: mbs.Event("e", m["block.x"], direction=2), ("unknown-choice", "e", "Event")),
        (lambda m: mbs.Event("e", m["block.x"], action="halt"), ("unknown-choice", "e", "Event")),
        (lambda m: mbs.Event("block", m["block.x"]), ("name-taken", "block")),
        (lambda m: mbs.Event("e", m["block.x"], action=mbs.Reset({})), ("not-a-dict",)),
    ],
)  # fmt: skip
def test_wrong_events_are_told(make, words):
    with refused(words[0], mentions=words[1:]):
        model = oscillator()
        model.add(make(model))


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5", "GA"])
def test_a_reset_that_leaves_the_event_where_it_is_happens_once(method):
    """A pendulum braked by 0.1 rad/s at each pass of its lowest point: four times by an independent integrator."""
    model = mbs.PlanarModel("swing", gravity=(0, -9.81))
    body = model.body("b", mass=1.0, inertia=0.1, com=(0, -1.0))
    model.add(mbs.Revolute("J", model.ground, body))
    brake = mbs.Reset({"b.omega": model["b.omega"] + 0.1})
    model.add(mbs.Event("push", model["b.angle"], direction=-1, action=brake))
    run = mbs.simulate(model, [0, 10], {"b.angle": -0.3, "b.omega": 0.0}, method=method, rtol=1e-8)
    exact = [1.586908, 3.700243, 5.811349, 7.920536]
    np.testing.assert_allclose([event.t for event in run.events], exact, atol=1e-4 if method == "GA" else 2e-6)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_events_at_known_times(method, coordinates):
    """One step would pass over all of them: without forces nothing else makes steps short."""
    model = mbs.PlanarModel("line")
    model.add(mbs.Translational("guide", model.ground, model.body("b", mass=1.0, inertia=1.0)))
    T = model.parameter("T", 1.0)
    model.add(
        mbs.Event("tick", sp.sin(20 * mbs.t), direction=1),
        mbs.Event("kick", mbs.t - T, action=mbs.Reset({"b.vx": 2.0})),
    )
    run = mbs.simulate(model.compile(coordinates), [0, 10], method=method)
    found = {name: [e.t for e in run.events if e.name == name] for name in ("tick", "kick")}
    np.testing.assert_allclose(found["tick"], np.arange(1, 32) * pi / 10, rtol=1e-14)
    assert found["kick"] == [1.0]
    np.testing.assert_allclose(run["b.x"][-1], 18.0, rtol=1e-14)
    later = mbs.simulate(model.with_parameters(T=2.5).compile(coordinates), [0, 10], method=method)
    np.testing.assert_allclose(later["b.x"][-1], 15.0, rtol=1e-14)


def test_a_stop_at_a_known_time():
    run = mbs.simulate(oscillator(lambda m: mbs.Event("end", mbs.t - 2.5, action="stop")), np.arange(11.0), START)
    assert run.t.tolist() == [0, 1, 2, 2.5] and run["block.x"][-1] == pytest.approx(np.cos(2.5), abs=1e-6)


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5", "GA"])
@pytest.mark.parametrize("count", [3, 7, 10])
def test_an_event_at_a_sampling_time_is_found(count, method):
    model = mbs.PlanarModel("line")
    block = model.body("b", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block))
    held = model.state("held")
    model.add(mbs.Sampled("clock", every=0.1, update={held: model["b.x"]}))
    model.add(mbs.Event("there", model["b.x"] - 0.1 * count, action="stop"))
    run = mbs.simulate(model, [0, 2], {"b.vx": 1.0}, method=method)
    assert [event.t for event in run.events] == [pytest.approx(0.1 * count, abs=1e-9)]
    assert run.t[-1] == pytest.approx(0.1 * count, abs=1e-9)


def test_a_reset_where_a_contact_touches_is_made_once():
    """A ball turns back where it hits the floor: by that its speed along the floor passes zero, another event there."""
    model = mbs.PlanarModel("ball", gravity=(0, -9.81))
    body = model.body("ball", mass=1.0, inertia=0.1, position=(0, 0.5))
    floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), restitution=0.8))
    model.add(mbs.Event("hit", when=floor.touches, action=mbs.Reset({"ball.vx": -model["ball.vx"]})))
    model.add(mbs.Event("turned", when=model["ball.vx"]))
    run = mbs.simulate(model, [0.0, 0.5], {"ball.vx": 1.0})
    falls = np.sqrt(2 * 0.4 / 9.81)
    assert [(one.name, one.t) for one in run.events] == [
        ("hit", pytest.approx(falls)),
        ("turned", pytest.approx(falls)),
    ]
    assert run["ball.vx"][-1] == pytest.approx(-1.0)


@pytest.mark.parametrize("change", ["sticks", "touches"])
def test_a_change_of_contacts_whose_reset_undoes_it_is_told(change):
    """A block stops after v/(μ g) = 0.5 s, and a kick of the same speed lets it slip again."""
    model = mbs.PlanarModel("block", gravity=(0, -10))
    block = model.body("block", mass=1.0, inertia=1.0, position=(0, 0))
    if change == "sticks":
        guide = model.add(mbs.Translational("guide", model.ground, block))
        rub, start, first = model.add(mbs.Friction("rub", guide, mu=0.2)), {"block.vx": 1.0}, 0.5
        kick, wanted = {"block.vx": 1.0}, ("slips", "sticks")
    else:
        rub = model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block)))
        start, first, kick, wanted = {"block.y": 0.0, "block.vy": 2.5}, 0.5, {"block.vy": 2.5}, ("open", "closed")
    model.add(mbs.Event("kick", when=getattr(rub, change), action=mbs.Reset(kick)))
    run = mbs.simulate(model, [0, 0.7], start)
    assert [event.t for event in run.events] == pytest.approx([first])
    told = [(one.t, one.before, one.after) for one in run.transitions]
    assert [t for t, *_ in told] == pytest.approx([first, first])
    assert [tuple(words) for _, *words in told] == [wanted, wanted[::-1]]
