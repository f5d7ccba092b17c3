"""Loads at a pose where the constraints lose rank for a moment: limits from both sides, or no number at all."""

from functools import partial

import numpy as np
import pytest

import mbs_dae as mbs

WEIGHT = 9.81


def parallelogram():
    """Driven through its flat poses at t = 0.5 and beyond, with a pendulum beside it that has nothing to do with it."""
    points = {"A": (0, 0), "B": (0, 0.2), "C": (1, 0.2), "D": (1, 0)}
    rods = {"a": "AB", "b": "BC", "c": "DC"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AD", mass=1.0, gravity=(0, -WEIGHT))
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), np.pi / 2 + np.pi * mbs.t))
    beside = model.body("beside", mass=2.0, inertia=0.1, position=(3, 0))
    model.add(
        mbs.Revolute("E", model.ground.at(3, 0), beside), mbs.Driver("turn", mbs.angle(model.ground, beside), mbs.t)
    )
    return model


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("analysis", [mbs.inverse_dynamics, partial(mbs.simulate, max_step=0.02)])
def test_loads_in_a_flat_parallelogram_are_limits_or_nan(analysis, coordinates):
    result = analysis(parallelogram().compile(coordinates), np.linspace(0, 1, 41))
    flat = 20  # at t = 0.5
    torque = -0.4 * WEIGHT * np.sin(np.pi * result.t)  # all that turns or rises is 2 kg on a crank of 0.2 m
    np.testing.assert_allclose(result.effort("motor"), torque, atol=1e-5)
    pull = result.reaction("B")[:, 0]
    assert pull[flat - 1] * pull[flat + 1] < 0.0 and abs(pull[flat - 1]) > 50.0  # a pole
    assert np.isnan(pull[flat]) and np.isfinite(np.delete(pull, flat)).all()
    assert not result.is_unique("B")[flat, 0]
    assert np.delete(result.is_unique("B"), flat, axis=0).all()
    np.testing.assert_allclose(result.reaction("E")[flat], [0, 2 * WEIGHT, 0], atol=1e-6)
    assert result.is_unique("E").all() and result.is_unique("turn").all()
    assert "t = 0.5 " in result.stats["note"] and "B" in result.stats["note"] and "E" not in result.stats["note"]
    assert np.abs(result.energy.error).max() < 1e-3
