"""Poses of a tree from the coordinates of its joints: `mbs.recursive_kinematics`."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import four_bar

import mbs_dae as mbs


def arm() -> mbs.PlanarModel:
    """Two links of length 1 on pins A and B; of B the outer link is said first."""
    model = mbs.PlanarModel("arm")
    inner = model.body("inner", mass=1, inertia=1, position=(0.5, 0.0))
    outer = model.body("outer", mass=1, inertia=1, position=(1.5, 0.0))
    outer.marker("tip", 0.5, 0.0, angle=np.pi / 2)
    model.add(
        mbs.Revolute("A", model.ground.at(0, 0), inner.at(-0.5, 0)),
        mbs.Revolute("B", outer.at(-0.5, 0), inner.at(0.5, 0)),
    )
    return model


def test_a_planar_arm():
    """The tip is at e(α) + e(β), with e(x) = (cos x, sin x), α the angle of the one link and β that of the other."""
    alpha, beta = np.array([0.3, 2.0, -1.0]), np.array([0.3 + 0.5, 2.0 - 0.7, -1.0 + 0.2])  # with rates
    found = mbs.recursive_kinematics(
        arm(),
        {"A.angle": 0.3, "B.angle": -0.5},
        {"A.omega": 2.0, "B.omega": 0.7},
        {"A.alpha": -1.0, "B.alpha": -0.2},
    )

    def link(angle):
        x, dx, ddx = angle
        e, n = np.array([np.cos(x), np.sin(x)]), np.array([-np.sin(x), np.cos(x)])
        return e, dx * n, ddx * n - dx**2 * e

    for values, inner, outer in zip(
        (found.position, found.velocity, found.acceleration), link(alpha), link(beta), strict=True
    ):
        np.testing.assert_allclose(values["outer.tip"], inner + outer, atol=1e-14)
        np.testing.assert_allclose(values["inner"], inner / 2, atol=1e-14)
    np.testing.assert_allclose(found.attitude["outer.tip"][:, 0], [-np.sin(0.8), np.cos(0.8)], atol=1e-14)
    assert found.angular_velocity["outer"] == pytest.approx(1.3)
    assert found.angular_acceleration["outer"] == pytest.approx(-0.8)
    assert found.coordinates == {"A.angle": 0.3, "B.angle": -0.5}
    assert found.state["outer.tip.ax"] == pytest.approx(found.acceleration["outer.tip"][0])
    assert repr(found) == "<RecursiveKinematics of 'arm': A.angle = 0.3, B.angle = -0.5>"


def test_what_is_found_cannot_be_changed():
    found = mbs.recursive_kinematics(arm(), {})
    with pytest.raises(ValueError, match="read-only"):
        found.position["inner"][0] = 1.0
    with pytest.raises(TypeError, match="does not support item assignment"):
        found.position["inner"] = np.zeros(2)


def test_what_is_not_said_stays_as_it_is_placed():
    found = mbs.recursive_kinematics(arm(), {"B.angle": 0.0})
    np.testing.assert_allclose(found.position["outer"], [1.5, 0.0], atol=1e-15)
    assert not any(values.any() for values in found.velocity.values())


def test_values_may_be_parameters():
    model = arm()
    angle = model.parameter("a", 0.25)
    assert mbs.recursive_kinematics(model, {"A.angle": 2 * angle}).coordinates["A.angle"] == 0.5


def robot() -> mbs.SpatialModel:
    """A screw to the ground, a sleeve on its nut, a ball at the sleeve's end; and a body that flies by itself."""
    model = mbs.SpatialModel("robot")
    nut, sleeve, stone, bird = (
        model.body(name, mass=1, inertia=1, position=place)
        for name, place in (("nut", (0, 0, 0)), ("sleeve", (1, 0, 0)), ("stone", (1, 0.5, 0)), ("bird", (0, 0, 4)))
    )
    model.add(
        mbs.Screw("S", nut, model.ground, at=(0, 0, 0), pitch=0.02),
        mbs.Cylindrical("C", nut, sleeve, at=(1, 0, 0), axis=(0, 1, 0)),
        mbs.Spherical("K", sleeve, stone, at=(1, 0.5, 0)),
    )
    return model


SPATIAL = (
    {"S.angle": 20.0, "C.angle": -30.0, "C.displacement": 0.2, "bird.z": 5.0},
    {"S.omega": 1.0, "C.omega": 2.0, "C.velocity": -0.3, "bird.vx": 0.1, "bird.wx": 1.0, "bird.wz": 2.0},
    {"S.alpha": 3.0, "C.alpha": -1.0, "C.acceleration": 0.4, "bird.ay": 0.2, "bird.alphay": -1.5},
)


