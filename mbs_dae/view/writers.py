"""Films in files and in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.animation import FFMpegWriter, FuncAnimation
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from ..errors import ModelError
from ..results.files import replacing
from .scene import Scene

SUFFIXES = (".gif", ".mp4", ".png")
MAY_WRITE = "choose a folder where you may write"


def checked_path(path: str | Path) -> Path:
    """The path, if a picture can be written there; checked before any work is done."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise ModelError(
            f"cannot write an animation to {str(path)!r}; end the name in .gif or .mp4 (a film), "
            "or .png (a still picture of several poses)"
        )
    if not path.parent.is_dir():
        raise ModelError(f"there is no folder {str(path.parent)!r} for {path.name!r}; create it, or choose another one")
    if kind == ".mp4" and not FFMpegWriter.isAvailable():
        raise ModelError(f"writing {path.name!r} needs the program ffmpeg; install it, or write a .gif instead")
    return path


def write_film(scene: Scene, path: Path, fps: float) -> Path:
    """Every pose of the scene as a frame."""
    with replacing(path, MAY_WRITE) as place:
        (_write_gif if path.suffix.lower() == ".gif" else _write_mp4)(scene, place, fps)
    return path


def write_picture(figure: Figure, path: Path) -> Path:
    with replacing(path, MAY_WRITE) as place:
        figure.savefig(place, dpi=1.5 * figure.dpi)
    return path


def _write_mp4(scene: Scene, path: Path, fps: float) -> None:
    rate: Any = fps  # matplotlib is said to want an int, and takes any number
    writer = FFMpegWriter(fps=rate)
    with writer.saving(scene.figure, str(path), dpi=scene.figure.dpi):
        for pose in range(len(scene)):
            scene.show(pose)
            writer.grab_frame()


def _write_gif(scene: Scene, path: Path, fps: float) -> None:
    """All frames share the colours of a few of them: quick to find, small to store, and nothing flickers."""
    samples = [*pictures(scene, range(0, len(scene), -(-len(scene) // 4)))]
    colours = Image.fromarray(np.vstack(samples)).quantize(256, dither=Image.Dither.NONE)
    palette = np.array(colours.getpalette()).reshape(-1, 3)
    palette[palette.min(axis=1) > 240] = 255  # paper stays white
    colours.putpalette(palette.ravel().tolist())
    frames = (Image.fromarray(p).quantize(palette=colours, dither=Image.Dither.NONE) for p in pictures(scene))
    next(frames).save(path, save_all=True, append_images=frames, duration=round(1000 / fps), loop=0)


def pictures(scene: Scene, poses: Iterable[int] | None = None) -> Iterator[np.ndarray]:
    """The poses as arrays of pixels. What stands still is drawn only once: axes take longer than a mechanism."""
    figure = scene.figure
    canvas = FigureCanvasAgg(figure)
    moving = scene.show(0)
    for artist in moving:
        artist.set_animated(True)  # left out of what `draw` draws
    try:
        canvas.draw()
        still = canvas.copy_from_bbox(figure.bbox)
        for pose in range(len(scene)) if poses is None else poses:
            canvas.restore_region(still)
            for artist in sorted(scene.show(pose), key=lambda artist: artist.get_zorder()):
                if hasattr(artist, "do_3d_projection"):  # of areas in space; axes do it when they draw them
                    artist.do_3d_projection()
                artist.draw(canvas.get_renderer())
            yield np.asarray(canvas.buffer_rgba())[..., :3].copy()
    finally:
        for artist in moving:
            artist.set_animated(False)


def notebook_html(scene: Scene, fps: Any) -> str:
    """A player with buttons that needs no server: all frames are inside."""
    film = FuncAnimation(scene.figure, scene.show, frames=len(scene), interval=1000 / fps, cache_frame_data=False)
    with matplotlib.rc_context({"animation.embed_limit": 1000}):  # MB; beyond it frames would be dropped
        return film.to_jshtml(fps=fps, default_mode="loop")
