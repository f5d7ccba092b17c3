"""Mechanisms in the plane."""

from __future__ import annotations

import sympy as sp

from ..errors import ModelError
from .body import coordinates_of
from .model import Model
from .parameters import Number, check_number, plain
from .planar_body import PlanarBody


class PlanarModel(Model):
    """A planar mechanism: bodies, markers on them, parameters, and the elements between the markers.

    SI units and radians throughout. Gravity is (g_x, g_y).
    """

    body_class = PlanarBody

    def body(
        self,
        name: str,
        mass: Number = 0,
        inertia: Number = 0,
        com: tuple[Number, Number] = (0, 0),
        position: tuple[Number, Number] = (0, 0),
        angle: Number = 0,
    ) -> PlanarBody:
        """A rigid body whose frame stands at `position` with `angle` in the reference placement (a first guess is
        enough); `com` in body axes, `inertia` about it."""
        return self._added(PlanarBody(name, mass, inertia, com, position, angle=angle))

    def link(
        self,
        name: str,
        P: tuple[Number, Number],
        Q: tuple[Number, Number],
        mass: Number = 0,
        length: Number | None = None,
    ) -> PlanarBody:
        """A uniform slender rod with markers `tail` and `head`, placed between two world points; its frame stands in
        the middle, its x axis points from tail to head.

        Its length is the distance of P and Q, or what is given as `length` (a parameter, say): then P and Q only place
        the rod."""
        (px, py), (qx, qy) = (
            coordinates_of(point, f"{which} of link {name!r}", 2) for which, point in (("P", P), ("Q", Q))
        )
        dx, dy = qx - px, qy - py
        between = sp.sqrt(sp.sympify(dx) ** 2 + sp.sympify(dy) ** 2)
        if between == 0:
            raise ModelError(f"link {name!r} has no length: P and Q are the same point; move one of them")
        length = plain(between) if length is None else check_number(length, f"length of link {name!r}", positive=True)
        inertia = mass * length**2 / 12
        rod = self.body(name, mass, inertia, (0, 0), ((px + qx) / 2, (py + qy) / 2), plain(sp.atan2(dy, dx)))
        rod.marker("tail", -length / 2, 0)
        rod.marker("head", length / 2, 0)
        return rod
