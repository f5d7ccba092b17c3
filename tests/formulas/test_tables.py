"""Tables: what each kind does between its points, and where it is not smooth."""

import warnings

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs
from mbs_dae.kernels.abi import lookup

PULSE = [0, 5, 5.05, 5.1, 10], [0, 0, 100, 0, 0]
STEP = [0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 1]


def read(table, x, order=0):
    """What the compiled code reads."""
    return np.array([lookup.py_func(table.data, 0, order, at) for at in np.atleast_1d(x)])


@pytest.mark.parametrize("kind", ["monotone", "linear"])
@pytest.mark.parametrize("points", [PULSE, STEP])
def test_monotone_and_linear_tables_stay_between_their_points(points, kind):
    table = mbs.Table(*points, kind=kind)
    for k in range(table.x.size - 1):
        values = read(table, np.linspace(table.x[k], table.x[k + 1], 50))
        low, high = sorted(table.y[k : k + 2])
        assert low - 1e-12 <= values.min() and values.max() <= high + 1e-12
        assert (np.diff(values) * np.sign(table.y[k + 1] - table.y[k]) >= -1e-12).all()


@pytest.mark.parametrize("kind", ["cubic", "monotone", "linear"])
@pytest.mark.parametrize("periodic", [False, True])
def test_every_kind_goes_through_its_points_and_its_rates_are_its_derivatives(kind, periodic):
    x = np.array([0.0, 0.7, 1.5, 2.0, 3.2, 4.0])
    table = mbs.Table(x, np.array([1.0, 2.0, 1.5, 0.0, 0.5, 1.0]), periodic=periodic, kind=kind)
    np.testing.assert_allclose(read(table, x), table.y, atol=1e-14)
    inside = np.array([0.3, 1.1, 1.8, 2.9, 3.9, 5.3 if periodic else 3.3])
    for order in (0, 1, 2):
        slope = (read(table, inside + 1e-6, order) - read(table, inside - 1e-6, order)) / 2e-6
        np.testing.assert_allclose(read(table, inside, order + 1), slope, atol=1e-7)


def test_breaks_are_where_a_derivative_jumps():
    x, y = [0, 1, 2, 3, 4, 5], [0.0, 1, 2, 2, 2.5, 0]
    assert mbs.Table(x, y, kind="linear").breaks(0) == ()
    assert mbs.Table(x, y, kind="linear").breaks(1) == (2, 3, 4)  # not at 1, where the line goes straight on
    assert mbs.Table(x, y, kind="monotone").breaks(1) == () == mbs.Table(*PULSE, kind="monotone").breaks(1)
    assert {1, 2, 3, 4} <= {*mbs.Table(x, y, kind="monotone").breaks(2)}
    spline = mbs.Table(x, y, kind="cubic")
    assert spline.breaks(1) == () and spline.breaks(2) == (0, 5)  # beyond its ends it is straight
    assert spline.breaks(3) == (0, 2, 3, 5)  # not-a-knot: 1 and 4 are none
    closed = mbs.Table(x, [*y[:-1], 0.0], periodic=True, kind="linear")
    assert closed.breaks(1) == (0, 2, 3, 4)
    assert mbs.Table(x, [*y[:-1], 0.0], periodic=True, kind="cubic").breaks(2) == ()


def test_a_closed_monotone_table_is_smooth_where_it_closes():
    x = np.linspace(0, 1, 7)
    table = mbs.Table(x, [0, 1, 3, 4, 2, 1, 0], periodic=True, kind="monotone")
    assert table.breaks(1) == ()
    shifted = mbs.Table(x, [3, 4, 2, 1, 0, 1, 3], periodic=True, kind="monotone")  # the same curve, begun two later
    at = np.linspace(0, 1, 40)
    np.testing.assert_allclose(read(table, at + 2 / 6), read(shifted, at), atol=1e-12)


def test_a_spline_that_overshoots_is_noticed():
    with refused("overshoot", start=0.0, end=5.0, span=100.0):
        mbs.Table(*PULSE)
    with pytest.warns(UserWarning, match=r"6 points overshoots: .* by 0\.128, and all values span 1; write"):
        mbs.Table(*STEP)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mbs.Table(*STEP, kind="cubic")  # on purpose
        x = np.linspace(0, 2 * np.pi, 7)
        mbs.Table(x, np.sin(x))
        mbs.Table(x, np.ones(7))


def test_the_velocity_after_a_pulse_is_its_impulse():
    """Two triangles of 100 N over 0.1 s in all give 1 kg the velocity 5 m/s."""
    table = mbs.Table(*PULSE, kind="linear")
    c = table.curve.c
    h = np.diff(table.x)
    assert np.sum(((c[0] * h / 4 + c[1] / 3) * h + c[2] / 2) * h * h + c[3] * h) == pytest.approx(5.0)


