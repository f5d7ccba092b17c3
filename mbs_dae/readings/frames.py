"""Where markers are in a pose: their points and axes in the world."""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..model.bodies.body import Marker
from .reactions import body_rotation


def marker_frame(system: System, q: np.ndarray, marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    """The point of a marker, and the matrix whose columns are its axes, of Cartesian coordinates q."""
    point, axes = marker.on_body(system.evaluator)
    A = body_rotation(system, q[None], marker.body)[0]
    return q[list(system.layout.q[marker.body])][: point.size] + A @ point, A @ axes
