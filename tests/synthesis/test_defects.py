"""Defects of circuit, branch and order against the motion itself: the crank is turned until it can go no farther."""

from collections import Counter

import numpy as np

import mbs_dae as mbs
from mbs_dae.synthesis.defects import defects, type_of
from mbs_dae.synthesis.linkages import Circle, Linkage, SliderGuide


def passes(linkage, theta, sign):
    """Whether all positions are met in order on a way from the first, forth or back, up to one turn or a dead point."""
    wanted = linkage.pose(theta, sign)
    for way in (1, -1):
        path = linkage.pose(theta[0] + way * np.linspace(0, 2 * np.pi, 8001), sign[0])
        end = np.argmin(np.isfinite(path.B)) or len(path.B)  # a dead point
        off = [
            np.abs(path.A[:end] - A) + np.abs(path.B[:end] - B) for A, B in zip(wanted.A[1:], wanted.B[1:], strict=True)
        ]
        if all(one.min() < 3e-3 for one in off) and np.all(np.diff([np.argmin(one) for one in off]) >= 0):
            return True
    return False


def test_defects_are_what_the_motion_does():
    rng, told = np.random.default_rng(3), Counter()
    while sum(told.values()) < 200:
        D = complex(*rng.normal(size=2))
        is_circle = rng.random() < 0.7
        guide = Circle(D, rng.uniform(0.3, 2)) if is_circle else SliderGuide(rng.uniform(-1, 1), rng.uniform(-3, 3))
        linkage = Linkage(0j, *rng.uniform(0.3, 2, 2), guide, 0.3 + 0.4j)
        theta, sign = rng.uniform(-3, 3, 3), rng.choice([-1.0, 1.0], 3) if rng.random() < 0.5 else np.ones(3)
        if np.isfinite(linkage.pose(theta, sign).P).all():
            found = defects(linkage, theta, sign)
            assert (found == ()) == passes(linkage, theta, sign)
            told[found] += 1
    assert min(told[found] for found in ((), ("branch",), ("circuit",), ("order",))) > 10


def test_types_after_grashof():
    lengths = {
        "crank-rocker": (1, 3, 3, 4), "double-crank": (3, 4, 3, 1), "double-rocker": (3, 1, 3, 4),
        "rocker-crank": (3, 3, 1, 4), "triple-rocker": (2, 2, 2, 5), "change point": (1, 2, 1, 2),
    }  # fmt: skip
    for name, (a, b, c, d) in lengths.items():
        assert type_of(Linkage(1j, a, b, Circle(1j + d, c))) == name
    assert type_of(Linkage(0j, 1, 2, SliderGuide(0.9, 1.0))) == "turning crank"
    assert type_of(Linkage(0j, 1, 2, SliderGuide(1.1, 1.0))) == "swinging crank"


def test_a_linkage_with_a_defect_says_so_and_comes_last():
    """Five poses on both branches of a known linkage."""
    known = Linkage(0j, 0.4, 1.1, Circle(1 + 0.2j, 0.8), 0.5 + 0.6j)
    sign = np.array([1, 1, 1, -1, 1])
    pose = known.pose(np.array([0.3, 0.8, 1.5, 2.0, 2.9]), sign)
    found = mbs.synthesize_motion(np.stack([pose.P.real, pose.P.imag, pose.gamma], axis=1))
    own = [one for one in found if abs(one.linkage.O) < 1e-9 and abs(one.linkage.guide.D - 1 - 0.2j) < 1e-9]
    assert own[0].defects == ("circuit",)
    counts = [len(one.defects) for one in found]
    assert counts == sorted(counts) and "circuit" in str(found)


def test_pictures_are_drawn():
    found = mbs.synthesize_motion([(0, 0, 0), (1, 0.4, 0.3), (1.8, 0.5, 0.5), (2.4, 0.2, 0.9)])
    assert len(found.plot(count=3).axes) == 6  # curves, three linkages, two cells that stay empty
    function = mbs.synthesize_function(np.log10, (1, 2), np.radians((45, 105)), np.radians((135, 225)))
    assert function.best.plot().axes[1].get_ylabel() == "structural error [°]"
    slider = mbs.synthesize_path([(0, 0), (1, 0.2), (2, 0.1)], kind="slider-crank", starts=8)
    assert slider.best.plot().axes
