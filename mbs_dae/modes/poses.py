"""Real solutions as states: sharpened, in the model's own coordinates, and each pose once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..compiled import System
from ..errors import MbsError
from ..model.model import Model
from ..poses.assembly import assembled
from ..poses.closing import closed, turned_over
from ..results.result import State
from .equations.closure import Closure

NEAR = 1e-4
"""Sharpening moves no pose farther, in lengths of the model."""


def state_at(
    model: Model, held: System, closure: Closure, x: np.ndarray, time: float, fix: Mapping[str, float]
) -> State | None:
    """The pose of a real solution; None where Newton leads elsewhere, or where axes that joints keep parallel point in
    opposite directions."""
    q = held.placement.copy()
    moving = held.layout.nq
    q[:moving] = x[:moving].real
    if model.dimension == 2:
        _turned_back(closure, q, held.placement)
    if turned_over(held, q):
        return None
    try:
        found = closed(held, held.machine(), time, q)
    except MbsError:
        return None
    own = closure.signature(np.stack([q, found], axis=1))
    if np.abs(own[:, 0] - own[:, 1]).max() > NEAR:
        return None
    system = model.compile()
    still = State(system, time, found, system.still, system.still)
    try:
        state = assembled(model, time, fix, still)
    except MbsError as error:
        return replace(still, message=f"velocities and accelerations do not follow here: {error}")
    return state if np.abs(system.between(found, state.full_q)).max(initial=0.0) < NEAR else still


def _turned_back(closure: Closure, q: np.ndarray, placement: np.ndarray) -> None:
    """Whole turns taken off, as far as equations of angles let them be: each body next to its placement."""
    angles = closure.system.layout.plain[:, 0].reshape(-1, 3)[:, 2]
    numbers = closure.values[:, None]
    flat = ~closure.metric
    for at in angles:
        trial = q.copy()
        trial[at] -= 2 * np.pi * np.round((q[at] - placement[at]) / (2 * np.pi))
        before, after = (closure.evaluate(y[:, None], numbers)[0][0, flat] for y in (q, trial))
        if np.abs(after).max(initial=0.0) <= np.abs(before).max(initial=0.0) + 1e-9:
            q[:] = trial
