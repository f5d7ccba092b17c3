"""Curves of a result: named quantities, paths of points, violations of the constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ..errors import ModelError
from ..results.result import Result
from .style import COLOURS, GROUND, Picture, as_label, axis_label, say_if_stopped, style

ZERO = 1e-18
"""Where exact zeros are drawn on a logarithmic axis: far below the roundoff of any mechanism."""

MEANINGS = {
    "m": "length",
    "rad": "angle",
    "m/s": "velocity",
    "rad/s": "angular velocity",
    "m/s²": "acceleration",
    "rad/s²": "angular acceleration",
    "N": "force",
    "N m": "torque",
    "J": "energy",
}


def plot(result: Result, names: Sequence[str]) -> Figure:
    """The named quantities over time (or over the swept parameter), one panel for each unit."""
    names = _named(names)
    if not names:
        raise ModelError(f"plot() needs the names of quantities; write e.g. plot({_examples(result.names)})")
    panels: dict[str, list[str]] = {}
    for name in names:
        panels.setdefault(result.unit(name), []).append(name)
    with style():
        figure, axes = _stacked(result, len(panels))
        for ax, (unit, group) in zip(axes, panels.items(), strict=True):
            for name in group:
                ax.plot(result.t, result[name], label=as_label(name), marker=_marker(result))
            ax.set_ylabel(axis_label(MEANINGS.get(unit, ""), unit or "–"))
            ax.legend(loc="best")
    return figure


def plot_path(result: Result, markers: Sequence[str]) -> Figure:
    """The paths of named points in the plane; a circle shows where each begins."""
    markers = _named(markers)
    if not markers:
        points = [n[:-2] for n in result.names if n.endswith(".x")]
        raise ModelError(f"plot_path() needs the names of points; write e.g. plot_path({_examples(points)})")
    paths = [(name, result[f"{name}.x"], result[f"{name}.y"]) for name in markers]
    with style():
        figure = Picture(figsize=(6.4, 4.8), layout="constrained")
        ax = figure.add_subplot()
        for name, x, y in paths:
            (line,) = ax.plot(x, y, label=as_label(name))
            ax.plot(x[:1], y[:1], "o", color=line.get_color(), markersize=6)
        ax.plot([], [], "o", color=GROUND, markersize=6, label="start")
        ax.set_xlabel(axis_label("x", result.unit(f"{markers[0]}.x")))
        ax.set_ylabel(axis_label("y", result.unit(f"{markers[0]}.y")))
        ax.set_aspect("equal", adjustable="datalim")
        ax.legend(loc="best")
        say_if_stopped(figure, result)
    return figure


def plot_violation(result: Result) -> Figure:
    """The largest violation of all constraints over time: position, velocity and acceleration equations."""
    violation = result.violation
    panels = {
        r"position $|\Phi|$": (violation.position, "m or rad"),
        r"velocity $|\dot\Phi|$": (violation.velocity, "m/s or rad/s"),
        r"acceleration $|\ddot\Phi|$": (violation.acceleration, "m/s² or rad/s²"),
    }
    with style():
        figure, axes = _stacked(result, 3)
        for ax, colour, (label, (values, unit)) in zip(axes, COLOURS, panels.items(), strict=False):
            _plot_logarithmic(ax, result, values, colour)
            ax.set_ylabel(f"{label}\n[{unit}]")
    return figure


def plot_stabilization(runs: Mapping[str, Result], title: str) -> Figure:
    """Position and velocity violation and energy error over time, one line a run."""
    some = next(iter(runs.values()))
    with style():
        figure, axes = _stacked(some, 3)
        figure.suptitle(title)
        for (name, run), colour in zip(runs.items(), COLOURS * (1 + len(runs) // len(COLOURS)), strict=False):
            lines = (run.violation.position, run.violation.velocity, np.abs(run.energy.error))
            for ax, values in zip(axes, lines, strict=True):
                ax.plot(run.t, np.maximum(values, ZERO), color=colour, label=name if run.success else f"{name} (stopped)")
        for ax, label in zip(axes, ("position\n[m or rad]", "velocity\n[m/s or rad/s]", "energy\n[J]"), strict=True):
            ax.set_yscale("log")
            ax.set_ylabel(label)
        axes[0].legend(loc="best", ncols=len(runs))
    return figure


def _plot_logarithmic(ax: Any, result: Result, values: np.ndarray, colour: str) -> None:
    """Zeros have no logarithm; they are drawn on a floor, and the picture says so."""
    ax.plot(result.t, np.maximum(values, ZERO), color=colour, marker=_marker(result))
    ax.set_yscale("log")
    floored = values[values < ZERO]
    if floored.size == 0:
        return
    which = "all values are" if floored.size == values.size else f"{floored.size} of {values.size} values are"
    what = f"below {ZERO:g}" if floored.any() else "exactly zero"
    ax.set_title(f"{which} {what}, drawn at {ZERO:g}", loc="right", fontsize=8, color=GROUND)
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, ZERO / 3), max(high, 1e3 * ZERO))


def _stacked(result: Result, count: int) -> tuple[Figure, list[Any]]:
    """Panels one above the other on a common axis, which is labelled once."""
    figure = Picture(figsize=(6.4, max(3.2, 0.9 + 1.9 * count)), layout="constrained")
    axes = list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])
    axes[-1].set_xlabel(axis_label(*result.axis))
    figure.align_ylabels(axes)
    say_if_stopped(figure, result)
    return figure, axes


def _marker(result: Result) -> str:
    """A line through one pose would be invisible."""
    return "o" if len(result) == 1 else ""


def _named(names: Sequence[Any]) -> list[str]:
    """Each name once, in the order given; a list in place of several names is taken for its names."""
    if len(names) == 1 and isinstance(names[0], list | tuple):
        names = names[0]
    return list(dict.fromkeys(map(str, names)))


def _examples(names: Sequence[str]) -> str:
    """A few names to copy, of different kinds where there are some."""
    kinds: dict[str, str] = {}
    for name in names:
        kinds.setdefault(name.rpartition(".")[2] if "." in name else name, name)
    return ", ".join(repr(n) for n in list(kinds.values())[:3]) or "'body.x'"
