"""Crossing singular poses: N four-bars in a row swing or turn through the pose where all bars lie in one line.

There the constraints lose N ranks and every loop could change over to its antiparallel form; the motion itself is
smooth. While all cranks stay parallel the whole is one pendulum, so every run is compared with it. Speeds are drawn at
random (a seed each), so that stages of steps stand anywhere near the singular pose.

    python benchmarks/singular_crossings.py --seeds 1 2 3 4 --loops 2 5
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import mbs_dae as mbs

GRAVITY = 9.81
SETS = ("cartesian", "natural", "joint")
GRID = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
FINE = np.linspace(0, 10, 101)
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "DP8": {"method": "DP8"},
    "tight": {"method": "DP8", "rtol": 1e-10, "stabilization": mbs.Projection()},
}
ENERGY, TIP = 1e-5, 1e-4
"""Above these (energy per energy turned over; tip in lengths of a bar), times 1e8 rtol, a run is wrong."""


class Crossing(NamedTuple):
    """A run and what came of it."""

    loops: int
    coordinates: str
    setting: str
    speed: float
    outcome: str
    """right, wrong or refused."""
    energy: float
    tip: float
    steps: int
    rejected: int
    factorisations: int
    seconds: float
    message: str


def grounded_first(n: int) -> mbs.PlanarModel:
    """The model with all pins on the ground before the others: another order of rows, and of elimination."""
    model = mbs.PlanarModel(f"{n} four-bars in a row", gravity=(0.0, -GRAVITY))
    cranks = [model.link(f"k{k}", (k, 0), (k, 1), mass=1.0) for k in range(n + 1)]
    couplers = [model.link(f"c{k}", (k, 1), (k + 1, 1), mass=1.0) for k in range(n)]
    model.add(*(mbs.Revolute(f"g{k}", model.ground.at(k, 0), crank.tail) for k, crank in enumerate(cranks)))
    for k, coupler in enumerate(couplers):
        model.add(mbs.Revolute(f"l{k}", cranks[k].head, coupler.tail))
        model.add(mbs.Revolute(f"r{k}", coupler.head, cranks[k + 1].head))
    return model


def pendulum(n: int, speed: float, times: np.ndarray) -> np.ndarray:
    """Angle of the cranks from the upward vertical, to the left."""
    rate = GRAVITY * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    path = solve_ivp(
        lambda _, y: (y[1], rate * np.sin(y[0])), (0, times[-1]), (0.0, speed), "DOP853", times, rtol=1e-13, atol=1e-13
    )
    return path.y[0]


def speeds(seed: int, count: int) -> np.ndarray:
    """To both sides; most of them turn over, none of them comes to rest near the top."""
    random = np.random.default_rng(seed)
    return random.uniform(0.5, 5.0, count) * random.choice([-1.0, 1.0], count)


def crossing(system: Any, n: int, setting: str, speed: float, times: np.ndarray) -> Crossing:
    """One run, judged."""
    options = SETTINGS[setting]
    begun = time.process_time()
    message = ""
    try:
        result = mbs.simulate(system, times, {"k0.omega": speed}, **options)
    except mbs.MbsError as error:
        result, message = getattr(error, "result", None), str(error)
    seconds = time.process_time() - begun
    if result is None or len(result) < 2:
        return Crossing(n, "", setting, speed, "refused", np.nan, np.nan, 0, 0, 0, seconds, message)
    angle = pendulum(n, speed, times)[: len(result)]
    energy = float(np.abs(result.energy.error).max() / np.ptp(result.energy.kinetic))
    tips = ((result[f"k{k}.head.x"] - k + np.sin(angle), result[f"k{k}.head.y"] - np.cos(angle)) for k in range(n + 1))
    tip = max(float(np.hypot(*off).max()) for off in tips)
    loose = (options.get("rtol", 1e-8) / 1e-8) ** 0.5
    right = energy <= ENERGY * loose and tip <= TIP * loose
    outcome = "refused" if message else "right" if right else "wrong"
    work = (int(result.stats[name]) for name in ("accepted", "rejected", "factorisations"))
    return Crossing(n, "", setting, speed, outcome, energy, tip, *work, seconds, message)


def crossings(
    n: int,
    seed: int,
    count: int,
    times: Sequence[float] | np.ndarray = GRID,
    sets: Sequence[str] = SETS,
    settings: Sequence[str] = tuple(SETTINGS),
) -> Iterator[Crossing]:
    """Runs with `count` speeds in every coordinate set and setting."""
    model = grounded_first(n)
    for coordinates in sets:
        system = model.compile(coordinates)
        for setting in settings:
            for speed in speeds(seed, count):
                run = crossing(system, n, setting, float(speed), np.asarray(times, float))
                yield run._replace(coordinates=coordinates)


def table(found: Sequence[Crossing]) -> None:
    print("N  set        setting  right wrong refused  steps rejected factorisations   ms  energy: median, worst")
    for key in dict.fromkeys((c.loops, c.coordinates, c.setting) for c in found):
        these = [c for c in found if (c.loops, c.coordinates, c.setting) == key]
        count = [sum(c.outcome == kind for c in these) for kind in ("right", "wrong", "refused")]
        steps, rejected, work = (
            np.median([getattr(c, name) for c in these]) for name in ("steps", "rejected", "factorisations")
        )
        ms, energy = 1e3 * np.median([c.seconds for c in these]), [c.energy for c in these]
        print(
            f"{key[0]:<3d}{key[1]:<11s}{key[2]:<9s}{count[0]:5d} {count[1]:5d} {count[2]:7d} {steps:6.0f} "
            f"{rejected:8.0f} {work:14.0f} {ms:4.0f}  {np.nanmedian(energy):.1e}, {np.nanmax(energy):.1e}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--loops", type=int, nargs="+", default=[2, 5])
    parser.add_argument("--count", type=int, default=40, help="speeds per seed")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--settings", nargs="+", default=list(SETTINGS))
    parser.add_argument("--fine", action="store_true", help="101 outputs instead of 6")
    given = parser.parse_args()
    found = []
    for n in given.loops:
        for seed in given.seeds:
            for run in crossings(n, seed, given.count, FINE if given.fine else GRID, given.sets, given.settings):
                found.append(run)
                if run.outcome != "right":
                    print(f"  seed {seed}: {run}", flush=True)
    table(found)


if __name__ == "__main__":
    main()
