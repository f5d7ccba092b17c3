"""Draw the graph of a mechanism: the tree from the ground to the right, with dashed chords that close its loops.

A body stands in the column of its depth, each leaf of the tree in its own row, and every parent in the middle of its
children. Hence no two bodies and no two edges of the tree overlap. A chord is a curve from body to body: of several
candidates, the one that covers and crosses least; its name stands where it covers least. All lengths are inches on
paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextPath
from scipy.spatial.distance import cdist

from ..errors import ModelError
from ..graph.topology import Closure, Topology
from ..graph.tree import Edge
from .drawing.colours import COLOURS, DARK, GROUND
from .labels import dense
from .style import GRID, Picture, style

FONT_SIZE = 9
ROW = 0.52  # distance between rows
GAP = 0.22  # room beside the name of a joint
BEND = 0.14  # distance from a column to the bend of the edges to its children
PAD = 0.08  # room around the name of a body
HALF = 0.13  # half the height of a body
SMALL = 7
TREE, CUT, COUPLING = COLOURS[0], COLOURS[1], COLOURS[3]
DASHED = (0, (4, 2.5))
LEGEND = 0.17  # height of a line of the legend


def draw(topology: Topology, ax: Any = None) -> Figure:
    """Draw the graph in the given axes, or in a new figure that fits it."""
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
            raise ModelError(
                f"draw() draws into matplotlib axes, not {ax!r}; leave ax out for a figure of its own",
                code="not-axes", argument="ax", value=ax,
            )  # fmt: skip
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


def _paint(ax: Any, topology: Topology, closures: Sequence[Closure], plan: GraphPlan, scale: float) -> None:
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


# --- places ---


class PaperBox(NamedTuple):
    """A rectangle on the paper, given by its middle."""

    x: float
    y: float
    half_width: float
    half_height: float

    @property
    def left(self) -> float:
        return self.x - self.half_width

    @property
    def right(self) -> float:
        return self.x + self.half_width

    def side(self, towards: np.ndarray) -> np.ndarray:
        return np.array((self.x, self.y)) + towards * (self.half_width, self.half_height)

    def holds(self, points: np.ndarray, margin: float = 0.0) -> np.ndarray:
        """Return whether points of shape (..., 2) lie in the rectangle, widened by a margin."""
        dx, dy = np.abs(points - (self.x, self.y)).T
        return ((dx < self.half_width + margin) & (dy < self.half_height + margin)).T

    def overlaps(self, other: PaperBox) -> bool:
        wide, high = self.half_width + other.half_width, self.half_height + other.half_height
        return abs(self.x - other.x) < wide and abs(self.y - other.y) < high


class GraphPlan(NamedTuple):
    """The places of all parts: bodies by number (the ground is 0), edges as polylines from parent to child."""

    bodies: list[PaperBox]
    edges: list[np.ndarray]
    edge_names: list[PaperBox]
    curves: list[np.ndarray]
    curve_names: list[PaperBox]


def planned(topology: Topology, closures: Sequence[Closure]) -> GraphPlan:
    bodies = _bodies(topology)
    edges: list[np.ndarray] = []
    edge_names: list[PaperBox] = []
    for k, edge in enumerate(topology.edges, start=1):
        parent, child = bodies[topology.parents[k - 1]], bodies[k]
        start, end = parent.right, child.left
        bend = max(body.right for body in bodies if body.left == parent.left) + BEND  # beyond the parent's column
        edges.append(np.array([(start, parent.y), (bend, parent.y), (bend, child.y), (end, child.y)]))
        half = _width(edge_name(edge)) / 2
        edge_names.append(PaperBox(bend + GAP / 2 + half, child.y + 0.10, half, 0.07))
    drawn = [dense(edge[None], 40)[0] for edge in edges]
    curves: list[np.ndarray] = []
    for closure in closures:
        ends = [topology.numbers[closure.loop[k].name] for k in (0, -1)]
        candidates = list(_curves(*(bodies[k] for k in ends)))
        curves.append(min(candidates, key=lambda curve: _curve_cost(curve, bodies, edge_names, [*drawn, *curves])))
    names: list[PaperBox] = []
    for closure, curve in zip(closures, curves, strict=True):
        half = _width(closure.name) / 2
        places = [PaperBox(x, y, half + 0.03, 0.08) for x, y in curve[9:-9:3]]
        others = np.concatenate([*drawn, *(other for other in curves if other is not curve)])
        middle, boxes = curve[len(curve) // 2], [*bodies, *edge_names, *names]
        # The cost of a place is what it covers, plus its distance from the middle of the curve.
        costs = [
            100.0 * sum(box.overlaps(other) for other in boxes)
            + 5.0 * box.holds(others).sum()
            + np.hypot(*(middle - (box.x, box.y)))
            for box in places
        ]
        names.append(places[int(np.argmin(costs))])
    return GraphPlan(bodies, edges, edge_names, curves, names)


def _bodies(topology: Topology) -> list[PaperBox]:
    """Return boxes in columns by depth, each as wide as its names, and in rows by leaves, from the top."""
    count = len(topology.parents) + 1
    names = [topology.ground.name, *(body.name for body in topology.bodies)]
    depth, children = [0] * count, [[] for _ in range(count)]  # type: tuple[list[int], list[list[int]]]
    for k, parent in enumerate(topology.parents, start=1):
        depth[k] = depth[parent] + 1
        children[parent].append(k)
    half = [_width(f"{k}  {name}") / 2 + PAD for k, name in enumerate(names)]
    right, x, widest = 0.0, [], []
    for column in range(max(depth) + 1):
        here = [k for k in range(count) if depth[k] == column]
        entering = [_width(edge_name(topology.edges[k - 1])) for k in here if k]
        widest.append(max(half[k] for k in here))
        x.append(right + (BEND + GAP + max(entering) if entering else 0.0) + widest[-1])
        right = x[-1] + widest[-1]

    y = [0.0] * count
    rows, ahead = 0, [0]
    while ahead:  # leaves in depth-first order
        k = ahead.pop()
        if not children[k]:
            y[k] = -ROW * rows
            rows += 1
        ahead += reversed(children[k])
    for k in sorted(range(count), key=lambda k: -depth[k]):
        if children[k]:
            y[k] = (y[children[k][0]] + y[children[k][-1]]) / 2
    return [PaperBox(x[depth[k]], y[k], widest[depth[k]], HALF) for k in range(count)]


SIDES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])


def _curves(a: PaperBox, b: PaperBox) -> Iterator[np.ndarray]:
    """Yield Bézier curves from one body to another, which leave and enter at any side."""
    s = np.linspace(0, 1, 61)[:, None]
    for out, into in product(SIDES, SIDES):
        start, end = a.side(out), b.side(into)
        for reach in (0.25, 0.5, 0.9, 1.4):
            p, r = start + reach * out, end + reach * into
            yield (1 - s) ** 3 * start + 3 * (1 - s) ** 2 * s * p + 3 * (1 - s) * s**2 * r + s**3 * end


def _curve_cost(
    curve: np.ndarray, bodies: Sequence[PaperBox], names: Sequence[PaperBox], drawn: Sequence[np.ndarray]
) -> float:
    """Return the cost of a curve: its points that cover bodies and names or touch lines, plus its length."""
    inner = curve[2:-2]
    covered = sum(box.holds(inner, 0.04).sum() for box in bodies) + sum(box.holds(inner).sum() for box in names)
    lines = np.concatenate(drawn)
    near = (cdist(inner, lines, "chebyshev") < 0.05).any(axis=1).sum()
    length = np.hypot(*np.diff(curve, axis=0).T).sum()
    return float(10 * covered + 2 * near + 3 * length)


def edge_name(edge: Edge) -> str:
    return "floats" if edge.floating else edge.joint.name


def _width(text: str) -> float:
    """Return the width of a name in the font of the picture [inch]."""
    if not text.strip():
        return 0.0
    extents = TextPath((0, 0), text.replace("$", "S"), prop=FontProperties(family="DejaVu Sans", size=FONT_SIZE))
    return float(extents.get_extents().width) / 72
