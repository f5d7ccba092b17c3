"""Transforms of twists and wrenches between frames, and motions along a twist."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..rotations import from_rotation_vector
from ..rotations.matrices import coefficients
from ..rotations.orientation import matrix_of_numbers
from ..rotations.values import aligned, common_shape, numbers
from .screw import ORIGIN, frozen, positive


def adjoint(R: Any, p: Any = ORIGIN) -> np.ndarray:
    """The 6x6 matrix that takes twists from a frame to the world: the frame's axes are the columns of R, its origin is
    at p. With R = I it moves a twist by p. ::

        Ad = [R 0; [p]x R  R]

    >>> mbs.screws.adjoint(np.eye(3), (2, 0, 0)) @ (0, 0, 3, 0, 0, 0)  # a turn about the frame's z axis
    array([ 0.,  0.,  3.,  0., -6.,  0.])
    """
    R, pxR = _frame(R, p)
    return np.block([[R, np.zeros_like(R)], [pxR, R]])


def coadjoint(R: Any, p: Any = ORIGIN) -> np.ndarray:
    """The 6x6 matrix that takes wrenches from a frame to the world: the inverse transpose of `adjoint`, so that power
    does not change by a change of frame. ::

        Ad⁻ᵀ = [R  [p]x R; 0 R]

    >>> mbs.screws.coadjoint(np.eye(3), (2, 0, 0)) @ (0, 0, 0, 0, 10, 0)  # a force in the frame's y axis
    array([ 0.,  0., 20.,  0., 10.,  0.])
    """
    R, pxR = _frame(R, p)
    return np.block([[R, pxR], [np.zeros_like(R), R]])


def exponential(V: Any, dt: Any = 1.0) -> np.ndarray:
    """The 4x4 homogeneous transform by which a body moves in the time `dt` while its twist stays as it is.

    A constant twist is a steady screw motion, and this is exact: x → R x + p, R of the rotation vector θ = ω dt, and
    p = (I + b [θ]x + c [θ]x²) v dt, b = (1 - cos a)/a², c = (a - sin a)/a³, a the length of θ.

    >>> T = mbs.screws.exponential(mbs.screws.unit_screw((0, 0, 1), point=(2, 0, 0)), np.pi)  # half a turn about x = 2
    >>> round(float(T[0, 3]), 6)  # where the origin comes to
    4.0
    """
    V, h = aligned(("the twist", V, 6), ("dt", dt, 0))
    V = V * h[..., None]
    w, v = V[..., :3], V[..., 3:]
    _, b, c = coefficients(np.linalg.norm(w, axis=-1))
    once = np.cross(w, v)
    T = np.zeros((*V.shape[:-1], 4, 4))
    T[..., :3, :3] = from_rotation_vector(w)
    T[..., :3, 3] = v + b[..., None] * once + c[..., None] * np.cross(w, once)
    T[..., 3, 3] = 1.0
    return T


def move(point: Any, V: Any, dt: Any = 1.0) -> np.ndarray:
    """The position of a body's point after the time `dt` while its twist stays as it is.

    >>> moved = mbs.screws.move((3, 0, 0), mbs.screws.unit_screw((0, 0, 1), point=(2, 0, 0)), np.pi)  # half a turn
    >>> round(float(moved[0]), 6)
    1.0
    """
    p = numbers("the point", point, 3)
    T = exponential(V, dt)
    common_shape(["the point", "the twist"], [p.shape[:-1], T.shape[:-2]])
    return (T[..., :3, :3] @ p[..., None])[..., 0] + T[..., :3, 3]


def _frame(R: Any, p: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the rotation, and p x each of its columns."""
    R, p = matrix_of_numbers(R), numbers("the origin of the frame", p, 3)
    time = common_shape(["the rotation", "the origin"], [R.shape[:-2], p.shape[:-1]])
    R = np.broadcast_to(R, (*time, 3, 3))
    return R, np.cross(p[..., None], R, axis=-2)


# --- the one-step recursion ---


@dataclass(frozen=True, eq=False)
class OneStep:
    """The displacements and accelerations of `one_step` for twists at the times 0, dt, ..., N dt.

    >>> steps = mbs.screws.one_step(np.zeros(6), [(0, 0, 1, 0, 0, 0), (0, 0, 3, 0, 0, 0)], dt=0.5)
    >>> steps.displacement[:, 2], steps.acceleration[:, 2]
    (array([0. , 0.5]), array([4.]))
    """

    displacement: np.ndarray
    """(..., N + 1, 6): D at all of the times."""
    acceleration: np.ndarray
    """(..., N, 6): A at the times dt, ..., N dt. (There is none at the first.)"""


def one_step(D: Any, V: Any, dt: float) -> OneStep:
    """The one-step recursion D(k+1) = D(k) + dt V(k), A(k+1) = (V(k+1) - V(k))/dt, component by component.

    D is the displacement at the first time, V the twists at all times, (..., N + 1, 6). Both results are of first
    order. The recursion serves for comparison: `exponential` moves a body correctly. The meaning of D and A is limited:

    - the angular part ∫ω dt of D gives the orientation only while ω keeps its direction. As a rotation vector (or as
      angles) of any other motion this part is wrong, and no smaller dt helps, because rotations do not add up;
    - the linear part ∫v dt of D is not the path of a point, because v belongs to ever new points passing the origin;
    - A is not the acceleration of a point: see `velocity_of_point`.

    >>> mbs.screws.one_step(np.zeros(6), [(0, 0, 1, 0, 0, 0)] * 3, dt=0.5).displacement[:, 2]
    array([0. , 0.5, 1. ])
    """
    V, D = numbers("the twists", V, 6), numbers("the first displacement", D, 6)
    if V.ndim < 2:
        raise ModelError(
            "one twist makes no step; give the twists at all times, one a row",
            code="not-a-list", argument="V", shape=V.shape,
        )  # fmt: skip
    h = positive("dt", dt)
    time = common_shape(["the twists", "the first displacement"], [V.shape[:-2], D.shape[:-1]])
    first = np.broadcast_to(D, (*time, 6))[..., None, :]
    steps = np.broadcast_to(V, (*time, *V.shape[-2:]))[..., :-1, :] * h
    displacement = np.cumsum(np.concatenate([first, steps], axis=-2), axis=-2)
    return OneStep(frozen(displacement), frozen(np.diff(V, axis=-2) / h))
