"""Krawczyk's operator of the equations at many poses side by side: its rows, its matrix C, and bounds of its two parts
(`contraction`)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from .charts import by_small_motions, opened
from .contraction import independent_rows, inverses, norm
from .equations import JACOBIAN, PHI, Enclosure, Equations
from .intervals import Bounds, Interval, up
from .matrices import away_from_one, largest, middle_and_radius, row_sums, size_of_product


@dataclass(frozen=True, eq=False)
class Operator:
    own: Equations
    here: Enclosure = field(repr=False)
    """The equations at the poses."""
    rows: np.ndarray
    """For each lane, the rows that determine its pose."""
    rank: np.ndarray
    """The number of independent rows, computed in double numbers."""
    c: Bounds = field(repr=False)

    @property
    def scale(self) -> np.ndarray:
        return self.own.scale

    def only(self, x: Interval) -> Interval:
        """Return the entries of the rows that determine the poses."""
        if self.rows.shape[1] == x.shape[1]:
            return x
        at = self.rows if x.lower.ndim == 2 else self.rows[:, :, None]
        return Interval(np.take_along_axis(x.lower, at, axis=1), np.take_along_axis(x.upper, at, axis=1))

    def shift(self, phi: Interval) -> Bounds:
        """Return an upper bound of |C Φ| for each lane."""
        own = self.only(phi)
        column = Interval(own.lower[..., None], own.upper[..., None])
        return norm(largest(size_of_product(self.c, column))[..., 0], self.scale)

    def factor(self, jacobian: Interval) -> Bounds:
        """Return β for an enclosure of Φ_u."""
        return norm(row_sums(away_from_one(self.c, self.only(jacobian)), self.scale), self.scale)

    def factor_in(self, t: Interval, q: Interval, radii: Bounds) -> Bounds:
        """Return β in boxes of these radii about poses; infinite where a law may switch. An operator of one pose serves
        all boxes."""
        layout, size = self.own.system.layout, up(self.scale[:, None] * radii)
        found = self.own.enclose(t, opened(layout, q, size), None, (JACOBIAN,))
        slopes = by_small_motions(layout, found.jacobian, size)
        at = self if len(self.rows) == radii.size else self._repeated(radii.size)
        return np.where(found.refused, np.inf, at.factor(slopes))

    def _repeated(self, lanes: int) -> Operator:
        rows = np.broadcast_to(self.rows, (lanes, self.rows.shape[1]))
        return Operator(self.own, self.here, rows, self.rank, self.c)


def operator_at(
    own: Equations, t: Interval, q: Interval, v: Interval | None = None, asked: Collection[str] = ()
) -> Operator:
    """Return the operator at poses: t is (lanes,), q (coordinates, lanes). Rows and C are chosen in double numbers;
    bounds that are computed with them are rigorous."""
    here = own.enclose(t, q, v, (PHI, JACOBIAN, *asked))
    middle = np.nan_to_num(middle_and_radius(here.jacobian)[0])
    columns = middle.shape[2]
    rows, rank = np.tile(np.arange(columns), (len(middle), 1)), np.full(len(middle), columns)
    if middle.shape[1] > columns or len(middle) == 1:
        for k, jacobian in enumerate(middle):
            rows[k], rank[k] = independent_rows(jacobian, own.scale)
    return Operator(own, here, rows, rank, inverses(np.take_along_axis(middle, rows[:, :, None], axis=1)))
