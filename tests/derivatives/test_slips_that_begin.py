"""Derivatives of slips in space that begin from rest, whose direction is an unknown, and of bodies on several corners,
which share normal forces; exact in every step."""

from typing import Any

import mpmath as mp
import pytest
import sympy as sp
from test_contacts_ahead_and_back import check_back, check_closed_form
from test_surfaces_with_branches import FINE, check_against_neighbours

import mbs_dae as mbs
from mbs_dae.derivatives.runs.forward import VariedRun

G = 9.81


def pushed(force: Any, static: float | None = None) -> mbs.SpatialModel:
    """A mass on a floor with μ = 0.2, under a force that is a function of the model."""
    model = mbs.SpatialModel("pushed", gravity=(0, 0, -G))
    mass, rubs = model.parameter("m", 2.0), model.parameter("mu", 0.2)
    body = model.body("b", mass, (1, 1, 1))
    floor = mbs.Contact("floor", mbs.Plane(model.ground), mbs.Point(body), friction=rubs, static_friction=static)
    model.add(floor, mbs.Force("push", body, (*force(model), 0)))
    return model


@pytest.mark.parametrize("static", [None, 0.21])
def test_a_slip_begins_under_a_force_that_grows_and_turns(static):
    """The slip begins when the force passes the friction of rest, in the direction of the force, and then follows it;
    where sliding has less friction than rest it begins with a jump of the acceleration."""

    def force(model):
        grows, turns = model.parameter("c", 5.0), model.parameter("w", 1.0)
        return grows * mbs.t * sp.cos(turns * mbs.t), grows * mbs.t * sp.sin(turns * mbs.t)

    model = pushed(force, static)
    result = mbs.simulate(model, [0, 0.7, 0.85, 1.0, 1.5], {}, derivatives=["m", "mu", "c", "w"], **FINE)
    assert isinstance(result.varied, VariedRun) and [one.after for one in result.transitions] == ["slips"]
    check_against_neighbours(model, result, {}, ["b.x", "b.y", "b.vx", "b.vy"], 1e-9)
    check_back(result, ["b.x", "b.vy", "floor.force", "floor.friction_u", "energy.kinetic"])


@pytest.mark.parametrize("size", [3.93, 4.5, 8.0])
def test_a_slip_begins_at_once(size):
    """From rest under a constant force F in the direction φ: a = F/m - μ g, by little more than friction or by much."""

    def motion(t, m, mu, F, phi):
        a = F / m - mu * mp.mpf(G)
        return [a * t**2 / 2 * mp.cos(phi), a * t**2 / 2 * mp.sin(phi), a * t * mp.cos(phi), a * t * mp.sin(phi)]

    def force(model):
        push, angle = model.parameter("F", size), model.parameter("phi", 0.3)
        return push * sp.cos(angle), push * sp.sin(angle)

    values = {"m": 2.0, "mu": 0.2, "F": size, "phi": 0.3}
    result = mbs.simulate(pushed(force), [0, 0.1, 0.5], {}, derivatives=[*values], **FINE)
    assert isinstance(result.varied, VariedRun)
    check_closed_form(result, motion, ["b.x", "b.y", "b.vx", "b.vy"], values)
    check_back(result, ["b.x", "b.vy", "floor.force", "energy.kinetic"])


def test_a_block_slides_on_four_corners():
    """v = v₀ - μ g t: four corners share the weight in any way, and the motion does not depend on it. Normal forces
    have no derivative, and a message says so."""
    model = mbs.SpatialModel("block", gravity=(0, 0, -G))
    mass, rubs = model.parameter("m", 2.0), model.parameter("mu", 0.3)
    body = model.body("b", mass, (0.1, 0.1, 0.15), position=(0, 0, 0.1))
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Box(body, (0.6, 0.4, 0.2)), friction=rubs))

    def motion(t, m, mu, vx, vy):
        speed = mp.hypot(vx, vy)
        way, left = t - mu * mp.mpf(G) * t**2 / 2 / speed, 1 - mu * mp.mpf(G) * t / speed
        return [vx * way, vy * way, vx * left, vy * left]

    values = {"m": 2.0, "mu": 0.3, "b.vx": 2.0, "b.vy": 0.7}
    start = {f"b.{rate}": 0.0 for rate in ("vz", "wx", "wy", "wz")} | {"b.vx": 2.0, "b.vy": 0.7}
    result = mbs.simulate(model, [0, 0.2, 0.5], start, derivatives=[*values], max_step=0.05, **FINE)
    assert isinstance(result.varied, VariedRun)
    check_closed_form(result, motion, ["b.x", "b.y", "b.vx", "b.vy"], values)
    assert "contacts or frictions share a load" in result.stats["derivatives"]
