"""Transmission and pressure angles: between the line along which a member pushes, and the direction in which a guide
lets the pushed point move.

A body that may turn about D moves its point P normal to the axis n, along n × (P - D); a sliding body moves along its
guide. Neither depends on the speed of the mechanism, so both are defined at dead points, where velocities vanish.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..duals import Dual, value_of
from ..errors import ModelError
from ..results.frames import FramePath, at_element, elements
from ..results.result import Result
from ..symbolic.derive import Reading, Relation
from ..symbolic.loads import joint_wrenches
from ..symbolic.markers import marker_symbols
from ..tolerances import SAME_POINT
from .motion import ComputedQuantities

PINS = ("pin", "ball", "cross")
"""Pictures of the joints that may be at the ends of a coupler, whose force passes through them."""
GUIDES = ("pin", "slider")
EXAMPLES = 'coupler from B to C, driven body on D: ("B", "C", "D"); a cam and its follower\'s guide: ("cam", "guide")'


class BodyForce(NamedTuple):
    """The force of a member on a body: its position and its line, over time."""

    body: str
    point: np.ndarray
    along: np.ndarray


def transmission_angle(result: Result, joints: Sequence[str]) -> np.ndarray:
    return np.pi / 2 - pressure_angle(result, joints)


def pressure_angle(result: Result, joints: Sequence[str]) -> np.ndarray:
    if len(joints) not in (2, 3) or not all(isinstance(name, str) for name in joints):
        raise ModelError(
            f"an angle of transmission takes three joints, or an element and a guide: {EXAMPLES}",
            code="wrong-length", argument="joints", value=joints,
        )  # fmt: skip
    push = _of_coupler(result, *joints) if len(joints) == 3 else _of_element(result, *joints)
    way = _way(result, joints[-1], push)
    along, across = np.abs(_dot(push.along, way)), np.linalg.norm(np.cross(push.along, way), axis=1)
    return np.arctan2(across, along)


def _of_coupler(result: Result, first: str, last: str, guide: str) -> BodyForce:
    """Return the force of a coupler, the body that both its joints share, on the driven body, the other body of the
    last joint."""
    bodies = {name: _bodies(result, name) for name in (first, last, guide)}
    for name in (first, last):
        kind = next(elements(result, "joint", name)).kind
        if kind not in PINS:
            what = f"{name!r} is not a pin or ball, so the force of a coupler does not go through it"
            remedy = "name the element that pushes and the guide, as in pressure_angle('cam', 'guide')"
            raise ModelError(f"{what}; {remedy}", code="not-a-pin", joint=name, kind=kind)
    driven = [body for body in bodies[last] if body in bodies[guide]]
    couplers = [body for body in bodies[last] if body in bodies[first] and body not in driven]
    if len(driven) != 1 or len(couplers) != 1:
        said = ", ".join(f"{name!r} ({' and '.join(own)})" for name, own in bodies.items())
        what = f"{said}: the first two must share the coupler, the last two the driven body"
        raise ModelError(
            f"{what}; name them in the order of the force", code="joints-not-in-chain", joints=(first, last, guide)
        )
    points = [_frame(result, name, bodies[name].index(couplers[0])).point for name in (first, last)]
    rod = points[1] - points[0]
    what = f"{first!r} and {last!r} coincide, so the coupler has no direction"
    return BodyForce(driven[0], points[1], _unit(result, rod, _size(rod, *points), what))


def _of_element(result: Result, name: str, guide: str) -> BodyForce:
    """Return the force of an element for a unit multiplier, at the point of its line that is nearest to its marker."""
    bodies = _bodies(result, name)
    driven = [body for body in bodies if body in _bodies(result, guide)]
    if name == guide or len(driven) != 1:
        what = f"{name!r} acts on {' and '.join(bodies)}, {guide!r} on {' and '.join(_bodies(result, guide))}"
        raise ModelError(
            f"{what}: they must share the body that is driven, and no other; name the guide of that body",
            code="guide-of-other-body", element=name, guide=guide,
        )  # fmt: skip
    computed = result.quantities
    if not isinstance(computed, ComputedQuantities) or computed.swept:
        raise ModelError(
            f"the line of force of {name!r} is read of one run in memory, not of a file or a sweep",
            code="not-a-single-run", element=name,
        )  # fmt: skip
    element, place = computed.system.model.elements[name], bodies.index(driven[0])
    form, slots = element.form()
    if not isinstance(form, Relation) or form.size != 1:
        what = f"{name!r} is not an element of one equation, which pushes along one line"
        raise ModelError(
            f"{what}; of a coupler name the joints at both its ends, then the guide: ('B', 'C', 'D')",
            code="no-line-of-force", element=name,
        )  # fmt: skip
    read = computed.system.read_values(joint_wrenches(form), slots, element.markers, *computed.motion[:3])
    wrench = read.reshape(len(read), len(element.markers), -1)[:, place]
    size, none = result.sketch.dimension, np.zeros((len(read), 3))
    force = np.concatenate([wrench[:, :size], none[:, size:]], axis=1)
    moment = np.concatenate([none, wrench[:, size:]], axis=1)[:, -3:]
    along = _unit(result, force, np.ones(len(force)), f"{name!r} pushes no point, so it has no line of force")
    arm = np.cross(force, moment) / _dot(force, force)[:, None]
    return BodyForce(driven[0], _frame(result, name, place).point + arm, along)


def _way(result: Result, guide: str, push: BodyForce) -> np.ndarray:
    """Return the direction in which the guide lets the pushed point move."""
    kind = next(elements(result, "joint", guide)).kind
    if kind not in GUIDES:
        what = f"{guide!r} does not say on which way it leads {push.body!r}"
        raise ModelError(
            f"{what}; name a Revolute or a Translational as the last joint",
            code="not-a-guide", joint=guide, kind=kind, body=push.body,
        )  # fmt: skip
    frame = _frame(result, guide, 0)
    if kind == "slider":
        return frame.axes[:, :, 0 if result.sketch.dimension == 2 else 2]
    arm = push.point - frame.point
    what = f"the point that is pushed stands on the axis of {guide!r}, about which it cannot turn"
    return _unit(result, np.cross(frame.axes[:, :, 2], arm), _size(arm, push.point, frame.point), what)


def _frame(result: Result, name: str, place: int) -> FramePath:
    """Return the size for comparisons of lengths: that of the positions between which the lengths are."""
    if not isinstance(result.q, Dual):
        return at_element(result, name, place)
    computed = result.quantities
    assert isinstance(computed, ComputedQuantities)
    if computed.swept:
        what = f"angles of transmission, here at {name!r}, have no derivatives along a sweep"
        raise ModelError(
            f"{what}; drive the mechanism, and ask mbs.kinematics(model, times, derivatives=[...])",
            code="no-derivative", element=name,
        )  # fmt: skip
    size, marker = result.sketch.dimension, computed.system.model.elements[name].markers[place]
    (own,) = marker_symbols(1, size)
    values = (*own.point, *(x for axis in own.axes for x in axis))
    read = computed.system.read_values(Reading((own,), values), {}, (marker,), *computed.motion[:3])
    times, none = len(result.t), np.zeros((len(result.t), 3))
    if size == 3:
        axes = read[:, 3:].reshape(times, 3, 3)
        return FramePath(read[:, :3], np.stack([axes[:, k, :] for k in range(3)], axis=2))
    columns = [np.concatenate([read[:, k : k + 2], none[:, :1]], axis=1) for k in (0, 2, 4)]
    upright = none + (0.0, 0.0, 1.0)
    return FramePath(columns[0], np.stack([columns[1], columns[2], upright], axis=2))


def _bodies(result: Result, name: str) -> list[str]:
    return [marker[0] for marker in next(elements(result, "joint", name)).markers]


def _size(difference: np.ndarray, *points: np.ndarray) -> np.ndarray:
    """Return the size with which lengths are compared: that of the places between which they are."""
    return np.maximum.reduce([np.linalg.norm(value_of(x), axis=1) for x in (difference, *points)])


def _unit(result: Result, vectors: np.ndarray, size: np.ndarray, what: str) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=1)
    short = np.flatnonzero(~(value_of(length) > SAME_POINT * size))
    if short.size:
        name, unit = result.axis
        at = f"{name} = {value_of(result.t)[short[0]]:g} {unit}".strip()
        raise ModelError(
            f"{what} (at {at}); name other joints",
            code="no-direction", reason=what, place=float(value_of(result.t)[short[0]]),
        )  # fmt: skip
    return vectors / length[:, None]


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ti,ti->t", a, b)
