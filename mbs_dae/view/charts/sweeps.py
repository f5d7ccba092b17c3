"""Draw curves over a parameter: equilibria through limit points, eigenvalues, and Campbell's diagram."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from ...equilibria.equilibrium import EquilibriumPath
from ...equilibria.lines import LinearPath, ModeLine, checked_order
from ...model.checks import unit_of
from ...tolerances import EIGENVALUE_RESOLUTION
from ...unit_system import shown, size_of
from ..drawing.colours import COLOURS, DARK, GROUND
from ..plots import names_of, solid_and_dashed
from ..style import BESIDE, MEANINGS, Picture, as_label, axis_label, style

ROUND = 0.05
"""The whirl below which a motion counts as one along lines."""


def plot_equilibria(path: EquilibriumPath, names: Sequence[str]) -> Figure:
    """Draw numbers, and vectors by their components, over the parameter of the path, which may turn back."""
    first = path.points[0].result
    names = names_of(names, "plot", "quantities", first.names)
    names = [part for name in names for part in first.components(name)]
    read = {name: size_of(first.unit(name), name) for name in names}  # the size and the name of each unit
    units = list(dict.fromkeys((first.unit(name), read[name][1]) for name in names))
    across, unit = size_of(unit_of(path.states[0].system.model, path.parameter), path.parameter)
    with style():
        figure = Picture(figsize=(7.4, max(3.6, 0.9 + 2.4 * len(units))), layout="constrained")
        axes = figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0]
        for name, colour in zip(names, COLOURS * len(names), strict=False):
            size, word = read[name]
            ax, values = axes[units.index((first.unit(name), word))], path[name] / size
            for part, dashes, _ in solid_and_dashed(path.stable):
                label = as_label(name) + (" (not stable)" if dashes == "--" else "")
                ax.plot(np.where(part, path.values / across, np.nan), values, dashes, color=colour, label=label)
            limits = [point[name] / size for point in path.limits]
            ax.plot(np.divide(path.limit_values, across), limits, "o", color=colour, markersize=5, zorder=3)
        for ax, (si, word) in zip(axes, units, strict=True):
            ax.plot([], [], "o", color=GROUND, markersize=5, label="limit point" if path.limits else "")
            ax.set_ylabel(axis_label(MEANINGS.get(si, ""), word or "–"))
            ax.legend(**BESIDE)
        axes[-1].set_xlabel(axis_label(as_label(path.parameter), unit))
    return figure


def plot_lines(path: LinearPath) -> Figure:
    """Draw how fast modes grow or fade above, and how fast they oscillate below; a line has one colour in both panels.
    Shaded spans of the parameter have no mode that grows at either end."""
    lines = _moving(path)
    values, unit = shown(path.values, path.unit, path.parameter)
    cycles, often = size_of("rad/s", frequency=True)
    calm = np.array([not (law.grows or after.grows) for law, after in pairwise(path.systems)])
    with style():
        figure = Picture(figsize=(6.4, 5.4), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for k, (line, colour) in enumerate(zip(lines, COLOURS * len(lines), strict=False), start=1):
            growth = np.where(line.eigenvalues.imag >= 0.0, line.eigenvalues.real, np.nan)
            above.plot(values, growth, color=colour, label=f"line {k}")
            below.plot(values, line.damped_frequencies / cycles, color=colour)
        for ax in (above, below):
            for first, last in zip(values[:-1][calm], values[1:][calm], strict=True):
                ax.axvspan(first, last, color=GROUND, alpha=0.12, linewidth=0, zorder=0)
        low, high = above.get_ylim()
        size = EIGENVALUE_RESOLUTION * max(float(np.abs(line.eigenvalues).max()) for line in path.lines)
        above.set_ylim(min(low, -size), max(high, size))  # roundoff is no growth
        above.axhline(0.0, color=GROUND, linewidth=0.8)
        above.set_ylabel(axis_label(r"Re $\lambda$", "1/s"))
        below.set_ylabel(axis_label(r"Im $\lambda$", often))
        below.set_ylim(bottom=0.0)
        below.set_xlabel(axis_label(as_label(path.parameter), unit))
        figure.align_ylabels()
        if calm.any():
            below.fill_between([], [], color=GROUND, alpha=0.12, label="no mode grows")
        shaded, words = below.get_legend_handles_labels()
        curves, names = above.get_legend_handles_labels()
        figure.legend([*curves, *shaded], [*names, *words], loc="outside lower center", ncols=min(6, len(lines) + 1))
    return figure


def plot_campbell(path: LinearPath, orders: Sequence[float]) -> Figure:
    """Draw frequencies over the speed. Lines of orders end at the edge of the paper, where their names stand."""
    path.check_speed()
    if not isinstance(orders, Iterable) or isinstance(orders, str):
        orders = [orders]
    orders = [checked_order(order) for order in orders]
    lines = [line for line in _moving(path) if (line.eigenvalues.imag > 0.0).any()]
    size, unit = size_of(path.unit, path.parameter)
    cycles, often = size_of("rad/s", frequency=True)
    speeds = path.values
    high = 1.05 * max((float(np.nanmax(line.damped_frequencies)) for line in lines), default=1.0)
    with style():
        figure = Picture(figsize=(6.4, 4.8), layout="constrained")
        ax = figure.add_subplot()
        for k, (line, colour) in enumerate(zip(lines, COLOURS * len(lines), strict=False), start=1):
            whirl = float(np.median(line.whirl[line.eigenvalues.imag > 0.0]))
            sense, dashes = ("forward", "-") if whirl > 0.0 else ("backward", "--")
            if abs(whirl) < ROUND:
                sense, dashes = "along lines", ":"
            ax.plot(speeds / size, line.damped_frequencies / cycles, dashes, color=colour, label=f"line {k}, {sense}")
        fastest = max(speeds, key=abs)
        for order in orders:
            end = np.sign(fastest) * min(abs(fastest), high / order)
            tip = end / size, order * abs(end) / cycles
            ax.plot([0.0, tip[0]], [0.0, tip[1]], color=GROUND, linewidth=0.8, zorder=1)
            ax.annotate(f"{order:g}×", tip, (3, 3), textcoords="offset points", fontsize=8,
                        color=GROUND, annotation_clip=False)  # fmt: skip
            critical = [point.speed for point in path.critical_speeds(order)]
            ax.plot(
                np.divide(critical, size),
                np.multiply(order, np.abs(critical)) / cycles,
                "o",
                color=DARK,
                markersize=4,
                zorder=4,
            )
        ax.plot([], [], "o", color=DARK, markersize=4, label="critical speed")
        ax.set_xlim(speeds[0] / size, speeds[-1] / size)
        ax.set_ylim(0.0, high / cycles)
        ax.set_xlabel(axis_label(as_label(path.parameter), unit))
        ax.set_ylabel(axis_label("frequency", often))
        figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _moving(path: LinearPath) -> list[ModeLine]:
    largest = max((float(np.abs(line.eigenvalues).max()) for line in path.lines), default=0.0)
    return [line for line in path.lines if np.abs(line.eigenvalues).max() > EIGENVALUE_RESOLUTION * largest]
