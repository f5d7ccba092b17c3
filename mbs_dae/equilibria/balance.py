"""The equations at one state, dense: M, Φ_v, Q, and the multipliers that balance them.

    M a + Φ_vᵀ λ = Q,        Φ_v a = γ

Velocities are weighted: a rotation counts as the displacement of a point at the model's length.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from ..tolerances import FORCE_LEVEL, HEAVY_MOTION, RANK_TOLERANCE, SPRING_ROUNDOFF, ZERO_EIGENVALUE

REFINEMENTS = 2
"""Number of refinements. Each leaves ε of the roundoff before it: two are enough for forces over thirty decades."""


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
    """The magnitude of the forces along each velocity, per weight, each force counted by its absolute value."""
    levels: np.ndarray
    """The level of each velocity (`levels_of_forces`), 0 for the largest forces."""

    @cached_property
    def efforts(self) -> np.ndarray:
        """The norm of `sizes` over the velocities of each level and those below it, shape (levels,); the first entry is
        the effort of all forces."""
        levels = range(self.levels.max(initial=0) + 1)
        return np.array([float(np.linalg.norm(self.sizes[self.levels >= level])) for level in levels])

    def with_levels_of_forces(self) -> Balance:
        """Return the balance with levels that follow from the forces at this pose, because springs may pull here that
        did not elsewhere."""
        levels = levels_of_forces(self.system, self.sizes)
        return self if (levels == self.levels).all() else replace(self, levels=levels)

    def shares(self, forces: np.ndarray) -> np.ndarray:
        """Return the norm of forces along the free velocities of each level, as parts of its effort, shape
        (levels,)."""
        return self.in_parts(self.of_levels(forces))

    def in_parts(self, sizes: np.ndarray) -> np.ndarray:
        """Return one size for each level, divided by its effort."""
        return sizes / np.where(self.efforts > 0.0, self.efforts, 1.0)

    def of_levels(self, forces: np.ndarray) -> np.ndarray:
        """Return the norm of forces along the free velocities of each level, shape (levels,)."""
        masks = (self.motion_levels == level for level in range(self.efforts.size))
        return np.array([float(np.linalg.norm(forces[mask])) for mask in masks])

    @property
    def position_rows(self) -> np.ndarray:
        """A mask of the rows that constrain positions; the others restrict velocities only."""
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
        of light bodies alone last: heavier bodies do not move at all in motions of light bodies, so large forces leave
        no roundoff in small ones."""
        return self._motions[0]

    @property
    def motion_levels(self) -> np.ndarray:
        """The level of each free velocity."""
        return self._motions[1]

    @cached_property
    def _motions(self) -> tuple[np.ndarray, np.ndarray]:
        root = np.sqrt(self.system.weight)
        J, _ = unit_rows(self.jacobian / root)
        basis, levels = np.zeros((root.size, 0)), np.zeros(0, dtype=int)
        for level in reversed(range(self.efforts.size)):
            columns = self.levels >= level
            kernel = kernel_of(np.vstack([J[:, columns], basis[columns].T]), HEAVY_MOTION if level else RANK_TOLERANCE)
            new = np.zeros((root.size, kernel.shape[1]))
            new[columns] = kernel
            basis, levels = np.hstack([new, basis]), np.append(np.full(kernel.shape[1], level), levels)
        return basis / root[:, None], levels

    @cached_property
    def unbalanced(self) -> np.ndarray:
        """The forces along the free velocities, per weight, which no multiplier balances."""
        return self.free_velocities.T @ self.forces

    @cached_property
    def stiffness(self) -> np.ndarray:
        """K along the basis of free velocities: the negative change of `unbalanced` with a motion, at rest."""
        K_x, *_ = self.derivatives(np.zeros(self.system.nv), self.multipliers)
        return self.free_velocities.T @ K_x @ self.free_velocities

    @cached_property
    def holds_still(self) -> bool:
        """Return whether the stiffness drives no small motion away: K has no eigenvalue of negative real part (a
        symmetric K is not negative along any motion). Flutter of an unsymmetric K is not excluded."""
        scale = self.motion_scale
        values = np.linalg.eigvals(self.stiffness * np.outer(scale, scale))
        return bool(values.real.min(initial=0.0) >= -ZERO_EIGENVALUE * np.abs(values).max(initial=0.0))

    @cached_property
    def soon(self) -> tuple[Balance, ...]:
        """Balances of this pose and these velocities at two later instants, before any law of time switches. Their
        distances, 1/π and 1/π² of the span up to the switch or of 1 s, are no part of a period that occurs in
        models."""
        t, system = self.t, self.system
        breaks = breaks_of(system.structure.with_breaks, system.evaluator, t, t + 1.0)
        span = float(breaks[breaks > t][:1].sum() - t) if (breaks > t).any() else 1.0
        parts = 1 / np.pi, 1 / np.pi**2
        return tuple(balance_at(system, t + part * span, self.q, self.v, levels=self.levels) for part in parts)

    @cached_property
    def motion_scale(self) -> np.ndarray:
        """A factor for each free velocity that brings the stiffnesses of all levels to similar sizes; 1 for a single
        level."""
        return self.level_scale[self.motion_levels]

    @cached_property
    def level_scale(self) -> np.ndarray:
        """A factor for each level, shape (levels,), that brings the stiffnesses of all levels to similar sizes."""
        scale = np.ones(self.efforts.size)
        for level, effort in enumerate(self.efforts) if self.efforts.size > 1 else ():
            motions = self.motion_levels == level
            stiffness = float(np.linalg.norm(self.stiffness[motions][:, motions]))
            scale[level] /= np.sqrt(max(stiffness, effort / self.system.length))
        return scale

    @property
    def weight_by_level(self) -> np.ndarray:
        """The weights of velocities in units in which the stiffnesses of all levels are of similar size, at rest, with
        levels of all loads that bodies carry; the weights of the system for a single level."""
        weight = self.system.weight
        loads = self.sizes + np.abs(self.jacobian).T @ np.abs(self.multipliers) / np.sqrt(weight)
        loaded = replace(self, sizes=loads, levels=levels_of_forces(self.system, loads))
        return weight / loaded.level_scale[loaded.levels] ** 2

    def least_stiffness(self, far: float) -> float:
        """Return the least stiffness of motions times `motion_scale` with which forces as large as the effort of a
        level move no level farther than `far`."""
        return float((self.level_scale**2 * self.efforts).max()) / far

    def is_balanced(self, near: float) -> bool:
        """Return whether less than this part of the forces is left in each level, or no more than the roundoff of
        springs that exert almost no force (those of a floating mechanism, at rest)."""
        residuals = self.of_levels(self.unbalanced)
        for level in np.flatnonzero(residuals > near * self.efforts):
            motions = self.motion_levels == level
            pull = float(np.linalg.norm(self.stiffness[motions][:, motions])) * self.system.length
            if residuals[level] > SPRING_ROUNDOFF * pull:
                return False
        return True

    @cached_property
    def multipliers(self) -> np.ndarray:
        """The multipliers that balance the forces as far as possible, at rest."""
        return self.multipliers_for(self.forces)

    def multipliers_for(self, forces: np.ndarray) -> np.ndarray:
        """Return the least λ for which Φ_vᵀ λ is nearest to these forces. With several levels, λ fits the forces of the
        last level first, then as far as possible those of the level before. With several levels λ is refined, too: a
        correction by the residual removes the roundoff of large loads from small ones."""
        root = 1.0 / np.sqrt(self.system.weight)
        J, lengths = unit_rows(self.jacobian * root)
        right = (root * forces.T).T
        if self.efforts.size == 1:
            return (np.linalg.lstsq(J.T, right, rcond=RANK_TOLERANCE)[0].T / lengths).T
        x = self._loads @ right
        for _ in range(REFINEMENTS):
            x = x + self._loads @ (right - J.T @ x)
        return (x.T / lengths).T

    @cached_property
    def _loads(self) -> np.ndarray:
        """The matrix that gives the multipliers of rows of unit length for forces per weight: level by level, from the
        last, λ balances the remaining forces of the level, and changes of λ without an effect there are left to the
        next level."""
        J, _ = unit_rows(self.jacobian / np.sqrt(self.system.weight))
        loads, free, unit = np.zeros(J.shape), np.eye(len(J)), np.eye(J.shape[1])
        for level in reversed(range(self.efforts.size)):
            columns = self.levels == level
            U, sines, Vt = np.linalg.svd(J.T[columns] @ free)
            rank = int((sines > RANK_TOLERANCE * max(1.0, sines.max(initial=0.0))).sum())
            inverse = (Vt[:rank].T / sines[:rank]) @ U[:, :rank].T
            loads = loads + free @ (inverse @ (unit[columns] - J.T[columns] @ loads))
            free = free @ Vt[rank:].T
        return loads - free @ (free.T @ loads)

    @cached_property
    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """a and λ of the motion: a = a₀ + R y with Φ_v a₀ = γ and Rᵀ M R y = Rᵀ (Q - M a₀), R the free velocities, and
        Φ_vᵀ λ = Q - M a."""
        R, root = self.free_velocities, 1.0 / np.sqrt(self.system.weight)
        J, lengths = unit_rows(self.jacobian * root)
        a = root * np.linalg.lstsq(J, self.gamma / lengths, rcond=RANK_TOLERANCE)[0]
        M = R.T @ self.mass @ R
        size = np.sqrt(np.abs(np.diag(M)))
        size[size == 0.0] = 1.0
        y = np.linalg.lstsq(M / np.outer(size, size), R.T @ (self.forces - self.mass @ a) / size, rcond=1e-13)[0]
        a = a + R @ (y / size)
        return a, self.multipliers_for(self.forces - self.mass @ a)

    def derivatives(self, a: np.ndarray, multipliers: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return ∂F/∂x, ∂F/∂v with F = M a + Φ_vᵀ λ - Q; ∂/∂x of Φ_v v - ν; ∂/∂x and ∂/∂v of Φ_v a - γ."""
        n, m = self.system.nv, len(self.jacobian)
        rates = self.system.still
        rates[:n] = a
        d = derivative_matrix(self.system, self.t, self.q, self.v, rates, multipliers).toarray()
        return d[:n, :n], d[:n, n : 2 * n], d[n : n + m, :n], d[n + m :, :n], d[n + m :, n : 2 * n]


def balance_at(
    system: System, t: float, q: np.ndarray, v: np.ndarray | None = None, modes: np.ndarray | None = None,
    levels: np.ndarray | None = None,
) -> Balance:  # fmt: skip
    """Return the balance at a state, in the coordinates of kernels (not those of joints). With `modes`, branches of
    laws are held (`motion.switching`). `levels` are those of another pose, or follow from the forces here."""
    run = mechanism(system)
    if modes is not None:
        count = run.machine.program.batch.mode_at.size
        for batch, branches in ((run.machine.program.batch, modes[:count]), (run.dynamics.batch, modes[count:])):
            batch.parameters[batch.mode_at] = branches
    q, v = q.copy(), system.still if v is None else v
    system.forget_errors()
    evaluate(run, t, q, v)  # writes the values of inputs into q
    machine, n = run.machine, system.nv
    factor, pattern, m = machine.factor, machine.pattern, len(system.rows)
    if not (np.isfinite(machine.f).all() and np.isfinite(factor.jacobian).all()):
        raise ModelError(no_force(system, t, q, v), code="law-without-value", model=system.model.name, time=t)
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
    """Return the level of each velocity. A level ends where forces on bodies are less than LEVEL of its largest: their
    balance would be lost in the roundoff of the larger ones. A velocity that bodies share has the level of the
    largest."""
    loads = np.zeros(system.nv)
    for body in system.bodies:
        columns = np.array(system.layout.v[body], dtype=int)
        columns = columns[columns < system.nv]
        loads[columns] = np.maximum(loads[columns], np.linalg.norm(sizes[columns]))
    levels, level, largest = np.zeros(system.nv, dtype=int), 0, float(loads.max(initial=0.0))
    for k in np.argsort(-loads, kind="stable"):
        if 0.0 < loads[k] < FORCE_LEVEL * largest:
            level, largest = level + 1, loads[k]
        levels[k] = level
    return levels


def free_motions(jacobian: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return a basis of all x with Φ_v x = 0, as columns with xᵀ W x = 1."""
    return kernel_of(unit_rows(jacobian / np.sqrt(weight))[0]) / np.sqrt(weight)[:, None]


def kernel_of(rows: np.ndarray, zero: float = RANK_TOLERANCE) -> np.ndarray:
    """Return an orthonormal basis of all x with rows · x = 0, as columns. The rows, or those they are part of, have
    unit length; singular values below `zero`, relative to the largest, are zero."""
    _, sines, motions = np.linalg.svd(rows, full_matrices=True)
    return motions[int((sines > zero * max(1.0, sines.max(initial=0.0))).sum()) :].T


def unit_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows scaled to length 1, and their lengths; rows of zeros stay, with length 1."""
    lengths = np.linalg.norm(matrix, axis=1)
    lengths[lengths == 0.0] = 1.0
    return matrix / lengths[:, None], lengths
