"""Reachable workspaces of arms with offset shoulders and limits, against the inverse model in closed form: the modes at
every point, and the areas by their number, follow exactly."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from workspace_oracle import Arm, random_arm

import mbs_dae as mbs


@pytest.mark.parametrize("z", [0.7, 0.85])
def test_an_offset_shoulder_leaves_no_hole(z):
    """Stretched, the hand is on two circles about the axis: turned forth and back over the shoulder."""
    arm = Arm(0.1, 0.0, 0.3, 0.5, 0.4)
    found = arm.found(z, step=0.2)
    radius = 0.1 + np.sqrt(0.9**2 - (z - 0.3) ** 2)
    assert np.isclose(found.area, np.pi * radius**2, rtol=1e-9) and not found.notes
    assert found.contains([(radius - 0.02, 0)])[0]
    assert [one.modes for one in found.regions] == [arm.modes(*one.inside, z) for one in found.regions]


def test_a_limit_that_turns_back_at_full_stretch():
    """With the turret at its limit the hand goes out on a line to full stretch, and comes back on the same line with
    the other elbow. The elbow's own limit is 3.4° behind: the sickle between is 0.7 mm wide, 0.1 % of the area."""
    arm, z = random_arm(45)
    found = arm.found(z)
    assert np.isclose(found.area, sum(arm.areas(z).values()), rtol=1e-6)
    stretched = np.sqrt((arm.l1 + arm.l2) ** 2 - (z - arm.h) ** 2)
    outer = float(np.hypot(stretched + arm.d, arm.e))
    assert np.isclose(np.hypot(*np.concatenate([points for _, points in found.boundary]).T).max(), outer, rtol=1e-9)


@pytest.mark.parametrize("seed", [45, 52])
def test_a_ring_between_full_stretch_and_a_limit_of_the_elbow(seed):
    """The elbow may bend a little to the other side, so a narrow ring has two solutions on each side of full stretch:
    at seed 52 it is 0.01 mm wide, less than the distance of its arcs from their chords."""
    arm, z = random_arm(seed)
    found, areas = arm.found(z), arm.areas(z)
    assert [one.modes for one in found.regions] == [arm.modes(*one.inside, z) for one in found.regions]
    for number, area in areas.items():
        assert np.isclose(sum(one.area for one in found.regions if one.modes == number), area, rtol=1e-6, atol=1e-12)
    assert not found.notes


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 100))])
def test_random_arms(seed):
    arm, z = random_arm(seed)
    assert not arm.judged(z).silent, (arm, z)


@pytest.mark.slow
def test_a_plane_that_an_arm_only_touches_is_refused():
    """At full stretch upwards the hand of an arm with an offset shoulder has the height 0.3 + 0.5 + 0.2 m."""
    model = mbs.SpatialModel("arm")
    base = model.body("base")
    upper = model.link("upper", (0.2, 0, 0.3), (0.7, 0, 0.3), radius=0.01)
    lower = model.link("lower", (0.7, 0, 0.3), (0.9, 0, 0.3), radius=0.01)
    model.add(
        mbs.Revolute("turret", model.ground, base, at=(0, 0, 0), axis=(0, 0, 1)),
        mbs.Revolute("shoulder", base, upper, at=(0.2, 0, 0.3), axis=(0, 1, 0)),
        mbs.Revolute("elbow", upper, lower, at=(0.7, 0, 0.3), axis=(0, 1, 0)),
    )
    with refused("no-region", model="arm", marker="lower.head"):
        mbs.reachable_workspace(model, "lower.head", plane="xy", at=1.0)


CRITICAL = Arm(0.0, 0.15, 0.5, 0.6, 0.4)
"""An arm beside its axis: folded or stretched upwards and downwards its hand is at 0.7, 0.3, 1.5, -0.5 m."""


