"""A bushing: an elastic and damping connection in all directions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp

from ...errors import ModelError
from ...symbolic.functions import as_sympy
from ...symbolic.loads import OF_POTENTIAL, Load
from ...symbolic.markers import MARKERS, FormMarker, rate_of, variables
from ...symbolic.markers import primitives as the
from ..bodies.body import square_of
from ..fields import Field
from ..parameters import Number
from .base import ForceElement

Matrix = tuple[tuple[Number, ...], ...]


class Coupling(Field):
    """A stiffness or damping: one number for each direction, or a symmetric matrix; nothing at all where it is 0."""

    annotation = "Coupling"

    def check(self, value: Any, who: str) -> Matrix:
        if not hasattr(value, "__len__") and value == 0:
            return ()
        what = f"{self.name} of {who}"
        matrix = square_of(value, what, "one number for each of 3 directions (in space of 6) or a square matrix")
        size = range(len(matrix))
        if not all(_same(matrix[r][c], matrix[c][r], matrix) for r in size for c in range(r)):
            raise ModelError(f"{what} is not symmetric; a force with a potential has K[j][k] = K[k][j]")
        return tuple(tuple(matrix[max(r, c)][min(r, c)] for c in size) for r in size)


def _same(a: Number, b: Number, matrix: Matrix) -> bool:
    """But for roundoff, where they are numbers."""
    if isinstance(a, sp.Basic) or isinstance(b, sp.Basic):
        return bool(as_sympy(a) == as_sympy(b))
    return abs(a - b) <= 1e-9 * max(abs(n) for row in matrix for n in row if not isinstance(n, sp.Basic))


class Bushing(ForceElement):
    """An elastic sleeve between two bodies: springs and dampers in all directions, with

        ξ = (offset of the second point, turn of the second frame), in axes of the first marker
        U = ½ ξᵀ K ξ,        efforts along ξ: -K ξ - D ξ̇

    `stiffness` K and `damping` D are a number for each of the six directions (three in the plane: x, y, angle) or
    symmetric matrices. A turn in space is twice the vector part of its quaternion: for small turns the rotation vector.
    """

    work = "dissipated"
    sketch = "spring"
    stiffness = Coupling(default=0)
    damping = Coupling(default=0)

    def check_values(self, number: Callable[[Number], float]) -> None:
        if damping := self.values["damping"]:
            least = np.linalg.eigvalsh([[number(n) for n in row] for row in damping]).min()
            if least < -1e-12 * max(abs(number(n)) for row in damping for n in row):
                found = f"damping of {self.who} feeds energy in (eigenvalue {least:.3g})"
                raise ModelError(f"{found}; it must not be negative")

    def _constants(self, positional: tuple, named: dict[str, Any]) -> Mapping[str, Any]:
        values = super()._constants(positional, named)
        if not values["stiffness"] and not values["damping"]:
            raise ModelError(f"{self.who} does nothing; give stiffness= or damping=")
        size = len(MARKERS[self.dimension].rate_names)
        for what, matrix in values.items():
            if matrix and len(matrix) != size:
                raise ModelError(f"{what} of {self.who} has {len(matrix)} directions; give a number for each of {size}")
        return values

    @staticmethod
    def potential(i, j, stiffness, damping):
        xi = sp.Matrix(_offsets(i, j))
        return (xi.T * _square(stiffness, xi.rows) * xi)[0] / 2

    @classmethod
    def form_on(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Load:
        """The same, and the damping, with ξ, ξ̇, J = ∂ξ̇/∂r and the efforts named: markers feel Jᵀ (-K ξ) + Jᵀ (-D ξ̇)."""
        _, rates = variables(markers)
        offsets = _offsets(*markers)
        size = len(offsets)
        xi, pace, elastic, damping = (
            sp.Matrix(sp.symbols(f"{name}:{size}", real=True)) for name in ("xi", "dxi", "elastic", "damping")
        )
        J = sp.Matrix(size, len(rates), lambda k, n: sp.Symbol(f"J{k}_{n}", real=True))
        slopes = sp.Matrix([rate_of(e, markers) for e in offsets]).jacobian(rates)
        steps = [*zip(xi, offsets, strict=True), *zip(J, slopes, strict=True)]
        steps += zip(pace, J * sp.Matrix(rates), strict=True)
        K, D = (_square(constants[what], size) for what in ("stiffness", "damping"))
        steps += [*zip(elastic, -K * xi, strict=True), *zip(damping, -D * pace, strict=True)]
        forces = ((OF_POTENTIAL, tuple(J.T * elastic)), ("dissipated", tuple(J.T * damping)))
        return Load(markers, -xi.dot(elastic) / 2, forces, steps=tuple(steps))


def _offsets(i: Any, j: Any) -> list[sp.Expr]:
    """ξ: where the second marker stands and how it is turned, seen from the first."""
    d = j.point - i.point
    return [*(axis.dot(d) for axis in i.axes), *the.turned_by(i, j)]


def _square(matrix: Matrix, size: int) -> sp.Matrix:
    return sp.Matrix(matrix) if matrix else sp.zeros(size)
