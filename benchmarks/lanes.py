"""Runs in lanes against the same runs one after the other, on one core: ``python benchmarks/lanes.py [members]``.

Both are the bare runs, prepared beforehand, and take turns in one process; times are processor times, the best of
several. Both do the same steps and leave the same bits, which is looked at as well.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))

import n_four_bar
import slider_crank

from mbs_dae.motion import run as marching
from mbs_dae.motion.lanes.engine import ALONE, engine
from mbs_dae.motion.record import IntegratorState
from mbs_dae.verbs.simulate import prepare

TURNS = 5


def slider_cranks(count: int, method: str) -> Iterator[IntegratorState]:
    """1 s of free motion of so many designs."""
    model = slider_crank.build().without("motor")
    model.compile()
    for r in np.linspace(0.08, 0.12, count):
        yield begun(model.with_parameters(r=r), 1.0, {"crank.omega": 10.0}, method)


def four_bars(count: int, coordinates: str) -> Iterator[IntegratorState]:
    """10 s of four loops from so many initial velocities, through poses where the constraints lose rank."""
    system = n_four_bar.build(4).compile(coordinates)
    for omega in np.linspace(-1.0, -1.5, count):
        yield begun(system, 10.0, {"crank0.omega": omega}, "DP8")


def begun(model: Any, end: float, initial: dict[str, float], method: str) -> IntegratorState:
    prepared = prepare(model, [0.0, end], initial, method=method, rtol=1e-8)
    assert prepared.begin() == marching.DONE
    prepared.march.noted[0] = 1  # no memory is kept for runs that go on from these
    return prepared.march


def compare(what: str, runs: Callable[[], Iterator[IntegratorState]]) -> None:
    alone, together, steps = list[float](), list[float](), np.zeros(2)
    for _ in range(TURNS):
        ones, others = [*runs()], [*runs()]
        begin = time.process_time()
        for march in ones:
            assert marching.go_on(march, sys.maxsize) == marching.DONE
        middle = time.process_time()
        lanes = engine(others)
        while lanes.go_on(sys.maxsize):
            pass
        alone.append((middle - begin) / len(ones))
        together.append((time.process_time() - middle) / len(ones))
        steps = lanes.queue.steps
        assert all((one.record.q == other.record.q).all() for one, other in zip(ones, others, strict=True))
    first, second = min(alone), min(together)
    share = steps[ALONE] / steps.sum()
    print(f"{what:<48}{1e6 * first:>10.0f}{1e6 * second:>10.0f}{first / second:>8.2f}{share:>10.2%}", flush=True)


def main() -> None:
    count = int(sys.argv[1]) if sys.argv[1:] else 200
    print(
        f"{count} members, per member:"
        + " " * 25
        + f"{'alone [µs]':>10}{'lanes [µs]':>11}{'ratio':>7}{'by itself':>10}"
    )
    for method in ("DP8", "DP5"):
        compare(f"slider-crank, 1 s, {method}", lambda method=method: slider_cranks(count, method))
    for coordinates in ("cartesian", "natural"):
        compare(f"4 four-bars, 10 s, DP8, {coordinates}", lambda own=coordinates: four_bars(max(count // 4, 8), own))


if __name__ == "__main__":
    main()
