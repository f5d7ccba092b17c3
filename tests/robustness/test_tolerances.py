"""Results do not hang on the tolerances: each may be ten times larger or smaller.

The core is run by Python here, so that a constant which is compiled in can be another.
"""

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers import parallelogram, row_of_four_bars, slider_crank, three_cranks
from interpreted import Core

import mbs_dae as mbs
from mbs_dae import tolerances

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from singular_crossings import grounded_first

ALWAYS = {"ROW_DEPENDENCE", "ENERGY_ERROR"}
CORE_NAMES = """
    ACCELERATION_INDEPENDENCE ACCELERATION_RESIDUAL BLUNT_SINE CHANGE_POINT_AGREEMENT CHOICE_INDEPENDENCE
    CLOSURE_LIMIT CLOSURE_TOLERANCE CONTRADICTION_GAP CONTRADICTION_RATIO CORRECTION_COUNT CORRECTION_FLOOR
    CROSSING_STEP DECAY_PACE DELTA DRIFT_LIMIT ENERGY_ERROR ENERGY_ROUNDOFF EXTENT_SHARE FORCE_LEVEL GAIN_LIMIT
    GAIN_MARGIN GROUP_SHARE INDEPENDENCE_SHARE LAST_CORRECTION LIGHT_MASS LOCK_SHARE NODE_SINE PIVOT_LOSS
    POLE_DISTANCE POSITION_ROUNDOFF PROJECTION_GAP PROJECTION_REMAINDER RANK_TOLERANCE RATE_INDEPENDENCE
    RECORD_INDEPENDENCE REFINEMENT_INDEPENDENCE ROLLING_CORRECTION ROW_DEPENDENCE SAME_INSTANT SAMPLE_ERROR
    SIDE_MOTION SINGULAR_DRIFT SINGULAR_INDEPENDENCE SOLUTION_ERROR SPAN_DEPENDENCE STEPS_AHEAD STEP_DEVIATION
    STEP_FLOOR SUM_ROUNDOFF TIME_ACCURACY ZERO_RATE ZERO_ROW ZERO_STEP
"""
"""The tolerances that decide about rank, poses, accelerations and steps near singular poses."""
NAMES = [name if name in ALWAYS else pytest.param(name, marks=pytest.mark.soak) for name in CORE_NAMES.split()]
DIAGNOSED = {
    "a slider-crank": slider_crank,
    "loops that lie flat": lambda: row_of_four_bars(2),
    "loops that lie flat, of other lengths": lambda: row_of_four_bars(2, 0.7),
    "a parallelogram": lambda: parallelogram(1, 0.7),
    "a parallelogram on its change point": lambda: parallelogram(1, 0.0),
    "three parallel cranks": lambda: three_cranks(1.0),
    "three parallel cranks that lie flat": lambda: three_cranks(0.0),
}
CROSSINGS = {
    "joint": {"method": "DP8"},
    "natural": {"method": "DP8", "rtol": 1e-9, "stabilization": mbs.Projection()},
    "cartesian": {"rtol": 1e-6, "method": "DP8"},
}


def told(model):
    d = mbs.diagnose(model)
    groups = sorted((g.kind, g.joints, g.equations, g.advice) for g in d.redundant)
    return d.rank, d.mobility, d.degrees_of_freedom, d.generic_degrees_of_freedom, d.assembled, groups


def diagnosed():
    return {kind: told(build()) for kind, build in DIAGNOSED.items()}


def driven():
    """The angles of a parallelogram that is driven through its change point, and of a slider-crank."""
    models = parallelogram(1, 0.7, omega=-1.0), slider_crank()
    found = [mbs.kinematics(model, [0.0, 0.35, 0.7, 1.0]) for model in models]
    return np.concatenate([np.ravel(x) for res in found for x in (res.q, res.v, res.a)])


def crossed(coordinates):
    """Four-bars in a row that swing through the pose where they lie flat; and how far off their energy is."""
    settings = CROSSINGS[coordinates]
    model = grounded_first(2 if coordinates == "joint" else 1)
    res = mbs.simulate(model.compile(coordinates), [0.0, 0.4, 0.8], {"k0.omega": -2.3}, **settings)
    found = np.concatenate([res["k0.angle"], res["k0.omega"], res["c0.angle"], res.energy.error])
    return found, settings.get("rtol", 1e-8)


@cache
def expected(what):
    return what() if callable(what) else crossed(what)


@pytest.fixture(params=[0.1, 10.0], ids=["a tenth", "ten times"])
def varied(request, monkeypatch):
    """To be called with the name of a tolerance."""

    def vary(name):
        before = getattr(tolerances, name)
        for module in [m for key, m in sys.modules.items() if key.startswith("mbs_dae.")]:
            if vars(module).get(name) == before:
                monkeypatch.setattr(module, name, request.param * before)
        Core(monkeypatch)

    return vary


@pytest.mark.parametrize("name", NAMES)
def test_no_diagnosis_changes_with_a_tolerance(name, varied):
    usual = expected(diagnosed)
    varied(name)
    assert diagnosed() == usual


@pytest.mark.parametrize("name", NAMES)
def test_no_pose_changes_with_a_tolerance(name, varied):
    usual = expected(driven)
    varied(name)
    np.testing.assert_allclose(driven(), usual, atol=1e-8, rtol=0)


@pytest.mark.parametrize("coordinates", CROSSINGS)
@pytest.mark.parametrize("name", NAMES)
def test_no_motion_changes_with_a_tolerance(name, coordinates, varied):
    usual, rtol = expected(coordinates)
    varied(name)
    np.testing.assert_allclose(crossed(coordinates)[0], usual, atol=1000 * rtol, rtol=0)
