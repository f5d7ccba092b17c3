"""A law k δⁿ with n between 1 and 2 sets in with a slope whose rate has no bound, as Hertz' contact does."""

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

G, START = 9.81, {"b.y": 0.2, "b.vy": 0.0}
SLOPES = {1.5: (1e6, -0.405738289621, 6.4717675848e-9), 1.1: (1e5, -0.450425144636, 9.173915833e-8)}
"""For each exponent the stiffness, and the slopes of y(0.2 s) by y₀ and by k. Free flight is exact; the contact was
integrated apart (DOP853, 2e-14), and differenced with six neighbours."""


def ball(exponent: float, element: str = "force") -> mbs.PlanarModel:
    """A ball of 2 kg and radius 0.1 m falls from 0.2 m onto a floor that pushes by k δⁿ."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    k, b = model.parameter("k", SLOPES[exponent][0]), model.body("b", mass=2.0, inertia=0.1, position=(0, 0.2))
    model.add(mbs.CoordinateFix("upright", b, "angle"))
    depth = 0.1 - model["b.y"]
    if element == "contact":
        floor, disk = mbs.Line(model.ground), mbs.Disk(b, 0.1)
        model.add(mbs.CompliantContact("floor", floor, disk, stiffness=k, exponent=exponent))
    elif element == "piece":
        model.add(mbs.Force("floor", b, (0, sp.Piecewise((k * depth**exponent, depth > 0), (0, True)))))
    else:
        model.add(mbs.Force("floor", b, (0, k * sp.Max(0, depth) ** exponent)))
    return model


@pytest.mark.parametrize(("method", "rtol", "off"), [("DP5", 1e-6, 1e-4), ("DP5", 1e-8, 3e-6), ("DP8", 1e-10, 3e-7),
                                                     ("Radau5", 1e-8, 1e-6), ("GA", 1e-8, 1e-3)])  # fmt: skip
@pytest.mark.parametrize("element", ["force", "piece", "contact"])
@pytest.mark.parametrize("exponent", SLOPES)
def test_a_ball_that_bounces_once(exponent, element, method, rtol, off):
    run = mbs.simulate(ball(exponent, element), [0, 0.2], START, method, rtol=rtol, derivatives=["b.y", "k"])
    found = [run.d("b.y", name)[-1] for name in ("b.y", "k")]
    assert found == pytest.approx(SLOPES[exponent][1:], rel=off)
    assert "derivatives" not in run.stats


@pytest.mark.parametrize(("coordinates", "method"), [("cartesian", "DP5"), ("joint", "Radau5"), ("natural", "DP8")])
def test_bounces_ahead_and_back(coordinates, method):
    """Four bounces; the run with derivatives is the run without, to the last bit."""
    model, times, how = ball(1.5).compile(coordinates), np.linspace(0, 1.2, 7), {"method": method, "rtol": 1e-9}
    run = mbs.simulate(model, times, START, derivatives=["k", "b.y"], **how)
    assert (run["b.y"] == mbs.simulate(model, times, START, **how)["b.y"]).all()

    def height(lift: float) -> np.ndarray:
        return mbs.simulate(model, times, {"b.y": 0.2 + lift, "b.vy": 0.0}, "DP8", rtol=1e-12)["b.y"]

    h = 2e-5
    one, two = ((height(k * h) - height(-k * h)) / (2 * k * h) for k in (1, 2))
    expected = (4 * one - two) / 3
    assert run.d("b.y", "b.y") == pytest.approx(expected, abs=1e-5 * np.abs(expected).max())
    back = mbs.gradient(mbs.at_end("b.y"), model, times, ["k", "b.y"], initial=START, **how)
    assert [back["k"], back["b.y"]] == pytest.approx([run.d("b.y", name)[-1] for name in ("k", "b.y")], rel=1e-11)


def test_the_event_that_ends_a_run_behind_a_bounce():
    """The ball passes 0.15 m upwards at v₁, t₁; both follow from the run by DP8 with a small tolerance."""
    model = ball(1.5)
    model.add(mbs.Event("up", when=model["b.y"] - 0.15, direction=1, action="stop"))
    runs = [
        mbs.simulate(model, [0, 0.15, 0.5], START, method, rtol=rtol, derivatives=["b.y", "k"])
        for method, rtol in (("DP5", 1e-8), ("DP8", 1e-11))
    ]
    (one,), (other,) = (run.events for run in runs)
    for name in ("t", "b.vy"):
        for by in ("b.y", "k"):
            assert one.d(name, by) == pytest.approx(other.d(name, by), rel=3e-6)
    assert runs[0].d("b.vy", "b.y") == pytest.approx(runs[1].d("b.vy", "b.y"), rel=3e-6)


def test_a_run_that_goes_on_behind_the_contact():
    model, whole = ball(1.5), [0, 0.15, 0.3]
    first = mbs.simulate(model, whole[:2], START)
    on = mbs.simulate(model, whole[1:], first.state(), derivatives=["b.y", "k"])
    run = mbs.simulate(model, whole, START, derivatives=["b.y", "k"])
    for by in ("b.y", "k"):
        assert on.d("b.y", by) == pytest.approx(run.d("b.y", by)[1:], rel=1e-6)


@pytest.mark.parametrize(("method", "off"), [("DP5", 1e-6), ("Radau5", 1e-7)])
@pytest.mark.parametrize("exponent", [0.9, 1.1, 1.5])
def test_a_force_that_sets_in_at_a_time_that_moves(exponent, method, off):
    """x'' = max(0, t - a)ⁿ: x = (t - a)ⁿ⁺² / ((n + 1)(n + 2))."""
    model = mbs.PlanarModel("cart")
    body, a = model.body("b", mass=1.0, inertia=0.1), model.parameter("a", 0.3)
    model.add(mbs.Force("push", body, (sp.Max(0, mbs.t - a) ** exponent, 0)))
    start = {f"b.{name}": 0.0 for name in ("x", "y", "angle", "vx", "vy", "omega")}
    run = mbs.simulate(model, [0, 1], start, method, derivatives=["a"])
    assert run.d("b.x", "a")[-1] == pytest.approx(-(0.7 ** (exponent + 1)) / (exponent + 1), rel=off)


def test_a_root_has_three_digits_and_says_so():
    """x'' = -√max(0, x): its slope is infinite where the ball leaves the floor, and a step may have no finite slope."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    k, b = model.parameter("k", 2e3), model.body("b", mass=2.0, inertia=0.1, position=(0, 0.2))
    model.add(mbs.CoordinateFix("upright", b, "angle"))
    model.add(mbs.Force("floor", b, (0, k * sp.sqrt(sp.Max(0, 0.1 - model["b.y"])))))
    run = mbs.simulate(model, [0, 0.2], START, "Radau5", derivatives=["b.y"])

    def height(lift: float) -> float:
        return mbs.simulate(model, [0, 0.2], {"b.y": 0.2 + lift, "b.vy": 0.0}, "DP8", rtol=1e-12)["b.y"][-1]

    assert run.d("b.y", "b.y")[-1] == pytest.approx((height(1e-4) - height(-1e-4)) / 2e-4, rel=1e-3)
    assert "infinite slope" in run.stats["derivatives"] and "three digits" in run.stats["derivatives"]
    none = mbs.simulate(model, [0, 0.2], START, "DP5", derivatives=["b.y"])
    assert np.isnan(none.d("b.y", "b.y")[-1]) and "none by b.y" in none.stats["derivatives"]


