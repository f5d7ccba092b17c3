"""A mechanism on a pair of axes, that can be put into any of its poses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ..results.result import Result
from .drawing import Piece, Stage, body_pieces, dot, line, one_after_the_other, reach, skeletons
from .force_symbols import force_pieces
from .labels import label_pieces
from .motion import Motion, motion_of, path_of
from .style import Picture, as_label, axis_label
from .symbols import joint_pieces, slider_box

LOOKS = 400
"""How many poses tell how far a motion reaches."""
SYMBOL = 0.085
"""Half the size of a joint's symbol on paper (inches)."""


class Scene:
    """Made once, then moved from pose to pose by `show`.

    `bodies`, `joints`, `forces`, `labels` and `traces` are the pieces of the drawing by what they belong to.
    """

    def __init__(self, result: Result, motion: Motion, ax: Any, trace: Sequence[str] = ()):
        self.result = result
        self.motion = motion
        self.ax = ax
        self.trace = trace
        whole = motion_of(result).thinned(LOOKS)
        rough = Stage.all_of(result.sketch, whole, whole)
        self.traces = {name: _trace(result, rough[0], name) for name in trace}
        mechanism = [*_all(_bodies(rough)), *_all(_joints(rough)), *_all(_forces(rough))]
        self.corners = reach([*mechanism, *self.traces.values()])
        self.inch = _metres_per_inch(ax, self.corners)
        stages = Stage.all_of(result.sketch, motion, whole, symbol=SYMBOL * self.inch * rough[0].fine)
        self.stage = stages[0]
        self.bodies = _bodies(stages)
        self.joints = _joints(stages)
        self.forces = _forces(stages)
        mechanism = [*_all(self.bodies), *_all(self.joints), *_all(self.forces)]
        self.labels = label_pieces(self.stage, skeletons(stages), [*mechanism, *self.traces.values()], self.inch)
        self.riders = {name: _rider(self.stage, result, motion, name) for name in trace}
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
        later = Stage.all_of(self.result.sketch, self.motion, self.stage.whole, self.stage.symbol)
        for pose in range(1, len(self)):
            for piece in _ghost(later):
                piece.show(pose)
                self.ax.add_artist(piece.artist)

    def _set_axes(self) -> None:
        low, high = self.corners
        if beside := [*self.labels.values(), *_all(self.forces)]:  # their size is of the paper, so not yet counted
            near, far = reach(beside)
            low, high = np.minimum(low, near), np.maximum(high, far)
        margin = 0.05 * self.inch + 2 * self.stage.symbol
        low, high = low - margin, high + margin
        self.ax.update_datalim([low, high])  # equal aspect may widen the limits, and keeps clear of these
        self.ax.set_xlim(low[0], high[0], auto=True)
        self.ax.set_ylim(low[1], high[1], auto=True)
        self.ax.set_aspect("equal", adjustable="datalim")
        wide = self.ax.get_position().width * self.figure.get_size_inches()[0]
        self.ax.locator_params(axis="x", nbins=int(np.clip(1.8 * wide, 3, 9)))  # numbers side by side need room
        self.ax.set_xlabel(axis_label("x", "m"))
        self.ax.set_ylabel(axis_label("y", "m"))
        if self.traces:
            self._add_legend()

    def _add_legend(self) -> None:
        """Below the axes where the layout makes room for it, so that it never covers the mechanism."""
        lines = [piece.artist for piece in self.traces.values()]
        if not isinstance(self.figure, Picture):
            self.ax.legend(handles=lines, loc="best")
        else:
            self.figure.legend(handles=lines, loc="outside lower center", ncols=min(4, len(lines)))


def _bodies(stages: list[Stage], **how: Any) -> dict[str, list[Piece]]:
    return _joined({body.name: list(body_pieces(s, body, **how)) for body in s.sketch.bodies} for s in stages)


def _joints(stages: list[Stage]) -> dict[str, list[Piece]]:
    return _joined({element.name: list(joint_pieces(s, element)) for element in s.sketch.elements} for s in stages)


def _forces(stages: list[Stage]) -> dict[str, list[Piece]]:
    return _joined({element.name: list(force_pieces(s, element)) for element in s.sketch.elements} for s in stages)


def _ghost(stages: list[Stage]) -> Iterator[Piece]:
    """The mechanism without its joints, faint."""
    how = {"alpha": 0.18, "zorder": 1.2}
    yield from _all(_bodies(stages, **how))
    sliders = ({e.name: [slider_box(s, e, **how)] for e in s.sketch.elements if e.kind == "slider"} for s in stages)
    yield from _all(_joined(sliders))


def _joined(stages: Iterable[dict[str, list[Piece]]]) -> dict[str, list[Piece]]:
    """The pieces of the first stage with the paths of all of them."""
    first, *others = stages
    if not others:
        return first
    return {
        name: [
            Piece(piece.artist, one_after_the_other([piece.path, *(other[name][k].path for other in others)]))
            for k, piece in enumerate(pieces)
            if all(k < len(other[name]) for other in others)
        ]
        for name, pieces in first.items()
    }


def _all(pieces: dict[str, list[Piece]]) -> Iterator[Piece]:
    for group in pieces.values():
        yield from group


def _trace(result: Result, stage: Stage, name: str) -> Piece:
    """The whole path of a point, from all poses that were computed."""
    colour = stage.colour(name.partition(".")[0])
    path = path_of(result, name)[None]
    return line(path, color=colour, linewidth=1, alpha=0.8, zorder=1.5, label=f"path of {as_label(name)}")


def _rider(stage: Stage, result: Result, motion: Motion, name: str) -> Piece:
    """A dot that rides on the path of a point."""
    place = path_of(result, name, motion)
    return dot(place, color=stage.colour(name.partition(".")[0]), markersize=4 * stage.fine, zorder=6)


def _metres_per_inch(ax: Any, corners: tuple[np.ndarray, np.ndarray]) -> float:
    """How much an inch of paper will show: the longer side decides, some paper is left for labels."""
    box = ax.get_position()
    paper = ax.figure.get_size_inches() * [box.width, box.height]
    span = (corners[1] - corners[0]) / np.maximum(paper - 0.8, 0.5 * paper)
    return float(span.max()) or 0.2
