"""The graph of a mechanism: the tree from the ground to the right, and what closes its loops dashed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..errors import ModelError
from ..graph.topology import Closure, Topology
from .graph_plan import FONT_SIZE, PAD, Plan, edge_name, planned
from .style import COLOURS, DARK, GRID, GROUND, Picture, style

SMALL = 7
TREE, CUT, COUPLING = COLOURS[0], COLOURS[1], COLOURS[3]
DASHED = (0, (4, 2.5))
LEGEND = 0.17  # the height of a line of the legend


def draw(topology: Topology, ax: Any = None) -> Figure:
    """The picture, in the given axes or in a figure of its own."""
    closures = [c for c in (*topology.cuts, *topology.couplings) if c.loop]
    plan = planned(topology, closures)
    corners = [box.side(np.array([(1, 1), (-1, -1)])) for box in (*plan.bodies, *plan.edge_names, *plan.curve_names)]
    points = np.concatenate([*corners, *plan.curves])
    low, high = points.min(axis=0) - 0.1, points.max(axis=0) + 0.1
    dashed = ((topology.cuts, "cut joint", CUT), (topology.couplings, "coupling", COUPLING))
    legend = [(word, colour) for some, word, colour in dashed if any(closure in some for closure in closures)]
    low[1] -= LEGEND * len(legend)
    with style():
        if ax is None:
            figure = Picture(figsize=tuple(high - low))
            ax = figure.add_axes((0, 0, 1, 1))
        elif not hasattr(ax, "get_window_extent"):
            raise ModelError(f"draw() draws into matplotlib axes, not {ax!r}; leave ax out for a figure of its own")
        room = ax.get_window_extent().size / ax.figure.dpi
        scale = min(1.0, *(room / (high - low)))
        _paint(ax, topology, closures, plan, scale)
        for k, (word, colour) in enumerate(reversed(legend)):
            x, y = low[0] + 0.1, low[1] + (k + 0.5) * LEGEND
            ax.plot((x, x + 0.3), (y, y), linewidth=1.4 * scale, color=colour, linestyle=DASHED)
            ax.text(x + 0.37, y, word, fontsize=scale * SMALL, color=colour, va="center_baseline")
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        ax.set_axis_off()
    return ax.figure






def _paint(ax: Any, topology: Topology, closures: Sequence[Closure], plan: Plan, scale: float) -> None:
    def write(x: float, y: float, text: str, size: float = FONT_SIZE, **how: Any) -> None:
        how = {"color": DARK, "ha": "center", "va": "center", "zorder": 4} | how
        ax.text(x, y, text, fontsize=scale * size, parse_math=False, **how)

    width = 1.4 * scale
    for edge, line, name in zip(topology.edges, plan.edges, plan.edge_names, strict=True):
        how = {"color": GROUND, "linestyle": ":"} if edge.floating else {"color": TREE}
        ax.plot(*line.T, linewidth=width, zorder=1, solid_joinstyle="round", **how)
        write(name.x, name.y, edge_name(edge), color=how["color"])
    for closure, curve, name in zip(closures, plan.curves, plan.curve_names, strict=True):
        colour = CUT if closure in topology.cuts else COUPLING
        ax.plot(*curve.T, linewidth=width, color=colour, linestyle=DASHED, zorder=2)
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.8 * scale}
        write(name.x, name.y, closure.name, color=colour, bbox=paper, zorder=3)
    for k, (body, box) in enumerate(zip((topology.ground, *topology.bodies), plan.bodies, strict=True)):
        corner, size = (box.left, box.y - box.half_height), (2 * box.half_width, 2 * box.half_height)
        fill, ink = (GRID, GROUND) if k == 0 else ("white", DARK)
        ax.add_patch(Rectangle(corner, *size, facecolor=fill, edgecolor=ink, linewidth=scale, zorder=3))
        write(box.left + PAD, box.y, str(k), SMALL, color=GROUND, ha="left")
        write(box.right - PAD, box.y, body.name, ha="right")
