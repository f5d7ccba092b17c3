"""Orientations: accepted forms of an orientation, the frame of an axis, and the angles, axis and quaternion of a
matrix.

Where the attitude does not determine angles (Euler sin theta = 0, Bryant cos phi2 = 0) an error is raised, and no
convention picks some: an angle that jumps there would be taken for a motion.
"""

from typing import Any

import numpy as np
import sympy as sp

from ..errors import ModelError
from ..tolerances import ORTHONORMALITY, ZERO_DIVISOR
from .matrices import NO_TURN, from_quaternion
from .values import check_divisor, common_shape, expressions, fields, is_symbolic, numbers, unit, vector

EULER = (
    "the Euler angles psi and phi are not determined{}: sin theta = 0, both turn about the same axis and only their "
    "sum (or difference) counts; use bryant angles or a quaternion"
)
BRYANT = (
    "the Bryant angles phi1 and phi3 are not determined{}: cos phi2 = 0, both turn about the same axis and only their "
    "sum (or difference) counts; use euler angles or a quaternion"
)


def rotation_matrix(value: Any, what: str = "the rotation") -> Any:
    """The matrix of an orientation given as a 3x3 matrix, a quaternion (e0, e1, e2, e3), or a scipy ``Rotation``.

    A matrix must be orthonormal to 1e-9 and right-handed, and is returned as it is. A quaternion is normalised whatever
    its length; only zero is refused. A matrix with free symbols passes unchecked, as an ImmutableMatrix.

    >>> mbs.rotations.rotation_matrix((2, 0, 0, 2)).round(6) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    if callable(getattr(value, "as_matrix", None)):
        value = value.as_matrix()
    if is_symbolic(value):
        symbolic = _symbolic(value, what)
        if symbolic.free_symbols:
            return symbolic
        value = symbolic.evalf(17).tolist()
    array = numbers(what, value)
    if array.shape[-2:] == (3, 3):
        check_rotation(array, what)
        return array
    if array.shape[-1:] == (4,):
        if not array.any(axis=-1).all():
            raise ModelError(f"{what} is the zero quaternion; {NO_TURN}", code="zero-vector", argument=what)
        return from_quaternion(array)
    known = "a 3x3 matrix or a quaternion (e0, e1, e2, e3)"
    remedy = "make a matrix of angles by rotations.about, rotations.euler or rotations.bryant"
    raise ModelError(
        f"{what} has the shape {array.shape}; give {known}, or {remedy}",
        code="wrong-shape", argument=what, shape=array.shape,
    )  # fmt: skip


def _symbolic(value: Any, what: str) -> sp.ImmutableMatrix:
    """Return a 3x3 matrix of expressions, from any form of an orientation."""
    if not isinstance(value, sp.MatrixBase):
        if not isinstance(value, list | tuple | np.ndarray):
            raise ModelError(
                f"{what} is {value}; give a 3x3 matrix or the four entries of a quaternion",
                code="wrong-type", argument=what, value=value,
            )  # fmt: skip
        rows = [row.flat() if isinstance(row, sp.MatrixBase) else row for row in value]
        nested = [isinstance(row, list | tuple | np.ndarray) for row in rows]
        if all(nested):
            value = sp.ImmutableMatrix([expressions(f"a row of {what}", row, 3) for row in rows])
        else:
            value = sp.ImmutableMatrix(expressions(what, rows, len(rows)))
    if value.shape == (3, 3):
        return sp.ImmutableMatrix(value)
    if value.shape in ((4, 1), (1, 4)):
        return from_quaternion(value)
    raise ModelError(
        f"{what} has the shape {value.shape}; give a 3x3 matrix or the four entries of a quaternion",
        code="wrong-shape", argument=what, shape=value.shape,
    )  # fmt: skip


def check_rotation(R: np.ndarray, what: str) -> None:
    """Raise an error for a matrix that is not a right-handed orthonormal frame."""
    off = float(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0))
    if off > ORTHONORMALITY:
        why = f"its columns are not orthonormal, RᵀR is off the identity by {off:.2g}"
        remedy = "make it by rotations.about, rotations.euler, rotations.frame, ... or give a quaternion"
        raise ModelError(
            f"{what} is not a rotation matrix: {why}; {remedy}", code="not-orthonormal", argument=what, deviation=off
        )
    if np.any(np.linalg.det(R) < 0):
        what += " is a left-handed frame (its determinant is -1), a reflection and no rotation"
        raise ModelError(f"{what}; turn one of its axes round or swap two of them", code="left-handed")


def matrix_of_numbers(R: Any, what: str = "the rotation") -> np.ndarray:
    """Return a checked array of matrices, for computations with numbers only."""
    array = rotation_matrix(R, what)
    if isinstance(array, sp.MatrixBase):
        names = ", ".join(sorted(map(str, array.free_symbols)))
        raise ModelError(
            f"{what} depends on {names}; put numbers in their place first",
            code="needs-numbers", argument=what, symbols=tuple(sorted(map(str, array.free_symbols))),
        )  # fmt: skip
    return array


def frame(axis: Any, x_axis: Any = None) -> np.ndarray:
    """The right-handed frame whose z is `axis` and whose x is `x_axis`, made perpendicular to it.

    Without `x_axis` it is the world's frame turned by the shortest way until its z is the axis: the identity for
    (0, 0, 1), and it changes smoothly with the axis but for one direction, (0, 0, -1), where all ways are equally
    short. (There is no choice without such a place.) There, x is the world's x. For an axis that may point downwards
    and moves, give `x_axis`.

    >>> mbs.rotations.frame((0, 2, 0), x_axis=(1, 5, 0))  # its columns are x, y, z
    array([[ 1.,  0.,  0.],
           [ 0.,  0.,  1.],
           [ 0., -1.,  0.]])
    """
    if is_symbolic(axis) or is_symbolic(x_axis):
        raise ModelError(
            "the frame of an axis needs numbers, not expressions; give numbers here",
            code="needs-numbers", argument="x_axis" if is_symbolic(x_axis) else "axis",
        )  # fmt: skip
    _, [given] = fields(("the axis", axis, 3))
    z = vector(np, unit(np, "the axis", given))
    x = _shortest_x(z) if x_axis is None else _perpendicular(x_axis, z)
    z = np.broadcast_to(z, x.shape)
    return np.stack([x, np.cross(z, x), z], axis=-1) + 0.0  # no -0.0


def _shortest_x(z: np.ndarray) -> np.ndarray:
    """Return the first column of the shortest turn of (0, 0, 1) to z = (a, b, c): (1 - a²/(1+c), -ab/(1+c), -a)."""
    a, b, c = np.moveaxis(z, -1, 0)
    side = a**2 + b**2
    down = (c < 0) & (side < ZERO_DIVISOR**2)
    safe = np.where(down, 1.0, side)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(c < 0, (1 - c) / safe, 1 / (1 + c))  # 1 / (1 + c), without cancellation below
    share = np.where(down, 0.0, share)
    x = np.stack([1 - share * a**2, -share * a * b, np.where(down, a, -a)], axis=-1)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def _perpendicular(x_axis: Any, z: np.ndarray) -> np.ndarray:
    _, [given] = fields(("the x axis", x_axis, 3))
    x = vector(np, unit(np, "the x axis", given))
    time = common_shape(["axis", "x_axis"], [z.shape[:-1], x.shape[:-1]])
    x, z = np.broadcast_to(x, (*time, 3)), np.broadcast_to(z, (*time, 3))
    if np.any(np.linalg.norm(np.cross(z, x), axis=-1) < ZERO_DIVISOR):
        raise ModelError(
            "the x axis is parallel to the axis; give another direction for x",
            code="parallel-axes", argument="x_axis", value=x_axis,
        )  # fmt: skip
    for _ in range(2):  # twice is enough: the first pass leaves roundoff over the sine of the angle between them
        x = x - (x * z).sum(axis=-1, keepdims=True) * z
        x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return x


# --- from a matrix ---


def quaternion(R: Any) -> np.ndarray:
    """The quaternion (e0, e1, e2, e3) with e0 >= 0; at half a turn (e0 = 0) the first entry that is not zero is
    positive. Over time its sign may therefore change from one moment to the next where e0 passes through zero.

    >>> mbs.rotations.quaternion(mbs.rotations.about_z(2 * np.pi / 3)).round(4)  # cos 60°, sin 60°
    array([0.5  , 0.   , 0.   , 0.866])
    """
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


def continued(e: np.ndarray) -> np.ndarray:
    """Return quaternions over time with continuous signs: e and -e are one attitude, and the one nearer to its
    predecessor is taken."""
    signs = np.ones((*e.shape[:-1], 1))
    signs[1:][(e[1:] * e[:-1]).sum(axis=-1) < 0] = -1.0
    return e * np.cumprod(signs, axis=0)


def axis_angle(R: Any) -> tuple[np.ndarray, np.ndarray]:
    """The unit axis and the angle, from 0 to pi. Without a turn every axis is right, and z is given. At pi both
    directions are right, and the first entry that is not zero is positive.

    >>> axis, angle = mbs.rotations.axis_angle(mbs.rotations.about((0, 3, 4), 0.5))
    >>> axis.round(6), round(float(angle), 6)
    (array([0. , 0.6, 0.8]), 0.5)
    """
    e = quaternion(R)
    size = np.linalg.norm(e[..., 1:], axis=-1)
    none = (size == 0)[..., None]
    axis = np.where(none, [0.0, 0.0, 1.0], e[..., 1:] / np.where(none, 1.0, size[..., None]))
    return axis, 2 * np.arctan2(size, e[..., 0])


def rotation_vector(R: Any) -> np.ndarray:
    """Axis times angle, not longer than pi; zero without a turn.

    >>> mbs.rotations.rotation_vector(mbs.rotations.about((0, 3, 4), 0.5)).round(6)
    array([0. , 0.3, 0.4])
    """
    axis, angle = axis_angle(R)
    return axis * angle[..., None]


def euler_angles(R: Any) -> np.ndarray:
    """(psi, theta, phi) of Rz(psi) Rx(theta) Rz(phi), with theta from 0 to pi; refused where sin theta = 0.

    (Every attitude has a second triple: psi + pi, -theta, phi + pi.)

    >>> mbs.rotations.euler_angles(mbs.rotations.euler(0.1, 0.2, 0.3)).round(6)
    array([0.1, 0.2, 0.3])
    """
    R = matrix_of_numbers(R)
    sine = np.hypot(R[..., 0, 2], R[..., 1, 2])
    check_divisor(np, sine, EULER, angle="theta")
    psi = np.arctan2(R[..., 0, 2], -R[..., 1, 2])
    return np.stack([psi, np.arctan2(sine, R[..., 2, 2]), np.arctan2(R[..., 2, 0], R[..., 2, 1])], axis=-1)


def bryant_angles(R: Any) -> np.ndarray:
    """(phi1, phi2, phi3) of Rx(phi1) Ry(phi2) Rz(phi3), with phi2 from -pi/2 to pi/2; refused where cos phi2 = 0.

    (Every attitude has a second triple: phi1 + pi, pi - phi2, phi3 + pi.)

    >>> mbs.rotations.bryant_angles(mbs.rotations.bryant(0.1, 0.2, 0.3)).round(6)
    array([0.1, 0.2, 0.3])
    """
    R = matrix_of_numbers(R)
    cosine = np.hypot(R[..., 0, 0], R[..., 0, 1])
    check_divisor(np, cosine, BRYANT, angle="phi2")
    phi1 = np.arctan2(-R[..., 1, 2], R[..., 2, 2])
    return np.stack([phi1, np.arctan2(R[..., 0, 2], cosine), np.arctan2(-R[..., 0, 1], R[..., 0, 0])], axis=-1)
