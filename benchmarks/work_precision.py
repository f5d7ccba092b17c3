"""Work against precision, with other solvers: ``python benchmarks/work_precision.py [picture.png]``.

The slider-crank without gravity (10 s), Andrews' squeezer (0.03 s) and 40 four-bars (10 s): time of the bare solve
against the error at the end, every solver from coarse to fine. The reference values are computed without any multibody
code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import ours
from matplotlib.figure import Figure
from peers import available
from peers import references as ref
from peers.run import Run

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "measured" / "work_precision.png"
COLOURS = {"mbs_dae": "#c0392b", "exudyn": "#2c7fb8", "mujoco": "#31a354", "pinocchio": "#756bb1"}
Problem = tuple[str, str, np.ndarray, str]


def main() -> None:
    angle = np.array([ref.slider_crank_angle(10.0)])
    problems: list[Problem] = [
        ("slider-crank, 10 s", "crank angle [rad]", angle, "slider_crank_sweep"),
        ("Andrews' squeezer, 0.03 s", "angles [rad]", ref.ANDREWS_END, "andrews_sweep"),
        ("40 four-bars, 10 s", "tip of the first crank [m]", ref.four_bar_tip(40, 10.0), "n_four_bar_sweep"),
    ]
    solvers = [ours, *(import_module(f"peers.{name}_") for name in available())]
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    axes = figure.subplots(1, len(problems))
    for ax, problem in zip(axes, problems, strict=True):
        title, what, reference, sweep = problem
        print(f"\n{title}\n{'solver':<11}{'setting':<46}{'time [ms]':>11}{'error':>11}")
        for solver in solvers:
            runs = [*sweep_of(solver, sweep)]
            for run in runs:
                numbers = f"{1e3 * run.seconds:>11.3f}{run.error(reference):>11.2e}"
                print(f"{run.solver:<11}{run.setting:<46}{numbers}", flush=True)
            if runs:
                draw(ax, runs, reference)
        ax.set_title(title)
        ax.set_xlabel(f"error at the end: {what}")
    axes[0].set_ylabel("time of the solve [ms]")
    axes[0].legend()
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    figure.savefig(path, dpi=130)
    print(f"\n{path.name} written")


def sweep_of(solver: ModuleType, name: str) -> Iterator[Run]:
    """The runs of a sweep; a solver without the problem, or that stops, has none."""
    sweep: Callable[..., list[Run]] | None = getattr(solver, name, None)
    if sweep is not None:
        yield from sweep(repeat=3)


def draw(ax, runs: list[Run], reference: np.ndarray) -> None:
    errors = [max(run.error(reference), 1e-13) for run in runs]
    times = [1e3 * run.seconds for run in runs]
    ax.loglog(errors, times, "o-", color=COLOURS[runs[0].solver], label=runs[0].solver, markersize=4)
    ax.grid(True, which="major", alpha=0.3)


if __name__ == "__main__":
    main()
