"""Angles in space count turns: from any reference angle, about any axis, for drivers, springs, gears and screws."""

import numpy as np
import pytest
import sympy as sp
from gallery import load
from refusals import refused

import mbs_dae as mbs

ANGLES = (0.0, 0.4, -2.0, 3.0, np.pi, -np.pi, np.pi - 1e-12, -np.pi + 1e-9)
AXES = ((0, 1, 0), (0, 0, -1), (1, 2, -2))


def hinged(angle: float, axis: tuple[int, int, int], swapped: bool = False) -> tuple[mbs.SpatialModel, mbs.Revolute]:
    """A body on a hinge, placed at an angle about its axis; with the ground as first or as second body."""
    model = mbs.SpatialModel("hinged", gravity=(0.3, 0.2, -9.81))
    frame = mbs.rotations.frame(axis)
    turned = mbs.rotations.about(axis, angle) @ frame
    wheel = model.body("wheel", 1.0, (0.1, 0.2, 0.25), com=(0.02, 0.01, 0.05), rotation=turned)
    ends = model.ground.at(0, 0, 0, rotation=frame), wheel.at(0, 0, 0)
    hinge = model.add(mbs.Revolute("hinge", *(reversed(ends) if swapped else ends)))
    return model, hinge


USES = {
    "TorsionSpring": lambda i, j: mbs.TorsionSpring("use", i, j, stiffness=1.0),
    "ViscousFriction": lambda i, j: mbs.ViscousFriction("use", i, j, coefficient=1.0),
    "Motor": lambda i, j: mbs.Motor("use", i, j, torque=1.0),
    "Driver": lambda i, j: mbs.Driver("use", mbs.angle(i, j), mbs.t),
    "RackAndPinion": lambda i, j: mbs.RackAndPinion("use", j, i, radius=0.1),
    "Constraint": lambda i, j: mbs.Constraint("use", i, j, phi=lambda i, j: mbs.primitives.turn(i, j)),
}


def two_bodies(*joints: str) -> mbs.SpatialModel:
    """Bodies a at the origin and b at (1, 0, 0), without weight."""
    model = mbs.SpatialModel("two bodies")
    a, b = model.body("a", 1.0, (1, 2, 2.5)), model.body("b", 1.0, (1, 2, 2.5), position=(1, 0, 0))
    between = {
        "hinge": lambda: mbs.Revolute("hinge", model.ground, a),
        "hinge across": lambda: mbs.Revolute("hinge", model.ground, a, at=(0, 0, 0), axis=(0, 1, 0)),
        "parallel hinge": lambda: mbs.Revolute("second", a, b, at=(1, 0, 0), axis=(0, 0, 1)),
        "opposite hinge": lambda: mbs.Revolute("second", a, b, at=(1, 0, 0), axis=(0, 0, -1)),
        "skew hinge": lambda: mbs.Revolute("second", a, b, at=(1, 0, 0), axis=(0.01, 0, 1)),
        "slide": lambda: mbs.Translational("second", a, b, at=(1, 0, 0), axis=(1, 0, 0)),
        "ball": lambda: mbs.Spherical("second", a, b, at=(1, 0, 0)),
        "face": lambda: mbs.Planar("face", model.ground, b, at=(1, 0, 0), axis=(0, 0, 1)),
    }
    model.add(*(between[name]() for name in joints))
    return model


FREE = [(), ("hinge across",), ("ball",), ("hinge", "skew hinge"), ("hinge", "ball")]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("joints", FREE, ids=str)
def test_an_angle_without_an_axis_is_refused_at_the_start(joints, use):
    """By name, whatever uses it; and before anything is integrated."""
    model = two_bodies(*joints)
    body = model.bodies["a" if joints == ("hinge across",) else "b"]
    model.add(USES[use](model.ground, body))
    message = f"^{use} 'use' of 'two bodies' needs an angle about one axis, but the z axes of .*ground.* do not stay "
    if joints == ("hinge across",) and use in ("Driver", "RackAndPinion", "Constraint"):
        message = "use"  # it contradicts the hinge besides
    with pytest.raises(mbs.MbsError, match=message) as caught:
        mbs.simulate(model, [0, 1e9])
    assert "use" in caught.value.joints


