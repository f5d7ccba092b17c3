"""Singular poses on curves: found with short and long steps, located, followed on; and told where that is not known."""

import numpy as np
import pytest
from gallery import load
from refusals import refused
from test_follow import four_bar

import mbs_dae as mbs

FLAT = {"parallelogram": (0.5, 1.0, 0.5, 1.0), "kite": (1.0, 0.5, 0.5, 1.0), "a + c = b + f": (0.3, 0.9, 0.5, -0.7)}
FLAT |= {"a + b = c + f": (0.3, 1.1, 0.5, 0.9), "a + f = b + c": (0.3, 0.7, 0.5, 0.9)}


def in_space(a, b, c, f, angle):
    """The same linkage with as many joints in space as leave no equation to depend on others: two pins, a ball, and a
    pin that slides."""
    flat = mbs.assemble(four_bar(a, b, c, f, angle))
    B, C = ((flat[f"{name}.x"], flat[f"{name}.y"], 0.0) for name in ("crank.head", "coupler.head"))
    model, up = mbs.SpatialModel("four-bar in space"), {"z_axis": (0, 0, 1)}
    crank, coupler = model.link("crank", (0, 0, 0), B, **up), model.link("coupler", B, C, **up)
    rocker = model.link("rocker", (f, 0, 0), C, **up)
    model.add(
        mbs.Revolute("O", model.ground, crank, at=(0, 0, 0), axis=(0, 0, 1)),
        mbs.Revolute("B", crank, coupler, at=B, axis=(0, 0, 1)),
        mbs.Spherical("C", coupler.head, rocker.head),
        mbs.Cylindrical("D", model.ground, rocker, at=(f, 0, 0), axis=(0, 0, 1)),
    )
    return model


def is_flat(point, crank, coupler):
    """How far crank and coupler are from the line through the pins on the ground."""
    place = [point.state[f"{name}.head.y"] for name in (crank, coupler)]
    return np.abs(place).max() < 1e-13


@pytest.mark.parametrize("step", [0.05, 0.25])
@pytest.mark.parametrize("kind", FLAT)
def test_linkages_that_can_lie_in_one_line_have_branch_points_there(kind, step):
    """To roundoff, and as many however long the steps are; the branch that leaves is followed and comes back."""
    a, b, c, f = map(abs, FLAT[kind])
    model = four_bar(a, b, c, f, 0.6)
    curve = mbs.follow(model, "crank.angle", step=step)
    assert curve.closed and curve.branch_points and curve.undecided == ()
    assert len(curve.branch_points) % 2 == 0
    for point in curve.branch_points:
        assert len(point.tangents) == 2 and is_flat(point, "crank", "coupler")
    point = curve.branch_points[0]
    other = mbs.follow(model, "rocker.angle", start=point, step=step)
    assert other.closed and other.branch_points and other.undecided == ()
    assert max(abs(np.sin(one.state["rocker.angle"])) for one in other.branch_points) < 1e-13


@pytest.mark.parametrize("step", [0.05, 0.25])
def test_they_are_found_in_space_where_no_equation_is_redundant(step):
    lengths = 0.5, 1.0, 0.5, 1.0
    curve = mbs.follow(in_space(*lengths, 0.6), "O.angle", step=step)
    plane = mbs.follow(four_bar(*lengths, 0.6), "crank.angle", step=step)
    assert curve.closed and curve.stats["redundant_equations"] == 0
    assert [len(point.tangents) for point in curve.branch_points] == [2, 2]
    for one, other in zip(curve.branch_points, plane.branch_points, strict=True):
        assert is_flat(one, "crank", "coupler") and np.isclose(one.s, other.s, rtol=1e-3)
    crossed = mbs.follow(in_space(*lengths, 0.6), "O.angle", start=curve.branch_points[0], step=step)
    assert crossed.closed and np.ptp(crossed["coupler.head.y"]) < 1.0 + 1e-9  # it lies on the circle of the rocker
    assert len(crossed.branch_points) == 2


def parallelograms(count, angle):
    """So many in a row, with bars of 0.5 that are 1 apart."""
    model, head = mbs.PlanarModel("parallelograms"), 0.5 * np.array([np.cos(angle), np.sin(angle)])
    bars = [model.link(f"bar{k}", (k, 0), (k + head[0], head[1])) for k in range(count + 1)]
    model.add(*(mbs.Revolute(f"A{k}", model.ground.at(k, 0), bar.tail) for k, bar in enumerate(bars)))
    for k in range(count):
        coupler = model.link(f"coupler{k}", (k + head[0], head[1]), (k + 1 + head[0], head[1]))
        model.add(mbs.Revolute(f"B{k}", bars[k].head, coupler.tail))
        model.add(mbs.Revolute(f"C{k}", coupler.head, bars[k + 1].head))
    return model


