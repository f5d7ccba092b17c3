"""The result of `assembly_modes`: all poses of a mechanism, with its circuits and branches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from ..certify.certificate import Certificate
from ..errors import ModelError, checked_options
from ..poses.arcs.points import BranchPoint, TurningPoint
from ..provided import provided
from ..public_class import PublicClass
from ..results.result import State
from ..unit_system import UnitsLike, heading, shown, shown_in

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ModeTransition(NamedTuple):
    """A way from a mode to the next one on a curve, through the singular poses between them."""

    first: int
    last: int
    points: tuple[TurningPoint | BranchPoint, ...]


@dataclass(frozen=True)
class Connections:
    """The number of the circuit and of the branch of each mode, the ways between modes, and the curves that could not
    be followed."""

    circuits: tuple[int, ...]
    branches: tuple[int, ...]
    ways: tuple[ModeTransition, ...]
    unfollowed: tuple[str, ...]


def connected_components(count: int, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Return a number, from 0 on, for each item, in order of appearance: equal for all items that pairs connect."""
    leader = list(range(count))

    def first(k: int) -> int:
        while leader[k] != k:
            k = leader[k]
        return k

    for i, j in pairs:
        a, b = sorted((first(i), first(j)))
        leader[b] = a
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(first(k), len(numbers)) for k in range(count))


