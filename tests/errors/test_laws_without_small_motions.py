"""Laws with corners, jumps, or the time in them: what has no small motions about it, or no rest at all, says so."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

STILL = {"b.x": 0.0, "b.vx": 0.0}


def cart(law) -> mbs.PlanarModel:
    """1 kg on a guide along x."""
    model = mbs.PlanarModel("cart")
    body = model.body("b", mass=1.0, inertia=1.0)
    x, v = model["b.x"], model["b.vx"]
    model.add(mbs.Translational("guide", model.ground, body), mbs.Force("F", body, (law(x, v), 0)))
    return model


JUMPS = [
    lambda x, v: -100 * x - 3 * sp.sign(v),
    lambda x, v: -100 * x + sp.Piecewise((-1.0, v > 0), (0.5, True)),
    lambda x, v: -100 * x - sp.sign(x),
    lambda x, v: -100 * x + sp.floor(x),
]
CORNERS = [
    lambda x, v: -100 * x - 50 * sp.Max(x, 0),
    lambda x, v: -100 * x - 50 * sp.Abs(x),
    lambda x, v: -100 * x - 7 * sp.Max(v, 0),
    lambda x, v: -100 * x + sp.Piecewise((0, sp.And(x > 0, v > 0)), (x, True)),
    lambda x, v: -100 * x + sp.Min(x, v, 0),
]
ROUND = [
    lambda x, v: -100 * x - 5 * v * sp.Abs(v),
    lambda x, v: -100 * x - 8 * sp.Max(x, 0) ** 3,
    lambda x, v: -100 * x + sp.Piecewise((1.0, x > 0.1), (0, True)),
    lambda x, v: -100 * x - 3 * sp.tanh(v / 0.01) - 300 * sp.Max(x - 0.01, 0),
]


@pytest.mark.parametrize("law", JUMPS)
def test_a_law_that_jumps_has_no_slope(law):
    with refused("no-derivative", owner="Force 'F'", model="cart"):
        mbs.linearize(cart(law), STILL)


@pytest.mark.parametrize("law", CORNERS)
@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_nor_does_one_with_a_corner(law, coordinates):
    with refused("no-derivative", owner="Force 'F'", model="cart"):
        mbs.linearize(cart(law).compile(coordinates), STILL)


@pytest.mark.parametrize(("law", "damping"), [*zip(ROUND, (0.0, 0.0, 0.0, 300.0), strict=True)])
def test_where_both_branches_agree_there_is_one(law, damping):
    np.testing.assert_allclose(mbs.linearize(cart(law), STILL).A, [[0, 1], [-100, -damping]], atol=1e-9)


def test_a_pendulum_that_just_leans_on_a_stop():
    """It rests there, yet swings with 3.8 rad/s to one side and with 38.9 to the other."""
    model = mbs.PlanarModel("p", gravity=(0, -9.81))
    rod = model.link("a", (0, 0), (0, -1), mass=1.0)
    stop = mbs.Torque("stop", rod, -sp.Max(0, 500 * (model["a.angle"] + np.pi / 2)))
    model.add(mbs.Revolute("A", model.ground, rod.tail), stop)
    rest = mbs.equilibrium(model)
    assert rest["a.angle"] == pytest.approx(-np.pi / 2)
    with refused("no-derivative", owner="Torque 'stop'", model="p"):
        assert rest.stable
    side = mbs.linearize(model.plus(mbs.Torque("lean", rod, 1.0)))
    assert side.frequencies == pytest.approx([np.sqrt(1.5 * 9.81 + 1500)], rel=1e-3)


@pytest.mark.parametrize("push", [0.0, 2.0, 5.0])
def test_dry_friction_holds_anywhere(push):
    def law(x, v):
        return push - 3 * sp.sign(v)

    with refused("law-jumps-at-rest", mbs.EquilibriumError, owner="Force 'F'", model="cart"):
        mbs.equilibrium(cart(law))


@pytest.mark.parametrize(
    "law",
    [
        lambda x, t: -100 * x + sp.sin(5 * t),
        lambda x, t: -100 * x + 1 - sp.cos(t),
        lambda x, t: -100 * x + t**3,
        lambda x, t: -100 * x + sp.Piecewise((t**2, t < 1e-3), (0, True)),
    ],
)
def test_a_force_of_time_lets_nothing_rest(law):
    model = cart(lambda x, v: law(x, mbs.t))
    for ask in (mbs.equilibrium, lambda model: mbs.linearize(model, STILL)):
        with refused("forces-change-with-time", mentions="cart"):
            ask(model)


def test_nor_does_an_input_of_time():
    model = cart(lambda x, v: -4 * x)
    u = model.input("u", sp.sin(3 * mbs.t))
    model.add(mbs.Force("U", model.bodies["b"], (u, 0)))
    with refused("forces-change-with-time"):
        mbs.equilibrium(model)
    assert mbs.equilibrium(model.with_inputs(u=0.0)).frequencies == pytest.approx([2.0])


def test_nor_a_state_that_is_driven():
    model = cart(lambda x, v: -4 * x)
    model.state("z", rate=lambda z: sp.sin(mbs.t) - z)
    with refused("not-steady", name="z"):
        mbs.linearize(model, STILL)


def test_a_driver_that_begins_to_move_is_no_rest():
    model = mbs.PlanarModel("x")
    body = model.body("b", mass=1.0, inertia=1.0)
    model.add(mbs.Revolute("g", model.ground, body))
    model.add(mbs.Driver("d", mbs.angle(model.ground, body), mbs.t**3))
    with refused("not-at-rest", name="d", mentions="t = 0.31831"):
        mbs.equilibrium(model)


def test_what_waits_rests():
    """A force that begins at 0.01 s finds a mechanism at rest before."""
    model = cart(lambda x, v: 1 - 4 * x + sp.Piecewise((0, mbs.t < 0.01), (5 * mbs.t, True)))
    rest = mbs.equilibrium(model)
    assert (rest["b.x"], rest.stable) == (pytest.approx(0.25), True)


@pytest.mark.parametrize("law", [sp.sin(mbs.t), 1 + sp.cos(mbs.t)])
def test_a_stiffness_of_time_has_no_constant_law(law):
    """Mathieu's: it rests at 0, yet it may grow whatever K is now."""
    model = cart(lambda x, v: -law * x)
    rest = mbs.equilibrium(model, {"b.x": 0.0})
    assert rest["b.x"] == 0.0
    for ask in (lambda: rest.stable, lambda: mbs.linearize(model, STILL)):
        with refused("slopes-change-with-time"):
            ask()


