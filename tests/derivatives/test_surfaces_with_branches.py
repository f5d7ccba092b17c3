"""Derivatives of runs on surfaces whose expressions have branches: tangents of balls, pieces of boxes, polygons and
profiles, and coefficients of friction; against runs of neighbouring designs, ahead and back."""

from typing import Any

import numpy as np
import pytest
import sympy as sp
from test_contacts_ahead_and_back import check_back
from test_runs_that_switch import extrapolated

import mbs_dae as mbs
from mbs_dae.derivatives.runs.forward import VariedRun

FINE: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14, "method": "DP8"}


def check_against_neighbours(
    model: Any, result: mbs.Result, start: dict[str, float], names: list[str], close: float, part: float = 1e-4
) -> None:  # fmt: skip
    """All derivatives of these arrays are those of neighbouring runs, relative to the largest derivative or 1. Designs
    differ by a `part` of each parameter."""
    for by in result.varied.variables.names:
        value = model.parameters[by].value if by in model.parameters else start[by]

        def run(p, by=by):
            own = model.with_parameters(**{by: p}) if by in model.parameters else model
            begin = start if by in model.parameters else start | {by: p}
            made = mbs.simulate(own, result.t, begin, **FINE)
            return np.array([made[name] for name in names])

        wanted = extrapolated(run, value, part * (abs(value) or 1.0))
        found = np.array([result.d(name, by) for name in names])
        assert np.abs(found - wanted).max() <= close * max(1.0, np.abs(wanted).max()), by


# --- balls ------------------------------------------------------------------------------------------------------------


def balls() -> mbs.SpatialModel:
    """A ball on one that is fixed, drawn to its middle by a force k r."""
    model = mbs.SpatialModel("balls")
    rubs, stiff, mass = model.parameter("mu", 0.3), model.parameter("k", 40.0), model.parameter("m", 1.3)
    body = model.body("ball", mass, (0.006,) * 3, position=(0.3, 0, 0))
    model.add(mbs.Contact("touch", mbs.Sphere(model.ground, 0.2), mbs.Sphere(body, 0.1), friction=rubs))
    model.add(mbs.Force("pull", body, tuple(-stiff * model[f"ball.{axis}"] for axis in "xyz")))
    return model


def test_a_ball_rolls_around_another_one_with_spin():
    """Friction holds it, and its spin carries it aside."""
    start = {"ball.x": 0.3, "ball.y": 0.0, "ball.z": 0.0, "ball.vx": 0.0, "ball.vy": 0.2, "ball.vz": -1.2}
    start |= {"ball.wx": 5.0, "ball.wy": 12.0, "ball.wz": 2.0}  # v = ω × n R at the point of contact
    times = [0.0, 0.3, 0.8, 1.5]
    result = mbs.simulate(balls(), times, start, derivatives=["k", "m", "ball.wx"], **FINE)
    assert isinstance(result.varied, VariedRun) and not result.transitions and result.stats["switches"] > 1
    check_against_neighbours(balls(), result, start, ["ball.x", "ball.y", "ball.z", "ball.wx"], 1e-8)
    check_back(result, ["ball.x", "ball.z", "ball.wx", "touch.force", "energy.kinetic"])


def test_a_ball_slips_around_another_one_with_spin():
    """The slip turns, and the tangents change their expression meanwhile."""
    start = {"ball.x": 0.3, "ball.y": 0.0, "ball.z": 0.0, "ball.vx": 0.0, "ball.vy": 0.2, "ball.vz": -1.2}
    start |= {"ball.wx": 1.0, "ball.wy": -3.0, "ball.wz": 2.0}
    result = mbs.simulate(balls(), [0.0, 0.1, 0.2, 0.26], start, derivatives=["mu", "k", "m", "ball.wx"], **FINE)
    assert isinstance(result.varied, VariedRun) and not result.transitions and result.stats["switches"] == 1
    check_against_neighbours(balls(), result, start, ["ball.x", "ball.y", "ball.z", "ball.wx"], 1e-8)
    check_back(result, ["ball.x", "ball.z", "ball.wx", "touch.force", "energy.kinetic"])


# --- pieces of surfaces -----------------------------------------------------------------------------------------------


def disk_on(surface: Any, mu: float, height: float, gravity: float) -> mbs.PlanarModel:
    """A disk of radius 0.2 on a surface that a function of a model makes, drawn to the origin by a force F r."""
    model = mbs.PlanarModel("disk", gravity=(0, -gravity))
    rubs, pull = model.parameter("mu", mu), model.parameter("F", 30.0)
    body = model.body("disk", 1.0, 0.01, position=(0, height))
    model.add(mbs.Contact("touch", surface(model), mbs.Disk(body, 0.2), friction=rubs))
    model.add(mbs.Force("pull", body, (-pull * model["disk.x"], -pull * model["disk.y"])))
    return model


