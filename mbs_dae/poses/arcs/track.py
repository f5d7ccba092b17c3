"""A mechanism with one freedom: its machine, its held time, and places on its curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from ...compiled import System
from ...compiled.machine import Machine
from ...compiled.manifold import count_turns, difference, move
from ...compiled.status import DONE
from ...compiled.structure import Structure
from ...coordinates import body_coordinates
from ...symbolic.markers import t as time
from ...tolerances import CURVE_INTERVAL, ROW_DEPENDENCE
from ..newton import close, dependent_rows, evaluate_and_factorise
from .steps import ITERATIONS, bend, stride


class ArcPlace(NamedTuple):
    """A place of a curve: arc length, coordinates, tangent and curvature."""

    s: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    def back(self) -> ArcPlace:
        """Return the place in the other direction."""
        return ArcPlace(-self.s, self.q, -self.v, self.a)


@dataclass(frozen=True, eq=False)
class ArcTrack:
    """Quantities that are constant along a curve."""

    system: System
    t: float
    redundant: int
    """The number of rows that depend on others in general."""
    timed: int
    """1 where equations depend on time, which is held."""
    angles: np.ndarray
    """1 for velocities that are rates of plane angles: whole turns lead to the same pose."""
    step: float
    """The longest step of a coordinate, in lengths of the model."""

    @cached_property
    def machine(self) -> Machine:
        """The work space; copies of a track have their own."""
        return self.system.machine()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "machine"}

    def from_place(self, base: ArcPlace, h: float) -> ArcPlace | None:
        """Return the place an arc length of about h ahead of another; None where the step fails."""
        machine = self.machine
        if h == 0.0:
            return base
        evaluate_and_factorise(machine, self.t, base.q, base.v, True)
        here, there = machine.here, machine.there
        here.q[:], here.v[:], here.a[:] = base[1:]
        sense = 1.0 if h > 0.0 else -1.0
        here.v[:] *= sense
        length = stride(machine, self.t, abs(h), self.redundant, self.timed)
        if not length > 0.0:
            return None
        return ArcPlace(base.s + sense * length, there.q.copy(), sense * there.v, there.a.copy())

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return the coordinates after a small motion, given like a velocity."""
        out = q.copy()
        move(self.machine.manifold, out, np.ascontiguousarray(step))
        return out

    def stand(self, guess: ArcPlace) -> ArcPlace | None:
        """Return the place of the curve next to a guess; None where it is singular, or Newton's method fails."""
        machine = self.machine
        q, v, a = guess.q.copy(), guess.v.copy(), guess.a.copy()
        if close(machine, self.t, q, v, ITERATIONS) != DONE or dependent_rows(machine, ROW_DEPENDENCE) > self.redundant:
            return None
        return ArcPlace(guess.s, q, v, a) if bend(machine, self.t, q, v, a, self.timed) == DONE else None

    def between(self, first: ArcPlace, last: ArcPlace) -> Callable[[float], ArcPlace]:
        """Return a function of x from 0 to 1 that gives the places between two neighbours: those of the curve of fifth
        order through both, projected on the constraints where these determine the place."""
        smooth = self._smooth(first, last)

        def place(x: float) -> ArcPlace:
            if x in (0.0, 1.0):
                return last if x else first
            guess = smooth(x)
            return self.with_turns(first, self.stand(guess) or guess)

        return place

    def _smooth(self, first: ArcPlace, last: ArcPlace) -> Callable[[float], ArcPlace]:
        n, h, manifold = self.system.nv, last.s - first.s, self.machine.manifold
        chord = np.zeros(n)
        difference(manifold, first.q, last.q, chord)
        v0, v1, a0, a1 = (x[:n] * size for x, size in ((first.v, h), (last.v, h), (first.a, h * h), (last.a, h * h)))
        c3 = 10 * chord - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1
        c4 = -15 * chord + 8 * v0 + 7 * v1 + 1.5 * a0 - a1
        c5 = 6 * chord - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1

        def place(x: float) -> ArcPlace:
            q, v = first.q.copy(), self.system.still
            move(manifold, q, x * (v0 + x * (0.5 * a0 + x * (c3 + x * (c4 + x * c5)))))
            v[:n] = v0 + x * (a0 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))
            v[:n] /= np.sqrt(self.machine.norm @ v[:n] ** 2)
            return ArcPlace(first.s + x * h, q, v, (1.0 - x) * first.a + x * last.a)

        return place

    def with_turns(self, first: ArcPlace, last: ArcPlace) -> ArcPlace:
        """Return the last place with the turns of bodies in space counted from those at the first one."""
        machine = self.machine
        for instant, place in ((machine.here, first), (machine.there, last)):
            instant.q[:], instant.v[:], instant.a[:] = place[1:]
        count_turns(machine.manifold, last.s - first.s, machine.here, machine.there)
        return last._replace(q=machine.there.q.copy())

    def zero(
        self, function: Callable[[ArcPlace], float], first: ArcPlace, last: ArcPlace, narrow: bool = False
    ) -> ArcPlace | None:
        """Return the zero of a function between two neighbouring places; None if it does not change its sign."""
        if not function(first) * function(last) <= 0.0:
            return None
        place_at = self.between(first, last)
        x = float(brentq(lambda x: function(place_at(x)), 0.0, 1.0, xtol=1e-15, rtol=8.9e-16))
        if narrow or self.stand(place := place_at(x)) is not None:
            return place_at(x)
        # singular: there the curve through two places near by is as good as the constraints
        ends = place_at(max(x - CURVE_INTERVAL, 0.0)), place_at(min(x + CURVE_INTERVAL, 1.0))
        return self.zero(function, *ends, narrow=True) or place


def angles_of(structure: Structure) -> np.ndarray:
    """Return 1 for each velocity that is the rate of a plane angle of a body, else 0."""
    of_body = body_coordinates(structure.model.dimension)
    turns = of_body.turns if structure.model.dimension == 2 else (False,) * len(of_body.turns)
    return np.tile(np.array(turns, dtype=float), len(structure.model.bodies))[: structure.layout.nv]


def is_timed(structure: Structure) -> bool:
    """Return whether the equations depend on time."""
    forms = (element.form()[0] for element in structure.model.conditions)
    return any(expression.has(time) for form in forms for expression in form.expressions)
