"""Shares stacked over time: what is above the axis less what is below is the load."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs


def pushed_rod(forces):
    rod = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81)
    )
    rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 10 * mbs.t))
    for k in range(forces):
        rod.add(mbs.Force(f"push{k}", rod.bodies["rod"], (1.0 + k, -2.0 * k)))
    return rod


@pytest.fixture(scope="module")
def result():
    return mbs.inverse_dynamics(pushed_rod(2), np.linspace(0, 0.6, 31))


def areas(ax):
    return [area.get_paths()[0].vertices for area in ax.collections]


def test_panels_are_the_components_that_act(result):
    shares = result.shares("A")
    figure = shares.plot()
    assert [ax.get_ylabel() for ax in figure.axes] == ["A: $F_x$ [N]", "A: $F_y$ [N]"]  # a pin carries no moment
    assert figure.axes[-1].get_xlabel() == "t [s]"
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {*labels} == {"weight of rod", "inertia of rod", "push0", "push1", "sum"} and labels[-1] == "sum"
    (line,) = figure.axes[1].lines
    assert np.array_equal(line.get_ydata(), shares.total[:, 1])
    assert [ax.get_ylabel() for ax in result.shares("motor").plot().axes] == ["motor: effort [N m]"]


def test_what_is_above_less_what_is_below_is_the_load(result):
    shares = result.shares("A")
    (ax,) = shares.plot("Fy").axes
    parts = np.array([*shares.parts.values()])[:, :, 1]
    above, below = np.maximum(parts, 0).sum(axis=0).max(), np.minimum(parts, 0).sum(axis=0).min()
    edges = np.concatenate(areas(ax))[:, 1]
    assert edges.max() == pytest.approx(above) and edges.min() == pytest.approx(below)


def test_the_smallest_of_many_sources_are_drawn_as_one():
    figure = mbs.inverse_dynamics(pushed_rod(20), np.linspace(0, 0.6, 5)).shares("A").plot()
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(labels) == 13 and labels[-2:] == ["11 others", "sum"]


def test_one_time_is_drawn_as_bars():
    (first, second) = mbs.inverse_dynamics(pushed_rod(1), [0]).shares("A").plot().axes
    assert first.patches and second.patches


def test_only_components_can_be_drawn(result):
    with refused("unknown-name", kind="component", name="Fz"):
        result.shares("A").plot("Fz")
