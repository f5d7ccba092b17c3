"""The Chaplygin sleigh: a knife edge at C, the mass centre G ahead of it by a, no friction along the edge.

v is the speed of C along the edge, ω the turning rate, J = I_G + m a². Nothing pushes along the edge, and the knife's
force N acts at C across it:

    m (v̇ − a ω²) = 0,     m (v ω + a ω̇) = N,     I_G ω̇ = −a N   =>   J ω̇ = −m a v ω.

m v² + J ω² = m V² is kept, and v̇ = (m a/J)(V² − v²) gives, with k = m a V/J and tanh c = v₀/V,

    v = V tanh(kt + c),   ω = ω_m sech(kt + c),   ω_m = ±V √(m/J) with the sign of ω₀,
    θ = (ω_m/k) (gd(kt + c) − gd(c)),   gd(x) = 2 atan tanh(x/2).

The path of C, ∫ v (cos θ, sin θ) dt, is a quadrature. N is positive to the left of the edge (on the sleigh).
"""

import numpy as np

from .quadrature import integrate


def _constants(m, I_G, a, v0, omega0):
    J = I_G + m * a**2
    V = np.sqrt(v0**2 + J * omega0**2 / m)
    return J, V, m * a * V / J, np.arctanh(v0 / V), np.copysign(V * np.sqrt(m / J), omega0)


def state(t, m, I_G, a, v0, omega0):
    """v, ω, θ at the times t (θ = 0 at t = 0); ω0 must not be zero."""
    _, V, k, c, top = _constants(m, I_G, a, v0, omega0)
    x = k * np.asarray(t, float) + c
    theta = top / k * 2 * (np.arctan(np.tanh(x / 2)) - np.arctan(np.tanh(c / 2)))
    return V * np.tanh(x), top / np.cosh(x), theta


def contact_point(t, m, I_G, a, v0, omega0):
    """Position of C at one time t, from the origin, edge along x at the start."""

    def velocity(times):
        v, _, theta = state(times, m, I_G, a, v0, omega0)
        return np.column_stack([v * np.cos(theta), v * np.sin(theta)])

    k = _constants(m, I_G, a, v0, omega0)[2]
    return integrate(velocity, t, panels=8 + int(4 * abs(k * t) + 2 * abs(omega0 * t)))


def knife_force(t, m, I_G, a, v0, omega0):
    """The force of the ground on the knife, across the edge, positive to the left."""
    J = I_G + m * a**2
    v, omega, _ = state(t, m, I_G, a, v0, omega0)
    return m * v * omega * I_G / J
