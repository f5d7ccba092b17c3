"""Initial velocities at rest but for those that are given: what stands still, and what is told to move."""

import numpy as np
from refusals import refused

import mbs_dae as mbs


def chain(count=4):
    model = mbs.PlanarModel("chain")
    ends = [(np.cos(0.3 * k) * k, np.sin(0.3 * k) * k) for k in range(count + 1)]
    links = [model.link(f"link{k}", ends[k], ends[k + 1], mass=1.0 + k) for k in range(count)]
    model.add(mbs.Revolute("J0", model.ground, links[0].tail))
    for k in range(1, count):
        model.add(mbs.Revolute(f"J{k}", links[k - 1].head, links[k].tail))
    return model


def test_joints_that_are_not_named_stand_still():
    model = chain()
    start = mbs.at_rest(model, {"J1.omega": 2.0, "J0.angle": 0.4})
    assert not start.moving
    run = mbs.simulate(model, [0.0, 0.01], initial=start)
    assert np.allclose([run[f"J{k}.omega"][0] for k in range(4)], [0.0, 2.0, 0.0, 0.0], atol=1e-12)
    assert np.isclose(run["J0.angle"][0], 0.4)
    least = mbs.simulate(model, [0.0, 0.01], initial={"J1.omega": 2.0, "J0.angle": 0.4})
    assert least.energy.kinetic[0] < 0.9 * run.energy.kinetic[0]  # they are not the ones of least energy


def test_names_of_bodies_and_of_free_bodies():
    model = chain(2)
    model.body("ball", mass=1.0, inertia=0.1, position=(9, 9))
    start = mbs.at_rest(model, {"ball.vy": 3.0, "link1.omega": 1.0})
    run = mbs.simulate(model, [0.0, 0.01], initial=start)
    assert np.allclose([run["ball.vx"][0], run["ball.vy"][0], run["ball.omega"][0]], [0.0, 3.0, 0.0], atol=1e-12)
    assert np.isclose(run["J0.omega"][0], 0.0, atol=1e-12) and np.isclose(run["J1.omega"][0], 1.0)
    assert start.moving == ("J1.omega",)


def test_what_cannot_rest_is_named():
    """In a loop with one freedom all joints move; a driver moves its joint; nothing moves where none is given."""
    four = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (1, 2), "C": (4, 3), "D": (4, 0)},
        rods={"crank": "AB", "rod": "BC", "rocker": "CD"}, fixed="AD", mass=1,
    )  # fmt: skip
    start = mbs.at_rest(four, {"crank.omega": 2.0})
    assert start.moving == ("A.omega", "B.omega", "C.omega", "D.omega")
    assert "moving with them: A.omega" in repr(start)
    still = mbs.at_rest(four)
    assert not still.moving and mbs.simulate(four, [0.0, 0.01], initial=still).energy.kinetic[0] < 1e-20
    driven = chain(3)
    driven.add(mbs.Driver("motor", mbs.angle(driven.elements["J1"]), 0.3 + 2 * mbs.t))
    start = mbs.at_rest(driven)
    assert start.moving == ("J1.omega",) and set(start) == {"J0.omega", "J2.omega"}


def test_balls_and_crosses_stand_still_in_space():
    model = mbs.SpatialModel("chain")
    first = model.body("first", mass=1.0, inertia=(0.1, 0.2, 0.3))
    second = model.body("second", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0))
    model.add(
        mbs.Spherical("S", model.ground, first, at=(0, 0, 0)),
        mbs.Universal("U", first, second, at=(1, 0, 0), pins=((0, 1, 0), (0, 0, 1))),
    )
    start = mbs.at_rest(model, {"first.wz": 2.0})
    run = mbs.simulate(model, [0.0, 0.01], initial=start)
    for body in ("first", "second"):
        assert np.allclose([run[f"{body}.w{c}"][0] for c in "xyz"], [0.0, 0.0, 2.0], atol=1e-10)
    with refused("not-a-dict", argument="initial"):
        mbs.at_rest(model, 3.0)
