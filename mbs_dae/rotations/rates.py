"""Conversions between the rates of angles, axes and quaternions, and the angular velocity ω.

ω is in body axes (RᵀṘ = [ω]x) or, with ``axes="world"``, in world axes (ṘRᵀ = [ω]x). Arguments are numbers, arrays over
time, or sympy expressions except for rotation vectors. Every ω exists; rates do not exist everywhere, and an error is
raised where they do not.
"""

from typing import Any

import numpy as np

from ..errors import ModelError
from .matrices import NO_TURN, coefficients, product
from .orientation import BRYANT, EULER
from .values import check_divisor, cross, dot, fields, in_body_axes, is_symbolic, length_of, unit, vector


def euler_omega(angles: Any, rates: Any, axes: str = "body") -> Any:
    """ω of the Euler angles (psi, theta, phi) and their rates: each turns about its own axis, psi about z, theta about
    the line of nodes, phi about the body's z. In world axes::

        ω = dpsi ez + dtheta (cos psi, sin psi, 0) + dphi (sin psi sin theta, -cos psi sin theta, cos theta)

    >>> mbs.rotations.euler_omega((0, np.pi / 2, 0), (1, 2, 3), axes="world").round(6)
    array([ 2., -3.,  1.])
    """
    lib, [[psi, theta, phi], [dpsi, dtheta, dphi]] = fields(("the angles", angles, 3), ("the rates", rates, 3))
    sine, cosine = lib.sin(theta), lib.cos(theta)
    if in_body_axes(axes):
        s, c = lib.sin(phi), lib.cos(phi)
        return vector(lib, [sine * s * dpsi + c * dtheta, sine * c * dpsi - s * dtheta, cosine * dpsi + dphi])
    s, c = lib.sin(psi), lib.cos(psi)
    return vector(lib, [c * dtheta + s * sine * dphi, s * dtheta - c * sine * dphi, dpsi + cosine * dphi])


def euler_rates(angles: Any, omega: Any, axes: str = "body") -> Any:
    """The rates of the Euler angles (psi, theta, phi); refused where sin theta = 0.

    The inverse of `euler_omega`. In world axes, with s = (x sin psi - y cos psi)/sin theta::

        dpsi = z - s cos theta,      dtheta = x cos psi + y sin psi,      dphi = s

    >>> mbs.rotations.euler_rates((0, np.pi / 2, 0), (2, -3, 1), axes="world").round(6)
    array([1., 2., 3.])
    """
    lib, [[psi, theta, phi], [x, y, z]] = fields(("the angles", angles, 3), ("omega", omega, 3))
    sine, cosine = lib.sin(theta), lib.cos(theta)
    check_divisor(lib, sine, EULER, angle="theta")
    if in_body_axes(axes):
        s, c = lib.sin(phi), lib.cos(phi)
        dpsi = (s * x + c * y) / sine
        return vector(lib, [dpsi, c * x - s * y, z - cosine * dpsi])
    s, c = lib.sin(psi), lib.cos(psi)
    dphi = (s * x - c * y) / sine
    return vector(lib, [z - cosine * dphi, c * x + s * y, dphi])


def bryant_omega(angles: Any, rates: Any, axes: str = "body") -> Any:
    """ω of the Bryant angles (phi1, phi2, phi3) and their rates, each about its own axis. In world axes::

        ω = d1 ex + d2 (0, cos phi1, sin phi1) + d3 (sin phi2, -sin phi1 cos phi2, cos phi1 cos phi2)

    >>> mbs.rotations.bryant_omega((np.pi / 2, 0, 0), (1, 2, 3), axes="world").round(6)
    array([ 1., -3.,  2.])
    """
    lib, [[phi1, phi2, phi3], [d1, d2, d3]] = fields(("the angles", angles, 3), ("the rates", rates, 3))
    sine, cosine = lib.sin(phi2), lib.cos(phi2)
    if in_body_axes(axes):
        s, c = lib.sin(phi3), lib.cos(phi3)
        return vector(lib, [cosine * c * d1 + s * d2, -cosine * s * d1 + c * d2, sine * d1 + d3])
    s, c = lib.sin(phi1), lib.cos(phi1)
    return vector(lib, [d1 + sine * d3, c * d2 - s * cosine * d3, s * d2 + c * cosine * d3])


