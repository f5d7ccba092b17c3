"""Which dependent equations are built in, and which depend on each other at this pose only.

A group (a `Circuit`) is momentary if its rows are independent at one of the mechanism's other poses, or at one that its
own elements reach when all others are taken away: a singular pose of one loop among many need not be left together
with those of all the others. It is generic if it is dependent wherever one gets.

Other poses are reached by walking. At a singular pose Φ_v lets more directions free than the mechanism has, and only a
few combinations of them lead anywhere. A direction is chosen, and Newton finds the motion nearest to it. If all bodies
are asked to move alike, neighbours agree about their way out, however many loops there are; random directions find the
other ways.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..compiled import System
from ..compiled.status import DONE
from ..model.drivers import Prescribed
from ..tolerances import NEARLY
from . import newton
from .dependence import Circuit, PoseRank, elements_of

SAMPLES, TRIES = 4, 12
"""Other poses that are looked for, and how many ways are tried to find them."""
STEPS, STEP = 4, 0.1
"""Each lies so many steps off, in which no body moves farther than so many model lengths."""
FIRST = (0.1, 0.03, 0.3)
"""The lengths of the first step, by turns."""
STRAY, CLEAN = 1.0, 0.3
"""How large the correction of a step may be against the step. The first may start on a change point, where most
directions that look free are not."""


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


# --- other poses ----------------------------------------------------------------------------------------------------


def joint_rows(system: System) -> list[int]:
    """The rows that no driver asks for."""
    return [k for k, row in enumerate(system.rows) if not isinstance(system.model.elements[row.element], Prescribed)]


def other_poses(system: System, q: np.ndarray, rows: Collection[int], samples: int = SAMPLES) -> list[np.ndarray]:
    """Poses that satisfy these rows, some way off along what they leave free."""
    here, random, found = PoseRank(system, 0.0, system.placement), np.random.default_rng(7), []
    for k in range(samples * TRIES // SAMPLES):
        alike = np.tile(random.standard_normal(system.nv // len(system.bodies)), len(system.bodies))
        direction = (alike if k % 2 == 0 else random.standard_normal(system.nv)) / np.sqrt(system.weight)
        pose = _step(here, rows, q, direction, FIRST[k % len(FIRST)], STRAY)
        for _ in range(STEPS - 1):
            pose = None if pose is None else _step(here, rows, pose, direction, STEP, CLEAN)
        if pose is not None:
            found.append(pose)
        if len(found) == samples:
            break
    return found


def _step(
    pose: PoseRank, rows: Collection[int], q: np.ndarray, direction: np.ndarray, length: float, correctable: float
) -> np.ndarray | None:
    """A short step along the freedom that these rows leave, the one nearest to a direction, which becomes this freedom;
    None if there is none, or if closing the gaps again takes a correction that is not small against the step: then it
    may have left the branch."""
    system = pose.system
    pose.stand_at(0.0, q)
    pose.keep_only(rows)
    way = pose.tangent(direction)
    size = float(np.abs(np.sqrt(system.weight) * way).max(initial=0.0))
    if size < 1e-6:
        return None
    direction[:] = way
    way *= length * system.length / size
    guess = system.moved(q, way)
    closed = guess.copy()
    pose.machine.factor.truncation[0] = 0.0
    if newton.close(pose.machine, 0.0, closed, system.still, 20) != DONE:
        return None
    correction = system.between(guess, closed)
    return closed if system.weight @ correction**2 < correctable**2 * (system.weight @ way**2) else None
