"""Bodies in the plane of which each is a surface for the other's corners, against distances found by other means.

The distance of two rounded polygons is that of their cores less both radii. That of the cores is the least over all
pairs of their sides, each a bounded least-squares problem in the places along both.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from touching import GAP, RATE, SLIP, Read, moved, place, velocity_there

import mbs_dae as mbs
from mbs_dae.model import contacts

TRIANGLE = [(0.5, -0.2), (-0.1, 0.4), (-0.4, -0.3)]
BODIES = {
    "capsule": (lambda m: contacts.Capsule(m, 0.8, 0.2), [(-0.4, 0), (0.4, 0)], 0.2),
    "box": (lambda m: contacts.Box(m, (0.5, 0.3)), [(-0.25, -0.15), (0.25, -0.15), (0.25, 0.15), (-0.25, 0.15)], 0.0),
    "round box": (
        lambda m: contacts.Box(m, (0.6, 0.4), radius=0.05),
        [(-0.25, -0.15), (0.25, -0.15), (0.25, 0.15), (-0.25, 0.15)], 0.05,
    ),
    "triangle": (lambda m: contacts.Polygon(m, TRIANGLE), TRIANGLE, 0.0),
}  # fmt: skip
PAIRS = [
    pytest.param(pair, id=" and ".join(pair), marks=[pytest.mark.soak] if "triangle" in pair else [])
    for pair in [("capsule", "capsule"), ("capsule", "box"), ("round box", "box"), ("triangle", "round box")]
]


def pair_of(first, second):
    model = mbs.PlanarModel("bench")
    markers = [model.body(name, mass=1.0, inertia=1.0) for name in "ab"]
    shapes = [BODIES[name][0](marker) for name, marker in zip((first, second), markers, strict=True)]
    return Read(contacts.Contact("c", *shapes, friction=0.3))


def least_distance(cores):
    sides = [list(zip(core, np.roll(core, -1, axis=0), strict=True)) for core in cores]
    found = []
    for a, b in sides[0]:
        for c, d in sides[1]:
            best = lsq_linear(np.column_stack([b - a, c - d]), c - a, (0, 1), method="bvls", tol=1e-15)
            found.append(np.sqrt(2 * best.cost))
    return min(found)


def corners_in_order(name, core):
    """As a contact has its points: of the second body first; of a box from left to right."""
    return core[[0, 3, 1, 2]] if "box" in name else core


@pytest.mark.parametrize("pair", PAIRS)
def test_the_least_gap_is_the_distance_and_slips_are_those_of_the_materials(pair):
    """Each gap grows by 1 with the way of the second body; what slips there is what both materials do."""
    random, read, apart = np.random.default_rng(4), pair_of(*pair), 0
    radius = sum(BODIES[name][2] for name in pair)
    for _ in range(60):
        frames = place(2, random, 0.6), place(2, random, 0.6)
        cores = [np.array(BODIES[name][1]) @ axes.T + point for name, (point, axes) in zip(pair, frames, strict=True)]
        expected = least_distance(cores) - radius
        gaps = read(GAP, frames)
        if expected <= 1e-6 - radius:  # the cores overlap, and so do the bodies
            assert gaps.min() < 0
            continue
        apart += 1
        assert gaps.min() == pytest.approx(expected, abs=1e-10)
        rates = [random.normal(size=3) for _ in frames]
        h = 1e-5
        ahead, behind = (read(GAP, [moved(f, r, s * h) for f, r in zip(frames, rates, strict=True)]) for s in (1, -1))
        np.testing.assert_allclose(read(RATE, frames, rates), (ahead - behind) / (2 * h), atol=1e-6)
        k = gaps.argmin()
        normal = np.array([read(RATE, frames, (np.zeros(3), e))[k] for e in np.eye(3)[:2]])
        along = np.array([read(SLIP, frames, (np.zeros(3), e))[k] for e in np.eye(3)[:2]])
        np.testing.assert_allclose(along, [normal[1], -normal[0]], atol=1e-9)
        corner = np.vstack([corners_in_order(*one) for one in zip(pair[::-1], cores[::-1], strict=True)])[k]
        there = corner + normal * (-BODIES[pair[1]][2] if k < len(cores[1]) else BODIES[pair[0]][2])
        materials = [velocity_there(f, r, there) for f, r in zip(frames, rates, strict=True)]
        assert read(SLIP, frames, rates)[k] == pytest.approx(along @ (materials[1] - materials[0]), abs=1e-9)
    assert apart > 20


def test_rounded_corners_leave_faces_where_they_are():
    """Of a polygon as of a box: the least height above a line, turned by any angle."""
    model = mbs.PlanarModel("bench")
    a, b = (model.body(name, mass=1.0, inertia=1.0) for name in "ab")
    corners = [(-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2)]
    for r in (0.0, 0.04, 0.2):
        box, polygon = (
            Read(contacts.Contact("c", contacts.Line(a), shape))
            for shape in (contacts.Box(b, (0.6, 0.4), radius=r), contacts.Polygon(b, corners, radius=r))
        )
        for angle in (0.0, np.pi / 2, 0.7):
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            frames = (np.zeros(2), np.eye(2)), (np.zeros(2), turn)
            core = np.abs(turn[1]) @ [0.3 - r, 0.2 - r]
            assert box(GAP, frames).min() == pytest.approx(-core - r, abs=1e-14)
            assert polygon(GAP, frames).min() == pytest.approx(-core - r, abs=1e-14)


@pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")  # of branches that are not taken
@pytest.mark.parametrize("d", [2, 3])
def test_a_box_is_solid(d):
    """A ball with its middle inside is told how deep it is, and which way is out."""
    model = (mbs.PlanarModel if d == 2 else mbs.SpatialModel)("bench")
    a, b = (model.body(name, mass=1.0, inertia=1.0 if d == 2 else (1.0, 1.0, 1.0)) for name in "ab")
    ball = (contacts.Disk if d == 2 else contacts.Sphere)(b, 0.1)
    read = Read(contacts.Contact("c", contacts.Box(a, (0.6, 0.4, 0.5)[:d]), ball, friction=0.1))
    random = np.random.default_rng(1)
    for k, sign in ((0, 1), (1, -1), (d - 1, 1)):
        frame = place(d, random, 1.0)
        inside = np.zeros(d)
        inside[k] = sign * ((0.3, 0.2, 0.25)[k] - 0.02)
        frames = frame, (frame[0] + frame[1] @ inside, np.eye(d))
        assert read(GAP, frames)[0] == pytest.approx(-0.12, abs=1e-14)
        rates = [np.zeros(3 * d - 3), np.zeros(3 * d - 3)]
        rates[1][:d] = frame[1][:, k] * sign
        assert read(RATE, frames, rates)[0] == pytest.approx(1.0, abs=1e-12)
        assert read(SLIP, frames, rates) == pytest.approx(np.zeros(d - 1), abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")  # of branches that are not taken
def test_a_polygon_is_solid():
    """The same of a point in a polygon with round corners, deeper than these are round, below each of its sides."""
    model = mbs.PlanarModel("bench")
    a, b = (model.body(name, mass=1.0, inertia=1.0) for name in "ab")
    corners = [(-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2)]
    read = Read(contacts.Contact("c", contacts.Polygon(a, corners, radius=0.01), contacts.Point(b), friction=0.1))
    frame = place(2, np.random.default_rng(1), 1.0)
    for inside, way in (((0.1, -0.17), (0, -1)), ((0.27, 0.1), (1, 0)), ((0.1, 0.17), (0, 1)), ((-0.27, 0), (-1, 0))):
        frames = frame, (frame[0] + frame[1] @ inside, np.eye(2))
        assert read(GAP, frames)[0] == pytest.approx(-0.03, abs=1e-14)
        rates = [np.zeros(3), np.zeros(3)]
        rates[1][:2] = frame[1] @ way
        assert read(RATE, frames, rates)[0] == pytest.approx(1.0, abs=1e-12)
        assert read(SLIP, frames, rates) == pytest.approx([0.0], abs=1e-12)
