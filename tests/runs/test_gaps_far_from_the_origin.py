"""Gaps of bodies that stand far from the origin: they are closed by the size of these bodies, not by their distance."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

G = 9.81


def body_above_a_floor(kind: str, far: float, gap: float) -> mbs.PlanarModel:
    """A disk, or a point of a body, 0.5 m below its centre, above a floor."""
    model = mbs.PlanarModel("far away", gravity=(0, -G))
    body = model.body("body", mass=1.0, inertia=1.0, position=(far, 0.5 + gap))
    shape = mbs.Disk(body, 0.5) if kind == "disk" else mbs.Point(body.at(0, -0.5))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), shape))
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("kind", ["disk", "point"])
@pytest.mark.parametrize("far, gap", [(1e5, 1e-4), (1e5, 1e-6), (1e3, 1e-7)])
def test_a_gap_far_from_the_origin_is_open(kind, far, gap, coordinates):
    model = body_above_a_floor(kind, far, gap).compile(coordinates)
    falls = np.sqrt(2 * gap / G)
    run = mbs.simulate(model, [0, 0.9 * falls, 3 * falls])
    assert run.modes["floor"][0] == "open" and run["body.vy"][1] == pytest.approx(-0.9 * G * falls)
    assert run.impacts[0].t == pytest.approx(falls, rel=1e-3)
    assert run.modes["floor"][-1] == "closed" or kind == "point"


@pytest.mark.parametrize("kind", ["disk", "point"])
@pytest.mark.parametrize("far", [0.0, 1e5])
def test_a_gap_of_roundoff_is_closed(kind, far):
    """0.5 + 1e-16 is 0.5, and at 10⁵ m places are known to 1.5e-11 m."""
    run = mbs.simulate(body_above_a_floor(kind, far, 1e-11), [0, 1e-3])
    assert run.modes["floor"][0] != "open" and run["body.vy"][-1] == pytest.approx(0.0, abs=1e-9)


def test_an_overlap_far_from_the_origin_is_told():
    with refused("contact-overlaps", model="far away"):
        mbs.simulate(body_above_a_floor("disk", 1e5, -5e-5), [0, 1e-3])


def test_a_small_disk_far_from_the_origin_is_told_in_natural_coordinates():
    """A disk of 1 cm with v = 1 m/s slides for v/3 μ g, and then rolls with 2 v/3."""
    radius, far, mu, v = 0.01, 1e6, 0.25, 1.0
    model = mbs.PlanarModel("far away", gravity=(0, -G))
    disk = model.body("disk", mass=3.0, inertia=1.5 * radius**2, position=(far, radius))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(disk, radius), friction=mu))
    with refused("lost-in-roundoff", mentions=["disk", "0.01 m", "06 m"]):
        mbs.simulate(model.compile("natural"), [0, 0.3], {"disk.vx": v})
    for coordinates in ("cartesian", "joint"):
        run = mbs.simulate(model.compile(coordinates), [0, 2 * v / (3 * mu * G)], {"disk.vx": v})
        assert run["disk.vx"][-1] == pytest.approx(2 * v / 3, abs=1e-7)
