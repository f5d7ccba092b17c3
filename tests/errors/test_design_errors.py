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
        (lambda: gradient(lambda res: 3.0), "carries no derivatives: it does not depend on the result"),
        (lambda: gradient(lambda res: np.sort(res["slider.x"])), "would lose derivatives"),
        (lambda: gradient(lambda res: res.q), "it reads result"),
        (lambda: gradient(lambda res: res["slider.x"]), "gives an array of the shape"),
        (lambda: gradient(mbs.at_end("B.force")), "is a vector; in a formula name its components"),
        (lambda: gradient(mbs.quantity("slider.x")), "goes over time, and a single number is wanted"),
        (lambda: gradient(lambda res: np.sum(abs(res["slider.x"] - res["slider.x"].value))), "a kink there"),
        (lambda: gradient(lambda res: np.max(np.stack([res["slider.x"], 0 * res["slider.x"] + res["slider.x"].value]))),
         "a kink there"),
        (lambda: gradient(END, ["q"]), "has no parameter or constant 'q'"),
        (lambda: gradient(END, []), "over= names nothing"),
        (lambda: gradient(END, "r"), "over= must be a list of names"),
        (lambda: gradient(END, verb="sweep"), "no verb 'sweep'"),
        (lambda: gradient(END, rtol=1e-6), "no option 'rtol'"),
        (lambda: gradient(7), "objective must be an expression"),
        (lambda: mbs.integral(END), "is a number already"),
        (lambda: mbs.Objective("slider.x", abs, abs), "names of an Objective must be a list"),
        (lambda: gradient(mbs.Objective(["slider.x"], np.sum, lambda x: [x[:1]])), "it must have those of the arrays"),
        (lambda: optimize(over=["r"]), "over= needs bounds"),
        (lambda: optimize(over={"r": (0.2, 0.1)}), "the first must be the smaller one"),
        (lambda: optimize(over={"r": (0.15, 0.2)}), "is not within its bounds"),
        (lambda: optimize(over={"r": 0.1}), "must be two bounds"),
        (lambda: optimize(subject_to=mbs.maximum("slider.x") <= 1), "subject_to must be a list"),
        (lambda: optimize(subject_to=[True]), "decided before any run"),
        (lambda: optimize(subject_to=[END >= 2.0]), r"keeps all limits: at_end\(slider.x\) >= 2.*; widen the bounds"),
        (lambda: optimize(kind="max"), "choose one of 'min'"),
        (lambda: optimize(starts=0), "starts must be a whole number"),
        (lambda: optimize(starts=2.5), "starts must be a whole number"),
        (lambda: optimize(starts=[]), "or a list of designs, e.g."),
        (lambda: optimize(max_iterations=0), "max_iterations must be a whole number"),
        (lambda: mbs.Limit(END, upper=np.ones(2)), "upper of a Limit must be a number"),
        (lambda: mbs.Limit(END), "has no bounds"),
        (lambda: fit({"t": T, "slider.x": [1, 2]}), "has 2 values for 3 times"),
        (lambda: fit({"slider.x": [1, 2, 3]}), "has no times"),
        (lambda: fit({"t": T, "slider.x": [np.nan] * 3}), "has no values"),
        (lambda: fit({"t": T, "slider.x": [1, 2, 3]}, noise=-1), "give a positive number"),
        (lambda: fit({"t": T, "slider.x": [1, np.nan, np.nan]}, ["r", "l"]), "measure more"),
        (lambda: fit({"t": T, "slider.x": [1, 2, 3]}, confidence=95), "between 0 and 1"),
        (lambda: fit([1, 2]), "measured must be a DataFrame"),
        (lambda: mbs.tolerance(slider_crank(), T, {"r": 1e-4}, "slider.x", "kinematics"), "of must be a list"),
        (lambda: mbs.tolerance(slider_crank(), T, [1e-4], ["slider.x"], "kinematics"), "sigma= must be a dict"),
        (lambda: mbs.tolerance(slider_crank(), T, {"r": 0.05}, ["slider.x"], "kinematics"), "first order is doubtful"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused(call, words):
    with pytest.raises(mbs.ModelError, match=words):
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
