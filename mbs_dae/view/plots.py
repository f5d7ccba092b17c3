"""Curves of a result: named quantities, paths of points, violations of the constraints."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ..errors import ModelError
from ..results.result import Result
from .motion import path_of
from .style import COLOURS, GROUND, Picture, as_label, axis_label, say_if_stopped, style

ZERO = 1e-18  # where exact zeros are drawn on a logarithmic axis: far below the roundoff of any mechanism

MEANINGS = {
    "m": "length", "m/s": "velocity", "m/s²": "acceleration", "N": "force", "J": "energy",
    "rad": "angle", "rad/s": "angular velocity", "rad/s²": "angular acceleration", "N m": "torque",
}  # fmt: skip


def plot(result: Result, names: Sequence[str]) -> Figure:
    """The named quantities over time (or over the swept parameter), one panel for each unit."""
    names = names_of(names, "plot", "quantities", result.names)
    panels: dict[str, list[str]] = {}
    for name in names:
        panels.setdefault(result.unit(name), []).append(name)
    with style():
        figure, axes = stacked(result, len(panels))
        for ax, (unit, group) in zip(axes, panels.items(), strict=True):
            for name in group:
                ax.plot(result.t, result[name], label=as_label(name), marker=marker_of(result))
            ax.set_ylabel(axis_label(MEANINGS.get(unit, ""), unit or "–"))
            ax.legend(loc="best")
    return figure


def plot_path(result: Result, markers: Sequence[str]) -> Figure:
    """The paths of named points, in the plane or in space; a circle shows where each begins."""
    markers = names_of(markers, "plot_path", "points", [name[:-2] for name in result.names if name.endswith(".x")])
    paths = {name: path_of(result, name).T for name in markers}
    with style():
        figure = Picture(figsize=(6.4, 4.8), layout="constrained")
        ax = figure.add_subplot() if result.sketch.dimension == 2 else _axes_in_space(figure, [*paths.values()])
        for name, path in paths.items():
            (line,) = ax.plot(*path, label=as_label(name))
            ax.plot(*path[:, :1], "o", color=line.get_color(), markersize=6)
        ax.plot(*np.zeros((len(path), 0)), "o", color=GROUND, markersize=6, label="start")
        say_if_stopped(figure, result)
        if result.sketch.dimension == 2:
            ax.set_xlabel(axis_label("x", result.unit(f"{markers[0]}.x")))
            ax.set_ylabel(axis_label("y", result.unit(f"{markers[0]}.y")))
            ax.set_aspect("equal", adjustable="datalim")
            ax.legend(loc="best")
        else:
            from .space.scene import fit

            figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=min(4, len(paths) + 1))
            fit(ax)
    return figure


def _axes_in_space(figure: Figure, paths: list[np.ndarray]) -> Any:
    """3-D axes that hold the paths."""
    from .space.scene import add_axes, hold

    ax: Any = add_axes(figure)
    points = np.concatenate(paths, axis=1)
    low, high = np.nanmin(points, axis=1), np.nanmax(points, axis=1)
    margin = 0.03 * (high - low).max() or 0.1
    hold(ax, low - margin, high + margin)
    ax.set_autoscale_on(False)
    return ax


def plot_violation(result: Result) -> Figure:
    """The largest violation of all constraints over time: position, velocity and acceleration equations."""
    violation = result.violation
    panels = {
        r"position $|\Phi|$" + "\n[m or rad]": violation.position,
        r"velocity $|\dot\Phi|$" + "\n[m/s or rad/s]": violation.velocity,
        r"acceleration $|\ddot\Phi|$" + "\n[m/s² or rad/s²]": violation.acceleration,
    }
    with style():
        figure, axes = stacked(result, 3)
        for ax, colour, (label, values) in zip(axes, COLOURS, panels.items(), strict=False):
            plot_logarithmic(ax, result.t, values, color=colour, marker=marker_of(result))
            ax.set_ylabel(label)
    return figure


def plot_stabilization(runs: Mapping[str, Result], title: str) -> Figure:
    """What runs do with the constraints and with the energy over time, one line a run; a cross ends those that stopped
    early. The error of the energy counts from the first time, where it is zero by definition and not drawn."""
    if not runs:
        raise ModelError("there is no run to compare; give at least one stabilization")
    panels: dict[str, Callable[[Result], np.ndarray]] = {
        "position\n" + r"$|\Phi|$ [m or rad]": lambda run: run.violation.position,
        "velocity\n" + r"$|\dot\Phi|$ [m/s or rad/s]": lambda run: run.violation.velocity,
        "energy error\n" + r"$|\Delta E|$ [J]": lambda run: np.abs(run.energy.error),
    }
    with style():
        figure, axes = stacked(next(iter(runs.values())), len(panels), say_stop=False)
        figure.suptitle(as_label(title), fontsize=10)
        for ax, (label, of) in zip(axes, panels.items(), strict=True):
            ax.set_ylabel(label)
            ax.set_yscale("log")
            begin = 1 if ax is axes[-1] else 0
            for (name, run), how in zip(runs.items(), _apart(), strict=False):
                t, values = run.t[begin:], np.maximum(of(run)[begin:], ZERO)
                ax.plot(t, values, label=_label_of_run(name, run), marker=marker_of(run), linewidth=1.2, **how)
                if not run.success:
                    ax.plot(t[-1:], values[-1:], "x", color=how["color"], markersize=8, markeredgewidth=2, zorder=4)
            _say_floor(ax, np.concatenate([of(run)[begin:] for run in runs.values()]))
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=min(len(runs), 3))
    return figure


def _apart() -> Iterator[dict[str, Any]]:
    """Looks that are told apart, also where there are more runs than colours."""
    for dashes in cycle(("-", "--", ":")):
        for colour in COLOURS:
            yield {"color": colour, "linestyle": dashes}


def _label_of_run(name: str, run: Result) -> str:
    if run.success:
        return as_label(name)
    last = f"{run.axis[0]} = {run.t[-1]:.4g} {run.axis[1]}".strip() if len(run) else "the start"
    return f"{as_label(name)} (\u00d7 stopped at {last})"


def plot_logarithmic(ax: Any, t: np.ndarray, values: np.ndarray, **how: Any) -> None:
    """Zeros have no logarithm; they are drawn on a floor, and the picture says so."""
    ax.plot(t, np.maximum(values, ZERO), **how)
    ax.set_yscale("log")
    _say_floor(ax, values)


def _say_floor(ax: Any, values: np.ndarray) -> None:
    floored = values[values < ZERO]
    if not floored.size:
        return
    which = "all values are" if floored.size == values.size else f"{floored.size} of {values.size} values are"
    what = f"below {ZERO:g}" if floored.any() else "exactly zero"
    ax.set_title(f"{which} {what}, drawn at {ZERO:g}", loc="right", fontsize=8, color=GROUND)
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, ZERO / 3), max(high, 1e3 * ZERO))


def stacked(
    result: Result, count: int, *, heights: Sequence[float] | None = None, say_stop: bool = True
) -> tuple[Figure, list[Any]]:
    """Panels one above the other on a common axis, which is labelled once."""
    figure = Picture(figsize=(6.4, max(3.2, 0.9 + 1.9 * sum(heights or [1] * count))), layout="constrained")
    axes = list(figure.subplots(count, 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0])
    axes[-1].set_xlabel(axis_label(*result.axis))
    figure.align_ylabels(axes)
    if say_stop:
        say_if_stopped(figure, result)
    return figure, axes


def marker_of(result: Result) -> str:
    """A line through one pose would be invisible."""
    return "o" if len(result) == 1 else ""


def names_of(names: Sequence[Any], call: str, what: str, known: Sequence[str]) -> list[str]:
    """Each name once, in the order given; a list in place of several names is taken for its names. Who gives none is
    told a few to copy, of different kinds where there are some."""
    if len(names) == 1 and isinstance(names[0], list | tuple):
        names = names[0]
    if not names:
        kinds: dict[str, str] = {}
        for name in known:
            kinds.setdefault(name.rpartition(".")[2], name)
        examples = ", ".join(map(repr, [*kinds.values()][:3])) or "'body.x'"
        raise ModelError(f"{call}() needs the names of {what}; write e.g. {call}({examples})")
    return list(dict.fromkeys(map(str, names)))
