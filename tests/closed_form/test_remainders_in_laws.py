"""A law may have remainders, sp.Mod and sp.frac. Between their jumps they have slopes, which small motions, rests,
derivatives and implicit methods see: the same as of the law written without remainders."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
HALF = sp.Rational(1, 2)
LAWS = {
    "a remainder": lambda x, k: -k * (sp.Mod(x + HALF, 1) - HALF),
    "a fraction": lambda x, k: -k * (sp.frac(x + HALF) - HALF),
    "a periodic spring": lambda x, k: -k * sp.sin(2 * sp.pi * sp.Mod(x + HALF, 1) - sp.pi) / (2 * sp.pi),
}


def carriage(law, at: float = 0.25) -> mbs.PlanarModel:
    model = mbs.PlanarModel("carriage")
    k = model.parameter("k", 50.0)
    body = model.body("body", mass=2.0, inertia=1.0, position=(at, 0))
    model.add(mbs.Translational("guide", model.ground, body), mbs.Force("pull", body, (law(model["body.x"], k), 0)))
    return model


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("coordinates", SETS)
def test_a_remainder_has_the_stiffness_of_its_smooth_part(law, coordinates):
    system = carriage(LAWS[law]).compile(coordinates)
    assert float(mbs.equilibrium(system)["body.x"]) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(mbs.linearize(system).frequencies, [np.sqrt(50.0 / 2.0)], rtol=1e-12)


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_derivatives_of_a_run_see_the_slope_of_a_remainder(method):
    """x = x₀ cos ω t with ω² = k/m, so ∂x/∂k = -x₀ t sin(ω t) / (2 m ω), as long as |x| < 1/2."""
    times, x0, m, k = np.linspace(0, 1, 6), 0.25, 2.0, 50.0
    options = {"method": method, "rtol": 1e-9, "atol": 1e-12, "derivatives": ["k", "body.x"]}
    run = mbs.simulate(carriage(LAWS["a remainder"]), times, {"body.x": x0, "body.vx": 0.0}, **options)
    w = np.sqrt(k / m)
    np.testing.assert_allclose(run["body.x"], x0 * np.cos(w * times), atol=1e-7)
    np.testing.assert_allclose(run.d("body.x", "k"), -x0 * times * np.sin(w * times) / (2 * m * w), atol=1e-7)
    np.testing.assert_allclose(run.d("body.x", "body.x"), np.cos(w * times), atol=1e-6)
