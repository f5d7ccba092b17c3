"""What a coordinate set must say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import sympy as sp

from ..model.parameters import Evaluator, Number
from ..symbolic.derive import MarkerMap
from ..symbolic.inertia import Inertia
from .layout import Layout


class CoordinateSet(Protocol):
    """A coordinate set speaks of markers and bodies, never of joints."""

    name: str
    q_names: tuple[str, ...]
    """What the coordinates of a body are called, but for its turns."""
    v_names: tuple[str, ...]
    symbols: tuple[tuple[str, ...], tuple[str, ...]]
    """What all coordinates of a body, and its velocities, are called in printed equations."""
    at_rest: tuple[int, ...]
    """The coordinates of the ground."""
    turns: tuple[bool, ...]
    """Which velocities of a body are turns."""

    def layout(self, bodies: Sequence[Any], ground: Any) -> Layout: ...

    def marker_map(self, label: str) -> MarkerMap: ...

    def ones(self, label: str) -> dict[sp.Expr, sp.Expr]:
        """What is always 1 in `marker_map`, for printing."""
        ...

    def marker_slots(self, marker: Any) -> tuple[Number, ...]:
        """What stands in the slots of `marker_map` for this marker."""
        ...

    def placement(self, body: Any, number: Evaluator) -> list[float]:
        """The reference placement of a body as coordinates."""
        ...

    def whole_turn(self, marker: Any, number: Evaluator) -> list[float]:
        """What is added to the coordinates of a marker's body by a turn of 2π about the marker."""
        ...

    def weights(self, length: float) -> tuple[float, ...]:
        """The norm in which "least change" is meant, one number for each velocity: a turn counts as the way of a point
        at the model's length."""
        ...

    def masses(self, body: Any, number: Evaluator) -> tuple[float, ...]:
        """What each velocity of a body moves."""
        ...

    def inertia(self, form: str) -> Inertia: ...

    def inertia_form(self, body: Any) -> str:
        """Which of the forms of `inertia` a body has."""
        ...

    def inertia_slots(self, body: Any, gravity: tuple[Number, ...]) -> tuple[Number, ...]:
        """What stands in the slots of `inertia` for this body."""
        ...
