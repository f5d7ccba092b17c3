"""States, inputs and controllers that make no sense are refused by name, with the remedy."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import sympy as sp
from refusals import refused

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
    "a rate of another model": (lambda m, A: m.state("y", rate=stranger()), "depends on 'strange' of another model"),
    "a rate that is not finite": (lambda m, A: m.state("y", rate=sp.oo), "the rate of state 'y' is not finite"),
    "a rate as text": (lambda m, A: m.state("y", rate="2*t"), "text is not evaluated"),
    "a rate of numpy": (lambda m, A: m.state("y", rate=lambda y: np.sin(y)), "write sp.sin"),
    "a rate said twice": (lambda m, A: m.rate("x", 3), "state 'x' has a rate already"),
    "a rate of no state": (lambda m, A: m.rate("u", 3), "'u', which is not a state of this model, but an input"),
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
    "the effort of a joint": (lambda m, A: m["A.effort"], "no effort that an expression could read; efforts are"),
    "the reaction of a force": (lambda m, A: (torque(m, A, 1), m["T.M"]), "Torque 'T' has no reaction that an expr"),
    "a force on a reaction": (lambda m, A: torque(m, A, m["A.Fx"]), "'A.Fx', which follows from all forces: an alge"),
    "a reaction that is used": (lambda m, A: (m.state("h", rate=m["A.Fx"]), m.without("A")), "'h' depends on 'A'"),
    "a state that is used": (lambda m, A: (torque(m, A, m["x"]), m.without("x")), "Torque 'T' depends on 'x'"),
    "an effort that is used": (
        lambda m, A: (driven(m, A), m.state("h", rate=m["motor.effort"]), m.without("motor")),
        "state 'h' depends on 'motor'",
    ),
    "a controller of no state": (
        lambda m, A: m.add(mbs.Sampled("s", every=0.1, update={"y": 0})),
        "sets 'y', which is not a state",
    ),
    "a controller of an input": (
        lambda m, A: m.add(mbs.Sampled("s", every=0.1, update={"u": 0})),
        "sets 'u', which is not a state",
    ),
    "an initial value that moves": (
        lambda m, A: m.state("y", rate=1, initial=m["rod.angle"]),
        "state 'y' contains unknown symbols: rod.angle",
    ),
    "a scale of time": (lambda m, A: m.state("y", rate=1, scale=mbs.t), "state 'y' contains unknown symbols: t"),
    "a controller of a quantity": (
        lambda m, A: m.add(mbs.Sampled("s", every=0.1, update={m["rod.angle"]: 0})),
        "sets 'rod.angle', which is not a state of this model, but follows from forces",
    ),
    "a controller of another model": (
        lambda m, A: (m.state("strange"), m.add(mbs.Sampled("s", every=0.1, update={stranger(): 0}))),
        "sets 'strange', which is not a state of this model, but of another model",
    ),
    "a state of another model": (
        lambda m, A: (m.state("strange"), torque(m, A, stranger())),
        "depends on 'strange' of another model",
    ),
    "a rate of a state of another model": (
        lambda m, A: (m.state("strange"), m.rate(stranger(), 1)),
        "but of another model",
    ),
    "an effort of another model": (
        lambda m, A: (driven(m, A), m.state("h", rate=(lambda o, B: (driven(o, B), o["motor.effort"])[1])(*arm()))),
        "depends on 'motor.effort' of another model",
    ),
    "a state nearly named": (
        lambda m, A: (m.state("speed"), m.add(mbs.Sampled("s", every=0.1, update={"sped": 0}))),
        "mean 'speed'",
    ),
    "a rate of two": (
        lambda m, A: m.state("y", rate=lambda x, y: x),
        "called with 1 argument: missing a required argument: 'y'",
    ),
    "a rate with an unknown quantity": (
        lambda m, A: m.state("y", rate=lambda y: m["rod.z"]),
        "the rate of state 'y': model 'arm' has no quantity",
    ),
    "an input as a parameter": (lambda m, A: m.with_parameters(u=2), "'u' of model 'arm' is an input, no parameter"),
    "a state as a parameter": (lambda m, A: m.with_parameters(x=2), "is a state, no parameter; its first value"),
    "a parameter as an input": (lambda m, A: m.with_inputs(k=2), "is a parameter, no input"),
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


def event(action, when=lambda m: m["rod.angle"] - 0.2):
    return lambda m, A: m.add(mbs.Event("e", when(m), action=action(m)))


RUN = {
    "two controllers of a state": (
        lambda m, A: m.add(*(mbs.Sampled(name, every=0.1, update={"x": 0}) for name in "ab")),
        "Sampled 'a' and Sampled 'b' both set 'x'",
    ),
    "two controllers in Python of a state": (
        lambda m, A: m.add(
            mbs.Sampled("a", every=0.2, update=lambda t, read: {"x": t}), mbs.Sampled("b", every=0.5, update={"x": 0})
        ),
        "Sampled 'a' and Sampled 'b' both set 'x'",
    ),
    "a state that nothing sets": (lambda m, A: m.state("y"), "state 'y' of 'arm' has no rate, and nothing sets it"),
    "a reset of nothing": (event(lambda m: mbs.Reset({"y": 1})), "Event 'e' resets 'y': the model has no state, value"),
    "a reset of an acceleration": (event(lambda m: mbs.Reset({"rod.alpha": 1})), "no state, value or rate 'rod.alpha'"),
    "a reset without a value": (
        event(lambda m: mbs.Reset({"rod.omega": sp.log(m["rod.angle"] - 3)}), lambda m: mbs.t - 0.25),
        "Event 'e' sets rod.omega to nan at t = 0.25",
    ),
    "an event without a value": (
        event(lambda m: "record", lambda m: sp.log(m["x"] - 0.7)), "Event 'e' gives no finite value",
    ),
    "an event that jumps": (
        event(lambda m: "record", lambda m: 1 / (m["x"] - 0.7)), "it jumps there, or passes zero many times in a step",
    ),
    "a table that ends": (
        lambda m, A: torque(m, A, m.input("w", mbs.Table([0, 0.5], [0, 1]))), "input 'w' has a table from 0 to 0.5",
    ),
    "a reset that cannot be": (
        event(lambda m: mbs.Reset({"rod.x": 0.5}), lambda m: mbs.t - 0.25), "Event 'e' resets rod.x = 0.5 at t = 0.25"
    ),
    "a state that grows without bound": (
        lambda m, A: m.state("grows", rate=lambda z: z**2, initial=2.0), "state 'grows' changes by"
    ),
    "a state that leaves its law": (
        lambda m, A: m.state("sinks", rate=lambda z: -sp.sqrt(z), initial=0.0625),
        "state 'sinks' gives no finite rate at t = 0.5",
    ),
    "a million samples": (sampled(lambda m: {"x": 0}, 1e-7), "1e+07 times from 0 to 1"),
    "a period among parameters": (
        lambda m, A: m.add(mbs.Sampled("s", every=m.parameter("T", 0.0), update={"x": 0})), "is 0; it must be positive"
    ),
    "a function that sets no state": (sampled(lambda m: lambda t, read: {"y": 1}), "sets 'y', which is not a state"),
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


@pytest.mark.parametrize("initial, code, facts", [
    ({"x": np.inf}, "not-finite", {"value": np.inf}), ({"u": 1.0}, "not-a-state", {"name": "u"}),
    ({"x.rate": 1.0}, "not-a-state", {"name": "x.rate"}), ({"y": 1.0}, "unknown-name", {"name": "y"}),
])  # fmt: skip
def test_initial_values(initial, code, facts):
    with refused(code, **facts):
        mbs.simulate(arm()[0], [0, 1], initial)


@pytest.mark.parametrize("asks", [
    lambda x: 1.0 if x > 0 else 0.0, lambda x: max(x, 0), lambda x: np.sign(x), lambda x: np.maximum(x, 0),
])  # fmt: skip
def test_what_python_asks_of_an_expression_names_what_to_write(asks):
    with pytest.raises(TypeError, match=r"neither true nor false before the model moves.* write sp\.Piecewise\("):
        asks(arm()[0]["rod.angle"])


def test_what_asks_for_a_number_names_what_to_write():
    with pytest.raises(TypeError, match=r"sp\.sin for math\.sin"):
        math.sin(arm()[0]["rod.angle"])


def test_initial_values_may_be_named_by_symbols_of_the_model():
    model, _ = arm()
    run = mbs.simulate(model, [0, 1], {model["x"]: 2.0, model["rod.angle"]: 0.1})
    assert run["x"][0] == 2.0 and run["rod.angle"][0] == pytest.approx(0.1)
    with refused("not-of-this-model", signal="x"):
        mbs.simulate(model, [0, 1], {arm()[0]["x"]: 2.0})
    with refused("not-of-this-model", subject="initial", body="rod"):
        mbs.simulate(model, [0, 1], {arm()[0]["rod.angle"]: 2.0})


def test_unknown_initial_values_are_told_with_states_and_without_accelerations():
    with refused("unknown-name", kind="quantity", name="zz") as caught:
        mbs.simulate(arm()[0], [0, 1], {"zz": 1.0})
    assert {"x", "rod.omega"} < {*caught.value.known} and "rod.alpha" not in caught.value.known


def test_a_run_that_a_controller_or_a_reset_ends_keeps_its_result():
    model, _ = arm()
    model.add(mbs.Sampled("s", every=0.25, update=lambda t, read: {"x": 1 / (0.5 - t)}))
    with refused("function-raises", time=0.5) as caught:
        mbs.simulate(model, [0, 0.1, 0.3, 1])
    assert caught.value.result.t.tolist() == [0, 0.1, 0.3] and not caught.value.result.success


def test_states_of_a_model_are_known_to_its_variations_copies_and_files():
    model, pin = arm()
    x = model["x"]
    torque(model, pin, x)
    other = pickle.loads(pickle.dumps(model))
    for one in (model.plus(), model.without("T"), model.with_parameters(k=2.0), model.with_inputs(u=1.0)):
        one.state("y", rate=x)
    assert other["x"] != x and other["x"] == other.elements["T"].effort_expression
    end = mbs.simulate(model, [0, 0.5]).state()
    assert mbs.simulate(other, [0.5, 1], end)["x"][0] == pytest.approx(end["x"], rel=1e-10)


def test_states_are_integrated_by_runs_only():
    model, pin = arm()
    driven(model, pin)
    moved = mbs.kinematics(model, [0, 1])
    assert "x" not in moved.names and "x" not in mbs.inverse_dynamics(model, [0, 1]).names
    with refused("known-in-runs-only", name="x"):
        moved["x"]
    torque(model, pin, model["x"])
    with refused("depends-on-state", element="T", state="x", method="inverse dynamics"):
        mbs.inverse_dynamics(model, [0, 1])


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("name", ["one.effort", "low.Fz", "high.Mx"])
def test_a_reaction_that_is_not_unique(name, coordinates):
    model = spatial_redundant()
    model.state("heat", rate=model[name] ** 2)
    if coordinates == "joint" and name == "one.effort":
        model = model.without("two", "high")  # with one hinge in the tree the other has none; and so is unique
        mbs.simulate(model.compile(coordinates), [0, 0.1])
        return
    with refused("not-unique", mentions=name):
        mbs.simulate(model.compile(coordinates), [0, 1])
