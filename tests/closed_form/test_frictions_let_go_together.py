"""Friction in two joints of a mechanism of one freedom: both let go at one instant, when neither could hold more.

The torque of that instant follows from statics of each body, with both frictions at their bounds. The forces that press
in the joints depend on these frictions, so the equations are solved by fixed-point iteration.
"""

import numpy as np
import pytest

import mbs_dae as mbs

SETS = "cartesian", "natural", "joint"
G, R = 9.81, 0.1


class Crank:
    """A slider-crank with weight in a random pose. A torque on the crank balances it at first, and grows or falls."""

    def __init__(self, seed: int):
        random = np.random.default_rng(seed)
        theta, self.length = random.uniform(0.3, 2.8) * random.choice([-1, 1]), random.uniform(0.25, 0.4)
        self.mu, self.pin = random.uniform(0.05, 0.3), (random.uniform(0.05, 0.3), 0.02)
        self.masses = 1.0, 0.5, float(random.uniform(0.5, 2.0))
        self.sense, self.slope = float(random.choice([-1, 1])), float(random.uniform(20, 80))
        self.crank = R * np.array([np.cos(theta), np.sin(theta)])
        self.end = np.array([self.crank[0] + np.sqrt(self.length**2 - self.crank[1] ** 2), 0.0])

    def torque(self, sense: float) -> float:
        """Return the torque in N m with both frictions at their bounds against this sense; 0 is without friction."""
        B, C, masses = self.crank, self.end, self.masses
        slide = -B[1] * C[0] / (C[0] - B[0]) * sense  # vx of the slider by ω of the crank
        pressed = [0.0, 0.0]
        for _ in range(200):
            # unknown are the forces in A, those of crank and slider on the rod, and the torque
            A, right = np.zeros((7, 7)), np.zeros(7)
            A[0, [0, 2]], A[1, [1, 3]] = (1, -1), (1, -1)
            right[1] = masses[0] * G
            A[2, 2:4], A[2, 6] = (B[1], -B[0]), 1
            right[2] = masses[0] * G * B[0] / 2 + self.pin[0] * self.pin[1] * pressed[1] * sense
            A[3, [2, 4]], A[4, [3, 5]] = (1, 1), (1, 1)
            right[4] = masses[1] * G
            A[5, 2:6] = -(B - C)[1] / 2, (B - C)[0] / 2, (B - C)[1] / 2, -(B - C)[0] / 2
            A[6, 4], right[6] = -1, self.mu * pressed[0] * np.sign(slide)
            x = np.linalg.solve(A, right)
            pressed = [abs(x[5] + masses[2] * G), float(np.hypot(x[0], x[1]))]
        return float(x[6])

    def model(self) -> mbs.PlanarModel:
        model, end = mbs.PlanarModel("crank", gravity=(0, -G)), tuple(self.end)
        crank = model.link("crank", (0, 0), tuple(self.crank), mass=self.masses[0])
        rod = model.link("rod", tuple(self.crank), end, mass=self.masses[1])
        slider = model.body("slider", mass=self.masses[2], position=end)
        pin, guide = mbs.Revolute("A", model.ground, crank.tail), mbs.Translational("G", model.ground, slider)
        model.add(pin, mbs.Revolute("B", crank.head, rod.tail), mbs.Revolute("C", rod.head, slider), guide)
        model.add(
            mbs.Friction("guide", guide, mu=self.mu), mbs.Friction("pin", pin, mu=self.pin[0], radius=self.pin[1])
        )
        model.add(mbs.Torque("T", crank, self.torque(0.0) + self.sense * self.slope * mbs.t))
        return model


class Wheels:
    """Two wheels in mesh with weight, in bearings that rub. A torque on the first one grows."""

    def __init__(self, seed: int, angle: float):
        random = np.random.default_rng(seed)
        self.radii, self.masses = random.uniform(0.05, 0.2, 2), random.uniform(0.5, 3.0, 2)
        self.mu, self.angle, self.slope = random.uniform(0.1, 0.4, 2), angle, float(random.uniform(20, 80))

    def torque(self) -> float:
        """Return the torque in N m with which both bearings are at their bounds."""
        tooth = 0.0
        for _ in range(200):
            apart = tooth * np.tan(self.angle)
            pressed = np.hypot(apart, np.array([1, -1]) * tooth + self.masses * G)
            moments = self.mu * 0.03 * pressed
            tooth = moments[1] / self.radii[1]
        return float(tooth * self.radii[0] + moments[0])

    def model(self) -> mbs.PlanarModel:
        model, places = mbs.PlanarModel("wheels", gravity=(0, -G)), ((0.0, 0.0), (float(self.radii.sum()), 0.0))
        wheels = [
            model.body(n, float(m), 0.01, position=at) for n, m, at in zip("ab", self.masses, places, strict=True)
        ]
        for name, wheel, at, mu in zip("AB", wheels, places, self.mu, strict=True):
            pin = model.add(mbs.Revolute(name, model.ground, wheel, at=at))
            model.add(mbs.Friction(f"rub {name}", pin, mu=float(mu), radius=0.03))
        model.add(mbs.Gear("gear", *wheels, radii=tuple(self.radii.tolist()), pressure_angle=self.angle))
        model.add(mbs.Torque("T", wheels[0], self.slope * mbs.t))
        return model


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5", "GA"])
@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(k, marks=pytest.mark.soak) for k in range(2, 30))])
def test_frictions_of_one_motion_let_go_together(seed, method, coordinates):
    own = Crank(seed)
    start = (own.torque(own.sense) - own.torque(0.0)) / (own.sense * own.slope)
    run = mbs.simulate(own.model().compile(coordinates), [0, start + 0.01], {"A.omega": 0.0}, method=method)
    changes = run.transitions
    assert sorted((c.contact, c.before, c.after) for c in changes) == [
        ("guide", "sticks", "slips"), ("pin", "sticks", "slips"),
    ]  # fmt: skip
    assert [c.t for c in changes] == pytest.approx([start, start], rel=1e-9)
    assert own.sense * run["A.omega"][-1] > 0.0


@pytest.mark.parametrize("coordinates", SETS)
@pytest.mark.parametrize("angle", [0.0, 0.35])
@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(k, marks=pytest.mark.soak) for k in range(2, 30))])
def test_bearings_of_wheels_in_mesh_let_go_together(seed, angle, coordinates):
    own = Wheels(seed, angle)
    start = own.torque() / own.slope
    run = mbs.simulate(own.model().compile(coordinates), [0, start + 0.01], {"A.omega": 0.0})
    assert sorted((c.contact, c.after) for c in run.transitions) == [("rub A", "slips"), ("rub B", "slips")]
    assert [c.t for c in run.transitions] == pytest.approx([start, start], rel=1e-9)
