"""Friction that sticks, in joints by what they carry, and on measures, against closed forms and independent runs.

The slider-crank with a rubbing guide: its one equation with N solved for, integrated by extrapolation in long double,
begun anew at every reversal, dead centre and change of sign of N (15 digits).
"""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
TIGHT = {"rtol": 1e-11}


def slider_crank() -> tuple[mbs.PlanarModel, mbs.Translational]:
    model = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, l, theta = 0.3, 0.8, 0.5
    tilt = -np.arcsin(r * np.sin(theta) / l)
    pin = r * np.cos(theta), r * np.sin(theta)
    crank = model.body("crank", mass=1.0, inertia=r * r / 12, com=(r / 2, 0), angle=theta)
    rod = model.body("rod", mass=1.5, inertia=1.5 * l * l / 12, com=(l / 2, 0), position=pin, angle=tilt)
    slider = model.body("slider", mass=2.0, inertia=1.0, position=(pin[0] + l * np.cos(tilt), 0))
    model.add(
        mbs.Revolute("O", model.ground, crank),
        mbs.Revolute("A", crank.at(r, 0), rod),
        mbs.Revolute("B", rod.at(l, 0), slider),
    )
    return model, model.add(mbs.Translational("guide", model.ground, slider))


@pytest.mark.parametrize("coordinates", SETS)
def test_a_guide_that_rubs_by_its_own_force(coordinates):
    """Friction is -μ |N| sign(ẋ), and N depends on it. The guide keeps its equations in joint coordinates, too."""
    model, guide = slider_crank()
    model.add(mbs.Friction("rub", guide, mu=0.1))
    start = {"crank.angle": 0.5, "crank.omega": 9.0}
    run = mbs.simulate(model.compile(coordinates), [0, 0.25, 0.5, 1.0], start, **TIGHT)
    angle = [1.9577945663966312, 4.5786631932927762, 7.7356400844094111]
    speed = [6.1658758621666863, 8.3209576065441535, 2.8257601383364315]
    normal = [24.141536148265438, 28.975937193650296, 26.609474141759826]
    assert np.abs(run["crank.angle"][1:] - angle).max() < 1e-9 > np.abs(run["crank.omega"][1:] - speed).max() / 10
    assert np.abs(run.reaction("guide")[1:, 1] - normal).max() < 1e-7
    assert np.abs(np.abs(run.reaction("rub")[1:, 0]) - 0.1 * np.array(normal)).max() < 1e-8
    assert np.abs(run.energy.error).max() < 1e-8 and set(run.modes["rub"]) == {"slips"}


@pytest.mark.parametrize("coordinates", SETS)
def test_dry_friction_on_a_measure(coordinates):
    """A mass on a spring that rubs: half swings about ±μ g m / k, and rest where the spring is weaker than friction."""
    model = mbs.PlanarModel("spring")
    block = model.body("block", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Force("spring", block, (-100 * model["block.x"], 0)))
    model.add(mbs.DryFriction("rub", mbs.x(block), force=0.2 * 9.81))
    run = mbs.simulate(model.compile(coordinates), [0, 0.5, 1, 1.5, 3], {"block.x": 0.3, "block.vx": 0.0}, **TIGHT)
    exact = [0.3, 0.048782299402602381413, -0.15610337491957575588, -0.074140682205035721618, -0.01392]
    assert np.abs(run["block.x"] - exact).max() < 1e-9
    assert [*run.modes["rub"]] == ["slips"] * 4 + ["sticks"]
    assert abs(run.reaction("rub")[-1, 0] - 100 * run["block.x"][-1]) < 1e-8


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_pin_that_rubs(dimension, coordinates):
    """A pendulum whose bearing rubs with μ R r comes to rest within the angle of friction, where m g l sin φ is no more
    than μ r R, with R the force of the bearing. The plane and space agree."""
    if dimension == 2:
        model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
        rod = model.body("rod", mass=1.0, inertia=0.01, com=(0, -0.2))
        pin = model.add(mbs.Revolute("A", model.ground, rod))
    else:
        model = mbs.SpatialModel("pendulum", gravity=(0, -9.81, 0))
        rod = model.body("rod", mass=1.0, inertia=(0.01, 0.01, 0.01), com=(0, -0.2, 0))
        pin = model.add(mbs.Revolute("A", model.ground.at(0, 0, 0), rod.at(0, 0, 0)))
    mu, radius = 0.3, 0.1
    model.add(mbs.Friction("rub", pin, mu=mu, radius=radius))
    run = mbs.simulate(model.compile(coordinates), [0, 5], {"A.angle": 1.2, "A.omega": 0.0}, **TIGHT)
    angle, force = run["A.angle"][-1], np.linalg.norm(run.reaction("A")[-1, :2])
    assert run.modes["rub"][-1] == "sticks" and abs(run["A.omega"][-1]) < 1e-12
    assert abs(force - 9.81) < 1e-9 and abs(0.2 * np.sin(angle)) < mu * radius
    assert np.abs(run.energy.error).max() < 1e-8


@pytest.mark.parametrize(("mu", "locks"), [(0.15, True), (0.05, False)])
def test_a_screw_locks_itself(mu, locks):
    """A nut on an upright screw sinks by its weight unless friction holds it: lead angle against angle of friction. The
    force of its thread is m g along the axis; friction μ m g acts along the slope of the thread, whose radius is r."""
    model = mbs.SpatialModel("screw", gravity=(0, 0, -9.81))
    nut = model.body("nut", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    pitch, radius = 2 * np.pi * 0.01 * 0.1, 0.01
    screw = model.add(mbs.Screw("thread", model.ground.at(0, 0, 0), nut.at(0, 0, 0), pitch=pitch))
    model.add(mbs.Friction("rub", screw, mu=mu, radius=radius))
    run = mbs.simulate(model, [0, 0.5])
    assert (run.modes["rub"][-1] == "sticks") == locks
    assert (abs(run["nut.z"][-1]) < 1e-12) == locks


def test_what_is_rough_by_nothing_holds_nothing():
    """Blocks pulled sideways from rest with 3 m/s²: a coefficient of zero, a bound that grows from zero, 2t newtons."""
    model = mbs.PlanarModel("blocks", gravity=(3, -9.81))
    smooth, brake = (model.body(name, mass=1.0, inertia=1.0) for name in ("smooth", "brake"))
    guides = [model.add(mbs.Translational(f"guide {b.name}", model.ground, b)) for b in (smooth, brake)]
    model.add(mbs.Friction("rub", guides[0], mu=model.parameter("mu", 0.0)))
    model.add(mbs.DryFriction("grows", mbs.x(brake), force=2 * mbs.t))
    run = mbs.simulate(model, [0, 1], {"smooth.vx": 0.0, "brake.vx": 0.0}, **TIGHT)
    assert abs(run["smooth.x"][-1] - 1.5) < 1e-12 > abs(run["brake.x"][-1] - 1.5 + 1 / 3)
    held = mbs.simulate(model.with_parameters(mu=0.4), [0, 1], {"smooth.vx": 0.0, "brake.vx": 0.0}, **TIGHT)
    assert held["smooth.x"][-1] == 0.0
