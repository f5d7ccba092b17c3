"""Results compute what is read, when it is first read; and designs share what does not depend on them."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest
from gallery import load

import mbs_dae as mbs
from mbs_dae.compiled.batch import BatchBuilder
from mbs_dae.compiled.reading import Trajectory
from mbs_dae.coordinates.natural import motions
from mbs_dae.motion import outcome

n_four_bar, rssr = load("n_four_bar"), load("rssr")
TIMES = np.linspace(0.0, 1.0, 6)
HOW = {"initial": {"crank0.omega": -1.0}, "stabilization": mbs.Projection()}


def counted(monkeypatch, where, name):
    calls, inner = [], getattr(where, name)

    def counting(*args, **options):
        calls.append(name)
        return inner(*args, **options)

    monkeypatch.setattr(where, name, counting)
    return calls


@pytest.mark.parametrize("chosen", ["joint", "natural"])
def test_what_joints_carry_is_computed_once_when_it_is_read(chosen, monkeypatch):
    model = n_four_bar.build()
    bodies = mbs.simulate(model, TIMES, **HOW)
    solved = counted(monkeypatch, outcome, "forces_along")
    run = mbs.simulate(model.compile(chosen), TIMES, **HOW)
    assert np.allclose(run["crank0.head.x"], bodies["crank0.head.x"], atol=1e-6)
    sent = pickle.dumps(run)
    assert not solved
    assert np.allclose(run.reaction("A0"), bodies.reaction("A0"), atol=1e-4)
    assert run.multipliers.shape == bodies.multipliers.shape and not run.multipliers.flags.writeable
    assert run.effort is not None and len(solved) == 1
    assert np.array_equal(pickle.loads(sent).multipliers, run.multipliers)


def test_functions_in_python_are_not_called_when_a_result_is_read():
    model = n_four_bar.build()
    moments = []

    def push(t, i):
        moments.append(t)
        return [(1.0, 0.0, 0.0)]

    model.add(mbs.PythonForce("push", model.bodies["coupler0"], function=push))
    run = mbs.simulate(model.compile("joint"), TIMES, **HOW)
    during = len(moments)
    assert during and np.isfinite(run.reaction("A0")).all()
    assert len(moments) == during


@pytest.mark.parametrize("chosen", ["joint", "natural"])
def test_designs_share_the_bodies_of_the_first(chosen, monkeypatch):
    model = n_four_bar.build()
    model.compile(chosen)
    mbs.simulate(model.with_parameters(m=1.5).compile(chosen), TIMES, **HOW)
    built = counted(monkeypatch, BatchBuilder, "__init__")
    run = mbs.simulate(model.with_parameters(m=2.0, L=1.1).compile(chosen), TIMES, **HOW)
    assert not built
    fresh = mbs.simulate(n_four_bar.build(m=2.0, L=1.1).compile(chosen), TIMES, **HOW)
    assert np.abs(run.q - fresh.q).max() < 1e-12


def test_no_design_keeps_the_one_before_it():
    model, seen = n_four_bar.build(), []
    for k in range(4):
        model = model.with_parameters(m=1.0 + k)
        system = model.compile("joint")
        assert system.cartesian.model.value("m") == 1.0 + k
        seen.append(weakref.ref(system))
        del system
    gc.collect()
    alive = [k for k, one in enumerate(seen) if one() is not None]
    assert alive == [0, 3]  # the first, of whose structure all are; and the last


def test_a_model_that_changes_is_compiled_anew():
    model = n_four_bar.build()
    before = model.compile("joint")
    model.add(mbs.Torque("motor", model.bodies["crank0"], 1.0))
    assert model.compile("joint").structure is not before.structure
    assert [*before.cartesian.model.elements] == [*before.model.elements] and "motor" not in before.model.elements


@pytest.mark.parametrize("mechanism", [n_four_bar, rssr])
def test_motions_in_natural_coordinates_do_not_depend_on_their_parts(mechanism, monkeypatch):
    model = mechanism.build()
    system = model.compile("natural")
    moving = mbs.simulate(model, TIMES, **HOW) if mechanism is n_four_bar else mbs.kinematics(model, TIMES)
    whole = system.from_bodies(moving.quantities.motion[1:])
    back = system.to_bodies(whole)
    monkeypatch.setattr(motions, "MANY", 1)
    for one, other in ((whole, system.from_bodies(moving.quantities.motion[1:])), (back, system.to_bodies(whole))):
        assert all(np.allclose(x, y, rtol=1e-13, atol=1e-13) for x, y in zip(one, other, strict=True))
    assert np.abs(back[0] - moving.quantities.motion.q).max() < 1e-8


def test_a_state_without_forces_has_no_reactions_and_all_others_have():
    """A force of 1/(t - 1) has no value at 1 s: its guide carries nan there, and the force before and after."""
    model = mbs.PlanarModel("pole")
    cart = model.body("cart", 1.0, 1.0)
    model.add(mbs.Translational("guide", model.ground, cart), mbs.Force("push", cart, (0, 1 / (mbs.t - 1))))
    system, t = model.compile(), np.array([0.5, 1.0, 1.5, 3.0])
    still = np.tile(system.still, (4, 1))
    motion = Trajectory(t, np.tile(mbs.assemble(model).full_q, (4, 1)), still, still)
    done, multipliers, *_ = outcome.forces_along(system, motion)
    assert done == 1 and np.isnan(multipliers[1]).all() and np.isfinite(multipliers[[0, 2, 3]]).all()
    carried = np.abs(multipliers[[0, 2, 3]]).max(axis=1)
    np.testing.assert_allclose(carried, [2.0, 2.0, 0.5], rtol=1e-12)
    limits, _, undetermined = outcome.in_the_limit(system, motion, multipliers, 0, np.zeros(0, dtype=int))
    assert undetermined[1].all() and not undetermined[[0, 2, 3]].any() and np.isnan(limits[1]).all()
