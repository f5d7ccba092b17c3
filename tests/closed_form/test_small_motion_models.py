"""Models of the gallery that are known at rest and nearby: a truss, a chain, a rotor, a governor, a shaft.

Numbers in many digits are closed forms, or roots of the textbook's equations found in 40 digits.
"""

from __future__ import annotations

import numpy as np
import pytest
from gallery import load
from scipy.optimize import brentq
from scipy.special import jn_zeros
from spatial_oracles import governor

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")

# --- the truss that snaps through -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def loaded() -> mbs.EquilibriumPath:
    return mbs.equilibrium(load("snap_through_truss").build(), over=("P", [-31.0, 15.0, 31.0]))


def test_the_truss_carries_its_limit_load(loaded):
    assert loaded.limit_values == pytest.approx((30.191474033251500073, -30.191474033251500073), rel=1e-10)
    angles = [np.arctan(one["apex.y"]) for one in loaded.limits]
    np.testing.assert_allclose(np.cos(angles) ** 3, np.cos(np.arctan(0.2)), rtol=1e-9)
    y, length = loaded["apex.y"], loaded["left.distance"]
    np.testing.assert_allclose(loaded.values, 2e4 * (np.sqrt(1.04) - length) * y / length, rtol=0, atol=1e-7)
    heights = [one["apex.y"] for one in loaded.equilibria[1:4]]
    expected = [0.17671473074643452322, 0.039450318582933533143, -0.21729372614047002144]
    np.testing.assert_allclose(heights, expected, rtol=0, atol=1e-10)


def test_its_path_is_drawn(loaded):
    (ax,) = loaded.plot("apex.y", "left.distance").axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("P [N]", "length [m]")
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told == ["apex.y", "apex.y (not stable)", "left.distance", "left.distance (not stable)", "limit point"]
    solid, dashed, dots, *_ = ax.get_lines()
    np.testing.assert_array_equal(np.isfinite(solid.get_xdata()), loaded.stable)
    np.testing.assert_array_equal(dots.get_xdata(), loaded.limit_values)
    assert np.isfinite(dashed.get_xdata()).sum() > (~loaded.stable).sum()  # it reaches to the solid one


def test_the_truss_snaps_through_if_it_is_pushed_enough():
    model, enough = load("snap_through_truss").build(), (np.sqrt(1.04) - 1.0) * np.sqrt(2 * 1e4)
    for speed, through in ((0.99 * enough, False), (1.01 * enough, True)):
        y = mbs.simulate(model, np.linspace(0, 0.4, 41), {"apex.vx": 0.0, "apex.vy": -speed})["apex.y"]
        assert (y.min() < 0.0) == through


