"""The general Gough-Stewart platform: inverse kinematics and, in two independent ways, inverse dynamics.

Six legs run from base points A_p (world axes) to platform points B_p (platform axes, from the platform's origin O).
The pose is r, R with velocities ṙ, ω and accelerations r̈, ω̇ in world axes. With b = R B_p and the leg's vector
s = r + b − A_p,

    l = |s|,  n = s/l,
    ṡ = ṙ + ω×b,                     l̇ = n·ṡ,               Ω = n×ṡ/l
    s̈ = r̈ + ω̇×b + ω×(ω×b),        l̈ = n·s̈ + l Ω²,        Ω̇ = (n×s̈ − 2 l̇ Ω)/l

where Ω is the leg's angular velocity without spin about its axis (Ω·n = 0, so also Ω̇·n = 0: from n×n̈ = Ω̇).

A leg has a lower part (mass m1, mass centre at e1 from the base joint, transverse inertia I1 about that centre) and
an upper part (m2, at e2 from the platform joint, I2); both are slender, with no inertia about the leg's axis, so that
the spin that the universal joint lets through does not matter. The actuator pushes the two parts apart with force f:
positive f extends the leg.

The mass centres: c1 = e1 n, c2 = (l − e2) n from A, and their accelerations from n̈ = Ω̇×n − Ω²n:

    a1 = e1 n̈,    a2 = (l − e2) n̈ + 2 l̇ Ω×n + l̈ n.

Newton-Euler, leg by leg: let F be the force of the leg on the platform at B. The moment balance of the whole leg
about A,

    c1×m1(g − a1) + c2×m2(g − a2) − s×F = (I1 + I2) Ω̇,

gives the part of F across the leg. (Its component along n is 0 = 0: the universal joint carries no moment about the
leg, because nothing asks for one.) The upper part's balance along n, f − n·F + m2 n·(g − a2) = 0, gives F·n.
Force and moment balance of the platform are then six linear equations for the six f.

Virtual work: sum over all bodies of (partial velocities)·(applied − inertia force) + f·∂l̇/∂(ṙ, ω) = 0, where the
partial velocities come from the leg's own rates. No internal force appears anywhere.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .rotations import skew


@dataclass(frozen=True)
class Platform:
    """Geometry and masses; `base` and `joints` are (6, 3), `com` and `inertia` (about the com) in platform axes."""

    base: np.ndarray
    joints: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    m1: float
    e1: float
    I1: float
    m2: float
    e2: float
    I2: float
    gravity: np.ndarray


class Pose(NamedTuple):
    """Position and rotation of the platform, with exact first and second derivatives, all in world axes."""

    r: np.ndarray
    R: np.ndarray
    v: np.ndarray
    omega: np.ndarray
    a: np.ndarray
    alpha: np.ndarray


class Legs(NamedTuple):
    """Rows are legs: length and its rates, direction n, joint offset b from O, angular velocity and acceleration."""

    length: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    n: np.ndarray
    b: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray


def legs(platform, pose):
    """Inverse kinematics: the motion of all legs for one pose."""
    b = platform.joints @ pose.R.T
    s = pose.r + b - platform.base
    length = np.linalg.norm(s, axis=1)
    n = s / length[:, None]
    s1 = pose.v + np.cross(pose.omega, b)
    s2 = pose.a + np.cross(pose.alpha, b) + np.cross(pose.omega, np.cross(pose.omega, b))
    rate = np.sum(n * s1, axis=1)
    omega = np.cross(n, s1) / length[:, None]
    acceleration = np.sum(n * s2, axis=1) + length * np.sum(omega**2, axis=1)
    alpha = (np.cross(n, s2) - 2.0 * rate[:, None] * omega) / length[:, None]
    return Legs(length, rate, acceleration, n, b, omega, alpha)


def jacobian(platform, pose):
    """∂(leg rates)/∂(ṙ, ω), ω in world axes: rows (n, b×n). Its condition number tells how far a singular pose is."""
    leg = legs(platform, pose)
    return np.hstack([leg.n, np.cross(leg.b, leg.n)])


def _leg_centre_accelerations(platform, leg):
    n2 = np.cross(leg.alpha, leg.n) - np.sum(leg.omega**2, axis=1)[:, None] * leg.n
    a1 = platform.e1 * n2
    upper = (leg.length - platform.e2)[:, None]
    a2 = upper * n2 + 2.0 * leg.rate[:, None] * np.cross(leg.omega, leg.n) + leg.acceleration[:, None] * leg.n
    return a1, a2


def _platform_balance(platform, pose, force, moment):
    """What the legs must give the platform: force, and moment about its origin O.

    `force` acts on the platform at O, `moment` is a couple; both in world axes.
    """
    c = pose.R @ platform.com
    inertia = pose.R @ platform.inertia @ pose.R.T
    a = pose.a + np.cross(pose.alpha, c) + np.cross(pose.omega, np.cross(pose.omega, c))
    linear = platform.mass * (a - platform.gravity)
    angular = inertia @ pose.alpha + np.cross(pose.omega, inertia @ pose.omega) + np.cross(c, linear)
    return linear - force, angular - moment


def forces_newton_euler(platform, pose, force=(0, 0, 0), moment=(0, 0, 0)):
    """Actuator forces, by moments about the base joints and the platform's six equations of balance."""
    force, moment = np.asarray(force, float), np.asarray(moment, float)
    leg = legs(platform, pose)
    a1, a2 = _leg_centre_accelerations(platform, leg)
    w1, w2 = platform.m1 * (platform.gravity - a1), platform.m2 * (platform.gravity - a2)
    need_force, need_moment = _platform_balance(platform, pose, force, moment)
    for p in range(6):
        n, length = leg.n[p], leg.length[p]
        turning = (
            platform.e1 * np.cross(n, w1[p])
            + (length - platform.e2) * np.cross(n, w2[p])
            - (platform.I1 + platform.I2) * leg.alpha[p]
        )
        # s×F = turning, with turning ⟂ n: the part of F across n is turning×n/l.
        known = np.cross(turning, n) / length + n * (n @ w2[p])
        need_force = need_force - known
        need_moment = need_moment - np.cross(leg.b[p], known)
    columns = np.vstack([leg.n.T, np.cross(leg.b, leg.n).T])
    return np.linalg.solve(columns, np.concatenate([need_force, need_moment]))


