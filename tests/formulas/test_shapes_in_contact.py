"""The gaps and slip velocities of shapes, against geometry and motion that are computed by other means.

Gaps are held against sampled bodies: the least distance of points of one from the other. Normals are difference
quotients of the gap, contact points follow from them, and slip is the velocity of both materials there, by v + ω × r.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused
from touching import GAP, RATE, SLIP, Read, directions_of_slip, moved, normal, place, velocity_there

import mbs_dae as mbs
from mbs_dae.model import contacts

THETA = mbs.theta
CURVE = 1 + sp.cos(2 * THETA) / 8 + sp.sin(THETA) / 11
SIZE = {2: (0.5, 0.3), 3: (0.5, 0.3, 0.4)}
CORNERS = {
    2: [(0.4, -0.1), (-0.2, 0.3), (-0.3, -0.25)],
    3: [(0.4, 0, -0.1), (-0.2, 0.3, 0), (-0.3, -0.25, 0.1), (0, 0, 0.5)],
}

ball = {2: contacts.Disk, 3: contacts.Sphere}
flat = {2: contacts.Line, 3: contacts.Plane}
HULLS = {
    "point": lambda m, d: contacts.Point(m),
    "ball": lambda m, d: ball[d](m, 0.3),
    "capsule": lambda m, d: contacts.Capsule(m, 0.8, 0.2),
    "box": lambda m, d: contacts.Box(m, SIZE[d]),
    "polygon": lambda m, d: contacts.Polygon(m, CORNERS[d]),
}
SURFACES = {
    "flat": lambda m, d: flat[d](m),
    "bowl": lambda m, d: ball[d](m, 2.0, inside=True),
    "round": lambda m, d: ball[d](m, 0.7),
    "long": lambda m, d: contacts.Capsule(m, 1.2, 0.25),
    "block": lambda m, d: contacts.Box(m, SIZE[d]),
    "cam": lambda m, d: contacts.Profile(m, CURVE),
    "convex": lambda m, d: contacts.Polygon(m, CORNERS[d]),
}
PAIRS = [(s, h) for s in ("flat", "bowl") for h in HULLS]
PAIRS += [(s, h) for s in ("round", "long") for h in ("point", "ball")] + [("block", "ball"), ("cam", "point")]
CASES = [*((s, h, d) for s, h in PAIRS for d in (2, 3)), ("convex", "ball", 2)]


# --- bodies as sets of points, in their own axes ----------------------------------------------------------------


def segment(d, length):
    along = np.linspace(-length / 2, length / 2, 2001)
    return along[:, None] * np.eye(d)[0 if d == 2 else 2]


def hull_points(name, d, random):
    """The core of a hull - all between its corners - and its radius."""
    if name in ("point", "ball"):
        return np.zeros((1, d)), 0.3 * (name == "ball")
    if name == "capsule":
        return segment(d, 0.8), 0.2
    corners = np.array(CORNERS[d]) if name == "polygon" else box_corners(d)
    weights = random.dirichlet(np.full(len(corners), 0.3), 3000)
    return np.vstack([corners, weights @ corners]), 0.0


def box_corners(d):
    return np.array(np.meshgrid(*([-s / 2, s / 2] for s in SIZE[d]))).reshape(d, -1).T


def surface_points(name, d):
    """The core of a surface and its radius; of the block its boundary."""
    if name == "round":
        return np.zeros((1, d)), 0.7
    if name == "long":
        return segment(d, 1.2), 0.25
    if name == "convex":
        ends = np.array(CORNERS[d])
        along = np.linspace(0, 1, 2001)[:, None]
        return np.vstack([a + along * (b - a) for a, b in zip(ends, np.roll(ends, -1, axis=0), strict=True)]), 0.0
    grid = np.stack(np.meshgrid(*(np.linspace(-s / 2, s / 2, 201 if d == 2 else 61) for s in SIZE[d])), -1)
    grid = grid.reshape(-1, d)
    return grid[(np.abs(np.abs(grid) - np.array(SIZE[d]) / 2) < 1e-12).any(axis=1)], 0.0


def polar(theta):
    return 1 + np.cos(2 * theta) / 8 + np.sin(theta) / 11


def distance_of_bodies(surface, hull, d, frame, other, random):
    """The least distance of the points of both; what reaches beyond the surface counts as negative."""
    core, radius = hull_points(hull, d, random)
    core = (core @ other[1].T + other[0] - frame[0]) @ frame[1]  # in the surface's axes
    if surface == "flat":
        return core[:, -1].min() - radius
    if surface == "bowl":
        return 2.0 - np.linalg.norm(core, axis=1).max() - radius
    points, thickness = surface_points(surface, d)
    return np.linalg.norm(core[:, None] - points, axis=2).min() - thickness - radius


# --- shapes that touch ------------------------------------------------------------------------------------------


def bodies(d):
    model = (mbs.PlanarModel if d == 2 else mbs.SpatialModel)("bench")
    inertia = 1.0 if d == 2 else (1.0, 1.0, 1.0)
    return [model.body(name, mass=1.0, inertia=inertia) for name in "ab"]


def contact_of(surface, hull, d, swap=False, friction=0.3):
    a, b = bodies(d)
    shapes = [SURFACES[surface](a, d), HULLS[hull](b, d)]
    return contacts.Contact("c", *(shapes[::-1] if swap else shapes), friction=friction)


READ: dict = {}


def reader(surface, hull, d, swap=False):
    key = surface, hull, d, swap
    if key not in READ:
        READ[key] = Read(contact_of(*key))
    return READ[key]


def frames_near(surface, hull, d, random, gap):
    """Both bodies with the gap of the first point as given, by a shift of the second along the normal; the normal by
    difference quotients."""
    read = reader(surface, hull, d)
    frame, other = place(d, random, 1.0), place(d, random)
    start = random.normal(size=d)
    start *= {"bowl": 1.0, "flat": 1.0}.get(surface, 1.6) / np.linalg.norm(start)
    other = frame[0] + start, other[1]
    for _ in range(60):
        n = normal(read, frame, other)
        miss = read(GAP, (frame, other))[0] - gap
        other = other[0] - miss * n / (n @ n), other[1]
        if abs(miss) < 1e-13:
            break
    return frame, other


def corner(surface, hull, d, frame, other):
    """The first corner of the hull, in the world."""
    if hull in ("point", "ball"):
        own = np.zeros(d)
    elif hull == "capsule":
        own = segment(d, 0.8)[0]
    else:
        own = np.array(CORNERS[d])[0] if hull == "polygon" else -np.array(SIZE[d]) / 2
    return other[0] + other[1] @ own


ids = [f"{h} on {s} {d}d" for s, h, d in CASES]


@pytest.mark.parametrize(("surface", "hull", "d"), CASES, ids=ids)
def test_the_least_gap_is_the_distance_of_the_bodies(surface, hull, d):
    """Apart and overlapping: sign included."""
    random = np.random.default_rng(len(surface + hull) + d)
    read = reader(surface, hull, d)
    wanted = (0.2, 0.01, 0.0, -0.01) + ((-0.15,) if hull in ("ball", "capsule") else ())
    for gap in (*wanted, *wanted):
        frames = frames_near(surface, hull, d, random, gap)
        found = read(GAP, frames).min()
        if surface == "cam":
            continue
        expected = distance_of_bodies(surface, hull, d, *frames, random)
        assert found == pytest.approx(expected, abs=2e-3 if surface == "block" else 1e-6)


@pytest.mark.parametrize("d", [2, 3])
def test_the_gap_of_a_profile_is_the_distance_near_the_curve(d):
    """To second order in the distance; zero on it, positive outside."""
    random = np.random.default_rng(5)
    read = reader("cam", "point", d)
    angles = np.linspace(0, 2 * np.pi, 200001)
    curve = polar(angles)[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)
    for theta in random.uniform(-np.pi, np.pi, 6):
        for away in (0.0, 0.02, -0.02):
            frame = place(d, random, 1.0)
            local = np.zeros(d)
            local[:2] = (polar(theta) + away) * np.array([np.cos(theta), np.sin(theta)])
            if d == 3:
                local[2] = random.normal()
            point = frame[0] + frame[1] @ local
            true = np.sign(away) * np.linalg.norm(curve - local[:2], axis=1).min()
            assert read(GAP, (frame, (point, np.eye(d))))[0] == pytest.approx(true, abs=3e-4 if away else 1e-12)


@pytest.mark.parametrize(("surface", "hull", "d"), CASES, ids=ids)
def test_the_gap_grows_by_one_and_its_rate_is_its_difference_quotient(surface, hull, d):
    random = np.random.default_rng(7)
    read = reader(surface, hull, d)
    for _ in range(3):
        frames = frames_near(surface, hull, d, random, 0.0)
        assert np.linalg.norm(normal(read, *frames)) == pytest.approx(1.0, abs=1e-8)
        rates = [random.normal(size=3 * d - 3) for _ in frames]
        h = 1e-5
        ahead, behind = (read(GAP, [moved(f, r, s * h) for f, r in zip(frames, rates, strict=True)]) for s in (1, -1))
        np.testing.assert_allclose(read(RATE, frames, rates), (ahead - behind) / (2 * h), atol=1e-7)


@pytest.mark.parametrize(("surface", "hull", "d"), CASES, ids=ids)
def test_slip_is_the_velocity_of_one_material_along_the_other(surface, hull, d):
    """In directions of length 1, at right angles to each other and to the normal."""
    random = np.random.default_rng(11)
    read = reader(surface, hull, d)
    size = 3 * d - 3
    for _ in range(4):
        frame, other = frames_near(surface, hull, d, random, 0.0)
        n = normal(read, frame, other)
        touching = corner(surface, hull, d, frame, other) - {"ball": 0.3, "capsule": 0.2}.get(hull, 0.0) * n
        directions = directions_of_slip(read, (frame, other))
        np.testing.assert_allclose(directions @ directions.T, np.eye(d - 1), atol=1e-12)
        np.testing.assert_allclose(directions @ n, 0, atol=1e-8)
        rates = [random.normal(size=size) for _ in range(2)]
        materials = [velocity_there(f, r, touching) for f, r in zip((frame, other), rates, strict=True)]
        slip = read(SLIP, (frame, other), rates)[: d - 1]
        np.testing.assert_allclose(slip, directions @ (materials[1] - materials[0]), atol=1e-7)


@pytest.mark.parametrize(("surface", "hull", "d"), CASES, ids=ids)
def test_shapes_may_be_named_in_either_order(surface, hull, d):
    """The gap is the same; what slips is then the other material."""
    random = np.random.default_rng(3)
    one, other = reader(surface, hull, d), reader(surface, hull, d, swap=True)
    frames = frames_near(surface, hull, d, random, 0.0)
    rates = [random.normal(size=3 * d - 3) for _ in frames]
    back = frames[::-1], rates[::-1]
    np.testing.assert_allclose(one(GAP, frames), other(GAP, back[0]), atol=1e-14)
    np.testing.assert_allclose(one(RATE, frames, rates), other(RATE, *back), atol=1e-14)
    slip = one(SLIP, frames, rates)[: d - 1] @ directions_of_slip(one, frames)
    assert np.linalg.norm(slip) > 1e-3
    np.testing.assert_allclose(other(SLIP, *back)[: d - 1] @ directions_of_slip(other, back[0]), -slip, atol=1e-12)


def test_a_ball_has_directions_of_slip_all_around():
    """At both poles of the other ball, on the circle where they change, and next to it."""
    read = reader("round", "ball", 3)
    for c in (1, 0.3, 0, -0.499999, -0.5, -0.500001, -1):
        side = np.array([np.sqrt(1 - c * c), 0, c])
        frames = (np.zeros(3), np.eye(3)), (side, np.eye(3))
        T = np.array([read(SLIP, frames, (np.zeros(6), e)) for e in np.eye(6)[:3]]).T
        np.testing.assert_allclose(T @ T.T, np.eye(2), atol=1e-12)
        np.testing.assert_allclose(T @ side, 0, atol=1e-12)


@pytest.mark.parametrize("order", [(0, 2, 1), (0, 1, 3, 2), (0, 1, 2, 0, 1, 2)])
def test_a_polygon_for_round_bodies_is_convex_and_in_order(order):
    """Clockwise, with a dent, twice around."""
    corners = [*CORNERS[2], (0.05, 0.0)]
    a, b = bodies(2)
    with refused("not-convex", subject="Contact 'c': Polygon at a(0, 0)"):
        contacts.Contact("c", contacts.Polygon(a, [corners[k] for k in order]), contacts.Disk(b, 0.3))


def test_a_disk_inside_of_a_polygon_overlaps_it():
    read = reader("convex", "ball", 2)
    frames = (np.zeros(2), np.eye(2)), (np.zeros(2), np.eye(2))
    assert read(GAP, frames)[0] < -0.3


def test_pairs_of_one_kind_are_derived_once():
    """Other numbers are other slots of the same relation."""
    a, b = bodies(2)
    one, other = (contacts.Contact("c", contacts.Line(a), contacts.Disk(b, r)) for r in (0.1, 0.7))
    assert one.form()[0] is other.form()[0] and one.form()[1] != other.form()[1]
