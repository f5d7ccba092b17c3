"""Poses in which an angle has no value: the centre of a cam, and a ball turned by a right angle; periods of cams."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

TURN = 2 * np.pi


def cam(profile, follower="point", **values):
    model = mbs.PlanarModel("cam")
    given = {name: model.parameter(name, value) for name, value in values.items()}
    cam, lifter = model.body("cam"), model.body("follower", position=(0, 0.1))
    model.add(mbs.Revolute("A", model.ground, cam, at=(0, 0)))
    model.add(mbs.Translational("guide", model.ground, lifter, at=(0, 0), axis=(0, 1)))
    model.add(mbs.CamFollower("lift", cam, lifter, profile=profile(**given), follower=follower))
    model.add(mbs.Driver("motor", mbs.angle(model.ground, cam), TURN * mbs.t))
    return model


def lift(radius=0, dwell=TURN - 4):
    law = {"over": 2, "law": "cycloidal"}
    return mbs.Motion(radius).rise(0.02, **law).dwell(dwell).return_(**law).repeat()


def test_a_lift_under_a_point_needs_a_base_radius():
    table = mbs.Table([0, 2, 3, 5, TURN], [0, 0.02, 0.02, 0, 0], periodic=True, kind="monotone")
    for profile in (lift, lambda: table):
        with refused("no-base-radius", radius=0.0, angle=0.0, mentions="lift"):
            mbs.assemble(cam(profile))
    good = cam(lift, radius=0.03)
    y = mbs.kinematics(good, [0, 0.25, 0.5])["follower.y"]  # the follower stands at θ = π/2 - 2πt
    np.testing.assert_allclose(y[:2], [0.03 + 0.02 * (np.pi / 4 - np.sin(np.pi**2 / 2) / TURN), 0.03], atol=1e-12)
    with refused("no-base-radius", argument="the profile of CamFollower 'lift'"):
        mbs.assemble(good.with_parameters(radius=0.0))
    flat = mbs.assemble(cam(lift, "flat"))  # a flat face may begin at zero
    assert flat["follower.y"] > 0.0
    for shape in (
        lambda m: mbs.CamContact("c", m.ground, m.body("b", mass=1, inertia=1, position=(0, 1)), profile=table),
        lambda m: mbs.Contact(
            "c", mbs.Profile(m.ground, table), mbs.Point(m.body("b", mass=1, inertia=1, position=(0, 1)))
        ),
    ):
        model = mbs.PlanarModel("free")
        model.add(shape(model))
        with refused("no-base-radius"):
            mbs.assemble(model)


def test_a_point_led_into_the_centre_is_told():
    with refused("singular-angle", mbs.SingularConfigurationError, joints=["A", "guide", "lift"]) as told:
        mbs.kinematics(cam(lambda: 0.02 * sp.sin(mbs.theta) ** 2), np.linspace(0, 0.5, 11))
    assert told.value.time == pytest.approx(0.25, abs=1e-3)
    assert "dead point" not in str(told.value)


def test_the_period_of_a_cam_is_checked_when_its_numbers_are_known():
    good = cam(lift, radius=0.03, dwell=TURN - 4)
    mbs.assemble(good)
    with refused("period-fits-no-turn", period=5.0):
        mbs.assemble(good.with_parameters(dwell=1.0))


def ball(placed):
    model = mbs.SpatialModel("ball")
    turned = mbs.rotations.about((0, 1, 0), placed)
    model.add(mbs.Spherical("A", model.ground, model.body("b", mass=1, inertia=(1, 1, 1), rotation=turned)))
    return model


@pytest.mark.parametrize("placed, wanted", [(0.0, np.pi / 2), (np.pi / 2, 1.2), (np.pi / 2, np.pi / 2)])
def test_a_ball_turned_by_a_right_angle_is_told(placed, wanted):
    with refused(("angle-without-value", "does-not-assemble"), mbs.MbsError, model="ball", mentions="A"):
        mbs.assemble(ball(placed), fix={"A.angle_2": wanted})


def test_a_ball_assembles_up_to_a_right_angle():
    assert mbs.assemble(ball(1.4), fix={"A.angle_2": 1.5})["A.angle_2"] == pytest.approx(1.5, abs=1e-12)
