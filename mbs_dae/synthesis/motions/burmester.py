"""Find Burmester's points: the points of a moving body that stay on circles while the body takes given poses, and the
centres of these circles.

Pose k follows from the first one by a rotation R_k = e^{iα_k} and a shift t_k: the point A goes to R_k A + t_k. The
distance of A from O stays the same if, with u + iv = Ō A,

    (1 - cos α_k) u + sin α_k v + (R̄_k t_k)·A - t_k·O + |t_k|²/2 = 0,     k = 2, 3, ...

The equations are linear in the seven numbers (u, v, A, O, 1). Two poses leave three of the four unknowns O, A free,
three leave two; four poses a curve, and five single points: the seven numbers lie in a space of three dimensions then,
in which u = O·A and v = O×A are two conics. The conics meet in four points, the roots of a quartic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...tolerances import BURMESTER_RESIDUAL, INFINITE_POINT, REAL_ROOT, RESTING_POINT
from ..linkages import dot, turn
from ..marquardt import least_squares


@dataclass(frozen=True)
class Displacements:
    """The displacements from the first pose to all poses, the first one included: rotations R and shifts t."""

    R: np.ndarray
    t: np.ndarray

    def places(self, A: complex) -> np.ndarray:
        """Return the places in all poses of the point that is at A in the first pose."""
        return self.R * A + self.t

    def seen(self, O: complex) -> np.ndarray:
        """Return a fixed point as seen from the moving body in each pose, in the axes of the first pose."""
        return np.conj(self.R) * (O - self.t)

    def rows(self) -> np.ndarray:
        """Return the equations of all poses but the first, for (u, v, Ax, Ay, Ox, Oy, 1)."""
        R, t = self.R[1:], self.t[1:]
        back = np.conj(R) * t
        return np.stack([1 - R.real, R.imag, back.real, back.imag, -t.real, -t.imag, np.abs(t) ** 2 / 2], axis=1)


def displacements(places: np.ndarray, angles: np.ndarray) -> Displacements:
    R = turn(angles - angles[0])
    return Displacements(R, places - R * places[0])


def circumcentre(three: np.ndarray) -> complex:
    """Return the point at equal distances from three points; not finite if these lie on a line."""
    first, u, v = three[0], three[1] - three[0], three[2] - three[0]
    area = 2 * (np.conj(u) * v).imag
    if not abs(area) > 1e-12 * abs(u) * abs(v):
        return complex("nan")
    return complex(first + 1j * (u * abs(v) ** 2 - v * abs(u) ** 2) / area)


def points_of_four_poses(move: Displacements, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points of the centre-point curve, and the corresponding points of the circle-point curve.

    With W = A - O and Z the way from A to the origin of the moving frame, which goes by δ_k, the loop of each pose is
    W (e^{iβ_k} - 1) + Z (e^{iα_k} - 1) = δ_k. W and Z exist if the determinant of the three equations is zero:
    Δ₁ + Δ₂ e^{iβ₂} + Δ₃ e^{iβ₃} + Δ₄ e^{iβ₄} = 0, a four-bar with these sides, which gives β₃ and β₄ for each β₂.
    """
    turned, delta = move.R[1:] - 1, move.t[1:]  # frame that is at 0 in the first pose
    minors = np.array([np.linalg.det(np.delete(np.stack([turned, delta], axis=1), k, axis=0)) for k in range(3)])
    minors *= [1, -1, 1]
    beta2 = (np.arange(count) + 0.5) * 2 * np.pi / count
    rest = -minors.sum() + minors[0] * turn(beta2)
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = (np.abs(minors[2]) ** 2 - np.abs(rest) ** 2 - np.abs(minors[1]) ** 2) / (
            2 * np.abs(rest) * np.abs(minors[1])
        )
        half = np.arccos(cosine)
    closes = np.isfinite(half)
    curves = []
    for side in (half[closes], -half[closes]):
        beta3 = np.angle(rest[closes]) - np.angle(minors[1]) + side
        spin = np.stack([turn(beta2[closes]), turn(beta3)], axis=1) - 1
        matrix = np.stack([spin, np.broadcast_to(turned[:2], spin.shape)], axis=2)
        solvable = np.abs(np.linalg.det(matrix)) > 1e-12
        W, Z = np.linalg.solve(matrix[solvable], np.broadcast_to(delta[:2], spin.shape)[solvable][..., None])[..., 0].T
        curves.append((-Z - W, -Z))
    O, A = (np.concatenate(part) for part in zip(*curves, strict=True))
    return O, A


