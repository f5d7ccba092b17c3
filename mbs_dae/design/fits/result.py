"""The result of a fit, with its confidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from ...compiled import System
from ...errors import check_name, counted
from ...model.model import Model
from ...public_class import PublicClass
from ...results.result import Result
from ...unit_system import UnitsLike, shown_in, size_of, told
from .. import pictures
from .measurements import Measurements

CLOSELY = 0.9
"""The correlation above which a pair of numbers is printed."""


@dataclass(frozen=True)
class Estimate:
    """A number that was fitted."""

    name: str
    value: float
    start: float
    unit: str
    standard_error: float
    """The standard error; infinite if the measurement does not determine the number."""
    low: float
    """The lower end of the interval that contains the true number with the requested probability."""
    high: float
    """The upper end of this interval."""
    at_bound: str
    """The bound, "lower" or "upper", at which the fit ended, else ""; an interval at a bound means little."""


@dataclass(frozen=True, eq=False)
class Fit(metaclass=PublicClass):
    """The numbers that fit a measurement best: ``values`` by name, the ``model`` with these values, and their
    confidence.

    >>> model = mbs.PlanarModel("crank")
    >>> r, shift = model.parameter("r", 0.1, unit="m"), model.parameter("shift", 0.0)
    >>> crank = model.link("crank", (0, 0), (0.1, 0), length=r)
    >>> motor = mbs.Driver("motor", mbs.angle(crank), mbs.t + shift)
    >>> model.add(mbs.Revolute("A", model.ground, crank.tail), motor)
    (<Revolute A>, <Driver motor>)
    >>> t = np.linspace(0, 6, 40)
    >>> wrong = np.random.default_rng(2).normal(0, 1e-3, 40)
    >>> measured = {"t": t, "crank.head.x": 0.12 * np.cos(t + 0.2) + wrong}
    >>> found = mbs.fit(model, measured, over=["r", "shift"], verb="kinematics")
    >>> isinstance(found, mbs.Fit), [round(value, 2) for value in found.values.values()]
    (True, [0.12, 0.2])
    """

    estimates: tuple[Estimate, ...]
    correlation: np.ndarray
    """The correlations of the numbers with each other; nan where one of them is unknown."""
    noise: Mapping[str, float]
    """The standard deviation of the noise of each column, as given or as estimated."""
    residuals: Mapping[str, np.ndarray]
    """The model's values minus the measured values, without gaps."""
    confidence: float
    noise_given: bool
    freedom: int
    """The degrees of freedom: the number of measured values less the number of determined numbers."""
    indistinct: tuple[str, ...]
    """Sentences about numbers that the measurement does not determine or cannot distinguish; ideally none."""
    success: bool
    message: str
    runs: int
    iterations: int
    model: Model | System
    """The model with the fitted values."""
    result: Result
    """The run with the fitted values."""
    measured: Measurements

    @property
    def values(self) -> dict[str, float]:
        """The fitted values by name, in SI units."""
        return {one.name: one.value for one in self.estimates}

    def __getitem__(self, name: str) -> float:
        """Return the fitted value of a number, in SI units."""
        check_name("number", name, self.values, "the fit")
        return self.values[name]

    def interval(self, name: str) -> tuple[float, float]:
        """Return the interval that contains the true number with the probability `confidence`."""
        check_name("number", name, self.values, "the fit")
        (one,) = (one for one in self.estimates if one.name == name)
        return one.low, one.high

    def __repr__(self) -> str:
        return f"<Fit of {self.result.title!r}: {', '.join(f'{name} = {x:.6g}' for name, x in self.values.items())}>"

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines())

    def _lines(self) -> Iterator[str]:
        work = f"in {counted(self.iterations, 'iteration')} and {counted(self.runs, 'run')}"
        what = f"{self.measured.count} values of {', '.join(self.measured.columns)}"
        yield f"fit of {self.result.title!r} to {what}, {work}"
        read = [size_of(one.unit, one.name) for one in self.estimates]
        names = [f"{one.name} [{word}]" if word else one.name
                 for one, (_, word) in zip(self.estimates, read, strict=True)]  # fmt: skip
        width = max(10, *map(len, names))
        percent = f"{100 * self.confidence:g} %"
        yield f"  {'name':<{width}}{'value':>13}{'was':>13}{'error':>11}  interval of {percent}"
        for name, one, (size, _) in zip(names, self.estimates, read, strict=True):
            interval = (
                f"{one.low / size:.6g} to {one.high / size:.6g}" if np.isfinite(one.standard_error) else "not known"
            )
            bound = f" (at its {one.at_bound} bound)" if one.at_bound else ""
            numbers = f"{one.value / size:>13.6g}{one.start / size:>13.6g}{one.standard_error / size:>11.2g}"
            yield f"  {name:<{width}}{numbers}  {interval}{bound}"
        word = "given" if self.noise_given else "estimated"
        yield f"  noise ({word}): " + ", ".join(
            f"{name} {told(x, self.result.unit(name), name, digits=3)}" for name, x in self.noise.items()
        )
        for k, j in zip(*np.nonzero(np.triu(np.nan_to_num(np.abs(self.correlation)) > CLOSELY, 1)), strict=True):
            pair = f"{self.estimates[k].name} and {self.estimates[j].name}"
            yield f"  {pair} are correlated: {self.correlation[k, j]:.4f}"
        yield from (f"  {one}" for one in self.indistinct)
        if self.message:
            yield f"  note: {self.message}"

    def plot(self, degrees: bool = False, units: UnitsLike = None) -> Figure:
        """Plot the measurements and the model, and the residuals beside them."""
        with shown_in(units, degrees):
            return pictures.measured_and_fitted(self)
