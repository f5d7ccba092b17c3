"""Paths over an input are those over a parameter in its place: an input is a number that an analysis may set."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs


def chain(pull) -> mbs.PlanarModel:
    """Return two hanging rods; `pull` declares the force on the second one, in N."""
    model = mbs.PlanarModel("chain", gravity=(0, -9.81))
    one, two = model.link("one", (0, 0), (1, 0), mass=2.0), model.link("two", (1, 0), (2, 0), mass=1.0)
    model.add(mbs.Revolute("A", model.ground, one.tail), mbs.Revolute("B", one.head, two.tail))
    model.add(mbs.Force("pull", two, (pull(model), 0)))
    return model


LAWS = {"a number": 1.0, "a law of time": lambda t: 3.0 + t}


@pytest.mark.parametrize("law", LAWS)
def test_paths_over_an_input_and_over_a_parameter_are_equal(law):
    driven, held = (chain(lambda m: m.input("u", LAWS[law], unit="N")), chain(lambda m: m.parameter("u", 1.0, "N")))
    paths = [mbs.equilibrium(model, over=("u", [0.0, 4.0, 10.0])) for model in (driven, held)]
    for name in ("one.angle", "two.angle", "B.Fx"):
        np.testing.assert_allclose(*(path[name] for path in paths), rtol=0, atol=1e-12)
    np.testing.assert_allclose(paths[0]["B.Fx"], -paths[0].values, rtol=0, atol=1e-9)  # of the pin, on the second rod
    assert "over u, from 0 N to 10 N" in repr(paths[0]) and paths[0].plot("B.Fx").axes[0].get_xlabel() == "u [N]"
    laws = [mbs.linearize(model, over=("u", [0.0, 5.0, 10.0])) for model in (driven, held)]
    assert laws[0].unit == laws[1].unit == "N"
    for one, other in zip(*(path.systems for path in laws), strict=True):
        np.testing.assert_allclose(one.K, other.K, rtol=0, atol=1e-12)


def test_wrong_names_of_paths_are_answered_with_parameters_and_inputs():
    model = chain(lambda m: m.input("pull_on_two", 1.0, unit="N"))
    for verb, kinds in ((mbs.equilibrium, "parameter or input"), (mbs.linearize, "parameter, input or quantity")):
        with refused("unknown-name", mentions=[kinds, "pull_two", "pull_on_two"]):
            verb(model, over=("pull_two", [0.0, 1.0]))
    with refused("not-a-parameter", argument="parameter", kind="input", mentions="chain"):
        mbs.sweep(model, "pull_on_two", [0.0, 1.0])
