"""Steps that are graded towards the switches of steep laws.

A law is steep where its slope, or the rate of its slope, has no bound: k δ³ᐟ² at δ = 0, as in Hertz' contact, √|u| at
u = 0, acos u at u = 1. The motion is smooth enough there for steps of ordinary length. Its changes with parameters are
integrals of slopes, and a quadrature of δ¹ᐟ² over one step h from δ = 0 is off by a fixed part of h³ᐟ². Steps that grow
from the switch in a geometric sequence,

    t = t* ± W GROWTH⁻ᵏ,      k = 0, 1, ..., LEVELS,

make this part as small as that of smooth laws. A run with derivatives therefore is made once more in such steps, if one
of its steep laws has switched, and the record of this second run is differentiated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import sympy as sp

from ...compiled import System
from ...model.element import Element
from ...model.parameters import Number
from ...motion.past.tape import BROKE, FRESH, T0, T1
from ...symbolic.branches import RANGES, SWITCHING, UNBOUNDED, Bounds, bounds_of, range_of
from ...symbolic.derive import Relation
from ...symbolic.functions import as_sympy, written_out
from ...symbolic.markers import t as time
from ...tolerances import GRADING_DISTANCE, STEEP_ARGUMENT

GROWTH, LEVELS = 1.5, 40
"""The ratio of the distances of two consecutive times from a switch, and the number of these ratios on each side: the
nearest time is 10⁻⁷ of the farthest away. A ball that bounces on k δ³ᐟ² with rtol 1e-8 has a derivative of its height
that is off by 4e-3 without grading, by 3e-6 with a ratio of 2, and by 3e-7 with 1.5."""
WIDTH = 4
"""The distance W of the farthest time from a switch is the length of so many steps next to it."""
OF_STATE, OF_TIME, INFINITE = "state", "time", "infinite"
INFINITE_SLOPE = "a law may have an infinite slope where it switches, as a root at zero: derivatives have three digits"
"""The remark in a result with derivatives on a law with an infinite slope: even the shortest step next to the switch
integrates it with an error."""
FIXED_STEPS = "they may be wrong behind a switch of a law whose slope, or its rate, has no bound there; leave step= out"
"""The remark on runs by steps of one length, which are not graded."""


def steep_laws(system: System) -> frozenset[str]:
    """Return the kinds of steep laws among the loads of a system: functions of the state (`OF_STATE`), of time alone
    (`OF_TIME`), and such with an infinite slope (`INFINITE`)."""
    found: frozenset[str] = system.cartesian.once(_kinds)
    return found


def _kinds(system: System) -> frozenset[str]:
    kinds = set[str]()
    for kind, exponent in (law for element in system.model.elements.values() for law in _steep_laws(element)):
        n = 1.5 if exponent is None else system.evaluator(exponent)
        kinds |= {kind, INFINITE} if 0.0 < n < 1.0 else {kind} if 0.0 < n < 2.0 else set()  # n < 0: a pole
    return frozenset(kinds)


@lru_cache(maxsize=4096)
def _steep_laws(element: Element) -> frozenset[tuple[str, Number | None]]:
    """Return the laws of an element that are steep if their exponent n, a number or an expression of parameters, is
    between 0 and 2: each as its kind and n; ½ for logarithms and inverse functions, None if the argument stays above
    zero by next to nothing. These are roots, fractional powers, logarithms and inverse functions whose argument may
    leave the range in which they have a value, or has a switch in it and may fall below `STEEP_ARGUMENT`. A length,
    √(x² + y²), is not among them: derivatives end where it is zero (`derivatives.reversals`)."""
    found = set[tuple[str, Number | None]]()
    for form, slots in element.forms():
        if isinstance(form, Relation):
            continue
        values, constants = dict(form.steps), {s for s in slots if s not in form.signals}
        written = {s: as_sympy(slots[s]) for s in constants}
        numbers = {s: e for s, e in written.items() if e.is_Number}
        for e in map(written_out, (*values.values(), *form.expressions)):
            for root in e.atoms(sp.Pow, *RANGES):
                margin = range_of(root)
                if margin is None or not (moving := _symbols_of(margin, values) - constants):
                    continue
                least = _bounds(margin, values | numbers)[0]
                if least < 0.0 or (least < STEEP_ARGUMENT and _has_switch(margin, values)):
                    exponent = root.exp.xreplace(written) if root.is_Pow else sp.S.Half
                    found.add((OF_TIME if moving == {time} else OF_STATE, exponent if least <= 0.0 else None))
    return frozenset(found)


def _symbols_of(e: sp.Basic, values: Mapping[sp.Basic, sp.Expr]) -> set[sp.Basic]:
    return set[sp.Basic]().union(*(_symbols_of(values[s], values) if s in values else {s} for s in e.free_symbols))


def _has_switch(e: sp.Basic, values: Mapping[sp.Basic, sp.Expr]) -> bool:
    return e.has(*SWITCHING) or any(_has_switch(values[s], values) for s in e.free_symbols if s in values)


def _bounds(e: sp.Basic, values: Mapping[sp.Basic, sp.Expr]) -> Bounds:
    return bounds_of(e, lambda s: _bounds(values[s], values) if s in values else UNBOUNDED)


class Grading(NamedTuple):
    """The times about which steps are graded, and the distances W of the farthest ends before and behind, in s."""

    centres: np.ndarray
    before: np.ndarray
    behind: np.ndarray

    @property
    def times(self) -> np.ndarray:
        """Return the times at which steps end; a step that ended on a switch would let roundoff decide about it."""
        parts, t = GROWTH ** -np.arange(LEVELS + 1.0), self.centres[:, None]
        sides = t - self.before[:, None] * parts, t + self.behind[:, None] * parts
        return np.unique(np.concatenate([side.ravel() for side in sides]))

    def moved_to(self, centres: np.ndarray) -> Grading:
        """Return a grading about other centres, each with the distances of the nearest centre of this one."""
        nearest = np.abs(self.centres - centres[:, None]).argmin(axis=1)
        return Grading(centres, self.before[nearest], self.behind[nearest])

    def covers(self, centres: np.ndarray) -> bool:
        """Return whether steps of this grading are short at all these times."""
        off = np.abs(self.centres - centres[:, None])
        nearest, least = off.argmin(axis=1), off.min(axis=1)
        return bool((least <= GRADING_DISTANCE * np.minimum(self.before, self.behind)[nearest]).all())


def grading_of(laws: frozenset[str], heads: np.ndarray, switched: Iterable[int]) -> Grading | None:
    """Return the grading of steps with these `heads`: where the steep `laws` are functions of the state, about the
    beginnings of the steps before which laws have `switched`; where they are functions of time, about all breaks of the
    run. None if there are none of these."""
    at = {*switched} if OF_STATE in laws else set[int]()
    if OF_TIME in laws:
        at |= set(np.flatnonzero(heads[:, FRESH] == BROKE).tolist())
    if not at:
        return None
    places, ends = np.array(sorted(at)), np.append(heads[:, T0], heads[-1, T1])
    behind = ends[np.minimum(places + WIDTH, len(heads))] - ends[places]
    before = ends[places] - ends[np.maximum(places - WIDTH, 0)]
    return Grading(ends[places], np.where(before > 0.0, before, behind), np.where(behind > 0.0, behind, before))


def merge_times(turns: tuple[np.ndarray, np.ndarray], times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `turns`, times with the farthest end of a step that begins before the first of them, between two, or
    behind the last (`farthest_ends`), with `times` merged in: no step goes beyond the next of these either."""
    if not times.size:
        return turns
    both, farthest = np.union1d(turns[0], times), np.append(times, np.inf)
    begins = np.append(-np.inf, both)
    ends = turns[1][np.searchsorted(turns[0], begins, side="right")]
    return both, np.minimum(ends, farthest[np.searchsorted(times, begins, side="right")])
