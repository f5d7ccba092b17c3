"""Any reading in objectives and limits: angles of transmission, reactions and efforts, with exact derivatives."""

from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import refused
from scipy.optimize import brentq

import mbs_dae as mbs

MU = "transmission_angle(B, C, D)"


def four_bar() -> mbs.PlanarModel:
    """A crank of length r turns about the origin; coupler and rocker of length 3 and 2.5, ground 3."""
    model = mbs.PlanarModel("four-bar", gravity=(0, -9.81))
    r, l = model.parameter("r", 1.0, unit="m"), model.parameter("l", 3.0, unit="m")
    crank = model.link("crank", (0, 0), (0, 1), length=r, mass=1.0)
    coupler = model.link("coupler", (0, 1), (2.5, 2.4), length=l, mass=1.0)
    rocker = model.link("rocker", (3, 0), (2.5, 2.4), length=2.5, mass=1.0)
    A = mbs.Revolute("A", model.ground, crank.tail)
    model.add(
        A,
        mbs.Revolute("B", crank.head, coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(3, 0), rocker.tail),
        mbs.Driver("motor", mbs.angle(A), np.pi / 2 - mbs.t),
    )
    return model


def angle(r: float, l: float, t: np.ndarray) -> np.ndarray:
    """The acute angle between coupler and rocker, by the law of cosines."""
    square = (3 - r * np.sin(t)) ** 2 + (r * np.cos(t)) ** 2
    return np.arccos(abs(l**2 + 2.5**2 - square) / (5 * l))


TIMES = np.linspace(0.0, 2.0, 9)


def test_a_call_is_a_name():
    result = mbs.kinematics(four_bar(), TIMES)
    np.testing.assert_allclose(result[MU], angle(1.0, 3.0, TIMES), atol=1e-12)
    assert result.unit(MU) == "rad" and MU in result
    np.testing.assert_array_equal(result["transmission_angle('B', 'C', 'D')"], result[MU])
    with refused("wrong-length", argument="joints"):
        result["transmission_angle(B)"]


@pytest.mark.parametrize("name", ["r", "l"])
def test_derivatives_by_lengths(name):
    """Also by lengths that say where joints are on their bodies: against differences of the law of cosines."""
    result = mbs.kinematics(four_bar(), TIMES, derivatives=["r", "l"])
    own, h = {"r": 1.0, "l": 3.0}, 1e-5
    ends = [angle(**{**own, name: own[name] + sign * h}, t=TIMES) for sign in (1, -1)]
    np.testing.assert_allclose(result.d(MU, name), (ends[0] - ends[1]) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("objective", [mbs.average(MU), lambda result: result.transmission_angle("B", "C", "D").mean()])
def test_gradients_of_runs(objective):
    """Ahead and back through a run: against the gradients of its ends, differenced."""
    model, h = four_bar(), 1e-4
    how = {"over": ["r", "l"], "verb": "simulate", "rtol": 1e-10, "atol": 1e-12}
    found = mbs.gradient(objective, model, TIMES, **how)
    for name in ("r", "l"):
        start = model.parameters[name].value
        designs = [model.with_parameters(**{name: start + sign * h}) for sign in (1, -1)]
        two = [mbs.gradient(objective, design, TIMES, **how).value for design in designs]
        assert abs(found[name] - (two[0] - two[1]) / (2 * h)) < 1e-6


@pytest.mark.parametrize("limit", [
    mbs.minimum(MU) >= np.radians(30),
    mbs.Limit(lambda result: result.transmission_angle("B", "C", "D"), lower=np.radians(30)),
])  # fmt: skip
def test_limits_hold_at_the_optimum(limit):
    """The longest coupler with which the angle of transmission stays over 30 degrees: it is 30 degrees there."""
    best = mbs.optimize(
        lambda result: -result.parameter("l"), four_bar(), TIMES, {"l": (2.4, 4.2)}, [limit], verb="kinematics"
    )
    longest = brentq(lambda l: angle(1.0, l, TIMES).min() - np.radians(30), 2.4, 4.2)
    assert best.values["l"] == pytest.approx(longest, rel=1e-6)


def test_reactions_and_efforts_as_calls():
    model = four_bar()
    by_call = mbs.gradient(
        lambda r: (r.reaction("B")[:, :2] ** 2).sum() + (r.effort("motor") ** 2).sum(), model, TIMES, over=["r"],
        verb="inverse_dynamics",
    )  # fmt: skip
    by_name = mbs.gradient(
        lambda r: (r["B.Fx"] ** 2 + r["B.Fy"] ** 2 + r["motor.effort"] ** 2).sum(), model, TIMES, over=["r"],
        verb="inverse_dynamics",
    )  # fmt: skip
    assert by_call.value == pytest.approx(by_name.value, rel=1e-13)
    assert by_call["r"] == pytest.approx(by_name["r"], rel=1e-11)


@pytest.mark.parametrize("least", [1.2, 45.0])
def test_a_limit_that_nothing_keeps_is_told_where_it_is_nearest(least):
    """The largest of all smallest angles of transmission stands in the message, with its crank: by a scan of the law
    of cosines. The search begins elsewhere."""
    cranks = np.linspace(0.5, 1.2, 7001)
    smallest = np.array([angle(r, 3.0, TIMES).min() for r in cranks])
    limit = mbs.minimum(MU) >= least
    with refused("limits-not-kept") as wrong:
        mbs.optimize(lambda result: -result.parameter("r"), four_bar(), TIMES, {"r": (0.5, 1.2)}, subject_to=[limit])
    told = re.search(r"is (\S+) where it is nearest, at r = ([^;]+);", str(wrong.value))
    assert smallest.max() < least
    assert abs(float(told[1]) - smallest.max()) < 1e-5
    assert abs(float(told[2]) - cranks[smallest.argmax()]) < 2e-4
