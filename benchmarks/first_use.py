"""First use: an empty cache, then each analysis for the first time, one after the other.

    python benchmarks/first_use.py

Seconds on the clock, and of processor time in this process; other processes help (`MBS_DAE_WORKERS=1`: none does).
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable

import numpy as np


def lap(what: str, run: Callable[[], object]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    print(f"{what:28s} {time.perf_counter() - wall:7.2f} {time.process_time() - cpu:7.2f}", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        os.environ["MBS_DAE_CACHE"] = cache
        import mbs_dae as mbs
        from mbs_dae.verbs.warm import slider_crank

        times = np.linspace(0.0, 1.0, 101)
        driven, free = slider_crank(driven=True), slider_crank(driven=False)
        print(f"{'':28s} {'clock':>7s} {'here':>7s}")
        begun = time.perf_counter()
        lap("diagnose", lambda: mbs.diagnose(driven))
        lap("kinematics", lambda: mbs.kinematics(driven, times))
        lap("simulate", lambda: mbs.simulate(free, times))
        lap("inverse dynamics", lambda: mbs.inverse_dynamics(driven, times))
        lap("natural coordinates", lambda: mbs.simulate(free.compile("natural"), times))
        lap("joint coordinates", lambda: mbs.simulate(free.compile("joint"), times))
        print(f"{'all':28s} {time.perf_counter() - begun:7.2f}")


if __name__ == "__main__":
    main()
