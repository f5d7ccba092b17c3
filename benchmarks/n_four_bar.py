"""N four-bars in a row, side by side with other solvers: ``python benchmarks/n_four_bar.py [N ...]``.

IFToMM benchmark A02, 10 s, through the flat pose where the constraints lose rank. Every solver in the fastest setting
that keeps the energy within 0.1 J; times are those of the bare solve, best of several runs, all in one process. The
coordinate sets of mbs_dae take turns; of 40, after the fastest setting of each come those with equal errors of the tip.
Then the cost of one evaluation of all accelerations, from 1 loop to 1000. The peers are optional: pip install
'mbs_dae[peers]'.
"""

from __future__ import annotations

import sys
from importlib import import_module

import ours
from peers import available
from peers.references import four_bar_tip
from peers.run import Run


def main() -> None:
    sizes = [int(argument) for argument in sys.argv[1:]] or [1, 40, 400]
    print(f"{'N':>4}  {'solver':<11}{'setting':<52}{'time [ms]':>10}{'energy [J]':>12}{'tip [m]':>10}{'ratio':>8}")
    for n in sizes:
        own, *others = ours.n_four_bars(n, 10.0, ours.compared(n), repeat=40 if n < 100 else 5)
        for run in (own, *others):
            show(n, run, own)
        for name in available():
            peer = import_module(f"peers.{name}_")
            if n <= getattr(peer, "LARGEST", n):
                show(n, peer.n_four_bar(n, repeat=5 if n < 100 else 1), own)
    print()
    import n_four_bar as four_bars

    print(f"{'loops':>6}" + "".join(f"{name:>12}{'[µs]':>10}" for name in ours.SETS))
    for n in (1, 10, 100, 1000):
        costs = ours.evaluation_costs(four_bars.build(n))
        print(f"{n:>6}" + "".join(f"{unknowns:>12}{cost:>10.2f}" for unknowns, cost in costs.values()), flush=True)


def show(n: int, run: Run, own: Run) -> None:
    error = run.error(four_bar_tip(n, 10.0))
    print(
        f"{n:>4}  {run.solver:<11}{run.setting:<52}{1e3 * run.seconds:>10.3f}{run.energy_error:>12.2g}{error:>10.2g}"
        f"{run.seconds / own.seconds:>8.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