def points_of_five_poses(move: Displacements) -> list[tuple[complex, complex]]:
    """Return the centres and circle points of five poses, four pairs at most."""
    rows = move.rows()
    basis = np.linalg.svd(rows)[2][4:].T  # the seven numbers are basis @ λ
    u, v, Ax, Ay, Ox, Oy, one = basis
    first = _conic(u, one) - _conic(Ox, Ax) - _conic(Oy, Ay)
    second = _conic(v, one) - _conic(Ox, Ay) + _conic(Oy, Ax)
    pairs: list[tuple[complex, complex]] = []
    for coordinates in _meets(first, second):
        seven = basis @ coordinates
        if abs(seven[6]) > INFINITE_POINT * np.abs(seven).max():
            O, A = refine(rows, (seven[4] + 1j * seven[5]) / seven[6], (seven[2] + 1j * seven[3]) / seven[6])
            moves = (
                min(abs(A - O), np.abs(move.places(A) - A).max()) > RESTING_POINT
            )  # else the point is a pole of all poses
            if (
                moves
                and _is_solution(rows, O, A)
                and not any(abs(O - o) < RESTING_POINT * abs(A - O) for o, _ in pairs)
            ):
                pairs.append((O, A))
    return pairs


def _conic(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the product of two linear forms as a symmetric matrix."""
    return (np.outer(one, other) + np.outer(other, one)) / 2


def _meets(first: np.ndarray, second: np.ndarray) -> Sequence[np.ndarray]:
    """Return the real points (x, y, 1) on both conics A y² + B(x) y + C(x); the resultant in y is a quartic in x."""
    (A, B, C), (D, E, F) = (
        (np.array([Q[1, 1]]), 2 * np.array([Q[0, 1], Q[1, 2]]), np.array([Q[0, 0], 2 * Q[0, 2], Q[2, 2]]))
        for Q in (first, second)
    )
    AF_DC, AE_DB, BF_EC = _minor(A, F, D, C), _minor(A, E, D, B), _minor(B, F, E, C)
    roots = np.roots(np.polysub(np.polymul(AF_DC, AF_DC), np.polymul(AE_DB, BF_EC)))
    points: list[np.ndarray] = []
    for x in roots[np.abs(roots.imag) < REAL_ROOT * (1 + np.abs(roots))].real:
        below, above = np.polyval(AE_DB, x), np.polyval(AF_DC, x)
        if below:
            points.append(np.array([x, -above / below, 1.0]))
    return points


def _minor(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return a b - c d for polynomials."""
    return np.polysub(np.polymul(a, b), np.polymul(c, d))


def refine(rows: np.ndarray, O: complex, A: complex) -> tuple[complex, complex]:
    """Return centre and circle point, refined by damped Gauss-Newton steps on the equations themselves."""

    def residuals(x: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        Ax, Ay, Ox, Oy = x.T
        one, zero = np.ones_like(Ax), np.zeros_like(Ax)
        seven = np.stack([Ox * Ax + Oy * Ay, Ox * Ay - Oy * Ax, Ax, Ay, Ox, Oy, one], axis=1)
        change = [[Ox, -Oy, one, zero, zero, zero, zero], [Oy, Ox, zero, one, zero, zero, zero]]
        change += [[Ax, Ay, zero, zero, one, zero, zero], [Ay, -Ax, zero, zero, zero, one, zero]]
        slope = np.stack([np.stack(column, axis=1) @ rows.T for column in change], axis=2)
        return seven @ rows.T, slope

    start = np.array([[A.real, A.imag, O.real, O.imag]])
    Ax, Ay, Ox, Oy = least_squares(residuals, start, steps=30).x[0]
    return complex(Ox, Oy), complex(Ax, Ay)


def _is_solution(rows: np.ndarray, O: complex, A: complex) -> bool:
    turned = np.conj(O) * A
    seven = np.array([turned.real, turned.imag, A.real, A.imag, O.real, O.imag, 1.0])
    return bool(np.abs(rows @ seven).max() < BURMESTER_RESIDUAL * np.abs(rows * seven).max())


def crank_lengths(move: Displacements, O: complex, A: complex) -> np.ndarray:
    """Return the length of the crank in each pose: all lengths are equal if A is a circle point and O its centre."""
    return np.sqrt(dot(move.places(A) - O, move.places(A) - O))
