"""Neighbouring runs: of neighbouring states, and of neighbouring designs, at the same steps.

A step of a run, or an impact, is a smooth function f of the state and of the numbers of the design as long as branches,
contacts and lengths of steps are held. The derivative of f along a direction S of the state and by a parameter is

    D f = 1/ε Σ wᵢ f(y + cᵢ ε S) + 1/Δ Σ wᵢ f(y; p + cᵢ Δ),        c = (-2, -1, 1, 2),   w = (1, -8, 8, -1)/12,

with an error of order ε⁴: for ε = 3·10⁻⁴ of the units of states 10⁻¹² or less, or, where a stiff force turns with the
motion, 10⁻⁹ of an implicit step. Where Δ S is no more than some of these ε both are taken at once, of
f(y + cᵢ Δ S; p + cᵢ Δ): there stiff springs are as long as in the motion of that design. Differences are taken of one
step, each with an ε of its own, so that errors do not grow along a motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...kernels.blocks import address_of, block
from ...motion.course import SPAN, Course
from ...motion.implicit.iteration import FROM
from ...motion.methods.stepping import Stepping
from ...motion.record import new_march
from ...motion.stabilise import Stabilization
from ..designs import BACKWARD, CENTRAL, FORWARD, SMALL, Stencil
from ..reversals import Reversals
from .again import read_here

SIDES = CENTRAL, FORWARD, BACKWARD
MOMENT, PAUSE = 0.03, 1e-2
"""Neighbours are met earlier or later by at most twice the first part of a pause, which is the second part of a run if
nothing is known of how fast its laws change in time."""
FAR = 4.0
"""The largest displacement of states together with a design, in ε."""
NEAR = 0.1
"""Ends of a force that are closer than this part of the model's length may meet in a neighbour: neighbours are moved by
at most 2 FAR ε = 2.4·10⁻³ of each place and angle."""
OTHER = {0: 1, 1: -1}
"""The side of neighbours to try next, where they pass something that the run does not: above (1) after both (0), below
(-1) after above."""

Made = Callable[["Beside", np.ndarray, float], np.ndarray]
"""A function that is differentiated: of a neighbouring run, its state, and its delay in s."""
MadeOfAll = Callable[["Sequence[Beside]", np.ndarray, np.ndarray], np.ndarray]
"""A function of several neighbouring runs, their states and their delays, with a row of results for each."""


class Stands(NamedTuple):
    """Copies of the words and of the place in the course (`Course.at`) of a run at one instant."""

    words: np.ndarray
    at: np.ndarray


def stands(march: Any) -> Stands:
    return Stands(march.words.copy(), march.course.at.copy())


def course_like(march: Any) -> Course:
    """Return a course with the fields of that of a run, for a neighbouring run."""
    own = march.course
    return block(Course(*(getattr(own, name) for name in Course._fields if name != "at")))


class Beside:
    """A neighbouring run: the equations, the method and the steps of a run, in another design or in that of the run."""

    def __init__(
        self, system: System, by: Stepping, how: Stabilization, course: Course, times: np.ndarray,
        fresh: np.ndarray | None = None,
    ):  # fmt: skip
        """`fresh` are the words of a neighbouring run in the design of the run, before it has begun."""
        self.system, self.remembers = system, by.method.remembered
        self._inner = by.method.inner
        march: Any = new_march(system, by, how, course, times)
        self.march, self.fresh = march, march.words.copy()
        like = self.fresh if fresh is None else fresh
        self._carried = march.is_number & (self.fresh == like)
        self._spans = np.flatnonzero(np.diff(self._carried, prepend=False, append=False))
        self.addresses = [march.address, *map(address_of, (march.words, self._spans)), self._spans.size]
        """Addresses of the run, of its words, and of the begins and ends of spans of words that are copied from the
        run; and the number of these begins and ends."""

    def units_of(self, run: Any, y: np.ndarray, dy: np.ndarray) -> np.ndarray:
        """Return the unit of each entry of y at this state of a run: that of a length or a turn, that of a velocity
        times the pace of the motion, the scale of a state of the model, held ones too; inf for works."""
        state, unit = run.mechanism.state, run.control.unit.copy()
        moving = slice(state.v_at, state.v_end)
        own = unit[moving]
        with np.errstate(invalid="ignore", divide="ignore"):
            pace = max(np.abs(y[moving] / own).max(initial=0.0), np.sqrt(np.abs(dy[moving] / own)).max(initial=0.0))
        unit[moving] *= pace if np.isfinite(pace) and pace > 0.0 else 1.0
        unit[state.works_at :] = np.inf
        for one in self.system.model.states:
            unit[self.system.layout.signals[one.symbol]] = self.system.evaluator(one.scale)
        return np.where(unit > 0.0, unit, np.inf)

    def pause_of(self, run: Any) -> float:
        """Return the part `PAUSE` of the duration of a run, s."""
        return PAUSE * float(run.course.ends[-1] - run.course.start)

    def remembered_of(self, run: Any) -> np.ndarray:
        """Return the rows that the method remembers of the last accepted step, one behind the other."""
        implicit = run.stages.implicit
        goes_on = run.time[0] > implicit.told[FROM]  # else a step from this state has been tried
        rows = implicit.stage if goes_on else implicit.before
        return np.array(rows[self._inner : self._inner + self.remembers]).ravel()

    @cached_property
    def reversals(self) -> Reversals:
        """Return the forces whose direction jumps where their ends meet."""
        return Reversals(self.system.cartesian)

    def distances(self, t: np.ndarray, q: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
        """Return d and ḋ between the ends of each force in `reversals`, (forces, 2, times, 2 or 3), at coordinates and
        velocities of this system, or in states (times, y)."""
        if v is None:
            layout = self.march.mechanism.state
            q, v = q[:, : layout.q_end], q[:, layout.v_at : layout.v_end]
        q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        q, v, _ = self.system.to_bodies((q, v, np.zeros_like(v)))
        return self.reversals.distances(t, q, v)

    def stand(self, where: Stands) -> None:
        """Put this neighbour into the instant `where` of the run, except for the words of its own design."""
        self.march.words[self._carried] = where.words[self._carried]
        self.march.course.at[:] = where.at

    def read_later(self, t: float, later: float, k: int) -> int:
        """Record the state in `stages` as requested time k, at the time t + later; breaks at which the present span
        begins or ends are delayed by `later`, too. Return a status."""
        with self.standing(t, later):
            return int(read_here(self.march, t + later, k))

    @contextmanager
    def standing(self, t: float, later: float) -> Iterator[None]:
        """Stand at t + later within this context, with the begin and the end of the present span delayed by `later`."""
        course, span = self.march.course, int(self.march.course.at[SPAN])
        known = course.first[span], course.last[span]
        course.first[span] += later
        course.last[span] += later
        self.march.time[0] = t + later
        yield
        course.first[span], course.last[span] = known


@dataclass(frozen=True, eq=False)
class Way:
    """Runs in the designs at the places of a stencil, `small` apart in one parameter: one derivative by the design."""

    small: float
    runs: Sequence[Beside]
    """Empty where an initial value is varied, on which no design depends."""
    stencil: Stencil = CENTRAL
    aside: Callable[[int], Way] | None = None
    """Return a way with designs on one side alone: above (1) or below (-1)."""

    @cached_property
    def above(self) -> Way:
        return self.aside(1) if self.aside else self

    @cached_property
    def below(self) -> Way:
        return self.aside(-1) if self.aside else self

    def beside(self, side: int) -> Way:
        """Return the way with designs above (1), below (-1) or on both sides (0)."""
        return (self, self.above, self.below)[side]


ALONE = Way(1.0, ())
"""A way without designs: derivatives along a direction of the state alone."""


class Neighbours(NamedTuple):
    """States y of neighbouring runs, each delayed by `later` (s), and their weights in a derivative."""

    weights: np.ndarray
    runs: Sequence[Beside]
    y: np.ndarray
    later: np.ndarray
    bends: np.ndarray


def around(
    own: Beside, way: Way, y: np.ndarray, S: np.ndarray, unit: np.ndarray, later: float, pause: float,
    states: Stencil = CENTRAL,
) -> Neighbours:  # fmt: skip
    """Return the neighbours for a derivative along S and by a parameter, with which a state is met `later`, in s for
    one unit of the parameter; none where nothing varies. Neighbouring states stand at the places of `states`, designs
    at those of the way. Where states hardly vary, delays are limited to parts of `pause`, if `pause` is not 0."""
    reach = float((np.abs(S) / unit).max(initial=0.0))
    reach = max(reach, SMALL * abs(later) / (MOMENT * pause)) if pause > 0.0 else reach
    small = SMALL / reach if reach > 0.0 else SMALL
    at_once = way.small if way.runs and reach > 0.0 and way.small <= FAR * small else 0.0
    parts, runs = [np.zeros((3, 0))], list[Beside]()
    if not at_once and (reach > 0.0 or later != 0.0):
        parts.append(np.array([small * states.offsets, states.weights / small, states.bends / small]))
        runs = [own] * len(states.offsets)
    if way.runs:
        own_parts = at_once * way.stencil.offsets, way.stencil.weights / way.small, way.stencil.bends / way.small
        parts.append(np.array(own_parts))
        runs += way.runs
    aside, weights, bends = np.concatenate(parts, axis=1)
    return Neighbours(weights, runs, y + aside[:, None] * S, aside * later, bends)


def each(make: Made) -> MadeOfAll:
    """Return a function that evaluates `make` for neighbours one by one."""
    return lambda runs, y, later: np.array([make(*one) for one in zip(runs, y, later.tolist(), strict=True)])


def varied(
    make: Made, own: Beside, way: Way, y: np.ndarray, S: np.ndarray, unit: np.ndarray, later: float = 0.0,
    pause: float = 0.0,
) -> np.ndarray:  # fmt: skip
    """Return the derivative of `make` along S and by a parameter: see `around`. Without a `pause` delays have no
    limit."""
    some = around(own, way, y, S, unit, later, pause)
    if not some.runs:
        return 0.0 * make(own, y, 0.0)
    return np.array(some.weights @ each(make)(some.runs, some.y, some.later))
