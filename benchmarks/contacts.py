"""Contacts: cost by their number, and what open ones cost a run: ``python benchmarks/contacts.py``.

Time stepping (Moreau, Cartesian coordinates) of balls that fall and lie about apart, and of a chain of links that falls
onto a floor and lies there, with 25 to 400 contacts: the cost of a step while they fall, meet and rest. And the
event-driven run of a mechanism with stops that it does not reach, and without them: evaluations, and times in turns.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

import mbs_dae as mbs

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


def cost(build: Callable[[int], mbs.PlanarModel], count: int) -> tuple[float, float, int]:
    """Of a step in microseconds, the best of three; the largest residual; impacts."""
    system, best, times = build(count).compile(), np.inf, [0.0, LENGTH]
    mbs.simulate(system, [0.0, STEP], method="Moreau", step=STEP)
    for _ in range(3):
        begin = perf_counter()
        result = mbs.simulate(system, times, method="Moreau", step=STEP)
        best = min(best, perf_counter() - begin)
    return 1e6 * best / result.stats["accepted"], result.stats.get("contact_residual", 0.0), len(result.impacts)


def by_number() -> None:
    for build in (balls, chain):
        print(f"\n{build.__name__}: contacts, microseconds a step, for each contact, residual, steps with impacts")
        costs = []
        for count in COUNTS:
            microseconds, residual, impacts = cost(build, count)
            costs.append(microseconds)
            print(f"{count:5d} {microseconds:10.0f} {microseconds / count:8.2f} {residual:9.1e} {impacts:5d}")
        slope = np.polyfit(np.log(COUNTS), np.log(costs), 1)[0]
        print(f"cost of a step ~ contacts^{slope:.2f}")


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
    start, spent = {"crank.omega": -10.0}, []
    counts = [mbs.simulate(system, times, start).stats["evaluations"] for system in systems]
    for _ in range(ROUNDS):
        row = []
        for system in systems:
            begin = perf_counter()
            mbs.simulate(system, times, start)
            row.append(perf_counter() - begin)
        spent.append(row)
    free, bounded = np.array(spent).T
    print("\nslider-crank, 20 s, event-driven, without stops and between stops that it does not reach")
    print(f"evaluations {counts[0]} and {counts[1]}; time {1e3 * free.min():.1f} and {1e3 * bounded.min():.1f} ms,")
    print(f"ratio {np.median(bounded / free):.3f} (median of {ROUNDS} pairs)")


if __name__ == "__main__":
    by_number()
    while_open()
