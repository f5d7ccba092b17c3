"""Contact forces that are many decades apart in one group of bodies, against the law of contact in 40 digits: each of
them is right to a part of its own size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import mpmath as mp
import numpy as np
import pytest

import mbs_dae as mbs

DIGITS, ALLOWED = 40, 1e-8
STEPS = ("Moreau", "HalfExplicit")
SHORT = 1e-6
"""The length of a run, and a hundredth of a time step."""


def exact(numbers: Sequence[float] | np.ndarray) -> mp.matrix:
    return mp.matrix([mp.mpf(float(one)) for one in numbers])


def law_of_contact(rows: mp.matrix, mass: mp.matrix, momentum: mp.matrix, held: int = 0) -> list[float]:
    """The forces f of rows G with 0 ≤ f, 0 ≤ w = G M⁻¹ (p + Gᵀ f), f w = 0, and w = 0 for the `held` last ones. M and p
    are the mass matrix and the loads, or the momentum before an impact."""
    count = rows.rows
    response = mp.inverse(mass) * rows.T
    free, W = response.T * momentum, rows * response
    for closed in product([True, False], repeat=count - held):
        own, f = [k for k in range(count) if k >= count - held or closed[k]], mp.zeros(count, 1)
        if own:
            part = mp.matrix([[W[i, j] for j in own] for i in own])
            for k, force in zip(own, mp.lu_solve(part, mp.matrix([-free[k] for k in own])), strict=True):
                f[k] = force
        w = free + W * f
        if all(f[k] >= 0 if closed[k] else w[k] >= 0 for k in range(count - held)):
            return [float(one) for one in f]
    raise AssertionError("no choice of contacts has all signs right")


class World:
    """Bodies with masses over four decades, each with a load of its own over twelve, most of them against a contact."""

    names: list[str]

    def __init__(self, seed: int):
        self.seed = seed
        self.random = random = np.random.default_rng([seed, len(type(self).__name__)])
        self.count = int(random.integers(2, 6))
        self.mass, self.inertia = 10.0 ** random.uniform(-2, 2, (2, self.count))
        away = np.where(random.random(self.count) < 0.3, 1.0, -1.0)
        self.load = away * 10.0 ** random.uniform(-9, 3, self.count)
        self.names = [f"p{k}.force" for k in range(self.count)]
        self.shape()

    def shape(self) -> None:
        """Draw what else a world needs."""

    def model(self) -> mbs.PlanarModel:
        raise NotImplementedError

    def forces(self) -> list[float]:
        raise NotImplementedError


class Column(World):
    """Disks on each other, a little aside, in upright guides, the lowest on a line."""

    def shape(self) -> None:
        self.aside = self.random.uniform(-0.5, 0.5, self.count)
        self.aside[0] = 0.0

    def model(self) -> mbs.PlanarModel:
        model, x, y, below = mbs.PlanarModel("column", gravity=(0, 0)), 0.0, 0.0, None
        for k, (mass, aside) in enumerate(zip(self.mass.tolist(), self.aside, strict=True)):
            x, y = (x + 2.0 * float(np.sin(aside)), y + 2.0 * float(np.cos(aside))) if below else (0.0, 1.0)
            body = model.body(f"b{k}", mass, mass, position=(x, y))
            ends = model.ground.at(x, y, angle=np.pi / 2), body.at(0, 0, angle=np.pi / 2)
            disk = mbs.Disk(body, 1.0)
            model.add(mbs.Translational(f"g{k}", *ends), mbs.Force(f"f{k}", body, (0, float(self.load[k]))))
            model.add(mbs.Contact(f"p{k}", below or mbs.Line(model.ground), disk))
            below = disk
        return model

    def gaps(self) -> mp.matrix:
        rows = mp.zeros(self.count)
        for k, aside in enumerate(exact(self.aside)):
            rows[k, k] = mp.cos(aside)
            if k > 0:
                rows[k, k - 1] = -rows[k, k]
        return rows

    def forces(self) -> list[float]:
        return law_of_contact(self.gaps(), mp.diag(exact(self.mass)), exact(self.load))


class Levers(World):
    """Levers on pins, each with a disk at both ends: the right one lies on the left one of the lever before."""

    def shape(self) -> None:
        self.right, self.left = self.random.uniform(0.5, 2.0, (2, self.count))

    def model(self) -> mbs.PlanarModel:
        model, x, y, below = mbs.PlanarModel("levers", gravity=(0, 0)), 0.0, 0.0, None
        for k, (mass, right, left) in enumerate(zip(self.inertia.tolist(), self.right, self.left, strict=True)):
            x, y = (x - float(right), y + 0.5) if below else (x, y)
            body = model.body(f"b{k}", mass, mass, position=(x, y))
            disk = mbs.Disk(body.at(float(right), 0), 0.25)
            floor = below or mbs.Line(model.ground.at(0, y - 0.25))
            model.add(mbs.Revolute(f"r{k}", model.ground.at(x, y), body.at(0, 0)), mbs.Contact(f"p{k}", floor, disk))
            model.add(mbs.Torque(f"t{k}", body, float(self.load[k])))
            x, below = x - float(left), mbs.Disk(body.at(-float(left), 0), 0.25)
        return model

    def forces(self) -> list[float]:
        rows, left = mp.diag(exact(self.right)), exact(self.left)
        for k in range(1, self.count):
            rows[k, k - 1] = left[k - 1]
        return law_of_contact(rows, mp.diag(exact(self.inertia)), exact(self.load))


class Arms(World):
    """A chain of level links that hangs on a pin; a disk of each lies on a line, and loads act on centres of mass."""

    def shape(self) -> None:
        self.length = self.random.uniform(0.5, 2.0, self.count)
        self.centre, self.place = self.random.uniform(0.1, 1.0, (2, self.count)) * self.length

    def model(self) -> mbs.PlanarModel:
        model, x = mbs.PlanarModel("arms", gravity=(0, 0)), 0.0
        last = model.ground.at(0, 0)
        for k in range(self.count):
            mass, inertia, centre = float(self.mass[k]), float(self.inertia[k]), float(self.centre[k])
            body = model.body(f"b{k}", mass, inertia, position=(x + centre, 0))
            disk = mbs.Disk(body.at(float(self.place[k]) - centre, 0), 0.25)
            model.add(mbs.Revolute(f"r{k}", last, body.at(-centre, 0)))
            model.add(mbs.Contact(f"p{k}", mbs.Line(model.ground.at(0, -0.25)), disk))
            model.add(mbs.Force(f"f{k}", body, (0, float(self.load[k]))))
            last, x = body.at(float(self.length[k]) - centre, 0), x + float(self.length[k])
        return model

    def forces(self) -> list[float]:
        rows, moved = mp.zeros(self.count), mp.zeros(self.count)
        for k in range(self.count):
            for j in range(k):
                rows[k, j] = moved[k, j] = mp.mpf(float(self.length[j]))
            rows[k, k], moved[k, k] = mp.mpf(float(self.place[k])), mp.mpf(float(self.centre[k]))
        mass = moved.T * mp.diag(exact(self.mass)) * moved + mp.diag(exact(self.inertia))
        return law_of_contact(rows, mass, moved.T * exact(self.load))


class Train(World):
    """Disks that roll on a rough floor and press on each other, the first one on a wall. Loads are small beside the
    weights, so that all friction sticks."""

    def shape(self) -> None:
        self.count = min(self.count, 4)
        self.mass, self.inertia = 10.0 ** self.random.uniform(-1, 1, (2, self.count))
        self.load = np.sign(self.load[: self.count]) * 10.0 ** self.random.uniform(-10, -0.5, self.count)
        self.torque = self.random.choice([-1.0, 1.0], self.count) * 10.0 ** self.random.uniform(-10, -0.5, self.count)
        self.names = [f"p{k}.force" for k in range(self.count)] + [f"s{k}.friction" for k in range(self.count)]

    def model(self) -> mbs.PlanarModel:
        model = mbs.PlanarModel("train", gravity=(0, -9.81))
        last: mbs.Line | mbs.Disk = mbs.Line(model.ground.at(-1.0, 1.0, angle=-np.pi / 2))
        for k in range(self.count):
            body = model.body(f"b{k}", float(self.mass[k]), float(self.inertia[k]), position=(2.0 * k, 1.0))
            disk = mbs.Disk(body, 1.0)
            model.add(mbs.Contact(f"s{k}", mbs.Line(model.ground), disk, friction=3.0))
            model.add(mbs.Contact(f"p{k}", last, disk))
            model.add(mbs.Force(f"f{k}", body, (float(self.load[k]), 0)), mbs.Torque(f"t{k}", body, self.torque[k]))
            last = disk
        return model

    def forces(self) -> list[float]:
        n = self.count
        rows = mp.zeros(2 * n)
        for k in range(n):
            rows[k, k] = rows[n + k, k] = rows[n + k, n + k] = 1
            if k > 0:
                rows[k, k - 1] = -1
        mass, loads = [*self.mass, *self.inertia], [*self.load, *self.torque]
        return law_of_contact(rows, mp.diag(exact(mass)), exact(loads), n)


WORLDS = {"column": Column, "levers": Levers, "arms": Arms, "train": Train}


def check(world: World, method: str = "DP5", coordinates: str = "cartesian") -> None:
    """Compare the forces of the first instant of a run, or of its only step."""
    steps = method in STEPS
    times, options = ([0, 100 * SHORT], {"step": 100 * SHORT}) if steps else ([0, SHORT], {})
    result = mbs.simulate(world.model().compile(coordinates), times, method=method, **options)
    with mp.workdps(DIGITS):
        forces = world.forces()
    for name, force in zip(world.names, forces, strict=True):
        told = np.abs(result[name][-1 if steps else 0]).item()
        np.testing.assert_allclose(told, abs(force), rtol=ALLOWED, err_msg=f"{name} of {world.seed}")


@pytest.mark.parametrize(
    ("kind", "seed", "method", "coordinates"),
    [
        ("column", 4, "DP5", "cartesian"),
        ("column", 13, "Radau5", "cartesian"),
        ("column", 34, "Moreau", "cartesian"),
        ("column", 50, "GA", "natural"),
        ("column", 51, "DP8", "joint"),
        ("column", 54, "HalfExplicit", "joint"),
        ("levers", 3, "DP5", "cartesian"),
        ("levers", 13, "Moreau", "joint"),
        ("arms", 0, "DP5", "cartesian"),
        ("arms", 17, "Moreau", "cartesian"),
        ("train", 1, "DP5", "joint"),
        ("train", 56, "Moreau", "cartesian"),
    ],
)
def test_a_small_contact_force_beside_a_large_one_is_right(kind, seed, method, coordinates):
    check(WORLDS[kind](seed), method, coordinates)


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5", "GA", *STEPS])
@pytest.mark.parametrize("kind", ["column", "train"])
def test_forces_of_random_worlds_are_right_by_all_methods(kind, method):
    for seed in range(100, 110):
        check(WORLDS[kind](seed), method)


def pushed(masses: list[float], loads: list[float], aside: list[float] | None = None) -> Column:
    """A column of these masses and loads."""
    column = Column(0)
    column.mass, column.load, column.count = np.array(masses), np.array(loads), len(masses)
    column.aside = np.array(aside or [0.0] * len(masses))
    column.names = [f"p{k}.force" for k in range(len(masses))]
    return column


@pytest.mark.parametrize("method", ["DP5", "Radau5", *STEPS])
def test_a_gap_that_hardly_opens_beside_a_large_force_is_closed(method):
    """Roundoff of 770 N is more than what presses the last disk: plain numbers tell its gap as open."""
    aside = [0.0, -0.45242467, 0.06156083, -0.31433107, 0.05666327]
    for last in (-1.4e-9, -1.4e-8, -1.4e-7, 1.4e-9):
        check(pushed([0.015, 2.2, 20.0, 0.048, 56.0], [-9e-7, -6e-5, -4.9, -765.0, last], aside), method)


def test_a_force_below_the_roundoff_of_its_own_row_is_none():
    """The last force is 1e-17 of the load on the disk below it: the gap is told as open, and the run goes on."""
    for method in ("DP5", "Radau5"):
        result = mbs.simulate(pushed([0.021, 0.054], [-2202.0, -2.8e-14]).model(), [0, SHORT], method=method)
        np.testing.assert_allclose(result["p0.force"][0], 2202.0, rtol=1e-12)
        assert result["p1.force"][0] == 0.0


def struck(seed: int) -> None:
    """Compare the impulses of disks on each other that begin with speeds over ten decades, most of them downwards."""
    column = Column(seed)
    speed = np.sign(column.load) * 10.0 ** column.random.uniform(-9, 1, column.count)
    column.load[:] = 0.0
    start = {f"b{k}.vy": one for k, one in enumerate(speed.tolist())}
    result = mbs.simulate(column.model(), [0, 1e-3], start)
    with mp.workdps(DIGITS):
        mass = mp.diag(exact(column.mass))
        expected = law_of_contact(column.gaps(), mass, mass * exact(speed))
    for k, impulse in enumerate(expected):
        told = np.linalg.norm(result.impacts[0].impulses[f"p{k}"]) if result.impacts else 0.0
        np.testing.assert_allclose(told, impulse, rtol=ALLOWED, err_msg=f"p{k} of seed {seed}")


@pytest.mark.parametrize("seed", [50, 105, 123])
def test_small_impulses_beside_large_ones_are_right(seed):
    struck(seed)


@pytest.mark.soak
@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("method", ["DP5", "Moreau"])
@pytest.mark.parametrize("kind", WORLDS)
def test_forces_of_two_hundred_worlds_are_right(kind, method, coordinates):
    for seed in range(200):
        check(WORLDS[kind](seed), method, coordinates)


@pytest.mark.soak
def test_impulses_of_five_hundred_columns_are_right():
    for seed in range(500):
        struck(seed)
