"""A mechanism a million times smaller or larger, with gravity to match, moves in the same way: all tolerances are
relative to its own lengths."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs

SCALES = (1.0, 1e-3, 1e-6, 1e6)


def swinging(s):
    """On a spring, beside a wheel that turns; no length but the spring's own, and where it is fixed."""
    model = mbs.PlanarModel("swinging", gravity=(0, -9.81 * s))
    block, wheel = model.body("block", 1.0, 0.01 * s**2), model.body("wheel", 1.0, s**2)
    model.add(mbs.Translational("guide", model.ground, block), mbs.Revolute("axle", model.ground, wheel))
    model.add(mbs.Spring("spring", model.ground.at(-s, 0), block, stiffness=10.0, length=0.9 * s))
    model.add(mbs.Driver("turn", mbs.angle(model.ground, wheel), 10 * mbs.t))
    return model, {"block.vx": 0.0}, "block.x"


def on_a_belt(s):
    model, _, name = swinging(s)
    belt = model.body("belt", 1.0, s**2)
    model = model.without("guide").plus(
        mbs.Translational("way", model.ground, belt), mbs.Driver("drive", mbs.x(belt), 0.1 * s * mbs.t),
        mbs.CoordinateFix("upright", model.bodies["block"], "angle"),
        mbs.Contact("rub", mbs.Line(belt), mbs.Point(model.bodies["block"]), friction=0.2, static_friction=0.3),
    )  # fmt: skip
    return model, {"block.x": 0.0, "rub.gap": 0.0, "rub.slip": 0.0, "rub.gap_rate": 0.0}, name


def bouncing(s):
    model = mbs.PlanarModel("bouncing", gravity=(0, -9.81 * s))
    disk = model.body("disk", 1.0, 0.005 * s**2, position=(0, s))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(disk, 0.1 * s), restitution=0.5, friction=0.3))
    return model, {"disk.vx": 0.5 * s, "disk.vy": 0.0, "disk.omega": 5.0}, "disk.x"


@pytest.mark.parametrize("build", [swinging, on_a_belt, bouncing])
def test_it_moves_in_the_same_way(build):
    runs = []
    for s in SCALES:
        model, initial, name = build(s)
        run = mbs.simulate(model, np.linspace(0.0, 3.0, 31), initial)
        runs.append((run[name] / s, len(run.impacts)))
    for values, impacts in runs[1:]:
        np.testing.assert_allclose(values, runs[0][0], rtol=0, atol=1e-8)
        assert impacts == runs[0][1]
