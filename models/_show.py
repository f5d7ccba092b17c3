"""What every model does when it is run: it is diagnosed, moved, told in numbers and drawn.

    python models/four_bar.py [--out DIR] [--no-plot]
"""

from argparse import ArgumentParser
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress

import mbs_dae as mbs


def show(model: mbs.PlanarModel, times: np.ndarray, *names: str, paths: tuple[str, ...] = ()) -> mbs.Result:
    """Move a driven model over the times; tell and plot the named quantities, draw the paths of named points."""
    arguments = ArgumentParser(description=f"Show the model {model.name!r}.")
    arguments.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="for the files (%(default)s)")
    arguments.add_argument("--no-plot", action="store_true", help="print only, write no files")
    chosen = arguments.parse_args()

    print(mbs.diagnose(model))
    columns = *Progress.get_default_columns(), MofNCompleteColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        poses = bar.add_task("kinematics", total=len(times))
        result = mbs.kinematics(model, times, progress=lambda done, total: bar.update(poses, completed=done))
    tell(model, result, names)
    if not chosen.no_plot:
        write(model, result, names, paths, chosen.out)
    return result


def tell(model: mbs.PlanarModel, result: mbs.Result, names: tuple[str, ...]) -> None:
    """A line for each quantity: its range, and the peaks of its rate and of its acceleration."""
    t = result.t
    print(f"\n{model.name}: {len(t)} poses, t = {t[0]:g} to {t[-1]:g} s\n")
    print(f"{'':24}{'from':>10}{'to':>10}{'stroke':>10}  {'':8}{'max speed':>10}  {'':8}{'max acceleration':>17}")
    for name in names:
        value, speed, acceleration = levels(model, name)
        low, high = result[value].min(), result[value].max()
        peaks = [(np.abs(result[n]).max(), result.unit(n)) for n in (speed, acceleration)]
        print(f"{name:24}{low:10.4g}{high:10.4g}{high - low:10.4g}  {result.unit(name):8}", end="")
        print("{:10.4g}  {:8}{:17.4g}  {}".format(*peaks[0], *peaks[1]))
    print(f"\nlargest violation of the constraints: {np.max(result.violation):.2e}")


def levels(model: mbs.PlanarModel, name: str) -> list[str]:
    """The names of a quantity, its rate and its acceleration: slider.x, slider.vx, slider.ax."""
    owner = name.rpartition(".")[0]
    return [f"{owner}.{level}" for level in model.quantity(name)[0].levels]


def write(
    model: mbs.PlanarModel, result: mbs.Result, names: tuple[str, ...], paths: tuple[str, ...], out: Path
) -> None:
    """The result, its curves and its motion as files."""
    out.mkdir(parents=True, exist_ok=True)
    name = model.name.replace(" ", "_").replace("-", "_")
    written = [result.save(out / f"{name}.npz")]
    figures = {"violation": result.plot_violation()}
    figures |= {n: result.plot(*levels(model, n)) for n in names}
    if paths:
        figures["paths"] = result.plot_path(*paths)
    for what, figure in figures.items():
        written.append(out / f"{name}_{what}.png")
        figure.savefig(written[-1])
    written.append(out / f"{name}.gif")
    result.animate(written[-1], speed=min(1.0, (result.t[-1] - result.t[0]) / 3))  # a film of 3 s at least
    print("written:", *written, sep="\n  ")
