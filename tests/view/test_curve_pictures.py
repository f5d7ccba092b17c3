"""Pictures of curves that were followed: a colour for each branch, dead points, branch points, ends."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

RODS = {"crank": "AB", "coupler": "BC", "rocker": "CD"}


def four_bar(B, C):
    model = mbs.PlanarModel.from_points({"A": (0, 0), "B": B, "C": C, "D": (1, 0)}, rods=RODS, fixed="AD")
    model.bodies["coupler"].marker("P", 0.1, 0.3)
    return model


@pytest.fixture(scope="module")
def rocking():
    return mbs.follow(four_bar((0.6, 0), (0.825, 0.662)), "crank.angle")


def labels(ax):
    return [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]


def test_branches_meet_in_dead_points(rocking):
    figure = rocking.plot("rocker.angle")
    (ax,) = figure.axes
    assert ax.get_xlabel() == "crank.angle [rad]" and ax.get_ylabel() == "rocker.angle [rad]"
    assert labels(ax) == ["branch 0", "branch 1", "dead point"]
    dots = next(line for line in ax.lines if line.get_label() == "dead point")
    assert sorted(dots.get_xdata()) == sorted(point.value for point in rocking.dead_points)
    for line in ax.lines[:3]:  # branch 0 is drawn in two pieces, since the curve begins on it
        ends = np.array([line.get_xdata()[[0, -1]], line.get_ydata()[[0, -1]]])
        assert min(np.abs(ends - dot[:, None]).max(axis=0).min() for dot in np.array(dots.get_data()).T) < 1e-12


def test_coupler_curves_of_several_curves_are_told_apart():
    points = four_bar((0.4, 0.3), (1.4, 0.3))
    parallel = mbs.follow(points, "crank.angle")
    crossed = mbs.follow(points, "crank.angle", start=parallel.branch_points[0])
    (ax,) = parallel.plot_path("coupler.P", beside=crossed).axes
    assert labels(ax) == ["curve 1, branch 0", "curve 2, branch 0", "branch point"]
    assert ax.get_aspect() == 1.0 and ax.get_title() == "coupler.P"


def test_ends_of_an_open_curve_are_marked():
    model = four_bar((0.6, 0), (0.825, 0.662))
    model.add(mbs.Stop("buffer", mbs.angle(model.elements["A"]), lower=-0.5, upper=1.5))
    (ax,) = mbs.follow(model, "crank.angle").plot("rocker.angle").axes
    ends = next(line for line in ax.lines if line.get_label() == "end")
    assert np.allclose(sorted(ends.get_xdata()), [-0.5, 1.5], rtol=0, atol=1e-12)


def test_vectors_are_drawn_by_their_components(rocking):
    figure = rocking.plot("coupler.P")
    assert [ax.get_ylabel() for ax in figure.axes] == ["coupler.P.x [m]", "coupler.P.y [m]"]


def test_branches_have_the_numbers_that_the_curve_tells(rocking):
    (ax,) = rocking.plot("rocker.angle").axes
    line = next(line for line in ax.lines if line.get_label() == "branch 1")
    drawn = {round(float(y), 12) for y in line.get_ydata()}
    assert {round(float(y), 12) for y in rocking["rocker.angle"][rocking.branches == 1]} <= drawn


def test_vectors_and_other_things_are_refused(rocking):
    with refused("is-a-vector", argument="over", name="coupler.P"):
        rocking.plot("rocker.angle", over="coupler.P")
    with refused("unknown-choice", argument="axes", choices=["world"]):
        rocking.plot("rocker.angle", axes="crank")
    with refused("not-a-curve", argument="beside", value=1):
        rocking.plot("rocker.angle", beside=[1])
