"""What every model does when it is run: it is diagnosed, moved, told in numbers and drawn.

    python models/four_bar.py [--out DIR] [--no-plot]

Driven mechanisms are moved by kinematics (`show`) or with the forces that this takes (`show_efforts`), the others by
the forces on them (`show_motion`).
"""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress

import mbs_dae as mbs

Model = mbs.PlanarModel | mbs.SpatialModel


def show(model: Model, times: np.ndarray, *names: str, paths: tuple[str, ...] = ()) -> mbs.Result:
    """Move a driven model over the times; tell and plot the named quantities, draw the paths of named points."""
    out = begin(model)
    result = watched("kinematics", len(times), lambda progress: mbs.kinematics(model, times, progress=progress))
    tell(model, result, names)
    if out:
        write(model, result, names, paths, out)
    return result


def show_efforts(
    model: Model,
    times: np.ndarray,
    *names: str,
    efforts: tuple[str, ...] = (),
    reactions: tuple[str, ...] = (),
    paths: tuple[str, ...] = (),
) -> mbs.Result:
    """As `show`, with the efforts of drivers and what joints and forces do to their second bodies."""
    out = begin(model)
    result = watched("inverse dynamics", len(times), lambda bar: mbs.inverse_dynamics(model, times, progress=bar))
    tell(model, result, names)
    tell_forces(model, result, efforts, reactions)
    if out:
        more = {"reactions": result.plot_reaction(*reactions, *efforts)} if reactions or efforts else {}
        write(model, result, names, paths, out, more)
    return result


def show_motion(
    model: Model,
    times: np.ndarray,
    *names: str,
    initial: Mapping[str, float],
    paths: tuple[str, ...] = (),
    **options: Any,
) -> mbs.Result:
    """As `show`, for a model that its forces move from given initial values; and its energies.

    The options are those of `mbs.simulate`."""
    out = begin(model)

    def run(progress: Callable) -> mbs.Result:
        return mbs.simulate(model, times, initial=initial, progress=progress, **options)

    result = watched("forward dynamics", len(times), run)
    tell(model, result, names)
    tell_energy(result)
    if out:
        write(model, result, names, paths, out, {"energy": result.plot_energy()})
    return result


def begin(model: Model) -> Path | None:
    """Say what the model is; where its files go, if they are wanted."""
    arguments = ArgumentParser(description=f"Show the model {model.name!r}.")
    arguments.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="for the files (%(default)s)")
    arguments.add_argument("--no-plot", action="store_true", help="print only, write no files")
    chosen = arguments.parse_args()
    print(mbs.diagnose(model))
    return None if chosen.no_plot else chosen.out


def watched(what: str, total: int, run: Callable[[Callable], mbs.Result]) -> mbs.Result:
    """Run an analysis under a progress bar."""
    columns = *Progress.get_default_columns(), MofNCompleteColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        poses = bar.add_task(what, total=total)
        return run(lambda done, total: bar.update(poses, completed=done, total=total))


def tell(model: Model, result: mbs.Result, names: tuple[str, ...]) -> None:
    """A line for each quantity: its range, and the peaks of its rate and of its acceleration."""
    t = result.t
    print(f"\n{model.name}: {len(t)} poses, t = {t[0]:g} to {t[-1]:g} s\n")
    print(f"{'':24}{'from':>10}{'to':>10}{'stroke':>10}  {'':8}{'max speed':>10}  {'':8}{'max acceleration':>17}")
    for name in names:
        value, speed, acceleration = levels(model, name)
        low, high = result[value].min(), result[value].max()
        peaks = [(np.abs(result[n]).max(), result.unit(n)) for n in (speed, acceleration)]
        print(f"{value:24}{low:10.4g}{high:10.4g}{high - low:10.4g}  {result.unit(value):8}", end="")
        print("{:10.4g}  {:8}{:17.4g}  {}".format(*peaks[0], *peaks[1]))
    print(f"\nlargest violation of the constraints: {np.max(result.violation):.2e}")


def tell_forces(
    model: Model, result: mbs.Result, efforts: tuple[str, ...], reactions: tuple[str, ...]
) -> None:
    """A line for each effort, and for each force between two bodies."""
    print(f"\n{'':24}{'least':>10}{'mean':>10}{'most':>10}")
    for name in efforts:
        effort = result.effort(name)
        numbers = effort.min(), mean(result, effort), effort.max()
        print(f"{name:24}" + "".join(f"{x:10.4g}" for x in numbers) + f"  {effort_label(result, name)}")
    for name in reactions:
        reaction = result.reaction(name)
        force = np.linalg.norm(reaction[:, : 2 if reaction.shape[1] == 3 else 3], axis=1)
        numbers = force.min(), mean(result, force), force.max()
        print(f"{name:24}" + "".join(f"{x:10.4g}" for x in numbers) + "  force [N]")


def tell_energy(result: mbs.Result) -> None:
    """A line for the end of the ledger, and how the run went."""
    energy, stats = result.energy, result.stats
    print(f"\n{'energy [J]':12}{'kinetic':>12}{'potential':>12}{'dissipated':>12}{'supplied':>12}{'error':>12}")
    for what, k in (("start", 0), ("end", -1)):
        parts = (energy.kinetic, energy.potential, energy.dissipated, energy.supplied)
        print(f"{what:12}" + "".join(f"{part[k]:12.5g}" for part in parts) + f"{energy.error[k]:12.1e}")
    print(f"\n{stats['method']}, {stats['stabilization']}: {stats['accepted']} steps, {stats['rejected']} rejected")


def levels(model: Model, name: str) -> list[str]:
    """The names of a quantity, its rate and its acceleration: slider.x, slider.vx, slider.ax."""
    owner = name.rpartition(".")[0]
    return [f"{owner}.{level}" for level in model.quantity(name)[0].levels]


def mean(result: mbs.Result, values: np.ndarray) -> float:
    """Over time."""
    return float(np.trapezoid(values, result.t) / np.ptp(result.t))


def effort_label(result: mbs.Result, name: str) -> str:
    """A torque where the driven coordinate turns, a force where it slides."""
    return "torque [N m]" if f"{name}.omega" in result else "force [N]"


def write(
    model: Model,
    result: mbs.Result,
    names: tuple[str, ...],
    paths: tuple[str, ...],
    out: Path,
    more: Mapping[str, Any] | None = None,
) -> None:
    """The result, its curves and its motion as files."""
    out.mkdir(parents=True, exist_ok=True)
    name = model.name.replace(" ", "_").replace("-", "_")
    written = [result.save(out / f"{name}.npz")]
    figures = {"violation": result.plot_violation()}
    figures |= {n: result.plot(*levels(model, n)) for n in names}
    figures |= more or {}
    if paths:
        figures["paths"] = result.plot_path(*paths)
    for what, figure in figures.items():
        written.append(out / f"{name}_{what}.png")
        figure.savefig(written[-1])
    written.append(out / f"{name}.gif")
    result.animate(written[-1], speed=min(1.0, (result.t[-1] - result.t[0]) / 3))  # a film of 3 s at least
    written.append(result.save(out / f"{name}.html", plots=names))  # the same to play with, in a browser
    print("written:", *written, sep="\n  ")
