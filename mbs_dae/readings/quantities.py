"""Named arrays, computed from a compiled system when asked for."""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..model.measures import Measure


class ComputedQuantities:
    """Reads measures of a system along a motion; each measure is read once, with its rate and acceleration."""

    def __init__(self, system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray):
        self.system = system
        self.motion = t, q, v, a
        self._read: dict[str, np.ndarray] = {}

    def names(self) -> list[str]:
        return self.system.model.quantity_names()

    def unit(self, name: str) -> str:
        measure, level = self.system.model.quantity(name)
        return measure.units[level]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._read:
            measure, _ = self.system.model.quantity(name)
            owner = name.rpartition(".")[0]
            self._keep(owner, measure, [values[:, 0] for values in self.system.reader([measure])(*self.motion)])
        return self._read[name]

    def read_all(self) -> dict[str, np.ndarray]:
        """Every quantity at once."""
        model = self.system.model
        named = [(owner, measure) for owner in model.owners() for measure in model.measures_of(owner)]
        levels = self.system.reader([m for _, m in named])(*self.motion)
        for k, (owner, measure) in enumerate(named):
            self._keep(owner, measure, [values[:, k] for values in levels])
        return dict(self._read)

    def _keep(self, owner: str, measure: Measure, levels: list[np.ndarray]) -> None:
        for level, values in zip(measure.levels, levels, strict=True):
            if level:
                values.setflags(write=False)
                self._read[f"{owner}.{level}"] = values
