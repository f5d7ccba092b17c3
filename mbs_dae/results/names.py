"""Names of a result besides the quantities of its motion: of everything that follows from forces and from equations,
and of vectors.

The name of a vector is that of its components without x, y, z: ``rod.tip`` has the components ``rod.tip.x`` and
``rod.tip.y``, ``rod.tip.v`` has ``rod.tip.vx`` and ``rod.tip.vy``, ``B.F`` has ``B.Fx`` and ``B.Fy``. So nothing is
listed twice, and a result from a file has the same names as one in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from .quantities import PARTS, Energy, Quantities, Reactions, Violation, frozen

COMPONENTS = {2: ("Fx", "Fy", "M"), 3: ("Fx", "Fy", "Fz", "Mx", "My", "Mz")}
"""The components of a load on a marker, by the dimension: force and moment in world axes."""
WORDS = {"omega": "w", "force": "F", "moment": "M"}
"""Other words for vectors: ``B.force`` is ``B.F``. Numbers with these words come first: the ``force`` of a contact, and
``force1``, ``force2`` of one at several points, are normal forces."""
EFFORT, POWER, ENERGY, VIOLATION = "effort", "power", "energy", "violation"
TOTALS = (*PARTS, "total", "error")
LEVELS = {"position": "m or rad", "velocity": "m/s or rad/s", "acceleration": "m/s² or rad/s²"}
"""The units of the largest violation, of lengths or of angles, whichever is larger, by level."""
OF_RATES = {"m/s": "N", "rad/s": "N m"}
"""The unit of the effort along a coordinate, by the unit of the coordinate's rate."""

# --- vectors ---


def components(name: str, scalars: Collection[str]) -> tuple[str, ...]:
    """Return the names of the components of a vector, two or three; an empty tuple if there is no such vector. A marker
    takes precedence over a word: if body ``rod`` has a marker ``a``, ``rod.a`` is the position of this marker."""
    for stem in _stems(name, scalars):
        parts = tuple(f"{stem}{axis}" for axis in "xyz" if f"{stem}{axis}" in scalars)
        if len(parts) > 1:
            return parts
    return ()


def _stems(name: str, scalars: Collection[str]) -> Iterator[str]:
    owner, dot, word = name.rpartition(".")
    yield f"{name}."
    if dot:
        yield name
        if word in WORDS and f"{name}1" not in scalars:
            yield f"{owner}.{WORDS[word]}"


def vectors(scalars: Collection[str]) -> list[str]:
    """Return the names of all vectors, by their words where they have one."""
    vectors_of_scalars: dict[str, None] = {}
    for first in scalars:
        if first.endswith("x"):
            # the name of the vector with this first component, if there is one that has no other meaning
            owner, dot, letter = first[:-1].rpartition(".")
            words = [f"{owner}.{word}" for word, symbol in WORDS.items() if symbol == letter]
            names = (*words, f"{owner}{dot}{letter}".removesuffix(".")) if dot else ()
            free = [name for name in names if name not in scalars and first in components(name, scalars)]
            vectors_of_scalars |= dict.fromkeys(free[:1])
    return [*vectors_of_scalars]


# --- quantities from forces and equations ---


TIME = "t", "s"
"""The name of the independent variable of a motion, and its unit."""


class LoadedResult(Protocol):
    """A result with the fields that derived quantities need."""

    @property
    def quantities(self) -> Quantities: ...
    @property
    def reactions(self) -> Reactions | None: ...
    @property
    def axis(self) -> tuple[str, str]: ...
    @property
    def ledger(self) -> Energy | None: ...
    @property
    def violation(self) -> Violation: ...


