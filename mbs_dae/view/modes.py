"""Draw small motions: eigenvalues in the complex plane, and the shapes of modes, still and moving."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..equilibria.linear import LinearSystem
from ..equilibria.small import motion_of_shape
from ..errors import ModelError
from ..tolerances import ZERO_EIGENVALUE
from ..unit_system import is_chosen, quotient, shown_unit, size_of, told
from .animation import Angles, Film, Size, animate, new_axes, new_figure, scene_on
from .drawing.colours import COLOURS, DARK, GROUND
from .drawing.motion import motion_of
from .style import GRID, Picture, as_label, axis_label, label_panel, line_styles, style

EXTREMES = np.array([0.0, 1.0, -1.0, 1j, -1j])
"""Factors of a mode's shape: the pose of the state, both extremes of its real part, and those a quarter period
later."""
FAINT = 0.3
COLUMNS = 3
FILM = 2.0  # s: duration of one period in a film
RATIOS = (0.1, 0.2, 0.4, 0.6, 0.8)


def plot_eigenvalues(law: LinearSystem) -> Figure:
    """Draw all modes in the upper half of the complex plane, with lines of equal damping and circles of equal
    frequency."""
    values = np.array([mode.eigenvalue for mode in law.modes])
    cycles, often = size_of("rad/s", frequency=True)
    values = values / cycles  # one unit on both axes, so that circles are circles
    with style():
        figure = Picture(figsize=(6.4, 4.8), layout="constrained")
        ax = figure.add_subplot()
        ax.set_title(f"eigenvalues of {as_label(law.state.system.model.name)}")
        high = 1.15 * (values.imag.max(initial=0.0) or np.abs(values).max(initial=0.0) or 1.0)
        wide = 1.25 * max(np.abs(values.real).max(initial=0.0), 0.15 * high)
        right = max(1.25 * values.real.max(initial=0.0), 0.25 * wide)
        ax.set_xlim(-wide, right)
        ax.set_ylim(-0.04 * high, high)
        _add_grid_of_damping(ax, wide, high)
        ax.axhline(0, color=GROUND, linewidth=0.8)
        ax.axvline(0, color=GROUND, linewidth=0.8)
        ax.axvspan(0, right, color=COLOURS[1], alpha=0.06, linewidth=0)
        ax.text(right, high, "grows ", ha="right", va="top", fontsize=8, color=GROUND)
        ax.plot(values.real, values.imag, "x", color=COLOURS[0], markersize=8, markeredgewidth=2, zorder=4)
        for place, names in _named(values, 0.05 * np.array([wide + right, high])):
            ax.annotate(names, tuple(place), (7, 5), textcoords="offset points", fontsize=9, color=DARK)
        ax.set_xlabel(axis_label(r"Re $\lambda$", often if cycles != 1.0 else "1/s"))
        ax.set_ylabel(axis_label(r"Im $\lambda$", often))
        ax.grid(False)
    return figure


def plot_bode(law: LinearSystem, frequencies: Any) -> Figure:
    """Draw Bode's diagram: amplitudes in a panel for each unit of output over input, and below them all phases,
    continuous along the frequency, in degrees unless another unit of angles is chosen. The default frequencies go from
    a tenth of the lowest to ten times the highest of A."""
    if frequencies is None:
        sizes = np.abs(law.eigenvalues[law.eigenvalues != 0.0])
        if not sizes.size:
            raise ModelError(
                "no eigenvalue tells a range of frequencies; give some in rad/s: law.bode([1, 2, 5])",
                code="no-nonzero-eigenvalue", argument="frequencies", model=law.state.system.model.name,
            )  # fmt: skip
        frequencies = np.geomspace(sizes.min() / 10, sizes.max() * 10, 801)
        still = law.eigenvalues.real == 0.0  # leave out the frequencies of undamped modes, where G has no value
        poles = np.abs(law.eigenvalues.imag[still])
        near = np.abs(frequencies[:, None] - poles) <= 1e-6 * sizes.max()
        frequencies = frequencies[~near.any(axis=1)]
    w = np.sort(np.atleast_1d(np.asarray(frequencies, dtype=float)))
    if w.min(initial=np.inf) <= 0.0:
        raise ModelError(
            "frequencies of a Bode diagram must be positive, in rad/s: its axis is logarithmic",
            code="not-positive", argument="frequencies", value=float(w.min()),
        )  # fmt: skip
    G = law.frequency_response(w)
    units = {name: law.unit(name) for name in (*law.inputs, *law.outputs)}
    cycles, often = size_of("rad/s", frequency=True)
    turn, word_of_phase = size_of("rad") if is_chosen("rad") else (np.pi / 180, "deg")
    panels: dict[str, list[tuple[int, int]]] = {}
    for i, out in enumerate(law.outputs):
        for j, put in enumerate(law.inputs):
            panels.setdefault(quotient(*(shown_unit(units[name], name) for name in (out, put))), []).append((i, j))
    with style():
        curves = len(law.outputs) * len(law.inputs)
        figure = Picture(figsize=(6.4, 2.0 + 2.0 * len(panels) + 0.08 * curves), layout="constrained")
        axes = figure.subplots(len(panels) + 1, sharex=True)
        axes[0].set_title(f"frequency response of {as_label(law.state.system.model.name)}")
        look = dict(zip((pair for pairs in panels.values() for pair in pairs), line_styles(), strict=False))
        for ax, (word, pairs) in zip(axes[:-1], panels.items(), strict=True):
            for i, j in pairs:
                out, put = law.outputs[i], law.inputs[j]
                size = size_of(units[out], out)[0] / size_of(units[put], put)[0]
                label = f"{as_label(out)} by {as_label(put)}"
                ax.loglog(w / cycles, np.abs(G[:, i, j]) / size, label=label, **look[i, j])
                phase = np.angle(G[:, i, j])
                phase[phase == np.pi] = -np.pi  # the limit of vanishing damping: the response lags
                axes[-1].semilogx(w / cycles, np.unwrap(phase) / turn, label=label, **look[i, j])
            label_panel(ax, "amplitude", word)
            ax.legend()
        if turn == np.pi / 180:
            axes[-1].yaxis.set_major_locator(MaxNLocator(steps=[1, 1.5, 3, 4.5, 9, 10]))
        axes[-1].set_ylabel(axis_label("phase", word_of_phase))
        axes[-1].set_xlabel(axis_label("frequency", often))
        if len(look) > 1:
            figure.legend(*axes[-1].get_legend_handles_labels(), loc="outside lower center", ncols=3, title="phases")
    return figure


def _add_grid_of_damping(ax: Any, wide: float, high: float) -> None:
    """Draw rays Re λ = -ζ |λ|, and circles about the origin through the ticks of the imaginary axis."""
    last = np.array([np.inf, np.inf])
    for ratio in reversed(RATIOS):
        ray = np.array([-ratio, np.sqrt(1 - ratio**2)])
        end = ray * min(wide / ratio, high / ray[1])
        ax.plot([0, end[0]], [0, end[1]], color=GRID, linewidth=0.8, zorder=1)
        place = 0.95 * end
        if np.abs((place - last) / [wide, high]).max() > 0.08:  # room for a word
            word, last = f"ζ = {ratio:g}" if last[0] == np.inf else f"{ratio:g}", place
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            side = "left" if end[0] < -0.99 * wide else "center"  # beyond the left edge of the axes
            ax.text(
                *(end if side == "left" else place),
                word,
                ha=side,
                va="center",
                fontsize=8,
                color=GROUND,
                bbox=box,
                zorder=2,
            )
    angle = np.linspace(np.pi / 2, np.pi, 91)
    for radius in (tick for tick in ax.get_yticks() if tick > 0):
        ax.plot(radius * np.cos(angle), radius * np.sin(angle), color=GRID, linewidth=0.6, linestyle=":", zorder=1)


def _named(values: np.ndarray, near: np.ndarray) -> Iterator[tuple[np.ndarray, str]]:
    """Yield places for the numbers of modes; eigenvalues that are near one another share one place."""
    waiting = np.stack([values.real, values.imag], axis=1)
    left = list(range(len(values)))
    while left:
        group = [k for k in left if (np.abs(waiting[k] - waiting[left[0]]) < near).all()]
        left = [k for k in left if k not in group]
        yield max((waiting[k] for k in group), key=tuple), ", ".join(str(k + 1) for k in group)


def draw_modes(law: LinearSystem, numbers: Sequence[int], amplitude: float | None, size: Size, view: Angles) -> Figure:
    """Draw the shapes of modes side by side: the pose of the state, and its extremes on either side faintly."""
    least = ZERO_EIGENVALUE * np.abs(law.eigenvalues).max(initial=0.0)
    numbers = [*(numbers or (k for k, mode in enumerate(law.modes, start=1) if abs(mode.eigenvalue) > least))]
    modes = [law.mode(number) for number in numbers]
    if not law.modes:
        law.mode(1)  # raises an error that says so
    if not modes:
        name = law.state.system.model.name
        raise ModelError(
            f"no force drives a small motion of {name!r} back or on; say which modes to draw: draw(1)",
            code="no-nonzero-eigenvalue", argument="numbers", model=name,
        )  # fmt: skip
    columns = 2 if len(modes) == 4 else min(COLUMNS, len(modes))
    rows = -(-len(modes) // columns)
    with style():
        figure, scenes = new_figure(size, columns, rows), []
        for k, (number, mode) in enumerate(zip(numbers, modes, strict=True), start=1):
            result = motion_of_shape(law.state, mode.shape, EXTREMES, np.arange(5.0), 0 * EXTREMES, amplitude)
            ax = new_axes(result, figure, view, (rows, columns, k))
            ax.patch.set_visible(False)  # in space, axes reach under their neighbours
            scenes.append(scene_on(ax, result, motion_of(result)))
            scenes[-1].add_ghosts(FAINT)
            if mode.frequency:
                rate = told(mode.frequency, "rad/s", digits=4, frequency=True)
                if not rate.endswith("Hz"):
                    rate += f", {mode.frequency / (2 * np.pi):.3g} Hz"
                rate += f", damping {mode.damping:.3g}" if abs(mode.damping) >= 5e-4 else ""
            else:
                rate = f"{mode.eigenvalue.real + 0.0:.4g} 1/s".replace("-", "\u2212")
            scenes[-1].say(f"mode {number}: {rate}")
        for scene in scenes:
            if scene.dimension == 3:
                scene.lay_out()
    return figure


def animate_mode(
    law: LinearSystem, number: int, path: str | Path | None, amplitude: float | None, **options: Any
) -> Film | Path:
    """Make a film of one mode; one period lasts two seconds unless `speed` is given."""
    result = law.motion(number, amplitude)
    return animate(result, path, **{"speed": float(result.t[-1]) / FILM, **options})
