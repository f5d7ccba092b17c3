"""Systems of screws: the rates of joints in a chain, and the wrenches that a joint can carry."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..rotations.values import common_shape, numbers, short
from ..tolerances import LENGTH_FLOOR
from .screw import frozen, positive


@dataclass(frozen=True, eq=False)
class JointRates:
    """The answer of `joint_rates`; arrays over time where the question was one.

    >>> arm = [mbs.screws.unit_screw((0, 0, 1)), mbs.screws.unit_screw((0, 0, 1), point=(1, 0, 0))]
    >>> found = mbs.screws.joint_rates(arm, mbs.screws.twist((0, 0, 5), (0, 2, 0), point=(1, 0, 0)))
    >>> found.rates.round(6), int(found.rank), bool(found.unique)
    (array([2., 3.]), 2, True)
    """

    rates: np.ndarray
    """One for each screw: rad/s of a turn, m/s of a translation. The least ones if they are not unique."""
    rank: np.ndarray
    """The number of independent screws."""
    residual: np.ndarray
    """The residual of V: the length of (ω, v/length) of S ω - V, in rad/s. It is zero if the joints allow the twist
    V."""
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

    An arm of two hinges, 1 m apart; its elbow moves at 2 m/s, its hand turns by 5 rad/s:

    >>> arm = [mbs.screws.unit_screw((0, 0, 1)), mbs.screws.unit_screw((0, 0, 1), point=(1, 0, 0))]
    >>> mbs.screws.joint_rates(arm, mbs.screws.twist((0, 0, 5), (0, 2, 0), point=(1, 0, 0))).rates.round(6)
    array([2., 3.])
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
        raise ModelError("no screws were given; give one for each joint", code="empty", argument="screws")
    scale = _scale(S) if length is None else positive("length", length)
    tolerance = positive("tolerance", tolerance)
    weights = _per(scale)
    A, sizes = _normalised(S * weights)
    A = np.broadcast_to(np.swapaxes(A, -1, -2), (*time, 6, n))
    b = np.broadcast_to(V * weights, (*time, 6))
    scaled = (np.linalg.pinv(A, rcond=tolerance) @ b[..., None])[..., 0]
    residual = np.linalg.norm((A @ scaled[..., None])[..., 0] - b, axis=-1)
    rank = _rank(A, tolerance)
    return JointRates(frozen(scaled / sizes), frozen(rank), frozen(residual), frozen(rank == n), scale)


def reciprocal(screws: Any, length: float = 1.0, tolerance: float = 1e-10) -> np.ndarray:
    """A basis of all wrenches that do no work on the screws: one wrench (M, F) a row, 6 - rank of them.

    A joint can carry these wrenches. `screws` has one screw a row, (n, 6). The rows are orthonormal when moments are
    measured in force times `length`; the rank depends neither on this length nor on the unit.

    >>> hinge = [mbs.screws.unit_screw((0, 0, 1))]
    >>> mbs.screws.reciprocal(hinge).shape  # five wrenches
    (5, 6)
    >>> float(np.abs(mbs.screws.reciprocal(hinge)[:, 2]).max())  # none with a moment about the hinge
    0.0
    """
    S = _rows(screws)
    if S.ndim != 2:
        raise ModelError(
            f"the screws have the shape {S.shape}; give those of one moment: their rank may change",
            code="wrong-shape", argument="screws", shape=S.shape,
        )  # fmt: skip
    length, tolerance = positive("length", length), positive("tolerance", tolerance)
    # V·W = (ω, v/L)·(M, L F): a wrench without work is orthogonal to the rows divided as in `joint_rates`. The rank is
    # that of the screws in their own measure; the basis is made in the measure of `length`.
    rank = int(_rank(_normalised(S * _per(_scale(S)))[0], tolerance))
    _, _, Vt = np.linalg.svd(_normalised(S * _per(length))[0], full_matrices=True)
    return Vt[rank:] * np.repeat([length, 1.0], 3)


def _rows(screws: Any) -> np.ndarray:
    """Return the screws of a chain, one a row."""
    if isinstance(screws, Sequence) and len({np.shape(screw) for screw in screws}) > 1:
        raise ModelError(
            f"the screws have different shapes: {short(screws)}; give six numbers for each",
            code="unequal-shapes", argument="screws", value=screws,
        )  # fmt: skip
    shape = np.shape(screws)
    if shape == (0,):
        return np.zeros((0, 6))
    if len(shape) >= 2 and shape[-1] != 6 and shape[-2] == 6:
        raise ModelError(
            f"the screws have the shape {shape}: columns; give one screw a row, the transpose of this",
            code="screws-in-columns", argument="screws", shape=shape,
        )  # fmt: skip
    S = numbers("the screws", screws, 6)
    if S.ndim < 2:
        raise ModelError(
            "one screw alone is not a list of screws; give [screw]", code="not-a-list", argument="screws", shape=S.shape
        )
    if not S.any(axis=-1).all():
        raise ModelError(
            "one of the screws is zero; leave it out or give it an axis", code="zero-screw", argument="screws"
        )
    return S


def _scale(S: np.ndarray) -> float:
    """Return the length of a system of screws: the root mean square of v over that of ω, translations left out. For
    unit screws this is the distance of the axes from the origin (in the mean); and a translation whose ω is roundoff
    instead of zero does no harm.

    The length is 1 where all axes pass through the origin, or none turns: then turns and translations are not mixed,
    and any length is suitable. Lengths below `LENGTH_FLOOR` are roundoff of zero, and must not become the unit of
    measurement.
    """
    w, v = (np.linalg.norm(part, axis=-1).ravel() for part in (S[..., :3], S[..., 3:]))
    turns = w > 0
    size = float(np.linalg.norm(v[turns]) / np.linalg.norm(w[turns])) if turns.any() else 0.0
    return size if size > LENGTH_FLOOR else 1.0


def _normalised(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sizes = np.linalg.norm(rows, axis=-1)
    return rows / sizes[..., None], sizes


def _per(length: float) -> np.ndarray:
    """Return the factors that make six-vectors comparable: linear parts are divided by the length."""
    return np.repeat([1.0, 1.0 / length], 3)


def _rank(A: np.ndarray, tolerance: float) -> np.ndarray:
    """Return the number of singular values above `tolerance` times the largest."""
    sigma = np.linalg.svd(A, compute_uv=False)
    return (sigma > tolerance * sigma[..., :1]).sum(axis=-1)
