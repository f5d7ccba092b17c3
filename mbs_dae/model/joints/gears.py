"""Wheels that roll on each other. Their centres are held by other joints; these equations tie the rotations."""

from __future__ import annotations

from typing import Any

from ...errors import ModelError
from ...symbolic.markers import primitives as the
from ..bodies.body import components_of
from ..fields import choice, scalar
from ..parameters import Number, check_number
from .base import Joint


def _meshing(i, j, carrier=None, other=None, *, ratio, mesh):
    """The rotation that the teeth forbid, seen from the carrier (the arm between the two axes); in space the carrier
    has a marker on either axis.

    At the pitch point both wheels have the same speed: r_i ω_i = -r_j ω_j for outer teeth, r_i ω_i = r_j ω_j for a
    ring (all against the carrier), and ratio = r_j / r_i.
    """
    first, second = carrier, other or carrier
    sign = 1 if mesh == "external" else -1
    return _angle(first, i) + sign * ratio * _angle(second, j)


def _angle(carrier, wheel):
    return wheel.turn if carrier is None else the.turn(carrier, wheel)


class Gear(Joint):
    """Two wheels in mesh: ``Gear("mesh", wheel, pinion, carrier=arm, ratio=...)`` or ``radii=(r_i, r_j)``.

    ratio = r_j / r_i = |ω_i / ω_j| against the carrier. Without a carrier both axes stand still. ``mesh="internal"``
    when one of the wheels is a ring. ``phase`` is the tooth offset; it defaults to that of the reference placement.

    In space the wheels' joints are named, ``Gear("mesh", A, B, ratio=...)``: their axes may have any directions, as
    those of bevel gears. (Signs are those of the joints' angles.)
    """

    unit = "rad"
    sketch = "mesh"
    ratio = scalar(positive=True)
    mesh = choice("external", "internal", default="external")
    phase = scalar("rad", default=_meshing)

    def __init__(self, name: str, *args: Any, radii: tuple[Number, Number] | None = None, **constants: Any):
        if args and all(isinstance(a, Joint) for a in args[:2]):
            args = (*_wheels(name, *args[:2]), *args[2:])
        if radii is not None:
            if "ratio" in constants:
                raise ModelError(f"Gear {name!r} got ratio and radii; give one of them")
            pair = components_of(radii, f"radii of Gear {name!r}", ("r_i", "r_j"))
            r_i, r_j = (check_number(r, f"radius of Gear {name!r}", positive=True) for r in pair)
            constants["ratio"] = r_j / r_i
        super().__init__(name, *args, **constants)

    def check_dimension(self) -> None:
        super().check_dimension()
        if self.dimension == 3 and len(self.markers) != 4:
            raise ModelError(
                f"{self.who} in space needs the joints of both wheels, or four markers (wheel, wheel, and one on the "
                "carrier for each); write Gear(name, joint_a, joint_b, ratio=...)"
            )

    @staticmethod
    def phi(i, j, carrier=None, other=None, *, ratio, mesh, phase):
        return [_meshing(i, j, carrier, other, ratio=ratio, mesh=mesh) - phase]


def _wheels(name: str, *joints: Any) -> tuple[Any, ...]:
    """Of the joints of two wheels: the wheels, then what carries them."""
    if len(joints) != 2 or joints[0] is joints[1] or not all("angle" in joint.measures() for joint in joints):
        raise ModelError(f"Gear {name!r} couples two joints that have an angle; name two revolute joints")
    first, second = joints
    if not {*first.bodies} & {*second.bodies}:
        raise ModelError(
            f"Gear {name!r}: {first.name!r} turns on {first.markers[0].body.name!r}, and {second.name!r} on "
            f"{second.markers[0].body.name!r}; teeth mesh on one carrier, so name the joints of both wheels on the "
            "same body"
        )
    return tuple(joint.markers[side] for side in (1, 0) for joint in joints)


def _slip(i, j, *, radius, side):
    way = j.x_axis.dot(i.point - j.point)
    roll = radius * the.turn(j, i)
    return way + roll if side == "above" else way - roll


class RackAndPinion(Joint):
    """A pinion (first marker: its centre) rolling on a rack (second marker: its x axis is the pitch line).

    With the pinion on the rack's +y side, rolling forward turns it clockwise: u = -radius * rotation, where u is the
    pinion's way along the rack. On the -y side (``side="below"``) the sign turns.
    In space both markers have their axes along that of the pinion.
    """

    sketch = "mesh"
    radius = scalar("m", positive=True)
    side = choice("above", "below", default="above")
    phase = scalar("m", default=_slip)

    @staticmethod
    def phi(i, j, radius, side, phase):
        return [_slip(i, j, radius=radius, side=side) - phase]
