"""Work against precision, with other solvers: ``python benchmarks/work_precision.py [picture.png]``.

The slider-crank without gravity (10 s), Andrews' squeezer (0.03 s) and 40 four-bars (10 s): time of the bare solve
against the error at the end, every solver from coarse to fine. Then of each solver the fastest setting whose error is
within a bound, those of the sweep and those that `search.py` found; they take turns, *bare* and *as called* (see
`n_four_bar.py`), and the ratios are medians of those within a round. The reference values are computed without any
multibody code.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import ours
from matplotlib.figure import Figure
from peers import available
from peers import references as ref
from peers.run import Ready, Run, compared_in_rounds

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "measured" / "work_precision.png"
COLOURS = {"mbs_dae": "#c0392b", "exudyn": "#2c7fb8", "mujoco": "#31a354", "pinocchio": "#756bb1"}
Problem = tuple[str, str, np.ndarray, str, tuple[float, ...]]


def main() -> None:
    angle = np.array([ref.slider_crank_angle(10.0)])
    tip = ref.four_bar_tip(40, 10.0)
    problems: list[Problem] = [
        ("slider-crank, 10 s", "crank angle [rad]", angle, "slider_crank", (1e-3, 1e-5)),
        ("Andrews' squeezer, 0.03 s", "angles [rad]", ref.ANDREWS_END, "andrews", (1e-3, 1e-5)),
        ("40 four-bars, 10 s", "tip of the first crank [m]", tip, "n_four_bar", (1e-4,)),
    ]
    solvers = [ours, *(import_module(f"peers.{name}_") for name in available())]
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    axes = figure.subplots(1, len(problems))
    for ax, problem in zip(axes, problems, strict=True):
        title, what, reference, name, bounds = problem
        print(f"\n{title}\n{'solver':<11}{'setting':<58}{'time [ms]':>11}{'error':>11}")
        near: dict[str, list[tuple[Ready, Run]]] = {}
        for solver in solvers:
            swept = [(ready, ready.run()) for ready in getattr(solver, f"{name}_sweep")()]
            for _, run in swept:
                print(row(run, reference), flush=True)
            draw(ax, [run for _, run in swept], reference)
            make = getattr(solver, name)
            found = [make(setting) for setting in solver.WITHIN.get(name, ())]
            near[swept[0][1].solver] = [*swept, *((ready, ready.run()) for ready in found)]
        for bound in bounds:
            compare(bound, near, reference)
        ax.set_title(title)
        ax.set_xlabel(f"error at the end: {what}")
    axes[0].set_ylabel("time of the solve [ms]")
    axes[0].legend()
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    figure.savefig(path, dpi=130)
    print(f"\n{path.name} written")


def row(run: Run, reference: np.ndarray) -> str:
    return f"{run.solver:<11}{run.setting:<58}{1e3 * run.seconds:>11.3f}{run.error(reference):>11.2e}"


def compare(bound: float, near: dict[str, list[tuple[Ready, Run]]], reference: np.ndarray) -> None:
    """Of every solver the fastest with no larger error."""
    fastest = []
    for those in near.values():
        good = [one for one in those if one[1].error(reference) <= bound]
        fastest += [min(good, key=lambda one: one[1].seconds)] if good else []
    print(f"within {bound:g}, ms{'':<55}{'bare':>11}{'ratio':>11}{'as called':>11}{'ratio':>11}{'error':>11}")
    for (_, run), cost in zip(fastest, compared_in_rounds([ready for ready, _ in fastest]), strict=True):
        times = f"{cost.bare:>11.3f}{cost.bare_ratio:>11.1f}{cost.called:>11.3f}{cost.called_ratio:>11.1f}"
        print(f"{run.solver:<11}{run.setting:<58}{times}{run.error(reference):>11.2e}", flush=True)


def draw(ax, runs: list[Run], reference: np.ndarray) -> None:
    errors = [max(run.error(reference), 1e-13) for run in runs]
    times = [1e3 * run.seconds for run in runs]
    ax.loglog(errors, times, "o-", color=COLOURS[runs[0].solver], label=runs[0].solver, markersize=4)
    ax.grid(True, which="major", alpha=0.3)


if __name__ == "__main__":
    main()
