"""Measure the cost of a step of a held run beside its compiled work, and in threads: `python benchmarks/held_runs.py`.

A four-bar with a motor is held every 5 ms, with and without another torque each time. The compiled work of a step is
the time within `go_on` and `resume`; the rest is Python.
"""

from __future__ import annotations

import threading
import time

import numpy as np

import mbs_dae as mbs
from mbs_dae.motion import run as marching

STEPS, DT, ROUNDS, SPIN = 400, 5e-3, 25, {"crank.omega": 5.0}


def four_bar() -> mbs.PlanarModel:
    points = {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0)}
    rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AD", mass=2.0, gravity=(0, -9.81))
    model.add(mbs.Torque("drive", model.bodies["crank"], model.input("torque", 0.0, unit="N m")))
    return model


class Watch:
    """The time within a compiled function."""

    def __init__(self, function):
        self.function, self.spent = function, 0.0

    def __call__(self, *given):
        begin = time.process_time()
        found = self.function(*given)
        self.spent += time.process_time() - begin
        return found


def drive(run: mbs.Simulation, what: str, steps: int = STEPS) -> mbs.Simulation:
    for k in range(steps):
        if what == "set and step":
            run.set(torque=0.1 * np.sin(k))
        run.step(DT)
        if what == "step and read":
            run["crank.angle"]
        if what == "step and read a force":
            run["A.Fx"]
    return run


def solve() -> float:
    """The time of one `numpy.linalg.solve` of 3 x 3, in s: the least of many."""
    a, b, best = np.diag([1.0, 2.0, 3.0]), np.ones(3), np.inf
    for _ in range(50):
        begin = time.process_time()
        for _ in range(100):
            np.linalg.solve(a, b)
        best = min(best, (time.process_time() - begin) / 100)
    return best


def main() -> None:
    model = four_bar()
    plain = {name: getattr(marching, name) for name in ("go_on", "resume")}
    print(f"one solve of 3 x 3: {1e6 * solve():.1f} µs")
    for what in ("step", "step and read", "set and step", "step and read a force"):
        best, steps = (np.inf, np.inf), STEPS if "force" not in what else STEPS // 10
        for _ in range(ROUNDS):
            run, watches = mbs.start(model, SPIN), {name: Watch(function) for name, function in plain.items()}
            vars(marching).update(watches)
            begin = time.process_time()
            drive(run, what, steps)
            whole, within = time.process_time() - begin, sum(watch.spent for watch in watches.values())
            best = min(best, ((whole - within) / steps, within / steps))
            vars(marching).update(plain)
        print(f"{what}: {1e6 * best[0]:.1f} µs a step beside {1e6 * best[1]:.1f} µs of compiled work")
    alone = drive(mbs.start(model, SPIN), "set and step").result()
    found: dict[int, mbs.Result] = {}
    threads = [
        threading.Thread(target=lambda k=k: found.update({k: drive(mbs.start(model, SPIN), "set and step").result()}))
        for k in range(2)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    same = all(np.array_equal(found[k].q, alone.q) and np.array_equal(found[k].v, alone.v) for k in range(2))
    print(f"two threads have the digits of one: {same}")


if __name__ == "__main__":
    main()
