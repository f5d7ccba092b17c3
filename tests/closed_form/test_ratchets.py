"""Profiles with corners: at a root of a tooth a velocity is projected, off a tip a point flies, and a pawl holds."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

G = 9.81
SETS = ("cartesian", "natural", "joint")
PITCH = 2 * np.pi / 12


def table(steep=0.1):
    """Twelve teeth from radius 1 to 1.1 m, each with a flank over this part of its pitch."""
    tips = np.arange(12) * PITCH
    angles = np.append(np.stack([tips, tips + (1 - steep) * PITCH], axis=1).ravel(), 2 * np.pi)
    return mbs.Table(angles, [*(1.0, 1.1) * 12, 1.0], periodic=True, kind="linear")


def sliding(left, right, restitution=0.0):
    """A point of 2 kg on two straight slopes (angles) that meet in the origin; it stands at x = -1."""
    track = mbs.Table([-3, 0, 3], [-3 * np.tan(left), 0, 3 * np.tan(right)], kind="linear")
    model = mbs.PlanarModel("track", gravity=(0, -G))
    body = model.body("body", mass=2.0, inertia=0.1, position=(-1, -np.tan(left)))
    gap = lambda i, j: (j.y - i.y) - track(j.x - i.x)  # noqa: E731
    return model.plus(mbs.Contact("track", model.ground, body, gap=gap, restitution=restitution))


def to_origin(speed, left):
    """The speed with which it comes to the origin, and when."""
    pull = -G * np.sin(left)
    end = np.sqrt(speed**2 + 2 * pull / np.cos(left))
    return end, (end - speed) / pull


def begin(speed, left):
    return {"body.vx": speed * np.cos(left), "body.vy": speed * np.sin(left), "body.omega": 0.0}


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_a_velocity_is_projected_where_slopes_meet(method, coordinates):
    left, right, speed = -0.5, 0.3, 2.0
    run = mbs.simulate(sliding(left, right).compile(coordinates), [0, 0.8], begin(speed, left), method=method)
    end, t = to_origin(speed, left)
    way = end * np.cos(right - left) * (0.8 - t) - G * np.sin(right) * (0.8 - t) ** 2 / 2
    assert run["body.x"][-1] == pytest.approx(way * np.cos(right), abs=1e-10)
    (impact,) = run.impacts
    assert impact.t == pytest.approx(t, abs=1e-10)
    assert impact.energy_lost == pytest.approx((end * np.sin(right - left)) ** 2, rel=1e-10)


def test_a_bounce_off_the_second_slope():
    left, right, speed, e = -0.5, 0.3, 2.0, 0.5
    run = mbs.simulate(sliding(left, right, e), [0, 0.45], begin(speed, left))
    end, t = to_origin(speed, left)
    along, off, dt = end * np.cos(right - left), e * end * np.sin(right - left), 0.45 - t
    assert run["body.x"][-1] == pytest.approx((along * np.cos(right) - off * np.sin(right)) * dt, abs=1e-9)
    assert run.impacts[0].energy_lost == pytest.approx((1 - e**2) * (end * np.sin(right - left)) ** 2, rel=1e-9)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_point_flies_off_a_tip_and_lands_on_the_slope_behind_it(method, coordinates):
    left, right, speed = 0.3, -0.8, 3.0
    run = mbs.simulate(sliding(left, right).compile(coordinates), [0, 0.8, 1.0], begin(speed, left), method=method)
    end, t = to_origin(speed, left)
    dt = 0.8 - t
    assert run["body.x"][1] == pytest.approx(end * np.cos(left) * dt, abs=1e-10)
    assert run["body.y"][1] == pytest.approx(end * np.sin(left) * dt - G * dt**2 / 2, abs=1e-10)
    (impact,) = run.impacts
    assert impact.t == pytest.approx(t + 2 * end * np.sin(left - right) / (G * np.cos(right)), abs=1e-9)


def pawl_on_wheel(profiles, torque=None, omega=None, y=1.3, restitution=0.0):
    """A wheel, and a pawl that a spring presses onto it along a guide above."""
    model = mbs.PlanarModel("ratchet", gravity=(0, -G))
    wheel, pawl = (
        model.body("wheel", mass=1.0, inertia=0.05),
        model.body("pawl", mass=0.1, inertia=0.001, position=(0, y)),
    )
    upright = model.ground.at(0, 0, angle=np.pi / 2)
    model.add(mbs.Revolute("axle", model.ground, wheel))
    model.add(mbs.Translational("guide", upright, pawl.at(0, 0, angle=np.pi / 2)))
    model.add(mbs.Spring("spring", model.ground.at(0, 30.0), pawl, stiffness=50.0, length=29.5))
    if omega is not None:
        model.add(mbs.Driver("motor", mbs.angle(model.ground, wheel), omega * mbs.t))
    if torque is not None:
        model.add(mbs.Torque("load", wheel, torque))
    for k, profile in enumerate(profiles(wheel)):
        model.add(mbs.Contact(f"tooth {k}", profile, mbs.Point(pawl), restitution=restitution))
    return model


def whole(steep=0.1):
    return lambda wheel: [mbs.Profile(wheel, table(steep))]


def parts(steep=0.1):
    return lambda wheel: mbs.Profile(wheel, table(steep)).parts()


@pytest.mark.parametrize("steep", [0.1, 0.01])
@pytest.mark.parametrize("omega, restitution", [(2.0, 0.0), (-2.0, 0.5), (20.0, 0.0)])
def test_a_pawl_runs_over_the_teeth_of_a_wheel(omega, restitution, steep):
    model = pawl_on_wheel(whole(steep), omega=omega, restitution=restitution)
    times = np.linspace(0, 1, 51)
    runs = [mbs.simulate(model, times, method="DP8", rtol=1e-10)]
    runs += [mbs.simulate(model.compile(other), times, method="DP8", rtol=1e-10) for other in SETS[1:]]
    runs += [mbs.simulate(model, times, method="Radau5", rtol=1e-8)]
    size = runs[0].energy.kinetic.max()
    for run in runs:
        assert abs(run.energy.error).max() < 1e-6 * size
        assert run["tooth 0.gap"].min() > -1e-9
        assert [hit.t for hit in run.impacts] == pytest.approx([hit.t for hit in runs[0].impacts], abs=1e-5)
        assert run["pawl.y"] == pytest.approx(runs[0]["pawl.y"], abs=1e-5)


def flight(time):
    """The height and speed of a pawl at a time after it has left a tip at 1.1 m, where the wheel turns with 2 rad/s."""
    frequency, middle, speed = np.sqrt(50.0 / 0.1), 0.5 - 0.1 * G / 50.0, 2.0 / PITCH
    s, c = np.sin(frequency * time), np.cos(frequency * time)
    return middle + (1.1 - middle) * c + speed / frequency * s, speed * c - frequency * (1.1 - middle) * s


def test_a_flight_off_a_tip():
    times = np.array([0.3, 0.56])
    run = mbs.simulate(pawl_on_wheel(whole(), omega=2.0), [0, *times], rtol=1e-12, method="DP8")
    height, speed = flight(times - [0.55 * PITCH, 1.05 * PITCH])
    assert run["pawl.y"][1:] == pytest.approx(height, abs=1e-11)
    assert run["pawl.vy"][1:] == pytest.approx(speed, abs=1e-9)


def test_time_stepping_leaves_a_tip_half_a_step_early_or_late():
    """The pawl flies off at the end of a step, and errors are of order 1: up to half a step times its speed."""
    model, height, speed = pawl_on_wheel(whole(), omega=2.0), flight(0.3 - 0.55 * PITCH)[0], 2.0 / PITCH
    for count in (75, 300, 1200):
        steps = 0.3 / (count + (2 + count // 30) * np.arange(5))
        runs = [mbs.simulate(model, [0, 0.3], method="Moreau", step=step) for step in steps]
        parts = [abs(run["pawl.y"][-1] - height) / (speed * step) for run, step in zip(runs, steps, strict=True)]
        assert 0.2 < max(parts) < 0.55


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("torque", [3.0, 20.0, -3.0])
def test_a_pawl_in_a_root_holds_the_wheel(torque, coordinates):
    """Forces f on flanks with slopes r' lift the pawl with Σ f/√(1 + r'²) and turn the wheel with Σ f r'/√(1 + r'²)."""
    model = pawl_on_wheel(parts(), torque=torque, y=1.08)
    run = mbs.simulate(model.compile(coordinates), [0, 1, 3], {"wheel.angle": -0.3})
    slopes = np.array([0.1 / (0.9 * PITCH), -0.1 / (0.1 * PITCH)])
    pressed = 0.1 * G + 50.0 * 0.5
    shares = np.linalg.solve([[1, 1], slopes], [pressed, -torque]) * np.hypot(1, slopes)
    forces = [run["tooth 0.force"][-1], run["tooth 1.force"][-1]]
    assert sorted(forces) == pytest.approx(sorted(shares), rel=1e-6) and min(shares) > 0
    assert run["pawl.y"][-1] == pytest.approx(1.0, abs=1e-9) and abs(run["wheel.omega"][-1]) < 1e-9
    turns = (np.pi / 2 - run["wheel.angle"][-1]) / PITCH
    assert turns == pytest.approx(round(turns), abs=1e-9)


def swinging_pawl(profiles, friction=0.0):
    """A wheel of 12 teeth of 5 mm, and a pawl on a pin beside it that a torsion spring presses on."""
    small = mbs.Table(table().x, 0.05 * table().y, periodic=True, kind="linear")
    model = mbs.PlanarModel("ratchet", gravity=(0, -G))
    wheel = model.body("wheel", mass=0.5, inertia=6e-4)
    pin, tip = np.array([0.06, 0.075]), np.array([0.0, 0.055])
    length, angle = np.linalg.norm(tip - pin), np.arctan2(*(tip - pin)[::-1])
    pawl = model.body("pawl", mass=0.02, inertia=1e-5, position=(pin + tip) / 2, angle=angle)
    model.add(mbs.Revolute("axle", model.ground, wheel, at=(0, 0)), mbs.Revolute("pin", model.ground, pawl, at=pin))
    press = 0.5 * (angle + 0.6 - model["pawl.angle"]) - 2e-4 * model["pawl.omega"]
    model.add(mbs.Torque("spring", pawl, press))
    for k, profile in enumerate(profiles(mbs.Profile(wheel, small))):
        model.add(mbs.Contact(f"tooth {k}", profile, mbs.Point(pawl.at(length / 2, 0)), friction=friction))
    return model


@pytest.mark.parametrize("friction", [0.0, 0.15])
@pytest.mark.parametrize("profiles", [lambda whole: [whole], mbs.Profile.parts], ids=["whole", "parts"])
def test_a_wheel_driven_back_and_forth_under_a_pawl_on_a_pin(profiles, friction):
    """All coordinate sets agree, no tooth is passed through, and the ledger of energy closes."""
    model = swinging_pawl(profiles, friction)
    model.add(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["wheel"]), sp.sin(2 * sp.pi * mbs.t)))
    times = np.linspace(0, 1, 101)
    runs = [mbs.simulate(model.compile(c), times, method="DP8", rtol=1e-10) for c in SETS]
    for run in runs:
        assert run["pawl.angle"] == pytest.approx(runs[0]["pawl.angle"], abs=1e-8)
        assert abs(run.energy.error).max() < 1e-8 * run.energy.kinetic.max()
        assert min(run[f"{one.name}.gap"].min() for one in model.contacts) > -1e-10
    assert len(runs[0].impacts) == 15


def test_a_torque_that_is_large_enough_turns_the_wheel_the_other_way():
    run = mbs.simulate(pawl_on_wheel(parts(), torque=-20.0, y=1.08), [0, 1], {"wheel.angle": -0.3})
    assert run["wheel.angle"][-1] < -5.0 and abs(run.energy.error).max() < 1e-3


def test_a_rest_in_a_root_is_told_with_its_knot():
    model = pawl_on_wheel(whole(), torque=3.0, y=1.08)
    with refused("chattering", mbs.IntegrationError, joints=["axle"]):
        mbs.simulate(model, [0, 3], {"wheel.angle": -0.3}, max_steps=1000)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("torque, span", [(3.0, 3.0), (20.0, 0.2)])
def test_a_rest_in_a_root_ends_the_run_by_itself(torque, span, coordinates):
    model = pawl_on_wheel(whole(), torque=torque, y=1.08).compile(coordinates)
    with refused("chattering", mbs.IntegrationError, mentions=["Contact 'tooth 0'", "corner", "parts"]) as told:
        mbs.simulate(model, [0, span], {"wheel.angle": -0.3})
    assert told.value.result.stats["accepted"] < 1000


@pytest.mark.parametrize("restitution", [0.0, 0.1])
def test_a_pawl_on_a_pin_that_rests_in_a_root_is_told_the_root_and_the_parts(restitution):
    """A pawl on a pin opens and closes without end in the root at four pitches of sixteen teeth. Less restitution is
    advice where there is some."""
    pitch = 2 * np.pi / 16
    roots = pitch * np.arange(16)
    angles = [*np.stack([roots, roots + 0.98 * pitch], axis=1).ravel(), 2 * np.pi]
    teeth = mbs.Table(angles, [*(0.05, 0.055) * 16, 0.05], periodic=True, kind="linear")
    model = mbs.PlanarModel("ratchet", gravity=(0, -G))
    wheel = model.body("wheel", mass=0.5, inertia=6e-4)
    pawl = model.body("pawl", mass=0.05, inertia=2e-5, position=(0.08, 0.04))
    model.add(mbs.Revolute("axle", model.ground, wheel), mbs.Revolute("pivot", model.ground.at(0.08, 0.04), pawl))
    model.add(mbs.TorsionSpring("spring", mbs.angle(model.ground, pawl), stiffness=0.5, angle=0.3))
    model.add(mbs.Torque("load", wheel, 0.2))
    tip = mbs.Point(pawl.at(-0.08, 0.018))
    model.add(mbs.Contact("teeth", mbs.Profile(wheel, teeth), tip, restitution=restitution))
    corner = f"corner at {4 * pitch:.6g} in the table of Contact 'teeth'"
    with refused("chattering", mbs.IntegrationError, mentions=[corner, "parts", "Moreau"]) as told:
        mbs.simulate(model, np.linspace(0, 1, 101))
    assert ("restitution=0.0" in str(told.value)) == (restitution > 0.0)


@pytest.mark.parametrize("count, parts", [(4, 2), (5, 3), (12, 2)])
def test_how_many_parts_profiles_with_teeth_have(count, parts):
    roots = 2 * np.pi / count * np.arange(count)
    angles = [*np.stack([roots, roots + 0.9 * 2 * np.pi / count], axis=1).ravel(), 2 * np.pi]
    teeth = mbs.Table(angles, [*(1.0, 1.1) * count, 1.0], periodic=True, kind="linear")
    assert len(mbs.Profile(mbs.PlanarModel("wheel").ground, teeth).parts()) == parts


@pytest.mark.parametrize("how", [{}, {"stabilization": mbs.Projection()}, {"method": "Radau5"}])
def test_a_follower_held_from_both_sides_does_not_go_over_corners(how):
    profile = mbs.Table([0, 2, 4, 2 * np.pi], [1.0, 1.2, 1.1, 1.0], periodic=True, kind="linear")
    model = mbs.PlanarModel("cam")
    cam, follower = model.body("cam", 1.0, 0.1), model.body("follower", 0.2, 0.01, position=(0, 1.0))
    upright = np.pi / 2
    model.add(mbs.Revolute("axle", model.ground, cam), mbs.Torque("drive", cam, 0.3))
    model.add(mbs.Translational("guide", model.ground.at(0, 0, angle=upright), follower.at(0, 0, angle=upright)))
    model.add(mbs.CamFollower("lift", cam, follower, profile))
    with refused(("constraints-violated", "energy-off"), mbs.IntegrationError, mentions="lift"):
        mbs.simulate(model, [0, 3], {"cam.omega": 2.0}, **how)


@pytest.mark.parametrize("seed", range(6))
def test_parts_of_a_profile_make_up_the_whole(seed):
    random = np.random.default_rng(seed)
    count = int(random.integers(3, 14))
    angles, radii = np.sort(random.uniform(0, 2 * np.pi, count)), random.uniform(0.8, 1.2, count)
    given = mbs.Table([*angles, angles[0] + 2 * np.pi], [*radii, radii[0]], periodic=True, kind="linear")
    found = mbs.Profile(mbs.PlanarModel("wheel").ground, given).parts()
    theta = np.linspace(0, 2 * np.pi, 20001)
    assert np.max([part.table.read(theta) for part in found], axis=0) == pytest.approx(given.read(theta), abs=1e-12)


# --- tables over the state ------------------------------------------------------------------------------------


def guided(force):
    """A block of 1 kg that slides along x, with a force of the model."""
    model = mbs.PlanarModel("block")
    body = model.body("block", mass=1.0, inertia=1.0)
    return model.plus(mbs.Translational("guide", model.ground, body), mbs.Force("force", body, (force(model), 0)))


@pytest.mark.parametrize("coordinates", SETS)
def test_a_step_of_a_table_of_place_is_located(coordinates):
    law = mbs.Table([0, 1, 1, 3], [0, 0, -3, -3], kind="linear")
    model = guided(lambda model: law(model["block.x"]))
    run = mbs.simulate(model.compile(coordinates), [0, 1], {"block.vx": 2.0})
    assert run["block.x"][-1] == pytest.approx(1 + 2 * 0.5 - 3 * 0.5**2 / 2, abs=1e-11)
    assert run.stats["switches"] == 1


def test_a_step_of_a_table_of_speed_is_dry_friction():
    law = mbs.Table([-5, 0, 0, 5], [2.5, 2, -2, -2.5], kind="linear")
    model = guided(lambda model: law(model["block.vx"]) + mbs.t)
    run = mbs.simulate(model, [0, 1, 2, 3], rtol=1e-10)
    assert run["block.vx"][:3] == pytest.approx(0, abs=1e-12)
    assert run["block.vx"][3] == pytest.approx(10 - 100 * (1 - np.exp(-0.1)), abs=1e-8)  # v' = t - 2 - v/10


def test_a_step_of_a_table_that_repeats():
    law = mbs.Table([0, 1, 1, 2], [0, 1, 0, 0], periodic=True, kind="linear")
    run = mbs.simulate(
        guided(lambda model: law(model["block.x"])), np.linspace(0, 5, 26), {"block.vx": 1.0}, rtol=1e-10
    )
    x = run["block.x"]
    work = np.floor(x / 2) / 2 + np.minimum(np.mod(x, 2), 1) ** 2 / 2
    assert x[-1] > 8 and run["block.vx"] ** 2 / 2 - 0.5 == pytest.approx(work, abs=1e-8)


def test_a_step_is_said_by_a_linear_table_between_its_ends():
    with refused("not-increasing", argument="x"):
        mbs.Table([0, 1, 1, 2], [0, 1, 0, 0])
    with refused("misplaced-step", argument="x"):
        mbs.Table([0, 0, 1, 2], [0, 1, 0, 0], kind="linear")


@pytest.mark.parametrize("kind, method, order", [("linear", "DP5", 5), ("monotone", "DP5", 5), ("cubic", "DP5", 5)])
def test_runs_over_the_knots_of_a_table_keep_the_order_of_their_method(kind, method, order):
    knots = np.array([-2, -1.3, -0.7, 0, 0.4, 1.1, 2])
    law = mbs.Table(knots, -(knots**3), kind=kind)
    model = guided(lambda model: law(model["block.x"]))
    start = {"block.x": 1.5, "block.vx": 0.0}
    exact = mbs.simulate(model, [0, 4], start, method="DP8", rtol=1e-13)["block.x"][-1]
    errors = [
        abs(mbs.simulate(model, [0, 4], start, method=method, step=step)["block.x"][-1] - exact) for step in (0.1, 0.05)
    ]
    assert errors[0] / errors[1] > 2 ** (order - 1)
