"""A force that is computed by a Python function: for what cannot be said as an expression.

It is called at every evaluation, so a run is some ten to a hundred times slower than with an expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import ModelError
from ...symbolic.derive import Reading
from ...symbolic.loads import WORKS
from ...symbolic.markers import MARKERS, FormMarker, marker_symbols, variables
from ..bodies.body import Place, as_marker
from ..element import checked_name
from ..parameters import check_choice
from .base import ForceElement, duals


class PythonForce(ForceElement):
    """``PythonForce("wind", sail, function=f)``: f(t, i, j, ...) gets the markers with numbers for `point`, `velocity`,
    `angle`, `omega`, and returns one (Fx, Fy, M) for each of them, world axes; M may be left out. In space these have
    three components each (and `x_axis`, `y_axis`, `z_axis` take the place of the angle).

    Slow: the function is called at every evaluation. It must be smooth, and depend on nothing but its arguments.
    """

    equations = ()
    sketch = "arrow"

    def __init__(self, name: str, *markers: Place, function: Callable, work: str = "supplied"):
        self.name = checked_name(name)
        if not callable(function):
            raise ModelError(f"{self.who} needs function=f, called as f(t, i, ...), not {function!r}")
        self.markers = tuple(as_marker(m, self.who) for m in markers)
        if not self.markers:
            raise ModelError(f"{self.who} has no marker; name those whose bodies feel it")
        self.check_dimension()
        self.acting = len(self.markers)
        self.function = function
        self.work = check_choice(work, WORKS, f"work of {self.who}")  # type: ignore[misc]
        symbols = marker_symbols(len(self.markers), self.dimension)
        m, rates = variables(symbols)
        self._complete(Reading(symbols, (*m, *rates)), {})  # the state of the markers, all that the function sees

    def wrenches(self, t: float, values: Any) -> list[float]:
        """What the function returns for these numbers (m of all markers, then their rates), checked: the forces and
        moments on all markers, one after the other."""
        count, kind = len(self.markers), NUMERIC[self.dimension]
        m, rates = len(kind.variable_names), len(kind.rate_names)
        states = [
            kind(tuple(values[k * m : (k + 1) * m]), tuple(values[count * m + k * rates :][:rates]))
            for k in range(count)
        ]
        return [*map(float, duals(self.function(t, *states), states, f"the function of {self.who}"))]


NUMERIC: dict[int, type[FormMarker]] = {
    dimension: type(f"Numeric{kind.__name__}", (kind,), {"vector": staticmethod(tuple)})
    for dimension, kind in MARKERS.items()
}
"""The markers at one moment: their vectors are tuples."""
