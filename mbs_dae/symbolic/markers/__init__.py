"""The symbols of markers: all that equations may speak of."""

from . import primitives
from .marker import LABELS, FormMarker, PlanarMarker, SpatialMarker, rate_of, reference_turn, t, variables

MARKERS: dict[int, type[FormMarker]] = {2: PlanarMarker, 3: SpatialMarker}
"""The kind of marker in the plane and in space."""


def marker_symbols(count: int, dimension: int) -> tuple[FormMarker, ...]:
    """The symbols of the markers of an element that has this many."""
    return tuple(MARKERS[dimension].symbols(LABELS[k]) for k in range(count))
