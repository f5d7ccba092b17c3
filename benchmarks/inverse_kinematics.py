"""All solutions of an arm with a wrist, beside those by hand: ``python benchmarks/inverse_kinematics.py [POSES]``.

Poses come from joint angles at random, so each has eight solutions. Those with two nearer to each other than 1e-4 rad
are not asked for all of them. Times are of one call with everything: starts, search, gathering.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import mbs_dae as mbs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arm_wrist
import wrist_oracle as by_hand


def main(count: int) -> None:
    model = arm_wrist.build(driven=False)
    names = [f"joint{k}.angle" for k in range(1, 7)]
    random = np.random.default_rng(2024)
    poses = [by_hand.forward(arm_wrist.TABLE, q) for q in random.uniform(-np.pi, np.pi, (count, 6))]
    mbs.inverse_kinematics(model, {"link6.flange": poses[0]})  # compiles
    print(f"{'':24}{'solved':>10}{'all eight':>11}{'residual':>12}{'hits':>8}{'median':>11}{'mean':>11}{'worst':>11}")
    for label, options in (
        ("all, 64 starts", {"tries": 64}),
        ("all, 128 starts", {"tries": 128}),
        ("all", {}),
        ("one, from the start", {"all": False}),
    ):
        solved = eight = wanted = hits = tried = 0
        residual, times = 0.0, []
        for T in poses:
            expected = by_hand.inverse(arm_wrist.TABLE, T)
            begun = time.perf_counter()
            found = mbs.inverse_kinematics(model, {"link6.flange": T}, **options)
            times.append(time.perf_counter() - begun)
            solved += found.reachable
            residual = max([residual, *(s.residual for s in found)])
            hits, tried = hits + found.hits, tried + found.tries
            if len(expected) == 8 and by_hand.separation(expected) > 1e-4:
                wanted += 1
                angles = np.array([[s[name] for name in names] for s in found])
                eight += by_hand.matched(angles, expected, 1e-6) == 8 and len(found) == 8
        every = f"{100 * eight / wanted:.2f} %" if options.get("all", True) else "-"
        ms = 1e3 * np.array(times)
        print(
            f"{label:24}{100 * solved / count:8.2f} %{every:>11}{residual:10.1e} m{100 * hits / tried:6.1f} %"
            f"{np.median(ms):8.1f} ms{ms.mean():8.1f} ms{ms.max():8.1f} ms"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
