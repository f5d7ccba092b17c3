"""From the first place of a curve to the whole of it: both ways, and where bodies stop it."""

from __future__ import annotations

import numpy as np

from ...compiled.reading import Trajectory
from ...compiled.status import DONE, ENDLESS, HOME
from ...errors import ModelError
from ..dependence import joints_at_fault
from .singular import across
from .tracing import Traced, both_ways, comes_home, joined, traced
from .track import Place, Track

TOUCHES = 1e-9
"""Gaps above minus this, relative to how far the model reaches, are none that overlap."""


def whole(track: Track, start: Place, both: bool, poses: int) -> tuple[Traced, tuple[str, ...], int]:
    """The curve through a place; why it ends, if it is open; and which place is the one given."""
    forth, end = _until_stopped(track, _onward(track, start, poses))
    if forth.ending == HOME:
        return forth, (), 0
    if not both:
        return forth, ("the start", end), 0
    back, beginning = _until_stopped(track, _onward(track, start.back(), poses))
    curve = both_ways(back, forth)
    moved = curve.path._replace(t=curve.path.t - curve.path.t[0])
    return curve._replace(path=moved), (beginning, end), back.path.t.size - 1


def _onward(track: Track, start: Place, poses: int) -> Traced:
    """From a place as far as the curve goes, across singular poses through which it is smooth."""
    one = traced(track, start, start, poses)
    while one.ending not in (HOME, ENDLESS) and (there := across(track, one.place(-1))) is not None:
        last = one.place(-1)
        both = (np.stack(pair) for pair in zip(last[1:], there[1:], strict=True))
        step = Trajectory(np.array([last.s, there.s]), *both)
        one = joined(one, Traced(step, DONE))
        count = one.path.t.size
        if comes_home(track, start, one.path, count):
            return one._replace(ending=HOME)
        if count >= poses:
            return one._replace(ending=ENDLESS)
        one = joined(one, traced(track, there, start, poses - count + 1))
    return one


def _until_stopped(track: Track, one: Traced) -> tuple[Traced, str]:
    """The curve up to where a contact stops it; and why it ends."""
    if track.system.model.contacts and (stopped := _stopped(track, one)) is not None:
        return stopped
    if one.ending == HOME:
        return one, ""
    if one.ending == ENDLESS:
        return one, f"after {one.path.t.size} poses: more were not asked for"
    joints = joints_at_fault(track.system, track.t, one.path.q[-1])
    return one, f"a singular pose, in which {', '.join(joints)} depend on each other, and no smooth way on is found"


def _stopped(track: Track, one: Traced) -> tuple[Traced, str] | None:
    """The curve up to where the first contact closes; None if none does."""
    contacts = track.system.structure.contacts
    points = np.flatnonzero(contacts.gap >= 0)
    reader, places = track.system.reader_by(contacts.program), contacts.gap[points]
    held = one.path._replace(t=np.full(one.path.t.size, track.t))
    deep = reader(*held)[0][:, places] < -TOUCHES * track.machine.extent
    if not deep.any():
        return None
    k = int(deep.any(axis=1).argmax())
    which = int(points[deep[k].argmax()])
    contact = contacts.points[which][0]
    if k == 0:
        raise ModelError(f"{contact.who} overlaps in the pose that is followed; start at another one")

    def gap(place: Place) -> float:
        now = (np.array([track.t]), place.q[None], place.v[None], place.a[None])
        return float(reader(*now)[0][0, contacts.gap[which]])

    last = track.zero(gap, one.place(k - 1), one.place(k))
    path = one.path.until(k + (last is not None))
    if last is not None:
        for rows, own in zip(path, last, strict=True):
            rows[-1] = own
    return Traced(path, DONE), f"{contact.who} closes"
