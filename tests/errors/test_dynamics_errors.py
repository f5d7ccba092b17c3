"""Mistakes in dynamics are told: the right class of error, the element by name, what to do; and nothing returns NaN.

The table of mistakes is that of `test_errors`, for forces, masses, initial values and runs. What goes wrong in the
middle of a run keeps what was computed until then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from helpers import four_bar, parallelogram, slider_crank
from refusals import refused

import mbs_dae as mbs
from mbs_dae.errors import (
    AssemblyError,
    IntegrationError,
    MbsError,
    ModelError,
    RedundantConstraintError,
    SingularConfigurationError,
)

NAN = float("nan")
STRAY = sp.Symbol("stray")
TIMES = np.linspace(0, 2, 21)


def bench() -> mbs.PlanarModel:
    """Two free bodies, to make mistakes with."""
    model = mbs.PlanarModel("bench")
    model.body("a", mass=1.0, inertia=0.1, position=(1, 0))
    model.body("b", mass=1.0, inertia=0.1, position=(2, 0.5), angle=0.3)
    return model


def pendulum(*forces: Callable[[mbs.PlanarModel], Any]) -> mbs.PlanarModel:
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    rod = model.link("rod", (0, 0), (1, 0), mass=1.0)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    for force in forces:
        model.add(force(model))
    return model


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], tuple[str, ...]]] = {}


def wrong(name: str, do: Callable[[], Any], *words: str, error: type[Exception] = ModelError) -> None:
    assert name not in MISTAKES, name
    MISTAKES[name] = do, error, words


# --- forces -----------------------------------------------------------------------------------------------------


def force(build: Callable[[mbs.PlanarModel, mbs.Body, mbs.Body], Any]) -> Callable[[], Any]:
    def do():
        model = bench()
        return model.add(build(model, model.bodies["a"], model.bodies["b"]))

    return do


def wrong_force(name: str, build: Callable[[mbs.PlanarModel, mbs.Body, mbs.Body], Any], *words: str) -> None:
    wrong(name, force(build), *words)


wrong_force("negative stiffness", lambda m, a, b: mbs.Spring("s", a, b, stiffness=-1), "stiffness of Spring 's'", "-1")
wrong_force("negative damping", lambda m, a, b: mbs.Damper("s", a, b, damping=-1), "damping of Damper 's'", "negative")
wrong_force("negative friction", lambda m, a, b: mbs.ViscousFriction("v", a, b, -1), "ViscousFriction 'v'", "negative")
wrong_force("negative drag", lambda m, a, b: mbs.Drag("d", a, coefficient=-1), "coefficient of Drag 'd'", "negative")
wrong_force("negative length", lambda m, a, b: mbs.Spring("s", a, b, length=-1), "length of Spring 's'", "negative")
wrong_force("stiffness in words", lambda m, a, b: mbs.Spring("s", a, b, stiffness="1 N/m"), "Spring 's'", "a number")
wrong_force("stiffness of nan", lambda m, a, b: mbs.Spring("s", a, b, stiffness=NAN), "Spring 's'", "finite")
wrong_force("a misspelt constant", lambda m, a, b: mbs.Spring("s", a, b, stifness=1), "'s'", "'stifness'", "stiffness")
wrong_force("three components", lambda m, a, b: mbs.Force("f", a, (1, 2, 3)), "Force 'f'", "pair (Fx, Fy)")
wrong_force("a force in numbers", lambda m, a, b: mbs.Force("f", a, 3.0), "Force 'f'", "pair (Fx, Fy)")
wrong_force("a force without a force", lambda m, a, b: mbs.Force("f", a), "Force 'f'", "add (Fx, Fy)")
wrong_force("a force of nan", lambda m, a, b: mbs.Force("f", a, (NAN, 0)), "Force 'f'", "not finite", "division")
wrong_force("a force of infinity", lambda m, a, b: mbs.Force("f", a, (sp.oo, 0)), "Force 'f'", "not finite")
wrong_force("a complex force", lambda m, a, b: mbs.Force("f", a, (sp.I, 0)), "Force 'f'", "not real")
wrong_force(
    "a force that is a truth", lambda m, a, b: mbs.Force("f", a, (mbs.t > 1, 0)), "x of Force 'f'", "expression"
)
wrong_force("unknown axes", lambda m, a, b: mbs.Force("f", a, (1, 0), axes="foo"), "Force 'f'", "'foo'", "'body'")
wrong_force("an unbound symbol", lambda m, a, b: mbs.Force("f", a, (STRAY, 0)), "'f'", "stray", "model.parameter(")
wrong_force("another t", lambda m, a, b: mbs.Force("f", a, (sp.Symbol("t"), 0)), "Force 'f'", "t")
wrong_force("an unknown quantity", lambda m, a, b: mbs.Force("f", a, (m["a.vv"], 0)), "'a.vv'", "did you mean 'a.v")
wrong_force("an acceleration", lambda m, a, b: mbs.Force("f", a, (m["a.ax"], 0)), "'a.ax'", "acceleration", "rates")
wrong_force(
    "a quantity of another model", lambda m, a, b: mbs.Force("f", a, (bench()["a.x"], 0)), "Force 'f'", "another model"
)
wrong_force("a torque without a torque", lambda m, a, b: mbs.Torque("q", a), "Torque 'q'", "add torque=")
wrong_force("a torque of nan", lambda m, a, b: mbs.Torque("q", a, NAN), "Torque 'q'", "not finite")
wrong_force("a torque of several numbers", lambda m, a, b: mbs.Torque("q", a, (0, 0, 1)), "Torque 'q'", "one number")
wrong_force("a torque on nothing", lambda m, a, b: mbs.Torque("q", None, 1), "Torque 'q'", "bodies")
wrong_force("a torque on a name", lambda m, a, b: mbs.Torque("q", "a", 1), "Torque 'q'", "bodies")
wrong_force("a torque twice", lambda m, a, b: mbs.Torque("q", a, 1, torque=2), "Torque 'q'", "twice", "once")
wrong_force("a spring of one body", lambda m, a, b: mbs.Spring("s", a, a.at(1, 0)), "Spring 's'", "two different")
wrong_force("a spring of the ground", lambda m, a, b: mbs.Spring("s", m.ground, m.ground.at(1, 0)), "'s'", "different")
wrong_force("a coil on one body", lambda m, a, b: mbs.TorsionSpring("c", a, a), "TorsionSpring 'c'", "two different")
wrong_force("a spring with one marker", lambda m, a, b: mbs.Spring("s", a), "Spring 's'", "2 markers", "got 1")
wrong_force("a spring on a pin", lambda m, a, b: mbs.Spring("s", mbs.Revolute("A", a, b)), "Spring 's'", "'A'", "two")
wrong_force("no torque curve", lambda m, a, b: mbs.Motor("m", a, b), "Motor 'm'", "add torque=")
wrong_force(
    "a motor without angle",
    lambda m, a, b: mbs.Motor("m", mbs.Translational("guide", a, b), torque=1),
    "Motor 'm'", "angle", "Translational 'guide'", "two markers",
)  # fmt: skip
wrong_force(
    "a motor in a weld",
    lambda m, a, b: mbs.Motor("m", mbs.Fixed("weld", a, b), torque=1),
    "Motor 'm'", "angle", "Fixed 'weld'",
)  # fmt: skip
wrong_force(
    "friction along x", lambda m, a, b: mbs.ViscousFriction("v", mbs.x(a), 1), "ViscousFriction 'v'", "displacement"
)
wrong_force("a rate in a spring", lambda m, a, b: mbs.Spring("s", a, b, law=mbs.rate), "Spring 's'", "rate")
wrong_force("a length in a damper", lambda m, a, b: mbs.Damper("d", a, b, law=mbs.length), "Damper 'd'", "length")
wrong_force("a law in words", lambda m, a, b: mbs.Spring("s", a, b, law="1 +"), "law of Spring 's'", "length")
wrong_force("switches in words", lambda m, a, b: mbs.PythonForce("p", a, function=max, switches="x"), "'p'", "g(t, i")
wrong_force("a force named like a body", lambda m, a, b: mbs.Spring("a", a, b, 1), "'a'", "choose another name")
wrong_force("Python without a function", lambda m, a, b: mbs.PythonForce("p", a, function=3), "'p'", "function=f")
wrong_force("Python on nothing", lambda m, a, b: mbs.PythonForce("p", function=max), "PythonForce 'p'", "no marker")
wrong_force(
    "an unknown kind of work",
    lambda m, a, b: mbs.PythonForce("p", a, function=max, work="lost"),
    "PythonForce 'p'", "'lost'", "dissipated",
)  # fmt: skip


def a_class(base: Any = mbs.ForceElement, **body: Any) -> Callable[[], Any]:
    """A force class of one's own, and one force of it on a body."""

    def do():
        cls = type("Faulty", (base,), {**body, "__module__": "elsewhere"})
        model = bench()
        markers = list(model.bodies.values())[: 2 if base is mbs.EffortElement else 1]
        return model.add(cls("own", *markers))

    return do


