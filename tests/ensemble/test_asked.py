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
        ({"over": {"ll": [1.0, 2.0]}}, "'l'"),
        ({"over": {"bar.omgea": [1.0, 2.0]}}, "bar.omega"),
        ({"over": {"bar.alpha": [1.0, 2.0]}}, "acceleration"),
        ({"over": {"bar.omega": [1.0]}, "verb": "kinematics"}, "parameter 'bar.omega'"),
        ({"over": {}}, "over="),
        ({"over": {"l": []}}, "over"),
        ({"over": mbs.Designs(("l",), np.zeros((0, 1)))}, "no members"),
        ({"times": []}, "times"),
        ({"times": [0, 2, 1]}, "times must increase"),
        ({"verb": "simulat"}, "simulate"),
        ({"verb": 3}, "verb must be"),
        ({"workers": 0}, "workers is 0"),
        ({"workers": 1.5}, "workers is 1.5"),
        ({"executor": 7}, "executor must be"),
        ({"outputs": "bar.x"}, "outputs must be a list"),
        ({"outputs": ["bar.xx"]}, "bar.x"),
        ({"outputs": ["bar.x"], "verb": lambda run: 1.0}, "leave one out"),
        ({"rtoll": 1e-6}, "rtol"),
        ({"rtol": -1.0}, "rtol is -1"),
        ({"method": "euler"}, "method"),
        ({"stabilization": 5}, "stabilization=5"),
        ({"initial": 5}, "initial must be a dict"),
        ({"initial": {"bar.omgea": 1.0}}, "bar.omega"),
        ({"initial": {"bar.alpha": 1.0}}, r"initial\['bar.alpha'\] is an acceleration"),
        ({"initial": {"bar.omega": "fast"}}, r"initial\['bar.omega'\] must be a number"),
        ({"verb": "sweep", "parameter": "l", "times": [1.0, 2.0]}, "'l' is swept, so over= cannot vary it"),
        ({"verb": "sweep", "parameter": "ll", "times": [1.0, 2.0]}, "parameter 'll'"),
        ({"save": 5}, "named by a text or a Path"),
        ({"max_seconds": -1}, "max_seconds is -1"),
        ({"progress": 3}, "progress must be a function"),
        ({"verb": "sweep"}, "parameter="),
        ({"verb": "sweep", "parameter": "l", "max_seconds": 1.0}, "takes no max_seconds="),
        ({"verb": "kinematics", "initial": {"bar.omega": 1.0}}, "takes no initial values"),
        ({"over": {"bar.omega": [1.0]}, "initial": {"bar.omega": 1.0}}, "named by over= and by initial="),
        ({"model": 3}, "needs a model"),
    ],
)
def test_refused(model, asked, words):
    asked = {"model": model, "times": [0.0, 0.1], "over": {"l": [1.0, 2.0]}} | asked
    with pytest.raises(mbs.ModelError, match=words):
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
        (("l",), [1.0, 2.0], r"shape \(2,\); give a row for each member"),
        (("l", "m"), [[1.0]], r"shape \(1, 1\)"),
        (("l", "l"), [[1.0, 2.0]], "'l' twice"),
        (("l",), [["long"]], "must be numbers"),
    ],
)
def test_designs_are_rows_of_numbers(names, values, words):
    with pytest.raises(mbs.ModelError, match=words):
        mbs.Designs(names, values)


def test_designs_are_copied():
    values = np.ones((2, 1))
    designs = mbs.Designs(("l",), values)
    values[0] = 5.0
    assert designs["l"].tolist() == [1.0, 1.0] == mbs.Designs(("l",), [[1], [1]])["l"].tolist()
