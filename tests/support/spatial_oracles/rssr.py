"""The RSSR linkage: two skew revolutes, coupler with a sphere at each end. Freudenstein's equation in space.

Input sphere B = O₁ + r₁ (cos θ e₁ + sin θ e₂), output sphere D = O₂ + r₂ (cos ψ f₁ + sin ψ f₂) (O is the centre of
the sphere's circle, on the axis). |B − D|² = L², with w = B − O₂:

    P cos ψ + Q sin ψ = K,    P = 2 r₂ w·f₁,   Q = 2 r₂ w·f₂,   K = |w|² + r₂² − L²
    ψ = atan2(Q, P) ± acos(K/√(P² + Q²)).

The linkage closes where K² ≤ P² + Q². Rates by ρ·ρ = L², ρ = D − B, with θ as "time":
ψ' = ρ·B'/ρ·D_ψ,  ψ'' = (ρ·B'' − ρ·D_ψψ ψ'² − |ρ'|²)/ρ·D_ψ.

The coupler's spin about the line BD is a second, idle degree of freedom.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Rssr:
    """World vectors; (e1, e2) span the input's circle, (f1, f2) the output's, each right-handed about its axis."""

    O1: np.ndarray
    e1: np.ndarray
    e2: np.ndarray
    r1: float
    O2: np.ndarray
    f1: np.ndarray
    f2: np.ndarray
    r2: float
    L: float


class Position(NamedTuple):
    """Output angle and its derivatives by the input angle; the sphere centres."""

    psi: float
    psi1: float
    psi2: float
    B: np.ndarray
    D: np.ndarray


def example():
    """A crank-rocker with perpendicular skew axes: input about z, output about x."""
    x, y, z = np.eye(3)
    return Rssr(np.zeros(3), x, y, 0.10, np.array([0.15, 0.30, 0.05]), y, z, 0.25, 0.40)


def freudenstein(mechanism, theta):
    """The coefficients P, Q, K of P cos ψ + Q sin ψ = K."""
    m = mechanism
    w = m.O1 + m.r1 * (np.cos(theta) * m.e1 + np.sin(theta) * m.e2) - m.O2
    return 2 * m.r2 * (w @ m.f1), 2 * m.r2 * (w @ m.f2), w @ w + m.r2**2 - m.L**2


def solve(mechanism, theta, branch=1):
    """Output on one of the two branches; nan where the linkage does not close. ψ is in (−2π, 2π], not continued."""
    m = mechanism
    P, Q, K = freudenstein(m, theta)
    size = np.hypot(P, Q)
    psi = np.arctan2(Q, P) + branch * np.arccos(K / size) if abs(K) <= size else np.nan
    B = m.O1 + m.r1 * (np.cos(theta) * m.e1 + np.sin(theta) * m.e2)
    B1, B2 = m.r1 * (-np.sin(theta) * m.e1 + np.cos(theta) * m.e2), m.O1 - B
    D = m.O2 + m.r2 * (np.cos(psi) * m.f1 + np.sin(psi) * m.f2)
    D1, D2 = m.r2 * (-np.sin(psi) * m.f1 + np.cos(psi) * m.f2), m.O2 - D
    rho = D - B
    psi1 = (rho @ B1) / (rho @ D1)
    rho1 = D1 * psi1 - B1
    psi2 = (rho @ B2 - rho @ D2 * psi1**2 - rho1 @ rho1) / (rho @ D1)
    return Position(psi, psi1, psi2, B, D)