@dataclass(frozen=True, eq=False)
class AssemblyModes(metaclass=PublicClass):
    """All poses of a mechanism for given values of its drivers, from `assembly_modes`: a sequence of states, the one
    nearest to the placement first. ``modes["rod.x"]`` is an array over them.

    >>> points = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}
    >>> model = mbs.PlanarModel.from_points(points, rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD")
    >>> modes = mbs.assembly_modes(model, fix={"crank.angle": 0.6})
    >>> isinstance(modes, mbs.AssemblyModes), len(modes), modes.complex, modes.complete
    (True, 2, 2, True)
    >>> modes["rocker.angle"].shape, modes.proven
    ((2,), True)
    """

    title: str
    """Name of the model."""
    t: float
    fix: Mapping[str, float]
    """The given values."""
    states: tuple[State, ...] = field(repr=False)
    complex: int
    """Number of isolated solutions of the equations, complex and real."""
    generic: int
    """Number of isolated solutions for generic lengths and values: an upper bound."""
    complete: bool | None
    """Whether `generic` is right, by the trace test; None where the test is inconclusive."""
    singular: int = 0
    """Number of paths that ended in singular poses: two solutions coincide, or there is a continuum."""
    dimension: int = 0
    """The dimension of the largest continuum of poses that was found; 0: all poses found are isolated."""
    at_infinity: int = 0
    """Number of generic solutions that are at infinity here."""
    message: str = ""
    """Further notes; empty if there are none."""
    certificates: tuple[Certificate, ...] = field(default=(), repr=False)
    """The certificate of each mode, with the given values; empty where a law has no bounds."""
    links: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    """The bodies of each link between a ball and a cross that only keeps two points apart. In each mode it has two
    attitudes, half a turn about its own axis apart; modes show the one nearer to its placement, and all numbers of
    solutions are those of the other bodies."""

    def __len__(self) -> int:
        return len(self.states)

    def __iter__(self) -> Iterator[State]:
        return iter(self.states)

    @overload
    def __getitem__(self, key: int) -> State: ...
    @overload
    def __getitem__(self, key: str) -> np.ndarray: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return np.array([state[key] for state in self.states])
        if isinstance(key, bool) or not isinstance(key, int | np.integer):
            raise ModelError(
                f"modes are read by number, modes[0], or by the name of a quantity, not by {key!r}",
                code="wrong-type", argument="key", value=key,
            )  # fmt: skip
        if not -len(self) <= key < len(self):
            raise IndexError(f"{self.title!r} has {len(self)} modes here, and no number {key}")
        return self.states[key]

    @cached_property
    def proven(self) -> bool:
        """Whether each mode is proven to be a pose, with no other one next to it, and all are proven to be
        different."""
        proofs = self.certificates
        pairs = ((a, b) for k, a in enumerate(proofs) for b in proofs[:k])
        return len(proofs) == len(self) and all(proofs) and all(a.differs(b) for a, b in pairs)

    def __repr__(self) -> str:
        completeness = {True: "complete", False: "not complete", None: "completeness not shown"}[self.complete]
        return f"<AssemblyModes of {self.title!r}: {len(self)} real of {self.complex}, {completeness}>"

    @cached_property
    def _connections(self) -> Connections:
        return provided("AssemblyModes.connections")(self)

    @property
    def circuits(self) -> tuple[int, ...]:
        """The circuit of each mode: modes with equal numbers can be reached from each other without taking the
        mechanism apart, with one driver at a time released.

        >>> points = {"A": (0, 0), "B": (0.2, 0), "C": (0.325, 0.484), "D": (0.5, 0)}  # the crank turns
        >>> model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
        >>> mbs.assembly_modes(model, fix={"AB.angle": 0.6}).circuits
        (0, 1)
        """
        return self._connections.circuits

    @property
    def branches(self) -> tuple[int, ...]:
        """The branch of each mode: modes with equal numbers can be reached from each other by the drivers alone, with
        no dead point between them."""
        return self._connections.branches

    @property
    def ways(self) -> tuple[tuple[int, int, tuple[Any, ...]], ...]:
        """The ways between modes: (from, to, singular poses between), one after the other along the curves on which one
        driver or fixed value is released. Singular poses are the dead points of the released quantity (`TurningPoint`),
        with its value there, and branch points (`BranchPoint`).

        >>> points = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}  # both cranks rock
        >>> model = mbs.PlanarModel.from_points(points, rods=["AB", "BC", "CD"], fixed="AD")
        >>> for first, last, (dead,) in mbs.assembly_modes(model, fix={"AB.angle": 0.6}).ways:
        ...     print(first, last, dead.name, round(dead.value, 4))
        0 1 AB.angle 2.0519
        1 0 AB.angle -2.0519
        """
        return self._connections.ways

    @property
    def unfollowed(self) -> tuple[str, ...]:
        """The curves that could not be followed, and the reasons: they may connect modes with different numbers of
        circuits or branches. Empty if all were followed."""
        return self._connections.unfollowed

    @checked_options
    def table(self, *names: str, units: UnitsLike = None, degrees: bool = False) -> str:
        """Return quantities of all modes as a table of text; if none are named, the places of the bodies. `units` and
        `degrees` are those of ``Result.plot``; once a unit is chosen, each heading has one.

        >>> rods = {"crank": "AB", "rod": "BC"}
        >>> points = {"A": (0, 0), "B": (0, 3), "C": (4, 0)}
        >>> model = mbs.PlanarModel.from_points(points, rods=rods, fixed="A")
        >>> modes = mbs.assembly_modes(model, fix={"rod.C.x": 4.0, "rod.C.y": 0.0})
        >>> print(modes.table("crank.angle"))
        mode  crank.angle
           0     1.570796
           1    -1.570796
        >>> print(modes.table("crank.angle", degrees=True))
        mode  crank.angle [°]
           0        90.000000
           1       -90.000000
        """
        if others := [name for name in names if not isinstance(name, str)]:
            raise ModelError(
                f"a table has the names of quantities, table('rod.x', 'rod.y'), not {others[0]!r}",
                code="wrong-type", argument="names", value=others[0],
            )  # fmt: skip
        columns = names or tuple(self._places())
        if self.states:  # vectors by their components
            columns = tuple(part for name in columns for part in self.states[0].result.components(name))
        with shown_in(units, degrees):
            units_of = {name: self.states[0].result.unit(name) if self.states else "" for name in columns}
            rows = [["mode", *(heading(name, unit) for name, unit in units_of.items())]]
            for k, state in enumerate(self.states):
                rows.append([str(k), *(f"{shown(state[name], unit, name)[0]:.6f}" for name, unit in units_of.items())])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in rows)

    def _places(self) -> Iterator[str]:
        if not self.states:
            return
        model = self.states[0].system.model
        for body in model.bodies:
            for c in ("x", "y", "angle") if model.dimension == 2 else ("x", "y", "z"):
                yield f"{body}.{c}"

    def plot(self, columns: int | None = None, units: UnitsLike = None) -> Figure:
        """Plot all modes side by side, drawn to one scale, each with its circuit and its branch. `units` are those of
        ``Result.plot``."""
        with shown_in(units):
            return provided("AssemblyModes.plot")(self, columns)