def loaded() -> mbs.PlanarModel:
    """P = 4 x + x³."""
    model = mbs.PlanarModel("cart")
    body = model.body("b", mass=1.0, inertia=1.0)
    P, x = model.parameter("P", 0.0), model["b.x"]
    model.add(mbs.Translational("guide", model.ground, body), mbs.Force("F", body, (P - 4 * x - x**3, 0)))
    return model


def test_a_path_ends_at_its_last_value():
    path = mbs.equilibrium(loaded(), over=("P", [0.0, 5.0, 20.0]))
    assert path.at == (0.0, 5.0, 20.0) and path.values[[0, -1]].tolist() == [0.0, 20.0]
    np.testing.assert_allclose(4 * path["b.x"] + path["b.x"] ** 3, path.values, atol=1e-9)
    assert (np.diff(path.values) > 0.0).all()


def test_values_aside_of_a_path():
    with refused("not-sorted", name="P", beyond=[30.0]):
        mbs.equilibrium(loaded(), over=("P", [10.0, 30.0, 20.0]))


def test_a_path_that_does_not_come_to_its_last_value():
    """P = x (2 - x) is 1 at most."""
    model = mbs.PlanarModel("cart")
    body = model.body("b", mass=1.0, inertia=1.0)
    P, x = model.parameter("P", 0.0), model["b.x"]
    model.add(mbs.Translational("guide", model.ground, body), mbs.Force("F", body, (P - x * (2 - x), 0)))
    with refused("path-turns-back", mbs.EquilibriumError):
        mbs.equilibrium(model, over=("P", [0.0, 2.0]))
