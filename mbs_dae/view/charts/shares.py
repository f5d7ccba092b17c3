"""Draw the sources of loads: shares stacked over time, and the load as a line."""

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ...errors import check_name
from ...results.shares import Shares
from ...tolerances import DRAWN_SHARE
from ...unit_system import size_of
from ..drawing.colours import COLOURS, DARK, paler
from ..style import Picture, as_label, axis_label, axis_of, style

MOST = 2 * len(COLOURS) - 1  # number of shares with a colour of their own; smaller ones are drawn as one


def plot_shares(shares: Shares, names: Sequence[str]) -> Figure:
    """Draw a panel for each component that is not zero, with positive shares upwards and negative ones downwards; the
    load is the sum above less the sum below."""
    for name in names:
        check_name("component", name, shares.components, f"what {shares.of} {shares.verb}")
    columns = [shares.components.index(name) for name in names]
    if not columns:  # the components that are not zero; the first if all are
        sizes, units = np.array([_largest(part) for part in shares.parts.values()]).max(axis=0), np.array(shares.units)
        most = np.array([sizes[units == unit].max() for unit in units])
        columns = [
            k for k in range(len(sizes)) if sizes[k] > DRAWN_SHARE * max(most[k], DRAWN_SHARE * sizes.max())
        ] or [0]
    layers = [*_layers(shares, columns)]
    with style():
        figure = Picture(figsize=(7.6, max(3.4, 0.9 + 2.1 * len(columns))), layout="constrained")
        panels = figure.subplots(len(columns), 1, sharex=True, squeeze=False)[:, 0]
        t, along = axis_of(shares)
        for ax, column in zip(panels, columns, strict=True):
            letter = shares.components[column]
            size, unit = size_of(shares.units[column], f"{shares.of}.{letter}")
            _stack(ax, t, [(name, part[:, column] / size, colour) for name, part, colour in layers])
            marker = "o" if len(shares.t) == 1 else ""
            ax.plot(t, _table(shares.total)[:, column] / size, color=DARK, label="sum", marker=marker)
            symbol = f"${letter[0]}_{letter[1]}$" if len(letter) == 2 else letter
            ax.set_ylabel(axis_label(f"{as_label(shares.of)}: {symbol}", unit))
        panels[-1].set_xlabel(along)
        figure.align_ylabels(list(panels))
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def _layers(shares: Shares, columns: list[int]) -> Iterator[tuple[str, np.ndarray, str]]:
    """Yield name, values and colour of the drawn shares, the largest next to the axis; the rest is one layer."""
    parts = {name: _table(part) for name, part in shares.parts.items()}
    sizes = {name: _largest(part)[columns] for name, part in parts.items()}
    most = np.array([*sizes.values()]).max(axis=0)
    weight = {name: float((size / np.where(most > 0.0, most, 1.0)).max()) for name, size in sizes.items()}
    order = sorted((name for name in parts if weight[name] > DRAWN_SHARE), key=lambda name: -weight[name])
    shown = order if len(order) <= MOST + 1 else order[:MOST]
    for name, colour in zip(shown, cycle([*COLOURS, *(paler(c, 0.55) for c in COLOURS)]), strict=False):
        yield as_label(name), parts[name], colour
    if rest := order[len(shown) :]:
        yield f"{len(rest)} others", np.sum([parts[name] for name in rest], axis=0), "#BBBBBB"


def _stack(ax: Any, t: np.ndarray, layers: list[tuple[str, np.ndarray, str]]) -> None:
    above, below = np.zeros(len(t)), np.zeros(len(t))
    for name, values, colour in layers:
        up, down = above + np.maximum(values, 0.0), below + np.minimum(values, 0.0)
        how = {"color": colour, "alpha": 0.75, "linewidth": 0.0}
        if len(t) == 1:
            ax.bar(t, up - above, bottom=above, label=name, **how)
            ax.bar(t, down - below, bottom=below, **how)
        else:
            ax.fill_between(t, above, up, label=name, **how)
            ax.fill_between(t, below, down, **how)
        above, below = up, down


def _table(load: np.ndarray) -> np.ndarray:
    return load.reshape(len(load), -1)


def _largest(load: np.ndarray) -> np.ndarray:
    """Return the largest absolute value over time of each component, shape (components,)."""
    return np.asarray(np.nan_to_num(np.abs(_table(load))).max(axis=0, initial=0.0))
