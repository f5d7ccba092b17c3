"""Runs whose states and controllers read reactions and accelerations, forces in Python that switch, controllers in runs
that go on, and inputs that controllers read: differentiated from their steps, ahead and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from test_contacts_ahead_and_back import check_back, check_closed_form
from test_events_from_steps import from_steps
from test_signals_from_steps import block_with, steps_of

import mbs_dae as mbs
from mbs_dae.derivatives.runs.gradients import goes_back

t = mbs.t


def check_runs_beside(
    made: Callable[[], mbs.Model], times: Any, start: Mapping[str, float], by: Any, names: Any,
    coordinates: str = "cartesian", close: float = 2e-8, back: bool = True, **how: Any,
) -> mbs.Result:  # fmt: skip
    """Derivatives from steps are differences of whole runs, and go `back`."""
    model = made()
    run = mbs.simulate(model.compile(coordinates), times, start, derivatives=by, **how)
    assert from_steps(run)

    def read(name: str, value: float) -> np.ndarray:
        own = {**start, name: value} if name in start else start
        other = model if name in start else model.with_parameters(**{name: value})
        result = mbs.simulate(other, times, own, method="DP8", rtol=1e-12)
        return np.array([result[one] for one in names])

    for name in by:
        value, h = start[name] if name in start else float(model.parameters[name].value), 1e-4
        one, two = (read(name, value + k * h) - read(name, value - k * h) for k in (1, 2))
        expected = (8 * one - two) / (12 * h)
        found = np.array([run.d(reading, name) for reading in names])
        np.testing.assert_allclose(found, expected, rtol=0, atol=close * np.abs(expected).max(), err_msg=name)
    assert goes_back(run) == back
    if back:
        check_back(run, names)
    return run


# --- rates that read reactions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["DP5", "RK4", "Radau5"])
def test_a_load_cell_filters_the_weight_of_a_driven_block(method):
    """A driver lifts m by s = A sin w t, so its effort is F = m (g - A w² sin w t); the filter has z' = (F - z)/T."""
    model = mbs.PlanarModel("cell", gravity=(0, -10))
    m, A, w, T = (model.parameter(name, value) for name, value in (("m", 2.0), ("A", 0.1), ("w", 3.0), ("T", 0.4)))
    block = model.body("block", mass=m, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, block, at=(0, 0), axis=(0, 1)))
    model.add(mbs.Driver("lift", mbs.displacement(guide), A * sp.sin(w * t)))
    model.state("z", rate=lambda z: (model["lift.effort"] - z) / T)

    def motion(t, m, A, w, T):
        fades, k = mp.exp(-t / T), m * A * w**2 / (1 + (w * T) ** 2)
        z = 10 * m * (1 - fades) - k * (mp.sin(w * t) - w * T * mp.cos(w * t) + w * T * fades)
        return z, m * (10 - A * w**2 * mp.sin(w * t))

    by = ["m", "A", "w", "T"]
    how = {"method": method} | ({"step": 1e-3} if method == "RK4" else {"rtol": 1e-11})
    run = mbs.simulate(model, [0, 0.3, 1.1], derivatives=by, **how)
    assert from_steps(run)
    check_closed_form(run, motion, ["z", "lift.effort"], {"m": 2.0, "A": 0.1, "w": 3.0, "T": 0.4})
    check_back(run, ["z", "lift.effort"])


