"""The eight solutions of the wrist arm (`models/arm_wrist.py`), by hand: shoulder, elbow, wrist."""

from itertools import product

import numpy as np


def transform(theta, a, alpha, d):
    """Rot(z, θ) Trans(z, d) Trans(x, a) Rot(x, α), factor by factor."""
    turn, shift, tilt = np.eye(4), np.eye(4), np.eye(4)
    turn[:2, :2] = [[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]]
    shift[:3, 3] = a, 0, d
    tilt[1:3, 1:3] = [[np.cos(alpha), -np.sin(alpha)], [np.sin(alpha), np.cos(alpha)]]
    return turn @ shift @ tilt


def forward(table, q):
    T = np.eye(4)
    for row, theta in zip(table, q, strict=True):
        T = T @ transform(theta, *row)
    return T


def inverse(table, T):
    """All q with forward(table, q) = T, as rows, angles in (-π, π]; singular poses apart.

    In the plane of links 2 and 3, which is d₂ beside axis 1, the wrist stands at (X, Y) from axis 2: a₂ away is the
    elbow, and L = |(a₃, d₄)| from there the wrist."""
    (_, _, d1), (a2, _, d2), (a3, _, _), (_, _, d4), _, (_, _, d6) = table
    x, y, z = T[:3, 3] - d6 * T[:3, 2]
    Y, L, bend = z - d1, np.hypot(a3, d4), np.arctan2(d4, a3)
    square = x**2 + y**2 - d2**2
    found = []
    for shoulder, elbow, wrist in product((1, -1), (1, -1), (1, -1)):
        if square < 0:
            continue
        X = shoulder * np.sqrt(square)
        q1 = np.arctan2(y, x) - np.arctan2(-d2, X)
        cosine = (X**2 + Y**2 - a2**2 - L**2) / (2 * a2 * L)
        if abs(cosine) > 1:
            continue
        inner = elbow * np.arccos(cosine)
        q2 = np.arctan2(Y, X) - np.arctan2(L * np.sin(inner), a2 + L * np.cos(inner))
        q3 = inner - bend
        R = forward(table[:3], (q1, q2, q3))[:3, :3].T @ T[:3, :3]
        sine = wrist * np.hypot(R[0, 2], R[1, 2])
        q5 = np.arctan2(sine, R[2, 2])
        q4 = np.arctan2(-R[1, 2] * wrist, -R[0, 2] * wrist)
        q6 = np.arctan2(-R[2, 1] * wrist, R[2, 0] * wrist)
        found.append((q1, q2, q3, q4, q5, q6))
    q = np.array(found).reshape(-1, 6)
    return np.pi - (np.pi - q) % (2 * np.pi)


def separation(q):
    """The least distance between two of these solutions: the largest change of an angle."""
    way = np.abs(np.exp(1j * q)[:, None] - np.exp(1j * q)[None]).max(axis=2)
    return float(way[np.triu_indices(len(q), 1)].min(initial=np.inf))


def matched(found, expected, within):
    """How many of the expected solutions are found, angles but for whole turns."""
    if not len(found) or not len(expected):
        return 0
    way = np.abs(np.exp(1j * np.asarray(expected))[:, None] - np.exp(1j * np.asarray(found))[None]).max(axis=2)
    return int((way.min(axis=1) < within).sum())
