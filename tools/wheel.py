"""Builds a wheel that brings machine code along: `python tools/wheel.py [LEVEL ...]`.

For each level of x86-64 that this processor reaches (or those that are named), a process of its own compiles, from an
empty cache: all functions of the solvers; the kernels of every registered joint, driver, force and contact in all
coordinate sets, alone and in lanes, with their slopes; and what the models of the gallery use in all verbs. The cache
becomes an archive in `mbs_dae/machine_code`, and these archives part of the wheel in `dist`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILL = "fill"
"""The argument with which this file fills the cache of its process, and writes it as an archive."""
LARGEST = 400_000
"""The largest code of a function, in bytes: some slopes in space are larger, two thirds of all bytes for two functions
of a hundred."""
SHOWN = 3
"""The number of uses of each kind that are named if they cannot be."""


def build(levels: list[str]) -> None:
    sys.path.insert(0, str(ROOT))
    from mbs_dae.kernels import archives, llvm

    os.environ.pop(llvm.PROCESSOR, None)
    names = [*llvm.LEVELS]
    reached = names[: names.index(llvm.processor()[0]) + 1] if llvm.processor()[0] in names else [llvm.NATIVE]
    for file in archives.FOLDER.glob("*.code"):
        file.unlink()
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # one processor compiles for one level
        list(pool.map(archive_of, levels or reached))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", "dist", "."]
    subprocess.run(command, cwd=ROOT, check=True)
    for wheel in sorted((ROOT / "dist").glob("*.whl")):
        print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.0f} MB")


def archive_of(level: str) -> None:
    """Make the archive of a level in a process of its own, from an empty cache."""
    from mbs_dae.kernels import llvm, work

    with tempfile.TemporaryDirectory() as cache:
        own = {"MBS_DAE_CACHE": cache, llvm.PROCESSOR: level, work.WORKERS: "1", "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, __file__, FILL], env={**os.environ, **own}, check=True)


def fill() -> None:
    """Compile everything that a wheel brings along, and write the archive of this level."""
    sys.path[:0] = [str(ROOT / place) for place in ("tests/support", "tests/contracts", "models")]
    import mbs_dae as mbs
    from mbs_dae.kernels import archives, llvm, store

    begin = time.monotonic()
    mbs.warm()
    for part in (joints_and_drivers, forces, contacts, gallery):
        done, left_out = 0, list[str]()
        for what, use in part():
            try:
                use()
                done += 1
            except mbs.MbsError as error:
                left_out.append(f"{what}: {error}")
        print(f"{llvm.processor()[0]}, {time.monotonic() - begin:.0f} s: {part.__name__}, {done} uses", flush=True)
        for line in left_out[:SHOWN]:
            print(f"    left out: {line[:160]}", flush=True)
        if len(left_out) > SHOWN:
            print(f"    left out: {len(left_out) - SHOWN} others", flush=True)
    bodies = {path.name: store.read(path) for path in store.directory().glob("*.code")}
    files = {name: body for name, body in bodies.items() if body is not None and len(body) <= LARGEST}
    place = archives.path_of(llvm.processor()[0])
    archives.write_archive(place, files)
    what = f"{len(files)} functions, {place.stat().st_size / 1e6:.1f} MB, without {len(bodies) - len(files)} large ones"
    print(f"{place.relative_to(ROOT)}: {what}", flush=True)


Use = tuple[str, Callable[[], object]]


def compiled(build: Callable[[], Any], coordinates: str, slopes: bool = True) -> Callable[[], None]:
    """Return a function that compiles the equations of a model, alone and in lanes, in Cartesian coordinates with their
    slopes: those in natural coordinates are so long that the wheel leaves most of them out."""

    def use() -> None:
        from mbs_dae.compiled.batch import in_lanes
        from mbs_dae.compiled.slopes import slopes_in

        model = build()
        for body in model.bodies.values():
            if coordinates == "joint" and body.mass == 0:  # bodies that nothing carries need a mass there
                body.add_part("weight", mass=1.0, inertia=1.0 if model.dimension == 2 else (1.0, 1.0, 1.0))
        system = model.compile(coordinates)
        parts = [(system.structure.program.batch, system.program.batch)]
        parts += [(system.structure.dynamics.batch, system.dynamics.batch)]
        if system.structure.contacts.rows:
            own = system.structure.contacts.program.batch
            parts += [(own, own.fill(system.evaluator))]
        for builder, batch in parts:
            in_lanes(batch)
            if slopes and coordinates == "cartesian":
                slopes_in(system.structure, builder, True).fill(batch)

    return use


SETS = ("cartesian", "natural", "joint")


def model_of(case: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Return the model of a case of the contracts."""
    return case(*arguments).stage.model


def joints_and_drivers() -> Iterator[Use]:
    import test_joint_contract as contract

    cases = [(contract.joint_case, one) for one in contract.JOINTS]
    cases += [(contract.driver_case, one) for one in contract.DRIVERS if one.values[2] == contract.FORMS[0]]
    cases += [(contract.pose_case, one) for one in contract.POSES]
    for (case, one), coordinates in product(cases, SETS):
        yield f"{one.id}, {coordinates}", compiled(partial(model_of, case, one.values), coordinates)


