"""What friction holds at random, against sums of edges of its cones.

Forces within cones of friction in the plane are sums of their edges; any of them is a sum of three (Carathéodory). In
space cones lie between pyramids.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

import mbs_dae as mbs

FEW, MANY = range(5), range(5, 80)
some = [*FEW, *(pytest.param(seed, marks=pytest.mark.soak) for seed in MANY)]


def pinched(places, angles, frictions, weight, push=((0.0, 0.0), (0.0, 0.0))):
    """A body on points of lines, with a force P·push at a place of it."""
    model = mbs.PlanarModel("pinched", gravity=(0, -9.81))
    P, body = model.parameter("P", 0.3, unit="N"), model.body("body", mass=weight / 9.81, inertia=1.0)
    for k, (place, angle, mu) in enumerate(zip(places, angles, frictions, strict=True)):
        line = mbs.Line(model.ground.at(*place, angle=angle))
        model.add(mbs.Contact(f"c{k}", line, mbs.Point(body.at(*place)), friction=mu))
    at, along = push
    model.add(mbs.Force("push", body.at(*at), (P * along[0], P * along[1])))
    return model


def wrench(place, force):
    return np.append(force, place[0] * force[1] - place[1] * force[0])


def edges(places, angles, frictions):
    """Two of each contact."""
    return np.array(
        [
            wrench(place, (-np.sin(a) + mu * np.cos(a), np.cos(a) + mu * np.sin(a)))
            for place, a, friction in zip(places, angles, frictions, strict=True)
            for mu in (friction, -friction)
        ]
    )


def is_sum_of_three(wanted, edges):
    """By Cramer's rule, whose signs are those of determinants, however flat the three are."""
    three = edges[np.array([*combinations(range(len(edges)), 3)], dtype=int).reshape(-1, 3)]
    whole, parts = np.linalg.det(three), []
    for k in range(3):
        other = three.copy()
        other[:, k] = wanted
        parts.append(np.linalg.det(other) * np.sign(whole) >= 0.0)
    return bool((np.all(parts, axis=0) & (np.abs(whole) > 1e-15)).any())


def last(holds, low, high):
    """The last that holds, of positive values; 0 and infinite where they are beyond the ends."""
    if not holds(low) or holds(high):
        return 0.0 if not holds(low) else np.inf
    while high > low * (1.0 + 1e-13):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@pytest.mark.parametrize("seed", some)
def test_forces_in_the_plane_are_sums_of_edges(seed, interpreted_kernels):
    random, n = np.random.default_rng(seed), 2 + seed % 4
    places, angles = random.uniform(-1, 1, (n, 2)), random.uniform(-1, 1, n) * random.choice([0.3, 1.5, np.pi])
    frictions, weight = random.choice([0.0, 0.1, 0.3, 0.6, 1.0], n), random.uniform(1, 10)
    at, along = random.normal(size=2) * 0.5, random.normal(size=2)
    held = mbs.holding(pinched(places, angles, frictions, weight, (at, along)), load="P")
    own, load = np.array([0.0, -weight, 0.0]), wrench(at, along)
    expected = last(lambda m: is_sum_of_three(-own - 0.3 * load, edges(places, angles, frictions / m)), 1e-6, 1e4)
    assert held.margin == expected or abs(held.margin / expected - 1.0) < 1e-9
    A, sides = np.vstack([edges(places, angles, frictions), load]).T, [(0, None)] * 2 * n + [(None, None)]
    cost = np.append(np.zeros(2 * n), 1.0)
    ends = [linprog(side * cost, A_eq=A, b_eq=-own, bounds=sides) for side in (1.0, -1.0)]
    if ends[0].status == 2:
        assert held.between is None and "held by no P" in repr(held)
        return
    for found, end, far in zip(held.between, ends, (-np.inf, np.inf), strict=True):
        value = far if end.status == 3 else end.x[-1]
        assert found == value or abs(found - value) < 1e-9 * (1.0 + abs(value))


def test_forces_of_a_wedge_grow_beyond_all_bounds(interpreted_kernels):
    """Two points hold whatever comes while each sees the other within its cone: up to the line through both."""
    places, angles = np.array([(-0.9260806, 0.66618954), (-0.89665212, 0.65519033)]), (4.07984158, 1.27194938)
    held = mbs.holding(pinched(places, angles, (0.6, 0.1), 6.690996878337233))
    way = places[0] - places[1]
    normal = np.array([-np.sin(angles[1]), np.cos(angles[1])])
    assert abs(held.margin * abs(normal[0] * way[1] - normal[1] * way[0]) / (normal @ way) - 0.1) < 1e-10
    assert held.slips == ("c1",) and held.wedged and held.forces["c0.force"] == np.inf


def test_that_no_forces_hold_is_proved(interpreted_kernels):
    """Contacts whose cones all but see each other, to which no iteration comes to an end."""
    places, angles = [(-0.22564489, 0.7619125), (-0.33202344, -0.07383592)], (-0.05770355, 2.61585839)
    push = (-0.037467, 0.449599), (-0.14911 * 9.81 / 6.547, -0.476045 * 9.81 / 6.547)
    assert not mbs.holding(pinched(places, angles, (0.13, 0.13), 9.81, push)).held


SIDES = 48


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 30))])
def test_cones_in_space_are_between_pyramids(seed, interpreted_kernels):
    random, n = np.random.default_rng(seed), 3 + seed % 3
    model = mbs.SpatialModel("pinched", gravity=(0, 0, -9.81))
    body = model.body("body", mass=1.0, inertia=(1, 1, 1))
    places, frictions, normals = random.uniform(-1, 1, (n, 3)), random.choice([0.1, 0.3, 0.6, 1.0], n), []
    for k in range(n):
        normal = random.normal(size=3) + (0, 0, 1.5)
        normals.append(normal / np.linalg.norm(normal))
        plane = mbs.Plane(model.ground.at(*places[k], axis=tuple(normals[k])))
        model.add(mbs.Contact(f"c{k}", plane, mbs.Point(body.at(*places[k])), friction=frictions[k]))
    around = [2.0 * np.pi * k / SIDES for k in range(SIDES)]

    def stands(m):
        columns = []
        for place, friction, normal in zip(places, frictions, normals, strict=True):
            one = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
            one /= np.linalg.norm(one)
            ways = [np.cos(a) * one + np.sin(a) * np.cross(normal, one) for a in around]
            forces = [normal + friction / m * way for way in ways]
            columns += [np.append(force, np.cross(place, force)) for force in forces]
        wanted = np.array([0, 0, 9.81, 0, 0, 0])
        return linprog(np.zeros(len(columns)), A_eq=np.transpose(columns), b_eq=wanted).status == 0

    margin = mbs.holding(model).margin
    out = 1.0 + 1e-6
    if margin < np.inf:
        assert not stands(margin * out)
        assert not margin or stands(margin * np.cos(np.pi / SIDES) / out)
    else:
        assert stands(1e4)
