"""A mechanism on axes, that can be put into any of its poses: what is common to the plane and to space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from matplotlib.figure import Figure

from ..results.result import Result
from ..results.sketch import BodySketch, ElementSketch
from .frames import motion_of
from .motion import Motion, path_of
from .stage import Piece, Stage, all_pieces, one_after_the_other, reach
from .style import Picture, as_label

LOOKS = 400
"""How many poses tell how far a motion reaches."""
SYMBOL = 0.085
"""Half the size of a joint's symbol on paper (inches)."""

Pieces = dict[str, list[Any]]


class Scene(ABC):
    """Made once, then moved from pose to pose by `show`.

    `bodies`, `joints`, `forces`, `labels` and `traces` are the pieces of the drawing by what they belong to.
    """

    dimension: ClassVar[int]

    def __init__(self, result: Result, motion: Motion, ax: Any, trace: Sequence[str] = ()):
        self.result = result
        self.motion = motion
        self.ax = ax
        self.trace = trace
        whole = motion_of(result).thinned(LOOKS)
        rough = Stage.all_of(result.sketch, whole, whole)
        self.traces = {name: self._trace(rough[0], name) for name in trace}
        self.corners = reach([*self._mechanism(rough), *self.traces.values()], self.dimension)
        self.inch = self.metres_per_inch()
        stages = Stage.all_of(result.sketch, motion, whole, symbol=SYMBOL * self.inch * rough[0].fine)
        self.stage = stages[0]
        self.bodies, self.joints, self.forces = self._bodies(stages), self._joints(stages), self._forces(stages)
        mechanism = [*all_pieces(self.bodies), *all_pieces(self.joints), *all_pieces(self.forces)]
        self.labels = self.label_pieces(self._skeletons(stages), [*mechanism, *self.traces.values()])
        self.riders = {name: self._rider(name) for name in trace}
        self.moving: list[Piece] = [*mechanism, *self.riders.values(), *self.labels.values()]
        for piece in (*self.traces.values(), *self.moving):
            ax.add_artist(piece.artist)
        self.set_axes()
        if self.traces:
            self._add_legend()
        self.show(0)

    # --- what the plane and space do each in their own way ---

    @abstractmethod
    def body_pieces(self, stage: Stage, body: BodySketch, **how: Any) -> Iterator[Any]: ...
    @abstractmethod
    def joint_pieces(self, stage: Stage, element: ElementSketch) -> Iterator[Any]: ...
    @abstractmethod
    def force_pieces(self, stage: Stage, element: ElementSketch) -> Iterator[Any]: ...
    @abstractmethod
    def ghost_pieces(self, stage: Stage, element: ElementSketch, **how: Any) -> Iterator[Any]:
        """What of a joint is seen at later poses: that which stands for a body."""

    @abstractmethod
    def line(self, path: np.ndarray, **how: Any) -> Any: ...
    @abstractmethod
    def dot(self, path: np.ndarray, **how: Any) -> Any: ...
    @abstractmethod
    def skeleton(self, stage: Stage, body: BodySketch) -> np.ndarray:
        """The corners of a body at each pose."""

    @abstractmethod
    def label_pieces(self, skeletons: dict[str, np.ndarray], drawn: list[Any]) -> dict[str, Any]: ...
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

    def add_ghosts(self) -> None:
        """The first pose with all others, without their joints, faint behind it."""
        if len(self) > 1:
            later = Stage.all_of(self.result.sketch, self.motion, self.stage.whole, self.stage.symbol)
            for pose in range(1, len(self)):
                for piece in self._ghost(later):
                    piece.show(pose)
                    self.ax.add_artist(piece.artist)
        self.show(0)
        if len(self) > 1:
            self.say(f"{self.title(0)} … {self.title(len(self) - 1).partition('= ')[2]}")

    def _add_legend(self) -> None:
        """Below the axes where the layout makes room for it, so that it never covers the mechanism."""
        lines = [piece.artist for piece in self.traces.values()]
        if not isinstance(self.figure, Picture):
            self.ax.legend(handles=lines, loc="best")
        else:
            self.figure.legend(handles=lines, loc="outside lower center", ncols=min(4, len(lines)))

    # --- pieces by what they belong to ---

    def _bodies(self, stages: list[Stage], **how: Any) -> Pieces:
        return _by_name(stages, lambda s: s.sketch.bodies, lambda s, body: self.body_pieces(s, body, **how))

    def _joints(self, stages: list[Stage]) -> Pieces:
        return _by_name(stages, lambda s: s.sketch.elements, self.joint_pieces)

    def _forces(self, stages: list[Stage]) -> Pieces:
        return _by_name(stages, lambda s: s.sketch.elements, self.force_pieces)

    def _mechanism(self, stages: list[Stage]) -> Iterator[Any]:
        for groups in (self._bodies(stages), self._joints(stages), self._forces(stages)):
            yield from all_pieces(groups)

    def _ghost(self, stages: list[Stage]) -> Iterator[Any]:
        how = {"alpha": 0.18, "zorder": 1.2}
        yield from all_pieces(self._bodies(stages, **how))
        of_joint = _by_name(stages, lambda s: s.sketch.elements, lambda s, e: self.ghost_pieces(s, e, **how))
        yield from all_pieces(of_joint)

    def _skeletons(self, stages: list[Stage]) -> dict[str, np.ndarray]:
        """Of every body, over the poses of all stages."""
        each = [[self.skeleton(stage, body) for body in stage.sketch.bodies] for stage in stages]
        bodies = stages[0].sketch.bodies
        return {body.name: one_after_the_other(list(paths)) for body, *paths in zip(bodies, *each, strict=True)}

    def _trace(self, stage: Stage, name: str) -> Any:
        """The whole path of a point, from all poses that were computed."""
        colour = stage.colour(name.partition(".")[0])
        path = path_of(self.result, name)[None]
        return self.line(path, color=colour, linewidth=1, alpha=0.8, zorder=1.5, label=f"path of {as_label(name)}")

    def _rider(self, name: str) -> Any:
        """A dot that rides on the path of a point."""
        place = path_of(self.result, name, self.motion)
        colour = self.stage.colour(name.partition(".")[0])
        return self.dot(place, color=colour, markersize=4 * self.stage.fine, zorder=6)


def _by_name(stages: list[Stage], things: Callable[[Stage], Iterable[Any]], pieces_of: Callable) -> Pieces:
    return _joined({thing.name: list(pieces_of(stage, thing)) for thing in things(stage)} for stage in stages)


def _joined(stages: Iterable[Pieces]) -> Pieces:
    """The pieces of the first stage with the paths of all of them."""
    first, *others = stages
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
