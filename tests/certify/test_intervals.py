"""Interval arithmetic: the exact result, in 50 digits, always lies between the bounds."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refusals import refused

import mbs_dae as mbs
from mbs_dae.certify.functions import NAMES, TURN
from mbs_dae.certify.intervals import Interval, interval, largest, size_of_product, times
from mbs_dae.certify.laws import Decisions, compare
from mbs_dae.kernels import abi
from mbs_dae.symbolic.codegen import FUNCTIONS

DIGITS = 50
ends = st.floats(-1e3, 1e3, allow_nan=False, allow_subnormal=False)
widths = st.one_of(st.just(0.0), st.floats(1e-17, 1e2), st.floats(1e-17, 1e-9))
intervals = st.builds(lambda a, w: (a, a + w), ends, widths)
parts = st.floats(0.0, 1.0)


def inside(x, part):
    """A number of an interval, exactly one of its double numbers."""
    return min(max(x[0] + part * (x[1] - x[0]), x[0]), x[1])


def array(x):
    return Interval(np.array([x[0]]), np.array([x[1]])) if x[0] != x[1] else Interval(np.array([x[0]]))


def holds(found, exact):
    """Whether bounds enclose a number of 50 digits; bounds that are no numbers say nothing."""
    low, high = float(found.lower.ravel()[0]), float(found.upper.ravel()[0])
    return math.isnan(low) or math.isnan(high) or mpmath.mpf(low) <= exact <= mpmath.mpf(high)


OPERATIONS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "a²": lambda a, b: a**2, "a³": lambda a, b: a**3, "a⁴": lambda a, b: a**4, "a⁷": lambda a, b: a**7,
    "1/a²": lambda a, b: a ** (-2), "3 a - b/3": lambda a, b: 3 * a - b / 3, "0.1 + a": lambda a, b: 0.1 + a,
    "2 - a": lambda a, b: 2 - a, "|a|": lambda a, b: abs(a), "a a": lambda a, b: a * a,
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
@given(a=intervals, b=intervals, p=parts, r=parts)
@settings(max_examples=60, deadline=None)
def test_arithmetic_encloses_the_exact_result(name, a, b, p, r):
    x, y = inside(a, p), inside(b, r)
    with np.errstate(all="ignore"), mpmath.workdps(DIGITS):
        if ("/b" in name or name == "/") and y == 0 or name == "1/a²" and x == 0:
            return
        exact = OPERATIONS[name](mpmath.mpf(x), mpmath.mpf(y))
        assert holds(OPERATIONS[name](array(a), array(b)), exact)


ONE = {
    "sqrt": mpmath.sqrt, "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan, "exp": mpmath.exp, "log": mpmath.log,
    "asin": mpmath.asin, "acos": mpmath.acos, "atan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh,
    "tanh": mpmath.tanh, "asinh": mpmath.asinh, "acosh": mpmath.acosh, "atanh": mpmath.atanh, "log1p": mpmath.log1p,
    "log10": mpmath.log10, "log2": lambda x: mpmath.log(x, 2), "expm1": mpmath.expm1, "fabs": abs, "erf": mpmath.erf,
    "erfc": mpmath.erfc,
}  # fmt: skip
HALF = {"asin", "acos", "atanh"}
POSITIVE = {"sqrt", "log", "log1p", "log10", "log2"}


@pytest.mark.parametrize("name", ONE)
@given(a=intervals, p=parts, scale=st.sampled_from([1e-6, 1e-2, 1.0, 30.0]))
@settings(max_examples=80, deadline=None)
def test_functions_enclose_the_exact_value(name, a, p, scale):
    a = tuple(x * 1e-3 * (min(scale, 1.0) if name in HALF else scale) for x in a)
    if name in POSITIVE:
        a = (abs(a[0]), abs(a[0]) + (a[1] - a[0]))
    if name == "acosh":
        a = (1.0 + abs(a[0]), 1.0 + abs(a[0]) + (a[1] - a[0]))
    x = inside(a, p)
    if name in POSITIVE - {"sqrt"} and x == 0.0 or name in HALF and abs(x) >= 1.0:
        return
    with mpmath.workdps(DIGITS):
        assert holds(NAMES[name](array(a)), ONE[name](mpmath.mpf(x)))


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("turns", [0.25, 0.5, 1.0, 3.25, 1e3, 12345.5])
def test_waves_next_to_their_zeros_and_tops(name, turns):
    """Where the reduction of the argument loses most."""
    near = 2 * math.pi * turns
    for k in range(-3, 4):
        x = near + k * math.ulp(near)
        with mpmath.workdps(DIGITS):
            exact = getattr(mpmath, name)(mpmath.mpf(x))
            assert holds(NAMES[name](interval(np.array([x]))), exact)


@given(y=intervals, x=intervals, p=parts, r=parts, near=st.integers(-3, 3))
@settings(max_examples=300, deadline=None)
def test_angles_over_the_cut_and_their_turns(y, x, p, r, near):
    yy, xx = inside(y, p), inside(x, r)
    if yy == 0.0 and xx == 0.0:
        return
    with mpmath.workdps(DIGITS):
        exact, turn = mpmath.atan2(yy, xx), 2 * mpmath.pi
        found = NAMES["atan2"](array(y), array(x))
        assert holds(found, exact)
        decisions = Decisions(1)
        both = []
        for later in (False, True):
            decisions.begin(later)
            both.append(decisions.unwound(found, 2.0 * math.pi * near))
        if not decisions.refused.any():
            counted = exact + turn * mpmath.floor((2.0 * math.pi * near - exact) / turn + 0.5)
            other = counted + (turn if counted < 2.0 * math.pi * near else -turn)  # within roundoff of the jump
            assert any(holds(one, counted) for one in both) or (
                abs(abs(counted - 2.0 * math.pi * near) - mpmath.pi) < 1e-9 and any(holds(one, other) for one in both)
            )


@given(x=intervals, period=st.floats(0.5, 100.0), p=parts)
@settings(max_examples=100, deadline=None)
def test_periods(x, period, p):
    x = (x[0], x[0] + min(x[1] - x[0], 0.4 * period))
    at = inside(x, p)
    decisions, both = Decisions(1), []
    for later in (False, True):
        decisions.begin(later)
        both.append(decisions.wrap(array(x), period))
    with mpmath.workdps(DIGITS):
        exact = at - period * mpmath.floor(mpmath.mpf(at) / period)
        assert decisions.refused.any() or any(holds(one, exact) for one in both)


TABLES = [
    mbs.Table([0, 1, 2.5, 3, 4], [0, 1, 0.2, 0.3, -1]),
    mbs.Table([0, 1, 2.5, 3, 4], [0, 1, 0.2, 0.3, 0], periodic=True),
    mbs.Table([0, 1, 2.5, 3], [0, 1, 0.2, 3], kind="linear"),
]


@pytest.mark.parametrize("table", TABLES, ids=["cubic", "periodic", "linear"])
@pytest.mark.parametrize("order", [0, 1, 2])
@given(x=st.floats(-3.0, 9.0), width=st.floats(0.0, 3.0), p=parts)
@example(x=0.0, width=1.0, p=1.0)
@settings(max_examples=60, deadline=None)
def test_tables(table, order, x, width, p):
    found = Decisions(1).lookup(table.data, np.array([0]), order, Interval(np.array([x]), np.array([x + width])))
    at = inside((x, x + width), p)
    if order > 0 and width > 0.0:  # where an interval ends at a break, it has the derivative from within
        at = min(at, np.nextafter(x + width, -np.inf))
    value = abi.lookup.py_func(table.data, 0, order, at)
    assert found.lower.ravel()[0] - 1e-12 <= value <= found.upper.ravel()[0] + 1e-12
    if width == 0.0 and order == 0:
        assert found.upper.ravel()[0] - found.lower.ravel()[0] < 1e-13


def test_what_a_third_is():
    third = Decisions(1).names()["ratio"](1, 3)
    with mpmath.workdps(DIGITS):
        assert mpmath.mpf(float(third.lower)) < mpmath.mpf(1) / 3 < mpmath.mpf(float(third.upper))
        assert mpmath.mpf(float(TURN.lower)) < 2 * mpmath.pi < mpmath.mpf(float(TURN.upper))
    half = Decisions(1).names()["ratio"](1, 2)
    assert half.is_point and half.lower == 0.5


@given(seed=st.integers(0, 10_000), size=st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_products_of_matrices(seed, size):
    random = np.random.default_rng(seed)
    c, middle = (10.0 ** random.integers(-8, 8, (size, size)) * random.standard_normal((size, size)) for _ in range(2))
    radius = np.abs(middle) * 10.0 ** random.integers(-16, 0)
    x = Interval(middle - radius, middle + radius)
    sizes = largest(size_of_product(c[None], x[None]))[0]
    v = Interval(random.standard_normal((1, size)))
    product = times(x[None], v)
    with mpmath.workdps(DIGITS):
        exact = mpmath.matrix(c.tolist()) * mpmath.matrix(middle.tolist())
        assert all(abs(exact[i, k]) <= mpmath.mpf(float(sizes[i, k])) for i in range(size) for k in range(size))
        turned = mpmath.matrix(middle.tolist()) * mpmath.matrix(v.lower[0].tolist())
        assert all(holds(product[0, i], turned[i]) for i in range(size))


def test_division_by_zero_and_roots_of_negative_numbers_say_nothing():
    across = Interval(np.array([-1.0]), np.array([1.0]))
    assert np.isnan((1 / across).lower).all() and np.isnan(NAMES["sqrt"](across).lower).all()
    assert np.isnan(NAMES["tan"](Interval(np.array([1.5]), np.array([1.6]))).lower).all()
    assert not (1 / across).contains(0.3).any()


def test_conditions_that_cannot_be_told_count_for_both_branches():
    decisions = Decisions(3)
    x = Interval(np.array([[-1.0, 0.5, -2.0]]), np.array([[1.0, 1.0, -1.0]]))
    found = decisions.choose(compare(x, ">", 0.0), x, -x)
    assert found.lower.tolist() == [[-1.0, 0.5, 1.0]] and found.upper.tolist() == [[1.0, 1.0, 2.0]]
    assert decisions.switching.tolist() == [True, False, False] and not decisions.refused.any()


def test_every_function_of_kernels_is_known_or_refuses_with_its_name():
    assert {*NAMES} == {*FUNCTIONS}
    for name in ("gamma", "lgamma"):
        with refused("no-bounds-known", mentions=name):
            NAMES[name](interval(1.0))
