"""Small mechanisms that several tests need, and their poses in closed form.

Every builder places its bodies exactly on the pose asked for, so that a test starts from a known place.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

import mbs_dae as mbs
from mbs_dae.compiled.dynamics import POWER, evaluate_forces, take_masses
from mbs_dae.symbolic.loads import WORKS

OMEGA = 2.0
"""The speed of the crank wherever a test does not care."""


class FourBar(NamedTuple):
    """Lengths of a four-bar with the ground pivots at (0, 0) and (ground, 0)."""

    ground: float
    crank: float
    coupler: float
    rocker: float

    def angles(self, crank, branch=1):
        """Angles of coupler and rocker; `branch` 1 is the pose with the coupler's head to the left of the diagonal
        that runs from the crank's head to the far ground pivot, -1 its mirror image."""
        bx, by = self.crank * np.cos(crank), self.crank * np.sin(crank)
        dx, dy = self.ground - bx, -by
        diagonal = np.hypot(dx, dy)
        cosine = (diagonal**2 + self.coupler**2 - self.rocker**2) / (2 * diagonal * self.coupler)
        coupler = np.arctan2(dy, dx) + branch * np.arccos(cosine)
        cx, cy = bx + self.coupler * np.cos(coupler), by + self.coupler * np.sin(coupler)
        return coupler, np.arctan2(cy, cx - self.ground)


def slider_crank(
    r: float = 1.0,
    l: float = 3.0,
    offset: float = 0.0,
    angle: float = 0.6,
    omega: float = OMEGA,
    motor: bool = True,
    gravity: tuple[float, float] = (0.0, -9.81),
) -> mbs.PlanarModel:
    """crank, rod and slider, the slider on a guide along x at height `offset`; parameters r, l, offset, omega."""
    model = mbs.PlanarModel("slider-crank", gravity=gravity)
    values = {"r": r, "l": l, "offset": offset, "omega": omega}
    R, L, H, W = (model.parameter(name, value) for name, value in values.items())
    bx, by = r * cos(angle), r * sin(angle)
    tilt = atan2(offset - by, sqrt(l**2 - (offset - by) ** 2))
    ground = model.ground
    crank = model.body("crank", mass=1.0, inertia=0.1, position=(bx / 2, by / 2), angle=angle)
    middle = (bx + l / 2 * cos(tilt), by + l / 2 * sin(tilt))
    rod = model.body("rod", mass=2.0, inertia=0.5, position=middle, angle=tilt)
    slider = model.body("slider", mass=0.5, inertia=0.01, position=(bx + l * cos(tilt), offset))
    model.add(
        mbs.Revolute("A", ground.at(0, 0), crank.at(-R / 2, 0)),
        mbs.Revolute("B", crank.at(R / 2, 0), rod.at(-L / 2, 0)),
        mbs.Revolute("C", rod.at(L / 2, 0), slider.at(0, 0)),
        mbs.Translational("guide", ground.at(0, H), slider.at(0, 0)),
    )
    if motor:
        model.add(mbs.Driver("motor", mbs.angle(ground, crank), angle + W * mbs.t))
    return model


def slider_position(r: float, l: float, offset: float, angle: np.ndarray) -> np.ndarray:
    """Where the slider of a slider-crank stands."""
    return r * np.cos(angle) + np.sqrt(l**2 - (offset - r * np.sin(angle)) ** 2)


def four_bar(
    lengths: FourBar | tuple[float, float, float, float] = (4.0, 2.0, 5.0, 3.5),
    angle: float = 0.8,
    branch: int = 1,
    omega: float = OMEGA,
    motor: bool = True,
) -> mbs.PlanarModel:
    """crank, coupler and rocker between the pivots A, B, C, D; parameters ground, crank, coupler, rocker, omega."""
    bar = FourBar(*lengths)
    model = mbs.PlanarModel("four-bar", gravity=(0.0, -9.81))
    g, a, b, c = (model.parameter(name, value) for name, value in bar._asdict().items())
    w = model.parameter("omega", omega)
    beta, gamma = (float(x) for x in bar.angles(angle, branch))
    bx, by = bar.crank * cos(angle), bar.crank * sin(angle)
    ground = model.ground
    crank = model.body("crank", mass=1.0, inertia=0.2, position=(bx / 2, by / 2), angle=angle)
    middle = (bx + bar.coupler / 2 * cos(beta), by + bar.coupler / 2 * sin(beta))
    coupler = model.body("coupler", mass=2.0, inertia=1.0, position=middle, angle=beta)
    middle = (bar.ground + bar.rocker / 2 * cos(gamma), bar.rocker / 2 * sin(gamma))
    rocker = model.body("rocker", mass=1.5, inertia=0.5, position=middle, angle=gamma)
    model.add(
        mbs.Revolute("A", ground.at(0, 0), crank.at(-a / 2, 0)),
        mbs.Revolute("B", crank.at(a / 2, 0), coupler.at(-b / 2, 0)),
        mbs.Revolute("C", coupler.at(b / 2, 0), rocker.at(c / 2, 0)),
        mbs.Revolute("D", ground.at(g, 0), rocker.at(-c / 2, 0)),
    )
    if motor:
        model.add(mbs.Driver("motor", mbs.angle(ground, crank), angle + w * mbs.t))
    return model


