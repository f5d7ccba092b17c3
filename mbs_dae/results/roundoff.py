"""Tables for people: a number that is roundoff of the numbers from which it is computed is shown as 0."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .result import Result
from .shares import NOTHING

TERMS = {"rad/s²": ("rad/s", "rad/s"), "m/s²": ("rad/s", "m/s"), "N m": ("N", "m"), "W": ("N", "m/s")}
"""Products that are summed to a number in this unit, such as ω² r or F r: their size is the scale of a sum that
vanishes."""
REMAINDERS = ("violation.", "energy.error")
"""Quantities that measure roundoff themselves."""


class Scales:
    """The largest absolute value of all given numbers, by SI unit."""

    def __init__(self, given: Iterable[tuple[str, np.ndarray]]) -> None:
        self.largest: dict[str, float] = {}
        for unit, values in given:
            size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
            self.largest[unit] = max(self.largest.get(unit, 0.0), size)

    @classmethod
    def of_result(cls, result: Result) -> Scales:
        """Return the scales of all quantities that a result has."""
        result.quantities.read_all()
        names = [name for name in result.scalar_names if not name.startswith(REMAINDERS)]
        return cls((result.unit(name), result[name]) for name in names)

    def cleaned(self, values: np.ndarray, unit: str, name: str) -> np.ndarray:
        """Return the values of a quantity, in SI, with 0 in place of those below 1e-12 of the scale of this unit."""
        if name.startswith(REMAINDERS):
            return values
        one, other = (self.largest.get(part, 0.0) for part in TERMS.get(unit, ("", "")))
        scale = max(self.largest.get(unit, 0.0), one * other)
        return np.where(np.abs(values) <= NOTHING * scale, 0.0, values)
