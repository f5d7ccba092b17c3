"""Named arrays, computed from a compiled system when asked for."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..compiled import System
from ..compiled.batch import Swept
from ..compiled.program import ProgramBuilder
from ..compiled.structure import Structure
from ..model.measures import Measure
from ..results.quantities import frozen
from ..results.result import Violation


@dataclass(frozen=True, eq=False)
class ComputedQuantities:
    """Reads measures of a system along a motion, in time or over a swept parameter; each measure is read once, with its
    rate and acceleration."""

    system: System
    motion: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # t, q, v, a
    swept: Swept | None = None
    _read: dict[str, np.ndarray] = field(default_factory=dict)

    def names(self) -> list[str]:
        return self.system.model.quantity_names()

    def unit(self, name: str) -> str:
        measure, level = self.system.model.quantity(name)
        return measure.units[level]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._read:
            measure, _ = self.system.model.quantity(name)
            owner = name.rpartition(".")[0]
            self._read_by(self.system.structure.once(_reader_of, owner, measure.levels), [(owner, measure)])
        return self._read[name]

    def read_all(self) -> dict[str, np.ndarray]:
        """Every quantity at once."""
        model = self.system.model
        named = [(owner, measure) for owner in model.owners() for measure in model.measures_of(owner)]
        self._read_by(self.system.structure.builder_of([m for _, m in named]), named)
        return dict(self._read)

    def violation(self) -> Violation:
        """What the constraints read along the motion."""
        system = self.system
        read = system.reader_by(system.structure.program, self.swept) if self.swept else system.read_constraints
        return Violation(frozen(np.stack(read(*self.motion))), tuple(row.element for row in system.rows))

    def _read_by(self, builder: ProgramBuilder, named: list[tuple[str, Measure]]) -> None:
        read = self.system.reader_by(builder, self.swept)(*self.motion)
        for k, (owner, measure) in enumerate(named):
            for level, values in zip(measure.levels, read, strict=True):
                if level:
                    self._read[f"{owner}.{level}"] = frozen(values[:, k])


def _reader_of(structure: Structure, owner: str, levels: tuple[str, ...]) -> ProgramBuilder:
    """What reads one measure, in all motions of all designs."""
    return structure.builder_of([m for m in structure.model.measures_of(owner) if m.levels == levels])
