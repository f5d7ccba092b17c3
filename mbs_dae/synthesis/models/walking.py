"""Move a design of a model through values of its driver: poses one after the other, and their derivatives by
parameters.

A search tries thousands of designs, and many of them do not assemble, or reach a dead point. This is no error here:
such a walk is None, or ends early. The diagnosis of `kinematics` takes a hundred times as long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...compiled.machine import POSES
from ...compiled.reading import Trajectory
from ...compiled.status import DONE
from ...derivatives.parameters import DesignVariables
from ...derivatives.results import VariedMotion
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


class WalkValues(NamedTuple):
    """The wanted values of a design at some values of its driver."""

    values: np.ndarray
    """Shape (places, quantities)."""
    by_driver: np.ndarray
    """The derivatives by the driver's value, shape (places, quantities)."""
    by_parameter: np.ndarray
    """The derivatives by the parameters, shape (places, quantities, parameters)."""
    first: np.ndarray
    """The coordinates of the first pose."""


@dataclass(frozen=True, eq=False)
class Walker:
    """A model whose driver has the value θ at the time t = θ, its wanted quantities, and the parameters that vary."""

    model: Model
    measures: tuple[Measure, ...]
    names: tuple[str, ...]

    def system(self, design: Mapping[str, float]) -> System | None:
        """Return the compiled model of a design; None if an element refuses these numbers."""
        try:
            system: System = self.model.with_values(design).compile()
        except ModelError:
            return None
        return system

    @cached_property
    def _redundant(self) -> list[tuple[int, int]]:
        """The counts of redundant equations, equal in all designs: empty before the first pose."""
        return []

    def path(self, system: System, places: np.ndarray, guess: np.ndarray | None = None) -> Trajectory | None:
        """Return the poses at these increasing or decreasing values of the driver: as many as can be reached from the
        first, which is the one nearest to a guess, or to the placement. Return None if the first pose does not
        close."""
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
            if not self._redundant:
                first = State(system, float(path.t[0]), q, v, a)
                span = np.array([path.t[0], path.t[0] + 0.1])
                self._redundant.append(redundant_rows(system, system.machine(), span, first, q, v))
            redundant, done = self._redundant[0], 1
        except SingularConfigurationError:  # of this pose: the next design tries again
            return None
        while done < len(places):
            status = walk(machine, block(path), done, len(places), *redundant)
            done = int(machine.counts[POSES])
            if status != DONE:
                break
        return path.until(done)

    def read(self, system: System, path: Trajectory) -> np.ndarray:
        """Return the quantities along a path, shape (places, quantities)."""
        values: np.ndarray = system.reader(self.measures)(*path)[0]
        return values

    def values_at(self, design: Mapping[str, float], driver: np.ndarray, guess: np.ndarray) -> WalkValues | None:
        """Return the quantities at values of the driver in any order, with their derivatives; None if not all are
        reached."""
        system = self.system(design)
        places, back = np.unique(driver, return_inverse=True)
        path = None if system is None else self.path(system, places, guess)
        if system is None or path is None or len(path.t) < len(places):
            return None
        symbols = tuple(self.model.parameters[name].symbol for name in self.names)
        varied = VariedMotion(result_of(system, path), DesignVariables(system.model, self.names, symbols, told=""))
        read: Any = system.reader(self.measures)(*varied.path)
        slope = np.moveaxis(read.slope[:, 0], 0, -1)
        return WalkValues(read.value[0][back], read.value[1][back], slope[back], path.q[0].copy())


def walker(model: Model, quantities: Sequence[str], names: Sequence[str]) -> Walker:
    measures = []
    for name in quantities:
        measure, level = model.quantity(name)
        if level != measure.lowest:
            raise ModelError(
                f"{name!r} is a rate, and a design is found by places; name a place or an angle",
                code="is-a-rate", name=name, model=model.name,
            )  # fmt: skip
        measures.append(measure)
    return Walker(model, tuple(measures), tuple(names))
