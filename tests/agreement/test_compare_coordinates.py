"""``compare_coordinates``: what each set makes of a model, counted by hand, and that all of them move alike."""

import numpy as np
import pytest
from helpers import four_bar
from refusals import refused

import mbs_dae as mbs

TIMES = np.linspace(0.0, 0.5, 6)


def pendulum() -> mbs.PlanarModel:
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    bar = model.link("bar", (0, 0), (1, 0), mass=1.0)
    model.add(mbs.Revolute("pin", model.ground, bar.tail))
    return model


@pytest.fixture(scope="module")
def driven() -> mbs.CoordinateComparison:
    return mbs.compare_coordinates(four_bar(), TIMES)


@pytest.fixture(scope="module")
def swinging() -> mbs.CoordinateComparison:
    return mbs.compare_coordinates(pendulum(), TIMES, rtol=1e-10)


def sizes(one):
    return one.coordinates, one.differential_equations, one.algebraic_equations


def test_sizes_of_a_four_bar(driven):
    """Three bodies and four pins; two points and three lengths; three angles and the two equations of the cut pin. And
    the driver, one equation everywhere."""
    assert sizes(driven.cartesian) == (9, 9, 9)
    assert sizes(driven.natural) == (4, 4, 4)
    assert sizes(driven.joint) == (3, 3, 3)


def test_sizes_of_a_pendulum(swinging):
    assert sizes(swinging.cartesian) == (3, 3, 2)
    assert sizes(swinging.natural) == (2, 2, 1)
    assert sizes(swinging.joint) == (1, 1, 0)


def test_entries_of_a_pendulum(swinging):
    """Φ_v: x and φ, y and φ; both components of the bar; none. L: these, and what is left of the two λ; the same with M
    diagonal; nothing."""
    assert [one.jacobian_nonzeros for one in swinging.sets.values()] == [4, 2, 0]
    assert [one.factor_nonzeros for one in swinging.sets.values()] == [5, 2, 0]


def test_a_spatial_body_has_a_quaternion():
    model = mbs.SpatialModel("top", gravity=(0, 0, -9.81))
    top = model.body("top", 1.0, (1.0, 1.0, 0.5), position=(0, 0, 1))
    model.add(mbs.Spherical("tip", model.ground, top.at(0, 0, -1)))
    compared = mbs.compare_coordinates(model, [0.0, 0.1], {"top.wz": 2.0})
    assert sizes(compared.cartesian) == (7, 6, 3)
    assert sizes(compared.joint)[1:] == (3, 0)
    assert compared.natural.differential_equations - compared.natural.algebraic_equations == 3


@pytest.mark.parametrize("name", ["cartesian", "natural", "joint"])
def test_driven_sets_agree_to_roundoff(driven, name):
    assert driven.driven
    gap = driven.differences[name]
    assert max(gap.position, gap.velocity, gap.reaction) < 1e-12


@pytest.mark.parametrize("name", ["natural", "joint"])
def test_simulated_sets_agree_to_the_tolerance(swinging, name):
    assert not swinging.driven
    gap = swinging.differences[name]
    assert 0.0 < max(gap.position, gap.velocity, gap.reaction) < 1e-7


def test_a_difference_is_what_it_says(swinging):
    """Against the results themselves; the length of the model is half the bar."""
    one, other = swinging.cartesian.run, swinging.natural.run
    ways = [one["bar.x"] - other["bar.x"], one["bar.y"] - other["bar.y"], 0.5 * (one["bar.angle"] - other["bar.angle"])]
    assert swinging.differences["natural"].position == pytest.approx(np.abs(ways).max() / 0.5, rel=1e-6)
    loads = one.reaction("pin"), other.reaction("pin")
    expected = np.abs(loads[0] - loads[1]).max() / np.abs(loads[0]).max()
    assert swinging.differences["natural"].reaction == pytest.approx(expected, rel=1e-6)


def test_joint_coordinates_of_a_tree_do_not_drift():
    compared = mbs.compare_coordinates(pendulum(), np.linspace(0, 2, 11), stabilization=mbs.Unstabilized(), rtol=1e-6)
    assert compared.joint.drift[0] < 1e-14 < 1e-9 < compared.cartesian.drift[0]
    assert "Unstabilized" in str(compared)


