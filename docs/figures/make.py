"""Draws every picture of the documentation: ``python docs/figures/make.py [folder]``.

The same input gives the same bytes (within one version of matplotlib), so a picture changes only when its content does.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import matplotlib

matplotlib.use("Agg")

import numpy as np
import sympy as sp
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path as MarkerPath

import mbs_dae as mbs
from mbs_dae.linear.order import ordering

HERE = Path(__file__).resolve().parent
BLUE, RED, GREEN, DARK, GREY = "#0072B2", "#D55E00", "#009E73", "#333333", "#8A8A8A"
SETTINGS = {"svg.hashsalt": "mbs_dae", "svg.fonttype": "path", "font.size": 11, "mathtext.fontset": "cm"}


def gap() -> Figure:
    """A slider-crank whose joint B is pulled open: frames, markers, and Φ as the gap between two of them."""
    figure = Figure(figsize=(8.0, 2.65))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_aspect("equal")
    ax.set_axis_off()
    A, crank_angle, r = np.array([0.0, 0.0]), 0.85, 2.0
    C, rod_angle, l = np.array([6.4, 0.0]), -0.30, 4.2
    i, j = A + r * unit(crank_angle), C - l * unit(rod_angle)
    crank, rod = A + r / 2 * unit(crank_angle), C - l / 2 * unit(rod_angle)

    ax.plot([-0.9, 7.7], [0, 0], color=GREY, linewidth=0.8, linestyle=(0, (8, 4)), zorder=0)
    for start, end, colour in ((A, i, BLUE), (j, C, GREEN)):
        bar(ax, start, end, colour)
    ax.add_patch(Rectangle((C[0] - 0.45, -0.25), 0.9, 0.5, facecolor=RED, alpha=0.22, zorder=1))
    ax.plot([C[0] - 1.1, C[0] + 1.1], [-0.25, -0.25], color=GREY, linewidth=1.2)
    ground(ax, A)

    for at, angle, colour in ((A, 0.0, DARK), (crank, crank_angle, BLUE), (rod, rod_angle, GREEN), (C, 0.0, RED)):
        frame(ax, at, angle, colour)
    arrow(ax, A, rod, DARK, width=1.0)
    arrow(ax, crank, i, BLUE)
    arrow(ax, rod, j, GREEN)
    arrow(ax, j, i, RED, width=2.2)
    for at, name, offset in ((A, "A", (-0.22, 0.12)), (C, "C", (-0.25, 0.36))):
        hole(ax, at)
        ax.text(*(at + offset), name, ha="center", va="center", color=DARK, fontweight="bold")
    for at in (i, j):
        hole(ax, at)

    words = [
        (i + (-0.18, 0.20), r"$p_i$", BLUE),
        (j + (0.12, 0.26), r"$p_j$", GREEN),
        ((i + j) / 2 + (-0.02, 0.30), r"$\Phi = p_i - p_j$", RED),
        (crank + 0.55 * (i - crank) + (-0.38, 0.16), r"$A s_i$", BLUE),
        (rod + 0.55 * (j - rod) + (0.16, 0.24), r"$A s_j$", GREEN),
        (0.62 * rod + (0.05, 0.20), r"$r_j$", DARK),
        ((-0.95, 1.35), "crank, body $i$", BLUE),
        (rod + (0.75, 0.12), "rod, body $j$", GREEN),
        (C + (0, -0.52), "slider", RED),
        (A + (0.78, -0.40), "ground", DARK),
    ]
    for place, word, colour in words:
        ax.text(*place, word, color=colour, ha="left" if "body" in word else "center", va="center", fontsize=12)
    ax.set_xlim(-1.05, 7.75)
    ax.set_ylim(-0.80, 2.10)
    return figure


def unit(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


def bar(ax, start, end, colour) -> None:
    length, angle = np.hypot(*(end - start)), np.arctan2(*(end - start)[::-1])
    box = FancyBboxPatch((0, -0.13), length, 0.26, boxstyle="round,pad=0.04,rounding_size=0.13")
    box.set(facecolor=colour, edgecolor="none", alpha=0.2, zorder=1)
    box.set_transform(matplotlib.transforms.Affine2D().rotate(angle).translate(*start) + ax.transData)
    ax.add_patch(box)


def arrow(ax, start, end, colour, width=1.4) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "shrinkA": 0, "shrinkB": 3, "mutation_scale": 13}
    ax.annotate("", end, start, arrowprops=style, zorder=4)


def frame(ax, at, angle, colour) -> None:
    """The two axes of a body's frame; x is the longer one."""
    for length, turn in ((0.55, 0.0), (0.4, np.pi / 2)):
        style = {"arrowstyle": "->", "color": colour, "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", at + length * unit(angle + turn), at, arrowprops=style, zorder=3)


