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
    """A spring between two points: tension = stiffness · (distance - length), in N, which pulls the points together.
    The free length, in m, defaults to the distance in the reference placement. On a sliding joint, ``Spring(name,
    joint, ...)``, the signed displacement takes the place of the distance: see `SpringDamper`.

    ``law=`` is any tension, alone or in addition: an expression of `mbs.length`, or a table.

    >>> model = mbs.PlanarModel("scale", gravity=(0, -10))
    >>> pan = model.body("pan", mass=2.0, inertia=0.1, position=(0, -1))
    >>> model.add(mbs.Spring("spring", model.ground, pan, stiffness=100.0))  # free as placed, 1 m long
    <Spring spring>
    >>> rest = mbs.equilibrium(model)
    >>> print(round(rest["pan.y"], 6), round(rest["spring.effort"], 6))  # m g / k lower; it pulls with m g
    -1.2 -20.0
    """

    coordinates = ("distance", "displacement")
    sketch = "spring"
    free = "length"
    some_of = ("stiffness", "law")
    stiffness = scalar("N/m", default=0, non_negative=True)
    length = scalar("m", default=the.distance)
    law = function("N", of=fields.length, default=0)

    @staticmethod
    def effort(s: sp.Expr, rate: sp.Expr, stiffness: sp.Expr, length: sp.Expr, law: Any) -> sp.Expr:
        return -stiffness * (s - length) - law(s)


class Damper(EffortElement):
    """A damper between two points: tension = damping · (rate of distance) in N; or along a slide, ``Damper(name, joint,
    ...)``, with the velocity of its displacement in the place of that rate.

    ``law=`` is any tension, alone or in addition: an expression of `mbs.rate`, or a table.

    >>> model = mbs.PlanarModel("door closer")
    >>> rod = model.body("rod", position=(1, 0))
    >>> damper = model.add(mbs.Damper("damper", model.ground, rod, damping=50.0))
    >>> pull = mbs.PoseDriver("pull", rod, (1 + 0.2 * mbs.t, 0), 0)
    >>> pulled = mbs.inverse_dynamics(model.plus(pull), [0.0])
    >>> print(pulled["damper.effort"].round(6))  # 50 N s/m · 0.2 m/s, against the motion
    [-10.]
    """

    coordinates = ("distance", "displacement")
    sketch = "damper"
    some_of = ("damping", "law")
    damping = scalar("N s/m", default=0, non_negative=True)
    law = function("N", of=fields.rate, default=0)

    @staticmethod
    def effort(s: sp.Expr, rate: sp.Expr, damping: sp.Expr, law: Any) -> sp.Expr:
        return -damping * rate - law(rate)


class SpringDamper(EffortElement):
    """A parallel spring and damper: tension = stiffness · (distance - length) + damping · rate, in N.

    Between two points, ``SpringDamper(name, i, j, ...)``, it acts along the line between them; the points must not
    coincide. Along a slide, ``SpringDamper(name, joint, ...)`` or of ``mbs.displacement(i, j)``, it acts on the signed
    displacement s, through s = 0 as well: the force on the second body is -stiffness · (s - length) - damping · ṡ. The
    free length, in m, may then be negative, and defaults to s in the reference placement.

    ``law=`` is any tension, alone or in addition: an expression of `mbs.length` and `mbs.rate`, or a table over the
    length.

    >>> model = mbs.PlanarModel("quarter car")
    >>> car = model.body("car", mass=1.0, inertia=1.0, position=(0, 1))
    >>> guide = model.add(mbs.Translational("guide", model.ground, car, at=(0, 1), axis=(0, 1)))
    >>> strut = model.add(mbs.SpringDamper("strut", model.ground, car, stiffness=25.0, damping=6.0))
    >>> eigenvalue = mbs.linearize(model).eigenvalues[0]  # of s² + 6 s + 25
    >>> print(round(eigenvalue.real, 6), round(abs(eigenvalue.imag), 6))
    -3.0 4.0
    >>> along = model.without("strut").plus(mbs.SpringDamper("strut", guide, stiffness=25.0, length=-0.1))
    >>> print(round(mbs.equilibrium(along)["guide.displacement"], 6))
    -0.1
    """

    coordinates = ("distance", "displacement")
    sketch = "spring"
    free = "length"
    some_of = ("stiffness", "damping", "law")
    stiffness = scalar("N/m", default=0, non_negative=True)
    damping = scalar("N s/m", default=0, non_negative=True)
    length = scalar("m", default=the.distance)
    law = function("N", of=(fields.length, fields.rate), default=0)

    @staticmethod
    def effort(s: sp.Expr, rate: sp.Expr, stiffness: sp.Expr, damping: sp.Expr, length: sp.Expr, law: Any) -> sp.Expr:
        return -stiffness * (s - length) - damping * rate - law(s, rate)


