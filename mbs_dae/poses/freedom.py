"""The motions that all equations leave free in a pose, from their dense Jacobian."""

import numpy as np

from ..compiled import System
from ..compiled.machine import observe

ENOUGH = 1e-9  # relative singular value below which rows are dependent


def free_motions(system: System, t: float, q: np.ndarray) -> np.ndarray:
    """Return the free velocities as orthonormal columns, scaled by the square roots of the weights."""
    if not system.rows:
        return np.eye(system.nv)
    machine, pattern = system.machine(), system.pattern
    observe(machine, float(t), np.ascontiguousarray(q, dtype=float), system.still)
    rows = np.zeros((len(system.rows), system.structure.columns))
    rows[pattern.jac_row, pattern.jac_column] = machine.factor.jacobian
    rows = rows[:, : system.nv] / np.sqrt(system.weight[: system.nv])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    _, sizes, motions = np.linalg.svd(rows / np.where(lengths > 0, lengths, 1.0))
    return motions[int((sizes > ENOUGH * sizes.max(initial=0.0)).sum()) :].T
