"""Mechanisms that nothing couples move in one model as each does alone: what friction holds at a dead centre rests
beside bodies that move, and contacts change at the same times."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

G, SETS, EXACT = 9.81, ("cartesian", "natural", "joint"), {"rtol": 1e-10, "atol": 1e-12}


def add_door(model: mbs.PlanarModel, name: str, push, x: float = 0.0, mu: float = 0.1) -> None:
    """A shut door of 41 kg: the foot in an upright guide, pressed by 1000 N, the top in a level guide. Without the
    friction at the foot that at the top holds up to μ W = 40.2 N, with it up to μ (W + μ 1000 N) = 50.2 N."""
    leaf = model.link(f"{name}leaf", (x, 0), (x, 2), mass=40)
    foot, top = (model.body(f"{name}{end}", mass=0.5, position=(x, y)) for end, y in (("foot", 0), ("top", 2)))
    upright = mbs.Translational(f"{name}upright", model.ground, foot, at=(x, 0), axis=(0, 1))
    level = mbs.Translational(f"{name}level", model.ground, top, at=(x, 2), axis=(1, 0))
    model.add(mbs.Revolute(f"{name}P", leaf.tail, foot), mbs.Revolute(f"{name}Q", leaf.head, top), upright, level)
    model.add(mbs.Friction(f"{name}below", upright, mu=mu), mbs.Friction(f"{name}above", level, mu=mu))
    model.add(mbs.Force(f"{name}hand", leaf.tail, (-1000, 0)), mbs.Force(f"{name}push", top, (push, 0)))


def add_flight(model: mbs.PlanarModel) -> None:
    ball = model.body("ball", mass=1, inertia=0.1, position=(5, 0))
    model.add(mbs.Force("wind", ball, (30, 0)), mbs.Torque("spin", ball, 4.0))


def add_pendulum(model: mbs.PlanarModel) -> None:
    model.add(mbs.Revolute("O", model.ground.at(8, 0), model.link("arm", (8, 0), (9, 0), mass=1).tail))


def add_driven_crank(model: mbs.PlanarModel) -> None:
    crank = model.link("wheel", (8, 0), (9, 0), mass=1)
    model.add(mbs.Revolute("O", model.ground.at(8, 0), crank.tail))
    model.add(mbs.Driver("motor", mbs.angle(model.ground, crank), 3 * mbs.t))


def add_block(model: mbs.PlanarModel) -> None:
    """A block is shaken: it sticks, slips and stops in turn."""
    block = model.body("block", mass=1, inertia=0.1, position=(8, 0))
    rail = mbs.Translational("rail", model.ground, block, at=(8, 0), axis=(1, 0))
    model.add(rail, mbs.Friction("skid", rail, mu=0.3), mbs.Force("draw", block, (6 * sp.sin(5 * mbs.t), 0)))


OTHERS = [add_flight, add_pendulum, add_driven_crank, add_block]


@pytest.mark.parametrize("method", ["DP5", "Radau5", "GA"])
@pytest.mark.parametrize("coordinates", SETS)
def test_a_door_that_friction_holds_rests_beside_what_moves(coordinates, method):
    """Pushed to and fro within what friction holds, it does not move, whatever else is in the model."""
    for add_other in OTHERS if method == "DP5" else OTHERS[:2]:
        model = mbs.PlanarModel("door", gravity=(0, -G))
        add_door(model, "", 45 * sp.sin(3 * mbs.t))
        add_other(model)
        run = mbs.simulate(model.compile(coordinates), np.linspace(0, 2.5, 26), method=method, rtol=1e-8)
        assert np.abs(run["top.x"]).max() < 1e-12 and np.abs(run["leaf.angle"] - np.pi / 2).max() < 1e-12
        assert set(run.modes["below"]) == set(run.modes["above"]) == {"sticks"}, add_other


def changes(run: mbs.Result, names: set[str]) -> list[tuple[float, str, str, str]]:
    return [(one.t, one.contact, one.before, one.after) for one in run.transitions if one.contact in names]


@pytest.mark.parametrize("coordinates", SETS)
def test_contacts_of_a_union_change_as_those_of_its_parts(coordinates):
    """Two doors let go at times of their own, and a block stops and is drawn away."""
    parts = [
        lambda model: add_door(model, "a", 30 * mbs.t),
        lambda model: add_door(model, "b", 50 * mbs.t, x=-9.0),
        add_block,
        add_flight,
    ]
    times = np.linspace(0, 1.8, 10)

    def run_of(adders) -> mbs.Result:
        model = mbs.PlanarModel("union", gravity=(0, -G))
        for add in adders:
            add(model)
        return mbs.simulate(model.compile(coordinates), times, **EXACT)

    union, found = run_of(parts), 0
    for add in parts[:3]:
        alone = run_of([add])
        names = {one.contact for one in alone.transitions}
        one, other = changes(alone, names), changes(union, names)
        assert [x[1:] for x in one] == [x[1:] for x in other]
        np.testing.assert_allclose([x[0] for x in other], [x[0] for x in one], rtol=0, atol=1e-8)
        found += len(one)
    assert found == len(union.transitions) > 4
