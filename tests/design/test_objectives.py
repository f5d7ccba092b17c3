"""Gradients of objectives in all their forms, against differences; and forwards against backwards."""

from __future__ import annotations

import numpy as np
import pytest
from designs import oscillator, slider_crank
from refusals import refused

import mbs_dae as mbs
from mbs_dae.design.analysis import analysis_of
from mbs_dae.design.objectives.objective import number_of, objective_of
from mbs_dae.design.objectives.weights import weights

TIMES = np.linspace(0.01, 0.6, 31)
NAMES = ["r", "l", "spring.stiffness"]
q = mbs.quantity
FORMS = {
    "expression": mbs.at_end("slider.x") * mbs.PlanarModel("any").parameter("r", 0.1) ** 2
    + mbs.integral(q("B.Fx") ** 2 * mbs.t + q("B.Fy") ** 2) ** 0.5 + mbs.at_start("rod.angle"),
    "largest": mbs.maximum(q("motor.effort") * mbs.t) - mbs.minimum("slider.ax") + mbs.average("motor.effort"),
    "function": lambda res: np.sum(res["B.force"] ** 2) + res.parameter("r") * np.max(res["slider.ax"]),
    "own gradient": mbs.Objective(["slider.x", "B.force"], lambda x, f: x @ f[:, 0], lambda x, f: [
        f[:, 0], np.stack([x, 0 * x], axis=1)]),
}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return slider_crank()


@pytest.mark.parametrize("form", FORMS)
def test_a_gradient_is_what_differences_tell(model, form):
    found = mbs.gradient(FORMS[form], model, TIMES, over=NAMES, verb="inverse_dynamics")
    for name, own in (("r", 0.1), ("l", 0.3)):
        sides = [
            mbs.gradient(FORMS[form], model.with_parameters(**{name: own + h}), TIMES, ["r"], "inverse_dynamics").value
            for h in (-1e-6, 1e-6)
        ]
        assert found.by[name] == pytest.approx((sides[1] - sides[0]) / 2e-6, rel=1e-6, abs=1e-7 * abs(found.value))


@pytest.mark.parametrize("form", FORMS)
def test_weights_of_what_is_read_give_the_same_gradient(model, form):
    analysis = analysis_of(model, TIMES, NAMES, "inverse_dynamics", None, {})
    readings, measured = analysis.readings(analysis.model_row), objective_of(FORMS[form])
    ahead = number_of(measured, readings)
    found = weights(measured, readings.result, analysis.values(analysis.model_row))
    assert found.value == pytest.approx(float(ahead.value), rel=1e-14)
    for k, name in enumerate(NAMES):
        total = found.by_parameters.get(name, 0.0)
        total += sum((w * readings.result.d(one, name)).sum() for one, w in found.by_arrays.items())
        assert total == pytest.approx(float(ahead.slope[k]), rel=1e-12)


def test_runs_are_differentiated_backwards_and_ahead_alike():
    model, names = oscillator(), ["k", "c", "m", "body.x"]
    times = np.linspace(0, 2, 21)
    for objective in (
        mbs.integral(q("body.x") ** 2) * mbs.PlanarModel("any").parameter("k", 1.0),
        lambda res: np.sum(res["body.x"] ** 2) * res.parameter("k") + res["spring.effort"][3],
    ):
        found = mbs.gradient(objective, model, times, names, initial={"body.x": 0.1})
        analysis = analysis_of(model, times, names, "simulate", {"body.x": 0.1}, {})
        ahead = number_of(objective_of(objective), analysis.readings(analysis.model_row))
        np.testing.assert_allclose([*found.by.values()], ahead.slope, rtol=1e-10)


def test_a_quantity_that_nothing_moves_has_the_derivative_0(model):
    found = mbs.gradient(mbs.at_end("slider.x"), model, TIMES, ["spring.stiffness"], "kinematics")
    assert found.by == {"spring.stiffness": 0.0}


def stopped_block() -> mbs.PlanarModel:
    """Pushed by a force that grows, held by a spring, stopped where it arrives."""
    model = mbs.PlanarModel("block")
    d, F = model.parameter("d", 0.05), model.parameter("F", 3.0)
    block = model.body("block", mass=2, inertia=1.0)
    model.add(
        mbs.Translational("guide", model.ground, block),
        mbs.Force("push", block, (F * (1 + mbs.t), 0)),
        mbs.Spring("spring", model.ground.at(-1, 0), block, stiffness=20, length=0.8),
        mbs.Event("there", model["block.x"] - d, action="stop"),
    )
    return model


def test_the_end_of_a_run_that_an_event_stops_moves():
    """Its time, what holds there, and integrals up to it, against differences of whole runs."""
    model, start, how = stopped_block(), {"block.x": 0.0, "block.vx": 0.5}, {"rtol": 1e-11}
    times, names = np.linspace(0, 1, 11), ["d", "F", "block.vx"]
    found = mbs.gradient(mbs.at_end("block.x"), model, times, names, initial=start)
    np.testing.assert_allclose([*found.by.values()], [1, 0, 0], atol=1e-9)  # it stops at d, whatever moves it
    for objective in (
        mbs.at_end(mbs.t), mbs.at_end("block.vx"), mbs.at_end("energy.supplied"), mbs.average("block.x"),
        mbs.integral(q("block.x") ** 2 * mbs.t) * mbs.at_end("block.ax"),
    ):  # fmt: skip
        found = mbs.gradient(objective, model, times, names, initial=start, **how)
        assert found.result.t[-1] < 0.2
        for name in names:
            sides = []
            for h in (-1e-4, 1e-4):
                other = model if name in start else model.with_parameters(**{name: model.parameters[name].value + h})
                first = start | {name: start[name] + h} if name in start else start
                sides.append(mbs.gradient(objective, other, times, ["d"], initial=first, **how).value)
            assert found[name] == pytest.approx((sides[1] - sides[0]) / 2e-4, rel=1e-5, abs=1e-7), (objective, name)


def test_the_time_of_arrival_is_made_small():
    """By as much force as there may be; a measurement of a run that stops has no times to be fitted at."""
    model, start = stopped_block(), {"block.x": 0.0, "block.vx": 0.5}
    found = mbs.optimize(mbs.at_end(mbs.t), model, [0, 1], {"F": (1.0, 5.0)}, initial=start)
    assert found.success and found.values["F"] == pytest.approx(5.0) and found.value == found.result.t[-1]
    with refused("no-start-with-motion", mbs.MbsError):
        mbs.fit(model, {"t": [0, 0.5, 1], "block.x": [0, 0.1, 0.2]}, ["F"], initial=start)
