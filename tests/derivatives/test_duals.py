"""Arrays that carry derivatives: functions that they know against complex steps; what they do not know is refused."""

from __future__ import annotations

import numpy as np
import pytest

from mbs_dae.duals import FUNCTIONS, PARTIALS, Dual, trapezoid

BY = ("a", "b")
REAL = {np.arctan2, np.hypot, np.maximum, np.minimum, np.absolute, np.degrees, np.radians}
"""Functions that numpy has for real numbers only, or that are not analytic: these are held against differences."""


def some(shape: tuple[int, ...], seed: int) -> Dual:
    random = np.random.default_rng(seed)
    return Dual(random.uniform(0.2, 0.8, shape), random.uniform(-1, 1, (2, *shape)), BY)


def expected(function, arguments: tuple[Dual, ...], k: int, analytic: bool = True) -> np.ndarray:
    """The derivative along the k-th slopes."""
    if analytic:
        step = 1e-30
        return function(*(x.value + 1j * step * x.slope[k] for x in arguments)).imag / step
    h = 1e-5
    ahead, behind = (function(*(x.value + s * h * x.slope[k] for x in arguments)) for s in (1, -1))
    return (ahead - behind) / (2 * h)


@pytest.mark.parametrize("function", PARTIALS, ids=lambda f: f.__name__)
def test_functions_of_numbers(function):
    arguments = tuple(some(shape, seed) for seed, shape in enumerate([(3,), (4, 3)][: len(PARTIALS[function])]))
    found = function(*arguments)
    analytic = function not in REAL
    for k in range(2):
        wanted = expected(function, arguments, k, analytic)
        np.testing.assert_allclose(found.slope[k], wanted, rtol=0, atol=1e-14 if analytic else 1e-9)


WHOLE = {
    np.stack: lambda x, y: np.stack([x, y], axis=1),
    np.concatenate: lambda x, y: np.concatenate([x, y], axis=1),
    np.sum: lambda x, y: np.sum(x * y, axis=0),
    np.mean: lambda x, y: np.mean(x * y, axis=1),
    np.cumsum: lambda x, y: np.cumsum(x * y, axis=1),
    np.diff: lambda x, y: np.diff(x * y, axis=0),
    np.reshape: lambda x, y: np.reshape(x * y, (3, 4)),
    np.where: lambda x, y: np.where(np.arange(3) > 0, x * y, 0.0),
    np.einsum: lambda x, y: np.einsum("ij,kj->ik", x, y),
    np.hstack: lambda x, y: np.hstack([x, y]),
    np.vstack: lambda x, y: np.vstack([x, y]),
    np.column_stack: lambda x, y: np.column_stack([x, y]),
    np.ravel: lambda x, y: np.ravel(x * y),
    np.flip: lambda x, y: np.flip(x * y, axis=1),
    np.transpose: lambda x, y: np.transpose(x * y),
    np.max: lambda x, y: np.max(x * y, axis=1),
    np.min: lambda x, y: np.min(x * y),
    np.ptp: lambda x, y: np.ptp(x * y, axis=0),
    np.var: lambda x, y: np.var(x * y, axis=1),
    np.std: lambda x, y: np.std(x * y),
    np.linalg.norm: lambda x, y: np.linalg.norm(x * y, axis=1),
    np.dot: lambda x, y: np.dot(x, np.transpose(y)),
    np.matmul: lambda x, y: np.transpose(x) @ y + np.ones((3, 4)) @ x,
    np.cross: lambda x, y: np.cross(x, y),
    np.outer: lambda x, y: np.outer(x, y),
    trapezoid: lambda x, y: trapezoid(x * y, np.arange(4.0) ** 2, axis=0),
    np.gradient: lambda x, y: np.gradient(x * y, np.arange(4.0) ** 2, axis=0),
    np.interp: lambda x, y: np.interp([0.3, 1.7], np.arange(3.0), (x * y)[0]),
}
ONLY_REAL = {np.max, np.min, np.ptp, np.var, np.std, np.linalg.norm, np.interp, np.gradient}
"""Numpy has these for real numbers, or means another thing by them for complex ones."""


