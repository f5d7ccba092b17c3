"""A motor whose current builds up until it breaks away from dry friction, by every method, against closed forms."""

from math import exp

import numpy as np
import pytest
from scipy.optimize import brentq

import mbs_dae as mbs

CASES = 60
SAMPLE = range(0, CASES, 12)


def motor(random):
    """di/dt = k (s t - i), a torque c i on a rotor in a dry bearing."""
    k, slope, constant = 10 ** random.uniform(2.5, 4.5), 10 ** random.uniform(2, 3.5), random.uniform(0.5, 2)
    inertia, friction, end = 10 ** random.uniform(-4, -2), random.uniform(0.1, 1.0), 0.01
    model = mbs.PlanarModel("motor")
    pin = model.add(mbs.Revolute("pin", model.ground, model.body("rotor", 1.0, inertia)))
    current = model.state("current", rate=lambda current: k * (slope * mbs.t - current))
    model.add(mbs.Torque("torque", pin, constant * current))
    rub = model.add(mbs.DryFriction("bearing", mbs.angle(pin), force=friction))
    model.add(mbs.Event("starts", rub.slips))

    def i(t):
        return slope * (t - (1 - exp(-k * t)) / k)

    def charge(t):
        return slope * (t * t / 2 - t / k + (1 - exp(-k * t)) / k**2)

    start = brentq(lambda t: constant * i(t) - friction, 0, end, xtol=1e-16) if constant * i(end) > friction else None
    omega = 0.0
    if start is not None:
        omega = (constant * (charge(end) - charge(start)) - friction * (end - start)) / inertia
    return model, end, start, omega


@pytest.mark.parametrize("method", ["DP5", "Radau5"])
@pytest.mark.parametrize("k", [pytest.param(k, marks=[] if k in SAMPLE else [pytest.mark.soak]) for k in range(CASES)])
def test_a_motor_breaks_away_when_its_torque_is_enough(k, method):
    model, end, start, omega = motor(np.random.default_rng(k))
    for rtol in (1e-4, 1e-6, 1e-8):
        run = mbs.simulate(model, [0, end], method=method, rtol=rtol)
        changes = [(c.before, c.after) for c in run.transitions]
        assert changes == ([("sticks", "slips")] if start is not None else [])
        assert [e.t for e in run.events] == [c.t for c in run.transitions]
        if start is not None:
            assert run.events[0].t == pytest.approx(start, rel=30 * rtol)
        assert run["rotor.omega"][-1] == pytest.approx(omega, rel=100 * rtol, abs=1e-12)
