"""Angles of wheels and their steering axes in the vehicle, by ISO 8855.

With the orthogonal directions f forward, u up and o outward (to the left for a left wheel, to the right for a right
one), and s the direction of the wheel's axis that points outward,

    camber = atan2(-s·u, √((s·f)² + (s·o)²)),      toe = atan2(s·f, s·o);

with k from the lower to the upper end of the steering axis

    caster = atan2(-k·f, k·u),      inclination of the kingpin = atan2(-k·o, k·u).
"""

from collections.abc import Sequence

import numpy as np

from ..errors import ModelError, check_name
from ..results.frames import FramePath, at_element, at_marker, elements, named
from ..results.geometry import Direction
from ..results.result import Result
from ..tolerances import CENTRE_PLANE

AXLES = ("pin", "sleeve")
"""Pictures of joints with an axis of spin."""
SIDES = {"left": 1.0, "right": -1.0}
UP = (0.0, 0.0, 1.0)


def camber(
    result: Result, wheel: str, side: str | None, axes: str, forward: Direction, vertical: Direction | None
) -> np.ndarray:
    along, outward, up = _axle(result, _vehicle(result, axes, forward, vertical), wheel, side)
    return np.arctan2(0.0 - up, np.hypot(along, outward))


def toe(
    result: Result, wheel: str, side: str | None, axes: str, forward: Direction, vertical: Direction | None
) -> np.ndarray:
    along, outward, _ = _axle(result, _vehicle(result, axes, forward, vertical), wheel, side)
    return np.arctan2(along, outward)


def caster(
    result: Result, lower: str, upper: str, axes: str, forward: Direction, vertical: Direction | None
) -> np.ndarray:
    (along, _, up), _ = _steering(result, _vehicle(result, axes, forward, vertical), lower, upper)
    return np.arctan2(0.0 - along, up)


def kingpin(
    result: Result, lower: str, upper: str, side: str | None, axes: str, forward: Direction, vertical: Direction | None
) -> np.ndarray:  # fmt: skip
    (_, left, up), place = _steering(result, _vehicle(result, axes, forward, vertical), lower, upper)
    return np.arctan2(0.0 - _outward(place, side, lower) * left, up)


def _axle(result: Result, vehicle: FramePath, wheel: str, side: str | None) -> np.ndarray:
    """Return the components forward, outward and up of the wheel's axis, in the direction that points outward at
    first."""
    own = _frame(result, wheel, AXLES)
    parts = vehicle.parts(own.axes[:, :, 2])
    parts[:, 1] *= _outward(vehicle.parts(own.point - vehicle.point), side, wheel)
    main = int(np.abs(parts[0]).argmax()) if parts.size else 1
    if main != 1:
        what = f"the axis of {wheel!r} points {'up' if main else 'forward'} at first, not across the vehicle"
        raise ModelError(
            f"{what}; name another one (a marker's z axis), or give forward= and vertical=",
            code="axis-not-across", argument="wheel", wheel=wheel, direction="up" if main else "forward",
        )  # fmt: skip
    return (parts * np.sign(parts[:1, 1])).T


def _steering(result: Result, vehicle: FramePath, lower: str, upper: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the components forward, to the left and up of the steering axis, and of the position of its lower end."""
    ends = [vehicle.parts(_frame(result, name).point - vehicle.point) for name in (lower, upper)]
    parts = ends[1] - ends[0]
    if not (parts[:, 2] > CENTRE_PLANE * np.linalg.norm(ends[0], axis=1)).all():
        raise ModelError(
            f"{upper!r} is not above {lower!r} all the time; name the lower one first, or give vertical=",
            code="not-above", upper=upper, lower=lower,
        )  # fmt: skip
    return parts.T, ends[0]


def _outward(place: np.ndarray, side: str | None, name: str) -> float:
    if side is not None:
        if side not in SIDES:
            raise ModelError(
                f"side={side!r} of the vehicle; choose 'left' or 'right'",
                code="unknown-choice", argument="side", value=side, choices=tuple(SIDES),
            )  # fmt: skip
        return SIDES[side]
    left, size = (place[0, 1], np.linalg.norm(place[0])) if len(place) else (1.0, 1.0)
    if abs(left) <= CENTRE_PLANE * size:
        raise ModelError(
            f"{name!r} is in the centre plane of the vehicle; give side='left' or side='right'",
            code="in-centre-plane", name=name,
        )  # fmt: skip
    return float(np.sign(left))


def _vehicle(result: Result, axes: str, forward: Direction, vertical: Direction | None) -> FramePath:
    """Return the frame at the vehicle's origin, with the axes forward, to the left and up."""
    if result.sketch.dimension != 3:
        raise ModelError(
            "wheels stand in space, and this mechanism is in the plane; read its angles",
            code="not-spatial", argument="result",
        )  # fmt: skip
    frame = named(result, axes)
    if vertical is None and axes in ("world", "ground"):
        up = np.array([sketch.up or UP for sketch in result.sketch.variants or (result.sketch,)])
    else:
        up = _direction(UP if vertical is None else vertical, "vertical")[None]
    ahead = _direction(forward, "forward") - (up @ _direction(forward, "forward"))[:, None] * up
    size = np.linalg.norm(ahead, axis=1, keepdims=True)
    if (size < CENTRE_PLANE).any():
        raise ModelError(
            "forward= points along the vertical; give a direction that is horizontal, forward=(1, 0, 0)",
            code="forward-along-vertical", argument="forward", value=forward,
        )  # fmt: skip
    ahead = ahead / size
    return FramePath(frame.point, frame.axes @ np.stack([ahead, np.cross(up, ahead), up], axis=2))


def _direction(given: Direction, what: str) -> np.ndarray:
    try:
        direction = np.array(given, dtype=float)
        size = np.linalg.norm(direction)
        if direction.shape != (3,) or not 0.0 < size < np.inf:
            raise ValueError
    except (TypeError, ValueError) as exc:
        raise ModelError(
            f"{what}= must be a direction (x, y, z), not {given!r}", code="not-a-direction", argument=what, value=given
        ) from exc
    return direction / size


def _frame(result: Result, name: str, kinds: Sequence[str] = ()) -> FramePath:
    """Return the frame of a named marker, or of the first marker of a joint, which must be of these kinds."""
    if name in result.sketch.markers:
        return at_marker(result, name)
    joints = [e.name for e in result.sketch.elements]
    check_name("joint or marker", name, [*joints, *result.sketch.markers], "the result")
    if kinds and next(elements(result, "joint", name)).kind not in kinds:
        what = f"{name!r} is not a joint to spin in"
        raise ModelError(
            f"{what}; name a Revolute, or a marker whose z axis is that of the wheel",
            code="not-an-axle", joint=name, choices=tuple(kinds),
        )  # fmt: skip
    return at_element(result, name, 0)
