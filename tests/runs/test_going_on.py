"""A run goes on from a state of another one as if that one had not stopped: all samples are equal, digit by digit."""

import pickle

import numpy as np
import pytest
import sympy as sp
from helpers import double_pendulum, three_cranks

import mbs_dae as mbs
from mbs_dae.motion.past.origin import StateOrigin

t = mbs.t
TIMES, HALF = np.linspace(0, 2, 41), 20
FEW = {"rtol": 1e-5}
METHODS = {
    "DP5": FEW,
    "DP8": FEW,
    "Radau5": FEW,
    "GA": {"rtol": 1e-4},
    "RK4 by steps": {"method": "RK4", "step": 0.013},
    "GA by steps": {"method": "GA", "step": 0.013},
    "DP5 projected": {"method": "DP5", "stabilization": mbs.Projection(), **FEW},
}
METHODS = {name: {"method": name} | how for name, how in METHODS.items()}


def oscillator(force):
    model = mbs.PlanarModel("oscillator", gravity=(0, -9.81))
    body = model.body("b", mass=2.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    spring = -50 * model["b.x"] - 0.5 * model["b.vx"]
    model.add(mbs.Force("F", body, (spring + force(model["b.x"], model["b.vx"]), 0)))
    return model


def ball():
    model = mbs.PlanarModel("ball", gravity=(0, -9.81))
    body = model.body("ball", mass=1.0, inertia=1.0, position=(0, 1))
    model.add(mbs.CoordinateFix("upright", body, "angle"))
    fall = model["ball.vy"]
    model.add(mbs.Event("impact", model["ball.y"], direction=-1, action=mbs.Reset({"ball.vy": -0.9 * fall})))
    model.add(mbs.Event("top", fall, direction=-1))
    return model


def top():
    model = mbs.SpatialModel("top", gravity=(0, 0, -9.81))
    body = model.body("top", mass=1.0, inertia=(0.1, 0.1, 0.05), position=(0, 0.3, 0.4))
    model.add(mbs.Spherical("tip", model.ground, body.at(0, -0.3, -0.4)))
    return model


def controlled(update=None):
    """An arm with a motor of some inductance, a controller that integrates, and a digital one."""
    model = mbs.PlanarModel("arm", gravity=(0, -9.81))
    arm = model.link("arm", (0, 0), (1, 0), mass=1.0)
    model.add(mbs.Revolute("A", model.ground, arm.tail))
    s = model.state("s", rate=1.0 - model["arm.omega"], unit="rad")
    i = model.state("i", rate=lambda i: (3 * (1 - model["arm.omega"]) + 5 * s - 2 * i) / 0.05, unit="A")
    u = model.state("u", unit="N m")
    model.add(mbs.Torque("motor", arm, i), mbs.Torque("hold", arm, u))
    model.add(mbs.Sampled("pd", every=0.03, update=update or {u: -3 * model["arm.angle"] - model["arm.omega"]}))
    return model


def held(t, read):
    return {"u": -3 * read("arm.angle") - read("arm.omega")}


def pulled(t, i):
    return [(-30 * float(i.x) + np.sin(9 * t), -float(i.y), 0.1)]


def by_python():
    model = mbs.PlanarModel("by Python")
    model.add(mbs.PythonForce("pull", model.body("b", mass=1.0, inertia=0.3, position=(0.2, 0)), function=pulled))
    return model


KNOTS = np.linspace(0, 2, 21)
STARTED = {"b.x": 0.3, "b.vx": 0.0}
LAWS = {
    "a vibration": lambda x, v: 3 * sp.sin(40 * t),
    "a pulse": lambda x, v: sp.Piecewise((20, (t >= 0.3) & (t < 0.45)), (0, True)),
    "corners and windows": lambda x, v: sp.Abs(sp.sin(7 * t)) + sp.Piecewise((1, sp.cos(9 * t + 1) > 0.6), (0, True)),
    "a table": lambda x, v: mbs.Table(KNOTS, 5 * np.cos(3 * KNOTS), kind="linear")(t),
    "a stop": lambda x, v: sp.Piecewise((-5000 * (x - 0.1), x > 0.1), (0, True)),
    "dry friction": lambda x, v: -1.5 * sp.sign(v) + 4 * sp.sin(5 * t),
}
MODELS = {name: (lambda law=law: oscillator(law), STARTED) for name, law in LAWS.items()} | {
    "a double pendulum": (double_pendulum, None),
    "a ball": (ball, {"ball.vx": 0.3}),
    "a top": (top, {"top.wz": 20.0, "top.wx": 1.0}),
    "controllers": (controlled, None),
    "a controller in Python": (lambda: controlled(held), None),
    "a force in Python": (by_python, None),
    "redundant cranks": (lambda: three_cranks(np.pi / 2 + 0.02), {"crank0.omega": 1.0}),
}


def assert_same(whole, part):
    """The part is the end of the whole."""
    assert part.stats["goes_on"]
    own = slice(len(whole) - len(part), None)
    for name in ("q", "v", "a", "multipliers"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[own], err_msg=name)
    for name in ("kinetic", "potential", "dissipated", "supplied"):
        np.testing.assert_array_equal(getattr(part.energy, name), getattr(whole.energy, name)[own], err_msg=name)
    for name in whole.names:
        np.testing.assert_array_equal(part[name], whole[name][own], err_msg=name)
    later = [(e.t, e.name) for e in whole.events if e.t > part.t[0]]
    assert [(e.t, e.name) for e in part.events] == later


def assert_goes_on(system, initial, how):
    whole = mbs.simulate(system, TIMES, initial, **how)
    first = mbs.simulate(system, TIMES[: HALF + 1], initial, **how)
    second = mbs.simulate(system, TIMES[HALF:], first.state(), **how)
    assert_same(whole, second)
    inner = HALF - 7
    assert_same(whole, mbs.simulate(system, TIMES[inner:], whole.state(inner), **how))
    assert_same(whole, mbs.simulate(system, TIMES[HALF + 2 :], second.state(2), **how))
    return whole, first


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("method", METHODS)
def test_a_run_in_two_parts_is_the_run_in_one(name, method):
    build, initial = MODELS[name]
    assert_goes_on(build().compile(), initial, METHODS[method])


@pytest.mark.parametrize("method", ["DP5 projected", "Radau5", "GA by steps"])
@pytest.mark.parametrize("chosen", ["natural", "joint"])
@pytest.mark.parametrize("name", ["a double pendulum", "a top", "a ball", "controllers", "dry friction"])
def test_in_other_coordinates_too(name, chosen, method):
    build, initial = MODELS[name]
    assert_goes_on(build().compile(chosen), initial, METHODS[method])


@pytest.mark.parametrize("name", ["a double pendulum", "a stop", "a controller in Python", "a force in Python"])
def test_a_state_that_was_pickled_goes_on_with_a_model_built_again(name):
    build, initial = MODELS[name]
    for how in METHODS["GA"], METHODS["DP8"] | {"method": mbs.GA(0.5)}:
        whole, first = assert_goes_on(build().compile(), initial, how)
        state = pickle.loads(pickle.dumps(first.state()))
        assert_same(whole, mbs.simulate(build(), TIMES[HALF:], state, **how))
        result = pickle.loads(pickle.dumps(first))
        assert_same(whole, mbs.simulate(build(), TIMES[HALF - 3 :], result.state(HALF - 3), **how))


def test_many_parts_are_one_run():
    whole = mbs.simulate(double_pendulum(), TIMES)
    model, state = double_pendulum(), None
    for k in range(0, TIMES.size - 1, 5):
        part = mbs.simulate(model, TIMES[k : k + 6], state)
        np.testing.assert_array_equal(part.q[:-1], whole.q[k : k + 5])
        state = part.state()


def test_parts_may_ask_for_other_times():
    """The last step of the first part is cut short, and made again in one piece."""
    model = double_pendulum().compile("joint")
    whole = mbs.simulate(model, [0.0, 0.77, 1.0, 2.0])
    first = mbs.simulate(model, [0.0, *np.linspace(0.1, 0.6, 50), 0.77])
    second = mbs.simulate(model, [0.77, 1.0, 2.0], first.state())
    np.testing.assert_array_equal(second.q, whole.q[1:])
    assert not np.array_equal(first.q[-1], whole.q[1])
    np.testing.assert_allclose(first.q[-1], whole.q[1], atol=1e-8)


def test_a_run_goes_on_from_its_start_and_from_the_least_bit_of_it():
    model = double_pendulum()
    whole = mbs.simulate(model, TIMES)
    for short in ([0.0], [0.0, 1e-7]):
        part = mbs.simulate(model, [short[-1], *TIMES[1:]], mbs.simulate(model, short).state())
        np.testing.assert_array_equal(part.q[1:], whole.q[1:])


def test_a_run_goes_on_from_the_state_of_an_event():
    whole = mbs.simulate(ball(), TIMES)
    impact = next(e for e in whole.events if e.name == "impact")
    later = TIMES[impact.t < TIMES]
    part = mbs.simulate(impact.state.system.model, [impact.t, *later], impact.state)
    np.testing.assert_array_equal(part.q[1:], whole.q[-later.size :])
    assert [e.t for e in part.events] == [e.t for e in whole.events if e.t > impact.t]


def test_a_run_that_an_event_stopped_goes_on_behind_it():
    model = oscillator(LAWS["a stop"])
    stopping = model.plus(mbs.Event("turns", model["b.vx"], direction=1, action="stop"))
    first = mbs.simulate(stopping, TIMES, STARTED, rtol=1e-10)
    stop = first.t[-1]
    assert stop < 1.0 and [e.t for e in first.events] == [stop]
    second = mbs.simulate(stopping, [stop, stop + 0.1], first.state(), rtol=1e-10)
    assert second.stats["goes_on"] and len(second) == 2 and not second.events
    np.testing.assert_array_equal(second.q[0], first.q[-1])
    whole = mbs.simulate(model, [0.0, stop + 0.1], STARTED, rtol=1e-10)
    np.testing.assert_allclose(second.q[-1], whole.q[-1], atol=1e-9)


def remembers(model, state, **how):
    return mbs.simulate(model, [1.0, 1.1], state, **how).stats.get("goes_on", False)


def test_what_is_not_the_same_run_is_a_start_like_any_other():
    model = controlled()
    state = mbs.simulate(model, [0.0, 1.0]).state()
    assert remembers(model, state) and remembers(model.compile(), state) and remembers(controlled(), state)
    assert not remembers(model.compile("natural"), state)
    assert not any(remembers(model, state, **how) for how in METHODS.values() if how["method"] != "DP5")
    assert not remembers(model, state, rtol=1e-9) and not remembers(model, state, max_step=0.1)
    assert not remembers(model, state, stabilization=mbs.Projection())
    assert not remembers(model.plus(mbs.Torque("more", model.bodies["arm"], 1.0)), state)
    assert not remembers(controlled(held), state)
    later = mbs.simulate(model, [1.5, 2.0], state)
    assert "goes_on" not in later.stats


def test_a_state_that_was_edited_is_a_start_like_any_other():
    model = double_pendulum()
    state = mbs.simulate(model, [0.0, 1.0]).state()
    state.full_v[2] += 1.0
    part = mbs.simulate(model, [1.0, 1.5], state)
    assert "goes_on" not in part.stats and part["upper.omega"][0] != mbs.simulate(model, [0.0, 1.0])["upper.omega"][-1]


def test_no_memory_grows_from_run_to_run():
    """A run keeps what it went on with, and nothing of the runs before."""
    model, state, sizes = double_pendulum(), None, []
    for k in range(4):
        state = mbs.simulate(model, [k, k + 1.0], state).state()
        sizes.append(len(pickle.dumps(state)))
    assert isinstance(state.past, StateOrigin) and sizes[3] == sizes[2]


@pytest.mark.parametrize("chosen", ["cartesian", "joint"])
def test_what_is_read_of_a_step_does_not_depend_on_what_else_is(chosen):
    """Masses of the pose read last are no norm for the projection of the next one."""
    model = double_pendulum().compile(chosen)
    how = {"method": "DP8", "stabilization": mbs.Projection(), "rtol": 1e-4}
    many = mbs.simulate(model, np.linspace(0, 1, 1001), **how)
    few = mbs.simulate(model, np.linspace(0, 1, 8)[:-1].tolist() + [0.999, 1.0], **how)
    np.testing.assert_array_equal(few.q[-2:], many.q[-2:])
