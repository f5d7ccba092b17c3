"""What holds for every run, whatever it computes: pauses, restarts, files, and that nothing is wrong in silence."""

from importlib import import_module

import numpy as np
import pytest
import sympy as sp
from helpers import double_pendulum, three_cranks
from refusals import refused

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 51)


def block(*forces):
    """A block on a guide, one metre from the origin."""
    model = mbs.PlanarModel("block", gravity=(0, -9.81))
    body = model.body("block", mass=1, inertia=0.1, position=(1, 0))
    model.add(mbs.Translational("guide", model.ground, body))
    for force in forces:
        model.add(force(model, body))
    return model


def driven(*forces):
    model = block(*forces)
    model.add(mbs.Driver("push", mbs.displacement(model.elements["guide"]), 1 + mbs.t))
    return model


@pytest.mark.parametrize("options", [{"rtol": 1e-6}, {"method": "DP8"}, {"method": "RK4", "step": 0.01}], ids=str)
def test_where_a_run_pauses_makes_no_difference(options, monkeypatch):
    times = np.linspace(0, 10, 21)
    whole = mbs.simulate(double_pendulum(), times, **options)
    monkeypatch.setattr(import_module("mbs_dae.verbs.simulate"), "PATIENCE", 1.0)
    pieces = mbs.simulate(double_pendulum(), times, **options)
    assert np.array_equal(whole.q, pieces.q) and whole.stats == pieces.stats


def test_a_run_goes_on_from_the_end_of_another():
    options = {"method": "DP8", "rtol": 1e-12}
    whole = mbs.simulate(double_pendulum(), [0, 0.5, 1], **options)
    first = mbs.simulate(double_pendulum(), [0, 0.5], **options)
    second = mbs.simulate(double_pendulum(), [0.5, 1], first.state(), **options)
    np.testing.assert_allclose(second.q[-1], whole.q[-1], atol=1e-9)
    np.testing.assert_allclose(second.v[-1], whole.v[-1], atol=1e-9)


@pytest.mark.parametrize("off", [0, 1e-4, 1e-3, 5e-3, 0.02])
@pytest.mark.parametrize("base", [-np.pi / 2, np.pi / 2], ids=["hanging", "upright"])
def test_redundant_cranks_start_and_swing_from_anywhere(base, off):
    """Standing nearly upright two rows of Φ_v are nearly parallel, and a third depends on both."""
    model = three_cranks(base + off)
    assert [group.kind for group in mbs.diagnose(model).redundant] == ["generic"]
    for options in ({}, {"stabilization": mbs.Projection()}, {"stabilization": mbs.Projection(), "method": "DP8"}):
        run = mbs.simulate(model, np.linspace(0, 3, 31), {"crank0.omega": 1.0}, **options)
        assert np.abs(run.energy.error).max() < 1e-5
        np.testing.assert_allclose(run["crank2.angle"], run["crank0.angle"], atol=1e-6)


def test_a_redundant_joint_passes_the_flat_pose_however_near_a_step_lands():
    """With this start and step one pose is a millionth of a radian from the flat one."""
    run = mbs.simulate(
        three_cranks(np.pi / 2 + 0.02), [0, 1, 2], {"crank0.omega": 1.0}, "RK4", mbs.Projection(), step=1e-3
    )
    assert np.abs(run.energy.error).max() < 1e-5


STABILIZATIONS = [mbs.Baumgarte(), mbs.Projection(), mbs.Unstabilized()]


@pytest.mark.parametrize("how", STABILIZATIONS, ids=lambda how: type(how).__name__)
def test_drivers_that_part_by_little_are_told(how):
    model = block()
    body = model.bodies["block"]
    late = sp.Max(mbs.t - sp.Rational(1, 2), 0) ** 3 / 2
    model.add(mbs.Driver("one", mbs.x(body), 1 + mbs.t))
    model.add(mbs.Driver("two", mbs.displacement(model.elements["guide"]), 1 + mbs.t + late))
    with refused("contradictory-constraints", mbs.RedundantConstraintError, joints=["one", "two"]) as caught:
        mbs.simulate(model, TIMES, stabilization=how)
    assert 25 <= len(caught.value.result) < 30


LAWS = {
    "a piece that is missing": ("t = 0.5", lambda m, b: mbs.Force("F", b, (sp.Piecewise((1, mbs.t < 0.5)), 0))),
    "a logarithm": ("t = 0.52", lambda m, b: mbs.Force("F", b, (sp.log(1.5 - m["block.x"]), 0))),
    "a Python error": ("t = 0.5", lambda m, b: mbs.PythonForce("F", b, function=lambda t, i: [(1 / (t < 0.5), 0)])),
    "a Python nan": (
        "t = 0.5", lambda m, b: mbs.PythonForce("F", b, function=lambda t, i: [(1 if t < 0.5 else np.nan, 0)])
    ),
}


@pytest.mark.parametrize(("instant", "law"), LAWS.values(), ids=LAWS)
def test_inverse_dynamics_tells_a_force_without_a_value(instant, law):
    model = driven(law)
    for _ in range(2):  # what one run met does not change what the next one says
        with refused("loads-without-value", model="block", mentions=["F", instant]) as caught:
            mbs.inverse_dynamics(model, TIMES)
        kept = caught.value.result
        assert 24 <= len(kept) <= 26 and not kept.success
        assert np.isfinite(kept.effort("push")).all()


def test_a_motion_whose_energy_does_not_add_up_is_told():
    stiff = block(lambda m, b: mbs.Spring("s", m.ground, b, stiffness=1e6, length=0.5))
    with refused("energy-off", mbs.IntegrationError, mentions="block") as caught:
        mbs.simulate(stiff, np.linspace(0, 5, 11), method="RK4", step=0.5)
    assert len(caught.value.result) == 11 and not caught.value.result.success


def test_a_python_force_has_reactions_and_goes_into_files(tmp_path):
    model = block(lambda m, b: mbs.PythonForce("F", b, function=lambda t, i: [(np.sin(t), 0.0, 0.5)]))
    run = mbs.simulate(model, TIMES)
    np.testing.assert_allclose(run.reaction("F"), np.stack([np.sin(run.t), 0 * run.t, 0.5 + 0 * run.t], axis=1))
    again = mbs.load(run.save(tmp_path / "run"))
    assert np.array_equal(again.reaction("F"), run.reaction("F"))
    assert np.array_equal(again.energy.total, run.energy.total)


def test_only_what_has_a_coordinate_has_an_effort():
    model = driven()
    run = mbs.inverse_dynamics(model, TIMES)
    np.testing.assert_allclose(run.effort("push"), 0, atol=1e-9)
    with refused("no-single-effort", element="guide"):
        run.effort("guide")


def test_statics_need_no_mass():
    model = mbs.PlanarModel("statics")
    body = model.body("body", position=(1, 0))
    model.add(
        mbs.Translational("guide", model.ground, body),
        mbs.Driver("hold", mbs.x(body), 1 + mbs.t),
        mbs.Force("load", body, (3, 4)),
    )
    run = mbs.inverse_dynamics(model, TIMES)
    np.testing.assert_allclose(run.effort("hold"), -3, atol=1e-9)
    np.testing.assert_allclose(run.reaction("guide"), [[0, -4, 0]] * 51, atol=1e-9)


def test_a_spring_says_its_force():
    model = block()
    with refused("does-nothing", subject="Spring 's'"):
        mbs.Spring("s", model.ground, model.bodies["block"])
