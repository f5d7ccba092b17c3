"""Rigid bodies in space, the markers fixed on them, and their frames: rotation matrices of numbers or of expressions of
parameters, as rows of a tuple."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Self

import numpy as np
import sympy as sp

from ... import rotations
from ...errors import ModelError, shortened
from ...symbolic.functions import as_sympy
from ...symbolic.markers import SpatialMarker
from ..meshes import mesh_of
from ..parameters import Number, Numeric, check_number, finite_number, plain, positive_number
from .body import Body, Marker, components_of, coordinates_of, is_zero, square_of

Rotation = tuple[tuple[Number, ...], ...]
IDENTITY: Rotation = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def rotation_of(value: Any, what: str) -> Rotation:
    """Return the rotation matrix for a given orientation: a matrix, a quaternion, a scipy Rotation."""
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
    """Check a rotation matrix whose numbers depend on parameters."""
    if not np.isfinite(rows).all():
        raise ModelError(
            f"{what} has no direction for these parameters; correct its axis, or give x_axis=", code="zero-vector"
        )
    rotations.rotation_matrix(np.array(rows), what)


def frame_of(axis: Any, x_axis: Any, who: str) -> Rotation:
    """Return the right-handed frame with this z axis, and with its x axis as near to `x_axis` as possible."""
    if axis is None and x_axis is None:
        return IDENTITY
    z = (0, 0, 1) if axis is None else coordinates_of(axis, f"axis= of {who}", 3)
    x = None if x_axis is None else coordinates_of(x_axis, f"x_axis= of {who}", 3)
    if not _symbolic([z, x or ()]):
        try:
            return _plain(rotations.frame([float(n) for n in z], None if x is None else [float(n) for n in x]))
        except ModelError as exc:
            raise ModelError(f"{who}: {exc}", code=exc.code, **exc.facts) from exc
    third = sp.Matrix(z).normalized()
    if x is None:  # the smallest rotation from the world's z axis, as for numbers
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
    """Return the entries of a nested list; none for anything else."""
    if not isinstance(rows, tuple | list):
        return []
    return [n for row in rows for n in (row if isinstance(row, tuple | list) else [row])]


def _plain(matrix: np.ndarray) -> Rotation:
    """Return the matrix as tuples of floats, with 0, 1 and -1 as integers: a frame along the axes then costs
    nothing."""
    return tuple(tuple(int(n) if n in (0.0, 1.0, -1.0) else float(n) for n in row) for row in np.asarray(matrix))


NOTHING: Rotation = ((0, 0, 0), (0, 0, 0), (0, 0, 0))


@dataclass(frozen=True, eq=False, repr=False)
class SpatialPlace(Marker):
    """A point and a frame fixed on a body, in body axes. The columns of `axes` are the frame's x, y and z axis; the z
    axis is *the* axis: joints turn about it and slide along it."""

    x: Number = 0
    y: Number = 0
    z: Number = 0
    axes: Rotation = IDENTITY
    name: str = ""

    @property
    def numbers(self) -> tuple[Number, ...]:
        return self.x, self.y, self.z, *(n for row in self.axes for n in row)

    @property
    def frame(self) -> Rotation:
        return self.axes

    def check_values(self, number: Callable[[Number], float], who: str) -> None:
        if any(isinstance(n, sp.Basic) for row in self.axes for n in row):
            check_rotation([[number(n) for n in row] for row in self.axes], f"frame of a marker of {who}")
        super().check_values(number, who)

    @property
    def placed(self) -> SpatialMarker:
        body = self.body
        point = [r + s for r, s in zip(body.position, turned(body.rotation, self.point), strict=True)]
        return SpatialMarker.placed(tuple(map(as_sympy, point)), product(body.rotation, self.axes))


@dataclass(frozen=True, eq=False, repr=False)
class SpatialBody(Body):
    """A rigid body in space. In the reference placement its frame is at `position`, in m, and `rotation` takes its axes
    to the axes of the world; `inertia` is a tensor in body axes, in kg m²."""

    inertia: Rotation = NOTHING
    com: tuple[Number, ...] = (0, 0, 0)
    position: tuple[Number, ...] = (0, 0, 0)
    rotation: Rotation = IDENTITY
    lone_axes: tuple[tuple[Number, ...], ...] = ()
    """The axes, in body axes, about which alone the inertia was given; `check_lone_axes` checks that the body turns
    about no other axis. The moments about transverse axes have no effect: the values of a thin disc are used."""

    dimension = 3
    measure_kinds = ("x", "y", "z", "wx", "wy", "wz")
    quantity_names = tuple(f"{what}{c}" for what in ("", "v", "a", "w", "alpha") for c in "xyz")

    def __post_init__(self) -> None:
        self._set("mass", check_number, non_negative=True)
        for what in ("com", "position"):
            self._set(what, coordinates_of, 3)
        self._set("rotation", rotation_of)
        self._set("inertia", _tensor)
        moments = [self.inertia[k][k] for k in range(3)]
        if self.principal and sum(map(is_zero, moments)) == 2:
            k = next(k for k in range(3) if not is_zero(moments[k]))
            disc = [moments[k] if r == k else plain(as_sympy(moments[k]) / 2) for r in range(3)]
            object.__setattr__(self, "inertia", _tensor(disc, f"inertia of body {self.name!r}"))
            object.__setattr__(self, "lone_axes", (tuple(int(c == k) for c in range(3)),))
        if not any(isinstance(n, sp.Basic) and n.free_symbols for row in self.inertia for n in row):
            self._check_inertia(float)

    @property
    def numbers(self) -> list[Number]:
        tensors = (n for part in (self.inertia, self.rotation) for row in part for n in row)
        return [self.mass, *self.com, *self.position, *tensors]

    @property
    def principal(self) -> bool:
        """Whether the body axes are principal axes of inertia, for all values of parameters."""
        return all(is_zero(self.inertia[r][c]) for r in range(3) for c in range(3) if r != c)

    def check_values(self, number: Callable[[Number], float]) -> None:
        super().check_values(number)
        self._check_inertia(number)
        check_rotation([[number(n) for n in row] for row in self.rotation], f"rotation of body {self.name!r}")

    def _check_inertia(self, number: Callable[[Number], float]) -> None:
        """Check the moments of inertia, which are integrals over the mass: I₁ + I₂ - I₃ = 2 ∫ x₃² dm is never
        negative."""
        tensor = np.array([[number(n) for n in row] for row in self.inertia])
        what = f"inertia of body {self.name!r}"
        if not np.isfinite(tensor).all():
            raise ModelError(f"{what} is not finite; give finite moments and products", code="not-finite")
        if np.abs(tensor - tensor.T).max() > 1e-9 * np.abs(tensor).max():
            raise ModelError(f"{what} is not symmetric; give a tensor with I[j][k] = I[k][j]", code="not-symmetric")
        low, middle, high = moments = np.linalg.eigvalsh(tensor)
        shown = ", ".join(f"{m:.6g}" for m in moments)
        if low < -1e-9 * max(high, 0.0) or high < 0:
            raise ModelError(
                f"{what} has principal moments {shown}; none may be negative: mind the signs of products",
                code="negative",
            )  # fmt: skip
        if high > (low + middle) * (1 + 1e-9):
            what += f" has principal moments {shown}: no body has one larger than the other two together"
            raise ModelError(f"{what}; check that it is about the centre of mass, and its units", code="not-an-inertia")

    def _in_frame(self) -> tuple[tuple[Number, ...], Rotation]:
        placed = self.at(*self.com).placed
        turn = self.rotation
        return (placed.x, placed.y, placed.z), product(product(turn, self.inertia), transposed(turn))

    def add_part(self, name: str, mass: Numeric = 0, inertia: Any = 0, **place: Any) -> Self:
        super().add_part(name, mass, inertia, **place)
        part = SpatialBody(f"{self.name}.{name}", mass, inertia, **place)
        axes = (*self.lone_axes, *(turned(part.rotation, axis) for axis in part.lone_axes))
        object.__setattr__(self, "lone_axes", axes)
        return self

    def _sum_of_inertia(self, other: Rotation, spread: Number, offset: Sequence[Number]) -> Rotation:
        d, square = offset, sum(x**2 for x in offset)
        return tuple(
            tuple(
                plain(as_sympy(self.inertia[r][c]) + other[r][c] + spread * (int(r == c) * square - d[r] * d[c]))
                for c in range(3)
            )
            for r in range(3)
        )

    def mesh(self, path: str | PathLike[str], *, at: Any = (0, 0, 0), rotation: Any = None, scale: float = 1.0) -> None:
        """Draw the body as the part in an STL file, text or binary. `scale` is the length of one unit of the file in
        metres: 0.001 for millimetres. The file's origin is placed `at` a point of the body, in m, and its axes are
        turned by `rotation`, both in body axes. More than 2000 triangles are thinned: near corners are merged. The mesh
        is a picture only: mass, inertia and contacts do not change, and parameters do not change the mesh."""
        who = f"body {self.name!r}"
        if self.fixed:
            raise ModelError(
                f"the ground has no mesh; draw it on a body that mbs.Fixed holds on {self.name!r}",
                code="ground-without-mesh", element=self.name,
            )  # fmt: skip
        place = [
            finite_number(n, f"a number of at= of a mesh of {who}") for n in components_of(at, f"at= of {who}", "xyz")
        ]
        rows = rotation_of(rotation, f"rotation of a mesh of {who}")
        matrix = np.array(
            [[finite_number(n, f"a number of rotation= of a mesh of {who}") for n in row] for row in rows]
        )
        metres = positive_number(scale, f"scale of a mesh of {who}", "number of metres for a unit of the file")
        self.meshes.append(mesh_of(path, who, metres, np.array(place), matrix))

    def at_world(self, point: Any, axis: Any = None, x_axis: Any = None, who: str = "a marker") -> SpatialPlace:
        place = coordinates_of(point, f"at= of {who}", 3)
        back = transposed(self.rotation)
        arm = [p if is_zero(r) else p - r for p, r in zip(place, self.position, strict=True)]
        px, py, pz = turned(back, arm)
        return SpatialPlace(self, px, py, pz, product(back, frame_of(axis, x_axis, who)))

    def _place(
        self, name: str, /, x: Any, y: Any = None, z: Any = None, axis: Any = None, x_axis: Any = None,
        rotation: Any = None, **other: Any,
    ) -> SpatialPlace:  # fmt: skip
        who = f"a marker on body {self.name!r}"
        if other:
            raise ModelError(
                f"{who} in space has no {', '.join(other)}; give axis= (and x_axis=), or rotation=",
                code="not-planar", element=self.name, other=tuple(other),
            )  # fmt: skip
        if y is None:
            x, y, z = coordinates_of(x, f"point on body {self.name!r}", 3)
        if z is None:
            raise ModelError(
                f"{who} in space needs three coordinates, got ({x}, {y}); write body.at(x, y, z)",
                code="not-planar", element=self.name,
            )  # fmt: skip
        x, y, z = (check_number(value, f"{what} of {who}") for what, value in (("x", x), ("y", y), ("z", z)))
        if rotation is None:
            axes = frame_of(axis, x_axis, who)
        elif axis is None and x_axis is None:
            axes = rotation_of(rotation, f"rotation of {who}")
        else:
            raise ModelError(
                f"{who} got rotation= and an axis; give one of them", code="contradictory-arguments", element=self.name
            )
        return SpatialPlace(self, x, y, z, axes, name)


def _tensor(value: Any, what: str) -> Rotation:
    """Return the inertia tensor from one moment (equal about all axes), three principal moments, or a tensor."""
    wanted = "three principal moments or a 3 x 3 tensor"
    one = isinstance(value, sp.Basic | int | float | np.number) and not isinstance(value, sp.MatrixBase)
    tensor = square_of((value,) * 3 if one else value, what, wanted)
    if len(tensor) != 3:
        raise ModelError(f"{what} must be {wanted}, not {shortened(value)}", code="wrong-shape", value=value)
    return tensor
