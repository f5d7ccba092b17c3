"""What proofs cost: certified motions beside plain ones, and the certificate of a pose. Processor time, calls as
called.

python benchmarks/certify.py
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import mbs_dae as mbs

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
NAMES = ("four_bar", "slider_crank", "six_bar", "cam_follower", "rssr", "delta_robot")
POSES, ROUNDS = 181, 9


def main() -> None:
    titles = ("unknowns", 10), ("plain [ms]", 12), ("certified [ms]", 16), ("ratio", 8), ("intervals", 11), ("gaps", 6)
    print(" " * 20 + "".join(f"{title:>{width}}" for title, width in (*titles, ("a pose [ms]", 13))))
    for name in NAMES:
        module = __import__(name)
        model, times = module.build(), np.linspace(module.TIMES[0], module.TIMES[-1], POSES)
        result = mbs.kinematics(model, times, certify=True)
        state = result.state(POSES // 3)
        mbs.certificate(state)
        plain, certified, pose = (
            min(clocked(call) for _ in range(ROUNDS))
            for call in (
                partial(mbs.kinematics, model, times),
                partial(mbs.kinematics, model, times, certify=True),
                partial(mbs.certificate, state),
            )
        )
        found = result.certificate
        row = f"{name:20}{state.system.nv:10d}{1e3 * plain:12.1f}{1e3 * certified:16.0f}{certified / plain:8.0f}"
        print(f"{row}{len(found.radii):11d}{len(found.gaps):6d}{1e3 * pose:13.1f}", flush=True)


def clocked(call: Callable[[], Any]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


if __name__ == "__main__":
    main()
