"""The spatial slider-crank: crank about any axis, slider along any line, rod of length L between the two.

Pin B = A + r (cos φ e₁ + sin φ e₂), e₁ ⟂ e₂ in the crank's plane, crank axis n = e₁×e₂. Slider joint C = S + s d,
|d| = 1. |C − B|² = L² is quadratic in s: with w = B − S

    s = d·w ± √(L² − |w|² + (d·w)²)

+ is the branch in which the rod points forward along d from crank to slider. With ρ = C − B (|ρ| = L) and φ as
"time", differentiate ρ·ρ = L² twice: s' = ρ·B'/ρ·d, s'' = (ρ·B'' − |ρ'|²)/ρ·d.

The rod, both ends spherical: its spin about itself is free; without spin ω = u×u', u = ρ/L. With a universal joint at
the slider whose first pin a₁ is fixed in the slider and whose second pin b is fixed in the rod across it: b ⟂ a₁, b ⟂
u, so b = a₁×u/|a₁×u| and the rod's frame is (u, b, u×b). Its spin is ω·u = (u×b)·b' = (u×b)·(a₁×u')/|a₁×u|.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class SliderCrank:
    """World vectors; e1 and e2 span the crank's plane, d is the direction of the guide through S."""

    A: np.ndarray
    e1: np.ndarray
    e2: np.ndarray
    r: float
    L: float
    S: np.ndarray
    d: np.ndarray


class Position(NamedTuple):
    """For unit crank speed: slider s, s', s''; pin B, joint C, rod direction u (B to C) and its rate."""

    s: float
    s1: float
    s2: float
    B: np.ndarray
    C: np.ndarray
    u: np.ndarray
    u1: np.ndarray


def example():
    """Crank in the y-z plane, slider along a line skew to the crank's axis; turns fully."""
    d = np.array([0.96, 0.28, 0.0])
    e1, e2 = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    return SliderCrank(np.array([0.0, 0.10, 0.12]), e1, e2, 0.08, 0.30, np.zeros(3), d)


def solve(mechanism, phi, branch=1):
    """Slider position and its derivatives by φ; nan where the crank cannot be."""
    m = mechanism
    B = m.A + m.r * (np.cos(phi) * m.e1 + np.sin(phi) * m.e2)
    B1, B2 = m.r * (-np.sin(phi) * m.e1 + np.cos(phi) * m.e2), m.A - B
    w = B - m.S
    root = m.L**2 - w @ w + (m.d @ w) ** 2
    s = m.d @ w + branch * np.sqrt(root) if root >= 0 else np.nan
    C = m.S + s * m.d
    rho = C - B
    s1 = (rho @ B1) / (rho @ m.d)
    rho1 = s1 * m.d - B1
    s2 = (rho @ B2 - rho1 @ rho1) / (rho @ m.d)
    return Position(s, s1, s2, B, C, rho / m.L, rho1 / m.L)


def rod_omega(position, slider_pin=None):
    """Angular velocity of the rod at unit crank speed: without spin, or with the universal joint at the slider."""
    u, u1 = position.u, position.u1
    omega = np.cross(u, u1)
    if slider_pin is None:
        return omega
    across = np.cross(slider_pin, u)
    size = np.linalg.norm(across)
    return omega + (np.cross(u, across / size) @ np.cross(slider_pin, u1) / size) * u


def rod_frame(position, slider_pin):
    """Rotation matrix of the rod with the universal joint: columns u, b, u×b."""
    across = np.cross(slider_pin, position.u)
    b = across / np.linalg.norm(across)
    return np.column_stack([position.u, b, np.cross(position.u, b)])
