"""Origins of loads: reactions of joints and efforts of drivers, split into the shares of their sources.

A reaction is linear in the multipliers, and these are linear in the sources (`sources`), at the actual motion; so each
source has its share, and all shares add up to the load (`influence`).
"""

from typing import Any

import numpy as np

from ..errors import ModelError, check_name
from ..model.drivers import Driver
from ..results.frames import along
from ..results.names import COMPONENTS
from ..results.quantities import frozen
from ..results.result import Result
from ..results.shares import Shares
from ..tolerances import ACCELERATION_DIFFERENCE, LOAD_ROUNDOFF, SHARE_BALANCE
from .influence import influence, jacobians, pieces
from .reactions import ComputedReactions
from .sources import INERTIA, SEPARATION, SourceForces, Sources, sources_of
from .teeth import apart

TOLD = 5  # greatest number of times in a note


def shares(result: Result, name: str, axes: str = "world") -> Shares:
    """Return the shares in the reaction of a joint, or in the effort of a driver."""
    reactions = known_reactions(result)
    system = reactions.system
    conditions = {element.name: element for element in system.model.conditions}
    check_name("joint or driver", name, [*conditions, *reactions.names()], "the result")
    if name in reactions.names() and name not in conditions:
        what = f"{system.model.elements[name].who} is not a joint, but a source of what joints carry"
        raise ModelError(
            f"{what}; ask for the shares of a joint or a driver, e.g. {next(iter(conditions), 'B')!r}",
            code="not-a-joint", argument="name", name=name, choices=tuple(conditions),
        )  # fmt: skip
    element, rows, driver = conditions[name], system.rows_of(name), isinstance(conditions[name], Driver)
    unit_loads = -np.ones((len(result), 1, 1)) if driver else reactions.wrenches_of_rows(element)[:, :, element.second]
    loads = np.zeros((len(result), len(system.rows), unit_loads.shape[2]))
    loads[:, rows] = unit_loads
    sources = known_sources(result, reactions)
    parts = split(reactions, sources, loads)
    if element in apart(system):
        parts[SEPARATION + name] += reactions.separating(element)  # type: ignore[arg-type]
    total = result.effort(name)[:, None] if driver else reactions.world(name)
    note = leave_out_unbalanced(result, sources, parts, total)
    if driver:
        efforts, unit = {source: part[:, 0] for source, part in parts.items()}, result.unit(f"{name}.effort")
        return shares_of(result, name, efforts, total[:, 0], ("effort",), (unit,), note, verb="gives")
    found = {source: along(result, part, axes, name) for source, part in parts.items()}
    components = COMPONENTS[system.model.dimension]
    return shares_of(result, name, found, along(result, total, axes, name), components, units_of(components), note)


def known_reactions(result: Result) -> ComputedReactions:
    if result.reactions is not None and not isinstance(result.reactions, ComputedReactions):
        raise ModelError(
            "a result from a file knows no masses and no forces to tell shares from; run it again",
            code="result-from-file", result=result.title,
        )  # fmt: skip
    if result.reactions is None:
        what = "this result is of kinematics, which knows no forces"
        raise ModelError(
            f"{what}; use mbs.inverse_dynamics(model, times) or mbs.simulate(...)",
            code="no-forces", result=result.title,
        )  # fmt: skip
    return result.reactions


