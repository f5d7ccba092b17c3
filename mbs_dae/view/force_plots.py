"""Curves of a result that knows forces: the energy ledger, and the reactions of joints."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ..errors import ModelError
from ..results.result import Result
from .plots import marker_of, names_of, plot_logarithmic, stacked
from .style import COLOURS, DARK, GROUND, Picture, as_label, axis_label, say_if_stopped, style

OPEN = "not unique"  # what the legend says of components that redundant constraints leave open


def plot_energy(result: Result) -> Figure:
    """The ledger above, the error of its total below; at the first time that is zero by definition, and not drawn."""
    energy = result.energy
    first = 1 if len(result) > 1 else 0
    with style():
        figure, (above, below) = stacked(result, 2, heights=(1.6, 0.8))
        for name in ("kinetic", "potential", "dissipated", "supplied"):
            above.plot(result.t, getattr(energy, name), label=name, marker=marker_of(result))
        above.plot(result.t, energy.total, "--", color=DARK, label="total", marker=marker_of(result))
        above.set_ylabel(axis_label("energy", "J"))
        error = np.abs(energy.error[first:])
        plot_logarithmic(below, result.t[first:], error, color=DARK, linewidth=1.2, marker=marker_of(result))
        below.set_ylabel("|error of total|\n[J]")
        figure.legend(*above.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def plot_reaction(result: Result, joints: Sequence[str], axes: str = "world", polar: bool = False) -> Figure:
    """A panel of forces for each joint, and one for the moments of those that have some; or the hodographs of all."""
    known = [] if result.reactions is None else result.reactions.names()
    joints = names_of(joints, "plot_reaction", "joints", known)
    wrenches = {name: result.reaction(name, axes) for name in joints}
    in_space = result.sketch.dimension == 3
    if in_space and polar:
        what = "polar=True draws forces in a plane, and this mechanism is in space"
        raise ModelError(f"{what}; leave it out to see components")
    with style():
        if polar:
            return _hodographs(result, wrenches, axes)
        figure, first = (_in_space if in_space else _in_the_plane)(result, wrenches, axes)
        if axes != "world":
            first.set_title(f"in the axes of the {axes} body", loc="right", fontsize=8, color=GROUND)
        return figure


def _in_the_plane(result: Result, wrenches: dict[str, np.ndarray], axes: str) -> tuple[Figure, Any]:
    turning = [name for name, wrench in wrenches.items() if wrench[:, 2].any()]
    forcing = [name for name, wrench in wrenches.items() if wrench[:, :2].any() or name not in turning]
    figure, panels = stacked(result, len(forcing) + bool(turning))
    for ax, name in zip(panels, forcing, strict=False):
        _components(ax, result, name, wrenches[name][:, :2], unique_in(result, name, axes)[:, :2], "force")
    legends = [ax.get_legend_handles_labels() for ax in panels[: len(forcing)]]
    shown = {label: line for lines, labels in legends for line, label in zip(lines, labels, strict=True)}
    if shown:
        figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=3)
    if turning:
        for name, colour in zip(turning, COLOURS * len(turning), strict=False):
            moment, unique = wrenches[name][:, 2], unique_in(result, name, axes)[:, 2]
            _line(panels[-1], result, moment, unique, as_label(name), color=colour)
        panels[-1].set_ylabel("moment\n[N m]")
        panels[-1].legend(loc="best", ncols=3)
    return figure, panels[0]


def _in_space(result: Result, wrenches: dict[str, np.ndarray], axes: str) -> tuple[Figure, Any]:
    """For each joint a panel of forces, and one of moments about its second marker; but none for what is zero."""
    shown = []
    for name, wrench in wrenches.items():
        size = {part: np.abs(wrench[:, columns]).max(initial=0.0) for part, columns in HALVES.items()}
        acting = [part for part in HALVES if size[part] > NOTHING * max(size.values())]
        shown += [(name, part) for part in acting or ["force"]]
    figure, panels = stacked(result, len(shown))
    for ax, (name, part) in zip(panels, shown, strict=True):
        values, unique = (x[:, HALVES[part]] for x in (wrenches[name], unique_in(result, name, axes)))
        _components(ax, result, name, values, unique, part)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure, panels[0]


def _components(ax: Any, result: Result, name: str, values: np.ndarray, unique: np.ndarray, part: str) -> None:
    """The components of a force or a moment, and its size."""
    letter, unit = ("F", "N") if part == "force" else ("M", "N m")
    for axis, colour, value, known in zip("xyz", COLOURS, values.T, unique.T, strict=False):
        _line(ax, result, value, known, f"${letter}_{axis}$", color=colour)
    size, known = np.linalg.norm(values, axis=1), np.asarray(unique.all(axis=1))
    _line(ax, result, size, known, f"$|{letter}|$", color=DARK, linewidth=1.2)
    ax.set_ylabel(f"{as_label(name)}: {part}{_on_body(result, name)}\n[{unit}]")


HALVES = {"force": slice(0, 3), "moment": slice(3, 6)}  # the columns of a reaction in space
NOTHING = 1e-12
"""A moment this small against the force (at one metre), or a force against the moment, is roundoff."""


def _hodographs(result: Result, wrenches: dict[str, np.ndarray], axes: str) -> Figure:
    """Where the tip of each force is, seen from the joint; a dot shows where it begins."""
    figure = Picture(figsize=(6.4, 5.2), layout="constrained")
    ax = figure.add_subplot()
    ax.set_aspect("equal", adjustable="datalim")
    for (name, wrench), colour in zip(wrenches.items(), COLOURS * len(wrenches), strict=False):
        x, y, _ = unique_in(result, name, axes).T
        for part, dashes, remark in _parts(x & y):
            label = f"{as_label(name)}{_on_body(result, name)}{remark}"
            ax.plot(*np.where(part, wrench[:, :2].T, np.nan), dashes, color=colour, label=label)
        ax.plot(*wrench[:1, :2].T, "o", color=colour, markersize=6)
    ax.plot([], [], "o", color=GROUND, markersize=6, label="start")
    largest = max(np.hypot(*wrench[:, :2].T).max(initial=0.0) for wrench in wrenches.values())
    ax.set_xlabel(axis_label("$F_x$", "N"))
    ax.set_ylabel(axis_label("$F_y$", "N"))
    ax.plot(0, 0, "+", color=DARK, markersize=12, markeredgewidth=1.2)
    round_ = np.linspace(0, 2 * np.pi, 181)
    for radius in (r for r in ax.get_xticks() if 0 < r <= 1.2 * largest):  # circles of equal force about the origin
        ax.plot(radius * np.cos(round_), radius * np.sin(round_), color=GROUND, linewidth=0.5, linestyle=":", zorder=1)
    ax.set_title("in world axes" if axes == "world" else f"in the axes of the {axes} body")
    ax.legend(loc="best")
    say_if_stopped(figure, result)
    return figure


def unique_in(result: Result, name: str, axes: str) -> np.ndarray:
    """Whether each component is determined. In turning axes the components of a force mix, so one left open leaves open
    all of them; in space those of a moment, too."""
    unique = result.is_unique(name)
    if axes != "world":
        unique = unique.copy()
        for columns in (slice(0, 2),) if unique.shape[1] == 3 else HALVES.values():
            unique[:, columns] = unique[:, columns].all(axis=1, keepdims=True)
    return unique


def _line(ax: Any, result: Result, values: np.ndarray, unique: np.ndarray, label: str, **how: Any) -> None:
    for part, dashes, remark in _parts(unique):
        how |= {"label": label + remark, "linestyle": dashes, "marker": marker_of(result)}
        ax.plot(result.t, np.where(part, values, np.nan), **how)


def _parts(unique: np.ndarray) -> Iterator[tuple[np.ndarray, str, str]]:
    """The times that are drawn solid, and those drawn dashed, with a remark for the legend. Dashes reach to their
    neighbours, so that the curve is whole and a single pose is seen."""
    if unique.any() or not unique.size:
        yield unique, "-", ""
    if not unique.all():
        dashed = ~unique
        dashed[1:] |= ~unique[:-1]
        dashed[:-1] |= ~unique[1:]
        yield dashed, "--", f" ({OPEN})"


def _on_body(result: Result, name: str) -> str:
    """Whom the force acts on."""
    markers = next((e.markers for e in result.sketch.elements if e.name == name), ())
    return f" on {as_label(markers[min(1, len(markers) - 1)][0])}" if markers else ""
