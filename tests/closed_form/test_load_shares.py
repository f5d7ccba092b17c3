"""Where loads come from: shares of weights, inertias and forces, against runs in which there is nothing else."""

import re

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

TIMES = np.linspace(0, 0.2, 41)
MASSES = {"m1": 1.3, "m2": 0.7, "m3": 2.1}
FORCES = {"g": 9.81, "k": 900.0, "c": 25.0, "F": 60.0}
NAMES = {"m1": "crank", "m2": "rod", "m3": "slider"}


def slider_crank(**given):
    """Driven, with a spring, a damper and a given force, all of whose strengths are parameters."""
    numbers = dict.fromkeys([*MASSES, *FORCES], 0.0) | given
    model = mbs.PlanarModel("slider-crank")
    p = {name: model.parameter(name, value) for name, value in numbers.items()}
    model.gravity = (0, -p["g"])
    crank = model.body("crank", mass=p["m1"], inertia=0.02 * p["m1"], com=(0.06, 0.02))
    rod = model.body("rod", mass=p["m2"], inertia=0.03 * p["m2"], com=(0.25, 0.01), position=(0.1, 0))
    slider = model.body("slider", mass=p["m3"], inertia=0.01 * p["m3"], position=(0.5, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank),
        mbs.Revolute("B", crank.at(0.1, 0), rod),
        mbs.Revolute("C", rod.at(0.4, 0), slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.Driver("motor", mbs.angle(crank), 0.3 + 30 * mbs.t + 40 * mbs.t**2),
        mbs.Spring("spring", model.ground.at(0.9, 0.2), slider, stiffness=p["k"], length=0.3),
        mbs.Damper("damper", crank.at(0, 0.1), slider.at(0, 0.05), damping=p["c"]),
        mbs.Force("gas", slider, (-p["F"] * (1 + mbs.t), 0)),
    )
    return model


SOURCES = {f"inertia of {NAMES[m]}": {m: MASSES[m]} for m in MASSES}
SOURCES |= {"spring": {"k": 900.0}, "damper": {"c": 25.0}, "gas": {"F": 60.0}}


@pytest.fixture(scope="module")
def whole():
    return mbs.inverse_dynamics(slider_crank(**MASSES, **FORCES), TIMES)


def load(result, name):
    return result.effort(name) if name == "motor" else result.reaction(name)


@pytest.mark.parametrize("name", ["A", "B", "C", "guide", "motor"])
def test_shares_add_up_to_the_load(whole, name):
    shares = whole.shares(name)
    assert {*shares.parts} == {*SOURCES} | {f"weight of {body}" for body in NAMES.values()}
    assert np.array_equal(shares.total, load(whole, name))
    missed = sum(shares.parts.values()) - load(whole, name)
    assert np.abs(missed).max() < 1e-12 * np.abs(load(whole, name)).max()


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", ["A", "B", "C", "guide", "motor"])
def test_a_share_is_the_load_of_a_run_without_all_else(whole, name, source):
    """The motion is driven, so it is the same in a model of which everything else weighs nothing."""
    alone = mbs.inverse_dynamics(slider_crank(**SOURCES[source]), TIMES)
    size = np.abs(load(whole, name)).max()
    assert np.abs(whole.shares(name)[source] - load(alone, name)).max() < 1e-11 * size


@pytest.mark.parametrize("mass", MASSES)
def test_the_share_of_a_weight_is_what_gravity_adds(whole, mass):
    with_gravity, without = (slider_crank(**{mass: MASSES[mass]}, g=g) for g in (9.81, 0.0))
    added = mbs.inverse_dynamics(with_gravity, TIMES).reaction("B") - mbs.inverse_dynamics(without, TIMES).reaction("B")
    share = whole.shares("B")[f"weight of {NAMES[mass]}"]
    assert np.abs(share - added).max() < 1e-11 * np.abs(whole.reaction("B")).max()


def test_large_systems_are_solved_sparse_with_the_same_shares(whole, monkeypatch):
    dense = whole.shares("B")
    monkeypatch.setattr("mbs_dae.readings.influence.LARGE", 0)
    for name, part in whole.shares("B").parts.items():
        assert np.abs(part - dense[name]).max() < 1e-12 * np.abs(dense.total).max()


def test_shares_along_the_axes_of_a_body(whole):
    shares = whole.shares("B", axes="second")
    assert np.array_equal(shares.total, whole.reaction("B", axes="second"))
    assert np.abs(sum(shares.parts.values()) - shares.total).max() < 1e-12 * np.abs(shares.total).max()


def test_where_freedom_is_left_a_weight_is_carried_while_it_falls():
    """A uniform rod in free fall about its end: of its weight the pin carries a quarter where it is horizontal, and of
    the centrifugal force m ω² l/2 all."""
    rod = mbs.PlanarModel.from_points(
        {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81)
    )
    shares = mbs.simulate(rod, np.linspace(0, 0.5, 11), initial={"rod.omega": 3.0}).shares("A")
    assert shares["weight of rod"][0] == pytest.approx([0, 2 * 9.81 / 4, 0], abs=1e-12)
    assert shares["inertia of rod"][0] == pytest.approx([-2 * 9.0 * 0.15, 0, 0], abs=1e-12)
    assert np.abs(sum(shares.parts.values()) - shares.total).max() < 1e-12 * np.abs(shares.total).max()


def test_redundant_joints_share_the_least_loads():
    """A beam on two pins, pushed along: each pin takes half of the push, and so it is with the shares."""
    model = mbs.PlanarModel("beam", gravity=(0, -9.81))
    beam = model.link("beam", (0, 0), (2, 0), mass=3)
    model.add(mbs.Revolute("A", model.ground, beam.tail), mbs.Revolute("B", model.ground.at(2, 0), beam.head))
    model.add(mbs.Force("push", beam.tail, (10, 0)), mbs.Force("load", beam.at(-0.5, 0), (0, -8)))
    result = mbs.inverse_dynamics(model, [0])
    assert not result.is_unique("A").all()
    shares = result.shares("A")
    assert shares["push"][0] == pytest.approx([-5, 0, 0], abs=1e-9)
    assert shares["load"][0] == pytest.approx([0, 6, 0], abs=1e-9)
    assert shares["weight of beam"][0] == pytest.approx([0, 3 * 9.81 / 2, 0], abs=1e-9)
    assert sum(shares.parts.values()) == pytest.approx(result.reaction("A"), abs=1e-9)


def test_in_space_in_every_coordinate_set():
    """A rotor out of balance on a slanted axis, let go: shares add up, and are the same whatever it was computed in."""
    model = mbs.SpatialModel("rotor", gravity=(0, 0, -9.81))
    rotor = model.body("rotor", mass=2.0, inertia=((0.03, 0.004, 0), (0.004, 0.02, 0.003), (0, 0.003, 0.04)))
    pin = model.add(mbs.Revolute("A", model.ground, rotor.at(0.1, 0, 0.02)))
    model.add(mbs.TorsionSpring("coil", pin, stiffness=0.4))
    found = {}
    for coordinates in ("cartesian", "natural", "joint"):
        run = mbs.simulate(model.compile(coordinates), np.linspace(0, 0.3, 7), initial={"A.omega": 12.0})
        found[coordinates] = shares = run.shares("A")
        assert np.abs(sum(shares.parts.values()) - run.reaction("A")).max() < 1e-11 * np.abs(run.reaction("A")).max()
    for name, part in found["cartesian"].parts.items():
        assert np.abs(part - found["joint"][name]).max() < 1e-6 * np.abs(found["joint"].total).max()
        assert np.abs(part - found["natural"][name]).max() < 1e-6 * np.abs(found["joint"].total).max()


def test_near_a_singular_pose_shares_grow_and_at_it_there_are_none():
    """A parallelogram that passes the line: the pins' loads have a pole there; so have the shares."""
    points = {"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0)}
    model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD", mass=1, gravity=(0, -9.81))
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), np.pi / 2 - mbs.t))
    shares = mbs.inverse_dynamics(model, np.linspace(0, np.pi, 21)).shares("B")
    known = np.isfinite(shares["weight of BC"]).all(axis=1)
    assert np.flatnonzero(~known).tolist() == [10]
    assert "singular" in shares.note and "1.5708" in shares.note and shares.note in str(shares)
    assert np.abs(sum(shares.parts.values()) - shares.total)[known].max() < 1e-12 * np.abs(shares.total[known]).max()


