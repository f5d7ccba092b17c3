"""Derivatives across impacts: slips that turn in space, impacts passed on, impacts on the boundary between two laws."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from rows_of_balls import LENGTH, RAISED, cradle, row
from test_a_disk_that_lands import INERTIA, G, closed
from test_contacts_ahead_and_back import check_back, check_closed_form
from test_events_from_steps import from_steps
from test_runs_that_switch import extrapolated

import mbs_dae as mbs

FINE = {"rtol": 1e-12, "method": "DP8"}


@pytest.mark.parametrize("friction", [0.1, 0.6], ids=["slips", "rolls"])
def test_a_spinning_ball_bounces_in_space(friction):
    """Its slip goes in another direction than its way; where friction is large the first impact ends it."""
    model = mbs.SpatialModel("ball", gravity=(0, 0, -G))
    mu, e, R = model.parameter("mu", friction), model.parameter("e", 0.5), model.parameter("R", 0.1)
    ball = model.body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Sphere(ball, R), restitution=e, friction=mu))
    start = {"ball.x": 0.0, "ball.y": 0.0, "ball.z": 0.4, "ball.vx": 1.5, "ball.vy": 0.4, "ball.vz": 0.0}
    start |= {"ball.wx": 3.0, "ball.wy": 1.0, "ball.wz": 2.0}
    times, names, by = [0.0, 0.3, 0.6], ["ball.x", "ball.vx", "ball.vy", "ball.wx"], ["mu", "e", "R", "ball.vy"]
    result = mbs.simulate(model, times, start, derivatives=by, **FINE)
    assert len(result.impacts) == 2
    for one in by:
        known = one in model.parameters

        def run(p, one=one, known=known):
            other = model.with_parameters(**{one: p}) if known else model
            made = mbs.simulate(other, times, start if known else start | {one: p}, **FINE)
            return np.concatenate([made[name] for name in names])

        value = model.parameters[one].value if known else start[one]
        wanted = extrapolated(run, value, 2e-4 * value)
        found = np.concatenate([result.d(name, one) for name in names])
        assert np.abs(found - wanted).max() < 1e-8 * max(1.0, np.abs(wanted).max()), one


def test_an_impact_that_just_ends_a_slip():
    """All the friction there is ends the slip: with less of it, or thrown faster, some is left. From another place the
    same happens there, so by that there is a derivative."""
    model, R, mu, e = mbs.PlanarModel("disk", gravity=(0, -G)), 0.1, 0.25, 0.5
    share = model.parameter("mu", mu)
    disk = model.body("disk", mass=1.0, inertia=INERTIA)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(disk, R), restitution=e, friction=share))
    u = np.sqrt(2 * G * 0.2)
    start = {"disk.x": 0.0, "disk.y": 0.3, "disk.angle": 0.0, "disk.vy": 0.0, "disk.omega": 0.0}
    by, times = ["mu", "disk.vx", "disk.x"], [0.0, 0.1, 0.3]
    for beside, has_none in ((0.0, True), (1e-5, False), (-1e-5, False)):
        vx = (1 + beside) * (1 + R * R / INERTIA) * mu * (1 + e) * u
        result = mbs.simulate(model, times, {**start, "disk.vx": vx}, derivatives=by)
        assert len(result.impacts) == 1
        assert abs(result.d("disk.x", "disk.x")[-1] - 1.0) < 1e-9
        assert ("on the boundary between two laws" in result.stats.get("derivatives", "")) == has_none
        for one in by[:2]:
            assert np.isfinite(result.d("disk.vx", one)[1]) and np.isnan(result.d("disk.vx", one)[2]) == has_none
        if not has_none:  # the slip is left, or all of it is gone
            more, less = (float(closed(0.3, mu, e, R, vx + side, 0.3)[1]) for side in (1e-6, -1e-6))
            assert abs(result.d("disk.vx", "disk.vx")[-1] - (more - less) / 2e-6) < 1e-7
            assert (abs(result.d("disk.vx", "mu")[-1]) > 1.0) == (beside > 0.0)


@pytest.mark.parametrize(("first", "none"), [(1.3, False), (1.0, True)])
def test_a_blow_is_passed_on_along_a_row(first, none):
    """A ball of the mass M strikes the first of two that touch, e = 1: the last one goes. The striking one goes on and
    strikes again if it is heavier, goes back if it is lighter; of equal masses it stays, and by M it has no slope."""
    model = mbs.PlanarModel("row")
    mass = model.parameter("M", first)
    balls = [model.body(f"ball{k}", mass=1.0 if k else mass, inertia=0.004) for k in range(3)]
    for k, ball in enumerate(balls):
        model.add(mbs.Translational(f"guide{k}", model.ground, ball))
    for k in range(2):
        sides = mbs.Disk(balls[k], 0.1), mbs.Disk(balls[k + 1], 0.1)
        model.add(mbs.Contact(f"contact{k}", *sides, restitution=1.0))
    start = {"ball0.x": -1.0, "ball1.x": 0.0, "ball2.x": 0.2, "ball0.vx": 1.0, "ball1.vx": 0.0, "ball2.vx": 0.0}
    result = mbs.simulate(model, [0.0, 0.5, 1.0], start, impacts="in turn", derivatives=["M", "ball0.vx"])
    gives = 2 * first / (first + 1)  # to a ball of mass 1, of what strikes it; this much is left of that:
    speeds = gives * (first - 1) / (first + 1), gives
    for ball, speed in zip((1, 2), speeds, strict=True):
        assert abs(result[f"ball{ball}.vx"][-1] - speed) < 1e-9
        assert abs(result.d(f"ball{ball}.vx", "ball0.vx")[-1] - speed) < 1e-9
    by_mass = result.d("ball2.vx", "M")[-1]
    assert np.isnan(by_mass) if none else abs(by_mass - 2 / (first + 1) ** 2) < 1e-9
    assert ("on the boundary between two laws" in result.stats.get("derivatives", "")) == none
    assert from_steps(result)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
@pytest.mark.parametrize("masses, e", [((1, 1, 1), 0.5), ((1, 3, 0.5, 2), 0.8), ((4, 2, 1), 1.0), ((1, 2, 4), 0.0)])
def test_a_row_of_balls_passes_a_blow_on_by_masses_and_restitution(masses, e, method):
    """The first ball strikes the others, which touch, at t = 0.1 m/v. Approaches of neighbours end one after another,
    with the impulse (1 + e) times the speed times m m'/(m + m'), until none is left: with e < 1 in an endless row, of
    which impacts of 1e-12 of the first one are the last."""
    model, count = row(masses, e), len(masses)
    values = {f"b{k}.mass": float(m) for k, m in enumerate(masses)} | {"b0.vx": 1.0}
    values |= {"c1.restitution": e} if e else {}

    def motion(t, *known):
        own, v = known[:count], [known[count]] + [mp.mpf(0)] * (count - 1)
        back = [mp.mpf(e), known[count + 1] if e else mp.mpf(0), mp.mpf(e)]
        x = [mp.mpf(0.1) * k + mp.mpf(0.1) * (k > 0) for k in range(count)]
        strikes = mp.mpf(0.1) / known[count]
        if t <= strikes:
            return [x[0] + v[0] * t, *x[1:], *v]
        x[0] = mp.mpf(0.1)
        while True:
            approach = [k for k in range(count - 1) if v[k] - v[k + 1] > mp.mpf("1e-25")]
            if not approach:
                return [place + speed * (t - strikes) for place, speed in zip(x, v, strict=True)] + v
            for k in approach:
                p = (1 + back[k]) * (v[k] - v[k + 1]) / (1 / own[k] + 1 / own[k + 1])
                v[k], v[k + 1] = v[k] - p / own[k], v[k + 1] + p / own[k + 1]

    start = {f"b{k}.vx": float(k == 0) for k in range(count)}
    how: dict[str, Any] = {"impacts": "in turn", "method": method, "rtol": 1e-12}
    result = mbs.simulate(model, [0.0, 0.05, 0.12, 0.2], start, derivatives=[*values], **how)
    assert from_steps(result) and len(result.impacts) == 1
    names = [f"b{k}.{name}" for name in ("x", "vx") for k in range(count)]
    check_closed_form(result, motion, names, values)
    check_back(result, [*names, "energy.dissipated"])


def test_a_cradle_swings_on_by_its_amplitude_and_gravity():
    """One ball at a time swings, as one pendulum would: sin(θ/2) = -k cd(ω t, k), k = sin(a/2), ω² = g/L."""
    model, values = cradle(3), {"b0.angle": -RAISED, "gravity.y": -9.81}
    start = {f"b{k}.angle": -RAISED * (k == 0) for k in range(3)} | {f"b{k}.omega": 0.0 for k in range(3)}
    how: dict[str, Any] = {"impacts": "in turn", "rtol": 1e-12}
    result = mbs.simulate(model, [0.0, 0.4, 1.0, 1.7, 2.3], start, derivatives=[*values], **how)
    assert from_steps(result) and len(result.impacts) == 2

    def motion(t, begin, g):
        k = mp.sin(-begin / 2)
        angle = -2 * mp.asin(k * mp.ellipfun("cd", mp.sqrt(-g / LENGTH) * t, m=k**2))
        return [min(angle, 0), mp.mpf(0), max(angle, 0)]

    check_closed_form(result, motion, [f"b{k}.angle" for k in range(3)], values)
    check_back(result, [f"b{k}.{name}" for name in ("angle", "omega") for k in range(3)])
