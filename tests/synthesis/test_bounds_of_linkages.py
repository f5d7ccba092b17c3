"""Bounds of linkages: they hold, cost no more than they must, and are told where nothing satisfies them."""

import numpy as np
import pytest
import scipy.optimize
from refusals import refused
from test_paths import KNOWN, LEAF

import mbs_dae as mbs
from mbs_dae.synthesis.bounds import Bounds, bounds_of
from mbs_dae.synthesis.marquardt import least_squares
from mbs_dae.synthesis.paths.coupler_curves import off

BOX = [(0, 0), (1, 1)]


def test_least_squares_in_a_box():
    """Against scipy's active set, for random linear problems, all at once."""
    rng = np.random.default_rng(2)
    A, b = rng.normal(size=(20, 6, 4)), rng.normal(size=(20, 6))

    def residuals(x, rows):
        return np.einsum("kij,kj->ki", A[rows], x) - b[rows], A[rows]

    ends = least_squares(residuals, np.zeros((20, 4)), box=(np.full(4, -0.2), np.full(4, 0.3)))
    for k in range(20):
        best = scipy.optimize.lsq_linear(A[k], b[k], bounds=(-0.2, 0.3), method="bvls")
        assert ends.x[k] == pytest.approx(best.x, abs=1e-9)


@pytest.mark.parametrize("kind", KNOWN)
def test_derivatives_of_excesses(kind):
    more = {"along": (0, 1), "across": (-1, 0)} | ({"e": (0, 1)} if kind == "slider-crank" else {"d": (1, 2)})
    bounds = Bounds(kind, (0.1 + 0j, 1 + 1j), {"a": (0, 1), "b": (0, np.inf), **more}, 2.0)
    x = KNOWN[kind].numbers()[None]
    _, slope = bounds.excess(x)
    for k in range(x.shape[1]):
        step = 1e-5 * np.eye(x.shape[1])[[k]]
        assert slope[0, :, k] == pytest.approx(
            (bounds.excess(x + step)[0] - bounds.excess(x - step)[0])[0] / 2e-5, abs=1e-9
        )


def test_bounds_hold_and_the_sum_is_least_on_them():
    """At the best linkage no change that the bounds allow makes the sum smaller: its gradient is a combination of those
    of the bounds that it stands on, with multipliers of one sign."""
    asked = {"within": BOX, "lengths": {"a": (0.3, 0.5), "d": (0.6, 1)}, "ratio": 2.2}
    found = mbs.synthesize_path(LEAF, starts=32, **asked)
    for one in found:
        lengths, pivots = one.lengths, np.array([one.linkage.O, one.linkage.guide.D])
        assert max(lengths.values()) < 2.2 * min(lengths.values()) * (1 + 1e-8)
        assert 0.3 - 1e-8 < lengths["a"] < 0.5 + 1e-8 and 0.6 - 1e-8 < lengths["d"] < 1 + 1e-8
        assert (
            min(pivots.real.min(), pivots.imag.min()) > -1e-8 and max(pivots.real.max(), pivots.imag.max()) < 1 + 1e-8
        )
    best, targets = min(found, key=lambda one: np.sum(one.error**2)), np.array(LEAF) @ [1, 1j]
    x = np.concatenate([best.linkage.numbers(), best.angles])[None]
    value, slope = off("four-bar", targets, x, best.signs[None], None)
    excess, by = bounds_of("four-bar", **asked).excess(best.linkage.numbers()[None])
    on = np.flatnonzero(excess[0] > -1e-7)
    assert on.size
    pushes = np.pad(by[0, on], ((0, 0), (0, len(LEAF)))).T
    _, left = scipy.optimize.nnls(pushes, -(value @ slope[0])[0])
    assert left < 1e-6


def test_wide_bounds_change_nothing():
    best = mbs.synthesize_path(LEAF, within=[(-2, -2), (2, 2)], lengths=(0.01, 3), starts=32).best
    assert np.sum(best.error**2) < 0.0037 and max(best.lengths.values()) < 3 + 1e-8


def test_a_path_without_candidates_says_why():
    found = mbs.synthesize_path(
        LEAF, timing=np.radians(20) * np.arange(18), within=[(9, 9), (9.1, 9.1)], lengths=(0.1, 0.2), starts=16
    )
    assert len(found) == 0 and "ended outside of the bounds" in found.notes[0] and found.notes[0] in str(found)
    with refused("no-solution", mentions="linkage"):
        print(found.best)


def test_motions_within_a_box():
    poses = [(0, 0, 0), (1, 0.4, 0.3), (1.8, 0.5, 0.5), (2.4, 0.2, 0.9)]
    found = mbs.synthesize_motion(poses, within=[(-2, 1), (3, 4)], ratio=3)
    assert len(found) and all(max(one.lengths.values()) < 3 * min(one.lengths.values()) for one in found)
    assert all(1 <= one.linkage.O.imag <= 4 and -2 <= one.linkage.guide.D.real <= 3 for one in found)
    none = mbs.synthesize_motion(poses, within=[(20, 20), (21, 21)])
    assert len(none) == 0 and "no two points of the curves" in str(none)
    five = mbs.synthesize_motion([*poses, (2.6, 0.0, 1.2)], ratio=1.01)
    assert len(five) == 0


def test_degrees_are_told():
    assert "np.radians" in str(mbs.synthesize_function(np.log10, (1, 2), (45, 105), (135, 225)))
    assert "np.radians" in str(mbs.synthesize_motion([(0, 0, 0), (1, 0, 20), (2, 1, 40)], fixed=[(0, -1), (1, -1)]))
    points = [(0, 0), (0.3, 0.2), (0.6, 0.1)]
    assert "np.radians" in str(mbs.synthesize_path(points, timing=(0, 30, 61), starts=4))
    assert not mbs.synthesize_path(points, timing=(0, 0.5, 1), starts=4).notes
