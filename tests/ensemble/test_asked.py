"""What a study cannot be is refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs


@pytest.fixture(scope="module")
def model() -> mbs.PlanarModel:
    rod = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    l = rod.parameter("l", 1.0, unit="m")
    bar = rod.link("bar", (0, 0), (l, 0), mass=1.0)
    rod.add(mbs.Revolute("A", rod.ground, bar.tail))
    return rod


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"over": {"ll": [1.0, 2.0]}}, ("unknown-name", "l")),
        ({"over": {"bar.omgea": [1.0, 2.0]}}, ("unknown-name", "bar.omega")),
        ({"over": {"bar.alpha": [1.0, 2.0]}}, ("acceleration-given",)),
        ({"over": {"bar.omega": [1.0]}, "verb": "kinematics"}, ("unknown-name", "bar.omega", "parameter")),
        ({"over": {}}, ("not-a-dict", "over=")),
        ({"over": {"l": []}}, ("empty", "over")),
        ({"over": mbs.Designs(("l",), np.zeros((0, 1)))}, ("empty",)),
        ({"times": []}, ("empty", "times")),
        ({"times": [0, 2, 1]}, ("not-increasing", "times")),
        ({"verb": "simulat"}, ("unknown-name", "simulate")),
        ({"verb": 3}, ("wrong-type", "verb")),
        ({"workers": 0}, ("not-an-integer", "0", "workers")),
        ({"workers": 1.5}, ("not-an-integer", "1.5", "workers")),
        ({"executor": 7}, ("wrong-type", "executor")),
        ({"outputs": "bar.x"}, ("not-a-list", "outputs")),
        ({"outputs": ["bar.xx"]}, ("unknown-name", "bar.x")),
        ({"outputs": ["bar.x"], "verb": lambda run: 1.0}, ("contradictory-arguments",)),
        ({"rtoll": 1e-6}, ("unknown-name", "rtol")),
        ({"rtol": -1.0}, ("not-positive", "-1", "rtol")),
        ({"method": "euler"}, ("unknown-choice", "method")),
        ({"stabilization": 5}, ("unknown-choice", "5", "stabilization")),
        ({"initial": 5}, ("not-a-dict", "initial")),
        ({"initial": {"bar.omgea": 1.0}}, ("unknown-name", "bar.omega")),
        ({"initial": {"bar.alpha": 1.0}}, ("acceleration-given", "bar.alpha", "initial")),
        ({"initial": {"bar.omega": "fast"}}, ("not-a-number", "bar.omega")),
        ({"verb": "sweep", "parameter": "l", "times": [1.0, 2.0]}, ("contradictory-arguments", "l", "over=")),
        ({"verb": "sweep", "parameter": "ll", "times": [1.0, 2.0]}, ("unknown-name", "ll", "parameter")),
        ({"save": 5}, ("wrong-type", "Path")),
        ({"max_seconds": -1}, ("not-positive", "max_seconds", "-1")),
        ({"progress": 3}, ("wrong-type", "progress")),
        ({"verb": "sweep"}, ("missing-argument", "parameter=")),
        ({"verb": "sweep", "parameter": "l", "max_seconds": 1.0}, ("not-supported", "max_seconds=")),
        ({"verb": "kinematics", "initial": {"bar.omega": 1.0}}, ("not-a-pose", "initial")),
        ({"over": {"bar.omega": [1.0]}, "initial": {"bar.omega": 1.0}}, ("given-twice", "over=", "initial=")),
        ({"model": 3}, ("not-a-model",)),
    ],
)
def test_refused(model, asked, words):
    asked = {"model": model, "times": [0.0, 0.1], "over": {"l": [1.0, 2.0]}} | asked
    with refused(words[0], mentions=words[1:]):
        mbs.ensemble(asked.pop("model"), asked.pop("times"), **asked)


def test_what_was_not_kept_is_not_read(model):
    found = mbs.ensemble(model, [0.0, 0.1], over={"l": [1.0, 2.0]}, outputs=["bar.x"])
    with refused("unknown-name", name="bar.y"):
        found.array("bar.y")
    with refused("out-of-bounds", value=2, count=2):
        found.member(2)
    assert found.member(1)["bar.y"].shape == (2,)  # made again


@pytest.mark.parametrize(
    ("names", "values", "words"),
    [
        (("l",), [1.0, 2.0], ("wrong-shape", "2")),
        (("l", "m"), [[1.0]], ("wrong-shape", "1")),
        (("l", "l"), [[1.0, 2.0]], ("given-twice", "l")),
        (("l",), [["long"]], ("not-a-number",)),
    ],
)
def test_designs_are_rows_of_numbers(names, values, words):
    with refused(words[0], mentions=words[1:]):
        mbs.Designs(names, values)


def test_designs_are_copied():
    values = np.ones((2, 1))
    designs = mbs.Designs(("l",), values)
    values[0] = 5.0
    assert designs["l"].tolist() == [1.0, 1.0] == mbs.Designs(("l",), [[1], [1]])["l"].tolist()
