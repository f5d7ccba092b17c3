"""Circuits and branches of assembly modes against closed forms; modes that are proven; how far a driver goes."""

import numpy as np
import pytest
from test_assembly_modes import six_bar, three_rpr

import mbs_dae as mbs

ROCKS, TURNS = (0.6, 0.7, 0.8, 1.0), (0.2, 0.5, 0.4, 0.5)  # crank, coupler, rocker, ground


def four_bar(a, b, c, f, driven):
    """With its crank's origin in its pin, so that it changes its angle only."""
    model = mbs.PlanarModel("four-bar")
    x = (f * f + b * b - c * c - 2 * a * f + a * a) / (2 * (f - a))  # closed at an angle of zero: a triangle
    B, C, D = (a, 0), (a + x, np.sqrt(b * b - x * x)), (f, 0)
    crank, coupler, rocker = model.body("crank"), model.link("coupler", B, C), model.link("rocker", D, C)
    model.add(
        mbs.Revolute("A", model.ground, crank),
        mbs.Revolute("B", crank.at(*B), coupler.tail),
        mbs.Revolute("C", coupler.head, rocker.head),
        mbs.Revolute("D", model.ground.at(*D), rocker.tail),
    )
    if driven:
        model.add(mbs.Driver("motor", mbs.angle(model.ground, crank), 0.1 + mbs.t))
    return model


def modes_at(sizes, angle, driven):
    model = four_bar(*sizes, driven)
    return mbs.assembly_modes(model, t=angle - 0.1) if driven else mbs.assembly_modes(model, fix={"A.angle": angle})


@pytest.mark.parametrize("driven", [False, True])
def test_modes_of_a_grashof_four_bar_are_of_two_circuits_and_those_of_another_of_one(driven):
    turns, rocks = (modes_at(sizes, 0.6, driven) for sizes in (TURNS, ROCKS))
    assert turns.circuits == (0, 1) and turns.branches == (0, 1)
    assert rocks.circuits == (0, 0) and rocks.branches == (0, 1)


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_nearest_limit_is_told_of_what_is_fixed_and_of_what_is_driven(driven, sign):
    """Coupler and rocker in line: f² + a² - 2 a f cos θ = (b + c)²."""
    modes = modes_at(ROCKS, sign * 2.7, driven)
    assert len(modes) == 0 and modes.complete
    assert f"A.angle goes to {sign * 2.4063479955556631:.9g} at most" in modes.message


@pytest.mark.parametrize("driven", [False, True])
def test_ways_lead_through_the_dead_points_of_the_crank(driven):
    """Coupler and rocker in line, in which both modes are one."""
    forth, back = modes_at(ROCKS, 0.6, driven).ways
    assert (forth[0], forth[1], back[0], back[1]) == (0, 1, 1, 0)
    ((one,), (other,)) = forth[2], back[2]
    assert np.abs(np.sort([one.value, other.value]) - [-2.4063479955556631, 2.4063479955556631]).max() < 1e-12
    assert modes_at(TURNS, 0.6, driven).ways == ()


def test_both_modes_of_a_parallelogram_are_of_one_circuit_through_its_change_points():
    points = {"A": (0, 0), "B": (0.4, 0.3), "C": (1.4, 0.3), "D": (1, 0)}
    bars = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
    modes = mbs.assembly_modes(bars, fix={"AB.angle": 0.6})
    assert (modes.circuits, modes.branches) == ((0, 0), (0, 1))
    assert [(first, last, len(points)) for first, last, points in modes.ways] == [(0, 1, 1)] * 2
    angles = [points[0].state["AB.angle"] for _, _, points in modes.ways]
    assert np.abs(np.sort(np.cos(angles)) - [-1, 1]).max() < 1e-9
    assert modes.unfollowed == ()


def test_curves_that_are_not_followed_are_told(monkeypatch):
    points = {"A": (0, 0), "B": (0.4, 0.3), "C": (1.4, 0.3), "D": (1, 0)}
    bars = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
    monkeypatch.setattr("mbs_dae.verbs.curves.reach_of_modes.MOST", 0)
    modes = mbs.assembly_modes(bars, fix={"AB.angle": 0.6})
    assert modes.circuits == (0, 1)
    assert modes.unfollowed[0] == "AB.angle from mode 0: there are more than 0 branch points"


def test_from_a_mode_in_which_branches_meet_each_is_followed_and_what_cannot_be_is_told():
    """A parallelogram held at its change point, beside a rocking four-bar, which has two modes. With the parallelogram
    let go, two branches go through each; with the other crank let go, equations are singular all along the curve."""
    points = {"A": (0, 0), "B": (0.4, 0.3), "C": (1.4, 0.3), "D": (1, 0)}
    points |= {"E": (3, 0), "F": (3.6, 0), "G": (3.825, 0.662), "H": (4, 0)}
    rods = ["AB", "BC", "CD", "EF", "FG", "GH"]
    both = mbs.PlanarModel.from_points(points, rods=rods, fixed="ADEH")
    modes = mbs.assembly_modes(both, fix={"AB.angle": 0.0, "EF.angle": 0.6})
    assert len(modes) == 2
    assert {(first, last) for first, last, _ in modes.ways} == {(0, 0), (1, 1)}
    assert [told.partition(":")[0] for told in modes.unfollowed] == ["EF.angle from mode 0", "EF.angle from mode 1"]
    assert "singular pose" in modes.unfollowed[0]


def test_two_of_the_modes_of_a_six_bar_are_on_one_circuit_and_all_are_proven():
    model, given = six_bar()
    modes = mbs.assembly_modes(model, fix=given)
    first, second, third, fourth = (modes.circuits[k] for k in np.argsort(np.mod(modes["crank.angle"], 2 * np.pi)))
    assert first == second and len({first, third, fourth}) == 3
    assert len(set(modes.branches)) == 4
    assert_proven(modes)


def test_the_modes_of_three_legs_are_proven_and_different():
    assert_proven(mbs.assembly_modes(three_rpr()))


def assert_proven(modes):
    assert modes.proven and len(modes.certificates) == len(modes) == 4
    for k, one in enumerate(modes.certificates):
        assert all(one.differs(other) for other in modes.certificates[:k])
        assert not one.differs(one)