def known_sources(result: Result, reactions: ComputedReactions) -> Sources:
    """Return the sources with the accelerations that belong to the loads. A run in other coordinates than those of
    bodies computes loads for the accelerations that follow from its positions and velocities: these differ from the
    run's own accelerations by its constraint errors. Newton's law gives the difference: M v̇ = Q - Φ_vᵀ λ, body by
    body."""
    sources = sources_of(reactions.system, reactions.motion, reactions.contacts, reactions.loads.multipliers)
    if not sources.pushes:
        what = f"nothing of {result.title!r} has a mass, and no force acts: there are no loads to share"
        raise ModelError(
            f"{what}; give masses, model.body(name, mass=..., inertia=...), or forces",
            code="nothing-to-share", result=result.title,
        )  # fmt: skip
    if result.own is None or result.own.name == "cartesian":
        return sources
    left = _left_over(reactions, sources)
    most = max((np.abs(push.forces).max(initial=0.0) for push in sources.pushes.values()), default=0.0)
    near = np.abs(left).max(axis=1, initial=0.0) <= ACCELERATION_DIFFERENCE * most
    pushes = dict(sources.pushes)
    for name, push in pushes.items():
        if name.startswith(INERTIA):
            own = np.unique(push.columns)
            forces = np.concatenate([push.forces, np.where(near[:, None], left[:, own], 0.0)], axis=1)
            pushes[name] = SourceForces(np.concatenate([push.columns, own]), forces)
    return sources._replace(pushes=pushes)


def _left_over(reactions: ComputedReactions, sources: Sources) -> np.ndarray:
    """Return Φ_vᵀ λ minus all sources, (times, columns)."""
    system, multipliers = reactions.system, reactions.loads.multipliers
    difference = np.zeros((len(multipliers), system.structure.columns))
    for times in pieces(np.arange(len(multipliers)), sum(difference.shape[1:]) + len(system.rows)):
        difference[times] = np.einsum("tr,trc->tc", multipliers[times], jacobians(system, reactions.motion, times))
    for push in sources.pushes.values():
        places: Any = slice(None), push.columns
        np.subtract.at(difference, places, push.forces)
    return difference


def units_of(components: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("N" if one.startswith("F") else "N m" for one in components)


def shares_of(
    result: Result, of: str, parts: dict[str, np.ndarray], total: np.ndarray, components: tuple[str, ...],
    units: tuple[str, ...], note: str, verb: str = "carries",
) -> Shares:  # fmt: skip
    held = {name: frozen(np.ascontiguousarray(part)) for name, part in parts.items()}
    return Shares(
        of, result.t, held, frozen(np.array(total)), components, units, verb, result.axis, note, result.__getitem__
    )


def split(reactions: ComputedReactions, sources: Sources, loads: np.ndarray) -> dict[str, np.ndarray]:
    """Return the shares of loads by source. `loads` are the loads for unit multipliers, (times, rows, loads); shares
    are nan at times at which the equations at their own pose do not determine the multipliers."""
    known = reactions.loads
    here = ~known.undetermined.any(axis=1) & np.isfinite(known.multipliers).all(axis=1)
    felt = influence(reactions.system, reactions.motion, sources.masses, loads, known.redundant, here)
    return {name: np.einsum("tc,tcl->tl", push.forces, felt[:, push.columns]) for name, push in sources.pushes.items()}


def leave_out_unbalanced(result: Result, sources: Sources, parts: dict[str, np.ndarray], total: np.ndarray) -> str:
    """Set shares to nan where they do not add up to the load; return a note on these times."""
    everything = np.stack([*parts.values()])
    missed = np.abs(everything.sum(axis=0) - total).max(axis=1, initial=0.0)
    sizes = np.abs(everything).max(axis=(0, 2), initial=0.0)
    size = np.median(sizes[np.isfinite(sizes)]) if np.isfinite(sizes).any() else 0.0
    largest = max(float(size), float(np.nan_to_num(np.abs(total)).max(initial=0.0)))
    acting = max(np.nan_to_num(np.abs(push.forces)).max(initial=0.0) for push in sources.pushes.values())
    off = ~(missed <= SHARE_BALANCE * largest + LOAD_ROUNDOFF * acting)
    if not off.any():
        return ""
    for part in parts.values():
        part[off] = np.nan
    when = ", ".join(f"{t:.6g}" for t in result.t[off][:TOLD])
    note = f"at {result.axis[0]} = {when}{', ...' * bool(off.sum() > TOLD)} loads do not follow from the sources: "
    note += "a pose is singular there, a law switches, or forces of contacts are means over steps; shares are nan there"
    if off.all():
        raise ModelError(note, code="shares-unknown", result=result.title, count=int(off.sum()))
    return note
