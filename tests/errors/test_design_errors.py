"""What cannot be optimised, fitted or told by tolerances is refused, with the name of what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from designs import slider_crank
from refusals import refused

import mbs_dae as mbs

T = [0.01, 0.1, 0.2]
END = mbs.at_end("slider.x")


def gradient(objective, over=("r",), **how):
    return mbs.gradient(objective, slider_crank(), T, over, **{"verb": "inverse_dynamics"} | how)


def optimize(objective=END, over=None, **how):
    return mbs.optimize(objective, slider_crank(), T, over or {"r": (0.05, 0.2)}, **{"verb": "kinematics"} | how)


def fit(measured, over=("r",), **how):
    return mbs.fit(slider_crank(), measured, over, **{"verb": "kinematics"} | how)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: gradient(lambda res: 3.0), ("function-raises",)),
        (lambda: gradient(lambda res: np.sort(res["slider.x"])), ("no-derivative",)),
        (lambda: gradient(lambda res: res.q), ("unknown-name",)),
        (lambda: gradient(lambda res: res["slider.x"]), ("not-a-single-number",)),
        (lambda: gradient(mbs.at_end("B.force")), ("is-a-vector",)),
        (lambda: gradient(mbs.quantity("slider.x")), ("depends-on-time",)),
        (lambda: gradient(lambda res: np.sum(abs(res["slider.x"] - res["slider.x"].value))), ("no-derivative",)),
        (lambda: gradient(lambda res: np.max(np.stack([res["slider.x"], 0 * res["slider.x"] + res["slider.x"].value]))),
         ("no-derivative",)),
        (lambda: gradient(END, ["q"]), ("unknown-name", "q")),
        (lambda: gradient(END, []), ("empty", "over=")),
        (lambda: gradient(END, "r"), ("not-a-list", "over=")),
        (lambda: gradient(END, verb="sweep"), ("unknown-name", "sweep", "verb")),
        (lambda: gradient(END, rtol=1e-6), ("unknown-name", "rtol", "option")),
        (lambda: gradient(7), ("not-an-objective",)),
        (lambda: mbs.integral(END), ("already-a-number",)),
        (lambda: mbs.Objective("slider.x", abs, abs), ("not-a-list", "Objective")),
        (lambda: gradient(mbs.Objective(["slider.x"], np.sum, lambda x: [x[:1]])), ("wrong-shape",)),
        (lambda: optimize(over=["r"]), ("no-bounds", "over=")),
        (lambda: optimize(over={"r": (0.2, 0.1)}), ("bounds-upside-down",)),
        (lambda: optimize(over={"r": (0.15, 0.2)}), ("starts-out-of-bounds",)),
        (lambda: optimize(over={"r": 0.1}), ("wrong-shape",)),
        (lambda: optimize(subject_to=mbs.maximum("slider.x") <= 1), ("not-a-list", "subject_to")),
        (lambda: optimize(subject_to=[True]), ("not-a-limit",)),
        (lambda: optimize(subject_to=[END >= 2.0]), ("limits-not-kept", "at_end", "slider.x", "2")),
        (lambda: optimize(kind="max"), ("unknown-choice", "min")),
        (lambda: optimize(starts=0), ("not-an-integer", "starts")),
        (lambda: optimize(starts=2.5), ("not-an-integer", "starts")),
        (lambda: optimize(starts=[]), ("not-a-dict", "e.g")),
        (lambda: optimize(max_iterations=0), ("not-an-integer", "max_iterations")),
        (lambda: mbs.Limit(END, upper=np.ones(2)), ("not-a-number", "Limit")),
        (lambda: mbs.Limit(END), ("no-bounds",)),
        (lambda: fit({"t": T, "slider.x": [1, 2]}), ("wrong-length", "2", "3")),
        (lambda: fit({"slider.x": [1, 2, 3]}), ("missing-argument",)),
        (lambda: fit({"t": T, "slider.x": [np.nan] * 3}), ("empty",)),
        (lambda: fit({"t": T, "slider.x": [1, 2, 3]}, noise=-1), ("not-positive",)),
        (lambda: fit({"t": T, "slider.x": [1, np.nan, np.nan]}, ["r", "l"]), ("too-few-values",)),
        (lambda: fit({"t": T, "slider.x": [1, 2, 3]}, confidence=95), ("out-of-bounds", "0", "1")),
        (lambda: fit([1, 2]), ("wrong-type", "DataFrame")),
        (lambda: mbs.tolerance(slider_crank(), T, {"r": 1e-4}, "slider.x", "kinematics"), ("not-a-list", "of")),
        (lambda: mbs.tolerance(slider_crank(), T, [1e-4], ["slider.x"], "kinematics"), ("not-a-dict", "sigma=")),
        (lambda: mbs.tolerance(slider_crank(), T, {"r": 0.05}, ["slider.x"], "kinematics"), ("first-order-doubtful",)),
    ],
)  # fmt: skip
def test_wrong_input_is_refused(call, words):
    with refused(words[0], mentions=words[1:]):
        call()


def test_bounds_that_no_mechanism_satisfies():
    """A rod that is shorter than the crank by far does not close at the first pose, whatever its length."""
    model = slider_crank().with_parameters(l=0.05, r=0.3)
    turn = np.linspace(0.01, 0.6, 7)
    with refused("no-start-with-motion", mbs.AssemblyError, starts=4):
        mbs.optimize(END, model, turn, {"l": (0.01, 0.1)}, starts=4, verb="kinematics")


def test_limits_on_both_sides_are_two():
    with pytest.raises(TypeError, match=r"in a list of limits two of them, \[a <= x, x <= b\]"):
        _ = [0.5 <= mbs.maximum("slider.x") <= 0.7]


def test_what_rests_has_a_largest_value():
    found = mbs.gradient(mbs.maximum("crank.omega"), slider_crank(), T, ["r"], "kinematics")
    assert abs(found.by["r"]) < 1e-12
