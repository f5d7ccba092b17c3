"""Evaluations against error: DP8 and other methods for smooth motions: ``python benchmarks/methods.py [problem ...]``.

The others are in `candidates/`: Adams' of orders up to 12, extrapolation, Verner's pair 9(8). All are controlled by the
same norm, and their ends of steps are projected. The error is the largest of all coordinates and velocities at the end,
in their units, against DP8 at 3e-13. Runs at 31 tolerances are fitted by a parabola (of logarithms), which is read at
four errors. A projection has a factorisation of its own and is about as expensive as an evaluation: the second number
counts it as one, the first as nothing, which is what Baumgarte's feedback would cost.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import ours
from candidates import adams, extrapolation, verner
from candidates.motion import Motion
from peers import references as ref

import mbs_dae as mbs
from mbs_dae.compiled.status import DONE
from mbs_dae.model.model import Model
from mbs_dae.motion.run import ACCEPTED, REJECTED
from mbs_dae.verbs.simulate import Prepared, prepare

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))

TOLERANCES = 10.0 ** np.linspace(-3, -12, 31)
ERRORS = 10.0 ** np.array([-3.0, -5.0, -7.0, -9.0])
OTHERS: dict[str, Callable[[Motion], np.ndarray]] = {
    "Adams": adams.integrate, "extrapolation": extrapolation.integrate, "Verner 9(8)": verner.integrate,
}  # fmt: skip
STAGES = 12  # of DP8


class Problem(NamedTuple):
    model: Model
    initial: dict[str, float]
    seconds: float


def four_bars(n: int) -> Problem:
    import n_four_bar

    return Problem(n_four_bar.build(n), n_four_bar.INITIAL, 10.0)


def slider_crank() -> Problem:
    return Problem(ours.slider_crank_model(), {"crank.angle": 0.0, "crank.omega": ref.CRANK_SPEED}, 10.0)


def andrews() -> Problem:
    import andrews_squeezer

    return Problem(andrews_squeezer.build(), andrews_squeezer.INITIAL, 0.03)


def bricard() -> Problem:
    import bricard as linkage

    return Problem(linkage.build(), linkage.INITIAL, 10.0)


def arm() -> Problem:
    import arm_6r

    return Problem(arm_6r.build().without(*arm_6r.MOTORS), {}, 1.5)


def pendulum() -> Problem:
    """A thousand swings."""
    model = mbs.PlanarModel("pendulum", gravity=(0.0, -9.81))
    rod = model.link("rod", (0, 0), (0.3, 0), mass=2.0)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    return Problem(model, {}, 1000.0)


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "slider-crank": slider_crank, "Andrews' squeezer": andrews, "four-bar": lambda: four_bars(1),
    "40 four-bars": lambda: four_bars(40), "Bricard's linkage": bricard, "6R arm": arm, "pendulum": pendulum,
}  # fmt: skip


def main() -> None:
    names = sys.argv[1:] or list(PROBLEMS)
    print(f"{'problem':<20}{'method':<15}" + "".join(f"{f'{error:.0e}':>16}" for error in ERRORS) + f"{'rejected':>10}")
    for name in names:
        problem = PROBLEMS[name]()
        exact = end_of(prepared(problem, 3e-13))
        work = {"DP8": [own(problem, rtol, exact) for rtol in TOLERANCES]}
        for method, integrate in OTHERS.items():
            work[method] = [other(problem, rtol, exact, integrate) for rtol in TOLERANCES]
        for method, runs in work.items():
            at = [fitted(runs, projections) for projections in (0, 1)]
            cells = "".join(f"{f'{bare:.0f} / {full:.0f}':>16}" for bare, full in zip(*at, strict=True))
            steps, rejected = (sum(getattr(run, field) for run in runs) for field in ("steps", "rejected"))
            print(f"{name:<20}{method:<15}{cells}{rejected / (steps + rejected):>9.0%}", flush=True)


class Run(NamedTuple):
    error: float
    evaluations: int
    steps: int
    rejected: int


def fitted(runs: list[Run], projections: int) -> np.ndarray:
    """The evaluations for `ERRORS`; nan where none of the runs was near."""
    fit = [run for run in runs if 1e-11 < run.error < 0.3]
    errors, work = np.log10([(run.error, run.evaluations + projections * run.steps) for run in fit]).T
    found = 10 ** np.polyval(np.polyfit(errors, work, 2), np.log10(ERRORS))
    return np.where(0.3 * 10 ** errors.min() < ERRORS, found, np.nan)


def prepared(problem: Problem, rtol: float) -> Prepared:
    model, initial, seconds = problem
    return prepare(model, [0, seconds], initial, mbs.Projection(), method="DP8", rtol=rtol)


def end_of(run: Prepared) -> np.ndarray:
    assert ours.go_to_end(run) == DONE
    return run.march.stages.y0.copy()


def error_of(run: Prepared, end: np.ndarray, exact: np.ndarray) -> float:
    unit = run.march.control.unit
    told = np.isfinite(unit)
    return max(float((np.abs(end - exact)[told] / (unit + np.abs(exact))[told]).max()), 1e-16)


def own(problem: Problem, rtol: float, exact: np.ndarray) -> Run:
    run = prepared(problem, rtol)
    error = error_of(run, end_of(run), exact)
    steps, rejected = (int(run.march.counts[at]) for at in (ACCEPTED, REJECTED))
    return Run(error, STAGES * steps + (STAGES - 1) * rejected + 2, steps, rejected)


def other(problem: Problem, rtol: float, exact: np.ndarray, integrate: Callable[[Motion], np.ndarray]) -> Run:
    run = prepared(problem, rtol)
    assert run.begin() == DONE
    motion = Motion(run, rtol)
    error = error_of(run, integrate(motion), exact)
    return Run(error, motion.evaluations, motion.steps, motion.rejected)


if __name__ == "__main__":
    main()
