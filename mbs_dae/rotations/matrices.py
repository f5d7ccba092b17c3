"""Rotation matrices from angles, axes and quaternions.

Every function takes numbers (one matrix), arrays over time (one matrix for each entry), or sympy expressions, such as
functions of ``mbs.t`` (a symbolic matrix).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from ..unit_system import warn_of_degrees
from .values import dot, fields, matrix, measure, unit, vector

NO_TURN = "no rotation is (1, 0, 0, 0), scalar first"


def about_x(angle: Any) -> Any:
    """A turn about x: y goes towards z.

    >>> mbs.rotations.about_x(np.pi / 2).round(6) @ [0, 1, 0]
    array([0., 0., 1.])
    """
    warn_of_degrees(angle, "the angle of a rotation")
    lib, [[a]] = fields(("the angle", angle, 0))
    c, s = lib.cos(a), lib.sin(a)
    return matrix(lib, [[1, 0, 0], [0, c, -s], [0, s, c]])


def about_y(angle: Any) -> Any:
    """A turn about y: z goes towards x.

    >>> mbs.rotations.about_y(np.pi / 2).round(6) @ [0, 0, 1]
    array([1., 0., 0.])
    """
    warn_of_degrees(angle, "the angle of a rotation")
    lib, [[a]] = fields(("the angle", angle, 0))
    c, s = lib.cos(a), lib.sin(a)
    return matrix(lib, [[c, 0, s], [0, 1, 0], [-s, 0, c]])


def about_z(angle: Any) -> Any:
    """A turn about z: x goes towards y.

    >>> mbs.rotations.about_z(np.pi / 2).round(6) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    warn_of_degrees(angle, "the angle of a rotation")
    lib, [[a]] = fields(("the angle", angle, 0))
    c, s = lib.cos(a), lib.sin(a)
    return matrix(lib, [[c, -s, 0], [s, c, 0], [0, 0, 1]])


def about(axis: Any, angle: Any) -> Any:
    """A turn by an angle about an axis of any length but zero, right-handed::

        R = cos a I + sin a [n]x + (1 - cos a) n nᵀ,      n the axis at length 1

    A third of a turn about the diagonal takes x to y:

    >>> mbs.rotations.about((1, 1, 1), 2 * np.pi / 3).round(6) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    warn_of_degrees(angle, "the angle of a rotation")
    lib, [n, [a]] = fields(("the axis", axis, 3), ("the angle", angle, 0))
    # With 1 - cos a = 2 sin²(a/2): no digit is lost at small angles.
    c, s = lib.cos(a), lib.sin(a)
    versine = 1 - c if lib is sp else 2 * np.sin(a / 2) ** 2
    return _rodrigues(lib, unit(lib, "the axis", n), c, s, versine)


def from_rotation_vector(vec: Any) -> Any:
    """The turn about the vector's direction by its length (rad); no turn for the zero vector::

        R = cos a I + (sin a)/a [v]x + (1 - cos a)/a² v vᵀ,      a = |v|

    Expressions: where all entries are multiples of one of them, the axis stands still and the formula is smooth.
    Otherwise the length appears as a divisor, so that a motion must not pass through the zero vector.

    >>> mbs.rotations.from_rotation_vector((0, 0, np.pi / 2)).round(6) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    lib, [v] = fields(("the rotation vector", vec, 3))
    if lib is np:
        angle = np.sqrt(dot(v, v))
        first, second, _ = coefficients(angle)
        return _rodrigues(np, v, np.cos(angle), first, second)
    lead = next((entry for entry in v if entry != 0), None)
    if lead is None:
        return sp.ImmutableMatrix(sp.eye(3))
    axis = [sp.simplify(entry / lead) for entry in v]
    if any(entry.free_symbols for entry in axis):
        size = sp.sqrt(sp.simplify(dot(v, v)))
        return about([entry / size for entry in v], size)
    return about(axis, lead * sp.sqrt(dot(axis, axis)))


