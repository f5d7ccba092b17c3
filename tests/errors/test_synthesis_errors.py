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
    "one point": (lambda: mbs.synthesize_path([(0, 0)]), "points has 1; give three or more"),
    "no pairs": (lambda: mbs.synthesize_path([1, 2, 3]), r"points must be several rows of 2, not \[1, 2, 3\]; e.g."),
    "text": (lambda: mbs.synthesize_path("abc"), "points must be several rows"),
    "not finite": (
        lambda: mbs.synthesize_path([(0, 0), (1, np.nan), (2, 0)]),
        "points has a number that is not finite",
    ),
    "twice": (lambda: mbs.synthesize_path([*ARC, (0, 0)]), "points 0 and 3 are the same place; leave one out"),
    "order": (lambda: mbs.synthesize_path(ARC, order="any"), "order"),
    "kind": (lambda: mbs.synthesize_path(ARC, kind="six-bar"), "kind"),
    "timing": (lambda: mbs.synthesize_path(ARC, timing=(0, 1)), "timing must be 3 numbers"),
    "both": (lambda: mbs.synthesize_path(ARC, timing=(0, 1, 2), order="free"), "timing= says the order"),
    "same angle": (
        lambda: mbs.synthesize_path(ARC, timing=(0, 1, 2 * np.pi)),
        "timing has points 0 and 2 at the same angle",
    ),
    "starts": (lambda: mbs.synthesize_path(ARC, starts=0), "starts is 0; give a whole number of 1 or more"),
    "one pose": (lambda: mbs.synthesize_motion(POSES[:1]), "poses has 1; give two to five"),
    "six poses": (lambda: mbs.synthesize_motion(POSES), "no four-bar takes more than five poses"),
    "same pose": (lambda: mbs.synthesize_motion([*POSES[:2], POSES[0]]), "poses 0 and 2 are the same"),
    "no angles": (lambda: mbs.synthesize_motion([(0, 0), (1, 1)]), "poses must be several rows of 3"),
    "free of two": (lambda: mbs.synthesize_motion(POSES[:2]), "two poses leave the pins to choose; say moving="),
    "free of three": (lambda: mbs.synthesize_motion(POSES[:3]), "three poses leave the pins or the pivots to choose"),
    "too free": (lambda: mbs.synthesize_motion(POSES[:4], moving=ARC[:2]), "moving= cannot be chosen with 4 poses"),
    "lengths": (lambda: mbs.synthesize_motion(POSES[:4], lengths=(1, 1)), "lengths= cannot be chosen with 4 poses"),
    "short": (
        lambda: mbs.synthesize_motion(POSES[:2], moving=ARC[:2], lengths=(0.1, 1)),
        "too short for its pin's way",
    ),
    "one pin": (lambda: mbs.synthesize_motion(POSES[:3], moving=[(0, 1), (0, 1)]), "moving= has the same point twice"),
    "only shifts": (lambda: mbs.synthesize_motion([(k, k**2, 0.2) for k in range(4)]), "all poses have the same angle"),
    "in line": (
        lambda: mbs.synthesize_motion([(k, 0, 0) for k in range(3)], moving=ARC[:2]),
        "lie on a line: no circle",
    ),
    "few points": (lambda: mbs.synthesize_function(*LOG, points=3, free="crank"), "3 precision points for 4 unknowns"),
    "no range": (lambda: mbs.synthesize_function(np.log10, (1, 1), (0, 1), (0, 1)), r"over=\(1, 1\) is no range"),
    "no crank": (lambda: mbs.synthesize_function(np.log10, (1, 2)), "crank= is missing"),
    "constant": (lambda: mbs.synthesize_function(lambda x: 1.0, (1, 2), (0, 1), (0, 1)), "follower= cannot be scaled"),
    "outside": (lambda: mbs.synthesize_function(*LOG, points=(0.5, 1.5, 1.9)), "0.5 is outside of over="),
    "free": (lambda: mbs.synthesize_function(*LOG, free="rocker"), "free"),
    "not finite y": (lambda: mbs.synthesize_function(lambda x: np.inf, *LOG[1:]), r"wanted\(1\) is inf"),
    "lengths differ": (lambda: mbs.synthesize_function([1, 2], [1, 2, 3]), "wanted must be 3 numbers"),
    "points of a table": (lambda: mbs.synthesize_function([1, 2, 3], [1, 2, 3], points=3), "every pair of the arrays"),
    "count": (lambda: mbs.chebyshev_points(0, 1, 0), "count is 0; say how many points"),
    "no point": (lambda: arm(point=None), 'point= is missing; say which point of .arm. is meant, e.g. point="?'),
    "unknown point": (lambda: arm(point="rod.C"), "has no quantity 'rod.C.x'"),
    "no over": (lambda: mbs.synthesize_path(ARC, kind=ARM, point="bar.head"), r"over= names the parameters of 'arm'"),
    "unknown parameter": (lambda: arm(over={"r": (0, 1)}), "no parameter 'r'"),
    "no range of a parameter": (lambda: arm(over={"l": (2, 1)}), r"over\['l'\] is \(2, 1\), which is no range"),
    "no driver": (lambda: arm(FREE), "0 drivers of 'arm' with a law of time, and one is to move it; add one"),
    "unknown driver": (lambda: arm(driver="lift"), "driver 'lift'"),
    "two drivers": (lambda: arm(TWICE, driver="motor"), "'more' moves with time, too, and one driver is to move"),
    "no reach": (lambda: arm(SLID), "say how far .*'lift' may go, e.g. driver={'lift': "),
    "loose": (lambda: arm(LOOSE, "bar.P"), "degrees of freedom that no driver moves"),
    "flat points": (lambda: arm(points=[(0, 0, 0), (1, 1, 1), (2, 0, 1)]), "points must be several rows of 2"),
    "two in one": (lambda: arm(points=[*ARC, ARC[0]]), "points 0 and 3 are the same place"),
    "bounds of a model": (lambda: arm(ratio=3), "ratio= is for four-bars and slider-cranks; bounds of a model"),
    "point of no model": (lambda: bound(point="rod.C"), "point= speaks of a model; give it as kind="),
    "model for one pose": (
        lambda: mbs.synthesize_motion([(0, 0, 0)], kind=ARM, point="bar.head", over={"l": (1, 2)}),
        "poses has 1; give two or more",
    ),
    "box": (lambda: bound(within=[(0, 0)]), "within must be 2 rows of 2"),
    "small ratio": (lambda: bound(ratio=0.5), "ratio=0.5, and the longest link is not shorter than the shortest"),
    "unknown length": (lambda: bound(lengths={"f": (0, 1)}), "lengths"),
    "no range of a length": (lambda: bound(lengths={"a": (2, 1)}), r"lengths\['a'\] is \(2, 1\), which is no range"),
    "negative length": (lambda: bound(lengths={"a": (-2, 0)}), "no link is that short; give positive lengths"),
    "ratio and lengths": (
        lambda: bound(lengths={"a": (0.1, 0.2), "b": (5, 6)}, ratio=4),
        "b is at least 5, and a at most 0.2: no linkage has ratio=4",
    ),
    "box and ground": (
        lambda: bound(within=[(0, 0), (3, 4)], lengths={"d": (6, 7)}),
        "the ground is at least 6 long, and pivots within= that box are at most 5 apart",
    ),
    "open": (
        lambda: bound(lengths={"a": (9, 10), "b": (1, 2), "c": (1, 2), "d": (1, 2)}),
        "a is at least 9, and the others are at most 6 together: no four-bar closes",
    ),
    "speed of a model": (lambda: arm(points=[(1, 0), (0, 1), (-1, 0)], starts=1).best.model(0), "omega"),
    "speed": (lambda: mbs.synthesize_path(ARC, starts=4).best.model(omega=0), "omega=0"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case):
    ask, words = CASES[case]
    with pytest.raises(mbs.ModelError, match=words):
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
        with pytest.raises(mbs.ModelError, match=word):
            _ = found.best
