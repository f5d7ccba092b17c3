"""The mechanism, moving or still, drawn from nothing but its joints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..errors import ModelError
from ..results.result import Result
from .drawing import Piece, Stage, body_pieces, reach
from .labels import label_pieces
from .motion import Motion, frames_of, motion_of
from .style import Picture, axis_label, style
from .symbols import joint_pieces
from .writers import checked_path, notebook_html, write_film

LOOKS = 400
"""How many poses tell how far a motion reaches."""
GHOSTS = 7
"""How many later poses a still picture of a motion shows."""


class Scene:
    """A mechanism in a pair of axes: made once, then moved from pose to pose by `show`.

    `pieces` are all artists with their paths; `motion` holds the poses that can be shown.
    """

    def __init__(self, result: Result, motion: Motion, ax: Any, trace: Sequence[str] = ()):
        self.result = result
        self.motion = motion
        self.ax = ax
        self.traces = [_trace(result, name) for name in trace]
        whole = _thinned(motion_of(result))
        rough = Stage(result.sketch, whole, whole)
        self.corners = reach([*_mechanism(rough), *self.traces])
        self.inch = _metres_per_inch(ax, self.corners)
        self.stage = Stage(result.sketch, motion, whole, symbol=0.09 * self.inch * rough.fine)
        self.pieces = list(_mechanism(self.stage))
        self.labels = list(label_pieces(self.stage, self.pieces, self.inch))
        self.dots = [_riding(self.stage, trace, name) for trace, name in zip(self.traces, trace, strict=True)]
        for piece in (*self.pieces, *self.traces, *self.dots, *self.labels):
            ax.add_artist(piece.artist)
        self._set_axes()
        self.show(0)

    def __len__(self) -> int:
        return len(self.motion)

    def show(self, pose: int) -> list[Any]:
        """Move everything to a pose; gives the artists back, as matplotlib wants it."""
        moving = [*self.pieces, *self.dots, *self.labels]
        for piece in moving:
            piece.show(pose)
        self.ax.set_title(self.title(pose))
        return [piece.artist for piece in moving]

    def title(self, pose: int) -> str:
        """Time with as many digits as tell the poses apart."""
        name, unit = self.result.axis
        values = self.motion.values
        if name != "t":
            return f"{name} = {values[pose]:.4g} {unit}".strip()
        step = np.diff(values).min() if len(values) > 1 else 1e-3
        digits = int(np.clip(np.ceil(-np.log10(step)) + 1, 2, 9)) if step > 0 else 3
        return f"{name} = {values[pose]:.{digits}f} {unit}"

    def add_ghosts(self) -> None:
        """Later poses, fainter than the first."""
        last = len(self) - 1
        for k in np.unique(np.linspace(0, last, GHOSTS + 1).astype(int))[1:]:
            stage = Stage(self.result.sketch, self.motion.at(k), self.stage.whole, self.stage.symbol)
            for body in stage.sketch.bodies:
                for piece in body_pieces(stage, body, alpha=0.2, zorder=1.2):
                    self.ax.add_artist(piece.artist)
        self.ax.set_title(f"{self.title(0)} … {self.title(last).partition('= ')[2]}")

    def _set_axes(self) -> None:
        low, high = self.corners
        labels = [Piece(label.artist, label.path[[0, -1]]) for label in self.labels]
        if labels:
            near, far = reach(labels)
            low, high = np.minimum(low, near), np.maximum(high, far)
        margin = 0.3 * self.inch
        self.ax.set_xlim(low[0] - margin, high[0] + margin)
        self.ax.set_ylim(low[1] - margin, high[1] + margin)
        self.ax.set_aspect("equal", adjustable="datalim")
        self.ax.set_xlabel(axis_label("x", "m"))
        self.ax.set_ylabel(axis_label("y", "m"))
        if self.traces:
            self.ax.legend(handles=[t.artist for t in self.traces], loc="upper right")


class Film:
    """An animation in a notebook: it plays where it is displayed, and ``film.save("motion.gif")`` writes a file."""

    def __init__(self, scene: Scene, fps: float):
        self.scene = scene
        self.fps = fps

    def __len__(self) -> int:
        """The number of frames."""
        return len(self.scene)

    def save(self, path: str | Path) -> Path:
        """Write a .gif or .mp4 film, or a .png picture of the first pose with later ones behind it."""
        path = checked_path(path)
        if path.suffix.lower() == ".png":
            return _write_still(self.scene.result, self.scene.motion, path, self._traces, self._size)
        return write_film(self.scene, path, self.fps)
