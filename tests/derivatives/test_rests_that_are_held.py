"""Derivatives of rests that contacts hold, or in which states stand still: closed forms, and differences of rests."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

G = 10.0


def shelf() -> mbs.PlanarModel:
    """A plank on two posts, off its middle, with a load at x: N1 + N2 = m g + F, by the rule of levers; a spring pulls
    it down at one end."""
    model = mbs.PlanarModel("shelf", gravity=(0, -G))
    m, x, a = model.parameter("m", 3.0), model.parameter("x", 0.3), model.parameter("a", 2.0)
    plank = model.body("plank", mass=m, inertia=1.0, position=(0, 0.02))
    model.add(
        mbs.CoordinateFix("end", plank, "x", 0.0),
        mbs.Contact("left", mbs.Line(model.ground), mbs.Disk(plank.at(-1, 0), 0.02)),
        mbs.Contact("right", mbs.Line(model.ground), mbs.Disk(plank.at(a - 1, 0), 0.02)),
        mbs.Force("load", plank.at(x, 0), (0, -12.0)),
    )
    return model


def test_forces_of_contacts_follow_loads_and_lengths():
    rest = mbs.equilibrium(shelf(), derivatives=["m", "x", "a", "load.y", "right.radius"])
    right = (30 * 1 + 12 * 1.3) / 2  # moments about the left post
    assert rest["right.force"] == pytest.approx(right)
    assert rest.d("right.force", "m") == pytest.approx(G / 2)
    assert rest.d("right.force", "x") == pytest.approx(12 / 2)
    assert rest.d("right.force", "a") == pytest.approx(-right / 2)
    assert rest.d("left.force", "m") == pytest.approx(G / 2)
    assert rest.d("left.force", "load.y") == pytest.approx(-0.7 / 2)
    assert rest.d("plank.angle", "right.radius") == pytest.approx(1 / 2)
    assert rest.d("plank.y", "right.radius") == pytest.approx(1 / 2)


def test_a_ball_in_a_bowl_that_a_spring_pulls():
    """Moved by contacts that turn: against differences of rests."""
    model = mbs.PlanarModel("bowl", gravity=(0, -G))
    ball = model.body("ball", mass=2.0, inertia=0.01, position=(0, -0.7))
    model.add(
        mbs.Contact("bowl", mbs.Disk(model.ground, 1.0, inside=True), mbs.Disk(ball, 0.2)),
        mbs.Spring("spring", model.ground.at(2, 0.3), ball, stiffness=8.0, length=0.5),
        mbs.TorsionSpring("turn", model.ground, ball, stiffness=1.0, angle=0.0),
    )
    names = ["bowl.ground.radius", "bowl.ball.radius", "spring.stiffness", "spring.length", "ball.mass"]
    rest = mbs.equilibrium(model, derivatives=names)
    free = rest.result.varied.variables.model
    for name in names:
        value = free.parameters[name].value
        at = [mbs.equilibrium(free.with_parameters(**{name: value + c * 1e-3 * value})) for c in (-2, -1, 1, 2)]
        for read in ("ball.x", "ball.y", "bowl.force"):
            rows = [one[read] for one in at]
            expected = (rows[0] - 8 * rows[1] + 8 * rows[2] - rows[3]) / (12e-3 * value)
            assert rest.d(read, name) == pytest.approx(expected, rel=1e-6, abs=1e-7), (read, name)


def test_a_state_that_stands_still():
    """A coil: L i' = U - R i, and the force b i against a spring k x: i = U/R, x = b U/(R k)."""
    model = mbs.PlanarModel("voice coil")
    U, R, b = (model.parameter(name, value) for name, value in (("U", 6.0), ("R", 2.0), ("b", 4.0)))
    cone = model.body("cone", mass=0.1, inertia=0.1)
    guide = model.add(mbs.Translational("guide", model.ground, cone))
    i = model.state("i", rate=lambda i: (U - R * i - 0.7 * model["cone.vx"]) / 0.01, initial=1.0)
    model.add(mbs.Actuator("coil", guide, b * i - 5 * model["cone.vx"]))
    model.add(mbs.Actuator("spring", guide, -100 * model["cone.x"] - 200 * model["cone.x"] ** 3))
    rest = mbs.equilibrium(model, derivatives=["U", "R", "b"])
    x = sp.Symbol("x")
    depth = float(sp.nsolve(100 * x + 200 * x**3 - 12, x, 0.1))
    stiffness = 100 + 600 * depth**2
    assert (rest["i"], rest["cone.x"]) == pytest.approx((3.0, depth))
    found = [(rest.d("i", name), rest.d("cone.x", name)) for name in ("U", "R", "b")]
    expected = [(0.5, 2 / stiffness), (-1.5, -6 / stiffness), (0, 3 / stiffness)]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


def test_what_has_no_derivative_is_told():
    model = mbs.PlanarModel("slope", gravity=(0, -G))
    crate = model.body("crate", mass=1.0, inertia=0.1, angle=0.1)
    slope = mbs.Line(model.ground.at(0, 0, 0.1))
    model.add(mbs.Contact("slope", slope, mbs.Polygon(crate, [(-0.1, 0), (0.1, 0), (0, 0.2)]), friction=0.5))
    with refused("no-derivative", model="slope"):
        mbs.equilibrium(model, derivatives=["crate.mass"])
    model = shelf()
    model.add(mbs.Contact("middle", mbs.Line(model.ground), mbs.Disk(model.bodies["plank"], 0.02)))
    rest = mbs.equilibrium(model, derivatives=["m"])  # three posts: which of them carries what is a matter of choice
    assert np.isnan(rest.d("middle.force", "m")) and rest.d("plank.y", "m") == pytest.approx(0.0, abs=1e-12)
    with refused("derivative-not-available", model="voice"):
        mbs.linearize(voice(), derivatives=["U"])


def voice() -> mbs.PlanarModel:
    model = mbs.PlanarModel("voice")
    U = model.parameter("U", 6.0)
    cone = model.body("cone", mass=0.1, inertia=0.1)
    guide = model.add(mbs.Translational("guide", model.ground, cone))
    i = model.state("i", rate=lambda i: U - i)
    model.add(mbs.Actuator("coil", guide, i - 5 * model["cone.vx"] - 3 * model["cone.x"]))
    return model
