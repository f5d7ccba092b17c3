"""Mechanisms in space."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..errors import ModelError
from .bodies.body import coordinates_of
from .bodies.frames import frame_of
from .bodies.spatial_body import SpatialBody
from .model import Model
from .parameters import Number, check_number, plain


class SpatialModel(Model):
    """A mechanism in space: bodies, markers on them, parameters, and the elements between the markers.

    SI units and radians throughout. Gravity is (g_x, g_y, g_z).
    """

    body_class = SpatialBody

    def body(
        self,
        name: str,
        mass: Number = 0,
        inertia: Any = (0, 0, 0),
        com: tuple[Number, Number, Number] = (0, 0, 0),
        position: tuple[Number, Number, Number] = (0, 0, 0),
        rotation: Any = None,
        **other: Any,
    ) -> SpatialBody:
        """A rigid body whose frame stands at `position` in the reference placement (a first guess is enough).

        `com` is in body axes; `inertia` is about it, in body axes: three principal moments, or a tensor. `rotation`
        takes body axes to world axes: a matrix (``mbs.rotations.bryant(...)``, ``euler(...)``,
        ``about(axis, angle)``), a quaternion (scalar first), or a scipy Rotation.
        """
        if other:
            raise ModelError(f"body {name!r} in space has no {', '.join(other)}; its attitude is given by rotation=")
        return self._added(SpatialBody(name, mass, inertia, com, position, rotation=rotation))

    def link(
        self,
        name: str,
        P: tuple[Number, Number, Number],
        Q: tuple[Number, Number, Number],
        mass: Number = 0,
        length: Number | None = None,
        radius: Number = 0,
        z_axis: Any = None,
    ) -> SpatialBody:
        """A uniform rod with markers `tail` and `head`, placed between two world points; its frame stands in the
        middle, its x axis points from tail to head, its z axis as near to `z_axis` as can be.

        Its length is the distance of P and Q, or what is given as `length` (a parameter, say): then P and Q only place
        the rod. With a `radius` it is a cylinder, and has an inertia about its own axis.
        """
        tail, head = (
            sp.Matrix(coordinates_of(point, f"{which} of link {name!r}", 3)) for which, point in (("P", P), ("Q", Q))
        )
        way = head - tail
        between = sp.sqrt(way.dot(way))
        if between == 0:
            raise ModelError(f"link {name!r} has no length: P and Q are the same point; move one of them")
        mass = check_number(mass, f"mass of link {name!r}", non_negative=True)
        length = plain(between) if length is None else check_number(length, f"length of link {name!r}", positive=True)
        check_number(radius, f"radius of link {name!r}", non_negative=True)
        across = mass * (length**2 / 12 + radius**2 / 4)
        if z_axis is None:
            z_axis = (-way[2], 0, 0) if way[0] == way[1] == 0 else (0, 0, 1)  # so that y stays y in the x-z plane
        try:
            z, y, x = zip(*frame_of(tuple(map(plain, way)), z_axis, f"link {name!r}"), strict=True)
        except ModelError as exc:
            raise ModelError(f"z_axis={z_axis} of link {name!r} has no part across the rod; give another one") from exc
        place, turn = tuple(map(plain, (tail + head) / 2)), tuple(zip(x, [-n for n in y], z, strict=True))
        inertia = (mass * radius**2 / 2, across, across)
        rod = self._added(SpatialBody(name, mass, inertia, position=place, rotation=turn, span=length))
        rod.marker("tail", -length / 2, 0, 0)
        rod.marker("head", length / 2, 0, 0)
        return rod
