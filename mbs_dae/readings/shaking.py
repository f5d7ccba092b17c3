"""Shaking force and moment: the loads on the frame, by their sources.

Joints, drivers and forces on coordinates act between bodies and the frame even if they have no marker on it (a driver
of ``x``, a spring towards a fixed position): the load on the frame is opposite to the one on moving bodies. A force on
a single body comes from outside, and acts on the frame only through the joints.
"""

from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.bodies.body import Marker
from ..model.element import Element
from ..model.forces.base import EffortElement, ForceElement
from ..results.names import COMPONENTS
from ..results.result import Result
from ..results.shares import Shares
from .reactions import ComputedReactions
from .shares import known_reactions, known_sources, leave_out_unbalanced, shares_of, split, units_of


def shaking(result: Result, about: Any = None) -> Shares:
    """Return the shares in the loads of all elements on the frame, with the moment about a point of it."""
    reactions = known_reactions(result)
    system, point = reactions.system, _point(reactions, about)
    width = len(COMPONENTS[reactions.dimension])
    loads = np.zeros((len(result), len(system.rows), width))
    for element in system.model.conditions:
        rows = system.rows_of(element.name)
        if rows.size:
            loads[:, rows] = _on_frame(reactions, element, reactions.wrenches_of_rows(element), point)
    sources = known_sources(result, reactions)
    parts = split(reactions, sources, loads)
    total = np.einsum("tr,trc->tc", reactions.loads.multipliers, loads)
    for name, own in _by_forces(reactions, point).items():
        parts[name] += own
        total += own
    note = leave_out_unbalanced(result, sources, parts, total)
    components = COMPONENTS[reactions.dimension]
    return shares_of(result, "the frame", parts, total, components, units_of(components), note)


def _by_forces(reactions: ComputedReactions, point: np.ndarray) -> dict[str, np.ndarray]:
    """Return the loads of forces and contacts on the frame, (times, components)."""
    system, loads = reactions.system, dict[str, np.ndarray]()
    for force in system.model.forces:
        wrenches = reactions.wrenches_of_force(force)[:, None]
        loads[force.name] = _on_frame(reactions, force, wrenches, point)[:, 0]
    for element in (*system.model.contacts, *system.model.frictions):
        rows = system.structure.contacts.rows_of[element.name]
        forces = _on_frame(reactions, element, reactions.wrenches_of_rows(element), point)
        loads[element.name] = -np.einsum("tr,trc->tc", reactions.contacts[:, rows], forces)
    return loads


def _on_frame(reactions: ComputedReactions, element: Element, wrenches: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return the wrenches on the frame, (times, rows, components), from wrenches on the bodies of all markers, (times,
    rows, markers, components)."""
    on_ground = isinstance(element, ForceElement) and not isinstance(element, EffortElement)
    total = np.zeros((*wrenches.shape[:2], wrenches.shape[3]))
    for k, marker in enumerate(element.markers):
        if marker.body.fixed is on_ground:
            wrench = _moved(wrenches[:, :, k], place_of(reactions, marker) - point)
            total += wrench if on_ground else -wrench
    return total


def place_of(reactions: ComputedReactions, marker: Marker) -> np.ndarray:
    """Return the position of a marker over time."""
    system, q = reactions.system, reactions.motion.q
    point, _ = marker.on_body(system.evaluator)
    origin = q[:, list(system.layout.q[marker.body])][:, : point.size]
    return np.asarray(origin + system.layout.rotation(q, marker.body) @ point)


def _moved(wrenches: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Return forces and moments, (times, rows, components), about another point, from which `arm` leads to the present
    one."""
    size = arm.shape[1]
    forces, moments = wrenches[:, :, :size], wrenches[:, :, size:]
    if size == 2:
        turning = (arm[:, None, 0] * forces[:, :, 1] - arm[:, None, 1] * forces[:, :, 0])[:, :, None]
    else:
        turning = np.cross(arm[:, None], forces)
    return np.concatenate([forces, moments + turning], axis=2)


def _point(reactions: ComputedReactions, about: Any) -> np.ndarray:
    """Return a point of the frame."""
    size = reactions.dimension
    if about is None:
        return np.zeros(size)
    if isinstance(about, Marker):
        if not about.body.fixed:
            raise ModelError(
                f"{about.label} moves; moments on the frame are about a point of it, ground.at(...)",
                code="marker-moves", argument="about", marker=about.label,
            )  # fmt: skip
        return np.asarray(place_of(reactions, about)[0])
    try:
        point = np.array(about, dtype=float)
    except (TypeError, ValueError):
        point = np.full(0, np.nan)
    if point.shape != (size,) or not np.isfinite(point).all():
        raise ModelError(
            f"about= is a point of the frame, {size} numbers or a marker on the ground, not {about!r}",
            code="not-a-point", argument="about", value=about, dimension=size,
        )  # fmt: skip
    return point
