"""A mechanism on axes, that can be put into any of its poses; and what there is to that in the plane."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from matplotlib.figure import Figure

from ..results.result import Result
from ..results.sketch import BodySketch, ElementSketch
from . import plane
from .bodies import body_pieces, skeleton
from .labels import look_of_label, placed_labels
from .motion import Motion, in_space, motion_of, path_of
from .shapes import moving, outline_of, touching
from .stage import AS_SAID, Camera, Pen, Piece, Stage, Symbol, all_pieces, one_after_the_other, reach
from .style import Picture, as_label, axis_label
from .symbols import ALIKE, arrow

LOOKS = 400  # how many poses tell how far a motion reaches
SYMBOL = 0.085  # half the size of a joint's symbol on paper (inches)

Pieces = dict[str, list[Any]]


class Scene(ABC):
    """Made once, then moved from pose to pose by `show`.

    `bodies`, `joints`, `forces`, `labels` and `traces` are the pieces of the drawing by what they belong to.
    """

    dimension: ClassVar[int]
    pen: Pen

    def __init__(self, result: Result, motion: Motion, ax: Any, trace: Sequence[str] = ()):
        self.result, self.motion, self.ax, self.trace = result, motion, ax, trace
        self.camera = Camera.of(ax)
        whole = motion_of(result).thinned(LOOKS)
        rough = Stage.all_of(result.sketch, self.pen, whole, whole)
        self.traces = {name: self._trace(rough[0], name) for name in trace}
        mechanism = [p for groups in self._groups(rough) for p in all_pieces(groups)]
        self.corners = reach([*mechanism, *self.traces.values()], self.dimension)
        self.inch = self.metres_per_inch()
        self.stages = Stage.all_of(result.sketch, self.pen, motion, whole, SYMBOL * self.inch * rough[0].fine)
        self.stage = self.stages[0]
        self.bodies, self.joints, self.forces = self._groups(self.stages)
        self.mechanism = [p for groups in (self.bodies, self.joints, self.forces) for p in all_pieces(groups)]
        self.labels = self._labels([*self.mechanism, *self.traces.values()])
        self.riders = {name: self._rider(name) for name in trace}
        self.moving: list[Piece] = [*self.mechanism, *self.riders.values(), *self.labels.values()]
        for piece in (*self.traces.values(), *self.moving):
            ax.add_artist(piece.artist)
        self.set_axes()
        if self.traces:
            self._add_legend()
        self.show(0)

    @abstractmethod
    def metres_per_inch(self) -> float:
        """How much an inch of paper will show."""

    @abstractmethod
    def set_axes(self) -> None:
        """Limits that hold all that is drawn, at all poses."""

    # --- poses ---

    def __len__(self) -> int:
        return len(self.motion)

    @property
    def figure(self) -> Figure:
        return self.ax.figure

    def show(self, pose: int) -> list[Any]:
        """Move everything to a pose; gives the artists that moved."""
        for piece in self.moving:
            piece.show(pose)
        self.say(self.title(pose))
        return [*(piece.artist for piece in self.moving), self.ax.title]

    def say(self, title: str) -> None:
        self.ax.set_title(title)

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

    def lay_out(self) -> None:
        """Once for all: doing it for each frame is slow, and makes the axes tremble."""
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")

    def add_ghosts(self, alpha: float = 0.18) -> None:
        """The first pose with all others, without their joints, faint behind it."""
        how = {"alpha": alpha, "zorder": 1.2}
        for pose in range(1, len(self)):
            joints = _elements(self.stages, {"contact": moving} | self.pen.LATER, **how)
            for piece in (*all_pieces(_bodies(self.stages, **how)), *all_pieces(joints)):
                piece.show(pose)
                self.ax.add_artist(piece.artist)
        self.show(0)
        if len(self) > 1:
            self.say(f"{self.title(0)} … {self.title(len(self) - 1).partition('= ')[2]}")

    def _add_legend(self) -> None:
        """Below the axes where the layout makes room for it, so that it never covers the mechanism."""
        lines = [piece.artist for piece in self.traces.values()]
        if isinstance(self.figure, Picture):
            self.figure.legend(handles=lines, loc="outside lower center", ncols=min(4, len(lines)))
        else:
            self.ax.legend(handles=lines, loc="best")

    # --- pieces by what they belong to ---

    def _groups(self, stages: list[Stage]) -> tuple[Pieces, Pieces, Pieces]:
        """Of the bodies, the joints, and the forces."""
        joints, forces = ALIKE | {"contact": touching} | self.pen.SYMBOLS, {"arrow": arrow} | self.pen.FORCES
        return _bodies(stages), _elements(stages, joints), _elements(stages, forces)

    def _labels(self, drawn: list[Any]) -> dict[str, Any]:
        """Placed on the paper, then put into space at the depth of their bodies."""
        each = [[_edges(stage, body) for body in stage.sketch.bodies] for stage in self.stages]
        names = [body.name for body in self.stage.sketch.bodies]
        paths = {name: one_after_the_other(list(own)) for name, *own in zip(names, *each, strict=True)}
        on_paper = {name: self.camera.on_paper(path) for name, path in paths.items()}
        covered = [self.camera.on_paper(in_space(piece.path)) for piece in drawn]
        labels = {}
        places = placed_labels(self.stage, on_paper, covered, self.inch, both_sides=self.dimension == 3)
        for body, place in places.items():
            depth = self.camera.depth(paths[body].mean(axis=1))
            path = self.camera.in_space(place, np.repeat(depth[:, None], 3, axis=1))
            labels[body] = self.pen.word(path, body, zorder=7, **look_of_label(self.stage, body))
        return labels

    def _trace(self, stage: Stage, name: str) -> Any:
        """The whole path of a point, from all poses that were computed."""
        colour, path = stage.colour(name.partition(".")[0]), path_of(self.result, name)[None]
        how = {"color": colour, "alpha": 0.8, "zorder": 1.5, "label": f"path of {as_label(name)}"}
        return self.pen.line(path, AS_SAID, linewidth=1, **how)

    def _rider(self, name: str) -> Any:
        """A dot that rides on the path of a point."""
        colour, place = self.stage.colour(name.partition(".")[0]), path_of(self.result, name, self.motion)
        return self.pen.dot(place, AS_SAID, color=colour, markersize=4 * self.stage.fine, zorder=6)


def _edges(stage: Stage, body: BodySketch) -> np.ndarray:
    """Beside what a body has its name."""
    outline = outline_of(stage, body.name)
    return skeleton(stage, body) if outline is None else outline


def _bodies(stages: list[Stage], **how: Any) -> Pieces:
    return _by_name(stages, lambda s: s.sketch.bodies, body_pieces, **how)


def _elements(stages: list[Stage], symbols: Mapping[str, Symbol], **how: Any) -> Pieces:
    """By the symbols of their kinds; kinds without one have no pieces, and so have joints of one marker."""

    def pieces(stage: Stage, element: ElementSketch, **how: Any) -> Iterator[Piece]:
        if element.kind in symbols and (len(element.markers) >= 2 or element.kind == "arrow"):
            yield from symbols[element.kind](stage, element, **how)

    return _by_name(stages, lambda s: s.sketch.elements, pieces, **how)


def _by_name(stages: list[Stage], things: Callable[[Stage], Iterable[Any]], pieces_of: Symbol, **how: Any) -> Pieces:
    """The pieces of each thing at the first stage, with the paths of all of them."""
    first, *others = ({thing.name: [*pieces_of(stage, thing, **how)] for thing in things(stage)} for stage in stages)
    if not others:
        return first
    return {
        name: [
            replace(piece, path=one_after_the_other([piece.path, *(other[name][k].path for other in others)]))
            for k, piece in enumerate(pieces)
            if all(k < len(other[name]) for other in others)
        ]
        for name, pieces in first.items()
    }


class PlanarScene(Scene):
    dimension = 2
    pen = plane

    def metres_per_inch(self) -> float:
        """The longer side decides; some paper is left for labels."""
        box = self.ax.get_position()
        paper = self.figure.get_size_inches() * [box.width, box.height]
        span = (self.corners[1] - self.corners[0]) / np.maximum(paper - 0.8, 0.5 * paper)
        return float(span.max()) or 0.2

    def set_axes(self) -> None:
        beside = [*self.labels.values(), *all_pieces(self.forces)]  # their size is of the paper: not yet counted
        low, high = reach(beside, 2, self.corners)
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
