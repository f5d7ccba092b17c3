"""Friction in motions that drivers begin and end without velocity and acceleration, and in their dwells."""

import numpy as np
import pytest

import mbs_dae as mbs


def block(law: object, given: bool = False) -> mbs.PlanarModel:
    """A block of 2 kg in a level guide, m g μ = 3.924 N, which a jack moves by a law."""
    model = mbs.PlanarModel("block", gravity=(0, -9.81))
    body = model.body("block", mass=2.0, inertia=0.1)
    guide = model.add(mbs.Translational("guide", model.ground, body))
    rub = mbs.DryFriction("rub", mbs.displacement(guide), force=3.924) if given else mbs.Friction("rub", guide, mu=0.2)
    model.add(rub, mbs.Driver("jack", mbs.displacement(guide), law))
    return model


RISE_AND_RETURN = mbs.Motion().dwell(0.2).rise(0.1, over=0.5, law="3-4-5").dwell(0.3).return_(over=0.5, law="cycloidal")
SOFT = {
    "cubic": 0.1 * mbs.t**3,
    "quintic": 0.1 * mbs.t**5,
    "dwells": RISE_AND_RETURN,
    "for ever": RISE_AND_RETURN.repeat(),
}


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("given", [False, True], ids=["mu", "force"])
@pytest.mark.parametrize("law", SOFT)
def test_a_driven_block_slips_from_its_first_motion_and_sticks_in_dwells(law, given, coordinates):
    """m a + μ m g sign(v), and m a = 0 in a dwell, for laws that begin and end without velocity and acceleration."""
    times = np.linspace(0.05, 1.95, 20)
    run = mbs.simulate(block(SOFT[law], given).compile(coordinates), [0.0, *times], rtol=1e-10)
    x, v, a = (run[f"block.{name}"][1:] for name in ("x", "vx", "ax"))
    moves = np.abs(v) > 1e-9
    assert moves.sum() > 5 and (moves.all() if law in ("cubic", "quintic") else not moves.all())
    np.testing.assert_allclose(run.effort("jack")[1:], 2.0 * a + 3.924 * np.where(moves, np.sign(v), 0.0), atol=1e-7)
    assert set(run.modes["rub"][1:][moves]) == {"slips"} and set(run.modes["rub"][1:][~moves]) <= {"sticks"}
    assert abs(run.energy.error).max() < 1e-8 and x.max() > 0.09


@pytest.mark.parametrize("method", ["DP8", "RK4", "Radau5", "GA"])
def test_soft_starts_by_all_methods(method):
    more = {"step": 1e-3} if method in ("RK4", "GA") else {"rtol": 1e-9}
    run = mbs.simulate(block(SOFT["dwells"]), np.linspace(0, 1.5, 31), method=method, **more)
    changes = [(change.before, change.after) for change in run.transitions]
    assert changes == [("sticks", "slips"), ("slips", "sticks")] * 2
    times = [change.t for change in run.transitions]
    np.testing.assert_allclose(times, [0.2, 0.7, 1.0, 1.5], atol=1e-6)


def press(pins=False, mass=3.0):
    """A slider-crank whose motor rises and returns with dwells, also in the pose 0.3 where nothing else is at rest."""
    law = mbs.Motion(start=0.3).rise(2.0, over=1.0, law="3-4-5").dwell(0.5).return_(over=1.0, law="3-4-5").dwell(0.5)
    model, tip = mbs.PlanarModel("press", gravity=(0, -9.81)), 0.1 * np.array([np.cos(0.3), np.sin(0.3)])
    end = (tip[0] + np.sqrt(0.3**2 - tip[1] ** 2), 0.0)
    crank, rod = model.link("crank", (0, 0), tuple(tip), mass=1.0), model.link("rod", tuple(tip), end, mass=2.0)
    slider = model.body("slider", mass=mass, inertia=0.01, position=end)
    joints = mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, rod.tail)
    guide = mbs.Translational("guide", model.ground, slider)
    model.add(*joints, mbs.Revolute("C", rod.head, slider), guide, mbs.Friction("rub", guide, mu=0.3))
    model.add(mbs.Driver("motor", mbs.angle(joints[0]), law))
    if pins:
        model.add(*(mbs.Friction(f"pin {name}", model.elements[name], mu=0.1, radius=0.02) for name in "ABC"))
    return model


@pytest.mark.parametrize("pins", [False, True], ids=["guide", "guide and pins"])
def test_a_slider_crank_with_dwells_needs_the_torque_of_inverse_dynamics(pins):
    """At t = 1.5, where a dwell ends, friction may have any value up to its bound: no torque is compared there."""
    model, times = press(pins), np.linspace(0.03, 2.97, 29)
    times = times[np.abs(times - 1.5) > 1e-6]
    run, known = mbs.simulate(model, [0.0, *times], rtol=1e-10), mbs.inverse_dynamics(model, times)
    np.testing.assert_allclose(run.effort("motor")[1:], known.effort("motor"), atol=1e-7)
    resting = (np.abs(times - 1.25) < 0.25) | (times > 2.5)
    assert (run.modes["rub"][1:][resting] == "sticks").all() and (run.modes["rub"][1:][~resting] == "slips").all()


@pytest.mark.parametrize("mass", [3.0, 3.1, 4.2])
def test_a_guide_slips_again_as_soon_as_a_dwell_ends(mass):
    """No force along the guide moves the slider, which its motor drives: whether it slips roundoff does not decide."""
    run = mbs.simulate(press(mass=mass), [0, 1.4, 1.6, 3.0], rtol=1e-10)
    assert [change.after for change in run.transitions] == ["slips", "sticks"] * 2
    np.testing.assert_allclose([change.t for change in run.transitions], [0.0, 1.0, 1.5, 2.5], atol=1e-7)
