"""Draw pictures of designs, fits and tolerances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ..unit_system import shown, size_of
from ..view.drawing.colours import COLOURS, DARK, GROUND, paler
from ..view.style import BESIDE, Picture, as_label, axis_label, axis_of, style

HEIGHT = 2.4


def panels(count: int) -> tuple[Figure, Any]:
    """Return a figure and its panels, one above the other, over the same times."""
    figure = Picture(figsize=(6.8, HEIGHT * count + 0.5), layout="constrained")
    return figure, figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]


def before_and_after(optimum: Any, names: str | Sequence[str]) -> Figure:
    """Plot quantities over time for the design at which the search began and for that at which it ended."""
    before, after = optimum.before, optimum.result
    drawn = ([names] if isinstance(names, str) else [*names]) or [*optimum.reads] or [*after.names[:1]]
    with style():
        figure, axes = panels(len(drawn))
        for name, ax in zip(drawn, axes, strict=True):
            size, word = size_of(after.unit(name), name)
            for result, look, label in (
                (before, {"color": GROUND, "linestyle": "--", "linewidth": 1.2}, "before"),
                (after, {"color": COLOURS[0]}, "after"),
            ):
                lines = ax.plot(axis_of(result)[0], result[name] / size, **look)
                lines[0].set_label(label)
            ax.set_ylabel(axis_label(as_label(name), word))
            ax.margins(x=0)
        for one in optimum.limits:
            for name, ax in zip(drawn, axes, strict=True):
                if one.limit.measured.label == name:
                    size, _ = size_of(after.unit(name), name)
                    for bound in {one.limit.lower, one.limit.upper}:
                        if np.isfinite(bound):
                            ax.axhline(bound / size, color=DARK, linewidth=0.9, linestyle=":")
        axes[0].legend(**BESIDE)
        axes[-1].set_xlabel(axis_of(after)[1])
    return figure


def measured_and_fitted(fit: Any) -> Figure:
    names = [*fit.measured.columns]
    with style():
        figure = Picture(figsize=(8.6, HEIGHT * len(names) + 0.5), layout="constrained")
        axes = figure.subplots(len(names), 2, sharex=True, squeeze=False, width_ratios=(3, 2))
        for name, (left, right) in zip(names, axes, strict=True):
            measured_at, (size, unit) = fit.measured.is_measured(name), size_of(fit.result.unit(name), name)
            t, _ = shown(fit.measured.t[measured_at], fit.result.axis[1], fit.result.axis[0])
            measured, noise = fit.measured.columns[name][measured_at] / size, fit.noise[name] / size
            left.plot(t, measured, ".", color=GROUND, markersize=3.5, label="measured")
            left.plot(axis_of(fit.result)[0], fit.result[name] / size, color=COLOURS[0], label="fit")
            left.set_ylabel(axis_label(as_label(name), unit))
            right.axhspan(-2 * noise, 2 * noise, color=paler(COLOURS[0], 0.85), linewidth=0)
            right.plot(t, -fit.residuals[name] / size, ".", color=DARK, markersize=3.5)
            right.set_ylabel(axis_label("measured - fit", unit))
        axes[0, 0].legend(loc="best")
        axes[0, 1].set_title("band: twice the noise", fontsize=8, color=GROUND, loc="right")
        for ax in axes[-1]:
            ax.set_xlabel(axis_of(fit.result)[1])
    return figure


def tolerance_bands(tolerance: Any, names: Sequence[str]) -> Figure:
    """Plot for each quantity the deviations from the nominal values, and below them the shares of the variance."""
    bands = [tolerance[name] for name in names]
    with style():
        figure = Picture(figsize=(6.8, 4.8 * len(bands)), layout="constrained")
        axes = figure.subplots(2 * len(bands), 1, sharex=True, height_ratios=(3, 2) * len(bands))
        for band, above, below in zip(bands, axes[::2], axes[1::2], strict=True):
            _draw_deviations(tolerance, band, above)
            _draw_shares(tolerance, band, below)
        axes[-1].set_xlabel(axis_of(tolerance.result)[1])
    return figure


def _draw_deviations(tolerance: Any, band: Any, ax: Any) -> None:
    (size, unit), (t, _) = size_of(band.unit, band.name), axis_of(tolerance.result)
    for width, white, label in ((band.worst, 0.85, "worst case"), (3 * band.sigma, 0.6, "3 σ, first order")):
        ax.fill_between(t, -width / size, width / size, color=paler(COLOURS[0], white), linewidth=0, label=label)
    if tolerance.ensemble is not None and tolerance.ensemble.done.any():
        members = (tolerance.ensemble.array(band.name)[tolerance.ensemble.done] - band.nominal) / size
        middle, spread = members.mean(axis=0), 3 * members.std(axis=0)
        for side, label in ((-1, "_"), (1, f"3 σ of {len(members)} members")):
            ax.plot(t, middle + side * spread, color=COLOURS[1], linestyle="--", linewidth=1.2, label=label)
        for edge, label in ((members.min(axis=0), "_"), (members.max(axis=0), "all members")):
            ax.plot(t, edge, color=GROUND, linewidth=0.8, label=label)
    ax.set_ylabel(axis_label(f"{as_label(band.name)} - nominal", unit))
    ax.legend(**BESIDE)


def _draw_shares(tolerance: Any, band: Any, ax: Any) -> None:
    shares = [band.share(one) for one in band.parts]
    labels, colours = [*map(as_label, band.parts)], [paler(c, 0.4) for c in COLOURS]
    ax.stackplot(axis_of(tolerance.result)[0], shares, labels=labels, colors=colours)
    ax.set_ylim(0, 1)
    ax.set_ylabel("share of variance")
    ax.margins(x=0)
    ax.legend(**BESIDE)
