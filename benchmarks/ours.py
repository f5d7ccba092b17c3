"""The problems of the benchmarks in mbs_dae, timed like the peers: the bare solve, without building and compiling."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from peers import references as ref
from peers.run import Run, drift, nearest, timed

import mbs_dae as mbs
from mbs_dae.analysis.simulate import prepare
from mbs_dae.integration import march as marching
from mbs_dae.integration.machine import accelerate, mechanism
from mbs_dae.kernels.abi import compiled
from mbs_dae.model.model import Model
from mbs_dae.system import poses

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))


@dataclass(frozen=True)
class Setting:
    """A method with fixed steps h [s], or with a tolerance."""

    method: str
    h: float | None = None
    rtol: float = 1e-8

    def __str__(self) -> str:
        return f"{self.method} {f'h={self.h:.3g}' if self.h else f'rtol={self.rtol:g}'}, projection"


# Fastest found that keep the energy of N four-bars within 0.1 J for 10 s.
BEST = {
    1: Setting("DP8", 1 / 3),
    40: Setting("DP8", 10 / 38),
    400: Setting("DP8", 1 / 5.5),
}
N_FOUR_BAR_SWEEP = (
    Setting("DP8", 1 / 4.5),
    *(Setting("DP8", rtol=rtol) for rtol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)),
)
SWEEP = tuple(Setting("DP8", rtol=rtol) for rtol in 10.0 ** -np.arange(2, 13))


def n_four_bar(n: int, seconds: float = 10.0, setting: Setting | None = None, repeat: int = 3) -> Run:
    """Tip (x, y) of the first crank of n four-bars in a row."""
    import n_four_bar as four_bars

    model = four_bars.build(n)
    names = ("crank0.head.x", "crank0.head.y")
    return _run(model, four_bars.INITIAL, names, seconds, setting or nearest(BEST, n), repeat)


def n_four_bar_sweep(n: int = 40, seconds: float = 10.0, repeat: int = 3) -> list[Run]:
    return [n_four_bar(n, seconds, setting, repeat) for setting in N_FOUR_BAR_SWEEP]


def slider_crank(setting: Setting, seconds: float = 10.0, repeat: int = 3) -> Run:
    """The angle of the crank."""
    r, l = ref.CRANK, ref.ROD
    model = mbs.PlanarModel("slider-crank")
    crank = model.link("crank", (0, 0), (r, 0), mass=ref.CRANK_MASS)
    rod = model.link("rod", (r, 0), (r + l, 0), mass=ref.ROD_MASS)
    slider = model.body("slider", mass=ref.SLIDER_MASS, inertia=1.0, position=(r + l, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
    )
    return _run(model, {"crank.angle": 0.0, "crank.omega": ref.CRANK_SPEED}, ("crank.angle",), seconds, setting, repeat)


def slider_crank_sweep(seconds: float = 10.0, repeat: int = 3) -> list[Run]:
    return [slider_crank(setting, seconds, repeat) for setting in SWEEP]


def andrews(setting: Setting, repeat: int = 3) -> Run:
    """The seven angles of Andrews' squeezer at 0.03 s, in the order of the IVP test set."""
    import andrews_squeezer

    bodies = [f"K{k}" for k in range(1, 8)]
    model = andrews_squeezer.build()
    run = _run(model, andrews_squeezer.INITIAL, tuple(f"{b}.angle" for b in bodies), 0.03, setting, repeat)
    return Run(**{**vars(run), "states": ref.andrews_relative(run.states)})


def andrews_sweep(repeat: int = 3) -> list[Run]:
    return [andrews(setting, repeat) for setting in SWEEP]


BRICARD = ("bar2.head.x", "bar2.head.y", "bar2.head.z")
"""Where the second bar meets the third: the point P3 of the benchmark."""
BRICARD_SWEEP = tuple(Setting("DP8", rtol=rtol) for rtol in (1e-3, 1e-4, 1e-5, 1e-6, 1e-8))


def bricard(setting: Setting, seconds: float = 10.0, repeat: int = 5) -> Run:
    """The point P3 of Bricard's linkage, IFToMM benchmark A04."""
    import bricard as linkage

    return _run(linkage.build(), linkage.INITIAL, BRICARD, seconds, setting, repeat)


def bricard_sweep(seconds: float = 10.0, repeat: int = 5) -> list[Run]:
    return [bricard(setting, seconds, repeat) for setting in BRICARD_SWEEP]


def bricard_reference(seconds: float = 10.0) -> np.ndarray:
    """P3 at the end, at the tightest tolerance; the tests compare that with an independent reduction."""
    return bricard(Setting("DP8", rtol=1e-13), seconds, repeat=1).states[-1]


@compiled
def _evaluate_often(run, t, q, v, a, count):
    for _ in range(count):
        accelerate(run, t, q, v, a)


def evaluation_cost(model: Model) -> tuple[int, float]:
    """Unknowns of the KKT system, and microseconds for all accelerations of one state."""
    system = model.compile()
    run, q = mechanism(system), system.placement
    v, a = system.still + 0.1, system.still
    unknowns = system.nv + len(system.rows)
    count = max(10, 240_000 // unknowns)
    best = np.inf
    for _ in range(7):
        start = time.perf_counter()
        _evaluate_often(run, 0.0, q, v, a, count)
        best = min(best, time.perf_counter() - start)
    return unknowns, 1e6 * best / count


def _run(
    model: Model,
    initial: dict[str, float],
    names: tuple[str, ...],
    seconds: float,
    setting: Setting,
    repeat: int,
) -> Run:
    """Time without outputs; then once more with one at every step, for the energy."""
    options = {"method": setting.method, "stabilization": mbs.Projection(), "rtol": setting.rtol, "step": setting.h}

    def solved(times: np.ndarray) -> tuple[float, object]:
        prepared = prepare(model, times, initial, **options)

        def solve() -> None:
            status = prepared.begin()
            status = marching.go_on(prepared.march, 10**9) if status == poses.DONE else status
            if status != poses.DONE:
                raise ArithmeticError(f"{model.name} with {setting} stopped with status {status}")

        return timed(solve, repeat)[0], prepared.march

    best, march = solved(np.array([0.0, seconds]))
    steps = int(march.counts[marching.ACCEPTED]) // repeat
    result = mbs.simulate(model, np.linspace(0.0, seconds, steps + 1), initial, **options)
    states = np.stack([result[name] for name in names], axis=1)
    return Run("mbs_dae", str(setting), best, steps, drift(result.energy.total), result.t, states)
