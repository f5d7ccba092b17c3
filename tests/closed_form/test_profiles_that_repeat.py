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


def cam_and_follower(law: str, turns: float, **follower) -> tuple[mbs.PlanarModel, mbs.Motion]:
    """A cam whose profile is the motion itself, from a base radius of 30 mm: its period begins at θ = 0."""
    lift = mbs.Motion(0.03).rise(0.02, over=1.5, law=law).dwell(1.0).return_(over=1.5, law=law)
    lift = lift.dwell(2 * np.pi - 4.0).repeat()
    model = mbs.PlanarModel("cam", gravity=(0, -9.81))
    cam, rod = model.body("cam", mass=1.0, inertia=0.01), model.body("follower", mass=0.2, position=(0, 0.05))
    guide = mbs.Translational("guide", model.ground.at(0, 0, angle=np.pi / 2), rod.at(0, 0, angle=np.pi / 2))
    model.add(mbs.Revolute("hub", model.ground, cam), guide, mbs.CamFollower("contact", cam, rod, lift, **follower))
    model.add(mbs.Driver("motor", mbs.angle(model.ground, cam), turns * mbs.t))
    return model, lift


@pytest.mark.parametrize("turns", [5.0, -5.0])
@pytest.mark.parametrize("law", ["cycloidal", "3-4-5", "harmonic", "modified sine"])
def test_a_follower_that_is_held_goes_round(law, turns):
    model, lift = cam_and_follower(law, turns)
    run = mbs.simulate(model, TIMES)
    expected = [float(lift(np.pi / 2 - x)) for x in turns * TIMES]
    assert run["follower.y"] == pytest.approx(expected, abs=1e-8)
    assert abs(run.energy.error).max() < 1e-7


def cycloidal(x: np.ndarray) -> np.ndarray:
    """The lift of `cam_and_follower` with the law u - sin(2πu) / 2π, its slope and its curvature, written out; a
    return is a rise that is read from its end."""
    x = x % (2 * np.pi)
    u = np.select([x < 1.5, x < 2.5, x < 4.0], [x / 1.5, 1.0, (4.0 - x) / 1.5], 0.0)
    side = np.select([x < 1.5, x < 2.5, x < 4.0], [1.0, 0.0, -1.0], 0.0) / 1.5
    rise = u - np.sin(2 * np.pi * u) / (2 * np.pi), 1 - np.cos(2 * np.pi * u), 2 * np.pi * np.sin(2 * np.pi * u)
    return np.array([0.03 + 0.02 * rise[0], 0.02 * rise[1] * side, 0.02 * rise[2] * side**2])


@pytest.mark.parametrize("turns", [5.0, -5.0])
@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_five_turns_of_a_follower_that_is_held_are_those_of_its_profile(coordinates, turns):
    model, _ = cam_and_follower("cycloidal", turns)
    times = np.linspace(0, 2 * np.pi, 201)
    run = mbs.simulate(model.compile(coordinates), times, rtol=1e-11, atol=1e-12)
    lift, slope, curvature = cycloidal(np.pi / 2 - turns * times)
    assert run["follower.y"] == pytest.approx(lift, abs=1e-8)
    assert run["follower.vy"] == pytest.approx(-turns * slope, abs=1e-8)
    assert run["follower.ay"] == pytest.approx(turns**2 * curvature, abs=1e-8)
    motor = mbs.inverse_dynamics(model.compile(coordinates), times)["motor.effort"]  # power of weight and of inertia
    assert motor == pytest.approx(0.2 * (9.81 + turns**2 * curvature) * -slope, abs=1e-8)
    assert run["motor.effort"] == pytest.approx(motor, abs=1e-7)


@pytest.mark.parametrize("turns", [2.0, -2.0])
@pytest.mark.parametrize("kind", ["point", "flat"])
def test_turns_of_a_follower_that_is_held_are_proven(kind, turns, interpreted_kernels):
    model, lift = cam_and_follower("harmonic", turns, follower=kind)
    times = np.linspace(0, 7.3, 74)
    found = mbs.kinematics(model, times, certify=True)
    assert found.certificate.proven and found.certificate.errors.max() < 1e-14
    assert found["follower.y"] == pytest.approx([float(lift(np.pi / 2 - x)) for x in turns * times], abs=1e-14)


@pytest.mark.parametrize("turns", [1.0, -1.0])
def test_a_cam_that_turns_freely_keeps_its_energy_and_its_slopes(turns):
    """The cam lifts its follower over more than two turns; the derivative by its inertia, through all pieces and
    periods, is that of runs beside it."""
    _, lift = cam_and_follower("3-4-5", 1.0)

    def run(inertia, **options):
        model = mbs.PlanarModel("cam", gravity=(0, -9.81))
        own = model.parameter("J", inertia, unit="kg m²")
        cam, rod = model.body("cam", mass=1.0, inertia=own), model.body("follower", mass=0.2, position=(0, 0.05))
        guide = mbs.Translational("guide", model.ground.at(0, 0, angle=np.pi / 2), rod.at(0, 0, angle=np.pi / 2))
        model.add(mbs.Revolute("hub", model.ground, cam), guide, mbs.CamFollower("contact", cam, rod, lift))
        return mbs.simulate(model, [0, 1, 2.2], {"cam.omega": 6.0 * turns}, rtol=1e-11, atol=1e-12, **options)

    here, more, less = run(0.01, derivatives=["J"]), run(0.01 + 1e-7), run(0.01 - 1e-7)
    assert abs(here["cam.angle"][-1]) > 4 * np.pi and abs(here.energy.error).max() < 1e-9
    for name in ("follower.y", "cam.omega"):
        expected = (more[name][-1] - less[name][-1]) / 2e-7
        assert here.d(name, "J")[-1] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("turns", [1.0, -1.0])
@pytest.mark.parametrize("law", ["cycloidal", "4-5-6-7", "modified sine"])
def test_a_follower_that_is_pressed_has_no_impact_where_a_period_begins(law, turns):
    """A spring presses the follower with 65 N and more throughout, and the profile has no corner."""
    model, lift = cam_and_follower(law, turns, unilateral=True, restitution=0.0)
    press = mbs.Spring("spring", model.ground.at(0, 0.3), model.bodies["follower"], stiffness=500.0, length=0.4)
    run = mbs.simulate(model.plus(press), 7 * TIMES / 2, {"contact.gap": 0.0})
    assert run.impacts == () and (run.modes["contact"] == "closed").all()
    expected = [float(lift(np.pi / 2 - x)) for x in 3.5 * turns * TIMES]
    assert run["follower.y"] == pytest.approx(expected, abs=1e-8)