def test_costs_are_measured(driven):
    costs = [one.evaluation for one in driven.sets.values()]
    assert all(1e-8 < cost < 1e-3 for cost in costs)


@pytest.mark.slow
def test_redundant_equations():
    spatial = mbs.SpatialModel("four-bar in space")
    pins = [(0, 0, 0), (0, 0, 0.3), (0.8, 0, 0.6), (1, 0, 0)]
    names = ("crank", "coupler", "rocker")
    bars = [spatial.link(n, P, Q, mass=1, radius=0.01) for n, P, Q in zip(names, pins, pins[1:], strict=False)]
    chain = [spatial.ground, *bars, spatial.ground]
    for k in range(4):
        spatial.add(mbs.Revolute("ABCD"[k], chain[k], chain[k + 1], at=pins[k], axis=(0, 1, 0)))
    compared = mbs.compare_coordinates(spatial, [0.0, 0.1])
    for one in compared.sets.values():
        assert one.differential_equations - one.algebraic_equations + one.redundant == 1
    assert compared.cartesian.redundant == compared.joint.redundant == 3


def test_a_set_that_cannot_says_why(monkeypatch):
    def refuses(self, coordinates="cartesian"):
        if coordinates == "natural":
            raise mbs.ModelError("body 'bar' is not described; change it")
        return compiled(self, coordinates)

    compiled = mbs.PlanarModel.compile
    monkeypatch.setattr(mbs.PlanarModel, "compile", refuses)
    compared = mbs.compare_coordinates(pendulum(), TIMES)
    assert compared.natural.run is None and "natural" not in compared.differences
    assert "natural: body 'bar' is not described; change it" in str(compared)
    assert [row[2] for row in compared.table()[1:]] == ["-"] * (len(compared.table()) - 1)
    with refused("not-supported", coordinates="natural", mentions="bar"):
        _ = compared.natural.coordinates


def test_a_model_that_cannot_move_is_refused():
    model = mbs.PlanarModel("idle", gravity=(0, -9.81))
    model.add(mbs.Revolute("pin", model.ground, model.body("bar", mass=0.0, inertia=0.0)))
    with refused("no-mass"):
        mbs.compare_coordinates(model, TIMES)


def test_bodies_without_mass_have_no_reactions():
    """What is left of them is roundoff, and counts as nothing."""
    bare = mbs.PlanarModel("bare")
    crank = bare.link("crank", (0, 0), (1, 0))
    bare.add(mbs.Revolute("A", bare.ground, crank.tail), mbs.Driver("motor", mbs.angle(bare.ground, crank), 2 * mbs.t))
    assert all(gap.reaction < 1e-6 for gap in mbs.compare_coordinates(bare, TIMES).differences.values())


def test_options_of_a_driven_motion_are_refused():
    with refused("not-supported", names=["rtol"], model="four-bar"):
        mbs.compare_coordinates(four_bar(), TIMES, rtol=1e-6)


def test_the_table(driven, swinging):
    head, *rows = driven.table()
    assert head == ("", "cartesian", "natural", "joint")
    assert all(len(row) == 4 for row in rows)
    assert dict((row[0], row[1:]) for row in rows)["algebraic equations"] == ("9", "4", "3")
    assert "steps" in dict((row[0], row[1:]) for row in swinging.table())
    text = str(driven)
    assert text == repr(driven) and "inverse dynamics" in text and len(text.splitlines()) >= len(rows)
    html = driven._repr_html_()
    assert html.count("<tr>") == len(rows) + 1 and "Φ_v" in html


def test_unknown_sets_are_told(driven):
    assert driven["joint"] is driven.joint
    with refused("unknown-name", name="relative"):
        _ = driven["relative"]


def test_options_are_those_of_the_simulation():
    with refused("unknown-name", owner="compare_coordinates()", kind="option", name="rtl", near=["rtol"]):
        mbs.compare_coordinates(pendulum(), TIMES, rtl=1e-9)
