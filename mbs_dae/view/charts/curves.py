"""Draw curves that were followed by arc length, with a colour for each branch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ...errors import ModelError
from ...poses.arcs.curve import Curve
from ...unit_system import shown_unit, size_of
from ..drawing.colours import COLOURS, DARK
from ..plots import names_of
from ..style import BESIDE, START, Picture, as_label, axis_label, say_if_stopped, style

DEAD: dict[str, Any] = {"marker": "o", "markersize": 5, "linestyle": "none", "color": DARK, "zorder": 5}
CROSS: dict[str, Any] = {"marker": "X", "markersize": 7, "linestyle": "none", "color": DARK, "zorder": 5}
DASHES = ("-", "--", ":", "-.")
"""The line styles of the curves, in their order."""


def plot_curve(curve: Curve, names: Sequence[str], over: str | None, beside: Curve | Sequence[Curve]) -> Figure:
    """Draw named quantities over the followed quantity, or over `over`."""
    curves, x = _curves(curve, beside), curve.followed if over is None else over
    if curve.components(x) != (x,):
        raise ModelError(
            f"plot() draws over= a number, and {x!r} is a vector; write over={curve.components(x)[0]!r}",
            code="is-a-vector", argument="over", name=x, components=tuple(curve.components(x)),
        )  # fmt: skip
    names = names_of(names, "plot", "quantities", curve.names)
    names = list(dict.fromkeys(part for name in names for part in curve.components(name)))
    with style():
        figure = Picture(figsize=(7.4, max(3.6, 0.6 + 2.8 * len(names))), layout="constrained")
        say_if_stopped(figure, curve)
        for ax, name in zip(figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0], names, strict=True):
            _draw(ax, curves, x, name)
            ax.set_ylabel(axis_label(as_label(name), shown_unit(curve.unit(name), name)))
            _add_legend(ax)
        figure.axes[-1].set_xlabel(axis_label(as_label(x), shown_unit(curve.unit(x), x)))
    return figure


def plot_curve_path(curve: Curve, markers: Sequence[str], beside: Curve | Sequence[Curve]) -> Figure:
    """Draw coupler curves; those in space are seen along the axis across which they are flattest."""
    curves = _curves(curve, beside)
    names = names_of(markers, "plot_path", "points", [name[:-2] for name in curve.names if name.endswith(".x")])
    with style():
        figure = Picture(figsize=(3.2 + 3.6 * len(names), 4.4), layout="constrained")
        say_if_stopped(figure, curve)
        for ax, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
            across, seen = _plane(curves, name)
            _draw(ax, curves, *(f"{name}.{axis}" for axis in across))
            ax.set_aspect("equal", adjustable="datalim")
            ax.set_title(as_label(name) + seen)
            for axis, put in zip(across, (ax.set_xlabel, ax.set_ylabel), strict=True):
                put(axis_label(axis, shown_unit("m", f"{name}.{axis}", name)))
        _add_legend(figure.axes[-1])
    return figure


def _add_legend(ax: Any) -> None:
    """Add a legend if there are at least two labels."""
    if len(ax.get_legend_handles_labels()[1]) > 1:
        ax.legend(**BESIDE)


def _plane(curves: Sequence[Curve], name: str) -> tuple[str, str]:
    """Return the two axes in which the paths of a point are drawn, and a note on the direction of view."""
    if curves[0].sketch.dimension == 2:
        return "xy", ""
    points = np.hstack([np.stack([curve[f"{name}.{axis}"] for axis in "xyz"]) for curve in curves])
    normal = np.linalg.svd(points - points.mean(axis=1, keepdims=True), full_matrices=False)[0][:, -1]
    along = "xyz"[int(np.abs(normal).argmax())]
    return "xyz".replace(along, ""), f", seen along {along}"


def _curves(curve: Curve, beside: Any) -> list[Curve]:
    """Return a curve and the curves beside it; raise a `ModelError` if they are none."""
    others = [*beside] if isinstance(beside, tuple | list) else [beside]
    for other in others:
        if not isinstance(other, Curve):
            raise ModelError(
                f"beside= takes other curves of mbs.follow, not {other!r}",
                code="not-a-curve", argument="beside", value=other,
            )  # fmt: skip
    return [curve, *others]


def _draw(ax: Any, curves: Sequence[Curve], x: str, y: str) -> None:
    """Draw all branches of all curves, with dead points, branch points and ends."""
    colours = cycle(COLOURS)
    owners = [(name, name.rpartition(".")[0]) if x[:-1] == y[:-1] else (name,) for name in (x, y)]  # point or not
    sizes = np.array([size_of(curves[0].unit(names[0]), *names)[0] for names in owners])[:, None]
    for number, (curve, dashes) in enumerate(zip(curves, cycle(DASHES), strict=False), start=1):
        turns = np.zeros((2, 1))  # the whole turns [rad] that bring an angle close to that of the first curve
        for k, name in enumerate((x, y)):
            if curves[0].unit(name) == "rad":
                first, middle = (0.5 * (c[name].min() + c[name].max()) for c in (curves[0], curve))
                turns[k] = 2.0 * np.pi * np.round((first - middle) / (2.0 * np.pi))
        which = f"curve {number}, " if len(curves) > 1 else ""
        for branch, pieces in _pieces(curve, x, y):
            colour = next(colours)
            for k, piece in enumerate(pieces):
                label = f"{which}branch {branch}" if k == 0 else "_"
                ax.plot(*((piece + turns) / sizes), dashes, color=colour, label=label)
        last = number == len(curves)
        special = (curve.dead_points, DEAD, "dead point"), (curve.branch_points, CROSS, "branch point")
        for points, look, label in special:
            at = np.array([[point.state[name] for name in (x, y)] for point in points]).reshape(-1, 2)
            shown = last and any(c.dead_points if look is DEAD else c.branch_points for c in curves)
            ax.plot(*((at.T + turns) / sizes), **look, label=label if shown else "_")
        if not curve.closed:
            both_ends = np.stack([curve[x], curve[y]])[:, [0, -1]]
            ax.plot(*((both_ends + turns) / sizes), **START, linestyle="none", label="end" if last else "_")


def _pieces(curve: Curve, x: str, y: str) -> Iterator[tuple[int, list[np.ndarray]]]:
    """Yield each branch with its lines, from dead point to dead point, each of shape (2, points)."""
    at, states = np.array([point.s for point in curve.dead_points]), [point.state for point in curve.dead_points]
    corners = [np.array([state[x], state[y]]) for state in states]
    runs = np.split(np.stack([curve[x], curve[y]]), np.searchsorted(curve.t, at), axis=1)
    branches: dict[int, list[np.ndarray]] = {}
    for k, run in enumerate(runs):
        before = [corners[k - 1][:, None]] if k else []
        after = [corners[k][:, None]] if k < len(corners) else []
        number = k % len(at) if curve.closed and len(at) else k
        branches.setdefault(number, []).append(np.hstack([*before, run, *after]))
    yield from branches.items()
