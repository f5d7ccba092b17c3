"""What holds along every motion with contacts: random chains of bodies, in the plane and in space, that fall on a
floor, into the stops of their joints, with any friction and restitution."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_dae as mbs
from mbs_dae.model.contacts import Contact, Line, Plane, Point, Sphere, Stop

SETS = ("cartesian", "natural", "joint")
FLOOR, RADIUS, TIME = -1.0, 0.1, 0.8
RTOL = 1e-10


class World:
    """A model, what it starts with, and what holds it: name -> (first body, second body, place on the second)."""

    def __init__(self, dimension: int, seed: int, order: int = 1):
        random = np.random.default_rng(seed)
        self.dimension, self.masses, self.holds, self.friction = dimension, {}, {}, {}
        build = mbs.PlanarModel if dimension == 2 else mbs.SpatialModel
        self.model = model = build(f"world {seed}", gravity=(0, -9.81) if dimension == 2 else (0, 0, -9.81))
        self.start = {}
        self.contacts = []
        before, free = None, seed % 2
        place = np.zeros(dimension)
        for k in range(1 + seed % 3):
            before, place = self._link(random, f"b{k}", before, place, free)
        model.add(*self.contacts[::order])

    def _link(self, random, name, before, place, free):
        """A rod from this place on, on the one before, the ground, or free."""
        model, length = self.model, random.uniform(0.4, 0.7)
        half = np.array([length / 2] + [0] * (self.dimension - 1))
        mass, inertia = random.uniform(0.5, 2), random.uniform(0.06, 0.1, 3)
        if self.dimension == 2:
            angle = random.uniform(-2, 2)
            turn, inertia, frame = Rotation.from_euler("z", angle).as_matrix()[:2, :2], inertia[0], {"angle": angle}
        else:
            turn = Rotation.random(random_state=int(random.integers(1000))).as_matrix()
            frame = {"rotation": turn}
        body = model.body(name, mass=mass, inertia=inertia, position=place + turn @ half, **frame)
        self.masses[name] = mass, np.diag(inertia) if self.dimension == 3 else inertia
        body.marker("tail", *-half), body.marker("tip", *half)
        self._rates(random, name, joined=before is not None or not free)
        if before is not None or not free:
            first = before.markers["tip"] if before else model.ground.at(*place)
            joint = (mbs.Revolute if self.dimension == 2 else mbs.Spherical)(f"pin {name}", first, body.markers["tail"])
            model.add(joint)
            self.holds[joint.name] = before.name if before else None, name, -half
            if self.dimension == 2:
                e = random.choice([0.0, 0.5])
                now = angle - (self.angle if before else 0.0)
                stop = Stop(f"stop {name}", mbs.angle(joint), lower=now - 0.7, upper=now + 0.5, restitution=e)
                self.contacts.append(stop)
                self.holds[stop.name] = before.name if before else None, name, -half
        self.angle = frame.get("angle")
        self._floor(random, body, "tip", half)
        if before is None and free:
            self._floor(random, body, "tail", -half)
        return body, place + 2 * turn @ half

    def _rates(self, random, name, joined):
        names = ("omega",) if self.dimension == 2 else ("wx", "wy", "wz")
        moves = () if joined else ("vx", "vy", "vz")[: self.dimension]
        for one in (*moves, *names):
            self.start[f"{name}.{one}"] = random.uniform(-2, 2)

    def _floor(self, random, body, end, place):
        name, mu, e = f"floor {body.name} {end}", random.uniform(0, 0.8), random.choice([0.0, 0.4, 0.8])
        ground, marker = self.model.ground, body.markers[end]
        if self.dimension == 2:
            first, second = Line(ground.at(0, FLOOR)), Point(marker)
        else:
            first, second = Plane(ground.at(0, 0, FLOOR)), Sphere(marker, RADIUS)
        self.contacts.append(Contact(name, first, second, friction=mu, static_friction=1.2 * mu, restitution=e))
        self.friction[name] = body.name, end, mu
        self.holds[name] = None, body.name, place

    def run(self, coordinates="cartesian", times=None):
        times = np.linspace(0, TIME, 81) if times is None else times
        return mbs.simulate(self.model.compile(coordinates), times, self.start, rtol=RTOL)


@lru_cache
def moved(dimension, seed, coordinates="cartesian"):
    world = World(dimension, seed)
    return world, world.run(coordinates)


SEEDS = {2: (0, 1, 2, 3, 7, 14), 3: (0, 1, 2)}
worlds = pytest.mark.parametrize("dimension, seed", [(d, seed) for d in SEEDS for seed in SEEDS[d]])


@worlds
def test_gaps_and_forces_are_not_negative_and_one_of_them_is_zero(dimension, seed):
    world, result = moved(dimension, seed)
    up = "yz"[dimension - 2]
    for name, (body, end, _) in world.friction.items():
        gap = result[f"{body}.{end}.{up}"] - FLOOR - (RADIUS if dimension == 3 else 0)
        force = result.reaction(name)[:, dimension - 1]
        assert gap.min() > -1e-9 and force.min() >= 0
        assert np.abs(gap * force).max() < 1e-7
        closed = result.modes[name] != "open"
        assert (force[~closed] == 0).all() and np.abs(gap[closed]).max(initial=0) < 1e-9


@worlds
def test_friction_is_in_its_cone_and_against_the_slip(dimension, seed):
    world, result = moved(dimension, seed)
    for name, (body, end, mu) in world.friction.items():
        wrench, states = result.reaction(name), result.modes[name]
        normal, rubs = wrench[:, dimension - 1], wrench[:, : dimension - 1]
        size = np.linalg.norm(rubs, axis=1)
        assert (size <= 1.2 * mu * normal * (1 + 1e-6) + 1e-9).all()
        slips = states == "slips"
        slip = np.array([result[f"{body}.{end}.v{x}"] for x in "xy"[: dimension - 1]]).T
        if dimension == 3:  # of the lowest point
            turning = np.array([result[f"{body}.w{x}"] for x in "xyz"]).T
            slip = slip + np.cross(turning, [0, 0, -RADIUS])[:, :2]
        speed = np.linalg.norm(slip, axis=1)
        assert speed[states == "sticks"].max(initial=0) < 1e-8
        assert np.abs(size - mu * normal)[slips].max(initial=0) < 1e-7
        moves = slips & (speed > 1e-6)
        against = np.einsum("ij,ij->i", rubs, slip)
        assert np.abs(against + size * speed)[moves].max(initial=0) < 1e-6


@worlds
def test_impacts_take_energy_and_the_ledger_closes(dimension, seed):
    _, result = moved(dimension, seed)
    assert result.success and all(impact.energy_lost > -1e-10 for impact in result.impacts)
    assert np.abs(result.energy.error).max() < 1e-6


def velocities(world, result, name, row):
    rates = ("vx", "vy", "omega") if world.dimension == 2 else ("vx", "vy", "vz", "wx", "wy", "wz")
    return np.array([result[f"{name}.{rate}"][row] for rate in rates])


@worlds
def test_every_impact_balances_momentum_of_every_body(dimension, seed):
    """Velocities just before and after the first impacts, and the impulses of all joints, stops and contacts."""
    world, result = moved(dimension, seed)
    soon, d = 1e-9, dimension
    apart = [
        i for k, i in enumerate(result.impacts[:6])
        if all(abs(i.t - other.t) > 1e-6 for n, other in enumerate(result.impacts) if n != k)
    ]  # fmt: skip
    if not apart:
        return
    around = world.run(times=[0, *(t for i in apart for t in (i.t - soon, i.t + soon)), TIME])
    for k, impact in enumerate(apart):
        before, after = 1 + 2 * k, 2 + 2 * k
        for name, (mass, inertia) in world.masses.items():
            change = velocities(world, around, name, after) - velocities(world, around, name, before)
            turn = around.rotation(name)[after]
            tensor = turn @ inertia @ turn.T if d == 3 else inertia
            rest = np.array([*(mass * change[:d]), *np.atleast_1d(np.dot(tensor, change[d:]))])
            for hold, (first, second, _) in world.holds.items():
                if name not in (first, second):
                    continue
                acts = impact.impulses[hold] if name == second else -impact.impulses[hold]
                place = arm_of(world, around, name, hold, after)
                turning = np.cross([*place, 0][:3], [*acts[:d], 0][:3])
                rest -= acts + np.array([*np.zeros(d), *(turning if d == 3 else turning[2:])])
            assert np.abs(rest).max() < 1e-6 * max(1, np.abs(change).max())


def arm_of(world, result, name, hold, row):
    """Where the impulse of a hold acts, from the centre of a body."""
    second, place = world.holds[hold][1:]
    axes = "xyz"[: world.dimension]
    centre = {b: np.array([result[f"{b}.{x}"][row] for x in axes]) for b in (name, second)}
    return centre[second] + result.rotation(second)[row] @ place - centre[name]


@worlds
@pytest.mark.parametrize("coordinates", SETS[1:])
def test_coordinates_do_not_matter(dimension, seed, coordinates):
    compare(*moved(dimension, seed), World(dimension, seed).run(coordinates))


@worlds
def test_the_order_of_contacts_does_not_matter(dimension, seed):
    compare(*moved(dimension, seed), World(dimension, seed, order=-1).run())


def compare(world, result, other):
    """The same impacts and the same motion, until a thousand times what one of them is right to."""
    n = min(len(result.impacts), 4)
    assert len(other.impacts) >= n
    for one, two in zip(result.impacts[:n], other.impacts[:n], strict=True):
        assert abs(one.t - two.t) < 1e-7 and {*one.contacts} == {*two.contacts}
        assert all(np.abs(one.impulses[x] - two.impulses[x]).max() < 1e-6 for x in one.impulses)
    until = result.impacts[n].t if len(result.impacts) > n else np.inf
    same = result.t < until - 1e-6
    for name in world.masses:
        for x in "xy":
            assert np.abs(result[f"{name}.{x}"] - other[f"{name}.{x}"])[same].max() < 1e-6
