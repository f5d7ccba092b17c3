"""Whether axes that a joint keeps parallel point the same way.

Φ asks for right angles (the z axis of one marker against the x and y axes of the other), which hold as well when a body
stands on its head. From a rough placement Newton may end there: closed to roundoff, and wrong.
"""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..model.bodies.body import Marker
from ..readings.reactions import body_rotation


def turned_over(system: System, q: np.ndarray) -> tuple[str, ...]:
    """The joints whose markers have parallel axes, or frames, that point in opposite directions."""
    if system.model.dimension == 2:
        return ()
    out = []
    for element in system.model.conditions:
        if element.facing:
            first, second = (frame_of(system, q, marker) for marker in element.markers[:2])
            cosines = (first * second).sum(axis=0)
            wrong = {"axis": cosines[2] < 0, "frame": cosines.min() < 0.5, "twist": cosines[0] + cosines[1] < 0}
            if wrong[element.facing]:
                out.append(element.name)
    return tuple(out)


def frame_of(system: System, q: np.ndarray, marker: Marker) -> np.ndarray:
    """The axes of a marker in the world, as columns."""
    numbers = [system.evaluator(n) for n in marker.numbers]
    return body_rotation(system, q[None], marker.body)[0] @ np.reshape(numbers[3:], (3, 3))
