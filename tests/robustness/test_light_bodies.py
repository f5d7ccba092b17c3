"""Bodies without mass and light ones beside heavy ones: accelerations, forces and moments of joints and forces of teeth
against an oracle in 40 digits, or a refusal that names a body; and the energy of runs."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from members import check_members
from scipy.linalg import qr

import mbs_dae as mbs

SETS = "cartesian", "natural", "joint"
DIGITS = 40
ALLOWED = 1e-8
"""The error allowed, relative to the size of an acceleration or a reaction."""
HELD = 1e-25
"""Bodies of less acceleration are held; their errors are judged relative to 1 m/s² or 1 rad/s²."""
CANCELLED = 1e-13
"""The further error allowed for a held body, relative to the acceleration that its push would give it if it were free:
65 N on 2e-6 kg, 3e7 m/s², and the reactions that hold the body cancel each other but for roundoff."""
ROUNDOFF = 1e-15
"""A force or moment below this part of the largest force of its model is roundoff, or zero."""
LEAST = 1e-2
"""The least singular value of the rows: with less, roundoff of places alone moves accelerations."""


# --- random models, and Newton and Euler for them --------------------------------------------------------------------


class Cluster:
    """Some bodies pinned, balled or welded at points that several of them may share, in chains, trees and loops; in the
    plane turns may be coupled. Masses are over twelve decades, some are none. They are at rest; or with `gears`, which
    couple the turns of pins or mesh, they move. With `slides`, at rest, half of the pins are guides, and in the plane a
    pinion rolls on a rack."""

    def __init__(self, dimension: int, seed: int, gears: bool = False, slides: bool = False):
        random = np.random.default_rng([dimension, seed])
        count = int(random.integers(2, 7 if dimension == 2 else 5))
        self.dimension, self.axes = dimension, np.eye(3)[[2] if dimension == 2 else [0, 1, 2]]
        self.places = random.uniform(-1, 1, (count, dimension))
        self.mass = np.where(random.random(count) < 0.35, 0.0, 10.0 ** random.uniform(-6, 6, count))
        self.mass[0] = 1.0 if not self.mass.any() else self.mass[0]
        arms = random.uniform(0.25, 0.34, (count, len(self.axes))) * (random.random(count) < 0.8)[:, None]
        self.inertia = self.mass[:, None] * arms**2
        points = random.uniform(-1, 1, (count, dimension))
        self.joints: list[tuple[type, int, int, np.ndarray, np.ndarray]] = []
        free = 0
        for k in range(count):
            at, axis = points[int(random.integers(max(1, count - 1)))], random.standard_normal(3)
            kinds = [mbs.Revolute, mbs.Fixed] if dimension == 2 else [mbs.Revolute, mbs.Spherical, mbs.Fixed]
            odds = [0.4, 0.6] if self.mass[k] == 0.0 else [0.75, 0.25]
            if dimension == 3:
                odds = [0.3, 0.1, 0.6] if self.mass[k] == 0.0 else [0.5, 0.25, 0.25]
            kind = kinds[int(random.choice(len(kinds), p=odds))]
            free += len(self.axes) - len(self.turns(kind, axis))
            self.joints.append((kind, int(random.integers(-1, k)), k, at, axis / np.linalg.norm(axis)))
        self.couplings: list[tuple[int, int, float]] = []
        while free > dimension and random.random() < 0.6:
            i, k = sorted(random.choice(count, 2, replace=False).tolist())
            if dimension == 3 or random.random() < 0.5:
                pin = mbs.Revolute if dimension == 2 else mbs.Spherical
                self.joints.append((pin, i, k, random.uniform(-1, 1, dimension), np.eye(3)[2]))
                free -= dimension
            else:
                self.couplings.append((i, k, float(random.uniform(0.5, 3))))
                free -= 1
        self.boxes: list[tuple[int, int, float, str]] = []
        """Joints whose turns a gear couples, its ratio and mesh."""
        self.meshes: list[tuple[int, int, float, float]] = []
        """Wheels and their radii."""
        self.racks: list[tuple[int, int, float, float]] = []
        """Pinions, racks, the angle of the pitch line, and the radius."""
        self.random = random
        if slides:
            count = self._add_slides()
        if gears:
            count = self._add_gears(free)
        scales = np.maximum(self.mass, 10.0 ** random.uniform(-6, 2, count))
        self.pushes = random.uniform(-1, 1, (count, dimension)) * scales[:, None]
        self.arms = random.uniform(-1, 1, (count, dimension))
        """Where on their bodies the pushes act."""
        self.speeds, self.given = np.zeros((count, dimension + len(self.axes)), dtype=object), dict[str, float]()
        self.frames = np.broadcast_to(np.eye(len(self.axes)), (count, len(self.axes), len(self.axes)))
        """The axes of bodies in space, as columns."""
        self.bends = np.zeros(0, dtype=object)
        """The part of the second derivative of each row that is quadratic in the speeds."""

    def _add_gears(self, free: int) -> int:
        """Couple two pins by a gear; in the plane put two wheels in mesh on pins of one body. Return the number of
        bodies."""
        random, pins = self.random, [n for n, joint in enumerate(self.joints) if joint[0] is mbs.Revolute]
        if len(pins) > 1 and free > 1 and random.random() < 0.7:
            first, second = random.choice(pins, 2, replace=False).tolist()
            ratio, mesh = float(random.uniform(0.5, 3)), str(random.choice(["external", "internal"]))
            self.boxes.append((first, second, ratio, mesh))
        if self.dimension == 3 or random.random() < 0.3:
            return len(self.places)
        count, radii = len(self.places), random.uniform(0.1, 0.4, 2)
        carrier = int(random.integers(-1, count))
        first, angle = random.uniform(-1, 1, 2), random.uniform(-3, 3)
        second = first + radii.sum() * np.array([np.cos(angle), np.sin(angle)])
        self.places = np.vstack([self.places, first, second])
        masses = np.where(random.random(2) < 0.35, 0.0, 10.0 ** random.uniform(-6, 6, 2))
        self.mass, self.inertia = np.append(self.mass, masses), np.vstack([self.inertia, 0.3 * masses[:, None] * 0.09])
        for k, at in ((count, first), (count + 1, second)):
            self.joints.append((mbs.Revolute, carrier, k, at, np.eye(3)[2]))
        self.meshes.append((count, count + 1, *map(float, radii)))
        return count + 2

    def _add_slides(self) -> int:
        """Make guides of half of the pins; in the plane put a pinion on a rack, both on one body. Return the number of
        bodies."""
        random, count = self.random, len(self.places)
        for number, (kind, i, k, at, axis) in enumerate(self.joints):
            if kind is mbs.Revolute and number < count and random.random() < 0.5:
                self.joints[number] = (mbs.Prismatic, i, k, at, axis)
        if self.dimension == 3:
            return count
        carrier, angle, radius = int(random.integers(-1, count)), *map(float, random.uniform((-3, 0.1), (3, 0.4)))
        along = np.array([np.cos(angle), np.sin(angle), 0.0])
        rack = random.uniform(-1, 1, 2)
        pinion = rack + radius * np.array([-along[1], along[0]]) + random.uniform(-1, 1) * along[:2]
        self.places = np.vstack([self.places, pinion, rack])
        masses = np.where(random.random(2) < 0.35, 0.0, 10.0 ** random.uniform(-6, 6, 2))
        self.mass, self.inertia = np.append(self.mass, masses), np.vstack([self.inertia, 0.3 * masses[:, None] * 0.09])
        self.joints.append((mbs.Revolute, carrier, count, pinion, np.eye(3)[2]))
        self.joints.append((mbs.Prismatic, carrier, count + 1, rack, along))
        self.racks.append((count, count + 1, angle, radius))
        return count + 2

    def turn_frames(self) -> None:
        """Give bodies in space frames that are not principal axes, and make thin rods of two in three."""
        self.frames = np.linalg.qr(self.random.standard_normal(self.frames.shape))[0]
        self.frames[np.linalg.det(self.frames) < 0.0, :, 0] *= -1.0
        for k in np.flatnonzero(self.random.random(len(self.mass)) < 0.67).tolist():
            self.inertia[k] = self.inertia[k].max() * (np.arange(3) != self.random.integers(3))

    def set_moving(self) -> bool:
        """Set speeds of all bodies that satisfy the rows in 40 digits, from some that are given; return False where
        rows are dependent."""
        J, _ = self.rows()
        plain = J.astype(float)
        if np.linalg.svd(plain, compute_uv=False).min() < LEAST:
            return False
        ways = np.linalg.svd(plain)[2][len(J) :]
        own = qr(ways, pivoting=True, mode="r")[1][: len(ways)]
        chosen = self.random.uniform(-1, 1, len(ways)) @ ways
        n, m = J.shape[1], len(J)
        A, b = mp.zeros(n), mp.zeros(n, 1)
        for r in range(m):
            for k in range(n):
                A[r, k] = J[r, k]
        names = ["vx", "vy", "omega"] if self.dimension == 2 else ["vx", "vy", "vz", "wx", "wy", "wz"]
        for r, k in enumerate(own.tolist()):
            A[m + r, k], b[m + r] = 1, mp.mpf(float(chosen[k]))
            body, name = divmod(k, len(names))
            self.given[f"b{body}.{names[name]}"] = float(chosen[k])
        found = mp.lu_solve(A, b) if n else b
        self.speeds = np.array(list(found), dtype=object).reshape(self.speeds.shape)
        return True

    def spin(self, body: int) -> np.ndarray:
        """The angular velocity, with three components; none of the ground."""
        return self.axes.T.dot(self.speeds[body, self.dimension :]) if body >= 0 else np.zeros(3, dtype=object)

    def ways(self, kind: type, axis: np.ndarray) -> list[tuple[np.ndarray | None, np.ndarray | None]]:
        """For each row of a joint the direction along which it keeps its points together, or that about which it keeps
        its bodies from turning."""
        along = np.eye(3)[: self.dimension]
        if kind is mbs.Prismatic:
            x, y = self.heading(axis)
            along = np.array([(-y, x, 0.0)]) if self.dimension == 2 else np.linalg.svd(axis[None])[2][1:]
        return [*((e, None) for e in along), *((None, u) for u in self.turns(kind, axis))]

    def heading(self, axis: np.ndarray) -> np.ndarray:
        """The direction in the plane of a guide along an axis."""
        return np.asarray(axis[:2] / np.hypot(*axis[:2]))

    def turns(self, kind: type, axis: np.ndarray) -> np.ndarray:
        """The directions about which a joint keeps its bodies from turning."""
        if kind in (mbs.Fixed, mbs.Prismatic):
            return self.axes
        if self.dimension == 2 or kind is mbs.Spherical:
            return np.zeros((0, 3))
        return np.linalg.svd(axis[None])[2][1:]

    def model(self) -> mbs.PlanarModel | mbs.SpatialModel:
        flat = self.dimension == 2
        model = (mbs.PlanarModel if flat else mbs.SpatialModel)("cluster", gravity=np.eye(self.dimension)[1] * -9.81)
        bodies = []
        for k, place in enumerate(self.places):
            if flat:
                inertia, frame = float(self.inertia[k, 0]), {}
            else:
                turn, inertia = self.frames[k], self.inertia[k]
                inertia = turn.T @ np.diag(inertia) @ turn
                inertia, frame = (inertia + inertia.T) / 2, {"rotation": turn}
            bodies.append(model.body(f"b{k}", float(self.mass[k]), inertia, position=tuple(place.tolist()), **frame))
        for number, (kind, i, k, at, axis) in enumerate(self.joints):
            ends = model.ground if i < 0 else bodies[i], bodies[k]
            if flat and kind is mbs.Prismatic:
                x, y = self.heading(axis)
                places = (np.zeros(2) if i < 0 else self.places[i]), self.places[k]
                markers = [b.at(*(at - p).tolist(), float(np.arctan2(y, x))) for b, p in zip(ends, places, strict=True)]
                model.add(kind(f"p{number}", *markers))
                continue
            more = {} if flat or kind in (mbs.Fixed, mbs.Spherical) else {"axis": tuple(axis.tolist())}
            model.add(kind(f"p{number}", *ends, at=tuple(at.tolist()), **more))
        for number, (i, k, ratio) in enumerate(self.couplings):
            phi = lambda i, k, r=ratio: r * i.angle + k.angle  # noqa: E731
            model.add(mbs.Constraint(f"c{number}", bodies[i], bodies[k], phi=phi))
        for number, (one, other, ratio, mesh) in enumerate(self.boxes):
            pins = model.elements[f"p{one}"], model.elements[f"p{other}"]
            model.add(mbs.Gear(f"g{number}", *pins, ratio=ratio, mesh=mesh))
        for number, (i, k, r_i, r_k) in enumerate(self.meshes):
            model.add(mbs.Gear(f"m{number}", bodies[i], bodies[k], radii=(r_i, r_k)))
        for number, (i, k, angle, radius) in enumerate(self.racks):
            model.add(mbs.RackAndPinion(f"r{number}", bodies[i], bodies[k].at(0, 0, angle), radius=radius))
        for k, body in enumerate(bodies):
            arm = self.arms[k] if flat else self.arms[k] @ self.frames[k]
            model.add(mbs.Force(f"f{k}", body.at(*arm.tolist()), tuple(self.pushes[k].tolist())))
        return model

    def hanging(self) -> tuple[mbs.PlanarModel | mbs.SpatialModel, np.ndarray]:
        """Return a model of the joints of the tree alone, with springs at its pins as stiff as what hangs on them asks
        for, and the load that each joint carries, the sum of those behind it."""
        self.joints, self.couplings = self.joints[: len(self.places)], []
        loads, behind = self.pushes.copy(), [{k} for k in range(len(self.places))]
        loads[:, 1] -= 9.81 * self.mass
        for _, i, k, *_ in reversed(self.joints):
            if i >= 0:
                behind[i] |= behind[k]
        model, loads_behind = self.model(), [loads[sorted(bodies)] for bodies in behind]
        for number, (kind, _, k, *_) in enumerate(self.joints):
            if kind is mbs.Revolute:
                stiffness = 15 * float(np.linalg.norm(loads_behind[k], axis=1).sum())
                model.add(mbs.TorsionSpring(f"s{number}", model.elements[f"p{number}"], stiffness=stiffness))
        return model, np.array([own.sum(axis=0) for own in loads_behind])

    def rows(self) -> tuple[np.ndarray, list[int]]:
        """Return the rows of all joints and gears, over the velocities and angular velocities of the bodies, and the
        number of the first row of each joint."""
        size, rows, begins = self.dimension + len(self.axes), list[np.ndarray](), list[int]()
        bends = list[Any]()
        for kind, i, k, at, axis in self.joints:
            begins.append(len(rows))
            for along, about in self.ways(kind, axis):
                row, bend = np.zeros(size * len(self.places), dtype=object) * mp.mpf(0), mp.mpf(0)
                for body, sign in ((i, 1), (k, -1)):
                    if body < 0:
                        continue
                    arm = np.array([mp.mpf(0)] * 3)
                    arm[: self.dimension] = [mp.mpf(x) - mp.mpf(y) for x, y in zip(at, self.places[body], strict=True)]
                    own = row[size * body : size * (body + 1)]
                    if along is not None:
                        own[: self.dimension] += sign * along[: self.dimension]
                    turning = about if along is None else np.cross(arm, along)
                    own[self.dimension :] += sign * self.axes.dot(turning)
                    if along is not None:
                        bend += sign * along.dot(np.cross(self.spin(body), np.cross(self.spin(body), arm)))
                if about is not None:  # fixed on the first body
                    bend += (self.spin(i) - self.spin(k)).dot(np.cross(self.spin(i), about))
                rows.append(row)
                bends.append(bend)
        for i, k, ratio in self.couplings:
            row = np.zeros(size * len(self.places), dtype=object) * mp.mpf(0)
            row[size * i + 2] += mp.mpf(ratio)
            row[size * k + 2] += 1
            rows.append(row)
        for one, other, ratio, mesh in self.boxes:
            row = np.zeros(size * len(self.places), dtype=object) * mp.mpf(0)
            for number, factor in ((one, 1.0), (other, ratio if mesh == "external" else -ratio)):
                _, i, k, _, axis = self.joints[number]
                about = np.array([mp.mpf(x) for x in (self.axes[0] if self.dimension == 2 else axis).tolist()])
                for body, sign in ((i, -1), (k, 1)):
                    if body >= 0:
                        row[size * body + self.dimension : size * (body + 1)] += sign * factor * self.axes.dot(about)
            rows.append(row)
        for i, k, r_i, r_k in self.meshes:
            row = np.zeros(size * len(self.places), dtype=object) * mp.mpf(0)
            x, y = ((mp.mpf(b) - mp.mpf(a)) / (mp.mpf(r_i) + r_k) for a, b in zip(*self.places[[i, k]], strict=True))
            row[size * i : size * i + 3] += np.array([-y, x, mp.mpf(r_i)])
            row[size * k : size * k + 3] += np.array([y, -x, mp.mpf(r_k)])
            rows.append(row)
        for i, k, angle, radius in self.racks:
            row = np.zeros(size * len(self.places), dtype=object) * mp.mpf(0)
            x, y = mp.cos(angle), mp.sin(angle)
            between = [mp.mpf(a) - mp.mpf(b) for a, b in zip(*self.places[[i, k]].tolist(), strict=True)]
            row[size * i : size * i + 3] += np.array([x, y, mp.mpf(radius)])
            row[size * k : size * k + 3] -= np.array([x, y, radius + y * between[0] - x * between[1]])
            rows.append(row)
        self.bends = np.array(bends + [mp.mpf(0)] * (len(rows) - len(bends)))
        return np.array(rows), begins

    def oracle(self) -> tuple[np.ndarray, dict[str, np.ndarray]] | str:
        """The accelerations of all places and turns, body by body, and by name the forces and moments of joints on
        their second bodies, and the forces of teeth on their second wheel, or rack; a word where rows are "dependent",
        or the equations "singular"."""
        J, begins = self.rows()
        if np.linalg.svd(J.astype(float), compute_uv=False).min() < LEAST:
            return "dependent"
        masses = np.column_stack([np.repeat(self.mass[:, None], self.dimension, axis=1), self.inertia]).ravel()
        pushes = self.pushes.astype(object) * mp.mpf(1)
        pushes[:, 1] -= [mp.mpf(x) * mp.mpf(9.81) for x in self.mass.tolist()]
        arms, forces = np.zeros((2, len(pushes), 3), dtype=object)
        arms[:, : self.dimension], forces[:, : self.dimension] = self.arms, self.pushes.astype(object) * mp.mpf(1)
        moments = np.cross(arms, forces).dot(self.axes.T)
        if self.dimension == 3:  # ω × I ω
            turns = self.speeds[:, 3:]
            moments -= np.cross(turns, self.inertia * turns)
        right = np.column_stack([pushes, moments]).ravel()
        n, m = masses.size, len(J)
        K, f = mp.zeros(n + m), mp.zeros(n + m, 1)
        for k in range(n):
            K[k, k], f[k] = mp.mpf(masses[k]), mp.mpf(right[k])
            for r in range(m):
                K[n + r, k] = K[k, n + r] = J[r, k]
        for r in range(m):
            f[n + r] = -self.bends[r]
        try:
            found = mp.lu_solve(K, f)
        except (ZeroDivisionError, TypeError):  # mpmath finds no pivot
            return "singular"
        if max(abs(x) for x in found) > mp.mpf(10) ** 20:
            return "singular"
        loads = dict[str, np.ndarray]()
        for number, ((kind, _, _, _, axis), begin) in enumerate(zip(self.joints, begins, strict=True)):
            force, moment = np.zeros(3, dtype=object), np.zeros(len(self.axes), dtype=object)
            for row, (along, about) in enumerate(self.ways(kind, axis), start=begin):
                if along is not None:
                    force = force + found[n + row] * along
                else:
                    moment = moment + found[n + row] * self.axes.dot(about)
            loads[f"p{number}"] = np.concatenate([force[: self.dimension], moment]).astype(float)
        for number, (i, k, r_i, r_k) in enumerate(self.meshes):
            x, y = (self.places[k] - self.places[i]) / (r_i + r_k)
            teeth = float(found[n + m - len(self.meshes) - len(self.racks) + number])
            loads[f"m{number}"] = teeth * np.array([-y, x])
        for number, (_, _, angle, _) in enumerate(self.racks):
            loads[f"r{number}"] = float(found[n + m - len(self.racks) + number]) * np.array(
                [np.cos(angle), np.sin(angle)]
            )
        return np.array([float(x) for x in found[:n]]).reshape(len(self.places), -1), loads


def became(dimension: int, seed: int, gears: bool = False, turned: bool = False, slides: bool = False) -> str:
    """Return the outcome for a model: "right" in all coordinate sets, "refused" by name in some, "singular" and refused
    in all, or "dependent" for rows that are dependent, which is not examined."""
    cluster = Cluster(dimension, seed, gears, slides)
    if turned:
        cluster.turn_frames()
    with mp.workdps(DIGITS):
        known = cluster.oracle() if not gears or cluster.set_moving() else "dependent"
    if known == "dependent":
        return "dependent"
    model, told, names = cluster.model(), set[str](), ["ax", "ay", "alpha"]
    if dimension == 3:
        names = ["ax", "ay", "az", "alphax", "alphay", "alphaz"]
    for kind in SETS:
        where = f"model {seed} in {dimension} dimensions, {kind}"
        try:
            state = mbs.simulate(model.compile(kind), [0.0, 1e-9], cluster.given)
            reactions = {name: state.reaction(name)[0] for name in ([] if isinstance(known, str) else known[1])}
        except mbs.ModelError as error:
            assert "'b" in str(error), where
            told.add("refused")
            continue
        assert not isinstance(known, str), f"{where}: accelerations of a singular model"
        told.add("right")
        a, loads = known
        for k, own in enumerate(a):
            got = np.array([state[f"b{k}.{name}"][0] for name in names])
            allowed, mass = ALLOWED * np.abs(own).max(), float(cluster.mass[k])
            if np.abs(own).max() <= HELD:
                allowed = ALLOWED + (CANCELLED * np.abs(cluster.pushes[k]).max() / mass if mass else 0.0)
            assert np.abs(got - own).max() <= allowed, f"{where}: b{k} {got} for {own}"
        largest = max(np.abs(load).max() for load in loads.values())
        for name, load in loads.items():
            for what, part in (("force", slice(dimension)), ("moment", slice(dimension, None))):
                own, got = load[part], reactions[name][part][: load[part].size]
                size = np.abs(own).max(initial=0.0)
                allowed = max(ALLOWED * size, ROUNDOFF * largest if size < ROUNDOFF * largest else 0.0)
                assert np.abs(got - own).max(initial=0.0) <= allowed, f"{where}: {what} of {name} {got} for {own}"
    return "singular" if isinstance(known, str) else "refused" if "refused" in told else "right"


def count(
    dimension: int, seeds: range, gears: bool = False, turned: bool = False, slides: bool = False
) -> dict[str, int]:
    found = [became(dimension, seed, gears, turned, slides) for seed in seeds]
    return {word: found.count(word) for word in ("right", "refused", "singular", "dependent")}


@pytest.mark.parametrize(("dimension", "first"), [(2, 0), (2, 30), (3, 0)])
def test_random_models_with_light_bodies(dimension, first):
    """None is wrong, and none that has accelerations is refused."""
    found = count(dimension, range(first, first + (30 if dimension == 2 else 15)))
    assert found["refused"] == 0 and found["right"] > 5 and found["singular"] > 0


@pytest.mark.soak
@pytest.mark.parametrize(("dimension", "models"), [(2, 700), (3, 300)])
def test_a_thousand_random_models_with_light_bodies(dimension, models):
    found = count(dimension, range(1000, 1000 + models))
    assert found["right"] + found["singular"] + found["dependent"] >= 0.99 * models and found["right"] > models / 3


@pytest.mark.parametrize(("dimension", "models"), [(2, 24), (3, 10)])
def test_random_models_in_motion_with_gears(dimension, models):
    """Random speeds, pins whose turns a gear couples, and wheels in mesh: none is wrong, and none is refused."""
    found = count(dimension, range(models), gears=True)
    assert found["refused"] == 0 and found["right"] > models / 3 and found["singular"] > 0


@pytest.mark.parametrize(("dimension", "models"), [(2, 16), (3, 10)])
def test_random_models_with_guides_and_racks(dimension, models):
    found = count(dimension, range(models), slides=True)
    assert found["refused"] == 0 and found["right"] > models / 4


@pytest.mark.soak
@pytest.mark.parametrize(("dimension", "models"), [(2, 400), (3, 200)])
def test_hundreds_of_random_models_with_guides_and_racks(dimension, models):
    found = count(dimension, range(1000, 1000 + models), slides=True)
    assert found["refused"] <= 0.01 * models and found["right"] > models / 4


def test_moments_of_welds_beside_heavy_bodies_that_hang_in_them_are_those_of_the_light_bodies():
    """A heavy body hangs on a pin in the middle of a weld of a body without mass: plain solutions leave roundoff of the
    force through the pin in the moment of the weld, 2e-5 of it and less."""
    assert {became(2, seed) for seed in (1083, 1402, 1662)} == {"right"}


def test_random_models_of_thin_rods_in_turned_frames():
    found = count(3, range(200, 212), gears=True, turned=True)
    assert found["refused"] == 0 and found["right"] > 4 and found["singular"] > 0


@pytest.mark.soak
@pytest.mark.parametrize(("dimension", "models"), [(2, 700), (3, 300)])
def test_a_thousand_random_models_in_motion_with_gears(dimension, models):
    found = count(dimension, range(1000, 1000 + models), gears=True)
    assert found["right"] + found["singular"] + found["dependent"] >= 0.99 * models and found["right"] > models / 3


def test_what_is_lost_where_two_heavy_bodies_push_a_light_one_at_one_point_is_found():
    """In these models forces through one point cancel each other to a billionth and less."""
    assert {became(2, seed) for seed in (1082, 1140, 1296, 1345)} | {became(3, 1000)} == {"right"}


# --- pins at one point, and in the axis of a rod ---------------------------------------------------------------------


def one_pin(light: float, heavy: float) -> mbs.PlanarModel:
    """Two pendulums one behind the other, pinned at one point: each swings as if it were alone. The mass m of the light
    one is a parameter."""
    model = mbs.PlanarModel("one pin", gravity=(0, -9.81))
    m = model.parameter("m", light)
    one = model.body("light", m, 0.02 * m, position=(0.3, 0.1))
    other = model.body("heavy", heavy, 0.05 * heavy, position=(0.2, -0.4))
    model.add(mbs.Revolute("A", model.ground, one, at=(0, 0)), mbs.Revolute("B", one, other, at=(0, 0)))
    return model


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("ratio", 10.0 ** np.arange(-14, 1, 2))
def test_pendulums_on_one_pin_swing_as_if_each_were_alone(kind, ratio):
    """α = -m g x / (I + m r²), or named as lost."""
    try:
        run = mbs.simulate(one_pin(ratio, 1.0).compile(kind), [0.0, 1e-9])
    except mbs.ModelError as error:
        assert ratio < 1e-8 and "'light'" in str(error)
        return
    for name, x, y, inertia in (("light", 0.3, 0.1, 0.02), ("heavy", 0.2, -0.4, 0.05)):
        assert run[f"{name}.alpha"][0] == pytest.approx(-9.81 * x / (inertia + x * x + y * y), rel=1e-9)


@pytest.mark.parametrize("kind", SETS)
def test_a_light_pendulum_on_the_pin_of_a_heavy_one_keeps_its_motion(kind):
    times = np.linspace(0, 1, 11)
    run = mbs.simulate(one_pin(1e-7, 1.0).compile(kind), times, rtol=1e-10)
    alone = mbs.simulate(one_pin(1.0, 1.0).compile(kind), times, rtol=1e-10)
    for name in ("light.angle", "heavy.angle"):
        np.testing.assert_allclose(run[name], alone[name], rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("part", [1e-4, 1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("on", ["ground", "arm"])
def test_a_torque_turns_a_rod_about_its_axis_however_little_that_moves(kind, part, on):
    """α = T / I about the axis, I being a small part of the other moments of inertia."""
    model = mbs.SpatialModel("axle", gravity=(0, 0, -9.81))
    rod, holder = model.body("rod", 1.0, (part, 1.0, 1.0)), model.ground
    if on == "arm":
        holder = model.body("arm", 1.0, (1.0, 1.0, 1.0), position=(0.6, 0.2, 0))
        model.add(mbs.Revolute("G", model.ground, holder, at=(0.5, 0.2, 0.1), axis=(0, 1, 0)))
    pin = mbs.Revolute("A", holder, rod, at=(0.3, 0, 0), axis=(1, 0, 0))
    model.add(pin, mbs.Torque("T", pin, 2.0 * part))
    assert mbs.simulate(model.compile(kind), [0.0, 1e-9])["rod.alphax"][0] == pytest.approx(2.0, rel=1e-10)


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("part", [1e-5, 1e-6, 1e-9, 1e-10, 1e-12, 1e-14])
@pytest.mark.parametrize("at", [(0, 0, 0), (0.05, 0.03, -0.02)], ids=["in the middle", "beside the axis"])
def test_a_moment_that_a_turned_tensor_has_lost_is_named(kind, part, at):
    """Roundoff of a tensor of inertia in a frame that is turned is about 1e-16 of its largest entry, which is more than
    1e-8 of a moment of 1e-9."""
    turn = mbs.rotations.about((0.4, -0.7, 1.1), 1.4)
    tensor = turn.T @ np.diag((part, 1.0, 1.0)) @ turn
    model = mbs.SpatialModel("axle", gravity=(0, 0, -9.81))
    com = tuple((turn.T @ -np.array(at)).tolist())
    rod = model.body("rod", 1.0, (tensor + tensor.T) / 2, com=com, position=at, rotation=turn)
    pin = mbs.Revolute("A", model.ground, rod, at=(0.3, 0, 0), axis=(1, 0, 0))
    model.add(pin, mbs.Torque("T", pin, 2.0 * part))
    try:
        found = mbs.simulate(model.compile(kind), [0.0, 1e-9])["rod.alphax"][0]
    except mbs.ModelError as error:
        assert part < 1e-8 and "'rod'" in str(error)
        return
    assert found == pytest.approx(2.0, rel=1e-9 * max(1.0, 1e-6 / part))


# --- heavy bodies elsewhere in the model -----------------------------------------------------------------------------


def flap(others: float = 0.0) -> mbs.PlanarModel:
    """A flap of 0.1 kg with a tip without mass, under 1 N m; beside it there may be a machine of so many kilograms."""
    model = mbs.PlanarModel("flap")
    own, tip = model.body("flap", 0.1, 1e-3), model.body("tip", position=(0.1, 0))
    model.add(mbs.Revolute("A", model.ground, own), mbs.Fixed("B", own, tip, at=(0.1, 0)), mbs.Torque("T", own, 1.0))
    if others:
        machine = model.body("machine", others, others, position=(1, 0))
        model.add(mbs.Revolute("C", model.ground.at(1, 0), machine))
    return model


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("others", [0.0, 1e4, 1e12])
def test_a_heavy_body_elsewhere_changes_nothing(kind, others):
    result = mbs.simulate(flap(others).compile(kind), [0.0, 1e-3])
    assert result["flap.alpha"] == pytest.approx([1000.0, 1000.0], rel=1e-12)
    assert result["tip.ay"][0] == pytest.approx(100.0, rel=1e-12)


def test_assembled_accelerations_with_forces_are_those_of_runs():
    assert mbs.assemble(flap(1e5), forces=True)["flap.alpha"] == pytest.approx(1000.0, rel=1e-12)


@pytest.mark.parametrize("kind", SETS)
def test_a_bird_on_a_sleeve_without_mass_keeps_its_energy(kind):
    """A post of a ton; a sleeve without mass slides along it on a spring, and a bird of 10 g swings on the sleeve."""
    model = mbs.PlanarModel("bird", gravity=(0, -9.81))
    post, sleeve = model.body("post", 1000.0, 100.0), model.body("sleeve", position=(0, 1.0))
    bird = model.body("bird", 0.01, 1e-6, position=(0.05, 1.0))
    model.add(
        mbs.Fixed("floor", model.ground, post),
        mbs.Prismatic("along", post.at(0, 0, np.pi / 2), sleeve.at(0, 0, np.pi / 2)),
        mbs.Revolute("pin", sleeve, bird, at=(0, 1.0)),
        mbs.Spring("spring", post.at(0, 1.5), sleeve, stiffness=2.0, length=0.5),
    )
    result = mbs.simulate(model.compile(kind), np.linspace(0, 2, 21), rtol=1e-10)
    assert np.abs(result.energy.error).max() < 1e-8 * np.ptp(result.energy.potential)
    # the sleeve has no mass: what its pin pushes along the post is what the spring pulls
    pull = 2.0 * (1.5 - result["sleeve.y"] - 0.5)
    np.testing.assert_allclose(result.reaction("pin")[:, 1], pull, atol=1e-7 * np.abs(pull).max())
    turned, ay = result["bird.angle"], result["bird.ay"]
    np.testing.assert_allclose(0.01 * (ay + 9.81), pull, atol=1e-7 * np.abs(pull).max())
    assert np.ptp(turned) > 0.5


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("heavy", [0.0, 1e5, 1e12])
@pytest.mark.parametrize("carried", [False, True], ids=["elsewhere", "carried"])
def test_a_light_arm_comes_to_rest_beside_a_heavy_wheel(heavy, carried, coordinates):
    """k (θ - φ) = -(m g cos θ) l, whatever else is heavy: a wheel elsewhere, or one at φ that carries the arm in its
    axis."""
    m, l, k, g = 2e-3, 1.5, 0.5, 9.81
    model = mbs.PlanarModel("arm", gravity=(0.0, -g))
    base = model.ground.at(0, 0)
    if heavy:
        at = (0.0, 0.0) if carried else (5.0, 0.0)
        wheel = model.body("wheel", mass=heavy, inertia=heavy, position=at)
        model.add(mbs.Revolute("H", model.ground.at(*at), wheel.at(0, 0)))
        model.add(mbs.TorsionSpring("hold", model.elements["H"], stiffness=heavy))
        base = wheel.at(0, 0) if carried else base
    arm, tip = model.body("arm", mass=0.0, inertia=0.0, position=(0, 0)), model.body("tip", mass=m, position=(l, 0))
    model.add(mbs.Revolute("A", base, arm.at(0, 0)), mbs.Revolute("P", arm.at(l, 0), tip.at(0, 0)))
    model.add(mbs.TorsionSpring("lift", model.elements["A"], stiffness=k))
    model.add(mbs.TorsionSpring("still", model.elements["P"], stiffness=1e-3))
    rest = mbs.equilibrium(model.compile(coordinates))
    angle, turned = float(rest["arm.angle"]), float(rest["wheel.angle"]) if heavy and carried else 0.0
    assert k * (angle - turned) == pytest.approx(-m * g * l * np.cos(angle), rel=1e-9)
    for joint in ("A", "P"):
        np.testing.assert_allclose(rest.reaction(joint)[0, :2], (0.0, m * g), rtol=0.0, atol=1e-8 * m * g)


@pytest.mark.parametrize("others", [0.0, 1e3, 1e5, 1e12])
@pytest.mark.parametrize("carried", [False, True], ids=["elsewhere", "carried"])
def test_a_light_block_is_held_beside_a_heavy_machine(others, carried):
    """μ = 0.6 on a slope of tan α = 0.3 is twice what holds, whatever stands beside the block or under it."""
    model = mbs.PlanarModel("slope", gravity=(-9.81 * 0.3, -9.81))
    block, tip = model.body("block", mass=2e-3, inertia=1e-4), model.body("tip", position=(0.1, 0))
    model.add(mbs.Fixed("weld", block, tip, at=(0.1, 0)))
    floor = model.ground.at(0, 0)
    if others:
        machine = model.body("machine", others, others, position=(3, 0))
        model.add(mbs.Fixed("foundation", model.ground, machine, at=(3, 0)))
        floor = machine.at(-3, 0) if carried else floor
    model.add(mbs.Contact("floor", mbs.Line(floor), mbs.Point(block), friction=0.6))
    found = mbs.holding(model)
    assert found.margin == pytest.approx(2.0, rel=1e-9) and found.slips == ("floor",)


@pytest.mark.parametrize("seed", range(25))
def test_random_trees_at_rest_carry_what_hangs_on_them(seed):
    """Each joint of a tree carries the sum of the loads behind it, wherever its springs come to rest, to 1e-8
    of its own load, however small that is beside others."""
    model, carried = Cluster(2, seed).hanging()
    rest = mbs.equilibrium(model.compile(SETS[seed % 3]))
    for number, load in enumerate(carried):
        allowed = ALLOWED * np.abs(load).max()
        np.testing.assert_allclose(rest.reaction(f"p{number}")[0, :2], -load, rtol=0.0, atol=allowed)


# --- designs of one ensemble, some with light bodies -----------------------------------------------------------------


def linkage(mass: float) -> mbs.PlanarModel:
    """A four-bar whose coupler has the mass m, a parameter."""
    model = mbs.PlanarModel("four-bar", gravity=(0, -9.81))
    m = model.parameter("m", mass)
    crank, coupler = model.body("crank", 1.0, 0.1, position=(0.5, 0)), model.body("b", m, 0.1 * m, position=(1.2, 0))
    rocker = model.body("rocker", 1.0, 0.1, position=(1.2, -0.5))
    pins = ("A", model.ground, crank, 0, 0), ("B", crank, coupler, 1, 0), ("C", coupler, rocker, 1.4, 0)
    for name, one, other, x, y in (*pins, ("D", model.ground, rocker, 1.2, -1.0)):
        model.add(mbs.Revolute(name, one, other, at=(x, y)))
    return model


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("mass", [1.0, 0.0])
def test_designs_of_an_ensemble_may_have_light_bodies(mass, kind):
    """Each member is the same as its own run, to the last bit, whatever the designs before it and the model's own."""
    check_members(linkage(mass), kind, 0.05, {"A.omega": 1.0}, ["A.omega", "D.omega"])


@pytest.mark.parametrize("carried", [1.0, 1e3])
def test_designs_of_an_ensemble_may_have_pins_at_one_point(carried):
    """Only some of the designs need the equations of bodies in joint coordinates."""
    names, masses = ["light.alpha", "heavy.alpha"], (1e-8, 1.0, 1e-4, 1e3)
    check_members(one_pin(1.0, carried), "joint", 0.02, {"A.omega": 1.0}, names, masses)
