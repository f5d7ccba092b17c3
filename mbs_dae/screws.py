"""Screws: twists, wrenches and unit screws as six-vectors, the angular part first.

A twist V = (ω, v) has v the velocity of that point of the body which is just passing through the world's origin. A
wrench W = (M, F) has M the moment about the world's origin. So the power of a wrench on a twist is plainly V · W, and
twists of bodies in a chain add up: V = S ω with a unit screw for each joint. World axes throughout; time, if any, is
the leading axes of every array.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import ModelError
from .rotations import from_rotation_vector
from .rotations.matrices import coefficients
from .rotations.orientation import matrix_of_numbers
from .rotations.values import aligned, common_shape, numbers, short

ORIGIN = (0.0, 0.0, 0.0)

NOWHERE = 1e-12
"""No mechanism is as small as this, in any unit that anyone uses."""


# ---- making them


def unit_screw(axis: Any, point: Any = ORIGIN, pitch: Any = 0.0) -> np.ndarray:
    """(e, r x e + pitch e): a turn at 1 rad/s about the axis e through the point r, with `pitch` metres of way per
    radian. ``pitch=inf`` is a translation at 1 m/s, (0, e), wherever the point. The axis may have any length but zero.
    """
    e, r = aligned(("the axis", axis, 3), ("the point", point, 3))
    size = np.linalg.norm(e, axis=-1, keepdims=True)
    if not size.all():
        raise ModelError("the axis of a screw is zero; give its direction")
    e = e / size
    given = np.asarray(pitch)
    slides = np.asarray(given == np.inf)
    h = numbers("the pitch (inf for a translation)", np.where(slides, 0.0, given) if slides.any() else given)
    time = common_shape(["the axis", "the pitch"], [e.shape[:-1], h.shape])
    e, r = np.broadcast_to(e, (*time, 3)), np.broadcast_to(r, (*time, 3))
    turn = _join(e, np.cross(r, e) + h[..., None] * e)
    return np.where(slides[..., None], _join(np.zeros_like(e), e), turn)


def twist(omega: Any, velocity: Any, point: Any = ORIGIN) -> np.ndarray:
    """The twist of a body that turns at `omega` and whose point at `point` moves at `velocity`."""
    w, v, p = aligned(("omega", omega, 3), ("the velocity", velocity, 3), ("the point", point, 3))
    return _join(w, v + np.cross(p, w))


def wrench(force: Any, moment: Any = ORIGIN, point: Any = ORIGIN) -> np.ndarray:
    """The wrench of a force that acts at a point, and of a moment (about this point)."""
    f, m, p = aligned(("the force", force, 3), ("the moment", moment, 3), ("the point", point, 3))
    return _join(m + np.cross(p, f), f)


# ---- reading them


def velocity_of_point(V: Any, point: Any) -> np.ndarray:
    """v + ω x p, the velocity of the body's point that is at `point`.

    Its acceleration is not found by differencing the linear part of V, for that belongs to another point of the body
    at every moment: a = v̇ + ω̇ x p + ω x (v + ω x p).
    """
    V, p = aligned(("the twist", V, 6), ("the point", point, 3))
    return V[..., 3:] + np.cross(V[..., :3], p)


def pitch(S: Any) -> np.ndarray:
    """The way along the axis per radian, ω·v/ω²; inf where the angular part is exactly zero. The zero screw is refused.

    (What is not zero by roundoff alone gives a huge pitch; only who made the screw knows that it meant zero.)
    """
    w, v, slides = _parts(S)
    square = np.where(slides, 1.0, (w * w).sum(axis=-1))
    return np.where(slides, np.inf, (w * v).sum(axis=-1) / square)[()]


def axis_of(S: Any) -> tuple[np.ndarray, np.ndarray]:
    """The direction (of length 1) of a twist's axis, and its point nearest to the origin, ω x v/ω². A translation has
    no axis of its own: then its direction and the origin.

    The line of action of a wrench is ``axis_of(interchange(W))``.
    """
    w, v, slides = _parts(S)
    lead = np.where(slides[..., None], v, w)
    size = np.linalg.norm(lead, axis=-1, keepdims=True)
    return lead / size, np.cross(w / size, v / size)


def interchange(S: Any) -> np.ndarray:
    """The two halves exchanged: makes a screw (direction first) of a wrench, and back."""
    S = numbers("the screw", S, 6)
    return _join(S[..., 3:], S[..., :3])


# ---- moving them


def adjoint(R: Any, p: Any = ORIGIN) -> np.ndarray:
    """The 6x6 matrix that takes twists from a frame to the world: the frame's axes are the columns of R, its origin is
    at p. With R = I it moves a twist by p."""
    R, pxR = _frame(R, p)
    return np.block([[R, np.zeros_like(R)], [pxR, R]])


def coadjoint(R: Any, p: Any = ORIGIN) -> np.ndarray:
    """The same for wrenches: the inverse transpose of `adjoint`, so that no power changes by a change of frame."""
    R, pxR = _frame(R, p)
    return np.block([[R, pxR], [np.zeros_like(R), R]])


def exponential(V: Any, dt: Any = 1.0) -> np.ndarray:
    """The 4x4 homogeneous transform by which a body moves in the time `dt` while its twist stays as it is.

    A constant twist is a steady screw motion, and this is exact: x → R x + p, R of the rotation vector θ = ω dt, and
    p = (I + b [θ]x + c [θ]x²) v dt, b = (1 - cos a)/a², c = (a - sin a)/a³, a = |θ|.
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
    """Where a body's point comes to in the time `dt` while its twist stays as it is."""
    p = numbers("the point", point, 3)
    T = exponential(V, dt)
    common_shape(["the point", "the twist"], [p.shape[:-1], T.shape[:-2]])
    return (T[..., :3, :3] @ p[..., None])[..., 0] + T[..., :3, 3]


