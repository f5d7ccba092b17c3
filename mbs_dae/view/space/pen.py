"""The pen of figures in space: lines, shaded solids and words that know their path.

Who covers whom is not left to matplotlib, which looks at areas alone: every piece says where it belongs, and the scene
orders them by depth.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.art3d import Line3D, Poly3DCollection, Text3D  # type: ignore[import-untyped]

from ..drawing.stage import Ink

LIGHT = np.array([0.25, -0.55, 0.8]) / np.linalg.norm([0.25, -0.55, 0.8])
"""Where the light comes from: over the left shoulder of the usual view."""


def line(points: np.ndarray, **how: Any) -> Ink:
    artist = Line3D(*points.T, **{"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 3, **how})
    return artist, lambda points: artist.set_data_3d(*points.T)


def dot(points: np.ndarray, **how: Any) -> Ink:
    return line(points, **{"marker": "o", "linestyle": "none", **how})


def area(
    points: np.ndarray, color: Any, faces: Sequence[Sequence[int]] = (), *, alpha: float = 1.0, edge: str = "",
    lit: bool = True, zorder: float = 3, **how: Any,
) -> Ink:  # fmt: skip
    """Faces ``lit`` by the sun, with an edge around them, if that has a colour. What is not to be seen through gets
    edges of its own colours: else the paper shines through between faces."""
    numbers = _filled(faces or [range(len(points))])
    each = [color] * len(numbers) if isinstance(color, str) else color
    colours = np.array([(*to_rgb(c), alpha) for c in each])
    outlined = bool(edge) and alpha == 1.0
    look = {"edgecolors": edge if outlined else "none", "linewidths": 0.6, "zorder": zorder, **how}
    artist = Poly3DCollection(points[numbers], **look)

    def put(points: np.ndarray) -> None:
        seen = _lit(points[numbers], colours) if lit else colours
        artist.set_verts(points[numbers])
        artist.set_facecolor(seen)
        if alpha == 1.0 and not outlined:
            artist.set_edgecolor(seen)

    put(points)
    return artist, put


def word(points: np.ndarray, text: str, **how: Any) -> Ink:
    artist = Text3D(*points[0], text, zdir=None, **how)
    return artist, lambda points: artist.set_position_3d(points[0])


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
