"""From matrices to angles, axes and quaternions; of numbers, one or many over time.

Where angles are not determined by the attitude (Euler sin theta = 0, Bryant cos phi2 = 0) this is reported, and no
convention picks some: an angle that jumps there would be taken for a motion.
"""

from typing import Any

import numpy as np

from .orientation import matrix_of_numbers
from .values import check_divisor

EULER = (
    "the Euler angles psi and phi are not determined{}: sin theta = 0, both turn about the same axis and only their "
    "sum (or difference) counts; use bryant angles or a quaternion"
)
BRYANT = (
    "the Bryant angles phi1 and phi3 are not determined{}: cos phi2 = 0, both turn about the same axis and only their "
    "sum (or difference) counts; use euler angles or a quaternion"
)


def quaternion(R: Any) -> np.ndarray:
    """The quaternion (e0, e1, e2, e3) with e0 >= 0; at half a turn (e0 = 0) the first entry that is not zero is
    positive. Over time its sign may therefore change from one moment to the next where e0 passes through zero."""
    R = matrix_of_numbers(R)
    # The matrix 4 e eᵀ is linear in R. Its columns are multiples of e; the one with the largest entry on the diagonal
    # (which is at least 1) is far from zero at every attitude.
    t = np.trace(R, axis1=-2, axis2=-1)
    squares = np.empty((*R.shape[:-2], 4, 4))
    squares[..., 0, 0] = 1 + t
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        squares[..., i + 1, i + 1] = 1 - t + 2 * R[..., i, i]
        squares[..., 0, i + 1] = squares[..., i + 1, 0] = R[..., k, j] - R[..., j, k]
        squares[..., i + 1, j + 1] = squares[..., j + 1, i + 1] = R[..., i, j] + R[..., j, i]
    best = np.argmax(np.diagonal(squares, axis1=-2, axis2=-1), axis=-1)
    e = np.take_along_axis(squares, best[..., None, None], axis=-1)[..., 0]
    e /= np.linalg.norm(e, axis=-1, keepdims=True)
    first = np.take_along_axis(e, np.argmax(e != 0, axis=-1)[..., None], axis=-1)
    return np.where(first < 0, -e, e) + 0.0  # + 0.0: no -0.0


def axis_angle(R: Any) -> tuple[np.ndarray, np.ndarray]:
    """The unit axis and the angle, from 0 to pi. Without a turn every axis is right, and z is given. At pi both
    directions are right, and the first entry that is not zero is positive."""
    e = quaternion(R)
    size = np.linalg.norm(e[..., 1:], axis=-1)
    none = (size == 0)[..., None]
    axis = np.where(none, [0.0, 0.0, 1.0], e[..., 1:] / np.where(none, 1.0, size[..., None]))
    return axis, 2 * np.arctan2(size, e[..., 0])


def rotation_vector(R: Any) -> np.ndarray:
    """Axis times angle, not longer than pi; zero without a turn."""
    axis, angle = axis_angle(R)
    return axis * angle[..., None]


def euler_angles(R: Any) -> np.ndarray:
    """(psi, theta, phi) of Rz(psi) Rx(theta) Rz(phi), with theta from 0 to pi; refused where sin theta = 0.

    (Every attitude has a second triple: psi + pi, -theta, phi + pi.)
    """
    R = matrix_of_numbers(R)
    sine = np.hypot(R[..., 0, 2], R[..., 1, 2])
    check_divisor(np, sine, EULER, angle="theta")
    psi = np.arctan2(R[..., 0, 2], -R[..., 1, 2])
    return np.stack([psi, np.arctan2(sine, R[..., 2, 2]), np.arctan2(R[..., 2, 0], R[..., 2, 1])], axis=-1)


def bryant_angles(R: Any) -> np.ndarray:
    """(phi1, phi2, phi3) of Rx(phi1) Ry(phi2) Rz(phi3), with phi2 from -pi/2 to pi/2; refused where cos phi2 = 0.

    (Every attitude has a second triple: phi1 + pi, pi - phi2, phi3 + pi.)
    """
    R = matrix_of_numbers(R)
    cosine = np.hypot(R[..., 0, 0], R[..., 0, 1])
    check_divisor(np, cosine, BRYANT, angle="phi2")
    phi1 = np.arctan2(-R[..., 1, 2], R[..., 2, 2])
    return np.stack([phi1, np.arctan2(R[..., 0, 2], cosine), np.arctan2(-R[..., 0, 1], R[..., 0, 0])], axis=-1)
