"""What following a curve by arc length costs, beside a sweep of as many poses: calls as called, in
turns, in processor time.

python benchmarks/follow.py
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

import mbs_dae as mbs

POINTS = {"A": (0, 0), "B": (0.2, 0), "C": (0.484, 0.411), "D": (0.5, 0)}
RODS = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
STEPS, ROUNDS = (0.05, 0.01, 0.002), 31


def main() -> None:
    free = mbs.PlanarModel.from_points(POINTS, rods=RODS, fixed="AD")
    driven = free.plus(mbs.Driver("motor", mbs.angle(free.elements["A"]), mbs.t))
    print(f"{'poses':>8}{'follow [ms]':>14}{'kinematics [ms]':>18}{'ratio':>8}")
    for step in STEPS:
        count = len(mbs.follow(free, "crank.angle", step=step))
        times = np.linspace(0, 2 * np.pi, count)
        mbs.kinematics(driven, times)
        calls = partial(mbs.follow, free, "crank.angle", step=step), partial(mbs.kinematics, driven, times)
        pairs = np.array([[_clocked(call) for call in calls] for _ in range(ROUNDS)])
        arc, sweep = np.median(pairs, axis=0)
        ratio = np.median(pairs[:, 0] / pairs[:, 1])
        print(f"{count:8d}{1e3 * arc:14.2f}{1e3 * sweep:18.2f}{ratio:8.2f}")


def _clocked(call: Callable[[], object]) -> float:
    began = time.thread_time()
    call()
    return time.thread_time() - began


if __name__ == "__main__":
    main()