def bryant_rates(angles: Any, omega: Any, axes: str = "body") -> Any:
    """The rates of the Bryant angles (phi1, phi2, phi3); refused where cos phi2 = 0.

    The inverse of `bryant_omega`. In world axes, with s = z cos phi1 - y sin phi1::

        d1 = x - s tan phi2,      d2 = y cos phi1 + z sin phi1,      d3 = s/cos phi2

    >>> mbs.rotations.bryant_rates((np.pi / 2, 0, 0), (1, -3, 2), axes="world").round(6)
    array([1., 2., 3.])
    """
    lib, [[phi1, phi2, phi3], [x, y, z]] = fields(("the angles", angles, 3), ("omega", omega, 3))
    sine, cosine = lib.sin(phi2), lib.cos(phi2)
    check_divisor(lib, cosine, BRYANT, angle="phi2")
    if in_body_axes(axes):
        s, c = lib.sin(phi3), lib.cos(phi3)
        d1 = (c * x - s * y) / cosine
        return vector(lib, [d1, s * x + c * y, z - sine * d1])
    s, c = lib.sin(phi1), lib.cos(phi1)
    d3 = (c * z - s * y) / cosine
    return vector(lib, [x - sine * d3, c * y + s * z, d3])


def quaternion_omega(e: Any, rates: Any, axes: str = "body") -> Any:
    """ω of a quaternion and its rate: the vector part of 2 ē ė (body) or 2 ė ē (world).

    The length of e does not count, and of the rate only what turns: a change of length is no rotation.

    >>> mbs.rotations.quaternion_omega((1, 0, 0, 0), (0, 0, 0, 0.5))  # ė3 = ½ ω
    array([0., 0., 1.])
    """
    lib, [q, dq] = fields(("the quaternion", e, 4), ("the rates", rates, 4))
    size = length_of(lib, "the quaternion", q, NO_TURN)
    q, dq = [entry / size for entry in q], [entry / size for entry in dq]
    conjugate = [q[0], -q[1], -q[2], -q[3]]
    turn = product(conjugate, dq) if in_body_axes(axes) else product(dq, conjugate)
    return vector(lib, [2 * entry for entry in turn[1:]])


def quaternion_rates(e: Any, omega: Any, axes: str = "body") -> Any:
    """The rate of a quaternion, ½ e (0, ω) in body axes or ½ (0, ω) e in world axes; it keeps the length of e.

    >>> mbs.rotations.quaternion_rates((1, 0, 0, 0), (0, 0, 3))
    array([0. , 0. , 0. , 1.5])
    """
    lib, [q, w] = fields(("the quaternion", e, 4), ("omega", omega, 3))
    length_of(lib, "the quaternion", q, NO_TURN)  # refuses zero
    turn = [0 * w[0], *w]
    rate = product(q, turn) if in_body_axes(axes) else product(turn, q)
    return vector(lib, [entry / 2 for entry in rate])


def rotation_vector_omega(vec: Any, rates: Any, axes: str = "body") -> np.ndarray:
    """ω of a rotation vector v and its rate: v̇ ∓ b v x v̇ + c v x (v x v̇), minus in body axes,
    with b = (1 - cos a)/a², c = (a - sin a)/a³, a the length of v.

    >>> mbs.rotations.rotation_vector_omega((0, 0, 0.4), (0, 0, 2)).round(6)  # along itself: no more than its rate
    array([0., 0., 2.])
    >>> round(float(mbs.rotations.rotation_vector_omega((0, 0, np.pi), (np.pi, 0, 0))[1]), 6)
    -2.0
    """
    v, dv = _of_numbers(("the rotation vector", vec, 3), ("the rates", rates, 3))
    sign = -1 if in_body_axes(axes) else 1
    _, b, c = coefficients(np.sqrt(dot(v, v)))
    once = cross(v, dv)
    twice = cross(v, once)
    return vector(np, [d + sign * b * p + c * q for d, p, q in zip(dv, once, twice, strict=True)])


