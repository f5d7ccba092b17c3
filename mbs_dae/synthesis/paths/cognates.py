"""Find the six linkages that draw one coupler curve: three cognates (Roberts), each driven at either of its pivots.

With z = (P - A)/(B - A), which is constant, let A' = O + P - A complete a parallelogram. Then P - A' = A - O is as long
as the crank, and with C' = A' + z (A - O) and C = O + z (D - O)

    C - C' = z (D - A) - (P - A) = z (D - B),

which is |z| c long: O, A', C', C is a four-bar with P on its coupler. The third one follows likewise from D's side.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..linkages import Circle, Linkage, Pose
from .coupler_curves import Found


def drawing_the_same(found: Found) -> Iterator[Found]:
    """Yield the six four-bars that draw the same curve, the given one first."""
    pose = found.linkage.pose(found.theta, found.signs)
    other = _seen_from(found, pose)
    yield from (found, other)
    if abs(found.linkage.p) > 0:
        yield from _both(_cognate(found, pose))
    other_pose = other.linkage.pose(other.theta, other.signs)
    if abs(other.linkage.p) > 0:
        yield from _both(_cognate(other, other_pose))


def _both(found: Found) -> tuple[Found, Found]:
    return found, _seen_from(found, found.linkage.pose(found.theta, found.signs))


def _seen_from(found: Found, pose: Pose) -> Found:
    """Return the linkage with its rocker as the crank."""
    linkage = found.linkage
    guide = _circle(linkage)
    turned = Linkage(guide.D, guide.c, linkage.b, Circle(linkage.O, linkage.a), linkage.b - linkage.p)
    return _standing(found, turned, pose.B - guide.D)


def _cognate(found: Found, pose: Pose) -> Found:
    """Return the cognate on the crank's side: it keeps the pivot O."""
    linkage = found.linkage
    guide, z = _circle(linkage), linkage.p / linkage.b
    third = Circle(linkage.O + z * (guide.D - linkage.O), abs(z) * guide.c)
    made = Linkage(linkage.O, abs(linkage.p), abs(z) * linkage.a, third, linkage.a * abs(z) / z)
    return _standing(found, made, pose.P - pose.A)


def _standing(found: Found, linkage: Linkage, crank: np.ndarray) -> Found:
    """Return the linkage with its crank in these directions, with the signs that leave P where it was."""
    wanted = found.linkage.pose(found.theta, found.signs).P
    theta = np.angle(crank)
    off = [np.abs(linkage.pose(theta, sign).P - wanted) for sign in (1.0, -1.0)]
    return Found(linkage, theta, np.where(off[0] <= off[1], 1.0, -1.0), found.cost)


def _circle(linkage: Linkage) -> Circle:
    assert isinstance(linkage.guide, Circle)
    return linkage.guide
