"""Whether prescribed motion can be followed where its laws switch: velocities may bend there, but not jump.

Where ν of a row jumps, all velocities must jump, by an impulse that equations of motion do not hold; where Φ jumps, no
motion follows. Both are read on the two sides of each break, whatever times were asked for. Where γ jumps the motion
goes on, with accelerations and reactions that jump: those times are told.
"""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..errors import MbsError, ModelError
from ..model.breaks import breaks_of, side_of
from ..results.result import State
from .explanation import Explanation

JUMP = 1e-6
"""A difference larger than this is a jump: of values relative to 1 rad or the model's length, of rates and
accelerations relative to the largest of their row. Numbers with six digits join."""
ROUNDOFF = 1e-10
"""Rates and accelerations less than this (rad or lengths of the model, per second) do not count."""
TOLD = 20  # so many times are told


def check_jumps(first: State, last: float) -> dict[str, list[float]]:
    """Refuse jumps of prescribed motion from the first state's time to the last. What comes back are the elements whose
    accelerations jump, and when."""
    system, kinks = first.system.cartesian, {}
    for name, element in system.structure.switching:
        breaks = breaks_of([element], system.evaluator, first.t, last)
        breaks = breaks[(breaks > first.t) & (breaks < last)]
        if not breaks.size:
            continue
        position, rate, acceleration = _jumps(system, first, system.rows_of(name), breaks, last)
        if (position | rate).any():
            k = int(np.argmax(position | rate))
            what = "position" if position[k] else "velocity"
            raise _refused(first, element.who, name, what, float(breaks[k]))
        if acceleration.any():
            kinks[name] = [float(t) for t in breaks[acceleration][:TOLD]]
    return kinks


def _refused(first: State, who: str, name: str, what: str, t: float) -> MbsError:
    missing = "no motion follows it" if what == "position" else "that takes an impulse, which is not computed"
    advice = "make its function smooth there, e.g. by mbs.Motion with law='cycloidal', or keep the times on one side"
    what = f"{who} jumps in {what} at t = {t:.6g}: {missing}"
    return Explanation(ModelError, what, advice, t, (name,), first).error(first.result)


def _jumps(system: System, first: State, rows: np.ndarray, breaks: np.ndarray, last: float) -> np.ndarray:
    """At which breaks Φ, Φ̇ and Φ̈ of some of these rows jump, in the first pose or in one beside it: where a row
    depends on the pose, the first one may be the one in which nothing shows."""
    side = side_of(first.t, last)
    borders = np.concatenate([[first.t], breaks, [last]])
    between = (borders[:-1] + x * np.diff(borders) for x in (0.21, 0.5, 0.78))
    moments = np.concatenate([breaks - side, breaks + side, *between])
    aside = 0.05 * system.length * np.cos(1.0 + np.arange(system.nv)) / np.sqrt(system.weight)
    found = np.zeros((3, breaks.size), dtype=bool)
    for q in (first.full_q, system.moved(first.full_q, aside)):
        many = (np.tile(x, (moments.size, 1)) for x in (q, first.full_v, system.still))
        for level, values in enumerate(system.read_constraints(moments, *many)):
            before, after = values[: breaks.size, rows], values[breaks.size : 2 * breaks.size, rows]
            unit = np.array([1.0 if system.rows[row].unit == "rad" else system.length for row in rows])
            least = ROUNDOFF * unit + JUMP * np.abs(values[:, rows]).max(axis=0) if level else JUMP * unit
            found[level] |= (np.abs(after - before) > least).any(axis=1)
    return found
