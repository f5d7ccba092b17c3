"""Runs beside a run: of neighbouring states, and of neighbouring designs, at the same steps.

Whatever a run does in a step, or where bodies meet, is a smooth function of the state and of the numbers of the design
as long as branches, contacts and lengths of steps are held. Its derivative along a way S of the state and by a
parameter is

    D f = 1/ε Σ wᵢ f(y + cᵢ ε S) + 1/Δ Σ wᵢ f(y; p + cᵢ Δ),        c = (-2, -1, 1, 2),   w = (1, -8, 8, -1)/12,

of the order ε⁴, which with ε = 10⁻³ of what states are measured by leaves 10⁻¹¹ or less. Differences are taken of one
step, and with an ε of its own each, so that they do not become worse along a motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...kernels.blocks import block
from ...motion.course import Course
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
        self.system = system
        march: Any = new_march(system, by, how, course, times)
        self.march, self.fresh = march, march.words.copy()
        like = self.fresh if fresh is None else fresh
        self._carried = np.flatnonzero(march.is_number & (self.fresh == like))

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
    weights: tuple[float, ...] = CENTRAL.weights
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


def varied(
    make: Made, own: Beside, way: Way, y: np.ndarray, S: np.ndarray, unit: np.ndarray, later: float = 0.0
) -> Any:
    """The derivative of what is made, along S and by a parameter, of a state that is met so much `later` by it."""
    found: Any = 0.0
    reach = float((np.abs(S) / unit).max(initial=0.0))
    if reach > 0.0 or later != 0.0:
        small = SMALL / reach if reach > 0.0 else SMALL
        for c, weight in zip(*CENTRAL, strict=True):
            found = found + weight / small * make(own, y + c * small * S, c * small * later)
    for run, weight in zip(way.runs, way.weights if way.runs else (), strict=True):
        found = found + weight / way.small * make(run, y, 0.0)
    return found


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
