"""Contacts in space, with friction that is alike in all directions: closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import mbs_dae as mbs
from mbs_dae.model.contacts import Box, Contact, Plane, Point, Sphere

G = 9.81
SETS = ("cartesian", "natural", "joint")
in_all_coordinates = pytest.mark.parametrize("coordinates", SETS)
RATES = ("vx", "vy", "vz", "wx", "wy", "wz")


def world(name, mass=2.0, inertia=(0.3, 0.4, 0.5), position=(0, 0, 0)):
    model = mbs.SpatialModel(name, gravity=(0, 0, -G))
    return model, model.body("b", mass=mass, inertia=inertia, position=position)


def run(model, coordinates, times, **start) -> mbs.Result:
    initial = {f"b.{name}": start.get(name, 0.0) for name in RATES}
    return mbs.simulate(model.compile(coordinates), times, initial, rtol=1e-11)


def place_of(result) -> np.ndarray:
    return np.array([result[f"b.{x}"] for x in "xyz"]).T


@in_all_coordinates
@pytest.mark.parametrize("kind", ("point", "box"))
def test_what_slides_stops_in_a_straight_line(kind, coordinates):
    model, body = world("sliding", position=(0, 0, 0.05 if kind == "box" else 0))
    shape = Box(body, (1, 1, 0.1)) if kind == "box" else Point(body)
    model.add(Contact("floor", Plane(model.ground), shape, friction=0.3))
    speed, times = np.hypot(1, 2), np.array([0, 0.3, 0.6, 1.0])
    stop = speed / (0.3 * G)
    result = run(model, coordinates, times, vx=1.0, vy=-2.0)
    t = np.minimum(times, stop)
    expected = np.outer(t - 0.3 * G * t**2 / (2 * speed), [1, -2])
    assert np.abs(place_of(result)[:, :2] - expected).max() < 1e-12
    assert stop > 0.6 and np.abs(result["b.wz"]).max() < 1e-12
    modes = result.modes["floor"].reshape(4, -1)
    touching = modes[0] != "open"
    assert touching.sum() == (4 if kind == "box" else 1)
    assert (modes[:3, touching] == "slips").all() and (modes[3, touching] == "sticks").all()
    force = result.reaction("floor")[:, :3]
    assert np.abs(force[0] - 2 * G * np.array([-0.3 / speed, 0.6 / speed, 1])).max() < 1e-9
    assert np.abs(result.energy.error).max() < 1e-11


@in_all_coordinates
def test_a_ball_thrown_with_spin_slides_along_a_parabola_and_then_rolls(coordinates):
    """Slip keeps its direction, so friction does: s' = -7/2 μg. The spin about the vertical is left alone."""
    radius, mu = 0.1, 0.2
    inertia = 0.4 * 2 * radius**2
    model, ball = world("thrown ball", inertia=(inertia,) * 3, position=(0, 0, radius))
    model.add(Contact("floor", Plane(model.ground), Sphere(ball, radius), friction=mu))
    v, w = np.array([1.0, 0.5, 0]), np.array([3.0, -10.0, 5.0])
    slip = v + np.cross(w, [0, 0, -radius])
    rolls = np.linalg.norm(slip) / (3.5 * mu * G)
    along = mu * G * slip / np.linalg.norm(slip)
    times = np.array([0, 0.1, 0.2, 0.3, rolls - 1e-8, rolls + 1e-8, 1.0])
    start = dict(zip(RATES, (*v, *w), strict=True))
    result = run(model, coordinates, times, **start)
    t = np.minimum(times, rolls)[:, None]
    expected = v * t - along * t**2 / 2 + (v - along * rolls) * (times[:, None] - t)
    assert np.abs(place_of(result) - expected - [0, 0, radius]).max() < 1e-10
    assert np.abs(result["b.wz"] - 5).max() < 1e-9
    assert result.modes["floor"].tolist() == ["slips"] * 5 + ["sticks"] * 2
    assert abs(result["b.wy"][-1] * radius - result["b.vx"][-1]) < 1e-10
    assert np.abs(result.energy.error).max() < 1e-9


