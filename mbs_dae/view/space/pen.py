"""Draw marks in space: lines, shaded solids and words that know their path.

Matplotlib orders areas only by depth, so every piece states its order, and the scene sorts all pieces."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.art3d import Line3D, Poly3DCollection, Text3D  # type: ignore[import-untyped]

from ..drawing.stage import Ink

LIGHT = np.array([0.25, -0.55, 0.8]) / np.linalg.norm([0.25, -0.55, 0.8])
"""The direction of the light: over the left shoulder of the usual view."""


def line(points: np.ndarray, **how: Any) -> Ink:
    artist = Line3D(*points.T, **{"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 3, **how})
    return artist, lambda points: artist.set_data_3d(*points.T)


def dot(points: np.ndarray, **how: Any) -> Ink:
    return line(points, **{"marker": "o", "linestyle": "none", **how})


def area(
    points: np.ndarray, color: Any, faces: Sequence[Sequence[int]] = (), *, alpha: float = 1.0, edge: str = "",
    lit: bool = True, zorder: float = 3, **how: Any,
) -> Ink:  # fmt: skip
    """Return faces shaded by the light if ``lit``, with edges if `edge` has a colour. Opaque faces without such edges
    get edges of their own colours, because the paper would otherwise show between faces."""
    corners = faces or [range(len(points))]
    # All faces get as many corners as the largest has, by repeating the last corner. (Matplotlib also pads faces of
    # different sizes, but with arbitrary numbers.)
    most = max(map(len, corners))
    numbers = np.array([[*face, *[face[-1]] * (most - len(face))] for face in corners])
    each = [color] * len(numbers) if isinstance(color, str) else color
    colours = np.array([(*to_rgb(c), alpha) for c in each])
    outlined = bool(edge) and alpha == 1.0
    look = {"edgecolors": edge if outlined else "none", "linewidths": 0.6, "zorder": zorder, **how}
    artist = Poly3DCollection(points[numbers], **look)

    def put(points: np.ndarray) -> None:
        seen = colours
        if lit:  # brighter towards the light; a face whose corners lie in a row has no direction
            first, second, third = points[numbers[:, 0]], points[numbers[:, 1]], points[numbers[:, 2]]
            normals = np.cross(second - first, third - second)
            length = np.linalg.norm(normals, axis=1)
            bright = 0.78 + 0.22 * (normals @ LIGHT) / np.where(length > 0.0, length, 1.0)
            seen = np.concatenate([colours[:, :3] * bright[:, None], colours[:, 3:]], axis=1)
        artist.set_verts(points[numbers])
        artist.set_facecolor(seen)
        if alpha == 1.0 and not outlined:
            artist.set_edgecolor(seen)

    put(points)
    return artist, put


def word(points: np.ndarray, text: str, **how: Any) -> Ink:
    artist = Text3D(*points[0], text, zdir=None, **how)
    return artist, lambda points: artist.set_position_3d(points[0])
