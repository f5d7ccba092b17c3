"""Serial and parallel: how inputs and outputs move with the motions that a mechanism has.

N are the motions that all other equations leave, of unit length in the norm of the model. Inputs move by A = Φ_in N,
outputs by B = Φ_out N, without units. Where A loses its rank the mechanism moves with its inputs held (a parallel, or
direct, singularity); where B does, outputs lose a direction (a serial, or inverse, one). Outputs follow inputs by
B A⁻¹.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..poses.freedom import free_motions
from .asked import Begun, Plane, equations_system


@dataclass(frozen=True, eq=False)
class Kinds:
    begun: Begun
    fix: dict[str, float]
    inputs: Plane | None
    """At least one of both is known."""
    outputs: Plane | None

    @cached_property
    def system(self) -> Any:
        return equations_system(self.begun.model, self.fix)

    @cached_property
    def _readers(self) -> list[Any]:
        model = self.begun.model
        planes = [plane for plane in (self.inputs, self.outputs) if plane is not None]
        return [self.system.reader([model.quantity(name)[0] for name in plane.names]) for plane in planes]

    def at(self, q: np.ndarray) -> list[np.ndarray]:
        """A, and B if there are outputs."""
        system, t = self.system, self.begun.t
        N = free_motions(system, t, q) / np.sqrt(system.weight[: system.nv])[:, None] * system.length
        planes = [plane for plane in (self.inputs, self.outputs) if plane is not None]
        return [
            reader.jacobian(t, q).toarray()[:, : system.nv] @ N / plane.scale[:, None]
            for reader, plane in zip(self._readers, planes, strict=True)
        ]
