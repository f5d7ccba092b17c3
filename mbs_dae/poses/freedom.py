"""The motions that all equations leave free in a pose: from their Jacobian, dense."""

import numpy as np
from scipy.linalg import null_space

from ..compiled import System

ENOUGH = 1e-9  # rows that depend on others to this part are counted once


def free_motions(system: System, t: float, q: np.ndarray) -> np.ndarray:
    """Velocities, one motion in each column, by the sizes of the mechanism: at right angles, and one long."""
    jacobian = system.jacobian(t, q).toarray()[:, : system.nv] / np.sqrt(system.weight[: system.nv])
    rows = np.linalg.norm(jacobian, axis=1, keepdims=True)
    return null_space(jacobian / np.where(rows > 0, rows, 1.0), rcond=ENOUGH) if len(rows) else np.eye(system.nv)