def forces_virtual_work(platform, pose, force=(0, 0, 0), moment=(0, 0, 0)):
    """Actuator forces, by virtual work of all bodies in the six velocities (ṙ, ω) of the platform."""
    force, moment = np.asarray(force, float), np.asarray(moment, float)
    leg = legs(platform, pose)
    a1, a2 = _leg_centre_accelerations(platform, leg)
    generalized = np.concatenate(_platform_balance(platform, pose, force, moment))
    for p in range(6):
        n, length = leg.n[p], leg.length[p]
        point = np.hstack([np.eye(3), -skew(leg.b[p])])  # velocity of B
        across = np.eye(3) - np.outer(n, n)
        turn = skew(n) @ point / length
        centre1 = platform.e1 / length * across @ point
        centre2 = ((length - platform.e2) / length * across + np.outer(n, n)) @ point
        generalized = (
            generalized
            + centre1.T @ (platform.m1 * (a1[p] - platform.gravity))
            + centre2.T @ (platform.m2 * (a2[p] - platform.gravity))
            + turn.T @ ((platform.I1 + platform.I2) * leg.alpha[p])
        )
    return np.linalg.solve(jacobian(platform, pose).T, generalized)


def forces_along(platform, motion, times, force=(0, 0, 0), moment=(0, 0, 0)):
    """Actuator forces over a motion t -> Pose, shape (len(times), 6)."""
    return np.array([forces_newton_euler(platform, motion(t), force, moment) for t in times])


def tsai_2000():
    """The platform of Tsai (J. Mech. Des. 122, 2000): joints P are the platform's, B the base's."""
    joints = [
        [0.17, 0.595, -0.4], [-0.6, 0.15, -0.4], [-0.6, -0.15, -0.4],
        [0.17, -0.595, -0.4], [0.43, -0.445, -0.4], [0.43, 0.445, -0.4],
    ]  # fmt: skip
    base = [[-2.12, 1.374, 0], [-2.38, 1.224, 0], [-2.38, -1.224, 0], [-2.12, -1.374, 0], [0, -0.15, 0], [0, 0.15, 0]]
    return Platform(
        base=np.array(base, float),
        joints=np.array(joints, float),
        mass=1.5,
        com=np.zeros(3),
        inertia=0.08 * np.eye(3),
        m1=0.1, e1=0.5, I1=1.0 / 160.0,
        m2=0.1, e2=0.5, I2=1.0 / 160.0,
        gravity=np.array([0.0, 0.0, -9.80665]),
    )  # fmt: skip


def tsai_translation(t, w=3.0):
    """Tsai's first motion: r = (−1.5, 0, 1) + 0.2 sin wt (1, 1, 1) without rotation."""
    one = np.ones(3)
    r = np.array([-1.5, 0.0, 1.0]) + 0.2 * np.sin(w * t) * one
    v, a = 0.2 * w * np.cos(w * t) * one, -0.2 * w**2 * np.sin(w * t) * one
    return Pose(r, np.eye(3), v, np.zeros(3), a, np.zeros(3))


def tsai_yaw(t, w=3.0):
    """Tsai's second motion: the platform stands at (−1.5, 0, 1) and turns about z by π/6 sin wt."""
    angle, rate, acc = np.pi / 6 * np.array([np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)])
    c, s, z = np.cos(angle), np.sin(angle), np.array([0.0, 0.0, 1.0])
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return Pose(np.array([-1.5, 0.0, 1.0]), R, np.zeros(3), rate * z, np.zeros(3), acc * z)