def heated() -> mbs.PlanarModel:
    """Two rods that swing beside a driven crank. The driver heats up by the square of its effort, a filter reads the
    reaction of a pin, and a force depends on both."""
    model = mbs.PlanarModel("heated", gravity=(0, -9.81))
    L, k, c = (model.parameter(name, value) for name, value in (("L", 0.4), ("k", 0.3), ("c", 2.0)))
    rod, two = model.link("rod", (0, 0), (0.4, 0), length=L, mass=1.5), model.link("two", (0.4, 0), (0.7, 0), mass=0.5)
    model.add(mbs.Revolute("pin", model.ground, rod.tail), mbs.Revolute("hinge", rod.head, two.tail))
    crank = model.body("crank", mass=1.0, inertia=0.1, position=(1, 0))
    shaft = model.add(mbs.Revolute("shaft", model.ground.at(1, 0), crank))
    model.add(mbs.Driver("motor", mbs.angle(shaft), 2 * t + 0.1 * sp.sin(5 * t)))
    model.add(mbs.Spring("spring", crank.at(0.2, 0), rod.head, stiffness=100 * k, length=0.4))
    f = model.state("f", rate=lambda f: 5 * k * model["pin.Fx"] - 2 * f)
    T = model.state("T", rate=lambda T: k * model["motor.effort"] ** 2 - 0.5 * T)
    model.add(mbs.Force("push", rod.head, (0, -0.1 * c * f - 0.2 * T)))
    return model


SWINGS = {"rod.omega": 1.0, "two.omega": 0.3}


@pytest.mark.parametrize(
    ("coordinates", "method"),
    [("cartesian", "DP5"), ("cartesian", "Radau5"), ("joint", "DP8"), ("joint", "Radau5"), ("natural", "DP5")],
)
def test_a_force_that_depends_on_the_heat_of_a_motor(coordinates, method):
    names = ["f", "T", "rod.omega", "two.x", "motor.effort", "pin.Fy"]
    by, times = ["L", "k", "c", "rod.omega"], np.linspace(0, 0.6, 5)
    check_runs_beside(heated, times, SWINGS, by, names, coordinates, method=method, rtol=1e-10)


