"""Small motions of random mechanisms against differences of their equations of motion in 50 digits.

The oracle is written here and shares nothing with the package. Each body has the coordinates q = (x, θ): how far
its mass centre is from its placement, and its turn R(θ), in space R_x R_y R_z. Constraints Φ(q) are written here; their
Jacobian and their second derivatives along a velocity are differences in 50 digits. Newton's and Euler's laws give

    M a + Φ_qᵀ λ = Q,        Φ_q a = -(Φ_q v)_q v,

and A, B, C are central differences of the accelerations of chosen coordinates. Loads hold each mechanism where it is
placed, with random multipliers, so that the state is known without a search; in a steady turn they go with the bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
DIGITS, STEP, LARGE = 50, mp.mpf(10) ** -12, mp.mpf(10) ** -9
"""A step for first differences, and one for second differences: errors of 1e-17 at most."""


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Gaussian elimination with column pivots of equilibrated rows; `right` has columns."""
    n = len(matrix)
    rows = np.hstack([matrix, right.reshape(n, -1)])
    for k in range(n):
        rows[k] = rows[k] / np.abs(rows[k, :n]).max()
    for k in range(n):
        best = k + int(np.argmax(np.abs(rows[k:, k]).astype(float)))
        rows[[k, best]] = rows[[best, k]]
        rows[k, k:] = rows[k, k:] / rows[k, k]
        for other in range(n):
            if other != k and rows[other, k] != 0:
                rows[other, k:] = rows[other, k:] - rows[other, k] * rows[k, k:]
    return rows[:, n:].reshape(right.shape)


def rotation(turn: np.ndarray) -> np.ndarray:
    (ca, cb, cc), (sa, sb, sc) = ([f(x) for x in turn] for f in (mp.cos, mp.sin))
    x = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    y = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    z = np.array([[cc, -sc, 0], [sc, cc, 0], [0, 0, 1]])
    return x @ y @ z


def rates(turn: np.ndarray) -> np.ndarray:
    """E of ω = E θ', ω in the axes of the body."""
    (_, cb, cc), (_, sb, sc) = ([f(x) for x in turn] for f in (mp.cos, mp.sin))
    return np.array([[cb * cc, sc, 0], [-cb * sc, cc, 0], [sb, 0, 1]])


@dataclass(frozen=True)
class Pose:
    """A body that moves: its mass centre, its turn against the placement, and how fast both are."""

    place: np.ndarray
    centre: np.ndarray
    R: np.ndarray
    velocity: np.ndarray
    omega: np.ndarray

    def point(self, placed: np.ndarray) -> np.ndarray:
        return self.centre + self.R @ (placed - self.place)

    def speed(self, placed: np.ndarray) -> np.ndarray:
        return self.velocity + cross(self.omega, self.R @ (placed - self.place))


