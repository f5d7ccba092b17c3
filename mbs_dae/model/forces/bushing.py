"""A bushing: an elastic and damping connection in all directions."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ...errors import ModelError
from ...symbolic.loads import Load
from ...symbolic.markers import FormMarker, rate_of, variables
from ..fields import Field
from ..joints import primitives as the
from ..parameters import Number, check_number
from .base import ForceElement


class Coupling(Field):
    """A stiffness or damping: one number for each direction, or a symmetric matrix."""

    def check(self, value: Any, who: str) -> tuple[tuple[Number, ...], ...]:
        if not hasattr(value, "__len__") and value == 0:
            return ()
        rows = value.tolist() if hasattr(value, "tolist") else [*value] if isinstance(value, list | tuple) else [value]
        if not any(isinstance(row, list | tuple) for row in rows):
            rows = [[n if r == c else 0 for c in range(len(rows))] for r, n in enumerate(rows)]
        what = f"{self.name} of {who}"
        if any(not isinstance(row, list | tuple) or len(row) != len(rows) for row in rows):
            raise ModelError(f"{what} must be a list of numbers or a square matrix, not {value!r}")
        matrix = tuple(tuple(check_number(n, f"a number in the {what}") for n in row) for row in rows)
        if any(sp.sympify(matrix[r][c]) != sp.sympify(matrix[c][r]) for r in range(len(rows)) for c in range(r)):
            raise ModelError(f"{what} is not symmetric; a force with a potential has K[j][k] = K[k][j]")
        return matrix


class Bushing(ForceElement):
    """An elastic sleeve between two bodies: springs and dampers in all directions, with

        ξ = (offset of the second point, turn of the second frame), in axes of the first marker
        U = ½ ξᵀ K ξ,        damping force along ξ: -D ξ̇

    `stiffness` K and `damping` D are a number for each of the six directions (three in the plane: x, y, angle) or
    symmetric matrices. A turn in space is twice the vector part of its quaternion: for small turns the rotation vector.
    """

    sketch = "spring"
    stiffness = Coupling(default=0)
    damping = Coupling(default=0)

    def __init__(self, name: str, *args: Any, **constants: Any):
        super().__init__(name, *args, **constants)
        if not self.values["stiffness"] and not self.values["damping"]:
            raise ModelError(f"{self.who} does nothing; give stiffness= or damping=")
        size = {2: 3, 3: 6}[self.dimension]
        for what in ("stiffness", "damping"):
            if self.values[what] and len(self.values[what]) != size:
                raise ModelError(f"{what} of {self.who} has {len(self.values[what])} directions; there are {size}")

    @staticmethod
    def potential(i, j, stiffness, damping):
        xi = offsets(i, j)
        return (xi.T * _matrix(stiffness, xi.rows) * xi)[0] / 2

    @classmethod
    def said(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Load:
        load = super().said(markers, constants)
        if not constants["damping"]:
            return load
        xi = offsets(*markers)
        rates = sp.Matrix([rate_of(x, markers) for x in xi])
        effort = -_matrix(constants["damping"], xi.rows) * rates
        damping = rates.jacobian(variables(markers)[1]).T * effort
        return Load(load.markers, load.potential, (("dissipated", tuple(damping)),))


def offsets(i: Any, j: Any) -> sp.Matrix:
    """Where the second marker stands, seen from the first: its point, then its turn."""
    d = j.point - i.point
    return sp.Matrix([*(axis.dot(d) for axis in i.axes), *the.turned_by(i, j)])


def _matrix(rows: tuple[tuple[Number, ...], ...], size: int) -> sp.Matrix:
    return sp.Matrix(rows) if rows else sp.zeros(size)
