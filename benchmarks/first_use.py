"""First use: an empty cache, then each analysis of a mechanism for the first time, one after the other.

    python benchmarks/first_use.py                          this package
    python benchmarks/first_use.py --against FOLDER [n]     and another version of it, whose root this is, in n rounds
    python benchmarks/first_use.py --wheel FILE [n]         a wheel with machine code, and this package

Each mechanism has a process and an empty cache of its own; with two versions the processes take turns. Seconds on the
clock, and of processor time in the process; other processes help (`MBS_DAE_WORKERS=1`: none does, and then the second
is all that it takes, however busy the machine is). Ratios are those to the other version: the median of the rounds, of
processor time where nothing helps, else of the clock.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from zipfile import ZipFile

HERE = Path(__file__).resolve()
MODELS = ("four_bar", "slider_crank", "andrews_squeezer", "stewart_platform")
Laps = dict[str, tuple[float, float]]
"""Seconds on the clock and of processor time, by what is done."""


def main() -> None:
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


if __name__ == "__main__":
    if sys.argv[1:2] == ["use"]:
        use(sys.argv[2])
    else:
        main()
