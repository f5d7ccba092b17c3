"""A mechanism in the plane on a pair of axes."""

from __future__ import annotations

import numpy as np

from ..scene import Scene
from ..stage import all_pieces, reach
from ..style import axis_label
from . import symbols


class PlanarScene(Scene):
    dimension = 2
    pen = symbols

    def metres_per_inch(self) -> float:
        """The longer side decides; some paper is left for labels."""
        box = self.ax.get_position()
        paper = self.figure.get_size_inches() * [box.width, box.height]
        span = (self.corners[1] - self.corners[0]) / np.maximum(paper - 0.8, 0.5 * paper)
        return float(span.max()) or 0.2

    def set_axes(self) -> None:
        low, high = self.corners
        if beside := [*self.labels.values(), *all_pieces(self.forces)]:  # their size is of the paper: not yet counted
            near, far = reach(beside, 2)
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
