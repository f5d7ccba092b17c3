"""A mechanism with one freedom, ready to be followed: its machine, what is held, and places on its curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from ...compiled import System
from ...compiled.machine import Machine
from ...coordinates import body_coordinates
from ...symbolic.markers import t as time
from ..newton import evaluate_and_factorise
from .steps import stride


class Place(NamedTuple):
    """A pose of a curve: the arc length there, coordinates, tangent and curvature."""

    s: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    def back(self) -> Place:
        """The same in the other direction."""
        return Place(-self.s, self.q, -self.v, self.a)


@dataclass(frozen=True, eq=False)
class Track:
    """What is the same along a curve."""

    system: System
    t: float
    redundant: int
    """How many rows depend on others in general."""
    timed: int
    """1 where equations depend on time, which is held."""
    angles: np.ndarray
    """1 for velocities that are rates of angles as they are counted in the plane: whole turns lead to the same pose."""
    step: float
    """The longest step of a coordinate, in lengths of the model."""

    @cached_property
    def machine(self) -> Machine:
        """The work space, which copies have their own of."""
        return self.system.machine()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "machine"}

    def from_place(self, base: Place, h: float) -> Place | None:
        """The place some h ahead of another; None where the curve is not so simple there."""
        machine = self.machine
        if h == 0.0:
            return base
        evaluate_and_factorise(machine, self.t, base.q, base.v, True)
        here, there = machine.here, machine.there
        here.q[:], here.v[:], here.a[:] = base[1:]
        sense = 1.0 if h > 0.0 else -1.0
        here.v[:] *= sense
        done = stride(machine, self.t, abs(h), self.redundant, self.timed)
        if not done > 0.0:
            return None
        return Place(base.s + sense * done, there.q.copy(), sense * there.v, there.a.copy())

    def where(self, zero: Callable[[Place], float], base: Place, h: float) -> Place | None:
        """The place within a step of some h behind `base` where a function, which changes its sign, is zero; None if it
        does not, or where the step cannot be made."""
        seen: dict[float, Place] = {}

        def value(x: float) -> float:
            found = self.from_place(base, x if x > 1e-15 * self.system.length else 0.0)
            if found is None:
                raise ArithmeticError
            seen[x] = found
            return zero(found)

        try:
            low, high = value(0.0), value(h)
            if not low * high <= 0.0:
                return None
            x = brentq(value, 0.0, h, xtol=1e-15 * self.system.length, rtol=8.9e-16)
        except ArithmeticError:
            return None
        return seen[x] if x in seen else self.from_place(base, x)


def angles_of(system: System) -> np.ndarray:
    """Which velocities are rates of angles that are numbers: those of bodies in the plane."""
    of_body = body_coordinates(system.model.dimension)
    turns = of_body.turns if system.model.dimension == 2 else (False,) * len(of_body.turns)
    return np.tile(np.array(turns, dtype=float), len(system.bodies))[: system.nv]


def is_timed(system: System) -> bool:
    """Whether the equations depend on time."""
    forms = (element.form()[0] for element in system.model.conditions)
    return any(expression.has(time) for form in forms for expression in form.expressions)
