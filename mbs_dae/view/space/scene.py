"""A mechanism in space: on 3-D axes with one scale in all directions, labels with units, and the paper well used."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from mpl_toolkits.mplot3d import Axes3D  # type: ignore[import-untyped]

from ...errors import ModelError
from ...results.result import Result
from ..camera import Camera
from ..drawing.motion import Motion
from ..drawing.stage import AS_SAID, OVER_BODIES, reach
from ..scene import Scene
from ..style import GRID, axis_label
from . import pen

FIRST, LAST = 2.0, 5.0  # the zorders of what is farthest and nearest
STEP = 1e-4  # between what stands over one another at the same place
VIEW = (24.0, -58.0)  # elevation and azimuth in degrees: x to the right, y to the back, z up
NUMBER = np.array([0.5, 0.26])  # the paper that a number on an axis needs: its width and its height (inches)
END_ON = 0.05  # an axis that is so much foreshortened has no numbers: they would lie upon one another
MARGIN = 0.05  # of white paper at the edge of a picture (inches)
THINNEST = 0.3  # the shortest side of the box, as a part of the longest one: a flat mechanism still stands in space


class SpatialScene(Scene):
    dimension = 3
    pen = pen

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
        low, high = reach(self.mechanism, 3, self.corners)  # now in true size
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


# --- axes ---


def add_axes(figure: Figure, view: Any = None, place: tuple[int, int, int] = (1, 1, 1)) -> Axes3D:
    return checked_axes(figure.add_subplot(*place, projection="3d"), VIEW if view is None else view)


def checked_axes(ax: Any, view: Any = None) -> Axes3D:
    """Axes of the user's, if something in space can be drawn there; seen as they are, unless a view is given."""
    if not isinstance(ax, Axes3D):
        what = "the mechanism is in space, and these axes are flat"
        raise ModelError(f"{what}; make some with figure.add_subplot(projection='3d')")
    if view is not None:
        try:
            elev, azim, *roll = (float(angle) for angle in view)
        except (TypeError, ValueError):
            elev, azim, roll = np.nan, np.nan, []
        if not (np.isfinite([elev, azim, *roll]).all() and -90 <= elev <= 90 and len(roll) <= 1):
            what = f"view must be (elevation, azimuth) in degrees, elevation from -90 to 90, not {view!r}"
            raise ModelError(f"{what}; write e.g. view=({VIEW[0]:g}, {VIEW[1]:g}); a third angle rolls the picture")
        ax.view_init(elev, azim, *roll)
    ax.computed_zorder = False
    ax.set_proj_type("ortho")
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_pane_color((0.975, 0.975, 0.975, 1.0))
        axis.line.set_color(GRID)
        axis.labelpad = 12
        axis.set_in_layout(False)  # `fit` knows better how much room labels need
    return ax


def hold(ax: Any, low: np.ndarray, high: np.ndarray, unit: str = "m") -> None:
    """Limits that hold the box, in one scale for all three directions."""
    low, high = boxed(low, high)
    for axis, start, end in zip("xyz", low, high, strict=True):
        getattr(ax, f"set_{axis}lim")(start, end)
        getattr(ax, f"set_{axis}label")(axis_label(axis, unit))
    ax.set_box_aspect(high - low)
    inch = inch_of(ax, low, high)
    camera = Camera.of(ax)
    for axis, along in zip("xyz", np.diag(high - low), strict=True):
        if np.hypot(*camera.on_paper(along)) < END_ON * along.max():
            getattr(ax, f"set_{axis}label")("")
            getattr(ax, f"set_{axis}ticks")([])
            continue
        room = np.abs(camera.on_paper(along)) / inch / NUMBER  # for so many side by side, or one above the other
        count = int(np.clip(room.max(), 1, 7))
        ax.locator_params(axis=axis, nbins=count, min_n_ticks=min(2, count))


