"""Accelerations of hinged links in a row, beside articulated bodies in C++: ``python benchmarks/trees.py``.

A 6R arm and chains of hinges, in joint coordinates, against pinocchio's `aba` in the faster of its two conventions, in
the same state; first the accelerations are compared. All take turns, in processor time. What calling from Python costs
is taken off the peer's time: what the straight line through a chain of 1 and one of 2 leaves for one of 0.
"""

from __future__ import annotations

import sys

import numpy as np
import ours
from peers import available, trees

import mbs_dae as mbs
from mbs_dae.motion.comparison import Timed, evaluation_times

CHAINS = (6, 20, 100, 1000)
FITS = 200
"""Links of which pinocchio's data fits into memory: it takes 46 n³ bytes."""
AGREES = 1e-9
"""Relative to the largest acceleration."""


def main(most: int) -> None:
    import arm_6r
    from spatial import chain

    models: list[tuple[str, mbs.Model, list[trees.Link]]] = [
        ("6R arm", arm_6r.build().without(*arm_6r.MOTORS), trees.arm()),
        *((f"chain of {n} hinges", chain(n), trees.chain(n)) for n in CHAINS if n <= most),
    ]
    calls: list[tuple[str, Timed]] = []
    if "pinocchio" in available():
        from peers import pinocchio_

        calls += [("", (pinocchio_.tree(trees.chain(n))[0], 2000)) for n in (1, 2)]
    for name, model, links in models:
        often, accelerations = ours.tree(model, *trees.state(len(links)))
        calls.append((name, often))
        if "pinocchio" in available():
            evaluate, others = pinocchio_.tree(links)
            told = compared(name, accelerations, others)
            calls.append((told, (evaluate, max(4, 2000 // len(links)))))
    show(calls)


def compared(name: str, own: np.ndarray, others: np.ndarray) -> str:
    apart = float(np.abs(own - others).max() / np.abs(own).max())
    if not apart < AGREES:
        raise ArithmeticError(f"{name}: accelerations are {apart:.1g} apart, of the largest")
    return f"{apart:.1g}"


def show(calls: list[tuple[str, Timed]]) -> None:
    times = [1e6 * seconds for seconds in evaluation_times([one for _, one in calls], rounds=200)]
    names = [name for name, _ in calls]
    if names[0]:
        for name, own in zip(names, times, strict=True):
            print(f"{name:<24}{own:>14.2f}")
        return
    call = max(2 * times[0] - times[1], 0.0)
    print(f"{'tree':<24}{'mbs_dae [µs]':>14}{'pinocchio [µs]':>16}{'ratio':>8}{'apart':>10}   (a call: {call:.2f} µs)")
    for k in range(2, len(calls), 2):
        other = times[k + 1] - call
        print(f"{names[k]:<24}{times[k]:>14.2f}{other:>16.2f}{other / times[k]:>8.2f}{names[k + 1]:>10}")


if __name__ == "__main__":
    if sys.argv[1:]:
        main(int(sys.argv[1]))
    elif "pinocchio" not in available() or not trees.run_with_shared_pages(__file__, str(max(CHAINS))):
        main(FITS if "pinocchio" in available() else max(CHAINS))
