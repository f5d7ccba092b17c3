"""Slips in space that set out from rest, where friction all but holds: slowly, and in a direction that turns."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs
from mbs_dae.model.contacts import Contact, Plane, Point

G, LEGS = 9.81, ((1, 1), (-1, 1), (-1, -1), (1, -1))
TURNING = (0.0495672860974, 0.1425131056472, 0.1245777370183, 0.6221022732561)
"""x, y, ẋ, ẏ at 1.5 s of 2 kg on a floor with μ = 0.2 under the force 5 t (cos t, sin t) N: m v̇ = F - μ m g v/|v|,
integrated by an implicit method from 1e-6 s behind the onset, where v has the direction of F."""


def pushed(static=None) -> mbs.SpatialModel:
    model = mbs.SpatialModel("pushed around", gravity=(0, 0, -G))
    body = model.body("b", mass=2.0, inertia=(1, 1, 1))
    model.add(Contact("floor", Plane(model.ground), Point(body), friction=0.2, static_friction=static))
    force = 5 * mbs.t
    model.add(mbs.Force("F", body, (force * sp.cos(mbs.t), force * sp.sin(mbs.t), 0)))
    return model


def table(force, height=0.0, friction=0.5) -> mbs.SpatialModel:
    """10 kg on four legs, pushed at its own height, or above the floor, or aside."""
    model = mbs.SpatialModel("table", gravity=(0, 0, -G))
    top = model.body("top", mass=10.0, inertia=(1, 1, 1), position=(0, 0, height))
    for k, (x, y) in enumerate(LEGS):
        model.add(Contact(f"leg {k}", Plane(model.ground), Point(top.at(x, y, -height)), friction=friction))
    model.add(mbs.Force("push", top, force))
    return model


METHODS = ("cartesian", "DP5", 1e-6, 1e-5), ("cartesian", "Radau5", 1e-8, 1e-9)
SETS = (("cartesian", "DP8", 1e-9, 1e-10), ("natural", "DP8", 1e-9, 1e-10), ("joint", "DP8", 1e-9, 1e-10))


@pytest.mark.parametrize(("coordinates", "method", "rtol", "digits"), (*METHODS, *SETS))
def test_a_force_that_grows_and_turns(coordinates, method, rtol, digits):
    """In steps that do not resolve its direction friction comes from all sides, and nothing slips for a while."""
    result = mbs.simulate(pushed().compile(coordinates), [0, 0.78, 0.79, 1.5], method=method, rtol=rtol)
    found = [result[f"b.{name}"][-1] for name in ("x", "y", "vx", "vy")]
    np.testing.assert_allclose(found, TURNING, rtol=0, atol=digits)
    assert list(result.modes["floor"]) == ["sticks", "sticks", "slips", "slips"]
    assert result.stats["accepted"] < 400
    assert abs(result.energy.error).max() < 100 * digits


def test_rest_that_holds_a_little_more_than_slip():
    """It is the force that lets go, at once by a part of 0.02 of it: the first slip has its direction."""
    static = 0.204
    onset = static * 2 * G / 5
    result = mbs.simulate(pushed(static), [0, onset + 1e-4], rtol=1e-10)
    direction = np.arctan2(result["b.vy"][-1], result["b.vx"][-1])
    assert direction == pytest.approx(onset, abs=1e-3)
    speed = np.hypot(result["b.vx"][-1], result["b.vy"][-1])
    assert speed == pytest.approx((static - 0.2) * G * 1e-4 + 5 / 2 * 1e-8 / 2, rel=1e-6)


@pytest.mark.parametrize("height", (0.0, 0.5))
def test_a_table_that_is_shoved_lets_go_of_all_legs(height):
    """m v̇ = F - μ m g, wherever the legs are; how they share their load, if they are shoved above the floor, or not."""
    result = mbs.simulate(table((20 * mbs.t, 0, 0), height), [0, 2.4, 3.0, 4.0], rtol=1e-8)
    onset = 0.5 * G / 2
    np.testing.assert_allclose(result["top.vx"], np.maximum(result.t - onset, 0.0) ** 2, atol=1e-10)
    np.testing.assert_allclose(result["top.x"], np.maximum(result.t - onset, 0.0) ** 3 / 3, atol=1e-10)
    assert abs(result["top.wz"]).max() < 1e-10
    for k in range(4):
        assert list(result.modes[f"leg {k}"]) == ["sticks", "sticks", "slips", "slips"]


def test_a_table_that_is_twisted_is_held_as_long_as_all_legs_can():
    """Pushed aside of its middle, by F: friction takes at most Σ μ N |v| of its power F v, for any motion of the table.
    The least F with which they are equal, 47.1136 N, is where v turns about (0, -3.8069), found by minimisation. Two
    legs would be at their bounds at 42.3 N, if all shared alike."""
    model = table((0, 0, 0)).without("push")
    model.add(mbs.Force("push", model.bodies["top"].at(0, 0.3, 0), (20 * mbs.t, 0, 0)))
    result = mbs.simulate(model, [0, 47.1 / 20], rtol=1e-8)
    assert all(result.modes[f"leg {k}"][-1] == "sticks" for k in range(4))
    for k in range(4):
        held = np.hypot(*result.reaction(f"leg {k}")[-1, :2])
        assert 0.9 < held / (0.5 * 10 * G / 4) < 1.0
    assert abs(result["top.vx"][-1]) < 1e-12


def test_what_is_pushed_to_and_fro_sticks_again():
    """A force that grows and fades before it has moved much: the slip stops, by its own law, and rest holds."""
    model = mbs.SpatialModel("to and fro", gravity=(0, 0, -G))
    body = model.body("b", mass=2.0, inertia=(1, 1, 1))
    model.add(Contact("floor", Plane(model.ground), Point(body), friction=0.2))
    force = 1.01 * 0.2 * 2 * G * sp.sin(mbs.t)
    model.add(mbs.Force("F", body, (force * sp.cos(mbs.t / 9), force * sp.sin(mbs.t / 9), 0)))
    result = mbs.simulate(model, np.linspace(0, 3, 61), rtol=1e-10)
    slips = result.t[result.modes["floor"] == "slips"]
    assert 1.4 < slips[0] < 1.5 and slips[-1] < 2.0
    assert np.hypot(result["b.vx"], result["b.vy"])[-1] < 1e-12
    plain = mbs.PlanarModel("along a line", gravity=(0, -G))
    block = plain.body("b", mass=2.0, inertia=1.0)
    plain.add(mbs.Contact("floor", mbs.Line(plain.ground), mbs.Point(block), friction=0.2))
    plain.add(mbs.Force("F", block, (force, 0)))
    straight = mbs.simulate(plain, result.t, rtol=1e-10)
    assert np.hypot(result["b.x"], result["b.y"])[-1] == pytest.approx(straight["b.x"][-1], rel=1e-3)
