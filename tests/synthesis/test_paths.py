"""Path generation: Alt's nine points, published paths, known curves, derivatives, Roberts' cognates."""

import mpmath
import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.synthesis.linkages import Circle, Linkage, SliderGuide
from mbs_dae.synthesis.paths import coupler_curves

ALT = [(0.25, 0), (0.52, 0.1), (0.8, 0.7), (1.2, 1), (1.4, 1.3), (1.1, 1.48), (0.7, 1.4), (0.2, 1), (0.02, 0.4)]
"""Wampler, Morgan, Sommese: Complete solution of the nine-point path synthesis problem for four-bar linkages (1992)."""
LEAF = [
    (0.5, 1.1), (0.4, 1.1), (0.3, 1.1), (0.2, 1.0), (0.1, 0.9), (0.05, 0.75), (0.02, 0.6), (0.0, 0.5), (0.0, 0.4),
    (0.03, 0.3), (0.1, 0.25), (0.15, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 0.7), (0.6, 0.9), (0.6, 1.0),
]  # fmt: skip
"""Kunjur and Krishnamurty: Genetic algorithms in mechanism synthesis (1997); at every 20° of the crank."""
KNOWN = {
    "four-bar": Linkage(0.1j, 0.4, 1.1, Circle(1 + 0.2j, 0.8), 0.5 + 0.6j),
    "slider-crank": Linkage(0.1j, 0.4, 1.1, SliderGuide(0.2, 0.3), 0.5 + 0.6j),
}


def sextic(linkage, point, digits=40):
    """How far a point is from the coupler curve, to first order, by its implicit equation (Roberts): the angle of the
    coupler is eliminated from the circles of both pins, and no angle of any link is in it."""
    with mpmath.workdps(digits):
        O, D = mpmath.mpc(linkage.O), mpmath.mpc(linkage.guide.D)
        z, w = mpmath.mpc(linkage.p), mpmath.mpc(linkage.p) - mpmath.mpf(linkage.b)

        def value(x, y):
            P, rows = mpmath.mpc(x, y), []
            for pivot, arm, radius in ((O, z, linkage.a), (D, w, linkage.guide.c)):
                u = (P - pivot) * mpmath.conj(arm)  # |P - pivot - arm e^{iγ}| = radius: 2 Re(u e^{-iγ}) = k
                k = abs(P - pivot) ** 2 + abs(arm) ** 2 - mpmath.mpf(radius) ** 2
                rows.append((2 * u.real, 2 * u.imag, k))
            (p, q, k), (r, s, m) = rows
            return (k * s - m * q) ** 2 + (p * m - r * k) ** 2 - (p * s - q * r) ** 2

        x, y = mpmath.mpf(float(point.real)), mpmath.mpf(float(point.imag))
        slope = [mpmath.diff(value, (x, y), n) for n in ((1, 0), (0, 1))]
        return float(abs(value(x, y)) / mpmath.hypot(*slope))


@pytest.fixture(scope="module")
def nine():
    return mbs.synthesize_path(ALT, order="free")


def test_a_four_bar_passes_alts_nine_points(nine):
    best = nine.best
    assert best.defects == () and best.type == "crank-rocker"
    assert best.error.max() < 1e-13
    for point in best.task.points:
        assert sextic(best.linkage, point) < 1e-12


def test_the_model_passes_alts_nine_points(nine):
    """As the multibody solver moves it, crank turned to the angles that were found."""
    best = nine.best
    way = np.sign(best.motion[-1] - best.motion[0])
    times = np.sort(way * (best.angles - best.angles[0]) % (2 * np.pi))
    path = mbs.kinematics(best.model(), times)["coupler.P"] @ [1, 1j]
    for point in best.task.points:
        assert np.abs(path - point).min() < 1e-11


def test_many_linkages_pass_the_nine_points_and_come_in_threes(nine):
    exact = [one for one in nine if one.error.max() < 1e-10]
    assert len(exact) > 60
    assert max(sextic(one.linkage, one.task.points[4]) for one in exact[:12]) < 1e-10
    assert len([one for one in exact if not one.defects]) >= 2  # the others have defects of branch or circuit


def test_published_path_with_timing():
    """Eighteen points at every 20° of the crank. The curve cannot pass them: it is near."""
    best = mbs.synthesize_path(LEAF, timing=np.radians(20) * np.arange(18)).best
    assert np.sum(best.error**2) < 0.00904 and best.defects == () and best.turns
    assert np.diff(best.angles) == pytest.approx(np.radians(20), abs=1e-12)


def test_published_path_without_timing():
    best = mbs.synthesize_path(LEAF).best
    assert np.sum(best.error**2) < 0.00308 and best.defects == ()


@pytest.mark.parametrize("kind", KNOWN)
def test_points_of_a_known_curve(kind):
    theta = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    P = KNOWN[kind].pose(theta, 1).P
    best = mbs.synthesize_path(np.stack([P.real, P.imag], axis=1), kind=kind).best
    assert best.error.max() < 1e-9 and best.defects == ()


@pytest.mark.parametrize("timing", [None, np.array([0.0, 0.3, 0.7])])
@pytest.mark.parametrize("kind", KNOWN)
def test_derivatives_of_coupler_curves(kind, timing):
    """Against differences in complex steps' stead: central ones, extrapolated."""
    angles = [0.3, 0.8, 1.2] if timing is None else [0.3]
    x = np.concatenate([KNOWN[kind].numbers(), angles])[None]
    targets, signs = np.array([0, 1, 1j]), np.ones((1, 3))

    def value(x):
        return coupler_curves.off(kind, targets, x, signs, timing)[0][0]

    _, slope = coupler_curves.off(kind, targets, x, signs, timing)
    for k in range(x.shape[1]):
        step = np.zeros_like(x)
        step[0, k] = 1e-3
        once, twice = ((value(x + s * step) - value(x - s * step)) / (2e-3 * s) for s in (1, 0.5))
        assert slope[0, :, k] == pytest.approx((4 * twice - once) / 3, abs=1e-9)


def test_six_linkages_draw_one_curve():
    linkage = KNOWN["four-bar"]
    theta = np.linspace(0.2, 2.8, 7)
    P = linkage.pose(theta, 1).P
    six = [*coupler_curves.cognates(coupler_curves.CurveFit(linkage, theta, np.ones(7), 0.0))]
    assert len(six) == 6
    for one in six:
        assert np.abs(one.linkage.pose(one.theta, one.signs).P - P).max() < 1e-12
    assert len({round(float(one.linkage.a), 9) for one in six}) == 6  # cranks of six lengths


def test_the_same_seed_gives_the_same_linkages():
    points = [(0.0, 0.0), (0.3, 0.02), (0.6, 0.03), (0.9, 0.02), (1.2, 0.0)]
    one, other, third = (mbs.synthesize_path(points, starts=16, seed=seed) for seed in (1, 1, 2))
    assert str(one) == str(other) and str(one) != str(third)
