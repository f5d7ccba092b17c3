"""Serial and parallel singularities: the rates of inputs and outputs for the free motions of a mechanism.

N are the motions that all other equations leave free, of unit length in the norm of the model. Inputs move by A = Φ_in
N, outputs by B = Φ_out N, without units. Where A loses rank the mechanism moves with its inputs held (a parallel, or
direct, singularity); where B loses rank, outputs lose a direction (a serial, or inverse, singularity). Outputs follow
inputs by B A⁻¹.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..poses.local import free_motions
from .asked import Begun, Plane, equations_system


@dataclass(frozen=True, eq=False)
class Kinds:
    begun: Begun
    fix: dict[str, float]
    inputs: Plane | None
    """The plane of inputs; at least one of inputs and outputs is given."""
    outputs: Plane | None

    @cached_property
    def system(self) -> Any:
        return equations_system(self.begun.model, self.fix)

    @cached_property
    def _readers(self) -> list[Any]:
        model = self.begun.model
        planes = [plane for plane in (self.inputs, self.outputs) if plane is not None]
        return [self.system.reader([model.quantity(name)[0] for name in plane.names]) for plane in planes]

    def at(self, q: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return A and B at a pose; None for the one whose plane is not given."""
        system, t = self.system, self.begun.t
        N = free_motions(system, t, q) / np.sqrt(system.weight[: system.nv])[:, None] * system.length
        readers = iter(self._readers)
        A, B = (
            None if plane is None else next(readers).jacobian(t, q).toarray()[:, : system.nv] @ N / plane.scale[:, None]
            for plane in (self.inputs, self.outputs)
        )
        return A, B