def test_equal_tables_are_one_symbol():
    a, b, c = (mbs.Table([0, 1, 2], [0, 1, last]) for last in (3, 3, 4))
    assert a == b and hash(a) == hash(b) and a(mbs.t) == b(mbs.t)
    assert a != c and a(mbs.t) != c(mbs.t)
    assert mbs.Table([0, 1, 2], [0, 1, 3], kind="linear") != a
    with pytest.raises(ValueError, match="read-only"):
        a.y[0] = 7.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mbs.Table([0, 1], [0, 1], kind="spline"), "'spline'; choose one of 'cubic', 'monotone', 'linear'"),
        (lambda: mbs.Table(["0", "1"], [0, 1]), "x of a Table must be made of real numbers"),
        (lambda: mbs.Table([0, 1], np.ma.masked_array([0.0, 1.0], [False, True])), "y of a Table must be made of real"),
        (lambda: mbs.Table([0, 1], [0, 1])("t"), "without quotes"),
    ],
)
def test_tables_say_what_is_wrong(make, words):
    with pytest.raises(mbs.ModelError) as caught:
        make()
    assert words in str(caught.value)


@pytest.mark.parametrize("periodic", [False, True])
def test_a_table_at_a_number_is_a_number(periodic):
    table = mbs.Table([0, 1, 2, 3], [0, 2, 1, 0], periodic=periodic, kind="cubic")
    for x in (0.5, 2.75, 3.5):
        inside = x % 3 if periodic else min(x, 3.0)
        expected = table.curve(inside) + (x - inside) * (not periodic) * table.curve(inside, 1)
        assert float(table(x)) == pytest.approx(float(expected), abs=1e-14)


def test_a_cam_needs_a_closed_table():
    model = mbs.PlanarModel()
    a, b = model.body("a"), model.body("b", position=(1, 0))
    with refused("not-periodic", argument="profile of CamFollower 'cam'"):
        mbs.CamFollower("cam", a, b, profile=mbs.Table([0, 3, 6], [1, 1.1, 1]))
    mbs.CamFollower("cam", a, b, profile=mbs.Table(np.linspace(0, np.pi, 4), [1, 1.1, 1.2, 1], periodic=True))


@pytest.mark.parametrize("period", [360.0, 6.0, 4 * np.pi])
def test_a_cam_closes_in_one_turn(period):
    """A period of 360 is one in degrees; with any that does not fit into 2π the curve would jump once a turn."""
    table = mbs.Table(np.linspace(0, period, 5), [1, 1.1, 1.2, 1.1, 1], periodic=True)
    motion = mbs.Motion(start=1.0).rise(0.1, over=period / 2, law="cycloidal").return_(over=period / 2, law="cycloidal")
    model = mbs.PlanarModel()
    a, b = model.body("a"), model.body("b", position=(1, 0))
    for curve in (table, motion.repeat()):
        with refused("period-fits-no-turn", argument="profile of CamFollower 'cam'"):
            mbs.CamFollower("cam", a, b, profile=curve)
        with refused("period-fits-no-turn", argument="Profile at a(0, 0)"):
            mbs.Profile(a, curve)


def told(text, *parts):
    return all(part in str(text) for part in parts)


def test_a_table_of_time_is_not_read_outside_in_a_sweep_or_a_diagnosis():
    model = mbs.PlanarModel("p")
    size, rod = model.parameter("l", 1.0), model.body("rod")
    model.add(mbs.Revolute("A", model.ground, rod.at(-size / 2, 0)))
    law = mbs.Table([0.1, 0.2, 0.3, 0.4], [0, 1, 2, 3])
    model.add(mbs.Driver("motor", mbs.angle(model.ground, rod), law))
    with refused("beyond-table", element="Driver 'motor'", first=0.1, last=0.4):
        mbs.sweep(model, "l", [1, 2], t=0.7)
    assert told(mbs.diagnose(model).message, "Driver 'motor'", "from 0.1 to 0.4")


def test_a_table_over_the_state_that_is_left_is_told():
    model = mbs.PlanarModel("s")
    body = model.body("c", mass=2.0, inertia=1.0)
    law = mbs.Table([0.9, 1, 1.1], [-1, 0, 1], kind="linear")
    model.add(mbs.Translational("g", model.ground, body), mbs.Spring("k", model.ground.at(-1, 0), body, law=law))
    times = np.linspace(0, 0.02, 5)
    assert "note" not in mbs.simulate(model, times, initial={"c.vx": 3}).stats
    left = mbs.simulate(model, 10 * times, initial={"c.vx": 3})
    farthest = f"{left['c.x'][-1] + 1:g}"
    assert told(left.stats["note"], "Spring 'k'", "from 0.9 to 1.1", f"read at {farthest} (t = 0.2)")


@pytest.mark.filterwarnings("ignore:a Table of 4 points overshoots")
def test_a_periodic_table_has_its_curvature_next_to_the_ends_of_every_period():
    """Reduced into the first period, x may come to lie a bit beyond its last knot."""
    table = mbs.Table([0.6, 1.1, 1.9, 2.9], [0.0, 0.5, -0.5, 0.0], periodic=True)
    x = 0.6 + 2.3 * np.arange(-40, 40)
    near = np.concatenate([x + bits * np.spacing(x) for bits in range(-6, 7)])
    curvature = read(table, near, 2)
    assert np.ptp(curvature) < 1e-9 and min(np.abs(curvature)) > 0.1
