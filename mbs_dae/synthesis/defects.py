"""Find the defects (circuit, branch, order) that keep a linkage which assembles in all wanted positions from passing
them.

The crank reaches the angles θ with low ≤ cos(θ - axis) ≤ high: all, one arc, or two arcs. On an arc both signs of the
pose meet at its ends, so that they are one circuit; two arcs are two circuits, which no motion joins; and where the
crank turns each sign is a circuit of its own. A crank that drives does not pass the ends of an arc, where it is at a
dead point and the sign would change: positions of both signs on one circuit are a defect of branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tolerances import GRASHOF_TOLERANCE
from .linkages import Circle, Linkage


def turns(linkage: Linkage) -> Any:
    """Return whether the crank can rotate fully."""
    limits = linkage.limits()
    return (limits.low <= -1) & (limits.high >= 1)


def on_two_arcs(linkage: Linkage) -> Any:
    limits = linkage.limits()
    return (limits.low > -1) & (limits.high < 1)


def middle(linkage: Linkage, theta: Any) -> Any:
    """Return an angle from which all angles on the same arc of the crank are less than half a turn away."""
    limits = linkage.limits()
    side = np.where(np.sin(theta - limits.axis) > 0, np.pi / 2, -np.pi / 2)
    one = np.where(limits.high < 1, np.pi, 0.0)
    return limits.axis + np.where(on_two_arcs(linkage), side, one)


def circuits(linkage: Linkage, theta: Any, sign: Any) -> Any:
    """Return a number for each circuit: 1 or -1, or 0 if there is only one."""
    arc = np.sign(np.sin(theta - linkage.limits().axis))
    return np.where(turns(linkage), sign, np.where(on_two_arcs(linkage), arc, 0.0))


def rotation_of_crank(linkage: Linkage, theta: np.ndarray) -> np.ndarray:
    """Return the rotation of the crank from the first position to each position [rad]: along its arc, or, if the crank
    rotates fully, in the direction that needs fewer turns. Positions are along the last axis."""
    first = theta[..., :1]
    centre = middle(linkage, first)
    on_arc = wrap(theta - centre) - wrap(first - centre)
    steps = np.diff(theta, axis=-1, prepend=first) % (2 * np.pi)
    forth = np.cumsum(steps, axis=-1)
    back = np.cumsum(np.where(steps > 0, steps - 2 * np.pi, 0.0), axis=-1)
    turned = np.where(np.abs(forth[..., -1:]) <= np.abs(back[..., -1:]), forth, back)
    return np.where(turns(linkage), turned, on_arc)


def wrap(angle: Any) -> Any:
    """Return the angle reduced to the range from -π to π."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def defect_table(linkage: Linkage, theta: np.ndarray, sign: np.ndarray, ordered: bool = True) -> dict[str, np.ndarray]:
    """Return the defects of linkages, whose positions are along the last axis, by kind."""
    circuit = circuits(linkage, theta, sign)
    other = np.any(circuit != circuit[..., :1], axis=-1)
    table = {"circuit": other, "branch": ~other & np.any(sign != sign[..., :1], axis=-1)}
    if ordered:
        rotation = rotation_of_crank(linkage, theta)
        steps = np.diff(rotation, axis=-1)
        monotone = np.all(steps >= 0, axis=-1) | np.all(steps <= 0, axis=-1)
        passed = monotone & (np.abs(rotation[..., -1]) < 2 * np.pi)
        table["order"] = ~(passed | table["circuit"] | table["branch"])
    return table


def defects(linkage: Linkage, theta: np.ndarray, sign: np.ndarray, ordered: bool = True) -> tuple[str, ...]:
    """Return the names of the defects of one linkage."""
    return tuple(name for name, has in defect_table(linkage, theta, sign, ordered).items() if bool(has))


def type_of(linkage: Linkage) -> str:
    """Return the type after Grashof: if shortest + longest < the other two, the shortest link rotates fully."""
    guide = linkage.guide
    if not isinstance(guide, Circle):
        return "turning crank" if turns(linkage) else "swinging crank"
    names = dict(zip(("a", "b", "c", "d"), (linkage.a, linkage.b, guide.c, abs(guide.D - linkage.O)), strict=True))
    shortest, *others, longest = sorted(names.values())
    excess = shortest + longest - sum(others)
    if abs(excess) <= GRASHOF_TOLERANCE * sum(names.values()):
        return "change point"
    if excess > 0:
        return "triple-rocker"
    words = {"a": "crank-rocker", "b": "double-rocker", "c": "rocker-crank", "d": "double-crank"}
    return words[min(names, key=lambda name: names[name])]
