"""All solutions of a generic member of a model's family, computed once for each structure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compiled import System
from ..errors import AssemblyError
from .closure import ClosureSystem, MechanismFamily, closure_of
from .monodromy import SolutionSet, search
from .paths import DONE, track
from .start import first_solution, independent_rows, second_solution
from .traces import TraceTest

MOST = 5000
"""The search ends with more solutions than this."""
TESTS = 6
"""Number of repetitions of the search by loops while the trace test fails."""
STARTS = 8


@dataclass(frozen=True, eq=False)
class Generic:
    """A generic member with all its solutions."""

    family: MechanismFamily
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


def generic_of(closure: ClosureSystem, seed: int) -> Generic:
    """Return a generic member with its solutions, beginning at a pose near the placement."""
    random = np.random.default_rng(seed)
    x, numbers = first_solution(closure)
    family = MechanismFamily(closure, independent_rows(closure, x, numbers, random))
    if family.rows.size < closure.unknowns:
        return Generic(family, numbers, x[:, None], None, np.nan, seed)
    solutions = _first_member(family, numbers, x, random)
    trace, complete = TraceTest(family, solutions.numbers, random), None
    for _ in range(TESTS):
        search(family, solutions, random, MOST)
        if complete := trace(solutions):
            break
    return Generic(family, solutions.numbers, solutions.x, complete, trace.ratio, seed)


def _first_member(
    family: MechanismFamily, numbers: np.ndarray, x: np.ndarray, random: np.random.Generator
) -> SolutionSet:
    """Return a generic member with one solution: the end of a path from the given solution."""
    for k in range(STARTS):
        if k >= STARTS // 2:
            x, numbers = second_solution(family.closure, random)
        member = family.random_member(random, family.closure.values)
        bend = np.array([complex(*random.normal(size=2))])
        ends = track(family.between(numbers, member, np.zeros(1), bend), x[:, None])
        if ends.status[0] == DONE:
            return SolutionSet(family, member, ends.x)
    what = f"the placement of {family.closure.system.model.name!r} is not a regular pose to begin with: every path"
    raise AssemblyError(
        f"{what} from it is lost; place bodies in another pose",
        code="paths-lost", model=family.closure.system.model.name, kind="bad guess", joints=(), residuals={},
    )  # fmt: skip


def stored_generic(system: System, time: float, seed: int) -> tuple[ClosureSystem, Generic]:
    """Return the equations of a model, and all solutions of a generic member of its family. The generic member serves
    other values of parameters and drivers, as long as directions and coinciding points of bodies stay."""
    closure = closure_of(system, time)
    fixed = np.ones(closure.count, dtype=bool)
    fixed[[place for at in closure.places.values() for place in at]] = False
    together = tuple(tuple(at) for at in closure.places.values())
    key = ("modes", seed, together, tuple(closure.values[fixed].round(12)))
    return closure, system.structure.kept(key, lambda: generic_of(closure, seed))
