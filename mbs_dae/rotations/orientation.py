"""What may be given where an orientation is meant, and the frame of an axis."""

from typing import Any

import numpy as np
import sympy as sp

from ..errors import ModelError
from .matrices import NO_TURN, from_quaternion
from .values import SINGULAR, common_shape, expressions, fields, is_symbolic, numbers, unit, vector

ORTHONORMAL = 1e-9
"""How far RᵀR may be from the identity, entry by entry. Six typed digits are refused: their errors would go on as
shear; a quaternion of six digits is normalised instead."""


def rotation_matrix(value: Any, what: str = "the rotation") -> Any:
    """The matrix of an orientation given as a 3x3 matrix, a quaternion (e0, e1, e2, e3), or a scipy ``Rotation``.

    A matrix must be orthonormal to 1e-9 and right-handed, and is returned as it is. A quaternion is normalised whatever
    its length; only zero is refused. A matrix with free symbols passes unchecked, as an ImmutableMatrix.
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
            raise ModelError(f"{what} is the zero quaternion; {NO_TURN}")
        return from_quaternion(array)
    raise ModelError(
        f"{what} has the shape {array.shape}; give a 3x3 matrix or a quaternion (e0, e1, e2, e3), "
        "or make a matrix of angles by rotations.about, rotations.euler or rotations.bryant"
    )


def _symbolic(value: Any, what: str) -> sp.ImmutableMatrix:
    """A 3x3 matrix of expressions, of whatever it was written as."""
    if not isinstance(value, sp.MatrixBase):
        if not isinstance(value, list | tuple | np.ndarray):
            raise ModelError(f"{what} is {value}; give a 3x3 matrix or the four entries of a quaternion")
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
    raise ModelError(f"{what} has the shape {value.shape}; give a 3x3 matrix or the four entries of a quaternion")


def check_rotation(R: np.ndarray, what: str) -> None:
    """Refuse what is not a right-handed orthonormal frame."""
    off = float(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0))
    if off > ORTHONORMAL:
        raise ModelError(
            f"{what} is not a rotation matrix: its columns are not orthonormal, RᵀR is off the identity by {off:.2g}; "
            "make it by rotations.about, rotations.euler, rotations.frame, ... or give a quaternion",
            deviation=off,
        )
    if np.any(np.linalg.det(R) < 0):
        raise ModelError(
            f"{what} is a left-handed frame (its determinant is -1), a reflection and no rotation; "
            "turn one of its axes round or swap two of them"
        )


def matrix_of_numbers(R: Any, what: str = "the rotation") -> np.ndarray:
    """A checked array of matrices, for what can be computed of numbers only."""
    array = rotation_matrix(R, what)
    if isinstance(array, sp.MatrixBase):
        names = ", ".join(sorted(map(str, array.free_symbols)))
        raise ModelError(f"{what} depends on {names}; put numbers in their place first")
    return array


def frame(axis: Any, x_axis: Any = None) -> np.ndarray:
    """The right-handed frame whose z is `axis` and whose x is `x_axis`, made perpendicular to it.

    Without `x_axis` it is the world's frame turned by the shortest way until its z is the axis: the identity for
    (0, 0, 1), and it changes smoothly with the axis but for one direction, (0, 0, -1), where all ways are equally
    short. (There is no choice without such a place.) There, x is the world's x. For an axis that may point downwards
    and moves, give `x_axis`.
    """
    if is_symbolic(axis) or is_symbolic(x_axis):
        raise ModelError("the frame of an axis needs numbers, not expressions; give numbers here")
    _, [given] = fields(("the axis", axis, 3))
    z = vector(np, unit(np, "the axis", given))
    x = _shortest_x(z) if x_axis is None else _perpendicular(x_axis, z)
    z = np.broadcast_to(z, x.shape)
    return np.stack([x, np.cross(z, x), z], axis=-1) + 0.0  # no -0.0


def _shortest_x(z: np.ndarray) -> np.ndarray:
    """The first column of the shortest turn of (0, 0, 1) to z = (a, b, c): (1 - a²/(1+c), -ab/(1+c), -a)."""
    a, b, c = np.moveaxis(z, -1, 0)
    side = a**2 + b**2
    down = (c < 0) & (side < SINGULAR**2)
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
    if np.any(np.linalg.norm(np.cross(z, x), axis=-1) < SINGULAR):
        raise ModelError("the x axis is parallel to the axis; give another direction for x")
    for _ in range(2):  # twice is enough: the first pass leaves roundoff over the sine of the angle between them
        x = x - (x * z).sum(axis=-1, keepdims=True) * z
        x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return x
