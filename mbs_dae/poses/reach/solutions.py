"""Solve the inverse geometric model: joints with which markers reach their targets.

A compiled search goes from the given start, and from many random ones, to a least error (`search`). Poses with all
bodies in equal places are one solution. Where the targets leave joints free, each solution is moved, with the targets
kept, to the least change from the start (`nearest`); where there is no solution, the best ends of the search are moved
to the pose nearest to the targets.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...model.joints.motions import Turn
from ...tolerances import ISOLATION_RANK, POSE_RESIDUAL, RANK_TOLERANCE, SAME_SOLUTION
from ..closing import turned_over
from .joint_space import JointSpace
from .nearest import least_change, minimise, nearest_pose
from .search import search_all
from .targets import Target, task_of
from .task import ReachTask, observe_task

ITERATIONS = 200
TRIES = 256
"""Number of starts for isolated solutions: with eight solutions of equal basins, one is missed once in 10¹⁴ poses; a
solution with a fiftieth of the starts is missed in half a percent."""
REDUNDANT_TRIES = 32
"""Number of starts for solutions that are not isolated, since each is moved to the least change."""
ENDS = 6
"""Number of best ends that are moved to the nearest pose."""


class JointSolutions(NamedTuple):
    """The solutions of a search, and how they were reached."""

    poses: list[np.ndarray]
    starts: int
    """The number of starts used."""
    hits: int
    """The number of starts from which a solution was reached."""
    ends: np.ndarray
    """The ends of the best searches."""


@dataclass(frozen=True, eq=False)
class SolutionSearch:
    """Targets, the start, and limits of the coordinates."""

    space: JointSpace
    targets: tuple[Target, ...]
    start: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @cached_property
    def task(self) -> ReachTask:
        return task_of(self.space, self.targets, self.low, self.high)

    @property
    def length(self) -> float:
        return self.space.system.length

    @property
    def tolerance(self) -> float:
        """The largest error of a solution. Far from the origin roundoff is larger than 1e-12 of the length."""
        return max(POSE_RESIDUAL * self.length, 2e-15 * self.task.machine.extent)

    def residual(self, q: np.ndarray) -> float:
        return float(np.sqrt(observe_task(self.task, q)))

    def gap(self, q: np.ndarray) -> float:
        """Return the norm of the gaps of loops."""
        observe_task(self.task, q)
        return float(np.linalg.norm(self.task.e[self.task.task_rows :]))

    def distance(self, q: np.ndarray) -> float:
        """Return the distance from the start, in radians; slides are divided by the model's length."""
        step = self.space.system.between(self.start, q) / self.space.unit
        return float(np.linalg.norm(step)) / self.length

    def solve(self, everything: bool, seed: int, tries: int | None) -> JointSolutions:
        """Return all solutions from so many starts, or the first one."""
        redundant = self._singular(self.starts(1, 2)[1], RANK_TOLERANCE)
        count = tries or (REDUNDANT_TRIES if redundant else TRIES)
        q, residuals, goal = self.starts(seed, count), np.full(count, np.inf), count if everything else 1
        hits: list[np.ndarray] = []
        used = 0
        while used < count and len(hits) < goal:
            first, limits = used, (self.tolerance, ITERATIONS)
            used += search_all(self.task, q[first:], *limits, residuals[first:], goal)
            ends = q[first:used][residuals[first:used] <= self.tolerance]
            hits += [end for end in ends if not self._upside_down(end)]
        return JointSolutions(self._distinct(hits, redundant), used, len(hits), q[np.argsort(residuals)[:ENDS]])

    def nearest(self, ends: np.ndarray) -> np.ndarray | None:
        """Return the pose nearest to the targets, from the best ends of a search; None where loops do not close in
        any."""
        problem = nearest_pose(self.space, self.task)
        minima = [minimise(problem, end) for end in ends]
        closed = [m for m in minima if self.gap(m.q) <= 1e-9 * self.length and not self._upside_down(m.q)]
        best = min(closed, key=lambda m: m.f, default=None)
        return None if best is None else self.without_turns(best.q)

    def without_turns(self, q: np.ndarray) -> np.ndarray:
        """Return the pose with whole turns removed: each angle next to the start, within its limits, unless a loop
        counts its turns."""
        out = q.copy()
        for k in self.space.angles:
            turns = np.round((self.start[k] - q[k]) / (2 * np.pi))
            least, most = np.ceil((self.low[k] - q[k]) / (2 * np.pi)), np.floor((self.high[k] - q[k]) / (2 * np.pi))
            turns = np.clip(turns, min(least, 0.0), max(most, 0.0))
            if turns:
                trial = out.copy()
                trial[k] += 2 * np.pi * turns
                self.space.turned(trial)
                if self.gap(trial) <= 1e-9 * self.length:
                    out = trial
        return self.space.turned(out)

    def _distinct(self, poses: list[np.ndarray], redundant: bool) -> list[np.ndarray]:
        """Return each solution once, judged by the places of bodies, with the joint values next to the start. A
        solution that is not isolated is moved to the least change from the start."""
        solutions: list[np.ndarray] = []
        marks: list[np.ndarray] = []
        unfinished: list[np.ndarray] = []
        descents = 0
        for q, mark in zip(poses, self._marks(poses), strict=True):
            same = _index_of(mark, marks)
            q = self.without_turns(q)
            if redundant or (same is None and self._singular(q, ISOLATION_RANK)):
                descents += 1
                if descents > REDUNDANT_TRIES and not redundant:
                    continue
                minimum = minimise(least_change(self.space, self.task, self.start), q)
                pose = self.without_turns(minimum.q)
                solved = minimum.stationary and self.residual(pose) <= self.tolerance and not self._upside_down(pose)
                if solved:
                    q = pose
                elif redundant:
                    unfinished.append(q)
                    continue
                (mark,) = self._marks([q])
                same = _index_of(mark, marks)
            if same is None:
                solutions.append(q)
                marks.append(mark)
            elif self.distance(q) < self.distance(solutions[same]) - SAME_SOLUTION:
                solutions[same] = q
        return solutions or unfinished[:1]

    def _marks(self, poses: list[np.ndarray]) -> np.ndarray:
        """Return numbers that are equal for equal places and rotations of all bodies, whatever the whole turns and the
        signs of quaternions."""
        system, count, size = self.space.system.cartesian, len(poses), self.space.model.dimension
        bodies = self.space.bodies(poses)[0]
        marks = [np.zeros((count, 1))]
        for body in system.bodies:
            marks += [bodies[:, list(system.layout.q[body][:size])] / self.length]
            marks += [system.layout.rotation(bodies, body).reshape(count, size**2)]
        return np.concatenate(marks, axis=1)

    def starts(self, seed: int, count: int) -> np.ndarray:
        """Return the given start, then random joints: within their limits, rotations anywhere, slides about the
        placement."""
        space, random = self.space, np.random.default_rng(seed)
        out = np.tile(self.start, (count, 1))
        for f in space.coordinates.freedoms:
            if f.q in space.balls:
                numbers = random.standard_normal((count - 1, 4))
                out[1:, f.q : f.q + 4] = numbers / np.linalg.norm(numbers, axis=1)[:, None]
                continue
            reach = np.pi if isinstance(f.motion, Turn) else 2.0 * self.task.machine.extent
            middle = min(max(self.start[f.q], self.low[f.q]), self.high[f.q])
            low, high = max(self.low[f.q], middle - reach), min(self.high[f.q], middle + reach)
            out[1:, f.q] = random.uniform(low, high, count - 1)
        out[:, : space.size] = np.clip(out[:, : space.size], self.low, self.high)
        return np.array([space.turned(q) for q in out]) if space.closed else out

    def _singular(self, q: np.ndarray, small: float) -> bool:
        """Return whether targets and loops let joints move in this pose, except joints held by equal limits."""
        observe_task(self.task, q)
        moving = self.task.J[:, self.task.low < self.task.high]
        sizes = np.linalg.svd(moving, compute_uv=False)
        return int((sizes > small * sizes.max(initial=0.0)).sum()) < moving.shape[1]

    def _upside_down(self, q: np.ndarray) -> bool:
        """Return whether a loop closes with axes in opposite directions."""
        if not self.space.closed or self.space.model.dimension == 2:
            return False
        return bool(turned_over(self.space.system.cartesian, self.space.bodies([q])[0][0]))


def _index_of(mark: np.ndarray, marks: list[np.ndarray]) -> int | None:
    """Return the number of the mark equal to this one; None if there is none."""
    if not marks:
        return None
    distances = np.abs(np.array(marks) - mark).max(axis=1)
    k = int(np.argmin(distances))
    return k if distances[k] < SAME_SOLUTION else None
