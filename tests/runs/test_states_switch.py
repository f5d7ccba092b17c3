"""Between two steps: rates that switch, events on states and their resets, forces that switch with states."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

TIGHT = {"method": "DP8", "rtol": 1e-11}
SETS = ("cartesian", "natural", "joint")


def block() -> tuple[mbs.PlanarModel, mbs.Body]:
    model = mbs.PlanarModel("block")
    body = model.body("body", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    return model, body


@pytest.mark.parametrize("coordinates", SETS)
def test_a_rate_that_saturates(coordinates):
    """x = sin t; ż = Min(x, 1/2) switches at π/6 and 5π/6: z(2) = 1 - cos π/6 + (2 - π/6)/2."""
    model, body = block()
    model.add(mbs.Force("spring", body, (-model["body.x"], 0)))
    model.state("z", rate=sp.Min(model["body.x"], sp.Rational(1, 2)))
    run = mbs.simulate(model.compile(coordinates), [0, 2], {"body.vx": 1.0}, **TIGHT)
    assert abs(run["z"][-1] - (1 - np.cos(np.pi / 6) + (2 - np.pi / 6) / 2)) < 1e-9


@pytest.mark.parametrize("method, order", [("DP5", 5), ("DP8", 8), ("Radau5", 5)])
def test_order_across_switches_of_a_rate(method, order):
    """ż = 1 - z below 1/2, and twice that above: z = 1/2 at ln 2, and 1 - z falls with the square from there on."""
    model, _ = block()
    model.state("z", rate=lambda z: sp.Piecewise((1 - z, z < sp.Rational(1, 2)), (2 * (1 - z), True)))
    exact = 1 - 0.5 * np.exp(-2 * (2 - np.log(2)))

    def error(steps: int) -> float:
        return abs(mbs.simulate(model, [0, 2], method=method, step=2 / steps)["z"][-1] - exact)

    coarse = 7 if method == "DP8" else 12
    assert error(3 * coarse) < 1e-13 or np.log(error(coarse) / error(3 * coarse)) / np.log(3) > order - 0.7


@pytest.mark.parametrize("coordinates", SETS)
def test_a_force_that_switches_with_a_state(coordinates):
    """A lag turns a force on when it passes 1/2, at T ln 2."""
    model, body = block()
    lag = model.state("lag", rate=lambda x: (1 - x) / 0.5)
    model.add(mbs.Force("push", body, (sp.Piecewise((3.0, lag > 0.5), (0, True)), 0)))
    run = mbs.simulate(model.compile(coordinates), [0, 1], **TIGHT)
    assert abs(run["body.vx"][-1] - 3.0 * (1 - 0.5 * np.log(2))) < 1e-9


def test_events_of_states_and_their_reset():
    """An integrator that is emptied whenever it is full: a saw that begins anew at 0.4, 0.8, ..."""
    model, _ = block()
    saw = model.state("saw", rate=2.5)
    model.add(mbs.Event("full", when=saw - 1, direction=1, action=mbs.Reset({"saw": saw - 1})))
    run = mbs.simulate(model, np.linspace(0.05, 1.93, 17))
    assert [event.name for event in run.events] == ["full"] * 4
    assert np.abs(np.array([event.t for event in run.events]) - [0.45, 0.85, 1.25, 1.65]).max() < 1e-9
    assert np.abs(run["saw"] - np.mod(2.5 * (run.t - 0.05) + 1e-9, 1.0)).max() < 1e-7


def test_a_controller_that_rounds():
    """What a converter does: values are whole steps of 1/8, held."""
    model, body = block()
    model.add(mbs.Force("push", body, (1.0, 0)))
    read = model.state("read")
    model.add(mbs.Sampled("converter", every=0.1, update={read: sp.floor(8 * model["body.vx"]) / 8}))
    run = mbs.simulate(model, np.linspace(0, 0.95, 20))
    sampled = np.floor(np.floor(run.t * 10 + 1e-9) / 10 * 8 + 1e-7) / 8
    assert (run["read"][:-1] == sampled[:-1]).all()


def test_a_sample_chooses_branches_anew():
    """A relay whose state is set across its edge: the force is the other one from there on."""
    model, body = block()
    relay = model.state("relay", initial=1.0)
    model.add(mbs.Force("push", body, (sp.sign(relay), 0)))
    model.add(mbs.Sampled("turn", every=1.0, update={relay: sp.cos(sp.pi * mbs.t)}))
    run = mbs.simulate(model, [0, 0.5, 1.0, 1.5, 2.0, 2.5])
    assert run["body.vx"] == pytest.approx([0, 0.5, 1.0, 0.5, 0, 0.5], abs=1e-12)


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
@pytest.mark.parametrize("coordinates", SETS)
def test_what_an_input_moves_towards(coordinates, method):
    """An event at x = u, and a force that turns where x passes it, u = t an input: x - u = 0.5 - 0.9 t before."""
    model, body = block()
    u = model.input("u", mbs.t)
    model.add(mbs.Event("meets", model["body.x"] - u))
    model.add(mbs.Force("push", body, (sp.Piecewise((0, model["body.x"] > u), (-0.2, True)), 0)))
    start = {"body.x": 0.5, "body.vx": 0.1}
    run = mbs.simulate(model.compile(coordinates), [0, 2], start, method=method)
    assert [e.t for e in run.events] == [pytest.approx(5 / 9, abs=1e-9)]
    assert run["body.x"][-1] == pytest.approx(0.7 - 0.1 * (2 - 5 / 9) ** 2, abs=1e-9)


def test_a_motion_that_stays_with_an_input():
    """Dry friction on a belt that moves as an input says: it sticks, and goes with it."""
    model, body = block()
    u = model.input("u", 0.1 * sp.sin(mbs.t))
    model.add(mbs.Force("rub", body, (-2 * sp.sign(model["body.vx"] - u), 0)))
    run = mbs.simulate(model, [0, 1, 3], rtol=1e-10)
    np.testing.assert_allclose(run["body.vx"], 0.1 * np.sin(run.t), atol=1e-8)


def driven(rate) -> mbs.PlanarModel:
    """A wheel turned by t²/2: the effort of its motor is 1 N m."""
    model = mbs.PlanarModel("drive")
    shaft = model.add(mbs.Revolute("shaft", model.ground, model.body("w", mass=1.0, inertia=1.0)))
    model.add(mbs.Driver("motor", mbs.angle(shaft), mbs.t**2 / 2))
    model.state("z", rate=rate(model))
    return model


def test_an_event_of_a_state_whose_rate_reads_an_effort():
    """z = t/2, angle = t²/2: equal at the start, which says nothing, and at 1."""
    model = driven(lambda m: 0.5 * m["motor.effort"])
    model.add(mbs.Event("meet", model["w.angle"] - model["z"]))
    run = mbs.simulate(model, [0, 2], rtol=1e-10)
    assert [e.t for e in run.events] == [pytest.approx(1, abs=1e-9)]


def test_a_rate_that_switches_and_reads_an_effort_is_refused():
    with refused("rate-of-reaction-switches", state="z", reaction="motor.effort"):
        driven(lambda m: sp.Abs(m["motor.effort"]))
    with refused("rate-of-reaction-switches", state="z", reaction="motor.effort"):
        driven(lambda m: m["motor.effort"] * sp.Heaviside(m["w.angle"] - 1))
    driven(lambda m: m["motor.effort"] * sp.Abs(mbs.t - 1))


def test_a_controller_reads_accelerations_and_efforts():
    """A wheel whose torque is what it read 0.1 s before, and 1 N m more."""
    model = mbs.PlanarModel("wheel")
    body = model.body("w", mass=1.0, inertia=2.0)
    model.add(mbs.Revolute("shaft", model.ground, body))
    torque = model.state("torque", initial=1.0)
    model.add(mbs.Torque("motor", body, torque))
    seen = []

    def update(t, read):
        seen.append(read("w.alpha"))
        return {"torque": 1 + read("torque")}

    model.add(mbs.Sampled("c", every=0.1, update=update))
    mbs.simulate(model, [0, 0.35])
    assert seen == pytest.approx([0.5, 1.0, 1.5, 2.0])
    told = driven(lambda m: m["motor.effort"])
    told.state("seen")
    told.add(mbs.Sampled("c", every=0.1, update=lambda t, read: {"seen": read("motor.effort") + read("w.alpha")}))
    assert mbs.simulate(told, [0, 0.35])["seen"] == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_what_friction_holds_passes_no_event(method):
    """A spring pulls ever more; until friction gives way, at 0.5886 s, the speed is roundoff, and no event."""
    model = mbs.PlanarModel("line")
    block = model.body("block", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block))
    pull = 50 * (0.1 * mbs.t - model["block.x"]) - 0.3 * 9.81 * sp.sign(model["block.vx"])
    model.add(mbs.Force("pull", block, (pull, 0)), mbs.Event("turn", model["block.vx"]))
    assert not mbs.simulate(model, [0, 0.5], method=method).events
