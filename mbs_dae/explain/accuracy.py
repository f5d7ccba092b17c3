"""Errors that a motion may have for its tolerances: of a run, and of all members of a study at once; and checks of a
run."""

from typing import Any

import numpy as np

from ..compiled import System
from ..errors import IntegrationError
from ..motion import run as marching
from ..motion.control import Control
from ..motion.record import March
from ..motion.stabilise import NEVER
from ..results.result import Result
from ..symbolic.functions import BentLookup, written_out
from ..symbolic.markers import t as time
from .explanation import Explanation

NONSENSE = 0.1
"""The energy error, relative to the energy that is turned over, above which a run is invalid."""
ENERGY, CONSTRAINTS, POWER = 100.0, 1000.0, 0.75
"""With step control, the energy error (relative to the energy that is turned over) stays below ENERGY tol^POWER, and
constraint violations (relative to the model's length, velocities relative to the pace of the motion) below CONSTRAINTS
tol^POWER. Calibrated: over the gallery, all methods and stabilisations, and tolerances of 1e-4, 1e-6, ..., 1e-12, the
worst energy errors are 9e-3, 2e-4, 3e-6, 3e-8, 2e-9 and the worst violations 4e-2, 2e-3, 9e-6, 9e-8, 3e-9."""
SLOW = 1e-3
"""The pace, in lengths of the model per second, below which a motion counts as at rest."""
CORNERS = "holds bodies from both sides along a linear table, whose corners ask for speeds that jump"
"""The clause about a joint along a table with corners, behind its name."""
CORNER_ADVICE = 'take a table of kind="cubic" or "monotone", or let one side press alone, by a CamContact or a Contact'
"""The advice for a joint along a table with corners."""
FAINT = 100.0  # a motion of fewer tolerances is called faint
REST = 1e-12  # a slower motion (model lengths or rad, per second) is roundoff


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
    return gaps / units, rates / units / (pace + SLOW)


# --- checks of a run ---


def check_energy(system: System, march: March, result: Result) -> None:
    """Refuse a run whose energy balance is violated. (Approximate forces of contacts misplace some energy, which is
    more than roundoff when all bodies are at rest.)"""
    energy = result.energy
    most = float(march.turned[0])
    error = float(np.abs(energy.error).max(initial=0.0))
    scale = np.abs(energy.potential).max(initial=0.0) + system.heaviest * system.length**2
    fixed, corners = march.control.fixed, joints_with_corners(system)
    least = 1e-9 if fixed > 0.0 else max(1e-9, 10.0 * march.control.rtol)
    misplaced = float(march.mechanism.contacts.steps.residual[1])
    if error <= energy_allowed(march.control) * most + least * scale + misplaced:
        return
    remedy = f"try step={fixed / 10:g}, or leave step out" if fixed > 0.0 else "lower rtol, or bound steps by max_step="
    what = f"the energy of {system.model.name!r} is off by {error:.2g} J of {most:.2g} J: steps are too long for its "
    what += "forces, or one went wrong"
    advice = f"{remedy}, and look at result.energy and result.violation"
    if corners:
        what = f"the energy of {system.model.name!r} is off by {error:.2g} J of {most:.2g} J: "
        what += f"{' and '.join(sorted(corners))} {CORNERS}"
        advice = CORNER_ADVICE
    raise Explanation(IntegrationError, what, advice, float(result.t[-1])).error(result)


def check_violation(system: System, march: March, result: Result) -> None:
    """Refuse a run with a recorded state that violates constraints too much for its tolerances. (Without stabilisation,
    drift is intended.)"""
    if march.stabiliser.when == NEVER:
        return
    pace = np.sqrt((system.weight * result.v**2).max(initial=0.0)) / system.length
    gaps, rates, _ = np.abs(result.violation.rows)
    off = np.array(relative_violations(gaps, rates, system.row_units, pace))
    if off.max(initial=0.0) <= (share := violation_allowed(march.control)):
        return
    level = int(off[0].max() <= share)
    k, row = np.unravel_index(off[level].argmax(), off[level].shape)
    gap, t, name = abs(result.violation.rows[level, k, row]), float(result.t[k]), system.rows[row].element
    what = f"{('positions', 'velocities')[level]} of {system.model.name!r} violate {name!r} by {gap:.2g} at t = {t:.6g}"
    what, advice = f"{what}, out of proportion to the tolerances", "use stabilization=mbs.Projection(), or lower rtol"
    if corners := joints_with_corners(system) & {system.model.elements[name].who}:
        what, advice = f"{what}: {' and '.join(sorted(corners))} {CORNERS}", CORNER_ADVICE
    raise Explanation(IntegrationError, what, advice, t, (name,)).error(result)


def joints_with_corners(system: System) -> set[str]:
    """Return the joints and couplings that hold bodies along a linear table of positions. At its corners velocities
    have to jump, which needs an impact, and only contacts have impacts."""
    joints = set[str]()
    for element in system.model.conditions:
        form, slots = element.form()
        lookups = {e for expression in form.expressions for e in written_out(expression).atoms(BentLookup)}
        along_bodies = [e for e in lookups if e.args[2].free_symbols - {time}]
        if any(slots[e.args[0]].table.kind == "linear" for e in along_bodies):
            joints.add(element.who)
    return joints


def told_of_faint(march: March) -> str:
    """Return a sentence about a motion so small that errors within its tolerances may be as large."""
    control, record, done = march.control, march.record, int(march.counts[marching.NEXT])
    if control.fixed > 0.0:
        return ""
    q, v, state, atol = record.q[:done], record.v[:done], march.mechanism.state, control.atol
    rates = np.abs(v) / (atol * control.unit[state.v_at : state.v_end])  # rates at rest are zero: atol alone counts
    if (most := rates.max(initial=0.0)) > FAINT:
        return ""
    shifts = np.abs(q - q[:1]) / (atol * control.unit[: state.q_end] + control.rtol * np.abs(q[:1]))
    if (most := max(most, shifts.max(initial=0.0))) > FAINT or most * atol < REST:
        return ""
    what = f"the motion is no larger than {most:.2g} times the errors that are allowed, and may be made of them"
    return f"{what}; give a smaller atol, such as {1e-6 * most * atol:.0e}"