@pytest.mark.parametrize("z", [0.7, 0.3, 0.5, 0.7 + 1e-6])
def test_a_plane_may_touch_the_boundary(z):
    """The hole of the reach is a ring whose top touches the plane along a circle: at 0.2 m beside the shoulder. Its
    inner border has the radius 0.15 m, that of the shoulder."""
    found, ring = CRITICAL.found(z, step=0.2), np.pi * (1.0 - max((z - 0.5) ** 2, 0.2**2))
    assert np.isclose(found.area, ring, rtol=1e-8) and [one.modes for one in found.regions] == [4]
    radii = np.hypot(*np.concatenate([points for _, points in found.boundary]).T)
    assert np.isclose(radii.min(), np.sqrt(0.15**2 + max(0.0, 0.2**2 - (z - 0.5) ** 2)), rtol=0, atol=2e-4)
    assert not found.contains([(0.1, 0.0)])[0] and found.contains([(0.5, 0.0)])[0]
    assert any("touches a singular surface" in note for note in found.notes) == (z in (0.7, 0.3))


def test_a_plane_may_touch_the_boundary_at_the_axis():
    """Without an offset the circle of contact is a point, and the ring a disk."""
    found = CRITICAL._replace(e=0.0).found(0.7, step=0.2)
    assert np.isclose(found.area, np.pi * (1.0 - 0.2**2), rtol=1e-8)


@pytest.mark.parametrize("z", [1.5, -0.5])
def test_a_plane_at_full_stretch_has_no_region(z):
    with refused("no-region", mentions=f"z = {z}"):
        CRITICAL.found(z, step=0.2)


def critical_heights(arm: Arm) -> list[float]:
    """Return the heights at which the hand of an arm can move in no way up or down, with joints at limits or not."""
    _, shoulder, elbow = (pair or () for pair in arm.limits)
    heights = [arm.h + up * (arm.l1 + bend * arm.l2) for up in (1, -1) for bend in (1, -1)]
    heights += [arm.h + up * abs(arm.l1 + arm.l2 * np.exp(1j * q)) for q in elbow for up in (1, -1)]
    return heights + [arm.h - arm.l1 * np.sin(q) + up * arm.l2 for q in shoulder for up in (1, -1)]


SHORT = {4: (), 7: pytest.mark.slow, 10: (), 22: pytest.mark.slow, 45: (), 52: pytest.mark.slow}
"""Seeds outside the soak: in 10 and 22 a singular surface has rings in the plane that are 0.08 and 0.04 mm wide; in 4
curves of a joint at its limit cross such a ring, and are interpolated there; in 45 such a curve turns back, and is cut
on both sides of its cusp, 1e-8 m from it; in 52 the areas change by 3 %
within 1e-8 m."""


@pytest.mark.parametrize("seed", [pytest.param(k, marks=SHORT.get(k, pytest.mark.soak)) for k in range(100)])
def test_random_arms_in_planes_that_touch(seed):
    arm, _ = random_arm(seed)
    heights = critical_heights(arm)
    verdict = arm.judged(heights[(7 * seed + 3) % len(heights)], step=0.2)
    open_points = [doubt for doubt in verdict.doubts if "touches" not in doubt]
    assert not verdict.wrong or (open_points and seed not in SHORT), (arm, verdict)


def test_circles_beside_a_plane_that_touches_close():
    """In a plane 4e-9 m beside one that touches, two singular circles are 0.07 mm apart. Each is followed once around:
    one did not return to its first pose, which had an error of 2e-7, and was followed a hundred times around."""
    arm, _ = random_arm(0)
    found = arm.found(critical_heights(arm)[3], step=0.2)
    assert all(curve.closed and len(curve.values) < 150 for curve in found.curves)
    radii = sorted(float(np.hypot(*curve.values.T).mean()) for curve in found.curves if curve.kind == "serial")
    assert len(radii) == 6 and np.isclose(radii[3] - radii[2], 7e-5, rtol=0.02)
