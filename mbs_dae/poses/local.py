"""The equations of a mechanism to second order about poses, as dense matrices; and the free motions of a pose.

Rows are of unit length over velocities times √W: then singular values are sines, whatever the units of the equations
and the size of the model. A row shorter than equations of its unit is not lengthened: where it vanishes it restricts
nothing.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..compiled import System
from ..compiled.machine import observe
from ..compiled.reading import read_outputs
from ..tolerances import RANK_TOLERANCE, SINGULAR_RANK


def free_motions(system: System, t: float, q: np.ndarray) -> np.ndarray:
    """Return the free velocities as orthonormal columns, scaled by the square roots of the weights."""
    if not system.rows:
        return np.eye(system.nv)
    machine, pattern = system.machine(), system.pattern
    observe(machine, float(t), np.ascontiguousarray(q, dtype=float), system.still)
    rows = np.zeros((len(system.rows), system.structure.columns))
    rows[pattern.jac_row, pattern.jac_column] = machine.factor.jacobian
    rows = rows[:, : system.nv] / np.sqrt(system.weight[: system.nv])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    _, sizes, motions = np.linalg.svd(rows / np.where(lengths > 0, lengths, 1.0))
    return motions[int((sizes > RANK_TOLERANCE * sizes.max(initial=0.0)).sum()) :].T


def rows_at(system: System, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Φ_v with unit rows in poses (one in each row of q), (poses, rows, velocities); Φ; and the divisors of the
    rows."""
    out = _outputs(system, t, q, np.zeros((len(q), system.still.size)))
    program, count, n = system.program, len(q), system.nv
    rows = np.zeros((count, program.rows, system.structure.columns))
    for item, at in zip(program.jac_from, program.jac_to, strict=True):
        rows[:, program.jac_row[at], program.jac_column[at]] += out[:, item]
    rows = rows[:, :, :n] / np.sqrt(system.weight[:n])
    lengths = np.maximum(np.linalg.norm(rows, axis=2), system.row_units / system.length)
    return rows / lengths[:, :, None], out[:, program.phi_from], lengths


def _outputs(system: System, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return read_outputs(system.program.batch, np.full(len(q), t), q, v)


class Local:
    """The equations at one pose, to first and to second order."""

    def __init__(self, system: System, t: float, q: np.ndarray):
        self.system, self.t, self.q = system, t, q
        rows, phi, lengths = rows_at(system, t, q[None])
        self.rows, self.lengths = rows[0], lengths[0]
        self.gaps = phi[0] / self.lengths
        """The gap of each equation: the distance that bodies must move."""

    @cached_property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All left singular directions of the rows, their singular values, and all right singular directions."""
        left, sizes, right = np.linalg.svd(self.rows)
        return left, sizes, right

    @property
    def rank(self) -> int:
        sizes = self.parts[1]
        return int((sizes > SINGULAR_RANK * sizes.max(initial=0.0)).sum())

    @property
    def weakest(self) -> float:
        """The singular value that is zero in singular poses only, relative to the largest."""
        sizes = self.parts[1]
        return float(sizes[self.system.nv - 2] / sizes[0])

    def step(self, rank: int) -> tuple[np.ndarray, float]:
        """Return a Newton step to the pose in which the rows have this rank, and the gap that it leaves.

        With the rows R and their singular directions to be lost, U on the left and N on the right, the step is N c, and
        at right angles the motion that closes the gaps of the other rows. Its aim is UᵀR N = 0, which N c changes by
        the forms of second order. (The motion at right angles adds terms of second order only, since its gaps are
        small.)"""
        left, sizes, right = self.parts
        lost, free = left[:, rank:], right[rank:].T
        across = right[:rank].T @ ((left[:, :rank].T @ -self.gaps) / sizes[:rank])
        forms = self.forms(rank)
        c = np.linalg.lstsq(forms.reshape(-1, free.shape[1]), (lost.T @ self.rows @ free).ravel(), rcond=SINGULAR_RANK)[
            0
        ]
        left_open = float(np.abs(lost.T @ self.gaps).max(initial=0.0))
        return (across + free @ c) / np.sqrt(self.system.weight[: self.system.nv]), left_open

    def motions(self, rank: int) -> np.ndarray:
        """Return the velocities, one in each column and of unit length, that so many independent rows leave free."""
        return self.parts[2][rank:].T / np.sqrt(self.system.weight[: self.system.nv])[:, None]

    def forms(self, rank: int) -> np.ndarray:
        """Return the symmetric matrices of uᵀ γ(N c), one for each u that is left of so many independent rows."""
        free, lost = self.motions(rank), self.parts[0][:, rank:]
        count = free.shape[1]
        pairs = [(i, j) for i in range(count) for j in range(i + 1)]
        bent = self._bent(np.array([free[:, i] for i, _ in pairs]), np.array([free[:, j] for _, j in pairs])) @ lost
        forms = np.zeros((lost.shape[1], count, count))
        for (i, j), values in zip(pairs, bent, strict=True):
            forms[:, i, j] = forms[:, j, i] = values
        return forms

    def _bent(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the part of γ bilinear in two velocities, over the lengths of the rows: from (x + y)² - (x - y)² = 4 x
        y. Both directions are added, so that terms of time and of first order cancel."""
        count, n = x.shape
        v = np.zeros((4, count, self.system.still.size))
        v[:, :, :n] = [x + y, -x - y, x - y, y - x]
        out = _outputs(self.system, self.t, np.repeat(self.q[None], 4 * count, axis=0), v.reshape(4 * count, -1))
        one, two, three, four = out[:, self.system.program.gamma_from].reshape(4, count, -1)
        return (one + two - three - four) / (8.0 * self.lengths)
