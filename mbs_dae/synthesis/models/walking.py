"""How a design of a model moves as its driver goes on: poses one after the other, and how they vary with parameters.

A search asks for thousands of designs, and many of them cannot be assembled, or come to a dead point. That is no error
here: such a walk is None, or ends where it ends. What `kinematics` says of it takes a hundred times as long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...compiled.machine import POSES, Machine
from ...compiled.reading import Trajectory
from ...compiled.status import DONE
from ...derivatives.parameters import Asked
from ...derivatives.varied import VariedMotion
from ...errors import ModelError, SingularConfigurationError
from ...kernels.blocks import block
from ...model.measures import Measure
from ...model.model import Model
from ...poses import newton
from ...poses.closing import close_from_afar
from ...poses.continuation import walk
from ...readings.motion import result_of
from ...results.result import State
from ...verbs.kinematics import redundant_rows

ITERATIONS = 25


class Followed(NamedTuple):
    """The wanted values of a design, at some values of its driver."""

    values: np.ndarray
    """(places, quantities)."""
    by_driver: np.ndarray
    by_parameter: np.ndarray
    """(places, quantities, parameters)."""
    first: np.ndarray
    """The coordinates of the first pose."""


@dataclass(frozen=True, eq=False)
class Walker:
    """A model whose driver is at θ at the time θ, the quantities that are wanted of it, and parameters that vary."""

    model: Model
    measures: tuple[Measure, ...]
    names: tuple[str, ...]

    def system(self, design: Mapping[str, float]) -> System | None:
        """None where elements do not take these numbers."""
        try:
            system: System = self.model.with_parameters(**design).compile()
        except ModelError:
            return None
        return system

    @cached_property
    def _redundant(self) -> dict[str, tuple[int, int]]:
        return {}

    def path(self, system: System, places: np.ndarray, guess: np.ndarray | None = None) -> Trajectory | None:
        """The poses at these values of the driver, which go up or down: as many as can be reached from the first, the
        one nearest to a guess, or to the placement. None if that does not close."""
        machine, path = system.machine(), Trajectory(places, *system.layout.motion(len(places)))
        attempt = close_from_afar(machine, float(places[0]), system.placement if guess is None else guess)
        if not attempt.closed:
            return None
        q, v, a = path.q[0], path.v[0], path.a[0]
        q[:] = attempt.q
        newton.close(machine, float(places[0]), q, v, ITERATIONS)
        newton.complete(machine, float(places[0]), q, v, a)
        if not np.isfinite(q).all() or not np.isfinite(v).all() or not np.isfinite(a).all():
            return None
        try:
            redundant, done = self._redundant_in(system, machine, path), 1
        except SingularConfigurationError:  # of this pose; another one will tell
            return None
        while done < len(places):
            status = walk(machine, block(path), done, len(places), *redundant)
            done = int(machine.counts[POSES])
            if status != DONE:
                break
        return path.until(done)

    def _redundant_in(self, system: System, machine: Machine, path: Trajectory) -> tuple[int, int]:
        """How many equations depend on others: the same in all designs. (Freedom that no driver moves is told.)"""
        if not self._redundant:
            first = State(system, float(path.t[0]), path.q[0], path.v[0], path.a[0])
            span = np.array([path.t[0], path.t[0] + 0.1])
            self._redundant["all"] = redundant_rows(system, system.machine(), span, first, path.q[0], path.v[0])
        return self._redundant["all"]

    def read(self, system: System, path: Trajectory) -> np.ndarray:
        """The quantities along a path: (places, quantities)."""
        values: np.ndarray = system.reader(self.measures)(*path)[0]
        return values

    def followed(self, design: Mapping[str, float], driver: np.ndarray, guess: np.ndarray) -> Followed | None:
        """The quantities at values of the driver in any order, and their derivatives; None if they are not all
        reached."""
        system = self.system(design)
        places, back = np.unique(driver, return_inverse=True)
        path = None if system is None else self.path(system, places, guess)
        if system is None or path is None or len(path.t) < len(places):
            return None
        symbols = tuple(self.model.parameters[name].symbol for name in self.names)
        varied = VariedMotion(result_of(system, path), Asked(system.model, self.names, symbols, told=""))
        read: Any = system.reader(self.measures)(*varied.path)
        slope = np.moveaxis(read.slope[:, 0], 0, -1)
        return Followed(read.value[0][back], read.value[1][back], slope[back], path.q[0].copy())


def walker(model: Model, quantities: Sequence[str], names: Sequence[str]) -> Walker:
    measures = []
    for name in quantities:
        measure, level = model.quantity(name)
        if level != measure.lowest:
            raise ModelError(f"{name!r} is a rate, and a design is found by places; name a place or an angle")
        measures.append(measure)
    return Walker(model, tuple(measures), tuple(names))
