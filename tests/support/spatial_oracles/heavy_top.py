"""The heavy symmetric (Lagrange) top: a body of revolution with a fixed point O on its axis.

I₁ across the axis *about O*, I₃ along it; weight moment μ = m g l; z up; θ the axis's angle from z, precession φ̇, ω₃
the whole spin about the axis (ω₃ = ψ̇ + φ̇ cos θ). Kept: ω₃, L_z = I₁ φ̇ sin²θ + I₃ ω₃ cos θ and the energy. With u =
cos θ,

    a = I₃ω₃/I₁,  b = L_z/I₁,  β = 2μ/I₁,  α = (2E − I₃ω₃²)/I₁:
    u̇² = f(u) = (α − βu)(1 − u²) − (b − a u)²,       φ̇ = (b − a u)/(1 − u²).

f has roots u₁ ≤ u₂ ≤ 1 ≤ u₃; the axis nods between u₁ and u₂ (released at rest, u₂ is the start):

    u(t) = u₁ + (u₂ − u₁) sn²(κ (t − t₁), k²),  κ = √(β (u₃ − u₁))/2,  k² = (u₂ − u₁)/(u₃ − u₁),  period 2 K(k²)/κ.

φ(t): with 1 − u = (1 − u₁)(1 − n sn²), n = (u₂ − u₁)/(1 − u₁), 1 + u = (1 + u₁)(1 − n' sn²), n' = −(u₂ − u₁)/(1 + u₁),
and φ̇ = ½ (b − a)/(1 − u) + ½ (b + a)/(1 + u), it is a sum of two elliptic integrals of the third kind,

    2 κ (φ − φ₀) = (b − a)/(1 − u₁) Π(n; am, k²) + (b + a)/(1 + u₁) Π(n'; am, k²) between the two phases.

Steady precession at θ: I₁ Ω² cos θ − I₃ ω₃ Ω + μ = 0, two rates if (I₃ω₃)² ≥ 4 I₁ μ cos
θ. Upright (sleeping) the top is stable for (I₃ω₃)² > 4 I₁ μ.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ellipj, ellipk, ellipkinc, elliprf, elliprj


@dataclass(frozen=True)
class Top:
    """Inertias about the fixed point and the weight's moment m g l."""

    I1: float
    I3: float
    moment: float


class Invariants(NamedTuple):
    energy: float
    Lz: float
    L3: float


class Nutation(NamedTuple):
    """Roots u1 ≤ u2 < u3 of f, speed κ, modulus k² and the phase κ(t − t₁) at t = 0."""

    u1: float
    u2: float
    u3: float
    kappa: float
    m: float
    phase: float
    period: float
    a: float
    b: float


def invariants(top, theta, theta_rate, precession, omega3):
    """Energy (potential μ cos θ), momentum about the vertical and about the axis."""
    s, c = np.sin(theta), np.cos(theta)
    energy = (top.I1 * (theta_rate**2 + (precession * s) ** 2) + top.I3 * omega3**2) / 2 + top.moment * c
    return Invariants(energy, top.I1 * precession * s**2 + top.I3 * omega3 * c, top.I3 * omega3)


def nutation(top, theta, theta_rate, precession, omega3):
    """The nodding that follows from a state."""
    kept = invariants(top, theta, theta_rate, precession, omega3)
    a, b, beta = kept.L3 / top.I1, kept.Lz / top.I1, 2 * top.moment / top.I1
    alpha = (2 * kept.energy - kept.L3 * omega3) / top.I1
    f = np.polynomial.Polynomial([alpha - b**2, 2 * a * b - beta, -alpha - a**2, beta])
    u1, u2, u3 = _polished_roots(f)
    u0, u0_rate = np.cos(theta), -np.sin(theta) * theta_rate
    kappa, m = np.sqrt(beta * (u3 - u1)) / 2, (u2 - u1) / (u3 - u1)
    # cn² − sn² = (u1 + u2 − 2 u)/(u2 − u1) and 2 sn cn = u̇/((u2 − u1) κ dn): together exact even at the turning points.
    dn = np.sqrt((u3 - u0) / (u3 - u1))
    angle = np.arctan2(u0_rate / (kappa * dn), u1 + u2 - 2 * u0) / 2
    return Nutation(u1, u2, u3, kappa, m, ellipkinc(angle, m), 2 * ellipk(m) / kappa, a, b)


