"""Pictures of workspaces: regions, boundaries by their kind, and maps in colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from ..errors import counted
from ..unit_system import shown, shown_unit, size_of, told
from ..view.drawing.colours import COLOURS, DARK, GROUND, paler
from ..view.style import BESIDE, Picture, as_label, axis_label, style

LINES: dict[str, dict[str, Any]] = {
    "parallel": {"color": COLOURS[1], "linewidth": 1.8},
    "serial": {"color": COLOURS[0], "linewidth": 1.8},
    "singular": {"color": COLOURS[1], "linewidth": 1.8},
    "limit": {"color": DARK, "linewidth": 1.4, "linestyle": ":"},
}
WORDS = {
    "parallel": "parallel singularity",
    "serial": "serial singularity",
    "singular": "singular",
    "limit": "joint limit",
}
POINT: dict[str, Any] = {"linestyle": "none", "color": DARK, "zorder": 6}
NAMED = 8
"""Greatest number of legend entries for numbers of poses, for which there is room beside the picture."""
BELOW: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 3}
UNBOUNDED = ("condition", "manipulability")
"""Quantities that are unbounded at singular poses: colours end where 5 % of the points are beyond."""


def plot_workspace(found: Any) -> Figure:
    with style():
        figure = Picture(figsize=(7.2, 5.0), layout="constrained")
        ax = figure.subplots()
        bar = draw_regions(ax, found.regions, sizes_of(found))
        draw_curves(ax, found.curves, found.region, sizes_of(found))
        _frame(ax, found)
        if bar is None:
            ax.legend(**BESIDE)
        else:
            figure.colorbar(bar, ax=ax, label="number of poses", ticks=MaxNLocator(integer=True))
            ax.legend(**BELOW)
        ax.set_title(counted(len(found.regions), "region"))
    return figure


def plot_map(mapped: Any, name: str) -> Figure:
    values = np.ma.masked_invalid(mapped[name])
    found = mapped.workspace
    with style():
        figure = Picture(figsize=(7.6, 5.0), layout="constrained")
        ax = figure.subplots()
        seen = np.minimum(values, np.nanpercentile(values.filled(np.nan), 95)) if name in UNBOUNDED else values
        unit = found.units[0] if name == "distance" and found.units[0] == found.units[1] else ""
        seen, word = shown(seen, unit)
        sizes = sizes_of(found)
        x, y = mapped.x / sizes[0], mapped.y / sizes[1]
        mesh = ax.pcolormesh(x, y, seen.T, shading="nearest", cmap="viridis", rasterized=True)
        draw_curves(ax, found.curves, found.region, sizes)
        _frame(ax, found)
        figure.colorbar(mesh, ax=ax, label=axis_label(name, word))
        ax.legend(**BELOW)
        ax.set_title(f"{mapped.meaning(name)}, on one branch of poses")
    return figure


def sizes_of(found: Any) -> np.ndarray:
    """Return the units in which the two values are shown, in SI units."""
    return np.array([size_of(unit, name)[0] for unit, name in zip(found.units, found.names, strict=True)])


def draw_regions(ax: Any, regions: Any, sizes: np.ndarray) -> ScalarMappable | None:
    """Draw regions, shaded by their number of poses; regions without one stay white. With many numbers of poses the
    legend leaves them out, and the shades, darker then, are returned for a colour bar."""
    numbers = {one.modes for one in regions if one.states}
    many = len(numbers) > NAMED
    most = max((len(one.states) for one in regions), default=0)
    lightest, darkest = (paler(COLOURS[2], part) for part in (0.88, 0.15 if many else 0.55))
    colours = LinearSegmentedColormap.from_list("poses", [lightest, darkest])
    shades = ScalarMappable(Normalize(0.0, max(most, 1)), colours)
    named: set[Any] = set()
    for one in regions:
        if not one.states:
            continue
        label = "can be assembled" if one.modes is None else counted(one.modes, "pose")
        label = "_" if many or one.modes in named else label
        named.add(one.modes)
        corners = [cycle.points * one.scale / sizes for cycle in one.face.cycles]
        path = Path.make_compound_path(*(Path(np.vstack([p, p[:1]]), closed=True) for p in corners))
        shade = colours(len(one.states) / max(most, 1))
        ax.add_patch(PathPatch(path, facecolor=shade, edgecolor="none", label=label, zorder=1))
    return shades if many else None


def draw_curves(ax: Any, curves: Any, region: Any, sizes: np.ndarray) -> None:
    """Draw the curves, with those that whole turns bring into the rectangle; cusps as crosses, points with a motion as
    circles."""
    named: set[str] = set()

    def label(word: str) -> str:
        """Return the label once, so that the legend shows it once."""
        known = word in named
        named.add(word)
        return "_" if known else word

    for curve in curves:
        for shift in region.shifts(curve.values):
            values = (curve.values + shift) / sizes
            if curve.is_point:
                ax.plot(
                    *values[0], "o", **POINT, markersize=9, markerfacecolor="white", label=label("moves with both held")
                )
                continue
            ax.plot(*values.T, **LINES[curve.kind], zorder=4, label=label(WORDS[curve.kind]))
            for points, look, word in ((curve.cusps, "x", "turns back"), (curve.both, "D", "serial and parallel")):
                at = np.array([point.values + shift for point in points]).reshape(-1, 2)
                at = at[((at >= region.low) & (at <= region.high)).all(axis=1)]
                if len(at):
                    ax.plot(*(at / sizes).T, look, **POINT, markersize=4.5, label=label(word))


def _frame(ax: Any, found: Any) -> None:
    low, high = found.low / sizes_of(found), found.high / sizes_of(found)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    words = _label(ax, found)
    if words[0] == words[1]:
        ax.set_aspect("equal", adjustable="box")


def _label(ax: Any, found: Any) -> list[str]:
    """Name both axes, with the units in which they are shown; return the units."""
    words = [shown_unit(unit, name) for unit, name in zip(found.units, found.names, strict=True)]
    ax.set_xlabel(axis_label(as_label(found.names[0]), words[0]))
    ax.set_ylabel(axis_label(as_label(found.names[1]), words[1]))
    return words


def plot_reachable(found: Any) -> Figure:
    with style():
        figure = Picture(figsize=(7.2, 5.0), layout="constrained")
        ax = figure.subplots()
        named: set[str] = set()
        sizes = sizes_of(found)
        for one in found.regions:
            corners = [cycle.points * one.scale / sizes for cycle in one.face.cycles]
            path = Path.make_compound_path(*(Path(np.vstack([p, p[:1]]), closed=True) for p in corners))
            shade = {"facecolor": paler(COLOURS[2], 0.6), "edgecolor": "none", "zorder": 1}
            ax.add_patch(PathPatch(path, **shade, label="_" if "in" in named else "reachable"))
            named.add("in")
        for points, kind, outer in found.lines:
            look = LINES[kind] if outer else LINES[kind] | {"linewidth": 0.8, "color": GROUND}
            word = WORDS[kind] if outer else f"{WORDS[kind]}, inside"
            ax.plot(*(points / sizes).T, **look, zorder=4 if outer else 3, label="_" if word in named else word)
            named.add(word)
        ax.set_aspect("equal", adjustable="datalim")
        ax.margins(0.06)
        _label(ax, found)
        ax.set_title(f"reachable: {told(found.area, f'{found.units[0]}²')}")
        ax.legend(**BESIDE)
    return figure
