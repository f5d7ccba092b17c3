"""A mechanism in space on 3-D axes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...results.result import Result
from ..motion import Motion
from ..scene import Scene
from ..stage import AS_SAID, OVER_BODIES, all_pieces, reach
from . import symbols
from .axes import boxed, fit, hold, inch_of

FIRST, LAST = 2.0, 5.0  # the zorders of what is farthest and nearest
STEP = 1e-4  # between what stands over one another at the same place


class SpatialScene(Scene):
    dimension = 3
    pen = symbols

    def __init__(self, result: Result, motion: Motion, ax: Any, trace: Sequence[str] = ()):
        self._orders: list[tuple[Any, np.ndarray]] = []
        super().__init__(result, motion, ax, trace)
        self._orders = self._ordered()
        self.show(0)

    def show(self, pose: int) -> list[Any]:
        for artist, order in self._orders:
            artist.set_zorder(order[pose])
        return super().show(pose)

    def say(self, title: str) -> None:
        self.ax.title.set_text(title)  # which stays where `fit` has put it

    def lay_out(self) -> None:
        fit(self.ax)

    def metres_per_inch(self) -> float:
        return inch_of(self.ax, *boxed(*self.corners)) or 0.2

    def set_axes(self) -> None:
        in_true_size = [piece for groups in (self.bodies, self.joints, self.forces) for piece in all_pieces(groups)]
        low, high = reach(in_true_size, 3, self.corners)
        margin = self.stage.symbol
        hold(self.ax, low - margin, high + margin)

    def _ordered(self) -> list[tuple[Any, np.ndarray]]:
        """The zorder of each piece at each pose: by its mean depth; but a joint stands before the bodies that it joins,
        and a part of its symbol before those that were drawn earlier."""
        poses = len(self.motion)
        corners = np.array(np.meshgrid(*np.transpose(self.corners))).reshape(3, -1).T
        depths = self.camera.depth(corners)
        back, span = depths.min(), np.ptp(depths) or 1.0

        def order(path: np.ndarray) -> np.ndarray:
            depth = np.broadcast_to(self.camera.depth(np.nanmean(path, axis=1)), poses)
            return FIRST + (LAST - FIRST) * np.clip((depth - back) / span, 0.0, 1.0)

        of_bodies = {name: [order(p.path) for p in group] for name, group in self.bodies.items()}
        orders = [
            (piece.artist, order_ + k * STEP)
            for name, group in self.bodies.items()
            for k, (piece, order_) in enumerate(zip(group, of_bodies[name], strict=True))
        ]
        for element in self.stage.sketch.elements:
            below = [o for body, *_ in element.markers for o in of_bodies.get(body, ())]
            for k, piece in enumerate([*self.joints[element.name], *self.forces[element.name]]):
                if piece.order == AS_SAID:
                    continue
                own = order(piece.path)
                if piece.order == OVER_BODIES:
                    own = np.maximum.reduce([own, *below])
                orders.append((piece.artist, own + (k + 10) * STEP))
                below.append(own)
        return orders
