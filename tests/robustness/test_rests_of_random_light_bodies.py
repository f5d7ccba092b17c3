"""Random models at rest with masses over twelve decades, massless bodies among them, against the equations of rest in
40 digits: poses, and what each joint and each contact carries, to a part of its own size."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from test_light_bodies import Cluster

import mbs_dae as mbs

G, DIGITS, ALLOWED = 9.81, 40, 1e-8
SETS = "cartesian", "natural", "joint"
FORCES = {"pin": 2, "weld": 3, "slide": 2, "touch": 1}
"""How many unknown forces each joint has."""


class Plane:
    """A tree of bodies that pins, welds, slides and contacts join, all but welds with springs as stiff as what hangs on
    them asks for; contacts are pulled together by springs."""

    def __init__(self, seed: int):
        random = np.random.default_rng(seed)
        count = self.count = int(random.integers(2, 6))
        self.places = random.uniform(-1, 1, (count, 2))
        self.mass = np.where(random.random(count) < 0.3, 0.0, 10.0 ** random.uniform(-6, 6, count))
        self.mass[0] = 1.0 if not self.mass.any() else self.mass[0]
        self.inertia = self.mass * random.uniform(0.06, 0.11, count)
        sizes = np.maximum(self.mass, 10.0 ** random.uniform(-6, 2, count))
        self.pushes = random.uniform(-1, 1, (count, 2)) * sizes[:, None]
        self.arms = random.uniform(-0.3, 0.3, (count, 2))
        self.joints: list[tuple[str, int, int, np.ndarray, float]] = []
        behind = [{k} for k in range(count)]
        for k in range(count):
            carrier = int(random.integers(-1, k))
            kind = str(random.choice([*FORCES], p=[0.5, 0.15, 0.1, 0.25]))
            self.joints.append((kind, carrier, k, random.uniform(-1, 1, 2), float(random.uniform(-3, 3))))
        for _, i, k, *_ in reversed(self.joints):
            if i >= 0:
                behind[i] |= behind[k]
        loads = np.linalg.norm(self.pushes, axis=1) + G * self.mass
        self.stiffness = [15 * float(loads[sorted(bodies)].sum()) for bodies in behind]

    def on(self, body: int, point: np.ndarray) -> list[float]:
        return (point if body < 0 else point - self.places[body]).tolist()

    def anchor(self, kind: str, at: np.ndarray, angle: float) -> tuple[np.ndarray, float]:
        """Where the spring of a slide or a contact begins, and how long it is."""
        if kind == "slide":
            return at + 3.0 * np.array([np.cos(angle), np.sin(angle)]), 3.0
        return at + 2.0 * np.array([np.sin(angle), -np.cos(angle)]), 1.0

    def model(self) -> mbs.PlanarModel:
        model = mbs.PlanarModel("random", gravity=(0, -G))
        bodies = []
        for k, place in enumerate(self.places.tolist()):
            bodies.append(model.body(f"b{k}", float(self.mass[k]), float(self.inertia[k]), position=tuple(place)))
            model.add(mbs.Force(f"f{k}", bodies[k].at(*self.arms[k].tolist()), tuple(self.pushes[k].tolist())))
        for kind, i, k, at, angle in self.joints:
            base, own, stiffness = model.ground if i < 0 else bodies[i], bodies[k], self.stiffness[k]
            ends = base.at(*self.on(i, at), angle=angle), own.at(*self.on(k, at), angle=angle)
            if kind == "touch":
                model.add(mbs.Contact(f"p{k}", mbs.Line(ends[0]), mbs.Point(ends[1])))
                model.add(mbs.TorsionSpring(f"t{k}", base, own, stiffness=stiffness))
            else:
                types: Any = {"pin": mbs.Revolute, "weld": mbs.Fixed, "slide": mbs.Translational}
                model.add(types[kind](f"p{k}", *ends))
            if kind == "pin":
                model.add(mbs.TorsionSpring(f"s{k}", model.elements[f"p{k}"], stiffness=stiffness))
            elif kind != "weld":
                begin, length = self.anchor(kind, at, angle)
                model.add(mbs.Spring(f"s{k}", base.at(*self.on(i, begin)), ends[1], stiffness=stiffness, length=length))
        return model

    def equations(self, z: list[Any]) -> tuple[list[Any], list[list[Any]]]:
        """What forces and moments leave, and gaps, for places and forces of joints; and the forces on second bodies."""
        q, forces = z[: 3 * self.count], z[3 * self.count :]
        left, gaps, carried = [[mp.mpf(0)] * 3 for _ in range(self.count)], list[Any](), list[list[Any]]()

        def angle_of(i):
            return q[3 * i + 2] if i >= 0 else mp.mpf(0)

        def arm(i, point):
            c, s = mp.cos(angle_of(i)), mp.sin(angle_of(i))
            return c * mp.mpf(point[0]) - s * mp.mpf(point[1]), s * mp.mpf(point[0]) + c * mp.mpf(point[1])

        def place(i, point):
            x, y = arm(i, point)
            return (q[3 * i] + x, q[3 * i + 1] + y) if i >= 0 else (x, y)

        def pull(i, at, force, sign=1):
            if i >= 0:
                x, y = at[0] - q[3 * i], at[1] - q[3 * i + 1]
                for n, part in enumerate((force[0], force[1], x * force[1] - y * force[0])):
                    left[i][n] += sign * part

        def twist(i, k, torque):
            for body, sign in ((k, 1), (i, -1)):
                if body >= 0:
                    left[body][2] += sign * torque

        for k in range(self.count):
            left[k][1] -= mp.mpf(float(self.mass[k])) * mp.mpf(G)
            pull(k, place(k, self.arms[k]), [mp.mpf(x) for x in self.pushes[k].tolist()])
        forces = iter(forces)
        for kind, i, k, at, angle in self.joints:
            a, b = place(i, self.on(i, at)), place(k, self.on(k, at))
            if kind in ("pin", "weld"):
                force = [next(forces), next(forces)]
                gaps += [b[0] - a[0], b[1] - a[1]]
            else:
                way = mp.mpf(angle) + angle_of(i)
                normal, size = (-mp.sin(way), mp.cos(way)), next(forces)
                gaps.append(normal[0] * (b[0] - a[0]) + normal[1] * (b[1] - a[1]))
                force = [size * normal[0], size * normal[1]]
            carried.append(force)
            pull(k, b, force)
            pull(i, b, force, -1)
            if kind in ("weld", "slide"):
                gaps.append(angle_of(k) - angle_of(i))
                twist(i, k, next(forces))
            else:
                twist(i, k, -mp.mpf(self.stiffness[k]) * (angle_of(k) - angle_of(i)))
            if kind in ("slide", "touch"):
                begin, length = self.anchor(kind, at, angle)
                c = place(i, self.on(i, begin))
                d = mp.sqrt((b[0] - c[0]) ** 2 + (b[1] - c[1]) ** 2)
                size = -mp.mpf(self.stiffness[k]) * (d - mp.mpf(length)) / d
                force = [size * (b[0] - c[0]), size * (b[1] - c[1])]
                pull(k, b, force)
                pull(i, c, force, -1)
        return [x for three in left for x in three] + gaps, carried

    def rest(self, places: list[float]) -> tuple[list[Any], list[list[Any]]]:
        """The rest next to these places, by Newton's method, and what joints carry."""
        count = len(places) + sum(FORCES[joint[0]] for joint in self.joints)
        z = [mp.mpf(x) for x in places] + [mp.mpf(0)] * (count - len(places))
        far = [mp.mpf(10) ** -18 * (1 if k < len(places) else max(self.stiffness)) for k in range(count)]
        for _ in range(6):
            J = mp.zeros(count, count)
            for k in range(count):
                ahead, behind = (self.equations([*z[:k], z[k] + step, *z[k + 1 :]])[0] for step in (far[k], -far[k]))
                for row in range(count):
                    J[row, k] = (ahead[row] - behind[row]) / (2 * far[k])
            z = [x + y for x, y in zip(z, mp.lu_solve(J, -mp.matrix(self.equations(z)[0])), strict=True)]
        return z[: len(places)], self.equations(z)[1]


