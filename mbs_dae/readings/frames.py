"""Where bodies and markers are: points, and axes in the world."""

import numpy as np

from ..compiled import System
from ..model.bodies.body import Body, Marker
from ..rotations import about_z, from_quaternion


def body_rotation(system: System, q: np.ndarray, body: Body) -> np.ndarray:
    """The matrix from body axes to world axes along a motion."""
    own = q[:, list(system.layout.q[body])]
    return from_quaternion(own[:, 3:7]) if system.model.dimension == 3 else about_z(own[:, 2])[:, :2, :2]


def marker_frame(system: System, q: np.ndarray, marker: Marker) -> tuple[np.ndarray, np.ndarray]:
    """The point of a marker, and the matrix whose columns are its axes, of Cartesian coordinates q."""
    point, axes = marker.on_body(system.evaluator)
    A = body_rotation(system, q[None], marker.body)[0]
    return q[list(system.layout.q[marker.body])][: point.size] + A @ point, A @ axes
