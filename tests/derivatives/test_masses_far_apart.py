"""Derivatives of runs in which a body presses on one of a mass far from its own: forces are corrected with twice the
digits, and derivatives come from the steps as elsewhere."""

import numpy as np
import pytest
from test_contacts_ahead_and_back import check_back
from test_events_from_steps import from_steps
from test_runs_that_switch import extrapolated

import mbs_dae as mbs

READ = ["below.x", "above.x", "below.vx", "above.vx", "above.y"]
TIMES = [0.0, 0.1, 0.2, 0.4]


def stack(light: float, heavy: float) -> mbs.PlanarModel:
    """A block slides on another one, which slides on a floor and is drawn back by a spring."""
    model = mbs.PlanarModel("stack", gravity=(0, -10))
    m, M, k = model.parameter("m", light), model.parameter("M", heavy), model.parameter("k", 3.0)
    below, above = model.body("below", mass=m, inertia=0.1 * m), model.body("above", mass=M, inertia=0.1 * M)
    slip = lambda i, j: j.velocity[0] - i.velocity[0]  # noqa: E731
    floor, deck = ("floor", (model.ground, below), 0.0, 0.3, 0.5), ("deck", (below, above), 0.1, 0.2, 0.4)
    for name, pair, up, friction, back in (floor, deck):
        laws = {"friction": model.parameter(f"mu_{name}", friction), "restitution": back}
        model.add(mbs.Contact(name, *pair, gap=lambda i, j, up=up: j.y - i.y - up, slip=slip, **laws))
        model.add(mbs.Driver(f"upright {name}", mbs.angle(pair[1]), 0.0))
    model.add(mbs.Force("spring", below, (-k * m * model["below.x"], 0)))
    return model


@pytest.mark.parametrize("drop", [0.0, 0.02], ids=["closed", "dropped"])
@pytest.mark.parametrize(("masses", "close"), [((1e6, 1.0), 1e-12), ((1.0, 1e-8), 1e-6)], ids=str)
def test_a_light_block_on_a_heavy_one(masses, close, drop):
    """A light mass changes the motion by next to nothing, so that its derivative has fewer digits."""
    model = stack(*masses)
    start = {"below.x": 0.0, "below.y": 0.0, "above.x": 0.0, "above.y": 0.1 + drop, "below.vx": 1.0, "above.vx": 2.0}
    by = ["m", "M", "mu_floor", "mu_deck", "k", "below.vx"]
    run = mbs.simulate(model, TIMES, start, derivatives=by, rtol=1e-11)
    assert from_steps(run) and (len(run.impacts) > 5) == (drop > 0.0)
    for one in by:
        known = one in model.parameters
        value = float(model.parameters[one].value) if known else start[one]

        def beside(p, one=one, known=known):
            other = model.with_parameters(**{one: p}) if known else model
            made = mbs.simulate(other, TIMES, start if known else start | {one: p}, rtol=1e-12)
            return np.concatenate([made[name] for name in READ])

        wanted = value * extrapolated(beside, value, 1e-4 * value)
        found = value * np.concatenate([run.d(name, one) for name in READ])
        assert np.abs(found - wanted).max() < 1e-9, one
    check_back(run, READ, close)
