"""Published mechanisms: the numbers, with their provenance, are in data/planar_textbook.json."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from gallery import load

import mbs_dae as mbs

DATA = json.loads((Path(__file__).parent / "data" / "planar_textbook.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("branch", ["open", "crossed"])
def test_four_bar(branch):
    """With the crank at ω = 1 the rates are derivatives with respect to its angle."""
    rows = [row for row in DATA["four_bar"]["rows"] if row["branch"] == branch]
    model = load("four_bar").build(**DATA["four_bar"]["lengths"], omega=1.0, branch=branch)
    result = mbs.kinematics(model, np.unique(np.radians([0.0, *(row["theta2_deg"] for row in rows)])))
    columns = {
        "theta3": "coupler.angle",
        "theta4": "rocker.angle",
        "dtheta3_dtheta2": "coupler.omega",
        "dtheta4_dtheta2": "rocker.omega",
        "d2theta3": "coupler.alpha",
        "d2theta4": "rocker.alpha",
    }
    for row in rows:
        k = int(np.argmin(np.abs(result.t - np.radians(row["theta2_deg"]))))
        for published, name in columns.items():
            assert result[name][k] == pytest.approx(row[published], abs=1e-10), (row["theta2_deg"], name)


def test_slider_crank():
    rows = DATA["slider_crank"]["rows"]
    result = mbs.kinematics(load("slider_crank_textbook").build(), [row["t"] for row in rows])
    for computed, level in ((result.q, "q"), (result.v, "qd"), (result.a, "qdd")):
        published = np.array([row[level] for row in rows])
        without_ground = computed[:, 3:]  # the ground is the book's body 1
        # to 1e-9 of each entry; where the book's is zero, of a length of 1 (the lengths are hundreds)
        np.testing.assert_allclose(without_ground, published, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("row", DATA["parallel_cranks"]["rows"], ids=lambda r: f"{r['cranks']} at {r['phi']}")
def test_parallel_cranks(row):
    """Cranks beyond the second are redundant at every pose, one more equation where all bars lie in one line."""
    model = load("double_parallel_crank").build(cranks=row["cranks"], phi=row["phi"]).without("motor")
    diagnosis = mbs.diagnose(model)
    for what in ("coordinates", "equations", "rank", "degrees_of_freedom", "gruebler"):
        assert getattr(diagnosis, what) == row[what], what
    redundant = {"generic": 0, "momentary": 0}
    for group in diagnosis.redundant:
        redundant[group.kind] += group.equations
        assert set(group.joints) <= set(model.elements)
    assert redundant == {"generic": row["cranks"] - 2, "momentary": int(row["phi"] == 0)}
    assert not diagnosis.conflicts


def test_three_cranks_name_their_pins():
    diagnosis = mbs.diagnose(load("double_parallel_crank").build(cranks=3, phi=1.0).without("motor"))
    (group,) = diagnosis.redundant
    assert group.kind == "generic"
    assert set(group.joints) == {"A1", "B1", "A2", "B2", "A3", "B3"}
    assert set(group.bodies) == {"crank1", "crank2", "crank3", "coupler"}


def test_two_flat_cranks_depend_on_each_other_at_this_pose_only():
    diagnosis = mbs.diagnose(load("double_parallel_crank").build(cranks=2, phi=0.0).without("motor"))
    (group,) = diagnosis.redundant
    assert (group.kind, group.equations, set(group.joints)) == ("momentary", 1, {"A1", "B1", "A2", "B2"})
    assert (diagnosis.degrees_of_freedom, diagnosis.generic_degrees_of_freedom) == (2, 1)
