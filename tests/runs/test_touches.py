"""A motion touches a switch, an event or a wall in the middle of a long step and goes on: a run finds this wherever the
motion goes deeper than its own error."""

from math import asin, atan2, cos, hypot, sin, sqrt
from typing import Any

import pytest
import sympy as sp

import mbs_dae as mbs

DEPTHS = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7]
METHODS: list[tuple[str, float]] = [("DP5", 1e-8), ("DP8", 1e-7), ("DP8", 1e-9), ("DP8", 1e-12), ("Radau5", 1e-8)]
START, END = {"block.x": 0.0, "block.vx": 1.0}, 1.2


def on_spring() -> tuple[mbs.PlanarModel, Any]:
    """A block of 1 kg on a spring of 4 N/m: x = sin(2t)/2 from its start on."""
    model = mbs.PlanarModel("block on a spring")
    block = model.body("block", mass=1.0, inertia=0.1)
    model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Force("spring", block, (-4 * model["block.x"], 0)))
    return model, block


def behind(x: float, v: float, force: float, s: float) -> tuple[float, float]:
    """Place and velocity the time s behind (x, v), with a constant force beside the spring."""
    rest = force / 4
    c, n = cos(2 * s), sin(2 * s)
    return rest + (x - rest) * c + v / 2 * n, v * c - 2 * (x - rest) * n


@pytest.mark.parametrize(("method", "rtol"), METHODS)
@pytest.mark.parametrize("depth", DEPTHS)
def test_a_force_that_is_met_for_a_moment(depth, method, rtol):
    """Behind d a force of -3 N acts: it takes the block back to d, with the velocity turned round."""
    model, block = on_spring()
    d = 0.5 - depth
    model.add(mbs.Force("push", block, (sp.Piecewise((-3, model["block.x"] > d), (0, True)), 0)))
    run = mbs.simulate(model, [0.0, END], START, method=method, rtol=rtol)
    meets, v = asin(2 * d) / 2, sqrt(1 - 4 * d * d)
    inside = atan2(v / 2, d + 0.75)  # half of the time: x = -3/4 + (d + 3/4) cos 2s + v/2 sin 2s is back at d
    x, _ = behind(d, -v, 0.0, END - meets - inside)
    assert run.stats["switches"] == 2
    assert run["block.x"][-1] == pytest.approx(x, abs=rtol / sqrt(depth) + 300 * rtol)  # the speed at d: 2 √(d depth)


@pytest.mark.parametrize(("method", "rtol"), METHODS)
@pytest.mark.parametrize("depth", DEPTHS)
def test_an_event_that_is_passed_and_passed_back(depth, method, rtol):
    model, block = on_spring()
    d = 0.5 - depth
    model.add(mbs.Event("there", when=model["block.x"] - d))
    run = mbs.simulate(model, [0.0, END], START, method=method, rtol=rtol)
    meets = asin(2 * d) / 2
    times = [event.t for event in run.events]
    assert times == pytest.approx([meets, sp.pi.evalf() / 2 - meets], abs=300 * rtol / sqrt(depth))


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_a_wall_that_is_struck_softly(depth, method):
    """A disk of radius 0.1 m on the block strikes a wall and comes back with half its velocity."""
    model, block = on_spring()
    d = 0.5 - depth
    wall = mbs.Line(model.ground.at(d + 0.1, 0, angle=sp.pi / 2))
    model.add(mbs.Contact("wall", wall, mbs.Disk(block, 0.1), restitution=0.5))
    run = mbs.simulate(model, [0.0, END], START, method=method, rtol=1e-9)
    meets, v = asin(2 * d) / 2, sqrt(1 - 4 * d * d)
    x, w = behind(d, -v / 2, 0.0, END - meets)
    assert len(run.impacts) == 1 and run.impacts[0].t == pytest.approx(meets, abs=1e-8 / sqrt(depth))
    assert hypot(run["block.x"][-1] - x, run["block.vx"][-1] - w) < 1e-7 + 3e-9 / sqrt(depth)
