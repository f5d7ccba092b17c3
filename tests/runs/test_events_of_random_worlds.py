"""Events and changes of contacts of worlds at random: the same list in all coordinate sets, each once."""

from math import cos, pi, sin

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

g = 9.81
WORLDS = 100
SAMPLE = range(0, WORLDS, 17)


def belt(random):
    """A block on a belt, held by a spring, under a force that swings."""
    model = mbs.PlanarModel("belt", gravity=(0, -g))
    block = model.body("block", mass=random.uniform(0.5, 2.0), inertia=0.01)
    moving = model.body("belt", mass=1.0, inertia=1.0)
    speed = random.uniform(0.05, 0.3)
    model.add(mbs.Translational("rollers", model.ground, moving), mbs.Driver("motor", mbs.x(moving), speed * mbs.t))
    mu = random.uniform(0.1, 0.4)
    rub = mbs.Contact("rub", mbs.Line(moving), mbs.Point(block), friction=mu, static_friction=mu * random.uniform(1, 2))
    model.add(rub)
    model.add(mbs.Spring("spring", model.ground.at(-1, 0), block, random.uniform(50, 200), length=1.0))
    model.add(mbs.Event("slip", model["rub.slip"]), mbs.Event("speed", model["block.vx"]))
    return model, {"block.vx": speed * random.uniform(0, 1), "block.vy": 0.0}, rub, 1.5


def hinge(random):
    """A rod that swings to rest in a dry hinge."""
    model = mbs.PlanarModel("hinge", gravity=(0, -g))
    length = random.uniform(0.3, 0.6)
    rod = model.body("rod", 2.0, random.uniform(0.05, 0.2), com=(0, -length), angle=random.uniform(-2.5, -1))
    pin = model.add(mbs.Revolute("pin", model.ground, rod))
    rub = model.add(mbs.DryFriction("rub", mbs.angle(pin), force=random.uniform(1.5, 3)))
    model.add(mbs.Event("turns", model["rod.omega"]), mbs.Event("low", model["rod.angle"]))
    return model, {"rod.omega": 0.0}, rub, 6.0


def lane(random):
    """A disk that is thrown up or down a plane, and turns."""
    slope, radius, mass = random.uniform(-0.2, 0.2), random.uniform(0.1, 0.3), random.uniform(1, 3)
    model = mbs.PlanarModel("lane", gravity=(g * sin(slope), -g * cos(slope)))
    disk = model.body("disk", mass, mass * radius**2 * random.uniform(0.4, 0.9), position=(0, radius))
    rub = model.add(
        mbs.Contact("rub", mbs.Line(model.ground), mbs.Disk(disk, radius), friction=random.uniform(0.2, 0.5))
    )
    model.add(
        mbs.Event("rolls", model["rub.slip"]), mbs.Event("gap", model["rub.gap"]), mbs.Event("back", model["disk.vx"])
    )
    start = {"disk.vx": random.uniform(-3, 3), "disk.vy": 0.0, "disk.omega": random.uniform(-20, 20)}
    return model, start, rub, 2.0


def ball(random):
    """A ball that bounces to rest on rough ground."""
    model = mbs.PlanarModel("ball", gravity=(0, -g))
    body = model.body("ball", 1.0, random.uniform(0.001, 0.01), position=(0, 0.1 + random.uniform(0.3, 1)))
    rub = mbs.Contact(
        "rub", mbs.Line(model.ground), mbs.Disk(body, 0.1), friction=random.uniform(0.1, 0.4),
        restitution=random.uniform(0.1, 0.5),
    )  # fmt: skip
    model.add(rub)
    model.add(
        mbs.Event("top", model["ball.vy"], direction=-1), mbs.Event("slip", model["rub.slip"]),
        mbs.Event("rate", model["rub.gap_rate"]),
    )  # fmt: skip
    return model, {"ball.vx": random.uniform(0.5, 2), "ball.vy": 0.0, "ball.omega": 0.0}, rub, 2.0


def incline(random):
    """A block that is thrown up an incline and is held there, or slides back."""
    slope = random.uniform(0.2, 0.6)
    model = mbs.PlanarModel("incline", gravity=(0, -g))
    block = model.body("block", 3.0, 0.01, angle=slope)
    mu = random.uniform(0.1, 0.5)
    plane = mbs.Line(model.ground.at(0, 0, angle=slope))
    rub = model.add(mbs.Contact("rub", plane, mbs.Point(block), friction=mu, static_friction=1.3 * mu))
    model.add(mbs.Event("slip", model["rub.slip"]), mbs.Event("rate", -2 * model["rub.gap_rate"]))
    speed = random.uniform(1, 5)
    return model, {"block.vx": speed * cos(slope), "block.vy": speed * sin(slope), "block.omega": 0.0}, rub, 1.5


def carriage(random):
    """A mass on a dry slide with a spring, under a force that swings, from rest."""
    model = mbs.PlanarModel("carriage")
    block = model.body("block", mass=1.0, inertia=0.01)
    slide = model.add(mbs.Translational("guide", model.ground, block))
    push, w = random.uniform(3, 8), random.uniform(2, 5) * pi
    rub = model.add(mbs.DryFriction("rub", mbs.displacement(slide), force=random.uniform(1, 3)))
    model.add(mbs.Force("push", block, (push * sp.sin(w * mbs.t) - 30 * model["block.x"], 0)))
    model.add(mbs.Event("speed", model["block.vx"]), mbs.Event("middle", model["block.x"] - 1e-3))
    return model, {"block.vx": 0.0}, rub, 2.0


KINDS = (belt, hinge, lane, ball, incline, carriage)


@pytest.mark.parametrize("k", [pytest.param(k, marks=[] if k in SAMPLE else [pytest.mark.soak]) for k in range(WORLDS)])
def test_events_and_changes_are_the_same_in_all_sets(k):
    make, lists = KINDS[k % len(KINDS)], []
    for coordinates in ("cartesian", "natural", "joint"):
        model, start, rub, end = make(np.random.default_rng(k))
        model.add(mbs.Event("sticks", rub.sticks), mbs.Event("slips", rub.slips))
        run = mbs.simulate(model.compile(coordinates), [0, end], start, rtol=1e-11)
        plain = mbs.simulate(
            model.without(*(e.name for e in model.events)).compile(coordinates), [0, end], start, rtol=1e-11
        )
        assert np.array_equal(run.q, plain.q) and np.array_equal(run.v, plain.v)
        assert [(c.t, c.before, c.after) for c in run.transitions] == [
            (c.t, c.before, c.after) for c in plain.transitions
        ]
        for change in ("sticks", "slips"):
            told = [c.t for c in run.transitions if c.after == change]
            assert [e.t for e in run.events if e.name == change] == told
        events = sorted((e.name, e.t) for e in run.events)
        lists.append((events, [(f"{c.before} {c.after}", c.t) for c in run.transitions], rest_of(run)))
    for other in lists[1:]:
        for own, theirs in zip(lists[0], other, strict=True):
            assert [name for name, _ in own] == [name for name, _ in theirs]
            np.testing.assert_allclose([t for _, t in own], [t for _, t in theirs], atol=1e-8, rtol=0)


def rest_of(run):
    """When each impact was, and when impacts without end were over."""
    return [("impact", i.t) for i in run.impacts] + [("rests", i.rests) for i in run.impacts if i.rests]
