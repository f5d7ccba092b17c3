"""Draw linkages that were found."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ..unit_system import shown_unit
from ..view.drawing.colours import COLOURS, DARK, GROUND, METAL, paler
from ..view.style import Picture, read_axis, style
from .linkages import Circle

BAR: dict[str, Any] = {"solid_capstyle": "round", "linewidth": 3.5, "zorder": 3}
PIN: dict[str, Any] = {"marker": "o", "linestyle": "none", "markerfacecolor": "white", "markeredgecolor": DARK}


def plot_candidate(candidate: Any) -> Figure:
    with style():
        wide = hasattr(candidate.task, "draw_error")
        figure = Picture(figsize=(8.4, 4.2) if wide else (5.6, 4.6), layout="constrained")
        axes: Any = figure.subplots(1, 2 if wide else 1, squeeze=False, subplot_kw=axes_of(candidate))[0]
        first = axes[0]
        candidate.draw(first)
        first.set_title(_title(candidate), fontsize=9, color=DARK, loc="left")
        if wide:
            candidate.task.draw_error(candidate, axes[1])
    return figure


def plot_best(synthesis: Any, count: int) -> Figure:
    """Draw the best candidates in small pictures, the best first."""
    best = synthesis.candidates[: max(count, 1)] or (synthesis[0],)
    with style():
        cells = len(best) + (synthesis.curves is not None)
        columns = min(cells, 3)
        rows = -(-cells // columns)
        figure = Picture(figsize=(3.2 * columns, 3.1 * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, subplot_kw=axes_of(best[0])).ravel()
        for ax in axes[cells:]:
            ax.set_axis_off()
        if synthesis.curves is not None:
            _draw_curves(synthesis, axes[0])
            axes = axes[1:]
        for k, (candidate, ax) in enumerate(zip(best, axes, strict=False)):
            candidate.draw(ax, small=True)
            ax.set_title(f"{k}: {_title(candidate)}", fontsize=8, color=DARK, loc="left")
    return figure


def axes_of(candidate: Any) -> dict[str, Any]:
    """Return the arguments of the axes for a candidate; a mechanism in space has depth."""
    return {"projection": "3d"} if candidate.is_spatial else {}


def _title(candidate: Any) -> str:
    wrong = f"; defect: {', '.join(candidate.defects)}" if candidate.defects else ""
    return f"{candidate.type}{wrong}"


def draw_linkage(candidate: Any, ax: Any, small: bool = False) -> None:
    """Draw a linkage in its first position, with the path of P, and the additions of its task."""
    linkage, theta = candidate.linkage, candidate.motion
    pose = candidate.pose(candidate.angles[0])
    moving = candidate.pose(theta)
    if abs(linkage.p) > 0:
        ax.plot(moving.P.real, moving.P.imag, color=COLOURS[0], linewidth=1.3, zorder=2)
    _bar(ax, COLOURS[1], linkage.O, pose.A)
    ax.fill(*_xy(pose.A, pose.B, pose.P), color=paler(COLOURS[0], 0.75), zorder=2.5, linewidth=0)
    for ends in ((pose.A, pose.B), (pose.A, pose.P), (pose.B, pose.P)):
        _bar(ax, COLOURS[0], *ends)
    pivots = [linkage.O]
    if isinstance(linkage.guide, Circle):
        _bar(ax, COLOURS[2], linkage.guide.D, pose.B)
        pivots.append(linkage.guide.D)
    else:
        places = linkage.guide.follower(moving.B)
        ends = moving.B[[np.nanargmin(places), np.nanargmax(places)]]
        ax.plot(*_xy(*ends), color=GROUND, linewidth=6, alpha=0.35, solid_capstyle="round", zorder=1)
    ax.plot(*_xy(pose.A, pose.B, pose.P), markersize=5, zorder=4, **PIN)
    ax.plot(*_xy(*pivots), markersize=8, zorder=4, **(PIN | {"markerfacecolor": METAL}))
    candidate.task.draw(candidate, ax, small)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)
    if small:
        ax.tick_params(labelsize=7)
        if shown_unit("m") != "m":
            read_axis(ax.xaxis, "x")
            read_axis(ax.yaxis, "y")
    else:
        read_axis(ax.xaxis, "x")
        read_axis(ax.yaxis, "y")


def _draw_curves(synthesis: Any, ax: Any) -> None:
    for curve, colour, label in zip(
        synthesis.curves, (GROUND, COLOURS[3]), ("centre points", "circle points"), strict=True
    ):
        ax.plot(curve.real, curve.imag, ".", color=colour, markersize=3, label=label)
    near = np.concatenate(synthesis.curves)
    centre, reach = np.median(near.real) + 1j * np.median(near.imag), 3 * np.median(np.abs(near - np.median(near)))
    ax.set_xlim(centre.real - reach, centre.real + reach)
    ax.set_ylim(centre.imag - reach, centre.imag + reach)
    ax.set_aspect("equal", adjustable="box")
    ax.tick_params(labelsize=7)
    ax.legend(fontsize=7, loc="best")
    ax.set_title("Burmester's curves", fontsize=8, color=DARK, loc="left")


def _bar(ax: Any, colour: str, *ends: Any) -> None:
    ax.plot(*_xy(*ends), color=colour, **BAR)


def _xy(*points: Any) -> tuple[np.ndarray, np.ndarray]:
    z = np.array(points, dtype=complex)
    return z.real, z.imag
