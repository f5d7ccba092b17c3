"""Draw pictures of many runs: bands of percentiles over time, histograms, and maps over two parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from ..drawing.colours import COLOURS, DARK, GROUND, paler
from ..style import BESIDE, Picture, as_label, axis_label, style

LEVELS = 9
"""The approximate number of levels of a map."""
SHADES = LinearSegmentedColormap.from_list("shades", ["#F7FBFC", "#9CCBE0", COLOURS[0], "#003B5C"])
"""Shades from little to much in one hue, so that the map can also be read in grey."""

Axis = tuple[str, str]
"""The name and the unit of an axis."""


def plot_band(
    t: np.ndarray, axis: Axis, levels: Sequence[float], values: np.ndarray, quantity: Axis, note: str
) -> Figure:
    """Draw a band between the lowest and the highest level, a darker one between the next two, and a line for the level
    in the middle. `values` has shape (levels, times)."""
    with style():
        figure, ax = _panel(note)
        for k in range(len(levels) // 2):
            low, high = levels[k], levels[-1 - k]
            white = 0.8 * 0.72**k
            label = f"{low:g} % to {high:g} %"
            ax.fill_between(t, values[k], values[-1 - k], color=paler(COLOURS[0], white), linewidth=0, label=label)
        if len(levels) % 2:
            middle = levels[len(levels) // 2]
            label = "median" if middle == 50 else f"{middle:g} %"
            ax.plot(t, values[len(levels) // 2], color="#003B5C", label=label)
        ax.set_xlabel(axis_label(as_label(axis[0]), axis[1]))
        ax.set_ylabel(axis_label(as_label(quantity[0]), quantity[1]))
        ax.margins(x=0)
        ax.legend(**BESIDE)
    return figure


def plot_histogram(values: np.ndarray, quantity: Axis, levels: Sequence[float], note: str) -> Figure:
    """Draw a histogram of the values of members; vertical lines show the percentiles."""
    with style():
        figure, ax = _panel(note)
        # The number of bins after Freedman and Diaconis, between 5 and 60; 1 if all values are equal.
        spread, bins = np.ptp(values), 1
        if spread > 1e-12 * np.abs(values).max():
            width = 2.0 * np.subtract(*np.percentile(values, (75, 25))) / values.size ** (1 / 3)
            bins = int(np.clip(spread / width, 5, 60)) if width > 0.0 else 30
        ax.hist(values, bins=bins, color=paler(COLOURS[0], 0.45), edgecolor="white", linewidth=0.4)
        for level, value in zip(levels, np.percentile(values, levels), strict=True):
            ax.axvline(value, color=DARK, linewidth=1, linestyle="-" if level == 50 else "--")
            label = "median" if level == 50 else f"{level:g} %"
            place = {"xy": (value, 1), "xycoords": ax.get_xaxis_transform(), "xytext": (3, -2)}
            ax.annotate(label, **place, textcoords="offset points", va="top", fontsize=8, color=DARK)
        ax.set_xlabel(axis_label(as_label(quantity[0]), quantity[1]))
        ax.set_ylabel("members")
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def plot_map(x: np.ndarray, y: np.ndarray, z: np.ndarray, axes: tuple[Axis, Axis], quantity: Axis, note: str) -> Figure:
    """Draw shades of z over x and y, shape (x, y), with labelled contour lines; unknown values stay white."""
    with style():
        figure, ax = _panel(note, (6.4, 4.8))
        low, high = float(np.nanmin(z)), float(np.nanmax(z))
        if not high - low > 1e-9 * max(abs(low), abs(high)):
            size = max(abs(high), 1.0)
            low, high = low - 0.01 * size, high + 0.01 * size
        levels = np.asarray(MaxNLocator(LEVELS, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high))  # round numbers
        finite = np.ma.masked_invalid(z.T)
        shades = ax.contourf(x, y, finite, levels=levels, cmap=SHADES, corner_mask=True)
        lines = ax.contour(
            x, y, finite, levels=levels, colors=DARK, linewidths=0.7, linestyles="solid", corner_mask=True
        )
        texts = ax.clabel(lines, fmt=lambda value: f"{value:g}", fontsize=8)
        for text in texts:
            text.set_path_effects([withStroke(linewidth=2.5, foreground="white", alpha=0.8)])
            place = ax.transAxes.inverted().transform(ax.transData.transform(text.get_position()))
            text.set_visible(bool((np.abs(place - 0.5) < 0.48).all()))  # hide a label that the frame would cut
        ax.grid(False)
        bar = figure.colorbar(shades, ax=ax, ticks=levels)
        bar.set_label(axis_label(as_label(quantity[0]), quantity[1]))
        bar.outline.set_visible(False)
        ax.set_xlabel(axis_label(as_label(axes[0][0]), axes[0][1]))
        ax.set_ylabel(axis_label(as_label(axes[1][0]), axes[1][1]))
    return figure


def _panel(note: str, size: tuple[float, float] = (6.4, 3.2)) -> tuple[Figure, Any]:
    figure = Picture(figsize=size, layout="constrained")
    ax = figure.add_subplot()
    ax.set_title(note, loc="right", fontsize=8, color=GROUND)
    return figure, ax
