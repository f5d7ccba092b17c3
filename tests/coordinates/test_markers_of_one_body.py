"""An equation with several markers on one body that moves, in all coordinate sets."""

import numpy as np
import pytest

import mbs_dae as mbs


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_two_markers_of_a_row_on_one_body_of_the_tree(coordinates):
    """The entries of a row for a body are the sum over its markers there: 0.3 (0 - θ) + 0.1 (φ - θ) = 0, so φ = 4 θ."""
    model = mbs.PlanarModel("wheel on an arm", gravity=(0, -10))
    arm, wheel = (
        model.body("arm", mass=1.0, inertia=0.1),
        model.body("wheel", mass=2.0, inertia=0.02, position=(0.4, 0)),
    )
    model.add(
        mbs.Revolute("O", model.ground, arm),
        mbs.Revolute("P", arm.at(0.4, 0), wheel),
        mbs.Constraint(
            "rolls", model.ground, wheel, arm.at(0, 0), arm.at(0.4, 0), unit="m",
            phi=lambda i, j, c, o: 0.3 * (i.angle - c.angle) + 0.1 * (j.angle - o.angle),
        ),
    )  # fmt: skip
    run = mbs.simulate(model.compile(coordinates), [0, 0.2, 0.8], rtol=1e-10, atol=1e-12)
    inertia = 0.1 + 2 * 0.4**2 + 0.02 * 4**2
    assert np.allclose(run["wheel.angle"], 4 * run["arm.angle"], atol=1e-9)
    assert np.allclose(inertia * run["arm.alpha"], -10 * 2 * 0.4 * np.cos(run["arm.angle"]), atol=1e-6)
    assert np.abs(run.energy.error).max() < 1e-8
