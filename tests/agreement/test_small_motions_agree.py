"""Small motions are the same in all coordinates: eigenvalues about the rest of models of the gallery. And their law is
what differences of the nonlinear equations say.
"""

from __future__ import annotations

import numpy as np
import pytest
from gallery import load

import mbs_dae as mbs

REST = [
    "double_pendulum", "simple_pendulum", "four_bar_with_spring", "heavy_top", "gyroscope", "spatial_slider_crank",
    "rssr", "seven_body_tree", "arm_4r1p",
]  # fmt: skip


@pytest.mark.parametrize("name", REST)
def test_eigenvalues_do_not_depend_on_coordinates(name):
    model = load(name).build()
    model = model.without(*(driver.name for driver in model.drivers))
    rest = mbs.equilibrium(model).state
    found = [mbs.linearize(model.compile(c), rest).eigenvalues for c in ("cartesian", "natural", "joint")]
    size = np.abs(found[0]).max()
    for other in found[1:]:
        np.testing.assert_allclose(np.sort_complex(other), np.sort_complex(found[0]), rtol=0, atol=1e-10 * size)


@pytest.mark.parametrize("name", ["four_bar_with_spring", "double_pendulum"])
def test_the_law_is_the_slope_of_the_accelerations(name):
    """-M⁻¹ K against differences of forward dynamics, over coordinates that are set by name."""
    model = load(name).build()
    angles = {"four_bar_with_spring": ["crank.angle"], "double_pendulum": ["upper.angle", "lower.angle"]}[name]
    rest = mbs.equilibrium(model)
    law = mbs.linearize(model, rest.state, coordinates=angles)
    slopes = -np.linalg.solve(law.M, law.K)
    still = {angle.replace("angle", "omega"): 0.0 for angle in angles}
    for k, angle in enumerate(angles):

        def accelerations(h: float, angle: str = angle) -> np.ndarray:
            fix = {one: rest[one] + h * (one == angle) for one in angles}
            state = mbs.assemble(model, fix=fix | still, start=rest.state, forces=True)
            return np.array([state[one.replace("angle", "alpha")] for one in angles])

        wide, narrow = ((accelerations(h) - accelerations(-h)) / (2 * h) for h in (2e-3, 1e-3))
        np.testing.assert_allclose((4 * narrow - wide) / 3, slopes[:, k], rtol=0, atol=1e-8 * np.abs(slopes).max())