@pytest.mark.parametrize("function", WHOLE, ids=lambda f: f.__name__)
def test_functions_of_arrays(function):
    x, y = some((4, 3), 0), some((4, 3), 1)
    found = WHOLE[function](x, y)
    for k in range(2):
        analytic = function not in ONLY_REAL
        wanted = expected(WHOLE[function], (x, y), k, analytic)
        np.testing.assert_allclose(found.slope[k], wanted, rtol=0, atol=1e-14 if analytic else 1e-9)


def test_every_function_of_arrays_is_shown():
    assert FUNCTIONS.keys() - WHOLE.keys() == {np.zeros_like, np.shape, np.ndim, np.argmax, np.argmin}


def with_slope(value, slope) -> Dual:
    return Dual(np.array(value, dtype=float), np.array([slope], dtype=float), ("a",))


@pytest.mark.parametrize(
    ("function", "value", "slope", "expected"),
    [
        (abs, [0.0, 0.0, -2.0], [1.0, 0.0, 1.0], [np.nan, 0.0, -1.0]),
        (np.sqrt, [0.0, 0.0, 4.0], [1.0, 0.0, 1.0], [np.nan, 0.0, 0.25]),
        (lambda x: np.maximum(x, 0.0), [0.0, 0.0, 1.0], [1.0, 0.0, 3.0], [np.nan, 0.0, 3.0]),
        (lambda x: np.hypot(x, 0.0), [0.0, 0.0, -1.0], [1.0, 0.0, 3.0], [np.nan, 0.0, -3.0]),
        (np.max, [1.0, 3.0, 2.0], [4.0, 5.0, 6.0], 5.0),
        (np.max, [3.0, 3.0, 2.0], [5.0, 5.0, 6.0], 5.0),
        (np.max, [3.0, 3.0, 2.0], [4.0, 5.0, 6.0], np.nan),
        (np.min, [-3.0, -3.0, 2.0], [4.0, 5.0, 6.0], np.nan),
        (np.ptp, [0.0, 3.0, 1.0], [1.0, 5.0, 6.0], 4.0),
    ],
)
def test_where_there_is_no_derivative_it_is_not_a_number(function, value, slope, expected):
    """At a kink, and where two different entries are both the largest; not where all sides agree."""
    np.testing.assert_array_equal(function(with_slope(value, slope)).slope[0], expected)


@pytest.mark.parametrize(
    "lost",
    [
        np.asarray,
        np.sort,
        np.median,
        lambda x: np.interp(x, [0, 1], [2, 3]),
        float,
        bool,
        lambda x: np.diff(x, prepend=3.0),
        lambda x: np.sum(x, initial=4.0),
        lambda x: np.add(x, x, out=np.zeros(3)),
        lambda x: np.add.reduce(x),
    ],
)
def test_nothing_loses_its_derivatives_in_silence(lost):
    with pytest.raises(TypeError):
        lost(some((3,), 0))


@pytest.mark.parametrize("mix", [np.add, lambda x, y: np.stack([x, y]), lambda x, y: np.einsum("i,i->i", x, y)])
def test_derivatives_by_other_parameters_do_not_mix(mix):
    x = some((3,), 0)
    with pytest.raises(ValueError, match="different parameters"):
        mix(x, Dual(x.value, x.slope, ("c", "d")))


def test_a_power_of_nothing():
    x = Dual(np.zeros(1), np.ones((2, 1)), BY)
    np.testing.assert_array_equal((x**0.0).slope, 0.0)
    np.testing.assert_array_equal((x**2).slope, 0.0)


def test_a_power_has_a_slope_by_its_exponent_where_its_base_is_positive():
    """d x**y / dy = x**y log x. A negative base has powers at whole exponents only, and no slope between them."""
    base, exponent = np.array([2.0, 0.0, -2.0]), np.array([3.0, 2.0, 2.0])
    power = base ** Dual(exponent, np.ones((1, 3)), ("y",))
    np.testing.assert_array_equal(power.value, [8.0, 0.0, 4.0])
    np.testing.assert_array_equal(power.slope[0], [8.0 * np.log(2.0), 0.0, np.nan])