def test_in_space_all_quantities_read_what_was_said():
    """Angles count past 2π, also as the state's own measures see them, and no joint is violated."""
    found = mbs.recursive_kinematics(robot(), *SPATIAL)
    for level in SPATIAL:
        for name, value in level.items():
            assert found.state[name] == pytest.approx(value, abs=1e-12), name
    violation = found.state.result.violation
    for level in (violation.position, violation.velocity, violation.acceleration):
        assert level.max() < 1e-12


def test_it_agrees_with_the_kinematics_of_driven_joints():
    """The same joints with drivers, whose values, rates and accelerations at t = 0 are those said."""
    joints = [{name: x for name, x in level.items() if not name.startswith("bird")} for level in SPATIAL]
    model = robot().without("K")
    S, C = model.elements["S"], model.elements["C"]
    start = mbs.recursive_kinematics(model, *joints).state
    driven = model.plus(
        mbs.Driver("s", mbs.angle(S), 20 + mbs.t + 3 * mbs.t**2 / 2),
        mbs.Driver("c", mbs.angle(C), -30 + 2 * mbs.t - mbs.t**2 / 2),
        mbs.Driver("d", mbs.displacement(C), 0.2 - 0.3 * mbs.t + 0.2 * mbs.t**2),
        *(mbs.Fixed(f"hold {name}", model.ground, model.bodies[name], at=(0, 0, 0)) for name in ("stone", "bird")),
    )
    result = mbs.kinematics(driven, [0.0], start=start)
    for name in (*(n for level in joints for n in level), "sleeve.x", "sleeve.vz", "sleeve.ay", "sleeve.alphax"):
        assert result[name][0] == pytest.approx(start[name], abs=1e-9), name


def test_a_sliding_joint_in_the_plane_and_a_floating_body():
    model = mbs.PlanarModel("cart")
    cart, load = model.body("cart", mass=1, inertia=1), model.body("load", mass=1, inertia=1, position=(0, 1))
    kite = model.body("kite", mass=1, inertia=1)
    model.add(mbs.Translational("guide", model.ground, cart, at=(0, 0)), mbs.Revolute("pin", cart, load, at=(0, 0)))
    found = mbs.recursive_kinematics(
        model, {"guide.displacement": 0.1, "pin.angle": np.pi, "kite.x": 3, "kite.angle": 7.0}, {"kite.vy": 2.0}
    )
    np.testing.assert_allclose(found.position["load"], [0.1, -1.0], atol=1e-14)
    np.testing.assert_allclose(found.position[kite.name], [3, 0])
    assert found.state["kite.angle"] == 7.0
    assert found.state["kite.vy"] == 2.0


# --- refused by name --------------------------------------------------------------------------------------------


def refused(*args) -> str:
    with pytest.raises(mbs.ModelError) as raised:
        mbs.recursive_kinematics(*args)
    return str(raised.value)


def test_loops_are_refused():
    assert refused(four_bar(), {}) == (
        "'four-bar' has loops, closed by C: coordinates of joints cannot be chosen freely there; use mbs.kinematics or "
        "mbs.assemble"
    )


def test_other_equations_are_refused():
    model = arm()
    model.add(mbs.Distance("rope", model.ground.at(0, 0), model.bodies["outer"].tip))
    assert refused(model, {}) == (
        "'arm' has equations besides the joints of its tree: rope; leave them out with model.without(...), or use "
        "mbs.kinematics or mbs.assemble"
    )


def test_drivers_have_no_say():
    model = arm()
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), 5 * mbs.t))
    assert mbs.recursive_kinematics(model, {"A.angle": 0.3}, {"A.omega": 1.0}).state["A.omega"] == 1.0


@pytest.mark.parametrize(
    "given, message",
    [
        (({"A.angel": 1},), "the tree of 'arm' has no coordinate 'A.angel'; did you mean 'A.angle'?"),
        (({"outer.x": 1},), "the tree of 'arm' has no coordinate 'outer.x'; use one of: A.angle, B.angle"),
        (
            ({}, {"A.angle": 1}),
            "the tree of 'arm' has no rate of a coordinate 'A.angle'; use one of: A.omega",
        ),
        (({}, {}, {"A": 1}), "the tree of 'arm' has no acceleration of a coordinate 'A'; use one of: A.alpha, B.alpha"),
        (({"A.angle": float("nan")},), "'A.angle' is nan; give a finite number"),
    ],
)
def test_coordinates_that_are_none(given, message):
    assert refused(arm(), *given) == message
