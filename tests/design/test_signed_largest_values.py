"""The largest value of a reading, with its sign, made small; and the smallest one made large."""

import numpy as np
import pytest

import mbs_dae as mbs


def swept(q):
    """The tip of an arm that turns from q to q + 1: x = c + cos(q + t), with c = -3."""
    model = mbs.PlanarModel("arm")
    start, arm = model.parameter("q", q), model.body("arm")
    arm.marker("tip", 1, 0)
    pin = model.add(mbs.Revolute("A", model.ground.at(-3, 0), arm))
    model.add(mbs.Driver("motor", mbs.angle(pin), start + mbs.t))
    return model


LARGEST = -3 - np.cos(0.5)
"""Least largest value of x: where the sweep lies around π."""
SMALLEST = -3 + np.cos(0.5)
"""Largest smallest value: where it lies around 0."""


@pytest.mark.parametrize(
    ("objective", "start", "best", "value"),
    [
        ("arm.tip.x", 2.2, np.pi - 0.5, LARGEST),
        (mbs.maximum("arm.tip.x"), 2.2, np.pi - 0.5, LARGEST),
        (2 * mbs.maximum("arm.tip.x") + 1, 2.2, np.pi - 0.5, 2 * LARGEST + 1),
        (-mbs.minimum("arm.tip.x"), -0.9, -0.5, -SMALLEST),
        (5 - 3 * mbs.minimum("arm.tip.x"), -0.9, -0.5, 5 - 3 * SMALLEST),
        (mbs.maximum(abs(mbs.quantity("arm.tip.x"))), -0.9, -0.5, -SMALLEST),
    ],
)
def test_largest_values_keep_their_sign(objective, start, best, value):
    found = mbs.optimize(
        objective, swept(start), np.linspace(0, 1, 21), {"q": (start - 1, start + 1)}, kind="minimax", verb="kinematics"
    )
    assert found.success
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.values["q"] == pytest.approx(best, abs=1e-6)
