"""A mechanism on a pair of axes, that can be put into any of its poses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ..results.result import Result
from .drawing import Piece, Stage, body_pieces, dot, line, reach
from .labels import label_pieces
from .motion import Motion, motion_of, path_of
from .style import axis_label
from .symbols import joint_pieces, slider_box

LOOKS = 400
"""How many poses tell how far a motion reaches."""
SYMBOL = 0.085
"""Half the size of a joint's symbol on paper (inches)."""


class Scene:
    """Made once, then moved from pose to pose by `show`.

    `bodies`, `joints`, `labels` and `traces` are the pieces of the drawing by what they belong to.
    """

    def __init__(self, result: Result, motion: Motion, ax: Any, trace: Sequence[str] = ()):
        self.result = result
        self.motion = motion
        self.ax = ax
        self.trace = trace
        whole = motion_of(result).thinned(LOOKS)
        rough = Stage(result.sketch, whole, whole)
        self.traces = {name: _trace(result, rough, name) for name in trace}
        self.corners = reach([*_all(_bodies(rough)), *_all(_joints(rough)), *self.traces.values()])
        self.inch = _metres_per_inch(ax, self.corners)
        self.stage = Stage(result.sketch, motion, whole, symbol=SYMBOL * self.inch * rough.fine)
        self.bodies = _bodies(self.stage)
        self.joints = _joints(self.stage)
        mechanism = [*_all(self.bodies), *_all(self.joints)]
        self.labels = label_pieces(self.stage, [*mechanism, *self.traces.values()], self.inch)
        self.riders = {name: _rider(self.stage, result, name) for name in trace}
        self.moving = [*mechanism, *self.riders.values(), *self.labels.values()]
        for piece in (*self.traces.values(), *self.moving):
            ax.add_artist(piece.artist)
        self._set_axes()
        self.show(0)

    def __len__(self) -> int:
        return len(self.motion)

    @property
    def figure(self) -> Figure:
        return self.ax.figure

    def show(self, pose: int) -> list[Any]:
        """Move everything to a pose; gives the artists that moved."""
        for piece in self.moving:
            piece.show(pose)
        self.ax.set_title(self.title(pose))
        return [*(piece.artist for piece in self.moving), self.ax.title]

    def title(self, pose: int) -> str:
        """Time with as many digits as tell the poses apart; the value of a swept parameter as it is."""
        name, unit = self.result.axis
        value = self.motion.values[pose]
        return f"{name} = {value:.{self._digits}f} {unit}" if name == "t" else f"{name} = {value:.4g} {unit}".strip()

    @property
    def _digits(self) -> int:
        values = self.stage.whole.values
        step = np.ptp(values) / 100
        return int(np.clip(np.ceil(-np.log10(step)), 2, 9)) if step > 0 else 3

    def add_ghosts(self) -> None:
        """The first pose with all others faint behind it."""
        self.show(0)
        if len(self) > 1:
            self.ax.set_title(f"{self.title(0)} … {self.title(len(self) - 1).partition('= ')[2]}")
        for pose in range(1, len(self)):
            stage = Stage(self.result.sketch, self.motion.at([pose]), self.stage.whole, self.stage.symbol)
            for piece in _ghost(stage):
                self.ax.add_artist(piece.artist)

    def _set_axes(self) -> None:
        low, high = self.corners
        if self.labels:
            near, far = reach(list(self.labels.values()))
            low, high = np.minimum(low, near), np.maximum(high, far)
        margin = 0.05 * self.inch + 2 * self.stage.symbol
        low, high = low - margin, high + margin
        self.ax.update_datalim([low, high])  # equal aspect may widen the limits, and keeps clear of these
        self.ax.set_xlim(low[0], high[0], auto=True)
        self.ax.set_ylim(low[1], high[1], auto=True)
        self.ax.set_aspect("equal", adjustable="datalim")
        self.ax.set_xlabel(axis_label("x", "m"))
        self.ax.set_ylabel(axis_label("y", "m"))
        if self.traces:
            self._add_legend()

    def _add_legend(self) -> None:
        """Below the axes where the layout makes room for it, so that it never covers the mechanism."""
        lines = [piece.artist for piece in self.traces.values()]
        if self.figure.get_layout_engine() is None:
            self.ax.legend(handles=lines, loc="best")
        else:
            self.figure.legend(handles=lines, loc="outside lower center", ncols=min(4, len(lines)))


def _bodies(stage: Stage, **how: Any) -> dict[str, list[Piece]]:
    return {body.name: list(body_pieces(stage, body, **how)) for body in stage.sketch.bodies}


def _joints(stage: Stage) -> dict[str, list[Piece]]:
    return {element.name: list(joint_pieces(stage, element)) for element in stage.sketch.elements}


def _ghost(stage: Stage) -> Iterator[Piece]:
    """A pose without its joints."""
    how = {"alpha": 0.18, "zorder": 1.2}
    yield from _all(_bodies(stage, **how))
    for element in stage.sketch.elements:
        if element.kind == "slider":
            yield slider_box(stage, element, **how)


def _all(pieces: dict[str, list[Piece]]) -> Iterator[Piece]:
    for group in pieces.values():
        yield from group


def _trace(result: Result, stage: Stage, name: str) -> Piece:
    """The whole path of a point, from all poses that were computed."""
    colour = stage.colour(name.partition(".")[0])
    path = path_of(result, name)[None]
    return line(path, color=colour, linewidth=1, alpha=0.8, zorder=1.5, label=f"path of {name}")


def _rider(stage: Stage, result: Result, name: str) -> Piece:
    """A dot that rides on the path of a point."""
    place = path_of(result, name, stage.shown.values)
    return dot(place, color=stage.colour(name.partition(".")[0]), markersize=4 * stage.fine, zorder=6)


def _metres_per_inch(ax: Any, corners: tuple[np.ndarray, np.ndarray]) -> float:
    """How much an inch of paper will show: the longer side decides, some paper is left for labels."""
    box = ax.get_position()
    paper = ax.figure.get_size_inches() * [box.width, box.height]
    span = (corners[1] - corners[0]) / np.maximum(paper - 0.8, 0.5 * paper)
    return float(span.max()) or 0.2
