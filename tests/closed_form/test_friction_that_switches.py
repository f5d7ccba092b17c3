"""Sizes of friction that switch, in time, in place and with the speed of slip: against motions put together of pieces
with constant deceleration. And friction that is let go for a moment, by its own law or by a force that jumps."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
METHODS = ({}, {"method": "DP8", "rtol": 1e-11}, {"method": "Radau5", "rtol": 1e-10}, {"method": "GA", "rtol": 1e-9})
G, MASS, V, LAST = 10.0, 2.0, 3.0, 1.0


def block(rubs, friction, static=None):
    """A block on a bench, of which `friction` says the size over the weight, for a place and a speed; at rest
    `static`."""
    model = mbs.PlanarModel("bench", gravity=(0, -G))
    body = model.body("block", mass=MASS, inertia=1.0)
    x = model["block.x"]
    mu, rest = friction(x, mbs.speed), None if static is None else static(x)
    if rubs == "contact":
        bench, sole = mbs.Line(model.ground), mbs.Point(body)
        model.add(mbs.CoordinateFix("upright", body, "angle"))
        model.add(mbs.Contact("rub", bench, sole, friction=mu, static_friction=rest))
        return model
    guide = model.add(mbs.Translational("guide", model.ground, body))
    if rubs == "joint":
        model.add(mbs.Friction("rub", guide, mu=mu, mu_static=rest))
        return model
    held = None if rest is None else MASS * G * rest
    model.add(mbs.DryFriction("rub", mbs.displacement(guide), force=MASS * G * mu, static_force=held))
    return model


def pulses(kinds, begins, widths, heights, base):
    """The size of friction over the weight, and the same as a function of numbers (t, x, v)."""

    def law(x, speed):
        of = {"time": mbs.t, "place": x, "speed": speed}
        steps = [
            sp.Piecewise((h, (of[kind] > a) & (of[kind] < a + w)), (0.0, True))
            for kind, a, w, h in zip(kinds, begins, widths, heights, strict=True)
        ]
        return base + sp.Add(*steps)

    def size(state):
        own = dict(zip(("time", "place", "speed"), state, strict=True))
        inside = (h for kind, a, w, h in zip(kinds, begins, widths, heights, strict=True) if a < own[kind] < a + w)
        return base + sum(inside)

    return law, size


def in_pieces(kinds, begins, widths, size):
    """(x, v) at the end, from one border to the next: between two of them the deceleration is constant."""
    borders = [(kind, c) for kind, a, w in zip(kinds, begins, widths, strict=True) for c in (a, a + w)]
    t, x, v, passed = 0.0, 0.0, V, set()
    while t < LAST and v > 0.0:
        for inside in (0.0, 1e-12):  # a moment further on, all of what has been passed is behind
            a = -G * size((t + inside, x + inside * v, v - inside * 1e-3))
        waits = [(LAST - t, None), (v / -a if a < 0 else np.inf, "rest")]
        for k, (kind, c) in enumerate(borders):
            if k in passed:
                continue
            if kind == "time":
                waits.append((c - t, k))
            elif kind == "speed" and a < 0.0:
                waits.append(((v - c) / -a, k))
            elif kind == "place" and (square := v * v + 2 * a * (c - x)) >= 0.0:
                waits.append((2 * (c - x) / (v + np.sqrt(square)), k))
        wait, border = min((one for one in waits if one[0] >= 0.0), key=lambda one: one[0])
        t, x, v = t + wait, x + v * wait + a * wait * wait / 2, 0.0 if border == "rest" else v + a * wait
        if isinstance(border, int):
            passed.add(border)
    return x, v


def random_law(seed):
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 4))
    kinds = random.choice(["time", "place", "speed"], count)
    widths = 10 ** random.uniform(-6, -1.5, count)
    begins = np.where(kinds == "time", random.uniform(0.05, 0.9, count), random.uniform(0.3, 2.5, count))
    return kinds, begins, widths, random.uniform(1, 5, count) * 0.02 / widths**0.5, random.uniform(0.02, 0.15)


RANDOM = [pytest.param(k, marks=[] if k < 8 else [pytest.mark.soak]) for k in range(200)]


@pytest.mark.parametrize("seed", RANDOM)
def test_a_random_law_moves_as_its_pieces_do(seed):
    kinds, begins, widths, heights, base = random_law(seed)
    law, size = pulses(kinds, begins, widths, heights, base)
    x, v = in_pieces(kinds, begins, widths, size)
    rubs = ("measure", "joint", "contact")[seed % 3]
    coordinates = SETS[seed // 3 % 3] if rubs != "contact" else "cartesian"
    how = METHODS[seed // 2 % 4]
    run = mbs.simulate(block(rubs, law).compile(coordinates), [0, LAST], {"block.vx": V}, **how)
    assert run["block.x"][-1] == pytest.approx(x, abs=1e-8)
    assert run["block.vx"][-1] == pytest.approx(v, abs=1e-8)


LETS_GO = {
    "size": (lambda x, s: sp.Piecewise((0.1, (mbs.t > 0.3) & (mbs.t < 0.31)), (0.8, True)), 5.0),
    "force": (lambda x, s: sp.Float(0.8), sp.Piecewise((12.0, (mbs.t > 0.3) & (mbs.t < 0.31)), (5.0, True))),
}


@pytest.mark.parametrize("how", METHODS, ids=lambda how: how.get("method", "DP5"))
@pytest.mark.parametrize("rubs", ["measure", "joint", "contact"])
@pytest.mark.parametrize("opens", LETS_GO)
def test_what_sticks_is_let_go_for_a_hundredth_of_a_second(opens, rubs, how):
    """It is pushed with 5 a unit of mass and held by 8. For 10 ms it gains 4 a unit of mass, and then loses 3."""
    friction, push = LETS_GO[opens]
    model = block(rubs, friction)
    model.add(mbs.Force("push", model.bodies["block"], (MASS * push, 0)))
    run = mbs.simulate(model, [0, 0.3, 0.31, 1], **how)
    assert run["block.vx"] == pytest.approx([0, 0, 0.04, 0], abs=1e-9)
    assert run["block.x"] == pytest.approx([0, 0, 2e-4, 2e-4 + 0.04**2 / 6], abs=1e-9)
    assert run.modes["rub"].tolist() == ["sticks", "slips", "slips", "sticks"]


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
def test_a_floor_that_a_jumping_force_pulls_from_lets_go(method):
    model = mbs.PlanarModel("lift", gravity=(0, -G))
    body = model.body("block", mass=MASS, inertia=1.0)
    model.add(
        mbs.CoordinateFix("upright", body, "angle"), mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(body))
    )
    model.add(mbs.Force("rope", body, (0, sp.Piecewise((1.5 * MASS * G, mbs.t > 0.3), (0, True)))))
    run = mbs.simulate(model, [0, 0.3, 0.5], method=method)
    assert run["block.y"] == pytest.approx([0, 0, 5 * 0.2**2 / 2], abs=1e-9)
    assert run.modes["floor"].tolist() == ["closed", "open", "open"]


@pytest.mark.parametrize("coordinates", SETS)
def test_a_friction_that_jumps_with_the_speed_of_slip_holds_that_speed(coordinates):
    """Below 2 m/s friction is less than what pushes, above it is more: the block goes on with 2 m/s."""
    model = block("measure", lambda x, s: sp.Piecewise((0.1, s < 2.0), (0.9, True)))
    model.add(mbs.Force("push", model.bodies["block"], (0.5 * MASS * G, 0)))
    run = mbs.simulate(model.compile(coordinates), [0, 1, 2], {"block.vx": 1.0})
    reached = 1.0 / (0.4 * G)
    assert run["block.vx"][1:] == pytest.approx([2.0, 2.0], abs=1e-9)
    assert run["block.x"][1:] == pytest.approx(1.5 * reached + 2.0 * (run.t[1:] - reached), abs=1e-8)
    assert run["rub.friction"][-1] == pytest.approx(-0.5 * MASS * G, rel=1e-9)


@pytest.mark.parametrize("rubs", ["measure", "joint", "contact"])
def test_what_rests_on_a_wet_strip_holds_less(rubs):
    """The coefficient of rest is read where the block is: pushed with 3 a unit of mass it holds on the dry bench."""
    strip = lambda x: sp.Piecewise((0.2, x > 1), (0.4, True))  # noqa: E731
    model = block(rubs, lambda x, s: strip(x) / 2, strip)
    model.add(mbs.Force("push", model.bodies["block"], (3.0 * MASS, 0)))
    dry = mbs.simulate(model, [0, 0.5], {"block.x": 0.5})
    wet = mbs.simulate(model, [0, 0.5], {"block.x": 1.5})
    assert dry["block.x"][-1] == pytest.approx(0.5, abs=1e-12) and dry.modes["rub"][-1] == "sticks"
    assert wet["block.x"][-1] == pytest.approx(1.5 + (3.0 - 1.0) * 0.5**2 / 2, abs=1e-9)
