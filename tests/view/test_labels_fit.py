"""Labels of panels are no longer than panels are high, curves are told apart, and planes have one unit."""

import numpy as np
import pytest

import mbs_dae as mbs

TRADE = mbs.units("deg", "mm", "rpm", "bar")


def spun():
    rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
    rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
    return rod


def swinging(outputs):
    rod = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0, -0.3)}, rods={"rod": "AB"}, fixed="A", mass=1, gravity=(0, -9.81)
    )
    torque = rod.input("u", 0.0, unit="N m")
    rod.add(mbs.Torque("push", rod.elements["A"], torque), mbs.ViscousFriction("oil", rod.elements["A"], 0.01))
    return mbs.linearize(rod, inputs=["u"], outputs=outputs)


def check_labels(figure):
    figure.canvas.draw()
    edges = [ax.yaxis.label.get_window_extent() for ax in figure.axes]
    for ax, box in zip(figure.axes, edges, strict=True):
        assert box.height <= 1.15 * ax.get_window_extent().height, ax.get_ylabel()
    for above, below in zip(edges, edges[1:], strict=False):
        assert above.y0 > below.y1


@pytest.mark.parametrize("units", [None, TRADE])
def test_labels_of_panels_do_not_meet(units):
    result = mbs.kinematics(spun(), np.linspace(0, 1, 11))
    figure = result.plot("rod.angle", "rod.omega", "rod.alpha", "rod.B.x", "rod.B.vx", "rod.B.ax", units=units)
    check_labels(figure)
    assert figure.axes[2].get_ylabel() == f"angular acceleration\n[{'rad/s²' if units is None else 'deg/s²'}]"


def test_bode_tells_all_curves_apart():
    names = ["rod.angle", "rod.omega", "rod.alpha", "rod.B.x", "rod.B.vx", "rod.B.y", "rod.B.vy", "A.omega"]
    law = swinging(names)
    for units in (None, TRADE):
        figure = law.bode([1.0, 5.0, 20.0], units=units)
        check_labels(figure)
        lines = figure.axes[-1].lines
        assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(names)
        assert len({line.get_linestyle() for line in lines[:3]}) == 3  # told apart without colours, too
        (legend,) = figure.legends
        assert [text.get_text() for text in legend.get_texts()] == [line.get_label() for line in lines]
    assert not law.bode([1.0, 5.0]).axes[0].lines[0].get_label().startswith("_")
    assert swinging(["rod.angle"]).bode([1.0, 5.0]).legends == []


@pytest.mark.parametrize("unit, size", [("Hz", 2 * np.pi), ("rpm", np.pi / 30), (None, 1.0)])
def test_eigenvalues_have_one_unit_on_both_axes(unit, size):
    law = swinging(["rod.angle"])
    (ax,) = law.plot(units=unit).axes
    (cross,) = (line for line in ax.lines if line.get_marker() == "x")
    (found,) = (value for value in law.eigenvalues if value.imag > 0.0)
    assert [*cross.get_xdata(), *cross.get_ydata()] == pytest.approx([found.real / size, found.imag / size])
    words = ("1/s", "rad/s") if unit is None else (unit, unit)
    assert [ax.get_xlabel(), ax.get_ylabel()] == [rf"Re $\lambda$ [{words[0]}]", rf"Im $\lambda$ [{words[1]}]"]


def test_one_branch_needs_no_legend():
    crank = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, rods={"crank": "AB"}, fixed="A")
    curve = mbs.follow(crank, "crank.angle")
    assert all(
        ax.get_legend() is None
        for figure in (curve.plot("crank.B.y"), curve.plot_path("crank.B"))
        for ax in figure.axes
    )
