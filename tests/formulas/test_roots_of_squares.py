"""Roots of squares, written as sizes: they have the values of the roots, and nothing else is taken for a square."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from mbs_dae.model.breaks import FUNCTIONS
from mbs_dae.symbolic.roots import sizes_for_roots

x, y = sp.symbols("x y", real=True)
HALF = sp.Rational(1, 2)
SQUARES = {
    "product": sp.sqrt(y * (1 - sp.cos(x))),
    "sine": sp.sqrt(1 - sp.cos(x - 0.1) ** 2),
    "cosine": sp.sqrt(y - y * sp.sin(x) ** 2),
    "half angle": sp.sqrt(3 - 3 * sp.cos(x)),
    "other half": (2 + 2 * sp.sin(x)) ** 1.5,
    "hyperbola": sp.sqrt(sp.cosh(x) - 1),
    "decimals": sp.sqrt(sp.expand((0.7 * x - 0.3) ** 2)),
    "two variables": sp.sqrt(sp.expand((0.7 * x - 0.3 * y + 0.11) ** 2)),
    "function": sp.sqrt(sp.expand((sp.sin(x) - 0.3) ** 2)),
    "fourth degree": sp.sqrt(sp.expand((x**2 - 0.6 * x + 0.2) ** 2)),
    "coefficients": sp.sqrt(sp.expand((y * x - y**2 + 3) ** 2)),
    "product of variables": sp.sqrt(sp.expand(2 * ((x - 1) * (y + x * y)) ** 2)),
    "angle of a point": sp.acos(x / sp.sqrt(x**2 + y**2)) + y * sp.asin(y / sp.sqrt(x**2 + y**2)),
    "parameter": sp.expand((x - y) ** 2) ** (y / 3),
    "arc of a cosine": sp.acos(sp.cos(3 * x)),
    "arc of a sine": sp.asin(sp.sin(x + y)),
    "arc": sp.acos(1 - x**2 / 20),
    "ratio": sp.acos(1 / (1 + x**2 + sp.Abs(y))),
    "area": sp.acosh(sp.cosh(x) + sp.Abs(y)) + sp.acosh(1 + x**2),
    "root of a root": sp.sqrt(sp.acos(sp.cos(x))),
}


@pytest.mark.parametrize("name", SQUARES)
def test_sizes_have_the_values_of_roots(name):
    e = SQUARES[name]
    found = sizes_for_roots(e)
    assert found != e
    roots, sizes = (sp.lambdify((x, y), law, [FUNCTIONS, "numpy"]) for law in (e, found))
    places = np.random.default_rng(1).uniform(-4, 4, (2, 500))
    with np.errstate(invalid="ignore"):
        expected = roots(*places)
        valid = np.isfinite(expected)
        assert valid.sum() > 200
        assert sizes(*places)[valid] == pytest.approx(expected[valid], abs=1e-7)


@pytest.mark.parametrize(
    "e",
    [
        sp.sqrt(sp.expand((x - 0.1) ** 2) - 1e-14),
        sp.sqrt(sp.expand((x - 0.1) ** 2) + 1e-14),
        sp.sqrt(sp.expand((x - 0.7 * y) ** 2) + 1e-13 * y**2),
        sp.sqrt(x**2 + y**2),
        sp.sqrt(1 - x**2),
        sp.sqrt(1 - sp.cos(x) ** 2 - 1e-15),
        sp.sqrt(sp.cos(x) ** 2 - 1),
        sp.acos(sp.cosh(x)),
        sp.acos(x),
        sp.sqrt(sp.expand((x - 0.1) ** 3)),
    ],
)
def test_other_roots_stay_as_they_are(e):
    assert sizes_for_roots(e) == e
