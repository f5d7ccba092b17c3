"""Errors that a motion may have for its tolerances: of a run, and of all members of a study at once."""

from typing import Any

import numpy as np

from ..motion import run as marching
from ..motion.control import Control
from ..motion.record import IntegratorState
from ..tolerances import PACE_ROUNDOFF, REST_PACE

NONSENSE = 0.1
"""The energy error, relative to the energy that is turned over, above which a run is invalid."""
ENERGY, CONSTRAINTS, POWER = 100.0, 1000.0, 0.75
"""With step control, the energy error (relative to the energy that is turned over) stays below ENERGY tol^POWER, and
constraint violations (relative to the model's length, velocities relative to the pace of the motion) below CONSTRAINTS
tol^POWER. Calibrated: over the gallery, all methods and stabilisations, and tolerances of 1e-4, 1e-6, ..., 1e-12, the
worst energy errors are 9e-3, 2e-4, 3e-6, 3e-8, 2e-9 and the worst violations 4e-2, 2e-3, 9e-6, 9e-8, 3e-9."""
FAINT = 100.0  # a motion of fewer tolerances is called faint


def energy_allowed(control: Control) -> float:
    """Return the largest energy error for the tolerances, relative to the energy that is turned over."""
    return _allowed(control, ENERGY)


def violation_allowed(control: Control) -> float:
    """Return the largest value of `relative_violations` for the tolerances."""
    return _allowed(control, CONSTRAINTS)


def _allowed(control: Control, factor: float) -> float:
    return NONSENSE if control.fixed > 0.0 else min(NONSENSE, factor * max(control.rtol, control.atol) ** POWER)


def relative_violations(gaps: np.ndarray, rates: np.ndarray, units: np.ndarray, pace: Any) -> tuple[Any, Any]:
    """Return violations of positions in units of each row, and those of velocities relative to the pace of the motion
    as well."""
    return gaps / units, rates / units / (pace + REST_PACE)


def note_on_faint_motion(march: IntegratorState) -> str:
    """Return a sentence about a motion so small that errors within its tolerances may be as large."""
    control, record, done = march.control, march.record, int(march.counts[marching.NEXT])
    if control.fixed > 0.0:
        return ""
    q, v, state, atol = record.q[:done], record.v[:done], march.mechanism.state, control.atol
    rates = np.abs(v) / (atol * control.unit[state.v_at : state.v_end])  # rates at rest are zero: atol alone counts
    if (most := rates.max(initial=0.0)) > FAINT:
        return ""
    shifts = np.abs(q - q[:1]) / (atol * control.unit[: state.q_end] + control.rtol * np.abs(q[:1]))
    if (most := max(most, shifts.max(initial=0.0))) > FAINT or most * atol < PACE_ROUNDOFF:
        return ""
    what = f"the motion is no larger than {most:.2g} times the errors that are allowed, and may be made of them"
    return f"{what}; give a smaller atol, such as {1e-6 * most * atol:.0e}"
