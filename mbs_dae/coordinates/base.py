"""The interface of a coordinate set: places of coordinates, and how markers and bodies follow from them.

A small motion is given like a velocity. Its effect on coordinates depends on their kind:

    plain        q̇ = v: places, and the angle of a body in the plane
    quaternion   ė = ½ e ∘ (0, ω), ω in body axes: an attitude in space, four numbers of unit length
    turn         τ̇ = ω: the integral of ω, beside every attitude, so that angles can count past 2π

Moving coordinates stand before those of the ground, which never move; turns stand behind both, since the pose of a body
does not depend on them. At the end of q stand the signals of the model (its states and inputs), which are no
coordinates but are read by kernels in the same way.
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
from ..model.parameters import ComplexStep, Evaluator, Noting, Number, Signal
from ..rotations import about_z, from_quaternion
from ..symbolic.derive import Equations, Inertia, MarkerMap


def pairs(rows: Iterable[Any] = ()) -> np.ndarray:
    return np.array([*rows], dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Layout:
    """Places in q and in v, the ground's coordinates included."""

    q: Mapping[Any, tuple[int, ...]]
    """The coordinates of every body, in the order of the coordinate set's marker maps; and of all other owners."""
    v: Mapping[Any, tuple[int, ...]]
    nq: int
    """The number of coordinates that describe the moving bodies."""
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
    """The places of the turns of a body whose angular velocity is not among the velocities (in space in body axes)."""
    signals: Mapping[Signal, int] = field(default_factory=dict)
    """The place of each signal in q."""

    def with_signals(self, signals: Sequence[Signal]) -> Layout:
        """Return the layout with these signals at the end of q."""
        places = {signal: self.q_size + k for k, signal in enumerate(signals)}
        return replace(self, q_size=self.q_size + len(places), signals=places)

    def rotation(self, q: np.ndarray, body: Body) -> np.ndarray:
        """Return the matrix from body axes to world axes along a motion in Cartesian coordinates, shape (times,
        dimension, dimension)."""
        own = q[:, list(self.q[body])]
        return from_quaternion(own[:, 3:7]) if body.dimension == 3 else about_z(own[:, 2])[:, :2, :2]

    def motion(self, times: int) -> Motion:
        """Return arrays of zeros for a motion over a number of times."""
        return np.zeros((times, self.q_size)), np.zeros((times, self.v_size)), np.zeros((times, self.v_size))


def span(start: int, count: int) -> tuple[int, ...]:
    return tuple(range(start, start + count))


def cartesian_layout(bodies: Sequence[Body], ground: Body) -> Layout:
    """Return the layout of bodies with three plain coordinates each, in space with a quaternion and turns too: q = (r,
    e, ..., τ), v = (ṙ, ω)."""
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
"""q, v and a over time, one row for each time; the ground's coordinates included."""


@dataclass(frozen=True, eq=False)
class OwnEquations:
    """Equations of a coordinate set itself, which keep a body rigid."""

    body: Body
    kind: str
    """A text that names everything on which the kernel depends, except the coordinate set."""
    form: Equations
    slots: Mapping[str, Number]
    owners: tuple[Any, ...]
    """The owners of its coordinates, one after the other (`Layout.q`)."""
    units: tuple[str, ...]


class CoordinateSet(Protocol):
    """A coordinate set depends on markers and bodies; on joints only if joints let bodies share coordinates."""

    set: str
    """The name of the set for `compile`."""

    @property
    def kernels(self) -> KernelCoordinates:
        """The coordinates in which kernels are derived: its own, or Cartesian ones that follow from it by recursion."""

    @property
    def layout(self) -> Layout: ...

    @property
    def coordinate_names(self) -> tuple[str, ...]: ...

    def settled(self, joint: Condition) -> frozenset[int]:
        """Return the rows of a joint that shared or eliminated coordinates satisfy by themselves; the program omits
        them."""
        return frozenset()

    def own_equations(self) -> Iterable[OwnEquations]:
        return ()

    def check_values(self, number: Evaluator) -> None:
        """Raise an error for values of parameters with which these coordinates would be different ones."""
        return None

    def check_moments(self, number: Evaluator) -> None:
        """Raise an error for bodies whose mass these coordinates lose in roundoff, so that no solution of a run can
        find it."""
        return None

    def weights(self, length: float) -> np.ndarray:
        """Return the norm in which "least change" is meant, one number for each velocity: a turn counts as the
        displacement of a point at the model's length."""

    def from_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion:
        """Return a motion of the bodies (Cartesian coordinates) in these coordinates."""

    def to_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion: ...


class KernelCoordinates(CoordinateSet, Protocol):
    """Coordinates in which kernels are derived: how markers and the inertia of a body follow from them."""

    sharing: bool
    """Whether bodies share coordinates."""
    name: str
    """The name of its kernels."""

    def marker_map(self, label: str) -> MarkerMap: ...

    def marker_slots(self, marker: Any) -> tuple[Number, ...]:
        """Return the numbers in the slots of `marker_map` for this marker."""

    def inertia(self, form: str) -> Inertia: ...

    def inertia_form(self, body: Any) -> str:
        """Return the name of the form of `inertia` that a body has."""

    def inertia_slots(self, body: Any, gravity: tuple[Number, ...]) -> tuple[Number, ...]:
        """Return the numbers in the slots of `inertia` for this body."""

    @property
    def kernels(self) -> KernelCoordinates:
        return self

    def weights(self, length: float) -> np.ndarray:
        return self.all_weights(length)[: self.layout.nv]

    def all_weights(self, length: float) -> np.ndarray:
        """Return the weights of all velocities, with those of the ground behind the others."""

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
    """One number, for a slot, of an array that a function computes from the parameters. The function is analytic in
    them, so that it can be evaluated with complex numbers."""

    all_of: Numbers
    which: int

    def __call__(self, number: Evaluator) -> float:
        return float(self.all_of.at(number)[self.which])

    def slope(self, along: ComplexStep) -> float:
        """Its derivative by a parameter: the imaginary part, where parameters have imaginary parts that are too small
        to be felt by the real ones."""
        if along.parameter not in self.all_of.symbols(along.number):
            return 0.0
        return float(self.all_of.at(along)[self.which].imag / along.SMALL)


def computed(function: Callable[[Evaluator], Any], count: int) -> tuple[Computed, ...]:
    """Return `count` numbers that a function of the evaluator of parameters computes."""
    numbers = Numbers(function)
    return tuple(Computed(numbers, k) for k in range(count))
