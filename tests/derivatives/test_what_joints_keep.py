"""Derivatives of runs with contacts that joints alone keep: they are those of the model without these contacts, exact
in every step, ahead and back."""

import numpy as np
import pytest
from covering import covering
from test_contacts_ahead_and_back import check_back
from test_events_from_steps import from_steps
from what_joints_keep import MODELS, dead_point, guided, wheels

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 6)
CASES = [
    pytest.param(name, coordinates, method, id=f"{name}, {coordinates}, {method}")
    for name in MODELS for coordinates in ("cartesian", "natural", "joint") for method in ("DP5", "DP8", "Radau5")
]  # fmt: skip
READ = ("x", "y", "vx", "vy", "omega", "wy")


def check_same(kept: mbs.Result, other: mbs.Result, close: float = 1e-12) -> None:
    """Both runs come from their steps, and all they share of the motions of bodies has the same derivatives."""
    assert from_steps(kept) and kept.varied.variables.names == other.varied.variables.names
    names = [name for name in other.names if name.rpartition(".")[2] in READ]
    for by in other.varied.variables.names:
        for name in names:
            assert kept.d(name, by) == pytest.approx(other.d(name, by), abs=close), (name, by)
    check_back(kept, names)


@pytest.mark.parametrize(("name", "coordinates", "method"), covering(CASES, lambda one: one.values))
def test_a_contact_that_joints_keep_closed_changes_no_derivative(name, coordinates, method):
    model, start = MODELS[name]()
    by = ["gravity.z" if name == "wheel" else "gravity.y", f"{next(iter(model.bodies))}.mass"]
    by += ["frame.vx", "ball.wy"] if name == "wheel" else []
    how = {"derivatives": by, "rtol": 1e-10, "method": method}
    kept = mbs.simulate(model.compile(coordinates), TIMES, start, **how)
    assert {*np.ravel(kept.modes["touch"])} >= {"kept"}
    check_same(kept, mbs.simulate(model.without("touch").compile(coordinates), TIMES, start, **how))


def test_a_pendulum_that_carries_wheels_which_touch_strikes_a_stop():
    model, start = wheels()
    model.add(mbs.Stop("stop", mbs.angle(model.ground, model.bodies["arm"]), lower=-2.0, restitution=0.4))
    how = {"derivatives": ["gravity.y", "small.mass", "stop.restitution"], "rtol": 1e-11}
    kept = mbs.simulate(model, TIMES, start, **how)
    assert len(kept.impacts) == 1
    check_same(kept, mbs.simulate(model.without("touch"), TIMES, start, **how))


def test_a_body_in_an_upright_guide_bounces_on_a_floor_with_friction():
    """Its guide takes what pushes it aside, so that friction changes nothing."""
    by = ["gravity.y", "b.mass", "floor.restitution", "b.y"]
    runs = [
        mbs.simulate(guided(restitution=0.5, friction=mu), [0, 0.2, 0.5], {"b.y": 0.1}, derivatives=by, rtol=1e-11)
        for mu in (0.4, 0.0)
    ]
    assert len(runs[0].impacts) == len(runs[1].impacts) > 2
    check_same(*runs)


def test_the_floor_under_a_guided_body_that_has_landed_carries_its_weight():
    run = mbs.simulate(guided(), [0, 0.5], derivatives=["b.mass", "gravity.y"], rtol=1e-11)
    assert run.modes["floor"][-1] == "sticks" and from_steps(run)
    assert run["floor.force"] == pytest.approx([0.0, 19.62], abs=1e-12)
    assert run.d("floor.force", "b.mass") == pytest.approx([0.0, 9.81], abs=1e-12)
    assert run.d("floor.force", "gravity.y") == pytest.approx([0.0, -2.0], abs=1e-12)


def test_a_slider_leaves_a_dead_point_at_a_stop():
    """The stop touches the slider at the first instant alone."""
    how = {"derivatives": ["gravity.y", "rod.mass"], "rtol": 1e-10}
    model = dead_point()
    run = mbs.simulate(model, TIMES / 10, **how)
    assert "'stop'" in run.message
    check_same(run, mbs.simulate(model.without("stop"), TIMES / 10, **how), 1e-8)
