"""What workspaces are asked that they cannot answer: told with the names, the cause and the remedy."""

from __future__ import annotations

import numpy as np
import pytest
from designs import slider_crank_in_slot
from refusals import refused

import mbs_dae as mbs
from mbs_dae.workspaces.request import release_drivers


def five_bar() -> mbs.PlanarModel:
    points = {"A": (0, 0), "B": (-0.25, 0.55), "P": (0.5, 1.05), "C": (1.32, 0.5), "E": (1, 0)}
    rods = {"crank1": "AB", "leg1": "BP", "leg2": "PC", "crank2": "EC"}
    return mbs.PlanarModel.from_points(points, rods=rods, fixed="AE")


def arm() -> mbs.PlanarModel:
    points = {"A": (0, 0), "B": (1, 0), "C": (1.6, 0.1), "D": (1.9, 0.3)}
    return mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="A")


def driven() -> mbs.PlanarModel:
    model = five_bar()
    joints = [model.elements[name] for name in "AE"]
    return model.plus(*(mbs.Driver(f"motor{k}", mbs.angle(j), 1.0 + k) for k, j in enumerate(joints)))


ONE, TWO = (-1.0, 1.0), (0.0, 2.0)
INPUTS = {"crank1.angle": ONE, "crank2.angle": TWO}
HAND = {"leg1.P.x": (0, 1), "leg1.P.y": (0.5, 1)}


@pytest.mark.parametrize(
    ("build", "over", "more", "told"),
    [
        (five_bar, {"crank1.angle": (1, -1), "crank2.angle": TWO}, {}, ("bounds-upside-down", "-1")),
        (five_bar, {"crank1.angle": 3.0, "crank2.angle": TWO}, {}, ("wrong-length",)),
        (five_bar, {"crank1.angle": ONE}, {}, ("wrong-length", "1")),
        (five_bar, {"crank1.angle": ONE, "crank2.omega": TWO}, {}, ("is-a-rate", "crank2.angle")),
        (five_bar, {"crank1.angle": ONE, "crank3.angle": TWO}, {}, ("unknown-name", "crank3.angle", "quantity")),
        (five_bar, INPUTS, {"fix": {"crank1.angle": 0.3}}, ("contradictory-arguments", "crank1.angle", "fix=")),
        (five_bar, INPUTS, {"fix": {"leg1.angle": 0.3}}, ("too-few-freedoms", "1", "2")),
        (arm, {"A.angle": ONE, "B.angle": TWO}, {}, ("too-many-freedoms", "fix=", "3", "2", "1")),
        (driven, HAND, {}, ("too-few-freedoms", "release=", "0")),
        (driven, HAND, {"release": "motor"}, ("unknown-name", "motor", "motor1", "motor0", "driver")),
        (five_bar, INPUTS, {"outputs": ("leg1.P.x", "leg1.P.y", "leg1.angle")}, ("wrong-length", "3", "2", "outputs")),
        (five_bar, INPUTS, {"step": 1.0}, ("out-of-bounds", "step")),
        (five_bar, HAND, {"inputs": "crank1.angle"}, ("not-a-list", "inputs")),
        (five_bar, HAND, {"outputs": None, "inputs": ("crank1.angle", "L")}, ("unknown-name", "L", "quantity")),
    ],
)  # fmt: skip
def test_told(build, over, more, told):
    with refused(told[0], mentions=told[1:]):
        mbs.workspace(build(), over, **more)


def test_a_region_out_of_reach_is_told_with_the_nearest_limit():
    with refused("limit-before-ranges", mbs.SingularConfigurationError, joints=["A", "B"]) as caught:
        mbs.workspace(five_bar(), {"leg1.P.x": (4, 5), "leg1.P.y": (0, 1)})
    model = five_bar()
    reach = sum(np.hypot(*np.subtract(b, a)) for a, b in (((0, 0), (-0.25, 0.55)), ((-0.25, 0.55), (0.5, 1.05))))
    hand = caught.value.pose["leg1.P"]
    assert np.isclose(np.hypot(*hand), reach, atol=1e-9) and model.name in str(caught.value)


@pytest.mark.parametrize(
    ("hand", "more", "told"),
    [
        ("nobody", {}, ("unknown-name", "nobody")),
        ("ground", {}, ("marker-on-ground", "ground")),
        ("CD.D", {"plane": "xz"}, ("unknown-choice", "plane", "xy")),
        ("CD.D", {"at": 0.1}, ("not-spatial",)),
        ("CD.D", {"limits": {"A.angle": (2, 1)}}, ("bounds-upside-down", "2", "1")),
        ("CD.D", {"limits": {"angle": (1, 2)}}, ("unknown-name",)),
    ],
)  # fmt: skip
def test_told_of_arms(hand, more, told):
    with refused(told[0], mentions=told[1:]):
        mbs.reachable_workspace(arm(), hand, **more)


def test_a_stop_of_no_joint_is_told():
    model = arm()
    height = mbs.Stop("ceiling", mbs.y(model.bodies["CD"]), upper=1.0)
    with refused("not-a-joint-coordinate", stop="ceiling"):
        mbs.reachable_workspace(model.plus(height), "CD.D")


