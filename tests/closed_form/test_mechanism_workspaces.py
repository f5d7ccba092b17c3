"""Regions and numbers of modes of random five-bars, platforms and delta robots, against closed forms and scans."""

from __future__ import annotations

import numpy as np
import pytest
from gallery import load
from workspace_oracle import (
    FiveBar,
    ToolFiveBar,
    doubts,
    random_alike_five_bar,
    random_delta,
    random_five_bar,
    random_platform,
    random_tool_five_bar,
    wrong_modes,
)

import mbs_dae as mbs


def test_equal_legs():
    """The hand of a five-bar with cranks of 0.4 and legs of 1 is in both rings 0.6 < ρ < 1.4: four elbows each."""
    assert FiveBar((0.4, 0.4), (1.0, 1.0), 0.6).over_the_hand(step=0.2, close=1e-8) == ([], [])


def touching_five_bars():
    """Cranks, legs and base of five-bars in which two of the four circles that bound both rings touch or nearly do."""
    alike = (0.7, 0.7), (0.9, 0.9)  # inner circles of radius 0.2 about both motors touch on base 0.4
    yield pytest.param(*alike, 0.4)
    for base in (0.3, 0.399, 0.3999, 0.39999, 0.40001, 0.4001, 0.401, 0.41):
        yield pytest.param(*alike, base, marks=pytest.mark.slow if base != 0.3999 else ())
    for legs, base in (((0.7, 0.7), 0.6), ((0.7001, 0.7001), 0.6), ((0.71, 0.71), 0.6)):  # no holes, or tiny ones
        yield pytest.param((0.7, 0.7), legs, base, marks=pytest.mark.slow)
    yield pytest.param((0.7, 0.5), (0.9, 0.6), 0.5, marks=pytest.mark.slow)  # outer circles: 1.6 - 1.1 = 0.5
    for base in (0.4999, 0.5, 0.5001):  # the inner circle of one side, the outer one of the other: 1.1 - 0.6 = 0.5
        yield pytest.param((0.4, 0.5), (1.0, 0.6), base, marks=pytest.mark.slow)
    yield pytest.param((0.9, 0.9), (0.5, 0.5), 0.8, marks=pytest.mark.slow)


@pytest.mark.parametrize("cranks, legs, base", list(touching_five_bars()))
def test_circles_that_touch(cranks, legs, base):
    """The hand reaches the points in both rings: their area is that of lenses of circles, whether circles touch in one
    point, cross close to each other twice, or stay apart. Each hole is taken away once, and no note tells of doubts."""
    assert FiveBar(cranks, legs, base).over_the_hand(close=1e-8) == ([], [])


def test_poses_are_led_around_holes():
    """Narrow necks alone join the upper and the lower workspace of the hand; four poses above lead to four below."""
    cranks, legs, base = (0.4, 0.4), (1.0, 1.0), 0.6
    A, C = 0.4 * np.exp(2j), base + 0.4 * np.exp(1j)
    P = (A + C) / 2 + 1j * (C - A) / abs(C - A) * np.sqrt(1.0 - abs(C - A) ** 2 / 4)
    points = {"O": 0j, "A": A, "P": P, "C": C, "E": base + 0j}
    rods = {"one": "OA", "leg1": "AP", "leg2": "PC", "two": "EC"}
    model = mbs.PlanarModel.from_points({k: (z.real, z.imag) for k, z in points.items()}, rods, fixed="OE")
    over = {"leg1.P.x": (-1.5, 2.1), "leg1.P.y": (-1.6, 1.6)}
    found = mbs.workspace(model, over, inputs=("one.angle", "two.angle"), step=0.2)
    five_bar = FiveBar(cranks, legs, base)
    assert not wrong_modes(found, five_bar.hand_modes, (*over["leg1.P.x"], *over["leg1.P.y"])) and not doubts(found)


@pytest.mark.parametrize("seed", [2, 26])
def test_singular_curves_meet_in_corners(seed):
    """The border of what the hand reaches has arcs of four circles. In each corner both sides are in line, and the
    curves of one side and of the other meet there: all of them belong to the boundary, and none is missed."""
    assert random_five_bar(seed).over_the_hand() == ([], [])


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.soak) for seed in range(100)])
def test_random_five_bars_over_the_hand(seed):
    assert not random_five_bar(seed).over_the_hand().silent, random_five_bar(seed)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(100) if seed != 1)])
def test_random_five_bars_over_the_cranks(seed):
    assert not random_five_bar(seed).over_the_cranks().silent, random_five_bar(seed)


@pytest.mark.parametrize("seed", [pytest.param(k, marks=() if k == 2 else pytest.mark.soak) for k in range(100)])
def test_random_five_bars_with_links_of_one_length_over_the_hand(seed):
    assert not random_alike_five_bar(seed).over_the_hand().silent, random_alike_five_bar(seed)


@pytest.mark.parametrize("seed", [pytest.param(k, marks=() if k == 3 else pytest.mark.soak) for k in range(100)])
def test_random_five_bars_with_links_of_one_length_over_the_cranks(seed):
    assert not random_alike_five_bar(seed).over_the_cranks().silent, random_alike_five_bar(seed)


def test_curves_that_touch_the_reach_of_the_first_crank():
    """Where crank and hand are in line and the other side is, too, arcs end on a closed curve, which touches them."""
    five_bar = ToolFiveBar(
        (0.3493315, 0.85833723), (0.70109882, 0.94699063), 0.14504403 + 1.02457709j, 0.87547854 - 0.88461667j
    )
    assert five_bar.over_the_hand() == ([], [])