@pytest.mark.parametrize("n", [0.8, 1.1, 2.5])
@pytest.mark.parametrize(("method", "step"), [("RK4", 1e-3), ("DP5", 5e-4), ("DP8", 5e-4)])
def test_steps_of_one_length_say_that_derivatives_may_be_wrong(n, method, step):
    """An exponent that is a parameter counts by its value; from 2 on the rate of the slope has a bound."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    b, exponent = model.body("b", mass=2.0, inertia=0.1, position=(0, 0.2)), model.parameter("n", n)
    model.add(mbs.CoordinateFix("upright", b, "angle"))
    model.add(mbs.Force("floor", b, (0, 1e5 * sp.Max(0, 0.1 - model["b.y"]) ** exponent)))
    run = mbs.simulate(model, [0, 0.2], START, method, step=step, derivatives=["b.y"])
    run.d("b.y", "b.y")
    assert ("leave step= out" in run.stats.get("derivatives", "")) == (n < 2)
    free = mbs.simulate(model, [0, 0.2], START, derivatives=["b.y"])
    free.d("b.y", "b.y")
    assert ("three digits" in free.stats.get("derivatives", "")) == (n < 1)


def test_lengths_and_smooth_powers_need_no_graded_steps():
    """A cable that becomes slack has a root of a sum of squares, and a switch; steps beside it stay as they are."""
    model = mbs.PlanarModel("cable", gravity=(0, -G))
    b = model.body("b", mass=1.0, inertia=0.1, position=(0, -0.5))
    length = sp.sqrt(model["b.x"] ** 2 + model["b.y"] ** 2)
    model.add(mbs.Force("cable", b, tuple(-500 * sp.Max(0, length - 0.6) * model[f"b.{x}"] / length for x in "xy")))
    start = {"b.x": 0.1, "b.y": -0.5, "b.angle": 0.0, "b.vx": 0.5, "b.vy": 0.0, "b.omega": 0.0}
    run = mbs.simulate(model, [0, 0.5], start, derivatives=["b.vx"])
    assert run.stats["switches"] > 0
    assert run.varied.taken.steps.total == run.stats["accepted"]


def test_a_run_that_begins_where_the_law_sets_in():
    """A mass of 1 kg on k δ³ᐟ² sets out at δ = 0 with the speed v. It moves by δ = v T f(t/T), T = (k √v)^(-2/5), so
    ∂δ/∂v = (4 δ + t δ̇)/(5 v)."""
    model = mbs.PlanarModel("cart")
    b = model.body("b", mass=1.0, inertia=1.0)
    model.add(mbs.Force("buffer", b, (-1e4 * sp.Max(0, model["b.x"]) ** 1.5, 0)))
    start = {f"b.{name}": 0.0 for name in ("x", "y", "angle", "vy", "omega")} | {"b.vx": 2.0}
    run = mbs.simulate(model, [0, 0.005, 0.01], start, derivatives=["b.vx"])
    x, v, t = run["b.x"], run["b.vx"], run.t
    assert run.d("b.x", "b.vx")[1:] == pytest.approx(((4 * x + t * v) / (5 * 2.0))[1:], rel=1e-6)
