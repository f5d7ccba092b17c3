"""The time and the state of an event by parameters: closed forms of a ball that bounces."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

G = 10.0


def ball() -> mbs.PlanarModel:
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    body = model.body("ball", mass=1.0, inertia=0.004)
    guide = model.add(mbs.Translational("guide", model.ground, body, at=(0, 0), axis=(0, 1)))
    model.add(
        mbs.Stop("stop", mbs.displacement(guide), lower=0.05, restitution=0.8),
        mbs.Event("top", when=model["ball.vy"], direction=-1),
        mbs.Event("line", when=model["ball.y"] - 0.5 - mbs.t / 10),
    )
    return model


def closed_forms() -> list[tuple[str, sp.Expr, sp.Expr, sp.Expr]]:
    """By name, in the order of time: when, y and vy there, of height, limit and restitution."""
    height, lower, e = sp.symbols("height lower e")
    g, line = sp.Integer(10), sp.Rational(1, 2)
    fall = sp.sqrt(2 * (height - lower) / g)
    up = e * g * fall
    first = sp.Symbol("first")
    down = sp.solve(height - g * first**2 / 2 - line - first / 10, first)[1]
    risen = sorted(
        sp.solve(lower + up * (first - fall) - g * (first - fall) ** 2 / 2 - line - first / 10, first),
        key=lambda s: s.subs({height: 1.0, lower: 0.05, e: 0.8}),
    )

    def flying(t):
        return lower + up * (t - fall) - g * (t - fall) ** 2 / 2, up - g * (t - fall)

    top = fall + up / g
    told = [("line", down, height - g * down**2 / 2, -g * down)]
    told += [(name, t, *flying(t)) for name, t in (("line", risen[0]), ("top", top), ("line", risen[1]))]
    return told


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_a_ball_that_bounces(coordinates):
    names = {"height": "ball.y", "lower": "stop.lower", "e": "stop.restitution"}
    values = {sp.Symbol("height"): 1.0, sp.Symbol("lower"): 0.05, sp.Symbol("e"): 0.8}
    start = {"ball.y": 1.0, "ball.vy": 0.0}
    run = mbs.simulate(ball().compile(coordinates), [0, 1.2], start, rtol=1e-11, derivatives=[*names.values()])
    told = closed_forms()
    assert [event.name for event in run.events] == [name for name, *_ in told]
    for event, (_, *expressions) in zip(run.events, told, strict=True):
        for symbol, by in names.items():
            expected = [float(e.diff(sp.Symbol(symbol)).subs(values)) for e in expressions]
            found = [event.d(name, by) for name in ("t", "ball.y", "ball.vy")]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
            assert event.state.d("ball.y", by) == event.d("ball.y", by)


def test_what_is_read_of_laws_of_time_goes_with_the_event():
    """A cart at v t meets a line at 1; a wall runs away with t²: the gap is t² - v t, and there d/dv (t² - 1)."""
    model = mbs.PlanarModel("cart")
    cart = model.body("cart", mass=1.0, inertia=1.0)
    wall = mbs.Contact("wall", cart, gap=lambda i: mbs.t**2 + 1 - i.x)
    u = model.input("u", 3 * mbs.t)
    model.add(mbs.Event("line", when=model["cart.x"] - 1), wall, mbs.Force("none", cart, (0 * u + 1e-300 * u, 0)))
    run = mbs.simulate(model, [0, 1], {"cart.x": 0, "cart.vx": 2.0}, derivatives=["cart.vx"])
    (event,) = run.events
    assert event.t == pytest.approx(0.5)
    assert event.d("t", "cart.vx") == pytest.approx(-0.25)  # -1/v²
    assert event.d("wall.gap", "cart.vx") == pytest.approx(2 * 0.5 * -0.25)
    assert event.d("u", "cart.vx") == pytest.approx(3 * -0.25)


def test_a_run_without_derivatives_has_none_at_its_events():
    run = mbs.simulate(ball(), [0, 1.2], {"ball.y": 1.0, "ball.vy": 0.0})
    with refused("run-without-derivatives", event="line"):
        run.events[0].d("t", "stop.lower")
    run = mbs.simulate(ball(), [0, 0.4], {"ball.y": 1.0, "ball.vy": 0.0}, derivatives=["stop.lower"])
    with refused("not-differentiated-by", event="line", mentions="ball.y"):
        run.events[0].d("t", "ball.y")