def parallelogram(k: int = 1, phi: float = 0.5, omega: float = 1.0, length: float = 2.0) -> mbs.PlanarModel:
    """k parallelogram loops side by side: k + 1 cranks of unit length, all at the angle `phi`, joined by k couplers.
    The first crank is driven: φ = phi + omega t. At φ = 0 and φ = π every loop lies flat: change points."""
    model = mbs.PlanarModel(f"parallelogram of {k}")
    ground = model.ground
    c, s = cos(phi), sin(phi)
    heads = []
    for n in range(k + 1):
        crank = model.body(f"crank{n}", mass=1.0, inertia=0.1, position=(n * length + c / 2, s / 2), angle=phi)
        model.add(mbs.Revolute(f"foot{n}", ground.at(n * length, 0), crank.at(-0.5, 0)))
        heads.append(crank.at(0.5, 0))
    for n in range(k):
        coupler = model.body(f"coupler{n}", mass=1.0, inertia=0.3, position=((n + 0.5) * length + c, s))
        model.add(
            mbs.Revolute(f"left{n}", heads[n], coupler.at(-length / 2, 0)),
            mbs.Revolute(f"right{n}", coupler.at(length / 2, 0), heads[n + 1]),
        )
    model.add(mbs.Driver("motor", mbs.angle(ground, model.bodies["crank0"]), phi + omega * mbs.t))
    return model


def six_bar(angle: float = 0.8, motor: bool = True) -> mbs.PlanarModel:
    """A four-bar whose coupler carries a point E above its middle; a rod leads from E to a slider on the x axis."""
    model = four_bar(angle=angle, motor=motor)
    model.name = "six-bar"
    ex, ey = six_bar_point(angle)
    reach = 6.0
    x = ex + sqrt(reach**2 - ey**2)
    tilt = atan2(-ey, x - ex)
    rod = model.body("rod", mass=1.0, inertia=0.3, position=((ex + x) / 2, ey / 2), angle=tilt)
    slider = model.body("slider", mass=1.0, inertia=0.1, position=(x, 0.0))
    model.add(
        mbs.Revolute("E", model.bodies["coupler"].at(0, 1), rod.at(-reach / 2, 0)),
        mbs.Revolute("F", rod.at(reach / 2, 0), slider.at(0, 0)),
        mbs.Translational("guide", model.ground.at(0, 0), slider.at(0, 0)),
    )
    return model


def six_bar_point(angle: float, branch: int = 1) -> tuple[float, float]:
    """Where the point E of the six-bar's coupler is."""
    bar = FourBar(4.0, 2.0, 5.0, 3.5)
    beta = float(bar.angles(angle, branch)[0])
    x = bar.crank * cos(angle) + bar.coupler / 2 * cos(beta) - sin(beta)
    return x, bar.crank * sin(angle) + bar.coupler / 2 * sin(beta) + cos(beta)


def jacobian(system, t: float, q: np.ndarray) -> np.ndarray:
    """Φ_v as a full matrix, read out of the compiled kernels one unit acceleration at a time."""
    size = len(system.still)
    units = np.vstack([np.zeros(size), np.eye(system.nv, size)])
    times, poses = np.full(len(units), t), np.tile(q, (len(units), 1))
    accelerations = system.read_constraints(times, poses, np.zeros_like(units), units)[2]
    return (accelerations[1:] - accelerations[0]).T


def closed_pose(system, t: float = 0.0) -> np.ndarray:
    """The placement brought to Φ = 0 by Newton's steps of least length, none longer than 1."""
    q, still = system.placement, system.still
    for _ in range(100):
        residual = system.read_constraints(np.array([t]), q[None], still[None], still[None])[0][0]
        if np.abs(residual).max() < 1e-13:
            break
        step = np.linalg.lstsq(system.jacobian(t, q).toarray(), -residual, rcond=None)[0]
        step = np.append(step, still[system.nv :]) / max(1.0, np.linalg.norm(step))
        q = system.moved(q, step)
    assert np.abs(residual).max() < 1e-11
    return q


