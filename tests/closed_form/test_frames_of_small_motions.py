"""Small motions depend neither on where on its axis a frame of a body stands, nor on the coordinates of the system."""

import numpy as np
import pytest

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
ACROSS, ALONG, WEIGHT, SPIN, TILT, ARM = 0.031, 0.012, 0.9, 95.0, 1.1, 0.1
"""Moments of inertia of a top about its tip, its weight times the arm, its spin about its axis, its tilt."""
SLOW, FAST = (
    (ALONG * SPIN + sign * np.sqrt((ALONG * SPIN) ** 2 - 4 * ACROSS * np.cos(TILT) * WEIGHT))
    / (2 * ACROSS * np.cos(TILT))
    for sign in (-1, 1)
)  # steady precession: A p² cos θ - C n p + m g l = 0


def nutation(p):
    """The frequency of the effective potential of the tilt: with the momenta p_ψ = C n and p_φ held,
    V = (p_φ - p_ψ cos θ)² / (2 A sin² θ) + m g l cos θ, A ω² = V''."""
    held, L = ALONG * SPIN, ACROSS * p * np.sin(TILT) ** 2 + ALONG * SPIN * np.cos(TILT)
    s, c, u = np.sin(TILT), np.cos(TILT), L - held * np.cos(TILT)
    first = held * s  # u'
    second = (first**2 + u * held * c) / s**2 - 4 * u * first * c / s**3 + u**2 * (3 * c**2 / s**4 + 1 / s**2)
    return np.sqrt((second / ACROSS - WEIGHT * c) / ACROSS)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("height", [0.0, 0.04, ARM])
@pytest.mark.parametrize("p", [SLOW, FAST])
def test_a_top_precesses_wherever_its_frame_stands(p, height, coordinates):
    """The frame stands in the tip, on the way to the mass centre, and there."""
    mass, z = WEIGHT / 9.81 / ARM, np.array([0, -np.sin(TILT), np.cos(TILT)])
    model = mbs.SpatialModel("top", gravity=(0, 0, -9.81))
    inertia = (ACROSS - mass * ARM**2,) * 2 + (ALONG,)
    turned = mbs.rotations.about_x(TILT)
    top = model.body("top", mass, inertia, com=(0, 0, ARM - height), rotation=turned, position=tuple(height * z))
    model.add(mbs.Spherical("tip", model.ground, top.at(0, 0, -height)))
    own = SPIN - p * np.cos(TILT)
    start = {"top.wx": 0.0, "top.wy": own * z[1], "top.wz": p + own * z[2]}
    law = mbs.linearize(model.compile(coordinates), start)
    assert law.frequencies == pytest.approx([nutation(p)], rel=1e-9)


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("height", [0.0, 0.3])
def test_a_body_of_revolution_that_wobbles_nutates_with_its_momentum(joint, height):
    """Without a moment, free or held in its mass centre: |L| / A."""
    model = mbs.SpatialModel("wobble")
    body = model.body("b", 2.0, (1.0, 1.0, 1.5), com=(0, 0, height))
    if joint:
        model.add(mbs.Spherical("tip", model.ground, body.at(0, 0, height)))
    start = {"b.wx": 0.3, "b.wy": 0.0, "b.wz": 2.0}
    if not joint:
        start |= {"b.vx": 0.0, "b.vy": 0.3 * height, "b.vz": 0.0}  # the mass centre rests: v = -ω × c
    law = mbs.linearize(model, start)
    assert law.frequencies[-1] == pytest.approx(np.hypot(0.3, 1.5 * 2.0), rel=1e-7)


@pytest.mark.parametrize("coordinates", SETS)
def test_small_turns_of_a_body_are_coordinates_in_every_set(coordinates):
    """A plate on a ball joint: ω² = m g l / (I + m l²) about both horizontal axes, and nothing about the vertical."""
    model = mbs.SpatialModel("platform", gravity=(0, 0, -9.81))
    plate = model.body("plate", 5.0, (0.2, 0.25, 0.3), rotation=mbs.rotations.about_z(0.7))
    model.add(mbs.Spherical("ball", model.ground, plate.at(0, 0, 0.5)))
    names = ["plate.turn_x", "plate.turn_y", "plate.turn_z"]
    law = mbs.linearize(model.compile(coordinates), coordinates=names)
    assert law.coordinates == tuple(names)
    expected = np.sort([np.sqrt(5 * 9.81 * 0.5 / (moment + 5 * 0.25)) for moment in (0.2, 0.25)])
    np.testing.assert_allclose(law.frequencies, expected, rtol=1e-9)
    turned = mbs.rotations.about_z(0.7)
    inertia = turned @ np.diag([0.2 + 1.25, 0.25 + 1.25, 0.3]) @ turned.T
    np.testing.assert_allclose(law.M, inertia, atol=1e-12)


@pytest.mark.parametrize("coordinates", SETS)
def test_speeds_from_rest_on(coordinates):
    """A rotor on two springs of k at ± a: its tilt has A s² ∓ C n s - 2 k a² = 0, at rest both the same."""
    model = mbs.SpatialModel("rotor")
    body = model.body("rotor", 12.0, (0.15, 0.15, 0.22))
    for name, z in (("a", -0.25), ("b", 0.25)):
        end = body.marker(name, 0, 0, z)
        pull = tuple(-4e5 * model[f"rotor.{name}.{c}"] for c in "xy")
        model.add(mbs.Force(name, end, (*pull, 0)))
    speeds = [0.0, 100.0, 300.0]
    path = mbs.linearize(model.compile(coordinates), over=("rotor.wz", speeds))
    assert len({law.coordinates for law in path.systems}) == 1
    for speed, law in zip(speeds, path.systems, strict=True):
        tilt = np.abs(np.roots([0.15, -0.22 * speed, -2 * 4e5 * 0.25**2]))
        expected = np.sort([np.sqrt(8e5 / 12.0)] * 2 + [*tilt])
        np.testing.assert_allclose(law.frequencies, expected, rtol=1e-9)
