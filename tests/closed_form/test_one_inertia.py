"""Bodies in space of which one moment of inertia is known, about the only axis about which they turn."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("mass", [0.0, 2.0])
def test_a_rotor_on_a_hinge_needs_the_moment_about_it(coordinates, mass):
    """α = M/(J + m r²); the hinge carries the weight and the centripetal force, whatever the other moments are."""
    model = mbs.SpatialModel("rotor", gravity=(0, 0, -10))
    J = model.parameter("J", 0.5)
    turn = mbs.rotations.about((1, 0, 0), np.pi / 2)  # the body's y axis is the world's z axis
    rotor = model.body("rotor", mass, (0, J, 0), com=(0.2, 0, 0), rotation=turn)
    whole = mbs.SpatialModel("rotor", gravity=(0, 0, -10))
    other = whole.body("rotor", mass, (0.45, 0.5, 0.4), com=(0.2, 0, 0), rotation=turn)
    for world, body in ((model, rotor), (whole, other)):
        world.add(mbs.Revolute("A", world.ground, body, at=(0, 0, 0), axis=(0, 0, 1)))
        world.add(mbs.Torque("push", body.at(0, 0, 0, axis=(0, 1, 0)), 3.0))
    runs = [mbs.simulate(world.compile(coordinates), [0, 0.5], rtol=1e-10) for world in (model, whole)]
    assert runs[0]["rotor.alphaz"][0] == pytest.approx(3 / (0.5 + mass * 0.04), rel=1e-12)
    for name in ("rotor.wz", "A.Fx", "A.Fy", "A.Fz", "A.Mx", "A.My"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-8)
    changed = mbs.simulate(model.with_parameters(J=1.0).compile(coordinates), [0, 0.5])
    assert changed["rotor.alphaz"][0] == pytest.approx(3 / (1 + mass * 0.04), rel=1e-12)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_link_of_a_plane_mechanism_in_space_is_held_by_hinges_that_are_parallel(coordinates):
    """A sledge, an arm on it and a rotor on that: all turn about one direction."""
    model = mbs.SpatialModel("sledge", gravity=(0, -10, 0))
    sledge, arm = (model.body(name, 1.0, (0, 0, 0.2)) for name in ("sledge", "arm"))
    rotor = model.body("rotor", 0.5, (0, 0, 0.1), position=(1, 0, 0))
    model.add(
        mbs.Translational("guide", model.ground, sledge, at=(0, 0, 0), axis=(1, 0, 0)),
        mbs.Revolute("A", sledge, arm, at=(0, 0, 0), axis=(0, 0, 1)),
        mbs.Revolute("B", arm, rotor, at=(1, 0, 0), axis=(0, 0, -1)),
        mbs.Torque("push", rotor, 1.0),
    )
    plane = mbs.PlanarModel("sledge", gravity=(0, -10))
    sledge, arm = (plane.body(name, 1.0, 0.2) for name in ("sledge", "arm"))
    rotor = plane.body("rotor", 0.5, 0.1, position=(1, 0))
    plane.add(
        mbs.Translational("guide", plane.ground, sledge, at=(0, 0), axis=(1, 0)),
        mbs.Revolute("A", sledge, arm, at=(0, 0)), mbs.Revolute("B", arm, rotor, at=(1, 0)),
        mbs.Torque("push", rotor, 1.0),
    )  # fmt: skip
    space, flat = (mbs.simulate(m, [0, 0.4], rtol=1e-10) for m in (model.compile(coordinates), plane))
    assert space["rotor.wz"][-1] == pytest.approx(flat["rotor.omega"][-1], abs=1e-8)
    assert space["rotor.y"][-1] == pytest.approx(flat["rotor.y"][-1], abs=1e-8)


def test_where_other_moments_matter_the_body_is_refused_by_name():
    def model(kind, axis=(0, 0, 1), arm_axis=None):
        made = mbs.SpatialModel("m")
        base, rotor = made.ground, made.body("rotor", 1.0, (0, 0, 0.1))
        if arm_axis:
            base = made.body("arm", 1.0, (1, 1, 1))
            made.add(mbs.Revolute("B", made.ground, base, at=(0, 0, 0), axis=arm_axis))
        if kind:
            made.add(kind("A", base, rotor, at=(0, 0, 0), **({} if kind is mbs.Spherical else {"axis": axis})))
        return made

    model(mbs.Revolute, arm_axis=(0, 0, -1)).compile()
    model(mbs.Cylindrical).compile()
    free = [
        model(None),
        model(mbs.Spherical),
        model(mbs.Revolute, (0, 1e-3, 1)),
        model(mbs.Revolute, arm_axis=(1, 0, 0)),
    ]
    for made in free:
        with refused("inertia-about-one-axis", body="rotor"):
            made.compile()
    with refused("negative"):
        mbs.SpatialModel("m").body("x", 1.0, (0, 0, -1.0))


def test_a_part_with_one_moment_keeps_the_body_to_this_axis():
    model = mbs.SpatialModel("m")
    drum = model.body("drum", 1.0, (0.1, 0.1, 0.1))
    drum.add_part("disc", 1.0, (0.3, 0, 0), rotation=mbs.rotations.about((0, 1, 0), np.pi / 2))
    assert drum.inertia[2][2] == pytest.approx(0.4)
    with refused("inertia-about-one-axis", body="drum"):
        model.compile()
    model.add(mbs.Revolute("A", model.ground, drum, at=(0, 0, 0), axis=(0, 0, 1)), mbs.Torque("push", drum, 2.0))
    assert mbs.simulate(model, [0, 1])["drum.alphaz"][0] == pytest.approx(5.0)
