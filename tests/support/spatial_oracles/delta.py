"""The Delta robot: inverse kinematics in closed form, its rates, and the forward kinematics as three spheres.

Three arms stand at 0°, 120°, 240° about z. In the arm's own axes (x outward, z up) the motor is at (R, 0, 0), the
elbow at (R + a cos θ, 0, −a sin θ) (θ down from the horizontal, outward) and the wrist of the platform at p + (r, 0,
0), p the platform's centre turned back by the arm's angle. The platform only translates, so the parallelogram of
length b acts as a rod between elbow and wrist. With (x, y, z) = p + (r − R, 0, 0), |elbow − wrist| = b:

    E cos θ + F sin θ = G,   E = 2 a x,  F = −2 a z,  G = x² + y² + z² + a² − b²
    θ = atan2(F, E) ± acos(G/√(E² + F²));      − is the elbow outside (the usual one) for a platform below.

Rates: with k = wrist − elbow (world), k·ṗ = k·(∂elbow/∂θ) θ̇ for each arm: J_p ṗ = diag(d) θ̇.
"""

from dataclasses import dataclass

import numpy as np

from .rotations import rotation


@dataclass(frozen=True)
class Delta:
    """Base radius R, platform radius r, upper arm a, rod b."""

    R: float = 0.20
    r: float = 0.05
    a: float = 0.25
    b: float = 0.55


Z = np.array([0.0, 0.0, 1.0])
ARMS = [rotation(Z, k * 2 * np.pi / 3) for k in range(3)]


def inverse(robot, p, branch=-1):
    """Motor angles of the three arms; nan where an arm cannot reach."""
    out = np.empty(3)
    for k, turn in enumerate(ARMS):
        x, y, z = turn.T @ np.asarray(p, float) + np.array([robot.r - robot.R, 0.0, 0.0])
        E, F = 2 * robot.a * x, -2 * robot.a * z
        G = x * x + y * y + z * z + robot.a**2 - robot.b**2
        size = np.hypot(E, F)
        out[k] = np.arctan2(F, E) + branch * np.arccos(G / size) if abs(G) <= size else np.nan
    return out


def elbows(robot, theta):
    """World positions of the elbows, and their derivatives by the motor angles; rows are arms."""
    points = [t @ [robot.R + robot.a * np.cos(q), 0, -robot.a * np.sin(q)] for t, q in zip(ARMS, theta, strict=True)]
    slopes = [t @ [-robot.a * np.sin(q), 0, -robot.a * np.cos(q)] for t, q in zip(ARMS, theta, strict=True)]
    return np.array(points), np.array(slopes)


def wrists(robot, p):
    """World positions of the wrists; rows are arms."""
    return np.array([p + turn @ [robot.r, 0, 0] for turn in ARMS])


def motor_rates(robot, p, p_rate, branch=-1):
    """θ̇ for a velocity of the platform."""
    elbow, slope = elbows(robot, inverse(robot, p, branch))
    rods = wrists(robot, np.asarray(p, float)) - elbow
    return rods @ np.asarray(p_rate, float) / np.sum(rods * slope, axis=1)


def forward(robot, theta):
    """Platform centre below the base: where three spheres of radius b about the shifted elbows meet."""
    centres = elbows(robot, theta)[0] - wrists(robot, np.zeros(3))
    x = centres[1] - centres[0]
    d = np.linalg.norm(x)
    ex = x / d
    i = ex @ (centres[2] - centres[0])
    ey = centres[2] - centres[0] - i * ex
    j = np.linalg.norm(ey)
    ey = ey / j
    ez = np.cross(ex, ey)
    u = d / 2
    v = (i * i + j * j - 2 * i * u) / (2 * j)
    w = np.sqrt(robot.b**2 - u * u - v * v)
    both = [centres[0] + u * ex + v * ey + sign * w * ez for sign in (-1, 1)]
    return min(both, key=lambda point: point[2])