wrong("a class without a force", a_class(), "Faulty", "potential", "force")
wrong("a potential of velocities", a_class(potential=staticmethod(lambda i: i.omega**2)), "Faulty", "say it as force")
wrong("a potential that raises", a_class(potential=staticmethod(lambda i: 1 / 0)), "Faulty", "ZeroDivisionError")
wrong("a potential that is a list", a_class(potential=staticmethod(lambda i: [i.x])), "'own'", "Faulty")
wrong("a force that is one number", a_class(force=staticmethod(lambda i: i.x)), "'own'", "(Fx, Fy, M)")
wrong("forces for two markers", a_class(force=staticmethod(lambda i: [(1, 2), (3, 4)])), "'own'", "each marker (1)")
wrong("an unknown use of work", a_class(force=staticmethod(lambda i: [(1, 2)]), work="lost"), "Faulty", "'lost'")
wrong("a force that raises", a_class(force=staticmethod(lambda i: 1 / 0)), "'own'", "ZeroDivisionError", "symbols")
wrong("a force of words", a_class(force=staticmethod(lambda i: [("1 +", 0)])), "'own'", "sympy expression", "'1 +'")
wrong("an effort that raises", a_class(mbs.EffortElement, effort=staticmethod(lambda s, rate: s.x)), "'own'", "symbols")
wrong("an effort of nan", a_class(mbs.EffortElement, effort=staticmethod(lambda s, rate: sp.nan)), "'own'", "finite")

