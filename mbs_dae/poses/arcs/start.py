"""The first place of a curve: the motions that a pose has, and the direction in which the curve is followed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...compiled import System
from ...compiled.machine import Machine
from ...compiled.status import DONE
from ...errors import ModelError, SingularConfigurationError, counted
from ...tolerances import RANK_TOLERANCE, ROW_DEPENDENCE, SAME_MOTION
from ..dependence import joints_at_fault
from ..local import Local, free_motions
from ..newton import close, dependent_rows
from .branching import beyond, tangents_of
from .track import ArcPlace, ArcTrack, angles_of, is_timed
from .zeros import reader_of, row_of

AWAY = 1e-2
"""Distance of poses at which motions are counted, in lengths of the model."""
MOST_NAMES = 3
"""Greatest number of quantities to hold that a message names."""


def track_at(
    system: System, t: float, q: np.ndarray, step: float, name: str, fixed: Iterable[str]
) -> tuple[ArcTrack, np.ndarray]:
    """Return the track from a pose, and the motions there as columns, several in a singular pose. Without exactly one
    freedom, raise a `ModelError` that names what to release or to hold (`fixed` are the quantities held by `fix`)."""
    machine, who = system.machine(), repr(system.model.name)
    if machine.program.velocity_rows > 0:
        what = f"{who} has equations that restrict velocities alone: where it is then follows from the way it went"
        raise ModelError(
            f"{what}, and no curve is closed; use mbs.kinematics or mbs.simulate",
            code="nonholonomic", model=system.model.name,
        )  # fmt: skip
    motions = free_motions(system, t, q)
    counts = [(motions.shape[1], q)]
    if motions.shape[1] > 1:
        neighbours = neighbouring_poses(system, t, q, motions)
        counts += [(free_motions(system, t, pose).shape[1], pose) for pose in neighbours]
    freedom, regular = min(counts, key=lambda pair: pair[0])
    if freedom == 0:
        remedy = "its joints lock it: take one away"
        if fixed:
            remedy = f"fix= holds {', '.join(fixed)}: leave one out"
        elif drivers := [d.name for d in system.model.drivers]:
            remedy = f"{', '.join(drivers)} hold it still: let them go, too, by release="
        raise ModelError(
            f"{who} has no freedom, so nothing to follow; {remedy}",
            code="no-freedom", model=system.model.name, fixed=tuple(fixed),
            drivers=tuple(d.name for d in system.model.drivers),
        )  # fmt: skip
    if freedom > 1:
        what = f"{who} has {counted(freedom, 'degree')} of freedom, and one is followed"
        raise ModelError(
            f"{what}; hold {freedom - 1} by drivers, or by {_too_little(system, t, regular, name)}",
            code="too-many-freedoms", model=system.model.name, freedoms=freedom,
        )  # fmt: skip
    close(machine, t, regular.copy(), system.still, 20)
    # (next to a singular pose, pivots of redundant rows are too large to be recognised)
    redundant = max(int(dependent_rows(machine, ROW_DEPENDENCE)), len(system.rows) - system.nv + 1)
    timed, angles = int(system.structure.once(is_timed)), system.structure.once(angles_of)
    return ArcTrack(system, t, redundant, timed, angles, step), motions


def neighbouring_poses(system: System, t: float, q: np.ndarray, motions: np.ndarray) -> list[np.ndarray]:
    """Return closed poses near one, in directions of its motions. (If a motion is only infinitesimal, Newton's method
    creeps back to the pose itself, up to the root of a gap, and its end shows no rank.)"""
    machine: Machine = system.machine()
    poses, n = [], system.nv
    mixed = np.random.default_rng(3).standard_normal((6, motions.shape[1])) @ motions.T
    for direction in np.vstack([motions.T, -motions.T, mixed]):
        step = AWAY * system.length * direction / np.sqrt(system.weight[:n])
        pose = system.moved(q, step)
        if close(machine, t, pose, system.still, 20) != DONE:
            continue
        if system.weight[:n] @ system.between(q, pose) ** 2 > (0.5 * AWAY * system.length) ** 2:
            poses.append(pose)
    return poses


def _too_little(system: System, t: float, q: np.ndarray, name: str) -> str:
    """Return quantities that hold all motions except one, with their values, as text; those of joints first."""
    model, motions = system.model, free_motions(system, t, q) / np.sqrt(system.weight[: system.nv, None])
    of_joints = [f"{e.name}.{m.levels[0]}" for e in model.conditions for m in e.measures().values()]
    values: dict[str, float] = {}
    still = system.still[None]
    independent = row_of(system, name, t, q)[None] @ motions
    for quantity in dict.fromkeys([*of_joints, *model.quantity_names(1)]):
        if len(values) == motions.shape[1] - 1:
            break
        if not model.quantity_or_none(quantity):
            continue
        rows = np.vstack([independent, row_of(system, quantity, t, q) @ motions])
        directions = rows / np.linalg.norm(rows, axis=1, keepdims=True).clip(RANK_TOLERANCE)
        if np.linalg.matrix_rank(directions, tol=SAME_MOTION) == len(rows):
            independent = rows
            value = reader_of(system, quantity)(np.array([t]), q[None], still, still)[0, 0, 0]
            values[quantity] = float(value.round(6)) + 0.0
    text = ", ".join(f'"{quantity}": {value:g}' for quantity, value in [*values.items()][:MOST_NAMES])
    return f"fix={{{text}{', ...' * (len(values) > MOST_NAMES)}}}"


# --- the beginning of the curve -----------------------------------------------------------------------------------


def start_of(track: ArcTrack, q: np.ndarray, motions: np.ndarray, name: str, branch: int | None) -> ArcPlace:
    """Return the first place, in the direction in which a quantity grows; from a singular pose, on the given branch."""
    system, t, n = track.system, track.t, track.system.nv
    if motions.shape[1] > 1:
        place = _on_branch(track, q, branch)
    else:
        if branch is not None:
            raise ModelError(
                f"branch={branch!r} is for branch points, and this pose is none; leave it out",
                code="not-a-branch-point", argument="branch", value=branch,
            )  # fmt: skip
        direction = system.still
        direction[:n] = motions[:, 0] / np.sqrt(system.weight[:n])
        place = track.stand(ArcPlace(0.0, q, direction, system.still))
    if place is None:
        joints = joints_at_fault(system, t, q)
        what = f"{system.model.name!r} has no smooth curve through this pose, where {', '.join(joints)} depend on each "
        raise SingularConfigurationError(
            f"{what}other; start at another pose",
            code="no-smooth-curve", model=system.model.name, time=t, joints=joints,
        )  # fmt: skip
    grows = reader_of(system, name)(np.array([t]), *(x[None] for x in place[1:]))[1, 0, 0] >= 0.0
    return (place if grows or motions.shape[1] > 1 else place.back())._replace(s=0.0)


def _on_branch(track: ArcTrack, q: np.ndarray, branch: int | None) -> ArcPlace | None:
    system, tangents = track.system, tangents_of(Local(track.system, track.t, q))
    who = f"{system.model.name!r} is followed from a singular pose"
    if not len(tangents):
        what = f"{who}, where equations of second order do not say which branches there are"
        raise SingularConfigurationError(
            f"{what}; start at another pose", code="branches-undecided", model=system.model.name, time=track.t
        )
    if len(tangents) == 1 and branch is None:
        branch = 0
    if not (isinstance(branch, int | np.integer) and 0 <= branch < len(tangents)):
        what = f"{who}, through which {len(tangents)} branches go; say which one: branch=0"
        raise ModelError(
            f"{what} to {len(tangents) - 1}",
            code="branch-not-chosen", argument="branch", value=branch, branches=len(tangents),
        )  # fmt: skip
    return beyond(track, ArcPlace(0.0, q, system.still, system.still), tangents[branch])
