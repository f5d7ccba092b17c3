"""Mechanisms in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ModelError
from .bodies.body import Vector
from .bodies.frames import frame_of
from .bodies.spatial_body import SpatialBody
from .model import Model
from .parameters import Numeric, check_number, plain


class SpatialModel(Model):
    """A mechanism in space: bodies, markers on them, parameters, and the elements between the markers.

    SI units and radians throughout. Gravity is (g_x, g_y, g_z).
    """

    body_class = SpatialBody

    def body(
        self, name: str, mass: Numeric = 0, inertia: Numeric | Vector | Sequence[Vector] = 0, com: Vector = (0, 0, 0),
        position: Vector = (0, 0, 0), rotation: Any = None, **other: Any,
    ) -> SpatialBody:  # fmt: skip
        """A rigid body whose frame stands at `position` in the reference placement (a first guess is enough).

        `com` is in body axes; `inertia` is about it, in body axes: three principal moments, or a tensor. `rotation`
        takes body axes to world axes: a matrix (``mbs.rotations.bryant(...)``, ``euler(...)``,
        ``about(axis, angle)``), a quaternion (scalar first), or a scipy Rotation.
        """
        if other:
            raise ModelError(f"body {name!r} in space has no {', '.join(other)}; its attitude is given by rotation=")
        given: dict[str, Any] = {"inertia": inertia, "com": com, "position": position, "rotation": rotation}
        return self._added(SpatialBody(name, mass, **given))  # the body checks them, and makes tuples of them

    def link(
        self, name: str, P: Vector, Q: Vector, mass: Numeric = 0, length: Numeric | None = None, radius: Numeric = 0,
        z_axis: Vector | None = None,
    ) -> SpatialBody:  # fmt: skip
        """A uniform rod with markers `tail` and `head`, placed between two world points; its frame stands in the
        middle, its x axis points from tail to head, its z axis as near to `z_axis` as can be.

        Its length is the distance of P and Q, or what is given as `length` (a parameter, say): then P and Q only place
        the rod. With a `radius` it is a cylinder, and has an inertia about its own axis.
        """
        place, way, m, span = self._rod(name, P, Q, mass, length)
        r = check_number(radius, f"radius of link {name!r}", non_negative=True)
        if z_axis is None:
            z_axis = (-way[2], 0, 0) if way[0] == way[1] == 0 else (0, 0, 1)  # so that y stays y in the x-z plane
        try:
            z, y, x = zip(*frame_of(tuple(map(plain, way)), z_axis, f"link {name!r}"), strict=True)
        except ModelError as exc:
            raise ModelError(f"z_axis={z_axis} of link {name!r} has no part across the rod; give another one") from exc
        turn = tuple(zip(x, [-n for n in y], z, strict=True))
        across = m * (span**2 / 12 + r**2 / 4)
        inertia = (m * r**2 / 2, across, across)
        return self._with_ends(SpatialBody(name, m, inertia, position=place, rotation=turn, span=span))
