"""Runs of designs: each at most once, with everything that is asked of it and how that changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..duals import Dual
from ..errors import MbsError
from .analysis import Analysis
from .limits import Limit
from .objectives.objective import Measured, array_of, number_of
from .objectives.readings import Varying


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A design that was run."""

    row: np.ndarray
    wanted: Dual
    """What is to be small: a number, or of several kinds all their entries."""
    limited: tuple[Dual, ...]
    """Of each limit."""
    readings: Varying


@dataclass(frozen=True, eq=False)
class Failed:
    """A design that has no motion: it does not assemble, or stops on the way."""

    row: np.ndarray
    error: MbsError


@dataclass(eq=False)
class Runs:
    """Designs as they are asked for. What was run last is kept: a search asks for a value, its slope, and limits, in
    turn."""

    analysis: Analysis
    wanted: Sequence[Measured]
    limits: tuple[Limit, ...]
    is_number: bool
    """Whether a single number is wanted."""
    count: int = 0
    failures: list[Failed] = field(default_factory=list)
    tried: np.ndarray | None = None
    """The design that was run last."""
    _last: dict[bytes, Evaluation | Failed] = field(default_factory=dict)

    def at(self, row: np.ndarray) -> Evaluation | Failed:
        key = np.asarray(row, dtype=float).tobytes()
        if key not in self._last:
            made = self._run(np.array(row, dtype=float))
            self._last = dict([*self._last.items()][-3:]) | {key: made}
        return self._last[key]

    def _run(self, row: np.ndarray) -> Evaluation | Failed:
        self.count, self.tried = self.count + 1, row
        try:
            readings = self.analysis.readings(row)
        except MbsError as error:
            self.failures.append(Failed(row, error))
            return self.failures[-1]
        return self._evaluated(row, readings)

    def _evaluated(self, row: np.ndarray, readings: Varying) -> Evaluation:
        if self.is_number:
            wanted = number_of(self.wanted[0], readings)
        else:
            parts = [array_of(one, readings).ravel() for one in self.wanted]
            value = np.concatenate([one.value for one in parts])
            wanted = Dual(value, np.concatenate([one.slope for one in parts], axis=1), readings.by)
        return Evaluation(row, wanted, tuple(one.of(readings) for one in self.limits), readings)
