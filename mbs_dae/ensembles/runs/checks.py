"""Check the motions of all members at once; a doubtful member counts as one that needs a closer look.

The verb runs a doubtful member again and reports what is wrong, if anything is."""

import numpy as np

from ...compiled.reading import farthest_off
from ...explain.accuracy import energy_allowed, relative_violations, violation_allowed
from ...explain.axes import lost_turns
from ...motion.control import Control
from ...motion.outcome import is_singular
from ...results.quantities import ledger
from .numbers import Numbers


def near_singular(independence: np.ndarray) -> np.ndarray:
    """Return whether some pose of each member is nearly singular, shape (members,)."""
    return np.asarray(is_singular(independence).any(axis=1))


def loses_energy(energies: np.ndarray, turned: np.ndarray, control: Control) -> np.ndarray:
    """Return whether the energy balance of each member has an error above the allowed one, regardless of its scale."""
    error = np.abs(ledger(energies).error).max(axis=0)
    return ~(error <= energy_allowed(control) * turned)


def violates(numbers: Numbers, rows: np.ndarray, t: np.ndarray, q: np.ndarray, v: np.ndarray, control: Control):
    """Return whether each member violates its constraints by more than its tolerances allow, shape (rows,)."""
    system, count, flat = numbers.system, len(rows), (q.shape[0] * q.shape[1], -1)
    program, lengths = system.structure.program.fill(system.evaluator), np.array(numbers.lengths)[rows]
    gaps, rates = np.zeros((2, count, program.rows))
    work = np.zeros(program.batch.out_size + 1), np.zeros(program.rows)
    farthest_off(program, numbers.program[rows], t, q.reshape(flat), v.reshape(flat), *work, gaps, rates)
    units = lengths[:, None] ** [one.power for one in system.rows]
    fastest = (numbers.weights[rows] * (v[:, :, : system.nv] ** 2).max(axis=1)).max(axis=1, initial=0.0)
    pace = np.sqrt(fastest) / lengths
    worst = (off.max(axis=1, initial=0.0) for off in relative_violations(gaps, rates, units, pace[:, None]))
    return ~(np.maximum(*worst) <= violation_allowed(control))


def loses_count(numbers: Numbers, row: int, t: np.ndarray, q: np.ndarray) -> bool:
    """Return whether the number of turns of some angle of member `row` is no longer certain."""
    return bool(lost_turns(numbers.system, numbers.columns.at(row), t, q))
