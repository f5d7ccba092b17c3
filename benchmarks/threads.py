"""Runs side by side in threads: compiled code lets go of Python's lock.

    python benchmarks/threads.py

Two runs of about half a second, one after the other and in two threads: the ratio of the wall times, the best of some
rounds, and the processor time of all threads in both, which shows what else the machine was doing: where it grows in
threads, the processors share their caches, or their time with others.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import mbs_dae as mbs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))

ROUNDS = 7
SECONDS = 0.5
LOOPS = 10


def main() -> None:
    import n_four_bar

    system = n_four_bar.build(LOOPS).compile()
    how: dict[str, Any] = {"method": "DP8", "step": 0.01, "stabilization": mbs.Projection()}

    def run(end: float) -> int:
        return len(mbs.simulate(system, np.array([0.0, end]), n_four_bar.INITIAL, **how))

    run(1.0)
    start = time.perf_counter()
    run(5.0)
    end = 5.0 * SECONDS / (time.perf_counter() - start)
    best = (0.0, 0.0, 0.0, 0.0, 0.0)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, [1.0, 1.0]))
        for _ in range(ROUNDS):
            alone, alone_used = timed(lambda: [run(end), run(end)])
            both, both_used = timed(lambda: list(threads.map(run, [end, end])))
            best = max(best, (alone / both, alone, both, alone_used, both_used))
    ratio, alone, both, alone_used, both_used = best
    print(f"load of the machine {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    print(f"two runs of {LOOPS} loops one after the other: {alone:.3f} s, of processor time {alone_used:.3f} s")
    print(f"in two threads:                            {both:.3f} s, of processor time {both_used:.3f} s")
    print(f"{ratio:.2f} times as fast")


def timed(work: Any) -> tuple[float, float]:
    """Wall time and processor time of all threads."""
    wall, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - used


if __name__ == "__main__":
    main()
