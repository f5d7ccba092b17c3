"""Where velocities jump, contacts are as the new velocities say: a Reset, or another impact, sets free what stuck."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.model.contacts import Contact, Line, Point

G = 9.81
sets = pytest.mark.parametrize("coordinates", ("cartesian", "natural", "joint"))


def block(**friction):
    model = mbs.PlanarModel("block", gravity=(0, -G))
    body = model.body("b", mass=1.0, inertia=0.1)
    model.add(mbs.CoordinateFix("upright", body, "angle", 0))
    model.add(Contact("floor", Line(model.ground), Point(body), **friction))
    return model


AT_REST = {"b.x": 0.0, "b.vx": 0.0, "b.y": 0.0, "b.vy": 0.0}


@sets
def test_a_reset_throws_a_body_up_from_rest(coordinates):
    model = block(friction=0.5)
    model.add(mbs.Event("throw", when=mbs.t - 1, action=mbs.Reset({"b.vy": 2.0, "b.vx": 1.0})))
    flight = 2 * 2.0 / G
    result = mbs.simulate(model.compile(coordinates), [0, 0.5, 1.2, 3], AT_REST, rtol=1e-10)
    assert result.modes["floor"].tolist() == ["sticks", "sticks", "open", "sticks"]
    assert abs(result["b.y"][2] - (0.4 - G * 0.02)) < 1e-9
    (impact,) = result.impacts
    assert abs(impact.t - 1 - flight) < 1e-9
    assert abs(impact.impulses["floor"][0] + min(1.0, 0.5 * 2.0)) < 1e-9
    assert abs(result["b.x"][-1] - flight) < 1e-9


@sets
def test_a_reset_throws_a_body_along_the_floor(coordinates):
    model = block(friction=0.5)
    model.add(mbs.Event("throw", when=mbs.t - 1, action=mbs.Reset({"b.vx": 1.0})))
    result = mbs.simulate(model.compile(coordinates), [0, 0.5, 1.1, 3], AT_REST, rtol=1e-10)
    assert result.modes["floor"].tolist() == ["sticks", "sticks", "slips", "sticks"]
    assert not result.impacts and abs(result["b.x"][-1] - 1 / G) < 1e-9


@sets
def test_a_block_that_rests_is_struck_and_slides(coordinates):
    """Of equal masses, without loss: it takes over the velocity. Its friction during the impact has no bound to reach,
    for nothing presses it on the floor more than before."""
    model = block(friction=0.5)
    other = model.body("a", mass=1.0, inertia=0.1, position=(-1, 0))
    model.add(mbs.Translational("guide", model.ground, other))
    model.add(Contact("hit", other, model.bodies["b"], gap=lambda i, j: j.x - i.x, restitution=1.0))
    start = {**AT_REST, "a.vx": 2.0, "a.x": -1.0}
    result = mbs.simulate(model.compile(coordinates), [0, 0.4, 0.6, 2], start, rtol=1e-10)
    assert result.modes["floor"].tolist() == ["sticks", "sticks", "slips", "sticks"]
    assert abs(result.impacts[0].t - 0.5) < 1e-10
    assert np.abs([result["b.vx"][2] - (2 - 0.05 * G), result["b.x"][-1] - 2.0**2 / G]).max() < 1e-8
    assert np.abs(result.energy.error).max() < 1e-9