@in_all_coordinates
def test_a_ball_rolls_to_and_fro_in_a_bowl(coordinates):
    """A pendulum of length 7/5 (R - r)."""
    bowl, radius, angle = 1.0, 0.2, 0.3
    far = bowl - radius
    inertia = 0.4 * radius**2
    place = (far * np.sin(angle), 0, -far * np.cos(angle))
    model, ball = world("ball in a bowl", mass=1.0, inertia=(inertia,) * 3, position=place)
    model.add(Contact("bowl", Sphere(model.ground, bowl, inside=True), Sphere(ball, radius), friction=0.5))
    period = 4 * np.sqrt(1.4 * far / G) * ellipk(np.sin(angle / 2) ** 2)
    result = run(model, coordinates, [0, period / 4, period / 2, period])
    assert np.abs(result["b.x"] - place[0] * np.array([1, 0, -1, 1])).max() < 1e-9
    assert (result.modes["bowl"] == "sticks").all()
    force = result.reaction("bowl")[0, :3]
    assert abs(force @ -np.array(place) / far - G * np.cos(angle)) < 1e-9
    assert np.abs(result.energy.error).max() < 1e-9


@in_all_coordinates
@pytest.mark.parametrize("centre", ((0.0, 0.0), (0.1, -0.05)))
def test_a_table_stands_on_four_legs(centre, coordinates):
    """Four forces, three equations: the least ones, which are a plane over the feet; alike with the load in the
    middle."""
    model, top = world("table", position=(0, 0, 0.7))
    feet = np.array([(0.5, 0.3), (-0.5, 0.3), (-0.5, -0.3), (0.5, -0.3)])
    for k, (x, y) in enumerate(feet - centre):
        model.add(Contact(f"leg{k}", Plane(model.ground), Point(top.at(x, y, -0.7)), friction=0.3))
    result = run(model, coordinates, [0, 1.0])
    forces = np.array([result.reaction(f"leg{k}")[-1, :3] for k in range(4)])
    columns = np.column_stack([np.ones(4), *(feet - centre).T])
    least = columns @ np.linalg.solve(columns.T @ columns, [2 * G, 0, 0])
    assert np.abs(forces[:, 2] - least).max() < 1e-10
    assert np.abs(forces[:, :2].sum(axis=0)).max() < 1e-10
    assert np.abs(place_of(result)[-1] - [0, 0, 0.7]).max() < 1e-12


def test_a_ball_that_drops_with_spin_on_a_rough_floor_is_thrown_aside():
    """Newton's law along the normal, e = 1/2; the impulse of friction stops the slip, or is at its bound."""
    radius, drop = 0.1, 0.5
    inertia = 0.4 * 2 * radius**2
    speed = np.sqrt(2 * G * drop)
    for mu, w in ((0.5, np.array([5.0, -3.0, 2.0])), (0.05, np.array([100.0, -60.0, 2.0]))):
        model, ball = world("spun ball", inertia=(inertia,) * 3, position=(0, 0, radius + drop))
        model.add(Contact("floor", Plane(model.ground), Sphere(ball, radius), friction=mu, restitution=0.5))
        result = run(model, "cartesian", [0, 0.4], wx=w[0], wy=w[1], wz=w[2])
        (impact,) = result.impacts
        slip = np.cross(w, [0, 0, -radius])
        normal = 2 * 1.5 * speed
        stops = 2 / 3.5 * np.linalg.norm(slip)  # m/(1 + m r²/I) |s|
        assert (stops < mu * normal) == (mu == 0.5)
        push = -slip / np.linalg.norm(slip) * min(stops, mu * normal)
        assert np.abs(impact.impulses["floor"][:3] - push - [0, 0, normal]).max() < 1e-9
        assert abs(impact.t - np.sqrt(2 * drop / G)) < 1e-10
        after = w + np.cross([0, 0, -radius], push) / inertia
        lost = speed**2 * (1 - 0.25) + inertia / 2 * (w @ w - after @ after) - push @ push / 4
        assert abs(impact.energy_lost - lost) < 1e-9
        assert np.abs([result["b.vx"][-1], result["b.vy"][-1]] - push[:2] / 2).max() < 1e-9


