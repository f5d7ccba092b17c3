"""All solutions of a generic member of a model's family, computed once for each structure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import AssemblyError
from .equations.closure import Closure
from .equations.family import Family
from .monodromy import Known, searched
from .paths import DONE, track
from .start import beside, first_solution, independent_rows
from .traces import Trace

MOST = 5000
"""The search ends with more solutions than this."""
TESTS = 6
"""Number of repetitions of the search by loops while the trace test fails."""
STARTS = 8


@dataclass(frozen=True, eq=False)
class Generic:
    """A generic member with all its solutions."""

    family: Family
    numbers: np.ndarray
    x: np.ndarray
    complete: bool | None
    """The result of the trace test; None where the test is inconclusive."""
    ratio: float
    """The deviation of the trace from an affine function, see `Trace.ratio`."""
    seed: int

    @property
    def count(self) -> int:
        return self.x.shape[1]


def generic_of(closure: Closure, seed: int) -> Generic:
    """Return a generic member with its solutions, beginning at a pose near the placement."""
    random = np.random.default_rng(seed)
    x, numbers = first_solution(closure)
    family = Family(closure, independent_rows(closure, x, numbers, random))
    if family.rows.size < closure.unknowns:
        return Generic(family, numbers, x[:, None], None, np.nan, seed)
    known = _begun(family, numbers, x, random)
    trace, complete = Trace(family, known.numbers, random), None
    for _ in range(TESTS):
        searched(family, known, random, MOST)
        if complete := trace(known):
            break
    return Generic(family, known.numbers, known.x, complete, trace.ratio, seed)


def _begun(family: Family, numbers: np.ndarray, x: np.ndarray, random: np.random.Generator) -> Known:
    """Return a generic member with one solution: the end of a path from the given solution."""
    for k in range(STARTS):
        if k >= STARTS // 2:
            x, numbers = beside(family.closure, random)
        member = family.random_member(random, family.closure.values)
        bend = np.array([complex(*random.normal(size=2))])
        ends = track(family.between(numbers, member, np.zeros(1), bend), x[:, None])
        if ends.status[0] == DONE:
            return Known(family, member, ends.x)
    what = f"the placement of {family.closure.system.model.name!r} is no regular pose to begin with: every path from it"
    raise AssemblyError(f"{what} is lost; place bodies in another pose", kind="bad guess", joints=(), residuals={})
