"""What every method, stabilisation and coordinate set keeps to, because it is registered."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs
from mbs_dae.coordinates import SETS
from mbs_dae.motion.methods import METHODS
from mbs_dae.motion.run import go_on
from mbs_dae.motion.stabilise import STABILIZATIONS
from mbs_dae.verbs.simulate import prepare


def pendulum():
    model = mbs.PlanarModel("pendulum", gravity=(0.0, -9.81))
    bar = model.link("bar", (0, 0), (np.sin(0.5), -np.cos(0.5)), mass=1.0)
    model.add(mbs.Revolute("pin", model.ground, bar.tail))
    return model


def settings(method, step=0.02):
    return {"method": method, "step": step} if not METHODS[method].is_controlled else {"method": method}


@pytest.mark.parametrize("method", METHODS)
def test_a_method_has_the_order_that_it_tells(method):
    """The end of half a second in steps of one length, compared with steps of a quarter of it."""
    system, steps = pendulum().compile("joint"), (0.125, 0.0625)
    ends = [mbs.simulate(system, [0, 0.5], method=method, step=h)["bar.angle"][-1] for h in (*steps, 0.5 / 64)]
    coarse, fine = abs(np.array(ends[:2]) - mbs.simulate(system, [0, 0.5], method="DP8", rtol=1e-13)["bar.angle"][-1])
    assert ends[2] == pytest.approx(ends[1], abs=1e-3 if METHODS[method].order > 2 else 1e-2)
    assert np.log2(coarse / fine) > METHODS[method].order - 0.7 or coarse < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_pauses_goes_on_to_the_same_bits(method):
    times = np.linspace(0, 1, 7)
    whole, piecewise = (prepare(pendulum(), times, **settings(method)) for _ in range(2))
    for prepared, patience in ((whole, 10**6), (piecewise, 1)):
        prepared.begin()
        while prepared.march.counts[2] < times.size:
            go_on(prepared.march, patience)
    assert whole.march.record.q.tobytes() == piecewise.march.record.q.tobytes()
    assert whole.march.record.a.tobytes() == piecewise.march.record.a.tobytes()


@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_begins_again_has_the_same_bits(method):
    prepared, found = prepare(pendulum(), [0.0, 0.3, 1.0], **settings(method)), []
    for _ in range(2):
        prepared.begin()
        go_on(prepared.march, 10**6)
        found.append((prepared.march.record.q.tobytes(), prepared.march.counts.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("how", STABILIZATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_constraints_and_energy_are_kept(method, how, coordinates):
    res = mbs.simulate(pendulum().compile(coordinates), [0, 0.3, 1], stabilization=how, **settings(method, 0.01))
    first = 1e-3 if how is mbs.Projection else 0.1  # else time stepping leaves its own error
    allowed = first if METHODS[method].steps_over else {2: 1e-5}.get(METHODS[method].order, 1e-6)
    assert res.violation.position.max() < allowed and res.violation.velocity.max() < allowed
    assert np.abs(res.energy.error).max() < allowed


def test_unknown_names_are_told_those_that_are_known():
    model = pendulum()
    with refused("unknown-choice", argument="method", value="Euler", mentions=["RK4", "DP5", "DP8"]):
        mbs.simulate(model, [0, 1], method="Euler")
    with refused("unknown-choice", argument="stabilization", value="none"):
        mbs.simulate(model, [0, 1], stabilization="none")
    with refused("unknown-name", owner="this version", kind="coordinate set"):
        model.compile("polar")
