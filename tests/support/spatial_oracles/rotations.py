"""Rotation matrices and cross products that several oracles share."""

import numpy as np


def skew(a):
    """The matrix of the cross product: skew(a) @ b = a × b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation(axis, angle):
    """Rodrigues: the rotation by `angle` about the (not necessarily unit) `axis`."""
    n = np.asarray(axis, float) / np.linalg.norm(axis)
    k = skew(n)
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)


def moved_inertia(inertia, mass, offset):
    """Steiner: the inertia about a point from which the mass centre stands off by `offset`."""
    c = np.asarray(offset, float)
    return np.asarray(inertia, float) + mass * (c @ c * np.eye(3) - np.outer(c, c))


def fixed_axis_motion(axis, angle, rate, acceleration):
    """R, ω, ω̇ (world axes) of a body that turns about a fixed axis by angle(t), given its two derivatives."""
    n = np.asarray(axis, float) / np.linalg.norm(axis)
    return rotation(n, angle), n * rate, n * acceleration
