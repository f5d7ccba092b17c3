"""What an ensemble varies: grids, rows, samples; and everything wrong, by name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import stats

import mbs_dae as mbs
from mbs_dae.ensembles.designs import designs
from mbs_dae.errors import ModelError


@pytest.fixture(scope="module")
def model():
    """A crank with a motor, whose current is a state."""
    model = mbs.PlanarModel("crank")
    r = model.parameter("r", 0.1, unit="m")
    model.parameter("l", 0.3, unit="m")
    crank = model.link("crank", (0, 0), (0.1, 0), length=r, mass=1.0)
    model.add(mbs.Revolute("A", model.ground, crank.tail))
    volts = model.input("volts", 2.0, unit="V")
    model.state("current", rate=lambda i: volts - i, unit="A")
    return model


# --- grids ---


def test_a_grid_is_the_product_and_the_last_name_changes_first(model):
    found = designs(model, {"r": [0.1, 0.2], "crank.omega": 5, "l": (1, 2, 3)})
    assert found.names == ("r", "crank.omega", "l") and len(found) == 6
    assert found["l"].tolist() == [1, 2, 3, 1, 2, 3] and found["r"].tolist() == [0.1] * 3 + [0.2] * 3
    assert (found["crank.omega"] == 5).all() and found.row(4) == {"r": 0.2, "crank.omega": 5.0, "l": 2.0}
    assert {name: axis.tolist() for name, axis in found.axes.items()} == {"r": [0.1, 0.2], "l": [1, 2, 3]}
    values = found.values.reshape(2, 3, 3)
    assert (values[:, :, 0] == found.axes["r"][:, None]).all() and (values[:, :, 2] == found.axes["l"]).all()


def test_one_design_is_an_ensemble_of_one(model):
    found = designs(model, {"r": 0.1})
    assert (len(found), found.axes) == (1, None)


def test_symbols_stand_for_their_names(model):
    r, omega = model.parameters["r"], model["crank.omega"]
    assert designs(model, {r: [1, 2], omega: 1, "current": 0}).names == ("r", "crank.omega", "current")
    assert designs(model, {r.symbol: 1}).names == ("r",)


# --- rows ---

ROWS = [{"r": 0.1, "l": 0.3}, {"l": 0.4, "r": 0.2}]


@pytest.mark.parametrize("rows", [ROWS, tuple(ROWS), pd.DataFrame(ROWS), pd.DataFrame(ROWS, index=[7, 3])], ids=type)
def test_rows_are_members(model, rows):
    found = designs(model, rows)
    assert found.names == ("r", "l") and found.axes is None
    assert found.values.tolist() == [[0.1, 0.3], [0.2, 0.4]]


# --- samples ---

OVER = {"r": stats.norm(0.1, 1e-3), "l": stats.uniform(0.3, 0.1), "crank.omega": 2}


@pytest.mark.parametrize("method", ["random", "latin", "sobol", "halton"])
def test_the_same_seed_gives_the_same_numbers(model, method):
    first, again, other = (mbs.samples(OVER, 100, method=method, seed=seed) for seed in (1, 1, 2))
    assert (first.values == again.values).all()
    assert not (first.values[:, :2] == other.values[:, :2]).any()
    assert (designs(model, first).values == first.values).all()


def test_a_random_name_does_not_depend_on_the_others():
    """Nor on how many members there are: studies of one thing and of two compare member by member."""
    alone = mbs.samples({"r": OVER["r"]}, 50, seed=3)["r"]
    assert (mbs.samples({"l": OVER["l"], "r": OVER["r"]}, 200, seed=3)["r"][:50] == alone).all()
    assert not np.isclose(mbs.samples({"a": OVER["r"], "b": OVER["r"]}, 50, seed=3).values[:, 0], alone).any()


def test_count_and_seed_draw_at_random(model):
    assert (designs(model, OVER, count=30, seed=4).values == mbs.samples(OVER, 30, seed=4).values).all()
    assert (designs(model, OVER, count=30).values == mbs.samples(OVER, 30).values).all()


@pytest.mark.parametrize("method", ["random", "latin", "sobol", "halton"])
@pytest.mark.parametrize("law", [stats.norm(3, 0.1), stats.uniform(2, 3), stats.expon(0, 2), stats.Normal(mu=3)])
def test_what_is_drawn_has_its_distribution(method, law):
    """By the largest difference of the distribution functions (Kolmogorov and Smirnov)."""
    values = mbs.samples({"x": law}, 1000, method=method)["x"]
    assert stats.kstest(values, law.cdf).statistic < {"random": 0.05}.get(method, 0.003)


def test_even_points_fill_the_square():
    """Each quarter of it has a quarter of the members, to within a few."""
    drawn = mbs.samples({name: stats.uniform(0, 1) for name in "xy"}, 4096, method="sobol").values > 0.5
    assert [(drawn == corner).all(axis=1).sum() for corner in np.ndindex(2, 2)] == [1024] * 4


def test_whole_numbers_can_be_drawn():
    assert {*mbs.samples({"n": stats.randint(1, 4)}, 100)["n"]} == {1.0, 2.0, 3.0}


@pytest.mark.parametrize("sigmas", [3, 2])
def test_a_normal_tolerance(sigmas):
    """With k standard deviations to its limits, erfc(k/√2) of all parts are beyond them."""
    values = mbs.samples({"r": mbs.Tolerance(0.1, plus_minus=6e-4, sigmas=sigmas)}, 2**14, method="sobol")["r"]
    assert values.std() == pytest.approx(6e-4 / sigmas, rel=2e-3) and values.mean() == pytest.approx(0.1, abs=1e-7)
    beyond = (abs(values - 0.1) > 6e-4).mean()
    assert beyond == pytest.approx(2 * stats.norm.cdf(-sigmas), abs=2e-4)


def test_a_uniform_tolerance_keeps_its_limits():
    off = mbs.samples({"r": mbs.Tolerance(-1, plus_minus=0.2, distribution="uniform")}, 5000)["r"] + 1
    assert 0.199 < abs(off).max() <= 0.2 and off.std() == pytest.approx(0.2 / np.sqrt(3), rel=0.03)


# --- what is refused ---

R = mbs.Tolerance(0.1, plus_minus=1e-3)
REFUSED = {
    "a misspelt parameter": ({"rr": [1]}, {}, "has no parameter or initial value 'rr'; did you mean 'r'?"),
    "a misspelt rate": ({"crank.omga": 1}, {}, "did you mean 'crank.omega'?"),
    "an acceleration": ({"crank.alpha": [1]}, {}, "'crank.alpha', an acceleration"),
    "an input": ({"volts": [1]}, {}, "'volts' of model 'crank' is an input"),
    "nan": ({"r": [1, np.nan]}, {}, "over['r'][1] is nan"),
    "inf": ({"r": np.inf}, {}, "over['r'] is inf"),
    "nan in a table": (pd.DataFrame({"r": [1, 2, None]}), {}, "over['r'][2] is nan"),
    "nothing": ({}, {}, "over= must be a dict of names"),
    "no rows": ([], {}, "over= takes a dict of names, a list of dicts"),
    "no columns": (pd.DataFrame(), {}, "over= has no names to vary"),
    "no values": ({"r": []}, {}, "over['r'] is empty"),
    "no rows in a table": (pd.DataFrame({"r": []}), {}, "over['r'] is empty"),
    "text": ({"r": "0.1"}, {}, "over['r'] must be a number, a list of numbers or a distribution, not '0.1'"),
    "texts": ({"r": ["0.1", "0.2"]}, {}, "over['r'][0] must be a number, not '0.1'; write it without quotes"),
    "truth": ({"r": [True]}, {}, "over['r'][0] must be a number"),
    "an array of two dimensions": ({"r": np.ones((2, 2))}, {}, "over['r'] has the shape (2, 2)"),
    "masked": ({"r": np.ma.array([1, 2], mask=[0, 1])}, {}, "over['r'] is masked in part"),
    "an array for all": (np.ones(3), {}, "over= takes a dict of names"),
    "a name twice": ({"r": 1, mbs.PlanarModel("m").parameter("r", 1): 2}, {}, "over= names 'r' twice"),
    "a column twice": (pd.DataFrame([[1, 2]], columns=["r", "r"]), {}, "two columns 'r'"),
    "a row without a name": ([{"r": 1, "l": 1}, {"r": 1}], {}, "over[1] has no 'l', which over[0] has"),
    "a row with another name": ([{"r": 1}, {"r": 1, "l": 1}], {}, "over[1] has 'l', which over[0] has not"),
    "a list in a row": ([{"r": [1, 2]}], {}, "over[0]['r'] is a list"),
    "an endless grid": ({"r": range(100_000), "l": range(100_000)}, {}, "a grid of 100000 x 100000 has 1e+10 members"),
    "no count": ({"r": R}, {}, "count=1000"),
    "a count of a grid": ({"r": [1, 2]}, {"count": 3}, "count= is for distributions"),
    "a seed of a grid": ({"r": [1, 2]}, {"seed": 3}, "seed= is for distributions"),
    "a count of samples": (mbs.samples({"r": R}, 2), {"count": 3}, "count= is for distributions"),
    "no member": ({"r": R}, {"count": 0}, "count must be a positive whole number, not 0"),
    "half a member": ({"r": R}, {"count": 1.5}, "count must be a positive whole number, not 1.5"),
    "a seed below 0": ({"r": R}, {"count": 2, "seed": -1}, "seed must be a whole number, 0 or larger"),
    "values and samples": ({"r": R, "l": [1, 2]}, {"count": 2}, "over['l'] is 2 values, but 'r' is drawn"),
    "a family": ({"r": stats.norm}, {"count": 2}, "over['r'] is a family of distributions"),
    "a class": ({"r": stats.Normal}, {"count": 2}, "over['r'] is a family of distributions"),
    "a scale of 0": ({"r": stats.norm(1, -1)}, {"count": 2}, "the distribution of 'r' gives no finite numbers"),
    "many at once": ({"r": stats.norm([1, 2], 1)}, {"count": 3}, "the distribution of 'r' gives no finite numbers"),
    "correlated": ({"r": stats.multivariate_normal([0, 1])}, {"count": 2}, "over['r'] is a distribution of several"),
}


@pytest.mark.parametrize("over, how, message", REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_refused_by_name(model, over, how, message):
    with pytest.raises(ModelError) as error:
        designs(model, over, **how)
    assert message in str(error.value)


TOLERANCES = {
    "no width": ({"plus_minus": 0}, "plus_minus of a Tolerance is 0"),
    "nan": ({"plus_minus": np.nan}, "plus_minus of a Tolerance is nan"),
    "a text": ({"nominal": "H7"}, "the nominal value of a Tolerance must be a number"),
    "another law": ({"distribution": "gauss"}, "distribution of a Tolerance is 'gauss'; choose one of 'normal'"),
    "no sigma": ({"sigmas": 0}, "sigmas of a Tolerance is 0"),
}


@pytest.mark.parametrize("change, message", TOLERANCES.values(), ids=TOLERANCES)
def test_a_tolerance_that_is_none(change, message):
    with pytest.raises(ModelError) as error:
        mbs.Tolerance(**{"nominal": 0.1, "plus_minus": 1e-3} | change)
    assert message in str(error.value)


def test_samples_need_a_distribution_and_a_method():
    with refused("no-distributions", argument="over", names=["r"]):
        mbs.samples({"r": 1}, 3)
    with refused("unknown-choice", argument="method of samples", value="monte carlo", mentions="random"):
        mbs.samples({"r": R}, 3, method="monte carlo")


def test_what_is_drawn_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        mbs.samples({"r": R}, 3).values[0] = 1