# --- the chain --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [6, 12])
def test_a_chain_hangs_nearly_in_a_catenary(n):
    """The discrete one exactly: tan θ_k = V_k / H, with H such that it spans; the sag of the catenary to 1/n²."""
    model = load("hanging_chain").build(n=n, l=2.0 / n, span=1.4)
    found = mbs.equilibrium(model)
    weights = 0.1 * 9.81 * (np.arange(n) + 0.5 - n / 2)
    pull = brentq(lambda H: 2.0 / n * (H / np.hypot(H, weights)).sum() - 1.4, 1e-3, 100.0, xtol=1e-15, rtol=1e-15)
    angles = [found[f"link{k + 1}.angle"] for k in range(n)]
    np.testing.assert_allclose(angles, np.arctan(weights / pull), rtol=0, atol=1e-11)
    assert found.reaction("left")[0, 0] == pytest.approx(-pull, rel=1e-10)
    assert found.stable and len(found.frequencies) == n - 2
    c = brentq(lambda c: 2 * c * np.sinh(1.4 / (2 * c)) - 2.0, 0.1, 10.0)
    sag = c * (np.cosh(1.4 / (2 * c)) - 1)
    lowest = found[f"link{n // 2}.y"] + np.sin(angles[n // 2 - 1]) / n
    assert abs(lowest + sag) < 0.45 / n**2


@pytest.mark.parametrize("coordinates", SETS)
def test_a_chain_swings_with_the_zeros_of_bessel(coordinates):
    """The error of n links falls with 1/n²."""
    expected = jn_zeros(0, 3) / 2 * np.sqrt(9.81 / 2.0)
    errors = []
    for n in (6, 12):
        free = load("hanging_chain").build(n=n, l=2.0 / n).without("right")
        hanging = mbs.assemble(free, fix={f"link{k + 1}.angle": -np.pi / 2 for k in range(n)})
        errors.append(np.abs(mbs.linearize(free.compile(coordinates), hanging).frequencies[:3] / expected - 1))
    assert (errors[1] < [1e-3, 0.02, 0.05]).all()
    np.testing.assert_allclose(errors[0] / errors[1], 4.0, rtol=0.3)


# --- the rotor --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.0, 200.0, 700.0])
def test_a_rotor_in_unlike_bearings(speed):
    """(k_t - m s²)(k_r + I_p Ω s - I_t s²) = k_c²."""
    m, I_t, I_p, k_a, k_b, a, b = 12.0, 0.15, 0.05, 3e5, 5e5, 0.2, 0.35
    model = load("rotor_in_bearings").build(I_p=I_p, k_a=k_a, k_b=k_b, a=a, b=b)
    k_t, k_r, k_c = k_a + k_b, k_a * a**2 + k_b * b**2, k_b * b - k_a * a
    polynomial = np.polymul([-m, 0, k_t], [-I_t, I_p * speed, k_r])
    polynomial[-1] -= k_c**2
    expected = np.sort(np.abs(np.roots(polynomial)))
    np.testing.assert_allclose(mbs.linearize(model, {"rotor.wz": speed}).frequencies, expected, rtol=1e-10)


def test_a_slender_rotor_has_a_forward_critical_speed_of_its_tilt():
    """s = Ω: Ω² = k_r / (I_t - I_p) forward, k_r / (I_t + I_p) backward."""
    model = load("rotor_in_bearings").build(I_p=0.05)
    path = mbs.linearize(model, over=("rotor.wz", [0.0, 500.0, 1000.0]))
    aside, tilt = np.sqrt(8e5 / 12.0), 8e5 * 0.25**2
    expected = [(aside, -1), (aside, 1), (np.sqrt(tilt / 0.2), -1), (np.sqrt(tilt / 0.1), 1)]
    found = [(speed, round(whirl)) for speed, whirl in path.critical_speeds()]
    np.testing.assert_allclose(sorted(found), sorted(expected), rtol=1e-10)


def test_damping_makes_it_fade():
    """In the middle between equal bearings: λ² m + 2 c λ + 2 k = 0 to the side."""
    law = mbs.linearize(load("rotor_in_bearings").build(c=200.0), {"rotor.wz": 300.0})
    expected = np.roots([12.0, 400.0, 8e5])
    for root in expected:
        assert (np.sort(np.abs(law.eigenvalues - root))[:2] < 1e-9 * abs(root)).all()


# --- the governor -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("alpha", [0.5, 0.8])
def test_a_governor_oscillates_about_its_steady_turn(alpha, held):
    """A λ² = V'' - J'' ω²/2, and J'² ω²/J more if the shaft is free."""
    own = governor.Governor()
    omega, model = governor.steady_speed(own, alpha), load("flyball_governor").build(alpha=alpha)
    start = {"bearing.omega": omega, "hinge1.omega": 0.0}
    if held:
        model.add(mbs.Driver("drive", mbs.angle(model.elements["bearing"]), omega * mbs.t))
        del start["bearing.omega"]
    law = mbs.linearize(model, start)
    assert law.frequencies == pytest.approx([governor.small_oscillation(own, alpha, held)], rel=1e-9)
    assert np.abs(law.eigenvalues.real).max() < 1e-5 * law.frequencies[0]  # an eigenvalue 0 that is double


# --- the drive shaft --------------------------------------------------------------------------------------------------

LOOSE = {"M0": 0.0, "D": 0.0, "B": 0.0, "c": 0.0}


@pytest.mark.parametrize("coordinates", SETS)
def test_a_shaft_of_two_inertias(coordinates):
    model = load("drive_shaft").build(n=0, **LOOSE).compile(coordinates)
    assert mbs.linearize(model, {}).frequencies == pytest.approx([np.sqrt(2e4 * (1 / 0.02 + 1 / 0.05))], rel=1e-12)


def test_a_shaft_of_equal_disks():
    model = load("drive_shaft").build(n=4, J_motor=0.01, J_load=0.01, **LOOSE)
    expected = 2 * np.sqrt(2e4 / 0.01) * np.sin(np.pi * np.arange(1, 6) / 12)
    np.testing.assert_allclose(mbs.linearize(model, {}).frequencies, expected, rtol=1e-11)


def test_a_shaft_that_drives():
    """About its steady motion: of Ω = M₀/(D + B), twisted by B Ω/k; the first vibration is where that of the shaft
    without motor and load is, and whatever turns it as a whole fades with (D + B)/ΣJ, but for what vibrates."""
    model = load("drive_shaft").build()
    speed = 20.0 / 0.2
    twist = {f"shaft{j}.{what}": x for j in (1, 2, 3) for what, x in (("angle", -0.1 * speed / 2e4), ("omega", 0.0))}
    law = mbs.linearize(model, {"bearing.omega": speed, **twist}, outputs=["load.wx"])
    free = mbs.linearize(load("drive_shaft").build(**LOOSE), {}).frequencies
    np.testing.assert_allclose(law.frequencies, free, rtol=1e-3)
    (fading,) = law.eigenvalues.real[(law.eigenvalues.imag == 0) & (np.abs(law.eigenvalues) > 1e-3)]
    assert fading == pytest.approx(-0.2 / 0.09, rel=1e-4)
    run = mbs.simulate(model, [0.0, 3.0], load("drive_shaft").INITIAL)
    assert run["load.wx"][-1] == pytest.approx(speed * (1 - np.exp(3 * fading)), rel=1e-4)
