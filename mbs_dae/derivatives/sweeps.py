"""Derivatives of the poses of a sweep by parameters: the one that is swept, and others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.batch import PoseSequence
from ..compiled.derivatives import filled, lean_builder
from ..compiled.reading import Trajectory
from ..compiled.slopes import places_moved
from ..errors import ModelError, counted
from ..kernels.blocks import block
from ..poses.dependence import PoseRank
from ..readings.motion import computed
from ..results.result import Result, State
from .parameters import DesignVariables
from .results import KINEMATIC, VariedResult, set_varied
from .runs.linear import linear
from .variation import Variation, vary_motion


@dataclass(frozen=True, eq=False)
class VariedSweep(VariedResult):
    """Poses that equations determine for every value of the parameter that is swept."""

    @cached_property
    def swept(self) -> PoseSequence:
        swept = computed(self.result).swept
        assert swept is not None
        return swept

    @cached_property
    def path(self) -> Any:
        """Return the poses with derivatives; each is a motion of one moment, with the numbers of its design."""
        system, own, count = self.system, self.motion, len(self.variables.names)
        batch, machine = system.structure.program.batch, system.machine()
        designs = batch.numbers_along(system.evaluator, *self.swept)
        slopes = [batch.slopes_along(system.evaluator, *self.swept, symbol) for symbol in self.variables.symbols]
        builder = lean_builder(system.structure, KINEMATIC, np.concatenate(slopes))
        to = filled(builder, system)
        moved = np.zeros((3, count, own.t.size, own.v.shape[1]))
        for k, numbers in enumerate(designs):
            for filling in (machine.program.batch, to.constraints.batch):
                filling.parameters[:] = numbers
            x, v, a = np.zeros((3, count, own.v.shape[1]))
            out = Variation(x, v, a, np.zeros((0, 0)))
            one = Trajectory(*(x[k : k + 1] for x in own))
            vary_motion(machine, linear(builder, to, np.array([x[k] for x in slopes])), block(one), block(out))
            moved[:, :, k] = out[:3]
        q: Any = self.dual(own.q, places_moved(system.structure, own.q, moved[0]))
        rates: Any = self.dual(own.v, moved[1]), self.dual(own.a, moved[2])
        return Trajectory(own.t, q, *rates)


def sweep_with_derivatives(result: Result, variables: DesignVariables | None) -> Result:
    if variables is not None:
        set_varied(result, VariedSweep(result, variables))
    return result


def check_determined(first: State, variables: DesignVariables | None) -> None:
    """Refuse a sweep that leaves freedom: there each pose depends on all poses before."""
    system: System = first.system
    rows = range(len(system.rows))
    free = system.nv - len(rows) + len(PoseRank(system, first.t, first.full_q).dependent(rows))
    if variables is not None and free > 0:
        what = f"a sweep leaves {counted(free, 'degree')} of freedom of {system.model.name!r} to the pose before"
        raise ModelError(
            f"{what}; add drivers to differentiate it, or ask assemble(..., derivatives=) for each value",
            code="undriven-freedom", model=system.model.name,
        )  # fmt: skip
