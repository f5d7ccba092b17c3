"""Krawczyk's operator: K(u) = u - C Φ(u), C ≈ Φ_u⁻¹ at the middle of a box.

With the norm |u| = max |u_k| / s_k and β ≥ |1 - C Φ_u| everywhere in |u| ≤ ρ, K changes distances by the factor β at
most. So if |C Φ(0)| + β ρ < ρ, K maps the box into its own inside and has exactly one fixed point there (Banach); C has
an inverse, since |1 - C Φ_u| < 1, and the fixed point is the only pose in the box. This pose is no farther than |C
Φ(0)| / (1 - β) from the middle (Krawczyk 1969, Moore 1977; Neumaier, Interval Methods for Systems of Equations, 5.1).

An `Operator` holds many poses side by side: its rows, its matrix C, and bounds of its two parts.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import qr

from ..tolerances import RANK_TOLERANCE
from .charts import box_about, by_small_motions
from .equations import JACOBIAN, PHI, Enclosure, IntervalEquations
from .intervals import (
    Bounds,
    Interval,
    away_from_one,
    largest,
    middle_and_radius,
    row_sums,
    size_of_product,
    up,
)  # fmt: skip


def independent_rows(jacobian: Bounds, scale: Bounds) -> tuple[np.ndarray, int]:
    """Return as many rows as there are columns, chosen by pivoting as the least dependent ones, in order; and the rank.
    Columns are scaled to one length."""
    scaled = jacobian * scale
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    _, r, order = qr(
        np.where(lengths > 0, scaled / np.where(lengths > 0, lengths, 1.0), 0.0).T, mode="economic", pivoting=True
    )
    pivots = np.abs(np.diag(r))
    rank = int((pivots > RANK_TOLERANCE * pivots.max(initial=0.0)).sum())
    return np.sort(order[: jacobian.shape[1]]), rank


def inverses(jacobian: Bounds) -> Bounds:
    """Return approximate inverses of the matrices, NaN where there is none."""
    good = np.isfinite(jacobian).all(axis=(1, 2))
    safe = np.where(good[:, None, None], jacobian, np.eye(jacobian.shape[-1]))
    try:
        inverse = np.linalg.inv(safe)
    except np.linalg.LinAlgError:  # one of them is exactly singular
        inverse = np.full_like(safe, np.nan)
        for k, matrix in enumerate(safe):
            with suppress(np.linalg.LinAlgError):
                inverse[k] = np.linalg.inv(matrix)
    return np.where(good[:, None, None], inverse, np.nan)


def norm(sizes: Bounds, scale: Bounds) -> Bounds:
    """Return an upper bound of max |u_k| / s_k, lane by lane."""
    return up(up(sizes / scale).max(axis=-1))


def contracts(beta: Bounds, shift: Bounds | float, radius: Bounds) -> Bounds:
    """Return whether |C Φ(0)| + β ρ < ρ, with `shift` a bound of |C Φ(0)| and `radius` ρ. NaN proves nothing."""
    with np.errstate(invalid="ignore"):
        return (beta < 1.0) & (up(shift + up(beta * radius)) < radius)


def distance(beta: Bounds, shift: Bounds) -> Bounds:
    """Return a bound of the distance between the pose and the middle."""
    with np.errstate(all="ignore"):
        return np.where(beta < 1.0, up(shift / np.nextafter(1.0 - beta, -np.inf)), np.inf)


@dataclass(frozen=True, eq=False)
class Operator:
    equations: IntervalEquations
    enclosure: Enclosure = field(repr=False)
    """The equations at the poses."""
    rows: np.ndarray
    """For each lane, the rows that determine its pose."""
    rank: np.ndarray
    """The number of independent rows, computed in double numbers."""
    c: Bounds = field(repr=False)

    @property
    def scale(self) -> np.ndarray:
        return self.equations.scale

    def only(self, x: Interval) -> Interval:
        """Return the entries of the rows that determine the poses."""
        if self.rows.shape[1] == x.shape[1]:
            return x
        at = self.rows if x.lower.ndim == 2 else self.rows[:, :, None]
        return Interval(np.take_along_axis(x.lower, at, axis=1), np.take_along_axis(x.upper, at, axis=1))

    def shift(self, phi: Interval) -> Bounds:
        """Return an upper bound of |C Φ| for each lane."""
        phi_of_rows = self.only(phi)
        column = Interval(phi_of_rows.lower[..., None], phi_of_rows.upper[..., None])
        return norm(largest(size_of_product(self.c, column))[..., 0], self.scale)

    def factor(self, jacobian: Interval) -> Bounds:
        """Return β for an enclosure of Φ_u."""
        return norm(row_sums(away_from_one(self.c, self.only(jacobian)), self.scale), self.scale)

    def factor_in(self, t: Interval, q: Interval, radii: Bounds) -> Bounds:
        """Return β in boxes of these radii about the poses (t, q); infinite where a law may switch. An operator of one
        pose, with t (1,) and q (coordinates, 1), serves boxes of all radii."""
        lanes, operator = radii.size, self
        if len(self.rows) != lanes:
            t, q = (x[..., np.zeros(lanes, dtype=int)] for x in (t, q))
            operator = replace(self, rows=np.broadcast_to(self.rows, (lanes, self.rows.shape[1])))
        layout, size = self.equations.system.layout, up(self.scale[:, None] * radii)
        there = self.equations.enclose(t, box_about(layout, q, size), None, (JACOBIAN,))
        slopes = by_small_motions(layout, there.jacobian, size)
        return np.where(there.refused, np.inf, operator.factor(slopes))


def operator_at(
    equations: IntervalEquations, t: Interval, q: Interval, v: Interval | None = None, names: Collection[str] = ()
) -> Operator:
    """Return the operator at poses: t is (lanes,), q (coordinates, lanes). Rows and C are chosen in double numbers;
    bounds that are computed with them are rigorous."""
    enclosure = equations.enclose(t, q, v, (PHI, JACOBIAN, *names))
    middle = np.nan_to_num(middle_and_radius(enclosure.jacobian)[0])
    columns = middle.shape[2]
    rows, rank = np.tile(np.arange(columns), (len(middle), 1)), np.full(len(middle), columns)
    if middle.shape[1] > columns or len(middle) == 1:
        for k, jacobian in enumerate(middle):
            rows[k], rank[k] = independent_rows(jacobian, equations.scale)
    return Operator(equations, enclosure, rows, rank, inverses(np.take_along_axis(middle, rows[:, :, None], axis=1)))