def rotation_vector_rates(vec: Any, omega: Any, axes: str = "body") -> np.ndarray:
    """The rate of a rotation vector v: ω ± ½ v x ω + d v x (v x ω), plus in body axes, with
    d = (1 - (a/2) cot(a/2))/a², a the length of v; refused at a full turn, where sin(a/2) = 0 but v is not zero.

    >>> mbs.rotations.rotation_vector_rates((0, 0, 0.4), (0, 0, 2)).round(6)
    array([0., 0., 2.])
    >>> round(float(mbs.rotations.rotation_vector_rates((0, 0, np.pi), (0, -2, 0))[0]), 6)
    3.141593
    """
    v, w = _of_numbers(("the rotation vector", vec, 3), ("omega", omega, 3))
    sign = 1 if in_body_axes(axes) else -1
    a = np.sqrt(dot(v, v))
    near = a < 1e-3
    half = np.where(near, 1.0, a / 2)
    message = (
        "the rate of the rotation vector is not determined{}: its length is a multiple of a full turn, where the axis "
        "can be any; take the vector of the shorter way, rotation_vector(from_rotation_vector(v)), or a quaternion"
    )
    check_divisor(np, np.sin(half), message, angle="length")
    d = np.where(near, 1 / 12 + a**2 / 720, (1 - half / np.tan(half)) / (4 * half**2))
    once = cross(v, w)
    twice = cross(v, once)
    return vector(np, [x + sign * p / 2 + d * q for x, p, q in zip(w, once, twice, strict=True)])


def axis_angle_omega(axis: Any, angle: Any, axis_rate: Any, angle_rate: Any, axes: str = "body") -> Any:
    """ω of a turn by an angle about an axis n that moves: ȧ n + sin a ṅ ∓ (1 - cos a) n x ṅ, minus in body axes.

    The axis may have any length but zero; of its rate only what turns it counts.

    >>> mbs.rotations.axis_angle_omega((0, 0, 1), np.pi / 2, (1, 0, 0), 3).round(6)
    array([ 1., -1.,  3.])
    """
    turn = ("the axis", axis, 3), ("the angle", angle, 0)
    rates = ("the axis rate", axis_rate, 3), ("the angle rate", angle_rate, 0)
    lib, [n, [a], dn, [da]] = fields(*turn, *rates)
    sign = -1 if in_body_axes(axes) else 1
    size = length_of(lib, "the axis", n, "give the direction of the axis")
    n = [entry / size for entry in n]
    along = dot(n, dn)
    dn = [(d - x * along) / size for d, x in zip(dn, n, strict=True)]
    side = cross(n, dn)
    versine = 2 * lib.sin(a / 2) ** 2
    return vector(lib, [da * x + lib.sin(a) * d + sign * versine * s for x, d, s in zip(n, dn, side, strict=True)])


def axis_angle_rates(axis: Any, angle: Any, omega: Any, axes: str = "body") -> tuple[Any, Any]:
    """The rates of the unit axis n and of the angle: ȧ = n·ω and ṅ = ½ (cot(a/2) ω' ± n x ω), plus in body axes, with
    ω' the part of ω across the axis; refused where sin(a/2) = 0, for then any axis would do.

    >>> axis_rate, angle_rate = mbs.rotations.axis_angle_rates((0, 0, 1), np.pi / 2, (1, -1, 3))
    >>> round(float(axis_rate[0]), 6), round(float(angle_rate), 6)
    (1.0, 3.0)
    """
    lib, [n, [a], w] = fields(("the axis", axis, 3), ("the angle", angle, 0), ("omega", omega, 3))
    sign = 1 if in_body_axes(axes) else -1
    n = unit(lib, "the axis", n)
    sine = lib.sin(a / 2)
    message = (
        "the rate of the axis is not determined{}: the angle is zero or a full turn, where the axis can be any; "
        "use a rotation vector or a quaternion"
    )
    check_divisor(lib, sine, message, angle="angle")
    along = dot(n, w)
    cot = lib.cos(a / 2) / sine
    side = cross(n, w)
    rate = [(cot * (x - m * along) + sign * s) / 2 for x, m, s in zip(w, n, side, strict=True)]
    return vector(lib, rate), along


def _of_numbers(*arguments: tuple[str, Any, int]) -> list[list[Any]]:
    for what, value, _ in arguments:
        if is_symbolic(value):
            raise ModelError(
                f"{what} has expressions, and rates of rotation vectors need numbers; use a quaternion",
                code="needs-numbers", argument=what, value=value,
            )  # fmt: skip
    return fields(*arguments)[1]
