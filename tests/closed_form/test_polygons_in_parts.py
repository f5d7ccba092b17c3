"""Polygons that are not convex touch by their convex parts."""

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.symbolic.differentiation import rate_along

ANGLE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
TEETH = 8
POLAR = [((1.0, 0.5)[k % 2], np.pi * k / TEETH) for k in range(2 * TEETH)]
STAR = [(r * np.cos(angle), r * np.sin(angle)) for r, angle in POLAR]


def area(points):
    x, y = np.array([[float(c) for c in p] for p in points]).T
    return 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))


@pytest.mark.parametrize("corners, count", [(ANGLE, 2), (STAR, 10)])
def test_parts_are_convex_and_make_up_the_whole(corners, count):
    found = mbs.Polygon(mbs.PlanarModel("yard").ground, corners).parts()
    assert len(found) == count
    assert sum(area(part.points) for part in found) == pytest.approx(area(corners), rel=1e-12)


@pytest.mark.parametrize("corners", [STAR[::-1], [(0, 0), (1, 1), (1, 0), (0, 1)]])
def test_corners_that_do_not_go_round_are_told(corners):
    with refused("edges-cross"):
        mbs.Polygon(mbs.PlanarModel("yard").ground, corners).parts()


def test_a_rounded_polygon_has_no_parts():
    """Rounded parts would leave notches at the ends of the lines between them."""
    model = mbs.PlanarModel("yard")
    with refused("corners-not-sharp"):
        mbs.Polygon(model.ground, ANGLE, radius=model.parameter("r", 0.1)).parts()
    (box,) = mbs.Polygon(model.ground, ANGLE[:3], radius=0.1).parts()
    assert box.radius == 0.1 and len(box.points) == 3


def with_ball(corners, position, gravity, radius=0.2):
    model = mbs.PlanarModel("yard", gravity=gravity)
    ball = model.body("ball", mass=2.0, inertia=0.04, position=position)
    for k, part in enumerate(mbs.Polygon(model.ground, corners).parts()):
        model.add(mbs.Contact(f"part {k}", part, mbs.Disk(ball, radius)))
    return model


def test_a_ball_in_the_inner_corner_of_an_angle():
    """It falls onto the one side and rolls, without friction, to the other."""
    model = with_ball(ANGLE, (1.5, 1.4), (-3.0, -9.81))
    run = mbs.simulate(model, [0, 3])
    assert (run["ball.x"][-1], run["ball.y"][-1]) == pytest.approx((1.2, 1.2), abs=1e-7)
    forces = sorted(run[f"part {k}.force"][-1] for k in range(2))
    assert forces == pytest.approx([2 * 3.0, 2 * 9.81], rel=1e-6)


@pytest.mark.slow
def test_a_ball_between_two_teeth_of_a_star():
    """Both flanks share its weight alike; the root stands upright."""
    turn = np.pi / 2 - np.pi / TEETH
    upright = [(r * np.cos(angle + turn), r * np.sin(angle + turn)) for r, angle in POLAR]
    model = with_ball(upright, (0, 1.6), (0, -9.81), radius=0.15)
    run = mbs.simulate(model, [0, 2])
    tip, root = np.array([np.sin(np.pi / TEETH), np.cos(np.pi / TEETH)]), np.array([0, 0.5])
    flank = tip - root
    half = np.arctan2(flank[0], flank[1])
    assert run["ball.y"][-1] == pytest.approx(0.5 + 0.15 / np.sin(half), abs=1e-7)
    pressed = [run[f"{name}.force"][-1] for name in model.elements]
    assert sum(pressed) == pytest.approx(2 * 9.81 / np.sin(half), rel=1e-6)


@pytest.mark.slow
def test_a_star_falls_onto_the_floor_and_stands_on_two_tips():
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    star = model.body("star", mass=3.0, inertia=0.7, position=(0, 1.2), angle=np.pi / TEETH + 0.05)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Polygon(star, STAR), friction=0.5))
    run = mbs.simulate(model, [0, 4])
    assert run["star.y"][-1] == pytest.approx(np.cos(np.pi / TEETH), abs=1e-7)
    assert sum(run[f"floor.force{k}"][-1] for k in range(1, 17)) == pytest.approx(3 * 9.81, rel=1e-6)


def test_a_picture_shows_one_outline():
    model = with_ball(ANGLE, (1.5, 1.4), (-3.0, -9.81))
    sketch = mbs.assemble(model).result.sketch
    drawn = {(e.markers[0], e.shapes[0]) for e in sketch.elements if e.shapes}
    assert len(drawn) == 1 and len(next(iter(drawn))[1].corners) == len(ANGLE)


def test_a_ball_falls_into_a_cup():
    """A cup of eight corners, three of whose walls are parallel to the axes: free fall, then rest on its bottom."""
    cup = [(-0.3, 0), (0.3, 0), (0.3, 0.5), (0.2, 0.5), (0.2, 0.1), (-0.2, 0.1), (-0.2, 0.5), (-0.3, 0.5)]
    run = mbs.simulate(with_ball(cup, (0.05, 0.6), (0, -9.81), radius=0.08), [0, 0.1, 1.0])
    assert run["ball.y"][1] == pytest.approx(0.6 - 9.81 * 0.1**2 / 2, abs=1e-9)
    assert (run["ball.x"][2], run["ball.y"][2]) == pytest.approx((0.05, 0.1 + 0.08), abs=1e-8)
    assert run.impacts[0].t == pytest.approx(np.sqrt(2 * (0.6 - 0.18) / 9.81), abs=1e-8)


def test_slopes_of_many_pieces_are_as_long_as_their_pieces():
    """The conditions of twelve pieces whose slopes are equal by pairs stay as they are written: as a conjunction of all
    choices, which sympy would make of them, they would be 2^12 long."""
    x, y = sp.symbols("x y", real=True)

    def law(pieces: int) -> sp.Expr:
        some = [(k // 2 * x + k, sp.And(x > k, y > k * x)) for k in range(pieces)]
        return sp.Piecewise(*some, (0, True), evaluate=False)

    few, many = (rate_along(law(n), {x: sp.S.One, y: sp.S.One}, {}).count_ops() for n in (6, 24))
    assert few > 0 and many < 6 * few
