"""Optima that are known in closed form, what holds them, and how many runs they take."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from designs import cranks, slider_crank
from scipy.optimize import minimize

import mbs_dae as mbs
from mbs_dae.derivatives.parameters import design_variables

TURN = np.linspace(0, 0.2 * np.pi, 41)
q = mbs.quantity


@pytest.fixture(scope="module")
def model():
    return slider_crank(offset=True)


def test_limits_hold_an_optimum_and_tell_what_they_cost(model):
    """The stroke is 2 r: the shortest rod that keeps r / l <= 1/4 at a stroke of 0.25 m, in closed form."""
    r, l = (model.parameters[name].symbol for name in "rl")
    found = mbs.optimize(
        l, model, TURN, {"r": (0.05, 0.2), "l": (0.25, 0.9)},
        [mbs.maximum("slider.x") - mbs.minimum("slider.x") >= 0.25, r - l / 4 <= 0], verb="kinematics",
    )  # fmt: skip
    assert found.success
    assert found.values == pytest.approx({"r": 0.125, "l": 0.5}, rel=1e-9)
    assert len(found.active) == 2 and [one.sensitivity for one in found.limits] == pytest.approx([2.0, -4.0], rel=1e-6)


def test_sensitivities_are_what_another_optimum_tells(model):
    def best(limit: float) -> mbs.Optimum:
        return mbs.optimize(
            mbs.integral(q("motor.effort") ** 2), model, TURN, {"r": (0.05, 0.2), "l": (0.25, 0.4)},
            [mbs.Limit(lambda res: np.ptp(res["slider.x"]), lower=limit, name="stroke")], verb="inverse_dynamics",
        )  # fmt: skip

    one, more = best(0.25), best(0.2501)
    assert one.sensitivity("stroke") == pytest.approx((more.value - one.value) / 1e-4, rel=1e-3)
    assert one.bounds[1].active == "upper" and one.sensitivity("l") < 0


def test_the_largest_of_many_is_made_small_where_two_are_equal():
    """|x - a| and |x - b| over r: the best r is in the middle."""
    model = cranks(1)
    found = mbs.optimize(
        lambda res: abs(res["crank0.head.x"] - np.array([0.2, 0.3])), model, [0, 1e-9], {"r0": (0.05, 0.9)},
        kind="minimax", verb="kinematics",
    )  # fmt: skip
    assert found.success and found.value == pytest.approx(0.05, rel=1e-8)
    assert found.values["r0"] == pytest.approx(0.25, rel=1e-8)


def test_squares_end_at_the_normal_equations():
    model, times = cranks(3), np.linspace(0, 1, 5)
    wanted = np.array([0.2, 0.17, 0.16, 0.2, 0.11])
    names = [f"crank{k}.head.x" for k in range(3)]
    found = mbs.optimize(
        lambda res: np.concatenate([res[name] - k - wanted for k, name in enumerate(names)]), model, times,
        {f"r{k}": (0.01, 0.9) for k in range(3)}, kind="least_squares", verb="kinematics",
    )  # fmt: skip
    for k in range(3):
        c = np.cos((1 + 0.1 * k) * times)
        assert found.values[f"r{k}"] == pytest.approx(c @ wanted / (c @ c), rel=1e-9)


def test_designs_without_a_motion_are_stepped_back_from():
    """With l < r the crank does not turn through: the optimum lies at that edge."""
    model = slider_crank()
    found = mbs.optimize(
        mbs.maximum("slider.x"), model, TURN, {"r": (0.08, 0.12), "l": (0.02, 0.6)},
        [mbs.minimum("rod.angle") >= -1.2], verb="kinematics",
    )  # fmt: skip
    assert found.success and found.values["r"] == pytest.approx(0.08)
    assert np.abs(found.result["rod.angle"]).max() <= 1.2 + 1e-6


def test_runs_do_not_grow_with_the_number_of_variables():
    """The same problem with 3 and 30 variables: each iteration takes one run, and now and then a shorter step."""
    taken = []
    for count in (3, 30):
        parts = [(q(f"crank{k}.head.x") - k - 0.2 - 0.01 * k) ** 2 for k in range(count)]
        over = {f"r{k}": (0.05, 0.9) for k in range(count)}
        found = mbs.optimize(mbs.integral(sum(parts)), cranks(count), [0, 0.5], over, verb="kinematics")
        assert found.success
        taken.append(found.runs / found.iterations)
    assert max(taken) <= 2.0, taken


def test_differences_take_many_times_the_runs():
    count = 10
    parts = [(q(f"crank{k}.head.x") - k - 0.2 - 0.01 * k) ** 2 for k in range(count)]
    model, over = cranks(count), {f"r{k}": (0.05, 0.9) for k in range(count)}
    objective = mbs.integral(sum(parts))
    found = mbs.optimize(objective, model, [0, 0.5], over, verb="kinematics")
    runs = 0

    def value(u: np.ndarray) -> float:
        nonlocal runs
        runs += 1
        numbers = {f"r{k}": 0.05 + 0.85 * x for k, x in enumerate(u)}
        result = mbs.kinematics(model.with_parameters(**numbers), [0, 0.5])
        return 0.25 * sum(((result[f"crank{k}.head.x"] - k - 0.2 - 0.01 * k) ** 2).sum() for k in range(count))

    by_differences = minimize(value, np.full(count, 0.05 / 0.85), method="SLSQP", bounds=[(0, 1)] * count,
                              options={"ftol": 1e-12})  # fmt: skip
    assert found.success and found.value <= by_differences.fun + 1e-12
    assert runs >= 5 * found.runs


def test_it_converges_where_differences_stall():
    """Four numbers that a torque nearly confuses: in the narrow valley differences have no slope any more."""
    wanted = {"r": 0.12, "l": 0.35, "spring.stiffness": 180.0, "spring.length": 0.5}
    over = {"r": (0.05, 0.2), "l": (0.25, 0.6), "spring.stiffness": (10, 400), "spring.length": (0.3, 0.9)}
    asked = design_variables(slider_crank(), list(over))
    assert asked is not None
    effort = mbs.inverse_dynamics(asked.model.with_parameters(**wanted), TURN)["motor.effort"]

    def off(result):
        return np.sum((result["motor.effort"] - effort) ** 2)

    found = mbs.optimize(off, slider_crank(), TURN, over, verb="inverse_dynamics")
    low, high = np.array([*over.values()]).T

    def value(u: np.ndarray) -> float:
        numbers = dict(zip(over, low + (high - low) * u, strict=True))
        return float(off(mbs.inverse_dynamics(asked.model.with_parameters(**numbers), TURN)))

    start = (np.array([one.start for one in found.bounds]) - low) / (high - low)
    options = {"ftol": 1e-15, "maxiter": 40}
    stalled = minimize(value, start, method="SLSQP", bounds=[(0, 1)] * 4, options=options)
    assert found.success and found.value < 1e-13 and found.runs < 40
    assert stalled.fun > 100 * found.value and stalled.nfev > 3 * found.runs


def test_starts_are_the_same_for_the_same_seed(model):
    found = [
        mbs.optimize(mbs.at_end("slider.x"), model, [0, 0.1], {"r": (0.05, 0.15)}, starts=4, verb="kinematics", seed=s)
        for s in (1, 1, 2)
    ]
    assert found[0].starts == found[1].starts != found[2].starts
    assert found[0].values == pytest.approx(found[2].values)


def test_a_table_tells_all(model):
    found = mbs.optimize(
        mbs.at_end("slider.x"), model, [0, 0.1], {"r": (0.05, 0.15), "spring.stiffness": (1, 200)}, verb="kinematics"
    )
    told = str(found)
    assert "nothing that was asked for depends on 'spring.stiffness'" in told and "lower" in told
    assert [ax.get_ylabel() for ax in found.plot().axes] == ["slider.x [m]"]


def test_a_search_steps_back_from_a_change_point():
    """The corner (0.9, 0.4) of the bounds is a change point, a + b = c + d, where the transmission angle has no
    derivative. The widest swing of the rocker with μ >= 45° is that which scipy's SLSQP finds by the closed form of the
    four-bar with differences."""
    points = {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0), "P": (0.3, 0.7)}
    rods = {"crank": "AB", "coupler": "BCP", "rocker": "CD"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AD", dimensions=True)
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), np.pi / 2 + mbs.t))
    swing = mbs.maximum("rocker.angle") - mbs.minimum("rocker.angle")
    least = mbs.minimum("transmission_angle(B, C, D)") >= np.pi / 4
    bounds = {"coupler.length": (0.4, 0.9), "rocker.length": (0.4, 0.9)}
    found = mbs.optimize(-swing, model, np.linspace(0, 2 * np.pi, 73), over=bounds, subject_to=[least])
    assert found.success and found.value == pytest.approx(-1.08147172, abs=1e-7)
    assert found.values == pytest.approx({"coupler.length": 0.69515328, "rocker.length": 0.4}, abs=1e-6)
    assert "stepped back" in found.message
    with mbs.units("deg", "mm"):
        assert "objective and limits are in SI units" in str(found)


def held_crank(objective, limits=(), kind="min", **how):
    """Return the optimum of a driven crank by its length r, between the bounds 0.05 m and 0.5 m."""
    crank = mbs.PlanarModel("crank")
    r, mass = crank.parameter("r", 0.1, unit="m"), crank.parameter("c", 1.0)
    rod = crank.link("rod", (0, 0), (0.1, 0), length=r, mass=mass)
    pin = crank.add(mbs.Revolute("A", crank.ground, rod.tail))
    crank.add(mbs.Driver("motor", mbs.angle(pin), 10 * mbs.t))
    times = np.linspace(0, 0.1, 11)
    return mbs.optimize(objective, crank, times, {"r": (0.05, 0.5)}, limits, kind, verb="inverse_dynamics", **how)


UNITS_OF_SENSITIVITIES = [
    (-mbs.maximum("rod.head.x"), "min", "m/m"),
    (mbs.at_end("rod.head.vy") * -2.0, "min", "(m/s)/m"),
    (-mbs.integral(q("rod.head.x") ** 2), "min", "(m² s)/m"),
    (0.7 - mbs.at_end("rod.head.x"), "min", "m/m"),
    (-sp.sqrt(mbs.at_end(q("rod.head.x") ** 2 + q("rod.head.y") ** 2)), "min", "m/m"),
    (-mbs.at_end("rod.head.y") / mbs.at_start("rod.omega"), "min", "(m s/rad)/m"),
    (-sp.log(mbs.at_end("rod.head.x")), "min", "1/m"),
    (q("rod.head.x") - 1, "least_squares", "m²/m"),
    (1 - q("rod.head.x"), "minimax", "m/m"),
    (lambda result: -result["rod.head.x"].max(), "min", ""),
    (-mbs.at_end("rod.head.x") - mbs.at_end("rod.head.vy"), "min", ""),
    (-sp.Symbol("c") * mbs.at_end("rod.head.x"), "min", ""),
]
"""Objectives that a longer crank makes smaller, and the unit of their derivative by the upper bound of r."""


@pytest.mark.parametrize("objective, kind, unit", UNITS_OF_SENSITIVITIES, ids=range(len(UNITS_OF_SENSITIVITIES)))
def test_a_sensitivity_has_the_unit_of_the_objective_by_that_of_the_number(objective, kind, unit):
    found = held_crank(objective, kind=kind)
    (line,) = [line for line in str(found).splitlines() if line.startswith("  r [m]")]
    assert found.bounds[0].active == "upper"
    assert line.partition("upper")[2].split(maxsplit=1)[1:] == ([unit] if unit else [])


def test_a_sensitivity_follows_the_unit_in_which_a_bound_is_shown():
    """The derivative of the optimum -2 r by the bound of r is -2 m/m, or -0.002 m/mm."""
    found = held_crank(-2 * mbs.maximum("rod.head.x"))
    assert "upper            -2 m/m" in str(found)
    with mbs.units("mm"):
        assert "upper        -0.002 m/mm" in str(found)


def test_a_sensitivity_by_a_limit_has_its_unit():
    """With ω = 10 rad/s the limit v ≤ 3 m/s gives r = 0.3 m, as x = v/ω. A limit of a Python function has no unit."""
    speed = mbs.maximum("rod.head.vy") <= 3
    (line,) = [one for one in str(held_crank(-mbs.maximum("rod.head.x"), [speed])).splitlines() if "yes" in one]
    assert line.endswith("-0.1 m/(m/s)")
    speed = mbs.Limit(lambda result: result["rod.head.vy"].max(), upper=3)
    (line,) = [one for one in str(held_crank(-mbs.maximum("rod.head.x"), [speed])).splitlines() if "yes" in one]
    assert line.endswith("-0.1")


@pytest.mark.parametrize("quantity", ["crank.angle", "crank.B.y"])
def test_a_driven_crank_depends_on_no_length_of_the_coupler(quantity):
    """Its slopes are roundoff, along which a search goes anywhere."""
    points = {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0)}
    rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AD", dimensions=True)
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), np.pi / 2 + mbs.t))
    over = {"coupler.length": (0.55, 0.9)}
    found = mbs.optimize(mbs.maximum(quantity), model, np.linspace(0, 1, 11), over=over)
    assert "nothing that was asked for depends on 'coupler.length'" in found.message
