"""Films in files and in notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from matplotlib.animation import AbstractMovieWriter, FFMpegWriter, FuncAnimation, PillowWriter
from matplotlib.figure import Figure

from ..errors import ModelError

SUFFIXES = (".gif", ".mp4", ".png")


class Filmed(Protocol):
    """What a film is made of: a figure that can be put into a number of poses."""

    @property
    def figure(self) -> Figure: ...
    def __len__(self) -> int: ...
    def show(self, pose: int) -> list[Any]: ...


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


def write_film(scene: Filmed, path: Path, fps: float) -> Path:
    """Every pose of the scene as a frame."""
    writer: AbstractMovieWriter = FFMpegWriter(fps=fps) if path.suffix.lower() == ".mp4" else PillowWriter(fps=fps)
    try:
        with writer.saving(scene.figure, str(path), dpi=scene.figure.dpi):
            for pose in range(len(scene)):
                scene.show(pose)
                writer.grab_frame()
    except OSError as exc:
        raise unwritable(path, exc) from exc
    return path


def write_picture(figure: Figure, path: Path) -> Path:
    try:
        figure.savefig(path, dpi=1.5 * figure.dpi)
    except OSError as exc:
        raise unwritable(path, exc) from exc
    return path


def unwritable(path: Path, exc: OSError) -> ModelError:
    return ModelError(f"cannot write {str(path)!r}: {exc.strerror or exc}; choose a folder where you may write")


def notebook_html(scene: Filmed, fps: float) -> str:
    """A player with buttons that needs no server: all frames are inside."""
    film = FuncAnimation(scene.figure, scene.show, frames=len(scene), interval=1000 / fps, cache_frame_data=False)
    return film.to_jshtml(fps=fps, embed_limit=1000, default_mode="loop")
