"""Reachable workspaces of arms, against circles, sectors and counted points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mbs_dae as mbs
from mbs_dae.workspaces.following.tracing import LONG, STUCK
from mbs_dae.workspaces.reach.limits import JointLimits
from mbs_dae.workspaces.reach.reachable import _open_ends

L1, L2 = 1.0, 0.6


def arm(size: float = 1.0, second: float = L2) -> mbs.PlanarModel:
    points = {"A": (0, 0), "B": (L1 * size, 0), "C": ((L1 + second * np.cos(0.4)) * size, second * np.sin(0.4) * size)}
    return mbs.PlanarModel.from_points(points, rods=["AB", "BC"], fixed="A")


@pytest.mark.parametrize("size", [1.0, 1e-3, pytest.param(1e3, marks=pytest.mark.soak)])
def test_a_two_link_arm_reaches_a_ring(size):
    found = mbs.reachable_workspace(arm(size), "BC.C", step=0.2)
    assert np.isclose(found.area / size**2, np.pi * ((L1 + L2) ** 2 - (L1 - L2) ** 2), rtol=1e-11)
    radii = sorted((np.hypot(*points.T) / size for _, points in found.boundary), key=np.mean)
    assert len(radii) == 2 and np.abs(radii[0] - (L1 - L2)).max() < 1e-10
    assert np.abs(radii[1] - (L1 + L2)).max() < 1e-10
    assert [one.modes for one in found.regions] == [2] and {kind for kind, _ in found.boundary} == {"serial"}


def test_curves_that_do_not_close_are_told_where_joints_keep_their_limits():
    """The circle at full stretch, as if it were not followed to its end: with the elbow between 0.3 and 2 it does not
    matter."""
    model = arm()
    found = mbs.reachable_workspace(model, "BC.C", step=0.2)
    assert not _open_ends(found.curves, JointLimits(model, {}))
    (outer,) = (curve for curve in found.curves if np.hypot(*curve.values[0]) > 1.5)
    for why, words in ((LONG, "longer than was followed"), (STUCK, "not smooth")):
        curve = replace(outer, trace=replace(outer.trace, ending=why))
        (note,) = _open_ends([curve], JointLimits(model, {}))
        assert words in note and f"{curve.values[-1][0]:.6g}" in note
        assert not _open_ends([curve], JointLimits(model, {"B.angle": (0.3, 2.0)}))


def test_equal_links_reach_the_shoulder():
    found = mbs.reachable_workspace(arm(second=L1), "BC.C", step=0.2)
    assert np.isclose(found.area, np.pi * (2 * L1) ** 2, rtol=1e-11)


def test_limits_of_both_joints_cut_a_sector_out_of_a_ring():
    """0.3 ≤ q₂ ≤ 2 keeps the elbow on one side: as q₁ turns by 3 rad the region of all q₂ sweeps |∂(x, y)/∂q| =
    l₁ l₂ sin q₂."""
    found = mbs.reachable_workspace(arm(), "BC.C", step=0.2, limits={"A.angle": (-1, 2), "B.angle": (0.3, 2.0)})
    assert np.isclose(found.area, 3.0 * L1 * L2 * (np.cos(0.3) - np.cos(2.0)), rtol=1e-11)
    assert {kind for kind, _ in found.boundary} == {"limit"}
    radii = np.sqrt(L1**2 + L2**2 + 2 * L1 * L2 * np.cos([0.3, 2.0]))
    for _, points in found.boundary:  # about the shoulder, or about an elbow at a limit of the shoulder
        circles = [np.abs(np.hypot(*points.T) - r).max() for r in radii]
        circles += [np.abs(np.hypot(*(points - [np.cos(q), np.sin(q)]).T) - L2).max() for q in (-1, 2)]
        assert min(circles) < 1e-10


def test_stops_are_limits_and_singular_arcs_meet_them():
    """-2 ≤ q₂ ≤ 2: the arm stretches, and its outer boundary is an arc between two of limits."""
    model = arm()
    joints = [model.elements[name] for name in "AB"]
    stops = [
        mbs.Stop(f"stop {j.name}", mbs.angle(j), lower=a, upper=b)
        for j, a, b in zip(joints, (-1, -2), (2, 2), strict=True)
    ]
    found = mbs.reachable_workspace(model.plus(*stops), "BC.C", step=0.2)
    same = mbs.reachable_workspace(model, "BC.C", step=0.2, limits={"A.angle": (-1, 2), "B.angle": (-2, 2)})
    assert np.isclose(found.area, same.area, rtol=1e-12)
    arcs = [points for kind, points in found.boundary if kind == "serial"]
    ends = np.concatenate([np.arctan2(points[[0, -1], 1], points[[0, -1], 0]) for points in arcs])
    assert np.isclose(ends.min(), -1, atol=1e-9) and np.isclose(ends.max(), 2, atol=1e-9)
    both = 2 * 3.0 * L1 * L2 * (1 - np.cos(2.0))  # the areas that both elbows sweep; what both reach counts twice
    assert np.isclose(sum(one.area * one.modes for one in found.regions), both, rtol=1e-10)


def test_a_redundant_arm_and_a_hole():
    points = {"A": (0, 0), "B": (1, 0), "C": (1.3, 0.1), "D": (1.5, 0.2)}
    model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="A")
    b, c = np.hypot(0.3, 0.1), np.hypot(0.2, 0.1)
    found = mbs.reachable_workspace(model, "CD.D", step=0.2)
    assert np.isclose(found.area, np.pi * ((1 + b + c) ** 2 - (1 - b - c) ** 2), rtol=1e-10)
    assert all(one.modes is None for one in found.regions)


@pytest.mark.soak
def test_no_pose_of_a_redundant_arm_with_limits_is_outside():
    points = {"A": (0, 0), "B": (1, 0), "C": (1.6, 0), "D": (1.9, 0)}
    model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="A")
    found = mbs.reachable_workspace(model, "CD.D", limits=dict.fromkeys(("A.angle", "B.angle", "C.angle"), (-1, 1)))
    q = np.cumsum(np.random.default_rng(1).uniform(-1, 1, (20_000, 3)), axis=1)
    hands = np.column_stack([f(q) @ [1, 0.6, 0.3] for f in (np.cos, np.sin)])
    outside = hands[~found.contains(hands)]
    boundary = np.concatenate([points for _, points in found.boundary])
    assert len(outside) < 20
    assert all(np.linalg.norm(boundary - point, axis=1).min() < 0.06 for point in outside)  # a chord of its polygon off


@pytest.mark.soak
def test_a_section_through_the_workspace_of_an_arm_in_space():
    """A turret with two links: y = 0.1 cuts a ring out of both spheres, as large as that through the middle."""
    model = mbs.SpatialModel("turret")
    post = model.body("post", position=(0, 0, 0))
    upper = model.body("upper", position=(0, 0, 0))
    lower = model.body("lower", position=(L1, 0, 0))
    lower.marker("hand", L2, 0, 0)
    model.add(
        mbs.Revolute("turn", model.ground, post),
        mbs.Revolute("shoulder", post, upper, at=(0, 0, 0), axis=(0, 1, 0)),
        mbs.Revolute("elbow", upper, lower, at=(L1, 0, 0), axis=(0, 1, 0)),
    )
    bent = {"elbow.angle": (0.4, 2.5)}
    found = mbs.reachable_workspace(model, "lower.hand", plane="xz", at=0.1, limits=bent, step=0.2)
    high, low = (np.sqrt(L1**2 + L2**2 + 2 * L1 * L2 * np.cos(q)) for q in (0.4, 2.5))
    assert np.isclose(found.area, np.pi * (high**2 - low**2), rtol=1e-9)
