"""Distances that vanish within a step: there the direction d/|d| of a force reverses, and no derivative goes across.

A force along the line between two points has the direction d/|d|. Where the points pass through each other it jumps,
and no function of the motion changes its sign: |d| only touches zero. Beside such a passage, at the offset ρ, the
direction turns within the time ρ/|ḋ|, and the power series of d/|d| converges within this time alone. A step that is
longer to both sides has not seen how the force turns, and its derivatives do not know it either. Shorter steps do.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import sympy as sp

from ..compiled import System
from ..compiled.reading import Reader
from ..model.forces.base import EffortElement
from ..model.measures import Quantity
from ..symbolic.derive import Relation
from ..symbolic.markers import marker_symbols
from ..symbolic.markers.primitives import distance

PIECES = 64
"""A piece of a cubic is as good as straight: off by less than 1/8 of the bend over 64²."""


class Reversal(NamedTuple):
    """A force whose ends meet: when, and what is said of it."""

    t: float
    message: str


def has_jump(element: EffortElement) -> bool:
    """Whether the force F(s, ṡ) d/s jumps where d passes zero. Behind it s, ṡ and d/s go on with the other sign: it
    jumps by the even part F(0, ṡ) + F(0, -ṡ)."""
    effort = element.effort_expression
    own = [q for q in effort.atoms(Quantity) if q.measure == element.measure]
    there, back = ({q: q * sign if q.level else sp.S.Zero for q in own} for sign in (1, -1))
    return bool(sp.simplify(effort.xreplace(there) + effort.xreplace(back)) != 0)


class Reversals:
    """The forces of a model with a direction d/|d|, and where one of them reverses within a step."""

    def __init__(self, system: System):
        self.names, self.readers = list[str](), list[Reader]()
        self._last: tuple[np.ndarray, np.ndarray] | None = None
        symbols = marker_symbols(2, system.model.dimension)
        between = Relation(symbols, tuple(symbols[1].point - symbols[0].point))
        for element in system.model.forces:
            load = element.form()[0]
            squares = {e.base for row in load.total for e in row.atoms(sp.Pow) if e.exp.is_Rational and e.exp.q == 2}
            if not squares or (isinstance(element, EffortElement) and not has_jump(element)):
                continue
            for (k, i), (m, j) in combinations(enumerate(load.markers), 2):
                if squares & {distance(i, j) ** 2, distance(j, i) ** 2}:
                    self.names.append(element.who)
                    self.readers.append(system.reader_of(between, (element.markers[k], element.markers[m])))
        self.found: Reversal | None = None

    @property
    def reads(self) -> bool:
        """Whether there is any such force, and none has turned so yet."""
        return bool(self.readers) and self.found is None

    def follow(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Look at the steps from the last state to these, (times, coordinates of the bodies), one after the other; the
        first reversal is kept in `found`.

        A step is one if |d| within it is less than 1/√2 of what it is at both ends: on a straight line the step goes
        on to both sides for longer than ρ/|ḋ|. Within a step d is a cubic in time, which is cut into `PIECES`."""
        if not self.reads or not len(t):
            return
        d = np.array([reader(t, q, v, np.zeros_like(v))[:2] for reader in self.readers])  # (forces, d and ḋ, times, 3)
        if self._last is not None:
            t, d = np.concatenate([self._last[0], t]), np.concatenate([self._last[1], d], axis=2)
        self._last = t[-1:], d[:, :, -1:]
        u = np.linspace(0.0, 1.0, PIECES + 1)[:, None]
        for n in np.flatnonzero(np.diff(t) > 0.0):
            h, met = t[n + 1] - t[n], list[Reversal]()
            for who, ((d0, d1), (v0, v1)) in zip(self.names, d[:, :, n : n + 2], strict=True):
                if d0 @ v0 > 0.0 and d0 @ d1 > 0.0:  # they part, and the direction is much the same
                    continue
                path = (1 + 2 * u) * (1 - u) ** 2 * d0 + u**2 * (3 - 2 * u) * d1
                path += h * u * (1 - u) * ((1 - u) * v0 - u * v1)
                piece = np.diff(path, axis=0)
                at = -(path[:-1] * piece).sum(axis=1) / np.maximum((piece**2).sum(axis=1), np.finfo(float).tiny)
                at = np.clip(at, 0.0, 1.0)
                square = ((path[:-1] + at[:, None] * piece) ** 2).sum(axis=1)
                k = int(square.argmin())
                if 2 * square[k] <= min(d0 @ d0, d1 @ d1):
                    when = float(t[n] + h * (k + at[k]) / PIECES)
                    what = f"at t = {when:.6g} the ends of {who} meet, or all but, and its force turns within one step"
                    met.append(Reversal(when, what))
            if met:
                self.found = min(met)
                return
