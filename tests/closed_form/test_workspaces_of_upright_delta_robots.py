"""Sections of the reach of delta robots whose platform cannot turn, against their arms one by one.

Three slides hold the platform upright; from each of three arms a rod leads to it. The arms differ. In the axes of an
arm (x outwards, z up), with (x, y, z) = p + r - R, its angle θ (downwards) is a root of

    E cos θ + F sin θ = G,   E = 2 a x,   F = -2 a z,   G = x² + y² + z² + a² - b²

so it has two angles where D = E² + F² - G² > 0, and none where D < 0. A point has 2³ poses, or none. For a given y, D
is a polynomial of degree four in x, so the reach on a line consists of intervals between roots; its area is the
integral of their lengths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import mbs_dae as mbs

LINES = 2000
NEAR = 1e-7
"""Values of D, relative to b⁴, of points (some 0.1 µm) too near to a border."""


class Arm(NamedTuple):
    turn: float
    """The angle of the arm about z, rad."""
    R: float
    r: float
    a: float
    b: float

    def local(self, x, y):
        """Return the place of the wrist relative to the motor, horizontally: outwards and across."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return c * x + s * y + self.r - self.R, c * y - s * x

    def discriminant(self, x, y, z):
        """Return D. x may be a polynomial."""
        out, across = self.local(x, y)
        G = out * out + across * across + (z * z + self.a**2 - self.b**2)
        return 4.0 * self.a**2 * (out * out + z * z) - G * G

    def angle(self, x, y, z) -> float:
        """Return θ with the elbow outside."""
        out, across = self.local(x, y)
        E, F = 2.0 * self.a * out, -2.0 * self.a * z
        G = out**2 + across**2 + z**2 + self.a**2 - self.b**2
        return float(np.arctan2(F, E) - np.arccos(G / np.hypot(E, F)))


def arms(seed: int, spread: float) -> tuple[Arm, ...]:
    random = np.random.default_rng(seed)
    sizes = np.array([0.20, 0.05, 0.25, 0.55]) * random.uniform(1.0 - spread, 1.0 + spread, (3, 4))
    turns = np.arange(3) * 2.0 * np.pi / 3.0 + random.uniform(-spread, spread, 3)
    return tuple(Arm(float(turn), *map(float, own)) for turn, own in zip(turns, sizes, strict=True))


def upright_robot(own: tuple[Arm, ...], place: tuple[float, float, float]) -> mbs.SpatialModel:
    """Return the robot with its platform at a place, and the elbows outside."""
    model = mbs.SpatialModel("upright delta robot")
    start = np.array(place)
    bodies = [model.body(name, position=start) for name in ("slide x", "slide y", "platform")]
    axes = np.eye(3)
    for k, (first, second) in enumerate(zip([model.ground, *bodies], bodies, strict=False)):
        axis, x_axis = axes[k], axes[(k + 1) % 3]
        model.add(mbs.Translational(f"guide {'xyz'[k]}", first, second, at=start, axis=axis, x_axis=x_axis))
    for k, arm in enumerate(own, start=1):
        frame = mbs.rotations.about_z(arm.turn)
        angle = arm.angle(*place)
        shoulder, wrist = frame @ [arm.R, 0, 0], start + frame @ [arm.r, 0, 0]
        elbow = shoulder + arm.a * frame @ [np.cos(angle), 0, -np.sin(angle)]
        upper = model.link(f"arm{k}", shoulder, elbow, z_axis=frame[:, 1])
        rod = model.link(f"rod{k}", elbow, wrist, z_axis=frame[:, 1])
        motor = model.ground.at(*shoulder, axis=frame[:, 1], x_axis=frame[:, 0])
        bar = upper.at(arm.a / 2, 0, 0, axis=(1, 0, 0), x_axis=(0, 0, 1))
        model.add(
            mbs.Revolute(f"motor{k}", motor, upper.tail),
            mbs.Universal(f"elbow{k}", bar, rod.tail),
            mbs.Spherical(f"wrist{k}", rod.head, bodies[2].at(*(wrist - start))),
        )
    return model


def scanned_area(own: tuple[Arm, ...], z: float, half: float) -> float:
    """Return the area of the reach in a square, from intervals between roots on many lines."""
    lengths = []
    x = Polynomial([0.0, 1.0])
    for y in half * (2.0 * (np.arange(LINES) + 0.5) / LINES - 1.0):
        ends = {-half, half}
        for arm in own:
            roots = arm.discriminant(x, y, z).roots()
            ends |= {float(root.real) for root in roots if abs(root.imag) < 1e-9 and abs(root.real) < half}
        edges = np.array(sorted(ends))
        middles = 0.5 * (edges[1:] + edges[:-1])
        inside = np.all([arm.discriminant(middles, y, z) > 0.0 for arm in own], axis=0)
        lengths.append(float(np.diff(edges)[inside].sum()))
    return float(np.mean(lengths)) * 2.0 * half


def check(seed: int, spread: float, z: float, half: float = 0.6, points: int = 200) -> mbs.Workspace:
    """Compare areas, and numbers of poses at random points."""
    own = arms(seed, spread)
    model = upright_robot(own, (0.0, 0.0, -0.45))
    over = {"platform.x": (-half, half), "platform.y": (-half, half)}
    found = mbs.workspace(model, over, fix={"platform.z": z})
    assert any("half turns" in note for note in found.notes)
    area = sum(region.area for region in found.regions if region.modes)
    assert np.isclose(area, scanned_area(own, z, half), rtol=1e-4), found.notes
    assert {region.modes for region in found.regions} <= {0, 8}
    for x, y in np.random.default_rng(seed + 100).uniform(-half, half, (points, 2)):
        D = np.array([arm.discriminant(x, y, z) / arm.b**4 for arm in own])
        if np.abs(D).min() > NEAR:
            assert found.at(x, y).modes == (8 if D.min() > 0.0 else 0), (x, y, found.notes)
    return found


@pytest.mark.parametrize("seed, z", [(0, -0.5), (1, -0.62)])
def test_sections_have_the_reach_of_all_arms(seed, z):
    found = check(seed, 0.1, z)
    states = max(found.regions, key=lambda region: region.area if region.modes else 0.0).states
    for state in states:
        assert abs(state["platform.z"] - z) < 1e-9


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_sections_of_random_robots_at_random_heights(seed):
    check(seed + 10, 0.15, float(np.random.default_rng(seed).uniform(-0.7, -0.2)))