class TorsionSpring(EffortElement):
    """A torsion spring (and damper) about a revolute joint, or between two bodies: it turns the second body back with
    the moment stiffness · (angle - free angle) + damping · rate, in N m. The free angle, in rad, defaults to the angle
    in the reference placement.

    ``law=`` is any such moment, alone or in addition: an expression of `mbs.theta` and `mbs.rate`, or a table over it.

    >>> model = mbs.PlanarModel("flap", gravity=(0, -10))
    >>> flap = model.link("flap", (0, 0), (1, 0), mass=2.0)
    >>> hinge = model.add(mbs.Revolute("hinge", model.ground, flap.tail))
    >>> spring = model.add(mbs.TorsionSpring("spring", hinge, stiffness=40.0, angle=np.pi / 3 + 0.125))
    >>> rest = mbs.equilibrium(model)
    >>> print(round(np.degrees(rest["flap.angle"]), 4))  # where 40 · 0.125 = m g l/2 cos 60°
    60.0
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
    def effort(s: sp.Expr, rate: sp.Expr, stiffness: sp.Expr, damping: sp.Expr, angle: sp.Expr, law: Any) -> sp.Expr:
        return -stiffness * (s - angle) - damping * rate - law(s, rate)


class ViscousFriction(EffortElement):
    """Viscous friction in a joint: -coefficient · rate, of the angle of a revolute joint (N m s/rad) or of the
    displacement of a sliding joint (N s/m). Between two bodies: of their relative angle.

    >>> model = mbs.PlanarModel("grindstone")
    >>> stone = model.body("stone", mass=1.0, inertia=2.0)
    >>> axle = model.add(mbs.Revolute("axle", model.ground, stone))
    >>> model.add(mbs.ViscousFriction("oil", axle, coefficient=0.5))
    <ViscousFriction oil>
    >>> slowed = mbs.simulate(model, [0, 4], initial={"stone.omega": np.e})
    >>> print(slowed["stone.omega"][-1].round(4))  # e · exp(-0.5 · 4 / 2)
    1.0
    """

    coordinates = ("angle", "displacement")
    sketch = ""
    coefficient = scalar("N m s/rad", non_negative=True)

    @staticmethod
    def effort(s: sp.Expr, rate: sp.Expr, coefficient: sp.Expr) -> sp.Expr:
        return -coefficient * rate


class Drag(ForceElement):
    """Quadratic drag on a point, against its velocity v relative to the ground: ``-coefficient · |v| v``, coefficient
    in kg/m.

    >>> model = mbs.PlanarModel("parachute", gravity=(0, -10))
    >>> jumper = model.body("jumper", mass=80.0, inertia=5.0)
    >>> model.add(mbs.Drag("canopy", jumper, coefficient=32.0))
    <Drag canopy>
    >>> fallen = mbs.simulate(model, [0, 10])
    >>> print(fallen["jumper.vy"][-1].round(4))  # 32 v² = m g
    -5.0
    """

    work = "dissipated"
    sketch = ""
    coefficient = scalar("N s²/m²", non_negative=True)

    @staticmethod
    def force(i: FormMarker, coefficient: sp.Expr) -> list[tuple[sp.Expr, ...]]:
        v = i.velocity
        return [tuple(-coefficient * sp.sqrt(v.dot(v)) * v)]


Matrix = tuple[tuple[Number, ...], ...]


class Coupling(Field):
    """A stiffness or damping: one number for each direction, or a symmetric matrix; omitted where it is 0."""

    annotation = "Coupling"

    def check(self, value: Any, who: str) -> Matrix:
        if not hasattr(value, "__len__") and value == 0:
            return ()
        what = f"{self.name} of {who}"
        matrix = square_of(value, what, "one number for each of 3 directions (in space of 6) or a square matrix")
        size = range(len(matrix))
        largest = max((abs(n) for row in matrix for n in row if not isinstance(n, sp.Basic)), default=0.0)
        for a, b in ((matrix[r][c], matrix[c][r]) for r in size for c in range(r)):
            if isinstance(a, sp.Basic) or isinstance(b, sp.Basic):
                symmetric = bool(as_sympy(a) == as_sympy(b))
            else:
                symmetric = abs(a - b) <= 1e-9 * largest  # up to roundoff
            if not symmetric:
                raise ModelError(
                    f"{what} is not symmetric; a force with a potential has K[j][k] = K[k][j]",
                    code="not-symmetric", element=self.name, subject=who,
                )  # fmt: skip
        return tuple(tuple(matrix[max(r, c)][min(r, c)] for c in size) for r in size)

    def numbers(self, value: Matrix) -> dict[str, Number]:
        """Return the entries: "stiffness_12" is the one in the first row and the second column, and vice versa."""
        size = range(len(value))
        return {f"_{r + 1}{c + 1}": value[r][c] for r in size for c in range(r, len(value))}

    def with_number(self, value: Matrix, part: str, number: Number) -> Matrix:
        place = {*part[1:]}
        rows = (enumerate(row, 1) for row in value)
        return tuple(tuple(number if {str(r), str(c)} == place else n for c, n in row) for r, row in enumerate(rows, 1))


class Bushing(ForceElement):
    """An elastic bushing between two bodies: springs and dampers in all directions, with::

        ξ = (offset of the second point, rotation of the second frame), in axes of the first marker
        U = ½ ξᵀ K ξ,        efforts along ξ: -K ξ - D ξ̇

    `stiffness` K and `damping` D are a number for each of the six directions (three in the plane: x, y, angle) or
    symmetric matrices, in SI units. A rotation in space is twice the vector part of its quaternion: for small rotations
    the rotation vector.

    >>> model = mbs.PlanarModel("engine mount", gravity=(0, -10))
    >>> engine = model.body("engine", mass=100.0, inertia=5.0)
    >>> model.add(mbs.Bushing("mount", model.ground, engine, stiffness=(1e6, 5e5, 1e4)))
    <Bushing mount>
    >>> print(round(mbs.equilibrium(model)["engine.y"], 6))  # m g / K_y
    -0.002
    """

    work = "dissipated"
    sketch = "spring"
    stiffness = Coupling(default=0)
    damping = Coupling(default=0)

    def check_values(self, number: Callable[[Number], float]) -> None:
        if damping := self.values["damping"]:
            least = np.linalg.eigvalsh([[number(n) for n in row] for row in damping]).min()
            if least < -1e-12 * max(abs(number(n)) for row in damping for n in row):
                problem = f"damping of {self.who} feeds energy in (eigenvalue {least:.3g})"
                raise ModelError(
                    f"{problem}; it must not be negative", code="negative", subject=self.who, eigenvalue=least
                )

    def _constants(self, positional: tuple, named: dict[str, Any]) -> Mapping[str, Any]:
        values = super()._constants(positional, named)
        if not values["stiffness"] and not values["damping"]:
            raise ModelError(
                f"{self.who} does nothing; give stiffness= or damping=", code="does-nothing", subject=self.who
            )
        size = len(MARKERS[self.dimension].rate_names)
        for what, matrix in values.items():
            if matrix and len(matrix) != size:
                raise ModelError(
                    f"{what} of {self.who} has {len(matrix)} directions; give a number for each of {size}",
                    code="wrong-length", subject=self.who, size=size,
                )  # fmt: skip
        return values

    @staticmethod
    def potential(i: FormMarker, j: FormMarker, stiffness: Any, damping: Any) -> sp.Expr:
        xi = sp.Matrix(_offsets(i, j))
        return (xi.T * _square(stiffness, xi.rows) * xi)[0] / 2

    @classmethod
    def form_on(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Load:
        """Return the load of stiffness and damping, with ξ, ξ̇, J = ∂ξ̇/∂r and the efforts as named steps: markers feel
        Jᵀ (-K ξ) + Jᵀ (-D ξ̇)."""
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
    """Return ξ: the position and the rotation of the second marker relative to the first."""
    d = j.point - i.point
    return [*(axis.dot(d) for axis in i.axes), *the.turned_by(i, j)]


def _square(matrix: Matrix, size: int) -> sp.Matrix:
    return sp.Matrix(matrix) if matrix else sp.zeros(size)