# ---- systems of them


@dataclass(frozen=True, eq=False)
class JointRates:
    """The answer of `joint_rates`; arrays over time where the question was one."""

    rates: np.ndarray
    """One for each screw: rad/s of a turn, m/s of a translation. The least ones if they are not unique."""
    rank: np.ndarray
    """How many of the screws are independent."""
    residual: np.ndarray
    """What is left of V: the length of (ω, v/length) of S ω - V, in rad/s. Zero if the joints allow the twist."""
    unique: np.ndarray
    """Whether the rates are determined: rank = number of screws. If not, the pose is singular, or there are more joints
    than needed."""
    length: float
    """The length by which linear parts were divided."""


def joint_rates(screws: Any, V: Any, length: float | None = None, tolerance: float = 1e-10) -> JointRates:
    """The rates of the joints of a chain whose last body has the twist V: S ω = V, by least squares.

    `screws` has one unit screw a row, as ``[unit_screw(...), unit_screw(...), ...]`` makes it: (..., n, 6), the
    transpose of the matrix S of the books. (Six columns are refused unless there are six: nobody can tell these from
    rows.) Several chains at once, or many moments, are leading axes.

    Turns and translations are compared by `length`: a turn of 1 rad counts as a way of one length. By default it is the
    root mean square distance of the axes from the origin, so that no answer depends on the unit of length. It has no
    influence on rates that are determined and give V. The rank counts singular values above `tolerance` times the
    largest. Rates that are not determined are the least in the speeds (ω, v/length) of the joints.
    """
    # The normal equations Sᵀ S ω = Sᵀ V, with det(SᵀS) = 0 as the sign of a singular pose, would not do: SᵀS has the
    # square of the condition of S (at 1e-8 from a singular pose no digit is left) and adds rad² to m², and a
    # determinant has no scale. So: linear parts are divided by a length; every column is divided by its own length,
    # because the column of a translation, e/length, would else change its weight with the unit; and the pseudo-inverse
    # of these numbers without units gives the least rates where S has too few.
    S = _rows(screws)
    V = numbers("the twist", V, 6)
    time = common_shape(["the screws", "the twist"], [S.shape[:-2], V.shape[:-1]])
    n = S.shape[-2]
    if not n:
        raise ModelError("no screws were given; give one for each joint")
    scale = _scale(S) if length is None else _positive("length", length)
    tolerance = _positive("tolerance", tolerance)
    weights = _per(scale)
    A, sizes = _normalised(S * weights)
    A = np.broadcast_to(np.swapaxes(A, -1, -2), (*time, 6, n))
    b = np.broadcast_to(V * weights, (*time, 6))
    scaled = (np.linalg.pinv(A, rcond=tolerance) @ b[..., None])[..., 0]
    residual = np.linalg.norm((A @ scaled[..., None])[..., 0] - b, axis=-1)
    rank = _rank(A, tolerance)
    return JointRates(_frozen(scaled / sizes), _frozen(rank), _frozen(residual), _frozen(rank == n), scale)


def reciprocal(screws: Any, length: float = 1.0, tolerance: float = 1e-10) -> np.ndarray:
    """A basis of all wrenches that do no work on the screws: one wrench (M, F) a row, 6 - rank of them.

    They are what the joint can carry. `screws` has one screw a row, (n, 6). The rows are orthonormal when moments are
    measured in force times `length`; the rank depends neither on this nor on the unit.
    """
    S = _rows(screws)
    if S.ndim != 2:
        raise ModelError(f"the screws have the shape {S.shape}; give those of one moment: their rank may change")
    length, tolerance = _positive("length", length), _positive("tolerance", tolerance)
    # V·W = (ω, v/L)·(M, L F): a wrench without work is orthogonal to the rows divided as in `joint_rates`. The rank is
    # that of the screws in their own measure; the basis is made in the measure asked for.
    rank = int(_rank(_normalised(S * _per(_scale(S)))[0], tolerance))
    _, _, Vt = np.linalg.svd(_normalised(S * _per(length))[0], full_matrices=True)
    return Vt[rank:] * np.repeat([length, 1.0], 3)


# ---- the one-step recursion


