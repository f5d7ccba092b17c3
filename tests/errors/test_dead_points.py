"""A guide that rubs at a dead point, where no free motion moves it, is no error: the run starts at rest, beside it, or
with a velocity (tests/closed_form/test_starts_at_dead_centres.py has the motion)."""

from __future__ import annotations

import numpy as np
import pytest
from rubbing import rubbing_slider_crank

import mbs_dae as mbs


@pytest.mark.parametrize(("angle", "initial"), [(0.0, None), (np.pi, None), (0.01, None), (0.0, {"crank.omega": 5.0})])
def test_a_guide_that_rubs_starts_at_a_dead_point(angle, initial):
    model = rubbing_slider_crank(angle)
    model.add(mbs.Torque("M", model.bodies["crank"], 2.0))
    assert mbs.simulate(model, np.linspace(0, 0.1, 3), initial=initial).success
