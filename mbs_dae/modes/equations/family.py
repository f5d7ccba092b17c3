"""The family of mechanisms to which a model belongs, and ways between members.

Its variables are all places of joints on bodies, all constants of joints, and the values of drivers; directions stay,
and markers at one point of a body stay together. Members are points of this space, real ones and complex ones; where
members are generic, all have the same number of solutions, and the solutions of special members are limits of generic
ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..paths import along
from .closure import PLACES, Closure

SPREAD = 0.5
"""Distance of random members from a given one, relative to the sizes of its numbers."""


@dataclass(frozen=True, eq=False)
class Family:
    """The square system of a closure: `rows` are independent rows, as many as there are unknowns if the system is
    square."""

    closure: Closure
    rows: np.ndarray

    def random_member(self, random: np.random.Generator, near: np.ndarray) -> np.ndarray:
        """Return a generic complex member. Angles change by a radian at most, however many turns they count, because
        their imaginary parts go into exponentials."""
        out = near.astype(complex)
        length = self.closure.system.length
        kinds = PLACES[self.closure.system.model.dimension]
        metric = {self.closure.owners[r] for r in np.flatnonzero(self.closure.metric)}
        for key, at in self.closure.places.items():
            value = abs(complex(near[at[0]]))
            own = value if value > 1e-6 else length
            size = length if key[-1] in kinds else own if key[0] in metric else min(own, 1.0) if value > 1e-6 else 1.0
            x, y = random.normal(size=2)
            out[at] += SPREAD * size * (x + 1j * y)
        return out

    def signature(self, x: np.ndarray) -> np.ndarray:
        return self.closure.signature(x)

    def between(self, first: np.ndarray, second: np.ndarray, start: np.ndarray, bend: np.ndarray) -> Way:
        return Way(self, first, second, start, bend)


@dataclass(frozen=True, eq=False)
class Way:
    """Ways between two members in the complex line through both: numbers = first + (second - first) c; each path has
    its own c(s), see `paths.along`."""

    family: Family
    first: np.ndarray
    second: np.ndarray
    start: np.ndarray
    bend: np.ndarray

    def evaluate(self, x: np.ndarray, s: np.ndarray, paths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        c = along(s, self.start, self.bend, paths)
        F, J = self.family.closure.evaluate(x, self.first[:, None] + (self.second - self.first)[:, None] * c)
        return F[:, self.family.rows], J[:, self.family.rows]

    def moved(self, x: np.ndarray, step: np.ndarray) -> np.ndarray:
        return self.family.closure.moved(x, step)

    def rates(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.family.closure.rates(x, v)

    def normalised(self, x: np.ndarray) -> np.ndarray:
        return self.family.closure.normalised(x)

    def size(self, x: np.ndarray) -> np.ndarray:
        """Return the size of each solution: the largest of places in lengths of the model and of attitudes, at least
        1."""
        return np.maximum(1.0, np.abs(self.family.closure.signature(x)).max(axis=0))

    def length(self, step: np.ndarray) -> np.ndarray:
        return np.abs(step / self.family.closure.scale[:, None]).max(axis=0)
