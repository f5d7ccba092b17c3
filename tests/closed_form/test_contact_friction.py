"""Friction in contacts that sticks and slips. Expected values: closed forms evaluated with 20 digits (blocks, belt,
disks, spring), and minimal coordinates with a change of modes in extended precision (rods)."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.model.contacts import Contact, Disk, Line, Point

G = 9.81
SOON = 1e-8
"""A change is at this time: just before it is not, just after it is."""
cases = pytest.mark.parametrize(
    "coordinates, method", [("cartesian", "DP5"), ("natural", "DP5"), ("joint", "DP5"), ("cartesian", "DP8")]
)


def run(model, times, start, coordinates="cartesian", method="DP5", **options) -> mbs.Result:
    return mbs.simulate(model.compile(coordinates), times, start, method=method, **{"rtol": 1e-12, **options})


def near(found, expected, tolerance=1e-9):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance, (found, expected)


def around(*times) -> list[float]:
    return [t + side * SOON for t in times for side in (-1, 1)]


def block(gravity, belt=0.0, spring=0.0, **friction) -> mbs.PlanarModel:
    """1 kg on a floor (a belt) along x, which may not turn, perhaps on a spring to the origin."""
    model = mbs.PlanarModel("block", gravity=gravity)
    body = model.body("b", mass=1.0, inertia=0.1)
    model.add(mbs.CoordinateFix("upright", body, "angle", 0))
    if spring:
        model.add(mbs.Force("spring", body, (-spring * model["b.x"], 0)))
    model.add(
        Contact(
            "floor", model.ground, body, gap=lambda i, j: j.y - i.y, slip=lambda i, j: j.velocity[0] - belt, **friction
        )
    )
    return model


def slope(angle) -> tuple[float, float]:
    return -G * np.sin(angle), -G * np.cos(angle)


@cases
def test_a_block_thrown_up_a_slope_stays_there(coordinates, method):
    stop = 0.45127754796446770595
    result = run(block(slope(0.3), friction=0.4), [0, *around(stop), 1], {"b.x": 0, "b.vx": 3.0}, coordinates, method)
    assert result.modes["floor"].tolist() == ["slips", "slips", "sticks", "sticks"]
    near(result["b.x"][2:], [0.67691632194670155892] * 2)
    near(result["b.vx"][2:], [0, 0], 1e-14)
    near(result.reaction("floor")[-1], [2.8990532273477412318, G * np.cos(0.3), 0])


@cases
def test_a_block_thrown_up_a_slope_slides_back(coordinates, method):
    stop, back = 0.43760894304537116028, 1.1550026705270701349
    model = block(slope(0.5), friction=0.25, static_friction=0.3)
    result = run(model, [0, stop, back], {"b.x": 0, "b.vx": 3.0}, coordinates, method)
    near(result["b.x"][1:], [0.65641341456805674042, 0])
    near(result["b.vx"][1:], [0, -1.8299948533765292269])


@cases
def test_a_block_on_a_belt_sticks_and_slips(coordinates, method):
    model = block((0, -10), belt=3.0, spring=1.0, friction=0.3, static_friction=0.5)
    changes = [1.6666666666666666667, 6.7738467667511180411, 8.1071801000844513744, 13.214360200168902749,
               14.547693533502236082, 19.654873633586687457]  # fmt: skip
    result = run(model, [0, 2, 5, 10, 20], {"b.x": 0, "b.vx": 3.0}, coordinates, method)
    near(
        result["b.x"][1:], [5.8714979830179320613, 0.4649481019513861644, 5.2128172547171470416, 2.0353790992399376301]
    )
    near(result["b.vx"][1:], [2.1804814453519085048, -2.5638860883822667217, -2.8466541407810799924, 3.0])
    assert result.modes["floor"].tolist() == ["sticks", "slips", "slips", "slips", "sticks"]
    near(result.energy.error, np.zeros(5), 1e-8)
    result = run(model, [0, *around(*changes), 20], {"b.x": 0, "b.vx": 3.0}, coordinates, method)
    assert result.modes["floor"].tolist() == ["sticks", *["sticks", "slips", "slips", "sticks"] * 3, "sticks"]
    near(result["b.x"][2::2], [5, 1, 5, 1, 5, 1], 4 * SOON)


@cases
def test_a_block_on_a_spring_comes_to_rest(coordinates, method):
    """Half an oscillation after the other, about ±μmg/k, until the spring cannot move it any more."""
    model = block((0, -G), spring=100.0, friction=0.2)
    result = run(model, [0, 0.5, 1, 1.5, 3], {"b.x": 0.3, "b.vx": 0.0}, coordinates, method)
    near(result["b.x"][1:], [0.048782299402602381413, -0.15610337491957575588, -0.074140682205035721618, -0.01392])
    near(result["b.vx"][1:], [2.3123499959226921039, 0.88490473897264893848, -0.80258525232191363581, 0])
    turns = np.pi / 10 * np.arange(1, 9)
    result = run(model, [0, *turns[:-1], *around(turns[-1])], {"b.x": 0.3, "b.vx": 0.0}, coordinates, method)
    near(result["b.x"][1:9], [-0.26076, 0.22152, -0.18228, 0.14304, -0.1038, 0.06456, -0.02532, -0.01392])
    assert result.modes["floor"][-2:].tolist() == ["slips", "sticks"]


DISKS = {  # v, ω (positive as it rolls), when it rolls, then states: t, x, v, ω
    "thrown without turning": (3.0, 0.0, 0.50968399592252803262, [
        (0.2, 0.56076, 2.6076, 3.1392), (0.5, 1.25475, 2.019, 7.848), (1.0, 2.2548419979612640163, 2.0, 8.0)]),
    "thrown with backspin": (1.0, -20.0, 1.0193679918450560652, [
        (0.3, 0.21171, 0.4114, -15.2912), (0.8, 0.17216, -0.5696, -7.4432),
        (1.5, -0.48063200815494393476, -1.0, -4.0)]),
}  # fmt: skip


@cases
@pytest.mark.parametrize("throw", DISKS)
def test_a_disk_slides_and_then_rolls(throw, coordinates, method):
    speed, turning, rolls, states = DISKS[throw]
    model = mbs.PlanarModel("disk", gravity=(0, -G))
    disk = model.body("disk", mass=2.0, inertia=0.5 * 2.0 * 0.25**2, position=(0, 0.25))
    model.add(Contact("floor", Line(model.ground), Disk(disk, 0.25), friction=0.2))
    start = {"disk.vx": speed, "disk.omega": -turning}
    result = run(model, [0, *(row[0] for row in states)], start, coordinates, method)
    found = np.array([result[f"disk.{name}"][1:] for name in ("x", "vx", "omega")]).T * [1, 1, -1]
    near(found, [row[1:] for row in states])
    result = run(model, [0, *around(rolls)], start, coordinates, method)
    assert result.modes["floor"].tolist() == ["slips", "slips", "sticks"]


def rod(angle, friction) -> mbs.PlanarModel:
    """1 m, 1 kg, its lower tip on the floor."""
    model = mbs.PlanarModel("rod", gravity=(0, -G))
    body = model.body("rod", mass=1.0, inertia=1 / 12, com=(0.5, 0), angle=angle)
    model.add(Contact("floor", Line(model.ground), Point(body), friction=friction))
    return model


def thrown(angle, speed) -> dict[str, float]:
    return {"rod.angle": angle, "rod.x": 0.0, "rod.y": 0.0, "rod.vx": speed, "rod.vy": 0.0, "rod.omega": 0.0}


@cases
def test_a_rod_falls_from_rest(coordinates, method):
    """Its tip sticks, slides away backward, and forward at last."""
    changes, end = (0.40229936363092345, 0.63224874291287791), 0.77272739004404611
    result = run(rod(1.4, 0.3), [0, *changes, end], thrown(1.4, 0.0), coordinates, method)
    near(result["rod.x"][1:], [0, -0.013841567875086822, 0.032524876664839608], 1e-9)
    near(result["rod.angle"][1:], [1.1552340847229008, 0.60013665363081925, 0])
    near(result["rod.omega"][1:], [-1.4410371246477152, -3.5039797800862131, -5.1227392080603025], 1e-8)
    near(result.reaction("floor")[[0, 3], 1], [9.5974504357348263, 2.4525], 1e-7)
    result = run(rod(1.4, 0.3), [0, *around(*changes)], thrown(1.4, 0.0), coordinates, method)
    assert result.modes["floor"].tolist() == ["sticks", "sticks", "slips", "slips", "slips"]
    pushed = np.sign(result.reaction("floor")[:, 0])
    assert (pushed == [1, 1, 1, 1, -1]).all()


@cases
def test_a_rod_slides_until_it_lies(coordinates, method):
    end = 0.34546787074575847
    result = run(rod(1.0, 0.5), [0, end], thrown(1.0, 2.0), coordinates, method)
    found = [result[f"rod.{name}"][-1] for name in ("x", "angle", "vx", "omega")]
    near(found, [0.37875354869512712, 0, 1.5869916871872314, -5.1260463727807073])


@cases
def test_a_rod_that_falls_flat_bounces_or_lies(coordinates, method):
    """Both ends touch: the other one strikes, and without restitution the rod lies and slides to a stop."""
    model = rod(1.0, 0.5)
    model.add(Contact("other end", Line(model.ground), Point(model.bodies["rod"].at(1, 0)), friction=0.5))
    result = run(model, [0, 0.3, 0.4, 2], thrown(1.0, 2.0), coordinates, method)
    near(result.impacts[0].t, 0.34546787074575847)
    assert result.modes["floor"][-1] == result.modes["other end"][-1] == "sticks"
    weights = [result.reaction(name)[-1, 1] for name in ("floor", "other end")]
    near(weights, [G / 2, G / 2], 1e-8)
    near(result["rod.y"][-1], 0, 1e-9)
    near(result.energy.error, np.zeros(4), 1e-8)


@cases
def test_a_box_that_is_shoved_lets_go_of_both_corners_at_once(coordinates, method):
    """The force 4 t at 0.18 m above the floor makes the corners carry unlike loads; all that they hold together is
    0.6 · 20 N, and 0.3 · 20 N from then on."""
    model = mbs.PlanarModel("shove", gravity=(0, -10.0))
    box = model.body("b", mass=2.0, inertia=0.1, position=(0, 0.1))
    model.add(Contact("floor", Line(model.ground), mbs.Box(box, (0.6, 0.2)), friction=0.3, static_friction=0.6))
    model.add(mbs.Force("F", box.at(0, 0.08), (4.0 * mbs.t, 0)))
    times = [0, *around(3), 4]
    result = run(model, times, {f"b.{name}": 0.0 for name in ("vx", "vy", "omega")}, coordinates, method)
    assert [(mode[mode != "open"] == "slips").all() for mode in result.modes["floor"]] == [False, False, True, True]
    near(result["b.vx"][-1], (2 * (16 - 9) - 6.0) / 2)
