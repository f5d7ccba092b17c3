"""Prescribed poses along the requested times: whether what is given as a rotation is one."""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..errors import ModelError
from ..model.drivers import PoseDriver
from ..model.model import Model
from ..symbolic.derive import Reading

LOOKS = 200
"""At most so many of the requested times are looked at."""


def trajectory(system: System, driver: PoseDriver, t: np.ndarray) -> np.ndarray:
    """The variables of the leading marker at every time: its point, then its x, y and z axis."""
    relation, slots = driver.form()
    (leader,) = relation.trajectories
    reading = Reading(relation.markers, tuple(leader.marker.m[:12]), slots=relation.slots, trajectories=(leader,))
    still = np.tile(system.still, (t.size, 1))
    return system.read_values(reading, slots, driver.markers, t, np.tile(system.placement, (t.size, 1)), still)


def is_rotation(matrix: np.ndarray) -> bool:
    return bool(np.abs(matrix @ matrix.T - np.eye(3)).max() < 1e-6 and np.linalg.det(matrix) > 0)


def check_trajectories(model: Model, t: np.ndarray) -> None:
    """Every driven attitude is a rotation, at all times that are looked at."""
    turning = [d for d in model.drivers if isinstance(d, PoseDriver) and d.turns and model.dimension == 3]
    for driver in turning:
        moments = t[np.unique(np.linspace(0, t.size - 1, LOOKS).astype(int))]
        for moment, row in zip(moments, trajectory(model.compile(), driver, moments), strict=True):
            if not is_rotation(row[3:12].reshape(3, 3).T):
                raise ModelError(
                    f"rotation of {driver.who} is no rotation at t = {moment:g}: its columns are not three unit "
                    "vectors at right angles, right-handed; write e.g. mbs.rotations.bryant(a, b, c)"
                )
