"""Runs of designs: each at most once, with everything that is asked of it."""

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
    """A design that was run."""

    row: np.ndarray
    wanted: Numbers
    """What is to be small: a number, or of several kinds all their entries."""
    limited: tuple[Numbers, ...]
    """Of each limit, as a list."""
    changing: Changing

    @property
    def result(self) -> Result:
        return self.changing.result


@dataclass(frozen=True, eq=False)
class Failed:
    """A design that has no motion, since it does not assemble or stops on the way; or whose motion has no derivatives,
    since it stands on a change point."""

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
    may_stop: bool = False
    """Whether events may stop runs: what is wanted is then of the time that there was."""
    count: int = 0
    failures: list[Failed] = field(default_factory=list)
    tried: np.ndarray | None = None
    """The design that was asked for last."""
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
        if result.stats.get("derivatives"):  # a note: on a change point, say, which a step may meet by accident
            try:
                changing.slopes  # noqa: B018
            except NotSmooth as error:
                self.failures.append(Failed(row, error))
                return self.failures[-1]
        wanted = single(parts[0]) if self.is_number else listed(parts[:count])
        return Evaluation(row, wanted, tuple(listed([one]) for one in parts[count:]), changing)