# --- masses -----------------------------------------------------------------------------------------------------


def with_masses(**bodies: dict) -> Callable[[], Any]:
    def do():
        model = mbs.PlanarModel("light")
        for name, values in bodies.items():
            model.body(name, **values)
        return mbs.simulate(model, TIMES)

    return do


def crank_with_a_loose_end() -> mbs.PlanarModel:
    model = mbs.PlanarModel("crank with a loose end")
    crank, coupler = model.link("crank", (0, 0), (1, 0), mass=1.0), model.link("coupler", (1, 0), (2, 0))
    model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, coupler.tail))
    return model


wrong("a free body without mass", with_masses(a={"mass": 1, "inertia": 1}, c={}), "'c' of 'light'", "give it a mass")
wrong("no mass anywhere", with_masses(a={}, c={}), "'light'", "no body", "mass=")
wrong("a free point mass", with_masses(a={"mass": 1}), "'a' of 'light'", "inertia")
wrong("a coupler that hangs loose", lambda: mbs.simulate(crank_with_a_loose_end(), TIMES), "'coupler'", "hold it by")

# --- initial values ---------------------------------------------------------------------------------------------


def run(**options: Any) -> Callable[[], Any]:
    return lambda: mbs.simulate(slider_crank(motor=False), options.pop("times", TIMES), **options)


wrong("an unknown initial value", run(initial={"crank.omeg": 1}), "'crank.omeg'", "did you mean 'crank.omega'")
wrong(
    "an initial acceleration", run(initial={"crank.alpha": 1}), "'crank.alpha'", "acceleration", "follows from forces"
)
wrong("an initial value in words", run(initial={"crank.omega": "fast"}), "initial['crank.omega']", "number", "'fast'")
wrong("an initial value of nan", run(initial={"crank.omega": NAN}), "initial['crank.omega']", "finite")
wrong("an initial speed that is too large", run(initial={"crank.omega": 1e300}), "'crank.omega'", "1e+300", "square")
wrong("an initial angle that is too large", run(initial={"crank.angle": -1e200}), "'crank.angle'", "-1e+200", "square")
wrong("an initial value of None", run(initial={"crank.omega": None}), "initial['crank.omega']", "number")
wrong("initial values in a list", run(initial=[1.0]), "initial", "dict", "crank.omega")
wrong("a start from another model", lambda: mbs.simulate(slider_crank(), TIMES, mbs.assemble(four_bar())), "'four-bar'")
wrong(
    "speeds that do not fit",
    run(initial={"crank.omega": 1, "slider.vx": 5}),
    "crank omega", "slider vx", "contradict", "take one",
    error=RedundantConstraintError,
)  # fmt: skip
wrong(
    "places that do not fit",
    run(initial={"crank.angle": 0.6, "slider.x": 3.0}),
    "does not assemble", "slider x", "crank angle",
    error=AssemblyError,
)  # fmt: skip
wrong(
    "a place out of reach", run(initial={"slider.x": 9.0}), "does not assemble", "slider x misses", error=AssemblyError
)
wrong(
    "a speed against a driver",
    lambda: mbs.simulate(slider_crank(), TIMES, {"crank.omega": 7.0}),
    "motor", "crank omega", "contradict", "take one",
    error=RedundantConstraintError,
)  # fmt: skip

