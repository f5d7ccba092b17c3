"""The building blocks of joints: relations between two markers, in the plane and in space alike.

Each function gives rows that vanish, or a coordinate of the second marker relative to the first. In space an axis is
the z axis of a marker; in the plane all axes lead out of it, so `parallel` has no rows there, and a guide runs along
x::

    rows         coincident     parallel     unturned      on_line     in_plane     perpendicular
    plane        2              0            1             1           -            -
    space        3              2            3             2           1            1

A joint of one's own is written with them, ``mbs.primitives.coincident(i, j)``, in the plane and in space at once:

>>> class Pin(mbs.Joint):
...     @staticmethod
...     def phi(i, j):
...         return mbs.primitives.coincident(i, j)
>>> plane, space = mbs.PlanarModel("plane"), mbs.SpatialModel("space")
>>> for model in (plane, space):
...     pin = model.add(Pin("pin", model.ground, model.body("body")))
>>> [mbs.diagnose(model).degrees_of_freedom for model in (plane, space)]  # it turns; as a ball does
[1, 3]
"""

from typing import Any

import sympy as sp

from .marker import antisymmetric


def coincident(i: Any, j: Any) -> list[sp.Expr]:
    """The points coincide. The multipliers are the force on the second body, in world axes."""
    return list(i.point - j.point)


def parallel(i: Any, j: Any) -> list[sp.Expr]:
    """The axes are parallel."""
    return [] if i.dimension == 2 else [i.y_axis.dot(j.z_axis), -i.x_axis.dot(j.z_axis)]


def unturned(i: Any, j: Any) -> list[sp.Expr]:
    """The frames are parallel. For small turns of the second one: minus the angle about each axis."""
    if i.dimension == 2:
        return [i.angle - j.angle]
    return [i.y_axis.dot(j.z_axis), i.z_axis.dot(j.x_axis), i.x_axis.dot(j.y_axis)]


def turned_by(i: Any, j: Any) -> list[sp.Expr]:
    """The turn of the second frame relative to the first, in the axes of the first: an angle; in space twice the vector
    part of a quaternion, 2 sin(θ/2) n, for small turns the rotation vector. Unlike `unturned` this vector vanishes for
    no other turn, and costs more."""
    if i.dimension == 2:
        return [i.turn_to(j)]
    R = sp.Matrix(3, 3, lambda row, column: i.axes[row].dot(j.axes[column]))
    return [sine / sp.sqrt(1 + R.trace()) for sine in antisymmetric(R)]  # 2 sin θ n over 2 cos θ/2


def on_line(i: Any, j: Any) -> list[sp.Expr]:
    """The second point lies on the guide through the first."""
    return [across.dot(i.point - j.point) for across in i.across]


def in_plane(i: Any, j: Any) -> list[sp.Expr]:
    """The second point lies in the plane through the first, at right angles to its axis."""
    return [i.axis.dot(i.point - j.point)]


def perpendicular(a: sp.Matrix, b: sp.Matrix) -> list[sp.Expr]:
    """Two directions are at right angles."""
    return [a.dot(b)]


def turn(i: Any, j: Any = None) -> sp.Expr:
    """The angle by which the second marker is turned against the first about their axis, counting past 2π; for one
    marker alone its own turn."""
    return i.turn if j is None else i.turn_to(j)


def displacement(i: Any, j: Any) -> sp.Expr:
    """The coordinate of the second point along the guide of the first."""
    return i.guide.dot(j.point - i.point)


def distance(i: Any, j: Any) -> sp.Expr:
    """The distance of the points."""
    d = j.point - i.point
    return sp.sqrt(d.dot(d))
