"""The friction that a pose needs to be held, and the range of a load that friction holds.

The margin is the largest m for which there are forces that hold (`forces`). With known directions n of joints, `exact`
decides for any m. The least residual r + Aᵀ f a little beyond the margin is the motion that sets in.

The margin of given directions n is improved by updates of n. Then other n are searched (`sectors`), until none has a
larger margin, or the search becomes too long.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import null_space

from ...tolerances import (
    HOLDING_RESIDUAL,
    MARGIN_FLOOR,
    MARGIN_LIMIT,
    MARGIN_TOLERANCE,
    SLIP_MARGIN,
    SLIP_SHARE,
    WORK_ROUNDOFF,
)
from .exact import compressive_forces, load_end, margin_of, remaining, within
from .forces import MOST, Cone, Forces
from .sectors import PART, somewhere

ROUNDS = 60
"""Greatest number of updates of the directions n in which joints are pressed."""


@dataclass(frozen=True, eq=False)
class FrictionMargin:
    """The margin; the forces there; and the rate of each row just beyond the margin, relative to the fastest."""

    margin: float
    forces: np.ndarray
    motion: np.ndarray
    at: Forces
    certain: bool = True
    """Whether no margin is larger by more than a hundredth."""
    load: float = 0.0
    """The least force that friction has to hold, as a part of the effort."""
    roundoff: float = 0.0
    """The roundoff of this force, as a part of it; 0 where the margin is infinite without it."""


def limit_of(forces: Forces) -> FrictionMargin:
    """Return the margin of a pose; infinite where friction has to hold nothing but roundoff."""
    best, A = _largest_limit(forces), forces.A[:, forces.normals]
    load = float(np.linalg.norm(forces.unbalanced + A @ compressive_forces(A.T, forces.unbalanced)))
    if best.margin == np.inf:
        return replace(best, load=load)
    if load <= WORK_ROUNDOFF:
        return replace(best, margin=np.inf, motion=0.0 * best.motion, load=load, roundoff=1.0)
    return replace(best, load=load, roundoff=WORK_ROUNDOFF / load)


def _largest_limit(forces: Forces) -> FrictionMargin:
    """Return the largest margin of all directions n."""
    best = _improved_limit(forces)
    while forces.open and best.margin < np.inf:
        search = somewhere(best.at, max(best.margin * (1.0 + PART), 2.0 * MARGIN_FLOOR))
        if search.forces is None:
            return replace(best, certain=search.certain)
        other = _improved_limit(search.forces)
        if other.margin <= best.margin * (1.0 + MARGIN_TOLERANCE):
            return replace(best, certain=False)
        best = other
    return best


def _improved_limit(forces: Forces) -> FrictionMargin:
    """Return the margin of the present directions n, improved by updates of n."""
    margin, x = margin_of(forces, MARGIN_FLOOR, MARGIN_LIMIT)
    for _ in range(ROUNDS):
        update = forces.followed(x)
        if margin == np.inf or not forces.turns(update):
            break
        new_margin, new_x = margin_of(update, MARGIN_FLOOR, MARGIN_LIMIT, margin)
        if new_margin <= margin * (1.0 + MARGIN_TOLERANCE):
            break
        forces, margin, x = update, new_margin, new_x
    still = 0.0 * forces.unbalanced
    motion = still if margin == np.inf else remaining(forces, max(margin, MARGIN_FLOOR) * (1.0 + SLIP_MARGIN))
    rows, root = forces.rows, np.sqrt(forces.rows.balance.system.weight)
    rates = rows.along @ (motion / forces.efforts) * rows.units * np.linalg.norm(rows.G / root, axis=1)
    size = np.abs(rates).max(initial=0.0)
    rates = rates / size if size > 0.0 else rates  # relative to the fastest
    x = np.where(np.abs(x) > MOST, np.copysign(np.inf, x), x)  # infinite where forces grow beyond all bounds
    return FrictionMargin(margin, forces.forces(x), rates, forces)


def is_wedged(forces: Forces) -> bool:
    """Return whether contacts can press without a load: forces within their cones that balance by themselves."""
    alone = forces.growing(0.0)
    if not alone.normals.any():
        return False
    return somewhere(alone, also=[Cone(np.array([-1.0]), alone.normals[None] * 1.0)]).forces is not None


def least_forces(forces: Forces) -> np.ndarray:
    """Return the least of all forces that hold the pose with the present directions n."""
    x = within(forces, forces.cones(1.0))
    assert x is not None  # the pose is held
    return forces.forces(x)


def open_rows(limit: FrictionMargin) -> np.ndarray:
    """Return the rows whose forces are not determined by the balance and by the bound f_s ∝ |v| of slipping friction.
    (Where no friction is needed, friction is 0; unbounded forces are undetermined.)"""
    if not np.isfinite(limit.forces).all():
        return np.flatnonzero(~np.isfinite(limit.forces))
    forces, size = limit.at, limit.at.used.size
    units, f = forces.units[:size], limit.forces[forces.used]
    equations = [forces.A[:, :size]]
    roundoff = HOLDING_RESIDUAL * max(1.0, float(np.linalg.norm(f / units)))
    if limit.margin == np.inf:
        parts = np.abs(f / units)
        equations.append(
            np.eye(size)[~forces.normals[:size] & (parts <= HOLDING_RESIDUAL * min(1.0, parts.max(initial=0.0)))]
        )
    for k in range(len(forces.bounds) if limit.margin < np.inf else 0):
        v, slips = forces.normal_loads[k], forces.frictions[k][:, :size]
        v_now, friction = v.a + v.C[:, :size] @ (f / units), slips @ (f / units)
        square = float(v_now @ v_now)
        if limit.margin * np.linalg.norm(friction) >= np.sqrt(square) * (1.0 - SLIP_MARGIN) - roundoff:
            equations.append(slips - np.outer(friction, v_now @ v.C[:, :size]) / (square or 1.0))
    N = null_space(np.vstack(equations), rcond=SLIP_MARGIN) if limit.margin else np.zeros((size, 0))
    return forces.used[np.abs(N).max(axis=1, initial=0.0) > SLIP_SHARE]


@dataclass(frozen=True, eq=False)
class Range:
    """The range of the load from its present value, in which the pose is held; the least is infinite if no load is
    held."""

    least: float
    most: float
    certain: bool


def range_of(forces: Forces) -> Range:
    """Return the range of loads about the present value if it holds the pose, else about some other."""
    search = somewhere(forces.loaded(0.0))
    search = somewhere(forces) if search.forces is None else search
    if search.forces is None:
        return Range(np.inf, -np.inf, search.certain)
    forces_held, unit = forces.with_directions(search.forces.directions), float(forces.units[-1])
    (least, sure), (most, certain) = (_farthest(forces_held, side) for side in (-1.0, 1.0))
    return Range(-least * unit, most * unit, sure and certain)


def _farthest(forces: Forces, side: float) -> tuple[float, bool]:
    """Return the largest load on one side, as side · load, up to which all loads are held, and whether this is certain.
    (A still larger load may be held again, with joints pressed to the other side.)"""
    best, forces_held = _load_reached(forces, side, 0.0)
    while forces.open and best < np.inf:
        beyond = best + PART * (1.0 + abs(best))
        search = somewhere(forces_held.loaded(side * beyond))
        while search.forces is not None:  # these n hold loads from `least` on: are the loads below `least` held?
            other = forces.with_directions(search.forces.directions)
            end = load_end(other, -side, side * beyond)
            least = beyond if end is None else -end[0]
            if least <= best + MARGIN_TOLERANCE * (1.0 + abs(best)):
                break
            beyond = (best + least) / 2.0
            search = somewhere(forces_held.loaded(side * beyond))
        if search.forces is None:
            return best, search.certain
        load, forces_held = _load_reached(other, side, side * best)
        if load <= best + MARGIN_TOLERANCE * (1.0 + abs(best)):
            return best, False
        best = load
    return best, True


def _load_reached(forces: Forces, side: float, about: float) -> tuple[float, Forces]:
    """Return the load reached by updates of the directions n, as side · load, and the forces with the last n."""
    end = load_end(forces, side, about)
    if end is None:
        return -np.inf, forces
    best, x = end
    for _ in range(ROUNDS):
        update = forces.followed(x)
        if best == np.inf or not forces.turns(update):
            break
        end = load_end(update, side, side * best)
        if end is None or end[0] <= best + MARGIN_TOLERANCE * (1.0 + abs(best)):
            break
        forces, (best, x) = update, end
    return best, forces