@dataclass(frozen=True, eq=False)
class OneStep:
    """What `one_step` makes of the twists at the times 0, dt, ..., N dt."""

    displacement: np.ndarray
    """(..., N + 1, 6): D at all of the times."""
    acceleration: np.ndarray
    """(..., N, 6): A at the times dt, ..., N dt. (There is none at the first.)"""


def one_step(D: Any, V: Any, dt: float) -> OneStep:
    """The one-step recursion D(k+1) = D(k) + dt V(k), A(k+1) = (V(k+1) - V(k))/dt, component by component.

    D is the displacement at the first time, V the twists at all times, (..., N + 1, 6). Both results are of first
    order. This is here to be compared with: `exponential` moves a body rightly. For mind what D is:

    - its angular part ∫ω dt tells the orientation only while ω keeps its direction. Read as a rotation vector (or as
      angles) in any other motion it is wrong, and no smaller dt helps, because rotations do not add up;
    - its linear part ∫v dt is not the path of a point, for v belongs to the point passing the origin: always another;
    - nor is A the acceleration of a point: see `velocity_of_point`.
    """
    V, D = numbers("the twists", V, 6), numbers("the first displacement", D, 6)
    if V.ndim < 2:
        raise ModelError("one twist makes no step; give the twists at all times, one a row")
    h = _positive("dt", dt)
    time = common_shape(["the twists", "the first displacement"], [V.shape[:-2], D.shape[:-1]])
    first = np.broadcast_to(D, (*time, 6))[..., None, :]
    steps = np.broadcast_to(V, (*time, *V.shape[-2:]))[..., :-1, :] * h
    displacement = np.cumsum(np.concatenate([first, steps], axis=-2), axis=-2)
    return OneStep(_frozen(displacement), _frozen(np.diff(V, axis=-2) / h))


# ---- helpers


def _join(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.concatenate([first, second], axis=-1)


def _parts(S: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angular part, linear part, and where the angular part is zero."""
    S = numbers("the screw", S, 6)
    if not S.any(axis=-1).all():
        raise ModelError("the zero screw has neither axis nor pitch; leave out the moments of rest")
    w, v = S[..., :3], S[..., 3:]
    return w, v, ~w.any(axis=-1)


def _frame(R: Any, p: Any) -> tuple[np.ndarray, np.ndarray]:
    """The rotation, and p x each of its columns."""
    R, p = matrix_of_numbers(R), numbers("the origin of the frame", p, 3)
    time = common_shape(["the rotation", "the origin"], [R.shape[:-2], p.shape[:-1]])
    R = np.broadcast_to(R, (*time, 3, 3))
    return R, np.cross(p[..., None], R, axis=-2)


def _rows(screws: Any) -> np.ndarray:
    """The screws of a chain, one a row."""
    if isinstance(screws, Sequence) and len({np.shape(screw) for screw in screws}) > 1:
        raise ModelError(f"the screws have different shapes: {short(screws)}; give six numbers for each")
    shape = np.shape(screws)
    if shape == (0,):
        return np.zeros((0, 6))
    if len(shape) >= 2 and shape[-1] != 6 and shape[-2] == 6:
        raise ModelError(f"the screws have the shape {shape}: columns; give one screw a row, the transpose of this")
    S = numbers("the screws", screws, 6)
    if S.ndim < 2:
        raise ModelError("one screw alone is no list of screws; give [screw]")
    if not S.any(axis=-1).all():
        raise ModelError("one of the screws is zero; leave it out or give it an axis")
    return S


def _scale(S: np.ndarray) -> float:
    """The length of a system of screws: the root mean square of v over that of ω, translations left out. For unit
    screws this is the distance of the axes from the origin (in the mean); and a translation whose ω is roundoff instead
    of zero does no harm.

    1 where all pass through it, or none turns: then turns and translations are not mixed, and every length will do.
    What is below `NOWHERE` is roundoff of zero, and must not become the length by which everything is measured.
    """
    w, v = (np.linalg.norm(part, axis=-1).ravel() for part in (S[..., :3], S[..., 3:]))
    turns = w > 0
    size = float(np.linalg.norm(v[turns]) / np.linalg.norm(w[turns])) if turns.any() else 0.0
    return size if size > NOWHERE else 1.0


def _normalised(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sizes = np.linalg.norm(rows, axis=-1)
    return rows / sizes[..., None], sizes


def _per(length: float) -> np.ndarray:
    """What makes six-vectors comparable: linear parts are divided by the length."""
    return np.repeat([1.0, 1.0 / length], 3)


def _rank(A: np.ndarray, tolerance: float) -> np.ndarray:
    """How many singular values count: those above `tolerance` times the largest."""
    sigma = np.linalg.svd(A, compute_uv=False)
    return (sigma > tolerance * sigma[..., :1]).sum(axis=-1)


def _frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    return value


def _positive(what: str, value: Any) -> float:
    number = numbers(what, value)
    if number.ndim or not number > 0:
        raise ModelError(f"{what} is {short(value)}; give one positive number")
    return float(number)
