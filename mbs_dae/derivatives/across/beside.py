"""Runs beside a run: of neighbouring states, and of neighbouring designs, at the same steps.

Whatever a run does in a step, or where bodies meet, is a smooth function of the state and of the numbers of the design
as long as branches, contacts and lengths of steps are held. Its derivative along a way S of the state and by a
parameter is

    D f = 1/ε Σ wᵢ f(y + cᵢ ε S) + 1/Δ Σ wᵢ f(y; p + cᵢ Δ),        c = (-2, -1, 1, 2),   w = (1, -8, 8, -1)/12,

of the order ε⁴, which with ε = 10⁻³ of what states are measured by leaves 10⁻¹¹ or less. Where Δ S is no more than
that both are taken at once, of f(y + cᵢ Δ S; p + cᵢ Δ). Differences are taken of one step, and with an ε of its own
each, so that they do not become worse along a motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...kernels.blocks import address_of, block
from ...motion.course import Course
from ...motion.implicit.iteration import FROM
from ...motion.methods.stepping import Stepping
from ...motion.record import new_march
from ...motion.stabilise import Stabilization


class Stencil(NamedTuple):
    """A derivative from values at some places: exact for polynomials of degree four."""

    offsets: tuple[float, ...]
    weights: tuple[float, ...]


CENTRAL = Stencil((-2.0, -1.0, 1.0, 2.0), (1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0))
FORWARD = Stencil((0.0, 1.0, 2.0, 3.0, 4.0), (-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -0.25))
BACKWARD = Stencil(tuple(-c for c in FORWARD.offsets), tuple(-w for w in FORWARD.weights))
"""Where neighbours on one side only are designs: beside the bounds of what a parameter may be."""
SMALL = 1e-3
"""ε, and Δ over p."""

Made = Callable[["Beside", np.ndarray, float], np.ndarray]
"""What is differentiated: of a run beside, a state, and by how much later it is there."""
MadeOfAll = Callable[["Sequence[Neighbour]"], np.ndarray]
"""The same of some neighbours, a row for each."""


class Stands(NamedTuple):
    """What a run has written, at one instant."""

    words: np.ndarray
    at: np.ndarray


def stands(march: Any) -> Stands:
    return Stands(march.words.copy(), march.course.at.copy())


def course_like(march: Any) -> Course:
    """The course of a run, for those beside it."""
    own = march.course
    return block(Course(*(getattr(own, name) for name in Course._fields if name != "at")))


class Beside:
    """A run of the same equations, the same method and steps, in a design of its own or in that of the run."""

    def __init__(
        self, system: System, by: Stepping, how: Stabilization, course: Course, times: np.ndarray,
        fresh: np.ndarray | None = None,
    ):  # fmt: skip
        """`fresh` are the words of such a run in the design of the run, before it has begun."""
        self.system, self.remembers = system, by.method.remembered
        march: Any = new_march(system, by, how, course, times)
        self.march, self.fresh = march, march.words.copy()
        like = self.fresh if fresh is None else fresh
        self._carried = np.flatnonzero(march.is_number & (self.fresh == like))
        self.addresses = march.address, *map(address_of, (march.words, self._carried)), self._carried.size
        """Of the run, its words, and those of them that are carried, and how many these are."""

    def remembered_of(self, run: Any) -> np.ndarray:
        """What the method remembers of the step that was accepted last, in one row."""
        implicit = run.stages.implicit
        goes_on = run.time[0] > implicit.told[FROM]  # else a step from here has been tried
        return np.array((implicit.stage if goes_on else implicit.before)[: self.remembers]).ravel()

    def stand(self, where: Stands) -> None:
        """Go where the run stands, but for what is of the design."""
        self.march.words[self._carried] = where.words[self._carried]
        self.march.course.at[:] = where.at


@dataclass(frozen=True, eq=False)
class Way:
    """By what is differentiated: runs of the designs at the places of a stencil, `small` apart."""

    small: float
    runs: Sequence[Beside]
    """None where an initial value is varied, on which no design depends."""
    stencil: Stencil = CENTRAL
    aside: Callable[[int], Way] | None = None
    """The same by designs on one side alone (1, -1)."""

    @cached_property
    def above(self) -> Way:
        return self.aside(1) if self.aside else self

    @cached_property
    def below(self) -> Way:
        return self.aside(-1) if self.aside else self


ALONE = Way(1.0, ())
"""Of no design: along a way of the state alone."""


class Neighbour(NamedTuple):
    """A state of a run beside, which is met so much `later`; and with which weight it counts in a derivative."""

    weight: float
    run: Beside
    y: np.ndarray
    later: float


def around(own: Beside, way: Way, y: np.ndarray, S: np.ndarray, unit: np.ndarray, later: float) -> list[Neighbour]:
    """Those of which the derivative is made along S and by a parameter, of a state that is met so much `later` by it;
    none where nothing varies."""
    found, reach = list[Neighbour](), float((np.abs(S) / unit).max(initial=0.0))
    small = SMALL / reach if reach > 0.0 else SMALL
    at_once = way.small if way.runs and reach > 0.0 and way.small <= small else 0.0
    if not at_once and (reach > 0.0 or later != 0.0):
        found = [Neighbour(w / small, own, y + c * small * S, c * small * later) for c, w in zip(*CENTRAL, strict=True)]
    for run, c, w in zip(way.runs, *(way.stencil if way.runs else ((), ())), strict=True):
        found.append(Neighbour(w / way.small, run, y + c * at_once * S, c * at_once * later))
    return found


def each(make: Made) -> MadeOfAll:
    """What is made of neighbours one by one."""
    return lambda neighbours: np.array([make(one.run, one.y, one.later) for one in neighbours])


def varied(
    make: Made, own: Beside, way: Way, y: np.ndarray, S: np.ndarray, unit: np.ndarray, later: float = 0.0
) -> np.ndarray:
    """The derivative of what is made, along S and by a parameter: see `around`."""
    some = around(own, way, y, S, unit, later)
    return np.array([one.weight for one in some]) @ each(make)(some) if some else 0.0 * make(own, y, 0.0)


def units_of(march: Any, y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """What is small beside this state, entry by entry: part of a length or a turn, and of how fast the motion is."""
    state, unit = march.mechanism.state, march.control.unit.copy()
    moving = slice(state.v_at, state.v_end)
    own = unit[moving]
    with np.errstate(invalid="ignore", divide="ignore"):
        pace = max(np.abs(y[moving] / own).max(initial=0.0), np.sqrt(np.abs(dy[moving] / own)).max(initial=0.0))
    unit[moving] *= pace if np.isfinite(pace) and pace > 0.0 else 1.0
    unit[state.works_at :] = np.inf
    return np.where(unit > 0.0, unit, np.inf)