def apart(angle: float, other: float) -> float:
    """The distance of two angles on the circle."""
    return abs((angle - other + pi) % (2 * pi) - pi)


class Loads(NamedTuple):
    """What the compiled kernels say of masses and forces in one state."""

    mass: np.ndarray
    """M as a full matrix."""
    forces: np.ndarray
    """Q."""
    kinetic: float
    potential: float
    stored: float
    dissipated: float
    supplied: float
    """Powers f · ṁ of the forces, by what becomes of their work."""


def evaluated_loads(system, t: float, q: np.ndarray, v: np.ndarray) -> Loads:
    """M, Q, energies and powers, straight from the kernels."""
    dynamics = system.dynamics
    out, forces, scalars = (np.zeros(n) for n in (dynamics.batch.out_size + 1, system.nv, POWER + len(WORKS)))
    evaluate_forces(dynamics, t, np.array(q, dtype=float), np.array(v, dtype=float), out, forces, scalars)
    weight, beside = np.zeros(system.nv), np.zeros(len(system.structure.dynamics.block_row))
    take_masses(dynamics, out, weight, beside)
    mass = np.diag(weight)
    rows, columns = system.structure.dynamics.block_row, system.structure.dynamics.block_column
    mass[rows, columns] += beside
    mass[columns, rows] += beside
    return Loads(mass, forces, *(float(x) for x in scalars))


def double_pendulum() -> mbs.PlanarModel:
    """Two uniform bars, both lying along x."""
    model = mbs.PlanarModel("double pendulum", gravity=(0, -9.81))
    upper, lower = model.link("upper", (0, 0), (1, 0), mass=1), model.link("lower", (1, 0), (2, 0), mass=1)
    model.add(mbs.Revolute("A", model.ground, upper.tail), mbs.Revolute("B", upper.head, lower.tail))
    return model


def three_cranks(phi: float) -> mbs.PlanarModel:
    """One coupler on three parallel cranks at the angle phi: in every pose one equation is redundant."""
    model = mbs.PlanarModel("three cranks", gravity=(0, -9.81))
    c, s = np.cos(phi), np.sin(phi)
    coupler = model.body("coupler", mass=2.0, inertia=0.5, position=(1.0 + c, s))
    for k in range(3):
        crank = model.link(f"crank{k}", (k, 0), (k + c, s), mass=1.0)
        model.add(mbs.Revolute(f"foot{k}", model.ground.at(k, 0), crank.tail))
        model.add(mbs.Revolute(f"top{k}", crank.head, coupler.at(k - 1.0, 0)))
    return model


def row_of_four_bars(loops, length=1.0, angle=0.0):
    """Parallelograms side by side, each with a rod in common with the next; at angle 0 all lie flat."""
    model = mbs.PlanarModel(f"{loops} four-bars")
    x, y = length * np.cos(angle), length * np.sin(angle)
    rods = [model.link(f"rod {k}", (k, 0), (k + x, y)) for k in range(loops + 1)]
    model.add(*(mbs.Revolute(f"O{k}", model.ground.at(k, 0), rod.tail) for k, rod in enumerate(rods)))
    for k in range(loops):
        bar = model.link(f"bar {k}", (k + x, y), (k + 1 + x, y))
        model.add(mbs.Revolute(f"L{k}", rods[k].head, bar.tail), mbs.Revolute(f"R{k}", bar.head, rods[k + 1].head))
    return model


def coupled_slider_crank():
    """A slider-crank that a motor drives, the weaker the faster it turns, through a coupling of 1e7 N m/rad."""
    r, l, theta = 0.1, 0.3, 0.3
    model = mbs.PlanarModel("slider-crank with a coupling", gravity=(0.0, -9.81))
    A = np.array([r * np.cos(theta), r * np.sin(theta)])
    B = np.array([A[0] + np.sqrt(l**2 - A[1] ** 2), 0.0])
    motor = model.body("motor", mass=1.0, inertia=0.05, angle=theta)
    crank, bar = model.link("crank", (0, 0), A, mass=2.0), model.link("bar", A, B, mass=1.5)
    slider = model.body("slider", mass=1.0, inertia=1.0, position=B)
    model.add(mbs.Revolute("M", model.ground, motor), mbs.Revolute("O", model.ground, crank.tail))
    model.add(mbs.Revolute("A", crank.head, bar.tail), mbs.Revolute("B", bar.head, slider))
    model.add(mbs.Translational("guide", model.ground, slider))
    model.add(mbs.TorsionSpring("coupling", motor, crank, stiffness=1e7, damping=50.0))
    model.add(mbs.Torque("torque", motor, 5.0 - 0.2 * model["motor.omega"]))
    return model
