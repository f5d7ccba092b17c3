"""Dry friction at the edge of sticking: forces that are as large as friction, approach it, touch it, or pass it where a
controller samples; several frictions at once. Against closed forms, piece by piece."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm
from scipy.optimize import brentq

import mbs_dae as mbs

t = mbs.t
SETS = ("cartesian", "natural", "joint")
METHODS = ("DP5", "DP8", "Radau5", "GA")


def block(law) -> mbs.PlanarModel:
    """1 kg on a guide along x, under a force that is a law of x and v."""
    model = mbs.PlanarModel("block")
    body = model.body("a", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    model.add(mbs.Force("F", body, (law(model["a.x"], model["a.vx"]), 0)))
    return model


def end_of(model, time, start, names=("a.x", "a.vx"), **how) -> np.ndarray:
    run = mbs.simulate(model, [0, time], start, **how)
    assert run.stats["accepted"] < 3000
    return np.array([run[name][-1] for name in names])


AT_REST = {"a.x": 0.0, "a.vx": 0.0}
EDGES = {  # force, first velocity, time, where it is then
    "as large as friction": (2.0, 0.0, 5.0, (0.0, 0.0)),
    "as large, in motion": (2.0, 0.5, 5.0, (2.5, 0.5)),
    "touching it": (2 * sp.sin(3 * t), 0.0, 5.0, (0.0, 0.0)),
    "approaching it from below": (2 - sp.exp(-t), 0.0, 40.0, (0.0, 0.0)),
    "approaching it from above": (2 + sp.exp(-t), 0.0, 20.0, (19.0, 1.0)),
    "approaching it while it stops": (2 - sp.exp(-t), 0.5, 40.0, (0.5 - 0.5 * np.log(2), 0.0)),
    "never quite stopping": (2 - sp.exp(-t), 1.0, 30.0, (1.0, 0.0)),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("edge", EDGES)
def test_a_force_at_the_edge(edge, method):
    force, speed, time, expected = EDGES[edge]
    found = end_of(block(lambda x, v: force - 2 * sp.sign(v)), time, {"a.x": 0.0, "a.vx": speed}, method=method)
    assert np.abs(found - expected).max() < (2e-6 if method != "GA" else 2e-4)


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method, k, c", [("DP5", 100.0, 30.0), ("Radau5", 100.0, 30.0), ("GA", 100.0, 30.0),
                                          ("Radau5", 1e8, 1e6), ("GA", 1e8, 1e6)])  # fmt: skip
def test_a_spring_that_creeps_to_the_edge(coordinates, method, k, c):
    """Overdamped: x goes to μ/k, where the spring is as strong as friction, and never stops on its way."""
    mu, x, time = 1e-3 * k, 2e-3, 2.0
    slow = -2 * k / (c + np.sqrt(c * c - 4 * k))
    fast = k / slow
    far = (x - mu / k) / (slow - fast)
    place = mu / k + far * (slow * np.exp(fast * time) - fast * np.exp(slow * time))
    speed = far * k * (np.exp(fast * time) - np.exp(slow * time))
    system = block(lambda x, v: -k * x - c * v - mu * sp.sign(v)).compile(coordinates)
    found = end_of(system, time, {"a.x": x, "a.vx": 0.0}, method=method)
    assert np.abs(found - (place, speed)).max() < 2e-7


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ("DP5", "Radau5", "GA"))
def test_a_held_force_that_is_friction_at_a_sampling_time(method, coordinates):
    """u = n/20 for each twentieth of a second: at n = 40 it is friction, and from n = 41 on more."""
    model = block(lambda x, v: -2 * sp.sign(v))
    u = model.state("u")
    model.add(mbs.Force("motor", model.bodies["a"], (u, 0)), mbs.Sampled("clock", every=0.05, update={u: t}))
    x = v = 0.0
    for n in range(41, 60):
        pull = n / 20 - 2
        x, v = x + v / 20 + pull / 800, v + pull / 20
    found = end_of(model.compile(coordinates), 3.0, AT_REST, method=method)
    assert np.abs(found - (x, v)).max() < 1e-9


def test_a_force_that_is_larger_for_a_moment():
    """A sin t of amplitude A = 1.05 against friction 1: it slips from arcsin 1/A on until the impulses are equal."""
    A = 1.05
    begin = np.arcsin(1 / A)
    stop = brentq(lambda s: A * (np.cos(begin) - np.cos(s)) - (s - begin), begin + 1e-2, np.pi)
    way = A * np.cos(begin) * (stop - begin) - A * (np.sin(stop) - np.sin(begin)) - (stop - begin) ** 2 / 2
    found = end_of(block(lambda x, v: A * sp.sin(t) - sp.sign(v)), 3.5, AT_REST, method="DP8", rtol=1e-11)
    assert np.abs(found - (way, 0)).max() < 1e-10


def stack(force) -> mbs.PlanarModel:
    """1 kg (b) on 2 kg (a) on the ground, friction 0.5 between both and 1 below: as it acts, and as it reacts."""
    model = mbs.PlanarModel("stack")
    lower, upper = model.body("a", mass=2.0, inertia=1.0), model.body("b", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("rail", model.ground, lower), mbs.Translational("above", model.ground, upper))
    between = sp.sign(model["b.vx"] - model["a.vx"]) / 2
    model.add(mbs.Force("on a", lower, (force - sp.sign(model["a.vx"]) + between, 0)))
    model.add(mbs.Force("on b", upper, (-between, 0)))
    return model


def pulled_apart(time):
    """Pulled by t: at rest until 1, together until 2.5, then apart."""
    d, v, x = time - 2.5, 1.5**2 / 6, 1.5**3 / 18
    lower = x + v * d + ((time - 1.5) ** 3 - 1) / 12 - d / 4, v + ((time - 1.5) ** 2 - 1) / 4
    return *lower, x + v * d + d * d / 4, v + d / 2


STACKS = {  # force, first velocity of a, time, and x and v of both
    "pulled apart": (t, 0.0, 4.0, pulled_apart(4.0)),
    "at the edge below": (1.0 + 0 * t, 0.0, 4.0, (0, 0, 0, 0)),
    "at the edge between": (2.5 + 0 * t, 0.0, 4.0, (4, 2, 4, 2)),
    "caught up, then stopped": (0 * t, 3.0, 10.0, (7.2, 0, 3.6, 0)),
}


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ("DP5", "Radau5"))
@pytest.mark.parametrize("kind", STACKS)
def test_two_blocks_that_rub(kind, method, coordinates):
    force, speed, time, expected = STACKS[kind]
    start = {"a.x": 0.0, "a.vx": speed, "b.x": 0.0, "b.vx": 0.0}
    names = ("a.x", "a.vx", "b.x", "b.vx")
    found = end_of(stack(force).compile(coordinates), time, start, names, method=method)
    assert np.abs(found - expected).max() < 1e-8


def test_two_laws_on_one_surface_hold_together():
    model = block(lambda x, v: t - 0.7 * sp.sign(v))
    model.add(mbs.Force("more", model.bodies["a"], (-1.3 * sp.sign(3 * model["a.vx"]), 0)))
    assert np.abs(end_of(model, 4.0, AT_REST, rtol=1e-10) - (8 / 6, 2)).max() < 1e-9


def pieces(k, c, mu, ends, forces, x, v, steps=4000):
    """m ẍ + c ẋ + k x + μ sign ẋ = F, for forces that are linear between ends: each piece is a matrix exponential, and
    a velocity that passes zero in it ends it."""
    for begin, end, first, last in zip(ends, ends[1:], forces, forces[1:], strict=False):
        now, slope = begin, (last - first) / (end - begin)
        while now < end:
            force = first + slope * (now - begin)
            if v == 0 and abs(force - k * x) <= mu * (1 + 1e-12):
                towards = np.copysign(mu, slope) - force + k * x
                now = min(end, now + max(towards / slope, 1e-12)) if slope else end
                continue
            side = np.sign(v) or np.sign(force - k * x)
            A = np.array([[0, 1, 0, 0], [-k, -c, 1, 0], [0, 0, 0, slope], [0, 0, 0, 0]])
            y, h = np.array([x, v, force - side * mu, 1.0]), (end - now) / steps
            one, path = expm(A * h), [y]
            for _ in range(steps):
                path.append(one @ path[-1])
            back = [n for n in range(1, steps + 1) if side * path[n][1] < 0]
            n = back[0] - 1 if back else steps
            x, v, now = path[n][0], path[n][1], now + n * h if back else end
            if back and n == 0:
                v, now = 0.0, now + 1e-9 * h
            elif back:
                rest = brentq(lambda s, A=A, y=path[n]: (expm(A * s) @ y)[1], 0, h, xtol=1e-15)
                x, v, now = (expm(A * rest) @ path[n])[0], 0.0, now + rest
    return x, v


@pytest.mark.parametrize("seed", range(6))
def test_springs_dampers_and_friction_under_ramps(seed):
    """Forces that are often as large as friction where one ramp follows another."""
    random = np.random.default_rng(seed)
    k, c, mu = random.choice([0, 1, 25]), random.choice([0, 0.1, 2, 50]), random.choice([0.5, 1, 10])
    ends, forces = np.linspace(0, 2, 5), mu * random.choice([0, 1, 1, 1.5, -1, -1.2, 0.5], 5)
    x, v = random.choice([0.0, 0.3]), random.choice([0.0, 1.0, -0.5])
    ramps = [
        (first + (last - first) * (t - begin) / (end - begin), t < end)
        for begin, end, first, last in zip(ends, ends[1:], forces, forces[1:], strict=False)
    ]
    model = block(lambda x, v: sp.Piecewise(*ramps, (forces[-1], True)) - k * x - c * v - mu * sp.sign(v))
    expected = pieces(k, c, mu, ends, forces, x, v)
    for method in ("DP5", "Radau5"):
        found = end_of(model, 2.0, {"a.x": x, "a.vx": v}, method=method, rtol=1e-9)
        assert np.abs(found - expected).max() < 1e-6
