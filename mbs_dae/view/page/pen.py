"""Record the marks of a drawing for the scripts of a page that draw them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..drawing.stage import Ink

NAMES = {
    "linewidth": "width", "markersize": "size", "markerfacecolor": "fill", "markeredgecolor": "edge",
    "markeredgewidth": "width", "facecolor": "color", "edgecolor": "edge", "edge": "edge", "color": "color",
    "alpha": "alpha", "zorder": "z", "marker": "marker", "solid_capstyle": "cap", "text": "text",
}  # fmt: skip
"""The names of looks on a page, by those of matplotlib."""


def _noted(form: str, z: float, how: dict[str, Any]) -> Ink:
    look = {NAMES[name]: value for name, value in how.items() if name in NAMES}
    return {"form": form, "z": z, **look}, lambda points: None


def line(points: np.ndarray, **how: Any) -> Ink:
    return _noted("line", 3, how)


def dot(points: np.ndarray, **how: Any) -> Ink:
    return _noted("dot", 5, how)


def area(points: np.ndarray, color: Any, faces: Sequence[Sequence[int]] = (), **how: Any) -> Ink:
    ink, put = _noted("area", 2.5, {"color": color, **how})
    ink["faces"] = [[int(k) for k in face] for face in faces]
    return ink, put


def word(points: np.ndarray, text: str, **how: Any) -> Ink:
    return _noted("word", 7, {"text": text, **how})
