"""What derivatives of a run cost, in plain runs: ``python benchmarks/derivatives.py [RUNS]``.

A chain of rods on springs, 3 s. Ahead: so many parameters, and one array is read. Back: the gradient of its sum. An
iteration of a search: a design, its run, an objective and its slopes by so many variables. Then runs with laws that
switch, with a stop and friction, with events, with resets, with a controller, by an implicit method, and in other
coordinates. Runs take turns in one process; the least processor time of each counts. At the end, the count of numbers
that are kept of long runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import sympy as sp

import mbs_dae as mbs
from mbs_dae.derivatives.runs.gradients import adjoint
from mbs_dae.motion.past.tape import Steps

TIMES = np.linspace(0, 3, 31)
AHEAD, BACK = (1, 3, 10), (3, 30, 300)


def chain(rods: int, each: int) -> tuple[mbs.PlanarModel, dict[str, float], list[str]]:
    """With so many parameters for each rod."""
    model, end = mbs.PlanarModel(f"chain of {rods}", gravity=(0, -9.81)), None
    names = []
    for k in range(rods):
        rod = model.link(f"rod{k}", (0.1 * k, 0), (0.1 * k + 0.1, 0), mass=model.parameter(f"m{k}", 0.2))
        model.add(mbs.Revolute(f"pin{k}", end or model.ground, rod.tail))
        names.append(f"m{k}")
        for c in range(each - 1):
            stiffness = model.parameter(f"k{k}_{c}", 5.0 / (each - 1))
            names.append(f"k{k}_{c}")
            anchor = model.ground.at(0.1 * k + 0.01 * c, -0.5)
            model.add(mbs.SpringDamper(f"s{k}_{c}", anchor, rod.head, stiffness=stiffness, damping=0.02, length=0.4))
        end = rod.head
    return model, {f"rod{k}.omega": 0.3 * k for k in range(rods)}, names


def least(runs: int, *functions: Callable[[], object]) -> list[float]:
    """The processor time of each, taking turns."""
    found = [np.inf] * len(functions)
    for _ in range(runs + 1):
        for k, function in enumerate(functions):
            begun = time.process_time()
            function()
            found[k] = min(found[k], time.process_time() - begun)
    return found


def print_costs(plain: float, counts: tuple[int, ...], ahead: list[float], count: int, back: float) -> None:
    """Print what a run with derivatives by so many parameters costs, and a gradient by `count`, in plain runs."""
    for one, taken in zip(counts, ahead, strict=True):
        print(f"  ahead, {one:3} parameters: {taken / plain:6.2f} runs")
    print(f"  gradient, {count} parameters: {back / plain:6.2f} runs")


def compare(runs: int, each: int, ahead: tuple[int, ...], back: tuple[int, ...]) -> None:
    model, initial, names = chain(10, each)
    tip, weights = "rod9.head.x", {"rod9.head.x": np.ones(TIMES.size)}

    def run(count: int = 0) -> mbs.Result:
        return mbs.simulate(model, TIMES, initial, derivatives=names[:count])

    forward = [lambda count=count: run(count).d(tip, names[0]) for count in ahead]
    gradient = [lambda count=count: adjoint(run(count), weights) for count in back]
    tip_path = mbs.integral(mbs.quantity(tip) ** 2)

    def iteration(count: int) -> mbs.Gradient:
        design = model.with_parameters(**{name: 1.001 * model.parameters[name].value for name in names[:count]})
        return mbs.gradient(tip_path, design, TIMES, names[:count], initial=initial)

    search = [lambda count=count: iteration(count) for count in back]
    plain, *times = least(runs, run, *forward, *gradient, *search)
    print(f"{model.name}, {run().stats['accepted']} steps, {1e3 * plain:.1f} ms")
    for count, taken in zip(ahead, times, strict=False):
        print(f"  ahead, {count:3} parameters: {taken / plain:6.2f} runs (asked: {1 + 0.5 * count:g})")
    for count, taken in zip(back, times[len(ahead) :], strict=False):
        print(f"  back,  {count:3} parameters: {taken / plain:6.2f} runs (asked: 6)")
    for count, taken in zip(back, times[len(ahead) + len(back) :], strict=True):
        print(f"  an iteration, {count:3} variables: {taken / plain:6.2f} runs")


def on_bumpers(runs: int) -> None:
    """A chain of six rods with a bumper at each pin: laws that switch in the run."""
    model, end, names = mbs.PlanarModel("chain on bumpers", gravity=(0, -9.81)), None, []
    for k in range(6):
        rod = model.link(f"rod{k}", (0.1 * k, 0), (0.1 * k + 0.1, 0), mass=model.parameter(f"m{k}", 0.2))
        pin = model.add(mbs.Revolute(f"pin{k}", end or model.ground, rod.tail))
        stiffness, angle, names = model.parameter(f"c{k}", 5.0), model[f"rod{k}.angle"], [*names, f"m{k}", f"c{k}"]
        law = sp.Piecewise((-stiffness * (angle + sp.Rational(1, 2)) - 1, angle < -sp.Rational(1, 2)), (0, True))
        model.add(mbs.Torque(f"bumper{k}", pin, law - model[f"rod{k}.omega"] / 100))
        end = rod.head
    times, tip = np.linspace(0, 2, 21), "rod5.head.x"
    square = mbs.integral(mbs.quantity(tip) ** 2)

    def run(count: int = 0) -> mbs.Result:
        return mbs.simulate(model, times, derivatives=names[:count])

    forward = [lambda count=count: run(count).d(tip, names[0]) for count in AHEAD]
    plain, *ahead, back = least(runs, run, *forward, lambda: mbs.gradient(square, model, times, names))
    stats = run().stats
    print(f"{model.name}, {stats['accepted']} steps, {stats['switches']} switches, {1e3 * plain:.1f} ms")
    print_costs(plain, AHEAD, ahead, len(names), back)


def with_stop(runs: int) -> None:
    """A chain of six rods: the first falls on a stop, and dry friction holds the second now and then."""
    model, end, names = mbs.PlanarModel("chain with a stop", gravity=(0, -9.81)), None, ["e", "M", "limit"]
    back, size, limit = model.parameter("e", 0.6), model.parameter("M", 0.02), model.parameter("limit", 1.0)
    for k in range(6):
        rod = model.link(f"rod{k}", (0.1 * k, 0), (0.1 * k + 0.1, 0), mass=model.parameter(f"m{k}", 0.2))
        pin, names = model.add(mbs.Revolute(f"pin{k}", end or model.ground, rod.tail)), [*names, f"m{k}"]
        if k == 0:
            model.add(mbs.Stop("stop", mbs.angle(pin), lower=-limit, restitution=back))
        elif k == 1:
            model.add(mbs.DryFriction("friction", mbs.angle(pin), size))
        end = rod.head
    times, tip = np.linspace(0, 1.5, 31), "rod5.head.x"
    square = mbs.integral(mbs.quantity(tip) ** 2)

    def run(count: int = 0) -> mbs.Result:
        return mbs.simulate(model, times, derivatives=names[:count])

    forward = [lambda count=count: run(count).d(tip, names[0]) for count in (1, 3, 9)]
    plain, *ahead, backwards = least(runs, run, *forward, lambda: mbs.gradient(square, model, times, names))
    found = run()
    changes = f"{len(found.impacts)} impacts, {found.stats['switches']} changes"
    print(f"{model.name}, {found.stats['accepted']} steps, {changes}, {1e3 * plain:.1f} ms")
    print_costs(plain, (1, 3, 9), ahead, len(names), backwards)


def with_events(runs: int) -> None:
    """The chain on springs, of six rods: events record that pins pass heights, and one stops the run."""
    model, initial, names = chain(6, 2)
    for k in range(6):
        model.add(mbs.Event(f"low{k}", model[f"rod{k}.head.y"] + 0.1 * (k + 1)))
    model.add(mbs.Event("end", model["rod0.angle"] + 3, action="stop"))
    tip = mbs.integral(mbs.quantity("rod5.head.x") ** 2)

    def run(count: int = 0) -> mbs.Result:
        return mbs.simulate(model, TIMES, initial, derivatives=names[:count])

    def ahead(count: int) -> list[float]:
        return [event.d("t", names[0]) for event in run(count).events]

    forward = [lambda count=count: ahead(count) for count in AHEAD]
    plain, *taken, back = least(runs, run, *forward, lambda: mbs.gradient(tip, model, TIMES, names, initial=initial))
    found = run()
    events = f"{len(found.events)} events, {found.message}"
    print(f"{model.name} with events, {found.stats['accepted']} steps, {events}, {1e3 * plain:.1f} ms")
    print_costs(plain, AHEAD, taken, len(names), back)


def with_resets(runs: int) -> None:
    """The chain on springs, of six rods: where its end falls below a height, an event throws it back."""
    model, initial, names = chain(6, 2)
    e, height = model.parameter("e", 0.7), model.parameter("height", -0.3)
    back = mbs.Reset({"rod5.vy": -e * model["rod5.vy"]})
    model.add(mbs.Event("low", model["rod5.head.y"] - height, direction=-1, action=back))
    names, tip = ["e", "height", *names], "rod5.head.x"
    square = mbs.integral(mbs.quantity(tip) ** 2)

    def run(count: int = 0) -> mbs.Result:
        return mbs.simulate(model, TIMES, initial, derivatives=names[:count])

    def gradient() -> mbs.Gradient:
        return mbs.gradient(square, model, TIMES, names, initial=initial)

    forward = [lambda count=count: run(count).d(tip, names[0]) for count in AHEAD]
    plain, *ahead, backwards = least(runs, run, *forward, gradient)
    found = run()
    print(f"{model.name}, {len(found.events)} resets, {found.stats['accepted']} steps, {1e3 * plain:.1f} ms")
    print_costs(plain, AHEAD, ahead, len(names), backwards)


def with_controller(runs: int, called: bool, method: str = "DP5") -> None:
    """A chain of six rods whose first pin has a motor: its current is a state, and a controller sets its voltage every
    hundredth of a second, by an expression or by a function in Python."""
    model, initial, names = chain(6, 2)
    gain, k, pin, i = model.parameter("gain", 2.0), model.parameter("k", 0.3), model.elements["pin0"], model.state("i")
    u, angle, omega = model.state("u"), "rod0.angle", "rod0.omega"
    law = {u: -gain * model[angle] - model[omega] / 5}
    update = (lambda t, read: {"u": -2.0 * read(angle) - read(omega) / 5}) if called else law
    model.rate(i, (u - 2 * i - k * model[omega]) / 0.02)
    model.add(mbs.Torque("motor", pin, k * i), mbs.Sampled("controller", every=0.01, update=update))
    names = ["k", *names][:10] if called else ["gain", "k", *names][:10]
    times, tip = np.linspace(0, 2, 21), "rod5.head.x"
    square = mbs.integral(mbs.quantity(tip) ** 2)

    def run(count: int = 0) -> mbs.Result:
        return mbs.simulate(model, times, initial, derivatives=names[:count], method=method)

    forward = [lambda count=count: run(count).d(tip, names[0]) for count in AHEAD]

    def gradient() -> mbs.Gradient:
        return mbs.gradient(square, model, times, names, initial=initial, method=method)

    plain, *ahead, back = least(runs, run, *forward, gradient)
    kind = "a function" if called else "an expression"
    steps = run().stats["accepted"]
    print(f"{model.name} with {kind} sampled 200 times, by {method}, {steps} steps, {1e3 * plain:.1f} ms")
    print_costs(plain, AHEAD, ahead, len(names), back)


def implicit(runs: int, method: str) -> None:
    """The chain on springs, of six rods, with a spring of 1e6 N/m along its second rod, by an implicit method."""
    model, initial, names = chain(6, 2)
    tail, head = model.bodies["rod0"].head, model.bodies["rod1"].head
    model.add(mbs.SpringDamper("stiff", tail, head, stiffness=1e6, damping=20.0, length=0.1))
    times, tip = np.linspace(0, 2, 21), "rod5.head.x"
    square, how = mbs.integral(mbs.quantity(tip) ** 2), {"method": method, "rtol": 1e-6}

    def run(count: int = 0) -> mbs.Result:
        return mbs.simulate(model, times, initial, derivatives=names[:count], **how)

    def gradient() -> mbs.Gradient:
        return mbs.gradient(square, model, times, names, initial=initial, **how)

    forward = [lambda count=count: run(count).d(tip, names[0]) for count in AHEAD]
    plain, *ahead, back = least(runs, run, *forward, gradient)
    print(f"{model.name} by {method}, {run().stats['accepted']} steps, {1e3 * plain:.1f} ms")
    print_costs(plain, AHEAD, ahead, len(names), back)


def in_coordinates(runs: int, coordinates: str) -> None:
    """The chain on springs, of six rods, in other coordinates than those of bodies."""
    model, initial, names = chain(6, 2)
    system, times, tip = model.compile(coordinates), np.linspace(0, 2, 21), "rod5.head.x"
    square, by = mbs.integral(mbs.quantity(tip) ** 2), names[:10]

    def run(count: int = 0) -> mbs.Result:
        return mbs.simulate(system, times, initial, derivatives=by[:count])

    forward = [lambda count=count: run(count).d(tip, by[0]) for count in AHEAD]
    plain, *ahead, back = least(runs, run, *forward, lambda: mbs.gradient(square, system, times, by, initial=initial))
    print(f"{model.name} in {coordinates} coordinates, {run().stats['accepted']} steps, {1e3 * plain:.1f} ms")
    print_costs(plain, AHEAD, ahead, len(by), back)


def memory() -> None:
    """Numbers kept of runs of so many steps, with entries of 100 numbers."""
    for total in (1_000, 10_000, 100_000, 1_000_000):
        steps, rows = Steps(), np.zeros((100, 100))
        for _ in range(total // 100):
            steps.take(rows)
        print(f"  {total:9,} steps: {len(steps.states):6,} states, every {steps.every}")


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    compare(runs, 3, AHEAD, BACK[:2])
    compare(runs, 30, (), BACK[2:])
    on_bumpers(runs)
    with_stop(runs)
    with_events(runs)
    with_resets(runs)
    with_controller(runs, called=False)
    with_controller(runs, called=True)
    with_controller(runs, called=False, method="Radau5")
    implicit(runs, "Radau5")
    implicit(runs, "GA")
    in_coordinates(runs, "natural")
    in_coordinates(runs, "joint")
    memory()
