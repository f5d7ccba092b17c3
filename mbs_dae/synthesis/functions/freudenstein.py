"""Solve Freudenstein's equation for the lengths with which crank and follower take three, four or five pairs of angles.

The loop of a four-bar with D = O + d closes, |d + c e^{iψ} - a e^{iφ}|² = b², if

    K₁ cos ψ - K₂ cos φ + K₃ = cos(φ - ψ),     K₁ = d/a,  K₂ = d/c,  K₃ = (a² - b² + c² + d²) / 2ac,

and the loop of a slider-crank whose slider is at s, on a line at the distance e from O, closes if

    K₁ 2s cos φ + K₂ 2 sin φ + K₃ = s²,        K₁ = a,  K₂ = a e,  K₃ = b² - a² - e².

Both are linear in K, so three positions give K. With four positions the start of the crank or of the follower may be
free, with five both: the four columns of the equations are dependent then, and a determinant of four rows is a
quadratic form in (cos φ₀, sin φ₀), and one in (p, q), which is (cos ψ₀, sin ψ₀) or (1, s₀). The roots of one such form
are closed expressions; for two forms in both unknowns, the resultant, a form of degree eight in (cos φ₀, sin φ₀), is a
polynomial in e^{2iφ₀}."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from ...tolerances import FREUDENSTEIN_RESIDUAL, UNIT_CIRCLE
from ..linkages import Circle, Kind, Linkage, SliderGuide
from ..marquardt import least_squares

START = tuple[float, float]
"""The offsets of the crank and of the follower."""
INFINITE = 1e6
"""The ratio of lengths from which a linkage counts as degenerate."""


def equations(kind: Kind, phi: np.ndarray, psi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients of K along the last axis, and the right-hand side."""
    if kind == "four-bar":
        return np.stack([np.cos(psi), -np.cos(phi), np.ones_like(phi)], axis=-1), np.cos(phi - psi)
    return np.stack([2 * psi * np.cos(phi), 2 * np.sin(phi), np.ones_like(phi)], axis=-1), psi**2


def linkage_with(kind: Kind, K: Sequence[float] | np.ndarray, d: float = 1.0) -> tuple[Linkage, float, float] | None:
    """Return the linkage with these numbers, from O = 0 along the x axis, and offsets of crank and rocker, π for a
    negative length, or None if a length would be infinite or imaginary."""
    K1, K2, K3 = K
    if kind == "four-bar":
        if not min(abs(K1), abs(K2)) * INFINITE > 1:
            return None
        a, c = d / K1, d / K2
        squared = a**2 + c**2 + d**2 - 2 * a * c * K3
        if not squared > 0 or not squared < INFINITE**2 * d**2:
            return None
        offsets = (0.0 if a > 0 else np.pi), (0.0 if c > 0 else np.pi)
        return Linkage(0j, abs(a), float(np.sqrt(squared)), Circle(complex(d), abs(c))), *offsets
    if not abs(K1) > 0:
        return None
    e = K2 / K1
    squared = K3 + K1**2 + e**2
    if not squared > 0 or not abs(e) < INFINITE * abs(K1):
        return None
    return Linkage(0j, abs(K1), float(np.sqrt(squared)), SliderGuide(e, 0.0)), (0.0 if K1 > 0 else np.pi), 0.0


def exact(
    kind: Kind, phi: np.ndarray, psi: np.ndarray, free: Sequence[str]
) -> Iterator[tuple[np.ndarray, float, float]]:
    """Yield K and the offsets of the crank's angles and of the follower's motion; the number of positions is three plus
    the number of free offsets."""
    for phi0, psi0 in starts(kind, phi, psi, free):
        rows, right = equations(kind, phi + phi0, psi + psi0)
        K, *_ = np.linalg.lstsq(rows, right, rcond=None)
        if free:
            K, phi0, psi0 = _refine(kind, phi, psi, free, (*K, phi0, psi0))
            rows, right = equations(kind, phi + phi0, psi + psi0)
        scale = np.abs(rows * K).max() + np.abs(right).max()
        if np.isfinite(K).all() and np.abs(rows @ K - right).max() < FREUDENSTEIN_RESIDUAL * scale:
            yield K, phi0, psi0


def starts(kind: Kind, phi: np.ndarray, psi: np.ndarray, free: Sequence[str]) -> list[START]:
    if not free:
        return [(0.0, 0.0)]
    if "crank" not in free:
        return [(0.0, psi0) for psi0 in _roots(kind, *_form(kind, phi, psi))]
    if "follower" not in free:
        start = (1.0, 0.0)
        return [(phi0, 0.0) for phi0 in zeros(lambda phi0: _determinant(kind, phi + phi0, psi, start), 2)]
    pairs = []
    for phi0 in zeros(lambda phi0: _resultant(*_pair(kind, phi + phi0, psi)), 8):
        (A, B, C), (D, E, F) = _pair(kind, phi + phi0, psi)
        # forms p² A + pq B + q² C and p² D + pq E + q² F: eliminate p², then q²
        one, other = (-(A * F - D * C), A * E - D * B), (-(B * F - E * C), A * F - D * C)
        p, q = max(one, other, key=lambda pair: np.hypot(*pair))
        pairs += [(phi0, psi0) for psi0 in _offset(kind, p, q)]
    return pairs


