"""Neighbouring designs and starts of a run, for each quantity by which it is differentiated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...motion.initial import initial_state
from ...motion.past.origin import Run
from ...motion.samples import Sampling
from ...results.result import State
from ..designs import BACKWARD, CENTRAL, EVERY, FORWARD, SMALL, Stencil, breaks_in, ends_moved, systems_beside
from ..parameters import Asked, StartChange
from ..results import starts_of
from ..runs.parameter_names import given_of
from .beside import ALONE, Beside, Way, course_like
from .following import Following

FIRST = 1e-3
"""The step of a parameter for first states, in place of SMALL: searches for poses end some digits before roundoff."""


class Designs(NamedTuple):
    """The designs at the places of a stencil, and the initial values that are given for each."""

    small: float
    stencil: Stencil
    systems: Sequence[System]
    initial: Sequence[Any]
    is_start: bool
    """Whether the designs differ in the start alone."""

    def with_starts(self, first: State, moves: StartChange) -> Designs:
        """Return the designs with starts that differ from `first` by `moves` times the step of the parameter."""
        system, by = first.system, [c * self.small for c in self.stencil.offsets]
        initial = [
            replace(
                first, full_q=system.moved(first.full_q, h * moves.x) + h * moves.q, full_v=first.full_v + h * moves.v
            )
            for h in by
        ]
        return self._replace(initial=initial)


def designs_of(
    asked: Asked, name: str, run: Run, stencils: Sequence[Stencil] = EVERY, small: float = SMALL
) -> Designs:  # fmt: skip
    own = run.system.coordinates.set, run.system.structure.tree
    size, stencil, systems = systems_beside(asked, name, *own, stencils, small)
    return Designs(size, stencil, systems, [run.initial] * len(systems), False)


def _starts(name: str, run: Run, given: Mapping[str, Any]) -> Designs:
    """Designs that differ in an initial value only."""
    if name not in given:  # the state given was found from this value
        return Designs(SMALL * _size(starts_of(run.varied)[name]), CENTRAL, [run.system] * 4, [run.initial] * 4, True)
    value = float(given[name])
    small = FIRST * (abs(value) or _scale(run.system, name))
    initial = [{**given, name: value + c * small} for c in CENTRAL.offsets]
    return Designs(small, CENTRAL, [run.system] * len(initial), initial, True)


def _scale(system: System, name: str) -> float:
    """Return the scale of an initial value that is 0: the model's length for a place; 1 for an angle, and for values
    in which starts are linear."""
    found = system.model.quantity_or_none(name)  # None for a state of the model
    return system.length if found and found[1] == 0 and found[0].unit == "m" else 1.0


def following_of(march: Any, asked: Asked, run: Run, sampling: Sampling) -> Following:
    """Return the `Following` of a run that has not begun."""
    given, carried = given_of(run), starts_of(run.varied)
    course, times = course_like(march), march.record.times
    asked.model.compile(run.system.coordinates.set, **run.system.structure.tree)  # once for all neighbouring designs
    own = Beside(run.system, run.by, run.how, course, times)
    ways, moved, first = [], [], []
    known = breaks_in(run, run.system, times)
    for name in asked.names:
        beside, begin = (_beside(asked, name, run, given, carried, small) for small in (SMALL, FIRST))
        ways.append(_way(asked, name, beside, run, own))
        stands = np.zeros(course.ends.size)
        known_of = beside.small, beside.stencil, beside.systems, run, known, course.ends, times, name
        moved.append(stands if beside.is_start else ends_moved(*known_of))
        starts = [_start(system, run.t, at) for system, at in zip(begin.systems, begin.initial, strict=True)]
        first.append(np.tensordot(begin.stencil.weights, starts, 1) / begin.small)
    S = np.zeros((len(ways), march.stages.y0.size))
    S[:, : march.mechanism.state.works_at] = np.array(first)
    return Following(march, own, asked.names, ways, np.array(moved), S, sampling)


def _beside(
    asked: Asked, name: str, run: Run, given: Mapping[str, Any], carried: Mapping[str, StartChange], small: float
) -> Designs:
    """Return the neighbouring designs, or starts; a given state with a derivative by `name` is moved in each."""
    only_start = name not in asked.model.parameters
    found = _starts(name, run, given) if only_start else designs_of(asked, name, run, small=small)
    moves = carried.get(name)
    return found.with_starts(run.initial, moves) if moves and isinstance(run.initial, State) else found


def _size(moves: StartChange) -> float:
    """Return the change of a quantity by which the largest change of a state is 1, at most 1e9."""
    return 1.0 / max(1e-9, *(float(np.abs(part).max(initial=0.0)) for part in moves))


def _start(system: System, t: float, initial: Any) -> np.ndarray:
    """(q, v) at the beginning."""
    first, *_ = initial_state(system.model, t, initial)
    q, v = first.full_q, first.full_v
    if not system.is_cartesian:
        (q,), (v,), _ = system.from_bodies((q[None], v[None], system.cartesian.still[None]))
    return np.concatenate([q, v])


def _way(asked: Asked, name: str, beside: Designs, run: Run, own: Beside) -> Way:
    if beside.is_start:
        return ALONE
    course, times = own.march.course, own.march.record.times

    def of(designs: Designs, aside: Callable[[int], Way] | None = None) -> Way:
        runs = [Beside(system, run.by, run.how, course, times, own.fresh) for system in designs.systems]
        return Way(designs.small, runs, designs.stencil, aside)

    return of(beside, lambda side: of(designs_of(asked, name, run, [FORWARD if side > 0 else BACKWARD])))