@pytest.mark.parametrize("axis", [(0.5, 0, 1), (0, 0, -1)], ids=str)
def test_an_angle_of_axes_that_are_not_parallel_is_refused(axis):
    model = two_bodies("hinge")
    model.add(mbs.TorsionSpring("twist", model.ground.at(0, 0, 0, axis=axis), model.bodies["a"], stiffness=1.0))
    apart = {0: "180", 0.5: "26.6"}[axis[0]]
    with refused("axes-not-parallel", mentions=apart):
        mbs.simulate(model, [0, 1])


PARALLEL = [("hinge", "parallel hinge"), ("hinge", "opposite hinge"), ("hinge", "slide"), ("hinge", "ball", "face")]


@pytest.mark.parametrize("use", ["TorsionSpring", "ViscousFriction", "Motor", "Driver"])
@pytest.mark.parametrize("joints", PARALLEL, ids=str)
def test_an_angle_across_several_joints_is_good_if_they_keep_its_axes_parallel(joints, use):
    model = two_bodies(*joints)
    model.add(USES[use](model.ground, model.bodies["b"]))
    result = mbs.simulate(model, np.linspace(0, 2, 21), {} if use == "Driver" else {"b.wz": 1.0})
    turned = np.arctan2(*(result.rotation("b")[:, k, 0] for k in (1, 0)))
    assert np.ptp(result["use.angle"]) > 0.3
    np.testing.assert_allclose(np.cos(result["use.angle"] - turned), 1, rtol=0, atol=1e-9)


def test_the_platform_of_a_delta_robot_keeps_its_axes():
    """Three parallelograms do, no single joint: it takes the rank to see."""
    file = load("delta_robot")
    model = file.build()
    platform = next(body for name, body in model.bodies.items() if "platform" in name)
    model.add(mbs.TorsionSpring("twist", model.ground, platform, stiffness=5.0, angle=0.3))
    result = mbs.kinematics(model, np.linspace(0, 0.5, 21))
    np.testing.assert_allclose(result["twist.angle"], result["twist.angle"][0], rtol=0, atol=1e-9)


def test_axes_that_are_driven_apart_are_refused():
    """Rank alone cannot say: a driven hinge leaves no freedom at all. Its rate can."""
    model = two_bodies("hinge across")
    hinge, a, b = model.elements["hinge"], model.bodies["a"], model.bodies["b"]
    second = mbs.Revolute("second", a, b, at=(1, 0, 0), axis=(0, 1, 0))
    model.add(second, mbs.Driver("one", mbs.angle(hinge), mbs.t), mbs.Driver("other", mbs.angle(second), -mbs.t))
    level = model.plus(USES["TorsionSpring"](model.ground, b))  # the two turns cancel
    assert mbs.kinematics(level, [0, 1]).success
    tilting = model.plus(USES["TorsionSpring"](model.ground, a))
    with refused("axes-not-parallel", fault="do not stay parallel", joints=["use"]):
        mbs.kinematics(tilting, [0, 1])


def test_turns_that_lost_their_meaning_on_the_way_are_told():
    """From rest nothing shows at the start: a body is driven about an axis half way between those of two markers."""
    model = mbs.SpatialModel("tumbling")
    body = model.body("body", 1.0, (1, 2, 2.5))
    hinge = mbs.Revolute("hinge", model.ground, body, at=(0, 0, 0), axis=(0, 1, 1))
    model.add(hinge, mbs.Driver("motor", mbs.angle(hinge), mbs.t**2))
    model.add(mbs.ViscousFriction("air", model.ground, body, coefficient=1e-6))
    with refused("turns-not-counted", mbs.IntegrationError, joints=["air"]):
        mbs.kinematics(model, np.linspace(0, 4, 200))


