"""Stiff mechanisms at equal error, with other solvers: ``python benchmarks/stiff.py [word of a name ...]``.

A pendulum on a rod of 1e4 to 1e10 N/m, a drive shaft, a slider-crank behind a stiff coupling, a chain of masses between
springs over six decades, and the flyball governor with springs for rods. Implicit methods of mbs_dae (Radau5 and
generalised alpha, in all coordinate sets), of exudyn (generalised alpha, Newmark, trapezoidal) and scipy's Radau with
equations written by hand, each from coarse to fine. Of each solver the fastest setting that is no more than 1e-4, or
1e-6, off is taken; these take turns, and in each round times are compared. exudyn is optional: pip install
'mbs_dae[peers]'.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import ours
from matplotlib.figure import Figure
from peers import available, stiff
from peers.run import timed
from peers.stiff import Stiff

import mbs_dae as mbs
from mbs_dae.verbs.simulate import prepare
from mbs_dae.view.style import style

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))

TARGETS = (1e-4, 1e-6)
ROUNDS = 15
PATIENCE = 1.0
"""Seconds of one run: a sweep goes no further."""
PICTURE = Path(__file__).resolve().parent.parent / "out" / "stiff.png"
SHOWN = ("pendulum, 1e+08 N/m", "drive shaft, in space", "slider-crank behind a coupling", "chain of 20 masses")
SETS = ("cartesian", "natural", "joint")


class Mechanism(NamedTuple):
    """In mbs_dae; `read` finds in a result what the equations by hand have at the end."""

    model: Any
    initial: dict[str, float]
    read: Callable[[mbs.Result], np.ndarray]


class Case(NamedTuple):
    name: str
    equations: Stiff
    mechanism: Mechanism
    exudyn: str
    """The function of `peers.exudyn_stiff`."""
    arguments: tuple[float, ...] = ()


@dataclass(frozen=True)
class Candidate:
    solver: str
    setting: str
    solve: Callable[[], object]
    error: float
    steps: int
    seconds: float
    counts: str = ""


def last(names: list[str]) -> Callable[[mbs.Result], np.ndarray]:
    return lambda result: np.array([result[name][-1] for name in names])


def pendulum(k: float) -> Mechanism:
    model = mbs.PlanarModel("pendulum", gravity=(0, -stiff.G))
    ball = model.body("ball", mass=1.0, inertia=1.0, position=(1, 0))
    rod = {"stiffness": k, "damping": stiff.pendulum_damper(k), "length": 1.0}
    model.add(mbs.SpringDamper("rod", model.ground, ball, **rod))
    read = last(["ball.x", "ball.y", "ball.vx", "ball.vy"])
    return Mechanism(model, {"ball.vx": 0, "ball.vy": 0, "ball.omega": 0}, read)


def shaft() -> Mechanism:
    """In the plane: what turns, and nothing else."""
    p = stiff.SHAFT
    model = mbs.PlanarModel("drive shaft")
    names = ["motor", *(f"disk{j + 1}" for j in range(int(p["n"]))), "load"]
    inertias = {"motor": p["J_motor"], "load": p["J_load"]}
    bodies = [model.body(name, mass=1.0, inertia=inertias.get(name, p["J_disk"])) for name in names]
    for j, body in enumerate(bodies):
        model.add(mbs.Revolute(f"bearing{j}", model.ground, body))
        if j:
            piece = {"stiffness": p["k"], "damping": p["c"], "angle": 0}
            model.add(mbs.TorsionSpring(f"piece{j}", bodies[j - 1], body, **piece))
    model.add(mbs.Torque("drive", bodies[0], p["M0"] - p["D"] * model["motor.omega"]))
    model.add(mbs.Torque("brake", bodies[-1], -p["B"] * model["load.omega"]))
    what = [f"{name}.{of}" for of in ("angle", "omega") for name in names]
    return Mechanism(model, {f"{name}.omega": 0 for name in names}, last(what))


def shaft_in_space() -> Mechanism:
    import drive_shaft

    joints = ["bearing", *(f"shaft{j + 1}" for j in range(int(stiff.SHAFT["n"]) + 1))]

    def read(result: mbs.Result) -> np.ndarray:
        turns = ([result[f"{joint}.{of}"][-1] for joint in joints] for of in ("angle", "omega"))
        return np.concatenate([np.cumsum(x) for x in turns])

    model = drive_shaft.build(**stiff.SHAFT, distance=stiff.SHAFT_DISTANCE)
    return Mechanism(model, {f"{joint}.omega": 0 for joint in joints}, read)


def crank() -> Mechanism:
    r, l, m1, m2, m3, J, k, c, T0, T1 = stiff.CRANK.values()
    a = stiff.CRANK_START
    pin = r * np.cos(a), r * np.sin(a)
    end = pin[0] + np.sqrt(l**2 - pin[1] ** 2), 0.0
    model = mbs.PlanarModel("slider-crank behind a stiff coupling", gravity=(0, -stiff.G))
    motor = model.body("motor", mass=1.0, inertia=J, angle=a)
    bar, rod = model.link("crank", (0, 0), pin, mass=m1), model.link("rod", pin, end, mass=m2)
    slider = model.body("slider", mass=m3, inertia=1.0, position=end)
    model.add(
        mbs.Revolute("bearing", model.ground, motor),
        mbs.Revolute("A", model.ground, bar.tail),
        mbs.Revolute("B", bar.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.TorsionSpring("coupling", bar, motor, stiffness=k, damping=c, angle=0),
        mbs.Torque("drive", motor, T0 - T1 * model["motor.omega"]),
    )
    initial = {"crank.omega": stiff.CRANK_SPEED, "motor.omega": stiff.CRANK_SPEED}
    return Mechanism(model, initial, last(["crank.angle", "motor.angle", "crank.omega", "motor.omega"]))


def chain() -> Mechanism:
    """Springs are 1 m long, so that none changes its direction."""
    model = mbs.PlanarModel("chain")
    before, names = model.ground, [f"mass{j}" for j in range(len(stiff.CHAIN_K))]
    for j, (k, x) in enumerate(zip(stiff.CHAIN_K, stiff.chain_start(), strict=True)):
        mass = model.body(names[j], mass=1.0, inertia=1.0, position=(j + 1 + x, 0))
        spring = {"stiffness": k, "damping": stiff.CHAIN_DAMPING * k, "length": 1.0}
        model.add(mbs.Translational(f"guide{j}", model.ground, mass))
        model.add(mbs.SpringDamper(f"spring{j}", before, mass, **spring))
        before = mass
    places = np.concatenate([np.arange(1, len(names) + 1), np.zeros(len(names))])
    read = last([f"{name}.{of}" for of in ("x", "vx") for name in names])
    return Mechanism(model, {f"{name}.vx": 0 for name in names}, lambda result: read(result) - places)


def governor(k: float, c: float) -> Mechanism:
    import flyball_governor

    model = flyball_governor.build(alpha=stiff.GOVERNOR_START, k=k, c=c)
    initial = {"bearing.omega": stiff.GOVERNOR_SPEED, "hinge1.omega": 0, "hinge2.omega": 0, "sleeve.vz": 0}
    read = last(["hinge1.angle", "sleeve.z", "hinge1.omega", "sleeve.vz", "bearing.omega"])
    at_start = np.array([stiff.GOVERNOR_START, 0, 0, 0, 0])  # the hinge counts from there
    return Mechanism(model, initial, lambda result: read(result) + at_start)


def cases() -> Iterator[Case]:
    for k in (1e4, 1e6, 1e8, 1e10):
        yield Case(f"pendulum, {k:.0e} N/m", stiff.pendulum(k), pendulum(k), "pendulum", (k,))
    yield Case("drive shaft, turning only", stiff.shaft(), shaft(), "shaft")
    yield Case("drive shaft, in space", stiff.shaft(), shaft_in_space(), "shaft_in_space")
    yield Case("slider-crank behind a coupling", stiff.crank(), crank(), "crank")
    yield Case("chain of 20 masses", stiff.chain(), chain(), "chain")
    for name, k, c in (("governor", 8e5, 4e4), ("governor, 100 times stiffer", 8e7, 4e5)):
        yield Case(name, stiff.governor(k, c), governor(k, c), "governor", (k, c))


# --- sweeps -----------------------------------------------------------------------------------------------------------


def of_ours(case: Case) -> Iterator[Candidate]:
    model, initial, read = case.mechanism
    ends = [0.0, case.equations.seconds]
    settings = [("Radau5", rtol) for rtol in 10.0 ** -np.arange(2, 10.1, 0.5)]
    settings += [("GA", rtol) for rtol in 10.0 ** -np.arange(2, 6.1, 0.5)]
    for coordinates in SETS:
        system = model.compile(coordinates)
        for method, rtol in settings:
            options = {"method": method, "rtol": rtol}
            try:
                result = mbs.simulate(system, ends, initial, **options)
            except mbs.MbsError:    # too coarse: it says so
                continue
            prepared = prepare(system, ends, initial, **options)
            seconds, _ = timed(partial(ours.go_to_end, prepared), 2)
            stats = result.stats
            counts = "/".join(str(stats[name]) for name in ("evaluations", "matrices", "eliminations", "corrections"))
            setting, error = f"{method} rtol={rtol:.1e}, {coordinates}", case.equations.error(read(result))
            solve = partial(ours.go_to_end, prepared)
            yield Candidate("mbs_dae", setting, solve, error, stats["accepted"], seconds, counts)


def of_scipy(case: Case) -> Iterator[Candidate]:
    own = case.equations
    for rtol in 10.0 ** -np.arange(2, 10.1, 0.5):
        solve = partial(own.solve, rtol)
        seconds, path = timed(solve, 1)
        error = own.error(own.read(path.y[:, -1]))
        yield Candidate("scipy", f"Radau rtol={rtol:.1e}", solve, error, len(path.t) - 1, seconds, f"{path.nfev}")
        if error < TARGETS[-1] or seconds > PATIENCE:
            return


def of_exudyn(case: Case) -> Iterator[Candidate]:
    """Steps are doubled until the error is small; then as many as the order, 2, says are enough for each target."""
    from peers import exudyn_stiff as peer

    system, read = getattr(peer, case.exudyn)(*case.arguments)

    def candidate(setting: Any) -> Candidate:
        solve = peer.solver(system, setting, case.equations.seconds)
        try:
            seconds, _ = timed(solve, 1)
            seconds = min(seconds, timed(solve, 2)[0]) if seconds < 0.02 else seconds
            error = case.equations.error(read(*peer.end_of(system)))
        except Exception:   # exudyn raises its own kinds where Newton's method fails
            seconds, error = np.inf, np.inf
        return Candidate("exudyn", str(setting), solve, error if error == error else np.inf, setting.steps, seconds)

    fastest = PATIENCE
    for variant in peer.VARIANTS:
        steps, found = 50, []
        while steps < 1_000_000:
            found.append(one := candidate(variant(steps)))
            if one.error <= TARGETS[-1] or fastest < one.seconds < np.inf:
                break
            steps *= 2
        for target in TARGETS:
            if reached := [one for one in found if one.error <= target]:
                first = reached[0]
                fewer = int(first.steps * np.sqrt(first.error / target) * 1.02) + 1
                found += [candidate(variant(fewer))] if fewer < first.steps else []
        fastest = min([fastest, *(1.5 * one.seconds for one in found if one.error <= TARGETS[-1])])
        yield from found


def best(found: list[Candidate], target: float) -> Candidate | None:
    return min((one for one in found if one.error <= target), key=lambda one: one.seconds, default=None)


def swept(case: Case) -> dict[str, list[Candidate]]:
    sweeps = {"mbs_dae": of_ours, "scipy": of_scipy} | ({"exudyn": of_exudyn} if "exudyn" in available() else {})
    return {name: list(sweep(case)) for name, sweep in sweeps.items()}


def compare(case: Case, found: dict[str, list[Candidate]]) -> None:
    for target in TARGETS:
        chosen = {name: one for name, own in found.items() if (one := best(own, target))}
        times = {name: np.zeros(ROUNDS) for name in chosen}
        for k in range(ROUNDS):
            for name, one in chosen.items():
                times[name][k], _ = timed(one.solve, 3 if one.seconds < 0.05 else 1)
        for name, one in chosen.items():
            ratio = times[name] / times["mbs_dae"] if "mbs_dae" in times else np.full(ROUNDS, np.nan)
            low, middle, high = np.quantile(ratio, (0.1, 0.5, 0.9))
            print(
                f"{case.name:<32}{target:>7.0e}  {name:<9}{one.setting:<58}{one.steps:>8}{one.error:>10.1e}"
                f"{1e3 * times[name].min():>10.3f}{middle:>8.1f} ({low:.1f} to {high:.1f})  {one.counts}",
                flush=True,
            )


def fronts(found: dict[str, list[Candidate]]) -> Iterator[tuple[str, np.ndarray]]:
    """Of each method, error and time where nothing faster is as good."""
    own = found.pop("mbs_dae")
    named = {f"mbs_dae, {m}": [one for one in own if one.setting.startswith(m)] for m in ("Radau5", "GA")}
    named |= {"scipy, Radau, by hand" if name == "scipy" else name: some for name, some in found.items()}
    for name, candidates in named.items():
        points = sorted((one.seconds, one.error) for one in candidates if 1e-9 < one.error < 1e-1)
        best = np.minimum.accumulate([error for _, error in points])
        kept = [k for k, (_, error) in enumerate(points) if error == best[k]]
        yield name, np.array([points[k] for k in kept]).reshape(-1, 2)


def draw(found: dict[str, dict[str, list[Candidate]]]) -> None:
    with style():
        figure = Figure(figsize=(3.0 * len(found), 3.6), layout="constrained")
        panels = np.atleast_1d(figure.subplots(1, len(found)))
        for ax, (name, own) in zip(panels, found.items(), strict=True):
            for marker, (label, points) in zip("osD^", fronts(dict(own)), strict=False):
                ax.loglog(points[:, 1], 1e3 * points[:, 0], marker + "-", label=label, markersize=4)
            ax.set_title(name)
            ax.set_xlabel("relative error at the end")
            ax.invert_xaxis()
        panels[0].set_ylabel("time [ms]")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
        PICTURE.parent.mkdir(exist_ok=True)
        figure.savefig(PICTURE, dpi=130)
    print(f"{PICTURE.name} written")


def main() -> None:
    heads = f"{'mechanism':<32}{'error':>7}  {'solver':<9}{'setting':<58}{'steps':>8}{'error':>10}{'time [ms]':>10}"
    print(f"{heads}{'ratio':>8} (spread)  evaluations/matrices/eliminations/corrections")
    drawn = {}
    for case in cases():
        if len(sys.argv) < 2 or any(word in case.name for word in sys.argv[1:]):
            found = swept(case)
            compare(case, found)
            if case.name in SHOWN:
                drawn[case.name] = found
    if len(drawn) == len(SHOWN):
        draw(drawn)


if __name__ == "__main__":
    main()
