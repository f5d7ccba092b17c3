"""The requested times are read from a motion; they do not make it."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.explain import accuracy
from mbs_dae.motion import run as marching
from mbs_dae.verbs.simulate import prepare

SPAN = 2.0
GRIDS = [np.linspace(0, SPAN, n) for n in (21, 401)] + [np.array([0, 0.1234, 0.5, 1.9999999, SPAN])]


def pendulum() -> mbs.PlanarModel:
    """Two links, the lower one pushed by a force that switches."""
    model = mbs.PlanarModel("double pendulum", gravity=(0.0, -9.81))
    upper, lower = model.link("upper", (0, 0), (1, 0), mass=1.0), model.link("lower", (1, 0), (2, 0), mass=1.0)
    model.add(mbs.Revolute("A", model.ground, upper.tail), mbs.Revolute("B", upper.head, lower.tail))
    model.add(mbs.Torque("push", lower, sp.Piecewise((0, mbs.t < 0.7), (20 * sp.cos(9 * mbs.t), True))))
    return model


def cranks() -> mbs.PlanarModel:
    """Three parallel cranks on one coupler: one equation is redundant, and which one is left out changes on the way."""
    model = mbs.PlanarModel("three cranks", gravity=(0.0, -9.81))
    tip = np.array([np.cos(1.2), np.sin(1.2)])
    bars = [model.link(f"crank{k}", (k, 0), (k + tip[0], tip[1]), mass=1.0) for k in range(3)]
    coupler = model.body("coupler", mass=1.0, inertia=1.0, position=tuple(tip))
    for k, bar in enumerate(bars):
        model.add(mbs.Revolute(f"A{k}", model.ground.at(k, 0), bar.tail))
        model.add(mbs.Revolute(f"B{k}", bar.head, coupler.at(k, 0)))
    return model


MODELS = {"pendulum": (pendulum, {}), "cranks": (cranks, {"crank0.omega": -5.0})}
WAYS = [
    {"method": "DP5", "stabilization": mbs.Baumgarte()},
    {"method": "DP8", "stabilization": mbs.Projection()},
    {"method": "DP5", "stabilization": mbs.Projection(), "rtol": 1e-5},
    {"method": "Radau5", "stabilization": mbs.Projection(), "rtol": 1e-6},
    {"method": "GA", "stabilization": mbs.Baumgarte(), "rtol": 1e-5},
    {"method": "RK4", "stabilization": mbs.Projection(), "step": 0.003},
]


def told(way: dict) -> str:
    return f"{way['method']} {type(way['stabilization']).__name__} {way.get('rtol', '')}"


@pytest.mark.parametrize("way", WAYS, ids=told)
@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
@pytest.mark.parametrize("name", MODELS)
def test_requested_times_change_no_bit_of_the_motion(name, coordinates, way):
    build, initial = MODELS[name]
    system = build().compile(coordinates)
    bare = mbs.simulate(system, [0, SPAN], initial, **way)
    for grid in GRIDS:
        run = mbs.simulate(system, grid, initial, **way)
        assert [run.stats[k] for k in ("accepted", "rejected")] == [bare.stats[k] for k in ("accepted", "rejected")]
        for level in ("q", "v", "a"):
            assert np.array_equal(getattr(run, level)[-1], getattr(bare, level)[-1])


def test_steps_of_one_length_end_where_they_do_whatever_is_asked_for():
    """Read between steps by the cubic through both ends, which is as exact as the method."""
    errors = []
    for count in (101, 76):  # on the ends of steps, and mostly between them
        run = mbs.simulate(pendulum(), np.linspace(0, 1, count), method="RK4", step=0.01)
        exact = mbs.simulate(pendulum(), run.t, method="DP8", rtol=1e-12)
        assert run.stats["accepted"] == 100
        errors.append(np.abs(run["lower.x"] - exact["lower.x"]).max())
    assert errors[1] < 1.5 * errors[0]


@pytest.mark.parametrize("name", MODELS)
def test_a_rejected_step_leaves_no_trace(name):
    build, initial = MODELS[name]
    prepared = prepare(build(), [0, SPAN], initial, method="DP8", rtol=1e-8, stabilization=mbs.Projection())
    prepared.begin()
    march, rejections = prepared.march, 0
    mechanism = march.mechanism
    clock = (march.time, march.widest, march.turned)
    state = (march.stages.y0, march.stages.k[0], mechanism.machine.factor.kept, mechanism.nearness, *clock)
    while march.counts[marching.NEXT] < 2:
        before, rejected = [x.copy() for x in state], march.counts[marching.REJECTED]
        assert marching.go_on(march, 1) in (0, marching.PAUSED, marching.CUT_SHORT)
        if march.counts[marching.REJECTED] > rejected:
            rejections += 1
            assert all(np.array_equal(a, b) for a, b in zip(before, state, strict=True))
    assert rejections > 0


def test_a_prescribed_motion_whose_ledger_is_off_is_an_error(monkeypatch):
    """As it would be if a jump of velocity were not seen: the impulse does work that no force accounts for."""
    monkeypatch.setattr(import_module("mbs_dae.verbs.kinematics"), "check_jumps", lambda first, last: {})
    model = mbs.PlanarModel("arm")
    arm = model.body("arm", mass=1.0, inertia=1.0)
    law = sp.Piecewise((0, mbs.t < 0.3), (10 * (mbs.t - 0.3), True))
    model.add(mbs.Revolute("pin", model.ground, arm), mbs.Driver("motor", mbs.angle(model.ground, arm), law))
    with refused("energy-off", mbs.IntegrationError) as caught:
        mbs.inverse_dynamics(model, np.linspace(0, 1, 101))
    assert len(caught.value.result) == 101 and not caught.value.result.success


RECORDS = {
    "ENERGY": (pendulum, {}, ("energy-off", "double pendulum")),
    "CONSTRAINTS": (cranks, {"crank0.omega": -5.0}, ("constraints-violated",)),
}


@pytest.mark.parametrize("what", RECORDS)
def test_a_record_out_of_proportion_to_its_tolerances_is_an_error(monkeypatch, what):
    """What is a healthy run by the calibrated bounds is none by bounds of which they are a billion times."""
    build, initial, words = RECORDS[what]
    mbs.simulate(build(), [0, 10], initial)
    monkeypatch.setattr(accuracy, what, 1e-9 * getattr(accuracy, what))
    with refused(words[0], mbs.IntegrationError, mentions=words[1:]) as caught:
        mbs.simulate(build(), [0, 1, 10], initial)
    assert len(caught.value.result) == 3 and not caught.value.result.success
