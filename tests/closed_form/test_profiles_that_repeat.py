"""Profiles that repeat go on for ever, whichever way the cam turns: the follower stands where the profile says."""

import numpy as np
import pytest

import mbs_dae as mbs

LIFT = 0.01
REST, UP = np.radians(60), np.radians(120)
LAWS = {
    "dwell first": mbs.Motion().dwell(REST).rise(LIFT, over=UP, law="3-4-5").dwell(REST).return_(over=UP, law="3-4-5"),
    "no dwell": mbs.Motion().rise(LIFT, over=np.pi, law="cycloidal").return_(over=np.pi, law="cycloidal"),
}
TIMES = np.linspace(0, 2, 101)


@pytest.mark.parametrize("turns", [5.0, -5.0])
@pytest.mark.parametrize("kind", ["point", "flat", "profile"])
@pytest.mark.parametrize("law", LAWS)
def test_a_follower_goes_round_with_its_cam(law, kind, turns):
    lift = LAWS[law].repeat()
    model = mbs.PlanarModel("cam", gravity=(0, -9.81))
    cam, follower = model.body("cam"), model.body("follower", mass=0.3, position=(0, 0.04))
    guide = mbs.Translational("guide", model.ground.at(0, 0, angle=np.pi / 2), follower.at(0, 0, angle=np.pi / 2))
    model.add(mbs.Revolute("hub", model.ground, cam), guide)
    model.add(mbs.Driver("motor", mbs.angle(model.ground, cam), turns * mbs.t))
    profile = lambda theta: 0.04 + lift(np.pi / 2 - theta)  # noqa: E731
    if kind == "profile":
        model.add(mbs.Contact("contact", mbs.Profile(cam, profile(mbs.theta)), mbs.Point(follower)))
    else:
        place = follower.at(0, 0) if kind == "flat" else follower
        model.add(mbs.CamContact("contact", cam, place, profile=profile, follower=kind))
    run = mbs.simulate(model, TIMES)
    assert run["follower.y"] == pytest.approx([0.04 + float(lift(x)) for x in turns * TIMES], abs=1e-7)
    assert np.abs(run["contact.gap"]).max() < 1e-9 and (run.modes["contact"] == "closed").all()
