"""Bodies put together of parts: mass, centre and inertia by Steiner, in every coordinate set."""

from copy import deepcopy

import numpy as np
import pytest
from refusals import refused
from scipy.spatial.transform import Rotation

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")


def steiner(parts):
    """Mass, centre and tensor about it, of (mass, centre, tensor about it) in the same axes."""
    m = sum(p[0] for p in parts)
    c = sum(p[0] * np.asarray(p[1]) for p in parts) / m
    arms = [(p[0], np.asarray(p[1]) - c, p[2]) for p in parts]
    return m, c, sum(J + mass * (d @ d * np.eye(3) - np.outer(d, d)) for mass, d, J in arms)


def test_parts_in_space_sum_to_the_tensor_about_the_common_centre():
    rng = np.random.default_rng(3)
    model = mbs.SpatialModel("machine")
    frame = model.body("frame", mass=2.0, inertia=(0.2, 0.3, 0.4), com=(0.1, 0, -0.2), position=(1, 2, 3))
    parts = [(2.0, (0.1, 0, -0.2), np.diag([0.2, 0.3, 0.4]))]
    for k in range(4):
        m, c, p = rng.uniform(0.1, 3), rng.normal(size=3), rng.normal(size=3)
        moments, R = rng.uniform(0.5, 0.9, 3), Rotation.random(random_state=k).as_matrix()
        frame.add_part(f"part {k}", m, moments, com=c, position=p, rotation=R)
        parts.append((m, p + R @ c, R @ np.diag(moments) @ R.T))
    m, c, J = steiner(parts)
    assert frame.mass == pytest.approx(m, rel=1e-14)
    np.testing.assert_allclose(frame.com, c, atol=1e-14)
    np.testing.assert_allclose(np.array(frame.inertia, dtype=float), J, atol=1e-13)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_pendulum_of_parts_with_parameters_swings_as_one_of_its_sums(coordinates):
    """ω² = g Σ m s / Σ (I + m s²) for small swings about the pin; with other values of the parameters, too."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    a, m = model.parameter("a", 0.4, "m"), model.parameter("m", 2.0, "kg")
    rod = model.body("rod", mass=1.0, inertia=0.05, com=(0, -0.3))
    assert rod.add_part("bob", m, 0.02, position=(0, -a), com=(0.1, 0), angle=-np.pi / 2) is rod  # at (0, -a - 0.1)
    model.add(mbs.Revolute("A", model.ground, rod))
    for values in ({}, {"a": 0.9, "m": 0.5}, {"m": 0.0}):
        own = {"a": 0.4, "m": 2.0, **values}
        s = own["a"] + 0.1
        stiff = 9.81 * (0.3 + own["m"] * s)
        heavy = 0.05 + 0.3**2 + 0.02 + own["m"] * s**2
        found = mbs.linearize(model.with_parameters(**values).compile(coordinates)).eigenvalues
        assert np.abs(found.imag).max() == pytest.approx(np.sqrt(stiff / heavy), rel=1e-9)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_body_of_parts_tumbles_as_the_same_body_said_at_once(coordinates):
    def world(of_parts):
        model = mbs.SpatialModel("thrown", gravity=(0, 0, -9.81))
        if of_parts:
            body = model.body("body", rotation=mbs.rotations.about((1, 1, 0), 0.4))
            body.add_part("bar", 1.0, (0.02, 0.3, 0.31), position=(0.5, 0, 0))
            turn = mbs.rotations.about((0, 0, 1), 1.0)
            body.add_part("plate", 2.0, (0.1, 0.2, 0.25), position=(0, 1, 0), rotation=turn)
            return model
        R = Rotation.from_rotvec((0, 0, 1.0)).as_matrix()
        m, c, J = steiner(
            [(1.0, (0.5, 0, 0), np.diag([0.02, 0.3, 0.31])), (2.0, (0, 1, 0), R @ np.diag([0.1, 0.2, 0.25]) @ R.T)]
        )
        model.body("body", m, J, com=c, rotation=mbs.rotations.about((1, 1, 0), 0.4))
        return model

    start = {"body.wx": 1.0, "body.wy": -2.0, "body.wz": 0.5}
    runs = [mbs.simulate(world(p).compile(coordinates), [0, 0.5], initial=start, rtol=1e-10) for p in (True, False)]
    for name in ("body.x", "body.y", "body.z", "body.wx", "body.wy", "body.wz"):
        assert runs[0][name][-1] == pytest.approx(runs[1][name][-1], abs=1e-9)


def test_parts_without_mass_keep_the_centre_and_add_their_inertia():
    body = mbs.PlanarModel("m").body("b", mass=1.0, inertia=0.5, com=(1, 0))
    body.add_part("flywheel", 0, 0.25, position=(5, 5))
    assert (body.mass, tuple(body.com), body.inertia) == (1.0, (1, 0), 0.75)


def test_what_no_part_can_be_is_refused_by_name():
    model = mbs.PlanarModel("m")
    body = model.body("b", mass=1.0, inertia=1.0)
    other = mbs.PlanarModel("n").parameter("stranger", 1.0)
    with refused("ground-without-mass", name="x"):
        model.ground.add_part("x", 1.0)
    with refused("negative", argument="mass of body 'b.x'", value=-1.0):
        body.add_part("x", -1.0)
    with refused("wrong-arguments", strange=["rotation"]):
        body.add_part("x", 1.0, rotation=None)
    body.add_part("x", 1.0)
    with refused("name-taken", element="b", mentions="x"):
        body.add_part("x", 1.0)
    with refused("name-taken", element="b"):
        body.add_part(3.0)
    model.compile()
    with refused("mass-in-use", mentions=["y", "b"]):
        body.add_part("y", 1.0)
    assert body.mass == 2.0
    deepcopy(model).bodies["b"].add_part("y", 1.0)

    strange = mbs.PlanarModel("n")
    strange.body("b").add_part("x", other)
    with refused("unknown-symbols", subject="body 'b', with its parts,", names=["stranger"]):
        strange.compile()


def test_a_body_whose_parts_have_no_mass_for_some_values_has_no_centre():
    model = mbs.PlanarModel("m")
    m, k = model.parameter("m", 1.0), model.parameter("k", 1.0)
    model.body("b", m, 1.0).add_part("x", k, position=(1, 0))
    assert mbs.assemble(model)["b.x"] == 0.0
    with refused("not-finite", element="b"):
        mbs.assemble(model.with_parameters(m=0.0, k=0.0))


def test_parts_are_differentiated_by_their_parameters():
    """ω = t/(I + m a²), so dω/da = -2 m a t/(I + m a²)²."""
    model = mbs.PlanarModel("arm")
    a = model.parameter("a", 0.5, "m")
    arm = model.body("arm", 1.0, 0.1).add_part("load", 2.0, position=(a, 0))
    model.add(mbs.Revolute("A", model.ground, arm), mbs.Torque("push", arm, 1.0))
    found = mbs.gradient(mbs.at_end("arm.omega"), model, [0, 1.0], over=["a"])
    assert found.value == pytest.approx(1 / 0.6, rel=1e-8)
    assert found["a"] == pytest.approx(-2 * 2 * 0.5 / 0.6**2, rel=1e-7)