@dataclass
class Oracle:
    """Bodies in space, or in the plane (q = x, y, θ); constraints and loads as functions of their poses."""

    planar: bool
    masses: list[float] = field(default_factory=list)
    places: list[np.ndarray] = field(default_factory=list)
    tensors: list[np.ndarray] = field(default_factory=list)
    constraints: list[Callable[..., list[Any]]] = field(default_factory=list)
    loads: list[Callable[..., Any]] = field(default_factory=list)
    """Each adds to wrenches (a force, and a moment about the mass centre, per body) what inputs u and poses make."""

    @property
    def size(self) -> int:
        return 3 if self.planar else 6

    def parts(self, x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        own, nil = x[self.size * k : self.size * (k + 1)], mp.mpf(0)
        if self.planar:
            return np.array([own[0], own[1], nil]), np.array([nil, nil, own[2]])
        return own[:3], own[3:]

    def poses(self, q: np.ndarray, v: np.ndarray) -> list[Pose]:
        """Return the poses of the ground and of all bodies."""
        nil = np.array([mp.mpf(0)] * 3)
        found = [Pose(nil, nil, rotation(nil), nil, nil)]
        for k, place in enumerate(self.places):
            (x, turn), (velocity, rate) = self.parts(q, k), self.parts(v, k)
            R = rotation(turn)
            found.append(Pose(place, place + x, R, velocity, R @ rates(turn) @ rate))
        return found

    def phi(self, q: np.ndarray) -> np.ndarray:
        poses = self.poses(q, 0 * q)
        return np.array([x for one in self.constraints for x in one(poses)])

    def jacobian(self, f: Callable[[np.ndarray], np.ndarray], q: np.ndarray) -> np.ndarray:
        units = np.array([[mp.mpf(int(i == j)) for j in range(len(q))] for i in range(len(q))])
        return np.array([(f(q + STEP * e) - f(q - STEP * e)) / (2 * STEP) for e in units]).T

    def forces(self, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M and Q of M a + Φ_qᵀ λ = Q, Q with the terms of velocities."""
        poses = self.poses(q, v)
        wrenches = np.array([[mp.mpf(0)] * 6 for _ in poses])
        for load in self.loads:
            load(wrenches, poses, u)
        M, Q = np.array([[mp.mpf(0)] * len(q) for _ in q]), []
        for k, (mass, tensor) in enumerate(zip(self.masses, self.tensors, strict=True)):
            (_, turn), (_, rate) = self.parts(q, k), self.parts(v, k)
            R, E = poses[k + 1].R, rates(turn)
            growth = (rates(turn + STEP * rate) - rates(turn - STEP * rate)) / (2 * STEP)
            omega = E @ rate
            moment = E.T @ (R.T @ wrenches[k + 1, 3:] - tensor @ growth @ rate - cross(omega, tensor @ omega))
            inertia = E.T @ tensor @ E
            own = slice(self.size * k, self.size * (k + 1))
            block = np.array([[mp.mpf(0)] * self.size for _ in range(self.size)])
            line = self.size // 3 + 1  # 2 or 3 coordinates of the mass centre
            for i in range(line):
                block[i, i] = mp.mpf(mass)
            block[line:, line:] = inertia[2:, 2:] if self.planar else inertia
            M[own, own] = block
            Q += [*wrenches[k + 1, :line], *(moment[2:] if self.planar else moment)]
        return M, np.array(Q)

    def acceleration(self, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """a and λ."""
        J = self.jacobian(self.phi, q)
        bias = (self.phi(q + LARGE * v) - 2 * self.phi(q) + self.phi(q - LARGE * v)) / LARGE**2
        M, Q = self.forces(q, v, u)
        n = len(q)
        matrix = np.array([[mp.mpf(0)] * (n + len(J)) for _ in range(n + len(J))])
        matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = M, J.T, J
        found = solve(matrix, np.concatenate([Q, -bias]))
        return found[:n], found[n:]

    def linearised(
        self, v: np.ndarray, inputs: int, chosen: Callable[..., Any], outputs: Callable[..., Any]
    ) -> tuple[np.ndarray, ...]:
        """A, B, C and the feedthrough about the placement; `chosen` reads q, and `outputs` reads q, v, a and λ."""
        still, n = 0 * v, len(chosen(0 * v))

        def rows(q: np.ndarray) -> np.ndarray:
            return np.vstack([self.jacobian(chosen, q), self.jacobian(self.phi, q)])

        here = rows(still)
        ways = solve(here, unit(len(v))[:, :n])
        steady = here @ v

        def rate(x: np.ndarray) -> np.ndarray:
            """The rates of the state, and outputs, at (η, y, u)."""
            q = ways @ x[:n]
            moves = rows(q) if any(x[:n]) else here
            speeds = solve(moves, steady + np.concatenate([x[n : 2 * n], still[n:]]))
            a, multipliers = self.acceleration(q, speeds, x[2 * n :])
            return np.concatenate([x[n : 2 * n], along(chosen, q, speeds, a)[2], outputs(q, speeds, a, multipliers)])

        changes = np.array([(rate(STEP * e) - rate(-STEP * e)) / (2 * STEP) for e in unit(2 * n + inputs)]).T
        changes = changes.astype(float)
        return (
            changes[: 2 * n, : 2 * n], changes[: 2 * n, 2 * n :], changes[2 * n :, : 2 * n], changes[2 * n :, 2 * n :],
        )  # fmt: skip


def unit(n: int) -> np.ndarray:
    return np.array([[mp.mpf(int(i == j)) for j in range(n)] for i in range(n)])


def along(f: Callable[..., Any], q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[Any, Any, Any]:
    """f(q), and its first and second rates."""
    here, ahead, back = (f(q + s * v + s * s * a / 2) for s in (0, LARGE, -LARGE))
    return here, (ahead - back) / (2 * LARGE), (ahead - 2 * here + back) / LARGE**2


def exact(*values: float) -> np.ndarray:
    return np.array([mp.mpf(float(x)) for x in values])


class Mechanism:
    """A random mechanism, said to the package and to the oracle."""

    def __init__(self, seed: int, dimension: int, speed: float = 0.0):
        self.random = random = np.random.default_rng([seed, dimension, int(speed * 1000)])
        self.planar, self.speed = dimension == 2, speed
        self.oracle = Oracle(self.planar)
        kind = mbs.PlanarModel if self.planar else mbs.SpatialModel
        gravity = (0.0, 0.0 if speed else -9.81) if self.planar else (0.0, 0.0, -9.81)
        self.model = kind(f"mechanism {seed}", gravity=gravity)
        self.bodies = [self.model.ground]
        self.quantities: dict[str, Callable[[list[Pose]], Any]] = {}
        self.candidates: list[str] = []
        self.efforts: dict[str, int] = {}
        self.inputs = 0
        count = int(random.integers(2, 5 if self.planar else 4))
        pinned: list[tuple[int, int, np.ndarray, str]] = []
        for k in range(1, count + 1):
            self.body(k)
            parent = 0 if k == 1 else int(random.integers(1 if speed else 0, k))
            where = np.zeros(3) if speed and k == 1 else self.place()
            axis = np.array([0.0, 0.0, 1.0]) if speed and k == 1 else random.standard_normal(3)
            kinds = ["Revolute", "Revolute", "Translational"]
            if not speed:  # what turns steadily is told by angles and displacements of joints
                kinds += ["free"] if self.planar else ["Spherical", "Cylindrical"]
            name = "Revolute" if k == 1 else str(random.choice(kinds))
            if name != "free":
                self.join(f"{name}{k}", name, parent, k, where, axis)
            if name == "Revolute":
                pinned.append((parent, k, where, f"{name}{k}"))
            if not speed or k > 1:  # no spring goes round with the hub
                self.springs(k, parent if speed else int(random.integers(k)))
        if self.planar:
            self.gears(pinned)
        self.rods(count)
        if speed and random.random() < 0.5 or not speed and self.freedom() > 1 and random.random() < 0.3:
            self.drive(*pinned[0])
        for k in range(1, count + 1):
            if random.random() < 0.5:
                self.input(k)
        self.hold()

    def place(self) -> np.ndarray:
        return self.random.uniform(-1, 1, 3) * (1, 1, 0 if self.planar else 1)

    def body(self, k: int) -> None:
        random, where = self.random, self.place()
        mass = float(10 ** random.uniform(-6, 0) if random.random() < 0.4 else random.uniform(0.5, 2))
        moments = mass * random.uniform(0.1, 0.15, 3)
        if self.planar:
            body = self.model.body(f"b{k}", mass, float(moments[2]), position=tuple(where[:2]), angle=0.3 * k)
            tensor = np.diag(moments)
        else:
            turned = self.turned(k)
            body = self.model.body(f"b{k}", mass, tuple(moments), position=tuple(where), rotation=turned)
            tensor = turned @ np.diag(moments) @ turned.T
        self.bodies.append(body)
        own = self.oracle
        own.masses.append(mass)
        own.places.append(exact(*where))
        own.tensors.append(np.array([exact(*row) for row in tensor]))
        weight = mp.mpf(mass) * mp.mpf(self.model.gravity[-1])

        def fall(wrenches: np.ndarray, poses: list[Pose], u: np.ndarray) -> None:
            wrenches[k, 1 if self.planar else 2] += weight

        own.loads.append(fall)
        for i, letter in enumerate("xy" if self.planar else "xyz"):
            self.quantities[f"b{k}.{letter}"] = lambda poses, i=i: poses[k].centre[i]
        if not self.speed:
            self.candidates += [f"b{k}.{letter}" for letter in ("xy" if self.planar else "xyz")]
        if self.planar:
            self.quantities[f"b{k}.angle"] = lambda poses: mp.atan2(poses[k].R[1, 0], poses[k].R[0, 0])
            self.candidates += [f"b{k}.angle"] * (not self.speed)

    def marker(self, k: int, where: np.ndarray) -> Any:
        """A point of a body, said in its own axes."""
        if k == 0:
            return self.model.ground.at(*where[: 2 if self.planar else 3])
        body = self.bodies[k]
        offset = self.turned(k).T @ (where - self.oracle.places[k - 1].astype(float))
        return body.at(*offset[: 2 if self.planar else 3])

    def turned(self, k: int) -> np.ndarray:
        """The attitude of a body in the placement."""
        if self.planar:
            return mbs.rotations.about_z(0.3 * k)
        return mbs.rotations.about_x(0.4 * k) @ mbs.rotations.about_z(1.1 - 0.3 * k)

    def join(self, name: str, kind: str, i: int, j: int, where: np.ndarray, axis: np.ndarray) -> None:
        said = {"at": tuple(where[: 2 if self.planar else 3])}
        if self.planar and kind == "Revolute":
            axis = np.array([0.0, 0.0, 1.0])
        if self.planar and kind == "Translational":
            axis = axis * (1, 1, 0)
            said["axis"] = tuple(axis[:2])
        elif not self.planar and kind != "Spherical":
            said["axis"] = tuple(axis)
        self.model.add(getattr(mbs, kind)(name, self.bodies[i], self.bodies[j], **said))
        point, a = exact(*where), exact(*axis)
        a = a / mp.sqrt(a @ a)
        first = exact(0, 0, 1) if self.planar and kind == "Translational" else exact(0.9, 0.1, 0.2)
        n = cross(a, first)
        n = n / mp.sqrt(n @ n)
        m = cross(a, n)

        def rows(poses: list[Pose]) -> list[Any]:
            one, two = poses[i], poses[j]
            d = two.point(point) - one.point(point)
            if self.planar:
                return list(d[:2]) if kind == "Revolute" else [d @ (one.R @ n), (two.R @ a) @ (one.R @ n)]
            if kind == "Spherical":
                return list(d)
            along = [(two.R @ a) @ (one.R @ n), (two.R @ a) @ (one.R @ m)]
            if kind == "Revolute":
                return [*d, *along]
            along += [d @ (one.R @ n), d @ (one.R @ m)]
            return along if kind == "Cylindrical" else [*along, (one.R @ n) @ (two.R @ m)]

        self.oracle.constraints.append(rows)
        if kind == "Revolute":
            angle = lambda poses: mp.atan2((poses[j].R @ n) @ (poses[i].R @ m), (poses[j].R @ n) @ (poses[i].R @ n))  # noqa: E731
            self.quantities[f"{name}.angle"] = angle
            self.candidates.append(f"{name}.angle")
            if self.speed and j == 1:
                return
            stiffness, damping, free = self.random.uniform((1, 0.01, -0.5), (20, 1, 0.5))
            self.model.add(
                mbs.TorsionSpring(
                    f"t{name}", self.model.elements[name], stiffness=stiffness, damping=damping, angle=free
                )
            )

            def turn(wrenches: np.ndarray, poses: list[Pose], u: np.ndarray) -> None:
                about = poses[i].R @ a
                rate = (poses[j].omega - poses[i].omega) @ about
                moment = -mp.mpf(stiffness) * (angle(poses) - mp.mpf(free)) - mp.mpf(damping) * rate
                wrenches[j, 3:] += moment * about
                wrenches[i, 3:] -= moment * about

            self.oracle.loads.append(turn)
        elif kind == "Translational":
            self.quantities[f"{name}.displacement"] = lambda poses: (
                (poses[j].point(point) - poses[i].point(point)) @ (poses[i].R @ a)
            )
            self.candidates.append(f"{name}.displacement")

    def springs(self, k: int, other: int) -> None:
        for copy in range(3 if not self.planar else 2):
            name, ends = f"s{k}{copy}", (self.place(), self.place())
            stiffness, damping, length = self.random.uniform((5, 0.1, 0.2), (100, 2, 1.5))
            pair = self.marker(other, ends[0]), self.marker(k, ends[1])
            self.model.add(mbs.SpringDamper(name, *pair, stiffness=stiffness, damping=damping, length=length))
            p, r = exact(*ends[0]), exact(*ends[1])
            c, d, free = exact(stiffness, damping, length)

            def tension(poses: list[Pose], p=p, r=r, c=c, d=d, free=free) -> tuple[Any, np.ndarray]:
                way = poses[k].point(r) - poses[other].point(p)
                long = mp.sqrt(way @ way)
                rate = (poses[k].speed(r) - poses[other].speed(p)) @ way / long
                return c * (long - free) + d * rate, way / long

            def pull(wrenches: np.ndarray, poses: list[Pose], u: np.ndarray, p=p, r=r, tension=tension) -> None:
                size, way = tension(poses)
                for body, point, force in ((k, r, -size * way), (other, p, size * way)):
                    wrenches[body, :3] += force
                    wrenches[body, 3:] += cross(poses[body].point(point) - poses[body].centre, force)

            self.oracle.loads.append(pull)
            self.quantities[f"{name}.effort"] = lambda poses, tension=tension: -tension(poses)[0]  # what it drives

    def gears(self, pinned: list[tuple[int, int, np.ndarray, str]]) -> None:
        """Two wheels on one carrier: by radii, or by a ratio."""
        for at, (carrier, i, first, one) in enumerate(pinned):
            for other, j, second, two in pinned[at + 1 :]:
                if other != carrier or self.freedom() < 2 or self.random.random() < 0.3:
                    continue
                apart, part = float(np.linalg.norm(first - second)), float(self.random.uniform(0.3, 0.7))
                if self.random.random() < 0.7:
                    r_i, r_j = part * apart, (1 - part) * apart
                    self.model.add(
                        mbs.Gear(f"g{i}{j}", self.model.elements[one], self.model.elements[two], radii=(r_i, r_j))
                    )
                else:
                    r_i, r_j = 1.0, float(self.random.uniform(0.3, 3))
                    self.model.add(mbs.Gear(f"g{i}{j}", self.model.elements[one], self.model.elements[two], ratio=r_j))
                a, b = self.quantities[f"{one}.angle"], self.quantities[f"{two}.angle"]
                self.oracle.constraints.append(
                    lambda poses, a=a, b=b, r_i=r_i, r_j=r_j: [mp.mpf(r_i) * a(poses) + mp.mpf(r_j) * b(poses)]
                )
                return

    def rods(self, count: int) -> None:
        while self.freedom() > 2 and count > 1 and self.random.random() < 0.5:
            i, j = (int(x) for x in self.random.permutation(np.arange(1 if self.speed else 0, count + 1))[:2])
            ends, name = (self.place(), self.place()), f"rod{len(self.oracle.constraints)}"
            self.model.add(mbs.Distance(name, self.marker(i, ends[0]), self.marker(j, ends[1])))
            p, r = exact(*ends[0]), exact(*ends[1])
            square = (r - p) @ (r - p)

            def rows(poses: list[Pose], i=i, j=j, p=p, r=r, square=square) -> list[Any]:
                way = poses[j].point(r) - poses[i].point(p)
                return [way @ way - square]

            self.oracle.constraints.append(rows)

    def drive(self, i: int, j: int, where: np.ndarray, name: str) -> None:
        angle = self.quantities[f"{name}.angle"]
        self.efforts["motor.effort"] = len(self.oracle.phi(exact(*[0] * self.oracle.size * (len(self.bodies) - 1))))
        self.oracle.constraints.append(lambda poses: [angle(poses)])
        self.model.add(mbs.Driver("motor", mbs.angle(self.model.elements[name]), self.speed * mbs.t))

    def input(self, k: int) -> None:
        """A force in a point, in the axes of its body."""
        column, where = self.inputs, self.place()
        u = self.model.input(f"u{column}", 0.0)
        self.inputs += 1
        push = self.random.standard_normal(3) * (1, 1, 0 if self.planar else 1)
        inside = (self.turned(k).T @ push)[: 2 if self.planar else 3]
        self.model.add(mbs.Force(f"push{k}", self.marker(k, where), tuple(float(x) * u for x in inside), axes="body"))
        force, point = exact(*push), exact(*where)

        def act(wrenches: np.ndarray, poses: list[Pose], u: np.ndarray) -> None:
            pushed = u[column] * (poses[k].R @ force)
            wrenches[k, :3] += pushed
            wrenches[k, 3:] += cross(poses[k].point(point) - poses[k].centre, pushed)

        self.oracle.loads.append(act)

    def freedom(self) -> int:
        n = self.oracle.size * (len(self.bodies) - 1)
        return n - sum(
            len(rows(self.oracle.poses(exact(*[0] * n), exact(*[0] * n)))) for rows in self.oracle.constraints
        )

    @property
    def v(self) -> np.ndarray:
        """The steady turn about the world's z axis through its origin."""
        found, speed = [], mp.mpf(self.speed)
        for place in self.oracle.places:
            found += [-speed * place[1], speed * place[0], speed] if self.planar else [
                -speed * place[1], speed * place[0], 0, 0, 0, speed,
            ]  # fmt: skip
        return np.array([mp.mpf(x) for x in found])

    def hold(self) -> None:
        """Loads in the axes of each body, with which the placement is steady under random multipliers."""
        own, v = self.oracle, self.v
        M, Q = own.forces(0 * v, v, exact(*[0] * self.inputs))
        a = 0 * v
        for k, place in enumerate(own.places):
            a[own.size * k], a[own.size * k + 1] = (-(mp.mpf(self.speed) ** 2) * x for x in place[:2])
        J = own.jacobian(own.phi, 0 * v)
        load = M @ a + J.T @ exact(*self.random.standard_normal(len(J))) - Q
        for k in range(1, len(self.bodies)):
            force, moment = (x.astype(float) for x in own.parts(load, k - 1))
            body, carried, turned = self.bodies[k], exact(*force), self.turned(k)
            inside = tuple((turned.T @ force)[: 2 if self.planar else 3])
            if self.planar:
                self.model.add(mbs.Torque(f"m{k}", body, float(moment[2])))
            else:
                for way, size in zip("xyz", turned.T @ moment, strict=True):
                    about = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}[way]
                    self.model.add(mbs.Torque(f"m{k}{way}", body.at(0, 0, 0, axis=about), float(size)))
            self.model.add(mbs.Force(f"f{k}", body, inside, axes="body"))
            twist = exact(*moment)

            def bear(wrenches: np.ndarray, poses: list[Pose], u: np.ndarray, k=k, carried=carried, twist=twist) -> None:
                wrenches[k, :3] += poses[k].R @ carried
                wrenches[k, 3:] += poses[k].R @ twist

            own.loads.append(bear)

    def coordinates(self) -> list[str]:
        """As many quantities as there is freedom, in random order, of which none is nearly told by the others."""
        own, still = self.oracle, 0 * self.v
        chosen: list[str] = []
        rows = own.jacobian(own.phi, still).astype(float)
        for name in sorted(
            self.random.permutation(self.candidates), key=lambda n: self.speed == 0 or n != "Revolute1.angle"
        ):
            more = own.jacobian(self.reader([str(name)]), still).astype(float)
            trial = np.vstack([rows, more])
            sizes = trial / np.linalg.norm(trial, axis=1)[:, None]
            if len(chosen) < self.freedom() and np.linalg.svd(sizes)[1][-1] > 0.02:
                rows, chosen = trial, [*chosen, str(name)]
        return chosen if len(chosen) == self.freedom() else []

    def reader(self, names: list[str]) -> Callable[[np.ndarray], np.ndarray]:
        return lambda q: np.array([self.quantities[n](self.oracle.poses(q, 0 * q)) for n in names])


def close(found: np.ndarray, expected: np.ndarray, names: str) -> None:
    """Compare each row to 1e-8 of its largest number, which counts as 1e-6 of the largest of all, or of 1, at least."""
    assert found.shape == expected.shape, names
    if found.size:
        size = np.abs(expected).max(axis=1, keepdims=True)
        size = np.maximum(size, 1e-6 * max(size.max(), 1.0))
        assert (np.abs(found - expected) <= 1e-8 * size).all(), f"{names}\n{found}\n{expected}"


def check(seed: int, dimension: int, speed: float, sets: tuple[str, ...] = SETS) -> None:
    with mp.workdps(DIGITS):
        one = Mechanism(seed, dimension, speed)
        names = one.coordinates()
        if not names:
            pytest.fail("no well-conditioned coordinates")
        told = [n for n in one.quantities if n.endswith(".angle") and not (speed and n[0] == "b")]
        springs = [n for n in one.quantities if n.endswith(".effort")]
        read, count = one.reader(told), len(one.oracle.phi(0 * one.v))

        def outputs(q: np.ndarray, v: np.ndarray, a: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
            tensions = [one.quantities[n](one.oracle.poses(q, v)) for n in springs]
            drives = [-multipliers[at] for at in one.efforts.values()]
            assert len(multipliers) == count
            return np.concatenate([*along(read, q, v, a), tensions, drives])

        A, B, C, D = one.oracle.linearised(one.v, one.inputs, one.reader(names), outputs)
        eigenvalues = mp.eig(mp.matrix(A.tolist()), left=False, right=False)
        eigenvalues = np.array([complex(x) for x in eigenvalues])
    rates = [f"{n.removesuffix('.angle')}.{rate}" for rate in ("omega", "alpha") for n in told]
    state: Any = mbs.assemble(one.model)
    if speed:
        ends = {".angle": ".omega", ".displacement": ".velocity"}
        moves = {n.replace(end, rate): 0.0 for n in names for end, rate in ends.items() if n.endswith(end)}
        state = moves | ({} if one.efforts else {"Revolute1.omega": speed})
    for chosen in sets:
        law = mbs.linearize(
            one.model.compile(chosen), state, [f"u{k}" for k in range(one.inputs)],
            [*told, *rates, *springs, *one.efforts], names,
        )  # fmt: skip
        assert law.coordinates == tuple(names)
        where = f"of {seed}, {dimension}, {speed}, {chosen}"
        close(law.A, A, f"A {where}")
        close(law.B, B, f"B {where}")
        for value in eigenvalues:
            error = np.abs(law.eigenvalues - value).min()
            assert error <= 1e-6 * abs(value) + 1e-13 * np.abs(eigenvalues).max(), f"{value} {where}, {law.eigenvalues}"
        for kind in np.split(np.arange(len(C)), len(told) * np.arange(1, 4)):  # places, rates, accelerations, efforts
            close(law.C[kind], C[kind], f"C {where}")
            close(law.feedthrough[kind], D[kind], f"D {where}")


TURN = 1.3
CASES = [
    *((2, 0.0, seed) for seed in (4, 7, 8, 9, 14)), *((2, TURN, seed) for seed in (1, 3, 5, 7)),
    (3, 0.0, 5), *((3, TURN, seed) for seed in (1, 2, 4, 6)),
]  # fmt: skip
"""Cheap ones, with light bodies, loops, gears and drivers among them."""


@pytest.mark.parametrize(("dimension", "speed", "seed"), CASES)
def test_small_motions_of_random_mechanisms(dimension, speed, seed):
    check(seed, dimension, speed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("speed", [0.0, TURN])
@pytest.mark.parametrize("dimension", [2, 3])
def test_small_motions_of_many_random_mechanisms(dimension, speed, seed):
    check(seed, dimension, speed)


def two_masses(mass: float, stiffness: float, damping: float) -> mbs.PlanarModel:
    """A mass of 1 kg on a spring of 1 N/m, and another one beside it."""
    model = mbs.PlanarModel("two masses")
    for name, x, m, k, c in (("light", 1.0, mass, stiffness, damping), ("heavy", 2.0, 1.0, 1.0, 0.0)):
        body = model.body(name, m, m, position=(x, 0))
        model.add(
            mbs.Translational(f"guide of {name}", model.ground, body),
            mbs.SpringDamper(f"spring of {name}", model.ground, body, stiffness=k, damping=c, length=x),
        )
    return model


@pytest.mark.parametrize(("mass", "stiffness", "damping"), [(1e-8, 1e8, 0.0), (1e-6, 100.0, 1e4)])
def test_slow_modes_that_fast_ones_hide_are_not_told_as_0(mass, stiffness, damping):
    """Beside 1e8 or 1e10 1/s an oscillation at 1 rad/s is less than roundoff."""
    model = two_masses(mass, stiffness, damping)
    law = mbs.linearize(model, mbs.assemble(model))
    with refused("modes-lost-in-roundoff", model="two masses"):
        print(law.eigenvalues)


def test_slow_modes_beside_fast_ones_are_told():
    model = two_masses(1e-6, 1e6, 0.0)
    law = mbs.linearize(model, mbs.assemble(model))
    assert law.stable and law.frequencies == pytest.approx([1.0, 1e6], rel=1e-9)


def test_what_nothing_holds_has_eigenvalues_0():
    model = two_masses(1e-8, 1e8, 0.0).without("spring of heavy")
    law = mbs.linearize(model, mbs.assemble(model))
    assert not law.stable and (law.eigenvalues == 0.0).sum() == 2
