"""A disk (or hoop) with a sharp edge that rolls without slip on a horizontal plane.

Axes that do not spin with the disk: e₁ horizontal in its plane, e₂ from the contact point up to the centre, e₃ =
e₁×e₂ the disk's axis. θ is the disk's inclination: vertical z = sin θ e₂ + cos θ e₃, upright at 90°. Precession Ω
about z, ω₃ the whole rate about the axis (ω₃ = Ω cos θ + spin). Radius R, mass m, I_t across, I_a along the axis:

    ω = θ̇ e₁ + Ω sin θ e₂ + ω₃ e₃,   v_G = ω×R e₂ = R(θ̇ e₃ − ω₃ e₁),
    the axes turn with W = θ̇ e₁ + Ω sin θ e₂ + Ω cos θ e₃.

Momentum about G and the contact force m a_G + m g z at −R e₂ give

    (I_t + mR²) θ̈ = I_t Ω² sin θ cos θ − (I_a + mR²) Ω ω₃ sin θ − m g R cos θ
    I_t d(Ω sin θ)/dt = θ̇ (I_a ω₃ − I_t Ω cos θ)
    (I_a + mR²) ω̇₃ = m R² θ̇ Ω sin θ.

Steady: the right side of the first is zero with θ̇ = 0; the centre circles with radius ρ = R |ω₃/Ω| about the
vertical. A spinning coin, ρ = 0 (ω₃ = 0), has Ω² = m g R/(I_t sin θ). Upright straight rolling: with
θ = π/2 + ε and I_t Ω = I_a ω₃ ε,

    (I_t + mR²) ε̈ + ((I_a + mR²) I_a ω₃²/I_t − m g R) ε = 0:   stable for ω₃² > m g R I_t/(I_a (I_a + mR²))

(thin disk: ω₃² > g/(3R); hoop: g/(4R)).
"""

from dataclasses import dataclass

import numpy as np

from .rotations import skew


@dataclass(frozen=True)
class Disk:
    m: float
    R: float
    It: float
    Ia: float
    g: float = 9.81


def thin_disk(m=1.0, R=0.5, g=9.81):
    return Disk(m, R, m * R**2 / 4, m * R**2 / 2, g)


def steady_spin(disk, theta, precession):
    """ω₃ of steady rolling at inclination θ with precession Ω."""
    d, s, c = disk, np.sin(theta), np.cos(theta)
    return (d.It * precession**2 * s * c - d.m * d.g * d.R * c) / ((d.Ia + d.m * d.R**2) * precession * s)


def steady_precessions(disk, theta, omega3):
    """The rates Ω of steady rolling at inclination θ with axial rate ω₃ (none, or two, at cos θ ≠ 0)."""
    d, s, c = disk, np.sin(theta), np.cos(theta)
    roots = np.roots([d.It * s * c, -(d.Ia + d.m * d.R**2) * omega3 * s, -d.m * d.g * d.R * c])
    return np.sort(roots[np.isreal(roots)].real)


def circle_radius(disk, precession, omega3):
    """Radius of the circle on which the centre runs."""
    return disk.R * abs(omega3 / precession)


def upright_limit(disk):
    """The rolling rate above which the upright straight roll is stable."""
    mr2 = disk.m * disk.R**2
    return np.sqrt(disk.m * disk.g * disk.R * disk.It / (disk.Ia * (disk.Ia + mr2)))


def upright_wobble(disk, omega3):
    """Circular frequency of the wobble about upright straight rolling, above the limit."""
    mr2 = disk.m * disk.R**2
    stiffness = (disk.Ia + mr2) * disk.Ia * omega3**2 / disk.It - disk.m * disk.g * disk.R
    return np.sqrt(stiffness / (disk.It + mr2))


def energy(disk, theta, theta_rate, precession, omega3):
    mr2 = disk.m * disk.R**2
    turning = (disk.It + mr2) * theta_rate**2 + disk.It * (precession * np.sin(theta)) ** 2
    return (turning + (disk.Ia + mr2) * omega3**2) / 2 + disk.m * disk.g * disk.R * np.sin(theta)


def rates(disk, state):
    """d(θ, θ̇, Ω, ω₃)/dt."""
    d, (theta, theta_rate, Omega, w3) = disk, state
    s, c, mr2 = np.sin(theta), np.cos(theta), disk.m * disk.R**2
    tilt = (d.It * Omega**2 * s * c - (d.Ia + mr2) * Omega * w3 * s - d.m * d.g * d.R * c) / (d.It + mr2)
    turn = (theta_rate * (d.Ia * w3 - d.It * Omega * c) / d.It - Omega * c * theta_rate) / s
    return np.array([theta_rate, tilt, turn, mr2 * theta_rate * Omega * s / (d.Ia + mr2)])


def world_state(disk, theta, theta_rate, precession, omega3):
    """Centre, velocity, axis and angular velocity in world axes: e₁ = −x, contact at the origin."""
    s, c = np.sin(theta), np.cos(theta)
    e1, e2, e3 = np.array([-1.0, 0.0, 0.0]), np.array([0.0, -c, s]), np.array([0.0, s, c])
    omega = theta_rate * e1 + precession * s * e2 + omega3 * e3
    return np.concatenate([disk.R * e2, np.cross(omega, disk.R * e2), e3, omega])


def world_rates(disk, state):
    """The same disk by Newton-Euler with the contact force as unknown, in world axes and without angles.

    Unknown a, ω̇, F: m a = F − m g z, I ω̇ + ω×Iω = −ρ×F, and rolling v = ω×ρ differentiated: a − ω̇×ρ = ω×ρ̇, with the
    vector ρ = R e₂ from contact to centre, e₂ = (z − (z·e₃) e₃)/|…|.
    """
    e3, omega = state[6:9], state[9:12]
    z = np.array([0.0, 0.0, 1.0])
    e3_rate = np.cross(omega, e3)
    up, up_rate = z - e3[2] * e3, -(e3_rate[2] * e3 + e3[2] * e3_rate)
    size = np.linalg.norm(up)
    e2 = up / size
    rho, rho_rate = disk.R * e2, disk.R * (up_rate - (up_rate @ e2) * e2) / size
    inertia = disk.It * np.eye(3) + (disk.Ia - disk.It) * np.outer(e3, e3)
    A, b = np.zeros((9, 9)), np.zeros(9)
    A[:3, :3], A[:3, 6:] = disk.m * np.eye(3), -np.eye(3)
    A[3:6, 3:6], A[3:6, 6:] = inertia, skew(rho)
    A[6:, :3], A[6:, 3:6] = np.eye(3), skew(rho)
    b[:3], b[3:6], b[6:] = -disk.m * disk.g * z, -np.cross(omega, inertia @ omega), np.cross(omega, rho_rate)
    solution = np.linalg.solve(A, b)
    return np.concatenate([state[3:6], solution[:3], e3_rate, solution[3:6]])
