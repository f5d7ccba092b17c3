"""What a picture of a mechanism in space is made of: lines, shaded solids and words that know their path.

Who covers whom is not left to matplotlib, which looks at areas alone: every piece says where it belongs, and the scene
orders them by depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.art3d import Line3D, Poly3DCollection, Text3D  # type: ignore[import-untyped]

from ..stage import AS_SAID, BY_DEPTH, OVER_BODIES, Stage
from . import solids

LIGHT = np.array([0.25, -0.55, 0.8]) / np.linalg.norm([0.25, -0.55, 0.8])
"""Where the light comes from: over the left shoulder of the usual view."""
BLOCK = (2.2, 1.5, 0.9)
"""Half the sides of a body's block along its axes, in units of half a joint's symbol."""


@dataclass(frozen=True, eq=False)
class Line:
    """A polyline, or a dot of constant size on the paper."""

    artist: Any
    path: np.ndarray
    order: str = BY_DEPTH

    def show(self, pose: int) -> None:
        self.artist.set_data_3d(*self.path[pose].T)


@dataclass(frozen=True, eq=False)
class Solid:
    """Flat faces between corners, lit by the sun."""

    artist: Any
    path: np.ndarray
    faces: np.ndarray
    """Numbers of corners (faces, corners of each)."""
    colours: np.ndarray
    """Of each face (red, green, blue, alpha), in full light."""
    order: str = BY_DEPTH
    outlined: bool = False

    def show(self, pose: int) -> None:
        corners = self.path[pose][self.faces]
        self.artist.set_verts(corners)
        _paint(self.artist, _lit(corners, self.colours), self.outlined)


@dataclass(frozen=True, eq=False)
class Word:
    """A text in the middle of its path."""

    artist: Any
    path: np.ndarray
    order: str = AS_SAID

    def show(self, pose: int) -> None:
        self.artist.set_position_3d(self.path[pose, 0])


def line(path: np.ndarray, order: str = BY_DEPTH, **how: Any) -> Line:
    how = {"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 3, **how}
    return Line(Line3D(*path[0].T, **how), path, order)


def dot(path: np.ndarray, order: str = OVER_BODIES, **how: Any) -> Line:
    return line(path[:, None, :], order, **{"marker": "o", "linestyle": "none", **how})


def area(
    path: np.ndarray,
    color: Any,
    faces: Sequence[Sequence[int]] = (),
    order: str = BY_DEPTH,
    alpha: float = 1.0,
    edge: str = "",
    zorder: float = 3,
) -> Solid:
    """Faces of one colour, or each of its own; with an edge around them, if that has a colour."""
    faces = faces or [range(path.shape[1])]
    each = [color] * len(faces) if isinstance(color, str) else color
    colours = np.array([(*to_rgb(c), alpha) for c in each])
    numbers = _filled(faces)
    outlined = bool(edge) and alpha == 1.0
    artist = Poly3DCollection(path[0][numbers], edgecolors=edge if outlined else "none", linewidths=0.6, zorder=zorder)
    piece = Solid(artist, path, numbers, colours, order, outlined)
    piece.show(0)
    return piece


def lump(stage: Stage, body: str, at: np.ndarray, color: str, **how: Any) -> Solid:
    """A block, so that the attitude of the body is seen."""
    corners, faces = solids.box(*(half * stage.symbol for half in BLOCK))
    return area(stage.shown.places(body, corners + at), color, faces, edge="white", **how)


def word(path: np.ndarray, text: str, **how: Any) -> Word:
    return Word(Text3D(*path[0, 0], text, zdir=None, **how), path)


def _paint(artist: Any, colours: np.ndarray, outlined: bool) -> None:
    """What is not to be seen through gets edges of its own colours: else the paper shines through between faces."""
    artist.set_facecolor(colours)
    if not outlined and colours[0, 3] == 1.0:
        artist.set_edgecolor(colours)


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
