"""Run designs, each at most once for all its values, slopes and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import MbsError
from ..results.result import Result
from .analysis import Analysis
from .changes import DesignOutputs, SlopedValues, concatenate, single
from .limits import Limit
from .objectives.objective import NotSmooth, ObjectiveFunction


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A design that was run, with the values that a search reads."""

    row: np.ndarray
    objective: SlopedValues
    """The values to minimise: a number, or all entries of an array."""
    limited: tuple[SlopedValues, ...]
    """The values of each limit, as a list."""
    outputs: DesignOutputs

    @property
    def result(self) -> Result:
        return self.outputs.result


@dataclass(frozen=True, eq=False)
class FailedRun:
    """A design without a motion, because it does not assemble or stops on the way; or without derivatives, because its
    motion meets a change point."""

    row: np.ndarray
    error: MbsError


@dataclass(eq=False)
class DesignRuns:
    """The runs of a search. The last four are cached, because a search reads a value, its slope and the limits in
    turn."""

    analysis: Analysis
    objectives: Sequence[ObjectiveFunction]
    limits: tuple[Limit, ...]
    is_number: bool
    """Whether the search minimises a single number."""
    may_stop: bool = False
    """Whether events may stop runs: values then cover the time until the event."""
    count: int = 0
    failures: list[FailedRun] = field(default_factory=list)
    tried: np.ndarray | None = None
    """The last design that was requested."""
    _last: dict[bytes, Evaluation | FailedRun] = field(default_factory=dict)

    def at(self, row: np.ndarray) -> Evaluation | FailedRun:
        self.tried = row = np.array(row, dtype=float)
        key = row.tobytes()
        if key not in self._last:
            run = self._run(row)
            self._last = dict([*self._last.items()][-3:]) | {key: run}
        return self._last[key]

    def _run(self, row: np.ndarray) -> Evaluation | FailedRun:
        self.count += 1
        try:
            result = self.analysis.result(row, self.may_stop)
        except MbsError as error:
            self.failures.append(FailedRun(row, error))
            return self.failures[-1]
        count = len(self.objectives)
        outputs = DesignOutputs(self.analysis, row, result, (*self.objectives, *(one.measured for one in self.limits)))
        parts = outputs.parts()
        if result.stats.get("derivatives"):  # a note on derivatives: a step may meet a change point by accident
            try:
                outputs.differentiate()
            except NotSmooth as error:
                self.failures.append(FailedRun(row, error))
                return self.failures[-1]
        objective = single(parts[0]) if self.is_number else concatenate(parts[:count])
        return Evaluation(row, objective, tuple(concatenate([one]) for one in parts[count:]), outputs)
