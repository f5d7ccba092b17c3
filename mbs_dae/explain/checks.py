"""Checks of a run: its energy balance, and its violations of constraints."""

import numpy as np

from ..compiled import System
from ..errors import IntegrationError
from ..motion.record import IntegratorState
from ..motion.stabilise import NEVER
from ..results.result import Result
from ..symbolic.functions import BentLookup, written_out
from ..symbolic.markers import t as time
from .accuracy import energy_allowed, relative_violations, violation_allowed
from .explanation import Explanation

CORNERS = "holds bodies from both sides along a linear table, whose corners ask for speeds that jump"
"""The clause about a joint along a table with corners, behind its name."""
CORNER_ADVICE = 'take a table of kind="cubic" or "monotone", or let one side press alone, by a CamContact or a Contact'
"""The advice for a joint along a table with corners."""


def check_energy(system: System, march: IntegratorState, result: Result) -> None:
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
    raise Explanation(IntegrationError, "energy-off", what, advice, float(result.t[-1])).error(result)


def check_violation(system: System, march: IntegratorState, result: Result) -> None:
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
    raise Explanation(IntegrationError, "constraints-violated", what, advice, t, (name,)).error(result)


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