def test_a_disk_goes_over_the_corners_of_a_box():
    """Where a side ends, the curvature of its way jumps, and so do forces; at the last place it parts."""
    model = disk_on(lambda model: mbs.Box(model.ground, (model.parameter("w", 1.0), 0.4), radius=0.1), 0.2, 0.4, 9.81)
    start = {"disk.x": 0.3, "disk.y": 0.4, "disk.angle": 0.0, "disk.vx": 3.0, "disk.vy": 0.0, "disk.omega": 0.0}
    result = mbs.simulate(model, [0, 0.1, 0.3, 0.6], start, derivatives=["mu", "w", "F", "disk.vx"], **FINE)
    assert isinstance(result.varied, VariedRun) and not result.impacts
    assert [one.after for one in result.transitions] == ["sticks", "slips", "sticks", "open"]
    check_against_neighbours(model, result, start, ["disk.x", "disk.y", "disk.omega"], 1e-7)
    check_back(result, ["disk.x", "disk.vy", "disk.omega", "touch.force", "energy.kinetic"])


def test_a_disk_goes_over_the_corners_of_a_polygon():
    corners = [(-0.3, -0.2), (0.3, -0.2), (0.35, 0.1), (0, 0.2), (-0.3, 0.1)]
    model = disk_on(lambda model: mbs.Polygon(model.ground, corners), 0.2, 0.4, 0.0)
    start = {"disk.x": 0.0, "disk.y": 0.4, "disk.angle": 0.0, "disk.vx": 0.8, "disk.vy": 0.0, "disk.omega": 3.0}
    result = mbs.simulate(model, [0, 0.1, 0.5, 1.0], start, derivatives=["mu", "F", "disk.vx"], **FINE)
    assert isinstance(result.varied, VariedRun) and len(result.varied.taken.saltations) > 4
    check_against_neighbours(model, result, start, ["disk.x", "disk.y", "disk.omega"], 1e-7)
    check_back(result, ["disk.x", "disk.vy", "disk.omega", "touch.force", "energy.kinetic"])


def point_on(radius: Any, restitution: float = 0.0) -> mbs.PlanarModel:
    """A point that slides on a fixed profile, drawn to its middle by a force k r."""
    model = mbs.PlanarModel("point")
    rubs, stiff = model.parameter("mu", 0.1), model.parameter("k", 30.0)
    body = model.body("point", 1.0, 0.01, position=(0.3, 0.2))
    surface = mbs.Profile(model.ground, radius)
    model.add(mbs.Contact("touch", surface, mbs.Point(body), friction=rubs, restitution=restitution))
    model.add(mbs.Force("pull", body, (-stiff * model["point.x"], -stiff * model["point.y"])))
    return model


@pytest.mark.parametrize(
    ("kink", "strikes"), [(-0.1, False), (0.1, True)], ids=["a tip, off which it flies", "a root, which is an impact"]
)
def test_a_point_slides_over_a_kink_of_a_profile(kink, strikes):
    """r = 0.3 + c |sin θ| has kinks at θ = 0 and at θ = π, where the point flies off or strikes the next piece."""
    model = point_on(0.3 + kink * sp.Abs(sp.sin(mbs.theta)))
    angle = 0.4
    reach, lean = 0.3 + kink * np.sin(angle), kink * np.cos(angle)
    along = np.array([reach * np.sin(angle) - lean * np.cos(angle), -reach * np.cos(angle) - lean * np.sin(angle)])
    along *= 1.2 / np.hypot(*along)
    start = {"point.x": reach * np.cos(angle), "point.y": reach * np.sin(angle), "point.angle": 0.0}
    start |= {"point.vx": along[0], "point.vy": along[1], "point.omega": 0.0}
    times = [0, 0.05, 0.15, 0.18]
    result = mbs.simulate(model, times, start, derivatives=["mu", "k"], **FINE)
    assert bool(result.impacts) == strikes and isinstance(result.varied, VariedRun)
    assert strikes or [one.after for one in result.transitions] == ["open"]
    check_against_neighbours(model, result, start, ["point.x", "point.y", "point.vy"], 1e-6 if strikes else 1e-8)
    if not strikes:
        check_back(result, ["point.x", "point.vy", "touch.force", "energy.kinetic"])


# --- coefficients -----------------------------------------------------------------------------------------------------


def test_the_coefficient_of_friction_has_a_corner():
    """A disk slides until it rolls, with μ for fast slips, and μ + c (0.8 - s) for slips s below 0.8 m/s."""
    model = mbs.PlanarModel("disk", gravity=(0, -9.81))
    rubs, grows = model.parameter("mu", 0.2), model.parameter("c", 0.3)
    body = model.body("disk", 1.5, 0.006, position=(0, 0.1))
    law = rubs + grows * sp.Max(0, sp.Float(0.8) - mbs.speed)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), friction=law))
    start = {"disk.vx": 2.0, "disk.vy": 0.0, "disk.omega": 0.0}
    result = mbs.simulate(model, [0, 0.15, 0.25, 0.6], start, derivatives=["mu", "c", "disk.vx"], **FINE)
    assert isinstance(result.varied, VariedRun) and result.stats["switches"] == 2
    check_against_neighbours(model, result, start, ["disk.x", "disk.vx", "disk.omega"], 1e-8)
    check_back(result, ["disk.x", "disk.vx", "floor.force", "energy.kinetic"])
