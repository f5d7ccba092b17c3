"""What a coordinate set must say: where coordinates stand, and how markers and bodies follow from them.

A small motion is given like a velocity. What it does to coordinates depends on their kind:

    plain        q̇ = v: places, and the angle of a body in the plane
    quaternion   ė = ½ e ∘ (0, ω), ω in body axes: an attitude in space, four numbers of unit length
    turn         τ̇ = ω: the turning added up, beside every attitude, so that angles can count past 2π

Coordinates that move stand before those of the ground, which never do; turns stand behind them all, since they say
nothing of where a body is. At the end of q stand the signals of the model (its states and inputs): no coordinates at
all, but what kernels read as they read these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import sympy as sp

from ..model.bodies.body import Body
from ..model.joints.base import Condition
from ..model.parameters import Along, Evaluator, Noting, Number, Signal
from ..rotations import about_z, from_quaternion
from ..symbolic.derive import Equations, Inertia, MarkerMap


def pairs(rows: Iterable[Any] = ()) -> np.ndarray:
    return np.array([*rows], dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Layout:
    """All numbers are places in q and in v, the ground's coordinates included."""

    q: Mapping[Any, tuple[int, ...]]
    """The coordinates of every body, in the order of the coordinate set's marker maps; and of what else has some."""
    v: Mapping[Any, tuple[int, ...]]
    nq: int
    """How many coordinates say where the moving bodies are."""
    nv: int
    q_size: int
    v_size: int
    plain: np.ndarray
    """Pairs (place in q, place in v)."""
    quaternions: np.ndarray = field(default_factory=pairs)
    """Pairs (place in q of the first of four, place in v of the first of three)."""
    turns: np.ndarray = field(default_factory=pairs)
    """Pairs (place in q of the first of three, place in v of the first of three)."""
    turned: Mapping[Body, tuple[int, ...]] = field(default_factory=dict)
    """Where the turning of a body is added up whose angular velocity is none of the velocities (in space in body
    axes)."""
    signals: Mapping[Signal, int] = field(default_factory=dict)
    """Where each stands in q."""

    def with_signals(self, signals: Sequence[Signal]) -> Layout:
        """The same with these at the end of q."""
        places = {signal: self.q_size + k for k, signal in enumerate(signals)}
        return replace(self, q_size=self.q_size + len(places), signals=places)

    def rotation(self, q: np.ndarray, body: Body) -> np.ndarray:
        """The matrix from body axes to world axes along a motion in Cartesian coordinates."""
        own = q[:, list(self.q[body])]
        return from_quaternion(own[:, 3:7]) if body.dimension == 3 else about_z(own[:, 2])[:, :2, :2]

    def motion(self, times: int) -> Motion:
        """Room for one over so many times."""
        return np.zeros((times, self.q_size)), np.zeros((times, self.v_size)), np.zeros((times, self.v_size))


def span(start: int, count: int) -> tuple[int, ...]:
    return tuple(range(start, start + count))


def cartesian_layout(bodies: Sequence[Body], ground: Body) -> Layout:
    """Every body has three plain coordinates, in space a quaternion and turns too: q = (r, e, ..., τ), v = (ṙ, ω)."""
    own, rates, hidden = (3, 3, 0) if ground.dimension == 2 else (7, 6, 3)
    moving, count = range(len(bodies)), len(bodies) + 1
    attitudes = moving if hidden else ()
    everyone = [*enumerate([*bodies, ground])]
    return Layout(
        q={body: span(own * k, own) + span(own * count + hidden * k, hidden) for k, body in everyone},
        v={body: span(rates * k, rates) for k, body in everyone},
        nq=own * len(bodies),
        nv=rates * len(bodies),
        q_size=(own + hidden) * count,
        v_size=rates * count,
        plain=pairs((own * k + c, rates * k + c) for k in moving for c in range(3)),
        quaternions=pairs((own * k + 3, rates * k + 3) for k in attitudes),
        turns=pairs((own * count + hidden * k, rates * k + 3) for k in attitudes),
    )


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

    def check_moments(self, number: Evaluator) -> None:
        """Refuse bodies whose mass these coordinates lose in roundoff, so that no solution of a run can find it."""
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
        """Return the mass or the moment of inertia of each velocity, while other velocities of its body are free; 0 for
        velocities that take part in a motion without mass."""

    def diagonal(self, number: Evaluator) -> np.ndarray:
        """Return the mass or the moment of inertia of each velocity, while other velocities of its body are 0."""


class Numbers:
    """An array that a function makes of the parameters."""

    def __init__(self, function: Callable[[Evaluator], Any]):
        self.at = lru_cache(maxsize=2)(lambda number: np.ravel(function(number)))
        self._symbols: frozenset[sp.Symbol] | None = None

    def symbols(self, number: Evaluator) -> frozenset[sp.Symbol]:
        """The parameters on which it depends; found once, at the values of this evaluator."""
        if self._symbols is None:
            noting = Noting(number)
            self.at(noting)
            self._symbols = frozenset(noting.symbols)
        return self._symbols


@dataclass(frozen=True, eq=False)
class Computed:
    """One number of an array that a function makes of the parameters. It may stand in a slot. The function is analytic
    in them, so that it can be evaluated with complex numbers."""

    all_of: Numbers
    which: int

    def __call__(self, number: Evaluator) -> float:
        return float(self.all_of.at(number)[self.which])

    def slope(self, along: Along) -> float:
        """Its derivative by a parameter: the imaginary part, where parameters have imaginary parts that are too small
        to be felt by the real ones."""
        if along.parameter not in self.all_of.symbols(along.number):
            return 0.0
        return float(self.all_of.at(along)[self.which].imag / along.SMALL)


def computed(function: Callable[[Evaluator], Any], count: int) -> tuple[Computed, ...]:
    """So many numbers that a function makes of what evaluates parameters."""
    numbers = Numbers(function)
    return tuple(Computed(numbers, k) for k in range(count))
