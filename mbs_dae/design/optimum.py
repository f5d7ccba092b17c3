"""The best design that a search found, with the bounds and limits that are active."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from ..compiled import System
from ..errors import ModelError, check_name, counted
from ..model.model import Model
from ..public_class import PublicClass
from ..results.result import Result
from ..unit_system import UnitsLike, current, quotient, shown_in, shown_unit, size_of
from . import pictures
from .limits import Limit

WORDS = {"min": "least", "minimax": "least largest value of", "least_squares": "least sum of squares of"}


@dataclass(frozen=True)
class Bound:
    """A free number: its start, its value at the end, and its bounds."""

    name: str
    value: float
    start: float
    low: float
    high: float
    unit: str
    active: str
    """The bound, "lower" or "upper", at which the number ended; else ""."""
    sensitivity: float
    """The derivative of the optimum by the active bound, in SI units; 0 without an active bound."""


@dataclass(frozen=True)
class LimitAtOptimum:
    """A limit, and the value of its quantity at the optimum."""

    limit: Limit
    value: float
    """The value of the limited quantity; for several entries, that nearest to the limit or farthest beyond."""
    active: bool
    sensitivity: float
    """The derivative of the optimum by the limit, if the limit changes equally at all times; 0 if not active."""
    unit: str | None = None
    """The SI unit of the limited quantity; None if it is unknown."""


@dataclass(frozen=True)
class Start:
    """A start of the search and its result."""

    values: Mapping[str, float]
    value: float | None
    """The value at the end; None if there was no motion, or no end within the limits."""
    message: str


@dataclass(frozen=True, eq=False)
class Optimum(metaclass=PublicClass):
    """The best design that was found: ``values`` by name, the ``model`` with these, and the active bounds and limits.

    ``print(found)`` shows a table: each number with its bounds, each limit, which of them are active, and the
    sensitivity of the optimum to these.

    >>> model = mbs.PlanarModel("crank")
    >>> r = model.parameter("r", 0.1, unit="m")
    >>> crank = model.link("crank", (0, 0), (0.1, 0), length=r)
    >>> model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Driver("motor", mbs.angle(crank), 10 * mbs.t))
    (<Revolute A>, <Driver motor>)
    >>> found = mbs.optimize(
    ...     -mbs.maximum("crank.head.x"), model, np.linspace(0, 0.2, 11), over={"r": (0.05, 0.5)},
    ...     subject_to=[mbs.maximum("crank.head.vy") <= 3], verb="kinematics")
    >>> isinstance(found, mbs.Optimum), found.success
    (True, True)
    >>> print(str(found).partition(", in")[0])
    least -maximum(crank.head.x) = -0.3 (was -0.1) of 'crank'
    >>> print(str(found).partition("\\n")[2])
      name                              value         was        from          to  active  sensitivity
      r [m]                               0.3         0.1        0.05         0.5
      maximum(crank.head.vy) <= 3           3                                      yes            -0.1 m/(m/s)
    """

    label: str
    kind: str
    value: float
    """The smallest value; for "minimax" the largest entry, for "least_squares" the sum of squares."""
    first: float
    """The value at the start of the search."""
    bounds: tuple[Bound, ...]
    limits: tuple[LimitAtOptimum, ...]
    success: bool
    """Whether no nearby design is better."""
    message: str
    """Notes on the search; "" if there are none."""
    runs: int
    """The number of designs that were run, over all starts."""
    iterations: int
    """The number of iterations of the search that found the optimum."""
    starts: tuple[Start, ...]
    model: Model | System
    """The model with the optimal values."""
    result: Result
    before: Result
    """The result at the start of the search that found the optimum."""
    reads: tuple[str, ...]
    """The quantities that the objective and the limits read."""
    unit: str | None = None
    """The SI unit of `value`; None if it is unknown, e.g. if the objective is a Python function."""

    @property
    def values(self) -> dict[str, float]:
        """The optimal values by name, in SI units."""
        return {one.name: one.value for one in self.bounds}

    def __getitem__(self, name: str) -> float:
        """Return the optimal value of a free number, in SI units."""
        check_name("number", name, self.values, "the optimum")
        return self.values[name]

    @property
    def active(self) -> tuple[str, ...]:
        """The active bounds and limits: "lower bound of r", and limits as they were written."""
        bounds = tuple(f"{one.active} bound of {one.name}" for one in self.bounds if one.active)
        return (*bounds, *(str(one.limit) for one in self.limits if one.active))

    def sensitivity(self, name: str) -> float:
        """Return the derivative of the optimum by the active bound of a number, or by a limit of this name or text."""
        for one in self.bounds:
            if one.name == name:
                return one.sensitivity
        for entry in self.limits:
            if name in (str(entry.limit), entry.limit.label):
                return entry.sensitivity
        names = [*(one.name for one in self.bounds), *(str(one.limit) for one in self.limits)]
        raise ModelError(
            f"the optimum has no bound or limit {name!r}; it has {', '.join(names)}",
            code="unknown-name", name=name, known=names,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<Optimum of {self.label}: {self.value:.6g}>"

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines())

    def _lines(self) -> Iterator[str]:
        work = f"in {counted(self.iterations, 'iteration')} and {counted(self.runs, 'run')}"
        what = f"{WORDS[self.kind]} {self.label} = {self.value:.6g} (was {self.first:.6g})"
        yield f"{what} of {self.before.title!r}, {work}"
        width = max(8, *map(len, [*map(_heading, self.bounds), *(str(one.limit) for one in self.limits)]))
        heads = "".join(f"{head:>12}" for head in ("value", "was", "from", "to"))
        yield f"  {'name':<{width}}{heads}  {'active':<6}{'sensitivity':>13}"
        for one in self.bounds:
            size, word = size_of(one.unit, one.name)
            numbers = "".join(f"{x / size:>12.6g}" for x in (one.value, one.start, one.low, one.high))
            slope = f"{one.sensitivity * size:>13.4g} {self._unit_by(word or None)}"
            activity = f"{one.active:<6}{slope}" if one.active else ""
            yield f"  {_heading(one):<{width}}{numbers}  {activity}"
        for entry in self.limits:
            slope = f"{entry.sensitivity:>13.4g} {self._unit_by(entry.unit)}"
            activity = f"{'yes':<6}{slope}" if entry.active else ""
            yield f"  {entry.limit!s:<{width}}{entry.value:>12.6g}{'':<36}  {activity}"
        if not current().is_si:
            yield "  the objective and limits are in SI units, with angles in rad"
        if len(self.starts) > 1:
            ends = [one.value for one in self.starts if one.value is not None]
            same = sum(abs(value - self.value) <= 1e-6 * max(abs(self.value), 1e-12) for value in ends)
            lost, other = len(self.starts) - len(ends), len(ends) - same
            yield f"  of {len(self.starts)} starts {same} came to this optimum, {other} elsewhere, {lost} nowhere"
        if self.message:
            yield f"  note: {self.message}"

    def _unit_by(self, unit: str | None) -> str:
        """Return the unit of a derivative of the optimum by a number in this unit; "" if either unit is unknown."""
        return "" if self.unit is None or unit is None else quotient(self.unit, unit)

    def plot(self, names: Sequence[str] = (), degrees: bool = False, units: UnitsLike = None) -> Figure:
        """Plot the quantities of the objective and the limits, or the named ones, before and after the search."""
        with shown_in(units, degrees):
            return pictures.before_and_after(self, names)


def _heading(bound: Bound) -> str:
    word = shown_unit(bound.unit, bound.name)
    return f"{bound.name} [{word}]" if word else bound.name
