"""Dependent equations: generic groups, and momentary ones, which are dependent at this pose only.

A group (a `DependentGroup`) is momentary if its rows are independent at one of the mechanism's other poses, or at one
that its own elements reach when all others are removed: a mechanism need not leave the singular pose of one loop among
many together with those of all others. A group is generic if it is dependent in all poses that are reached.

Other poses are reached by walking. At a singular pose Φ_v leaves more directions free than the mechanism has, and only
a few combinations of them are finite motions. A direction is chosen, and Newton's method finds the motion nearest to
it. With equal directions for all bodies, neighbouring loops leave the pose alike, however many there are; random
directions find the other motions.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ..compiled import System
from ..compiled.status import DONE
from ..model.drivers import Prescribed
from ..tolerances import RATE_INDEPENDENCE
from . import newton
from .dependence import DependentGroup, PoseRank, elements_of

SAMPLES, TRIES = 4, 12
"""Number of other poses, and of attempts to reach them."""
STEPS, STEP = 4, 0.1
"""Number of steps to each, and the longest way of a body in a step, in model lengths."""
FIRST = (0.1, 0.03, 0.3)
"""Lengths of the first step, in turn."""
STRAY, CLEAN = 1.0, 0.3
"""Greatest correction of a step relative to the step, for the first and for later steps. The first may begin at a
change point, where most directions that look free are not."""


@dataclass(frozen=True)
class Redundancy:
    """The dependent groups at a pose, and in general."""

    here: PoseRank
    generic: tuple[DependentGroup, ...]
    momentary: tuple[DependentGroup, ...]
    others: int
    """Number of other poses that were used."""


def is_momentary(system: System, q: np.ndarray) -> bool:
    """Return whether more equations depend on others at this pose than in general."""
    return bool(redundancy(system, q).momentary)


def is_change_point(system: System, q: np.ndarray) -> bool:
    """Return whether joints alone have dependent rows at a singular pose, which are independent in general: branches of
    their motion meet there. Otherwise the joints have one smooth motion, along which a driven quantity stands still: a
    dead point of its driver."""
    joints = {*joint_rows(system)}
    return any(joints.issuperset(circuit.rows) for circuit in redundancy(system, q).momentary)


def redundancy(system: System, q: np.ndarray, others: Sequence[np.ndarray] | None = None) -> Redundancy:
    """Return the dependent groups of a closed pose; with `others` given, judged by these poses alone."""
    rows = range(len(system.rows))
    here = PoseRank(system, 0.0, q)
    if not here.dependent(rows):
        return Redundancy(here, (), (), 0)
    sampled = others is None
    others = other_poses(system, q, joint_rows(system)) if others is None else others
    elsewhere = [PoseRank(system, 0.0, other, RATE_INDEPENDENCE) for other in others]
    most_regular = min([*elsewhere, here], key=lambda pose: len(pose.dependent(rows)))
    generic = [c for c in most_regular.circuits(rows) if all(pose.dependent(c.rows) for pose in (here, *elsewhere))]
    if sampled and elsewhere:
        generic = _bound(here, q, generic)
    # One row of each generic group is left out: one that the others determine here. (In most poses any one will do, but
    # in a singular pose the coefficient of a row may vanish, and then the others do not determine it.)
    remaining = set(rows)
    for circuit in generic:
        dependent = here.dependent(remaining.intersection(circuit.rows))
        remaining.discard(dependent[-1] if dependent else circuit.dependent)
    return Redundancy(here, tuple(generic), tuple(here.circuits(sorted(remaining))), len(others))


def _bound(here: PoseRank, q: np.ndarray, circuits: Sequence[DependentGroup]) -> list[DependentGroup]:
    """Return the groups that stay dependent in all poses of their own elements: for each set of elements as many as its
    number of redundant equations. (The rows that show a dependence vary with the pose: rows are along axes of the
    world.)"""
    system, joints = here.system, set(joint_rows(here.system))
    groups: dict[frozenset[str], list[DependentGroup]] = {}
    for circuit in circuits:
        groups.setdefault(frozenset(elements_of(system, circuit.rows)), []).append(circuit)
    lasting: dict[int, frozenset[str]] = {}
    for names, members in sorted(groups.items(), key=lambda group: len(group[0])):
        rows = [int(k) for name in sorted(names) for k in system.rows_of(name)]
        samples = other_poses(system, q, [k for k in rows if k in joints], samples=2)
        poses = [PoseRank(system, 0.0, pose, RATE_INDEPENDENCE) for pose in samples]
        inside = sum(others < names for others in lasting.values())
        count = min((len(pose.dependent(rows)) for pose in poses), default=inside + len(members)) - inside
        ranked = sorted(members, key=lambda c: not all(pose.dependent(c.rows) for pose in poses))
        lasting |= dict.fromkeys(map(id, ranked[: max(count, 0)]), names)
    return [circuit for circuit in circuits if id(circuit) in lasting]


# --- other poses ----------------------------------------------------------------------------------------------------


def joint_rows(system: System) -> list[int]:
    """Return the numbers of the rows that belong to no driver."""
    return [k for k, row in enumerate(system.rows) if not isinstance(system.model.elements[row.element], Prescribed)]


def other_poses(system: System, q: np.ndarray, rows: Collection[int], samples: int = SAMPLES) -> list[np.ndarray]:
    """Return poses that satisfy these rows, some distance away along the motions that the rows leave free."""
    rank, random, poses = PoseRank(system, 0.0, system.placement), np.random.default_rng(7), []
    for k in range(samples * TRIES // SAMPLES):
        equal = np.tile(random.standard_normal(system.nv // len(system.bodies)), len(system.bodies))
        direction = (equal if k % 2 == 0 else random.standard_normal(system.nv)) / np.sqrt(system.weight)
        pose = _step(rank, rows, q, direction, FIRST[k % len(FIRST)], STRAY)
        for _ in range(STEPS - 1):
            pose = None if pose is None else _step(rank, rows, pose, direction, STEP, CLEAN)
        if pose is not None:
            poses.append(pose)
        if len(poses) == samples:
            break
    return poses


def _step(
    pose: PoseRank, rows: Collection[int], q: np.ndarray, direction: np.ndarray, length: float, correctable: float
) -> np.ndarray | None:
    """Return the pose after a short step along the free motion nearest to a direction, which becomes this motion, in
    place; None if there is none, or if closing the gaps takes a correction that is not small relative to the step: then
    it may have left the branch."""
    system = pose.system
    pose.stand_at(0.0, q)
    pose.restrict(rows)
    step = pose.tangent(direction)
    size = float(np.abs(np.sqrt(system.weight) * step).max(initial=0.0))
    if size < 1e-6:
        return None
    direction[:] = step
    step *= length * system.length / size
    guess = system.moved(q, step)
    closed = guess.copy()
    pose.machine.factor.truncation[0] = 0.0
    if newton.close(pose.machine, 0.0, closed, system.still, 20) != DONE:
        return None
    correction = system.between(guess, closed)
    return closed if system.weight @ correction**2 < correctable**2 * (system.weight @ step**2) else None
