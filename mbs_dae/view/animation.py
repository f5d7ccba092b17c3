"""Draw the mechanism, moving or still, from its joints alone, and the paths of its points: in figures, in notebooks and
in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.animation import FFMpegWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from PIL import Image

from ..errors import ModelError
from ..model.parameters import positive_number
from ..results.files import file_at, replacing
from ..results.result import Result
from ..unit_system import current
from .camera import view_of
from .drawing.colours import COLOURS, DARK
from .drawing.motion import DrawnMotion, frames_of, motion_of, poses_of
from .page.html import HEIGHT, LIVE_HEIGHT, View, as_names, page_text, save_page
from .plots import names_of
from .scene import PlanarScene, Scene
from .style import START, Picture, as_label, say_if_stopped, style

Size = tuple[float, float]
Angles = tuple[float, ...] | None

GHOSTS = 7  # number of later poses in a still picture of a motion
QUIET = 0.25
"""The opacity of the mechanism behind the paths of its points."""


def animate(
    result: Result, path: str | Path | None = None, *, fps: float = 25, speed: float | None = None,
    trace: str | Sequence[str] = (), size: Size = (6.4, 4.8), view: Angles = None,
) -> Film | Path:  # fmt: skip
    """See `Result.animate`."""
    fps = positive_number(fps, "fps", "number, e.g. fps=25")
    path = None if path is None else checked_path(path)
    if path is not None and path.suffix.lower() == ".html":
        return save_page(result, path, trace=trace, view=view, speed=speed)
    if speed is not None:
        speed = positive_number(speed, "speed", "number, e.g. speed=1")
    still = path is not None and path.suffix.lower() in STILLS  # a still picture shows a whole motion, however short
    motion = poses_of(result, GHOSTS + 1) if still else frames_of(result, fps, speed or 1.0)
    film = Film(result, motion, fps, as_names(trace, "trace"), size, view, speed)
    return film if path is None else film.save(path)


def draw(
    result: Result, index: int = 0, ax: Any = None, *, trace: str | Sequence[str] = (), size: Size = (6.4, 4.8),
    view: Angles = None,
) -> Figure:  # fmt: skip
    """See `Result.draw`."""
    motion = motion_of(result)
    if not -len(motion) <= index < len(motion):
        raise ModelError(
            f"the result has {len(motion)} poses, none with index {index}; use 0 to {len(motion) - 1}",
            code="out-of-bounds", argument="index", value=index, count=len(motion),
        )  # fmt: skip
    with style():
        own = new_axes(result, new_figure(size), view) if ax is None else ax
        scene = scene_on(own, result, motion.at([index]), as_names(trace, "trace"), view)
        if ax is None and scene.dimension == 3:
            scene.lay_out()  # let box and labels fill the paper
    return scene.figure


def plot_path(result: Result, markers: Sequence[str]) -> Figure:
    """Draw the paths of named points, in the plane or in space; circles show where they begin, and faint lines show the
    mechanism there."""
    names = names_of(markers, "plot_path", "points", [name[:-2] for name in result.names if name.endswith(".x")])
    with style():
        figure = new_figure((6.4, 4.8))
        say_if_stopped(figure, result)
        scene = bare_scene_on(new_axes(result, figure, None), result, motion_of(result).at([0]), names)
        for piece in (*scene.mechanism, *scene.labels.values()):
            piece.artist.set_alpha(QUIET * (piece.artist.get_alpha() or 1.0))
        # The colour of a path is that of its body, or for further points of one body the next unused colour.
        of_bodies = [scene.stage.colour(name.partition(".")[0]) for name in names]
        unused = cycle([colour for colour in COLOURS if colour not in of_bodies] or COLOURS)
        colours = [colour if colour not in of_bodies[:k] else next(unused) for k, colour in enumerate(of_bodies)]
        for name, colour in zip(names, colours, strict=True):
            scene.traces[name].artist.set(color=colour, linewidth=1.6, alpha=1.0, zorder=6, label=as_label(name))
            scene.riders[name].artist.set(**START, zorder=6.5)
        scene.say("")
        scene.add_legend(Line2D([], [], linestyle="none", color=DARK, label="start", **START))
        scene.lay_out()
    return figure


def view(
    result: Result, *, plots: Any = (), trace: Any = (), view: Any = None, speed: float | None = None,
    live: bool = False, height: int | None = None,
) -> View:  # fmt: skip
    """Return the motion as a page for a notebook; choices are those of `page_text`. Without `height` there is room for
    the sliders of a live page."""
    if height is None:
        height = LIVE_HEIGHT if live else HEIGHT
    height = round(positive_number(height, "height", "number of pixels, e.g. height=620"))
    text = page_text(result, plots=plots, trace=trace, view=view, speed=speed, live=live)
    return View(text, draw(result, view=view, trace=trace), height)


class Film:
    """An animation: a notebook plays it as a page; ``film.save("motion.gif")`` writes it to a file."""

    def __init__(
        self, result: Result, motion: DrawnMotion, fps: float, trace: Sequence[str], size: Size, view: Angles = None,
        speed: float | None = None,
    ):  # fmt: skip
        self.fps, self.speed, self.units = fps, speed, current()
        self._look: Any = size, view
        with style():
            self.scene = scene_on(new_axes(result, new_figure(size), view), result, motion, trace, view)
            say_if_stopped(self.figure, result)
            self.scene.lay_out()

    @property
    def figure(self) -> Figure:
        """The figure of the film."""
        return self.scene.figure

    def __len__(self) -> int:
        """The number of frames."""
        return len(self.scene)

    def __repr__(self) -> str:
        return f"<Film of {self.scene.result.title!r}: {len(self)} frames, {len(self) / self.fps:.3g} s>"

    def save(self, path: str | Path) -> Path:
        """Write a .gif or .mp4 film, or a .png or .svg picture of the first pose with later ones behind it."""
        path = checked_path(path)
        with self.units, style(), replacing(path, "choose a folder where you may write") as place:
            WRITERS[path.suffix.lower()](self, place)
        return path

    def _still(self) -> Figure:
        """Return a still figure whose poses reach to the end of the motion, where the frames of a film may not."""
        result = self.scene.result
        film = Film(result, poses_of(result, GHOSTS + 1), self.fps, self.scene.trace, *self._look)
        film.scene.add_ghosts()
        return film.figure

    def _repr_html_(self) -> str:
        """Return the page that plays the motion, which is smoother and smaller than frames."""
        with self.units, style():
            text = page_text(self.scene.result, trace=self.scene.trace, view=self._look[1], speed=self.speed)
            self.scene.show(0)
            return View(text, self.figure)._repr_html_()


def scene_on(ax: Any, result: Result, motion: DrawnMotion, trace: Sequence[str] = (), view: Angles = None) -> Scene:
    """Draw a mechanism in axes of the user, or in those of a new figure, with a legend of the drawn paths."""
    scene = bare_scene_on(ax, result, motion, trace, view)
    if trace:
        scene.add_legend()
    return scene


def bare_scene_on(
    ax: Any, result: Result, motion: DrawnMotion, trace: Sequence[str] = (), view: Angles = None
) -> Scene:
    """Draw a mechanism without a legend, in the plane or in space."""
    if result.sketch.dimension == 2:
        view_of(result, view)
        return PlanarScene(result, motion, ax, trace)
    from .space.scene import SpatialScene, checked_axes

    return SpatialScene(result, motion, checked_axes(ax, view), trace)


def new_axes(result: Result, figure: Figure, view: Angles, place: tuple[int, int, int] = (1, 1, 1)) -> Any:
    """Add flat axes to a figure, or axes for drawings in space; check the view."""
    if result.sketch.dimension == 2:
        view_of(result, view)
        return figure.add_subplot(*place)
    from .space.scene import add_axes

    return add_axes(figure, view, place)


def new_figure(size: Size, columns: int = 1, rows: int = 1) -> Figure:
    try:
        width, height = (positive_number(s, "size", "number") for s in size)
    except (TypeError, ValueError) as exc:
        raise ModelError(
            f"size must be (width, height) in inches, not {size!r}; write e.g. size=(6.4, 4.8)",
            code="not-a-size", argument="size", value=size,
        ) from exc  # fmt: skip
    return Picture(figsize=(width * columns, height * rows), layout="constrained")


# --- in files ---


def checked_path(path: str | Path) -> Path:
    """Return the path if a picture can be written there, checked before any work is done."""
    path = file_at(path, "e.g. 'motion.gif'")
    kind = path.suffix.lower()
    if kind not in WRITERS:
        what = f"cannot write an animation to {str(path)!r}"
        raise ModelError(
            f"{what}; end the name in .gif or .mp4 (a film), .html (a page), .png or .svg (a still)",
            code="unknown-format", argument="path", file=str(path), format=kind, choices=tuple(WRITERS),
        )  # fmt: skip
    if not path.parent.is_dir():
        raise ModelError(
            f"there is no folder {str(path.parent)!r} for {path.name!r}; create it, or choose another one",
            code="no-such-folder", argument="path", file=str(path), folder=str(path.parent),
        )  # fmt: skip
    if kind == ".mp4" and not FFMpegWriter.isAvailable():
        raise ModelError(
            f"writing {path.name!r} needs the program ffmpeg; install it, or write a .gif instead",
            code="program-missing", argument="path", file=str(path), program="ffmpeg",
        )  # fmt: skip
    return path


def _write_still(film: Film, path: Path) -> None:
    figure = film._still()
    figure.savefig(path, dpi=1.5 * figure.dpi)


def _write_page(film: Film, path: Path) -> None:
    save_page(film.scene.result, path, trace=film.scene.trace, view=film._look[1], speed=film.speed)


def _write_mp4(film: Film, path: Path) -> None:
    rate: Any = film.fps  # matplotlib's annotation says int, but any number works
    writer = FFMpegWriter(fps=rate)
    with writer.saving(film.figure, str(path), dpi=film.figure.dpi):
        for pose in range(len(film)):
            film.scene.show(pose)
            writer.grab_frame()


def _write_gif(film: Film, path: Path) -> None:
    """Write a GIF whose frames share a palette made from about four of them: fast, small, and without flicker."""
    samples = [*pictures(film.scene, range(0, len(film), -(-len(film) // 4)))]
    colours = Image.fromarray(np.vstack(samples)).quantize(256, dither=Image.Dither.NONE)
    palette = np.array(colours.getpalette()).reshape(-1, 3)
    palette[palette.min(axis=1) > 240] = 255  # keep paper white
    colours.putpalette(palette.ravel().tolist())
    frames = (Image.fromarray(p).quantize(palette=colours, dither=Image.Dither.NONE) for p in pictures(film.scene))
    next(frames).save(path, save_all=True, append_images=frames, duration=round(1000 / film.fps), loop=0)


STILLS = (".png", ".svg")
WRITERS: dict[str, Callable[[Film, Path], None]] = {
    ".gif": _write_gif,
    ".mp4": _write_mp4,
    ".html": _write_page,
    **dict.fromkeys(STILLS, _write_still),
}
"""The writers by the endings of file names."""


def pictures(scene: Scene, poses: Iterable[int] | None = None) -> Iterator[np.ndarray]:
    """Yield the poses as arrays of pixels; parts that stand still are drawn once, because axes take long."""
    figure = scene.figure
    canvas = FigureCanvasAgg(figure)
    moving = scene.show(0)
    for artist in moving:
        artist.set_animated(True)  # excluded from canvas.draw()
    try:
        canvas.draw()
        still = canvas.copy_from_bbox(figure.bbox)
        for pose in range(len(scene)) if poses is None else poses:
            canvas.restore_region(still)
            for artist in sorted(scene.show(pose), key=lambda artist: artist.get_zorder()):
                if hasattr(artist, "do_3d_projection"):  # areas in space: axes project them when they draw them
                    artist.do_3d_projection()
                artist.draw(canvas.get_renderer())
            yield np.asarray(canvas.buffer_rgba())[..., :3].copy()
    finally:
        for artist in moving:
            artist.set_animated(False)
