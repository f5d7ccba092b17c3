"""Inputs whose laws are made of the parameter: in runs, in inverse dynamics, and in states that are assembled."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs


def cart(**laws) -> mbs.PlanarModel:
    """2 kg under u = k sin(w t), and a state that is charged by it."""
    model = mbs.PlanarModel("cart")
    k, w = model.parameter("k", 3.0), model.parameter("w", 2.0)
    body = model.body("cart", mass=2.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, body))
    u = model.input("u", laws.get("law", k * sp.sin(w * mbs.t)), unit="N")
    model.add(mbs.Actuator("push", guide, u - 0.5 * model["cart.vx"]))
    return model


def test_a_run():
    """u = k t²: v' = (k t² - v/2)/2, linear in k; so dx/dk is x for k = 1."""
    model = cart(law=sp.Symbol("t", real=True) * 0 + mbs.t**2)
    k = model.parameters["k"].symbol
    model = model.with_inputs(u=k * mbs.t**2)
    times = [0, 1.0, 2.0]
    start = {"cart.x": 0.0, "cart.vx": 0.0}
    run = mbs.simulate(model, times, start, derivatives=["k"], rtol=1e-10)
    one = mbs.simulate(model.with_parameters(k=1.0), times, start, rtol=1e-10)
    np.testing.assert_allclose(run.d("cart.x", "k"), one["cart.x"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.d("u", "k"), np.array(times) ** 2, atol=1e-9)


def test_what_a_driver_needs():
    """A driver on the cart gives what the input does not: -u + v/2 + m a."""
    model = cart()
    model.add(mbs.Driver("hand", mbs.displacement(model.elements["guide"]), sp.sin(mbs.t)))
    times = np.linspace(0, 1, 4)
    needed = mbs.inverse_dynamics(model, times, derivatives=["k", "w"])
    np.testing.assert_allclose(needed.d("hand.effort", "k"), -np.sin(2 * times), atol=1e-12)
    np.testing.assert_allclose(needed.d("hand.effort", "w"), -3 * times * np.cos(2 * times), atol=1e-12)
    same = mbs.inverse_dynamics(model.with_parameters(k=4.0), times, derivatives=["w"])
    np.testing.assert_allclose(same.d("hand.effort", "w"), -4 * times * np.cos(2 * times), atol=1e-12)


def test_a_state_that_forces_make():
    state = mbs.assemble(cart(), t=0.3, fix={"cart.x": 0.0}, forces=True, derivatives=["k", "w"])
    assert state.d("cart.ax", "k") == pytest.approx(np.sin(0.6) / 2)
    assert state.d("cart.ax", "w") == pytest.approx(3 * 0.3 * np.cos(0.6) / 2)
    assert state.d("u", "k") == pytest.approx(np.sin(0.6))


def test_a_rest():
    """A spring of 50 N/m under u = k."""
    model = cart()
    model = model.with_inputs(u=2 * model.parameters["k"].symbol)
    model.add(mbs.Spring("spring", model.ground.at(-1, 0), model.bodies["cart"], stiffness=50.0, length=1.0))
    rest = mbs.equilibrium(model, derivatives=["k"])
    assert rest["cart.x"] == pytest.approx(6 / 50)
    assert rest.d("cart.x", "k") == pytest.approx(2 / 50)
