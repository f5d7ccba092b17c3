"""Motion laws: their published coefficients, their continuity, and chains of them."""

import itertools
import math
from dataclasses import FrozenInstanceError
from functools import reduce

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from mbs_dae.model.motion import LAWS, Motion

x = sp.Symbol("x", real=True)
pi = math.pi

# (peak velocity, peak acceleration), the same as published, highest derivative without a jump next to a dwell
COEFFICIENTS = {
    "harmonic": ((pi / 2, pi**2 / 2), (1.571, 4.935), 1),
    "cycloidal": ((2, 2 * pi), (2.0, 6.283), 2),
    "3-4-5": ((15 / 8, 10 / math.sqrt(3)), (1.875, 5.7735), 2),
    "4-5-6-7": ((35 / 16, 84 / (5 * math.sqrt(5))), (2.1875, 7.5132), 3),
    "modified sine": ((4 * pi / (4 + pi), 4 * pi**2 / (4 + pi)), (1.760, 5.528), 2),
    "modified trapezoid": ((2, 8 * pi / (2 + pi)), (2.0, 4.888), 2),
    "constant velocity": ((1, 0), (1, 0), 0),
}
each_law = pytest.mark.parametrize("law", sorted(LAWS | COEFFICIENTS))


def wrap(value, period):
    return value - period * math.floor(value / period)


def numeric(expr, order=0):
    """The derivative of that order as a function of a float that uses `math` only."""
    return sp.lambdify(x, sp.diff(expr, x, order), modules=[{"Wrap": wrap}, "math"])


def rise_between_dwells(law):
    return Motion(start=0.3).dwell(0.5).rise(-0.2, over=sp.Rational(7, 5), law=law).dwell(1)


@each_law
def test_peak_velocity_and_acceleration(law):
    s = LAWS[law](x)
    grid = np.linspace(0, 1, 2001)
    peaks = [max(abs(f(u)) for u in grid) for f in (numeric(s, 1), numeric(s, 2))]
    exact, published, _ = COEFFICIENTS[law]
    assert peaks == pytest.approx(exact, rel=1e-5)
    assert peaks == pytest.approx(published, abs=5e-4)


@each_law
def test_a_law_goes_from_zero_to_one_and_mirrors_itself(law):
    assert (sp.simplify(LAWS[law](0)), sp.simplify(LAWS[law](1))) == (0, 1)
    f = numeric(LAWS[law](x))
    assert all(f(u) + f(1 - u) == pytest.approx(1, abs=1e-13) for u in np.linspace(0, 1, 41))


@each_law
def test_continuity_at_every_border_and_not_beyond(law):
    branches = rise_between_dwells(law)(x).args
    smooth = COEFFICIENTS[law][2]
    jumps = []
    for (left, condition), (right, _) in itertools.pairwise(branches):
        gap = left - right
        jumps.append([float(abs(gap.diff(x, k).subs(x, condition.rhs).evalf())) for k in range(smooth + 2)])
    assert np.max(np.array(jumps)[:, : smooth + 1]) < 1e-11
    assert jumps[0][smooth + 1] > 0.1 and jumps[-1][smooth + 1] > 0.1


@each_law
def test_symbolic_derivatives_agree_with_finite_differences(law):
    motion = rise_between_dwells(law).return_(over=0.9, law=law).repeat()(x)
    h = 1e-4
    for f, df in itertools.pairwise(numeric(motion, order) for order in range(3)):
        for u in np.linspace(-3.77, 8.11, 47):
            slope = (f(u - 2 * h) - 8 * f(u - h) + 8 * f(u + h) - f(u + 2 * h)) / (12 * h)
            assert df(u) == pytest.approx(slope, abs=1e-8)


def test_the_whole_motion_is_one_flat_piecewise_with_plain_comparisons():
    chain = Motion().dwell(1).rise(2, over=1, law="modified trapezoid").rise(1, over=1, law="modified sine")
    expr = chain(x)
    assert len(expr.args) == 1 + 5 + 3 + 1  # before and first dwell are one; the last holds the end
    assert expr.atoms(sp.Piecewise) == {expr}
    assert all(condition.is_Relational or condition is sp.true for _, condition in expr.args)


def test_it_holds_before_and_after():
    motion = Motion(start=0.1).rise(0.2, over=2, law="harmonic").rise(-0.05, over=1, law="3-4-5")
    f, df = numeric(motion(x)), numeric(motion(x), 1)
    assert [f(u) for u in (-5, 0, 1, 2, 3, 50)] == pytest.approx([0.1, 0.1, 0.2, 0.3, 0.25, 0.25])
    assert df(-5) == df(50) == 0 and float(motion(1)) == pytest.approx(0.2)