@dataclass(frozen=True, eq=False)
class Derived:
    """Efforts, powers and components of reactions; energies; violations: as named quantities."""

    result: LoadedResult
    _read: dict[str, np.ndarray] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.units

    @cached_property
    def units(self) -> Mapping[str, str]:
        """The units of all quantities, by their names."""
        units: dict[str, str] = {}
        if reactions := self.result.reactions:
            force = {c: "N" if c.startswith("F") else "N m" for c in COMPONENTS[reactions.dimension]}
            for name in reactions.names():
                if rate := self.rates.get(name):
                    units |= {f"{name}.{EFFORT}": OF_RATES[self.result.quantities.unit(rate)], f"{name}.{POWER}": "W"}
                units |= {f"{name}.{component}": unit for component, unit in force.items()}
            if self.result.axis == TIME:  # a sweep over a parameter has no energy balance
                units |= {f"{ENERGY}.{total}": "J" for total in TOTALS}
        return units | {f"{VIOLATION}.{level}": unit for level, unit in LEVELS.items()}

    @cached_property
    def rates(self) -> Mapping[str, str]:
        """The rate of the coordinate along which each effort acts: the first such rate among the element's
        quantities."""
        reactions, rates = self.result.reactions, dict[str, str]()
        acting = frozenset(reactions.efforts() if reactions else ())
        for name in self.result.quantities.names():
            owner = name.rpartition(".")[0]
            if owner in acting and owner not in rates and self.result.quantities.unit(name) in OF_RATES:
                rates[owner] = name
        return rates

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._read:
            self._read.update(self._values(name))
        return self._read[name]

    def _values(self, name: str) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the values of a quantity, and of quantities that are computed with it, by name."""
        owner, _, word = name.rpartition(".")
        reactions = self.result.reactions
        if owner == ENERGY and word in TOTALS:
            yield name, frozen(getattr(self.result.ledger, word))
        elif owner == VIOLATION and word in LEVELS:
            yield name, getattr(self.result.violation, word)
        elif word == EFFORT:
            assert reactions is not None
            effort = reactions.effort(owner)
            assert effort is not None
            yield name, frozen(effort)
        elif word == POWER:
            yield name, frozen(self[f"{owner}.{EFFORT}"] * self.result.quantities[self.rates[owner]])
        else:
            assert reactions is not None
            columns = reactions.world(owner).T
            names = (f"{owner}.{component}" for component in COMPONENTS[reactions.dimension])
            yield from zip(names, map(frozen, columns.copy()), strict=True)

    def unique(self, name: str) -> np.ndarray | None:
        """Return whether a quantity is determined, over time; None for a quantity that always is."""
        owner, _, word = name.rpartition(".")
        reactions = self.result.reactions
        if reactions is None or owner not in reactions.names():
            return None
        words = COMPONENTS[reactions.dimension]
        if word in words:
            return reactions.unique(owner)[:, words.index(word)]
        return reactions.unique_loads(owner).get(EFFORT if word == POWER else word)


def names_of_forces(elements: Iterable[str], dimension: int) -> list[str]:
    """Return the names of loads that a result may know: not every element has an effort."""
    words = (EFFORT, POWER, *COMPONENTS[dimension])
    return [*(f"{name}.{word}" for name in elements for word in words), *(f"{ENERGY}.{total}" for total in TOTALS)]


class NamedModel(Protocol):
    """A model with the content that names need."""

    dimension: int

    @property
    def conditions(self) -> Sequence[Any]: ...
    @property
    def contacts(self) -> Sequence[Any]: ...
    @property
    def frictions(self) -> Sequence[Any]: ...
    @property
    def forces(self) -> Sequence[Any]: ...
    @property
    def signal_units(self) -> Mapping[str, str]: ...
    def quantity_names(self) -> list[str]: ...


def known_names(model: NamedModel) -> dict[str, None]:
    """Return the names that results of a model may know: of its motion, of forces, of violations."""
    acting = (*model.conditions, *model.contacts, *model.frictions, *model.forces)
    more = [*model.signal_units, *(f"{e.name}.{load}" for e in acting for load in e.loads)]
    more += names_of_forces((e.name for e in acting), model.dimension) + [f"{VIOLATION}.{level}" for level in LEVELS]
    return dict.fromkeys([*model.quantity_names(), *more])


# --- meanings of names ---

MEANINGS: dict[str, Any] = {
    "omega": "angular velocity", "alpha": "angular acceleration", "displacement": "displacement",
    "M": "moment", "rate": "rate", "distance_rate": "rate of the distance",
    "distance_acceleration": "acceleration of the distance",
} | {
    f"{letter}{axis}": f"{what} {axis}"
    for axis in "xyz"
    for letter, what in {
        "": "position along", "v": "velocity along", "a": "acceleration along", "w": "angular velocity about",
        "alpha": "angular acceleration about", "F": "force along", "M": "moment about",
    }.items()
}  # fmt: skip


def long_name(name: str) -> str:
    """Return the words for a name, for tables."""
    owner, dot, word = name.rpartition(".")
    if not dot:
        return name
    if owner == ENERGY and word in TOTALS:
        return {"error": "error of the total energy"}.get(word, f"{word} energy")
    if owner == VIOLATION and word in LEVELS:
        return f"largest violation of the {word} equations"
    return f"{MEANINGS.get(word, word.replace('_', ' '))} of {owner}"
