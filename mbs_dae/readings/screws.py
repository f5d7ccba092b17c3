"""Screws of a result: twists of bodies, wrenches of joints, axes of joints. All in world axes, about the world's
origin."""

import numpy as np

from .. import screws
from ..errors import ModelError, check_name
from ..model.bodies.body import Marker
from ..results.result import Result
from ..symbolic.derive import Reading
from ..symbolic.markers import marker_symbols
from .motion import ComputedQuantities

_FLAT = "twists and wrenches are read of motions in space; in the plane read vx, vy, omega and reaction()"


def twist(result: Result, body: str) -> np.ndarray:
    bodies = {name.removesuffix(".wx") for name in result.names if name.endswith(".wx")}
    if not bodies:
        raise ModelError(_FLAT, code="not-spatial", argument="result")
    check_name("body", body, bodies, "the result")
    place, velocity, omega = (
        np.stack([result[f"{body}.{name}"] for name in names], axis=1)
        for names in (("x", "y", "z"), ("vx", "vy", "vz"), ("wx", "wy", "wz"))
    )
    return screws.twist(omega, velocity, place)


def wrench(result: Result, name: str) -> np.ndarray:
    computed, reaction = _in_space(result), result.reaction(name)
    element = computed.system.model.elements[name]
    place, _ = _axis(computed, element.markers[element.second])
    return screws.wrench(reaction[:, :3], reaction[:, 3:], place)


def screw(result: Result, joint: str) -> np.ndarray:
    """Return the unit screw of a joint: about the axis of its first marker, with its pitch; along this axis if it does
    not turn."""
    computed = _in_space(result)
    check_name("joint", joint, computed.system.model.elements, "the result")
    element = computed.system.model.elements[joint]
    if not {"angle", "displacement"} & {*element.measures()}:
        raise ModelError(
            f"{joint!r} has no axis to turn about or to slide along; name a revolute or sliding joint",
            code="no-axis", joint=joint, kind=element.kind,
        )  # fmt: skip
    place, axis = _axis(computed, element.markers[0])
    pitch = np.inf if "angle" not in element.measures() else 0.0  # in m per radian; infinite for a slide
    if pitch == 0.0 and "pitch" in element.values:
        pitch = computed.system.evaluator(element.values["pitch"]) / (2 * np.pi)
    return screws.unit_screw(axis, place, pitch)


def _axis(computed: ComputedQuantities, marker: Marker) -> list[np.ndarray]:
    """Return the position of a marker, and the direction of its axis."""
    (symbols,) = marker_symbols(1, 3)
    reading = Reading((symbols,), (*symbols.m[:3], *symbols.guide))
    return np.hsplit(computed.system.read_values(reading, {}, (marker,), *computed.motion[:3]), 2)


def _in_space(result: Result) -> ComputedQuantities:
    quantities = result.quantities
    if not isinstance(quantities, ComputedQuantities) or quantities.swept:
        what = "wrenches and screws are read of one run in memory, not of a file or a sweep"
        raise ModelError(f"{what}; run the motion again", code="not-a-single-run")
    if quantities.system.model.dimension != 3:
        raise ModelError(_FLAT, code="not-spatial", argument="result", model=quantities.system.model.name)
    return quantities