def zeros(form: Callable[[float], float], degree: int) -> list[float]:
    """Return the angles in [0, π) at which a form of this even degree in their cosine and sine vanishes: up to a
    factor, the form is a polynomial in z = e^{2iφ}, and real angles are roots on the unit circle."""
    count = degree + 1
    values = np.array([form(np.pi * k / count) for k in range(count)])
    coefficients = np.fft.fftshift(np.fft.fft(values)) / count  # coefficients of z^{-degree/2} to z^{degree/2}
    coefficients[np.abs(coefficients) < 1e-15 * np.abs(coefficients).max()] = 0
    roots = np.roots(coefficients[::-1])
    near = roots[np.abs(np.abs(roots) - 1) < UNIT_CIRCLE]
    return [float(angle) for angle in np.sort(np.angle(near) / 2 % np.pi)]


def _determinant(kind: Kind, phi: np.ndarray, psi: np.ndarray, start: tuple[float, float]) -> float:
    """Return the determinant of the four columns for a start (p, q) of the follower."""
    p, q = start
    if kind == "four-bar":
        columns = [p * np.cos(psi) - q * np.sin(psi), np.cos(phi), np.ones_like(phi)]
        columns.append(p * np.cos(phi - psi) + q * np.sin(phi - psi))
    else:  # (s₀ + s)² without s₀², a multiple of the third column
        columns = [(p * psi + q) * np.cos(phi), np.sin(phi), np.ones_like(phi), p * psi**2 + 2 * q * psi]
    return float(np.linalg.det(np.stack(columns)))


def _form(kind: Kind, phi: np.ndarray, psi: np.ndarray) -> tuple[float, float, float]:
    """Return the determinant as coefficients of A p² + B pq + C q²."""
    A, C, whole = (_determinant(kind, phi, psi, start) for start in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
    return A, whole - A - C, C


def _pair(kind: Kind, phi: np.ndarray, psi: np.ndarray) -> list[tuple[float, float, float]]:
    """Return the quadratic forms of two fours out of five columns."""
    return [_form(kind, phi[rows], psi[rows]) for rows in ([0, 1, 2, 3], [4, 3, 2, 1])]


def _resultant(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """Return the resultant of two forms, which is zero if both have a root in common."""
    (A, B, C), (D, E, F) = one, other
    return (A * F - D * C) ** 2 - (A * E - D * B) * (B * F - E * C)


def _roots(kind: Kind, A: float, B: float, C: float) -> list[float]:
    """Return the offsets of the follower at which A p² + B pq + C q² vanishes."""
    under = B**2 - 4 * A * C
    if not under >= 0:
        return []
    half = -(B + np.copysign(np.sqrt(under), B)) / 2
    return [psi for p, q in ((half, A), (C, half)) for psi in _offset(kind, p, q)]


def _offset(kind: Kind, p: float, q: float) -> list[float]:
    if kind == "four-bar":
        return [float(np.arctan2(q, p))]
    return [q / p] if abs(p) * INFINITE > abs(q) else []


def _refine(kind: Kind, phi: np.ndarray, psi: np.ndarray, free: Sequence[str], x: Sequence[float]) -> tuple:
    """Return K and the offsets, refined by damped Gauss-Newton steps on Freudenstein's equation itself."""
    names = ("crank", "follower")
    columns = [0, 1, 2, *(3 + k for k, name in enumerate(names) if name in free)]

    def residuals(trial: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        whole = np.tile(np.array(x, dtype=float), (len(trial), 1))
        whole[:, columns] = trial
        K, angle, place = whole[:, None, :3], phi + whole[:, 3:4], psi + whole[:, 4:5]
        rows, right = equations(kind, angle, place)
        if kind == "four-bar":
            between = np.sin(angle - place)
            starts = (K[..., 1] * np.sin(angle) + between, -K[..., 0] * np.sin(place) - between)
        else:
            by_crank = -2 * K[..., 0] * place * np.sin(angle) + 2 * K[..., 1] * np.cos(angle)
            starts = (by_crank, 2 * K[..., 0] * np.cos(angle) - 2 * place)
        slope = np.concatenate([rows, np.stack(starts, axis=-1)], axis=-1)
        return (rows * K).sum(axis=-1) - right, slope[..., columns]

    whole = np.array(x, dtype=float)
    whole[columns] = least_squares(residuals, whole[None, columns], steps=50).x[0]
    return whole[:3], float(whole[3]), float(whole[4])


def estimates(kind: Kind, phi: np.ndarray, psi: np.ndarray, free: Sequence[str]) -> Iterator[tuple]:
    """Yield K and offsets for more positions than unknowns: those with the least residuals of Freudenstein's equation
    for many offsets, and those that are exact at three positions."""
    span = np.ptp(psi) or 1.0
    cranks = np.arange(12) * np.pi / 12 if "crank" in free else [0.0]
    angles = np.arange(12) * np.pi / 12 if kind == "four-bar" else np.linspace(-3, 3, 13) * span
    last = len(phi) - 1
    for phi0, psi0 in product(cranks, angles if "follower" in free else [0.0]):
        rows, right = equations(kind, phi + phi0, psi + psi0)
        for places in (slice(None), [0, last // 2, last], [last // 8, last // 2, last - last // 8]):
            K, *_ = np.linalg.lstsq(rows[places], right[places], rcond=None)
            yield K, float(phi0), float(psi0)