# --- how a run is asked for -------------------------------------------------------------------------------------

wrong("an unknown method", run(method="RK45"), "'RK45'", "'DP5'", "'DP8'")
wrong("a list for a method", run(method=["DP5"]), "method", "'DP5'")
wrong("RK4 without a step", run(method="RK4"), "RK4", "step=1e-3")
wrong("a step of zero", run(step=0), "step is 0", "positive")
wrong("a negative step", run(step=-1e-3), "step is -0.001", "positive")
wrong("a step of nan", run(step=NAN), "step is nan", "finite")
wrong("a step in words", run(step="1 ms"), "step", "number", "'1 ms'")
wrong("a negative tolerance", run(rtol=-1e-6), "rtol is -1e-06", "positive")
wrong("a tolerance of zero", run(atol=0), "atol is 0", "positive")
wrong("a tolerance of nan", run(rtol=NAN), "rtol is nan", "finite")
wrong("a tolerance below roundoff", run(rtol=1e-15), "rtol is 1e-15", "roundoff", "1e-13")
wrong("no tolerance to speak of", run(rtol=0.5), "rtol is 0.5", "1e-6")
wrong("stabilization in words", run(stabilization="projection"), "'projection'", "mbs.Projection()")
wrong("a negative gain", run(stabilization=mbs.Baumgarte(-5, 5)), "alpha", "-5")
wrong("a gain of nan", run(stabilization=mbs.Baumgarte(5, NAN)), "beta", "finite")
wrong("a gain in words", run(stabilization=mbs.Baumgarte("soft", 5)), "alpha", "number", "'soft'")
wrong("progress that is no function", run(progress=3), "progress", "function")
wrong("times that go back", run(times=[0, 2, 1]), "must increase", "1 follows 2")
wrong("no times", run(times=[]), "non-empty")
wrong("times with nan", run(times=[0, NAN]), "not finite")
wrong("one number for times", run(times=2.0), "non-empty list")
wrong("simulate a name", lambda: mbs.simulate("model", TIMES), "'model'", "mbs.PlanarModel(name)")
wrong("simulate nothing", lambda: mbs.simulate(mbs.PlanarModel("void"), TIMES), "'void'", "no bodies")
wrong(
    "stabilizations in a list",
    lambda: mbs.compare_stabilization(slider_crank(motor=False), TIMES, stabilizations=[mbs.Projection()]),
    "stabilizations", "dict",
)  # fmt: skip
wrong(
    "inverse dynamics with free motion",
    lambda: mbs.inverse_dynamics(slider_crank(motor=False), TIMES),
    "'slider-crank'", "1 degree of freedom", "add 1 driver",
)  # fmt: skip

# --- what a result is asked for ---------------------------------------------------------------------------------


def read(ask: Callable[[mbs.Result], Any]) -> Callable[[], Any]:
    return lambda: ask(mbs.simulate(slider_crank(motor=False), [0, 0.1], {"crank.omega": 1.0}))


def moved(ask: Callable[[mbs.Result], Any]) -> Callable[[], Any]:
    return lambda: ask(mbs.kinematics(slider_crank(), TIMES))


