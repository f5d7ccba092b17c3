"""Runs that go on from another run: their derivatives are those of one run."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

NAMES = "arm.angle", "arm.omega", "arm.alpha", "pin.force", "energy.kinetic"


def pendulum() -> mbs.PlanarModel:
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    length = model.parameter("length", 0.3, unit="m")
    arm = model.link("arm", (0, 0), (0, -0.3), length=length, mass=2.0)
    model.add(mbs.Revolute("pin", model.ground, arm.tail))
    return model


def bouncing() -> mbs.PlanarModel:
    model = mbs.PlanarModel("ball", gravity=(0, -10))
    body = model.body("ball", mass=1.0, inertia=0.004)
    guide = model.add(mbs.Translational("guide", model.ground, body, at=(0, 0), axis=(0, 1)))
    model.add(mbs.Stop("stop", mbs.displacement(guide), lower=0.05, restitution=0.8))
    model.add(mbs.Event("top", when=model["ball.vy"], direction=-1))
    return model


def test_two_runs_are_one_with_its_derivatives():
    model, by = pendulum(), ["length", "arm.omega", "arm.mass"]
    whole = mbs.simulate(model, [0, 0.2, 0.37, 0.5, 0.6], {"arm.omega": 3.0}, derivatives=by)
    first = mbs.simulate(model, [0, 0.2, 0.37], {"arm.omega": 3.0})
    second = mbs.simulate(model, [0.37, 0.5, 0.6], first.state(), derivatives=by)
    third = mbs.simulate(model, [0.5, 0.6], second.state(1), derivatives=by)  # from a state inside
    assert second.stats["goes_on"] and (second.q == whole.q[2:]).all() and (third.q == whole.q[3:]).all()
    for name in NAMES:
        for parameter in by:
            expected = whole.d(name, parameter)
            np.testing.assert_array_equal(second.d(name, parameter), expected[2:])
            np.testing.assert_array_equal(third.d(name, parameter), expected[3:])


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_across_impacts_and_events(coordinates):
    system, by, start = bouncing().compile(coordinates), ["stop.lower", "stop.restitution", "ball.y"], {"ball.y": 1.0}
    whole = mbs.simulate(system, [0, 0.2, 0.6, 0.7, 1.2], start, derivatives=by)
    first = mbs.simulate(system, [0, 0.2, 0.6], start)
    second = mbs.simulate(system, [0.6, 0.7, 1.2], first.state(), derivatives=by)
    assert len(whole.impacts) == 2 and [one.t for one in second.impacts] == [whole.impacts[1].t]
    (event,), (same,) = whole.events, second.events
    for parameter in by:
        np.testing.assert_array_equal(second.d("ball.y", parameter), whole.d("ball.y", parameter)[2:])
        assert same.d("t", parameter) == event.d("t", parameter) != 0.0


def test_across_resets():
    model = mbs.PlanarModel("ball", gravity=(0, -10))
    model.body("ball", mass=1.0, inertia=0.004)
    b, back = model.parameter("b", 0.8), {"ball.vy": -model.parameters["b"].symbol * model["ball.vy"]}
    model.add(mbs.Event("bounce", model["ball.y"], direction=-1, action=mbs.Reset(back)))
    start = {f"ball.{name}": 0.0 for name in ("x", "y", "angle", "vx", "vy", "omega")} | {"ball.y": 1.0}
    by, times = [str(b), "ball.y"], [0, 0.2, 0.6, 0.7, 1.5]
    whole = mbs.simulate(model, times, start, derivatives=by)
    first = mbs.simulate(model, times[:3], start)
    second = mbs.simulate(model, times[2:], first.state(), derivatives=by)
    assert len(whole.events) == 2 and len(second.events) == 1
    for parameter in by:
        np.testing.assert_array_equal(second.d("ball.y", parameter), whole.d("ball.y", parameter)[2:])
        assert second.events[0].d("t", parameter) == whole.events[1].d("t", parameter) != 0.0


@pytest.mark.parametrize("make", [pendulum, bouncing])
def test_a_start_that_knows_how_it_changes_hands_it_on(make):
    """By another method it is a start like any other, and what it changes with is carried on."""
    model, plain = make(), make is pendulum
    by = ["length", "arm.omega", "arm.mass"] if plain else ["stop.lower", "ball.y"]
    start, read = ({"arm.omega": 3.0}, "arm.angle") if plain else ({"ball.y": 1.0}, "ball.y")
    tight = {"rtol": 1e-11, "derivatives": by}
    whole = mbs.simulate(model, [0, 0.6, 0.9], start, **tight)
    first = mbs.simulate(model, [0, 0.6], start, **tight)
    second = mbs.simulate(model, [0.6, 0.9], first.state(), method="DP8", **tight)
    assert "goes_on" not in second.stats
    for parameter in by:
        np.testing.assert_allclose(second.d(read, parameter), whole.d(read, parameter)[1:], rtol=1e-7)
        assert first.state().d(read, parameter) == first.d(read, parameter)[-1]


def test_an_assembled_state_hands_on_what_it_was_found_from():
    """A spatial pendulum, started from a pose by its angle: as if the angle were given to the run."""
    model = mbs.SpatialModel("gyro", gravity=(0, 0, -9.81))
    arm = model.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.3, 0.1, 0))
    model.add(mbs.Spherical("S", model.ground, arm))
    start = {"arm.wx": 0.4, "arm.wy": -0.2, "arm.wz": 0.7}
    pose = mbs.assemble(model, fix=start, derivatives=["arm.wy"])
    one = mbs.simulate(model, [0, 0.3], pose, derivatives=["arm.wy", "arm.mass"])
    other = mbs.simulate(model, [0, 0.3], start, derivatives=["arm.wy", "arm.mass"])
    for name in ("arm.x_axis.x", "arm.wy", "arm.wz") if "arm.x_axis.x" in one.names else ("arm.wy", "arm.wz"):
        np.testing.assert_allclose(one.d(name, "arm.wy"), other.d(name, "arm.wy"), rtol=0, atol=1e-9)


def test_members_that_are_simulated():
    """Each as alone, and by values that the study gives."""
    model, by = pendulum(), ["length", "arm.omega", "arm.mass"]
    study = mbs.ensemble(model, [0, 0.2], {"length": [0.3, 0.4], "arm.omega": [1.0, 2.0]}, derivatives=by)
    for k, design in enumerate([(0.3, 1.0), (0.3, 2.0), (0.4, 1.0), (0.4, 2.0)]):
        own = mbs.simulate(model.with_parameters(length=design[0]), [0, 0.2], {"arm.omega": design[1]}, derivatives=by)
        for parameter in by:
            np.testing.assert_array_equal(study.member(k).d("arm.angle", parameter), own.d("arm.angle", parameter))
    slope = mbs.ensemble(
        model, [0, 0.2], {"length": [0.3]}, ("simulate", lambda run: run.d("arm.omega", "arm.omega")),
        initial={"arm.omega": 1.0}, derivatives=["arm.omega"],
    )  # fmt: skip
    assert slope.array("value")[0, 0] == 1.0
    with refused("unknown-name", near=["length"]):
        mbs.ensemble(model, [0, 0.2], {"length": [0.3]}, derivatives=["lenght"])
