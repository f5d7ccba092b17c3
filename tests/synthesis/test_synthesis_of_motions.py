"""Motion generation: linkages of known poses come back, and coupler points are where poses put them."""

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.synthesis.linkages import Circle, Linkage
from mbs_dae.synthesis.motions import burmester

KNOWN = Linkage(0.2 - 0.1j, 0.4, 1.1, Circle(1.3 + 0.2j, 0.8), 0.5 + 0.6j)
ANGLES = np.array([0.3, 0.8, 1.5, 2.0, 2.9])
FOUR = [(0, 0, 0), (1, 0.4, 0.3), (1.8, 0.5, 0.5), (2.4, 0.2, 0.9)]


def poses_of(linkage, angles, sign=1):
    pose = linkage.pose(angles, sign)
    return np.stack([pose.P.real, pose.P.imag, pose.gamma], axis=1)


def is_known(one, linkage=KNOWN, tolerance=1e-10):
    off = np.abs(one.linkage.numbers() - linkage.numbers())
    return off.max() < tolerance


def test_five_poses_of_a_linkage_give_it_back():
    found = mbs.synthesize_motion(poses_of(KNOWN, ANGLES))
    assert len(found) == 12  # four points of Burmester: six linkages, each driven from either side
    assert is_known(found.best) and not found.best.defects
    assert max(one.error.max() / one.size for one in found) < 1e-11  # some links are 91 m long, their triangles flat


def test_random_linkages_come_back_from_five_poses():
    """Two or four points stay on circles, and the worst of these motions is badly conditioned."""
    rng, tried, off = np.random.default_rng(0), 0, []
    while tried < 15:
        O, D, p = (complex(*rng.normal(size=2)) for _ in range(3))
        a, b, c = rng.uniform(0.3, 2, 3)
        poses = poses_of(linkage := Linkage(O, a, b, Circle(D, c), p), rng.uniform(-3, 3, 5))
        if np.isfinite(poses).all():
            tried += 1
            found = mbs.synthesize_motion(poses)
            assert len(found) in (2, 12)
            off.append(min(np.abs(one.linkage.numbers() - linkage.numbers()).max() for one in found))
    assert np.median(off) < 1e-12 and max(off) < 1e-8


def test_points_of_the_curves_of_four_poses_stay_on_circles():
    rows = np.array(FOUR)
    move = burmester.displacements(rows[:, :2] @ [1, 1j], rows[:, 2])
    for O, A in zip(*burmester.points_of_four_poses(move, 40), strict=True):
        kept = burmester.crank_lengths(move, O, A)
        assert np.ptp(kept) < 1e-10 * max(1, abs(O), abs(A))
    found = mbs.synthesize_motion(FOUR)
    assert len(found) > 10 and not found.best.defects and found.curves is not None
    assert max(one.error.max() / one.size for one in found) < 1e-10


def test_a_fifth_pose_lies_on_the_curves_of_four():
    """Burmester's points of five poses are on the centre-point curve of any four of them."""
    poses = poses_of(KNOWN, ANGLES)
    move = burmester.displacements(poses[:4, :2] @ [1, 1j], poses[:4, 2])
    centres, points = burmester.points_of_four_poses(move, 4000)
    for O, A in ((KNOWN.O, KNOWN.pose(ANGLES[0], 1).A), (KNOWN.guide.D, KNOWN.pose(ANGLES[0], 1).B)):
        assert np.min(np.abs(centres - O) + np.abs(points - A)) < 0.02


def test_three_poses_by_pins_and_by_pivots_are_the_same():
    poses = FOUR[:3]
    by_pivots = mbs.synthesize_motion(poses, fixed=[(0.2, -1), (1.4, -1.3)])
    start = by_pivots.best.pose(by_pivots.best.angles[0])
    pins = [(start.A.real, start.A.imag), (start.B.real, start.B.imag)]
    by_pins = mbs.synthesize_motion(poses, moving=pins)
    assert is_known(by_pins.best, by_pivots.best.linkage, 1e-9)
    assert by_pins.best.error.max() < 1e-10


def test_two_poses_with_lengths_of_ones_own():
    found = mbs.synthesize_motion(FOUR[:2], moving=[(0, -0.1), (1, -0.1)], lengths=(0.9, 1.2))
    assert len(found) == 8 and max(one.error.max() for one in found) < 1e-12
    assert {round(one.lengths["a"], 12) for one in found} == {0.9, 1.2}


@pytest.mark.parametrize("shift", [1e3 + 2e3j, 1e-4])
def test_far_away_and_small_poses_are_as_good(shift):
    size = 1e-3 if shift == 1e-4 else 1.0
    poses = poses_of(KNOWN.moved(shift, size), ANGLES)
    found = mbs.synthesize_motion(poses)
    assert found.best.error.max() < 1e-9 * size
    assert found.best.lengths == pytest.approx(
        {"a": 0.4 * size, "b": 1.1 * size, "c": 0.8 * size, "d": abs(1.1 + 0.3j) * size}, rel=1e-7
    )


def test_the_model_takes_the_poses():
    best = mbs.synthesize_motion(poses_of(KNOWN, ANGLES)).best
    model = best.model()
    turned = (best.angles - best.angles[0]) * np.sign(best.motion[-1] - best.motion[0])
    result = mbs.kinematics(model, turned)
    assert np.abs(result["coupler.P"] @ [1, 1j] - best.task.places).max() < 1e-10
    # the coupler's own x axis goes from A to B, which is turned against that of the poses by a constant
    assert np.ptp(np.unwrap(result["coupler.angle"] - best.task.turns)) < 1e-10
