"""Runs in lanes are, to the last bit, the runs that each would have been alone: the same steps, tried and accepted, the
same records, whatever happens in the lanes beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import sympy as sp
from gallery import load

import mbs_dae as mbs
from mbs_dae.compiled.status import DONE
from mbs_dae.motion import run as marching
from mbs_dae.motion.lanes.engine import ALONE, JOINT, WAITING, Engine, engine
from mbs_dae.motion.record import IntegratorState
from mbs_dae.verbs.simulate import prepare

PATIENCE = 100_000


def begun(model: Any, end: float = 0.3, initial: Any = None, method: str = "DP5", **options: Any) -> IntegratorState:
    """A run that has begun, and asks nothing of Python on its way."""
    options = {"stabilization": None, **options}
    prepared = prepare(model, np.linspace(0, end, 5), initial, method=method, **options)
    assert prepared.begin() == marching.DONE
    prepared.march.noted[0] = 1
    return prepared.march


def members(model: Any, end: float, method: str, initial: Any = None, **options: Any) -> list[IntegratorState]:
    """More runs than there are lanes, of different lengths and with different steps."""
    if "step" in options:
        return [
            begun(model, end * (1 + k / 8), initial, method, step=options["step"] * (1 + k / 16)) for k in range(11)
        ]
    return [begun(model, end * (1 + k / 8), initial, method, rtol=10.0 ** (-5 - k / 4), **options) for k in range(11)]


def left_behind(march: IntegratorState) -> list[np.ndarray]:
    """All that a run tells."""
    record = march.record
    told = [record.q, record.v, record.a, record.multipliers, record.contacts, record.energies, record.modes]
    told += [record.independence, march.counts, march.time[:1], march.mechanism.machine.counts, march.widest]
    return [*told, march.turned, march.stages.y0, march.stages.k[0], march.control.step, march.mechanism.gains]


def go_on_alone(march: IntegratorState) -> int:
    status = marching.EVENT
    while status == marching.EVENT:
        status = marching.go_on(march, PATIENCE)
    return status


def go_on_together(lanes: Engine) -> None:
    while lanes.go_on(PATIENCE):
        pass
    for run in np.flatnonzero(lanes.status == marching.EVENT):
        lanes.resume(int(run))
    if WAITING in lanes.status:
        go_on_together(lanes)


def check_alike(lanes: Engine, alone: Sequence[IntegratorState], statuses: Sequence[int]) -> None:
    assert lanes.status.tolist() == list(statuses)
    for together, march in zip(lanes.marches, alone, strict=True):
        for one, other in zip(left_behind(together), left_behind(march), strict=True):
            np.testing.assert_array_equal(one, other)


def check(*case: Any, **options: Any) -> np.ndarray:
    """How many steps were made together, and how many alone."""
    lanes, alone = engine(members(*case, **options)), members(*case, **options)
    assert lanes is not None
    go_on_together(lanes)
    check_alike(lanes, alone, [go_on_alone(march) for march in alone])
    return lanes.queue.steps


def slider_crank(**parameters: float) -> mbs.PlanarModel:
    return load("slider_crank").build(**parameters).without("motor")


def pulled(law: Any) -> mbs.PlanarModel:
    """A double pendulum that a force pulls by a law of its motion."""
    model = mbs.PlanarModel("pulled", gravity=(0.0, -9.81))
    upper, lower = model.link("upper", (0, 0), (1, 0), mass=1.0), model.link("lower", (1, 0), (1.5, 0.9), mass=2.0)
    model.add(mbs.Revolute("A", model.ground, upper.tail), mbs.Revolute("B", upper.head, lower.tail))
    model.add(mbs.Force("pull", lower.head, (law(model["lower.angle"], model["lower.omega"]), 0)))
    return model


CASES = {
    "a slider-crank": (slider_crank(), 0.3, "DP8", {"crank.omega": 10.0}),
    "of another method": (slider_crank(), 0.3, "DP5", {"crank.omega": 10.0}),
    "a spring": (load("four_bar_with_spring").build(), 0.3, "DP8"),
    "in space": (load("rssr").build().without("motor"), 0.2, "DP8"),
    "natural coordinates": (load("n_four_bar").build(2).compile("natural"), 0.5, "DP8", {"crank0.omega": -1.0}),
    "states and inputs": (load("dc_motor_crank").build(), 0.02, "DP8"),
    "a singular pose": (load("n_four_bar").build(1), 3.0, "DP8", {"crank0.omega": -1.0}),
    "a law that switches": (pulled(lambda angle, omega: -5 * sp.sign(omega) + sp.cos(3 * angle)), 0.5, "DP5"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_runs_in_lanes_are_those_alone(case):
    steps = check(*case)
    assert steps[JOINT] > 5 * steps[ALONE]


@pytest.mark.parametrize(
    "how", [mbs.Projection(), mbs.Unstabilized(), mbs.Baumgarte(20)], ids=lambda x: type(x).__name__
)
def test_whatever_stabilises_them(how):
    check(slider_crank(), 0.2, "DP5", {"crank.omega": 10.0}, stabilization=how)


def test_steps_of_one_length():
    assert check(slider_crank(), 0.2, "RK4", {"crank.omega": 10.0}, step=1e-3)[ALONE] == 0


def test_contacts_make_their_steps_alone():
    ball = load("bouncing_ball").build()
    assert check(ball, 0.6, "DP5")[JOINT] > 0


def test_runs_that_are_resumed_while_others_go_on():
    """They wait for a lane that is free: none of a run that has one."""
    case = (slider_crank(), 0.2, "DP5", {"crank.omega": 10.0})
    lanes, alone = engine(members(*case)), members(*case)
    for march in (*lanes.marches, *alone):
        march.noted[0] = 0  # each is told of its last step, and leaves its lane
    while lanes.go_on(PATIENCE, leaving=1) or marching.CUT_SHORT in lanes.status:
        for run in np.flatnonzero(lanes.status == marching.CUT_SHORT):
            lanes.resume(int(run))
    for march in alone:
        assert (go_on_alone(march), go_on_alone(march)) == (marching.CUT_SHORT, DONE)
    check_alike(lanes, alone, [DONE] * len(alone))


def poisoned(march: IntegratorState) -> IntegratorState:
    march.mechanism.dynamics.batch.parameters[:] = np.nan
    return march


def test_a_poisoned_member_does_not_change_its_neighbours():
    model = slider_crank()
    model.compile()  # its variations share what they have in common with it

    def runs() -> list[IntegratorState]:
        designs = [model.with_parameters(r=0.08 + 0.004 * k) for k in range(10)]
        good = [begun(design, 0.3, {"crank.omega": 10.0}, rtol=1e-7) for design in designs]
        stiff = begun(model, 0.3, {"crank.omega": 10.0}, rtol=1e-7, max_step=1e-4)
        return [*good[:2], poisoned(good[2]), stiff, *good[3:]]

    lanes, alone = engine(runs()), runs()
    statuses = [go_on_alone(march) for march in alone]
    assert statuses[2] not in (marching.DONE, marching.PAUSED)
    assert alone[3].counts[marching.ACCEPTED] > 50 * alone[4].counts[marching.ACCEPTED]
    go_on_together(lanes)
    check_alike(lanes, alone, statuses)


def test_a_run_makes_room_for_the_next_one():
    marches = members(slider_crank(), 0.3, "DP8", {"crank.omega": 10.0})
    lanes = engine(marches)
    assert lanes.go_on(PATIENCE, leaving=1)
    assert (lanes.status == marching.DONE).sum() >= 1
    assert (lanes.queue.lane >= 0).all()
    assert lanes.go_on(1)
    assert set(lanes.queue.lane.tolist()) >= {8}


def test_what_is_not_made_in_lanes():
    joints = slider_crank().compile("joint")
    assert engine([begun(joints, 0.1, {"crank.omega": 1.0})]) is None
    assert engine([begun(slider_crank(), 0.1, {"crank.omega": 1.0}, method="Radau5")]) is None
    with pytest.raises(ValueError, match="of one structure"):
        engine([begun(slider_crank(), 0.1, {"crank.omega": 1.0}), begun(pulled(sp.Add), 0.1)])
