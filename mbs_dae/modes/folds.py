"""Double solutions: two modes that run into one, sharpened where Newton alone is lost.

Where Φ(q) = 0 has a double solution, the rank of its Jacobian J is one less than full, and Newton comes only to within
the root of roundoff. But on the curve of poses that satisfy all equations but one, the last one is a parabola that
touches zero: its slope σ = uᵀ J w, with u and w the left and right null vectors of J, goes through zero with a slope of
its own. So the steps along w are those of a secant for σ, and those at right angles to it are Newton's.
"""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..compiled.machine import observe
from ..tolerances import LOOSE

ASIDE = 1e-4
"""Between two slopes, in lengths of the model."""
NEAR = 1e-4
"""It goes no farther, in lengths of the model."""
RANK = 1e-4
"""The next singular value, against the largest one, of a pose that is double and no more."""
STEPS = 6


def sharpened(system: System, time: float, q: np.ndarray) -> np.ndarray:
    """The double solution next to a pose; the pose itself, where there is none."""
    weight, length = np.sqrt(system.weight), system.length
    start = q
    for _ in range(STEPS):
        residuals, jacobian = _equations(system, time, q)
        left, sizes, right = np.linalg.svd(jacobian / weight)
        count = min(jacobian.shape[1], sizes.size)
        if count < jacobian.shape[1] or count < 2 or sizes[count - 2] < RANK * sizes[0]:
            return start
        w, u = right[count - 1], left[:, count - 1]
        aside = system.moved(q, ASIDE * length * w / weight)
        slope = u @ (jacobian / weight) @ w
        turn = (u @ (_equations(system, time, aside)[1] / weight) @ w - slope) / (ASIDE * length)
        if not abs(turn) * length > RANK * sizes[0]:
            return start
        across = right[: count - 1].T @ ((left[:, : count - 1].T @ residuals) / sizes[: count - 1])
        q = system.moved(q, (-across - w * slope / turn) / weight)
        far = np.abs(weight * system.between(start, q)).max(initial=0.0)
        if not far < NEAR * length:
            return start
    return q if np.abs(_equations(system, time, q)[0]).max() < LOOSE * max(1.0, length) else start


def _equations(system: System, time: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of the rows, and how they change, dense."""
    machine, pattern = system.machine(), system.pattern
    observe(machine, float(time), np.ascontiguousarray(q, dtype=float), system.still)
    rows = np.zeros((len(system.rows), system.structure.columns))
    rows[pattern.jac_row, pattern.jac_column] = machine.factor.jacobian
    return machine.phi.copy(), rows[:, : system.nv]
