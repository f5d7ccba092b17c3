"""Contacts that give way, after Hunt and Crossley: F = k δⁿ (1 + λ δ̇). What follows in closed form."""

from __future__ import annotations

from functools import cache
from math import gamma, log, pi, sqrt

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.model.contacts.compliant import damping_of

SETS = ("cartesian", "natural", "joint")
MASS, RADIUS, G = 2.0, 0.1, 9.81


@cache
def ball(gravity=G, exponent=1.5, friction=False):
    """A ball over the ground; its numbers are parameters, so that one derivation serves all."""
    model = mbs.PlanarModel("ball", gravity=(0, -gravity))
    k, damping = model.parameter("k", 1e5), model.parameter("damping", 0.0)
    mu, smooth = model.parameter("mu", 0.3), model.parameter("smooth", 0.01)
    body = model.body("ball", mass=MASS, inertia=0.4 * MASS * RADIUS**2, position=(0, RADIUS))
    rubs = {"friction": mu, "smooth": smooth} if friction else {}
    floor, disk = mbs.Line(model.ground), mbs.Disk(body, RADIUS)
    model.add(mbs.CompliantContact("floor", floor, disk, stiffness=k, exponent=exponent, damping=damping, **rubs))
    return model


def hit(model, speed, **options):
    return mbs.simulate(model, np.linspace(0, 0.1, 201), {"floor.gap": 0.001, "ball.vy": -speed}, **options)


def test_what_is_left_may_be_nearly_all():
    """λ v tends to 3/2 (1 - e), (1 + (1 - e)) times it to the next order."""
    for lost in 10.0 ** -np.arange(3, 16):
        e = 1 - lost
        assert damping_of(e) == pytest.approx(1.5 * (1 - e) * (2 - e), rel=2 * lost**2 + 1e-7)
    assert damping_of(1.0) == 0.0


@pytest.mark.parametrize("exponent", [1, 1.5, 2.25])
def test_what_is_left_of_an_approach_depends_on_neither_stiffness_nor_exponent(exponent):
    """With x = λ v the motion from touch to parting gives x (1 + e) = ln((1 + x) / (1 - e x))."""
    for e, speed, k in ((0.7, 2.0, 1e6), (0.3, 1.0, 1e7)):
        x = damping_of(e)
        assert x * (1 + e) == pytest.approx(log((1 + x) / (1 - e * x)), rel=1e-12)
        run = hit(ball(0.0, exponent).with_parameters(k=k, damping=x / speed), speed, rtol=1e-11)
        assert run["ball.vy"][-1] == pytest.approx(e * speed, rel=1e-8)
        assert run.energy.dissipated[-1] == pytest.approx(MASS / 2 * speed**2 * (1 - e**2), rel=1e-8)


def test_restitution_at_a_speed_is_the_damping_that_gives_it():
    model = ball(0.0)
    own = mbs.CompliantContact(
        "other", mbs.Line(model.ground), mbs.Disk(model.bodies["ball"], RADIUS), stiffness=1e5, restitution=0.6, speed=2
    )
    assert own.damping == pytest.approx(damping_of(0.6) / 2, rel=1e-15)
    assert damping_of(1.0) == 0 and damping_of(1e-3) == pytest.approx(1e3, rel=1e-14)
    assert damping_of(1 - 1e-6) == pytest.approx(1.5e-6, rel=1e-4)


def test_what_hardly_parts_ends_where_its_force_is_roundoff():
    """The force fades as the velocity comes to -e v, which it never passes: its sign is that of roundoff at last."""
    model = mbs.PlanarModel("disks")
    damping = model.parameter("damping", 0.0)
    disks = (mbs.Disk(model.body(name, 1.0, 1.0, position=(x, 0)), 0.1) for name, x in (("a", 0.0), ("b", 0.2001)))
    model.add(mbs.CompliantContact("touch", *disks, stiffness=1e6, damping=damping))
    for e in (0.003, 0.001):
        run = mbs.simulate(model.with_parameters(damping=damping_of(e)), [0, 0.1], {"a.vx": 1.0}, method="Radau5")
        assert run["touch.gap_rate"][-1] == pytest.approx(e, rel=1e-9)


def test_depth_and_time_of_a_collision_after_hertz():
    """m v²/2 = k δ^(5/2) / (5/2), and half the time is ∫ dδ / √(v² - 4 k δ^(5/2) / 5 m)."""
    speed, k = 2.0, 1e6
    deepest = (1.25 * MASS * speed**2 / k) ** 0.4
    lasts = 2 * deepest / speed * sqrt(pi) * gamma(1.4) / gamma(0.9)
    model = ball(0.0).with_parameters(k=k)
    reached = mbs.Event("deepest", model["floor.gap_rate"], direction=1)
    parts = mbs.Event("parts", model["floor.gap"])
    run = hit(model.plus(reached, parts), speed, rtol=1e-11)
    touch, turn, end = run.events
    assert (touch.name, turn.name, end.name) == ("parts", "deepest", "parts")
    assert turn.state["floor.gap"] == pytest.approx(-deepest, rel=1e-9)
    assert end.t - touch.t == pytest.approx(lasts, rel=1e-8)
    assert np.abs(run.energy.error).max() < 1e-9 * MASS * speed**2


def test_rest_on_the_ground_and_small_motions_about_it():
    k, damping = 1e5, 0.5
    model = ball().with_parameters(k=k, damping=damping)
    rest = mbs.equilibrium(model)
    deep = (MASS * G / k) ** (2 / 3)
    assert rest["floor.gap"] == pytest.approx(-deep, rel=1e-9)
    assert rest["floor.force"] == pytest.approx(MASS * G, rel=1e-12)
    assert mbs.assemble(model)["floor.force"] == 0.0  # it is placed where it just touches
    small = mbs.linearize(model, rest)
    stiffness, loss = 1.5 * k * sqrt(deep), MASS * G * damping  # ∂F/∂δ and ∂F/∂δ̇ = k δ^(3/2) λ
    poles = small.eigenvalues
    swings = poles[np.abs(poles.imag) > 1]
    assert np.abs(swings[0]) == pytest.approx(sqrt(stiffness / MASS), rel=1e-8)
    assert swings[0].real == pytest.approx(-loss / 2 / MASS, rel=1e-8)


@pytest.mark.parametrize("coordinates", SETS)
def test_a_slide_that_fades_without_sticking(coordinates):
    """m s' = -μ N s / √(s² + v²), so that √(s² + v²) + v ln(s / (v + √(s² + v²))) falls by μ g (1 + m r²/I) a second
    until it creeps; energies close."""
    mu, v, speed = 0.3, 0.05, 1.0
    model = ball(friction=True).with_parameters(mu=mu, smooth=v, damping=0.3)
    start = {"floor.gap": -((MASS * G / 1e5) ** (2 / 3)), "ball.vx": speed, "ball.vy": 0.0, "ball.omega": 0.0}
    run = mbs.simulate(model.compile(coordinates), np.linspace(0, 0.1, 11), start, rtol=1e-10)
    slip = run["floor.slip"]

    def fallen(s):
        return np.hypot(s, v) + v * np.log(s / (v + np.hypot(s, v)))

    pace = mu * G * (1 + 2.5)  # at the rim: 1 + m r²/I
    assert fallen(slip[0]) - fallen(slip) == pytest.approx(pace * run.t, rel=1e-6)
    assert run["floor.friction"] == pytest.approx(-mu * run["floor.force"] * slip / np.hypot(slip, v), rel=1e-12)
    assert run.energy.dissipated[-1] > 0 and np.abs(run.energy.error).max() < 1e-8