def test_rise_dwell_return_repeat():
    lift = Motion(start=0.01).rise(0.02, over=sp.pi / 2, law="cycloidal").dwell(sp.pi / 4)
    once = lift.return_(over=1.2, law="modified sine").dwell(0.3)
    cam = once.repeat()
    assert (once.end, cam.end) == (once.start, 0.01)
    assert float(cam.duration) == pytest.approx(0.75 * pi + 1.5)
    period = float(cam.duration)
    for order in range(3):
        f, g = numeric(once(x), order), numeric(cam(x), order)
        for u in np.linspace(0.01, period - 0.01, 30):
            assert [g(u + k * period) for k in (-2, 0, 3)] == pytest.approx([f(u)] * 3, abs=1e-12)
    assert float(cam(1.0 + 2 * period)) == pytest.approx(float(once(1.0)))


def test_a_motion_is_a_value():
    base = Motion(start=1)
    longer = base.dwell(2)
    assert base == Motion(start=1) and base.segments == () and longer.duration == 2
    with pytest.raises(FrozenInstanceError):
        base.start = 2


def test_python_code_without_sympy_gives_the_same():
    motion = rise_between_dwells("modified sine").return_(over=1, law="4-5-6-7").repeat()(x).diff(x, 2)
    source, f = sp.pycode(motion, user_functions={"Wrap": "wrap"}), numeric(motion)
    for u in np.linspace(-3, 7, 23):
        assert eval(source, {"math": math, "wrap": wrap, "x": u}) == pytest.approx(f(u), abs=1e-9)


def test_any_expression_can_be_handed_in():
    omega, time = sp.symbols("omega t", positive=True)
    lift = Motion().rise(0.02, over=sp.pi, law="cycloidal").return_(over=sp.pi, law="cycloidal").repeat()
    speed = sp.diff(lift(omega * time), time)
    expected = omega * sp.diff(lift(x), x)
    at = {x: 1.2, omega: 3, time: 0.4}
    assert numeric(speed.subs(at))(0) == pytest.approx(numeric(expected.subs(at))(0))


@each_law
def test_parameters_may_be_symbols(law):
    def cam(start, height, over):
        rise = Motion(start).rise(height, over=over, law=law).dwell(over / 3)
        return rise.rise(-height, over=2 * over, law=law).repeat()(x)

    symbols = sp.symbols("a h T", real=True)
    values = (0.1, 0.02, 1.3)
    substituted = cam(*symbols).subs(dict(zip(symbols, values, strict=True)))
    for order in range(3):
        f, g = numeric(substituted, order), numeric(cam(*values), order)
        assert all(f(u) == pytest.approx(g(u), abs=1e-12) for u in np.arange(0, 9, 0.37))


steps = st.tuples(st.sampled_from(sorted(LAWS)), st.floats(-10, 10), st.floats(0.1, 10))


@pytest.mark.slow
@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(st.floats(-10, 10), st.lists(steps, min_size=1, max_size=3))
def test_every_rise_is_monotone_and_arrives(start, chain):
    motion = reduce(lambda m, step: m.rise(step[1], over=step[2], law=step[0]), chain, Motion(start))
    f, *derivatives = (numeric(motion(x), order) for order in range(3))
    begin = 0.0
    for law, height, over in chain:
        values = np.array([f(begin + over * u) for u in np.linspace(0, 1, 30)])
        assert values[-1] - values[0] == pytest.approx(height, abs=1e-10), law
        assert np.min(np.diff(values) * np.sign(height)) >= -1e-10, law
        begin += over
        assert all(math.isfinite(df(begin)) for df in derivatives)


RISE = Motion().rise(1, over=1, law="3-4-5")
BAD = {
    ("unknown-choice", "S", "harmonic", "constant velocity", "law"): lambda: RISE.rise(1, over=1, law="S"),
    ("not-positive", "0"): lambda: RISE.dwell(0),
    ("not-positive", "-1"): lambda: RISE.rise(1, over=-1, law="harmonic"),
    ("not-finite",): lambda: RISE.dwell(math.inf),
    ("not-finite", "long"): lambda: RISE.dwell("long"),
    ("not-finite", "motion"): lambda: RISE.rise(math.nan, over=1, law="harmonic"),
    ("not-finite", "start"): lambda: Motion(start=1j),
    ("not-finite", "None", "argument"): lambda: RISE(None),
    ("no-segments",): lambda: Motion()(x),
    ("end-differs-from-start", "0", "1"): RISE.repeat,
    ("already-repeated",): lambda: Motion().dwell(1).repeat().dwell(1),
}


@pytest.mark.parametrize("message", BAD)
def test_errors_say_what_to_do(message):
    with refused(message[0], mentions=message[1:]):
        BAD[message]()


def test_repeat_is_decided_up_to_roundoff_and_trusts_symbols():
    def chain(*heights):
        return reduce(lambda motion, h: motion.rise(h, over=1, law="harmonic"), heights, Motion(0.0))

    a, b = sp.symbols("a b", positive=True)
    for motion in (chain(0.1, 0.2, -0.3), chain(0.1 * a, 0.2 * a, -0.3 * a), chain(a, -b)):
        assert motion.end != 0 and motion.repeat().periodic  # 0.1 + 0.2 - 0.3 is not zero in floats
    with refused("end-differs-from-start"):
        chain(a).repeat()
