"""Spatial mechanisms: ``python benchmarks/spatial.py``.

1. The cost of one evaluation of all accelerations: a chain of revolute joints, and a Gough-Stewart platform of thirteen
   bodies. (Trees beside articulated bodies in C++: `trees.py`.)
2. What deriving and compiling the kernels of every joint, driver and force in space takes, from an empty cache and
   again with a full one.
3. Bricard's linkage over 10 s, beside a peer at equal accuracy (optional: pip install 'mbs_dae[peers]').
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ours
from peers import available

import mbs_dae as mbs

CHAINS = (20, 100, 1000)


def chain(n: int) -> mbs.SpatialModel:
    """Bars in a row, hinges turned by a right angle from one to the next."""
    model = mbs.SpatialModel("chain", gravity=(0, 0, -9.81))
    axes = ((0, 1, 0), (0, 0, 1))
    before = model.ground.at(0, 0, 0, axis=axes[0])
    for k in range(n):
        bar = model.body(f"bar{k}", 1.0, (0.01, 0.08, 0.08), position=(k + 0.5, 0, 0))
        model.add(mbs.Revolute(f"hinge{k}", before, bar.at(-0.5, 0, 0, axis=axes[k % 2])))
        before = bar.at(0.5, 0, 0, axis=axes[(k + 1) % 2])
    return model


def show_evaluations() -> None:
    import stewart_platform

    print(f"{'mechanism':<24}" + "".join(f"{name:>12}{'[µs]':>10}" for name in ours.SETS))
    models = [(f"chain of {n}", chain(n)) for n in CHAINS]
    for name, model in [*models, ("Stewart platform", stewart_platform.build())]:
        costs = ours.evaluation_costs(model)
        print(f"{name:<24}" + "".join(f"{unknowns:>12}{cost:>10.2f}" for unknowns, cost in costs.values()), flush=True)


# --- kernels ------------------------------------------------------------------------------------------------------


def everything() -> list[tuple[str, mbs.SpatialModel]]:
    """A model for every joint, driver and force in space."""
    t = mbs.t
    plain = (mbs.Revolute, mbs.Prismatic, mbs.Cylindrical, mbs.Spherical, mbs.Planar, mbs.Universal, mbs.Fixed)
    two = {kind: {} for kind in (*plain, mbs.ConstantVelocity, mbs.Distance, mbs.PinInSlot, mbs.PointInPlane)}
    two |= {mbs.RevoluteSpherical: {}, mbs.Screw: {"pitch": 0.1}, mbs.RollingDisk: {"radius": 0.3}, mbs.KnifeEdge: {}}
    two |= {mbs.RackAndPinion: {"radius": 0.2}, mbs.CamFollower: {"profile": 0.3}}
    two |= {mbs.Spring: {"stiffness": 1}, mbs.Damper: {"damping": 1}, mbs.SpringDamper: {"stiffness": 1, "damping": 1}}
    two |= {mbs.Bushing: {"stiffness": (1, 2, 3, 4, 5, 6), "damping": (1, 2, 3, 4, 5, 6)}}
    two |= {mbs.TorsionSpring: {"stiffness": 1, "damping": 1}, mbs.Torque: {"torque": 1}}
    two |= {mbs.Motor: {"torque": 1 - mbs.speed}, mbs.ViscousFriction: {"coefficient": 1}}
    found = []
    for kind, constants in two.items():
        model, i, j = _pair()
        model.add(kind("it", i, j, **constants))
        found.append((kind.__name__, model))
    one = {
        "Force": lambda i, j: mbs.Force("it", j, (1, 2, 3), axes="body"),
        "Wrench": lambda i, j: mbs.Wrench("it", j, (1, 2, 3), (1, 2, 3), axes="body"),
        "Actuator": lambda i, j: mbs.Actuator("it", i, j, t),
        "CoordinateFix": lambda i, j: mbs.CoordinateFix("it", j, "z", 0.1),
        "Constraint": lambda i, j: mbs.Constraint("it", i, j, phi=lambda i, j: i.point.dot(j.z_axis)),
        "Drag": lambda i, j: mbs.Drag("it", j, coefficient=1),
        "Driver of an angle": lambda i, j: mbs.Driver("it", mbs.angle(i, j), t),
        "Driver of a displacement": lambda i, j: mbs.Driver("it", mbs.displacement(i, j), t),
        "Driver of a distance": lambda i, j: mbs.Driver("it", mbs.distance(i, j), t),
        "PoseDriver": lambda i, j: mbs.PoseDriver("it", j, (t, 0, t), mbs.rotations.bryant(t, 2 * t, t)),
    }
    for name, make in one.items():
        model, i, j = _pair()
        model.add(make(i, j))
        found.append((name, model))
    skew = [[2, 1, 0], [1, 3, 0], [0, 0, 4]]
    for form, tensor, com in (("centred", skew, (0, 0, 0)), ("offset", (1, 2, 2), (1, 0, 0))):
        model = mbs.SpatialModel(form)
        model.body("it", 1, tensor, com)
        found.append((f"inertia, {form}", model))
    model, i, j = _pair()
    A, B = mbs.Revolute("A", model.ground, i.body, at=(0, 0, 0)), mbs.Revolute("B", model.ground, j.body, at=(1, 0, 0))
    model.add(A, B, mbs.Gear("it", A, B, ratio=2))
    return [*found, ("Gear", model)]


def _pair() -> tuple[mbs.SpatialModel, mbs.Marker, mbs.Marker]:
    model = mbs.SpatialModel("pair")
    first = model.body("first", 1, (1, 2, 2.5))
    attitude = mbs.rotations.bryant(0.3, 0.2, 0.1)
    second = model.body("second", 1, (1, 2, 2.5), position=(0.5, 0.3, 0.4), rotation=attitude)
    return model, first.at(0.1, 0.2, 0.3), second.at(0.3, 0.1, 0.2)


def derive_everything() -> None:
    """Says what each kernel took; run in a process of its own, whose cache is where it was told."""
    import numba  # noqa: F401  (what is loaded once is not part of a kernel's time)

    _pair()[0].compile()
    total = 0.0
    for name, model in everything():
        start = time.perf_counter()
        system = model.compile()
        _ = system.program, system.dynamics
        seconds = time.perf_counter() - start
        total += seconds
        print(f"{name}\t{seconds}")
    print(f"all\t{total}")


def show_kernels() -> None:
    with tempfile.TemporaryDirectory() as folder:
        times = [_in_a_process(folder) for _ in range(2)]
    cold, warm = times
    slowest = sorted((name for name in cold if name != "all"), key=lambda name: -cold[name])[:5]
    print(f"{'kernels of':<28}{'first use [s]':>14}{'again [s]':>12}")
    for name in [*slowest, "all"]:
        print(f"{name if name != 'all' else f'all {len(cold) - 1}':<28}{cold[name]:>14.2f}{warm[name]:>12.3f}")


def _in_a_process(cache: str) -> dict[str, float]:
    here = Path(__file__)
    environment = {**os.environ, "MBS_DAE_CACHE": cache, "PYTHONPATH": str(here.resolve().parent.parent)}
    command = [sys.executable, str(here), "derive"]
    lines = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: float(seconds) for name, seconds in (line.split("\t") for line in lines)}


# --- beside a peer --------------------------------------------------------------------------------------------------


def show_bricard() -> None:
    print(f"{'solver':<11}{'setting':<48}{'time [ms]':>10}{'energy [J]':>12}{'P3 [m]':>10}{'ratio':>8}")
    runs = [run for name in ours.SETS for run in ours.bricard_sweep(coordinates=name)]
    if "exudyn" in available():
        from peers import exudyn_

        runs += exudyn_.bricard_sweep()
    exact = ours.bricard_reference()
    own = next(run for run in runs if run.energy_error is not None and run.energy_error < 1e-3)
    for run in runs:
        print(
            f"{run.solver:<11}{run.setting:<48}{1e3 * run.seconds:>10.2f}{run.energy_error:>12.1e}"
            f"{run.error(exact):>10.1e}{run.seconds / own.seconds:>8.1f}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["derive"]:
        derive_everything()
    else:
        show_evaluations()
        print()
        show_kernels()
        print()
        show_bricard()