wrong("the effort of a pin", read(lambda res: res.effort("A")), "'A'", "no single effort", "reaction('A')")
wrong("the effort of nobody", read(lambda res: res.effort("Z")), "'Z'", "use one of", "guide")
wrong("the power of a pin", read(lambda res: res.power("A")), "'A'")
wrong("the reaction of nobody", read(lambda res: res.reaction("Z")), "'Z'", "use one of", "guide")
wrong("the reaction of a body", read(lambda res: res.reaction("crank")), "'crank'", "use one of")
wrong("a reaction in unknown axes", read(lambda res: res.reaction("A", axes="foo")), "'foo'", "second", "slider")
wrong("whether nobody is unique", read(lambda res: res.is_unique("Z")), "'Z'", "use one of")
wrong("a reaction in kinematics", moved(lambda res: res.reaction("A")), "kinematics", "inverse_dynamics")
wrong("an effort in kinematics", moved(lambda res: res.effort("motor")), "kinematics", "inverse_dynamics")
wrong("energy in kinematics", moved(lambda res: res.energy), "kinematics", "mbs.simulate")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told(name):
    do, error, words = MISTAKES[name]
    with pytest.raises(error) as told:
        do()
    assert type(told.value) is error
    message = str(told.value)
    assert [w for w in words if w not in message] == [], message


# --- what goes wrong on the way ---------------------------------------------------------------------------------


def assert_all_finite(res: mbs.Result) -> None:
    """Every array of a result is finite, and they are all of one length."""
    energy = res.energy
    parts = (energy.kinetic, energy.potential, energy.dissipated, energy.supplied)
    for array in (res.t, res.q, res.v, res.a, res.multipliers, *parts):
        assert np.isfinite(array).all()
        assert len(array) == len(res.t)


def assert_kept(error: MbsError, whole: mbs.Result, until: float) -> None:
    """What was computed is in the error; it is the same as in a run that stops in time."""
    kept = error.result
    assert not kept.success and kept.message == str(error)
    assert_all_finite(kept)
    assert (kept.t <= until).all() and error.time <= until + 1e-6
    assert len(whole) <= len(kept) <= len(whole) + 1  # a root of zero is still defined
    np.testing.assert_allclose(kept.q[: len(whole)], whole.q, atol=1e-7)


def torque(e: Any) -> Callable[[mbs.PlanarModel], Any]:
    return lambda m: mbs.Torque("push", m.bodies["rod"], e(m) if callable(e) else e)


def rope(m: mbs.PlanarModel) -> mbs.Spring:
    """Its law ends at a length of 1.5; the pendulum's tip is 1.414 away at first, and falls."""
    return mbs.Spring("push", m.ground.at(0, 1), m.bodies["rod"].head, law=sp.sqrt(1.5 - mbs.length))


UNDEFINED = {
    "a root of a negative time": (torque(sp.sqrt(1 - mbs.t)), 1.0),
    "an arc sine beyond one": (torque(sp.asin(mbs.t)), 1.0),
    "a logarithm of a place": (torque(lambda m: sp.log(m["rod.x"] + 0.2) / 10), None),
    "a law of a length": (rope, None),
    "a piece that is not defined": (torque(sp.Piecewise((1.0, mbs.t < 0.5), (sp.log(0.5 - mbs.t), True))), 0.5),
}


@pytest.mark.parametrize("how", [{}, {"step": 1e-3, "method": "RK4"}], ids=["controlled", "fixed steps"])
@pytest.mark.parametrize("kind", UNDEFINED)
def test_a_force_that_ends_on_the_way_is_named_and_what_was_computed_is_kept(kind, how):
    build, when = UNDEFINED[kind]
    model = pendulum(build)
    with refused("law-without-value", mentions="push") as told:
        mbs.simulate(model, TIMES, **how)
    until = when if when is not None else told.value.time + 1e-2
    assert told.value.time == pytest.approx(until, abs=2e-2)
    before = TIMES[until - 2e-2 > TIMES]
    assert_kept(told.value, mbs.simulate(model, before, **how), until)


def test_a_pole_in_time_is_told_with_its_time():
    """A step never meets the pole itself: the torque grows until no step is short enough."""
    with pytest.raises((IntegrationError, ModelError), match=r"at t = 1.*(grows without bound|correct)") as told:
        mbs.simulate(pendulum(torque(1 / (1 - mbs.t))), TIMES)
    assert told.value.time == pytest.approx(1.0, abs=1e-6)
    assert_all_finite(told.value.result)
    assert told.value.result.t[-1] == pytest.approx(0.9)
    with refused("law-without-value", mentions=["push", "t = 1"]):
        mbs.simulate(pendulum(torque(1 / (1 - mbs.t))), TIMES, step=0.01, method="RK4")


