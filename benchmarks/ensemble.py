"""Studies of many designs: what a member costs beside its compiled work, on one core and on all of them.

    python benchmarks/ensemble.py [members]

Slider-cranks that are let go with a velocity (1 s, 101 times, rtol 1e-8), against a loop over `simulate`; and kinematic
designs of 181 poses, against the poses alone. Runs that are compared take turns; the best of each counts.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

import mbs_dae as mbs
from mbs_dae.compiled.machine import DONE, POSES
from mbs_dae.compiled.reading import Trajectory
from mbs_dae.ensembles.runs.chunk import run_chunk
from mbs_dae.ensembles.runs.recipe import Recipe
from mbs_dae.ensembles.work.workers import processors
from mbs_dae.kernels.blocks import block
from mbs_dae.poses import continuation
from mbs_dae.verbs.kinematics import redundant_rows

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from models.slider_crank import TIMES, build

RELEASED = np.linspace(0.0, 1.0, 101)
ROUNDS = 7


def designs(count: int) -> mbs.Designs:
    """Cranks, rods and velocities at random; always the same ones."""
    random = np.random.default_rng(1)
    ranges = {"r": (0.08, 0.12), "l": (0.25, 0.35), "crank.omega": (5.0, 15.0)}
    return mbs.Designs(tuple(ranges), np.column_stack([random.uniform(*ends, count) for ends in ranges.values()]))


def best(runs: dict[str, Callable[[], object]], clock: Callable[[], float]) -> dict[str, float]:
    """The shortest time of each, in turns."""
    found = dict.fromkeys(runs, np.inf)
    for _ in range(ROUNDS):
        for name, run in runs.items():
            begun = clock()
            run()
            found[name] = min(found[name], clock() - begun)
    return found


def per_core(count: int) -> None:
    """Processor time of a member, in ms."""
    free, driven, over = build().without("motor"), build(), designs(count)
    few = over.values[: count // 8]
    motions = Recipe(free, RELEASED, over.names)
    poses = Recipe(driven, TIMES, over.names[:2], "kinematics")
    free.compile(), driven.compile()

    def loop() -> None:
        for r, l, omega in few:
            mbs.simulate(free.with_parameters(r=r, l=l), RELEASED, {"crank.omega": omega})

    def walks() -> None:
        for r, l, _ in few:
            mbs.kinematics(driven.with_parameters(r=r, l=l), TIMES)

    runs = {
        "loop over simulate": loop,
        "ensemble of simulate": lambda: run_chunk(motions, 0, over.values),
        "loop over kinematics": walks,
        "ensemble of kinematics": lambda: run_chunk(poses, 0, over.values[:, :2]),
        "poses alone": bare_poses(driven, len(few)),
    }
    took = best(runs, time.process_time)
    each = {name: 1e3 * took[name] / (count if name.startswith("ensemble") else len(few)) for name in runs}
    for name, ms in each.items():
        print(f"{name:24} {ms:7.3f} ms a member")
    print(f"{'simulate: loop / ensemble':34} {each['loop over simulate'] / each['ensemble of simulate']:6.2f}")
    print(f"{'kinematics: ensemble / poses':34} {each['ensemble of kinematics'] / each['poses alone']:6.2f}")


def bare_poses(model: mbs.PlanarModel, count: int) -> Callable[[], None]:
    """The walk from pose to pose alone, with nothing around it."""
    system, first = model.compile(), mbs.assemble(model)
    machine, path = system.machine(), Trajectory(TIMES, *system.layout.motion(TIMES.size))
    path.q[:1], path.v[:1], path.a[:1] = first.motion
    redundant, poses = redundant_rows(system, machine, TIMES, first, path.q[0], path.v[0]), block(path)

    def run() -> None:
        for _ in range(count):
            assert continuation.walk(machine, poses, 1, TIMES.size, *redundant) == DONE
            assert machine.counts[POSES] == TIMES.size

    return run


def threads(count: int) -> None:
    """Wall time with one worker over that with as many as there are processors."""
    over, cores = designs(count), processors()
    free, driven = build().without("motor"), build()
    walks = mbs.Designs(over.names[:2], over.values[:, :2].copy())
    for verb, model, t, designed in (("simulate", free, RELEASED, over), ("kinematics", driven, TIMES, walks)):
        runs = {
            workers: lambda n=workers, m=model, t=t, d=designed, v=verb: mbs.ensemble(
                m, t, over=d, verb=v, workers=n, outputs=["slider.x"]
            )
            for workers in {1, cores}
        }
        took = best(runs, time.perf_counter)
        print(f"{verb}: {cores} threads, {took[1] / took[cores]:.2f} times as fast as one")


def memory(count: int) -> None:
    """What is allocated at most, with outputs in memory, and on disk."""
    from tempfile import TemporaryDirectory

    over, free = designs(count), build().without("motor")
    with TemporaryDirectory() as folder:
        for place in (None, f"{folder}/study"):
            tracemalloc.start()
            mbs.ensemble(free, RELEASED, over=over, outputs=["slider.x", "slider.vx"], save=place)
            most = tracemalloc.get_traced_memory()[1] / 2**20
            tracemalloc.stop()
            print(f"{count} members, 2 outputs, {'in memory' if place is None else 'on disk'}: at most {most:.1f} MB")


if __name__ == "__main__":
    members = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    per_core(members)
    threads(members)
    memory(members)