def _rodrigues(lib: Any, v: list[Any], cosine: Any, first: Any, second: Any) -> Any:
    """Return cos I + first [v]x + second v vᵀ."""
    x, y, z = v
    xy, yz, zx = second * x * y, second * y * z, second * z * x
    rows = [
        [cosine + second * x * x, xy - first * z, zx + first * y],
        [xy + first * z, cosine + second * y * y, yz - first * x],
        [zx - first * y, yz + first * x, cosine + second * z * z],
    ]
    return matrix(lib, rows)


def coefficients(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """sin a / a, (1 - cos a) / a², (a - sin a) / a³, and what they tend to at a = 0.

    The third is multiplied by a² wherever it is used; so its cancellation never costs more than the last digit, and
    below 1e-3 two terms of the series are exact to roundoff.
    """
    near = np.abs(angle) < 1e-3
    a = np.where(near, 1.0, angle)
    third = np.where(near, 1 / 6 - angle**2 / 120, (a - np.sin(a)) / a**3)
    return np.sinc(angle / np.pi), 0.5 * np.sinc(angle / (2 * np.pi)) ** 2, third


def from_quaternion(e: Any) -> Any:
    """The matrix of a quaternion (e0, e1, e2, e3) = (cos(a/2), n sin(a/2)), scalar first. Its length does not count
    (it is divided out), but must not be zero::

        R = (e0² - e·e) I + 2 e eᵀ + 2 e0 [e]x,      e = (e1, e2, e3), for length 1

    >>> mbs.rotations.from_quaternion((1, 0, 0, 1)) @ [1, 0, 0]  # a quarter turn about z
    array([0., 1., 0.])
    """
    lib, [q] = fields(("the quaternion", e, 4))
    scale, square = measure(lib, "the quaternion", q, NO_TURN)
    e0, x, y, z = (entry / scale for entry in q)
    s = 2 / square  # by the square, not by the length: (1, 0, 0, 1) then gives zeros that are zero
    rows = [
        [1 - s * (y * y + z * z), s * (x * y - e0 * z), s * (x * z + e0 * y)],
        [s * (x * y + e0 * z), 1 - s * (x * x + z * z), s * (y * z - e0 * x)],
        [s * (x * z - e0 * y), s * (y * z + e0 * x), 1 - s * (x * x + y * y)],
    ]
    return matrix(lib, rows)


def multiply(e: Any, f: Any) -> Any:
    """The product of two quaternions, in the order of the matrices: R(multiply(e, f)) = R(e) R(f). It is not
    normalised. With a and b for the scalars, u and w for the vectors::

        (a, u) (b, w) = (a b - u·w, a w + b u + u x w)

    >>> mbs.rotations.multiply((0, 1, 0, 0), (0, 0, 1, 0))  # i j = k
    array([0., 0., 0., 1.])
    """
    lib, [a, b] = fields(("the first quaternion", e, 4), ("the second quaternion", f, 4))
    return vector(lib, product(a, b))


def product(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
    (a0, a1, a2, a3), (b0, b1, b2, b3) = a, b
    return (
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    )


def euler(psi: Any, theta: Any, phi: Any) -> Any:
    """Euler angles 3-1-3, about the axes as they have turned: Rz(psi) Rx(theta) Rz(phi).

    >>> np.allclose(mbs.rotations.euler(0.3, 0, 0.2), mbs.rotations.about_z(0.5))
    True
    """
    warn_of_degrees([psi, theta, phi], "the largest Euler angle")
    _, [[p], [t], [f]] = fields(("psi", psi, 0), ("theta", theta, 0), ("phi", phi, 0))
    return about_z(p) @ about_x(t) @ about_z(f)


def bryant(phi1: Any, phi2: Any, phi3: Any) -> Any:
    """Bryant (Cardan) angles 1-2-3, about the axes as they have turned: Rx(phi1) Ry(phi2) Rz(phi3).

    >>> mbs.rotations.bryant(np.pi / 2, 0, np.pi / 2).round(6) @ [1, 0, 0]  # by Rz to y, by Rx to z
    array([0., 0., 1.])
    """
    warn_of_degrees([phi1, phi2, phi3], "the largest Bryant angle")
    _, [[a], [b], [c]] = fields(("phi1", phi1, 0), ("phi2", phi2, 0), ("phi3", phi3, 0))
    return about_x(a) @ about_y(b) @ about_z(c)
