"""Run designs, each at most once for all its values, slopes and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import MbsError
from ..results.result import Result
from .analysis import Analysis
from .changes import Changing, Numbers, listed, single
from .limits import Limit
from .objectives.objective import Measured, NotSmooth


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A design that was run, with the values that a search reads."""

    row: np.ndarray
    wanted: Numbers
    """The values to minimise: a number, or all entries of an array."""
    limited: tuple[Numbers, ...]
    """The values of each limit, as a list."""
    changing: Changing

    @property
    def result(self) -> Result:
        return self.changing.result


@dataclass(frozen=True, eq=False)
class Failed:
    """A design without a motion, because it does not assemble or stops on the way; or without derivatives, because its
    motion meets a change point."""

    row: np.ndarray
    error: MbsError


@dataclass(eq=False)
class Runs:
    """The runs of a search. The last four are cached, because a search reads a value, its slope and the limits in
    turn."""

    analysis: Analysis
    wanted: Sequence[Measured]
    limits: tuple[Limit, ...]
    is_number: bool
    """Whether the search minimises a single number."""
    may_stop: bool = False
    """Whether events may stop runs: values then cover the time until the event."""
    count: int = 0
    failures: list[Failed] = field(default_factory=list)
    tried: np.ndarray | None = None
    """The last design that was requested."""
    _last: dict[bytes, Evaluation | Failed] = field(default_factory=dict)

    def at(self, row: np.ndarray) -> Evaluation | Failed:
        self.tried = row = np.array(row, dtype=float)
        key = row.tobytes()
        if key not in self._last:
            made = self._run(row)
            self._last = dict([*self._last.items()][-3:]) | {key: made}
        return self._last[key]

    def _run(self, row: np.ndarray) -> Evaluation | Failed:
        self.count += 1
        try:
            result = self.analysis.result(row, self.may_stop)
        except MbsError as error:
            self.failures.append(Failed(row, error))
            return self.failures[-1]
        count = len(self.wanted)
        changing = Changing(self.analysis, row, result, (*self.wanted, *(one.measured for one in self.limits)))
        parts = changing.parts()
        if result.stats.get("derivatives"):  # a note on derivatives: a step may meet a change point by accident
            try:
                changing.slopes  # noqa: B018
            except NotSmooth as error:
                self.failures.append(Failed(row, error))
                return self.failures[-1]
        wanted = single(parts[0]) if self.is_number else listed(parts[:count])
        return Evaluation(row, wanted, tuple(listed([one]) for one in parts[count:]), changing)
