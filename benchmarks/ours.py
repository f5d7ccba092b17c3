"""The problems of the benchmarks in mbs_dae, timed like the peers: the bare solve, without building and compiling."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from peers import references as ref
from peers.run import Run, drift, nearest, timed_in_turns

import mbs_dae as mbs
from mbs_dae.compiled.machine import DONE
from mbs_dae.model.model import Model
from mbs_dae.motion import run as marching
from mbs_dae.motion.comparison import evaluation_times
from mbs_dae.motion.comparison import timed as timed_system
from mbs_dae.poses.dependence import PoseRank
from mbs_dae.verbs.simulate import Prepared, prepare

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))


@dataclass(frozen=True)
class Setting:
    """A method with fixed steps h [s], or with a tolerance; and the coordinates."""

    method: str
    h: float | None = None
    rtol: float = 1e-8
    coordinates: str = "cartesian"

    def __str__(self) -> str:
        return f"{self.method} {f'h={self.h:.3g}' if self.h else f'rtol={self.rtol:g}'}, projection, {self.coordinates}"

    @property
    def options(self) -> dict[str, Any]:
        """For `simulate`."""
        return {"method": self.method, "stabilization": mbs.Projection(), "rtol": self.rtol, "step": self.h}


SETS = ("cartesian", "natural", "joint")
# Fastest found that keep the energy of N four-bars within 0.1 J for 10 s: the numbers of steps of DP8.
BEST = {
    "cartesian": {1: 28, 40: 38, 400: 50},
    "natural": {1: 34, 40: 60, 400: 79},
    "joint": {1: 19, 40: 26, 400: 45},
}


# And, of 40, those whose tip is 1e-4 m off.
EQUAL_TIP = (
    Setting("DP8", 10 / 58),
    Setting("DP8", 10 / 90, coordinates="natural"),
    Setting("DP8", 10 / 52, coordinates="joint"),
)


def best(n: int, coordinates: str = "cartesian") -> Setting:
    return Setting("DP8", 10.0 / nearest(BEST[coordinates], n), coordinates=coordinates)


def compared(n: int) -> list[Setting]:
    """The best of each coordinate set, and, for 40, such as have the same error at the tip."""
    return [*(best(n, name) for name in SETS), *(EQUAL_TIP if n == 40 else ())]


N_FOUR_BAR_SWEEP = (
    Setting("DP8", 1 / 4.5),
    *(Setting("DP8", rtol=rtol) for rtol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)),
)
SWEEP = tuple(Setting("DP8", rtol=rtol) for rtol in 10.0 ** -np.arange(2, 13))


def n_four_bar(n: int, seconds: float = 10.0, setting: Setting | None = None, repeat: int = 3) -> Run:
    """Tip (x, y) of the first crank of n four-bars in a row."""
    return n_four_bars(n, seconds, [setting or best(n)], repeat)[0]


def n_four_bars(n: int, seconds: float, settings: Sequence[Setting], repeat: int) -> list[Run]:
    """The same with several settings, which take turns."""
    import n_four_bar as four_bars

    return _runs(four_bars.build(n), four_bars.INITIAL, ("crank0.head.x", "crank0.head.y"), seconds, settings, repeat)


def n_four_bar_sweep(n: int = 40, seconds: float = 10.0, repeat: int = 3) -> list[Run]:
    return [n_four_bar(n, seconds, setting, repeat) for setting in N_FOUR_BAR_SWEEP]


def slider_crank_model() -> mbs.PlanarModel:
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
    return model


def slider_crank(setting: Setting, seconds: float = 10.0, repeat: int = 3) -> Run:
    """The angle of the crank."""
    model = slider_crank_model()
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


def bricard_sweep(seconds: float = 10.0, repeat: int = 5, coordinates: str = "cartesian") -> list[Run]:
    return [bricard(replace(setting, coordinates=coordinates), seconds, repeat) for setting in BRICARD_SWEEP]


def bricard_reference(seconds: float = 10.0) -> np.ndarray:
    """P3 at the end, at the tightest tolerance; the tests compare that with an independent reduction."""
    return bricard(Setting("DP8", rtol=1e-13), seconds, repeat=1).states[-1]


def evaluation_costs(model: Model, sets: Sequence[str] = SETS) -> dict[str, tuple[int, float]]:
    """Unknowns of the KKT system, and microseconds for all accelerations of one state, in coordinate sets that take
    turns. The state is the placement, with all bodies moving a little."""
    bodies = model.compile()
    still = bodies.still[None]
    state = bodies.placement[None], still + 0.1, still
    systems = [model.compile(name) for name in sets]
    motions = [system.from_bodies(state) for system in systems]
    these = [
        timed_system(system, 0.0, q[0], v[0], PoseRank(system, 0.0, q[0]).dependent(range(len(system.rows))))
        for system, (q, v, _) in zip(systems, motions, strict=True)
    ]
    times = evaluation_times(these)
    return {
        name: (system.nv + len(system.rows), 1e6 * cost)
        for name, system, cost in zip(sets, systems, times, strict=True)
    }


def _run(
    model: Model,
    initial: dict[str, float],
    names: tuple[str, ...],
    seconds: float,
    setting: Setting,
    repeat: int,
) -> Run:
    return _runs(model, initial, names, seconds, [setting], repeat)[0]


def _runs(
    model: Model,
    initial: dict[str, float],
    names: tuple[str, ...],
    seconds: float,
    settings: Sequence[Setting],
    repeat: int,
) -> list[Run]:
    """Time without outputs, all in turns; then each once more with one at every step, for the energy."""
    ends = np.array([0.0, seconds])
    prepared = [prepare(model.compile(s.coordinates), ends, initial, **s.options) for s in settings]
    best = timed_in_turns([partial(_solve, p, str(s)) for p, s in zip(prepared, settings, strict=True)], repeat)
    runs = []
    for setting, one, fastest in zip(settings, prepared, best, strict=True):
        steps = int(one.march.counts[marching.ACCEPTED])
        times = np.linspace(0.0, seconds, steps + 1)
        result = mbs.simulate(model.compile(setting.coordinates), times, initial, **setting.options)
        states = np.stack([result[name] for name in names], axis=1)
        runs.append(Run("mbs_dae", str(setting), fastest, steps, drift(result.energy.total), result.t, states))
    return runs


def go_to_end(prepared: Prepared) -> int:
    """From the first time to the last one; a status. A run stops once on its way: before the step that its end cuts
    short."""
    status = prepared.begin()
    for _ in range(2):
        status = marching.go_on(prepared.march, 10**9) if status in (DONE, marching.CUT_SHORT) else status
    return status


def _solve(prepared: Prepared, what: str) -> None:
    status = go_to_end(prepared)
    if status != DONE:
        raise ArithmeticError(f"{prepared.system.model.name} with {what} stopped with status {status}")
