"""The symbols of markers, and time: the variables of equations.

``mbs.t`` is time in expressions, a symbol of sympy:

>>> import sympy as sp
>>> sp.sin(2 * mbs.t).diff(mbs.t)
2*cos(2*t)
>>> model = mbs.PlanarModel("arm")
>>> arm = model.link("arm", (0, 0), (1, 0))
>>> driver = mbs.Driver("motor", mbs.angle(arm), sp.sin(2 * mbs.t))
>>> moved = mbs.kinematics(model.plus(mbs.Revolute("A", model.ground, arm.tail), driver), [0.0])
>>> print(moved["arm.omega"])  # 2 cos 0
[2.]
"""

from . import primitives
from .marker import LABELS, FormMarker, PlanarMarker, SpatialMarker, rate_of, reference_turn, t, variables

MARKERS: dict[int, type[FormMarker]] = {2: PlanarMarker, 3: SpatialMarker}
"""The kind of marker in the plane and in space."""


def marker_symbols(count: int, dimension: int) -> tuple[FormMarker, ...]:
    """Return the symbols of the markers of an element with `count` markers."""
    return tuple(MARKERS[dimension].symbols(LABELS[k]) for k in range(count))
