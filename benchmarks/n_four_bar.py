"""N four-bars in a row, side by side with other solvers: ``python benchmarks/n_four_bar.py [N ...]``.

IFToMM benchmark A02, 10 s, through the flat pose where the constraints lose rank. Every solver in the fastest setting
found (`python benchmarks/search.py`) that keeps the energy within 0.1 J, and in the fastest one with the tip 1e-4 m off
at most. *Bare* is the compiled run alone, of which everything is prepared; *as called* is what a person types in Python
who has a compiled model: for mbs_dae ``mbs.simulate(system, [0, 10], initial, ...)`` and the tip by its name. All
solvers and coordinate sets take turns. Times are processor times, medians of the rounds; ratios are medians of those
within a round, to the fastest of mbs_dae.

Then what a run of ours consists of, and the cost of one evaluation of all accelerations, from 1 loop to 1000. The peers
are optional: pip install 'mbs_dae[peers]'.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module

import numpy as np
import ours
from peers import available
from peers.references import four_bar_tip
from peers.run import Ready, compared_in_rounds, nearest

TARGETS = (("energy within 0.1 J", "BEST"), ("tip within 1e-4 m", "BEST_TIP"))
"""And the table of settings that every solver has for it."""


def main() -> None:
    sizes = [int(argument) for argument in sys.argv[1:]] or [1, 40, 400]
    for n in sizes:
        for what, table in TARGETS:
            compare(n, what, [*of_ours(n, table), *of_peers(n, table)])
        for name in ours.SETS:
            print(ours.spent_on_four_bars(n, ours.best(n, name)), flush=True)
    print()
    print(f"{'loops':>6}" + "".join(f"{name:>12}{'[µs]':>10}" for name in ours.SETS))
    for n in (1, 10, 100, 1000):
        costs = ours.evaluation_costs(ours.four_bars_model(n))
        print(f"{n:>6}" + "".join(f"{unknowns:>12}{cost:>10.2f}" for unknowns, cost in costs.values()), flush=True)


def of_ours(n: int, table: str) -> list[Ready]:
    """The fastest of the coordinate sets first."""
    ready = [ours.n_four_bar(n, ours.best(n, name, getattr(ours, table))) for name in ours.SETS]
    times = compared_in_rounds(ready, 5)
    return [ready[k] for k in np.argsort([one.bare for one in times])]


def of_peers(n: int, table: str) -> Iterator[Ready]:
    for name in available():
        peer = import_module(f"peers.{name}_")
        if n <= getattr(peer, "LARGEST", n):
            yield peer.n_four_bar(n, nearest(getattr(peer, table), n))


def compare(n: int, what: str, solvers: list[Ready]) -> None:
    print(f"\n{n} four-bars, 10 s, {what}; times in ms")
    columns = ("bare", "ratio", "as called", "ratio", "energy [J]", "tip [m]", "rounds")
    print(f"{'solver':<11}{'setting':<58}" + "".join(f"{word:>11}" for word in columns))
    times = compared_in_rounds(solvers)
    for one, cost in zip(solvers, times, strict=True):
        run = one.outcome()
        error = run.error(four_bar_tip(n, 10.0))
        print(
            f"{run.solver:<11}{run.setting:<58}{cost.bare:>11.3f}{cost.bare_ratio:>11.1f}{cost.called:>11.3f}"
            f"{cost.called_ratio:>11.1f}{run.energy_error:>11.2g}{error:>11.1g}{cost.rounds:>11}",
            flush=True,
        )


if __name__ == "__main__":
    main()
