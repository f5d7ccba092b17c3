"""Draw a mechanism in space: on 3-D axes with one scale in all directions, over a floor whose squares show its size."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from mpl_toolkits.mplot3d import Axes3D  # type: ignore[import-untyped]

from ...errors import ModelError
from ...results.result import Result
from ...tolerances import ZORDER_STEP
from ..camera import VIEW, Camera, checked_view
from ..drawing.mechanism import pieces_of, staged
from ..drawing.motion import DrawnMotion
from ..drawing.stage import AS_SAID, OVER_BODIES, DrawnPiece, all_pieces, reach
from ..scene import Scene
from ..style import GRID, Picture
from . import pen
from .surroundings import Corners, Floor

FIRST, LAST = 2.0, 5.0  # zorders of the farthest and the nearest piece
MARGIN = 0.06  # white margin at the edge of a picture (inches)
BELOW_TITLE = 0.1  # additional white space between title and drawing (inches)
NAMES = np.array([0.4, 0.2])  # paper reserved for names beside a mechanism (inches)
THINNEST = 0.3  # shortest side of the box, as a part of the longest one: a flat mechanism still stands in space
FROM_ABOVE = 0.02  # least height of the eye above the floor, as a sine, at which shadows are visible


class SpatialScene(Scene):
    dimension = 3
    pen = pen

    def __init__(self, result: Result, motion: DrawnMotion, ax: Any, trace: Sequence[str] = ()):
        self._orders: list[tuple[Any, np.ndarray]] = []
        self._behind: list[Any] = []
        super().__init__(result, motion, ax, trace)
        self._orders = self._ordered()
        self.corner = Corners(ax, self.floor.step)
        self.show(0)

    def show(self, pose: int) -> list[Any]:
        """Show a pose; its shadows lie below lines that do not move, so that these are redrawn with them."""
        for artist, order in self._orders:
            artist.set_zorder(order[pose])
        return [*self._behind, *super().show(pose)]

    def say(self, title: str) -> None:
        self.ax.title.set_text(title)  # stays where `fit` has put the title

    def lay_out(self) -> None:
        labels = [piece.path.reshape(-1, 3) for piece in self.labels.values()]
        fit(self.ax, np.concatenate([self._reached(), *labels]), self.corner)

    def metres_per_inch(self) -> float:
        if isinstance(self.figure, Picture):
            self.figure.draw_without_rendering()  # lays out the axes
        self.floor = self._floor()
        return inch_of(self.ax, self._reached())

    def set_axes(self) -> None:
        self.corners = reach(self.mechanism, 3, self.corners)  # now in true size
        self.floor = self._floor()
        hold(self.ax, *reach([], 3, [*self.corners, *self.floor.corners]))
        grid, _ = pen.line(self.floor.grid, color=GRID, linewidth=0.6, zorder=0.9)
        self.ax.add_artist(grid)
        self._behind = [grid, *(piece.artist for piece in self.traces.values())]
        for piece in self._shadows():
            self.moving.append(piece)
            self.ax.add_artist(piece.artist)

    def _floor(self) -> Floor:
        return Floor.under(*boxed(*self.corners), upright=self.camera.up[2] >= 0.0)

    def _shadows(self) -> list[DrawnPiece]:
        side = 1.0 if self.camera.up[2] >= 0.0 else -1.0
        if side * self.camera.toward[2] < FROM_ABOVE:
            return []
        fallen = staged(self.result.sketch, self.floor, self.motion, self.stage.whole, self.stage.symbol)
        bodies, joints, _ = pieces_of(fallen)
        return [piece for groups in (bodies, joints) for piece in all_pieces(groups) if piece.order != AS_SAID]

    def _reached(self) -> np.ndarray:
        """Return all points that the picture must contain, except names, shape (points, 3)."""
        pieces = [*self.rough, *self.traces.values(), *getattr(self, "mechanism", ())]
        points = np.concatenate([self.floor.grid, *(piece.path.reshape(-1, 3) for piece in pieces)])
        return points[np.isfinite(points).all(axis=1)]

    def _ordered(self) -> list[tuple[Any, np.ndarray]]:
        """Return the zorder of each piece at each pose: by its mean depth; but a joint is in front of the bodies that
        it connects, and each part of its symbol in front of the parts drawn before it."""
        poses = len(self.motion)
        corners = np.array(np.meshgrid(*np.transpose(self.corners))).reshape(3, -1).T
        depths = self.camera.depth(corners)
        back, span = depths.min(), np.ptp(depths) or 1.0

        def order(path: np.ndarray) -> np.ndarray:
            depth = np.broadcast_to(self.camera.depth(np.nanmean(path, axis=1)), poses)
            return FIRST + (LAST - FIRST) * np.clip((depth - back) / span, 0.0, 1.0)

        of_bodies = {name: [order(p.path) for p in group] for name, group in self.bodies.items()}
        orders = [
            (piece.artist, order_ + k * ZORDER_STEP)
            for name, group in self.bodies.items()
            for k, (piece, order_) in enumerate(zip(group, of_bodies[name], strict=True))
        ]
        for element in self.stage.sketch.elements:
            below = [o for body, *_ in element.markers for o in of_bodies.get(body, ())]
            for k, piece in enumerate([*self.joints[element.name], *self.forces[element.name]]):
                if piece.order == AS_SAID:
                    continue
                zorder = order(piece.path)
                if piece.order == OVER_BODIES:
                    zorder = np.maximum.reduce([zorder, *below])
                orders.append((piece.artist, zorder + (k + 10) * ZORDER_STEP))
                below.append(zorder)
        return orders


# --- axes ---


def add_axes(figure: Figure, view: Any = None, place: tuple[int, int, int] = (1, 1, 1)) -> Axes3D:
    return checked_axes(figure.add_subplot(*place, projection="3d"), VIEW if view is None else view)


def checked_axes(ax: Any, view: Any = None) -> Axes3D:
    """Return the user's axes, prepared for a drawing in space; keep their direction of view unless a view is given."""
    if not isinstance(ax, Axes3D):
        what = "the mechanism is in space, and these axes are flat"
        raise ModelError(
            f"{what}; make some with figure.add_subplot(projection='3d')", code="not-spatial", argument="ax", value=ax
        )
    if view is not None:
        ax.view_init(*checked_view(view))
    ax.computed_zorder = False
    ax.set_proj_type("ortho")
    ax.set_axis_off()  # the floor shows the size: numbers on foreshortened axes are hard to read
    return ax


