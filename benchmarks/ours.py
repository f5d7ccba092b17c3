"""The problems of the benchmarks in mbs_dae, ready to be timed like the peers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from peers import references as ref
from peers.run import Ready, Run, drift, nearest

import mbs_dae as mbs
from mbs_dae.compiled import System
from mbs_dae.compiled.status import DONE
from mbs_dae.model.model import Model
from mbs_dae.motion import comparison
from mbs_dae.motion import run as marching
from mbs_dae.motion.comparison import Timed, evaluation_times
from mbs_dae.motion.derivative import accelerate
from mbs_dae.motion.mechanism import mechanism
from mbs_dae.poses.dependence import PoseRank
from mbs_dae.tolerances import ACCELERATION_INDEPENDENCE
from mbs_dae.verbs.simulate import Prepared, prepare

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))


@dataclass(frozen=True)
class Setting:
    """A method with fixed steps h [s], or with a tolerance; the coordinates; what keeps the constraints."""

    method: str
    h: float | None = None
    rtol: float = 1e-8
    coordinates: str = "cartesian"
    stabilization: str = "Projection"

    def __str__(self) -> str:
        how = f"h={self.h:.3g}" if self.h else f"rtol={self.rtol:.2g}"
        return f"{self.method} {how}, {self.stabilization}, {self.coordinates}"

    @property
    def options(self) -> dict[str, Any]:
        """For `simulate`."""
        how = getattr(mbs, self.stabilization)()
        return {"method": self.method, "stabilization": how, "rtol": self.rtol, "step": self.h}


SETS = ("cartesian", "natural", "joint")
# Fastest found that keep the energy of N four-bars within 0.1 J for 10 s; and the tip within 1e-4 m: numbers of steps.
BEST = {
    "cartesian": {1: 28, 40: 38, 400: 50},
    "natural": {1: 34, 40: 60, 400: 79},
    "joint": {1: 19, 40: 26, 400: 45},
}
BEST_TIP = {
    "cartesian": {1: 68, 40: 60, 400: 50},
    "natural": {1: 100, 40: 93, 400: 93},
    "joint": {1: 58, 40: 54, 400: 54},
}


def best(n: int, coordinates: str = "cartesian", table: Mapping[str, Mapping[int, int]] = BEST) -> Setting:
    return Setting("DP8", 10.0 / nearest(table[coordinates], n), coordinates=coordinates)


def families(loops: int) -> Iterator[Callable[[float], Setting]]:
    """Settings by their step, among which `peers.search` looks for the fastest."""
    for coordinates, method, how in product(SETS, ("DP8", "DP5", "RK4"), ("Projection", "Baumgarte", "Unstabilized")):
        yield lambda h, of=(method, coordinates, how): Setting(of[0], h, coordinates=of[1], stabilization=of[2])


def tolerances() -> Iterator[list[Setting]]:
    """Settings by their tolerance, in families that become finer."""
    for coordinates, method, how in product(SETS, ("DP8", "DP5"), ("Projection", "Baumgarte")):
        one = Setting(method, coordinates=coordinates, stabilization=how)
        yield [replace(one, rtol=float(rtol)) for rtol in 10.0 ** -np.arange(1.0, 10.1, 0.25)]


N_FOUR_BAR_SWEEP = (
    Setting("DP8", 1 / 4.5),
    *(Setting("DP8", rtol=rtol) for rtol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)),
)
SWEEP = tuple(Setting("DP8", rtol=rtol) for rtol in 10.0 ** -np.arange(2, 13))


# And the fastest found for each bound of an error that `work_precision.py` has.
WITHIN = {
    name: tuple(
        Setting("DP8", rtol=rtol, coordinates=coordinates, stabilization="Baumgarte")
        for coordinates in SETS
        for rtol in (1e-2, 1e-3, 2e-4, 2e-5, 2e-6, 2e-7)
    )
    for name in ("slider_crank", "andrews")
}


def n_four_bar(n: int, setting: Setting | None = None, seconds: float = 10.0) -> Ready:
    """Tip (x, y) of the first crank of n four-bars in a row."""
    import n_four_bar as four_bars

    names = "crank0.head.x", "crank0.head.y"
    return _ready(four_bars_model(n), four_bars.INITIAL, names, seconds, setting or best(n))


@cache
def four_bars_model(n: int) -> Model:
    import n_four_bar as four_bars

    return four_bars.build(n)


def n_four_bar_sweep(n: int = 40) -> list[Ready]:
    return [n_four_bar(n, setting) for setting in N_FOUR_BAR_SWEEP]


def slider_crank(setting: Setting, seconds: float = 10.0) -> Ready:
    """The angle of the crank."""
    initial = {"crank.angle": 0.0, "crank.omega": ref.CRANK_SPEED}
    return _ready(slider_crank_model(), initial, ("crank.angle",), seconds, setting)


@cache
def slider_crank_model() -> Model:
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


def slider_crank_sweep() -> list[Ready]:
    return [slider_crank(setting) for setting in SWEEP]


def andrews(setting: Setting) -> Ready:
    """The seven angles of Andrews' squeezer at 0.03 s, in the order of the IVP test set."""
    import andrews_squeezer

    names = tuple(f"K{k}.angle" for k in range(1, 8))
    return _ready(andrews_model(), andrews_squeezer.INITIAL, names, 0.03, setting, ref.andrews_relative)


@cache
def andrews_model() -> Model:
    import andrews_squeezer

    return andrews_squeezer.build()


def andrews_sweep() -> list[Ready]:
    return [andrews(setting) for setting in SWEEP]


