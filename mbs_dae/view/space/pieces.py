"""What a picture of a mechanism in space is made of: lines, shaded solids and words that know their path.

Who covers whom is not left to matplotlib, which looks at areas alone: every piece says where it belongs, and the scene
orders them by depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.art3d import Line3D, Poly3DCollection, Text3D  # type: ignore[import-untyped]

from ..motion import Marker
from ..stage import AS_SAID, BY_DEPTH, OVER_BODIES, Piece, Stage
from ..style import DARK, GROUND
from . import solids

LIGHT = np.array([0.25, -0.55, 0.8]) / np.linalg.norm([0.25, -0.55, 0.8])
"""Where the light comes from: over the left shoulder of the usual view."""
METAL = "#D3D8DC"
BLOCK = (2.2, 1.5, 0.9)  # half the sides of a body's block along its axes, in units of half a joint's symbol


def line(path: np.ndarray, order: str = BY_DEPTH, **how: Any) -> Piece:
    how = {"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 3, **how}
    artist = Line3D(*path[0].T, **how)
    return Piece(artist, path, lambda points: artist.set_data_3d(*points.T), order)


def dot(path: np.ndarray, order: str = OVER_BODIES, **how: Any) -> Piece:
    return line(path[:, None, :], order, **{"marker": "o", "linestyle": "none", **how})


def area(
    path: np.ndarray, color: Any, faces: Sequence[Sequence[int]] = (), order: str = BY_DEPTH,
    alpha: float = 1.0, edge: str = "", zorder: float = 3,
) -> Piece:  # fmt: skip
    """Faces of one colour, or each of its own, lit by the sun; with an edge around them, if that has a colour. What is
    not to be seen through gets edges of its own colours: else the paper shines through between faces."""
    numbers = _filled(faces or [range(path.shape[1])])
    each = [color] * len(numbers) if isinstance(color, str) else color
    colours = np.array([(*to_rgb(c), alpha) for c in each])
    outlined = bool(edge) and alpha == 1.0
    artist = Poly3DCollection(path[0][numbers], edgecolors=edge if outlined else "none", linewidths=0.6, zorder=zorder)

    def put(points: np.ndarray) -> None:
        lit = _lit(points[numbers], colours)
        artist.set_verts(points[numbers])
        artist.set_facecolor(lit)
        if alpha == 1.0 and not outlined:
            artist.set_edgecolor(lit)

    put(path[0])
    return Piece(artist, path, put, order)


def lump(stage: Stage, body: str, at: np.ndarray, color: str, **how: Any) -> Piece:
    """A block, so that the attitude of the body is seen."""
    corners, faces = solids.box(*(half * stage.symbol for half in BLOCK))
    return area(stage.shown.places(body, corners + at), color, faces, edge="white", **how)


def ball(stage: Stage, marker: Marker) -> Piece:
    edge = 1.2 * stage.fine
    look: dict[str, Any] = {"markerfacecolor": METAL, "markeredgecolor": DARK, "markeredgewidth": edge}
    return dot(stage.shown.place(marker), markersize=8 * stage.fine, **look)


def box(stage: Stage, marker: Marker, **how: Any) -> Piece:
    return block(stage, marker, (0.9, 0.9, 1.6), stage.colour(marker[0]), **how)


def block(stage: Stage, marker: Marker, halves: tuple[float, float, float], color: str, **how: Any) -> Piece:
    corners, faces = solids.box(*halves)
    path = stage.shown.at_marker(marker, stage.symbol * corners)
    return area(path, color, faces, OVER_BODIES, edge="white", **how)


def support(stage: Stage, marker: Marker) -> Iterator[Piece]:
    """A foot on hatched paper."""
    corners, faces = solids.pyramid(0.85, 1.7)
    place = stage.shown.place(marker)[:, None]
    hatching = [((x - 0.35, -1.15, -1.7), (x + 0.35, 1.15, -1.7), (np.nan,) * 3) for x in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    strokes = np.array([point for stroke in hatching for point in stroke])
    yield line(place + stage.symbol * strokes, AS_SAID, color=GROUND, linewidth=0.9 * stage.fine, zorder=1.7)
    yield area(place + stage.symbol * corners, "#C4C4C4", faces)


def word(path: np.ndarray, text: str, **how: Any) -> Piece:
    artist = Text3D(*path[0, 0], text, zdir=None, **how)
    return Piece(artist, path, lambda points: artist.set_position_3d(points[0]))


def _filled(faces: Sequence[Sequence[int]]) -> np.ndarray:
    """All faces with as many corners as the largest has: the last one stands for those that are missing. (matplotlib
    fills up faces of different sizes too, with numbers from anywhere.)"""
    most = max(map(len, faces))
    return np.array([[*face, *[face[-1]] * (most - len(face))] for face in faces])


def _lit(corners: np.ndarray, colours: np.ndarray) -> np.ndarray:
    """Faces towards the light are bright; faces with corners in a row have no direction."""
    first, second, third = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = np.cross(second - first, third - second)
    length = np.linalg.norm(normals, axis=1)
    bright = 0.78 + 0.22 * (normals @ LIGHT) / np.where(length > 0.0, length, 1.0)
    return np.concatenate([colours[:, :3] * bright[:, None], colours[:, 3:]], axis=1)
