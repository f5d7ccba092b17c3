"""What a call costs beside its compiled work: microseconds, and in units of one ``numpy.linalg.solve`` of 3 x 3 in the
same process.

    python benchmarks/calls.py

Times are processor time of this thread, the least of some rounds. The compiled work of a run is timed alone, in a
workspace of its own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import mbs_dae as mbs
from mbs_dae.motion import run as marching
from mbs_dae.poses import continuation
from mbs_dae.verbs.simulate import prepare

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))

ROUNDS = 20
LENGTHS = np.linspace(0.09, 0.12, 200)


def main() -> None:
    A, b = np.random.default_rng(1).random((3, 3)), np.arange(3.0)
    unit = least(lambda: [np.linalg.solve(A, b) for _ in range(1000)]) / 1000
    print(f"one numpy.linalg.solve of 3 x 3: {1e6 * unit:.1f} us\n")
    print(f"{'call':44s} {'us':>9s} {'solves':>8s} {'compiled us':>12s} {'beyond it':>10s}")
    for name, call, alone in calls():
        whole = least(call)
        work = alone() if alone else 0.0
        print(f"{name:44s} {1e6 * whole:9.0f} {whole / unit:8.0f} {1e6 * work:12.0f} {(whole - work) / unit:10.0f}")


def calls() -> list[tuple[str, Callable[[], Any], Callable[[], float] | None]]:
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
        ("simulate, one loop, 10 s", lambda: mbs.simulate(bars, ends, n_four_bar.INITIAL, **how),
         lambda: run_alone(bars, ends, n_four_bar.INITIAL, how)),
        ("kinematics, 181 poses", lambda: mbs.kinematics(crank, times), lambda: sweep_alone(crank, times)),
        ("kinematics(with_parameters), 181 poses", redesigned, lambda: sweep_alone(crank, times)),
        ("inverse_dynamics, 181 poses", lambda: mbs.inverse_dynamics(crank, times), None),
        ("assemble", lambda: mbs.assemble(crank), None),
        ("assemble(fix=one angle)", lambda: mbs.assemble(bars, fix={"crank0.angle": 1.4}), None),
        ("sweep, 200 values", lambda: mbs.sweep(crank, "r", LENGTHS), None),
    ]  # fmt: skip


def least(call: Callable[[], Any]) -> float:
    """Processor time of this thread, the least of some rounds."""
    call()
    best = np.inf
    for _ in range(ROUNDS):
        start = time.thread_time()
        call()
        best = min(best, time.thread_time() - start)
    return best


def run_alone(model: Any, times: np.ndarray, initial: Any, how: dict[str, Any]) -> float:
    """The compiled steps of a run."""
    best = np.inf
    for _ in range(ROUNDS):
        prepared = prepare(model, times, initial, **how)
        prepared.begin()
        start = time.thread_time()
        marching.go_on(prepared.march, 10**9)
        best = min(best, time.thread_time() - start)
    return best


def sweep_alone(model: Any, times: np.ndarray) -> float:
    """The compiled sweep from pose to pose."""
    run, system = mbs.kinematics(model, times), model.compile()
    machine, first = system.machine(), run.state(0)
    q, (v, a) = np.zeros((times.size, system.layout.q_size)), np.zeros((2, times.size, system.layout.v_size))

    def sweep() -> None:
        q[0], v[0], a[0] = first.full_q, first.full_v, first.full_a
        continuation.sweep(machine, times, 1, times.size, 0, 0, q, v, a)

    return least(sweep)


if __name__ == "__main__":
    main()
