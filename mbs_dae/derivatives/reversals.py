"""Passages of the two ends of a force through each other, where the direction of the force reverses.

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

from itertools import combinations
from typing import NamedTuple

import numpy as np
import sympy as sp

from ..compiled import System
from ..compiled.reading import Reader
from ..model.forces.base import EffortElement
from ..model.measures import Quantity
from ..symbolic.derive import Relation
from ..symbolic.loads import Load
from ..symbolic.markers import marker_symbols
from ..symbolic.markers.primitives import distance

PIECES = 64
"""A piece of a cubic is as good as straight: off by less than 1/8 of the bend over 64²."""
MEETS = 1e-3
"""Ends meet if they come closer than this part of their distances at both ends of the step: the derivative of the step
then contains no more than the square of it, 10⁻⁶, of what the turning direction does."""
TURNS = 0.1
"""Ends that come closer than this part pass each other in a step that has not seen how the direction turns. Steps
that come less close turn it by degrees, and their errors tell whether they are short enough."""
SIDEWAYS = 1e-6
"""A parameter that moves the ends by less than this part at right angles to their line does not move them sideways:
constraints hold them there to some digits less than roundoff."""


class Passage(NamedTuple):
    """The ends of a force that pass each other in one step."""

    step: int
    """The number of the step in the run."""
    t: float
    who: str
    force: int
    """The number of the force in `Reversals`."""
    meets: bool
    """Whether the ends meet and go on to the other side; otherwise they come close, and the direction is not known."""

    @property
    def message(self) -> str:
        return f"at t = {self.t:.6g} the ends of {self.who} meet, or all but, and its direction turns within one step"


def has_jump(element: EffortElement) -> bool:
    """Whether the force F(s, ṡ) d/s jumps where d passes zero. Behind it s, ṡ and d/s go on with the other sign: it
    jumps by the even part F(0, ṡ) + F(0, -ṡ)."""
    effort = element.effort_expression
    own = [q for q in effort.atoms(Quantity) if q.measure == element.measure]
    there, back = ({q: q * sign if q.level else sp.S.Zero for q in own} for sign in (1, -1))
    return bool(sp.simplify(effort.xreplace(there) + effort.xreplace(back)) != 0)


class Reversals:
    """The forces of a model with a direction d/|d|, and the passages of their ends as a run goes."""

    def __init__(self, system: System):
        """`system` is in the coordinates of bodies."""
        self.names, self.readers = list[str](), list[Reader]()
        self._last: tuple[np.ndarray, np.ndarray] | None = None
        self._steps = 0
        self.passages = list[Passage]()
        symbols = marker_symbols(2, system.model.dimension)
        between = Relation(symbols, tuple(symbols[1].point - symbols[0].point))
        for element in system.model.forces:
            load = element.form()[0]
            if not isinstance(load, Load):  # a force in Python: steps see it as it is, and so do differences of it
                continue
            squares = {e.base for row in load.total for e in row.atoms(sp.Pow) if e.exp.is_Rational and e.exp.q == 2}
            if not squares or (isinstance(element, EffortElement) and not has_jump(element)):
                continue
            for (k, i), (m, j) in combinations(enumerate(load.markers), 2):
                if squares & {distance(i, j) ** 2, distance(j, i) ** 2}:
                    self.names.append(element.who)
                    self.readers.append(system.reader_of(between, (element.markers[k], element.markers[m])))

    def follow(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Note the passages in the steps from the last state to these, (times, coordinates of the bodies), one after
        the other. Within a step d is taken as the cubic in time with the d and ḋ of both ends."""
        if not self.readers or not len(t):
            return
        d = np.array([reader(t, q, v, np.zeros_like(v))[:2] for reader in self.readers])  # (forces, d and ḋ, times, 3)
        if self._last is not None:
            t, d = np.concatenate([self._last[0], t]), np.concatenate([self._last[1], d], axis=2)
        self._last = t[-1:], d[:, :, -1:]
        (d0, v0), (d1, v1) = (np.moveaxis(x, 1, 0) for x in (d[:, :, :-1], d[:, :, 1:]))  # each (forces, steps, 3)
        across = (d0 * d1).sum(axis=2) < 0.0
        inward = ((d0 * v0).sum(axis=2) < 0.0) & ((d1 * v1).sum(axis=2) > 0.0)
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
            if gap[p] <= TURNS * least:
                step = self._steps + int(np.count_nonzero(forward[:n]))
                when, meets = float(t[n] + h * (p + at[p]) / PIECES), bool(across[k, n] and gap[p] <= MEETS * least)
                self.passages.append(Passage(step, when, self.names[k], int(k), meets))
        self._steps += int(np.count_nonzero(forward))
