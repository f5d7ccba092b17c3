"""First use: an empty cache, then each analysis of a mechanism for the first time, one after the other.

    python benchmarks/first_use.py                          this package
    python benchmarks/first_use.py --against FOLDER [n]     and another version of it, whose root this is, in n rounds
    python benchmarks/first_use.py --wheel FILE [n]         a wheel with machine code, and this package
    python benchmarks/first_use.py --each [FILE]            verbs, methods and elements alone, from a wheel if named

With `--each`, a driven slider-crank has moved once; then each verb, method or element is used for the first time, in a
process and with a copy of the cache of its own, and without help: processor time, less that of the second use.

Each mechanism has a process and an empty cache of its own; with two versions the processes take turns. Seconds on the
clock, and of processor time in the process; other processes help (`MBS_DAE_WORKERS=1`: none does, and then the second
is all that it takes, however busy the machine is). Ratios are those to the other version: the median of the rounds, of
processor time where nothing helps, else of the clock.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from zipfile import ZipFile

HERE = Path(__file__).resolve()
MODELS = ("four_bar", "slider_crank", "andrews_squeezer", "stewart_platform")
Laps = dict[str, tuple[float, float]]
"""Seconds on the clock and of processor time, by what is done."""


def main() -> None:
    if sys.argv[1:2] == ["--each"]:
        each(Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None)
        return
    package, against = HERE.parents[1], Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:2] == ["--wheel"]:
            assert against is not None
            with ZipFile(against) as wheel:
                wheel.extractall(folder)
            package, against = Path(folder), package
        compare(package, against, rounds)


def compare(package: Path, against: Path | None, rounds: int) -> None:
    print(f"{'':40}{'clock [s]':>11}{'here [s]':>10}" + (f"{'before':>10}{'':>10}{'ratio':>8}" if against else ""))
    for model in MODELS:
        before: list[Laps] = []
        now: list[Laps] = []
        for _ in range(rounds):
            if against:
                before.append(in_a_process(against, model))
            now.append(in_a_process(package, model))
        show(model, now, before)


def show(model: str, now: list[Laps], before: list[Laps]) -> None:
    alone = int(os.environ.get("MBS_DAE_WORKERS") == "1")
    for what in now[0]:
        line = f"{model + ': ' + what:40}" + "".join(f"{median(one[what][k] for one in now):10.2f}" for k in (0, 1))
        if before:
            line += "".join(f"{median(one[what][k] for one in before):10.2f}" for k in (0, 1))
            ratios = [a[what][alone] / b[what][alone] for a, b in zip(now, before, strict=True)]
            line += f"{median(ratios):8.2f}"
        print(line, flush=True)


def in_a_process(package: Path, model: str) -> Laps:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "MBS_DAE_CACHE": cache, "PYTHONPATH": str(package)}
        command = [sys.executable, str(HERE), "use", model]
        told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    found = {what: (float(clock), float(own)) for what, clock, own in (x.split("\t") for x in told.splitlines())}
    clock, own = zip(*found.values(), strict=True)
    return {**found, "all": (sum(clock), sum(own))}


def use(model: str) -> None:
    """Says what each analysis took."""
    for what, run in analyses(model):
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        print(f"{what}\t{time.perf_counter() - wall}\t{time.process_time() - cpu}", flush=True)


def analyses(name: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Motors lead where there are any; without them it moves as it does by itself, from rest."""
    sys.path.insert(0, str(HERE.parents[1] / "models"))
    import numpy as np

    import mbs_dae as mbs

    models: dict[str, mbs.Model] = {}
    times = np.linspace(0.0, 0.03, 31)

    def build() -> None:
        from importlib import import_module

        driven = import_module(name).build()
        motors = [one for one, element in driven.elements.items() if isinstance(element, mbs.Driver)]
        models.update(driven=driven, free=driven.without(*motors) if motors else driven)

    yield "its model", build
    yield "diagnose", lambda: mbs.diagnose(models["driven"])
    if models["driven"] is not models["free"]:
        yield "kinematics", lambda: mbs.kinematics(models["driven"], times)
    yield "simulate", lambda: mbs.simulate(models["free"], times)
    if models["driven"] is not models["free"]:
        yield "inverse dynamics", lambda: mbs.inverse_dynamics(models["driven"], times)
    yield "natural coordinates", lambda: mbs.simulate(models["free"].compile("natural"), times)
    yield "joint coordinates", lambda: mbs.simulate(models["free"].compile("joint"), times)


# --- each alone -----------------------------------------------------------------------------------------------------


def each(wheel: Path | None) -> None:
    """Print the processor time of the first use of each verb, method and element behind one `kinematics`."""
    with tempfile.TemporaryDirectory() as folder:
        package, base = HERE.parents[1], Path(folder) / "base"
        base.mkdir(mode=0o700)
        if wheel:
            package = Path(folder) / "package"
            with ZipFile(wheel) as file:
                file.extractall(package)
        run_alone(package, base, "kinematics")
        for what in FIRST:
            own = Path(folder) / "own"
            shutil.copytree(base, own)
            first, again = run_alone(package, own, what), run_alone(package, own, what)
            print(f"{what:40}{first - again:8.1f} s", flush=True)
            shutil.rmtree(own)


