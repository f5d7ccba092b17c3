"""Whether calls leave anything behind: the memory of this process after thousands of calls of each verb, every one of
them of another design.

    python benchmarks/memory.py [calls]

The last column is what a call adds between the second and the last look, in bytes; a page is 4,096.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import mbs_dae as mbs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))

CALLS = 10_000
LOOKS = (0.2, 0.6, 1.0)
PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    looks = [int(part * calls) for part in LOOKS]
    print(f"{'call':24s}" + "".join(f"{look:>9d}" for look in looks) + f"{'per call':>12s}    (MB; bytes)")
    for name, call in verbs():
        for _ in range(100):
            call()
        sizes = []
        for k in range(calls):
            call()
            if k + 1 in looks:
                sizes.append(resident())
        grown = (sizes[-1] - sizes[-2]) / (looks[-1] - looks[-2])
        print(f"{name:24s}" + "".join(f"{size / 1e6:9.1f}" for size in sizes) + f"{grown:12.0f}", flush=True)


def verbs() -> list[tuple[str, Callable[[], Any]]]:
    import n_four_bar
    import slider_crank

    bars, crank, number = n_four_bar.build(), slider_crank.build(), count()
    crank.compile()
    bars.compile()
    few, ends = slider_crank.TIMES[:19], np.array([0.0, 0.1])

    def other(model: Any, name: str) -> Any:
        """Another design each time."""
        return model.with_parameters(**{name: model.parameters[name].value * (1.0 + 1e-6 * next(number))})

    length = next(iter(bars.parameters))
    start = n_four_bar.INITIAL
    return [
        ("kinematics", lambda: mbs.kinematics(other(crank, "r"), few)["slider.x"]),
        ("inverse_dynamics", lambda: mbs.inverse_dynamics(other(crank, "r"), few).effort("motor")),
        ("simulate", lambda: mbs.simulate(other(bars, length), ends, start)["crank0.omega"]),
        ("assemble", lambda: mbs.assemble(other(crank, "r"))["slider.x"]),
        ("assemble(fix=)", lambda: mbs.assemble(other(bars, length), fix={"crank0.angle": 1.4})),
        ("sweep, 5 values", lambda: mbs.sweep(other(crank, "l"), "r", np.linspace(0.09, 0.11, 5))["slider.x"]),
    ]


def resident() -> int:
    """Bytes of this process in memory, with nothing left to collect."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


if __name__ == "__main__":
    main()
