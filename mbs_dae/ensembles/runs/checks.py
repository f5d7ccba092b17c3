"""Motions that the verbs would look at twice: of all members at once, in favour of doubt.

A member about which there is doubt is run by its verb, which says what is wrong with it, if anything is.
"""

import numpy as np

from ...compiled.reading import Reader
from ...explain.accuracy import energy_allowed, relative_violations, violation_allowed
from ...explain.axes import lost_turns
from ...motion.control import Control
from ...motion.outcome import is_singular
from ...results.quantities import ledger
from .numbers import Numbers


def near_singular(independence: np.ndarray) -> np.ndarray:
    """Whether some state of a member is next to a singular pose."""
    return np.asarray(is_singular(independence).any(axis=1))


def loses_energy(energies: np.ndarray, turned: np.ndarray, control: Control) -> np.ndarray:
    """Whether the ledger of a member does not close, whatever its scale."""
    error = np.abs(ledger(energies).error).max(axis=0)
    return ~(error <= energy_allowed(control) * turned)


def violates(numbers: Numbers, rows: np.ndarray, t: np.ndarray, q: np.ndarray, v: np.ndarray, control: Control):
    """Whether constraints of a member are off by much, for its tolerances."""
    system, (members, times) = numbers.system, q.shape[:2]
    program, flat = system.structure.program, (members * times, -1)
    designs = np.repeat(numbers.program[rows], times, axis=0)
    reader = Reader(program.fill(system.evaluator), system.nv, system.layout.v_size, designs)
    moments, still = np.tile(t, members), np.zeros((members * times, v.shape[2]))
    read = np.abs(reader(moments, q.reshape(flat), v.reshape(flat), still))
    gaps, rates, _ = read.reshape(3, members, times, -1)
    found = np.zeros(members, dtype=bool)
    for k, row in enumerate(rows):
        length = numbers.lengths[row]
        units = np.array([length**one.power for one in system.rows])
        pace = np.sqrt((numbers.weights[row] * v[k, :, : system.nv] ** 2).max(initial=0.0)) / length
        off_by = np.array(relative_violations(gaps[k], rates[k], units, pace))
        found[k] = not off_by.max(initial=0.0) <= violation_allowed(control)
    return found


def loses_count(numbers: Numbers, row: int, t: np.ndarray, q: np.ndarray) -> bool:
    """Whether the turns of some angle of a member have lost their meaning."""
    return bool(lost_turns(numbers.system, numbers.columns.at(row), t, q))