def hole(ax, at) -> None:
    ax.add_patch(Circle(at, 0.075, facecolor="white", edgecolor=DARK, linewidth=1.2, zorder=5))


def ground(ax, at) -> None:
    ax.add_patch(Polygon([at, at + (-0.22, -0.36), at + (0.22, -0.36)], facecolor="white", edgecolor=GREY, zorder=1))
    for x in np.linspace(-0.3, 0.3, 5):
        ax.plot([at[0] + x, at[0] + x - 0.1], [at[1] - 0.36, at[1] - 0.48], color=GREY, linewidth=1)


def elimination() -> Figure:
    """The KKT matrix of four loops in its order of elimination, and the nonzeros of L."""
    system = four_loops().compile()
    pattern, n, size = system.pattern, system.nv, system.nv + len(system.rows)
    entries = pattern.jac_row.astype(int), pattern.jac_column.astype(int)
    order = ordering(n, size - n, *entries)
    own, lower = np.zeros((2, size, size), dtype=bool)
    lower[order.row, order.column] = True
    ends = order.place[np.stack([entries[0] + n, entries[1]])]
    own[ends.max(axis=0), ends.min(axis=0)] = True  # what L takes over from the matrix

    figure = Figure(figsize=(7.0, 3.8))
    left, right = figure.subplots(1, 2)
    dots(left, own | own.T, BLUE, label=r"$\Phi_v$ and $\Phi_v^T$")
    dots(left, np.diag(np.arange(size) < n), DARK, label="$W$")
    dots(right, own, BLUE, label=r"where $\Phi_v$ stands")
    dots(right, lower & ~own, RED, label="filled in")
    dots(right, np.eye(size, dtype=bool), DARK, label="$D$")
    for ax, title in ((left, "the matrix"), (right, "its factors $L$ and $D$")):
        ax.set_title(title, fontsize=11)
        ax.axhline(n - 0.5, color=GREY, linewidth=0.8)
        ax.axvline(n - 0.5, color=GREY, linewidth=0.8)
        ax.set(xlim=(-1, size), ylim=(size, -1), aspect="equal", xticks=[], yticks=[])
        for at, word in ((n / 2, "$x$"), ((n + size) / 2, r"$\lambda$")):
            ax.text(-0.06 * size, at, word, ha="center", va="center", fontsize=12)
        box = {"handlelength": 0.7, "handleheight": 0.7, "columnspacing": 1.2, "handletextpad": 0.4}
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), frameon=False, ncols=3, fontsize=10, **box)
    figure.subplots_adjust(0.05, 0.10, 0.99, 0.92, wspace=0.12)
    return figure


def four_loops() -> mbs.PlanarModel:
    """Five cranks in a row, each tied to the next one by a bar."""
    model = mbs.PlanarModel("four loops")
    cranks = [model.link(f"crank{k}", (k, 0), (k, 1)) for k in range(5)]
    for k, crank in enumerate(cranks):
        model.add(mbs.Revolute(f"O{k}", model.ground.at(k, 0), crank.tail))
    for k, (crank, after) in enumerate(itertools.pairwise(cranks)):
        bar = model.link(f"bar{k}", (k, 1), (k + 1, 1))
        model.add(mbs.Revolute(f"P{k}", crank.head, bar.tail), mbs.Revolute(f"Q{k}", bar.head, after.head))
    model.add(mbs.Driver("motor", mbs.angle(model.ground, cranks[0]), mbs.t))
    return model