def test_a_printed_table_tells_maxima_and_the_time_of_its_shares(whole):
    """Maxima are each source's own over all times; percentages add up to 100 at the time that their heading names."""
    shares = whole.shares("B")
    title, head, *rows = str(shares).splitlines()
    size = np.linalg.norm(shares.total[:, :2], axis=1)
    k = int(size.argmax())
    assert title == "B: what it carries, by source, each maximum at its own time"
    assert head.split("  ")[-1] == f"share of force at t = {TIMES[k]:.6g} s"
    assert any(np.linalg.norm(part[:, :2], axis=1).argmax() != k for part in shares.parts.values())
    told = {cells[0].strip(): cells[1:] for cells in (re.split(r"\s{2,}", row.strip()) for row in rows)}
    assert {*told} == {*shares.parts, "sum"} and told["sum"][-1] == "100.0 %"
    for name, part in shares.parts.items():
        assert float(told[name][0]) == pytest.approx(np.linalg.norm(part[:, :2], axis=1).max(), rel=1e-5, abs=1e-9)
        along = 100 * part[k, :2] @ shares.total[k, :2] / size[k] ** 2
        assert float(told[name][-1].removesuffix(" %")) == pytest.approx(along, abs=0.051)
    motor = str(whole.shares("motor")).splitlines()[1]
    assert "max effort [N m]" in motor and "share of effort at t = " in motor


def test_a_force_and_a_motion_without_forces_have_no_shares(whole):
    with refused("not-a-joint", name="spring"):
        whole.shares("spring")
    with refused("unknown-name", kind="joint or driver", name="X"):
        whole.shares("X")
    with refused("no-forces"):
        mbs.kinematics(slider_crank(), TIMES).shares("B")
    with refused("not-a-number", argument="at"):
        whole.shares("B").table(at="noon")
    with refused("out-of-bounds", value=7.0):
        whole.shares("B").table(at=7.0)
    for words in ((), (None,), (3,)):
        with refused("wrong-type", argument="words"):
            whole.shares("B").only(*words)
    with refused("not-a-point", argument="about", dimension=2):
        whole.shaking(about="A")


def test_where_nothing_is_carried_it_is_said():
    model = slider_crank(m1=1.3, m2=0.7, m3=2.1)
    still = model.without("motor").plus(mbs.Driver("motor", mbs.angle(model.bodies["crank"]), 0.3))
    shares = mbs.inverse_dynamics(still, [0.0]).shares("B")
    assert str(shares.largest()) == "at t = 0 s B carries nothing"
    assert "%" not in shares.table()
