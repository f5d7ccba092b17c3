"""The real poses among the ends of paths: refined, in the model's own coordinates, and each once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..compiled import System
from ..errors import MbsError
from ..model.model import Model
from ..poses.assembly import assembled
from ..poses.closing import closed, turned_over
from ..results.result import State
from ..tolerances import REFINEMENT_DISTANCE
from .closure import ClosureSystem, signature
from .ends import PathEnds, is_real
from .links import WithoutLinks
from .singular import dimension_at, fold_at

BLURRED = 1e-2
"""Error of singular ends of paths, in signatures: the square root of the remaining way, or a higher root."""


class ModePoses(NamedTuple):
    """All real isolated poses, and counts of others."""

    states: list[State]
    """The poses, sorted by their distance from the placement."""
    solutions: int
    """Number of isolated solutions, complex ones included."""
    dimension: int
    """The dimension of the largest continuum; 0 where none was found."""
    blunt: tuple[int, ...]
    """Numbers of the poses that are singular of higher order: several poses may coincide there."""
    lost: int
    """Number of ends of paths that look real, from which Newton's method reaches no pose."""


class _End(NamedTuple):
    """The result at a singular end of a path: its place, the poses there, and the number of solutions."""

    place: np.ndarray
    poses: list[np.ndarray]
    solutions: int = 0
    dimension: int = 0
    blunt: bool = False


@dataclass(frozen=True, eq=False)
class PoseProblem:
    """A model whose poses are sought, and its system with fixed values held."""

    model: Model
    system: System
    time: float
    fix: Mapping[str, float]

    def in_full(self, state: State) -> np.ndarray:
        """Return the coordinates of a state, with those of fixed bodies."""
        q, placement = state.full_q, self.system.placement
        return q if q.size == placement.size else np.concatenate([q, placement[q.size :]])

    def from_placement(self, state: State) -> float:
        return float(self.system.weight @ self.system.between(self.system.placement, self.in_full(state)) ** 2)

    def far(self, q: np.ndarray, other: np.ndarray) -> float:
        numbers = signature(self.system, np.stack([q, other], axis=1))
        return float(np.abs(numbers[:, 0] - numbers[:, 1]).max())

    def closed(self, q: np.ndarray) -> np.ndarray:
        return closed(self.system, self.system.machine(), self.time, q)

    def sharpened(self, q: np.ndarray) -> np.ndarray:
        """Return the pose of a real solution; a pose in which axes that joints keep parallel are opposite is returned
        unchanged."""
        if turned_over(self.system, q):
            return q
        pose = self.closed(q)
        if self.far(q, pose) > REFINEMENT_DISTANCE:
            raise MbsError(
                "Newton's method leads from this solution to another pose", code="leads-to-other-pose", time=self.time
            )
        return pose

    def states(self, q: np.ndarray) -> list[State]:
        """Return the state of a pose in a list; an empty list where joints are turned over."""
        if turned_over(self.system, q):
            return []
        system = self.model.compile()
        still = State(system, self.time, q, system.still, system.still)
        try:
            state = assembled(self.model, self.time, self.fix, still)
        except MbsError as error:
            return [replace(still, message=f"velocities and accelerations do not follow here: {error}")]
        return [state if np.abs(system.between(q, state.full_q)).max(initial=0.0) < REFINEMENT_DISTANCE else still]


@dataclass(frozen=True, eq=False)
class PoseSearch:
    """Poses among the solutions of a model's equations."""

    problem: PoseProblem
    closure: ClosureSystem

    def poses(self, solutions: PathEnds) -> ModePoses:
        problem = self.problem
        ends, lost = self._ends(solutions)
        alone = [end for end in ends if not end.dimension]
        regular = [
            x for x in solutions.regular.T if all(problem.far(x, end.place) > REFINEMENT_DISTANCE for end in alone)
        ]
        entries = [(state, end.blunt) for end in alone for q in end.poses for state in problem.states(q)]
        for x in filter(is_real, regular):
            try:
                entries += [(state, False) for state in problem.states(problem.sharpened(self._real(x)))]
            except MbsError:
                lost += 1
        entries.sort(key=lambda entry: problem.from_placement(entry[0]))
        count = len(regular) + sum(end.solutions for end in alone)
        dimension = max((end.dimension for end in ends), default=0)
        blunt = tuple(k for k, entry in enumerate(entries) if entry[1])
        return ModePoses([state for state, _ in entries], count, dimension, blunt, lost)

    def _ends(self, solutions: PathEnds) -> tuple[list[_End], int]:
        """Return the results at singular ends, each once, and the number of ends without a result."""
        ends, lost = list[_End](), 0
        for x in solutions.singular.T:
            try:
                end = self._end(x)
            except MbsError:
                lost += 1
                continue
            if end is None:
                continue
            same = [BLURRED if end.blunt or other.blunt else REFINEMENT_DISTANCE for other in ends]
            if all(self.problem.far(end.place, other.place) >= d for other, d in zip(ends, same, strict=True)):
                ends.append(end)
        return ends, lost

    def _real(self, x: np.ndarray) -> np.ndarray:
        """Return the real part of a solution, with the coordinates of all bodies."""
        system = self.problem.system
        q, moving = system.placement.copy(), system.layout.nq
        q[:moving] = self.closure.normalised(x[:moving, None].real.copy())[:, 0]
        if system.model.dimension == 2:
            _without_whole_turns(self.closure, q, system.placement)
        return q

    def _end(self, x: np.ndarray) -> _End | None:
        """Return the result at a singular end; None where the end is complex and no continuum of real poses is near."""
        problem, system, time, q = self.problem, self.problem.system, self.problem.time, self._real(x)
        try:
            near = problem.closed(q)
        except MbsError:
            near = None
        if near is not None and (dimension := dimension_at(system, time, near)):
            return _End(near, [], dimension=dimension)
        numbers = self.closure.signature(x[:, None])[:, 0]
        if np.abs(numbers.imag).max() > BLURRED or turned_over(system, q):
            return None
        if near is not None and problem.far(q, near) > BLURRED:
            near = None
        if fold := fold_at(system, time, q if near is None else near):
            return _End(fold.vertex, fold.poses, 1 if len(fold.poses) == 1 else 2)
        if near is None:
            raise MbsError("Newton's method finds no pose at this end of a path", code="no-convergence", time=time)
        return _End(near, [near], 1, blunt=True)


def with_links(problem: PoseProblem, poses: ModePoses, lean: PoseProblem, without: WithoutLinks) -> ModePoses:
    """Return the poses of the model without links, `lean`, as poses of the whole model."""
    states, lost = list[State](), poses.lost
    for state in poses.states:
        try:
            states += problem.states(problem.sharpened(without.put_in(problem.system, lean.in_full(state))))
        except MbsError:
            lost += 1
    return poses._replace(states=states, lost=lost)


def _without_whole_turns(closure: ClosureSystem, q: np.ndarray, placement: np.ndarray) -> None:
    """Subtract whole turns from angles, in place, as far as equations of angles allow: each body next to its
    placement."""
    angles = closure.system.layout.plain[:, 0].reshape(-1, 3)[:, 2]
    numbers = closure.values[:, None]
    flat = ~closure.metric
    for at in angles:
        trial = q.copy()
        trial[at] -= 2 * np.pi * np.round((q[at] - placement[at]) / (2 * np.pi))
        before, after = (closure.evaluate(y[:, None], numbers)[0][0, flat] for y in (q, trial))
        if np.abs(after).max(initial=0.0) <= np.abs(before).max(initial=0.0) + 1e-9:
            q[:] = trial
