"""Places where curves meet limits of joints."""

from __future__ import annotations

import numpy as np

from ..curves import zeros_along
from ..following.tracing import Place
from ..found import SingularCurve
from ..plane.arcs import Spot
from .limits import Limits


def corners_at_limits(curve: SingularCurve, bounds: Limits) -> tuple[Spot, ...]:
    """Return the places where a curve turns back, and where another joint comes to its limit."""
    corners = [cusp.spot for cusp in curve.cusps]

    def room(place: Place) -> float:
        return bounds.margin(place.z.q, curve.limits)

    rooms = np.array([room(place) for place in curve.trace.places])
    if np.isfinite(rooms).all():
        corners += [spot for spot, _ in zeros_along(curve.trace, rooms, room)]
    return tuple(corners)
