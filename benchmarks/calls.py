"""What a call costs beside its compiled work: microseconds, and in units of one ``numpy.linalg.solve`` of 3 x 3 in the
same process.

    python benchmarks/calls.py

Times are on the clock, of the best of some rounds. The compiled work is what passes inside compiled functions that
Python calls, timed around each of these calls (so the microsecond that ctypes takes to pass arguments counts, too).
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import mbs_dae as mbs
from mbs_dae.kernels import functions

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))

ROUNDS = 100
LENGTHS = np.linspace(0.09, 0.12, 200)


class Inside:
    """The time that passes inside compiled functions, from the moment this is made: before they are first called."""

    def __init__(self) -> None:
        self.seconds = 0.0
        functions.ctypes = SimpleNamespace(**vars(ctypes) | {"CFUNCTYPE": self._timed})  # type: ignore[assignment]

    def _timed(self, *kinds: Any) -> Callable[[int], Callable[..., Any]]:
        def function(address: int) -> Callable[..., Any]:
            plain = ctypes.CFUNCTYPE(*kinds)(address)

            def call(*numbers: Any) -> Any:
                start = time.perf_counter()
                found = plain(*numbers)
                self.seconds += time.perf_counter() - start
                return found

            return call

        return function


def main() -> None:
    inside = Inside()
    A, b = np.random.default_rng(1).random((3, 3)), np.arange(3.0)
    unit, _ = least(lambda: [np.linalg.solve(A, b) for _ in range(1000)], inside)
    unit /= 1000
    print(f"one numpy.linalg.solve of 3 x 3: {1e6 * unit:.1f} us\n")
    print(f"{'call':44s} {'us':>9s} {'solves':>8s} {'compiled us':>12s} {'beyond it':>10s}")
    for name, call in calls():
        whole, work = least(call, inside)
        print(f"{name:44s} {1e6 * whole:9.0f} {whole / unit:8.0f} {1e6 * work:12.0f} {(whole - work) / unit:10.0f}")


def calls() -> list[tuple[str, Callable[[], Any]]]:
    import n_four_bar
    import slider_crank

    bars, ends = n_four_bar.build(), np.array([0.0, 10.0])
    how: dict[str, Any] = {"method": "DP8", "rtol": 1e-6, "stabilization": mbs.Projection()}
    crank, times = slider_crank.build(), slider_crank.TIMES
    crank.compile()
    number = count()

    def redesigned() -> Any:
        return mbs.kinematics(crank.with_parameters(r=0.1 + 1e-6 * next(number)), times)

    return [
        ("simulate, one loop, 10 s", lambda: mbs.simulate(bars, ends, n_four_bar.INITIAL, **how)),
        ("kinematics, 181 poses", lambda: mbs.kinematics(crank, times)),
        ("kinematics(with_parameters), 181 poses", redesigned),
        ("inverse_dynamics, 181 poses", lambda: mbs.inverse_dynamics(crank, times)),
        ("assemble", lambda: mbs.assemble(crank)),
        ("assemble(fix=one angle)", lambda: mbs.assemble(bars, fix={"crank0.angle": 1.4})),
        ("sweep, 200 values", lambda: mbs.sweep(crank, "r", LENGTHS)),
    ]


def least(call: Callable[[], Any], inside: Inside) -> tuple[float, float]:
    """Of some rounds the one that took least beside its compiled work: seconds in all, and of that work."""
    call()
    best = (np.inf, 0.0)
    for _ in range(ROUNDS):
        inside.seconds, start = 0.0, time.perf_counter()
        call()
        best = min(best, (time.perf_counter() - start, inside.seconds), key=lambda both: both[0] - both[1])
    return best


if __name__ == "__main__":
    main()
