"""A force that is computed by a Python function: for what cannot be said as an expression.

It is called at every evaluation, so a run is some ten to a hundred times slower than with an expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Reading, variables
from ...symbolic.loads import WORKS
from ...symbolic.markers import PlanarMarker, marker_symbols
from ..body import as_marker
from ..element import checked_name
from ..parameters import Number
from .base import ForceElement


class PythonForce(ForceElement):
    """``PythonForce("wind", sail, function=f)``: f(t, i, j, ...) gets the markers with numbers for `point`, `velocity`,
    `angle`, `omega`, and returns one (Fx, Fy, M) for each of them, world axes; M may be left out.

    Slow: the function is called at every evaluation. It must be smooth, and depend on nothing but its arguments.
    """

    equations = ()
    sketch = "arrow"

    def __init__(self, name: str, *markers: Any, function: Callable, work: str = "supplied"):
        self.name = checked_name(name)
        if not callable(function):
            raise ModelError(f"{self.who} needs function=f, called as f(t, i, ...), not {function!r}")
        if work not in WORKS:
            raise ModelError(f"work of {self.who} is {work!r}; choose one of {', '.join(WORKS)}")
        self.markers = tuple(as_marker(m, self.who) for m in markers)
        if not self.markers:
            raise ModelError(f"{self.who} has no marker; name those whose bodies feel it")
        self.acting = len(self.markers)
        self.function = function
        self.work = work  # type: ignore[misc]

    def form(self) -> tuple[Reading, dict[sp.Symbol, Number]]:  # type: ignore[override]
        """The state of the markers, which is all that the function sees."""
        symbols = marker_symbols(len(self.markers))
        m, rates = variables(symbols)
        return Reading(symbols, (*m, *rates)), {}

    def wrenches(self, t: float, m: Any, rates: Any) -> list[tuple[float, float, float]]:
        """What the function returns for these numbers, checked."""
        size = len(m) // len(self.markers)
        states = [
            NumericMarker(tuple(m[k : k + size]), tuple(rates[k : k + size])) for k in range(0, len(m), size)
        ]
        out = [tuple(float(x) for x in w) for w in self.function(t, *states)]
        if len(out) != len(states) or any(len(w) not in (2, 3) for w in out):
            raise ModelError(f"the function of {self.who} must return one (Fx, Fy, M) for each marker, not {out}")
        return [(w[0], w[1], w[2] if len(w) > 2 else 0.0) for w in out]


class NumericMarker(PlanarMarker):
    """A marker at one moment, in numbers."""

    @property
    def point(self) -> Any:
        return self.m[:2]

    @property
    def velocity(self) -> Any:
        return self.rates[:2]

    @property
    def x_axis(self) -> Any:
        return self.m[2:4]

    @property
    def y_axis(self) -> Any:
        return (-self.m[3], self.m[2])