def test_a_map_needs_one_pose_at_each_point():
    model = mbs.PlanarModel("ladder")
    l, h = model.parameter("l", 5.0, unit="m"), model.parameter("h", 4.0, unit="m")
    ladder = model.link("ladder", (3, 0), (0, 4), length=l)
    model.add(mbs.PinInSlot("floor", model.ground, ladder.tail))
    model.add(mbs.PinInSlot("wall", model.ground.at(0, h, np.pi / 2), ladder.head))
    found = mbs.workspace(model, {"l": (4, 6), "h": (3, 4)}, step=0.25)
    with refused("too-many-freedoms", freedoms=1):
        found.map(5)
    with refused("outside-all-regions", names=["l", "h"]):
        found.at(7, 3)


def test_a_misspelt_parameter_is_told_with_those_that_there_are():
    model = mbs.PlanarModel("rod")
    length = model.parameter("reach", 1.0, unit="m")
    model.add(mbs.Revolute("A", model.ground, model.link("rod", (0, 0), (1, 0), length=length).tail))
    with refused("unknown-name", kind="quantity", name="raech", near=["reach"]):
        mbs.workspace(model, {"raech": (0.5, 1.0), "rod.angle": ONE})


@pytest.mark.parametrize("points", ["a", None, [(1, 2, 3)], [], [(np.nan, 0)], 1.0])
def test_points_are_pairs_of_numbers(points):
    ring = mbs.reachable_workspace(arm(), "CD.D", limits={"A.angle": ONE, "B.angle": TWO, "C.angle": ONE}, step=0.25)
    with refused("wrong-shape", argument="points"):
        ring.contains(points)


def test_what_a_driver_that_is_let_go_drove_keeps_its_name():
    left = release_drivers(driven(), ("motor0.angle",), None, 0.0)
    assert [one.name for one in left.drivers] == ["motor1"]
    assert left.quantity("motor0.angle")[0].units[0] == "rad"


def test_a_parameter_keeps_to_values_that_make_sense_to_the_model():
    with refused("no-model-in-range", argument="over", name="r", mentions="crank"):
        mbs.workspace(slider_crank_in_slot(), over={"r": (-0.1, 0.4), "l": (0.05, 0.4)})


def test_a_curve_of_poses_has_no_rates_and_a_map_no_other_quantities():
    found = mbs.workspace(slider_crank_in_slot(), over={"r": (0.0, 0.4), "l": (0.05, 0.4)})
    with refused("is-a-rate", name="crank.omega"):
        found.curves[0]["crank.omega"]
    numbers = mbs.workspace(five_bar(), {"crank1.angle": (1.5, 2.0), "crank2.angle": (0.8, 1.2)}).map(3)
    with refused("unknown-name", mbs.MbsError, kind="quantity", name="dexterty"):
        numbers.meaning("dexterty")


@pytest.mark.parametrize("other", [np.nan, True, 1.5, object(), np.array([1, 2])])
def test_names_and_seeds_are_nothing_else(other):
    for more in ({"outputs": other}, {"release": other}):
        with refused(("not-a-list", "wrong-type")):
            mbs.workspace(five_bar(), INPUTS, **more)
    with refused("not-an-integer", least=0):
        mbs.reachable_workspace(arm(), "CD.D", seed=other)


def test_limits_in_degrees_are_told():
    arm = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0), "C": (1.5, 0.1)}, rods=["AB", "BC"], fixed="A")
    free = mbs.reachable_workspace(arm, "BC.C")
    found = mbs.reachable_workspace(arm, "BC.C", limits={"B.angle": (-120.0, 0.0)})
    assert not free.notes and np.isclose(found.area, free.area, rtol=1e-6)
    assert "limits of 'B.angle', -120 and 0 rad, are a whole turn apart" in found.notes[-1]


def test_limits_far_from_zero_may_be_degrees():
    """The limits 10 and 12 rad are those of -2.57 and -0.57, for whole turns of a joint do not count."""
    points = {"A": (0, 0), "B": (0.4, 0), "C": (0.7, 0.1)}
    arm = mbs.PlanarModel.from_points(points, rods={"a": "AB", "b": "BC"}, fixed="A")
    far = mbs.reachable_workspace(arm, "b.C", limits={"A.angle": (10, 12)})
    assert any("more than a whole turn from zero; if degrees are meant, write np.radians" in note for note in far.notes)
    near = mbs.reachable_workspace(arm, "b.C", limits={"A.angle": (10 - 4 * np.pi, 12 - 4 * np.pi)})
    assert not any("degrees" in note for note in near.notes) and near.area == pytest.approx(far.area, rel=1e-9)


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1e300), (-1e300, 1.0), (-1.0, 1e20)])
def test_a_range_far_beyond_the_mechanism_is_refused(low, high):
    with refused("out-of-bounds", argument="over", name="CD.D.x"):
        mbs.workspace(arm(), {"CD.D.x": (low, high), "CD.D.y": (-1, 1)}, fix={"AB.angle": 0.1})