@pytest.mark.parametrize("at_start", ["log", "zero length"])
def test_a_force_that_is_undefined_at_the_start_is_told(at_start):
    if at_start == "log":
        model = pendulum(torque(sp.log(mbs.t)))
    else:
        model = pendulum(lambda m: mbs.Spring("push", m.ground.at(1, 0), m.bodies["rod"].head, stiffness=3, length=0.2))
    with refused("law-without-value", time=0.0, mentions="push") as told:
        mbs.simulate(model, TIMES)
    assert len(told.value.result) == 0 and not told.value.result.success


def raises(t, i):
    raise RuntimeError("no wind data")


FUNCTIONS = {
    "raises": (raises, "no wind data"),
    "raises late": (lambda t, i: raises(t, i) if t > 1 else [(1, 0)], "no wind data"),
    "returns None": (lambda t, i: None, "one (Fx, Fy, M) for each marker (1), not None"),
    "returns a flat pair": (lambda t, i: (1, 2), "one (Fx, Fy, M) for each marker (1), not (1, 2)"),
    "returns too many": (lambda t, i: [(1, 2), (3, 4)], "one (Fx, Fy, M) for each marker"),
    "returns four components": (lambda t, i: [(1, 2, 3, 4)], "one (Fx, Fy, M) for each marker"),
    "returns words": (lambda t, i: [("strong", 0)], "could not convert"),
    "returns nan": (lambda t, i: [(NAN, 0)], "no finite force"),
    "returns nan late": (lambda t, i: [(NAN if t > 1 else 1.0, 0)], "no finite force"),
    "takes too little": (lambda t: [(1, 0)], "positional argument"),
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_function_that_fails_is_told_with_what_it_said(kind):
    function, said = FUNCTIONS[kind]
    model = pendulum(lambda m: mbs.PythonForce("wind", m.bodies["rod"].head, function=function))
    with refused("law-without-value", mentions="wind") as told:
        mbs.simulate(model, TIMES)
    assert said in str(told.value)
    kept = told.value.result
    assert_all_finite(kept)
    assert len(kept) == (10 if "late" in kind else 0)


def test_a_driver_that_ends_on_the_way_is_named():
    model = slider_crank(motor=False)
    crank = model.bodies["crank"]
    model.add(mbs.Driver("motor", mbs.angle(model.ground, crank), 0.6 + (1 - mbs.t) ** sp.Rational(5, 2)))
    with refused("not-finite", time=1.0, joints=["motor"]) as told:
        mbs.simulate(model, TIMES)
    assert_kept(told.value, mbs.simulate(model, TIMES[:10]), 1.0)


def flat() -> mbs.PlanarModel:
    """A crank and a rod of equal lengths; with the crank upright the slider stands under the crank's pivot, and the
    rod may turn about it with the crank, or go on along the guide."""
    model = mbs.PlanarModel("flat", gravity=(0, -9.81))
    crank, rod = (
        model.link(name, P, Q, mass=1.0) for name, P, Q in (("crank", (0, 0), (0, 1)), ("rod", (0, 1), (0, 0)))
    )
    slider = model.body("slider", mass=1.0, inertia=0.1)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
    )
    return model


SINGULAR = {
    "flat": (flat, {"crank.angle": np.pi / 2}, {"A", "B", "C", "guide"}),
    "parallelogram": (
        lambda: parallelogram(phi=0.0).without("motor"),
        {"crank0.omega": 1.0},
        {"foot0", "left0", "right0", "foot1"},
    ),
}


@pytest.mark.parametrize("kind", SINGULAR)
def test_a_start_in_a_singular_pose_is_told(kind):
    build, initial, joints = SINGULAR[kind]
    with refused("singular-start", SingularConfigurationError) as told:
        mbs.simulate(build(), TIMES, initial)
    assert told.value.time == 0.0
    assert set(told.value.joints) == joints
    assert all(name in str(told.value) for name in joints)


@pytest.mark.parametrize("method", ["RK4", "DP5", "DP8"])
@pytest.mark.parametrize(
    "how", [mbs.Baumgarte(), mbs.Projection(), mbs.Unstabilized()], ids=lambda how: type(how).__name__
)
def test_steps_that_are_far_too_long_are_told(method, how):
    """A stiff damper asks for steps of 1e-5 s; it gets 0.05 s."""
    model = slider_crank(motor=False)
    rod = model.bodies["rod"]
    model.add(mbs.SpringDamper("stiff", model.ground.at(0, 1), rod, stiffness=1e7, damping=1e4, length=1.0))
    with refused("unstable-steps", IntegrationError, mentions=["slider-crank", "0.05 s"]) as told:
        mbs.simulate(model, TIMES, {"crank.omega": 30.0}, method=method, step=0.05, stabilization=how)
    assert_all_finite(told.value.result)
    assert not told.value.result.success