@pytest.mark.parametrize("seed", [130, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (16, 33, 106, 135))])
def test_curves_touch_the_ends_of_arcs(seed):
    """Circular arcs of the reach of crank or hand end where the other side of the five-bar is stretched as well, and
    touch the curve of that side there. Regions end at these points of contact; one region ends in a thin part of size
    0.03, between curves that cross and touch close to each other."""
    five_bar = random_tool_five_bar(seed)
    assert five_bar.over_the_hand() == ([], []), five_bar


@pytest.mark.slow
def test_a_sample_behind_a_neck():
    """A neck of width 0.01 joins two parts of the region in which there are four poses. Random placements miss a pose
    at a sample in one part; poses on sections through this part lead to it, so no note remains."""
    assert random_tool_five_bar(46).over_the_hand() == ([], [])


@pytest.mark.parametrize("seed", [67, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 59, 95))])
def test_curves_of_the_other_kind_lead_to_small_voids(seed):
    """No section meets a void of less than 1/100 of the area that the hand reaches, but some poses on its border are
    singular in both kinds. The parallel curve leads to these poses, and the areas agree with those of a dense scan."""
    five_bar = random_tool_five_bar(seed)
    assert five_bar.over_the_hand() == ([], []), five_bar


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.soak) for seed in range(100)])
def test_random_five_bars_with_a_tool(seed):
    assert not random_tool_five_bar(seed).over_the_hand().silent, random_tool_five_bar(seed)


# --- delta robots whose platform does not turn ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 100))])
def test_random_delta_robots(seed):
    assert not random_delta(seed).over_the_platform().silent, random_delta(seed)


@pytest.mark.slow
def test_curves_of_the_other_kind_through_corners():
    """Where an arm of a delta robot is in line, two parallel curves cross. Both are followed from poses beside the
    crossing, and no parallel curve is missed where a serial curve meets it."""
    assert random_delta(4).over_the_platform() == ([], [])


def delta_with_rods(out: float, corner: float, arm: float, rod: float, half: float, lean: float, height: float):
    """Three arms at 120° with two rods each, so that the platform may turn as well."""
    model = mbs.SpatialModel("delta with six rods")
    platform = model.body("platform", position=(0.0, 0.0, -height))
    for k in range(3):
        turn = 2.0 * np.pi * k / 3.0
        u, axis = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])
        shoulder = out * u
        elbow = shoulder + arm * np.cos(lean) * u - arm * np.sin(lean) * np.array([0.0, 0.0, 1.0])
        link = model.link(f"arm{k}", shoulder, elbow, z_axis=axis)
        model.add(mbs.Revolute(f"motor{k}", model.ground, link, at=shoulder, axis=axis))
        for side in (1, -1):
            ends = link.at(arm / 2, 0.0, side * half), platform.at(*(corner * u + side * half * axis))
            model.add(mbs.Distance(f"rod{k}{side}", *ends, length=rod))
    return model


@pytest.mark.soak
def test_six_rods_reach_alike_in_all_thirds():
    """The delta robot is alike after a third of a turn, and in a mirror: so is what its platform reaches. Beside the
    middle between two arms it reaches out of a sickle of 6 mm with turned platforms alone, and with few poses."""
    out, corner, arm, rod, half, height = 0.2, 0.05, 0.25, 0.55, 0.04, 0.55
    lean = np.arange(-0.9, 1.4, 1e-3)
    gap = np.hypot(out + arm * np.cos(lean) - corner, height - arm * np.sin(lean)) - rod
    model = delta_with_rods(out, corner, arm, rod, half, float(lean[np.abs(gap).argmin()]), height)
    over = {"platform.x": (-0.5, 0.5), "platform.y": (-0.5, 0.5)}
    motors, place = [f"motor{k}.angle" for k in range(3)], ("platform.x", "platform.y", "platform.z")
    found = mbs.workspace(model, over, fix={"platform.z": -0.6}, inputs=motors, outputs=place)
    turn = np.radians([k + side for k in (60, 180, 300) for side in (-25, 25)])
    points = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    for radius, there in ((0.3, True), (0.389, True), (0.396, False)):
        reached = np.any([one.contains(radius * points) for one in found.regions if one.reachable], axis=0)
        assert (reached == there).all()
    thirds = np.radians([60, 180, 300])
    middles = 0.394 * np.stack([np.cos(thirds), np.sin(thirds)], axis=1)
    assert np.any([one.contains(middles) for one in found.regions if one.reachable], axis=0).all()
    assert doubts(found) and any(note.startswith("a surface of singular poses") for note in found.notes)
    assert not any("not smooth" in note for note in found.notes)


# --- platforms on three legs, over two of their lengths ---------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 100))])
def test_random_platforms_over_two_legs(seed):
    assert not random_platform(seed).over_two_legs().silent, random_platform(seed)


@pytest.mark.slow
def test_curves_end_where_they_come_to_a_surface_of_singular_poses():
    """The platform of a delta robot with parallel rods can turn over on a surface of singular poses, whose residuals
    are 1e-11 by the roundoff of its dimensions. No curve wanders about on it: one did, for 6,000 poses."""
    model = load("delta_robot").build(drive=None)

    def interrupt(done: int, total: int) -> None:
        if done >= 12:
            raise KeyboardInterrupt

    over = {"platform.x": (-0.4, 0.4), "platform.y": (-0.4, 0.4)}
    found = mbs.workspace(model, over, fix={"platform.z": -0.5}, step=0.25, progress=interrupt)
    assert len(found.curves) > 5 and max(map(len, found.curves)) < 1000
    assert any(note.startswith("a surface of singular poses") for note in found.notes)
