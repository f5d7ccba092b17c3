"""Prescribed poses: places of driven bodies, and a check that prescribed rotations are rotations."""

import numpy as np

from ..compiled import System
from ..errors import ModelError
from ..model.drivers import PoseDriver
from ..model.model import Model
from ..rotations import quaternion
from ..symbolic.derive import Reading

SAMPLES = 200
"""Greatest number of the requested times that are checked."""


def attitude_drivers(model: Model) -> list[PoseDriver]:
    """Return the drivers that prescribe attitudes in space."""
    return [d for d in model.drivers if isinstance(d, PoseDriver) and d.turns and model.dimension == 3]


def _leader_frame(system: System, driver: PoseDriver, t: np.ndarray) -> np.ndarray:
    """Return the variables of the leading marker at each time, (times, 12): its point, then its x, y and z axis."""
    relation, slots = driver.form()
    (leader,) = relation.trajectories
    reading = Reading(relation.markers, tuple(leader.marker.m[:12]), slots=relation.slots, trajectories=(leader,))
    still = np.tile(system.still, (t.size, 1))
    return system.read_values(reading, slots, driver.markers, t, np.tile(system.placement, (t.size, 1)), still)


def _is_rotation(matrix: np.ndarray) -> bool:
    return bool(np.abs(matrix @ matrix.T - np.eye(3)).max() < 1e-6 and np.linalg.det(matrix) > 0)


def put_prescribed_attitudes(system: System, t: float, guess: np.ndarray) -> np.ndarray:
    """Return the guess with bodies that have a prescribed attitude in their places."""
    q = guess.copy()
    for driver in attitude_drivers(system.model):
        (marker,), places = driver.markers, list(system.layout.q[driver.markers[0].body])
        leader, (point, axes) = _leader_frame(system, driver, np.array([t]))[0], marker.on_body(system.evaluator)
        attitude = leader[3:12].reshape(3, 3).T @ axes.T
        if _is_rotation(attitude):
            q[places[3:7]] = quaternion(attitude)
            if driver.leads:
                q[places[:3]] = leader[:3] - attitude @ point
    return q


def check_trajectories(model: Model, t: np.ndarray) -> None:
    """Raise a `ModelError` if a prescribed attitude is no rotation, at any of the checked times."""
    for driver in attitude_drivers(model):
        times = t[np.unique(np.linspace(0, t.size - 1, SAMPLES).astype(int))]
        for time, row in zip(times, _leader_frame(model.compile(), driver, times), strict=True):
            if not _is_rotation(row[3:12].reshape(3, 3).T):
                why = "its columns are not three unit vectors at right angles, right-handed"
                problem = f"rotation of {driver.who} is not a rotation at t = {time:g}: {why}"
                raise ModelError(
                    f"{problem}; write e.g. mbs.rotations.bryant(a, b, c)",
                    code="not-a-rotation", driver=driver.name, time=float(time),
                )  # fmt: skip
