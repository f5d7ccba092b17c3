"""States, inputs and controllers that make no sense are refused by name, with the remedy."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs


def arm() -> tuple[mbs.PlanarModel, mbs.Revolute]:
    model = mbs.PlanarModel("arm", gravity=(0.0, -9.81))
    rod = model.body("rod", mass=1.0, inertia=0.01, com=(0.0, -0.5))
    model.parameter("k", 1.0)
    pin = model.add(mbs.Revolute("A", model.ground, rod.origin))
    model.state("x", rate=lambda x: -x, initial=1.0)
    model.input("u", 2.0)
    return model, pin


def torque(model, pin, law):
    return model.add(mbs.Torque("T", pin, law))


def driven(model, pin):
    return model.add(mbs.Driver("motor", mbs.angle(pin), 3 * mbs.t))


def stranger():
    return mbs.PlanarModel("other").state("strange")


def spatial_redundant():
    """A driven door on two hinges: nothing says what each of them and the driver take."""
    model = mbs.SpatialModel("door")
    door = model.body("door", mass=1.0, inertia=(1.0, 1.0, 1.0))
    for name in ("low", "high"):
        model.add(mbs.Revolute(name, model.ground.at(0, 0, 0), door.origin))
    model.add(mbs.Driver("one", mbs.angle(model.elements["low"]), mbs.t))
    model.add(mbs.Driver("two", mbs.angle(model.elements["high"]), mbs.t))
    model.state("heat", rate=model["one.effort"] ** 2)
    return model


SAID = {
    "named like a body": (lambda m, A: m.state("rod"), "already has 'rod'; choose another name for this state"),
    "named like a joint": (lambda m, A: m.input("A"), "already has 'A'"),
    "named like a parameter": (lambda m, A: m.state("k"), "already has a parameter 'k'"),
    "named like time": (lambda m, A: m.state("t"), "time"),
    "named twice": (lambda m, A: m.state("x"), "already has 'x'"),
    "no name": (lambda m, A: m.state("a b"), "letters, digits and _"),
    "a parameter named like a state": (lambda m, A: m.parameter("x", 1.0), "already has a state 'x'"),
    "a body named like an input": (lambda m, A: m.body("u"), "already has 'u'"),
    "a rate with an acceleration": (lambda m, A: m.state("y", rate=m["rod.alpha"]), "is an acceleration"),
    "a rate of unknown symbols": (
        lambda m, A: m.state("y", rate=sp.Symbol("c")),
        "state 'y' contains unknown symbols: c",
    ),
    "a rate of another model": (lambda m, A: m.state("y", rate=stranger()), "'strange', which is no state or input"),
    "a rate that is not finite": (lambda m, A: m.state("y", rate=sp.oo), "the rate of state 'y' is not finite"),
    "a rate as text": (lambda m, A: m.state("y", rate="2*t"), "text is not evaluated"),
    "a rate of numpy": (lambda m, A: m.state("y", rate=lambda y: np.sin(y)), "write sp.sin"),
    "a rate said twice": (lambda m, A: m.rate("x", 3), "state 'x' has a rate already"),
    "a rate of no state": (lambda m, A: m.rate("u", 3), "no state 'u'"),
    "an initial value": (lambda m, A: m.state("y", initial=np.nan), "initial value of state 'y' is nan"),
    "a scale": (lambda m, A: m.state("y", scale=0), "scale of state 'y' is 0"),
    "an input of a state": (lambda m, A: m.input("w", m["x"]), "an input is a law of time"),
    "an input of a quantity": (lambda m, A: m.with_inputs(u=m["rod.angle"]), "an input is a law of time"),
    "an unknown input": (lambda m, A: m.with_inputs(v=1.0), "no input 'v'"),
    "a driver of a state": (lambda m, A: m.add(mbs.Driver("d", mbs.angle(A), m["x"])), "let a force act"),
    "a driver of an input": (lambda m, A: m.add(mbs.Driver("d", mbs.angle(A), sp.sin(m["u"] * mbs.t))), "let a force"),
    "a stiffness that is a state": (lambda m, A: m.add(mbs.TorsionSpring("s", A, stiffness=m["x"])), "say it as force"),
    "a mass that is a state": (lambda m, A: m.body("b", mass=m["x"]), "changes in time"),
    "an algebraic loop": (
        lambda m, A: (driven(m, A), torque(m, A, m["motor.effort"])),
        "algebraic loop; let it pass a state",
    ),
    "the effort of a joint": (lambda m, A: m["A.effort"], "no quantity 'A.effort'"),
    "a state that is used": (lambda m, A: (torque(m, A, m["x"]), m.without("x")), "Torque 'T' depends on 'x'"),
    "an effort that is used": (
        lambda m, A: (driven(m, A), m.state("h", rate=m["motor.effort"]), m.without("motor")),
        "state 'h' depends on 'motor'",
    ),
    "a controller of no state": (
        lambda m, A: m.add(mbs.Sampled("s", every=0.1, update={"y": 0})),
        "sets 'y', which is no state",
    ),
    "a controller of an input": (
        lambda m, A: m.add(mbs.Sampled("s", every=0.1, update={"u": 0})),
        "sets 'u', which is no state",
    ),
    "a controller of nothing": (lambda m, A: mbs.Sampled("s", every=0.1, update={}), "must be a dict of states"),
    "a period of nothing": (lambda m, A: mbs.Sampled("s", every=0, update={"x": 0}), "every= of Sampled 's' is 0"),
    "a negative period": (lambda m, A: mbs.Sampled("s", every=-1, update={"x": 0}), "must be positive"),
    "a period that is no number": (lambda m, A: mbs.Sampled("s", every=np.nan, update={"x": 0}), "is nan"),
}


@pytest.mark.parametrize("name", SAID)
def test_refused_when_said(name):
    model, pin = arm()
    with pytest.raises(mbs.ModelError) as caught:
        SAID[name][0](model, pin)
    assert SAID[name][1] in str(caught.value)


def sampled(update, every=0.25):
    return lambda m, A: m.add(mbs.Sampled("s", every=every, update=update(m)))


RUN = {
    "a million samples": (sampled(lambda m: {"x": 0}, 1e-7), "1e+07 times from 0 to 1"),
    "a period among parameters": (
        lambda m, A: m.add(mbs.Sampled("s", every=m.parameter("T", 0.0), update={"x": 0})), "is 0; it must be positive"
    ),
    "a function that sets no state": (sampled(lambda m: lambda t, read: {"y": 1}), "no state 'y'"),
    "a function that returns no dict": (sampled(lambda m: lambda t, read: 1), "must return a dict"),
    "a function that fails": (sampled(lambda m: lambda t, read: {"x": 1 / 0}), "t = 0, raised ZeroDivisionError"),
    "a function without a number": (sampled(lambda m: lambda t, read: {"x": np.nan}), "is nan"),
    "a function that reads nothing": (sampled(lambda m: lambda t, read: {"x": read("rod.z")}), "no quantity 'rod.z'"),
    "an update without a number": (sampled(lambda m: {"x": sp.log(-m["x"])}), "sets 'x' to nan at t = 0"),
    "a rate without a number": (lambda m, A: m.state("y", rate=lambda y: sp.log(y)), "state 'y' gives no finite rate"),
    "an input without a number": (
        lambda m, A: torque(m, A, m.input("w", sp.log(mbs.t - 0.5))), "input 'w' gives no finite value"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RUN)
def test_refused_in_a_run(name):
    model, pin = arm()
    RUN[name][0](model, pin)
    with pytest.raises(mbs.MbsError) as caught:
        mbs.simulate(model, [0, 1])
    assert RUN[name][1] in str(caught.value)


@pytest.mark.parametrize("initial, told", [
    ({"x": np.inf}, "must|is inf"), ({"u": 1.0}, "input"), ({"x.rate": 1.0}, "rate"), ({"y": 1.0}, "no quantity 'y'"),
])  # fmt: skip
def test_initial_values(initial, told):
    with pytest.raises(mbs.ModelError, match=told):
        mbs.simulate(arm()[0], [0, 1], initial)


def test_states_are_integrated_by_runs_only():
    model, pin = arm()
    driven(model, pin)
    moved = mbs.kinematics(model, [0, 1])
    assert "x" not in moved.names and "x" not in mbs.inverse_dynamics(model, [0, 1]).names
    with pytest.raises(mbs.ModelError, match="use mbs.simulate"):
        moved["x"]
    torque(model, pin, model["x"])
    with pytest.raises(
        mbs.ModelError, match="Torque 'T' depends on the state 'x', and inverse dynamics integrates none"
    ):
        mbs.inverse_dynamics(model, [0, 1])


def test_an_effort_that_is_not_unique():
    with pytest.raises(mbs.ModelError, match="'one.effort', which is not unique"):
        mbs.simulate(spatial_redundant(), [0, 1])
