"""Kinks of laws, where one slope ends and another one begins: |x| at 0, a one-sided spring that touches.

Both branches of a law agree on its surface g = 0, and apart from it they differ by f₊ - f₋ = c gⁿ + …: n = 1 at a kink,
n > 1 where the slope does not jump, as of x |x|, and n < 1 at a root. The differences at two distances tell n. At a
jump, n = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..compiled import System
from ..compiled.derivatives import FORCES, POSITIONS, SURFACES
from ..compiled.reading import Trajectory
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Vector
from ..motion.contact.gaps import observe_gaps
from ..motion.derivative import evaluate
from ..motion.mechanism import mechanism
from ..motion.mechanism_record import Mechanism
from ..motion.switching.switches import hold_all
from ..symbolic.branches import RANGE, SIDE
from ..tolerances import GUARD_CHANGE, KINK_DISTANCE, SUM_ROUNDOFF, SURFACE_DISTANCE
from .equations import KernelState
from .parameters import DesignVariables

NEARER = 16.0
"""The second distance from the surface is smaller than the first one, `KINK_DISTANCE` of the size of the state, by this
factor."""
SMOOTH_POWER = 1.2
"""The slope does not jump where the branches differ by a larger power n of the distance."""


class Kink(NamedTuple):
    """A time at which a motion passes or touches the kink of a law."""

    time: int
    """The number of the time."""
    who: str
    """The element with the law, such as "Force 'push'"."""
    is_constraint: bool
    """Whether it is the law of a constraint, not of a force."""
    leaves: np.ndarray
    """A mask of the parameters by which neighbouring motions are off the kink then, (parameters,)."""


def kinks_along(
    system: System,
    variables: DesignVariables,
    path: Trajectory,
    multipliers: np.ndarray | None,
    x: np.ndarray,
    v: np.ndarray,
) -> Iterator[Kink]:
    """Yield the kinks of laws at the times of a motion, in the coordinates of kernels, whose places and velocities
    change by x and v, (times, parameters, columns): of constraints, and with multipliers of forces, too."""
    forced = multipliers is not None
    batches = [system.structure.program.batch, *[system.structure.dynamics.batch] * forced]
    wanted = (POSITIONS, FORCES, SURFACES) if forced else (POSITIONS, SURFACES)
    loads = np.zeros((path.t.size, len(system.rows))) if multipliers is None else multipliers
    names = [who for batch in batches for who in batch.switching]
    if not names:
        return
    record = mechanism(system)
    record.switches.mode[:] = np.where(record.switches.kinds > RANGE, 0.0, np.nan)  # branches follow from the state
    places = record.machine.program.batch.switch_at, record.dynamics.batch.switch_at
    values = [system.outputs_of(one, path.t, path.q, path.v)[:, at] for one, at in zip(batches, places, strict=False)]
    g = np.abs(np.concatenate(values, axis=1))
    zero = (g <= SURFACE_DISTANCE * g.max(axis=0)) & (record.switches.kinds[: len(names)] == SIDE)
    for k in np.flatnonzero(zero.any(axis=1)).tolist():
        t, here = float(path.t[k]), (path.q[k].copy(), path.v[k].copy())
        state = KernelState(system, variables.symbols, t, *here)
        surfaces = state.slopes(wanted, path.a[k], loads[k])[SURFACES]
        along = np.abs(surfaces.along(x[k], v[k]))
        leaves = along > GUARD_CHANGE * np.maximum(np.abs(x[k]).max(axis=1), np.abs(v[k]).max(axis=1))
        for law in np.flatnonzero(zero[k] & leaves[: len(names)].any(axis=1)).tolist():
            if has_kink(record, t, *here, law):
                yield Kink(k, names[law], law < len(batches[0].switching), leaves[law])


@compiled_apart
def _evaluate_all(record: Mechanism, t: float, q: Vector, v: Vector) -> None:
    """Evaluate the kernels of constraints, forces and contacts at a state."""
    evaluate(record, t, q, v)
    if record.contacts.gap_row.size > 0:
        observe_gaps(record, t, q, v)


def has_kink(record: Mechanism, t: float, q: np.ndarray, v: np.ndarray, law: int) -> bool:
    """Return whether the slope of a law jumps at a state (q, v) with g = 0, by the outputs of all kernels, those of
    contacts among them, with either branch. Where a branch has no value on one side of the surface, the other side is
    examined, and a law without any common side has a kink. `law` is the number of its switching function."""
    contacts, modes, z_at = record.contacts, np.copy(record.switches.mode), record.state.z_at
    length = max(float(np.abs(q[:z_at]).max(initial=0.0)), 1.0)
    spans = ((q, slice(0, z_at)), (q, slice(z_at, q.size)), (v, slice(0, v.size)))
    sizes = [(of, span, float(np.abs(of[span]).max(initial=0.0)) or length) for of, span in spans]

    def outputs(distance: float, side: float) -> np.ndarray | None:
        """Return the outputs of this branch at the state moved by a part of its size; None if it has no value there."""
        places, speeds = q.copy(), v.copy()
        for of, span, size in sizes:
            own = places if of is q else speeds
            own[span] += distance * size * np.linspace(0.6, 1.0, own[span].size)
        record.switches.mode[law] = side
        hold_all(record)
        _evaluate_all(record, t, places, speeds)
        parts = record.machine.out, record.out, contacts.motion.outputs, contacts.normals.factors
        found = np.concatenate(parts)
        return found if np.isfinite(found).all() else None

    differences = list[float]()
    for distance in (KINK_DISTANCE, KINK_DISTANCE / NEARER):
        pairs = ((outputs(sign * distance, 1.0), outputs(sign * distance, -1.0)) for sign in (1.0, -1.0))
        pair = next(((one, other) for one, other in pairs if one is not None and other is not None), None)
        if pair is None:
            break
        size = float(np.abs(pair[0] - pair[1]).max(initial=0.0))
        differences.append(size if size > SUM_ROUNDOFF * np.abs(pair[0]).max(initial=0.0) else 0.0)
    record.switches.mode[:] = modes
    hold_all(record)
    if len(differences) < 2:
        return True
    far, near = differences
    return far > 0.0 and far < NEARER**SMOOTH_POWER * near
