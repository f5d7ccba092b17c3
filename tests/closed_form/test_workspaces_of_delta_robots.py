"""Numbers of poses of delta robots, against all poses of the platform that six rods and three arms allow.

In the model the platform may tilt: six rods of length b hold it, two from each arm. With the platform's centre at p,
its rotation Q and the arms' angles θ are the roots of six equations, for k = 1, 2, 3 and both sides s = ±h,

    |p + Q A_k (r, s, 0) - A_k (R + a cos θ_k, s, -a sin θ_k)| = b,

where A_k turns about z by 120° (k - 1). They are found here from many rotations and angles at random. In Q = 1
there are 2³ of them, two angles for each arm. A rod between its universal joint and its ball may be turned about its
own line by half a turn, so each has 2⁶ copies, which workspaces count once: they take rods as distances.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
from refusals import refused
from scipy.spatial.transform import Rotation

import mbs_dae as mbs
from mbs_dae.workspaces.following.modes import random_poses
from mbs_dae.workspaces.following.search import Region
from mbs_dae.workspaces.request import equations_of, initial_pose, ranges_of, select_independent, states_at

SIZES = {"R": 0.20, "r": 0.05, "a": 0.25, "b": 0.55, "half": 0.04}
STARTS = 4000


def delta_robot(**sizes: float) -> mbs.SpatialModel:
    path = Path(__file__).parents[2] / "models" / "delta_robot.py"
    spec = importlib.util.spec_from_file_location("delta_robot", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build(drive=None, **sizes)


def equations(p, Q, angles, R, r, a, b, half):
    """Return the six equations, (n, 6), and their derivatives by rotations and angles, (n, 6, 6)."""
    values, slopes = [], []
    for k in range(3):
        A = Rotation.from_euler("z", 120 * k, degrees=True).as_matrix()
        c, s = np.cos(angles[:, k]), np.sin(angles[:, k])
        elbow, rate = (np.stack(xyz, axis=-1) @ A.T for xyz in ((R + a * c, 0 * c, -a * s), (-a * s, 0 * c, -a * c)))
        for side in (half, -half):
            wrist = Q @ (A @ [r, side, 0])
            rod = p + wrist - elbow - side * A[:, 1]
            row = np.zeros((len(Q), 6))
            row[:, :3], row[:, 3 + k] = np.cross(wrist, rod), -(rod * rate).sum(axis=1)
            values.append(0.5 * ((rod * rod).sum(axis=1) - b * b))
            slopes.append(row)
    return np.stack(values, axis=-1), np.stack(slopes, axis=1)


def platform_poses(p, sizes, seed=0) -> np.ndarray:
    """Return the different poses as rows of Q, cos θ and sin θ."""
    random = np.random.default_rng(seed)
    Q, angles = Rotation.random(STARTS, random_state=seed).as_matrix(), random.uniform(-np.pi, np.pi, (STARTS, 3))
    for _ in range(60):
        values, slopes = equations(np.asarray(p), Q, angles, **sizes)
        steps = -np.linalg.solve(slopes + 1e-14 * np.eye(6), values[:, :, None])[:, :, 0]
        steps *= np.minimum(1.0, 0.4 / np.maximum(np.abs(steps).max(axis=1, keepdims=True), 1e-300))
        Q, angles = Rotation.from_rotvec(steps[:, :3]).as_matrix() @ Q, angles + steps[:, 3:]
    closed = np.abs(equations(np.asarray(p), Q, angles, **sizes)[0]).max(axis=1) < 1e-12
    found: list[np.ndarray] = []
    for row in np.hstack([Q[closed].reshape(-1, 9), np.cos(angles[closed]), np.sin(angles[closed])]):
        if not any(np.abs(row - one).max() < 1e-6 for one in found):
            found.append(row)
    return np.array(found).reshape(-1, 15)


def check(sizes, x, y, z):
    """Compare each region of a small section with all poses at its inner point."""
    model = delta_robot(**sizes)
    start = mbs.assemble(model, fix={"platform.x": sum(x) / 2, "platform.y": sum(y) / 2, "platform.z": z})
    over = {"platform.x": x, "platform.y": y}
    found = mbs.workspace(model, over, fix={"platform.z": z}, start=start, step=0.25)
    assert np.isclose(sum(region.area for region in found.regions), (x[1] - x[0]) * (y[1] - y[0]), rtol=1e-6)
    untilted = 0
    for region in found.regions:
        poses = platform_poses((*region.inside, z), sizes)
        own = np.array([state.full_q[3:7] for state in region.states])
        assert region.modes == len(poses), (region.inside, region.modes, len(poses), found.notes)
        flat = np.abs(poses[:, :9] - np.eye(3).ravel()).max(axis=1) < 1e-6
        upright = np.abs(own[:, 1:]).max(axis=1, initial=0.0) < 1e-6 if len(own) else np.zeros(0, dtype=bool)
        assert upright.sum() == flat.sum()
        untilted += flat.sum()
    assert any("half turns" in note for note in found.notes)
    return found, untilted


def section_of(sizes, z=-0.5):
    """Return the equations of a section, its pose in general position, and the initial pose without rods."""
    fix = {"platform.z": z}
    model = delta_robot(**sizes)
    plane, low, high = ranges_of(model, {"platform.x": (-0.4, 0.4), "platform.y": (-0.4, 0.4)})
    initial = initial_pose(model, 0.0, fix, None).without_rods([*plane.names, *fix])
    equations = equations_of(initial.model, 0.0, plane, fix)
    return equations, select_independent(equations, initial, plane), initial, Region(low, high, plane.turns)


@pytest.mark.parametrize("values", [(0.1, 0.02), (-0.2, 0.1), (0.3, 0.1), (0.35, 0.35)])
def test_joints_at_random_lead_to_all_poses(values):
    equations, base, initial, region = section_of(SIZES)
    assert len(initial.rods.names) == 6 and equations.system.nv == 24
    found = random_poses(equations, region, base, np.array(values))
    assert len(found) == len(platform_poses((*values, -0.5), SIZES))
    assert (len(found) > 0) == (values != (0.35, 0.35))


def test_rods_are_where_their_joints_put_them():
    equations, base, initial, region = section_of(SIZES)
    poses = random_poses(equations, region, base, np.array([0.1, 0.02]))
    for state in states_at(initial, [z.q for z in poses[::6]]):
        assert np.allclose([state[f"platform.{axis}"] for axis in "xyz"], [0.1, 0.02, -0.5], rtol=0.0, atol=1e-9)
        held = {"platform.x": 0.1, "platform.y": 0.02, "platform.z": -0.5}
        again = mbs.assemble(delta_robot(**SIZES), fix=held, start=state)
        assert np.allclose(again.full_q[: 7 * 10], state.full_q[: 7 * 10], rtol=0.0, atol=1e-9)
    assert np.allclose(initial.poses(initial.q[None])[0], initial.rods.q, rtol=0.0, atol=1e-12)


def test_rods_with_a_held_quantity_keep_their_bodies():
    model = delta_robot(**SIZES)
    initial = initial_pose(model, 0.0, {"platform.z": -0.5}, None)
    assert len(initial.without_rods(["rod1 left.x"]).rods.names) == 5
    assert len(initial.without_rods(["elbow1 left.angle_1", "wrist2 right.angle_1"]).rods.names) == 4
    assert initial.without_rods([f"rod{k} {side}.x" for k in (1, 2, 3) for side in ("left", "right")]).rods is None


def test_a_search_ends_in_time_and_says_what_is_open():
    over = {"platform.x": (-0.4, 0.4), "platform.y": (-0.4, 0.4)}
    begun = monotonic()
    found = mbs.workspace(delta_robot(**SIZES), over, fix={"platform.z": -0.5}, step=0.25, max_seconds=4.0)
    assert monotonic() - begun < 60.0
    assert any("max_seconds" in note and "curves" in note for note in found.notes)
    assert len(found.curves) > 0
    with refused("not-positive", argument="max_seconds"):
        mbs.workspace(delta_robot(**SIZES), over, fix={"platform.z": -0.5}, max_seconds=0.0)


@pytest.mark.slow
def test_a_section_has_all_poses_of_the_platform():
    found, untilted = check(SIZES, (0.12, 0.14), (0.01, 0.03), -0.5)
    assert untilted == 8 * len(found.regions)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_sections_of_random_robots(seed):
    random = np.random.default_rng(seed)
    sizes = {name: size * random.uniform(0.9, 1.1) for name, size in SIZES.items()}
    x, y = random.uniform(-0.1, 0.1, 2)
    check(sizes, (x, x + 0.02), (y, y + 0.02), -0.5)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_whole_sections_of_random_robots(seed):
    """After 300 s a region whose number is not that of all poses of the platform at a random point needs a note, and so
    does a point in no region."""
    random = np.random.default_rng(seed)
    sizes = {name: size * random.uniform(0.9, 1.1) for name, size in SIZES.items()}
    z, half = float(random.uniform(-0.6, -0.4)), 0.4
    over = {"platform.x": (-half, half), "platform.y": (-half, half)}
    found = mbs.workspace(delta_robot(**sizes), over, fix={"platform.z": z}, step=0.25, max_seconds=300.0)
    words = ("missed", "not found", "not sampled", "time was over")
    doubts = [note for note in found.notes if any(word in note for word in words)]
    area = sum(region.area for region in found.regions)
    assert np.isclose(area, 4.0 * half**2, rtol=1e-6) or (area < 4.0 * half**2 and doubts)
    wrong = []
    for x, y in random.uniform(-half, half, (60, 2)):
        modes = sum(region.modes for region in found.regions if region.contains([(x, y)])[0])
        if modes != (count := len(platform_poses((x, y, z), sizes))):
            wrong.append((float(x), float(y), modes, count))
    print(f"seed {seed}: {len(wrong)} of 60 points, {len(found.regions)} regions, area {area:.4g}; {doubts}")
    assert not wrong or doubts, (wrong, found.notes)