def boxed(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The box, made thicker where it is too thin to be seen."""
    span = high - low
    span = np.maximum(span, THINNEST * (span.max() or 1.0))
    middle = (low + high) / 2
    return middle - span / 2, middle + span / 2


def inch_of(ax: Any, low: np.ndarray, high: np.ndarray) -> float:
    """How many metres an inch of paper will show: the box seen from the camera fills it, but for the labels."""
    box = ax.get_position(original=True)
    paper = ax.figure.get_size_inches() * [box.width, box.height]
    corners = np.array(np.meshgrid(*np.transpose([low, high]))).reshape(3, -1).T
    seen = np.ptp(Camera.of(ax).on_paper(corners), axis=0)
    return float((seen / np.maximum(paper - 0.9, 0.5 * paper)).max())


def fit(ax: Any) -> None:
    """Enlarge what is seen until it fills the paper that the layout gives, labels and all; then the layout stays.

    3-D axes are square, and what they draw ends there. So they become a square that covers all of that paper, moved to
    where its middle is that of what is seen."""
    figure = ax.figure
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    room = ax.get_position(original=True).transformed(figure.transSubfigure).padded(-MARGIN * figure.dpi)
    sides = np.array([high - low for low, high in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())])
    zoom = 1.0
    middle = _middle(room)
    for _ in range(12):  # labels keep their size, so that the first answer is not yet the last
        corners = middle + max(room.width, room.height) / 2 * np.array([[-1], [1]])
        ax.set_position(Bbox(figure.transSubfigure.inverted().transform(corners)))
        ax.set_box_aspect(sides, zoom=zoom)
        figure.draw_without_rendering()
        moved = _part_labels(ax)
        seen = _seen(ax)
        middle = middle + _middle(room) - _middle(seen)
        larger = min(room.width / seen.width, room.height / seen.height)
        zoom *= larger
        if abs(larger - 1) < 0.005 and not moved:
            break
    x, y = ax.transAxes.inverted().transform((_middle(room)[0], room.y1))
    ax.set_title(ax.get_title(), y=y)  # which 3-D axes take for 0.92 y
    ax.title.set_position((x, y))


def _part_labels(ax: Any) -> bool:
    """Move numbers farther from the edge of the box, and labels farther from numbers, where they would touch.
    (How far off matplotlib puts them depends on the shape of the box.)"""
    renderer = FigureCanvasAgg(ax.figure).get_renderer()
    gap = 0.02 * ax.figure.dpi
    moved = False
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        low, high = sorted(axis.get_view_interval())
        shown = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        numbers = [tick.label1.get_window_extent(renderer).padded(gap) for tick in shown]
        start, end = ax.transData.transform(axis.line.get_xydata())
        edge = start + np.linspace(0.0, 1.0, 200)[:, None] * (end - start)
        if any(number.count_contains(edge) for number in numbers):
            axis.set_tick_params(pad=shown[0].get_pad() + 4)
            axis.labelpad += 4
            moved = True
        if axis.label.get_window_extent(renderer).count_overlaps(numbers):
            axis.labelpad += 8
            moved = True
    return moved


def _middle(box: Bbox) -> np.ndarray:
    return (box.p0 + box.p1) / 2


def _seen(ax: Any) -> Bbox:
    """What the axes fill in truth: the box with its numbers and labels, without the title."""
    renderer = FigureCanvasAgg(ax.figure).get_renderer()
    boxes = [axis.get_tightbbox(renderer) for axis in (ax.xaxis, ax.yaxis, ax.zaxis)]
    corners = np.array(np.meshgrid(ax.get_xlim(), ax.get_ylim(), ax.get_zlim(), [1.0])).reshape(4, -1)
    projected = ax.get_proj() @ corners
    on_screen = ax.transData.transform((projected[:2] / projected[3]).T)
    return Bbox.union([*(b for b in boxes if b is not None), Bbox([on_screen.min(axis=0), on_screen.max(axis=0)])])
