"""Minimise a function of the joints under equations and limits: the least change that reaches a target, and the pose
nearest to a target out of reach.

    minimise f(q)   with   h(q) = 0,   low ≤ q ≤ high.

At a pose that satisfies h and the limits, with the joints at active limits at rest, H the Jacobian of h over the
others, Z a basis of the null space of H, g the gradient of f and λ the least-squares solution of g + Hᵀλ = 0:

    first order:     Zᵀ g = 0, and no joint at a limit would go inwards: (g + Hᵀλ)_c ≥ 0 at a lower one, ≤ 0 at an upper
    second order:    Zᵀ ∇²(f + λ·h) Z has no negative eigenvalue.

Newton's step in the null space is p = -Z |Zᵀ∇²L Z|⁻¹ Zᵀ g (eigenvalues by their size, so that it always descends); it
is followed by corrections that bring h back to zero, and shortened until f falls. Where the first order holds and the
second does not, the step goes along the eigenvector. So the result is a minimum, not a saddle. ∇²L comes from
differences of g + Hᵀλ, which is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...tolerances import MOTION_DIFFERENCE, RANK_TOLERANCE, STATIONARY_SLOPE
from .joint_space import JointSpace
from .task import ReachTask, move_joints, observe_task

LONGEST = 0.5
"""Longest step: radians, or model lengths."""
STEPS = 200


class Levels(NamedTuple):
    """f, its gradient, h and its Jacobian at a pose; velocities are scaled as in `poses.reach.task`."""

    f: float
    g: np.ndarray
    h: np.ndarray
    H: np.ndarray


@dataclass(frozen=True, eq=False)
class JointProblem:
    """f, h and the limits, over the joints of a joint space."""

    space: JointSpace
    task: ReachTask
    levels: Callable[[np.ndarray], Levels]

    @property
    def length(self) -> float:
        return self.space.system.length

    def moved(self, q: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return q moved by scaled velocities, no farther than the limits."""
        out = q.copy()
        move_joints(self.task, out, y * self.space.unit)
        return out

    def shortened(self, y: np.ndarray) -> np.ndarray:
        longest = float(np.abs(y).max(initial=0.0))
        return y * min(1.0, LONGEST * self.length / longest) if longest > 0 else y

    def at_limit(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return two masks: the velocities at their lower limit, and those at their upper limit."""
        x = self._limited(q)
        return x <= self.task.low, x >= self.task.high

    def outward(self, q: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return a mask of the velocities of a step that lead beyond a limit at once."""
        low, high = self.at_limit(q)
        return (low & (y < 0)) | (high & (y > 0))

    def room(self, q: np.ndarray, y: np.ndarray) -> float:
        """Return the part of a step up to the first limit."""
        x, step = self._limited(q), y * self.space.unit
        distance = np.where(step > 0, self.task.high - x, x - self.task.low)
        moving = np.abs(step) > 1e-300
        return float(np.min(distance[moving] / np.abs(step[moving]), initial=np.inf))

    def _limited(self, q: np.ndarray) -> np.ndarray:
        """Return the coordinate that each velocity changes; 0 for velocities of balls, which have no limits."""
        return np.where(self.task.coordinate >= 0, q[self.task.coordinate], 0.0)


def nearest_pose(space: JointSpace, task: ReachTask) -> JointProblem:
    """Return the problem with half the squared error of the targets as f, and the equations of loops as h."""

    def levels(q: np.ndarray) -> Levels:
        observe_task(task, q)
        e, J, n = task.e.copy(), task.J.copy(), task.task_rows
        return Levels(0.5 * float(e[:n] @ e[:n]), J[:n].T @ e[:n], e[n:], J[n:])

    return JointProblem(space, task, levels)


def least_change(space: JointSpace, task: ReachTask, start: np.ndarray) -> JointProblem:
    """Return the problem with half the squared distance from the start as f, and targets and loops as h."""

    def levels(q: np.ndarray) -> Levels:
        observe_task(task, q)
        step = space.system.between(start, q) / space.unit
        return Levels(0.5 * float(step @ step), step, task.e.copy(), task.J.copy())

    return JointProblem(space, task, levels)


class NearestJoints(NamedTuple):
    q: np.ndarray
    f: float
    stationary: bool
    """Whether the conditions of a minimum hold; otherwise the descent ended early."""


def minimise(problem: JointProblem, q: np.ndarray) -> NearestJoints:
    """Return a local minimum, from a pose that satisfies the equations (or nearly)."""
    small = STATIONARY_SLOPE * problem.length
    q = restored(problem, q, np.zeros(problem.task.low.size, dtype=bool))
    low, high = problem.at_limit(q)
    active = low | high
    stationary = False
    for _ in range(STEPS):
        here = problem.levels(q)
        Z, multipliers = null_space(here, ~active)
        slopes = Z.T @ here.g
        slope = float(np.linalg.norm(slopes))
        flat = slope <= small * max(1.0, float(np.linalg.norm(here.g)) / problem.length)
        if flat:
            inward = _inward(problem, q, active, here.g + here.H.T @ multipliers)
            if inward is not None:
                active[inward] = False
                continue
        sizes, vectors = np.linalg.eigh(_curvature(problem, q, Z, multipliers))
        if flat:
            if sizes.min(initial=1.0) > -1e-6:
                stationary = True
                break
            y = 0.1 * problem.length * (Z @ vectors[:, 0])
        else:
            y = -Z @ (vectors @ ((vectors.T @ slopes) / np.maximum(np.abs(sizes), 1e-8)))
        y = problem.shortened(y)
        if problem.outward(q, y).any():  # after a joint was released: steepest descent moves it inwards
            y = problem.shortened(-Z @ slopes)
        if (outward := problem.outward(q, y)).any():
            active = active | outward
            continue
        better = _descend(problem, q, y, active, here, slope)
        if better is None:
            stationary = slope <= 1e3 * small
            break
        q = better
        low, high = problem.at_limit(q)
        active = active | low | high
    return NearestJoints(q, problem.levels(q).f, stationary)


def _descend(
    problem: JointProblem, q: np.ndarray, y: np.ndarray, active: np.ndarray, here: Levels, slope: float
) -> np.ndarray | None:
    """Return the pose after the first of shorter and shorter steps that lowers f, or near the end, where changes of f
    are roundoff, its slope; None if none does."""
    fraction = min(1.0, problem.room(q, y))
    for _ in range(30):
        trial = restored(problem, problem.moved(q, fraction * y), active)
        there = problem.levels(trial)
        closed = bool(np.linalg.norm(there.h) <= max(float(np.linalg.norm(here.h)), 1e-12 * problem.length))
        if closed and there.f < here.f - 1e-4 * fraction * abs(float(here.g @ y)):
            return trial
        if closed and there.f <= here.f + 1e-12 * problem.length**2:
            Z, _ = null_space(there, ~active)
            if np.linalg.norm(Z.T @ there.g) < 0.5 * slope:
                return trial
        fraction *= 0.5
    return None


def restored(problem: JointProblem, q: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Return the pose with the equations closed again by least changes of the joints that are at no active limit."""
    best, size = q, np.inf
    for _ in range(30):
        here = problem.levels(q)
        new = float(np.linalg.norm(here.h))
        if not new < 0.9 * size:
            return best if size <= new else q
        best, size = q, new
        if new == 0.0:
            break
        free = ~active
        y = np.zeros(active.size)
        U, s, Vt = np.linalg.svd(here.H[:, free], full_matrices=False)
        rank = s > RANK_TOLERANCE * s.max(initial=0.0)
        y[free] = -Vt[rank].T @ ((U[:, rank].T @ here.h) / s[rank])
        q = problem.moved(q, problem.shortened(y))
        active = active | problem.outward(q, y)
    return best


def null_space(here: Levels, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Z, with zero rows for joints at active limits, and λ."""
    U, s, Vt = np.linalg.svd(here.H[:, free])
    rank = int((s > RANK_TOLERANCE * s.max(initial=0.0)).sum())
    Z = np.zeros((free.size, int(free.sum()) - rank))
    Z[free] = Vt[rank:].T
    return Z, -U[:, :rank] @ ((Vt[:rank] @ here.g[free]) / s[:rank])


def _inward(problem: JointProblem, q: np.ndarray, active: np.ndarray, r: np.ndarray) -> int | None:
    """Return the joint at an active limit that f pulls most strongly away from its limit; None if there is none."""
    low, high = problem.at_limit(q)
    if not active.any():
        return None
    pull = np.where(low & ~high, -r, np.where(high & ~low, r, 0.0)) * active
    k = int(np.argmax(pull))
    return k if pull[k] > 1e-9 * max(problem.length, float(np.linalg.norm(r))) else None


def _curvature(problem: JointProblem, q: np.ndarray, Z: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """Return Zᵀ ∇²(f + λ·h) Z, by central differences."""
    eps = MOTION_DIFFERENCE * problem.length
    out = np.zeros((Z.shape[1], Z.shape[1]))
    for k, z in enumerate(Z.T):
        ends = [problem.levels(problem.space.moved(q, s * eps * z * problem.space.unit)) for s in (1, -1)]
        forth, back = (end.g + end.H.T @ multipliers for end in ends)
        out[k] = Z.T @ (forth - back) / (2 * eps)
    return 0.5 * (out + out.T)