def forces() -> Iterator[Use]:
    import test_force_contract as contract

    own = [one for one in contract.CASES if "Compass" not in one.id]
    for one, coordinates in product(own, SETS):
        build, arguments = one.values
        yield f"{one.id}, {coordinates}", compiled(partial(model_of, build, arguments), coordinates)


def contacts() -> Iterator[Use]:
    """Every registered contact, and all pairs of shapes that can touch, with friction; with slopes between simple
    shapes."""
    import test_contact_contract as contract

    import mbs_dae as mbs

    shapes: dict[int, dict[str, Callable[[Any], Any]]] = {
        2: {
            "Point": mbs.Point, "Line": mbs.Line, "Disk": lambda m: mbs.Disk(m, 0.1),
            "Capsule": lambda m: mbs.Capsule(m, 0.2, 0.05), "Box": lambda m: mbs.Box(m, (0.2, 0.1)),
            "rounded Box": lambda m: mbs.Box(m, (0.2, 0.1), radius=0.01),
            "inside of a Disk": lambda m: mbs.Disk(m, 0.9, inside=True),
        },
        3: {
            "Point": mbs.Point, "Plane": mbs.Plane, "Sphere": lambda m: mbs.Sphere(m, 0.1),
            "Capsule": lambda m: mbs.Capsule(m, 0.2, 0.05), "Box": lambda m: mbs.Box(m, (0.2, 0.1, 0.1)),
            "rounded Box": lambda m: mbs.Box(m, (0.2, 0.1, 0.1), radius=0.01),
            "inside of a Sphere": lambda m: mbs.Sphere(m, 0.9, inside=True),
        },
    }  # fmt: skip

    def registered(name: str, dimension: int) -> Any:
        model, (a, b) = contract.bodies(dimension)
        model.add(contract.MADE[name](a, b.at(*(0.2, -0.1, 0.3)[:dimension])))
        return model

    def pair(first: str, second: str, dimension: int, grounded: bool) -> Any:
        model, (a, b) = contract.bodies(dimension)
        known = shapes[dimension]
        model.add(mbs.Contact("c", known[first](model.ground if grounded else a), known[second](b), friction=0.2))
        return model

    for one, coordinates in product(contract.CASES, SETS):
        yield f"{one.id}, {coordinates}", compiled(partial(registered, *one.values), coordinates)
    for dimension, grounded in product(shapes, (True, False)):
        for first, second in product(shapes[dimension], repeat=2):
            for coordinates in SETS[:2]:
                what = f"{first} on {'ground' if grounded else 'a body'} and {second}, {dimension}, {coordinates}"
                simple = {first, second} <= {"Point", "Line", "Plane", "Disk", "Sphere"}
                yield what, compiled(partial(pair, first, second, dimension, grounded), coordinates, simple)


def gallery() -> Iterator[Use]:
    from gallery import ALL, load

    for name, coordinates in product(ALL, SETS):
        yield f"{name}, {coordinates}", partial(analyses, load(name), coordinates)


def analyses(module: Any, coordinates: str) -> None:
    """Run the verbs that suit a model of the gallery for a short time, with derivatives by its first parameter and as a
    study in lanes; leave out those that refuse the model."""
    import numpy as np

    import mbs_dae as mbs

    model, times = module.build(), np.linspace(0.0, 0.02, 5)
    system = model.compile(coordinates)
    motors = [driver.name for driver in model.drivers]
    free = (model.without(*motors) if motors else model).compile(coordinates)
    by, quantity = next(iter(model.parameters), ""), free.model.quantity_names()[0]
    uses: list[Callable[[], object]] = [
        lambda: mbs.diagnose(model),
        lambda: mbs.simulate(free, times),
        *(partial(mbs.simulate, free, times, method=method) for method in ("DP8", "GA", "Radau5")),
        lambda: mbs.simulate(free, times, method="Moreau", step=0.005),
        lambda: mbs.linearize(free, mbs.equilibrium(free)),
    ]
    if by:
        uses += [
            lambda: mbs.simulate(free, times, derivatives=[by]).d(quantity, by),
            lambda: mbs.gradient(mbs.at_end(quantity), free, times, over=[by], verb="simulate"),
            lambda: mbs.ensemble(free, times, over={by: [model.parameters[by].value] * 8}, verb="simulate", workers=1),
        ]
    if motors:
        uses += [
            lambda: mbs.kinematics(system, times, derivatives=[by] if by else []),
            lambda: mbs.inverse_dynamics(system, times, derivatives=[by] if by else []).effort(motors[0]),
        ]
    for use in uses:
        with suppress(mbs.MbsError):
            use()


if __name__ == "__main__":
    if sys.argv[1:] == [FILL]:
        fill()
    else:
        build(sys.argv[1:])
