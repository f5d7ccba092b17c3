"""From a pose to the whole curve through it: its freedom, its direction, both ways, and where bodies stop it."""

from __future__ import annotations

import numpy as np

from ...compiled import System
from ...compiled.machine import DONE, ENDLESS, Machine
from ...errors import ModelError, SingularConfigurationError, counted
from ...tolerances import DEPENDENT
from ..dependence import joints_at_fault
from ..freedom import free_motions
from ..newton import close, dependent_rows
from .branching import beyond, tangents_at
from .steps import HOME
from .tracing import Traced, both_ways, standing, traced
from .track import Place, Track, angles_of, is_timed

AWAY = 1e-2
"""How far from a pose it is looked at how many motions are left, in lengths of the model."""
TOUCHES = 1e-9
"""Gaps above minus this, relative to how far the model reaches, are none that overlap."""


def track_at(system: System, t: float, q: np.ndarray, step: float) -> tuple[Track, bool]:
    """What is needed to follow a mechanism from a pose, and whether the pose is singular. Without one freedom: told."""
    machine, name = system.machine(), repr(system.model.name)
    if machine.program.velocity_rows > 0:
        what = f"{name} has equations that restrict velocities alone: where it is then follows from the way it went"
        raise ModelError(f"{what}, and no curve is closed; use mbs.kinematics or mbs.simulate")
    here = free_motions(system, t, q)
    looked = [(here.shape[1], q)]
    if here.shape[1] > 1:
        looked += _beside(system, machine, t, q, here)
    freedom, regular = min(looked, key=lambda one: one[0])
    if freedom == 0:
        raise ModelError(f"{name} has no freedom, so nothing to follow; take a joint or a driver away")
    if freedom > 1:
        what = f"{name} has {counted(freedom, 'degree')} of freedom, and one is followed"
        remedy = f'hold {freedom - 1} by fix={{"rod.angle": 0.3}} or by drivers'
        raise ModelError(f"{what}; {remedy}")
    close(machine, t, regular.copy(), system.still, 20)
    redundant = int(dependent_rows(machine, DEPENDENT))
    return Track(system, t, redundant, int(is_timed(system)), angles_of(system), step), here.shape[1] > 1


def _beside(
    system: System, machine: Machine, t: float, q: np.ndarray, motions: np.ndarray
) -> list[tuple[int, np.ndarray]]:
    """How many motions are left in poses next to a singular one."""
    found, n = [], system.nv
    mixed = np.random.default_rng(3).standard_normal((6, motions.shape[1])) @ motions.T
    for direction in np.vstack([motions.T, -motions.T, mixed]):
        step = system.still
        step[:n] = AWAY * system.length * direction / np.sqrt(system.weight[:n])
        there = system.moved(q, step[:n])
        if close(machine, t, there, system.still, 20) == DONE:
            found.append((free_motions(system, t, there).shape[1], there))
    return found


def start_of(track: Track, q: np.ndarray, singular: bool, row: np.ndarray, branch: int | None) -> Place:
    """The place to begin with, in the direction in which a quantity with this row grows."""
    system, t, n = track.system, track.t, track.system.nv
    if not singular:
        if branch is not None:
            raise ModelError(f"branch={branch!r} is for branch points, and this pose is none; leave it out")
        direction = system.still
        direction[:n] = free_motions(system, t, q)[:, 0] / np.sqrt(system.weight[:n])
        place = standing(track, q, direction)
    else:
        place = _on_branch(track, q, branch)
    if place is None:
        joints = joints_at_fault(system, t, q)
        what = f"{system.model.name!r} has no smooth curve through this pose, where {', '.join(joints)} depend on each "
        raise SingularConfigurationError(f"{what}other; start at another pose", time=t, joints=joints)
    return place.back()._replace(s=0.0) if row @ place.v[:n] < 0.0 and not singular else place


def _on_branch(track: Track, q: np.ndarray, branch: int | None) -> Place | None:
    tangents = tangents_at(track, q)
    who = f"{track.system.model.name!r} is followed from a singular pose"
    if not len(tangents):
        what = f"{who}, where equations of second order do not say which branches there are"
        raise SingularConfigurationError(f"{what}; start at another pose", time=track.t)
    if not (isinstance(branch, int | np.integer) and 0 <= branch < len(tangents)):
        what = f"{who}, through which {len(tangents)} branches go; say which one: branch=0"
        raise ModelError(f"{what} to {len(tangents) - 1}")
    return beyond(track, q, tangents[branch])


# --- the whole curve --------------------------------------------------------------------------------------------------


def whole(track: Track, start: Place, both: bool, poses: int) -> tuple[Traced, tuple[str, ...], int]:
    """The curve through a place; why it ends, if it is open; and which place is the one given."""
    forth, end = _until_stopped(track, traced(track, start, poses))
    if forth.ending == HOME:
        return forth, (), 0
    if not both:
        return forth, ("the start", end), 0
    back, beginning = _until_stopped(track, traced(track, start.back(), poses))
    joined = both_ways(back, forth)
    moved = joined.path._replace(t=joined.path.t - joined.path.t[0])
    return joined._replace(path=moved), (beginning, end), back.path.t.size - 1


def _until_stopped(track: Track, one: Traced) -> tuple[Traced, str]:
    """The curve up to where a contact stops it; and why it ends."""
    system = track.system
    if system.model.contacts:
        contacts = system.structure.contacts
        points = np.flatnonzero(contacts.gap >= 0)
        reader, places = system.reader_by(contacts.program), contacts.gap[points]
        held = one.path._replace(t=np.full(one.path.t.size, track.t))
        deep = reader(*held)[0][:, places] < -TOUCHES * track.machine.extent
        if deep.any():
            k = int(deep.any(axis=1).argmax())
            which = int(points[deep[k].argmax()])
            contact = contacts.points[which][0]
            if k == 0:
                raise ModelError(f"{contact.who} overlaps in the pose that is followed; start at another one")

            def gap(place: Place) -> float:
                now = (np.array([track.t]), place.q[None], place.v[None], place.a[None])
                return float(reader(*now)[0][0, contacts.gap[which]])

            last = track.where(gap, one.place(k - 1), 1.01 * float(one.path.t[k] - one.path.t[k - 1]))
            path = one.path.until(k + (last is not None))
            if last is not None:
                for rows, own in zip(path, last, strict=True):
                    rows[-1] = own
            return Traced(path, one.passed[: path.t.size].copy(), DONE), f"{contact.who} closes"
    if one.ending == ENDLESS:
        return one, f"after {one.path.t.size} poses: more were not asked for"
    joints = joints_at_fault(system, track.t, one.path.q[-1])
    return one, f"a singular pose, in which {', '.join(joints)} depend on each other and the curve is not smooth"
