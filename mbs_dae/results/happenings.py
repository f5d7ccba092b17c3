"""What happens in a run at an instant: events, and impacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import Names
from .names import components


@dataclass(frozen=True, eq=False)
class StoredState:
    """What was read at a moment, out of a file: ``state["slider.x"]``. No run begins there."""

    t: float
    values: Names[float] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        parts = () if name in self.values else components(name, self.values)
        return np.array([self.values[part] for part in parts]) if parts else self.values[name]


class Happening(NamedTuple):
    """An event of a run."""

    t: float
    name: str
    state: Any
    """A `State`, just before anything was reset; out of a file a `StoredState`, its numbers only (None out of older
    files)."""


class Impact(NamedTuple):
    """An impact of a run: bodies meet, and velocities jump."""

    t: float
    contacts: tuple[str, ...]
    """Those that pushed."""
    impulses: Mapping[str, np.ndarray]
    """Of each joint, driver and contact what it does to its second body, in N s and N m s, components as those of
    `Result.reaction`."""
    energy_lost: float
    rests: float | None
    """Where this is the last one of impacts without end that is told apart: when all are over."""
