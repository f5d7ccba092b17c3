"""Function generation: Freudenstein's equation solved by hand, linkages that come back, and least structural errors."""

import mpmath
import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.synthesis.linkages import Circle, Linkage

RECIPROCAL = (lambda x: 1 / x, (1, 2), np.radians((30, 120)), np.radians((240, 330)))
"""y = 1/x for 1 ≤ x ≤ 2, both links through 90°: a problem of many textbooks."""
WAY = {"four-bar": (0.4, 1.1, 0.8, 1.0), "slider-crank": (0.4, 1.1, 0.2)}


def follower(kind, theta, a, b, last, d=1.0):
    """Of a linkage on the x axis, by the loop as textbooks write it, not by triangles."""
    if kind == "slider-crank":
        return a * np.cos(theta) + np.sqrt(b**2 - (last - a * np.sin(theta)) ** 2)
    k1, k2, k3 = d / a, d / last, (a**2 - b**2 + last**2 + d**2) / (2 * a * last)
    A = np.cos(theta) - k1 - k2 * np.cos(theta) + k3  # quadratic in tan(ψ/2)
    B, C = -2 * np.sin(theta), k1 - (k2 + 1) * np.cos(theta) + k3
    return 2 * np.arctan2(-B - np.sqrt(B**2 - 4 * A * C), 2 * A)


def test_chebyshev_spacing():
    h = np.sqrt(3) / 4
    assert mbs.chebyshev_points(1, 2, 3) == pytest.approx([1.5 - h, 1.5, 1.5 + h], abs=1e-15)


def test_three_points_are_freudensteins_three_equations():
    """In thirty digits, by Cramer's rule."""
    found = mbs.synthesize_function(*RECIPROCAL).best
    with mpmath.workdps(30):
        x = [mpmath.mpf(3) / 2 + s * mpmath.sqrt(3) / 4 for s in (-1, 0, 1)]
        phi = [mpmath.radians(30 + 90 * (one - 1)) for one in x]
        psi = [mpmath.radians(240 + 90 * (1 - 1 / one) / (1 - mpmath.mpf(1) / 2)) for one in x]
        rows = mpmath.matrix([[mpmath.cos(q), -mpmath.cos(p), 1] for p, q in zip(phi, psi, strict=True)])
        K1, K2, K3 = mpmath.lu_solve(rows, [mpmath.cos(p - q) for p, q in zip(phi, psi, strict=True)])
        a, c = 1 / K1, 1 / K2
        b = mpmath.sqrt(a**2 + c**2 + 1 - 2 * a * c * K3)
    lengths = found.lengths
    assert [lengths[name] for name in "abcd"] == pytest.approx([float(abs(one)) for one in (a, b, c, 1)], abs=1e-12)
    at = np.interp(mbs.chebyshev_points(1, 2, 3), found.task.x, found.error)
    assert np.abs(at).max() < 1e-5 and 1e-3 < np.abs(found.error).max() < 3e-3  # zero at the points, small between


@pytest.mark.parametrize("kind", WAY)
@pytest.mark.parametrize("free", [(), ("crank",), ("follower",), ("crank", "follower")])
def test_a_known_linkage_comes_back(kind, free):
    """Three positions, four with one start free, five with both; angles are told from other zeros then."""
    theta = np.array([0.4, 0.9, 1.5, 2.0, 2.7])[: 3 + len(free)]
    way = follower(kind, theta, *WAY[kind])
    shift = 0.3 * ("crank" in free), 0.2 * ("follower" in free)
    found = mbs.synthesize_function(way - shift[1], theta - shift[0], kind=kind, free=free)
    wanted = dict(zip("abcd" if kind == "four-bar" else "abe", WAY[kind], strict=True))
    (own,) = [one for one in found if one.lengths == pytest.approx(wanted, abs=1e-9)]
    assert not own.defects and np.abs(own.error).max() < 1e-10


@pytest.mark.parametrize("kind", WAY)
def test_least_squares_find_a_linkage_that_is_exact(kind):
    theta = np.linspace(0.3, 2.6, 25)
    way = follower(kind, theta, *WAY[kind])
    best = mbs.synthesize_function(way - way[0], theta - theta[0], kind=kind, free=("crank", "follower")).best
    assert np.abs(best.error).max() < 1e-9 and not best.defects
    lengths = dict(zip("abcd" if kind == "four-bar" else "abe", WAY[kind], strict=True))
    assert best.lengths == pytest.approx(lengths, rel=1e-6)


def test_least_squares_are_least():
    """Better than precision points, and any other lengths are worse."""
    best = mbs.synthesize_function(*RECIPROCAL, points=41).best
    assert np.sum(best.error**2) < 0.8 * np.sum(mbs.synthesize_function(*RECIPROCAL).best.error ** 2)

    def squares(a, b, c, d=1.0):
        linkage = Linkage(0j, a, b, Circle(d + 0j, c))
        off = linkage.guide.follower(linkage.pose(best.angles, best.signs[0]).B) - best.task.psi
        return min(np.sum(np.angle(np.exp(1j * (off + turn))) ** 2) for turn in (0, np.pi))  # pointers may be opposite

    least = squares(**best.lengths)
    for name in "abc":
        for factor in (1 - 1e-4, 1 + 1e-4):
            assert squares(**(best.lengths | {name: factor * best.lengths[name]})) > least


def test_the_model_does_what_the_structural_error_says():
    best = mbs.synthesize_function(*RECIPROCAL).best
    result = mbs.kinematics(best.model(), np.linspace(0, np.pi, 61))
    turned = np.exp(1j * (result["crank.angle"] - best.angles[0]))
    back = np.interp(np.angle(turned), best.task.phi - best.task.phi[0], best.task.points)
    x = 1 + (result["crank.angle"] - result["crank.angle"][0] + best.task.phi[0] - np.radians(30)) / np.radians(90)
    assert back[[0, -1]] == pytest.approx(x[[0, -1]], abs=1e-9)
    wanted = np.radians(240 + 90 * (1 - 1 / x) / 0.5)
    off = np.angle(np.exp(1j * (result["rocker.angle"] - wanted)))
    off = off - np.round(off / np.pi) * np.pi  # a pointer may stand opposite to the rocker
    assert off == pytest.approx(np.interp(x, best.task.x, best.error), abs=2e-6)
    assert best.transmission.min() == pytest.approx(result.transmission_angle("A", "B", "D").min(), abs=1e-3)


def test_a_linkage_that_misses_a_part_of_the_range_has_a_defect():
    """Through the precision points it goes, and does not close at the beginning of the range: |A - D| > b + c there."""
    found = mbs.synthesize_function(np.log10, (1, 2), (0.7, 1.8), (2.3, 3.9), points=4)
    whole, part = found
    assert whole.defects == () and np.isfinite(whole.error).all()
    assert part.defects == ("range",)
    a, b, c, d = part.lengths.values()
    reach = np.abs(part.linkage.a * np.exp(1j * (part.task.crank + part.angles[0] - part.task.phi[0])) - d)
    assert (np.isinf(part.error) == ((reach > b + c) | (reach < abs(b - c)))).all()
    assert a == part.linkage.a
