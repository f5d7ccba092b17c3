"""Random trains of wheels, on the ground or on an arm, against the laws of Newton and Euler of every wheel.

Unknown are the accelerations of all mass centres and turns, the forces of the bearings, and a force F along the common
tangent in each pitch point; with r_k (α_k - α_c) ± r_k+1 (α_k+1 - α_c) = 0 for each mesh, c what carries both axes, and
equal accelerations in the bearings, these are linear equations. The flanks add |F| tan of the pressure angle along the
line of centres, which bearings take up.
"""

import numpy as np
import pytest

import mbs_dae as mbs

SETS = ("cartesian", "natural", "joint")
G = 9.81


def turned(x):
    return np.array([-x[1], x[0]])


def moment(r, f):
    return r[0] * f[1] - r[1] * f[0]


class Train:
    """Wheels 0, 1, ... in mesh one after the other, the last one at times a ring. On an arm wheel 0 is the sun, whose
    bearing is on the ground; without an arm all are."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)
        self.count, self.on_arm = int(random.integers(2, 5)), bool(random.random() < 0.5)
        self.names = [f"w{k}" for k in range(self.count)] + ["arm"] * self.on_arm
        self.radii, self.alphas = random.uniform(0.05, 0.2, self.count), random.uniform(0.0, 0.5, self.count - 1)
        self.inside = np.zeros(self.count - 1, dtype=bool)
        self.inside[-1] = random.random() < 0.5
        self.radii[-1] += 0.2 * self.inside[-1]
        angles = random.uniform(-3, 3, self.count - 1)
        self.ways = [np.array([np.cos(x), np.sin(x)]) for x in angles]
        self.senses = np.where(self.inside, -1, 1)
        centres = [np.zeros(2)]
        for k, n in enumerate(self.ways):
            centres.append(centres[-1] + n * abs(self.radii[k + 1] + self.senses[k] * self.radii[k]))
        self.centres = centres + [np.zeros(2)] * self.on_arm
        bodies = len(self.names)
        self.masses, self.inertias = 10 ** random.uniform(-2, 0.5, bodies), 10 ** random.uniform(-4, -1, bodies)
        self.offsets = random.uniform(-0.05, 0.05, (bodies, 2))
        self.loads = random.uniform(-5, 5, bodies)
        self.model = model = mbs.PlanarModel("train", gravity=(0, -G))
        made = [
            model.body(n, m, i, com=tuple(s), position=tuple(c))
            for n, m, i, s, c in zip(self.names, self.masses, self.inertias, self.offsets, self.centres, strict=True)
        ]
        self.arm = len(self.names) - 1 if self.on_arm else None
        self.bearings = [(None if k in (0, self.arm) else self.arm, k) for k in range(bodies)]
        for carrier, k in self.bearings:
            on = model.ground if carrier is None else made[carrier]
            model.add(mbs.Revolute(f"B{k}", on, made[k], at=tuple(self.centres[k])))
        for k in range(self.count - 1):
            mesh = "internal" if self.inside[k] else "external"
            pair, angle = (self.radii[k], self.radii[k + 1]), self.alphas[k]
            model.add(mbs.Gear(f"g{k}", made[k], made[k + 1], radii=pair, mesh=mesh, pressure_angle=angle))
        model.add(*(mbs.Torque(f"load{k}", made[k], self.loads[k]) for k in range(bodies)))
        self.moved = [0, *([self.arm] if self.on_arm else [])]
        self.speeds = dict(zip(self.moved, random.uniform(-5, 5, 2), strict=False))
        self.pushed = dict(zip(self.moved, random.uniform(-20, 20, 2), strict=False))

    def omegas(self):
        found, carried = np.zeros(len(self.names)), self.speeds.get(self.arm, 0.0)
        found[0] = self.speeds[0]
        for k in range(self.count - 1):
            found[k + 1] = carried - self.senses[k] * self.radii[k] / self.radii[k + 1] * (found[k] - carried)
        if self.on_arm:
            found[self.arm] = carried
        return found

    def solved(self, drives):
        """Turns' accelerations, forces of bearings and of teeth, and moments of the drives that give these α."""
        n, b, g = len(self.names), len(self.bearings), self.count - 1
        force, mesh, drive = 3 * n, 3 * n + 2 * b, 3 * n + 2 * b + g
        size = drive + len(drives)
        A, right, omegas, row = np.zeros((size, size)), np.zeros(size), self.omegas(), 3 * n
        for k in range(n):
            A[3 * k, 3 * k] = A[3 * k + 1, 3 * k + 1] = self.masses[k]
            A[3 * k + 2, 3 * k + 2] = self.inertias[k]
            right[3 * k + 1], right[3 * k + 2] = -self.masses[k] * G, self.loads[k]
        centres = [c + s for c, s in zip(self.centres, self.offsets, strict=True)]

        def push(k, place, column, way):
            """A unit of this unknown pushes body k along a way."""
            A[3 * k : 3 * k + 2, column] -= way
            A[3 * k + 2, column] -= moment(place - centres[k], way)

        for at, (carrier, k) in enumerate(self.bearings):
            for i in range(2):
                way = np.eye(2)[i]
                push(k, self.centres[k], force + 2 * at + i, way)
                if carrier is not None:
                    push(carrier, self.centres[k], force + 2 * at + i, -way)
                for body, sign in ((k, 1), (carrier, -1)):
                    if body is not None:
                        r = self.centres[k] - centres[body]
                        A[row, 3 * body + i] += sign
                        A[row, 3 * body + 2] += sign * turned(r)[i]
                        right[row] += sign * omegas[body] ** 2 * r[i]
                row += 1
        for k, n_k in enumerate(self.ways):
            pitch = self.centres[k] + self.senses[k] * self.radii[k] * n_k
            push(k + 1, pitch, mesh + k, turned(n_k))
            push(k, pitch, mesh + k, -turned(n_k))
            A[row, 3 * k + 2], A[row, 3 * k + 5] = self.radii[k], self.senses[k] * self.radii[k + 1]
            if self.on_arm:
                A[row, 3 * self.arm + 2] -= self.radii[k] + self.senses[k] * self.radii[k + 1]
            row += 1
        for at, (k, alpha) in enumerate(drives.items()):
            A[3 * k + 2, drive + at] = -1.0
            A[row, 3 * k + 2], right[row] = 1.0, alpha
            row += 1
        x = np.linalg.solve(A, right)
        bearings, teeth = x[force:mesh].reshape(-1, 2), []
        for k, n_k in enumerate(self.ways):
            F = x[mesh + k]
            apart = self.senses[k] * abs(F) * np.tan(self.alphas[k]) * n_k
            teeth.append(F * turned(n_k) + apart)
            for body, sign in ((k + 1, -1), (k, 1)):  # what carries the wheel takes up the rest
                bearings[body] += sign * apart
                if self.on_arm and self.bearings[body][0] is not None:
                    bearings[self.arm] += sign * apart
        return x[2:force:3], bearings, np.array(teeth), x[drive:]


