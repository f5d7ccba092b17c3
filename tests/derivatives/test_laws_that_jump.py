"""Derivatives of runs through laws that jump, bend or reverse in place, speed and time: against differences of runs."""

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

TIMES, START = [0, 0.3, 0.7, 1.0], {"b.x": 1.0, "b.vx": -2.5}
t = mbs.t

CORNERS = [-3, 0, 0.2, 0.5, 2], [3, 0, 1, -2, 0]
LAWS = {
    "a sign of place": (lambda x, v, p: -3 * sp.sign(x - p), 0.3),
    "a ratio of a place and its size": (lambda x, v, p: -3 * (x - p) / sp.sqrt((x - p) ** 2), 0.31),
    "a step of time": (lambda x, v, p: 8 * sp.Heaviside(t - p), 0.37),
    "a piece of place and time": (lambda x, v, p: sp.Piecewise((5, x + t < p), (-3, True)), 0.6),
    "the larger one": (lambda x, v, p: sp.Max(0, 20 * (p - x)), 0.37),
    "floors of place": (lambda x, v, p: -4 * sp.floor(x / p), 0.23),
    "teeth in place": (lambda x, v, p: -9 * sp.Mod(x, p), 0.23),
    "teeth in time": (lambda x, v, p: -9 * sp.Mod(t, p), 0.23),
    "a table with corners": (lambda x, v, p: 8 * mbs.Table(*CORNERS, kind="linear")(x - p), 0.1),
    "a monotone table": (lambda x, v, p: 8 * mbs.Table(*CORNERS, kind="monotone")(x - p), 0.1),
    "a power of a size": (lambda x, v, p: -3 * sp.sign(x) * sp.Abs(x) ** p, 1.5),
    "a power of the larger one": (lambda x, v, p: 40 * p * sp.Max(0, 0.37 - x) ** sp.Rational(3, 2), 1.1),
    "a root of a size of speed": (lambda x, v, p: -p * sp.Abs(v) ** sp.Rational(3, 2) * sp.sign(v), 0.8),
    "a piece that ends where its root does": (
        lambda x, v, p: sp.Piecewise((9 * p * (-x) ** sp.Rational(3, 2), x < 0), (0, True)) + sp.Abs(v), 1.1
    ),
    "a root at the end of a piece": (
        lambda x, v, p: -sp.Piecewise((0, x < p), ((x - p) ** sp.Rational(5, 2), True)), 0.31
    ),
    "a root at the end of a piece in other terms": (
        lambda x, v, p: -sp.Piecewise((0, x < 0.3), (sp.sqrt(10 * p * x - 3 * p) ** 5 / 30, True)), 1.1
    ),
    "a power of a product with a sign": (lambda x, v, p: -p * ((x - 0.3) * sp.sign(x - 0.3)) ** 1.5, 1.1),
    "a power of a piece": (
        lambda x, v, p: -3 * sp.sqrt(sp.Piecewise((x - p, x > p), (0, True))) ** 5, 0.31
    ),
    "an arc of a bounded one within its range": (
        lambda x, v, p: -p * sp.acos(sp.Max(-0.6, sp.Min(0.7, 2 * x))), 1.1
    ),
    "a product of powers in one piece": (
        lambda x, v, p: sp.Piecewise((p * (-x) ** 1.5 * (1 + (-x) ** 1.5), x < 0), (0, True)), 1.1
    ),
    "a root of a square of place and speed": (lambda x, v, p: -3 * sp.sqrt(sp.expand((x + p * v - 0.2) ** 2)), 0.4),
    "a size of speed": (lambda x, v, p: -p * sp.Abs(v) * v, 0.8),
}


def guided(law, value):
    """A body on a guide and a spring beside it, pushed along by a law with a parameter."""
    m = mbs.PlanarModel("law")
    b, own = m.body("b", mass=1.0, inertia=0.2, position=(1.0, 0)), m.parameter("p", value)
    m.add(mbs.Translational("guide", m.ground, b))
    m.add(mbs.Spring("beside", m.ground.at(0, 3.0), b, stiffness=4.0, length=1.0))
    m.add(mbs.Force("push", b, (law(m["guide.displacement"], m["guide.velocity"], own), 0)))
    return m


def differences(model, value):
    """The slopes of x and of v by p, (2, times), from four runs, and how unsure they are."""

    def reached(value):
        run = mbs.simulate(model.with_parameters(p=value), TIMES, START, method="DP8", rtol=1e-12)
        return np.array([run["b.x"], run["b.vx"]])

    h = 1e-4
    one, two = ((reached(value + k * h) - reached(value - k * h)) / (2 * k * h) for k in (1, 2))
    return (4 * one - two) / 3, np.abs(one - two).max()


