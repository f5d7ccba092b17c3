"""Springs, dampers and friction: between two points, about an axis, along a slide, in all directions; drag."""

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
from .. import fields
from ..bodies.body import square_of
from ..fields import Field, function, scalar
from ..parameters import Number
from .base import EffortElement, ForceElement


class Spring(EffortElement):
    """A spring between two points: tension = stiffness · (distance - length), which pulls them together. The free
    length defaults to the distance in the reference placement.

    ``law=`` is any tension, alone or on top: an expression of `mbs.length`, or a table.
    """

    sketch = "spring"
    free = "length"
    some_of = ("stiffness", "law")
    stiffness = scalar("N/m", default=0, non_negative=True)
    length = scalar("m", default=the.distance, non_negative=True)
    law = function("N", of=fields.length, default=0)

    @staticmethod
    def effort(s, rate, stiffness, length, law):
        return -stiffness * (s - length) - law(s)


class Damper(EffortElement):
    """A damper between two points: tension = damping · (rate of the distance).

    ``law=`` is any tension, alone or on top: an expression of `mbs.rate`, or a table.
    """

    sketch = "damper"
    some_of = ("damping", "law")
    damping = scalar("N s/m", default=0, non_negative=True)
    law = function("N", of=fields.rate, default=0)

    @staticmethod
    def effort(s, rate, damping, law):
        return -damping * rate - law(rate)


class SpringDamper(EffortElement):
    """Spring and damper side by side: tension = stiffness · (distance - length) + damping · rate.

    ``law=`` is any tension, alone or on top: an expression of `mbs.length` and `mbs.rate`, or a table over the length.
    """

    sketch = "spring"
    free = "length"
    some_of = ("stiffness", "damping", "law")
    stiffness = scalar("N/m", default=0, non_negative=True)
    damping = scalar("N s/m", default=0, non_negative=True)
    length = scalar("m", default=the.distance, non_negative=True)
    law = function("N", of=(fields.length, fields.rate), default=0)

    @staticmethod
    def effort(s, rate, stiffness, damping, length, law):
        return -stiffness * (s - length) - damping * rate - law(s, rate)


class TorsionSpring(EffortElement):
    """A torsion spring (and damper) about a revolute joint, or between two bodies: it turns the second one back with
    stiffness · (angle - free angle) + damping · rate. The free angle defaults to that of the reference placement.

    ``law=`` is any such moment, alone or on top: an expression of `mbs.theta` and `mbs.rate`, or a table over it.
    """

    coordinates = ("angle",)
    sketch = ""
    free = "angle"
    some_of = ("stiffness", "damping", "law")
    stiffness = scalar("N m/rad", default=0, non_negative=True)
    damping = scalar("N m s/rad", default=0, non_negative=True)
    angle = scalar("rad", default=the.turn)
    law = function("N m", of=(fields.theta, fields.rate), default=0)

    @staticmethod
    def effort(s, rate, stiffness, damping, angle, law):
        return -stiffness * (s - angle) - damping * rate - law(s, rate)


class ViscousFriction(EffortElement):
    """Viscous friction in a joint: -coefficient · rate, of the angle of a revolute joint (N m s/rad) or of the
    displacement of a sliding one (N s/m). Between two bodies: of their angle."""

    coordinates = ("angle", "displacement")
    sketch = ""
    coefficient = scalar("N m s/rad", non_negative=True)

    @staticmethod
    def effort(s, rate, coefficient):
        return -coefficient * rate


class Drag(ForceElement):
    """Quadratic drag on a point: -coefficient · |v| v, against its velocity over the ground."""

    work = "dissipated"
    sketch = ""
    coefficient = scalar("N s²/m²", non_negative=True)

    @staticmethod
    def force(i, coefficient):
        v = i.velocity
        return [tuple(-coefficient * sp.sqrt(v.dot(v)) * v)]


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
