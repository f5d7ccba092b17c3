"""The equations at one state, dense: M, Φ_v, Q, and the multipliers that balance them.

    M a + Φ_vᵀ λ = Q,        Φ_v a = γ

Velocities are weighted as everywhere: a turn counts as the way of a point at the model's length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..compiled import System
from ..compiled.derivatives import derivative_matrix
from ..compiled.dynamics import POTENTIAL
from ..compiled.program import tells_positions
from ..errors import ModelError
from ..explain.explanation import no_force
from ..linear.sums import summed
from ..model.breaks import breaks_of
from ..motion.derivative import evaluate
from ..motion.mechanism import mechanism
from ..tolerances import LIGHT, RANK

ROUNDOFF = 1e-15


@dataclass(frozen=True, eq=False)
class Balance:
    system: System
    t: float
    q: np.ndarray
    v: np.ndarray
    mass: np.ndarray
    jacobian: np.ndarray
    forces: np.ndarray
    phi: np.ndarray
    nu: np.ndarray
    gamma: np.ndarray
    potential: float
    sizes: np.ndarray
    """How large the forces along each velocity are, each by itself, per weight."""
    levels: np.ndarray
    """The level of each velocity (`levels_of_forces`), 0 for the largest forces."""

    @cached_property
    def effort(self) -> float:
        """How large forces are, each by itself, per weight."""
        return float(np.linalg.norm(self.sizes))

    @cached_property
    def efforts(self) -> np.ndarray:
        """The effort of each level and of those below it; the first is that of all."""
        levels = range(self.levels.max(initial=0) + 1)
        return np.array([float(np.linalg.norm(self.sizes[self.levels >= level])) for level in levels])

    @property
    def position_rows(self) -> np.ndarray:
        """The rows that say where bodies are; the others restrict velocities only."""
        return tells_positions(self.system.program)

    @property
    def row_units(self) -> np.ndarray:
        return self.system.row_units

    @cached_property
    def free(self) -> np.ndarray:
        """A basis of the motions that the position rows allow, orthonormal by weight."""
        return free_motions(self.jacobian[self.position_rows], self.system.weight)

    @cached_property
    def free_velocities(self) -> np.ndarray:
        """A basis of the velocities that all rows allow, orthonormal by weight. Motions of level 0 come first, motions
        of light bodies alone last: heavier bodies stand exactly still in these, so large forces leave no roundoff in
        small ones."""
        return self._motions[0]

    @property
    def motion_levels(self) -> np.ndarray:
        """The level of each free velocity."""
        return self._motions[1]

    @cached_property
    def _motions(self) -> tuple[np.ndarray, np.ndarray]:
        n, weight = self.system.nv, self.system.weight
        found, known = np.zeros((n, 0)), np.zeros(0, dtype=int)
        for level in reversed(range(self.levels.max(initial=0) + 1)):
            columns = self.levels >= level
            across = (weight[:, None] * found).T[:, columns]
            own = free_motions(np.vstack([self.jacobian[:, columns], across]), weight[columns])
            new = np.zeros((n, own.shape[1]))
            new[columns] = own
            found, known = np.hstack([new, found]), np.append(np.full(own.shape[1], level), known)
        return found, known

    @cached_property
    def unbalanced(self) -> np.ndarray:
        """What of the forces no multiplier takes up: along the free velocities, per weight."""
        return self.free_velocities.T @ self.forces

    @cached_property
    def stiffness(self) -> np.ndarray:
        """K along the basis of free velocities: how they change what is unbalanced, at rest."""
        K_x, *_ = self.derivatives(np.zeros(self.system.nv), self.multipliers)
        return self.free_velocities.T @ K_x @ self.free_velocities

    @cached_property
    def soon(self) -> tuple[Balance, ...]:
        """The same pose and velocities at two instants a little later, before any law of time switches. (Their
        distances are no part of a period that anyone writes down.)"""
        t, system = self.t, self.system
        breaks = breaks_of(system.structure.with_breaks, system.evaluator, t, t + 1.0)
        span = float(breaks[breaks > t][:1].sum() - t) if (breaks > t).any() else 1.0
        parts = 1 / np.pi, 1 / np.pi**2
        return tuple(balance_at(system, t + part * span, self.q, self.v, levels=self.levels) for part in parts)

    def is_balanced(self, near: float) -> bool:
        """Whether less than this part of the forces is left in each level, or no more than the roundoff of springs that
        pull as much as nothing (those of a mechanism afloat, at rest)."""
        for level in np.unique(self.motion_levels):
            here = self.motion_levels == level
            left = float(np.linalg.norm(self.unbalanced[here]))
            if left > near * self.efforts[level]:
                pull = float(np.linalg.norm(self.stiffness[here][:, here])) * self.system.length
                if left > ROUNDOFF * pull:
                    return False
        return True

    @cached_property
    def multipliers(self) -> np.ndarray:
        """Those that take up all they can, at rest."""
        return self.taken_up(self.forces)

    def taken_up(self, forces: np.ndarray) -> np.ndarray:
        """The least λ of which Φ_vᵀ λ is next to these forces. Where forces have several levels, λ is refined: the
        correction by what is left takes the roundoff of large loads out of small ones."""
        root = 1.0 / np.sqrt(self.system.weight)
        J, lengths = unit_rows(self.jacobian * root)
        wanted = (root * forces.T).T
        found = np.linalg.lstsq(J.T, wanted, rcond=RANK)[0]
        for _ in range(2 if self.levels.max(initial=0) else 0):
            found = found + np.linalg.lstsq(J.T, wanted - J.T @ found, rcond=RANK)[0]
        return (found.T / lengths).T

    @cached_property
    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """a and λ of the motion."""
        n, root = self.system.nv, 1.0 / np.sqrt(self.system.weight)
        M = root[:, None] * self.mass * root
        size = np.linalg.norm(M) / max(n, 1) ** 0.5 or 1.0
        J, lengths = unit_rows(self.jacobian * root)
        zero = np.zeros((len(J), len(J)))
        right = np.concatenate([root * self.forces / size, self.gamma / lengths])
        solved = np.linalg.lstsq(np.block([[M / size, J.T], [J, zero]]), right, rcond=1e-13)[0]
        return root * solved[:n], size * solved[n:] / lengths

    def derivatives(self, a: np.ndarray, multipliers: np.ndarray) -> tuple[np.ndarray, ...]:
        """∂F/∂x, ∂F/∂v with F = M a + Φ_vᵀ λ - Q; ∂/∂x of Φ_v v - ν; ∂/∂x and ∂/∂v of Φ_v a - γ."""
        n, m = self.system.nv, len(self.jacobian)
        full = self.system.still
        full[:n] = a
        found = derivative_matrix(self.system, self.t, self.q, self.v, full, multipliers).toarray()
        return found[:n, :n], found[:n, n : 2 * n], found[n : n + m, :n], found[n + m :, :n], found[n + m :, n : 2 * n]


def balance_at(
    system: System, t: float, q: np.ndarray, v: np.ndarray | None = None, modes: np.ndarray | None = None,
    levels: np.ndarray | None = None,
) -> Balance:  # fmt: skip
    """In coordinates that kernels speak of (not those of joints); with `modes` branches of laws are held
    (`motion.switching`). `levels` are those of another pose, or follow from the forces here."""
    run = mechanism(system)
    if modes is not None:
        count = run.machine.program.batch.mode_at.size
        for batch, held in ((run.machine.program.batch, modes[:count]), (run.dynamics.batch, modes[count:])):
            batch.parameters[batch.mode_at] = held
    q, v = q.copy(), system.still if v is None else v
    system.forget_errors()
    evaluate(run, t, q, v)  # puts the values of inputs into q
    machine, n = run.machine, system.nv
    factor, pattern, m = machine.factor, machine.pattern, len(system.rows)
    if not (np.isfinite(machine.f).all() and np.isfinite(factor.jacobian).all()):
        raise ModelError(no_force(system, t, q, v), time=t)
    J, M = np.zeros((m, n)), np.diag(factor.weight)
    J[pattern.jac_row, pattern.jac_column] = factor.jacobian
    M[pattern.block_row, pattern.block_column] = M[pattern.block_column, pattern.block_row] = factor.beside
    terms = (machine.f, machine.phi, machine.nu, machine.gamma)
    forces, phi, nu, gamma = (x.copy() for x in terms)
    sizes = summed(run.dynamics.forces, np.abs(run.out)) / np.sqrt(system.weight)
    levels = levels_of_forces(system, sizes) if levels is None else levels
    potential = float(run.scalars[POTENTIAL])
    return Balance(system, t, q, v.copy(), M, J, forces, phi, nu, gamma, potential, sizes, levels)


def levels_of_forces(system: System, sizes: np.ndarray) -> np.ndarray:
    """The level of each velocity. A level ends where forces on bodies are less than LIGHT of its largest: their balance
    would be lost in the roundoff of the larger ones. A velocity that bodies share has the level of the largest."""
    felt = np.zeros(system.nv)
    for body in system.bodies:
        columns = np.array(system.layout.v[body], dtype=int)
        columns = columns[columns < system.nv]
        felt[columns] = np.maximum(felt[columns], np.linalg.norm(sizes[columns]))
    levels, level, largest = np.zeros(system.nv, dtype=int), 0, float(felt.max(initial=0.0))
    for k in np.argsort(-felt, kind="stable"):
        if felt[k] < LIGHT * largest:
            level, largest = level + 1, felt[k]
        levels[k] = level
    return levels


def free_motions(jacobian: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """All x with Φ_v x = 0, as columns with xᵀ W x = 1."""
    scaled, _ = unit_rows(jacobian / np.sqrt(weight))
    _, sines, motions = np.linalg.svd(scaled, full_matrices=True)
    rank = int((sines > RANK * sines.max(initial=0.0)).sum())
    return motions[rank:].T / np.sqrt(weight)[:, None]


def unit_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows made as long as 1, and how long they were; those of zeros stay."""
    lengths = np.linalg.norm(matrix, axis=1)
    lengths[lengths == 0.0] = 1.0
    return matrix / lengths[:, None], lengths
