"""Motions that the verbs would look at twice: of all members at once, in favour of doubt.

A member about which there is doubt is run by its verb, which says what is wrong with it, if anything is.
"""

import numpy as np

from ...compiled.reading import Reader
from ...explain.axes import lost_turns
from ...explain.failures import CONSTRAINTS, ENERGY, NONSENSE, POWER
from ...motion.control import Control
from ...motion.outcome import ELSEWHERE
from ...tolerances import NEARLY
from .numbers import Numbers


def near_singular(independence: np.ndarray) -> np.ndarray:
    """Whether some state of a member is next to a singular pose."""
    most = independence.max(axis=1, initial=0.0)
    return (independence < np.minimum(NEARLY, ELSEWHERE * most)[:, None]).any(axis=1)


def share(control: Control, factor: float) -> float:
    return NONSENSE if control.fixed > 0.0 else min(NONSENSE, factor * max(control.rtol, control.atol) ** POWER)


def loses_energy(energies: np.ndarray, turned: np.ndarray, control: Control) -> np.ndarray:
    """Whether the ledger of a member does not close, whatever its scale."""
    kinetic, potential, stored, dissipated, supplied = np.moveaxis(energies, -1, 0)
    total = kinetic + (potential + stored) + dissipated - supplied
    error = np.abs(total - total[:, :1]).max(axis=1)
    return ~(error <= share(control, ENERGY) * turned)


def violates(numbers: Numbers, rows: np.ndarray, t: np.ndarray, q: np.ndarray, v: np.ndarray, control: Control):
    """Whether constraints of a member are off by much, for its tolerances."""
    system, (members, times) = numbers.system, q.shape[:2]
    program, flat = system.structure.program, (members * times, -1)
    designs = np.repeat(numbers.program[rows], times, axis=0)
    reader = Reader(program.fill(system.evaluator), system.nv, system.layout.v_size, designs)
    moments, still = np.tile(t, members), np.zeros((members * times, v.shape[2]))
    off = np.abs(reader(moments, q.reshape(flat), v.reshape(flat), still)[:2]).reshape(2, members, times, -1)
    found = np.zeros(members, dtype=bool)
    for k, row in enumerate(rows):
        length = numbers.lengths[row]
        units = np.array([length ** _power(one.unit) for one in system.rows])
        pace = np.sqrt((numbers.weights[row] * v[k, :, : system.nv] ** 2).max(initial=0.0)) / length
        worst = max((off[0, k] / units).max(initial=0.0), (off[1, k] / units).max(initial=0.0) / (pace + 1e-3))
        found[k] = not worst <= share(control, CONSTRAINTS)
    return found


def _power(unit: str) -> int:
    return {"rad": 0, "m²": 2}.get(unit.removesuffix("/s"), 1)


def loses_count(numbers: Numbers, row: int, t: np.ndarray, q: np.ndarray) -> bool:
    """Whether the turns of some angle of a member have lost their meaning."""
    return bool(lost_turns(numbers.system, numbers.columns.at(row), t, q))