def check_rest(seed: int) -> None:
    """One model, in one of the three sets."""
    plane = Plane(seed)
    rest = mbs.equilibrium(plane.model().compile(SETS[seed % 3]))
    found = [float(rest[f"b{k}.{part}"]) for k in range(plane.count) for part in ("x", "y", "angle")]
    with mp.workdps(DIGITS):
        places, carried = plane.rest(found)
    np.testing.assert_allclose(found, np.array(places, dtype=float), rtol=0.0, atol=ALLOWED)
    for (_, _, k, *_), force in zip(plane.joints, np.array(carried, dtype=float), strict=True):
        allowed = ALLOWED * np.abs(force).max()
        np.testing.assert_allclose(rest.reaction(f"p{k}")[0, :2], force, rtol=0.0, atol=allowed)


@pytest.mark.parametrize("seed", range(8))
def test_random_models_come_to_rest_as_equations_in_many_digits_say(seed):
    check_rest(seed)


@pytest.mark.soak
def test_a_hundred_random_models_come_to_rest_as_equations_in_many_digits_say():
    for seed in range(1000, 1100):
        check_rest(seed)


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_in_space_carry_what_hangs_on_them(seed):
    """Each joint carries the sum of the loads behind it, wherever the springs of its pins come to rest."""
    cluster = Cluster(3, seed)
    cluster.joints = [(mbs.Revolute if kind is mbs.Spherical else kind, *rest) for kind, *rest in cluster.joints]
    model, carried = cluster.hanging()
    rest = mbs.equilibrium(model)
    for number, load in enumerate(carried):
        allowed = ALLOWED * np.abs(load).max()
        np.testing.assert_allclose(rest.reaction(f"p{number}")[0, :3], -load, rtol=0.0, atol=allowed)
