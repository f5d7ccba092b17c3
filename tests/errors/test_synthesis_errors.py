"""What a synthesis refuses, and how it says so."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

ARC = [(0, 0), (1, 0.2), (2, 0)]
POSES = [(0, 0, 0), (1, 0.4, 0.3), (1.8, 0.5, 0.5), (2.4, 0.2, 0.9), (2.6, 0, 1.2), (3, 0, 1.5)]
ARM = mbs.PlanarModel("arm")
BAR = ARM.link("bar", (0, 0), (1, 0), length=ARM.parameter("l", 1.0, unit="m"))
ARM.add(mbs.Revolute("O", ARM.ground, BAR.tail), mbs.Driver("motor", mbs.angle(BAR), mbs.t))
FREE, SLID = ARM.without("motor"), ARM.without("motor").plus(mbs.Driver("lift", mbs.y(BAR.head), 0.1 * mbs.t))
TWICE = ARM.plus(mbs.Driver("more", mbs.x(BAR.head), mbs.t))
LOOSE = mbs.PlanarModel("loose")
LOOSE.body("bar").marker("P", LOOSE.parameter("l", 1.0), 0)
LOOSE.add(mbs.Driver("motor", mbs.angle(LOOSE.bodies["bar"]), mbs.t))


def arm(model=ARM, point="bar.head", over=None, points=ARC, **more):
    return mbs.synthesize_path(points, kind=model, point=point, over={"l": (0.5, 2)} if over is None else over, **more)


def bound(**bounds):
    return mbs.synthesize_path(ARC, **bounds)


LOG = (np.log10, (1, 2), (0.8, 1.8), (2.4, 3.9))
CASES = {
    "one point": (lambda: mbs.synthesize_path([(0, 0)]), ("too-few-points", "1", "points")),
    "no pairs": (lambda: mbs.synthesize_path([1, 2, 3]), ("wrong-shape", "e.g", "2", "1", "3", "points")),
    "text": (lambda: mbs.synthesize_path("abc"), ("not-a-number", "points")),
    "not finite": (
        lambda: mbs.synthesize_path([(0, 0), (1, np.nan), (2, 0)]),
        ("not-finite", "points"),
    ),
    "twice": (lambda: mbs.synthesize_path([*ARC, (0, 0)]), ("given-twice", "0", "3", "points")),
    "order": (lambda: mbs.synthesize_path(ARC, order="any"), ("unknown-choice", "order")),
    "kind": (lambda: mbs.synthesize_path(ARC, kind="six-bar"), ("unknown-choice", "kind")),
    "timing": (lambda: mbs.synthesize_path(ARC, timing=(0, 1)), ("wrong-shape", "3", "timing")),
    "both": (
        lambda: mbs.synthesize_path(ARC, timing=(0, 1, 2), order="free"),
        ("contradictory-arguments", "timing=", "order"),
    ),
    "same angle": (
        lambda: mbs.synthesize_path(ARC, timing=(0, 1, 2 * np.pi)),
        ("given-twice", "0", "2", "timing"),
    ),
    "starts": (lambda: mbs.synthesize_path(ARC, starts=0), ("not-an-integer", "0", "1", "starts")),
    "one pose": (lambda: mbs.synthesize_motion(POSES[:1]), ("wrong-length", "1", "poses")),
    "six poses": (lambda: mbs.synthesize_motion(POSES), ("wrong-length", "poses")),
    "same pose": (lambda: mbs.synthesize_motion([*POSES[:2], POSES[0]]), ("given-twice", "0", "2", "poses")),
    "no angles": (lambda: mbs.synthesize_motion([(0, 0), (1, 1)]), ("wrong-shape", "3", "poses")),
    "free of two": (lambda: mbs.synthesize_motion(POSES[:2]), ("missing-argument", "moving=")),
    "free of three": (lambda: mbs.synthesize_motion(POSES[:3]), ("pins-or-pivots",)),
    "too free": (lambda: mbs.synthesize_motion(POSES[:4], moving=ARC[:2]), ("not-supported", "moving=", "4")),
    "lengths": (lambda: mbs.synthesize_motion(POSES[:4], lengths=(1, 1)), ("not-supported", "lengths=", "4")),
    "short": (
        lambda: mbs.synthesize_motion(POSES[:2], moving=ARC[:2], lengths=(0.1, 1)),
        ("no-circle-through-places",),
    ),
    "one pin": (lambda: mbs.synthesize_motion(POSES[:3], moving=[(0, 1), (0, 1)]), ("given-twice", "moving=")),
    "only shifts": (lambda: mbs.synthesize_motion([(k, k**2, 0.2) for k in range(4)]), ("poses-without-turn", "poses")),
    "in line": (
        lambda: mbs.synthesize_motion([(k, 0, 0) for k in range(3)], moving=ARC[:2]),
        ("places-on-a-line",),
    ),
    "few points": (lambda: mbs.synthesize_function(*LOG, points=3, free="crank"), ("too-few-points", "3", "4")),
    "no range": (
        lambda: mbs.synthesize_function(np.log10, (1, 1), (0, 1), (0, 1)),
        ("bounds-upside-down", "over=", "1"),
    ),
    "no crank": (lambda: mbs.synthesize_function(np.log10, (1, 2)), ("missing-argument", "crank=")),
    "constant": (
        lambda: mbs.synthesize_function(lambda x: 1.0, (1, 2), (0, 1), (0, 1)),
        ("same-value-at-ends", "follower="),
    ),
    "outside": (lambda: mbs.synthesize_function(*LOG, points=(0.5, 1.5, 1.9)), ("out-of-bounds", "over=", "0.5")),
    "free": (lambda: mbs.synthesize_function(*LOG, free="rocker"), ("unknown-choice", "free")),
    "not finite y": (lambda: mbs.synthesize_function(lambda x: np.inf, *LOG[1:]), ("not-finite", "wanted", "1")),
    "lengths differ": (lambda: mbs.synthesize_function([1, 2], [1, 2, 3]), ("wrong-shape", "3", "wanted")),
    "points of a table": (
        lambda: mbs.synthesize_function([1, 2, 3], [1, 2, 3], points=3),
        ("contradictory-arguments",),
    ),
    "count": (lambda: mbs.chebyshev_points(0, 1, 0), ("not-an-integer", "0", "count")),
    "no point": (lambda: arm(point=None), ("missing-argument", "point=", "e.g")),
    "unknown point": (lambda: arm(point="rod.C"), ("unknown-name", "rod.C.x", "quantity")),
    "no over": (lambda: mbs.synthesize_path(ARC, kind=ARM, point="bar.head"), ("not-a-dict", "arm", "over=")),
    "unknown parameter": (lambda: arm(over={"r": (0, 1)}), ("unknown-name", "r", "parameter")),
    "no range of a parameter": (lambda: arm(over={"l": (2, 1)}), ("bounds-upside-down", "l", "2", "1")),
    "no driver": (lambda: arm(FREE), ("driver-not-chosen", "arm", "0")),
    "unknown driver": (lambda: arm(driver="lift"), ("unknown-name", "lift", "driver")),
    "two drivers": (lambda: arm(TWICE, driver="motor"), ("second-driver-moves", "more")),
    "no reach": (lambda: arm(SLID), ("reach-missing", "lift", "e.g", "driver=")),
    "loose": (lambda: arm(LOOSE, "bar.P"), ("undriven-freedom",)),
    "flat points": (lambda: arm(points=[(0, 0, 0), (1, 1, 1), (2, 0, 1)]), ("wrong-shape", "2", "points")),
    "two in one": (lambda: arm(points=[*ARC, ARC[0]]), ("given-twice", "0", "3", "points")),
    "bounds of a model": (lambda: arm(ratio=3), ("contradictory-arguments", "ratio=")),
    "point of no model": (lambda: bound(point="rod.C"), ("contradictory-arguments", "point=", "kind=")),
    "model for one pose": (
        lambda: mbs.synthesize_motion([(0, 0, 0)], kind=ARM, point="bar.head", over={"l": (1, 2)}),
        ("wrong-length", "1", "poses"),
    ),
    "box": (lambda: bound(within=[(0, 0)]), ("wrong-shape", "2", "within")),
    "small ratio": (lambda: bound(ratio=0.5), ("out-of-bounds", "0.5", "ratio")),
    "unknown length": (lambda: bound(lengths={"f": (0, 1)}), ("unknown-choice", "lengths")),
    "no range of a length": (lambda: bound(lengths={"a": (2, 1)}), ("bounds-upside-down", "a", "2", "1", "lengths")),
    "negative length": (lambda: bound(lengths={"a": (-2, 0)}), ("not-positive", "lengths")),
    "ratio and lengths": (
        lambda: bound(lengths={"a": (0.1, 0.2), "b": (5, 6)}, ratio=4),
        ("contradictory-arguments", "5", "0.2", "4", "b", "a", "ratio"),
    ),
    "box and ground": (
        lambda: bound(within=[(0, 0), (3, 4)], lengths={"d": (6, 7)}),
        ("contradictory-arguments", "within=", "6", "5"),
    ),
    "open": (
        lambda: bound(lengths={"a": (9, 10), "b": (1, 2), "c": (1, 2), "d": (1, 2)}),
        ("lengths-do-not-close", "9", "6", "a"),
    ),
    "speed of a model": (
        lambda: arm(points=[(1, 0), (0, 1), (-1, 0)], starts=1).best.model(0),
        ("not-positive", "omega"),
    ),
    "speed": (lambda: mbs.synthesize_path(ARC, starts=4).best.model(omega=0), ("out-of-bounds", "0")),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case):
    ask, words = CASES[case]
    with refused(words[0], mentions=words[1:]):
        ask()


@pytest.mark.parametrize("count", [4, 5])
def test_a_body_that_turns_about_one_point_needs_no_linkage(count):
    """All its points stay on circles, about one centre."""
    angles = (0, 0.5, 1, 1.6, 2.0)[:count]
    found = mbs.synthesize_motion([(np.cos(angle), np.sin(angle), angle) for angle in angles])
    assert len(found) == 0


def test_no_linkage_is_told_and_not_a_crash():
    """A follower that does not move, but for an instant, is none of a four-bar."""
    found = mbs.synthesize_function([0.0, 0.0, 0.0], [0.0, 1.0, 2.0])
    assert len(found) == 0 and "0 linkages" in str(found)
    with refused("no-solution", mentions="linkage"):
        print(found.best)


def test_a_crank_or_follower_that_has_nowhere_to_go_is_refused():
    for ranges in (((0.7, 0.7), (2.3, 3.9)), ((0.7, 1.8), (2.3, 2.3))):
        with refused("bounds-upside-down"):
            mbs.synthesize_function(np.log10, (1, 2), *ranges)


def test_where_nothing_is_found_it_is_told_why():
    """A follower that turns as the crank does takes a parallelogram without end; a body on a pin takes no linkage."""
    as_the_crank = mbs.synthesize_function(lambda x: x, (1, 2), (0.7, 1.8), (2.3, 3.4))
    on_a_pin = mbs.synthesize_motion([(0, 0, 0), (0, 0, 0.4), (0, 0, 1.0), (0, 0, 1.5)])
    for found, word in ((as_the_crank, "just as the crank"), (on_a_pin, "turns about one point")):
        assert len(found) == 0 and word in str(found)
        with refused("no-solution", mentions=word):
            _ = found.best
