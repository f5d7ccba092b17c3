"""Roots, logarithms and inverse functions of laws that switch: a run goes through where their argument turns at 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from refusals import refused
from scipy.integrate import solve_ivp

import mbs_dae as mbs

HALF = sp.Rational(1, 2)


def sliding_block():
    model = mbs.PlanarModel("line")
    block = model.body("block", mass=1.0, inertia=1.0)
    return model, block, model.add(mbs.Translational("guide", model.ground, block))


def potential_of_arc(x):
    """The integral of arccos(clip(3 x/2, -1, 1))."""
    u = np.clip(1.5 * x, -1, 1)
    return (u * np.arccos(u) - np.sqrt(1 - u**2)) / 1.5 + np.pi * np.minimum(x + 1 / 1.5, 0)


def potential_of_roots(u):
    """The integral of √|√|u| - 0.5|."""

    def part(w):
        return 0.8 * abs(w) ** 2.5 + 2 / 3 * np.sign(w) * abs(w) ** 1.5

    return np.sign(u) * (part(np.sqrt(abs(u)) - 0.5) - part(-0.5))


FORCES = {
    "a power of a size": (
        lambda x: -x - sp.Abs(x) ** sp.Rational(3, 2) / 10,
        lambda x: x**2 / 2 + np.sign(x) * abs(x) ** 2.5 / 25,
    ),
    "a higher power of a size": (
        lambda x: -x - sp.Abs(x) ** 2.5 / 10,
        lambda x: x**2 / 2 + np.sign(x) * abs(x) ** 3.5 / 35,
    ),
    "a root of a size": (
        lambda x: -x - sp.sqrt(sp.Abs(x)) / 10,
        lambda x: x**2 / 2 + np.sign(x) * abs(x) ** 1.5 / 15,
    ),
    "a power of a square": (
        lambda x: -x - (x**2) ** sp.Rational(3, 4) / 10,
        lambda x: x**2 / 2 + np.sign(x) * abs(x) ** 2.5 / 25,
    ),
    "Hertz, a larger one": (
        lambda x: 100 * sp.Max(0, -x) ** sp.Rational(3, 2) - 1,
        lambda x: x + 40 * np.maximum(0, -x) ** 2.5,
    ),
    "Hertz, a piece": (
        lambda x: sp.Piecewise((100 * (-x) ** sp.Rational(3, 2), x < 0), (0, True)) - 1,
        lambda x: x + 40 * np.maximum(0, -x) ** 2.5,
    ),
    "a root of a piece": (
        lambda x: -1 - x - sp.sqrt(sp.Piecewise((x, x > 0), (0, True))),
        lambda x: x + x**2 / 2 + 2 / 3 * np.maximum(0, x) ** 1.5,
    ),
    "a root at the end of a piece": (
        lambda x: -1 - x - sp.Piecewise((0, x < 0.3), (sp.sqrt(x - 0.3), True)),
        lambda x: x + x**2 / 2 + 2 / 3 * np.maximum(0, x - 0.3) ** 1.5,
    ),
    "a root at the end of a piece in other terms": (
        lambda x: -1 - x - sp.Piecewise((0, x < 0.3), (sp.sqrt(10 * x - 3), True)),
        lambda x: x + x**2 / 2 + np.maximum(0, 10 * x - 3) ** 1.5 / 15,
    ),
    "a root of a product with a sign": (
        lambda x: -x - sp.sqrt((x - 0.3) * sp.sign(x - 0.3)) / 10,
        lambda x: x**2 / 2 + np.sign(x - 0.3) * abs(x - 0.3) ** 1.5 / 15,
    ),
    "a root of a piece that turns round": (
        lambda x: -x - sp.sqrt(sp.Piecewise((x - 0.3, x > 0.3), (0.3 - x, True))) / 10,
        lambda x: x**2 / 2 + np.sign(x - 0.3) * abs(x - 0.3) ** 1.5 / 15,
    ),
    "a root that touches zero": (
        lambda x: -x - sp.sqrt(x**2 - 0.6 * x + 0.09) / 10,
        lambda x: x**2 / 2 + np.sign(x - 0.3) * (x - 0.3) ** 2 / 20,
    ),
    "a root of a root of sizes": (
        lambda x: -x - sp.sqrt(sp.Abs(sp.sqrt(sp.Abs(x - 0.3)) - 0.5)) / 10,
        lambda x: x**2 / 2 + potential_of_roots(x - 0.3) / 10,
    ),
    "an arc cosine of a bounded one": (
        lambda x: -x - sp.acos(sp.Max(-1, sp.Min(1, 1.5 * x))) / 10,
        lambda x: x**2 / 2 + potential_of_arc(x) / 10,
    ),
}
METHODS: dict[str, tuple[dict[str, Any], float]] = {
    "DP5": ({"rtol": 1e-11}, 1e-8),
    "DP8": ({"rtol": 1e-11}, 1e-8),
    "Radau5": ({"rtol": 1e-11}, 1e-8),
    "RK4": ({"step": 5e-4}, 2e-6),
    "GA": ({"rtol": 1e-9}, 2e-5),
}
"""The options of each method, and how far it is off at most. (Behind √|x| a fixed step h is off by h^{3/2}.)"""
STEPS: dict[str, dict[str, Any]] = {"RK4": {"step": 1e-3}, "Moreau": {"step": 1e-3}, "HalfExplicit": {"step": 1e-3}}
EVERY = [*METHODS, "Moreau", "HalfExplicit"]


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", FORCES)
def test_energy_stays_where_the_base_of_a_power_turns_at_zero(name, method, coordinates):
    law, potential = FORCES[name]
    model, block, _ = sliding_block()
    model.add(mbs.Force("push", block, (law(model["block.x"]), 0)))
    how, error = METHODS[method]
    run = mbs.simulate(model.compile(coordinates), np.linspace(0, 6, 61), {"block.x": 1.0}, method=method, **how)
    x, v = run["block.x"], run["block.vx"]
    assert x.min() < 0.0 < x[-1]
    assert v**2 / 2 + potential(x) == pytest.approx(np.full(61, potential(1.0)), abs=error)


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5", "RK4"])
@pytest.mark.parametrize("size", [0.322, 0.323, 0.325])
def test_a_step_ends_exactly_where_the_rate_of_another_switch_is_infinite(size, method):
    """√|u| - 0.3 decides about a root, and its rate has no value where a step ends on u = sin 2x - c = 0."""
    model, block, _ = sliding_block()
    u = sp.sin(2 * model["block.x"]) - 0.587674423660758
    law = -model["block.x"] + size * sp.sqrt(sp.Abs(sp.sqrt(sp.Abs(u)) - 0.3))
    model.add(mbs.Force("push", block, (law, 0)))
    start = {"block.x": -0.21354439278994142, "block.vx": 0.6358213940298756}
    how, error = METHODS[method]
    run = mbs.simulate(model, [0, 3], start, method=method, **how)
    other = mbs.simulate(model, [0, 3], start, rtol=1e-12)
    assert run["block.vx"][-1] == pytest.approx(other["block.vx"][-1], abs=error)


CORNERS = {
    "1 - cos²": (lambda u: sp.sqrt(1 - sp.cos(u) ** 2), lambda u: sp.Abs(sp.sin(u))),
    "a chord": (lambda u: sp.sqrt(2 - 2 * sp.cos(u)), lambda u: 2 * sp.Abs(sp.sin(u / 2))),
    "decimals": (lambda u: sp.sqrt(0.3 - 0.3 * sp.sin(u + sp.pi / 2)), lambda u: sp.sqrt(0.6) * sp.Abs(sp.sin(u / 2))),
    "an expanded square": (lambda u: sp.sqrt(sp.expand(u**2)), sp.Abs),
    "an expanded fourth power": (lambda u: sp.expand((u**2 + 0.2 * u) ** 2) ** HALF, lambda u: sp.Abs(u**2 + 0.2 * u)),
    "a power of a square": (lambda u: sp.expand(4 * u**2) ** 0.75, lambda u: sp.sqrt(8) * sp.Abs(u) ** 1.5),
    "acos of cos": (lambda u: sp.acos(sp.cos(u)), sp.Abs),
    "asin of sin": (lambda u: sp.asin(sp.sin(u + sp.pi / 2)), lambda u: sp.pi / 2 - sp.Abs(u)),
    "acosh of cosh": (lambda u: sp.acosh(sp.cosh(u)), sp.Abs),
    "an arc": (lambda u: sp.acos(1 - u**2 / 2), lambda u: 2 * sp.asin(sp.Abs(u) / 2)),
    "an area": (lambda u: sp.acosh(1 + u**2 / 2), lambda u: 2 * sp.asinh(sp.Abs(u) / 2)),
}
"""Roots that touch zero at u = 0, and the laws that they are, written with a size."""
RUBS = {
    "force": lambda model, block, guide, law: mbs.Force("rub", block, (-law, 0)),
    "friction": lambda model, block, guide, law: mbs.Friction("rub", guide, mu=law / 10),
    "dry friction": lambda model, block, guide, law: mbs.DryFriction("rub", mbs.x(block), force=law),
    "rate of a state": lambda model, block, guide, law: mbs.Force("rub", block, (-model.state("z", rate=10 * law), 0)),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", RUBS)
@pytest.mark.parametrize("name", CORNERS)
def test_a_root_that_touches_zero_switches_there(name, kind, method):
    """The root turns at u = x - 0.1, within steps that do not know it."""
    ends = []
    for law in CORNERS[name]:
        model = mbs.PlanarModel("line", gravity=(0, -10))
        block = model.body("block", mass=1.0, inertia=1.0)
        guide = model.add(mbs.Translational("guide", model.ground, block))
        model.add(RUBS[kind](model, block, guide, 2 + law(model["block.x"] - 0.1)))
        how = {"step": 1e-2} if method == "RK4" else {"rtol": 1e-7}
        run = mbs.simulate(model, [0, 0.3], {"block.vx": 1.0}, method=method, **how)
        ends.append([run["block.x"][-1], run["block.vx"][-1], run.stats["switches"]])
    assert ends[0][2] >= 1
    assert ends[0][:2] == pytest.approx(ends[1][:2], abs=2e-6 if method == "GA" else 2e-8)


@pytest.mark.parametrize("law", [lambda t: sp.sqrt(1 - sp.cos(t - 1) ** 2), lambda t: sp.acos(sp.cos(t - 1))])
def test_a_root_that_touches_zero_in_time_breaks_a_step_there(law):
    model, block, _ = sliding_block()
    model.add(mbs.Force("push", block, (law(mbs.t), 0)))
    run = mbs.simulate(model, [0, 2])
    assert run.stats["breaks"] == 1
    exact = 2 * (1 - np.cos(1)) if law(mbs.t).has(sp.Pow) else 1.0
    assert run["block.vx"][-1] == pytest.approx(exact, abs=1e-9)


ROOTS_OF_ROOTS: list[tuple[Any, ...]] = [
    (lambda x, v: sp.acosh(sp.acos(sp.cos(x + 0.0478)) / 10 + 1), "force", "DP5", -0.0797, 0.0, 24.15),
    (lambda x, v: sp.sqrt(sp.acos(sp.cos(3 * v - 0.4795)) / 5), "smooth", "Radau5", -0.0442, 0.0, 29.07),
    (
        lambda x, v: sp.Max(sp.acos(sp.cos(x + 0.367)) / 10, sp.acos(sp.cos(3 * mbs.t + 0.29)) / 5),
        "joint", "Radau5", -0.2, 0.153, 23.01,
    ),
    (lambda x, v: sp.acosh(sp.sqrt(2 - 2 * sp.cos(v - 0.376)) + 1), "joint", "RK4", -0.2542, 0.4634, 2.163),
    (lambda x, v: sp.acosh(sp.acosh(sp.cosh(x + 0.3457)) + 1), "dry", "Radau5", 0.0148, -1.577, 1.545),
    (
        lambda x, v: sp.acos(1 / (sp.Abs(x + 0.19) + sp.acos(sp.cos(3 * x + 0.57)) / 5 + 1)) / 10,
        "dry", "Radau5", 0.0628, -1.8166, 14.27,
    ),
    (lambda x, v: sp.acosh(sp.Abs(x - 0.059) ** 1.5 + 1) ** 1.5, "dry", "DP5", -0.2187, -1.7267, 20.26),
    (
        lambda x, v: sp.Max(sp.acosh(sp.Abs(v + 0.262308638544495) + 1), sp.acosh(sp.cosh(x - 0.140139066380835))),
        "force", "RK4", 0.15689241074704202, 0.0, 9.821379544325804,
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", ROOTS_OF_ROOTS)
def test_roots_of_roots_that_touch_zero_go_through(case):
    law, kind, method, x, v, stiffness = case
    model = mbs.PlanarModel("line", gravity=(0, -10))
    block = model.body("block", mass=1.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    size = 0.05 + law(model["block.x"], model["block.vx"])
    rubs = {
        "force": lambda: mbs.Force("rub", block, (-size, 0)),
        "joint": lambda: mbs.Friction("rub", guide, mu=size),
        "dry": lambda: mbs.DryFriction("rub", mbs.x(block), force=size),
        "smooth": lambda: mbs.DryFriction("rub", mbs.x(block), force=size, smooth=0.01),
    }
    model.add(rubs[kind](), mbs.Force("bow", block, (-stiffness * model["block.x"], 0)))
    how = {"step": 1e-3} if method == "RK4" else {}
    ends = [
        mbs.simulate(model, [0, 2], {"block.x": x, "block.vx": v}, method=m, **own)
        for m, own in ((method, how), ("DP8", {"rtol": 1e-11}))
    ]
    assert ends[0]["block.x"][-1] == pytest.approx(ends[1]["block.x"][-1], abs=1e-4 if method == "RK4" else 5e-6)


@pytest.mark.parametrize("kind", ["joint", "contact"])
def test_friction_that_switches_without_end_is_no_gap_in_pieces(kind):
    model = mbs.PlanarModel("line", gravity=(0, -10))
    block = model.body("block", mass=1.0, inertia=1.0)
    mu = 0.2 + 0.05 * sp.sign(sp.sin(20 * sp.log(sp.Abs(model["block.x"] - 0.1))))
    if kind == "joint":
        model.add(mbs.Friction("rub", model.add(mbs.Translational("guide", model.ground, block)), mu=mu))
    else:
        model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=mu))
    start = {"block.vx": 1.0} | ({"block.y": 0.0, "block.vy": 0.0} if kind == "contact" else {})
    with refused("switching-without-end", mbs.MbsError, mentions=["rub", "line", "t = 0.112848"]):
        mbs.simulate(model, [0, 0.3], start, method="Radau5")


def damper(model, block, guide):
    model.add(mbs.Damper("own", guide, law=sp.sqrt(sp.Abs(mbs.rate)) * mbs.rate / 10))


def spring(model, block, guide):
    model.add(mbs.Spring("own", guide, law=sp.Abs(mbs.length) ** HALF * mbs.length / 10))


def friction(model, block, guide):
    size = sp.sqrt(sp.Abs(model["block.x"])) / 10
    model.add(mbs.DryFriction("own", mbs.x(block), force=size))


def signal(model, block, guide):
    z = model.state("z", rate=sp.Abs(model["block.x"]) ** sp.Rational(3, 2))
    model.add(mbs.Force("own", block, (-z / 10, 0)))


ELEMENTS = {
    "damper": (damper, lambda x, v, z: -0.1 * v * abs(v) ** 0.5),
    "spring": (spring, lambda x, v, z: -0.1 * x * abs(x) ** 0.5),
    "friction": (friction, lambda x, v, z: -0.1 * np.sign(v) * abs(x) ** 0.5),
    "rate of a state": (signal, lambda x, v, z: -0.1 * z),
}


@pytest.mark.parametrize("kind", ELEMENTS)
def test_elements_take_powers_of_sizes(kind):
    add, force = ELEMENTS[kind]
    model, block, guide = sliding_block()
    model.add(mbs.Force("bow", block, (-model["block.x"], 0)))
    add(model, block, guide)
    end = 2.5  # before the motion turns round
    y = solve_ivp(
        lambda t, y: [y[1], -y[0] + force(*y), abs(y[0]) ** 1.5], (0, end), [1.0, -0.1, 0.0], "DOP853",
        rtol=1e-10, atol=1e-12, max_step=1e-3,
    ).y[:, -1]  # fmt: skip
    run = mbs.simulate(model, [0, end], {"block.x": 1.0, "block.vx": -0.1}, rtol=1e-11)
    assert (run["block.x"][-1], run["block.vx"][-1]) == pytest.approx(tuple(y[:2]), abs=1e-8)


TOUCHES = {
    "a square in other terms": lambda t: sp.sqrt(t**2 - t + sp.Rational(1, 4)),
    "a sine": lambda t: sp.sqrt(1 - sp.cos(t - HALF) ** 2),
    "a difference of floats": lambda t: sp.sqrt(t**2 - 0.2 * t + 0.01),
}


@pytest.mark.parametrize("kind", ["force", "input"])
@pytest.mark.parametrize("name", TOUCHES)
def test_a_root_that_touches_zero_in_time_has_a_value_there(name, kind):
    """∫ √g(t) dt, with g = 0 at a requested time."""
    model, block, _ = sliding_block()
    law, zero = TOUCHES[name](mbs.t), 0.1 if "floats" in name else 0.5
    size = law if kind == "force" else model.input("u", law)
    model.add(mbs.Force("push", block, (size, 0)))
    run = mbs.simulate(model, [0, zero, 2 * zero], rtol=1e-11)
    half = 1 - np.cos(0.5) if name == "a sine" else zero**2 / 2
    assert run["block.vx"] == pytest.approx([0, half, 2 * half], abs=1e-10)


def test_an_event_of_a_root_happens_behind_the_zero_of_its_argument():
    """√|x| = 1/2 at x = -1/4, behind x = 0, with v = -1: t = 0.35."""
    model, _, _ = sliding_block()
    model.add(mbs.Event("there", sp.sqrt(sp.Abs(model["block.x"])) - 0.5, direction=1))
    run = mbs.simulate(model, [0, 1], {"block.x": 0.1, "block.vx": -1.0})
    assert [event.t for event in run.events] == pytest.approx([0.35], abs=1e-9)


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize(
    "law",
    [
        lambda x: sp.sqrt(0.5 - x),
        lambda x: sp.log(0.5 - x),
        lambda x: sp.acos(2 * x),
        lambda x: (0.5 - x) ** 1.5,
        lambda x: sp.Piecewise((1, x < 0.5)),
    ],
)
def test_a_law_that_ceases_to_have_a_value_is_named(law, method):
    model, block, _ = sliding_block()
    model.add(mbs.Force("push", block, (law(model["block.x"]) / 100, 0)))
    with refused("law-without-value", mbs.MbsError, mentions="push"):
        mbs.simulate(model, [0, 1], {"block.vx": 1.0}, method=method, **STEPS.get(method, {}))


WINDOW = 1e-4
WINDOWS = {
    "a parameter": lambda g, p: g**p,
    "an exponent of the state": lambda g, p: 1 / (1 + g ** (g + p)),
    "asec": lambda g, p: sp.asec(1 + g),
    "acsc": lambda g, p: sp.acsc(1 + g),
    "acoth": lambda g, p: 1 / (1 + sp.acoth(1 + g)),
    "acosh": lambda g, p: sp.acosh(1 + g),
    "atanh": lambda g, p: 1 / (1 + sp.atanh(1 - g)),
    "asech": lambda g, p: sp.asech(1 - g),
}


@pytest.mark.parametrize("place", ["block.x", "block.vx", "t"])
@pytest.mark.parametrize("name", WINDOWS)
def test_a_law_without_a_value_on_a_short_way_is_refused(name, place):
    """g = (u - 0.9)² - h² is negative on the way 2 h = WINDOW."""
    model, block, _ = sliding_block()
    u = mbs.t if place == "t" else model[place]
    law = WINDOWS[name]((u - 0.9) ** 2 - WINDOW**2 / 4, model.parameter("p", 0.5))
    model.add(mbs.Force("push", block, (-0.1 - law / 100, 0)))
    with refused("law-without-value", mbs.MbsError, mentions="push"):
        mbs.simulate(model, [0, 1.5], {"block.vx": 1.0})


@pytest.mark.parametrize("p", [2.0, 3.0])
def test_a_power_with_a_whole_number_as_parameter_has_a_value_everywhere(p):
    model, block, _ = sliding_block()
    model.add(mbs.Force("push", block, (-model["block.x"] ** model.parameter("p", p), 0)))
    run = mbs.simulate(model, np.linspace(0, 2, 21), {"block.x": -0.3, "block.vx": 1.0})
    x, v = run["block.x"], run["block.vx"]
    assert x.min() < 0.0 < x.max()
    assert v**2 / 2 + x ** (p + 1) / (p + 1) == pytest.approx(np.full(21, 0.5 + (-0.3) ** (p + 1) / (p + 1)), abs=1e-6)


KNOTS = [-10, 0.9 - 5e-6, 0.9, 0.9 + 5e-6, 10]
SHORT = {
    "a root": lambda x: sp.sqrt((x - 0.9) ** 2 - 25e-12),
    "a root of a table": lambda x: sp.sqrt(mbs.Table(KNOTS, [1, 1e-9, -1e-9, 1e-9, 1], kind="linear")(x)),
    "pieces": lambda x: sp.Piecewise((1, x < 0.9), (1, x > 0.90001)),
    "pieces of several conditions": lambda x: sp.Piecewise((1, (x < 0.9) & (x > -3)), (1, x > 0.90001)),
}


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize("name", SHORT)
def test_every_method_refuses_a_law_without_a_value_on_10_micrometres(name, method):
    model, block, _ = sliding_block()
    model.add(mbs.Force("push", block, (-0.1 - SHORT[name](model["block.x"]) / 100, 0)))
    with refused("law-without-value", mbs.MbsError, mentions="push"):
        mbs.simulate(model, [0, 1.5], {"block.vx": 1.0}, method=method, **STEPS.get(method, {}))


BRIEF_PIECES = {
    "a place": lambda x, v: sp.Piecewise((0.1, x < 0.1), (sp.sqrt(x - 5), x < 0.10001), (0.1, True)),
    "a speed": lambda x, v: sp.Piecewise((0.1, v > 0.985), (sp.log(x - 5), v > 0.98499), (0.1, True)),
    "a dip": lambda x, v: sp.Piecewise((sp.sqrt(x - 5), (x - 0.1) ** 2 < 1e-10), (0.1, True)),
}


@pytest.mark.parametrize("method", ["Moreau", "HalfExplicit"])
@pytest.mark.parametrize("kind", ["force", "friction"])
@pytest.mark.parametrize("name", BRIEF_PIECES)
def test_time_stepping_refuses_a_piece_that_it_meets_between_the_ends_of_a_step(name, kind, method):
    """A piece without a value is chosen on 10 micrometres; the way of a step is a millimetre."""
    model = mbs.PlanarModel("line", gravity=(0, -10))
    block = model.body("block", mass=1.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    law = BRIEF_PIECES[name](model["block.x"], model["block.vx"])
    model.add(RUBS[kind](model, block, guide, law if kind == "force" else 10 * law))
    with refused(("friction-undefined-or-negative", "law-without-value"), mbs.MbsError, mentions="rub"):
        mbs.simulate(model, [0, 0.25], {"block.vx": 1.0}, method=method, step=1e-3)
    behind = {"block.x": 0.11, "block.vx": 0.98}
    assert mbs.simulate(model, [0, 0.25], behind, method=method, step=1e-3)["block.x"][-1] > 0.2


@pytest.mark.parametrize("method", ["Moreau", "HalfExplicit"])
def test_time_stepping_refuses_friction_without_a_value_on_10_micrometres(method):
    model = mbs.PlanarModel("floor", gravity=(0, -10))
    block = model.body("block", mass=1.0, inertia=1.0)
    mu = 0.1 + sp.sqrt((model["block.x"] - 0.1) ** 2 - 25e-12)
    model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=mu))
    start = {"block.vx": 1.0, "block.y": 0.0, "block.vy": 0.0}
    with refused("friction-undefined-or-negative", mbs.MbsError, joints=["Contact 'rub'"]):
        mbs.simulate(model, [0, 0.4], start, method=method, step=1e-3)
    ahead = {"block.x": 0.11} | start
    assert mbs.simulate(model, [0, 0.1], ahead, method=method, step=1e-3)["block.vx"][-1] > 0.8


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5"])
def test_friction_without_a_value_on_a_third_of_a_microradian_is_refused(method, coordinates):
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    bar = model.link("bar", (0, 0), (1, 0), mass=1.0)
    pin = model.add(mbs.Revolute("pin", model.ground, bar.tail))
    mu = 0.1 + sp.sqrt((model["pin.angle"] + 0.5) ** 2 - 1.5e-7**2) / 100
    model.add(mbs.Friction("rub", pin, mu=mu, radius=0.01))
    with refused("friction-undefined-or-negative", mbs.MbsError, joints=["Friction 'rub'"]):
        mbs.simulate(model.compile(coordinates), [0, 1], method=method)


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize("law", [lambda x: sp.Piecewise((0.1, x <= 0.3), (0.2, x > 0.3)),
                                 lambda x: sp.Piecewise((0.1, x < 0.3), (0.1, x > 0.2))])  # fmt: skip
def test_pieces_without_a_last_case_that_leave_no_gap_go_through(law, method):
    model, block, _ = sliding_block()
    model.add(mbs.Force("push", block, (-law(model["block.x"]), 0)))
    run = mbs.simulate(model, [0, 0.6], {"block.vx": 1.0}, method=method, **STEPS.get(method, {}))
    assert run["block.x"][-1] > 0.5
