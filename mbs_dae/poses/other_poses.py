"""Other poses of a mechanism, reached by walking: what holds at one pose only, and what is built in.

At a singular pose Φ_v lets more directions free than the mechanism has, and only a few combinations of them lead
anywhere. A direction is chosen, and Newton finds the motion nearest to it. If all bodies are asked to move alike,
neighbours agree about their way out, however many loops there are; random directions find the other ways.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..compiled import System
from ..compiled.machine import leave_out_velocity_rows, observe
from ..compiled.manifold import move
from ..linear.kkt import factorise
from ..model.drivers import Prescribed
from ..tolerances import LOOSE, TIGHT
from . import newton
from .dependence import PoseRank

SAMPLES, TRIES = 4, 12
"""Other poses that are looked for, and how many ways are tried to find them."""
STEPS, STEP = 4, 0.1
"""Each lies so many steps off, in which no body moves farther than so many model lengths."""
FIRST = (0.1, 0.03, 0.3)
"""The lengths of the first step, by turns."""
STRAY, CLEAN = 1.0, 0.3
"""How large the correction of a step may be against the step. The first may start on a change point, where most
directions that look free are not."""


def joint_rows(system: System) -> list[int]:
    """The rows that no driver asks for."""
    return [k for k, row in enumerate(system.rows) if not isinstance(system.model.elements[row.element], Prescribed)]


def other_poses(system: System, q: np.ndarray, rows: Collection[int], samples: int = SAMPLES) -> list[np.ndarray]:
    """Poses that satisfy these rows, some way off along what they leave free."""
    walk, random, found = _Walk(system, rows), np.random.default_rng(7), []
    for k in range(samples * TRIES // SAMPLES):
        alike = np.tile(random.standard_normal(system.nv // len(system.bodies)), len(system.bodies))
        direction = (alike if k % 2 == 0 else random.standard_normal(system.nv)) / np.sqrt(system.weight)
        pose = walk.step(q, direction, FIRST[k % len(FIRST)], STRAY)
        for _ in range(STEPS - 1):
            pose = None if pose is None else walk.step(pose, direction, STEP, CLEAN)
        if pose is not None:
            found.append(pose)
        if len(found) == samples:
            break
    return found


class _Walk:
    """Short steps along what some of the rows leave free."""

    def __init__(self, system: System, rows: Collection[int]):
        self.system, self.rows = system, list(rows)
        self.pose = PoseRank(system, 0.0, system.placement)
        self.left_out = ~np.isin(system.pattern.jac_row.astype(int), self.rows)

    def step(self, q: np.ndarray, direction: np.ndarray, length: float, correctable: float) -> np.ndarray | None:
        """A step along the freedom nearest to a direction, which becomes this freedom; None if there is none, or if
        closing the gaps again takes a correction that is not small against the step: then it may have left the
        branch."""
        system = self.system
        self.pose.stand_at(0.0, q)
        self.pose.keep_only(self.rows)
        way = self.pose.tangent(direction)
        size = float(np.abs(np.sqrt(system.weight) * way).max(initial=0.0))
        if size < 1e-6:
            return None
        direction[:] = way
        way *= length * system.length / size
        guess = system.moved(q, way)
        closed = self._closed(guess)
        if closed is None:
            return None
        correction = system.between(guess, closed)
        return closed if system.weight @ correction**2 < correctable**2 * (system.weight @ way**2) else None

    def _closed(self, guess: np.ndarray) -> np.ndarray | None:
        """Newton with these rows alone: as `newton.close` does with all of them."""
        machine, q, last = self.pose.machine, guess.copy(), np.inf
        machine.factor.truncation[0] = 0.0
        for _ in range(20):
            observe(machine, 0.0, q, self.system.still)
            leave_out_velocity_rows(machine)
            machine.factor.jacobian[self.left_out] = 0.0
            factorise(machine.pattern, machine.factor)
            gaps = np.abs(machine.phi[self.rows]) / np.sqrt(machine.factor.row_square[self.rows] + 1e-300)
            gap = gaps.max(initial=0.0)
            if not np.isfinite(gap):
                return None
            if gap <= TIGHT * machine.extent or last < 2.0 * gap <= 2.0 * LOOSE * machine.length:
                return q
            last = gap
            newton.newton_step(machine, 1)
            move(machine.manifold, q, machine.x)
        return None
