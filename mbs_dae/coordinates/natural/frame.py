"""A body described by its base.

Every point of the body is a linear combination of a few columns, with constant weights:

    r(s) = X c(s),       (1, s) = H c(s)

The columns X are, in space, the four points and vectors of the base, p, q, u, v say; in the plane x₀, d and d⊥, where d
leads from the point x₀ to the second point (or is the vector) and d⊥ is d turned by a right angle. H has the same
columns in body axes, a point with a 1 above it, a vector with a 0. A direction a has the weights H⁻¹ (0, a).

So T = ½ ∫ |ẋ c(s)|² dm = ½ Σ M_kl ẋ_k · ẋ_l with constant M = C J Cᵀ, C = H⁻¹, and J the moments of the mass:

    J = ∫ (1, s) (1, s)ᵀ dm = [m, m cᵀ; m c, Σ],      Σ = ∫ s sᵀ dm = ½ tr(I₀) 1 - I₀  in space.

In the plane only the trace of Σ matters, so Σ = ½ I 1 + m c cᵀ.
"""

from collections.abc import Sequence

import numpy as np

from ...errors import ModelError
from ...model.bodies.body import Body
from ...model.parameters import Evaluator, Number
from .skeleton import POINT, Thing

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
"""The matrix of a turn by a right angle in the plane."""


def body_weights(base: Sequence[Thing], body: Body, number: Evaluator) -> np.ndarray:
    """Return C = H⁻¹."""
    places = [np.array([number(n) for n in thing.places[body]]) for thing in base]
    ones = [float(thing.kind == POINT) for thing in base]
    if body.dimension == 2:
        d = places[1] - ones[1] * places[0]
        places, ones = [places[0], d, TURN @ d], [1.0, 0.0, 0.0]
    H = np.vstack([ones, np.array(places).T])
    if not np.isfinite(H).all() or abs(np.linalg.det(H)) <= 1e-9 * np.prod(np.linalg.norm(H, axis=0)):
        names = ", ".join(thing.name for thing in base)
        why = f"not described by {names} with these parameters: they coincide or lie in one line or plane"
        raise ModelError(
            f'body {body.name!r} is {why}; change the parameters, or compile(coordinates="cartesian")',
            code="body-not-natural", body=body.name, names=tuple(thing.name for thing in base),
        )  # fmt: skip
    return np.linalg.inv(H)


def weights_of(C: np.ndarray, is_point: bool, place: Sequence[Number], number: Evaluator) -> np.ndarray:
    """Return the weights c of a point, or of a direction."""
    return C @ np.array([float(is_point), *(number(n) for n in place)])


def second_moments(body: Body, number: Evaluator) -> np.ndarray:
    """Return ∫ y yᵀ dm, with y the vector from the centre of mass in the axes of the body."""
    if body.dimension == 2:
        return 0.5 * number(body.inertia) * np.eye(2)
    own = np.array([[number(n) for n in row] for row in body.inertia])
    # ∫ y² dm = (I_xx + I_zz - I_yy) / 2: the largest is taken from the next one first, so that a rod's is not lost
    second, moments = -own, np.diag(own)
    for k in range(3):
        less, more = sorted((moments[k - 1], moments[k - 2]), key=np.real)
        second[k, k] = 0.5 * ((more - moments[k]) + less)
    return second


def mass_matrix(C: np.ndarray, body: Body, number: Evaluator) -> np.ndarray:
    """Return M between the columns X."""
    m, com = number(body.mass), np.array([number(c) for c in body.com])
    moments = second_moments(body, number) + m * np.outer(com, com)
    J = np.block([[np.full((1, 1), m), m * com[None]], [m * com[:, None], moments]])
    return C @ J @ C.T