def test_what_legs_of_a_table_share_is_flagged():
    """Of four legs the shares are not unique; of three they are, but for those of friction."""
    model = mbs.SpatialModel("table", gravity=(0, 0, -9.81))
    top = model.body("top", mass=2.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0.5))
    for k, (x, y) in enumerate([(1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5)]):
        feet = mbs.Plane(model.ground.at(0, 0, 0)), mbs.Point(top.at(x, y, -0.5))
        model.add(mbs.Contact(f"leg{k}", *feet, friction=0.5))
    four = mbs.simulate(model, [0, 0.1])
    assert four.is_unique("leg0")[-1].tolist() == [False, False, False, True, True, True]
    model = model.without("leg3").plus(mbs.Force("load", top.at(0.5, 0, 0), (0, 0, -40)))
    three = mbs.simulate(model, [0, 0.1])
    assert three.is_unique("leg0")[-1].tolist() == [False, False, True, True, True, True]


@in_all_coordinates
def test_a_slip_turns_by_more_than_a_right_angle(coordinates):
    """A point on a slope, thrown up and aside: v sin ψ / tan(ψ/2)^k stays, with ψ the angle of its way from the line of
    fall and k = μN/pull, up to where it stops. Energy tells where: it loses μN for each metre."""
    model = mbs.SpatialModel("slope", gravity=(1, 0, -9.81))
    body = model.body("b", mass=1.0, inertia=(1, 1, 1))
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Point(body), friction=0.2))
    start = {"b.vx": -1.0, "b.vy": 2.0} | {f"b.{name}": 0.0 for name in ("vz", "wx", "wy", "wz")}
    result = mbs.simulate(model.compile(coordinates), np.linspace(0, 2, 41), start, rtol=1e-10, method="DP8")
    speed, angle = np.hypot(result["b.vx"], result["b.vy"]), np.arctan2(result["b.vy"], result["b.vx"])
    slips = result.modes["floor"] == "slips"
    stays = speed[slips] * np.sin(angle[slips]) / np.tan(angle[slips] / 2) ** (0.2 * 9.81)
    assert slips[:24].all() and not slips[26:].any() and angle[slips].min() < 0.42
    assert np.abs(stays / stays[0] - 1).max() < 1e-7 and np.abs(result.energy.error).max() < 1e-8


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
def test_a_slip_stops_that_is_turned_aside(method):
    """μ g |v| + F v_F/m falls evenly, by (μ g)² - (F/m)²: that tells when it stops. Before, its direction comes to that
    of the force F faster and faster, for a small force without end."""
    mu, g = 0.3, 9.81
    model = mbs.SpatialModel("puck", gravity=(0, 0, -g))
    F, puck = model.parameter("F", 0.5, unit="N"), model.body("puck", mass=1.0, inertia=(0.01, 0.01, 0.01))
    model.add(mbs.Contact("floor", mbs.Plane(model.ground), mbs.Point(puck), friction=mu))
    model.add(mbs.Force("aside", puck, (0, F, 0)))
    start = {"puck.vx": 2.0} | {f"puck.{name}": 0.0 for name in ("vy", "vz", "wx", "wy", "wz")}
    for force in (0.5, 1.0, 2.0):
        stops = mu * g * 2.0 / ((mu * g) ** 2 - force**2)
        near = 2e-5 if method == "GA" else 1e-6
        run = mbs.simulate(model.with_parameters(F=force), [0, stops - near, stops + near, 2], start, method=method)
        assert run.modes["floor"].tolist() == ["slips", "slips", "sticks", "sticks"]
        assert abs(run["puck.vx"][-1]) + abs(run["puck.vy"][-1]) < 1e-12