BRICARD = ("bar2.head.x", "bar2.head.y", "bar2.head.z")
"""Where the second bar meets the third: the point P3 of the benchmark."""
BRICARD_SWEEP = tuple(Setting("DP8", rtol=rtol) for rtol in (1e-3, 1e-4, 1e-5, 1e-6, 1e-8))


def bricard(setting: Setting, seconds: float = 10.0) -> Ready:
    """The point P3 of Bricard's linkage, IFToMM benchmark A04."""
    import bricard as linkage

    return _ready(linkage.build(), linkage.INITIAL, BRICARD, seconds, setting)


def bricard_sweep(seconds: float = 10.0, repeat: int = 5, coordinates: str = "cartesian") -> list[Run]:
    settings = (replace(setting, coordinates=coordinates) for setting in BRICARD_SWEEP)
    return [bricard(setting, seconds).run(repeat) for setting in settings]


def bricard_reference(seconds: float = 10.0) -> np.ndarray:
    """P3 at the end, at the tightest tolerance; the tests compare that with an independent reduction."""
    return bricard(Setting("DP8", rtol=1e-13), seconds).run(1).states[-1]


def tree(model: Model, angles: np.ndarray, rates: np.ndarray) -> tuple[Timed, np.ndarray]:
    """Accelerations of joints in a row, in joint coordinates, in this state; and what they are."""
    system = model.compile("joint")
    q, v, a = system.placement.copy(), rates.copy(), np.zeros(angles.size)
    q[: angles.size] += angles
    accelerate(mechanism(system, faint=ACCELERATION_INDEPENDENCE), 0.0, q, v, a)
    return comparison.timed(system, 0.0, q, v), a


def evaluation_costs(model: Model, sets: Sequence[str] = SETS) -> dict[str, tuple[int, float]]:
    """Unknowns of the KKT system, and microseconds for all accelerations of one state, in coordinate sets that take
    turns."""
    systems = [model.compile(name) for name in sets]
    times = evaluation_times([_moving(system) for system in systems])
    return {
        name: (system.nv + len(system.rows), 1e6 * cost)
        for name, system, cost in zip(sets, systems, times, strict=True)
    }


def _moving(system: System, part: int = comparison.WHOLE) -> comparison.Timed:
    bodies = system.cartesian
    state = bodies.placement[None], bodies.still[None] + 0.1, bodies.still[None]
    (q,), (v,), _ = system.from_bodies(state)
    redundant = PoseRank(system, 0.0, q).dependent(range(len(system.rows)))
    return comparison.timed(system, 0.0, q, v, redundant, part)


def spent_on_four_bars(n: int, setting: Setting, seconds: float = 10.0) -> str:
    """What the bare run of n four-bars consists of: how often something is done, and what it takes each time. The rest
    is its steps: sums of stages, their errors, and the correction of positions and velocities."""
    import n_four_bar as four_bars

    system, ends = four_bars_model(n).compile(setting.coordinates), np.array([0.0, seconds])
    stats = mbs.simulate(system, ends, four_bars.INITIAL, **setting.options).stats
    parts = comparison.TERMS, comparison.ELIMINATION, comparison.SOLUTION
    ready = n_four_bar(n, setting, seconds)
    run: comparison.Timed = (lambda count: [ready.bare() for _ in range(count)] and None, 5 if n < 100 else 1)
    *times, whole = evaluation_times([*(_moving(system, part) for part in parts), run])
    counts = stats["evaluations"], stats["factorisations"], stats["evaluations"]
    told = [f"{setting}: {1e6 * whole:.0f} µs for {stats['accepted']} steps"]
    for name, count, one in zip(("evaluations", "eliminations", "solutions"), counts, times, strict=True):
        told.append(f"{count} {name} of {1e6 * one:.2f} µs, {100 * count * one / whole:.0f} %")
    rest = 1.0 - sum(count * one for count, one in zip(counts, times, strict=True)) / whole
    return f"{'; '.join(told)}; the rest {100 * rest:.0f} %"


def _ready(
    model: Model,
    initial: dict[str, float],
    names: tuple[str, ...],
    seconds: float,
    setting: Setting,
    read: Callable[[np.ndarray], np.ndarray] = lambda states: states,
) -> Ready:
    """Timed without outputs; the outcome has one at every step, for the energy."""
    system, ends = model.compile(setting.coordinates), np.array([0.0, seconds])
    prepared = prepare(system, ends, initial, **setting.options)

    def bare() -> None:
        status = go_to_end(prepared)
        if status != DONE:
            raise ArithmeticError(f"{system.model.name} with {setting} stopped with status {status}")

    def called() -> list[float]:
        result = mbs.simulate(system, ends, initial, **setting.options)
        return [result[name][-1] for name in names]

    def outcome() -> Run:
        steps = int(mbs.simulate(system, ends, initial, **setting.options).stats["accepted"])
        times = np.linspace(0.0, seconds, steps + 1)
        result = mbs.simulate(system, times, initial, **setting.options)
        states = read(np.stack([result[name] for name in names], axis=1))
        return Run("mbs_dae", str(setting), np.nan, steps, drift(result.energy.total), result.t, states)

    return Ready("mbs_dae", str(setting), bare, called, outcome)


def go_to_end(prepared: Prepared) -> int:
    """From the first time to the last one; a status. A run stops once on its way: before the step that its end cuts
    short."""
    status = prepared.begin()
    for _ in range(2):
        status = marching.go_on(prepared.march, 10**9) if status in (DONE, marching.CUT_SHORT) else status
    return status
