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
from .continua import dimension_at
from .ends import Found, is_real
from .equations.closure import Closure, signature
from .folds import fold_at
from .links import WithoutLinks

NEAR = 1e-4
"""Refinement moves no regular pose farther, in signatures; poses nearer to each other than this are one."""
BLURRED = 1e-2
"""Error of singular ends of paths, in signatures: the square root of the remaining way, or a higher root."""


class Poses(NamedTuple):
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
class Asked:
    """A model whose poses are sought, and its system with fixed values held."""

    model: Model
    held: System
    time: float
    fix: Mapping[str, float]

    def in_full(self, state: State) -> np.ndarray:
        """Return the coordinates of a state, with those of fixed bodies."""
        q, placement = state.full_q, self.held.placement
        return q if q.size == placement.size else np.concatenate([q, placement[q.size :]])

    def from_placement(self, state: State) -> float:
        return float(self.held.weight @ self.held.between(self.held.placement, self.in_full(state)) ** 2)

    def far(self, q: np.ndarray, other: np.ndarray) -> float:
        own = signature(self.held, np.stack([q, other], axis=1))
        return float(np.abs(own[:, 0] - own[:, 1]).max())

    def closed(self, q: np.ndarray) -> np.ndarray:
        return closed(self.held, self.held.machine(), self.time, q)

    def sharpened(self, q: np.ndarray) -> np.ndarray:
        """Return the pose of a real solution; a pose in which axes that joints keep parallel are opposite is returned
        unchanged."""
        if turned_over(self.held, q):
            return q
        found = self.closed(q)
        if self.far(q, found) > NEAR:
            raise MbsError("Newton's method leads from this solution to another pose")
        return found

    def states(self, q: np.ndarray) -> list[State]:
        """Return the state of a pose in a list; an empty list where joints are turned over."""
        if turned_over(self.held, q):
            return []
        system = self.model.compile()
        still = State(system, self.time, q, system.still, system.still)
        try:
            state = assembled(self.model, self.time, self.fix, still)
        except MbsError as error:
            return [replace(still, message=f"velocities and accelerations do not follow here: {error}")]
        return [state if np.abs(system.between(q, state.full_q)).max(initial=0.0) < NEAR else still]


@dataclass(frozen=True, eq=False)
class Sought:
    """Poses among the solutions of a model's equations."""

    asked: Asked
    closure: Closure

    def poses(self, found: Found) -> Poses:
        asked = self.asked
        ends, lost = self._ends(found)
        alone = [end for end in ends if not end.dimension]
        regular = [x for x in found.regular.T if all(asked.far(x, end.place) > NEAR for end in alone)]
        entries = [(state, end.blunt) for end in alone for q in end.poses for state in asked.states(q)]
        for x in filter(is_real, regular):
            try:
                entries += [(state, False) for state in asked.states(asked.sharpened(self._real(x)))]
            except MbsError:
                lost += 1
        entries.sort(key=lambda entry: asked.from_placement(entry[0]))
        solutions = len(regular) + sum(end.solutions for end in alone)
        dimension = max((end.dimension for end in ends), default=0)
        blunt = tuple(k for k, entry in enumerate(entries) if entry[1])
        return Poses([state for state, _ in entries], solutions, dimension, blunt, lost)

    def _ends(self, found: Found) -> tuple[list[_End], int]:
        """Return the results at singular ends, each once, and the number of ends without a result."""
        ends, lost = list[_End](), 0
        for x in found.singular.T:
            try:
                end = self._end(x)
            except MbsError:
                lost += 1
                continue
            if end is not None and not any(self._same(end, other) for other in ends):
                ends.append(end)
        return ends, lost

    def _real(self, x: np.ndarray) -> np.ndarray:
        """Return the real part of a solution, with the coordinates of all bodies."""
        held = self.asked.held
        q, moving = held.placement.copy(), held.layout.nq
        q[:moving] = self.closure.normalised(x[:moving, None].real.copy())[:, 0]
        if held.model.dimension == 2:
            _turned_back(self.closure, q, held.placement)
        return q

    def _end(self, x: np.ndarray) -> _End | None:
        """Return the result at a singular end; None where the end is complex and no continuum of real poses is near."""
        asked, held, time, q = self.asked, self.asked.held, self.asked.time, self._real(x)
        try:
            near = asked.closed(q)
        except MbsError:
            near = None
        if near is not None and (dimension := dimension_at(held, time, near)):
            return _End(near, [], dimension=dimension)
        own = self.closure.signature(x[:, None])[:, 0]
        if np.abs(own.imag).max() > BLURRED or turned_over(held, q):
            return None
        if near is not None and asked.far(q, near) > BLURRED:
            near = None
        if fold := fold_at(held, time, q if near is None else near):
            return _End(fold.vertex, fold.poses, 1 if len(fold.poses) == 1 else 2)
        if near is None:
            raise MbsError("Newton's method finds no pose at this end of a path")
        return _End(near, [near], 1, blunt=True)

    def _same(self, one: _End, other: _End) -> bool:
        return self.asked.far(one.place, other.place) < (BLURRED if one.blunt or other.blunt else NEAR)


def with_links(asked: Asked, poses: Poses, lean: Asked, without: WithoutLinks) -> Poses:
    """Return the poses of the model without links, `lean`, as poses of the whole model."""
    states, lost = list[State](), poses.lost
    for state in poses.states:
        try:
            states += asked.states(asked.sharpened(without.put_in(asked.held, lean.in_full(state))))
        except MbsError:
            lost += 1
    return poses._replace(states=states, lost=lost)


def _turned_back(closure: Closure, q: np.ndarray, placement: np.ndarray) -> None:
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