def dots(ax, where, colour, label) -> None:
    """A square for each item."""
    corners = 0.42 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
    squares = [MarkerPath(corners + (column, row), closed=True) for row, column in np.argwhere(where)]
    path = MarkerPath.make_compound_path(*squares)
    ax.add_patch(PathPatch(path, facecolor=colour, edgecolor="none", label=label))


def six_bar_graph() -> Figure:
    """The graph of models/six_bar.py."""
    return mbs.topology(run_path(str(HERE.parents[1] / "models" / "six_bar.py"))["build"]()).draw()


def load_shares() -> Figure:
    """The force in the crank pin of an engine along its slider, stacked by its sources."""
    omega = 150.0
    model = mbs.PlanarModel("engine", gravity=(0, -9.81))
    crank = model.body("crank", mass=1.5, inertia=0.01, com=(0.02, 0))
    rod = model.body("rod", mass=0.8, inertia=0.004, com=(0.04, 0), position=(0.05, 0))
    piston = model.body("piston", mass=0.6, position=(0.2, 0))
    guide = mbs.Translational("guide", model.ground, piston)
    model.add(
        mbs.Revolute("A", model.ground, crank),
        mbs.Revolute("B", crank.at(0.05, 0), rod),
        mbs.Revolute("C", rod.at(0.15, 0), piston),
        guide,
        mbs.Driver("motor", mbs.angle(crank), omega * mbs.t),
        mbs.Actuator("gas", guide, -800 * (1 + sp.cos(omega * mbs.t))),
    )
    figure = mbs.inverse_dynamics(model, np.linspace(0, 2 * np.pi / omega, 121)).shares("B").plot("Fx")
    figure.set_size_inches(6.6, 3.0)
    return figure


def coupler_curve() -> Figure:
    """A coupler curve between the two dead points of a four-bar of which no link goes round."""
    points = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}
    model = mbs.PlanarModel.from_points(points, rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD")
    model.bodies["coupler"].marker("P", 0.1, 0.3)
    figure = mbs.follow(model, "crank.angle").plot_path("coupler.P")
    figure.set_size_inches(6.6, 4.0)
    return figure


def five_bar_workspace() -> Figure:
    """Over the place of the hand: serial singularities bound it, parallel ones are inside."""
    B, C = 0.6 * np.exp(2j), 1.0 + 0.6 * np.exp(1j)
    P = (B + C) / 2 + 1j * (C - B) / abs(C - B) * np.sqrt(0.9**2 - abs(C - B) ** 2 / 4)
    points = {name: (z.real, z.imag) for name, z in {"A": 0j, "B": B, "P": P, "C": C, "E": 1 + 0j}.items()}
    rods = {"crank1": "AB", "leg1": "BP", "leg2": "PC", "crank2": "EC"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AE")
    inputs = ("crank1.angle", "crank2.angle")
    figure = mbs.workspace(model, {"leg1.P.x": (-1, 2), "leg1.P.y": (-1.6, 1.6)}, inputs=inputs, step=0.2).plot()
    figure.set_size_inches(4.9, 3.0)
    return figure


def reachable() -> Figure:
    points = {"A": (0, 0), "B": (1, 0), "C": (1.5, 0.3)}
    arm = mbs.PlanarModel.from_points(points, rods=["AB", "BC"], fixed="A")
    limits = {"A.angle": (-1, 2), "B.angle": (-2, 2)}
    figure = mbs.reachable_workspace(arm, "BC.C", limits=limits, step=0.2).plot()
    figure.set_size_inches(5.4, 3.4)
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    "five_bar_workspace.png": five_bar_workspace,
    "reachable.png": reachable,
    "coupler_curve.png": coupler_curve,
    "elimination.png": elimination,
    "gap.svg": gap,
    "load_shares.png": load_shares,
    "six_bar_graph.svg": six_bar_graph,
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(SETTINGS):
        for name, draw in FIGURES.items():
            untold = "Date" if name.endswith(".svg") else "Software"
            draw().savefig(folder / name, dpi=150, metadata={untold: None})
            print(folder / name)


if __name__ == "__main__":
    main()
