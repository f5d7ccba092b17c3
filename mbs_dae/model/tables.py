"""Tables: functions given by points, used wherever an expression is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from math import tau
from typing import Any

import numpy as np
import sympy as sp

from ..errors import ModelError, counted
from ..public_class import PublicClass
from ..rotations.values import numbers
from ..symbolic.expressions import expression_of
from ..symbolic.functions import BentLookup, Lookup, Wrap
from ..tolerances import CAM_PERIOD, TABLE_END
from .parameters import Parameter, check_choice

KINDS = ("cubic", "monotone", "linear")
NOTICED = 0.1
"""A spline that leaves two neighbouring points by more than this fraction of the range of all values gives a warning.
Smooth data stay below: a sine of six points by 0.015; a step between two plateaus makes 0.13."""
ABSURD = 1.0  # overshoot relative to the range of values, above which a spline is refused


class TableSymbol(Parameter):
    """A symbol for a table in expressions, which carries the table. Its name is made of the data: equal tables are one
    symbol, in every process."""

    table: Table

    def __new__(cls, table: Table) -> TableSymbol:
        symbol = super().__new__(cls, f"table_{table.digest}")
        symbol.table = table
        return symbol

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return TableSymbol, (self.table,)


@dataclass(frozen=True, eq=False, repr=False)
class Table(metaclass=PublicClass):
    """``Table(x, y)``: a function through these points (``periodic=True``: a closed one).

    Call it with an expression: ``Table(times, values)(mbs.t)``. Where a function of time or of an angle is expected,
    the table itself is accepted.

    ``kind=`` is "cubic" (a spline, not-a-knot at its ends, smooth up to its second derivative), "monotone" (cubics of
    Fritsch and Carlson, which stay between neighbouring points, but whose second derivative jumps there, and so does
    the acceleration of a driver) or "linear" (the velocity of a driver jumps). By default the table is a spline, with a
    warning if it visibly overshoots its points; if it overshoots them by more than the range of all values, the table
    is refused. A "linear" table may have two values at one x: it jumps there, from the first to the second.

    >>> squares = mbs.Table([0, 1, 2, 3], [0, 1, 4, 9])
    >>> squares
    Table(4 points on [0, 3])
    >>> print(squares.read(1.5))  # cubics have the parabola
    2.25
    >>> model = mbs.PlanarModel("slide")
    >>> block = model.body("block")
    >>> model.add(mbs.Driver("pull", mbs.x(block), squares))
    <Driver pull>
    >>> print(round(mbs.assemble(model, t=1.5)["block.vx"], 6))  # 2 t
    3.0
    """

    x: Any
    y: Any
    periodic: bool = False
    kind: Any = None

    def __post_init__(self) -> None:
        for what in ("x", "y"):
            object.__setattr__(self, what, numbers(f"{what} of a Table", getattr(self, what)))
        has_kind = self.kind is not None
        object.__setattr__(self, "kind", check_choice(self.kind if has_kind else "cubic", KINDS, "kind of a Table"))
        self._check_points()
        if not has_kind:
            self._check_overshoot()

    def __call__(self, x: Any) -> sp.Expr:
        place = expression_of(x, "the argument of a Table")
        if not self.steps:
            kind = Lookup if self.kind == "cubic" else BentLookup
            return kind(self.symbol, sp.S.Zero, place)
        first, last = map(sp.Float, self.x[[0, -1]])
        place = first + Wrap(place - first, last - first) if self.periodic else place
        return self.without_steps(place) + sum(h * sp.Heaviside(place - at) for at, h in self.steps)

    @cached_property
    def steps(self) -> tuple[tuple[float, float], ...]:
        """The places of jumps, and their heights."""
        at = np.flatnonzero(np.diff(self.x) == 0.0)
        return tuple((float(self.x[k]), float(self.y[k + 1] - self.y[k])) for k in at)

    @cached_property
    def without_steps(self) -> Table:
        """The continuous table without the jumps."""
        jumps = np.concatenate([[0.0], np.where(np.diff(self.x) == 0.0, np.diff(self.y), 0.0)])
        last_of_each = np.append(np.diff(self.x) > 0.0, True)
        return Table(self.x[last_of_each], (self.y - np.cumsum(jumps))[last_of_each], kind="linear")

    @cached_property
    def symbol(self) -> TableSymbol:
        """The symbol of the table in expressions."""
        return TableSymbol(self)

    @cached_property
    def digest(self) -> str:
        """A hash of the data: equal tables have equal ones."""
        content = f"{self.kind} {self.periodic}".encode() + self.x.tobytes() + self.y.tobytes()
        return sha256(content).hexdigest()[:16]

    @cached_property
    def curve(self) -> Any:
        """The pieces between the points, as scipy's PPoly."""
        from scipy.interpolate import CubicSpline, PchipInterpolator, PPoly

        if self.kind == "linear":
            long = np.diff(self.x) > 0.0  # at a step, the value after it
            slopes = np.diff(self.y)[long] / np.diff(self.x)[long]
            return PPoly(np.stack([0.0 * slopes, 0.0 * slopes, slopes, self.y[:-1][long]]), np.unique(self.x))
        if self.kind == "cubic":
            ends = "periodic" if self.periodic else "not-a-knot" if self.x.size >= 4 else "natural"
            return CubicSpline(self.x, self.y, bc_type=ends)
        if not self.periodic:
            return PchipInterpolator(self.x, self.y)
        period = self.x[-1] - self.x[0]  # a slope depends on both neighbours: two more points on either side
        x = np.concatenate([self.x[-3:-1] - period, self.x, self.x[1:3] + period])
        return PPoly(PchipInterpolator(x, [*self.y[-3:-1], *self.y, *self.y[1:3]]).c[:, 2:-2], self.x)

    def read(self, x: Any, order: int = 0) -> np.ndarray:
        """Return the values at x, or those of a derivative, as `kernels.abi.lookup` evaluates them."""
        first, last = self.x[[0, -1]]
        x = np.asarray(x, float)
        x = first + np.mod(x - first, last - first) if self.periodic else x
        inside = np.clip(x, first, last)
        values = self.curve(inside, nu=order)
        return values + (self.curve(inside, nu=1) * (x - inside) if order == 0 else 0.0)

    @property
    def data(self) -> np.ndarray:
        """The table as an array in the format of `kernels.abi.lookup`."""
        period = self.x[-1] - self.x[0] if self.periodic else 0.0
        return np.concatenate([[self.curve.x.size, period], self.curve.x, self.curve.c.T.ravel()])

    def breaks(self, order: int) -> tuple[float, ...]:
        """Return the places at which the derivative of this order, or a lower one, jumps; for a periodic table within
        one period from its first point. Beyond its ends any other table continues as its end tangent."""
        knots = self.curve.x
        lengths, jumps = np.diff(knots), np.zeros(knots.size, dtype=bool)
        for k in range(order + 1):
            c = self.curve.derivative(k).c
            starts, ends, scale = c[-1], np.polyval(c, lengths), np.polyval(np.abs(c), lengths).max()
            beyond = (ends[-1], starts[0]) if self.periodic else (starts[0], ends[-1]) if k < 2 else (0.0, 0.0)
            left, right = np.append(beyond[0], ends), np.append(starts, beyond[1])  # derivatives at every point
            jumps |= np.abs(right - left) > 1e-9 * scale
        inner = slice(-1) if self.periodic else slice(None)
        return tuple(map(float, knots[inner][jumps[inner]]))

    def _check_points(self) -> None:
        if self.x.ndim != 1 or self.x.shape != self.y.shape:
            raise ModelError(
                "a Table needs two lists of the same length: Table(x, y)",
                code="wrong-shape", argument="y", shape=self.y.shape, wanted=self.x.shape,
            )  # fmt: skip
        least = 2 if not self.periodic else 3 if self.kind == "linear" else 4
        if self.x.size < least:
            periodic = f"a periodic one of kind {self.kind!r}, its first point repeated at the end,"
            subject = periodic if self.periodic else "it"
            problem = f"a Table of {counted(self.x.size, 'point')} is too short: {subject} needs {least}"
            raise ModelError(
                f"{problem}; give more points",
                code="too-few-points", count=int(self.x.size), least=least, kind=self.kind, periodic=self.periodic,
            )  # fmt: skip
        rise = np.diff(self.x)
        steps = (rise == 0.0) if self.kind == "linear" else np.zeros(rise.size, dtype=bool)
        if (rise[~steps] <= np.finfo(float).eps * np.abs(self.x[[0, -1]]).max()).any():
            raise ModelError(
                "the first list of a Table must increase, by more than roundoff; sort it and remove doubles (two "
                'values at one place are a step, of a Table with kind="linear")',
                code="not-increasing", argument="x",
            )  # fmt: skip
        if steps.any() and (steps[0] or steps[-1] or (steps[1:] & steps[:-1]).any()):
            raise ModelError(
                "a step of a Table has two values at one place, between its ends; remove the others",
                code="misplaced-step", argument="x",
            )  # fmt: skip
        if self.periodic:
            if abs(self.y[-1] - self.y[0]) > 1e-9 * (np.ptp(self.y) or 1.0):
                raise ModelError(
                    "a periodic Table must end on its first value; repeat the first point at the end",
                    code="end-differs-from-start", start=float(self.y[0]), end=float(self.y[-1]),
                )  # fmt: skip
            self.y[-1] = self.y[0]
        self.x.flags.writeable = self.y.flags.writeable = False

    def _check_overshoot(self) -> None:
        """Warn about, or refuse, a spline that leaves two neighbouring points, relative to the range of all values; it
        is farthest from them where its slope vanishes."""
        turns = self.curve.derivative().roots(extrapolate=False)
        turns = turns[np.isfinite(turns)]
        k = np.clip(np.searchsorted(self.x, turns, side="right") - 1, 0, self.x.size - 2)
        values, ends = self.curve(turns), np.stack([self.y[k], self.y[k + 1]])
        beyond = np.maximum(ends.min(axis=0) - values, values - ends.max(axis=0))
        worst, range_ = int(np.argmax(beyond)) if beyond.size else -1, np.ptp(self.y)
        if worst < 0 or beyond[worst] <= NOTICED * range_:
            return
        k, by = int(k[worst]), beyond[worst]
        message = (
            f"a Table of {self.x.size} points overshoots: between {self.x[k]:g} and {self.x[k + 1]:g} its cubic spline "
            f'leaves the points by {by:.3g}, and all values span {range_:.3g}; write kind="monotone" (stays '
            'between the points), kind="linear", or kind="cubic" if this is meant'
        )
        if by > ABSURD * range_:
            raise ModelError(
                message,
                code="overshoot", start=float(self.x[k]), end=float(self.x[k + 1]), excess=float(by),
                span=float(range_),
            )  # fmt: skip
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




