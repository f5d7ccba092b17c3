"""The torque-free rigid body: body rates ω(t) in Jacobi's elliptic functions.

Euler's equations I₁ω̇₁ = (I₂ − I₃) ω₂ω₃ (and round) keep 2T = Σ Iω² and L² = Σ I²ω². Order the axes so that
A < B < C. With the product L² > 2TB (rotation about the major axis C; otherwise exchange A and C) the ansatz

    ω_A = a cn(τ, m),  ω_B = b sn(τ, m),  ω_C = c dn(τ, m),   τ = p (t − t₀)

with sn' = cn dn, cn' = −sn dn, dn' = −m sn cn solves the equations if

    a² = (2TC − L²)/(A(C − A)),   b² = (2TC − L²)/(B(C − B)),   c² = (L² − 2TA)/(C(C − A)),
    p² = (C − B)(L² − 2TA)/(ABC),  m = (B − A)(2TC − L²)/((C − B)(L² − 2TA)),

0 ≤ m ≤ 1 exactly when L² ≥ 2TB. c takes the sign of ω_C(0), which never changes. The first equation,
−A a p sn dn = ± (B − C) b c sn dn, gives b = ± A a p/((C − B) c): plus where (A, B, C) are the axes
in cyclic order, minus elsewhere. The phase follows from sn(τ₀) = ω_B(0)/b, cn(τ₀) = ω_A(0)/a through the incomplete
integral F(am, m). Period 4K(m)/p. The differences 2TC − L² = A(C−A)ω_A² + B(C−B)ω_B² are taken in this form, without
cancellation, and so is 1 − m = (C − A)(L² − 2TB)/((C − B)(L² − 2TA)).

The tennis racket (spin about B) is close to m = 1: the period grows like log(1/(1 − m)), and K needs 1 − m itself.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ellipj, ellipkinc, ellipkm1


class FreeBody(NamedTuple):
    """The solution's constants; `order` lists the body axes in the order that cn, sn, dn belong to."""

    order: tuple[int, int, int]
    amplitudes: np.ndarray
    m: float
    m1: float
    p: float
    tau0: float
    period: float


def solve(inertia, omega0):
    """Constants of the motion of a body with three different principal inertias."""
    inertia, omega0 = np.asarray(inertia, float), np.asarray(omega0, float)
    low, mid, high = (int(k) for k in np.argsort(inertia))
    # L² − 2TB, free of cancellation: its sign says about which axis the body turns.
    about_high = inertia[high] * (inertia[high] - inertia[mid]) * omega0[high] ** 2
    about_low = inertia[low] * (inertia[mid] - inertia[low]) * omega0[low] ** 2
    a, b, c = (low, mid, high) if about_high >= about_low else (high, mid, low)
    A, B, C = inertia[[a, b, c]]
    wa, wb, wc = omega0[[a, b, c]]
    spin = C * (C - A) * wc**2 + B * (B - A) * wb**2  # L² − 2TA
    wobble = A * (C - A) * wa**2 + B * (C - B) * wb**2  # 2TC − L²
    edge = C * (C - B) * wc**2 - A * (B - A) * wa**2  # L² − 2TB
    p = np.sqrt((C - B) * spin / (A * B * C))
    m, m1 = (B - A) * wobble / ((C - B) * spin), (C - A) * edge / ((C - B) * spin)
    amp_a = np.sqrt(wobble / (A * (C - A)))
    amp_c = np.copysign(np.sqrt(spin / (C * (C - A))), wc)
    cyclic = 1.0 if (b - a) % 3 == 1 else -1.0
    amp_b = cyclic * A * amp_a * p / ((C - B) * amp_c)
    angle = np.arctan2(wb / amp_b, wa / amp_a) if wobble else 0.0
    tau0 = ellipkinc(angle, m)
    return FreeBody((a, b, c), np.array([amp_a, amp_b, amp_c]), m, m1, p, tau0, 4 * ellipkm1(m1) / p)


def omega(body, t):
    """Body rates at the times t, shape (..., 3)."""
    sn, cn, dn, _ = ellipj(body.p * np.asarray(t, float) + body.tau0, body.m)
    out = np.empty((*np.shape(t), 3))
    for axis, amplitude, wave in zip(body.order, body.amplitudes, (cn, sn, dn), strict=True):
        out[..., axis] = amplitude * wave
    return out


def euler_rates(inertia, w):
    """ω̇ of the torque-free body: for integrations that check the closed form."""
    inertia = np.asarray(inertia, float)
    return -np.cross(w, inertia * w) / inertia
