"""Which way searches go through runs, and what that costs: counted in runs."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from designs import moved_arm, oscillator
from refusals import refused
from scipy.optimize import minimize

import mbs_dae as mbs
from mbs_dae.derivatives.runs import gradients
from mbs_dae.derivatives.runs.forward import VariedRun
from mbs_dae.design import changes

TIMES = [0.0, 1.0]
HOW = {"rtol": 1e-9, "max_step": 0.02}  # it begins at rest, where steps would be long
q = mbs.quantity


@pytest.fixture
def ways(monkeypatch):
    """Counts: runs gone through ahead, with so many columns; back, with so many rows."""
    counted: dict[str, list[int]] = {"ahead": [], "back": []}
    ahead, back = VariedRun._followed, gradients._gone_back

    def followed(self, works):
        counted["ahead"].append(len(self.variables.names))
        return ahead(self, works)

    def gone_back(varied, taken, weights, count, of_end):
        counted["back"].append(count)
        return back(varied, taken, weights, count, of_end)

    monkeypatch.setattr(VariedRun, "_followed", followed)
    monkeypatch.setattr(gradients, "_gone_back", gone_back)
    return counted


class Near(Exception):
    """A value is near enough, or too many runs were made."""


def by_differences(count: int, near: float, most: int) -> int:
    """How many runs the same search by scipy takes, from the same start in the same unknowns, to a value so small; or
    the most that it may take."""
    model, _, over = moved_arm(count)
    runs = 0

    def value(u: np.ndarray) -> float:
        nonlocal runs
        runs += 1
        row = -5 + 10 * np.asarray(u)
        run = mbs.simulate(model.with_parameters(**dict(zip(over, row.tolist(), strict=True))), TIMES, **HOW)
        off = (run["arm.angle"][-1] - run["arm.angle"][0] - 1) ** 2 + 0.1 * run["arm.omega"][-1] ** 2
        if (found := 30 * off + 0.1 * row @ row) <= near or runs == most:
            raise Near
        return found

    with contextlib.suppress(Near):
        minimize(value, np.full(count, 0.5), method="SLSQP", bounds=[(0, 1)] * count, options={"ftol": 1e-15})
    return runs


def test_an_iteration_costs_the_same_for_3_and_for_30_variables(ways):
    for count in (3, 30):
        model, objective, over = moved_arm(count)
        ways["back"].clear()
        found = mbs.optimize(objective, model, TIMES, over, **HOW)
        assert found.success
        assert ways["ahead"] == [] and set(ways["back"]) == {1}  # one row, and no column for any variable
        assert found.runs <= 1.5 * found.iterations + 3
        assert len(ways["back"]) <= found.iterations + 2  # of designs that are stepped back from no slope is asked


def test_differences_take_many_times_the_runs():
    """With 30 variables: after five times the runs that the whole search takes, they are not within 1e-3 yet."""
    model, objective, over = moved_arm(30)
    found = mbs.optimize(objective, model, TIMES, over, **HOW)
    assert found.success
    assert by_differences(30, found.value * (1 + 1e-3), 5 * found.runs) == 5 * found.runs


def test_the_way_with_fewer_of_both_is_taken(ways):
    """Rows are numbers that are made of a run, those of limits included; columns are variables."""
    model, names, times = oscillator(), ["k", "c", "m", "body.x"], np.linspace(0, 1, 11)
    over = {"k": (50.0, 200.0), "c": (0.1, 2.0), "m": (1.0, 2.0)}
    first = mbs.integral(q("body.x") ** 2)
    mbs.gradient(first, model, times, names, initial={"body.x": 0.1})
    mbs.gradient(first, model, times, names[:1], initial={"body.x": 0.1})
    assert ways == {"ahead": [1], "back": [1]}
    for limits, way in (([mbs.at_end("body.x") <= 0.05], "back"), ([mbs.maximum("body.x") <= 0.2], "ahead")):
        ways["ahead"].clear(), ways["back"].clear()
        mbs.optimize(first, model, times, over, limits, initial={"body.x": 0.1}, max_iterations=3)
        assert set(ways[way]) == {2 if way == "back" else 3} and not ways["ahead" if way == "back" else "back"]


@pytest.mark.parametrize("way", ["ahead", "back"])
def test_both_ways_give_the_same_slopes(way, monkeypatch):
    """Of an objective, an array and a limit at once."""
    from mbs_dae.design.analysis import analysis_of
    from mbs_dae.design.objectives.objective import objective_of

    times, names = np.linspace(0, 2, 21), ["k", "c", "m", "body.x"]
    analysis = analysis_of(oscillator(), times, names, "simulate", {"body.x": 0.1}, {})
    asked = [
        mbs.integral(q("body.x") ** 2) * oscillator().parameters["k"].symbol,
        lambda res: res["body.vx"][[3, 7]] * res.parameter("c"),
        mbs.maximum("energy.kinetic"),
    ]
    row = analysis.model_row
    made = changes.DesignOutputs(analysis, row, analysis.result(row), tuple(map(objective_of, asked)))
    found = made._backward() if way == "back" else made._forward()
    other = made._forward() if way == "back" else made._backward()
    assert found.shape == (4, 4)
    np.testing.assert_allclose(found, other, rtol=1e-10, atol=1e-12 * np.abs(found).max())


def test_a_gradient_is_read_by_name():
    model, objective, over = moved_arm(3)
    found = mbs.gradient(objective, model.with_parameters(c1=1.0), TIMES, over=list(over), **HOW)
    assert found["c2"] == found.by["c2"] == found[model.parameters["c2"]]
    assert len(str(found).splitlines()) == 5
    with refused("unknown-name", name="c4"):
        found["c4"]
    with pytest.raises(TypeError):
        tuple(found)
