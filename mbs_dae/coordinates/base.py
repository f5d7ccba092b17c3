"""What a coordinate set must say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from ..model.bodies.body import Body
from ..model.joints.base import Condition
from ..model.parameters import Evaluator, Number
from ..symbolic.derive import Equations, Inertia, MarkerMap
from .layout import Layout

Motion = tuple[np.ndarray, np.ndarray, np.ndarray]
"""q, v and a over time, one row for each moment; what stands still included."""


@dataclass(frozen=True, eq=False)
class OwnEquations:
    """Equations that a coordinate set has of itself: what keeps a body rigid."""

    body: Body
    kind: str
    """All that its kernel depends on besides the coordinate set."""
    form: Equations
    slots: Mapping[str, Number]
    owners: tuple[Any, ...]
    """What owns its coordinates, one after the other (`Layout.q`)."""
    units: tuple[str, ...]


class CoordinateSet(Protocol):
    """A coordinate set speaks of markers and bodies; of joints only where they let bodies share coordinates."""

    set: str
    """What `compile` calls it."""

    @property
    def kernels(self) -> KernelCoordinates:
        """The coordinates that kernels are derived in: its own, or Cartesian ones that follow from it by recursion."""

    @property
    def layout(self) -> Layout: ...

    @property
    def coordinate_names(self) -> tuple[str, ...]: ...

    def settled(self, joint: Condition) -> frozenset[int]:
        """The rows of a joint that shared or eliminated coordinates satisfy by themselves; they are left out."""
        return frozenset()

    def own_equations(self) -> Iterable[OwnEquations]:
        return ()

    def check_values(self, number: Evaluator) -> None:
        """Refuse values of parameters with which these coordinates would be others."""
        return None

    def weights(self, length: float) -> np.ndarray:
        """The norm in which "least change" is meant, one number for each velocity: a turn counts as the way of a point
        at the model's length."""

    def from_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion:
        """A motion of the bodies in these coordinates."""

    def to_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion: ...


class KernelCoordinates(CoordinateSet, Protocol):
    """Coordinates that kernels are derived in: how markers and the inertia of a body follow from them."""

    sharing: bool
    """Whether bodies share coordinates."""
    name: str
    """What its kernels are called."""

    def marker_map(self, label: str) -> MarkerMap: ...

    def marker_slots(self, marker: Any) -> tuple[Number, ...]:
        """What stands in the slots of `marker_map` for this marker."""

    def inertia(self, form: str) -> Inertia: ...

    def inertia_form(self, body: Any) -> str:
        """Which of the forms of `inertia` a body has."""

    def inertia_slots(self, body: Any, gravity: tuple[Number, ...]) -> tuple[Number, ...]:
        """What stands in the slots of `inertia` for this body."""

    @property
    def kernels(self) -> KernelCoordinates:
        return self

    def weights(self, length: float) -> np.ndarray:
        return self.all_weights(length)[: self.layout.nv]

    def all_weights(self, length: float) -> np.ndarray:
        """The weights of all velocities, those of what stands still behind the others."""

    def masses(self, number: Evaluator) -> np.ndarray:
        """What each velocity moves."""


@dataclass(frozen=True, eq=False)
class Computed:
    """One of them: it may stand in a slot."""

    all_of: Callable[[Evaluator], np.ndarray]
    which: int

    def __call__(self, number: Evaluator) -> float:
        return float(self.all_of(number)[self.which])


def computed(function: Callable[[Evaluator], Any], count: int) -> tuple[Computed, ...]:
    """So many numbers that a function makes of what evaluates parameters."""
    flat = lru_cache(maxsize=2)(lambda number: np.ravel(function(number)))
    return tuple(Computed(flat, k) for k in range(count))
