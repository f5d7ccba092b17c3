"""Which dependent equations are built in, and which depend on each other at this pose only.

A group (a `Circuit`) is momentary if its rows are independent at one of the mechanism's other poses, or at one that its
own elements reach when all others are taken away: a singular pose of one loop among many need not be left together
with those of all the others. It is generic if it is dependent wherever one gets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..compiled import System
from ..tolerances import NEARLY
from .dependence import Circuit, PoseRank, elements_of
from .other_poses import joint_rows, other_poses


@dataclass(frozen=True)
class Redundancy:
    """What depends on what, at a pose and in general."""

    here: PoseRank
    generic: tuple[Circuit, ...]
    momentary: tuple[Circuit, ...]
    others: int
    """How many other poses were looked at."""


def is_momentary(system: System, q: np.ndarray) -> bool:
    """Whether more equations depend on others at this pose than in general."""
    return bool(redundancy(system, q).momentary)


def redundancy(system: System, q: np.ndarray, others: Sequence[np.ndarray] | None = None) -> Redundancy:
    """The dependent groups of a closed pose; with `others` given, judged by these poses alone."""
    rows = range(len(system.rows))
    here = PoseRank(system, 0.0, q)
    if not here.dependent(rows):
        return Redundancy(here, (), (), 0)
    alone = others is None
    others = other_poses(system, q, joint_rows(system)) if others is None else others
    elsewhere = [PoseRank(system, 0.0, other, NEARLY) for other in others]
    most_regular = min([*elsewhere, here], key=lambda pose: len(pose.dependent(rows)))
    generic = [c for c in most_regular.circuits(rows) if all(pose.dependent(c.rows) for pose in (here, *elsewhere))]
    if alone and elsewhere:
        generic = _bound(here, q, generic)
    remaining = _without_one_of_each(generic, here, rows)
    return Redundancy(here, tuple(generic), tuple(here.circuits(remaining)), len(others))


def _bound(here: PoseRank, q: np.ndarray, circuits: Sequence[Circuit]) -> list[Circuit]:
    """Those that stay dependent wherever their own elements go: of each set of elements as many as it has equations too
    many by itself. (In which rows of them a dependence shows is a matter of the pose: rows are along axes of the
    world.)"""
    system, joints = here.system, set(joint_rows(here.system))
    groups: dict[frozenset[str], list[Circuit]] = {}
    for circuit in circuits:
        groups.setdefault(frozenset(elements_of(system, circuit.rows)), []).append(circuit)
    found: dict[int, frozenset[str]] = {}
    for names, members in sorted(groups.items(), key=lambda group: len(group[0])):
        own = [int(k) for name in sorted(names) for k in system.rows_of(name)]
        reached = other_poses(system, q, [k for k in own if k in joints], samples=2)
        alone = [PoseRank(system, 0.0, pose, NEARLY) for pose in reached]
        inside = sum(others < names for others in found.values())
        many = min((len(pose.dependent(own)) for pose in alone), default=inside + len(members)) - inside
        lasting = sorted(members, key=lambda c: not all(pose.dependent(c.rows) for pose in alone))
        found |= dict.fromkeys(map(id, lasting[: max(many, 0)]), names)
    return [circuit for circuit in circuits if id(circuit) in found]


def _without_one_of_each(groups: Iterable[Circuit], here: PoseRank, rows: Iterable[int]) -> list[int]:
    """The rows but for one of each group that the others determine here. (Any one will do at most poses. But in a
    singular one the part of a row in its group may vanish, and then the others do not determine it.)"""
    left = set(rows)
    for group in groups:
        dependent = here.dependent(left.intersection(group.rows))
        left.discard(dependent[-1] if dependent else group.dependent)
    return sorted(left)
