"""Readings of a run, differentiated by the numbers of its states at each time.

A named array at a time is a function of places, velocities, accelerations, multipliers and works at that time, and of
parameters. Where each of these numbers varies by itself, an array that carries derivatives (`duals`) is read with the
slopes of the reading; times weights they are the weights of states, with which a way back begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.reading import Trajectory
from ...duals import Dual
from ...errors import ModelError
from ...model.parameters import Parameter
from ...motion.mechanism_record import WORK
from ...readings.motion import computed
from ...results.result import Result
from ..parameters import DesignVariables
from ..variation import Variation
from .coordinates import SEEDED
from .forward import VariedRun
from .linear import Weights
from .steps import Changes


@dataclass(frozen=True, eq=False)
class SeededRun(VariedRun):
    """A run whose states vary, each number by itself: arrays that are read have the slopes of the reading. The
    parameters come first, and move no state."""

    parameters: int = 0
    some: slice = field(default_factory=lambda: slice(None))
    """The times that are read."""

    @cached_property
    def changes(self) -> Changes:
        count, rows = len(self.variables.names), []
        sizes = _sizes(self.system)
        begins = np.cumsum([self.parameters, *sizes])
        for size, begin in zip(sizes, begins, strict=False):
            one = np.zeros((self.motion.t.size, count, size))
            one[:, begin : begin + size] = np.eye(size)
            rows.append(one.reshape(self.motion.t.size * count, size))
        return Changes(*rows)

    @property
    def changes_of_bodies(self) -> Changes:
        return self.changes

    @property
    def works_changed(self) -> np.ndarray:
        return np.array(self.changes.works)

    @property
    def contacts_changed(self) -> np.ndarray:
        return np.array(self.changes.contacts)

    @property
    def signals_changed(self) -> np.ndarray:
        return np.array(self.changes.signals)

    @cached_property
    def moved(self) -> Variation:
        return self.moved_by_steps

    @cached_property
    def times(self) -> Any:
        """Return the times; the last one has a seed of its own, where the end of the run moves."""
        if self.fixed_end is None:
            return self.motion.t
        slope = np.zeros((len(self.variables.names), self.motion.t.size))
        slope[-1] = 1.0
        return self.dual(self.motion.t, slope)

    @cached_property
    def motion(self) -> Trajectory:
        return Trajectory(*(x[self.some] for x in computed(self.result).motion))

    @property
    def multipliers(self) -> np.ndarray:
        return super().multipliers[self.some]

    @cached_property
    def read(self) -> Result:
        return replace(super().read, t=self.result.t[self.some])

    @property
    def _own_works(self) -> np.ndarray:
        return super()._own_works[self.some]

    @property
    def _own_contacts(self) -> np.ndarray:
        return super()._own_contacts[self.some]


def _sizes(system: System) -> tuple[int, ...]:
    """Return the sizes of a state: places, velocities, accelerations, multipliers, works, forces of contacts, and
    signals."""
    more = WORK, system.structure.contacts.rows, len(system.layout.signals)
    return system.nv, system.nv, system.nv, len(system.rows), *more


def weights_of_states(
    varied: VariedRun, weights: Mapping[str, np.ndarray], count: int
) -> tuple[Weights, np.ndarray, np.ndarray]:
    """Return the weights of states, by so many rows of weights of readings; what parameters do to the readings
    directly, (numbers, parameters); and the weights of the last time, (numbers,), where it moves. Seeds of a state are
    as many as its numbers, so some times are read at once."""
    own, times = varied.variables, varied.motion.t.size
    for name, weight in weights.items():
        shape = np.shape(varied.result[name])
        if weight.shape[1:] != shape:
            raise ModelError(
                f"weights of {name!r} have the shape {weight.shape[1:]}, and it has {shape}",
                code="wrong-shape", argument="weights", name=name, shape=shape,
            )  # fmt: skip
    sizes, first, of_time = _sizes(varied.system), len(own.names), 0 if varied.fixed_end is None else 1
    seeds = [f"seed {k}" for k in range(sum(sizes) + of_time)]
    variables = DesignVariables(own.model, (*own.names, *seeds), (*own.symbols, *map(Parameter, seeds)), told="")
    at_once = max(1, int(SEEDED / (len(variables.names) * max(varied.system.layout.q_size, 1))))
    parts, direct = [], np.zeros((count, first))
    for begin in range(0, times, at_once):
        some = slice(begin, min(begin + at_once, times))
        total = _read(varied, variables, weights, some) + np.zeros((some.stop - begin, count, len(variables.names)))
        direct += total[:, :, :first].sum(axis=0)
        parts.append(total[:, :, first:])
    rows = np.concatenate(parts)
    of_end = rows[-1, :, -1].copy() if of_time else np.zeros(count)
    split = np.split(rows[:, :, : sum(sizes)].reshape(-1, sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    return Weights(*(np.ascontiguousarray(part) for part in split)), direct, of_end


def _read(varied: VariedRun, variables: DesignVariables, weights: Mapping[str, np.ndarray], some: slice) -> np.ndarray:
    """Return weights times the slopes of readings at some times, (times, numbers, seeds)."""
    known: Any = {"taken": varied.taken, "fixed_end": varied.fixed_end}
    run = SeededRun(varied.result, variables, **known, parameters=len(varied.variables.names), some=some)
    total: Any = 0.0
    for name, weight in weights.items():
        value = run[name]
        if not isinstance(value, Dual):
            raise ModelError(
                f"{name!r} is not a function of the motion, and has no derivative",
                code="not-a-function-of-motion", name=name,
            )  # fmt: skip
        slope = value.slope.reshape(*value.slope.shape[:2], -1)
        total = total + np.einsum("ptc,rtc->trp", slope, weight[:, some].reshape(len(weight), slope.shape[1], -1))
    return total
