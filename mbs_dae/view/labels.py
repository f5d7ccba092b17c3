"""Names beside the bodies, placed where they cover least, over the whole motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from ..results.sketch import BodySketch
from .drawing import Piece, Stage, outline

MOST_LABELS = 8
"""With more bodies than this, names would hide the mechanism."""
FONT_SIZE = 9
LOOKS = 8
"""At how many poses the places are judged."""

COMPASS = [(np.cos(a), np.sin(a)) for a in np.arange(8) * np.pi / 4]


def label_pieces(stage: Stage, drawn: list[Piece], inch: float) -> dict[str, Piece]:
    """A label for each body, which goes along with it; `inch` is how many metres an inch of paper shows."""
    bodies = stage.sketch.bodies
    if len(bodies) > MOST_LABELS:
        return {}
    labels = {}
    looks = np.unique(np.linspace(0, len(stage.shown) - 1, LOOKS).astype(int))
    paths = [piece.path[looks if len(piece.path) > 1 else 0 * looks] for piece in drawn]
    obstacles = np.concatenate([_dense(path) for path in paths], axis=1)
    for body in bodies:
        half = _half_size(body.name, inch)
        places = _candidates(stage, body, half, gap=0.06 * inch)
        best = min(places, key=lambda place: _cost(place[looks], half, obstacles))
        text = Text(
            *best[0],
            body.name,
            color=_darker(stage.colour(body.name)),
            fontsize=FONT_SIZE,
            horizontalalignment="center",
            verticalalignment="center",
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
            zorder=7,
            clip_on=True,
        )
        corners = half * np.array([[0, 0], [-1, -1], [1, 1]])
        labels[body.name] = Piece(text, best[:, None, :] + corners)
        obstacles = np.concatenate([obstacles, best[looks][:, None] + half * GRID_IN_BOX], axis=1)
    return labels


GRID_IN_BOX = np.stack(np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 3)), axis=-1).reshape(1, -1, 2)


def _darker(colour: str) -> tuple[float, ...]:
    """Letters are thin: they need more ink than areas."""
    return tuple(0.75 * part for part in to_rgb(colour))


def _half_size(name: str, inch: float) -> np.ndarray:
    """Half the width and height of a label in metres: a letter is about 0.6 of its height wide."""
    em = FONT_SIZE / 72 * inch
    return np.array([0.31 * em * max(1, len(name)), 0.6 * em])


def _candidates(stage: Stage, body: BodySketch, half: np.ndarray, gap: float) -> Iterator[np.ndarray]:
    """Centres of the label at each pose, shape (poses, 2): beside the edges of the body, or around its point."""
    corners = outline(body.points)
    if len(corners) < 2:
        at = stage.shown.places(body.name, corners if len(corners) else np.array([body.com]))[:, 0]
        away = gap + (1.6 * stage.symbol if body.name in stage.drawn_by_joints else 0.6 * stage.symbol)
        for farther in (1.0, 2.0):
            for way in COMPASS:
                yield at + np.array(way) * (farther * away + half)
        return
    world = stage.shown.places(body.name, corners)
    for start, end in zip(range(len(corners)), [*range(1, len(corners)), 0], strict=True):
        along = world[:, end] - world[:, start]
        normal = np.stack([along[:, 1], -along[:, 0]], axis=-1) / np.hypot(*along.T)[:, None]
        beside = normal * (gap + np.abs(normal) @ half)[:, None]
        for part in (0.5, 0.35, 0.65, 0.2, 0.8):
            yield world[:, start] + part * along + beside


def _cost(centres: np.ndarray, half: np.ndarray, obstacles: np.ndarray) -> float:
    """How much the label covers; the first pose counts most, since it is the one that stills show."""
    inside = (np.abs(obstacles - centres[:, None, :]) < 1.15 * half).all(axis=-1)
    covered = inside.sum(axis=1)
    return float(3 * covered[0] + covered.mean())


def _dense(path: np.ndarray) -> np.ndarray:
    """Points close together along polylines; curves have enough of their own."""
    if path.shape[1] == 1 or path.shape[1] > 20:
        return path
    parts = np.linspace(0, 1, 25)[None, None, :, None]
    start, end = path[:, :-1, None, :], path[:, 1:, None, :]
    return (start + parts * (end - start)).reshape(len(path), -1, 2)
