"""What who uses it for the first time writes, and is told."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs
from mbs_dae.errors import ModelError


@pytest.mark.parametrize(
    ("value", "unit", "remedy"),
    [
        (50, "mm", ("unit-not-of-si", "a", "m", "unit=", "0.05", "SI")),
        (90, "deg", ("unit-not-of-si", "a", "rad", "unit=", "1.5708", "SI")),
        (60, "°", ("unit-not-of-si", "a", "rad", "unit=", "1.0472", "SI")),
        (30, "rpm", ("unit-not-of-si", "a", "rad/s", "unit=", "3.14159", "SI")),
        (2, "kN/mm", ("unit-not-of-si", "a", "N/m", "unit=", "06", "SI")),
        (3, "kg cm²", ("unit-not-of-si", "a", "kg m²", "unit=", "0.0003", "SI")),
        (4, "mm^2", ("unit-not-of-si", "a", "unit=", "4e-06", "SI")),
        (1, "lb", ("unit-not-of-si", "a", "kg", "unit=", "0.453592", "SI")),
    ],
)
def test_values_are_in_si(value, unit, remedy):
    with refused(remedy[0], mentions=remedy[1:]):
        mbs.PlanarModel("bench").parameter("a", value, unit=unit)


def test_units_of_states_and_inputs_are_those_of_si():
    model = mbs.PlanarModel("bench")
    with refused("unit-not-of-si", owner="state 'i'", unit="mA", si_unit="A", factor=0.001):
        model.state("i", unit="mA")
    with refused("unit-not-of-si", owner="input 'push'", unit="kN"):
        model.input("push", 4.0, unit="kN")
    for unit in ("m", "N m", "kg m²", "N m s/rad", "1/s", "°C", "kg m^2/s", "", "%", "mol", "Hz"):
        assert mbs.PlanarModel("bench").parameter("a", 1.0, unit=unit).name == "a"


@pytest.fixture
def model():
    rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    points = {"A": (0, 0), "B": (0, 1), "C": (3, 3), "D": (4, 0)}
    model = mbs.PlanarModel.from_points(points, rods, fixed="AD")
    model.bodies["coupler"].marker("P", 0.5, 0.5)
    model.add(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["crank"]), np.pi / 2 - mbs.t))
    return model


@pytest.fixture
def turning(model, interpreted_kernels):
    return mbs.kinematics(model, [0, 0.1, 0.3])


def test_curves_over_another_quantity(turning):
    panel = turning.plot("rocker.angle", "coupler.angle", over="crank.angle").axes[-1]
    assert panel.get_xlabel() == "crank.angle [rad]"
    for line in panel.lines:
        assert np.array_equal(line.get_xdata(), turning["crank.angle"])
    vector = turning.plot("rocker.C.v", over="crank.angle").axes[0]
    assert len(vector.lines) == 3 and np.array_equal(vector.lines[0].get_xdata(), turning["crank.angle"])
    with refused("is-a-vector", argument="over", name="crank.B", mentions="crank.B.x"):
        turning.plot("rocker.angle", over="crank.B")
    with refused("not-a-name", argument="over"):
        turning.plot("rocker.angle", over=turning.t)
    with refused("unknown-name", near=["crank.angle"]):
        turning.plot("rocker.angle", over="crank.angel")


def test_arrays_and_calls_in_place_of_names(turning):
    with refused("not-a-name", method="plot"):
        turning.plot(turning["rocker.angle"])
    with refused("is-a-call", call="transmission_angle('B', 'C', 'D')", name="transmission_angle"):
        turning["transmission_angle"]
    with refused("is-a-call", call="camber('upright.hub')", name="hub.camber"):
        turning.plot("hub.camber")


def test_points_are_named_with_their_body(turning):
    for draw in (lambda name: turning.draw(trace=name), turning.plot_path):
        with refused("unknown-name", kind="point", name="P", near=["coupler.P"]):
            draw("P")
        with refused("not-a-point", name="B", mentions="coupler.B"):
            draw("B")


def test_of_many_names_some_are_listed(turning):
    listed = r"no quantity 'zzz'; use one of: .*, ... \(\d+ in all; result.names lists them\)$"
    with pytest.raises(ModelError, match=listed) as told:
        turning["zzz"]
    assert len(str(told.value)) < 300


@pytest.mark.parametrize(
    ("path", "choice", "message"),
    [
        ("x.html", {"nope": 1}, ("unknown-name", "nope", "choices", "plots", "trace", "view", "speed", "live")),
        ("x.svg", {"live": True}, ("unknown-name", "live", "choices", "fps", "speed", "trace", "size", "view")),
        ("x.csv", {"fps": 5}, ("not-supported", "fps")),
    ],
)
def test_choices_that_a_file_does_not_take(turning, tmp_path, path, choice, message):
    with refused(message[0], mentions=message[1:]):
        turning.save(tmp_path / path, **choice)


def test_a_driver_that_leaves_no_freedom_is_taken_away(model, interpreted_kernels):
    for initial in ({"crank.omega": 3}, {"crank.angle": 0.3}):
        with refused(("contradictory-constraints", "does-not-assemble"), mbs.MbsError, mentions="motor"):
            mbs.assemble(model, fix=initial)
