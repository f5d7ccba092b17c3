"""Where a run stands: before it does something, where guards have passed zero, and where an event ends it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .beside import Stands

READ = ("q", "v", "a", "multipliers", "contacts", "energies")
"""The arrays that are recorded at the requested times, in the order of `make_steps`."""


class Instant(NamedTuple):
    """Where a run stands before it does something."""

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
    """Where guards have passed zero: what stood there before, and how the state varied."""

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
