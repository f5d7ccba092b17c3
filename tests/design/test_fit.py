"""Fits: intervals that hold what they promise, and numbers that a measurement cannot tell apart."""

from __future__ import annotations

import numpy as np
import pytest
from designs import oscillator, slider_crank

import mbs_dae as mbs


def coverage(trials: int) -> tuple[float, float]:
    """The share of intervals that contain the true numbers, for r and l of a slider-crank."""
    model, times = slider_crank(), np.linspace(0, 0.6, 12)
    true = {"r": 0.101, "l": 0.303}
    exact = mbs.kinematics(model.with_parameters(**true), times)["slider.x"]
    inside = np.zeros((trials, 2), dtype=bool)
    for k in range(trials):
        measured = {"t": times, "slider.x": exact + np.random.default_rng(k).normal(0, 1e-3, times.size)}
        found = mbs.fit(model, measured, ["r", "l"], verb="kinematics")
        inside[k] = [found.interval(name)[0] < value < found.interval(name)[1] for name, value in true.items()]
    return tuple(inside.mean(axis=0))


def test_intervals_contain_the_true_numbers_now():
    assert min(coverage(25)) >= 0.85


@pytest.mark.soak
def test_intervals_contain_the_true_numbers_as_often_as_they_say():
    assert coverage(300) == pytest.approx((0.95, 0.95), abs=0.03)


def test_columns_are_weighted_by_their_own_noise():
    model, times, random = slider_crank(), np.linspace(0, 0.6, 200), np.random.default_rng(3)
    exact = mbs.kinematics(model, times)
    noise = {"slider.x": 1e-4, "rod.angle": 5e-2}
    measured = {name: exact[name] + random.normal(0, size, 200) for name, size in noise.items()} | {"t": times}
    measured["slider.x"][20:30] = np.nan
    found = mbs.fit(model, measured, ["r", "l"], verb="kinematics")
    assert dict(found.noise) == pytest.approx(noise, rel=0.15)
    alone = mbs.fit(model, {name: measured[name] for name in ("t", "slider.x")}, ["r", "l"], verb="kinematics")
    for one, other in zip(found.estimates, alone.estimates, strict=True):  # the angle tells nearly nothing
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.15)
    assert found.measured.count == 390 and found.residuals["slider.x"].size == 190


def test_what_cannot_be_told_apart_is_named():
    """From where it swings alone, a spring, a damper and a mass are known by their ratios."""
    times = np.linspace(0, 3, 31)
    model, initial = oscillator(), {"body.x": 0.1}
    true = mbs.simulate(model.with_parameters(k=120.0), times, initial=initial)
    measured = {"t": times, "body.x": true["body.x"] + np.random.default_rng(0).normal(0, 1e-3, 31)}
    found = mbs.fit(model, measured, ["k", "c", "m"], initial=initial)
    assert found.indistinct == ("k, c and m cannot be told apart: only their ratios are known",)
    assert all(np.isinf(one.standard_error) for one in found.estimates)
    assert found.values["k"] / found.values["m"] == pytest.approx(80.0, rel=0.02)


def test_what_nothing_depends_on_is_named():
    model, times = slider_crank(), np.linspace(0, 0.5, 20)
    measured = {"t": times, "slider.x": mbs.kinematics(model, times)["slider.x"]}
    found = mbs.fit(model, measured, ["r", "spring.stiffness"], noise=1e-3, verb="kinematics")
    assert found.indistinct == ("nothing that was measured depends on spring.stiffness",)
    assert np.isfinite(found.estimates[0].standard_error) and "not known" in str(found)


def test_sums_products_and_ratios():
    from mbs_dae.design.fits.indistinct import sentence

    names, values = ["a", "b"], np.array([2.0, 3.0])
    said = "a and b cannot be told apart: only {} is known"
    for changes, law in (
        ([1, -1], "their sum a + b"), ([1, 1], "their difference a - b"), ([2, 3], "their ratio a / b"),
        ([2, -3], "their product a * b"), ([4, -3], "their product a * b**2"),
    ):  # fmt: skip
        assert sentence(names, values, np.array(changes, dtype=float)) == said.format(law)


def test_noise_that_is_too_small_is_told():
    model, times = slider_crank(), np.linspace(0, 0.6, 30)
    exact = mbs.kinematics(model, times)["slider.x"]
    measured = {"t": times, "slider.x": exact + np.random.default_rng(0).normal(0, 1e-3, 30)}
    assert "times what the noise explains" in mbs.fit(model, measured, ["r"], 1e-4, verb="kinematics").message
    assert not mbs.fit(model, measured, ["r"], 1e-3, verb="kinematics").message


def test_a_dataframe_and_a_picture():
    pandas = pytest.importorskip("pandas")
    model, times = slider_crank(), np.linspace(0, 0.6, 30)
    exact = mbs.kinematics(model.with_parameters(r=0.11), times)
    table = pandas.DataFrame({"slider.x": exact["slider.x"], "rod.angle": exact["rod.angle"]}, index=times)
    found = mbs.fit(model, table, {"r": (0.05, 0.2)}, verb="kinematics", starts=3)
    assert found.values["r"] == pytest.approx(0.11, rel=1e-12)
    assert len(found.plot().axes) == 4


def test_a_number_at_its_bound_keeps_its_error():
    """Without damping c is driven to 0; the measurement depends on it all the same."""
    times, model, initial = np.linspace(0, 0.6, 31), oscillator(), {"body.x": 0.1}
    true = mbs.simulate(model.with_parameters(k=120.0, c=1e-9), times, initial=initial)["body.x"]
    measured = {"t": times, "body.x": true + np.random.default_rng(0).normal(0, 1e-4, 31)}
    found = mbs.fit(model, measured, {"k": (50, 200), "c": (0, 5)}, initial=initial)
    c = found.estimates[1]
    assert c.at_bound == "lower" and c.value == 0.0 and 0.0 < c.standard_error < 0.1 and found.indistinct == ()