def run_alone(package: Path, cache: Path, what: str) -> float:
    """Return the processor time of a process that does one thing, in s."""
    environment = {**os.environ, "MBS_DAE_CACHE": str(cache), "PYTHONPATH": str(package), "MBS_DAE_WORKERS": "1"}
    command = [sys.executable, str(HERE), "alone", what]
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime


def alone(what: str) -> None:
    import numpy as np

    import mbs_dae as mbs

    times = np.linspace(0.0, 0.1, 11)
    driven = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, ground = driven.parameter("r", 0.1), driven.ground
    crank = driven.body("crank", mass=1.0, inertia=0.001, position=(0.04, 0.03), angle=0.6)
    rod = driven.body("rod", mass=2.0, inertia=0.01, position=(0.22, 0.03), angle=-0.2)
    slider = driven.body("slider", mass=0.5, inertia=1e-3, position=(0.37, 0.0))
    driven.add(
        mbs.Revolute("A", ground.at(0, 0), crank.at(-r / 2, 0)),
        mbs.Revolute("B", crank.at(r / 2, 0), rod.at(-0.15, 0)),
        mbs.Revolute("C", rod.at(0.15, 0), slider.at(0, 0)),
        mbs.Translational("guide", ground.at(0, 0), slider.at(0, 0)),
        mbs.Driver("motor", mbs.angle(ground, crank), 0.6 + 10 * mbs.t),
    )
    free = driven.without("motor")

    def run_with(element: mbs.Element) -> mbs.Result:
        model = driven.without("motor")
        model.add(element)
        return mbs.simulate(model, times)

    def spatial() -> Any:
        model = mbs.SpatialModel("pendulum", gravity=(0, 0, -9.81))
        bar = model.body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
        model.add(mbs.Revolute("hinge", model.ground, bar, at=(0, 0, 0), axis=(0, 1, 0)))
        return model

    def ball() -> Any:
        model = mbs.PlanarModel("ball", gravity=(0, -9.81))
        body = model.body("ball", mass=1.0, inertia=0.004, position=(0, 0.12))
        model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), restitution=0.5, friction=0.3))
        return model

    uses: dict[str, Callable[[], object]] = {
        "kinematics": lambda: mbs.kinematics(driven, times),
        "diagnose": lambda: mbs.diagnose(driven),
        "inverse_dynamics": lambda: mbs.inverse_dynamics(driven, times).effort("motor"),
        "simulate": lambda: mbs.simulate(free, times),
        "simulate, natural": lambda: mbs.simulate(free.compile("natural"), times),
        "simulate, joint": lambda: mbs.simulate(free.compile("joint"), times),
        **{f"simulate, {method}": partial(mbs.simulate, free, times, method=method, step=1e-3) for method in METHODS},
        "simulate in space": lambda: mbs.simulate(spatial(), times),
        "simulate, friction in a joint": lambda: run_with(mbs.Friction("rub", free.elements["guide"], mu=0.1)),
        "simulate, spring": lambda: run_with(mbs.Spring("s", ground, slider, stiffness=9.0, length=0.1)),
        "simulate, stop": lambda: run_with(mbs.Stop("end", mbs.angle(ground, crank), lower=0.0)),
        "simulate, ball on a floor": lambda: mbs.simulate(ball(), times),
        "start and step": lambda: mbs.start(free).step(0.01),
        "equilibrium": lambda: mbs.equilibrium(free),
        "linearize": lambda: mbs.linearize(free, mbs.equilibrium(free)),
        "sweep": lambda: mbs.sweep(driven, "r", [0.1, 0.11]),
        "follow": lambda: mbs.follow(driven, "crank.angle", release="motor"),
        "assembly_modes": lambda: mbs.assembly_modes(driven),
        "kinematics with derivatives": lambda: mbs.kinematics(driven, times, derivatives=["r"]).d("slider.x", "r"),
        "simulate with derivatives": lambda: mbs.simulate(free, times, derivatives=["r"]).d("slider.x", "r"),
        "gradient": lambda: mbs.gradient(mbs.at_end("slider.x"), free, times, over=["r"], verb="simulate"),
        "ensemble": lambda: mbs.ensemble(free, times, over={"r": np.linspace(0.09, 0.11, 16).tolist()}, workers=1),
    }
    uses[what]()


METHODS = ("RK4", "DP8", "GA", "Radau5", "Moreau", "HalfExplicit")
FIRST = (
    "diagnose", "inverse_dynamics", "simulate", "simulate, natural", "simulate, joint",
    *(f"simulate, {method}" for method in METHODS), "simulate in space", "simulate, friction in a joint",
    "simulate, spring", "simulate, stop", "simulate, ball on a floor", "start and step", "equilibrium", "linearize",
    "sweep", "follow", "assembly_modes", "kinematics with derivatives", "simulate with derivatives", "gradient",
    "ensemble",
)  # fmt: skip
"""What is used for the first time behind one `kinematics`."""


if __name__ == "__main__":
    if sys.argv[1:2] == ["use"]:
        use(sys.argv[2])
    elif sys.argv[1:2] == ["alone"]:
        alone(sys.argv[2])
    else:
        main()
