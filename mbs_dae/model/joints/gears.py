"""Wheels that roll on each other. Their centres are held by other joints; these equations tie the rotations."""

from __future__ import annotations

from typing import Any

from ...errors import ModelError
from ..fields import choice, scalar
from ..parameters import check_number
from .base import Joint


def _meshing(i, j, carrier=None, *, ratio, mesh):
    """The rotation that the teeth forbid, seen from the carrier (the arm between the two axes).

    At the pitch point both wheels have the same speed: r_i ω_i = -r_j ω_j for outer teeth, r_i ω_i = r_j ω_j for a
    ring (all against the carrier), and ratio = r_j / r_i.
    """
    arm = 0 if carrier is None else carrier.angle
    sign = 1 if mesh == "external" else -1
    return (i.angle - arm) + sign * ratio * (j.angle - arm)


class Gear(Joint):
    """Two wheels in mesh: ``Gear("mesh", wheel, pinion, carrier=arm, ratio=...)`` or ``radii=(r_i, r_j)``.

    ratio = r_j / r_i = |ω_i / ω_j| against the carrier. Without a carrier both axes stand still. ``mesh="internal"``
    when one of the wheels is a ring. ``phase`` is the tooth offset; it defaults to that of the reference placement.
    """

    unit = "rad"
    sketch = "mesh"
    ratio = scalar(positive=True)
    mesh = choice("external", "internal", default="external")
    phase = scalar("rad", default=_meshing)

    def __init__(self, name: str, *args: Any, radii: Any = None, **constants: Any):
        if radii is not None:
            if "ratio" in constants:
                raise ModelError(f"Gear {name!r} got ratio and radii; give one of them")
            try:
                r_i, r_j = radii
            except (TypeError, ValueError) as exc:
                raise ModelError(f"radii of Gear {name!r} must be a pair (r_i, r_j), not {radii!r}") from exc
            r_i, r_j = (check_number(r, f"radius of Gear {name!r}", positive=True) for r in (r_i, r_j))
            constants["ratio"] = r_j / r_i
        super().__init__(name, *args, **constants)

    @staticmethod
    def phi(i, j, carrier=None, *, ratio, mesh, phase):
        return [_meshing(i, j, carrier, ratio=ratio, mesh=mesh) - phase]


def _slip(i, j, *, radius, side):
    way = j.x_axis.dot(i.point - j.point)
    roll = radius * (i.angle - j.angle)
    return way + roll if side == "above" else way - roll


class RackAndPinion(Joint):
    """A pinion (first marker: its centre) rolling on a rack (second marker: its x axis is the pitch line).

    With the pinion on the rack's +y side, rolling forward turns it clockwise: u = -radius * rotation, where u is the
    pinion's way along the rack. On the -y side (``side="below"``) the sign turns.
    """

    sketch = "mesh"
    radius = scalar("m", positive=True)
    side = choice("above", "below", default="above")
    phase = scalar("m", default=_slip)

    @staticmethod
    def phi(i, j, radius, side, phase):
        return [_slip(i, j, radius=radius, side=side) - phase]
