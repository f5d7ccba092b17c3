"""Time stepping: order 1 where bodies meet and stick, laws of contact in all steps, energy accounted for."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs
from mbs_dae.coordinates import SETS
from mbs_dae.model.contacts import Contact
from mbs_dae.model.contacts.shapes import Box, Disk, Line, Plane, Point

G = 9.81


def disk_above(height=1.0, radius=0.1, **laws):
    model = mbs.PlanarModel("disk", gravity=(0, -G))
    body = model.body("disk", mass=2.0, inertia=0.5 * 2.0 * radius**2, position=(0, radius + height))
    model.add(Contact("floor", Line(model.ground), Disk(body, radius), **laws))
    return model


def moving(vx=0.0, vy=0.0, omega=0.0, name="disk"):
    return {f"{name}.vx": vx, f"{name}.vy": vy, f"{name}.omega": omega}


def stepped(model, times, initial=None, step=1e-3, method="Moreau"):
    return mbs.simulate(model, times, initial, method=method, step=step)


by_both = pytest.mark.parametrize("method", ("Moreau", "HalfExplicit"))


def bounced(t, height, e):
    """The height and the times of impacts of a ball that falls from rest."""
    impact, speed, times = np.sqrt(2 * height / G), np.sqrt(2 * height * G), []
    if t < impact:
        return height - 0.5 * G * t**2, times
    while impact < t:
        times.append(impact)
        last, speed = impact, e * speed
        impact += 2 * speed / G
    return speed * (t - last) - 0.5 * G * (t - last) ** 2, times


@by_both
def test_a_ball_bounces_with_an_error_of_first_order(method):
    """1.7 s, between its second and third impact; every impact is at most a step early, with speeds off by G h."""
    wanted, impacts = bounced(1.7, 1.0, 0.8)
    assert len(impacts) == 2
    for h in (1e-2, 1e-3, 1e-4):
        res = stepped(disk_above(restitution=0.8), np.linspace(0, 1.7, 171), moving(), h, method=method)
        up = np.flatnonzero(np.diff(res["disk.vy"]) > 1.0)
        assert res["disk.y"][-1] - 0.1 == pytest.approx(wanted, abs=10 * h)
        assert res.t[up + 1] == pytest.approx(impacts, abs=0.01 + 10 * h)
        assert np.abs(res.energy.error).max() < 1e-11


@by_both
def test_the_energy_of_an_impact_is_booked(method):
    """½ m v² (1 - e²), and e times the speed is left."""
    for h in (1e-3, 1e-4):
        res = stepped(disk_above(restitution=0.5), [0, 0.6], moving(), h, method=method)
        assert res.energy.dissipated[-1] == pytest.approx(0.75 * 2.0 * G * 1.0, rel=20 * h)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_disk_slides_then_rolls(coordinates):
    """It rolls from v₀ / (3 μ g) on with two thirds of its speed, and a third of its energy is lost."""
    v, mu = 1.0, 0.2
    begin = v / (3 * mu * G)
    way = v * begin - 0.5 * mu * G * begin**2 + 2 / 3 * v * (1 - begin)
    system = disk_above(0.0, friction=mu).compile(coordinates)
    for h in (1e-2, 1e-3):
        res = stepped(system, [0, 0.1, 1], moving(vx=v), h)
        assert res["disk.x"][-1] == pytest.approx(way, abs=h * h)
        assert res["disk.vx"][-1] == pytest.approx(2 / 3 * v, abs=h * h)
        assert res["disk.omega"][-1] == pytest.approx(-2 / 3 * v / 0.1, abs=h)
        assert res.energy.dissipated[-1] == pytest.approx(v**2 / 3, abs=h * h)
    assert res.modes["floor"].tolist() == ["slips", "slips", "sticks"]
    assert res.reaction("floor")[1, :2] == pytest.approx([-mu * 2.0 * G, 2.0 * G])


@by_both
def test_a_block_slides_to_rest(method):
    """On two of its corners, by v₀² / (2 μ g)."""
    model = mbs.PlanarModel("block", gravity=(0, -G))
    body = model.body("block", mass=2.0, inertia=0.1, position=(0, 0.1))
    model.add(Contact("floor", Line(model.ground), Box(body, (0.4, 0.2)), friction=0.3))
    for h in (1e-2, 1e-3):
        res = stepped(model, [0, 0.5, 1], moving(vx=2.0, name="block"), h, method=method)
        assert res["block.x"][-1] == pytest.approx(2 / (0.3 * G), abs=h * h)
        assert abs(res["block.vx"][-1]) < 1e-12 and abs(res["block.angle"]).max() < 1e-12
        assert np.abs(res.energy.error).max() < 1e-11


@by_both
@pytest.mark.parametrize("coordinates", SETS)
def test_a_table_stands_on_four_legs(coordinates, method):
    """Forces are not unique; the least ones are taken, a quarter each."""
    model = mbs.SpatialModel("table", gravity=(0, 0, -G))
    top = model.body("top", mass=4.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5))
    for k, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        model.add(Contact(f"leg{k}", Plane(model.ground), Point(top.at(x, y, -0.5)), friction=0.5))
    res = stepped(model.compile(coordinates), [0, 0.1], method=method)
    assert abs(res["top.z"] - 0.5).max() < 1e-12
    for k in range(4):
        assert res.reaction(f"leg{k}")[-1, 2] == pytest.approx(G)
        assert res.modes[f"leg{k}"].tolist() == ["sticks", "sticks"]


@by_both
@pytest.mark.parametrize("coordinates", SETS)
def test_joints_carry_what_contacts_push(coordinates, method):
    """A bar, hinged at one end, falls onto a block at its middle and lies there: the block carries all its weight."""
    model = mbs.PlanarModel("bar", gravity=(0, -G))
    bar = model.link("bar", (0, 0), (1, 0.1), mass=1.0)
    model.add(mbs.Revolute("pin", model.ground, bar.tail))
    model.add(Contact("block", Disk(model.ground.at(0.5, -0.1), 0.1), Point(bar)))
    res = stepped(model.compile(coordinates), np.linspace(0, 1, 5), method=method)
    assert abs(res["bar.angle"][-1]) < 1e-4 and res.violation.position.max() < 1e-12
    block, pin = res.reaction("block")[-1, :2], res.reaction("pin")[-1, :2]
    assert block[1] == pytest.approx(G, rel=1e-4) and block + pin == pytest.approx([0, G], abs=1e-6)


def test_both_methods_agree_in_the_limit():
    """A disk thrown with spin: impacts with friction, flights, rolling."""
    model, start = disk_above(0.2, restitution=0.5, friction=0.3), moving(1.0, 0.0, 20.0)
    exact = mbs.simulate(model, [0, 0.5, 1.0], start)
    errors = []
    for h in (1e-2, 1e-3, 1e-4):
        res = stepped(model, [0, 0.5, 1.0], start, h)
        errors.append(abs(res["disk.x"][-1] - exact["disk.x"][-1]))
        assert errors[-1] < 2 * h
    assert errors[2] < 0.1 * errors[0]


@by_both
def test_momentum_is_kept_and_energy_is_not_gained(method):
    """Disks that fly into each other, without gravity."""
    model, random, start, count = mbs.PlanarModel("disks"), np.random.default_rng(1), {}, 6
    for k in range(count):
        place = np.array([np.cos(k), np.sin(k)]) * (1 + 0.2 * k)
        body = model.body(f"b{k}", mass=1.0 + k, inertia=0.1, position=place)
        toward = -place + random.uniform(-0.2, 0.2, 2)
        start |= moving(*toward, random.uniform(-3, 3), f"b{k}")
        for j in range(k):
            other = Disk(model.bodies[f"b{j}"], 0.2)
            model.add(Contact(f"c{j}{k}", other, Disk(body, 0.2), restitution=0.6, friction=0.3))
    res = stepped(model, np.linspace(0, 2, 201), start, 2e-3, method=method)
    momentum = sum((1 + k) * np.array([res[f"b{k}.vx"], res[f"b{k}.vy"]]) for k in range(count))
    assert np.abs(momentum - momentum[:, :1]).max() < 1e-12
    spin = sum(
        (1 + k) * (res[f"b{k}.x"] * res[f"b{k}.vy"] - res[f"b{k}.y"] * res[f"b{k}.vx"]) + 0.1 * res[f"b{k}.omega"]
        for k in range(count)
    )
    assert np.abs(spin - spin[0]).max() < 0.05 * np.abs(spin[0]) + 0.05
    assert np.diff(res.energy.kinetic).max() < 1e-12 and res.energy.kinetic[-1] < 0.9 * res.energy.kinetic[0]
    assert np.abs(res.energy.error).max() < 1e-12
    for k in range(count):
        for j in range(k):
            apart = np.hypot(res[f"b{k}.x"] - res[f"b{j}.x"], res[f"b{k}.y"] - res[f"b{j}.y"])
            assert apart.min() > 0.4 - 1e-9


def box_of_disks(count, width):
    model = mbs.PlanarModel("box of disks", gravity=(0, -G))
    walls = model.ground, model.ground.at(0, 0, angle=-np.pi / 2), model.ground.at(0.24 * width, 0, angle=np.pi / 2)
    for k in range(count):
        place = 0.24 * (k % width) + 0.12 + 0.01 * np.sin(5 * k), 0.15 + 0.24 * (k // width)
        body = model.body(f"b{k}", mass=1.0, inertia=0.005, position=place)
        for name, wall in zip(("floor", "left", "right"), walls, strict=True):
            model.add(Contact(f"{name}{k}", Line(wall), Disk(body, 0.1), friction=0.3, restitution=0.2))
        for j in range(k):
            other = Disk(model.bodies[f"b{j}"], 0.1)
            model.add(Contact(f"c{j}_{k}", other, Disk(body, 0.1), friction=0.3, restitution=0.2))
    return model


def test_disks_fall_in_a_box_and_come_to_rest():
    """The floor carries their weight; the energy that is gone was taken by contacts; none overlap."""
    count = 12
    start = {name: 0.0 for k in range(count) for name in moving(name=f"b{k}")}
    res = stepped(box_of_disks(count, 4), np.linspace(0, 2, 21), start, 2e-3)
    assert res.energy.kinetic[-1] < 1e-2 and np.abs(res.energy.error).max() < 1e-2
    assert np.diff(res.energy.dissipated).min() > -1e-9
    carried = sum(res.reaction(f"floor{k}")[-1, 1] for k in range(count))
    assert carried == pytest.approx(count * G, rel=0.02)
    places = np.array([[res[f"b{k}.x"], res[f"b{k}.y"]] for k in range(count)])
    assert places[:, 1].min() > 0.1 - 1e-9
    for k in range(count):
        assert all(np.hypot(*(places[k] - places[j])).min() > 0.2 - 1e-9 for j in range(k))


@by_both
def test_steps_obey_the_laws_of_contact(method):
    """Mean forces push, are inside the cone, and are nothing where the bodies are apart."""
    res = stepped(disk_above(0.05, friction=0.3), np.arange(201) * 2e-3, moving(1.0), 2e-3, method=method)
    along, normal = res.reaction("floor")[:, :2].T
    assert normal.min() >= 0.0 and (abs(along) <= 0.3 * normal * (1 + 1e-9) + 1e-12).all()
    assert (res["disk.y"] - 0.1).min() > -1e-12
    is_open = res.modes["floor"] == "open"
    assert is_open.any() and not is_open.all()
    assert (normal[is_open] == 0.0).all() and (normal[~is_open] > 0.0).all()


@by_both
def test_a_gap_of_roundoff_takes_nothing_from_the_force(method):
    """A disk lies on a floor at 1 m, and the gap is two units in the last place: over the squared step this would be
    half a m/s²."""
    model = mbs.PlanarModel("shelf", gravity=(0, -G))
    body = model.body("disk", mass=2.0, inertia=0.01, position=(0, 1.1 + 4.4e-16))
    model.add(Contact("shelf", Line(model.ground.at(0, 1.0)), Disk(body, 0.1)))
    res = stepped(model, [0, 1e-7], step=3e-8, method=method)
    np.testing.assert_allclose(res["shelf.force"][-1], 2.0 * G, rtol=1e-12)


@by_both
def test_the_ledger_has_what_obstacles_give(method):
    """A floor that rises at a constant speed lifts a disk: its force times its way is supplied."""
    model = mbs.PlanarModel("lift", gravity=(0, -G))
    body = model.body("disk", mass=2.0, inertia=0.01, position=(0, 0.1))
    model.add(Contact("floor", model.ground, body, gap=lambda i, j: j.y - i.y - 0.1 - 0.5 * mbs.t))
    res = stepped(model, [0, 1], moving(vy=0.5), method=method)
    assert res["disk.y"][-1] == pytest.approx(0.6) and res.energy.supplied[-1] == pytest.approx(2.0 * G * 0.5)
    assert np.abs(res.energy.error).max() < 1e-10


@pytest.mark.parametrize("coordinates", SETS)
def test_smooth_mechanisms_are_met_as_well(coordinates):
    """A damped pendulum: order 1, without any contact."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -G))
    bar = model.link("bar", (0, 0), (np.sin(0.5), -np.cos(0.5)), mass=1.0)
    spring = mbs.SpringDamper("spring", model.ground.at(1, 0), bar.head, stiffness=20.0, damping=3.0, length=1.0)
    model.add(mbs.Revolute("pin", model.ground, bar.tail), spring)
    system = model.compile(coordinates)
    exact = mbs.simulate(system, [0, 1], rtol=1e-11)["bar.angle"][-1]
    errors = [abs(stepped(system, [0, 1], step=h)["bar.angle"][-1] - exact) for h in (0.02, 0.01, 0.005)]
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx([1, 1], abs=0.15)


@by_both
def test_states_and_controllers_go_along(method):
    """A state that integrates the time; a controller that counts: samples are ends of steps."""
    model = disk_above(1.0)
    model.state("area", rate=mbs.t, initial=1.0)
    count = model.state("count")
    model.add(mbs.Sampled("clock", every=0.0333, update={count: count + 1}))
    res = stepped(model, [0, 0.2, 1], moving(), 1e-2, method=method)
    assert res["area"][-1] == pytest.approx(1.5, abs=1e-9)
    assert res["count"][-1] == 31


def test_what_cannot_be_is_refused():
    model = disk_above()
    with refused("missing-argument", argument="step", method="Moreau"):
        mbs.simulate(model, [0, 1], method="Moreau")
    model.add(mbs.Event("low", model["disk.y"] - 0.5))
    with refused("not-supported", event="low"):
        stepped(model, [0, 1], moving())
