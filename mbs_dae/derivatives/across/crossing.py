"""Records of a run before a step, where guards have passed zero, and where an event ends the run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .beside import Stands

READ = ("q", "v", "a", "multipliers", "contacts", "energies")
"""The arrays that are recorded at the requested times, in the order of `make_steps`."""


class Instant(NamedTuple):
    """A run before its next action."""

    where: Stands
    t: float
    y: np.ndarray
    dy: np.ndarray
    accepted: int
    switched: int
    span: int
    read: int
    remembered: np.ndarray
    """The rows that its method remembers of the step before: see `Method.remembered`."""


class Crossing(NamedTuple):
    """A place at which guards have passed zero, with the run before the step, and S at the place."""

    before: Instant
    y: np.ndarray
    dy: np.ndarray
    S: np.ndarray
    t: float
    length: float
    passed: np.ndarray


class Ending(NamedTuple):
    """The end of a run that an event has stopped: how its time moves, (parameters,), and how what is kept there changes
    as it moves."""

    moved: np.ndarray
    rows: dict[str, np.ndarray]
