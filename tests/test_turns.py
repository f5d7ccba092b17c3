"""Angles in space count turns: from any reference angle, about any axis, for drivers, springs, gears and screws."""

import numpy as np
import pytest
import sympy as sp

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


def test_turns_that_lost_their_meaning_are_told():
    """A free body that tumbles has no axis in common with the ground."""
    model = mbs.SpatialModel("tumbling")
    body = model.body("body", 1.0, (1, 2, 3))
    model.add(mbs.ViscousFriction("air", model.ground, body, coefficient=1e-6))
    with pytest.raises(mbs.IntegrationError, match="turns of air.*cannot be counted.*mbs.angle"):
        mbs.simulate(model, np.linspace(0, 200, 400), initial={"body.wx": 0.02, "body.wy": 1.0, "body.wz": 0.3})


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
    still = mbs.SpatialModel("still")  # without weight nothing moves it
    still.bodies.update(model.bodies)
    still.elements.update(model.elements)
    still.ground = model.ground
    result = mbs.simulate(still, np.linspace(0, 3, 31))
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
    other = mbs.Revolute("other", model.ground.at(1, 0, 0, axis=(1, 0, 0), x_axis=(0, 1, 0)),
                         pinion.at(0, 0, 0, axis=(1, 0, 0), x_axis=(0, 1, 0)))
    thread = mbs.Screw("thread", model.ground.at(2, 0, 0), nut, pitch=0.1)
    model.add(other, thread, mbs.Gear("mesh", hinge, other, ratio=sp.Rational(3, 2)))
    result = mbs.simulate(model, np.linspace(0, 4, 201), initial={"hinge.omega": 9.0, "thread.omega": -5.0})
    assert is_continuous(result) and is_continuous(result, "other") and is_continuous(result, "thread")
    turned = [result[f"{name}.angle"] - result[f"{name}.angle"][0] for name in ("hinge", "other", "thread")]
    np.testing.assert_allclose(turned[0], -1.5 * turned[1], rtol=0, atol=1e-6)
    way = result["thread.displacement"] - result["thread.displacement"][0]
    np.testing.assert_allclose(way, 0.1 * turned[2] / (2 * np.pi), rtol=0, atol=1e-8)
    assert np.abs(turned).max(axis=1).min() > 2 * np.pi
