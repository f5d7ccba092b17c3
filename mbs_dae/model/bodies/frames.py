"""Rotation matrices of numbers or of expressions of parameters, as rows of a tuple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from ... import rotations
from ...errors import ModelError
from ..parameters import Number, check_number
from .body import coordinates_of, is_zero

Rotation = tuple[tuple[Number, ...], ...]
IDENTITY: Rotation = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def rotation_of(value: Any, what: str) -> Rotation:
    """What users may give for an orientation: a matrix, a quaternion, a scipy Rotation."""
    if value is None or value is IDENTITY:
        return IDENTITY
    rows = value.tolist() if isinstance(value, sp.MatrixBase) else value
    for n in _entries(rows):
        check_number(n, f"a number in the {what}")
    if _symbolic(rows):
        return tuple(map(tuple, rows))
    if isinstance(rows, tuple | list):
        rows = np.array([[*map(float, r)] if isinstance(r, tuple | list) else float(r) for r in rows])
    return _plain(rotations.rotation_matrix(rows, what))


def check_rotation(rows: Sequence[Sequence[float]], what: str) -> None:
    """For matrices of which the numbers are known only now."""
    if not np.isfinite(rows).all():
        raise ModelError(f"{what} has no direction for these parameters; mend its axis, or give x_axis=")
    rotations.rotation_matrix(np.array(rows), what)


def frame_of(axis: Any, x_axis: Any, who: str) -> Rotation:
    """The right-handed frame with this z axis, and with the x axis as near to `x_axis` as can be."""
    if axis is None and x_axis is None:
        return IDENTITY
    z = (0, 0, 1) if axis is None else coordinates_of(axis, f"axis= of {who}", 3)
    x = None if x_axis is None else coordinates_of(x_axis, f"x_axis= of {who}", 3)
    if not _symbolic([z, x or ()]):
        try:
            return _plain(rotations.frame([float(n) for n in z], None if x is None else [float(n) for n in x]))
        except ModelError as exc:
            raise ModelError(f"{who}: {exc}") from exc
    third = sp.Matrix(z).normalized()
    if x is None:  # the shortest turn from the world's z axis, as for numbers
        a, b, c = third
        return ((1 - a**2 / (1 + c), -a * b / (1 + c), a), (-a * b / (1 + c), 1 - b**2 / (1 + c), b), (-a, -b, c))
    start = sp.Matrix(x)
    first = (start - third * third.dot(start)).normalized()
    columns = (first, third.cross(first), third)
    return tuple(tuple(column[row] for column in columns) for row in range(3))


def transposed(rotation: Rotation) -> Rotation:
    return tuple(zip(*rotation, strict=True))


def turned(rotation: Rotation, vector: Sequence[Number]) -> tuple[Number, ...]:
    return tuple(_dot(row, vector) for row in rotation)


def product(a: Rotation, b: Rotation) -> Rotation:
    return tuple(tuple(_dot(row, column) for column in transposed(b)) for row in a)


def _dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    return sum((x * y for x, y in zip(a, b, strict=True) if not (is_zero(x) or is_zero(y))), start=0)


def _symbolic(rows: Any) -> bool:
    return any(isinstance(n, sp.Basic) and n.free_symbols for n in _entries(rows))


def _entries(rows: Any) -> list[Any]:
    """Of a nested list; none of anything else."""
    if not isinstance(rows, tuple | list):
        return []
    return [n for row in rows for n in (row if isinstance(row, tuple | list) else [row])]


def _plain(matrix: np.ndarray) -> Rotation:
    """Floats, with what is a whole number made one: a frame along the axes costs nothing."""
    return tuple(tuple(int(n) if n in (0.0, 1.0, -1.0) else float(n) for n in row) for row in np.asarray(matrix))
