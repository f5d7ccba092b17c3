"""Names beside bodies in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.text import Text

from ..labels import look_of_label, placed_labels
from ..stage import Stage
from .drawing import PlanePiece


def label_pieces(
    stage: Stage, skeletons: dict[str, np.ndarray], drawn: list[Any], inch: float
) -> dict[str, PlanePiece]:
    """A label for each body, which goes along with it."""
    labels = {}
    for body, place in placed_labels(stage, skeletons, [piece.path for piece in drawn], inch).items():
        x, y = place.centre[0]
        text = Text(x, y, body, zorder=7, clip_on=True, **look_of_label(stage, body))
        labels[body] = PlanePiece(text, place.path)
    return labels
