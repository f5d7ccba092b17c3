"""A gyroscope in two gimbals that have mass: precession under a torque, nutation.

The outer gimbal turns about the vertical z by ψ (inertia J_o), the inner one about the outer's x axis by θ (inertias
X, Y, Z in its own axes), the rotor about the inner's z axis e₃ (I_t across, I_a along). θ is the angle from z to e₃.
All mass centres are on the common centre, but a mass m may sit on e₃ at the distance l: μ = m g l pulls e₃ down
for l > 0. (Its own inertia belongs into X and Y.) Inner gimbal: ω = (θ̇, ψ̇ sin θ, ψ̇ cos θ). Without friction the rotor
keeps H = I_a (spin + ψ̇ cos θ). With A = X + I_t and B(θ) = J_o + (Y + I_t) sin²θ + Z cos²θ:

    A θ̈ = ½ B' ψ̇² − H ψ̇ sin θ + μ sin θ + τ_in
    d/dt (B ψ̇ + H cos θ) = τ_out

(B' = 2 (Y + I_t − Z) sin θ cos θ). Steady precession, θ fixed: (Y + I_t − Z) cos θ Ω² − H Ω + μ + τ_in/sin θ = 0; at
θ = 90° exactly Ω = (μ + τ_in)/H, whatever the gimbals weigh. Nutation of the balanced gyro about rest at θ:
λ = H sin θ/√(A B(θ)).

Released at rest under a small μ, the axis nods between θ₀ and θ₀ + 2 μ B/(H² sin θ₀), to first order in μ.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Gimbals:
    """Inertias of outer gimbal (about z), inner gimbal (x, y, z), rotor (across, along); μ = m g l."""

    outer: float = 0.02
    inner: tuple[float, float, float] = (0.010, 0.012, 0.015)
    across: float = 0.006
    along: float = 0.010
    moment: float = 0.0


def outer_inertia(g, theta):
    """B and B'."""
    _, Y, Z = g.inner
    s, c = np.sin(theta), np.cos(theta)
    return g.outer + (Y + g.across) * s**2 + Z * c**2, 2 * (Y + g.across - Z) * s * c


def steady_precessions(g, theta, H, torque_in=0.0):
    """Rates of steady precession at θ, slow one first; one only at θ = 90°."""
    q = (g.inner[1] + g.across - g.inner[2]) * np.cos(theta)
    load = g.moment + torque_in / np.sin(theta)
    if abs(q) * load < 1e-14 * H**2:
        return np.array([load / H])
    roots = np.roots([q, -H, load])
    roots = roots[np.isreal(roots)].real
    return roots[np.argsort(np.abs(roots))]


def nutation_frequency(g, theta, H):
    """Small free oscillation of the balanced gyro about rest."""
    return abs(H * np.sin(theta)) / np.sqrt((g.inner[0] + g.across) * outer_inertia(g, theta)[0])


def rates(g, state, H, torque_in=0.0, torque_out=0.0):
    """d(θ, θ̇, ψ, ψ̇)/dt."""
    theta, theta_rate, _, psi_rate = state
    B, B1 = outer_inertia(g, theta)
    s = np.sin(theta)
    tilt = (B1 * psi_rate**2 / 2 - H * psi_rate * s + g.moment * s + torque_in) / (g.inner[0] + g.across)
    turn = (torque_out - B1 * theta_rate * psi_rate + H * s * theta_rate) / B
    return np.array([theta_rate, tilt, psi_rate, turn])


def kept(g, state, H):
    """Energy (without the rotor's constant part) and momentum about the vertical, both constant without torques."""
    theta, theta_rate, _, psi_rate = state
    B = outer_inertia(g, theta)[0]
    energy = ((g.inner[0] + g.across) * theta_rate**2 + B * psi_rate**2) / 2 + g.moment * np.cos(theta)
    return energy, B * psi_rate + H * np.cos(theta)