def _polished_roots(f):
    """Real roots in order; each simple root with the full accuracy that the polynomial has."""
    roots = np.sort(f.roots().real)
    for _ in range(3):
        slope = f.deriv()(roots)
        good = np.abs(slope) > 1e-6 * np.abs(f.coef).max()
        roots = np.where(good, roots - f(roots) / np.where(good, slope, 1.0), roots)
    return roots


def cos_theta(motion, t):
    """u = cos θ at the times t."""
    sn = ellipj(motion.kappa * np.asarray(t, float) + motion.phase, motion.m)[0]
    return motion.u1 + (motion.u2 - motion.u1) * sn**2


def precession_angle(motion, t):
    """φ(t) − φ(0) at one time t; the axis must not pass through the vertical (a top there has no φ)."""
    total = 0.0
    for weight, distance, sign in ((motion.b - motion.a, 1 - motion.u1, 1), (motion.b + motion.a, 1 + motion.u1, -1)):
        n = sign * (motion.u2 - motion.u1) / distance
        ends = [third_kind(n, phase, motion.m) for phase in (motion.phase, motion.phase + motion.kappa * t)]
        total += weight / distance * (ends[1] - ends[0])
    return total / (2 * motion.kappa)


def third_kind(n, x, m):
    """∫₀ˣ dx/(1 − n sn²(x, m)), by Carlson's forms within a half turn of the amplitude."""
    quarter = ellipk(m)
    turns = np.round(x / (2 * quarter))
    sn, cn, dn, _ = ellipj(x - 2 * quarter * turns, m)
    complete = elliprf(0, 1 - m, 1) + n / 3 * elliprj(0, 1 - m, 1, 1 - n)
    rest = sn * elliprf(cn**2, dn**2, 1) + n / 3 * sn**3 * elliprj(cn**2, dn**2, 1, 1 - n * sn**2)
    return 2 * turns * complete + rest


def steady_precessions(top, theta, omega3):
    """The slow and the fast rate of steady precession at θ; they are nan if the top is too slow."""
    A, B, C = top.I1 * np.cos(theta), top.I3 * omega3, top.moment
    root = np.sqrt(B**2 - 4 * A * C) if B**2 >= 4 * A * C else np.nan
    q = (B + np.copysign(root, B)) / 2  # without cancellation: the small root is C/q
    return C / q, (q / A if A else np.inf)


def sleeping_limit(top):
    """The spin above which the upright top is stable."""
    return 2 * np.sqrt(top.I1 * top.moment) / top.I3


def vector_rates(top, state):
    """d(e, H)/dt with the axis e and the momentum H about O in world axes: a formulation without angles.

    H = I₁ e×ė + I₃ω₃ e, so e×ė = (H − (H·e) e)/I₁ and ė = (H×e)/I₁; Ḣ = l e × (−m g z).
    """
    e, H = state[:3], state[3:]
    return np.concatenate([np.cross(H, e) / top.I1, -top.moment * np.cross(e, [0.0, 0.0, 1.0])])


def vector_state(top, theta, theta_rate, precession, omega3):
    """e and H in the pose with the axis in the x-z plane."""
    s, c = np.sin(theta), np.cos(theta)
    e = np.array([s, 0.0, c])
    e_rate = np.array([c * theta_rate, s * precession, -s * theta_rate])
    return np.concatenate([e, top.I1 * np.cross(e, e_rate) + top.I3 * omega3 * e])
