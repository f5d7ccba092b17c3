"""What holds for all that is in a model holds for its states: copies, pickles, parameters, files, states, equations."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 6)


@pytest.fixture
def model() -> mbs.PlanarModel:
    model = mbs.PlanarModel("arm", gravity=(0.0, -9.81))
    rod = model.body("rod", mass=1.0, inertia=0.01, com=(0.0, -0.5))
    pin = model.add(mbs.Revolute("A", model.ground, rod.origin))
    k = model.parameter("k", 2.0)
    x = model.state("x", rate=lambda x: k * (1 - x), initial=k / 4, unit="N m")
    u = model.input("u", sp.sin(3 * mbs.t), unit="V")
    held = model.state("held", unit="rad")
    model.add(mbs.Torque("one", pin, x + held), mbs.Torque("two", pin, 0.5 * u))
    model.add(mbs.Sampled("c", every=0.3, update={held: 1.0 - model["A.angle"]}))
    return model


def through_pickle(model):
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, through_pickle])
def test_copies_move_alike(model, copied):
    one, other = mbs.simulate(model, TIMES), mbs.simulate(copied(model), TIMES)
    assert all((one[name] == other[name]).all() for name in one.names)


def test_compiled_systems_are_pickled(model):
    system = pickle.loads(pickle.dumps(model.compile("joint")))
    assert (mbs.simulate(system, TIMES)["x"] == mbs.simulate(model.compile("joint"), TIMES)["x"]).all()


def test_parameters_in_rates_and_initial_values(model):
    run = mbs.simulate(model.with_parameters(k=3.0), TIMES, rtol=1e-11)
    assert np.abs(run["x"] - (1 - 0.25 * np.exp(-3 * TIMES))).max() < 1e-10
    assert mbs.simulate(model, TIMES)["x"][0] == 0.5


def test_initial_values_by_name(model):
    run = mbs.simulate(model, TIMES, {"x": 3.0, "rod.angle": 0.3, "held": 9.0}, rtol=1e-11)
    assert np.abs(run["x"] - (1 + 2 * np.exp(-2 * TIMES))).max() < 1e-10
    assert run["rod.angle"][0] == pytest.approx(0.3) and run["held"][0] == pytest.approx(0.7)  # sampled at once


def test_files_and_plots(model, tmp_path):
    run = mbs.simulate(model, TIMES)
    again = mbs.load(run.save(tmp_path / "run"))
    for name in ("x", "x.rate", "u", "held"):
        assert (again[name] == run[name]).all() and again.unit(name) == run.unit(name)
    assert len(run.plot("x", "u", "held").axes) == 3


def test_a_state_goes_on_in_another_model(model):
    """States are looked up by name: one that the other model does not know is left, one that it has besides begins at
    its initial value."""
    end = mbs.simulate(model, TIMES).state()
    other = model.without("c", "one", "x")
    other.state("more", rate=1, initial=7.0)
    run = mbs.simulate(other, [1, 2], end)
    assert run["held"][0] == end["held"] and run["more"].tolist() == pytest.approx([7.0, 8.0])
    assert run["A.angle"][0] == pytest.approx(end["A.angle"]) and "x" not in run


def test_equations_have_states(model):
    """Q and ż as functions of z are those of the run."""
    eq = mbs.equations(model)
    k, x = eq.symbols["k"], eq.symbols["x"]
    assert eq.z.tolist() == [[model["x"]], [model["held"]]] and eq.compare(zdot=[k * (1 - x), 0])
    assert not eq.compare(zdot=[k * (2 - x), 0]) and "zdot" in str(eq) and r"\dot{z}" in eq.latex()
    run = mbs.simulate(model, TIMES)
    M, Q, zdot = eq.lambdify("M", "Q", "zdot")(0.4, run.q[2], run.v[2], z=[run["x"][2], run["held"][2]])
    assert zdot[0] == pytest.approx(run["x.rate"][2]) and zdot[1] == 0
    phi_v = eq.lambdify("Phi_q")(0.4, run.q[2], run.v[2])[0]
    assert np.abs(M @ run.a[2] + phi_v.T @ run.multipliers[2] - Q).max() < 1e-6
    with refused("missing-argument", argument="z"):
        eq.lambdify("Q")(0.4, run.q[2], run.v[2])


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_poses_need_no_states(model, coordinates):
    """Signals behind the coordinates disturb none of what is about places only."""
    plain = model.without("c", "one", "two", "x", "held", "u")
    for one in (model, plain):
        one.compile(coordinates)
    poses = [mbs.assemble(one, fix={"A.angle": 0.4}) for one in (model, plain)]
    assert poses[0]["rod.angle"] == poses[1]["rod.angle"]
    assert mbs.diagnose(model).degrees_of_freedom == 1
    accelerated = mbs.assemble(model, forces=True)["rod.alpha"]
    assert accelerated == pytest.approx(0.5 / 0.26)  # x at its initial value; held and u are zero


def test_requested_times_do_not_make_the_motion(model):
    coarse, fine = mbs.simulate(model, [0, 0.5, 1.0]), mbs.simulate(model, np.linspace(0, 1, 101))
    assert (coarse["A.angle"] == fine["A.angle"][::50]).all() and (coarse["x"] == fine["x"][::50]).all()