def check_closed(given: Any, what: str, number: Callable[[Any], float] = float) -> None:
    """Refuse the curve of a cam that is not closed: a table or a motion whose period does not divide 2π. A period with
    parameters is checked only if `number` gives their values."""
    if isinstance(given, Table) and not given.periodic:
        raise ModelError(f"{what} is a Table that is not closed; add periodic=True", code="not-periodic", argument=what)
    if not getattr(given, "periodic", False):
        return
    period: Any = given.x[-1] - given.x[0] if isinstance(given, Table) else given.duration
    if number is float and not getattr(period, "is_number", True):
        return
    turns = tau / (value := float(number(period)))
    if abs(turns - round(turns)) > CAM_PERIOD * turns:
        problem = f"{what} repeats after {value:.9g} rad, which fits {turns:.7g} times in a turn of 2π"
        raise ModelError(
            f"{problem}; give angles in radians (np.radians) and a period of 2π/n",
            code="period-fits-no-turn", argument=what, period=value, turns=float(turns),
        )  # fmt: skip


def check_radius(given: Any, what: str, number: Callable[[Any], float] = float) -> None:
    """Refuse a curve |d| = r(θ) about the centre of a cam whose radius r is zero or negative at a point of its table or
    at an end of a segment of its motion: in d = 0 the polar angle θ is not defined, and |d| is never negative."""
    if isinstance(given, Table):
        places, radii = [*given.x], [*given.y]
    elif hasattr(given, "segments"):
        places = [0.0, *accumulate(float(number(segment.over)) for segment in given.segments)]
        radii = [float(number(value)) for value in (given.start, *(segment.to for segment in given.segments))]
    else:
        return
    least = min(range(len(radii)), key=radii.__getitem__)
    if radii[least] <= 0.0:
        base = "add one to all values" if isinstance(given, Table) else "begin with it: mbs.Motion(radius)"
        problem = f"{what} is {radii[least]:.6g} m at θ = {places[least]:.6g} rad; under a point it is the distance "
        raise ModelError(
            f"{problem}from the centre of the cam, which is positive: a lift needs a base radius; {base}",
            code="no-base-radius", argument=what, radius=float(radii[least]), angle=float(places[least]),
        )  # fmt: skip


def reads_beyond(e: sp.Expr, number: Callable[[Any], float]) -> list[tuple[Table, float]]:
    """Return the tables that an expression reads beyond their ends, with the places at which it does; `number`
    evaluates expressions."""
    found = list[tuple[Table, float]]()
    for lookup in sorted(e.atoms(Lookup), key=str):
        table, place = lookup.args[0].table, number(lookup.args[2])
        span = float(table.x[-1] - table.x[0])
        if not table.periodic and not table.x[0] - TABLE_END * span <= place <= table.x[-1] + TABLE_END * span:
            found.append((table, place))
    return found
