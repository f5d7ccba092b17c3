"""Results do not hang on the tolerances of the rank tests: each may be ten times larger or smaller."""

import pytest
from helpers import parallelogram, row_of_four_bars, slider_crank, three_cranks

import mbs_dae as mbs
from mbs_dae.poses import dependence, newton

MODELS = {
    "a slider-crank": slider_crank,
    "loops that lie flat": lambda: row_of_four_bars(6),
    "loops that lie flat, of other lengths": lambda: row_of_four_bars(6, 0.7),
    "a parallelogram": lambda: parallelogram(1, 0.7),
    "a parallelogram on its change point": lambda: parallelogram(1, 0.0),
    "three parallel cranks": lambda: three_cranks(1.0),
    "three parallel cranks that lie flat": lambda: three_cranks(0.0),
}
TOLERANCES = [
    (dependence, "HIDDEN"),
    (dependence, "SHARE"),
    (newton, "NEARLY"),
    (newton, "LOOSE"),
    (newton, "TIGHT"),
    (dependence.PoseRank.__init__, "threshold"),
]


def told(model):
    d = mbs.diagnose(model)
    groups = sorted((g.kind, g.joints, g.equations, g.advice) for g in d.redundant)
    return d.rank, d.mobility, d.degrees_of_freedom, d.generic_degrees_of_freedom, d.assembled, groups


@pytest.mark.parametrize("factor", [0.1, 10.0])
@pytest.mark.parametrize(("home", "name"), TOLERANCES, ids=[name for _, name in TOLERANCES])
def test_no_diagnosis_changes_with_a_tolerance(home, name, factor, monkeypatch):
    expected = {kind: told(build()) for kind, build in MODELS.items()}
    if name == "threshold":
        monkeypatch.setattr(home, "__defaults__", (factor * newton.DEPENDENT,))
    else:
        monkeypatch.setattr(home, name, factor * getattr(home, name))
    assert {kind: told(build()) for kind, build in MODELS.items()} == expected
