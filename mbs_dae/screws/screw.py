"""Screws, twists and wrenches: constructors, and their velocities, pitch and axis."""

from typing import Any

import numpy as np

from ..errors import ModelError
from ..rotations.values import aligned, common_shape, numbers, short

ORIGIN = (0.0, 0.0, 0.0)


def join(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.concatenate([first, second], axis=-1)


def frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    return value


def positive(what: str, value: Any) -> float:
    number = numbers(what, value)
    if number.ndim or not number > 0:
        raise ModelError(
            f"{what} is {short(value)}; give one positive number", code="not-positive", argument=what, value=value
        )
    return float(number)


def unit_screw(axis: Any, point: Any = ORIGIN, pitch: Any = 0.0) -> np.ndarray:
    """(e, r x e + pitch e): a turn at 1 rad/s about the axis e through the point r, with `pitch` metres of way per
    radian. ``pitch=inf`` is a translation at 1 m/s, (0, e), wherever the point. The axis may have any length but zero.

    >>> mbs.screws.unit_screw((0, 0, 1), point=(2, 0, 0))  # what passes the origin moves by -2 m/s in y
    array([ 0.,  0.,  1.,  0., -2.,  0.])
    >>> mbs.screws.unit_screw((0, 0, 1), pitch=np.inf)
    array([0., 0., 0., 0., 0., 1.])
    """
    e, r = aligned(("the axis", axis, 3), ("the point", point, 3))
    size = np.linalg.norm(e, axis=-1, keepdims=True)
    if not size.all():
        raise ModelError("the axis of a screw is zero; give its direction", code="zero-vector", argument="axis")
    e = e / size
    given = np.asarray(pitch)
    slides = np.asarray(given == np.inf)
    h = numbers("the pitch (inf for a translation)", np.where(slides, 0.0, given) if slides.any() else given)
    time = common_shape(["the axis", "the pitch"], [e.shape[:-1], h.shape])
    e, r = np.broadcast_to(e, (*time, 3)), np.broadcast_to(r, (*time, 3))
    turn = join(e, np.cross(r, e) + h[..., None] * e)
    return np.where(slides[..., None], join(np.zeros_like(e), e), turn)


def twist(omega: Any, velocity: Any, point: Any = ORIGIN) -> np.ndarray:
    """The twist (ω, v + p x ω) of a body that turns at `omega` and whose point p, at `point`, moves at `velocity` v.

    >>> mbs.screws.twist((0, 0, 3), (0, 6, 0), point=(2, 0, 0))  # a turn about the origin
    array([0., 0., 3., 0., 0., 0.])
    """
    w, v, p = aligned(("omega", omega, 3), ("the velocity", velocity, 3), ("the point", point, 3))
    return join(w, v + np.cross(p, w))


def wrench(force: Any, moment: Any = ORIGIN, point: Any = ORIGIN) -> np.ndarray:
    """The wrench (m + p x f, f) of a force f that acts at a point p, and of a moment m (about this point).

    >>> W = mbs.screws.wrench((0, 10, 0), point=(2, 0, 0))
    >>> W
    array([ 0.,  0., 20.,  0., 10.,  0.])
    >>> float(W @ mbs.screws.twist((0, 0, 3), (0, 0, 0)))  # its power is M·ω = F·v
    60.0
    """
    f, m, p = aligned(("the force", force, 3), ("the moment", moment, 3), ("the point", point, 3))
    return join(m + np.cross(p, f), f)


# --- readings ---


def velocity_of_point(V: Any, point: Any) -> np.ndarray:
    """v + ω x p, the velocity of the body's point that is at `point`.

    Its acceleration is not found by differencing the linear part of V, for that belongs to another point of the body
    at every moment: a = v̇ + ω̇ x p + ω x (v + ω x p).

    >>> mbs.screws.velocity_of_point((0, 0, 3, 0, 0, 0), (2, 0, 0))
    array([0., 6., 0.])
    """
    V, p = aligned(("the twist", V, 6), ("the point", point, 3))
    return V[..., 3:] + np.cross(V[..., :3], p)


def pitch(S: Any) -> np.ndarray:
    """The displacement along the axis per radian, ω·v/ω²; inf where the angular part is exactly zero. The zero screw
    raises an error.

    (An angular part that is roundoff instead of zero gives a huge pitch; only the maker of the screw knows that zero
    was meant.)

    >>> print(mbs.screws.pitch((0, 0, 2, 0, 0, 0.5)))
    0.25
    """
    w, v, slides = _parts(S)
    square = np.where(slides, 1.0, (w * w).sum(axis=-1))
    return np.where(slides, np.inf, (w * v).sum(axis=-1) / square)[()]


def axis_of(S: Any) -> tuple[np.ndarray, np.ndarray]:
    """The direction (of length 1) of a twist's axis, and its point nearest to the origin, ω x v/ω². A translation has
    no axis of its own: then its direction and the origin.

    The line of action of a wrench is ``axis_of(interchange(W))``.

    >>> direction, point = mbs.screws.axis_of(mbs.screws.unit_screw((0, 0, 5), point=(2, 0, 7)))
    >>> direction, point[:2]
    (array([0., 0., 1.]), array([2., 0.]))
    """
    w, v, slides = _parts(S)
    lead = np.where(slides[..., None], v, w)
    size = np.linalg.norm(lead, axis=-1, keepdims=True)
    return lead / size, np.cross(w / size, v / size)


def interchange(S: Any) -> np.ndarray:
    """The two halves exchanged: makes a screw (direction first) of a wrench, and back.

    >>> W = mbs.screws.wrench((0, 10, 0), point=(2, 0, 0))
    >>> mbs.screws.axis_of(mbs.screws.interchange(W))[1]  # the line of action
    array([2., 0., 0.])
    """
    S = numbers("the screw", S, 6)
    return join(S[..., 3:], S[..., :3])


def _parts(S: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the angular part, the linear part, and whether the angular part is zero."""
    S = numbers("the screw", S, 6)
    if not S.any(axis=-1).all():
        raise ModelError(
            "the zero screw has neither axis nor pitch; leave out the moments of rest", code="zero-screw", argument="S"
        )
    w, v = S[..., :3], S[..., 3:]
    return w, v, ~w.any(axis=-1)
