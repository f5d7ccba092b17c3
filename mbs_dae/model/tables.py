"""A function given by points, used wherever an expression is.

    kind          pieces                              what is smooth                    between two points
    "cubic"       a spline, not-a-knot at its ends    s, s', s''                        may overshoot both
    "monotone"    cubics (Fritsch and Carlson)        s, s'; s'' jumps at the points    never leaves them
    "linear"      straight lines                      s; s' jumps at the points         never leaves them
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import factorial
from typing import Any

import numpy as np
import sympy as sp

from ..errors import ModelError
from ..symbolic.expressions import expression_of
from ..symbolic.functions import Lookup
from .parameters import Parameter

KINDS = ("cubic", "monotone", "linear")
NOTICED = 0.1
"""A spline that leaves two neighbouring points by more than this part of the range of all values is warned of. Smooth
data stay below: a sine of six points by 0.015; a step between two plateaus makes 0.13."""
ABSURD = 1.0
"""By more than the whole range, a spline says nothing of the data."""


class TableSymbol(Parameter):
    """Stands in expressions for the place of a table's data; it carries the table with it. Its name is made of the
    data: equal tables are one symbol, in every process."""

    table: Table

    def __new__(cls, table: Table) -> TableSymbol:
        symbol = super().__new__(cls, f"table_{table.digest}")
        symbol.table = table
        return symbol

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return TableSymbol, (self.table,)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """``Table(x, y)``: a function through these points (``periodic=True``: a closed one).

    Call it with an expression: ``Table(times, values)(mbs.t)``. Where a function of time or of an angle is
    expected, the table itself will do.

    ``kind=`` is "cubic" (a spline, smooth up to its second derivative), "monotone" (stays between its points, but the
    second derivative jumps there: so does the acceleration of a driver) or "linear" (so does its velocity). Without it
    the spline is taken, with a warning where it overshoots its points visibly; where it overshoots them by more than
    all values span, the table is refused.
    """

    x: Any
    y: Any
    periodic: bool = False
    kind: Any = None

    def __post_init__(self) -> None:
        for what in ("x", "y"):
            object.__setattr__(self, what, _numbers(getattr(self, what)))
        chosen, kind = self.kind is not None, "cubic" if self.kind is None else self.kind
        if kind not in KINDS:
            raise ModelError(f"kind of a Table is {kind!r}; choose one of {', '.join(map(repr, KINDS))}")
        object.__setattr__(self, "kind", kind)
        self._check_points()
        if not chosen:
            self._check_overshoot()

    def __call__(self, x: Any) -> sp.Expr:
        return Lookup(self.symbol, sp.S.Zero, expression_of(x, "the argument of a Table"))

    @cached_property
    def symbol(self) -> TableSymbol:
        return TableSymbol(self)

    @cached_property
    def digest(self) -> str:
        said = f"{self.kind} {self.periodic}".encode() + self.x.tobytes() + self.y.tobytes()
        return sha256(said).hexdigest()[:16]

    @cached_property
    def pieces(self) -> np.ndarray:
        """The cubic between each point and the next: coefficients of (x - x_k)³, (x - x_k)², (x - x_k), 1 as rows."""
        from scipy.interpolate import CubicSpline, PchipInterpolator

        if self.kind == "linear":
            nought = np.zeros(self.x.size - 1)
            return np.stack([nought, nought, np.diff(self.y) / np.diff(self.x), self.y[:-1]])
        if self.kind == "cubic":
            ends = "periodic" if self.periodic else "not-a-knot" if self.x.size >= 4 else "natural"
            return CubicSpline(self.x, self.y, bc_type=ends).c
        if not self.periodic:
            return PchipInterpolator(self.x, self.y).c
        period = self.x[-1] - self.x[0]  # a slope looks at both neighbours: two points more on either side
        x = np.concatenate([self.x[-3:-1] - period, self.x, self.x[1:3] + period])
        return PchipInterpolator(x, np.concatenate([self.y[-3:-1], self.y, self.y[1:3]])).c[:, 2:-2]

    @property
    def data(self) -> np.ndarray:
        """The table as `kernels.abi.lookup` reads it."""
        period = self.x[-1] - self.x[0] if self.periodic else 0.0
        return np.concatenate([[self.x.size, period], self.x, self.pieces.T.ravel()])

    def breaks(self, order: int) -> tuple[float, ...]:
        """Where the derivative of this order, or one below it, jumps; of a periodic table within one period from its
        first point. At the ends of any other table it goes on as its end tangent."""
        found = np.zeros(self.x.size, dtype=bool)
        for k in range(order + 1):
            before, behind = self._one_sided(k)
            scale = max(np.abs(before).max(), np.abs(behind).max())
            found |= np.abs(behind - before) > 1e-9 * scale
        return tuple(float(x) for x in self.x[: -1 if self.periodic else None][found[: -1 if self.periodic else None]])

    def _one_sided(self, order: int) -> tuple[np.ndarray, np.ndarray]:
        """The derivative of this order at every point, from its left and from its right."""
        c, lengths = self.pieces, np.diff(self.x)
        powers = [(row, 3 - row) for row in range(4) if 3 - row >= order]
        factors = {n: factorial(n) / factorial(n - order) for _, n in powers}
        starts = sum((factors[n] * c[row] for row, n in powers if n == order), np.zeros_like(lengths))
        ends = sum((factors[n] * c[row] * lengths ** (n - order) for row, n in powers), np.zeros_like(lengths))
        if self.periodic:
            return np.append(ends[-1], ends), np.append(starts, starts[0])
        beyond = (starts[0], ends[-1]) if order < 2 else (0.0, 0.0)
        return np.append(beyond[0], ends), np.append(starts, beyond[1])

    def _check_points(self) -> None:
        if self.x.ndim != 1 or self.x.shape != self.y.shape:
            raise ModelError("a Table needs two lists of the same length: Table(x, y)")
        if self.x.size < (4 if self.periodic else 2):
            raise ModelError(f"a Table of {self.x.size} points is too short; give more points")
        if not (np.isfinite(self.x).all() and np.isfinite(self.y).all()):
            raise ModelError("a Table holds a value that is not finite; remove it")
        if (np.diff(self.x) <= 0).any():
            raise ModelError("the first list of a Table must increase strictly; sort it and remove doubles")
        if self.periodic:
            if abs(self.y[-1] - self.y[0]) > 1e-9 * (np.ptp(self.y) or 1.0):
                raise ModelError("a periodic Table must end on its first value; repeat the first point at the end")
            self.y[-1] = self.y[0]
        self.x.flags.writeable = self.y.flags.writeable = False

    def _check_overshoot(self) -> None:
        """How far the spline leaves two neighbouring points, relative to the range of all values. On a piece it is
        farthest where its slope c₁ + 2 c₂ s + 3 c₃ s² vanishes."""
        c3, c2, c1, c0 = self.pieces
        lengths, range_ = np.diff(self.x), np.ptp(self.y)
        with np.errstate(all="ignore"):
            root = np.sqrt(c2 * c2 - 3.0 * c3 * c1)
            places = np.stack([(-c2 - root) / (3.0 * c3), (-c2 + root) / (3.0 * c3), -c1 / (2.0 * c2)])
            s = np.where((places > 0.0) & (places < lengths), places, 0.0)
        values = ((c3 * s + c2) * s + c1) * s + c0
        low, high = np.minimum(self.y[:-1], self.y[1:]), np.maximum(self.y[:-1], self.y[1:])
        beyond = np.maximum(low - values, values - high).max(axis=0)
        k = int(np.argmax(beyond))
        if range_ == 0.0 or beyond[k] <= NOTICED * range_:
            return
        message = (
            f"a Table of {self.x.size} points overshoots: between {self.x[k]:g} and {self.x[k + 1]:g} its cubic spline "
            f'leaves the points by {beyond[k]:.3g}, and all values span {range_:.3g}; write kind="monotone" (stays '
            'between the points), kind="linear", or kind="cubic" if this is meant'
        )
        if beyond[k] > ABSURD * range_:
            raise ModelError(message)
        warnings.warn(message, stacklevel=4)

    def __reduce__(self) -> tuple:
        return Table, (self.x, self.y, self.periodic, self.kind)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        words = ", periodic" * self.periodic + f", {self.kind}" * (self.kind != "cubic")
        return f"Table({self.x.size} points on [{self.x[0]:g}, {self.x[-1]:g}]{words})"


def _numbers(values: Sequence[float]) -> np.ndarray:
    """Numbers, and no text that looks like them."""
    try:
        if np.asarray(values).dtype.kind in "USbmM" or np.ma.is_masked(values):
            raise TypeError
        return np.array(values, dtype=float)
    except (TypeError, ValueError) as exc:
        raise ModelError("a Table is made of numbers: Table(x, y) with two lists of them") from exc