@pytest.mark.parametrize(("coordinates", "method"), [("cartesian", "DP5"), ("joint", "DP8"), ("natural", "Radau5")])
@pytest.mark.parametrize("name", [*LAWS])
def test_laws_that_jump(name, coordinates, method):
    law, value = LAWS[name]
    model = guided(law, value)
    expected, unsure = differences(model, value)
    how = {"method": method, "rtol": 1e-10, "derivatives": ["p"]}
    run = mbs.simulate(model.compile(coordinates), TIMES, START, **how)
    found = np.array([run.d("b.x", "p"), run.d("b.vx", "p")])
    assert found == pytest.approx(expected, abs=1e-6 * np.abs(expected).max() + 5 * unsure)
    assert "derivatives" not in run.stats


STEEP = {
    "a root of a size": (lambda x, v, p: -3 * sp.sqrt(sp.Abs(x - p)), 0.31),
    "a root of a piece": (lambda x, v, p: -3 * sp.sqrt(sp.Piecewise((x - p, x > p), (0, True))), 0.31),
    "a root at the end of a piece": (lambda x, v, p: -sp.Piecewise((0, x < p), (sp.sqrt(x - p), True)), 0.3),
    "an arc of a bounded one": (lambda x, v, p: -p * sp.acos(sp.Max(-1, sp.Min(1, 2 * x))), 1.1),
}


@pytest.mark.parametrize(("coordinates", "method"), [("cartesian", "DP5"), ("joint", "DP8"), ("natural", "Radau5")])
@pytest.mark.parametrize("name", [*STEEP])
def test_derivatives_behind_an_infinite_slope_have_three_digits(name, coordinates, method):
    """Where a run passes the zero of a root, its law has an infinite slope; steps next to it are short, but not 0."""
    law, value = STEEP[name]
    model = guided(law, value)
    expected, unsure = differences(model, value)
    how = {"method": method, "rtol": 1e-10, "derivatives": ["p"]}
    run = mbs.simulate(model.compile(coordinates), TIMES, START, **how)
    found = np.array([run.d("b.x", "p"), run.d("b.vx", "p")])
    known = np.isfinite(found)
    assert found[known] == pytest.approx(expected[known], abs=1e-3 * np.abs(expected).max() + 5 * unsure)
    assert "derivatives have three digits" in run.stats["derivatives"]
    assert known.all() or "none by p: a slope in a step has no finite value" in run.stats["derivatives"]


@pytest.mark.parametrize(("coordinates", "method"), [("cartesian", "DP5"), ("joint", "DP5"), ("cartesian", "Radau5")])
def test_a_force_whose_direction_is_written_with_a_root_of_places(coordinates, method):
    """A pull of P N towards the origin, on a guide through it: x = x₀ - P/2 t² up to T = √(2 x₀/P), and then
    -P T (t - T) + P/2 (t - T)²."""
    m = mbs.PlanarModel("pull")
    b, P = m.body("b", mass=1.0, inertia=1.0, position=(1.0, 0)), m.parameter("P", 15.0)
    m.add(mbs.Translational("guide", m.ground, b))
    m.add(mbs.Force("pull", b, (-P * m["b.x"] / sp.sqrt(m["b.x"] ** 2 + m["b.y"] ** 2), 0)))
    start, times = {"b.x": 1.0, "b.vx": 0.0}, [0, 0.2, 0.5]
    how = {"method": method, "rtol": 1e-10, "derivatives": ["P", "b.x"]}
    run = mbs.simulate(m.compile(coordinates), times, start, **how)

    def behind(x=1.0, P=15.0):
        T = np.sqrt(2 * x / P)
        return -P * T * (0.5 - T) + P / 2 * (0.5 - T) ** 2

    h = 1e-4
    expected = {"P": (behind(P=15 + h) - behind(P=15 - h)) / (2 * h), "b.x": (behind(1 + h) - behind(1 - h)) / (2 * h)}
    for name, value in expected.items():
        assert run.d("b.x", name)[2] == pytest.approx(value, abs=1e-5)


def test_a_root_of_what_touches_zero_in_another_way_ends_derivatives_by_name():
    """x² + xy + y² is written as no sum of squares: where it is 0, nothing tells how the force turns."""
    m = mbs.PlanarModel("root")
    b = m.body("b", mass=1.0, inertia=1.0, position=(1.0, 0))
    m.add(mbs.Translational("guide", m.ground, b))
    X, Y = m["b.x"], m["b.y"]
    m.add(mbs.Force("pull", b, (-15 * X / sp.sqrt(X**2 + X * Y + Y**2), 0)))
    run = mbs.simulate(m, [0, 0.2, 0.5], {"b.x": 1.0, "b.vx": 0.0}, rtol=1e-10, derivatives=["b.x"])
    assert np.isnan(run.d("b.x", "b.x")[2]) and run.d("b.x", "b.x")[1] == pytest.approx(1.0)
    assert "a root in Force 'pull' reaches 0" in run.stats["derivatives"]
