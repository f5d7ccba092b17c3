"""Gains of Baumgarte's method as multiples of the pace of the motion: ``python benchmarks/gains.py``.

The multiple is PACE in `motion/stabilise.py`; without one ("none") only the cap on gain · step holds. Each row has
steps and evaluations, the largest energy error in J and against the range of the kinetic energy, and the largest
violation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import sympy as sp

import mbs_dae as mbs
from mbs_dae.motion import stabilise

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))

import andrews_squeezer
import bricard
import double_pendulum

PACES = (1, 2, 3, np.inf)


def fast_top(spin: float, method: str, rtol: float) -> mbs.Result:
    """A body on a ball, its frame in the centre of mass, which is off the axis and goes round as fast as the body."""
    model = mbs.SpatialModel("top", gravity=(0.0, 0.0, -9.81))
    body = model.body("body", 1.0, (0.1, 0.2, 0.15), position=(0.2, 0.1, 0.3))
    model.add(mbs.Spherical("tip", model.ground.at(0, 0, 0), body.at(-0.2, -0.1, -0.3)))
    initial = {"body.wx": 1.0, "body.wy": -2.0, "body.wz": spin}
    return mbs.simulate(model, [0, 0.5], initial, method=method, rtol=rtol)


def slider_crank() -> mbs.Result:
    """The sizes of the slider-crank in README.md."""
    model = mbs.PlanarModel("slider-crank", gravity=(0.0, -9.81))
    crank = model.link("crank", (0, 0), (0.1 * np.cos(0.6), 0.1 * np.sin(0.6)), mass=1.0)
    end = 0.1 * np.cos(0.6) + np.sqrt(0.3**2 - (0.1 * np.sin(0.6)) ** 2)
    rod = model.link("rod", (0.1 * np.cos(0.6), 0.1 * np.sin(0.6)), (end, 0), mass=2.0)
    slider = model.body("slider", 0.5, 1e-3, position=(end, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
    )
    return mbs.simulate(model, np.linspace(0, 2, 401), {"crank.omega": 10.0})


class Magnets(mbs.ForceElement):
    """Two poles that attract each other, softened where they meet."""

    strength = mbs.scalar("J m", non_negative=True)
    size = mbs.scalar("m", positive=True)

    @staticmethod
    def potential(i, j, strength, size):
        d = i.point - j.point
        return -strength / sp.sqrt(d.dot(d) + size**2)


def magnets() -> mbs.Result:
    """The pendulum of docs/add-a-force.md, without weight."""
    model = mbs.PlanarModel("magnets")
    pendulum = model.link("pendulum", (0, 0), (0, -1), mass=0.1)
    model.add(mbs.Revolute("A", model.ground, pendulum.tail))
    model.add(Magnets("pull", model.ground.at(0.3, -1.1), pendulum.head, strength=0.05, size=0.05))
    return mbs.simulate(model, np.linspace(0, 5, 201), {"pendulum.omega": 0.5})


RUNS: dict[str, Callable[[], mbs.Result]] = {
    "top, 100 rad/s, DP8 rtol = 1e-12": lambda: fast_top(100.0, "DP8", 1e-12),
    "top, 150 rad/s, DP8 rtol = 1e-12": lambda: fast_top(150.0, "DP8", 1e-12),
    "top, 150 rad/s, DP5": lambda: fast_top(150.0, "DP5", 1e-8),
    "slider-crank, 2 s, DP5": slider_crank,
    "magnets, 5 s, DP5": magnets,
    "double pendulum, 10 s, DP5": lambda: mbs.simulate(
        double_pendulum.build(), np.linspace(0, 10, 101), {"upper.omega": 2.0}
    ),
    "Bricard's linkage, 5 s, DP8": lambda: mbs.simulate(bricard.build(), np.linspace(0, 5, 101), method="DP8"),
    "Andrews' squeezer, 0.03 s, DP5": lambda: mbs.simulate(andrews_squeezer.build(), np.linspace(0, 0.03, 31)),
}


def main() -> None:
    print("| run | pace | steps | evaluations | energy [J] | relative | position [m] |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, run in RUNS.items():
        for pace in PACES:
            stabilise.PACE = pace
            done = run()
            steps, evaluations = (f"{done.stats[what]:,}" for what in ("accepted", "evaluations"))
            error = np.abs(done.energy.error).max()
            numbers = (error, error / np.ptp(done.energy.kinetic), done.violation.position.max())
            shown = " | ".join(f"{number:.1e}" for number in numbers)
            print(f"| {name} | {'none' if pace == np.inf else pace} | {steps} | {evaluations} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