def is_continuous(result: mbs.Result, name: str = "hinge") -> bool:
    """The angle goes on as its rate says, to a tenth of a radian."""
    rate, step = result[f"{name}.omega"], np.diff(result.t)
    return bool(np.abs(np.diff(result[f"{name}.angle"]) - step * (rate[1:] + rate[:-1]) / 2).max() < 0.1)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("angle", ANGLES)
def test_an_angle_is_continuous_from_any_reference(angle, axis, swapped):
    model, _ = hinged(angle, axis, swapped)
    result = mbs.simulate(model, np.linspace(0, 5, 501), initial={"hinge.omega": 12.0})
    sign = -1 if swapped else 1
    off = result["hinge.angle"][0] - sign * angle
    assert abs(off - 2 * np.pi * round(off / (2 * np.pi))) < 1e-8
    assert np.ptp(result["hinge.angle"]) > 6 * np.pi
    assert is_continuous(result)


@pytest.mark.parametrize("angle", ANGLES)
def test_a_spring_at_rest_stays_at_rest(angle):
    model, hinge = hinged(angle, (1, 2, -2))
    model.add(mbs.TorsionSpring("spring", hinge, stiffness=0.7))
    model.gravity = (0, 0, 0)  # without weight nothing moves it
    result = mbs.simulate(model, np.linspace(0, 3, 31))
    np.testing.assert_allclose(result["hinge.angle"], result["hinge.angle"][0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("angle", ANGLES)
def test_a_driver_goes_on_from_any_reference(angle):
    model, hinge = hinged(angle, (0, 1, 0))
    start = mbs.assemble(model)["hinge.angle"]
    model.add(mbs.Driver("motor", mbs.angle(hinge), start - 3 * mbs.t))
    for analysis in (mbs.kinematics, mbs.simulate):
        result = analysis(model, np.linspace(0, 7, 50))
        np.testing.assert_allclose(result["hinge.angle"], start - 3 * result.t, rtol=0, atol=1e-6)


@pytest.mark.parametrize("angle", ANGLES)
def test_gears_and_screws_turn_on_from_any_reference(angle):
    model, hinge = hinged(angle, (0, 0, -1))
    pinion = model.body("pinion", 1.0, 0.1, position=(1, 0, 0), rotation=mbs.rotations.about_x(angle))
    nut = model.body("nut", 1.0, 0.1, position=(2, 0, 0), rotation=mbs.rotations.about_z(angle))
    other = mbs.Revolute(
        "other",
        model.ground.at(1, 0, 0, axis=(1, 0, 0), x_axis=(0, 1, 0)),
        pinion.at(0, 0, 0, axis=(1, 0, 0), x_axis=(0, 1, 0)),
    )
    thread = mbs.Screw("thread", model.ground.at(2, 0, 0), nut, pitch=0.1)
    model.add(other, thread, mbs.Gear("mesh", hinge, other, ratio=sp.Rational(3, 2)))
    result = mbs.simulate(model, np.linspace(0, 4, 201), initial={"hinge.omega": 9.0, "thread.omega": -5.0})
    assert is_continuous(result) and is_continuous(result, "other") and is_continuous(result, "thread")
    turned = [result[f"{name}.angle"] - result[f"{name}.angle"][0] for name in ("hinge", "other", "thread")]
    np.testing.assert_allclose(turned[0], -1.5 * turned[1], rtol=0, atol=1e-6)
    way = result["thread.displacement"] - result["thread.displacement"][0]
    np.testing.assert_allclose(way, 0.1 * turned[2] / (2 * np.pi), rtol=0, atol=1e-8)
    assert np.abs(turned).max(axis=1).min() > 2 * np.pi
