"""A serial arm of six revolutes: forward kinematics by frames, inverse dynamics by recursive Newton-Euler.

Link i turns against link i − 1 about axis nᵢ (link i's axes, which are parallel to the world's when all angles are
zero) through the joint point pᵢ (position in link i − 1's frame, whose origin is joint i − 1). Outward, in world
axes:

    R ← R Rot(nᵢ, qᵢ),   ω ← ω + n q̇,   ω̇ ← ω̇ + n q̈ + ω × n q̇,   a ← a + ω̇×p + ω×(ω×p)  (with the parent's ω, ω̇)

starting from a = −gravity. Inward, the force and moment that link i gets from its parent:

    f = m a_c + Σ f_child,    M = Iω̇ + ω×Iω + c × m a_c + Σ (M_child + p_child × f_child),     τ = n·M.

The mass matrix, for an independent way: T = ½ q̇ᵀ M(q) q̇ with M = Σ m J_vᵀJ_v + J_ωᵀ I J_ω, and
τ = M q̈ + Ṁ q̇ − ½ ∂(q̇ᵀMq̇)/∂q + ∂V/∂q.
"""

from dataclasses import dataclass

import numpy as np

from .rotations import rotation


@dataclass(frozen=True)
class Arm:
    """Rows are links: axis, joint point from the parent's joint, mass, mass centre from the joint, inertia about it."""

    axes: np.ndarray
    points: np.ndarray
    masses: np.ndarray
    centres: np.ndarray
    inertias: np.ndarray
    tool: np.ndarray
    gravity: np.ndarray


def example():
    """An elbow arm with a wrist of three axes (z, y, y, x, y, x) and bodies that have no symmetry."""
    x, y, z = np.eye(3)
    points = [[0, 0, 0.10], [0.05, 0, 0.30], [0, 0, 0.45], [0.20, 0, 0.05], [0.25, 0, 0], [0.08, 0, 0]]
    centres = [
        [0.02, 0.01, 0.15], [0.01, -0.03, 0.22], [0.09, 0.02, 0.03],
        [0.12, 0, 0.01], [0.04, 0.01, 0], [0.05, 0, 0],
    ]  # fmt: skip
    masses = np.array([12.0, 9.0, 6.0, 3.0, 1.5, 0.6])
    sizes = np.array(
        [[0.2, 0.2, 0.3], [0.1, 0.12, 0.5], [0.3, 0.1, 0.1], [0.25, 0.08, 0.09], [0.1, 0.06, 0.05], [0.1, 0.03, 0.04]]
    )
    inertias = []
    for k, (m, s) in enumerate(zip(masses, sizes**2, strict=True)):
        R = rotation([1.0, k, 2.0], 0.2 + 0.1 * k)  # principal axes askew, so that no product of inertia is zero
        inertias.append(R @ np.diag([s[1] + s[2], s[2] + s[0], s[0] + s[1]]) @ R.T * m / 12)
    return Arm(
        np.array([z, y, y, x, y, x]), np.array(points, float), masses, np.array(centres, float), np.array(inertias),
        np.array([0.12, 0.0, 0.0]), np.array([0.0, 0.0, -9.81]),
    )  # fmt: skip


def forward(arm, q):
    """Rotations (6, 3, 3), joint points (6, 3) and the tool point, in world axes."""
    R, at = np.eye(3), np.zeros(3)
    rotations, joints = [], []
    for axis, point, angle in zip(arm.axes, arm.points, q, strict=True):
        at = at + R @ point
        R = R @ rotation(axis, angle)
        rotations.append(R)
        joints.append(at)
    return np.array(rotations), np.array(joints), at + R @ arm.tool


def inverse_dynamics(arm, q, qd, qdd):
    """Motor torques by recursive Newton-Euler."""
    R, omega, alpha, a = np.eye(3), np.zeros(3), np.zeros(3), -arm.gravity
    links = []
    for i in range(6):
        p = R @ arm.points[i]
        a = a + np.cross(alpha, p) + np.cross(omega, np.cross(omega, p))
        R = R @ rotation(arm.axes[i], q[i])
        n = R @ arm.axes[i]
        alpha = alpha + n * qdd[i] + np.cross(omega, n * qd[i])
        omega = omega + n * qd[i]
        c = R @ arm.centres[i]
        push = arm.masses[i] * (a + np.cross(alpha, c) + np.cross(omega, np.cross(omega, c)))
        inertia = R @ arm.inertias[i] @ R.T
        twist = inertia @ alpha + np.cross(omega, inertia @ omega) + np.cross(c, push)
        links.append((p, n, push, twist))
    force, moment, torques = np.zeros(3), np.zeros(3), np.zeros(6)
    for i in reversed(range(6)):
        p, n, push, twist = links[i]
        force, moment = push + force, twist + moment
        torques[i] = n @ moment
        moment = moment + np.cross(p, force)
    return torques


def mass_matrix(arm, q):
    """M(q) from the Jacobians of all mass centres."""
    rotations, joints, _ = forward(arm, q)
    axes = np.einsum("kij,kj->ki", rotations, arm.axes)
    M = np.zeros((6, 6))
    for i in range(6):
        centre = joints[i] + rotations[i] @ arm.centres[i]
        Jv, Jw = np.zeros((3, 6)), np.zeros((3, 6))
        for k in range(i + 1):
            Jv[:, k], Jw[:, k] = np.cross(axes[k], centre - joints[k]), axes[k]
        M += arm.masses[i] * Jv.T @ Jv + Jw.T @ (rotations[i] @ arm.inertias[i] @ rotations[i].T) @ Jw
    return M


def potential(arm, q):
    """Energy of the weights."""
    rotations, joints, _ = forward(arm, q)
    centres = joints + np.einsum("kij,kj->ki", rotations, arm.centres)
    return -np.sum(arm.masses * (centres @ arm.gravity))


def energy(arm, q, qd):
    """Kinetic and potential energy."""
    return qd @ mass_matrix(arm, q) @ qd / 2 + potential(arm, q)
