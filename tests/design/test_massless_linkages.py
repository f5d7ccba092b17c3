"""A driven linkage without masses is studied by its kinematics, without a word about the verb."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

T = np.linspace(0, 1, 11)
R = 0.12


@pytest.fixture
def crank():
    model = mbs.PlanarModel("crank")
    r = model.parameter("r", 0.1, unit="m")
    rod = model.link("crank", (0, 0), (0.1, 0), length=r)
    model.add(mbs.Revolute("A", model.ground, rod.tail), mbs.Driver("motor", mbs.angle(rod), mbs.t))
    return model


def test_ensemble(crank):
    found = mbs.ensemble(crank, T, over={"r": [0.1, 0.2]}, outputs=["crank.head.x"])
    assert found.failures == ()
    assert found.array("crank.head.x") == pytest.approx(np.outer([0.1, 0.2], np.cos(T)), abs=1e-12)
    ends = mbs.ensemble(crank, T, over={"r": [0.1, 0.2]}, verb=lambda result: result["crank.head.y"][-1])
    assert ends.array("value") == pytest.approx(np.array([0.1, 0.2]) * np.sin(1), abs=1e-12)


def test_optimize(crank):
    found = mbs.optimize(
        lambda result: result["crank.head.x"] - R * np.cos(T), crank, T, {"r": (0.05, 0.5)}, kind="least_squares"
    )
    assert found.values["r"] == pytest.approx(R, rel=1e-9)


def test_fit(crank):
    noise = np.random.default_rng(3).normal(0, 1e-6, T.size)
    found = mbs.fit(crank, {"t": T, "crank.head.x": R * np.cos(T) + noise}, over=["r"])
    assert found.values["r"] == pytest.approx(R, abs=1e-5)


def test_gradient_and_tolerance(crank):
    assert mbs.gradient(mbs.at_end("crank.head.x"), crank, T, ["r"]).by["r"] == pytest.approx(np.cos(1), rel=1e-12)
    band = mbs.tolerance(crank, T, {"r": 1e-5}, ["crank.head.y"])["crank.head.y"]
    assert band.sigma == pytest.approx(1e-5 * np.sin(T), abs=1e-17)


def test_forces_move_what_has_a_mass():
    """With a mass the run is a simulation: a rod that nothing drives falls."""
    heavy = mbs.PlanarModel("pendulum", gravity=(0, -10))
    m = heavy.parameter("m", 2.0)
    rod = heavy.link("rod", (0, 0), (1, 0), mass=m)
    heavy.add(mbs.Revolute("A", heavy.ground, rod.tail))
    fall = mbs.ensemble(heavy, [0, 0.1], over={"m": [1.0, 2.0]}, outputs=["rod.alpha"])
    assert fall.array("rod.alpha")[:, 0] == pytest.approx([-15, -15])  # m g l/2 over m l²/3


def test_a_massless_model_with_nothing_that_drives_it_is_told_to_have_no_mass():
    model = mbs.PlanarModel("crank")
    model.parameter("r", 0.1)
    rod = model.link("crank", (0, 0), (0.1, 0))
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    with refused("no-mass"):
        mbs.gradient(mbs.at_end("crank.head.x"), model, T, ["r"])