def test_the_heat_of_a_motor_by_generalised_alpha():
    """Both ways agree; differences of runs at the same steps have errors of these steps in common."""
    by, names = ["L", "k", "rod.omega"], ["f", "T", "two.x"]
    how = steps_of("GA")
    run = mbs.simulate(heated(), [0, 0.1, 0.3], SWINGS, derivatives=by, **how)
    assert from_steps(run)
    check_back(run, names)
    h = 1e-4
    ends = [mbs.simulate(heated().with_parameters(k=0.3 + s * h), [0, 0.1, 0.3], SWINGS, **how) for s in (-1, 1)]
    for name in names:
        expected = (ends[1][name] - ends[0][name]) / (2 * h)
        np.testing.assert_allclose(run.d(name, "k"), expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_a_run_that_the_heat_of_a_motor_stops():
    """The end moves with the parameters, and so do readings of it."""
    model, by = heated(), ["L", "k", "rod.omega"]
    model.add(mbs.Event("hot", when=model["T"] - 0.4, action="stop"))

    def ends(**values: float) -> np.ndarray:
        start = SWINGS | {name: value for name, value in values.items() if name in SWINGS}
        own = model.with_parameters(**{name: value for name, value in values.items() if name not in SWINGS})
        run = mbs.simulate(own, [0, 3.0], start, method="DP8", rtol=1e-12)
        return np.array([run.t[-1], run["f"][-1] * run.t[-1]])

    values, h = {"L": 0.4, "k": 0.3, "rod.omega": 1.0}, 1e-4
    for k, objective in enumerate((mbs.at_end(mbs.t), mbs.at_end("f") * mbs.at_end(mbs.t))):
        found = mbs.gradient(objective, model, [0, 3.0], by, initial=SWINGS, rtol=1e-11)
        for name in by:
            at = {s: ends(**{name: values[name] + s * h})[k] for s in (-2, -1, 1, 2)}
            one, two = at[1] - at[-1], at[2] - at[-2]
            assert found[name] == pytest.approx((8 * one - two) / (12 * h), rel=1e-6)


# --- controllers ------------------------------------------------------------------------------------------------------

SPRUNG = {"block.x": 0.4, "block.vx": 0.2}


def controlled(update: Callable[..., Any]) -> Callable[[], mbs.PlanarModel]:
    """A block on a spring that hardens, with a damper and a force u that a controller sets."""

    def made() -> mbs.PlanarModel:
        model, block, (_, k) = block_with(m=2.0, k=3.0)
        u = model.state("u")
        model.add(mbs.Force("push", block, (u - k * model["block.x"] ** 3 - model["block.vx"], 0)))
        model.add(mbs.Sampled("controller", 0.1, update(model, u, k)))
        return model

    return made


@pytest.mark.parametrize(
    ("coordinates", "method"), [("cartesian", "DP5"), ("joint", "DP5"), ("natural", "DP8"), ("cartesian", "Radau5")]
)
def test_a_controller_that_reads_an_acceleration(coordinates, method):
    made = controlled(lambda *known: lambda t, read: {"u": 0.5 * read("block.ax") + 0.3 * read("block.x")})
    names, by = ["block.x", "block.vx", "block.ax", "u"], ["m", "k", "block.x"]
    check_runs_beside(made, [0, 0.25, 0.5, 0.9], SPRUNG, by, names, coordinates, method=method, rtol=1e-10)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_controller_that_reads_reactions(method):
    def made() -> mbs.PlanarModel:
        model = heated()
        u = model.state("u")
        model.add(mbs.Force("more", model.bodies["two"].origin, (u, 0)))
        model.add(mbs.Sampled("controller", 0.1, {u: 0.2 * model["pin.Fy"] + 0.1 * model["motor.effort"]}))
        return model

    names = ["two.x", "u", "f", "pin.Fx"]
    check_runs_beside(made, [0, 0.25, 0.4], SWINGS, ["L", "k", "rod.omega"], names, method=method, rtol=1e-10)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_controller_that_reads_an_input_where_its_law_jumps(method):
    """The input is read as it is behind the sampling time, with parameters in its law on that side."""

    def update(model: mbs.Model, u: Any, k: Any) -> Any:
        command = model.input("command", sp.Piecewise((k * t, t < 0.2), (2 * k - t, True)))
        return {u: command + 0.5 * model["block.x"]}

    names, by = ["block.x", "block.vx", "block.ax", "u"], ["m", "k", "block.x"]
    check_runs_beside(controlled(update), [0, 0.25, 0.5, 0.9], SPRUNG, by, names, method=method, rtol=1e-10)


def test_a_controller_in_a_run_that_goes_on():
    """Its first sample, at the first time of the first run, belongs to the derivatives, too."""
    model = controlled(lambda model, u, k: {u: k + 0.5 * model["block.x"]})()
    by = ["m", "k", "block.x"]
    whole = mbs.simulate(model, [0, 0.25, 0.4, 0.9], SPRUNG, derivatives=by)
    first = mbs.simulate(model, [0, 0.25, 0.4], SPRUNG)
    second = mbs.simulate(model, [0.4, 0.9], first.state(), derivatives=by)
    assert from_steps(second) and second.stats["goes_on"]
    for name in by:
        np.testing.assert_array_equal(second.d("block.x", name), whole.d("block.x", name)[2:])
    check_back(second, ["block.x", "u"])


# --- forces in Python -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("coordinates", "method"), [("cartesian", "DP5"), ("joint", "DP5")])
def test_a_force_in_python_that_switches(coordinates, method):
    """A wall with a damper, which pushes with a jump where the block meets it."""

    def made() -> mbs.PlanarModel:
        model, block, (_, k) = block_with(m=2.0, k=3.0)

        def wall(t, i, modes):
            x, v = i.point[0], i.velocity[0]
            return [(-20.0 * (x - 0.5) - 3.0 * v - 4.0 if modes[0] > 0 else 0.0, 0.0)]

        model.add(mbs.PythonForce("wall", block, function=wall, switches=(lambda t, i: i.point[0] - 0.5,)))
        model.add(mbs.Force("push", block, (k * sp.cos(3 * t), 0)))
        return model

    start, names = {"block.x": 0.0, "block.vx": 1.2}, ["block.x", "block.vx", "block.ax"]
    by, how = ["m", "k", "block.vx"], {"method": method, "rtol": 1e-10}
    run = check_runs_beside(made, [0, 0.3, 0.7, 1.1], start, by, names, coordinates, close=1e-7, **how)
    assert run.stats["switches"] > 0