def hold(ax: Any, low: np.ndarray, high: np.ndarray) -> None:
    """Set limits that include the box, with one scale in all three directions."""
    low, high = boxed(low, high)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_zlim(low[2], high[2])
    ax.set_box_aspect(high - low)


def boxed(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a box, made thicker where the box is too thin to be visible."""
    span = high - low
    span = np.maximum(span, THINNEST * (span.max() or 1.0))
    middle = (low + high) / 2
    return middle - span / 2, middle + span / 2


def inch_of(ax: Any, points: np.ndarray) -> float:
    """Return the number of metres that an inch of paper shows if the points and names beside them fill the paper."""
    dpi, room = ax.figure.dpi, _room(ax)
    wide, high = np.minimum(NAMES * dpi, 0.3 * np.array(room.size)) / 2
    _, scale = _placed(Camera.of(ax).on_paper(points), room.padded(-wide, -high), Corners.boxes(room, dpi))
    return float(dpi / scale)


def _room(ax: Any) -> Bbox:
    """Return the paper that the layout assigns to the axes, in pixels."""
    figure = ax.figure
    room = ax.get_position(original=True).transformed(figure.transSubfigure).padded(-MARGIN * figure.dpi)
    room.y1 -= BELOW_TITLE * figure.dpi
    return room


def fit(ax: Any, points: np.ndarray, corner: Corners) -> None:
    """Enlarge the drawing until the points fill the paper that the layout assigns, except the lower corners with words;
    then fix the layout.

    3-D axes are square, and their drawing ends at their edge. Hence the axes become a square that covers all of that
    paper, moved so that its middle is that of the visible points."""
    figure = ax.figure
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    room = _room(ax)
    seen = Camera.of(ax).on_paper(points)
    middle, scale = _placed(seen, room, Corners.boxes(room, figure.dpi))
    sides = np.array([high - low for low, high in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())])
    centre = np.mean([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1)  # appears in the middle of the axes
    place = middle + scale * (Camera.of(ax).on_paper(centre) - _middle(seen))
    part = -ax.viewLim.p0 / ax.viewLim.size  # of the sides of the axes, where matplotlib puts that middle
    side = max(((place - room.p0) / part).max(), ((room.p1 - place) / (1.0 - part)).max())
    corners = place - part * side, place + (1.0 - part) * side
    ax.set_position(Bbox(corners).transformed(figure.transSubfigure.inverted()))
    ax.set_box_aspect(sides)
    # the pixels that a metre across the direction of view takes
    ends = np.column_stack([np.stack([np.zeros(3), Camera.of(ax).right]), np.ones(2)])
    x, y, _, w = ax.get_proj() @ ends.T
    start, end = ax.transData.transform(np.column_stack([x / w, y / w]))
    ax.set_box_aspect(sides, zoom=scale / float(np.hypot(*(end - start))))
    left, right, top = ax.transAxes.inverted().transform(
        [(room.x0, room.y0), (room.x1, room.y0), (_middle(room.get_points())[0], room.y1 + BELOW_TITLE * figure.dpi)]
    )
    corner.stand(left, right)
    ax.set_title(ax.get_title(), y=top[1])  # 3-D axes take y for 0.92 y
    ax.title.set_position(top)


def _placed(seen: np.ndarray, room: Bbox, taken: Sequence[Bbox]) -> tuple[np.ndarray, float]:
    """Return the middle and the scale with which the visible points fill the room: all of it, or as much of its upper
    part as leaves the taken boxes free."""
    for raised in np.linspace(0.0, max(box.height for box in taken), 8):
        free = Bbox([[room.x0, room.y0 + raised], room.p1])
        middle = _middle(free.get_points())
        scale = float((free.size / np.maximum(np.ptp(seen, axis=0), 1e-12)).min())
        pixels = middle + scale * (seen - _middle(seen))
        if not any(box.count_contains(pixels) for box in taken):
            break
    return middle, scale


def _middle(points: np.ndarray) -> np.ndarray:
    return (points.min(axis=0) + points.max(axis=0)) / 2