def check(seed):
    train = Train(seed)
    start = {f"{train.names[k]}.omega": speed for k, speed in train.speeds.items()}
    driven = train.model.plus(
        *(
            mbs.Driver(
                f"d{k}", mbs.angle(train.model.bodies[train.names[k]]), train.speeds[k] * mbs.t + a / 2 * mbs.t**2
            )
            for k, a in train.pushed.items()
        )
    )
    for coordinates in SETS:
        run = mbs.simulate(train.model.compile(coordinates), [0, 0.2], start, rtol=1e-12, atol=1e-14)
        moved = mbs.inverse_dynamics(driven.compile(coordinates), [0.0])
        for result, drives in ((run, {}), (moved, train.pushed)):
            alphas, bearings, teeth, efforts = train.solved(drives)
            size = np.abs(np.vstack([bearings, teeth])).max()
            where = f"seed {seed}, {coordinates}, {len(drives)} drives"
            found = np.array([result[f"{name}.alpha"][0] for name in train.names])
            assert np.abs(found - alphas).max() <= 1e-9 * np.abs(alphas).max(), where
            for k, force in enumerate(bearings):
                assert np.abs(result.reaction(f"B{k}")[0][:2] - force).max() <= 1e-9 * size, f"B{k}, {where}"
            for k, force in enumerate(teeth):
                assert np.abs(result.reaction(f"g{k}")[0][:2] - force).max() <= 1e-9 * size, f"g{k}, {where}"
            for k, effort in zip(drives, efforts, strict=True):
                assert abs(result.effort(f"d{k}")[0] - effort) <= 1e-9 * max(size, abs(effort)), where
        energy = run.energy
        assert np.abs(energy.error).max() <= 1e-9 * np.abs(energy.kinetic).max(), f"seed {seed}, {coordinates}"


def check_rest(seed):
    """Torsion springs hold a train at rest in its reference placement: teeth and bearings carry what the laws of Newton
    and Euler say without motion."""
    train = Train(seed)
    train.speeds = dict.fromkeys(train.moved, 0.0)
    _, bearings, teeth, efforts = train.solved(dict.fromkeys(train.moved, 0.0))
    stiffness, bodies = 100 * np.abs(efforts).max() + 10, train.model.bodies
    springs = [
        mbs.TorsionSpring(f"s{k}", train.model.ground, bodies[train.names[k]], stiffness=stiffness, angle=M / stiffness)
        for k, M in zip(train.moved, efforts, strict=True)
    ]
    size = np.abs(np.vstack([bearings, teeth])).max()
    for coordinates in SETS:
        held = train.model.plus(*springs).compile(coordinates)
        rest = mbs.equilibrium(held, {f"{train.names[0]}.angle": 0.02}).result
        for k, force in enumerate(bearings):
            assert np.abs(rest.reaction(f"B{k}")[0][:2] - force).max() <= 1e-9 * size, f"B{k}, {seed}, {coordinates}"
        for k, force in enumerate(teeth):
            assert np.abs(rest.reaction(f"g{k}")[0][:2] - force).max() <= 1e-9 * size, f"g{k}, {seed}, {coordinates}"


@pytest.mark.parametrize("seed", range(6))
def test_trains_of_wheels(seed):
    check(seed)


@pytest.mark.parametrize("seed", range(6))
def test_trains_of_wheels_at_rest(seed):
    check_rest(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(6, 40))
def test_many_trains_of_wheels(seed):
    check(seed)
    check_rest(seed)
