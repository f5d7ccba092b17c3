"""Contacts: ``python benchmarks/contacts.py [by_number] [while_open] [beside_a_peer]``, all without a word.

Time stepping (Moreau, Cartesian coordinates) of balls that fall and lie about apart, and of a chain of links that falls
onto a floor and lies there, with 25 to 400 contacts: the cost of a step while they fall, meet and rest. And the
event-driven run of a mechanism with stops that it does not reach, and without them: evaluations, and times in turns.
And bodies that slide or drop, beside MuJoCo (optional: pip install mujoco) at equal error against the closed form.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from time import process_time

import numpy as np
import ours
from peers import available
from peers.contacts import FRICTION, PROBLEMS, G, Problem

import mbs_dae as mbs
from mbs_dae.verbs.simulate import prepare

COUNTS = (25, 50, 100, 200, 400)
STEP, LENGTH = 2e-3, 0.6
"""Of a step, and of a run, in seconds."""
ROUNDS = 15


def balls(count: int) -> mbs.PlanarModel:
    model = mbs.PlanarModel("balls", gravity=(0, -9.81))
    for k in range(count):
        ball = model.body(f"ball{k}", mass=1.0, inertia=0.005, position=(0.5 * k, 0.3 + 0.02 * (k % 7)))
        laws = {"friction": 0.3, "restitution": 0.3}
        model.add(mbs.Contact(f"floor{k}", mbs.Line(model.ground), mbs.Disk(ball, 0.1), **laws))
    return model


def chain(count: int) -> mbs.PlanarModel:
    """A chain of links of 0.1 m and 0.1 kg, not quite level; each has a disk at its head."""
    model, length, last = mbs.PlanarModel("chain", gravity=(0, -9.81)), 0.1, None
    for k in range(count):
        tail, head = ((i * length, 0.1 + 0.02 * (i % 10) * length) for i in (k, k + 1))
        link = model.link(f"link{k}", tail, head, mass=length)
        if last is not None:
            model.add(mbs.Revolute(f"pin{k}", last.head, link.tail))
        floor = mbs.Contact(f"floor{k}", mbs.Line(model.ground), mbs.Disk(link.head, 0.2 * length), friction=0.3)
        model.add(floor)
        last = link
    return model


def by_number() -> None:
    times, options = [0.0, LENGTH], {"method": "Moreau", "step": STEP}
    for build in (balls, chain):
        systems = [build(count).compile() for count in COUNTS]
        results = [mbs.simulate(system, times, **options) for system in systems]
        runs = [partial(ours.go_to_end, prepare(system, times, **options)) for system in systems]
        spent = 1e6 * np.array([[processor_time(run) for run in runs] for _ in range(5)]).min(axis=0)
        costs = spent / [result.stats["accepted"] for result in results]
        print(f"\n{build.__name__}: contacts, microseconds a step, for each contact, residual, steps with impacts")
        for count, cost, result in zip(COUNTS, costs, results, strict=True):
            residual = result.stats.get("contact_residual", 0.0)
            print(f"{count:5d} {cost:10.0f} {cost / count:8.2f} {residual:9.1e} {len(result.impacts):5d}")
        print(f"cost of a step ~ contacts^{np.polyfit(np.log(COUNTS), np.log(costs), 1)[0]:.2f}")


def processor_time(run: Callable[[], object]) -> float:
    begin = process_time()
    run()
    return process_time() - begin


def crank(stops: bool) -> mbs.PlanarModel:
    """A slider-crank that turns between stops that it does not reach, and whose slider is to stay on a table."""
    model = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    wheel = model.link("crank", (0, 0), (0.0, 0.1), mass=0.5)
    rod = model.link("rod", (0, 0.1), (np.sqrt(0.08), 0), mass=1.0)
    slider = model.body("slider", mass=2.0, inertia=0.01, position=(np.sqrt(0.08), 0))
    model.add(mbs.Revolute("O", model.ground, wheel.tail), mbs.Revolute("A", wheel.head, rod.tail))
    model.add(mbs.Revolute("B", rod.head, slider), mbs.Translational("guide", model.ground, slider))
    if stops:
        model.add(mbs.Stop("buffers", mbs.x(slider), lower=0.15, upper=0.45, restitution=0.3))
    return model


def while_open() -> None:
    systems, times = [crank(stops).compile() for stops in (False, True)], np.linspace(0, 20, 201)
    start = {"crank.omega": -10.0}
    counts = [mbs.simulate(system, times, start).stats["evaluations"] for system in systems]
    print("\nslider-crank, 20 s, event-driven, without stops and between stops that it does not reach")
    print(f"evaluations {counts[0]} and {counts[1]}; processor time")
    calls = [partial(mbs.simulate, system, times, start) for system in systems]
    bare = [partial(ours.go_to_end, prepare(system, times, start)) for system in systems]
    for name, pair in (("of the call", calls), ("of the bare run", bare)):
        free, bounded = np.array([[processor_time(run) for run in pair] for _ in range(ROUNDS)]).T
        ratio = f"ratio {np.median(bounded / free):.3f} (median of {ROUNDS} pairs)"
        print(f"{name}: {1e3 * free.min():.1f} and {1e3 * bounded.min():.1f} ms, {ratio}")


# --- beside a peer ----------------------------------------------------------------------------------------------------

Ladder = list[tuple[Callable[[], object], float]]
"""The same with more and more steps: what runs, and its error."""
STEPS = (1, 2, 4, 8)
"""Of ours, between two times at which errors are taken."""
TURNS = 3


def points(problem: Problem) -> tuple[mbs.PlanarModel, dict[str, float]]:
    model, start = mbs.PlanarModel(problem.name, gravity=(0, -G)), {}
    for k, (height, speed) in enumerate(zip(problem.heights, problem.speeds, strict=True)):
        body = model.body(f"body{k}", mass=1.0, inertia=1.0, position=(0, height))
        model.add(mbs.Contact(f"floor{k}", mbs.Line(model.ground), mbs.Point(body), friction=FRICTION))
        start |= {f"body{k}.vx": speed, f"body{k}.vy": 0.0, f"body{k}.omega": 0.0}
    return model, start


def of_ours(problem: Problem) -> dict[str, Ladder]:
    ladders: dict[str, Ladder] = {}
    model, start = points(problem)
    system = model.compile()
    for method in ("Moreau", "HalfExplicit"):
        ladder = ladders[method] = []
        for steps in STEPS:
            options = {"method": method, "step": problem.seconds / (problem.reads * steps)}
            result = mbs.simulate(system, problem.times, start, **options)
            way, height = (np.array([result[f"body{k}.{x}"] for k in range(len(problem.heights))]).T for x in "xy")
            run = partial(ours.go_to_end, prepare(system, problem.times, start, **options))
            ladder.append((run, problem.error(way, height)))
    return ladders


def of_mujoco(problem: Problem) -> dict[str, Ladder]:
    peer = import_module("peers.mujoco_contacts")
    settings = {kind: [peer.Setting(steps, *kind) for steps in peer.STEPS] for kind in peer.KINDS}
    return {str(some[0]): [peer.solver(problem, one) for one in some] for some in settings.values()}


def time_at(target: float, times: np.ndarray, errors: np.ndarray) -> float:
    """Between the runs that are a little better and a little worse, on a straight line of logarithms."""
    order = np.argsort(times)
    front = np.minimum.accumulate(errors[order])  # what is slower and worse is not run
    fit = np.interp(-np.log(target), -np.log(front), np.log(times[order]))
    return float(np.exp(fit)) if front[-1] <= target else np.inf


def beside_a_peer() -> None:
    for problem in PROBLEMS:
        ladders = of_ours(problem)
        own = list(ladders)
        ladders |= of_mujoco(problem) if "mujoco" in available() else {}
        errors = {name: np.array([error for _, error in ladder]) for name, ladder in ladders.items()}
        times = {name: np.zeros((TURNS, len(ladder))) for name, ladder in ladders.items()}
        for k in range(TURNS):
            for name, ladder in ladders.items():
                times[name][k] = [processor_time(run) for run, _ in ladder]
        print(f"\n{problem.name}: ms of processor time (median of {TURNS}), error [m], with more steps")
        for name in ladders:
            pairs = zip(1e3 * np.median(times[name], axis=0), errors[name], strict=True)
            print(f"{name:<55}", *(f"{ms:7.1f} {error:.1e}" for ms, error in pairs))
        for target in problem.targets:
            at = {name: np.array([time_at(target, row, errors[name]) for row in times[name]]) for name in ladders}
            peer = best(set(ladders) - set(own), target, times, errors)
            if peer is None:
                print(f"{target:.0e} m: no setting of a peer comes to it")
            for name in own if peer else []:
                low, middle, high = np.quantile(at[peer] / at[name], (0.1, 0.5, 0.9))
                print(f"{target:.0e} m: {name:<14}{middle:5.1f} times as fast ({low:.1f} to {high:.1f}) as {peer}")


def best(names: set[str], target: float, times: dict[str, np.ndarray], errors: dict[str, np.ndarray]) -> str | None:
    def at(name: str) -> float:
        return time_at(target, np.median(times[name], axis=0), errors[name])

    name = min(sorted(names), key=at, default=None)
    return name if name and at(name) < np.inf else None


if __name__ == "__main__":
    parts = (by_number, while_open, beside_a_peer)
    for part in parts:
        if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
            part()
