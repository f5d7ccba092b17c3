"""Contacts as functions of numbers: where bodies stand and how they move, in numpy."""

from __future__ import annotations

import numpy as np
import sympy as sp
from scipy.spatial.transform import Rotation

from mbs_dae.symbolic.functions import written_out
from mbs_dae.symbolic.markers import rate_of, reference_turn, variables


def place(d, random, reach=0.0):
    """A point and the matrix of axes."""
    R = Rotation.random(random_state=random).as_matrix()
    if d == 2:
        a = random.uniform(-np.pi, np.pi)
        R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    return random.uniform(-1, 1, d) * reach, R


def variables_of(frame):
    point, R = frame
    if len(point) == 2:
        return [*point, *R[:, 0], np.arctan2(R[1, 0], R[0, 0])]
    return [*point, *R.T.ravel(), 0.0]


def spin(omega, d):
    if d == 2:
        return np.array([[0, -omega[0]], [omega[0], 0]])
    return np.array([[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]])


def moved(frame, rates, dt):
    """The frame after a short time with this velocity and angular velocity."""
    d = len(frame[0])
    if d == 2:
        a = rates[2] * dt
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    else:
        turn = Rotation.from_rotvec(rates[3:] * dt).as_matrix()
    return frame[0] + rates[:d] * dt, turn @ frame[1]


def velocity_there(frame, rates, point):
    d = len(point)
    return rates[:d] + spin(rates[d:], d) @ (point - frame[0])


class Read:
    """The gaps, their rates and the slips of a contact, as functions of numbers."""

    def __init__(self, contact):
        relation, slots = contact.form()
        m, rates = variables(relation.markers)
        phi = [written_out(e) for e in relation.phi]
        rows = [phi, [written_out(rate_of(e, relation.markers)) for e in relation.phi], map(written_out, relation.psi)]
        functions = [{"Unwound": lambda angle, near: angle}, "numpy"]
        numbers = {s: sp.N(n, 17) for s, n in slots.items()} | {reference_turn(*pair): 0.0 for pair in ("ij", "ji")}
        self.functions = [
            sp.lambdify([m, rates], [e.xreplace(numbers) for e in row], functions, cse=True) for row in rows
        ]

    def __call__(self, what, frames, rates=None):
        rates = np.zeros(12) if rates is None else np.concatenate(rates)
        values = [x for frame in frames for x in variables_of(frame)]
        number = len(frames) * (3 if len(frames[0][0]) == 2 else 6)
        return np.array(self.functions[what](values, rates[:number]), float)


GAP, RATE, SLIP = range(3)


def normal(read, frame, other, point=0, h=1e-5):
    d = len(frame[0])
    shifted = [[read(GAP, (frame, (other[0] + s * h * e, other[1])))[point] for s in (1, -1)] for e in np.eye(d)]
    return np.array([(up - down) / (2 * h) for up, down in shifted])


def directions_of_slip(read, frames):
    """Those of the first point, one a row: how its slip grows with the velocity of the second body."""
    d = len(frames[0][0])
    size = 3 * d - 3
    return np.array([read(SLIP, frames, (np.zeros(size), e))[: d - 1] for e in np.eye(size)[:d]]).T