def test_where_two_parallelograms_are_flat_at_once_four_branches_meet():
    """Each may cross over or not: no determinant changes its sign where two do. All four are laps."""
    model = parallelograms(2, 0.6)
    curve = mbs.follow(model, "bar0.angle")
    assert curve.undecided == () and [len(point.tangents) for point in curve.branch_points] == [4, 4]
    seen = set()
    for k in range(4):
        one = mbs.follow(model, "bar0.angle", start=curve.branch_points[0], branch=k)
        tops = [one.limits(f"coupler{j}.angle")[1] for j in (0, 1)]
        assert one.closed and all(abs(top) < 1e-6 or np.isclose(top, np.pi / 3, rtol=0, atol=1e-12) for top in tops)
        assert [len(point.tangents) for point in one.branch_points] == [4, 4]
        seen.add(tuple(top > 0.5 for top in tops))
    assert len(seen) == 4


def test_a_third_crank_forbids_the_antiparallelogram():
    """Three parallel cranks are singular where they lie in line, and no other branch leaves it."""
    model = load("double_parallel_crank").build()
    curve = mbs.follow(model, "A1.angle")
    assert curve.closed and curve.stats["redundant_equations"] == 1
    assert curve.branch_points == () and curve.undecided == ()
    flat = mbs.follow(model, "A1.angle", start=curve.states_where("A1.angle", 0.0)[0])
    assert flat.closed and np.isclose(flat.length, curve.length, rtol=1e-6)


def bead(phi):
    model = mbs.PlanarModel("bead")
    body = model.body("bead", position=(-1, 0))
    model.add(mbs.Constraint("wires", body, phi=phi), mbs.CoordinateFix("upright", body, "angle", 0))
    return model


@pytest.mark.parametrize(
    "phi",
    [lambda i: i.y * (i.y - i.x**2), lambda i: i.y * (i.y**2 - i.x**2)],
    ids=["two that touch", "three through one point"],
)
def test_what_second_order_does_not_decide_is_told(phi):
    """Along the straight wire, past where others leave it."""
    curve = mbs.follow(bead(phi), "bead.x", poses=60)
    assert curve.limits("bead.x")[1] > 0.5 and curve.branch_points == ()
    (point,) = curve.undecided
    assert abs(point.state["bead.x"]) < 1e-6 and "second order" in point.why
    assert "1 singular pose undecided" in repr(curve)


def test_two_branch_points_within_one_step_are_both_found():
    """A wire that crosses another one twice, 0.02 apart: a step of 0.1 sees no change of any sign."""
    model = bead(lambda i: (i.y - 0.2 * (i.x**2 - 1e-4)) * i.y)
    curve = mbs.follow(model, "bead.x", poses=30, step=0.1)
    assert np.allclose([point.state["bead.x"] for point in curve.branch_points], [-0.01, 0.01], rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", [1e-3, 1e3])
@pytest.mark.parametrize("kind", ["parallelogram", "a + c = b + f"])
def test_the_size_of_a_model_changes_nothing(kind, size):
    lengths = np.abs(FLAT[kind])
    curves = [mbs.follow(four_bar(*(k * lengths), 0.6), "crank.angle", step=0.1) for k in (1.0, size)]
    one, other = curves
    assert other.closed and other.undecided == () and len(other) == len(one)
    at = [np.array([point.s for point in curve.branch_points]) for curve in curves]
    assert len(at[0]) == 2 and np.allclose(at[1], size * at[0], rtol=1e-9)
    assert np.allclose(one.limits("coupler.angle"), other.limits("coupler.angle"), rtol=0, atol=1e-12)
    crossed = mbs.follow(four_bar(*(size * lengths), 0.6), "crank.angle", start=other.branch_points[0], step=0.1)
    assert crossed.closed and len(crossed.branch_points) == 2


def test_a_branch_point_has_its_time_and_what_was_let_go_with_it():
    model = four_bar(0.5, 1.0, 0.5, 1.0, 0.6)
    motor = mbs.Driver("motor", mbs.angle(model.elements["O"]), 0.6 + mbs.t)
    idle = model.body("idle", position=(2, 0))
    model.add(motor, mbs.Revolute("E", model.ground.at(2, 0), idle), mbs.Driver("slow", mbs.angle(idle), 0.2 * mbs.t))
    point = mbs.follow(model, "crank.angle", t=0.5).branch_points[0]
    assert point.release == ("motor",) and point.state.t == 0.5
    crossed = mbs.follow(model, "crank.angle", start=point)
    assert crossed.closed and crossed.release == ("motor",) and np.allclose(crossed["idle.angle"], 0.1)
    with refused("contradictory-arguments", argument="t", origin=0.5):
        mbs.follow(model, "crank.angle", start=point, t=0.0)
    with refused("contradictory-arguments", argument="release"):
        mbs.follow(model, "crank.angle", start=point, release="slow")
    with refused("contradictory-arguments", argument="fix"):
        mbs.follow(model, "crank.angle", start=point, fix={"O.angle": 0.3})


def test_a_branch_point_of_another_model_is_refused():
    point = mbs.follow(four_bar(0.5, 1.0, 0.5, 1.0, 0.6), "crank.angle").branch_points[0]
    with refused("pose-of-other-model", model="four-bar", element="D"):
        mbs.follow(four_bar(0.5, 1.0, 0.6, 1.0, 0.6), "crank.angle", start=point)
    with refused("pose-of-other-model", argument="start", model="four-bar"):
        mbs.follow(parallelograms(1, 0.6), "bar0.angle", start=point)
