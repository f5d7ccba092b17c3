"""A motion to be integrated by any method: y' and the projection of the compiled core, called and counted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mbs_dae.compiled.manifold import restore
from mbs_dae.compiled.status import DONE
from mbs_dae.motion.derivative import derivative
from mbs_dae.motion.stabilise import project
from mbs_dae.verbs.simulate import Prepared


@dataclass
class Motion:
    """From the start of a run that has begun to its end, within a tolerance."""

    run: Prepared
    rtol: float
    evaluations: int = 0
    projections: int = 0
    steps: int = 0
    rejected: int = 0
    y: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        march = self.run.march
        self.mechanism, self.unit = march.mechanism, march.control.unit
        self.end, self.y = float(self.run.times[-1]), march.stages.y0.copy()
        self.told = np.isfinite(self.unit)

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """y' at (t, y)."""
        self.evaluations += 1
        dy = np.zeros_like(y)
        if derivative(self.mechanism, t, y, dy) != DONE:
            raise ArithmeticError(f"no accelerations at t = {t}")
        return dy

    def put_right(self, t: float, y: np.ndarray) -> np.ndarray:
        """y on the constraints."""
        self.projections += 1
        state, y = self.mechanism.state, y.copy()
        restore(self.mechanism.machine.manifold, y[: state.q_end])
        if project(self.mechanism, t, y[: state.q_end], y[state.v_at : state.v_end]) != DONE:
            raise ArithmeticError(f"constraints do not close at t = {t}")
        return y

    def norm(self, error: np.ndarray, y: np.ndarray) -> float:
        """1 where an error is just acceptable, as in `motion/control.py`."""
        errors = (error / (self.unit + np.abs(y)))[self.told]
        largest = float(np.abs(errors).max())
        return largest / self.rtol * float(np.sqrt(np.mean((errors / largest) ** 2))) if largest > 0.0 else 0.0

    def first_step(self, k: np.ndarray, order: int) -> float:
        """From the sizes of y' and y'' (Hairer, Nørsett and Wanner, II.4)."""
        first = 1e-2 / max(self.norm(k, self.y), 1e-2) * self.rtol**0.5
        bend = (self.rates(first, self.y + first * k) - k) / first
        return (1e-2 / max(self.norm(k, self.y), self.norm(bend, self.y), 1e-2)) ** (1 / (order + 1))
