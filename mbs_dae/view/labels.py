"""Place names beside bodies and arrows where they cover least on the paper, over the whole motion."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patheffects import withStroke

from .drawing.colours import LOAD
from .drawing.stage import DrawingStage
from .drawing.tracks import unit

MOST_LABELS = 8  # with more bodies, names would hide the mechanism
MOST_ARROWS = 3
FONT_SIZE = 9
FAR = 4.0  # number of covered points that is as bad as a name one line farther away
UNREADABLE = 10.0  # weight of covering a name, relative to covering the mechanism
LOOKS = 8  # number of poses at which places are judged

COMPASS = [(np.cos(a), np.sin(a)) for a in np.arange(8) * np.pi / 4]
GRID_IN_BOX = np.stack(np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 3)), axis=-1).reshape(1, -1, 2)
MIDDLE_AND_CORNERS = np.array([[0, 0], [-1, -1], [1, 1]])


def placed_labels(
    stage: DrawingStage,
    skeletons: dict[str, np.ndarray],
    drawn: list[np.ndarray],
    inch: float,
    both_sides: bool = False,
) -> dict[str, np.ndarray]:
    """Return a place for the name of each body or arrow, beside its skeleton and clear of all that is drawn: paths on
    the paper, shape (poses, points, 2); `inch` is the number of metres that an inch of paper shows. The corners of
    plates go counter-clockwise, and names stand outside; with ``both_sides``, for plates that may be seen from behind,
    both sides of their edges are tried. A place is the middle of the name and two corners, shape (poses, 3, 2)."""
    if len(stage.sketch.bodies) > MOST_LABELS:
        return {}
    labels: dict[str, np.ndarray] = {}
    poses = max((len(path) for path in skeletons.values()), default=1)
    looks = np.unique(np.linspace(0, poses - 1, LOOKS).astype(int))
    paths = [path[looks if len(path) > 1 else 0 * looks] for path in drawn]
    obstacles = np.concatenate([dense(path) for path in paths], axis=1)
    others = np.zeros((len(looks), 0, 2))
    for body, skeleton in skeletons.items():
        em = FONT_SIZE / 72 * inch
        half = np.array([0.31 * em * max(1, len(body)), 0.6 * em])  # a letter is about 0.6 of its height wide
        box = 1.6 * stage.symbol if body in stage.drawn_by_joints else 0.6 * stage.symbol
        places = [*_candidates(skeleton, half, gap=0.06 * inch, box=box)]
        if both_sides:
            places += [*_candidates(skeleton[:, ::-1], half, 0.06 * inch, 3 * box)]

        def covered(centres: np.ndarray, points: np.ndarray, half: np.ndarray = half) -> float:
            """Return how many points a label covers; the first pose counts most, because still pictures show it."""
            inside = (np.abs(points - centres[:, None, :]) < 1.15 * half).all(axis=-1).sum(axis=1)
            return float(3 * inside[0] + inside.mean())

        costs = [
            FAR * lines + (covered(centres[looks], obstacles) + UNREADABLE * covered(centres[looks], others))
            for lines, centres in places
        ]
        best = places[int(np.argmin(costs))][1]
        labels[body] = best[:, None] + half * MIDDLE_AND_CORNERS
        others = np.concatenate([others, best[looks][:, None] + half * GRID_IN_BOX], axis=1)
    return labels


def look_of_label(stage: DrawingStage, name: str) -> dict[str, Any]:
    """Return the text style for the name of a body or arrow: darker than its area, because letters are thin."""
    colour = stage.colours.get(name, LOAD)
    ink = tuple(0.75 * part for part in to_rgb(colour))
    halo = [withStroke(linewidth=2.5, foreground="white")]
    middle = {"horizontalalignment": "center", "verticalalignment": "center"}
    return {"color": ink, "fontsize": FONT_SIZE, "path_effects": halo, "parse_math": False, **middle}


def _candidates(
    skeleton: np.ndarray, half: np.ndarray, gap: float, box: float
) -> Iterator[tuple[float, np.ndarray]]:  # fmt: skip
    """Yield how many lines a place is farther away than necessary, and the centres of the label, shape (poses, 2):
    beside the edges of the body, or around its point."""
    count = skeleton.shape[1]
    if count == 1:
        for farther in (1.0, 2.0):
            for direction in COMPASS:
                yield farther - 1, skeleton[:, 0] + np.array(direction) * (farther * (gap + box) + half)
        return
    for start in range(count):
        along = skeleton[:, (start + 1) % count] - skeleton[:, start]
        normal = unit(np.stack([along[:, 1], -along[:, 0]], axis=-1))
        normal[~normal.any(axis=1)] = (0.0, 1.0)  # an edge seen end-on has no direction: take any
        for farther in (0.0, 0.7, 1.5):
            offset = normal * (gap + 2 * farther * half[1] + np.abs(normal) @ half)[:, None]
            for part in (0.5, 0.35, 0.65, 0.2, 0.8):
                yield farther, skeleton[:, start] + part * along + offset


def dense(path: np.ndarray, count: int = 25) -> np.ndarray:
    """Return points close together along polylines; curves of more than 20 points are returned as they are."""
    if path.shape[1] == 1 or path.shape[1] > 20:
        return path
    parts = np.linspace(0, 1, count)[None, None, :, None]
    start, end = path[:, :-1, None, :], path[:, 1:, None, :]
    return (start + parts * (end - start)).reshape(len(path), -1, 2)
