"""A body as its base describes it, and its motion as a motion of points and vectors.

Every point of it is a linear combination of a few columns, with constant weights:

    r(s) = X c(s),       (1, s) = H c(s)

The columns X are, in space, the four points and vectors of the base, p, q, u, v say; in the plane x₀, d and d⊥, where d
leads from the point x₀ to the second point (or is the vector) and d⊥ is d turned by a right angle. H has the same
columns in body axes, a point with a 1 above it, a vector with a 0. A direction a has the weights H⁻¹ (0, a).

So T = ½ ∫ |ẋ c(s)|² dm = ½ Σ M_kl ẋ_k · ẋ_l with constant M = C J Cᵀ, C = H⁻¹, and J the moments of the mass:

    J = ∫ (1, s) (1, s)ᵀ dm = [m, m cᵀ; m c, Σ],      Σ = ∫ s sᵀ dm = ½ tr(I₀) 1 - I₀  in space.

In the plane only the trace of Σ matters, so Σ = ½ I 1 + m c cᵀ.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import ModelError
from ...model.bodies.body import Body
from ...model.parameters import Evaluator, Number
from ...rotations import quaternion
from ...rotations.orientation import continued
from ..base import Layout, Motion
from .skeleton import POINT, Skeleton, Thing

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
"""A right angle in the plane."""


def body_weights(base: Sequence[Thing], body: Body, number: Evaluator) -> np.ndarray:
    """C = H⁻¹."""
    places = [np.array([number(n) for n in thing.places[body]]) for thing in base]
    ones = [float(thing.kind == POINT) for thing in base]
    if body.dimension == 2:
        d = places[1] - ones[1] * places[0]
        places, ones = [places[0], d, TURN @ d], [1.0, 0.0, 0.0]
    H = np.vstack([ones, np.array(places).T])
    if not np.isfinite(H).all() or abs(np.linalg.det(H)) <= 1e-9 * np.prod(np.linalg.norm(H, axis=0)):
        names = ", ".join(thing.name for thing in base)
        why = f"not described by {names} with these parameters: they coincide or lie in one line or plane"
        raise ModelError(f'body {body.name!r} is {why}; change the parameters, or compile(coordinates="cartesian")')
    return np.linalg.inv(H)


def weights_of(C: np.ndarray, is_point: bool, place: Sequence[Number], number: Evaluator) -> np.ndarray:
    """c of a point, or of a direction."""
    return C @ np.array([float(is_point), *(number(n) for n in place)])


def mass_matrix(C: np.ndarray, body: Body, number: Evaluator) -> np.ndarray:
    """M, between columns."""
    m, com = number(body.mass), np.array([number(c) for c in body.com])
    if body.dimension == 2:
        second = 0.5 * number(body.inertia) * np.eye(2)
    else:
        own = np.array([[number(n) for n in row] for row in body.inertia])
        second = 0.5 * np.trace(own) * np.eye(3) - own
    J = np.zeros((len(com) + 1, len(com) + 1))
    J[0, 0], J[0, 1:], J[1:, 0] = m, m * com, m * com
    J[1:, 1:] = second + m * np.outer(com, com)
    return C @ J @ C.T


# --- motions, over time -------------------------------------------------------------------------------------------


def from_bodies(skeleton: Skeleton, layout: Layout, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion:
    """x = r + A s,  ẋ = ṙ + ω × A s,  ẍ = r̈ + α × A s + ω × (ω × A s); of a vector without r."""
    q, v, a = layout.motion(len(motion[0]))
    for thing in skeleton.things:
        body, place = next((b, s) for b, s in thing.places.items() if b.fixed or not thing.fixed)
        own = _pose(cartesian, body, motion)
        arm = own.attitude @ np.array([number(n) for n in place])
        here = layout.q[thing]
        q[:, here], v[:, here] = arm, swept(own.omega, arm)
        a[:, here] = swept(own.alpha, arm) + swept(own.omega, swept(own.omega, arm))
        if thing.kind == POINT:
            for array, part in zip((q, v, a), own.place, strict=True):
                array[:, here] += part
    for body in skeleton.base:
        turns = layout.q[body][len(layout.v[body]) :]
        q[:, turns] = motion[0][:, cartesian.q[body][-len(turns) :]]
    return q, v, a


def to_bodies(
    skeleton: Skeleton, weights: Mapping[Body, np.ndarray], layout: Layout, cartesian: Layout, motion: Motion
) -> Motion:
    """`weights` are C of each body."""
    q, v, a = cartesian.motion(len(motion[0]))
    for body, base in skeleton.base.items():
        place, ways = weights[body][:, 0], weights[body][:, 1:]
        X, dX, ddX = (_columns(array[:, list(layout.v[body])], body, base[-1].kind == POINT) for array in motion)
        turns = motion[0][:, list(layout.q[body][len(layout.v[body]) :])]
        A, dA, ddA = X @ ways, dX @ ways, ddX @ ways
        omega, alpha = _turning(A, dA), _turning(A, ddA)
        if body.dimension == 2:
            angle = np.arctan2(A[:, 1, 0], A[:, 0, 0])[:, None]
            attitude = angle + 2 * np.pi * np.round((turns - angle) / (2 * np.pi))
        else:
            attitude = np.concatenate([continued(quaternion(_nearest_rotation(A))), turns], axis=1)
            omega, alpha = (np.einsum("tkc,tk->tc", A, x) for x in (omega, alpha))
        q[:, cartesian.q[body]] = np.concatenate([X @ place, attitude], axis=1)
        v[:, cartesian.v[body]] = np.concatenate([dX @ place, omega], axis=1)
        a[:, cartesian.v[body]] = np.concatenate([ddX @ place, alpha], axis=1)
    return q, v, a


def _columns(own: np.ndarray, body: Body, points: bool) -> np.ndarray:
    """X (or Ẋ, Ẍ): (times, dimension, columns)."""
    size = body.dimension
    X = own.reshape(len(own), own.shape[1] // size, size).transpose(0, 2, 1)
    if size == 3:
        return X
    d = X[:, :, 1] - X[:, :, 0] if points else X[:, :, 1]
    return np.stack([X[:, :, 0], d, d @ TURN.T], axis=2)


class _Pose(NamedTuple):
    """A body over time: place, velocity and acceleration of its frame, its attitude, and ω and α in world axes."""

    place: tuple[np.ndarray, ...]
    attitude: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray


def _pose(layout: Layout, body: Body, motion: Motion) -> _Pose:
    places, rates, size = list(layout.q[body]), list(layout.v[body]), body.dimension
    place = tuple(x[:, at[:size]] for x, at in zip(motion, (places, rates, rates), strict=True))
    A, (omega, alpha) = layout.rotation(motion[0], body), (x[:, rates[size:]] for x in motion[1:])
    if size == 3:
        omega, alpha = (np.einsum("tck,tk->tc", A, x) for x in (omega, alpha))
    return _Pose(place, A, omega, alpha)


def swept(omega: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """ω × arm; in the plane ω is about its normal."""
    return omega * (arm @ TURN.T) if arm.shape[-1] == 2 else np.cross(omega, arm)


def _turning(A: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """½ Σ a_j × ȧ_j over the axes."""
    if A.shape[1] == 2:
        return 0.5 * (A[:, 0] * rate[:, 1] - A[:, 1] * rate[:, 0]).sum(axis=1, keepdims=True)
    return 0.5 * np.cross(A, rate, axis=1).sum(axis=2)


def _nearest_rotation(A: np.ndarray) -> np.ndarray:
    """What is left of a rotation where the constraints are met within a tolerance only."""
    U, _, V = np.linalg.svd(A)
    return U @ V
