"""Studies of many designs: what a member costs beside its compiled work, on one core and on all of them.

    python benchmarks/ensemble.py [members]

Slider-cranks that are let go with a velocity (1 s, 101 times, rtol 1e-8), against a loop over `simulate`; and kinematic
designs of 181 poses, against the poses alone. Then the largest memory of a process of a study, in memory and on disk,
and of one of ten times fewer members. At last one slider-crank from many speeds beside MuJoCo's `rollout`, which varies
nothing else, on as many threads: of both the fastest setting within an error of the angle at the end (optional: pip
install 'mbs_dae[peers]'). Runs that are compared take turns; the best of each counts.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import ours
from peers import available
from peers import references as ref

import mbs_dae as mbs
from mbs_dae.compiled import System
from mbs_dae.compiled.machine import POSES
from mbs_dae.compiled.reading import Trajectory
from mbs_dae.compiled.status import DONE
from mbs_dae.ensembles.runs.chunk import run_chunk
from mbs_dae.ensembles.runs.recipe import Recipe
from mbs_dae.ensembles.work.workers import processors
from mbs_dae.kernels.blocks import block
from mbs_dae.poses import continuation
from mbs_dae.verbs.kinematics import redundant_rows

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from models.slider_crank import TIMES, build

RELEASED = np.linspace(0.0, 1.0, 101)
ERRORS = (1e-3, 1e-5)
"""Of the angle of the crank after 1 s, in radians."""
TRIED = 24
"""Speeds with which settings are compared."""


def designs(count: int) -> mbs.Designs:
    """Cranks, rods and velocities at random; always the same ones."""
    random = np.random.default_rng(1)
    ranges = {"r": (0.08, 0.12), "l": (0.25, 0.35), "crank.omega": (5.0, 15.0)}
    return mbs.Designs(tuple(ranges), np.column_stack([random.uniform(*ends, count) for ends in ranges.values()]))


def best(runs: dict[str, Callable[[], object]], clock: Callable[[], float], rounds: int) -> dict[str, float]:
    """The shortest time of each, in turns."""
    found = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            begun = clock()
            run()
            found[name] = min(found[name], clock() - begun)
    return found


def rounds_of(count: int) -> int:
    return 7 if count < 2000 else 3


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
    took = best(runs, time.process_time, rounds_of(count))
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
    bare = [bare_poses(driven, count // cores) for _ in range(cores)]
    alone = {1: lambda: [run() for run in bare], cores: lambda: together(bare)}
    took = best(alone, time.perf_counter, rounds_of(count))
    print(f"poses alone: {cores} threads, {took[1] / took[cores]:.2f} times as fast as one; more cannot be had now")
    for verb, model, t, designed in (("simulate", free, RELEASED, over), ("kinematics", driven, TIMES, walks)):
        runs = {
            workers: lambda n=workers, m=model, t=t, d=designed, v=verb: mbs.ensemble(
                m, t, over=d, verb=v, workers=n, outputs=["slider.x"]
            )
            for workers in {1, cores}
        }
        took = best(runs, time.perf_counter, rounds_of(count))
        print(f"{verb}: {cores} threads, {took[1] / took[cores]:.2f} times as fast as one")


def together(runs: list[Callable[[], None]]) -> None:
    """Each in a thread."""
    with ThreadPoolExecutor(len(runs)) as pool:
        list(pool.map(lambda run: run(), runs))


# --- memory ---------------------------------------------------------------------------------------------------------


def memory(count: int) -> None:
    """The largest memory of processes of their own."""
    for place in ("memory", "disk"):
        most = [largest_memory(members, place) for members in (max(count // 10, 1), count)]
        print(f"{count // 10} and {count} members, 2 outputs, on {place}: at most {most[0]:.0f} and {most[1]:.0f} MB")


def largest_memory(count: int, place: str) -> float:
    command = [sys.executable, __file__, str(count), place]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def study(count: int, place: str) -> None:
    """Of so many members; says the largest memory of this process, in MB."""
    with TemporaryDirectory() as folder:
        save = f"{folder}/study" if place == "disk" else None
        free = build().without("motor")
        mbs.ensemble(free, RELEASED, over=designs(count), outputs=["slider.x", "slider.vx"], save=save)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


# --- beside a peer --------------------------------------------------------------------------------------------------


def beside_mujoco(count: int) -> None:
    if "mujoco" not in available():
        return
    from peers import mujoco_ensemble

    speeds, cores = np.linspace(0.5, 1.5, count) * ref.CRANK_SPEED, processors()
    print(f"{count} speeds of one slider-crank, {cores} threads")
    print(f"{'error':>8}{'mbs_dae [s]':>13}{'off':>9}{'mujoco [s]':>13}{'off':>9}{'ratio':>8}   settings")
    for error in ERRORS:
        peer = mujoco_ensemble.slider_cranks(speeds, error, cores)
        name, system, rtol = coarsest(speeds[:: max(1, count // TRIED)], error)
        runs = {"own": lambda s=system, r=rtol: angles(s, speeds, r, cores), "mujoco": peer.solve}
        took = best(runs, time.perf_counter, rounds_of(count))
        off = np.abs(angles(system, speeds, rtol, cores) - mujoco_ensemble.references(speeds)).max()
        settings = f"{name} rtol={rtol:.2g}; {peer.setting}"
        print(
            f"{error:8g}{took['own']:13.3f}{off:9.1g}{took['mujoco']:13.3f}{peer.error:9.1g}"
            f"{took['mujoco'] / took['own']:8.1f}   {settings}",
            flush=True,
        )


def coarsest(speeds: np.ndarray, error: float) -> tuple[str, System, float]:
    """Of all coordinate sets and tolerances that come within the error the fastest."""
    from peers.mujoco_ensemble import references

    found = []
    for name in ours.SETS:
        system = ours.slider_crank_model().compile(name)
        for rtol in 10.0 ** -np.arange(1.0, 9.1, 0.25):
            if np.abs(angles(system, speeds, rtol, 1) - references(speeds)).max() <= 0.9 * error:
                runs = {"": lambda s=system, r=rtol: angles(s, speeds, r, 1)}
                found.append((best(runs, time.process_time, 5)[""], len(found), name, system, float(rtol)))
                break
    return min(found)[2:]


def angles(system: System, speeds: np.ndarray, rtol: float, threads: int) -> np.ndarray:
    """Of the crank, after 1 s."""
    ends, over = np.array([0.0, 1.0]), {"crank.omega": speeds}
    settings = {"method": "DP8", "stabilization": mbs.Baumgarte(), "rtol": rtol, "workers": threads}
    found = mbs.ensemble(system, ends, over, initial={"crank.angle": 0.0}, outputs=["crank.angle"], **settings)
    return found.array("crank.angle")[:, -1]


if __name__ == "__main__":
    members = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    if len(sys.argv) > 2:
        study(members, sys.argv[2])
    else:
        per_core(members)
        threads(members)
        memory(members)
        beside_mujoco(members)
