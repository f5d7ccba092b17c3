"""Draw a mechanism on axes in any of its poses, with the scene of the plane."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from matplotlib.figure import Figure

from ..results.result import Result
from ..unit_system import size_of
from . import pen
from .camera import Camera
from .drawing.mechanism import edges_of, later_pieces, pieces_of, staged
from .drawing.motion import DrawnMotion, in_space, motion_of, path_of
from .drawing.stage import AS_SAID, DrawnPiece, Pen, all_pieces, one_after_the_other, reach
from .drawing.tracks import SampledPath
from .labels import MOST_ARROWS, look_of_label, placed_labels
from .style import Picture, as_label, read_axis

SYMBOL = 0.085  # half the size of a joint's symbol on paper (inches)


class Scene(ABC):
    """A drawing that is made once and then moved from pose to pose by `show`.

    `bodies`, `joints`, `forces`, `labels` and `traces` are the pieces of the drawing, grouped by owner."""

    dimension: ClassVar[int]
    pen: Pen

    def __init__(self, result: Result, motion: DrawnMotion, ax: Any, trace: Sequence[str] = ()):
        self.result, self.motion, self.ax, self.trace = result, motion, ax, trace
        self.size, self.unit = size_of(result.axis[1], result.axis[0])
        self.camera = Camera.of(ax)
        whole = motion_of(result).thinned()
        rough = staged(result.sketch, self.pen, whole, whole)
        self.traces = {}
        for name in trace:  # the whole path of a point, from all computed poses
            path = SampledPath(in_space(path_of(result, name))[None])
            how = {"color": rough[0].colour(name.partition(".")[0]), "alpha": 0.8, "zorder": 1.5}
            self.traces[name] = rough[0].line(path, AS_SAID, linewidth=1, label=f"path of {as_label(name)}", **how)
        self.rough = [p for groups in pieces_of(rough) for p in all_pieces(groups)]
        self.corners = reach([*self.rough, *self.traces.values()], self.dimension)
        self.inch = self.metres_per_inch()
        self.stages = staged(result.sketch, self.pen, motion, whole, SYMBOL * self.inch * rough[0].fine)
        self.stage = self.stages[0]
        self.bodies, self.joints, self.forces = pieces_of(self.stages)
        self.mechanism = [p for groups in (self.bodies, self.joints, self.forces) for p in all_pieces(groups)]
        self.labels = self._labels([*self.mechanism, *self.traces.values()])
        self.riders = {}
        for name in trace:  # a dot that rides on the path of a point
            colour = self.stage.colour(name.partition(".")[0])
            track = SampledPath(in_space(path_of(result, name, motion))[:, None])
            self.riders[name] = self.stage.dot(track, AS_SAID, color=colour, markersize=4 * self.stage.fine, zorder=6)
        self.moving: list[DrawnPiece] = [*self.mechanism, *self.riders.values(), *self.labels.values()]
        for piece in (*self.traces.values(), *self.moving):
            ax.add_artist(piece.artist)
        self.set_axes()
        self.show(0)

    @abstractmethod
    def metres_per_inch(self) -> float:
        """Return the number of metres that an inch of paper shows."""

    @abstractmethod
    def set_axes(self) -> None:
        """Set limits that include everything drawn, at all poses."""

    # --- poses ---

    def __len__(self) -> int:
        return len(self.motion)

    @property
    def figure(self) -> Figure:
        return self.ax.figure

    def show(self, pose: int) -> list[Any]:
        """Move all pieces to a pose; return the artists that moved."""
        for piece in self.moving:
            piece.show(pose)
        self.say(self.title(pose))
        return [*(piece.artist for piece in self.moving), self.ax.title]

    def say(self, title: str) -> None:
        self.ax.set_title(title)

    def title(self, pose: int) -> str:
        """Return the title of a pose: time with digits that distinguish poses, or the value of a swept parameter."""
        name, unit, value = self.result.axis[0], self.unit, self.motion.values[pose] / self.size
        if name != "t":
            return f"{name} = {value:.4g} {unit}".strip()
        step = np.ptp(self.stage.whole.values) / self.size / 100
        digits = int(np.clip(np.ceil(-np.log10(step)), 2, 9)) if step > 0 else 3
        return f"{name} = {value:.{digits}f} {unit}"

    def lay_out(self) -> None:
        """Fix the layout once: a layout for each frame is slow and makes the axes tremble."""
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")

    def add_ghosts(self, alpha: float = 0.18) -> None:
        """Draw the first pose with all others faintly behind it, without their joints."""
        for pose in range(1, len(self)):
            for piece in later_pieces(self.stages, alpha=alpha, zorder=1.2):
                piece.show(pose)
                self.ax.add_artist(piece.artist)
        self.show(0)
        if len(self) > 1:
            self.say(f"{self.title(0)} … {self.title(len(self) - 1).partition('= ')[2]}")

    def add_legend(self, *more: Any) -> None:
        """Add a legend below the axes if the layout makes room for it, so that it does not cover the mechanism."""
        lines = [*(piece.artist for piece in self.traces.values()), *more]
        if isinstance(self.figure, Picture):
            self.figure.legend(handles=lines, loc="outside lower center", ncols=min(4, len(lines)))
        else:
            self.ax.legend(handles=lines, loc="best")

    # --- pieces by owner ---

    def _labels(self, drawn: list[Any]) -> dict[str, Any]:
        """Return the names of bodies and arrows, placed on the paper and put into space at the depth of their
        owners."""
        each = [[edges_of(stage, body) for body in stage.sketch.bodies] for stage in self.stages]
        names = [body.name for body in self.stage.sketch.bodies]
        paths = {name: one_after_the_other(list(parts)) for name, *parts in zip(names, *each, strict=True)}
        # The shafts of arrows that are visible at first have names, too, if there are few.
        arrows = [element.name for element in self.stage.sketch.elements if element.kind == "arrow"]
        shafts = {name: in_space(self.forces[name][0].path) for name in arrows if self.forces[name]}
        if len(shafts) <= MOST_ARROWS:
            visible = {n: path for n, path in shafts.items() if np.ptp(path[0], axis=0).max() > self.stage.symbol}
            paths = visible | paths
        on_paper = {name: self.camera.on_paper(path) for name, path in paths.items()}
        covered = [self.camera.on_paper(in_space(piece.path)) for piece in drawn]
        labels = {}
        places = placed_labels(self.stage, on_paper, covered, self.inch, both_sides=self.dimension == 3)
        for body, place in places.items():
            depth = self.camera.depth(paths[body].mean(axis=1))
            path = self.camera.in_space(place, np.repeat(depth[:, None], 3, axis=1))
            labels[body] = self.stage.word(SampledPath(path), body, zorder=7, **look_of_label(self.stage, body))
        return labels


class PlanarScene(Scene):
    dimension = 2
    pen = pen

    def metres_per_inch(self) -> float:
        """Return the metres for each inch of paper: the longer side decides, and some paper is left for labels."""
        box = self.ax.get_position()
        paper = self.figure.get_size_inches() * [box.width, box.height]
        span = (self.corners[1] - self.corners[0]) / np.maximum(paper - 0.8, 0.5 * paper)
        return float(span.max()) or 0.2

    def set_axes(self) -> None:
        pieces = [*self.labels.values(), *all_pieces(self.forces)]  # sized on paper: not counted before
        low, high = reach(pieces, 2, self.corners)
        margin = 0.05 * self.inch + 2 * self.stage.symbol
        low, high = low - margin, high + margin
        self.ax.update_datalim([low, high])  # equal aspect may widen the limits, but never narrows these
        self.ax.set_xlim(low[0], high[0], auto=True)
        self.ax.set_ylim(low[1], high[1], auto=True)
        self.ax.set_aspect("equal", adjustable="datalim")
        wide = self.ax.get_position().width * self.figure.get_size_inches()[0]
        read_axis(self.ax.xaxis, "x")
        read_axis(self.ax.yaxis, "y")
        self.ax.locator_params(axis="x", nbins=int(np.clip(1.8 * wide, 3, 9)))  # numbers side by side need room