def test_gains_that_are_far_too_high_are_told():
    with refused("unstable-steps", IntegrationError) as told:
        mbs.simulate(slider_crank(motor=False), TIMES, step=0.01, stabilization=mbs.Baumgarte(1e6, 1e6))
    assert_all_finite(told.value.result)


def test_an_absolute_tolerance_of_next_to_nothing_is_refused():
    with refused("out-of-bounds", argument="atol", value=1e-300):
        mbs.simulate(slider_crank(motor=False), TIMES, rtol=1e-13, atol=1e-300)


def with_second(function: Any) -> mbs.PlanarModel:
    """A slider-crank whose crank has two drivers; the first says 0.6 + 2 t."""
    model = slider_crank()
    model.add(mbs.Driver("second", mbs.angle(model.ground, model.bodies["crank"]), function))
    return model


@pytest.mark.parametrize("verb", [mbs.simulate, mbs.inverse_dynamics])
def test_drivers_that_contradict_each_other_are_told(verb):
    with refused("contradictory-constraints", RedundantConstraintError, joints=["motor", "second"]) as told:
        verb(with_second(0.6 + 3 * mbs.t), TIMES)
    assert told.value.joints == ("motor", "second")


def test_drivers_that_agree_are_redundant_and_harmless():
    res = mbs.simulate(with_second(0.6 + 2 * mbs.t), TIMES)
    assert res["crank.angle"] == pytest.approx(0.6 + 2 * TIMES, abs=1e-6)
    assert_all_finite(res)
    assert not res.is_unique("motor")[:, 2].any()


PARTING = {
    "Baumgarte": mbs.Baumgarte(),
    "projection": mbs.Projection(),
    "unstabilized": mbs.Unstabilized(),
}


@pytest.mark.parametrize("how", PARTING.values(), ids=PARTING)
def test_drivers_that_part_later_are_told(how):
    """They agree up to t = 0.5, then one of them speeds up."""
    later = 0.6 + 2 * mbs.t + sp.Piecewise((0, mbs.t < 0.5), ((mbs.t - 0.5) ** 3, True))
    with refused("contradictory-constraints", RedundantConstraintError, joints=["motor", "second"]) as told:
        mbs.simulate(with_second(later), TIMES, stabilization=how)
    assert 0.5 <= told.value.time < 1.0
    assert {"motor", "second"} <= set(told.value.joints)
    assert_all_finite(told.value.result)


# --- Ctrl-C -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("looks", [1, 3])
def test_an_interrupted_run_keeps_what_it_had(looks):
    seen = []

    def interrupt(done: int, total: int) -> None:
        seen.append((done, total))
        if len(seen) == looks:
            raise KeyboardInterrupt

    times = np.linspace(0, 1, 501)
    model, start = slider_crank(motor=False), {"crank.omega": 3.0}
    res = mbs.simulate(model, times, start, method="RK4", step=5e-6, progress=interrupt)
    assert not res.success
    assert f"interrupted at t = {res.t[-1]:.3g}"[:-1] in res.message
    assert f"after {len(res)} of 501 times" in res.message
    assert 0 < len(res) < 501 and seen[-1] == (len(res), 501)
    assert_all_finite(res)
    whole = mbs.simulate(model, times[: len(res)], start)
    np.testing.assert_allclose(res.q, whole.q, atol=1e-6)


def test_progress_is_told_until_the_end():
    seen = []
    res = mbs.simulate(slider_crank(motor=False), TIMES, progress=lambda done, total: seen.append((done, total)))
    assert res.success and seen[-1] == (21, 21)


def test_steps_that_are_too_long_for_a_spring_do_not_blame_its_law():
    """Until its length is no number any more."""
    model = mbs.PlanarModel("bob")
    bob = model.body("bob", mass=1.0, inertia=1.0, position=(1, 0.5))
    model.add(mbs.Spring("rod", model.ground, bob, stiffness=1e6, length=1.0))
    with refused("unstable-steps", IntegrationError, mentions=["bob", "0.1 s"]):
        mbs.simulate(model, [0, 5], method="RK4", step=0.1)
