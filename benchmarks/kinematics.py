"""What a kinematic sweep costs: ``python benchmarks/kinematics.py``.

Times are the best of several runs inside one process; ratios and counts are what to compare between machines.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import mbs_dae as mbs
from mbs_dae.compiled.reading import Trajectory
from mbs_dae.compiled.status import DONE
from mbs_dae.kernels.blocks import block
from mbs_dae.kernels.cache import counts
from mbs_dae.poses import continuation

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "models"))


def main() -> None:
    import four_bar
    import slider_crank

    print(f"{'what':<62}{'measured':>12}  {'bound':>8}")
    model = slider_crank.build()
    row("slider-crank, 10,000 poses with v and a [µs per pose]", pose_cost(model, 10_000), 5.0)

    derived = counts.derived + counts.compiled
    mbs.kinematics(four_bar.build(), np.linspace(0, 0.1, 11))
    row("new kernels for a four-bar after the slider-crank", counts.derived + counts.compiled - derived, 0)

    cost = {}
    for n in (1, 10, 100, 1000):
        cost[n] = pose_cost(chain(n), 101)
        row(f"chain of {n} four-bar loops, {12 * n + 6} unknowns [µs per pose]", cost[n])
    row("cost ratio, 1000 loops to 100", cost[1000] / cost[100], 12.0)

    for eps in (1e-2, 1e-4, 1e-5):
        for count in (8, 50, 1000):
            near = four_bar.build(a=1.0, b=1.0, c=1.0, d=1.0 - eps, theta0=0.5)
            turn = mbs.kinematics(near, np.linspace(0, 2 * np.pi, count + 1))
            row(f"evaluations, a turn {eps:g} from a change point, {count} poses", turn.stats["evaluations"])

    row("import mbs_dae [s]", fresh("-c", "import mbs_dae"), 0.6)
    script = ROOT / "models" / "slider_crank.py"
    row("warm: python models/slider_crank.py --no-plot [s]", fresh(str(script), "--no-plot"), 2.0)
    with tempfile.TemporaryDirectory() as empty:
        places = {"MBS_DAE_CACHE": empty, "NUMBA_CACHE_DIR": empty}
        row("the same with an empty cache [s]", fresh(str(script), "--no-plot", runs=1, **places), 20.0)


def row(what: str, value: float, bound: float | None = None) -> None:
    print(f"{what:<62}{value:>12.3g}  {'' if bound is None else f'<= {bound:g}':>8}", flush=True)


def chain(n: int) -> mbs.PlanarModel:
    """n four-bar loops side by side, driven at the first crank."""
    model = mbs.PlanarModel(f"{n} loops")
    lean = 1.2
    cos, sin = np.cos(lean), np.sin(lean)
    cranks = []
    for k in range(n + 1):
        cranks.append(model.body(f"crank{k}", position=(k + 0.5 * cos, 0.5 * sin), angle=lean))
        model.add(mbs.Revolute(f"O{k}", model.ground.at(k, 0), cranks[k].at(-0.5, 0)))
    for k in range(n):
        bar = model.body(f"bar{k}", position=(k + 0.5 + cos, sin))
        model.add(mbs.Revolute(f"P{k}", cranks[k].at(0.5, 0), bar.at(-0.5, 0)))
        model.add(mbs.Revolute(f"Q{k}", bar.at(0.5, 0), cranks[k + 1].at(0.5, 0)))
    model.add(mbs.Driver("motor", mbs.angle(model.ground, cranks[0]), lean + 0.5 * mbs.t))
    return model


def pose_cost(model: mbs.PlanarModel, count: int, runs: int = 7) -> float:
    """Microseconds per pose inside the compiled sweep (positions, velocities and accelerations)."""
    times = np.linspace(0.0, 0.628, count)
    start = mbs.assemble(model)
    system = start.system
    machine = system.machine()
    path = Trajectory(times, *(np.zeros((count, first.size)) for first in (start.full_q, start.full_v, start.full_a)))
    path.q[0], path.v[0], path.a[0] = start.full_q, start.full_v, start.full_a

    def run() -> None:
        status = continuation.walk(machine, block(path), 1, count, 0, 0)
        assert status == DONE

    return best(run, runs) / count * 1e6


def fresh(*arguments: str, runs: int = 3, **environment: str) -> float:
    """Seconds of a whole new Python process."""

    def run() -> None:
        subprocess.run(
            [sys.executable, *arguments], check=True, capture_output=True, env=os.environ | environment, cwd=ROOT
        )

    if runs > 1:
        run()
    return best(run, runs)


def best(run: Callable[[], None], runs: int) -> float:
    seconds = []
    for _ in range(runs):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


if __name__ == "__main__":
    main()
