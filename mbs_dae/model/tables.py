"""A function given by points: a C² cubic spline, used wherever an expression is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from ..errors import ModelError
from ..symbolic.functions import Lookup
from .parameters import Parameter


class TableSymbol(Parameter):
    """Stands in expressions for the place of a table's data; it carries the table with it."""

    table: Table

    def __new__(cls, table: Table) -> TableSymbol:
        symbol = super().__new__(cls, f"table_{id(table):x}")
        symbol.table = table
        return symbol


class Table:
    """``Table(x, y)``: a cubic spline through the points, C² (``periodic=True``: a closed one).

    Call it with an expression: ``Table(times, values)(mbs.t)``. Where a function of time or of an angle is
    expected, the table itself will do.
    """

    def __init__(self, x: Sequence[float], y: Sequence[float], periodic: bool = False):
        try:
            self.x, self.y = np.array(x, dtype=float), np.array(y, dtype=float)
        except (TypeError, ValueError) as exc:
            raise ModelError("a Table is made of numbers: Table(x, y) with two lists of them") from exc
        self.periodic = periodic
        if self.x.ndim != 1 or self.x.shape != self.y.shape:
            raise ModelError("a Table needs two lists of the same length: Table(x, y)")
        if self.x.size < (4 if periodic else 2):
            raise ModelError(f"a Table of {self.x.size} points is too short; give more points")
        if not (np.isfinite(self.x).all() and np.isfinite(self.y).all()):
            raise ModelError("a Table holds a value that is not finite; remove it")
        if (np.diff(self.x) <= 0).any():
            raise ModelError("the first list of a Table must increase strictly; sort it and remove doubles")
        if periodic and abs(self.y[-1] - self.y[0]) > 1e-9 * (np.ptp(self.y) or 1.0):
            raise ModelError("a periodic Table must end on its first value; repeat the first point at the end")
        self.symbol = TableSymbol(self)

    def __call__(self, x: Any) -> sp.Expr:
        return Lookup(self.symbol, sp.S.Zero, sp.sympify(x))

    @property
    def data(self) -> np.ndarray:
        """The table as `kernels.abi.lookup` reads it."""
        from scipy.interpolate import CubicSpline

        y = self.y.copy()
        if self.periodic:
            y[-1] = y[0]
        ends = "periodic" if self.periodic else "not-a-knot" if self.x.size >= 4 else "natural"
        spline = CubicSpline(self.x, y, bc_type=ends)
        period = self.x[-1] - self.x[0] if self.periodic else 0.0
        return np.concatenate([[self.x.size, period], self.x, spline.c.T.ravel()])

    def __repr__(self) -> str:
        return f"Table({self.x.size} points on [{self.x[0]:g}, {self.x[-1]:g}]{', periodic' * self.periodic})"
