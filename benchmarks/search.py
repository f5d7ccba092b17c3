"""The fastest settings of all solvers within an error: ``python benchmarks/search.py [problem ...]``.

Problems are four_bars_1, four_bars_40, four_bars_400, slider_crank and andrews. Settings that come out belong into
`BEST` and `BEST_TIP` of the solvers, and into `work_precision.CLOSE`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import ours
from peers import available
from peers import references as ref
from peers.run import Run
from peers.search import NEAR, Found, fastest, in_order, tried

SHOWN = 4
"""Of each solver and bound."""
FIRST = ("mujoco", "pinocchio", "exudyn")
"""The order of the peers: those that are fast for many loops come first."""
FAR = 3.0
"""What takes longer than the fastest so far by this is given up."""
ENOUGH = 3
"""Of a family of tolerances: so many within the bound, since a finer one may be luckier."""


class Problem(NamedTuple):
    make: str
    """The function of every solver."""
    loops: int
    seconds: float
    first: int
    """Steps, to begin with."""
    errors: dict[str, tuple[Callable[[Run], float], float]]
    """Of a run, with the bound."""


def energy(run: Run) -> float:
    return np.inf if run.energy_error is None else run.energy_error


def problems() -> Iterator[tuple[str, Problem]]:
    for n in (1, 40, 400):
        tip = partial(Run.error, reference=ref.four_bar_tip(n, 10.0))
        errors = {"energy within 0.1 J": (energy, 0.1), "tip within 1e-4 m": (tip, 1e-4)}
        yield f"four_bars_{n}", Problem("n_four_bar", n, 10.0, 20, errors)
    for name, exact, seconds in (
        ("slider_crank", np.array([ref.slider_crank_angle(10.0)]), 10.0),
        ("andrews", ref.ANDREWS_END, ref.ANDREWS_SECONDS),
    ):
        error = partial(Run.error, reference=exact)
        errors = {f"angle within {bound:g}": (error, bound) for bound in (1e-3, 1e-5)}
        yield name, Problem(name, 0, seconds, 50, errors)


def main() -> None:
    """Those of the first of the peers that is fast come soon; of others only what comes near it is looked for."""
    peers = [import_module(f"peers.{name}_") for name in sorted(available(), key=FIRST.index)]
    for name, problem in problems():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        for what, (error, bound) in problem.errors.items():
            patience = 20.0 if problem.loops == 400 else 0.5
            for solver in [*peers, ours]:
                if problem.loops <= getattr(solver, "LARGEST", problem.loops):
                    those = found(solver, problem, error, bound, patience)
                    show(f"{name}, {what}", solver.__name__, patience, those)
                    patience = min([patience, *(FAR * one.seconds for one in those)])


def found(
    solver: ModuleType, problem: Problem, error: Callable[[Run], float], bound: float, patience: float
) -> list[Found]:
    make: Callable[[Any], Any] = getattr(solver, problem.make)
    if problem.loops:
        make = partial(make, problem.loops)
    steps = (solver.families(problem.loops), make, error, bound, problem.seconds, problem.first, patience)
    those = fastest(*steps)
    if solver is ours:
        for family in ours.tolerances():
            limit = min([patience, *(NEAR * one.seconds for one in those)])
            those += coarsest(family, make, error, bound, limit)
    return in_order(those)


def coarsest(
    settings: Iterable[Any], make: Callable[[Any], Any], error: Callable[[Run], float], bound: float, limit: float
) -> list[Found]:
    """Of settings that become finer, those within the bound, until they take too long."""
    those: list[Found] = []
    for setting in settings:
        one, spent = tried(setting, make, error, bound, limit)
        those += [one] if one else []
        if spent > limit or len(those) == ENOUGH:
            break
    return those


def show(what: str, solver: str, patience: float, those: list[Found]) -> None:
    print(f"\n{what}" + ("" if those else f": {solver} finds nothing within {patience:.2g} s"), flush=True)
    for one in those[:SHOWN]:
        error = "" if one.run.energy_error is None else f"{one.run.energy_error:.2g} J"
        what = f"{one.run.solver:<11}{one.run.setting:<60}{one.run.steps:>8}"
        print(f"  {what}{1e3 * one.seconds:>11.3f} ms  {error}", flush=True)


if __name__ == "__main__":
    main()
