"""Passages of the two ends of a force through each other, where the direction of the force reverses; and passages of
other roots in a force through zero.

A force along the line between two points has the direction d/|d|. Where the points pass through each other, d = 0, it
jumps, and no function of the motion changes its sign there: |d| only touches zero. The projection g = d · e of the
distance onto its direction e before the passage changes its sign, and takes the place of a switching function. With
y' = f₋ before and f₊ behind the passage, and S = ∂y/∂p at a held time,

    t' = -(∂d/∂p · e) / (ḋ · e),        S₊ = S₋ + (f₋ - f₊) t'.

This holds by parameters that move d along e alone, as in all motions along a line. A parameter that moves the ends
sideways lets them pass beside each other: the direction then turns through the offset ρ within the time ρ/|ḋ|, and the
motion behind changes with ρ log ρ, which has no derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..compiled import System
from ..model.forces.base import EffortElement
from ..model.measures import Quantity
from ..symbolic.branches import bounds_of
from ..symbolic.derive import Relation
from ..symbolic.loads import Load
from ..symbolic.markers import marker_symbols, t, variables
from ..symbolic.markers.primitives import distance
from ..tolerances import END_DISTANCE, SIDE_MOTION

PIECES = 64
"""The number of pieces of a cubic, each taken as straight: off by less than 1/8 of the bend over 64²."""
TURNS = 0.1
"""Ends that come closer than this part pass each other, in a step that does not resolve how the direction turns. Where
ends stay farther apart the direction turns by degrees, and the errors of steps tell whether they are short enough."""


class Passage(NamedTuple):
    """The ends of a force that pass each other in one step."""

    step: int
    """The number of the step in the run."""
    t: float
    what: str
    """A description of the passage, in words."""
    force: int
    """The number of the force in `Reversals`."""
    meets: bool
    """Whether the ends meet and go on to the other side; otherwise they come close, and the direction is not known."""

    @property
    def message(self) -> str:
        return f"at t = {self.t:.6g} {self.what}, or all but, and its direction turns within one step"

    def told_within(self, t: float) -> str:
        """Return a message that a requested time t in the step of the passage has no derivatives."""
        return f"none at t = {t:.9g} itself: in the step around it {self.what}"


def has_jump(element: EffortElement) -> bool:
    """Return whether the force F(s, ṡ) d/s jumps where d passes zero. Behind zero ṡ and d/s go on with the other sign,
    so that the force jumps by the even part F(0, ṡ) + F(0, -ṡ)."""
    effort = element.effort_expression
    own = [q for q in effort.atoms(Quantity) if q.measure == element.measure]
    there, back = ({q: q * sign if q.level else sp.S.Zero for q in own} for sign in (1, -1))
    return bool(sp.simplify(effort.xreplace(there) + effort.xreplace(back)) != 0)


def _size(constant: sp.Expr, number: Callable[[sp.Symbol], float]) -> float:
    """Return the size of an expression of constants; 0 for an expression of time."""
    values = {symbol: number(symbol) for symbol in constant.free_symbols}
    return 0.0 if t in values else abs(float(constant.subs(values)))


def under_root(base: sp.Expr, number: Callable[[sp.Symbol], float]) -> tuple[sp.Expr, ...] | None:
    """Return the u of a sum of squares `base` = Σ u², or None for other expressions. Constants are squares if their
    values, by `number`, are not negative."""
    found = list[sp.Expr]()
    for term in sp.Add.make_args(base):
        root = sp.S.One
        for factor in sp.Mul.make_args(term):
            power = factor.as_base_exp()
            if power[1].is_Integer and power[1] % 2 == 0:
                root *= power[0] ** (power[1] / 2)
            elif factor.is_number and factor.is_nonnegative or factor.is_Symbol and number(factor) >= 0.0:
                root *= sp.sqrt(factor)
            else:
                return None
        found.append(root)
    return tuple(found)


@lru_cache(maxsize=4096)
def square_roots_of(element: Any) -> tuple[tuple[sp.Expr | None, Any], ...]:
    """Return the square roots in a force, whatever the parameters of its model: those of the distance of two of its
    markers, across which the force jumps, as (None, both markers); all others as (what stands under the root, None)."""
    load, _ = element.form()
    if not isinstance(load, Load):  # a force in Python is differenced as steps read it
        return ()
    pieces = (sp.Abs, sp.Max, sp.Min, sp.Piecewise, sp.sign, sp.Heaviside)
    along = {
        distance(*own) ** 2: (element.markers[k], element.markers[m])
        for (k, i), (m, j) in combinations(enumerate(load.markers), 2)
        for own in ((i, j), (j, i))
    }
    steps, found = dict(load.steps), list[tuple[sp.Expr | None, Any]]()
    bases = {e.base for row in load.total for e in row.atoms(sp.Pow) if e.exp.is_Rational and e.exp.q == 2}
    for base in sorted(bases, key=sp.default_sort_key):
        if base not in along:
            while base.free_symbols & {*steps}:
                base = base.xreplace(steps)
            if not (base.has(*pieces) and bounds_of(base)[0] >= 0.0):  # else it is zero where a law switches
                found.append((base, None))
        elif not isinstance(element, EffortElement) or has_jump(element):
            found.append((None, along[base]))
    return tuple(found)


class Reversals:
    """The forces of a model with a direction d/|d|, and the passages of their ends as a run goes: forces along the line
    between two points, and forces written with a root of a sum of squares, √(Σ u²) = |d|. An expression under a root
    that is no sum of squares is watched itself, as d², where it touches zero; where it passes, a law switches or
    ends."""

    def __init__(self, system: System):
        """`system` is in the coordinates of bodies."""
        self.names, self.squared, relations = list[str](), list[bool](), list[Any]()
        self._last: tuple[np.ndarray, np.ndarray] | None = None
        self._steps = 0
        self.passages = list[Passage]()
        symbols = marker_symbols(2, system.model.dimension)
        between = Relation(symbols, tuple(symbols[1].point - symbols[0].point))
        for element in system.model.forces:
            if not (roots_of_load := square_roots_of(element)):
                continue
            load, slots = element.form()
            known = {*variables(load.markers)[0], *slots, t}

            def value(symbol: sp.Symbol, slots: Mapping[sp.Symbol, Any] = slots) -> float:
                return system.evaluator(slots[symbol]) if symbol in slots else -1.0

            for base, ends in roots_of_load:
                if base is None:
                    self.names.append(f"the ends of {element.who} meet")
                    relations.append((between, ends, {}))
                    self.squared.append(False)
                    continue
                if not base.free_symbols or base.free_symbols - known:
                    continue  # rates pass zero where a motion turns, and a run does not go on with a force that jumps
                roots = under_root(base, value) or under_root(sp.factor(base), value)
                places = {*variables(load.markers)[0]}
                rows = [root for root in roots or (base,) if root.free_symbols & places]
                if not rows or any(_size(root, value) for root in roots or () if not root.free_symbols & places):
                    continue  # with a constant other than 0 the sum is never 0
                own = {s: slots[s] for s in slots if any(row.has(s) for row in rows)}
                self.names.append(f"a root in {element.who} reaches 0")
                relations.append((Relation(load.markers, tuple(rows), slots=tuple(own)), element.markers, own))
                self.squared.append(roots is None)
        self._ends = np.cumsum([len(relation.phi) for relation, *_ in relations])
        self._reader = system.reader_of_all(relations) if relations else None

    def distances(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return d and ḋ of each force, (forces, 2, times, n), at coordinates and velocities of the bodies; a d with
        fewer than n entries has zeros behind them."""
        return padded([d[:2] for d in self.read(t, q, v, np.zeros_like(v))])

    def read(self, t: np.ndarray, q: Any, v: Any, a: Any) -> list[Any]:
        """Return d, ḋ and d̈ of each force, (3, times, n), of a motion of the bodies, which may vary with parameters."""
        if self._reader is None:
            return []
        rows = self._reader(t, q, v, a)
        return [rows[:, :, begin:end] for begin, end in pairwise([0, *self._ends.tolist()])]

    def follow(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Note the passages in the steps from the last state to these, (times, coordinates of the bodies), one after
        the other."""
        if not self.names or not len(t):
            return
        d = self.distances(t, q, v)
        if self._last is not None:
            t, d = np.concatenate([self._last[0], t]), np.concatenate([self._last[1], d], axis=2)
        self._last = t[-1:], d[:, :, -1:]
        self.passages += self.passages_between(t, d, self._steps)
        self._steps += int(np.count_nonzero(np.diff(t) > 0.0))

    def passages_between(self, t: np.ndarray, d: np.ndarray, steps: int = 0) -> list[Passage]:
        """Return the passages in the steps between the times t, at which `distances` are d; the first step is number
        `steps` of the run. Within a step d is taken as the cubic in time with the d and ḋ of both ends."""
        found = list[Passage]()
        (d0, v0), (d1, v1) = (np.moveaxis(x, 1, 0) for x in (d[:, :, :-1], d[:, :, 1:]))  # each (forces, steps, 3)
        squared = np.array(self.squared, dtype=bool)[:, None]
        across = ((d0 * d1).sum(axis=2) < 0.0) & ~squared
        inward = ((d0 * v0).sum(axis=2) < 0.0) & ((d1 * v1).sum(axis=2) > 0.0)
        inward &= ~squared | ((v0 * v1).sum(axis=2) < 0.0)
        forward = np.diff(t) > 0.0
        u = np.linspace(0.0, 1.0, PIECES + 1)[:, None]
        for n, k in np.argwhere(((across | inward) & forward).T):
            h = t[n + 1] - t[n]
            path = (1 + 2 * u) * (1 - u) ** 2 * d0[k, n] + u**2 * (3 - 2 * u) * d1[k, n]
            path += h * u * (1 - u) * ((1 - u) * v0[k, n] - u * v1[k, n])
            piece = np.diff(path, axis=0)
            at = -(path[:-1] * piece).sum(axis=1) / np.maximum((piece**2).sum(axis=1), np.finfo(float).tiny)
            at = np.clip(at, 0.0, 1.0)
            gap = np.linalg.norm(path[:-1] + at[:, None] * piece, axis=1)
            p, least = int(gap.argmin()), min(np.linalg.norm(d0[k, n]), np.linalg.norm(d1[k, n]))
            if gap[p] <= (TURNS**2 if self.squared[k] else TURNS) * least:
                step = steps + int(np.count_nonzero(forward[:n]))
                when, straight = (
                    float(t[n] + h * (p + at[p]) / PIECES),
                    bool(across[k, n] and gap[p] <= END_DISTANCE * least),
                )
                meets = straight and not self.squared[k]
                found.append(Passage(step, when, self.names[k], int(k), meets))
        return found


def padded(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return arrays whose last axes have several lengths as one array, with zeros behind."""
    width = max((own.shape[-1] for own in rows), default=0)
    return np.array([np.pad(own, [(0, 0)] * (own.ndim - 1) + [(0, width - own.shape[-1])]) for own in rows])


class Sides(NamedTuple):
    """A run where the ends of a force meet."""

    before: float
    """The time from the beginning of the step to the passage, s."""
    behind: float
    """The time from the passage to the end of the step, s."""
    y: np.ndarray
    f_before: np.ndarray
    """y' before the passage."""
    f_behind: np.ndarray
    """y' behind the passage."""


def sides_of(
    passage: Passage, t: tuple[float, float], y: Sequence[np.ndarray], dy: Sequence[np.ndarray],
    rate: Callable[[float, np.ndarray], np.ndarray],
) -> Sides:  # fmt: skip
    """Return the sides of a passage, from times, states and y' at both ends of a step of length h, to second order in
    h. y' is extrapolated to the passage by its change over h before the step, and over h behind the step; `rate`
    returns y' at a time and a state there."""
    h, (first, last) = t[1] - t[0], dy
    before, behind = passage.t - t[0], t[1] - passage.t
    f_before = first + before / h * (first - rate(t[0] - h, y[0] - h * first))
    f_behind = last - behind / h * (rate(t[1] + h, y[1] + h * last) - last)
    return Sides(before, behind, y[0] + 0.5 * before * (first + f_before), f_before, f_behind)


def passage_moved(
    passages: Sequence[Passage], d: np.ndarray, slopes: np.ndarray, rates: np.ndarray, meeting: np.ndarray,
    reach: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Return t' by each parameter, of passages in one step; nan where the ends do not meet on one line, or where
    several forces pass that pass one after the other in a neighbouring run. At the beginning of the step distances are
    d, (forces, 2 or 3), with the direction e, and change by `slopes`, (parameters, forces, 2 or 3), which say whether
    parameters move the ends along e; at the passage distances change by `meeting`, and with time by `rates`. `reach`,
    (parameters,), is how far bodies move by each parameter."""
    times = np.full((len(passages), len(slopes)), np.nan)
    for own, one in zip(times, passages, strict=True):
        e, slope = d[one.force] / np.linalg.norm(d[one.force]), slopes[:, one.force]
        sideways = np.linalg.norm(slope - np.outer(slope @ e, e), axis=1)
        meets = one.meets & (sideways <= SIDE_MOTION * (np.linalg.norm(slope, axis=1) + reach))
        own[:] = np.where(meets, -(meeting[:, one.force] @ e) / (rates[one.force] @ e), np.nan)
    return np.where(np.ptp(times, axis=0) <= SIDE_MOTION * np.abs(times).max(axis=0), times[0], np.nan)
